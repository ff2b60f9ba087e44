"""A player of every game: `tilelab match 'command(python3 examples/players/player.py)' mobility --game offset`.

Reads positions and answers moves, one JSON line each. It prefers down and left (67!, 2048) and otherwise
draws a legal move, the same one whenever the same game reaches the same turn.
"""

import json
import random
import sys

for line in sys.stdin:
    asked = json.loads(line)
    legal = asked["legal"]
    preferred = [name for name in ("down", "left") if name in legal]
    if preferred:
        move = preferred[0]
    else:
        move = random.Random(asked["seed"] * 1000 + asked["moves"]).choice(legal)
    print(json.dumps({"move": move}), flush=True)
