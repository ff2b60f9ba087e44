"""Gymnasium environments: 67!, 2048 and Calculator, as vectors of N games and as single games.

Importing this module registers them as ``tilelab/SixtySeven-v0``, ``tilelab/TwentyFortyEight-v0`` and
``tilelab/Calculator-v0``::

    import gymnasium as gym
    import tilelab.envs
    envs = gym.make_vec("tilelab/SixtySeven-v0", num_envs=256, size="6x7")
    observations, info = envs.reset(seed=1)
    legal = info["action_mask"]  # bool (256, 4)

Game i's k-th episode is the command line's game ``first_game + i + k * num_envs`` of the seed and of
the cell ``cell_key``, whatever the other games and the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import _tilelab, observations
from ._register import register
from .experiments import SEED, settings_of
from .observations import EXPONENTS, PLANE_MAX, Reward, Step

_MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}
_SIGNS = np.array(["_", "", "+", "-", "*"])

Encoder = Callable[[NDArray[np.uint8], NDArray[np.float64]], Any]


def _tiles(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    return {"kinds": kinds, "numbers": numbers}


def _tiles_space(rows: int, cols: int) -> spaces.Space[Any]:
    return spaces.Dict({
        "kinds": spaces.Box(0, 4, (rows, cols), np.uint8),
        "numbers": spaces.Box(-np.inf, np.inf, (rows, cols), np.float64),
    })


class _Game:
    """What differs from game to game: observations, rewards, and what truncates an episode."""

    name: ClassVar[str]
    encoders: ClassVar[dict[str, tuple[Encoder, Callable[[int, int], spaces.Space[Any]]]]] = {
        "tiles": (_tiles, _tiles_space)
    }
    rewards: ClassVar[dict[str, Reward]] = {"win": observations.win}
    rounds_truncate: ClassVar[bool] = True
    """Whether the rules' limit of rounds truncates an episode; otherwise reaching it loses."""


class _SixtySeven(_Game):
    name = "sixty-seven"
    encoders = _Game.encoders | {
        "planes": (
            observations.planes_sixty_seven,
            lambda rows, cols: spaces.Box(-PLANE_MAX, PLANE_MAX, (8, rows, cols), np.float32),
        ),
        "project": (
            observations.project_sixty_seven,
            lambda rows, cols: spaces.Box(-np.inf, np.inf, (5 * rows * cols,), np.float32),
        ),
    }
    rewards = _Game.rewards | {"project": observations.project}


class _TwentyFortyEight(_Game):
    name = "twenty-forty-eight"
    encoders = _Game.encoders | {
        "planes": (
            observations.planes_2048,
            lambda rows, cols: spaces.Box(0, 1, (EXPONENTS, rows, cols), np.float32),
        ),
    }
    rewards = {"score": observations.score} | _Game.rewards


class _Calculator(_Game):
    name = "calculator"
    rounds_truncate = False


class _Core:
    """Steps N games and makes what environments return of them."""

    def __init__(
        self,
        game: type[_Game],
        slots: int,
        autoreset: AutoresetMode,
        *,
        observation: str,
        reward: str | Reward | None,
        illegal: str,
        seed: int,
        first_game: int,
        max_episode_steps: int | None,
        threads: int,
        copy: bool,
        record: bool,
        settings: dict[str, Any],
    ) -> None:
        self.game = game
        encoder, space = _chosen("observation", observation, game.encoders)
        if illegal not in ("noop", "raise"):
            raise ValueError(f"illegal={illegal!r}: accepted: noop, raise")
        if reward is None:
            reward = next(iter(game.rewards))
        self.reward: Reward = reward if callable(reward) else _chosen("reward", reward, game.rewards)
        self.games = _tilelab.Games(
            game.name,
            _settings(settings),
            slots,
            _seed("seed", seed),
            first_game=first_game,
            autoreset=_MODES[AutoresetMode(autoreset)],
            refuses=illegal == "raise",
            steps_max=max_episode_steps,
            threads=threads,
            records=record,
        )
        self.record = record
        self.encode = encoder
        self.copy = copy
        self.shape = self.games.shape
        self.width = len(self.games.moves)
        self.observation_space = space(*self.shape)
        self.action_space = spaces.Discrete(self.width)
        self.is_same_step = autoreset == AutoresetMode.SAME_STEP
        # `win` needs no boards: a table of rewards by the codes of ends.
        self.by_end: NDArray[np.float64] | None = None
        if self.reward is observations.win and game is not _TwentyFortyEight:
            self.by_end = np.array([0.0, 1.0, -1.0, -1.0, 0.0 if game.rounds_truncate else -1.0, 0.0])
        self.truncates = np.array([False, False, False, False, game.rounds_truncate, True])
        self.arrays = self.new_arrays(slots)
        self.waiting = np.zeros(slots, np.bool_)
        self.indices = self.games.games()
        self.everyone = _constant(np.ones(slots, np.bool_))
        self.nobody = _constant(np.zeros(slots, np.bool_))

    def new_arrays(self, slots: int) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_]]:
        """Arrays for the boards of games (kinds and numbers) and for their legal moves."""
        return (
            np.empty((slots, *self.shape), np.uint8),
            np.empty((slots, *self.shape), np.float64),
            np.empty((slots, self.width), np.bool_),
        )

    def reset(self, seed: int | None, chosen: NDArray[np.bool_] | None) -> Any:
        """Begin episodes; see ``Games.reset``."""
        self.games.reset(None if seed is None else _seed("seed", seed), chosen)
        if self.copy:
            self.arrays = self.new_arrays(self.games.slots)
        kinds, numbers, mask = self.arrays
        self.games.observe(kinds, numbers, mask)
        self.waiting = np.zeros(self.games.slots, np.bool_) if chosen is None else self.waiting & ~chosen
        self.indices = _constant(self.games.games())
        return self.encode(kinds, numbers)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], bool]:
        """Play a round in every game: rewards, terminated, truncated, illegal, whether any ended."""
        slots = self.games.slots
        kinds_before, numbers_before, _ = self.arrays
        if self.by_end is None and not self.copy:
            kinds_before, numbers_before = kinds_before.copy(), numbers_before.copy()
        arrays = self.new_arrays(slots) if self.copy else self.arrays
        kinds, numbers, mask = arrays
        ends = np.empty(slots, np.uint8)
        illegal = np.empty(slots, np.bool_)
        ended = self.games.step(actions, kinds, numbers, mask, ends, illegal)
        self.arrays = arrays
        had_waiting = self.waiting.any()
        truncated = self.truncates[ends] if ended or had_waiting else np.zeros(slots, np.bool_)
        over = ends != 0
        terminated = over & ~truncated
        if self.by_end is not None:
            rewards = self.by_end[ends]
            if had_waiting:
                rewards[self.waiting] = 0.0
        else:
            rewards = self._rewarded(kinds_before, numbers_before, terminated, truncated, illegal)
        if ended or had_waiting:
            self.waiting = np.zeros(slots, np.bool_) if self.is_same_step else over
            self.indices = _constant(self.games.games())
        return rewards, terminated, truncated, illegal, bool(ended)

    def _rewarded(
        self,
        kinds_before: NDArray[np.uint8],
        numbers_before: NDArray[np.float64],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        illegal: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        kinds, numbers, _ = self.arrays
        won = np.zeros(len(kinds), np.bool_)
        slots, _, _, _, is_won, final_kinds, final_numbers = self.games.finished()
        if len(slots):
            won[slots] = is_won
            # In the mode same-step the boards are those of the next games already.
            kinds, numbers = kinds.copy(), numbers.copy()
            kinds[slots] = final_kinds.reshape(-1, *self.shape)
            numbers[slots] = final_numbers.reshape(-1, *self.shape)
        step = Step(
            kinds_before,
            numbers_before,
            kinds,
            numbers,
            won=won,
            lost=terminated & ~won & ~self.waiting,
            cut=truncated & ~self.waiting,
            illegal=illegal,
            waiting=self.waiting,
        )
        rewards = np.asarray(self.reward(step), np.float64)
        if rewards.shape != (len(kinds),):
            raise ValueError(f"reward: an array of shape {rewards.shape}; one number for each of {len(kinds)} games")
        return rewards

    def text(self, slot: int) -> str:
        """A board as text, its columns aligned."""
        kinds, numbers, _ = self.arrays
        signs = _SIGNS[kinds[slot]]
        texts = np.where(kinds[slot] == observations.NUMBER, [[f"{x:.15g}" for x in row] for row in numbers[slot]], signs)
        width = max(len(text) for text in texts.flat)
        return "\n".join(" ".join(text.rjust(width) for text in row) for row in texts)


def _settings(settings: dict[str, Any]) -> list[str]:
    """Parameters as settings of the command line; buttons may be a list."""
    buttons = settings.get("buttons")
    if buttons is not None and not isinstance(buttons, str):
        settings = settings | {"buttons": " ".join(buttons)}
    return settings_of(settings)


def _chosen(what: str, name: str, known: dict[str, Any]) -> Any:
    if name not in known:
        raise ValueError(f"{what}={name!r}: accepted: {', '.join(known)}")
    return known[name]


def _seed(name: str, seed: int) -> int:
    seed = int(seed)
    if not 0 <= seed < 2**64:
        raise ValueError(f"{name}={seed}: accepted: a whole number from 0 to {2**64 - 1}")
    return seed


def _constant(array: NDArray[Any]) -> NDArray[Any]:
    """The array, which must not be changed because later steps may return it again."""
    array.setflags(write=False)
    return array


class _VecEnv(gym.vector.VectorEnv[Any, Any, Any]):
    """N games of one cell, stepped together.

    Arguments, all but the first by keyword:

    * ``num_envs``: N, the number of games.
    * ``observation``: ``tiles`` (dict of ``kinds``, uint8, and ``numbers``, float64, both of shape
      (N, rows, cols)); in 67! and 2048 also ``planes`` (float32), in 67! also ``project`` (float32);
      see :mod:`tilelab.observations`.
    * ``reward``: ``win`` (1 won, -1 lost), in 67! also ``project``, in 2048 also ``score`` (its
      default), or a function from a :class:`tilelab.observations.Step` to N numbers.
    * ``illegal``: what a move does that is not legal: nothing (``noop``), or it raises ``ValueError``
      (``raise``).
    * ``seed``: the master seed until ``reset`` is given one; ``first_game``: game 0's first game.
    * ``autoreset_mode``: one of Gymnasium's three modes.
    * ``max_episode_steps``: truncates longer episodes.
    * ``threads``: threads to step on; worth it from about a thousand games.
    * ``record``: whether the moves of each game are kept; see ``played`` below.
    * ``copy``: whether every step returns new arrays; otherwise later steps overwrite those that
      earlier ones returned.
    * Everything else is a parameter of the game (``tilelab list games``), such as ``size="6x7"``.

    ``info`` has ``action_mask`` (bool, (N, moves)), ``game`` (index of each game) and ``illegal``
    (which moves were not legal). Of games that ended in the step it has ``won``, ``moves`` and
    ``end`` (:data:`tilelab.observations.ENDS`), in the mode same-step inside ``final_info``; with
    ``record`` also ``played``, the names of its moves, as ``tilelab.replay(env.experiment,
    env.cell_key, game, moves=played)`` takes them, and ``tilelab replay --moves``.
    """

    _game: ClassVar[type[_Game]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        observation: str = "tiles",
        reward: str | Reward | None = None,
        illegal: str = "noop",
        seed: int = SEED,
        first_game: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
        copy: bool = True,
        record: bool = False,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        self._core = _Core(
            self._game,
            num_envs,
            mode,
            observation=observation,
            reward=reward,
            illegal=illegal,
            seed=seed,
            first_game=first_game,
            max_episode_steps=max_episode_steps,
            threads=threads,
            copy=copy,
            record=record,
            settings=settings,
        )
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.single_observation_space = self._core.observation_space
        self.single_action_space = self._core.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def cell_key(self) -> str:
        """The key of the cell whose games are played, as ``replay`` takes it."""
        return self._core.games.cell_key

    @property
    def move_names(self) -> list[str]:
        """The names of the moves, by their numbers."""
        return self._core.games.moves

    @property
    def experiment(self) -> str:
        """The text of an experiment file that has this cell and the last seed."""
        return self._core.games.experiment()

    @property
    def kernel(self) -> str:
        """The name of the kernel that plays."""
        return self._core.games.kernel

    def measures(self) -> NDArray[np.int64]:
        """What the game reports besides result and moves, of the games that ended in the last step, by
        slot: int64 (ended, measures); 0 in episodes that were cut. In 2048 these are the sum of
        the tiles, the merge score and the largest tile."""
        return self._core.games.measures()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the first episodes of a seed, or without one the next episodes.

        ``options={"reset_mask": mask}`` (bool, (N,)) begins those of some games.
        """
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise ValueError(f"seed={seed!r}: accepted: one whole number, the master seed of all games")
        chosen = None
        if options and "reset_mask" in options:
            if seed is not None:
                raise ValueError("reset_mask: a seed begins all games; give either")
            chosen = np.ascontiguousarray(options["reset_mask"], np.bool_)
        return self._core.reset(seed, chosen), self._info(self._core.nobody)

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play a round in every game: its move, then the next deal."""
        core = self._core
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions: whole numbers are needed, not {actions.dtype}")
        rewards, terminated, truncated, illegal, ended = core.step(np.ascontiguousarray(actions, np.int64))
        info = self._info(illegal)
        if ended:
            self._add_ended(info)
        kinds, numbers, _ = core.arrays
        return core.encode(kinds, numbers), rewards, terminated, truncated, info

    def _info(self, illegal: NDArray[np.bool_]) -> dict[str, Any]:
        core = self._core
        everyone = core.everyone
        return {
            "action_mask": core.arrays[2],
            "_action_mask": everyone,
            "game": core.indices,
            "_game": everyone,
            "illegal": illegal,
            "_illegal": everyone,
        }

    def _add_ended(self, info: dict[str, Any]) -> None:
        core = self._core
        slots, games, ends, moves, won, kinds, numbers = core.games.finished()
        is_ended = np.zeros(self.num_envs, np.bool_)
        is_ended[slots] = True
        ended: dict[str, Any] = {}
        facts: dict[str, NDArray[Any]] = {"game": games, "end": ends, "moves": moves, "won": won}
        for name, values in facts.items():
            ended[name] = np.zeros(self.num_envs, values.dtype)
            ended[name][slots] = values
            ended[f"_{name}"] = is_ended
        if core.record:
            ended["played"] = np.full(self.num_envs, None, object)
            for slot, played in zip(slots, core.games.played(), strict=True):
                ended["played"][slot] = played
            ended["_played"] = is_ended
        if not core.is_same_step:
            del ended["game"], ended["_game"]
            info.update(ended)
            return
        shape = (-1, *core.shape)
        final = core.encode(kinds.reshape(shape), numbers.reshape(shape))
        info["final_obs"] = np.full(self.num_envs, None, object)
        for place, slot in enumerate(slots):
            one = {name: part[place] for name, part in final.items()} if isinstance(final, dict) else final[place]
            info["final_obs"][slot] = one
        ended["action_mask"] = np.zeros((self.num_envs, core.width), np.bool_)
        ended["_action_mask"] = is_ended
        info["final_info"] = ended
        info["_final_obs"] = info["_final_info"] = is_ended

    def render(self) -> tuple[str, ...] | None:
        """The boards as text, with ``render_mode="ansi"``."""
        return tuple(map(self._core.text, range(self.num_envs))) if self.render_mode == "ansi" else None


class _Env(gym.Env[Any, Any]):
    """One game; the arguments are those of the vector, without ``num_envs`` and its threads.

    The k-th episode after ``reset(seed=s)`` is game ``first_game + k`` of that seed and cell.
    ``info`` has ``action_mask`` (bool, (moves,)), ``game``, ``illegal``, and at the end of an
    episode ``won``, ``moves`` and ``end``, with ``record`` also ``played``.
    """

    _game: ClassVar[type[_Game]]
    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        *,
        observation: str = "tiles",
        reward: str | Reward | None = None,
        illegal: str = "noop",
        seed: int = SEED,
        first_game: int = 0,
        max_episode_steps: int | None = None,
        record: bool = False,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self._core = _Core(
            self._game,
            1,
            AutoresetMode.DISABLED,
            observation=observation,
            reward=reward,
            illegal=illegal,
            seed=seed,
            first_game=first_game,
            max_episode_steps=max_episode_steps,
            threads=1,
            copy=True,
            record=record,
            settings=settings,
        )
        by_end = self._core.by_end
        # By the codes of ends; empty for rewards that are made from boards.
        self._rewards: list[float] = [] if by_end is None else by_end.tolist()
        self._truncates: list[bool] = self._core.truncates.tolist()
        self._index: int = self._core.indices.item()
        self._is_over = False
        self._is_tiles = self._core.encode is _tiles
        self._step_one = self._core.games.step_one
        self._board = self._shown()
        self.render_mode = render_mode
        self.observation_space = self._core.observation_space
        self.action_space = self._core.action_space

    @property
    def cell_key(self) -> str:
        """The key of the cell whose games are played, as ``replay`` takes it."""
        return self._core.games.cell_key

    @property
    def move_names(self) -> list[str]:
        """The names of the moves, by their numbers."""
        return self._core.games.moves

    @property
    def experiment(self) -> str:
        """The text of an experiment file that has this cell and the last seed."""
        return self._core.games.experiment()

    def _shown(self) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_]]:
        """The arrays of the game, without the axis of games."""
        kinds, numbers, mask = self._core.arrays
        return kinds[0], numbers[0], mask[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal moves, bool of shape (moves,), as sb3-contrib asks for them."""
        return self._board[2]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the first episode of a seed, or without one the next episode."""
        super().reset(seed=seed)
        observation = _first(self._core.reset(seed, None))
        self._index = self._core.indices.item()
        self._is_over = False
        self._board = self._shown()
        return observation, {"action_mask": self._board[2], "game": self._index, "illegal": False}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a round: the move, then the next deal."""
        core = self._core
        if self._is_over or not self._rewards:
            rewards, terminated, truncated, illegal, ended = core.step(np.array([action], np.int64))
            reward = float(rewards[0])
            is_terminated = bool(terminated[0])
            is_truncated = bool(truncated[0])
            is_illegal = bool(illegal[0])
            kinds, numbers, mask = (array[0] for array in core.arrays)
        else:
            # The same with less ado: a step of one game takes a few microseconds.
            kinds, numbers, mask, end, is_illegal = self._step_one(action)
            ended = end != 0
            reward = self._rewards[end]
            is_truncated = self._truncates[end]
            is_terminated = ended and not is_truncated
        self._board = (kinds, numbers, mask)
        info = {"action_mask": mask, "game": self._index, "illegal": is_illegal}
        if ended:
            self._is_over = core.waiting[0] = True
            _, _, ends, moves, won, _, _ = core.games.finished()
            info |= {"won": bool(won[0]), "moves": int(moves[0]), "end": int(ends[0])}
            if core.record:
                (info["played"],) = core.games.played()
        if self._is_tiles:
            return {"kinds": kinds, "numbers": numbers}, reward, is_terminated, is_truncated, info
        return _first(core.encode(kinds[None], numbers[None])), reward, is_terminated, is_truncated, info

    def render(self) -> str | None:
        """The board as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        kinds, numbers, mask = self._board
        self._core.arrays = (kinds[None], numbers[None], mask[None])
        return self._core.text(0)


def _first(observation: Any) -> Any:
    """The observation of the first game."""
    if isinstance(observation, dict):
        return {name: part[0] for name, part in observation.items()}
    return observation[0]


class SixtySevenVecEnv(_VecEnv):
    """N games of 67!; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = _SixtySeven


class TwentyFortyEightVecEnv(_VecEnv):
    """N games of 2048; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = _TwentyFortyEight


class CalculatorVecEnv(_VecEnv):
    """N games of one level of Calculator: ``level`` (1 to 199), or ``start``, ``goal``, ``moves`` and
    ``buttons``; actions are the buttons in the level's order."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = _Calculator


class SixtySevenEnv(_Env):
    """A game of 67!; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = _SixtySeven


class TwentyFortyEightEnv(_Env):
    """A game of 2048; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = _TwentyFortyEight


class CalculatorEnv(_Env):
    """A level of Calculator: ``level`` (1 to 199), or ``start``, ``goal``, ``moves`` and ``buttons``;
    actions are the buttons in the level's order."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = _Calculator


_VECTORS: dict[str, type[_VecEnv]] = {
    "sixty-seven": SixtySevenVecEnv,
    "67": SixtySevenVecEnv,
    "twenty-forty-eight": TwentyFortyEightVecEnv,
    "2048": TwentyFortyEightVecEnv,
    "calculator": CalculatorVecEnv,
}


def vector_of(game: str) -> type[_VecEnv]:
    """The vector environment of a game, by the game's name or alias."""
    if game not in _VECTORS:
        raise ValueError(f"game={game!r}: accepted: {', '.join(_VECTORS)}")
    return _VECTORS[game]


register()
