"""What both two-player games have in common."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .. import _tilelab
from .._checks import seed_of, settings_of, whole


class TwoPlayerEnv(AECEnv):  # type: ignore[misc]
    """A two-player game: rewards are 1 for the winner, -1 for the loser, 0 for both in a draw.

    ``reset(seed=s)`` begins game ``first_game`` of the seed, every later ``reset()`` the next one:
    the command line's game of that index, seed and cell. A player without a legal move is skipped.
    Everything but ``seed`` and ``first_game`` is a parameter of the game.
    """

    game: ClassVar[str]

    def __init__(
        self, *, seed: int | None = None, first_game: int = 0, render_mode: str | None = None, **settings: Any
    ) -> None:
        super().__init__()
        self._settings = settings_of(self.game, settings, type(self).__name__)
        self._seed = seed_of(seed)
        self._first_game = whole("first_game", first_game)
        self._next_game = self._first_game
        self.game_index: int = self._first_game
        """The index of the game among those of the cell."""
        self.cell_key: str = _tilelab.cell_keys(self.game, self._settings, "random")[0]
        """The key of the cell for two random players."""
        self.render_mode = render_mode
        self.possible_agents: list[str] = ["player_0", "player_1"]
        self._open()
        space, actions = self._spaces()
        mask = spaces.Box(0, 1, (actions,), np.int8)
        self.observation_spaces: dict[str, spaces.Dict] = {
            agent: spaces.Dict({**space, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces: dict[str, spaces.Discrete[Any]] = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.agents: list[str] = []

    @property
    def experiment(self) -> str:
        """The text of an experiment file that has this cell and the last seed."""
        return _tilelab.Experiment.direct(self.game, self._settings, [], [], 1, self._seed).text

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of what a player sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of a player's moves."""
        return self.action_spaces[agent]

    def _open(self) -> None:
        self.game_index = self._next_game
        self.played: list[str] = []
        """The names of the moves made so far, those of both players; ``tilelab.replay`` takes them."""
        self._session = _tilelab.Session(self.game, self._settings, [], self._seed, self.game_index)
        self._read()

    def _read(self) -> None:
        self._position: dict[str, Any] = json.loads(self._session.position())
        # The number of each legal move by its action.
        self._moves = {action: number for number, action in enumerate(self._actions())}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        if seed is not None:
            self._seed = whole("seed", seed)
            self._next_game = self._first_game
        self._open()
        self._next_game = self.game_index + 1
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations: dict[str, bool] = dict.fromkeys(self.agents, self._session.result is not None)
        self.truncations: dict[str, bool] = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection: str = self.agents[self._session.seat]

    def step(self, action: int | None) -> None:
        """Make a move for the player whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not isinstance(action, Hashable) or action not in self._moves:
            raise ValueError(f"action {action}: not legal; see action_mask")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.played.append(self._session.legal[self._moves[action]])
        self._session.play(self._moves[action])
        self._read()
        result = self._session.result
        if result is None:
            self.agent_selection = self.agents[self._session.seat]
        else:
            reward = {"won": 1.0, "drawn": 0.0, "lost": -1.0}[result]
            self.rewards = dict(zip(self.possible_agents, (reward, -reward), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = next(other for other in self.agents if other != agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What a player sees; the mask is empty while it is not their turn."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(int(self.action_spaces[agent].n), np.int8)
        if self._session.result is None and seat == self._session.seat:
            mask[list(self._moves)] = 1
        return {**self._see(seat), "action_mask": mask}

    def render(self) -> str | None:
        """The position as JSON, with ``render_mode="ansi"``."""
        return self._session.position() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """No-op."""

    def _spaces(self) -> tuple[dict[str, spaces.Space[Any]], int]:
        """The spaces of an observation, and the number of actions."""
        raise NotImplementedError

    def _actions(self) -> list[int]:
        """The actions of the legal moves, in their order."""
        raise NotImplementedError

    def _see(self, seat: int) -> dict[str, NDArray[Any]]:
        """The position as a seat sees it."""
        raise NotImplementedError


def wrapped(env: TwoPlayerEnv) -> wrappers.OrderEnforcingWrapper:
    """The environment with PettingZoo's usual checks; an illegal move loses the game."""
    checked = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(env, illegal_reward=-1))
    return wrappers.OrderEnforcingWrapper(checked)
