"""Makes `tilelab/_keywords.py` from the catalog: `python python/tests/keywords.py > python/tilelab/_keywords.py`."""

import tilelab

HEAD = '''"""The types of keywords. Made from the catalog by `python python/tests/keywords.py`; do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, SupportsFloat, SupportsIndex, TypedDict

from gymnasium.vector import AutoresetMode

from .observations import Reward


class EnvOptions(TypedDict, total=False):
    """Keywords of single environments in addition to the parameters of the game."""

    reward: Literal["win", "project", "score"] | Reward | None
    illegal: Literal["noop", "lose", "raise"]
    seed: SupportsIndex | None
    first_game: SupportsIndex
    max_episode_steps: SupportsIndex | None
    record: bool
    render_mode: Literal["ansi", "rgb_array"] | None


class VecOptions(EnvOptions, total=False):
    """Keywords of vectors in addition to the parameters of the game."""

    autoreset_mode: AutoresetMode | Literal["NextStep", "SameStep", "Disabled"]
    threads: SupportsIndex
    copy: bool
'''
SIZE = "str | tuple[SupportsIndex, SupportsIndex]"


def type_of(parameter):
    if parameter.choices:
        return f"Literal[{', '.join(repr(word) for word in parameter.choices)}]".replace("'", '"')
    if parameter.name == "buttons":
        return "str | Iterable[str]"
    return {"bool": "bool", "int": "SupportsIndex", "float": "SupportsFloat", "str": "str"}[parameter.kind]


def types_of(games):
    """The types of the keywords of these games, by name."""
    types = {}
    for game in games:
        names = {parameter.name: type_of(parameter) for parameter in game.parameters}
        if "rows" in names:
            names["size"] = SIZE
        for name, one in names.items():
            types.setdefault(name, []).append(one)
    return {name: " | ".join(dict.fromkeys(found)) for name, found in types.items()}


def typed_dict(name, summary, types, bases="TypedDict"):
    fields = "".join(f"    {key}: {kind} | None\n" for key, kind in types.items())
    return f'\n\nclass {name}({bases}, total=False):\n    """{summary}"""\n' + (f"\n{fields}" if fields else "")


def text():
    games = tilelab.games()
    found = HEAD
    for game in games:
        name = {"67": "SixtySeven", "2048": "TwentyFortyEight"}.get(game.names[-1])
        name = name or "".join(part.title() for part in game.name.split("-"))
        found += typed_dict(name, f"The parameters of {game.name}.", types_of([game]))
        if name in ("SixtySeven", "TwentyFortyEight", "Calculator"):
            found += typed_dict(f"{name}Env", "Keywords of the environment.", {}, f"EnvOptions, {name}")
            found += typed_dict(f"{name}VecEnv", "Keywords of the vector.", {}, f"VecOptions, {name}")
    every = types_of(games)
    found += typed_dict("AnyGame", "The parameters of all games.", every)
    several = {key: f"{kind} | Iterable[{kind}]" for key, kind in every.items()}
    return found + typed_dict("Sweep", "The parameters of all games, each one value or several.", several)


if __name__ == "__main__":
    print(text(), end="")
