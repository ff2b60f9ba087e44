"""Players and games in Python, and training."""

import pickle
import subprocess
import sys
from functools import cache

import pytest

import tilelab

GAMES = {
    "67": {"size": "3x3"},
    "2048": {"size": "3x3", "max_moves": 60},
    "calculator": {"level": 12},
    "offset": {"d": 5, "side": 6},
    "multiplication": {"start": 9},
}


def first(turn: tilelab.Turn) -> str:
    return turn.legal[0]


@tilelab.player
def chance(turn: tilelab.Turn) -> str:
    return turn.random.choice(turn.legal)


@tilelab.game
class Pig:
    """Rolls a die as often as it likes; a 1 loses, stopping at the goal or more wins."""

    measures = {"total": "the sum at the end"}

    def __init__(self, goal: int = 20) -> None:
        self.goal = goal

    def start(self, random):
        return (0, None)

    def deal(self, state, random):
        eyes = random.randint(1, 6)
        return (0, "lost") if eyes == 1 else (state[0] + eyes, None)

    def legal(self, state):
        return ["roll", "stop"]

    def play(self, state, move):
        return state if move == "roll" else (state[0], "won" if state[0] >= self.goal else "lost")

    def result(self, state):
        return None if state[1] is None else (state[1], {"total": state[0]})


@tilelab.game
class Nim:
    """Takes one to three matches; taking the last one wins."""

    def __init__(self, matches: int = 10) -> None:
        self.matches = matches

    def start(self, random):
        return {"matches": self.matches, "seat": 0}

    def seat(self, state):
        return state["seat"]

    def legal(self, state):
        return [str(number) for number in range(1, min(3, state["matches"]) + 1)]

    def play(self, state, move):
        return {"matches": state["matches"] - int(move), "seat": 1 - state["seat"]}

    def result(self, state):
        return None if state["matches"] else "won" if state["seat"] == 1 else "lost"


def pig(turn: tilelab.Turn) -> str:
    return "stop" if turn.position[0] >= turn.rules["goal"] else "roll"


def nim(turn: tilelab.Turn) -> str:
    rest = str(turn.position["matches"] % 4)
    return rest if rest in turn.legal else "1"


@pytest.mark.parametrize("game", GAMES)
def test_a_function_plays_every_game(game):
    result, again = (
        tilelab.simulate(game, player=[first, chance], games=12, threads=threads, progress=False, **GAMES[game])
        for threads in (1, 2)
    )
    assert result["games"] == [12, 12]
    assert result.csv == again.csv
    assert [player.partition(" /")[0] for player in result["player"]] == ["first", "chance"]
    turns = result.replay(result["cell"][0], 3)
    assert turns[-1]["outcome"] in ("won", "drawn", "lost")
    if {"legal", "move"} <= turns[0].keys():
        played = [turn for turn in turns if turn["move"] is not None and turn.get("seat", 0) == 0]
        assert played and all(turn["move"] == turn["legal"][0] for turn in played)
    met = tilelab.match(game, [first, "random"], games=6, progress=False, **GAMES[game])
    assert met["games"] == [6] and met["player"] == ["first / random"]


def test_a_failing_function_ends_the_run_which_goes_on_where_it_was(tmp_path):
    calls = 0

    def fragile(turn):
        nonlocal calls
        calls += 1
        if calls == 100:
            raise ZeroDivisionError("after a while")
        return turn.legal[-1]

    def match(out):
        return tilelab.match("2048", [fragile, "corner"], games=8, measure="score", out=out, threads=1, size="3x3", progress=False)

    with pytest.raises(ZeroDivisionError, match="after a while"):
        match(tmp_path / "broken")
    resumed = match(tmp_path / "broken")
    assert resumed.failures == []
    assert resumed.csv == match(tmp_path / "whole").csv
    assert tilelab.load(resumed.folder).csv == resumed.csv


def test_a_policy_meets_functions():
    evaluation = tilelab.evaluate(lambda observations, legal: legal.argmax(axis=1), "67", games=40, against=[first, "random"], size="3x3")
    # The first legal move, in both ways.
    assert (evaluation.won["policy"] == evaluation.won["first"]).all()

    def broken(turn):
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        tilelab.evaluate(lambda observations, legal: legal.argmax(axis=1), "67", games=4, against=broken, size="3x3")


def test_moves_and_names_are_checked():
    def wrong(turn):
        return "sideways"

    with pytest.raises(ValueError, match="wrong: 'sideways' is not a legal move; legal: "):
        tilelab.simulate("67", player=wrong, games=2, progress=False)
    with pytest.raises(ValueError, match="has no name of its own"):
        tilelab.simulate("67", player=lambda turn: turn.legal[0], games=2, progress=False)
    for name, message in (("greedy", "a player of the catalog has this name"), ("a b", "accepted: letters")):
        with pytest.raises(ValueError, match=message):
            tilelab.player(first, name=name)
    with pytest.raises(ValueError, match="there is a game of this name already"):
        tilelab.game(Pig, name="2048")
    with pytest.raises(TypeError, match="the class lacks legal, play, result"):
        tilelab.game(type("Empty", (), {"start": None}))
    with pytest.raises(TypeError, match="unexpected keyword argument 'gaol'; did you mean goal"):
        tilelab.simulate(Pig, gaol=3, progress=False)


def test_an_experiment_names_functions_and_is_read_elsewhere(tmp_path):
    experiment = {
        "name": "own",
        "seed": 3,
        "games": 5,
        "table": [{"title": "t", "game": "sixty-seven", "size": "3x3", "player": ["random", first]}],
    }
    result = tilelab.run(experiment, out=tmp_path, progress=False)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.experiment.cells == result.experiment.cells
    paired = tilelab.compare(result, by="player", paired=True)
    assert paired["games_a"] == [5]
    # Another process does not know the function: figures are read, and games are not played.
    code = (
        f"import tilelab\nresult = tilelab.load({str(tmp_path / 'own')!r})\nprint(result['games'])\n"
        "try:\n    result.experiment\nexcept ValueError as error:\n    print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("[5, 5]\n") and "first" in told


def test_a_game_in_python_has_statistics():
    @cache
    def won(points: int) -> float:
        """The chance that the random player wins before a roll."""
        if points > 120:
            return 0.0
        return sum(((points + eyes >= 20) + won(points + eyes)) / 2 for eyes in range(2, 7)) / 6

    result = tilelab.simulate(Pig, player=["random", pig], games=4_000, progress=False)
    low, high = result["win_pct_lo"][0], result["win_pct_hi"][0]
    assert low - (high - low) < 100 * won(0) < high + (high - low)
    assert result["win_pct"][1] > 3 * result["win_pct"][0]
    assert result["total_mean"][1] > 2
    swept = tilelab.simulate("pig", goal=[10, 20], games=50, progress=False)
    assert list(swept["goal"]) == [10, 20]
    assert list(swept.to_xarray().dims) == ["goal"]
    assert tilelab.compare(swept, by="goal")["games_a"] == [50]
    known = next(game for game in tilelab.games() if game.name == "pig")
    assert [parameter.default for parameter in known.parameters] == [20] and list(known.measures) == ["total"]
    turns = result.replay(result["cell"][1], 2)
    assert turns[-1]["outcome"] in ("won", "lost") and turns[0]["legal"] == ["roll", "stop"]
    met = tilelab.match(Pig, [pig, "random"], games=200, progress=False)
    assert met["points_mean"][0] > 0.5


def test_rare_wins_of_a_game_in_python_are_split():
    @tilelab.game(name="pig-with-levels")
    class Levels(Pig):
        def level(self, state):
            return state[0]

    found = tilelab.simulate(Levels, goal=[30, 40], games=300, method="splitting", progress=False)
    for low, high, exact in zip(found["win_pct_lo"], found["win_pct_hi"], (0.234, 0.02924), strict=True):
        assert low - (high - low) < exact < high + (high - low)
    assert all(games > 900 for games in found["effective_games"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'method'"):
        tilelab.simulate(Pig, games=10, method="splitting", progress=False)


def test_a_game_for_two_in_python_is_played_from_both_seats():
    met = tilelab.match(Nim, [nim, "random"], games=50, progress=False)
    assert met["points_mean"][0] > 0.8
    solved = tilelab.simulate(Nim, player=nim, opponent=nim, matches=[8, 9], games=3, progress=False)
    assert solved["win_pct"] == [0.0, 100.0]


def test_the_players_of_any_game_play_games_in_python():
    """The players do as well as in games of Rust: better than chance, also with two seats, and the same each time."""
    known = next(game for game in tilelab.games() if game.name == "pig")
    assert [player.name for player in known.players] == ["random", "monte-carlo", "mcts"]
    players = ["random", "monte-carlo(playouts=40)", "mcts(iterations=40)"]
    result = tilelab.simulate(Pig, player=players, games=100, progress=False)
    assert all(low > result["win_pct_hi"][0] for low in result["win_pct_lo"][1:])
    again = tilelab.simulate(Pig, player=players, games=100, threads=1, progress=False)
    assert again["wins"] == result["wins"]
    met = tilelab.match(Nim, ["mcts(iterations=60)", "random"], games=30, progress=False)
    assert met["points_mean"][0] > 0.8


def test_a_game_that_fails_says_where():
    @tilelab.game
    class Broken(Pig):
        """A game that fails."""

        def legal(self, state):
            return [] if state[0] > 8 else ["roll"]

    with pytest.raises(ValueError, match="broken: legal: no moves, but result is None"):
        tilelab.simulate(Broken, games=20, progress=False)


def test_methods_that_return_something_else_are_named():
    result = "result: None, a string, or a pair of a string and a dict of whole numbers is needed, "
    for number, (rules, method, returned, error, text) in enumerate([
        (Pig, "legal", 3, TypeError, "legal: a list of strings is needed, 3 was given"),
        (Pig, "legal", "roll", TypeError, "legal: a list of strings is needed, 'roll' was given"),
        (Pig, "legal", ["roll", 3], TypeError, "legal: a string for each move is needed, 3 was given"),
        (Pig, "result", 3.5, TypeError, result + "float was given"),
        (Pig, "result", ("won", {"points": "many"}), TypeError, result + "tuple was given"),
        (Pig, "result", "over", ValueError, 'result: "over"; accepted: None, won, lost'),
        (Pig, "result", ("won", {"points": 1}), ValueError, "result: points: unknown measure; accepted: "),
        (Pig, "level", "high", TypeError, "level: a whole number from 0 up is needed, 'high' was given"),
        (Pig, "level", -1, ValueError, "level: a whole number from 0 up is needed, -1 was given"),
        (Nim, "seat", "first", TypeError, "seat: 0 or 1 is needed, 'first' was given"),
        (Nim, "seat", 2, ValueError, "seat: 0 or 1 is needed, 2 was given"),
    ]):
        name = f"odd-{number}"
        odd = tilelab.game(type("Odd", (rules,), {method: lambda self, state, returned=returned: returned}), name=name)
        settings = {"method": "splitting", "goal": 20} if method == "level" else {}
        with pytest.raises(error) as raised:
            tilelab.simulate(odd, games=3, progress=False, **settings)
        assert f"{name}: {text}" in str(raised.value)
    keyed = tilelab.game(type("Keyed", (Pig,), {"position": lambda self, state: {state: 1}}))
    with pytest.raises(TypeError, match="keyed: position: keys of dicts have to be strings or numbers"):
        tilelab.simulate(keyed, player=first, games=3, progress=False)


def test_wrong_classes_and_names_are_named():
    for call, text in [
        (lambda: tilelab.player(first, name=3), "name=3: accepted: a string"),
        (lambda: tilelab.player(first, name="observer", observation=3), "observation=3: accepted: a string"),
        (lambda: tilelab.game(Pig, name=3), "name=3: accepted: a string"),
        (lambda: tilelab.game(type("Measured", (Pig,), {"measures": ["points"]})), "measured: measures=['points']: accepted: a dict of names"),
    ]:
        with pytest.raises(TypeError) as raised:
            call()
        assert text in str(raised.value)

    class Annotated(Pig):
        def __init__(self, goal: int | None = 20) -> None:
            super().__init__(goal)

    assert tilelab.simulate(tilelab.game(Annotated), games=3, progress=False)["goal"] == [20]


def test_weights_are_learned_and_played(tmp_path):
    told = []
    training = tilelab.learn("67", tmp_path / "small.weights", games=200, size="3x3", progress=lambda *counts: told.append(counts))
    assert told[-1][0] == 200 and len(training) > 1 and training["games"][-1] == 200
    result = tilelab.simulate("67", player=f"greedy(weights={training.weights})", size="3x3", games=20, progress=False)
    assert result["games"] == [20]
    with pytest.raises(ValueError, match="calculator"):
        tilelab.learn("calculator", tmp_path / "none.weights", level=3)


@pytest.mark.parametrize(("game", "observation"), [("67", "tiles"), ("67", "planes"), ("2048", "planes"), ("calculator", "tiles")])
def test_a_function_on_arrays_plays_as_one_on_turns(game, observation):
    shapes = set()

    @tilelab.player(observation=observation, name="first-legal")
    def policy(observations, legal):
        shown = observations if observation == "planes" else observations["kinds"]
        shapes.add((len(shown), *legal.shape))
        assert legal.any(axis=1).all()
        return legal.argmax(axis=1)

    results = [
        tilelab.simulate(game, player=player, games=30, threads=threads, progress=False, **GAMES[game])
        for player, threads in ((first, 1), (policy, 1), ("first-legal", 2))
    ]
    frames = [result.to_polars().drop("cell", "player", "player_name") for result in results]
    assert frames[0].equals(frames[1]) and frames[1].equals(frames[2])
    assert all(shown == moves for shown, moves, _ in shapes) and max(shapes)[0] > 20
    one, many = (result.replay(result["cell"][0], 7) for result in results[:2])
    assert [turn.get("move", turn.get("button")) for turn in many] == [turn.get("move", turn.get("button")) for turn in one]
    met = tilelab.match(game, [policy, "random"], games=6, progress=False, **GAMES[game])
    assert met["player"] == ["first-legal / random"]
    copy = pickle.loads(pickle.dumps(results[1].experiment.cells))
    assert copy == results[1].experiment.cells


def test_functions_on_arrays_are_checked():
    def named(answer):
        tilelab.player(lambda observations, legal: answer(legal), name="odd", observation="tiles")
        return tilelab.simulate("67", player="odd", games=3, size="3x3", progress=False)

    for answer, text in [
        (lambda legal: legal.argmax(axis=1)[1:], r"odd: moves: shape \(.,\) is needed, \(.,\) was given"),
        (lambda legal: legal.argmax(axis=1) / 2, r"odd: moves: whole numbers are needed, float64 of shape \(.,\) was given"),
        (lambda legal: legal.argmax(axis=1) + 9, "game .: .* is not a legal move; legal: "),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            named(answer)
    with pytest.raises(ZeroDivisionError):
        named(lambda legal: 1 // 0)
    for game, text in [("offset", "odd: plays one-player games"), ("2048", "odd: .*observation=\"project\"")]:
        tilelab.player(lambda observations, legal: legal.argmax(axis=1), name="odd", observation="project")
        with pytest.raises(ValueError, match=text):
            tilelab.simulate(game, player="odd", games=3, progress=False, **GAMES[game])
