"""The multiplication game: two players multiply a number by 2, 3 or 4 until it reaches a limit."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils import wrappers

from ._aec import TwoPlayerEnv, wrapped


class raw_env(TwoPlayerEnv):
    """The multiplication game without PettingZoo's checks.

    Action a multiplies by a + 2. Observations: ``observation`` (float64, (3,): the number, one's own
    points, the opponent's points) and ``action_mask``.
    """

    game: ClassVar[str] = "zero-sum"
    metadata: ClassVar[dict[str, Any]] = {
        "name": "tilelab_zero_sum_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def _spaces(self) -> tuple[dict[str, spaces.Space[Any]], int]:
        return {"observation": spaces.Box(-1e10, 1e10, (3,), np.float64)}, 3

    def _actions(self) -> list[int]:
        return [int(name) - 2 for name in self._session.legal]

    def _see(self, seat: int) -> dict[str, NDArray[Any]]:
        scores = self._position["scores"]
        seen = [self._position["number"], scores[seat], scores[1 - seat]]
        return {"observation": np.array(seen, np.float64)}


def env(**arguments: Any) -> wrappers.OrderEnforcingWrapper:
    """The multiplication game with PettingZoo's usual checks."""
    return wrapped(raw_env(**arguments))
