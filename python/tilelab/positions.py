"""Questions about single positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _tilelab
from ._checks import flag, given, plain, settings_of, whole, word, words_of
from .catalog import takes_parameters

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AnyGame


@takes_parameters
def move(game: str, request: dict[str, Any], **settings: Unpack[AnyGame]) -> dict[str, Any]:
    """Answer a request about a position, as ``tilelab move`` does.

    For 67! a request is ``{"board": [["1", "+", "_"], ["2", "_", "3"]], "move": "left"}``; without
    ``"move"``, the answer has only the legal directions and whether the board is won. Settings are the
    parameters of the game.
    """
    if not isinstance(request, dict):
        raise TypeError(f"request: a dict is needed, {given(request)} was given")
    text = json.dumps(plain("request", request))
    answer: dict[str, Any] = json.loads(_tilelab.answer(game, settings_of(game, settings, "move"), text))
    return answer


def solve(
    level: int | None = None,
    *,
    start: int | None = None,
    goal: int | None = None,
    moves: int | None = None,
    buttons: Sequence[str] | None = None,
    portal: str | None = None,
    all: bool = False,
) -> list[list[str]]:
    """Solve a level of Calculator: one of the game's 199 by its number, or one described here.

    Returns the buttons of one shortest solution, or with ``all`` of all solutions within the moves.
    An empty list is a proof that there is none. ``portal`` is written as in ``"-4,-1"``.
    """
    all = flag("all", all)
    described = {"start": start, "goal": goal, "moves": moves, "buttons": buttons}
    if level is not None:
        more = [name for name, value in (described | {"portal": portal}).items() if value is not None]
        if more:
            raise ValueError(f"{more[0]}: level picks one of the game's levels; give either level or {more[0]}")
        return _tilelab.solve_number(whole("level", level, 0, 2**32 - 1), all)
    missing = [name for name, value in described.items() if value is None]
    if start is None or goal is None or moves is None or buttons is None:
        raise ValueError(f"{', '.join(missing)}: missing; a level needs start, goal, moves and buttons")
    least, most = -(2**63), 2**63 - 1
    start, goal, moves = whole("start", start, least, most), whole("goal", goal, least, most), whole("moves", moves, 0, most)
    portal = None if portal is None else word("portal", portal)
    return _tilelab.solve_level(start, goal, moves, words_of("buttons", buttons), portal, all)
