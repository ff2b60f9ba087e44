"""Gymnasium environments: 67!, 2048 and Calculator, as vectors of N games and as single games.

Importing this module registers them::

    import gymnasium as gym
    import tilelab.envs
    envs = gym.make_vec("tilelab/SixtySeven-v0", num_envs=256, size="6x7")
    observations, info = envs.reset(seed=1)
    legal = info["action_mask"]  # int8 (256, 4)

Game i's k-th episode is the command line's game ``first_game + i + k * num_envs`` of the seed and of
the cell ``cell_key``, regardless of the other games and the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, SupportsIndex, overload

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from typing_extensions import TypeVar

from . import _tilelab
from ._checks import array, function, given, optional, seed_of, settings_of, whole, word
from ._pictures import picture
from .boards import SIGNS, texts_of
from .catalog import game_of, keywords_of, signed
from .observations import NUMBER, Planes, Reward, Step, Tiles
from .own import Policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _keywords as keywords

Observed = TypeVar("Observed", default=Any)
"""An observation: ``Tiles`` or ``Planes`` of :mod:`tilelab.observations`."""

_Layout = dict[str, tuple[tuple[int, ...], Any]]
"""The shapes and types of arrays."""

_MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}
_RENDER_MODES = ["ansi", "rgb_array"]
STEPS_MAX = 10_000
"""Steps after which an episode is truncated: an agent that repeats an illegal move would never end."""


class _Played:
    """The common part of vectors and single games."""

    _game: ClassVar[str]
    _games: _tilelab.Games
    _own_reward: Reward | None
    render_mode: str | None

    def _open(
        self,
        slots: Any,
        mode: AutoresetMode,
        *,
        observation: str = "tiles",
        reward: str | Reward | None = None,
        illegal: str = "noop",
        seed: Any = None,
        first_game: Any = 0,
        max_episode_steps: Any = STEPS_MAX,
        threads: Any = 1,
        copy: bool = True,
        record: bool = False,
        render_mode: str | None = None,
        is_one: bool = False,
        **settings: Any,
    ) -> spaces.Space[Any]:
        """Make the games; returns the space of one game's observations."""
        self._own_reward = reward if callable(reward) else None
        named = "<function>" if callable(reward) else None if reward is None else word("reward", reward, "a string or a function")
        if render_mode not in (None, *_RENDER_MODES):
            raise ValueError(f"render_mode={render_mode!r}: accepted: {', '.join(_RENDER_MODES)}")
        self.render_mode = render_mode
        self._record = bool(record)
        self._games = games = _tilelab.Games(
            self._game,
            settings_of(self._game, settings, type(self).__name__),
            whole("num_envs", slots, 1),
            seed_of(seed),
            first_game=whole("first_game", first_game),
            autoreset=_MODES[mode],
            illegal=word("illegal", illegal),
            steps_max=optional("max_episode_steps", max_episode_steps, 1),
            threads=whole("threads", threads),
            records=self._record,
            observation=word("observation", observation),
            reward=named,
            copy=bool(copy),
            is_one=is_one,
        )
        self._is_tiles = observation == "tiles"
        low, high = games.observation_bounds
        if not self._is_tiles:
            return spaces.Box(low, high, tuple(games.observation_shape), np.float32)
        return spaces.Dict({
            "kinds": spaces.Box(0, len(SIGNS) - 1, games.shape, np.uint8),
            "numbers": spaces.Box(low, high, games.shape, np.float64),
        })

    @property
    def cell_key(self) -> str:
        """The key of the cell whose games are played, as ``replay`` takes it."""
        return self._games.cell_key

    @property
    def move_names(self) -> list[str]:
        """The names of the moves, by their numbers."""
        return self._games.moves

    @property
    def experiment(self) -> str:
        """The text of an experiment file that has this cell and the last seed."""
        return self._games.experiment()

    @property
    def kernel(self) -> str:
        """The name of the kernel in use."""
        return self._games.kernel

    def measures(self) -> NDArray[np.int64]:
        """The measures in addition to result and moves, of the games that ended in the last step, by
        slot: int64 (ended, measures); 0 in episodes that were cut. In 2048 these are the sum of
        the tiles, the merge score and the largest tile."""
        return self._games.measures()

    def get_state(self) -> bytes:
        """The seed, games, start boards and moves that lead to the current positions."""
        return self._games.state()

    def _begin(self, seed: Any, options: dict[str, Any] | None) -> None:
        if isinstance(seed, (list, tuple, np.ndarray)):
            raise TypeError(f"seed={seed!r}: accepted: one whole number, which seeds all games")
        seed = optional("seed", seed)
        if not isinstance(options, (dict, type(None))):
            raise TypeError(f"options={options!r}: accepted: a dict with board or reset_mask")
        options = options or {}
        unknown = options.keys() - {"board", "reset_mask"}
        if unknown:
            raise ValueError(f"options: {', '.join(sorted(map(str, unknown)))}: unknown; accepted: board, reset_mask")
        chosen = options.get("reset_mask")
        if chosen is not None and seed is not None:
            raise ValueError("reset_mask: a seed begins all games; give either seed or reset_mask")
        boards = options.get("board")
        if chosen is not None:
            chosen = array("reset_mask", chosen, np.bool_, (self._games.slots,))
        self._games.reset(seed, chosen, None if boards is None else texts_of(boards))

    def _go_to(self, state: bytes) -> None:
        if not isinstance(state, bytes):
            raise TypeError(f"state: the bytes that get_state returned are needed, {given(state)} was given")
        self._games.set_state(state)

    def _rewarded(
        self, before: tuple[NDArray[Any], ...], terminated: Any, truncated: Any, illegal: Any
    ) -> NDArray[np.float64]:
        """The rewards of a custom function; ``before`` has the boards and which games were waiting."""
        assert self._own_reward is not None
        kinds_before, numbers_before, waiting = before
        kinds, numbers = self._games.boards(last=True)
        won = self._games.finished()[0]["won"]
        step = Step(
            kinds_before,
            numbers_before,
            kinds,
            numbers,
            won=won,
            lost=terminated & ~won & ~waiting,
            cut=truncated & ~waiting,
            illegal=np.array(illegal),
            waiting=waiting,
        )
        return array("reward", self._own_reward(step), np.float64, (len(kinds),))

    def _frames(self) -> list[Any]:
        """The boards in the form of ``render_mode``."""
        draw = picture if self.render_mode == "rgb_array" else _text
        return [draw(*board) for board in zip(*self._games.boards(), strict=True)]


def _text(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> str:
    """A board as text, its columns aligned."""
    texts = np.where(kinds == NUMBER, [[f"{x:.15g}" for x in row] for row in numbers], np.array(SIGNS)[kinds])
    width = max(len(text) for text in texts.flat)
    return "\n".join(" ".join(text.rjust(width) for text in row) for row in texts)


class _VecEnv(_Played, gym.vector.VectorEnv[Observed, Any, NDArray[Any]]):
    """N games of one cell, stepped together.

    Arguments, all but the first by keyword:

    * ``num_envs``: N, the number of games.
    * ``observation``: ``tiles`` (dict of ``kinds``, uint8, and ``numbers``, float64, both of shape
      (N, rows, cols)); in 67! and 2048 also ``planes`` (float32), in 67! also ``project`` (float32).
    * ``reward``: ``win`` (1 won, -1 lost), in 67! also ``project``, in 2048 also ``score`` (its
      default), or a function from a :class:`tilelab.observations.Step` to N numbers.
    * ``illegal``: what an illegal move does: nothing (``noop``), it loses (``lose``), or it
      raises ``ValueError`` (``raise``). Actions outside the action space always raise it.
    * ``seed``: the master seed until ``reset`` is given one, by default from the system's entropy;
      ``first_game``: the index of game 0's first episode.
    * ``autoreset_mode``: one of Gymnasium's three modes.
    * ``max_episode_steps``: truncates longer episodes; ``None`` for no limit.
    * ``threads``: threads to step on; faster from about a thousand games.
    * ``record``: whether the moves of each game are in ``info``; see ``played`` below.
    * ``copy``: whether arrays that the caller keeps stay as they are; otherwise later steps overwrite
      them.
    * All other keywords are parameters of the game (``tilelab.games()``), such as ``size="6x7"``.

    ``info`` has ``action_mask`` (int8, (N, moves)), ``game`` (index of each game) and ``illegal``
    (which moves were illegal). For games that ended in the step it has ``won``, ``moves`` and
    ``end`` (:data:`tilelab.observations.ENDS`), in the mode same-step inside ``final_info``; with
    ``record`` also ``played``, the names of the moves in the form accepted by
    ``tilelab.replay(env.experiment, env.cell_key, game, moves=played)`` and ``tilelab replay --moves``.
    """

    metadata: dict[str, Any]
    num_envs: int
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    single_observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any]

    def __init__(
        self, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **keywords: Any
    ) -> None:
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise ValueError(f"autoreset_mode={autoreset_mode!r}: accepted: {modes}") from None
        self.single_observation_space = self._open(num_envs, mode, **keywords)
        self.metadata = {"render_modes": _RENDER_MODES, "render_fps": 4, "autoreset_mode": mode}
        self.num_envs = self._games.slots
        self.single_action_space = spaces.Discrete(len(self._games.moves))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._is_same_step = mode == AutoresetMode.SAME_STEP

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start the first episodes of a seed, or without a seed the next episodes.

        ``options={"reset_mask": mask}`` (bool, (N,)) restarts only these games; with ``"board"`` they
        start on a given board: rows of tiles or an observation, one for all games or one for each.
        """
        self._begin(seed, options)
        return self._observe()

    def set_state(self, state: bytes) -> tuple[Observed, dict[str, Any]]:
        """Go to the positions of :meth:`get_state`; returns what :meth:`reset` returns."""
        self._go_to(state)
        return self._observe()

    def _observe(self) -> tuple[Observed, dict[str, Any]]:
        observation, mask = self._games.observe()
        return observation, self._info(mask, np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: Any
    ) -> tuple[Observed, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play a round in every game: its move, then the next deal."""
        actions = array("actions", actions, np.int64, (self.num_envs,))
        observation, mask, rewards, terminated, truncated, illegal, ended = self._step(actions)
        info = self._info(mask, illegal)
        if ended:
            self._add_ended(info, illegal)
        return observation, rewards, terminated, truncated, info

    def _step(self, actions: NDArray[np.int64], out: tuple[Any, Any] | None = None) -> tuple[Any, ...]:
        """A step; its observations and masks are written to ``out``, if it is given."""
        games = self._games
        before = None if self._own_reward is None else (*games.boards(), games.waiting())
        observation, mask, rewards, terminated, truncated, illegal, ended = games.step(actions, out)
        if before is not None:
            rewards[:] = self._rewarded(before, terminated, truncated, illegal)
        return observation, mask, rewards, terminated, truncated, illegal, ended

    def buffers(self, steps: int) -> dict[str, NDArray[Any]]:
        """The arrays of a :meth:`rollout` of T steps.

        ``kinds`` and ``numbers``, or ``planes``: the observations, (T + 1, N, …); ``action_mask``: int8
        (T + 1, N, moves); ``action``: int64, ``reward``: float32, ``terminated`` and ``truncated``:
        bool, (T, N).
        """
        written, kept = self._layout(steps)
        return {name: np.zeros(shape, kind) for name, (shape, kind) in (written | kept).items()}

    def _layout(self, steps: int) -> tuple[_Layout, _Layout]:
        """The arrays of a rollout that the games write to, and the others."""
        steps = whole("steps", steps, 1)
        space = self.single_observation_space
        shown = dict(space.spaces) if isinstance(space, spaces.Dict) else {"planes": space}
        rows = (steps + 1, self.num_envs)
        written: _Layout = {name: (rows + (one.shape or ()), one.dtype) for name, one in shown.items()}
        written["action_mask"] = (*rows, len(self.move_names)), np.dtype(np.int8)
        kinds = {"action": np.int64, "reward": np.float32, "terminated": np.bool_, "truncated": np.bool_}
        return written, {name: ((steps, self.num_envs), np.dtype(kind)) for name, kind in kinds.items()}

    def rollout(
        self, policy: Policy, steps: int, *, out: dict[str, NDArray[Any]] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Play T steps of a policy from where the games stand; returns :meth:`buffers`, or ``out``.

        Games go on in the next rollout. The environment writes observations where they stay: in
        ``out``, such as the NumPy views of pinned tensors, without a copy. In the mode next-step, row
        t + 1 of an episode that ended in step t is its last board; ``action`` has the moves that
        the policy chose there, too.
        """
        function("policy", policy)
        if out is None:
            out = self.buffers(steps)
        else:
            _check_out(out, *self._layout(steps))
        names = ["kinds", "numbers"] if self._is_tiles else ["planes"]

        def row(step: int) -> tuple[Any, Any]:
            shown = {name: out[name][step] for name in names}
            return shown if self._is_tiles else shown["planes"], out["action_mask"][step]

        observation, mask = self._games.observe(row(0))
        for step in range(steps):
            actions = array("actions", policy(observation, mask.view(np.bool_)), np.int64, (self.num_envs,))
            out["action"][step] = actions
            stepped = self._step(actions, row(step + 1))
            observation, mask = stepped[:2]
            out["reward"][step], out["terminated"][step], out["truncated"][step] = stepped[2:5]
        return out

    def _info(self, mask: NDArray[np.int8], illegal: NDArray[np.bool_]) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": mask,
            "_action_mask": everyone,
            "game": self._games.games(),
            "_game": everyone,
            "illegal": illegal,
            "_illegal": everyone,
        }

    def _add_ended(self, info: dict[str, Any], illegal: NDArray[np.bool_]) -> None:
        ended: dict[str, Any]
        ended, slots, played, final = self._games.finished()
        is_ended = ended["end"].astype(np.bool_)
        if self._record:
            ended["played"] = self._spread(slots, played)
        ended |= {f"_{name}": is_ended for name in ended}
        if not self._is_same_step:
            del ended["game"], ended["_game"]
            info.update(ended)
            return
        boards: Any = final
        if self._is_tiles:
            boards = ({"kinds": kinds, "numbers": numbers} for kinds, numbers in zip(*final.values(), strict=True))
        info["final_obs"] = self._spread(slots, boards)
        ended["illegal"] = illegal & is_ended
        ended["action_mask"] = np.zeros_like(info["action_mask"])
        ended["_illegal"] = ended["_action_mask"] = is_ended
        info["final_info"] = ended
        info["_final_obs"] = info["_final_info"] = is_ended

    def _spread(self, slots: list[int], values: Iterable[Any]) -> NDArray[np.object_]:
        """An array with values at these slots, ``None`` elsewhere."""
        spread = np.full(self.num_envs, None, object)
        for slot, value in zip(slots, values, strict=True):
            spread[slot] = value
        return spread

    def render(self) -> tuple[Any, ...] | None:
        """The boards: texts with ``render_mode="ansi"``, pictures with ``"rgb_array"``."""
        return None if self.render_mode is None else tuple(self._frames())


def _check_out(out: Any, written: _Layout, kept: _Layout) -> None:
    """Refuses arrays that a rollout cannot fill."""
    if not isinstance(out, Mapping):
        raise TypeError(f"out: a dict of arrays is needed, {given(out)} was given")
    layout = written | kept
    missing = [name for name in layout if name not in out]
    if missing:
        raise ValueError(f"out: {', '.join(missing)}: missing; the method buffers makes all arrays")
    for name, (shape, kind) in layout.items():
        one, is_written = out[name], name in written
        if not isinstance(one, np.ndarray) or not np.can_cast(kind, one.dtype, "no" if is_written else "same_kind"):
            raise TypeError(f"out: {name}: an array of {kind} is needed, {given(one)} was given")
        if one.shape[1:] != shape[1:] or len(one) < shape[0]:
            raise ValueError(f"out: {name}: shape {shape} is needed, {one.shape} was given")
        if not one.flags.writeable:
            raise ValueError(f"out: {name}: an array that can be written to is needed, a read-only one was given")
        if is_written and not one[0].flags.c_contiguous:
            raise ValueError(f"out: {name}: a C-contiguous array is needed, one with the strides {one.strides} was given")


class _Env(_Played, gym.Env[Observed, Any]):
    """One game; the arguments are those of the vector, without ``num_envs``, its threads and arrays.

    The k-th episode after ``reset(seed=s)`` is game ``first_game + k`` of that seed and cell.
    ``info`` has ``action_mask`` (int8, (moves,)), ``game``, ``illegal``, and at the end of an
    episode ``won``, ``moves`` and ``end``; with ``record`` always ``played``.
    """

    metadata: dict[str, Any] = {"render_modes": _RENDER_MODES, "render_fps": 4}
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]

    def __init__(self, *, max_episode_steps: int | None = None, **keywords: Any) -> None:
        one: dict[str, Any] = {"max_episode_steps": max_episode_steps, "threads": 1, "copy": True, "is_one": True}
        self.observation_space = self._open(1, AutoresetMode.DISABLED, **one, **keywords)
        self.action_space = spaces.Discrete(len(self._games.moves))
        self._index = 0

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal moves, bool of shape (moves,), as sb3-contrib expects them."""
        return self._games.observe()[1].view(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start the first episode of a seed, or without a seed the next episode.

        ``options={"board": board}`` starts it on a given board: rows of tiles or an observation.
        """
        self._begin(seed, options)
        super().reset(seed=optional("seed", seed))
        return self._observe()

    def set_state(self, state: bytes) -> tuple[Observed, dict[str, Any]]:
        """Go to the position of :meth:`get_state`; returns what :meth:`reset` returns."""
        self._go_to(state)
        return self._observe()

    def _observe(self) -> tuple[Observed, dict[str, Any]]:
        observation, mask = self._games.observe()
        self._index = int(self._games.games()[0])
        info = {"action_mask": mask, "game": self._index, "illegal": False}
        return observation, self._with_moves(info)

    def _with_moves(self, info: dict[str, Any]) -> dict[str, Any]:
        return info | {"played": self._games.played(0)} if self._record else info

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Play a round: the move, then the next deal."""
        games = self._games
        before = None if self._own_reward is None else (*games.boards(), games.waiting())
        observation, mask, reward, terminated, truncated, illegal, ended = games.step_one(action)
        if before is not None:
            reward = float(self._rewarded(before, np.array([terminated]), np.array([truncated]), [illegal])[0])
        info: dict[str, Any] = {"action_mask": mask, "game": self._index, "illegal": illegal}
        if ended:
            facts = games.finished()[0]
            info |= {"won": bool(facts["won"][0]), "moves": int(facts["moves"][0]), "end": int(facts["end"][0])}
        if self._record:
            info = self._with_moves(info)
        return observation, reward, terminated, truncated, info

    def render(self) -> Any:
        """The board: a text with ``render_mode="ansi"``, a picture with ``"rgb_array"``."""
        return None if self.render_mode is None else self._frames()[0]


class SixtySevenVecEnv(_VecEnv[Observed]):
    """N games of 67!; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = "sixty-seven"

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: SixtySevenVecEnv[Tiles], num_envs: SupportsIndex = 1, *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.SixtySevenVecEnv]
        ) -> None: ...
        @overload
        def __init__(
            self: SixtySevenVecEnv[Planes], num_envs: SupportsIndex = 1, *, observation: Literal["planes", "project"], **keywords: Unpack[keywords.SixtySevenVecEnv]
        ) -> None: ...
        def __init__(self, num_envs: SupportsIndex = 1, **keywords: Any) -> None: ...


class TwentyFortyEightVecEnv(_VecEnv[Observed]):
    """N games of 2048; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = "twenty-forty-eight"

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: TwentyFortyEightVecEnv[Tiles], num_envs: SupportsIndex = 1, *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.TwentyFortyEightVecEnv]
        ) -> None: ...
        @overload
        def __init__(
            self: TwentyFortyEightVecEnv[Planes], num_envs: SupportsIndex = 1, *, observation: Literal["planes"], **keywords: Unpack[keywords.TwentyFortyEightVecEnv]
        ) -> None: ...
        def __init__(self, num_envs: SupportsIndex = 1, **keywords: Any) -> None: ...


class CalculatorVecEnv(_VecEnv[Tiles]):
    """N games of one level of Calculator: ``level`` (1 to 199), or ``start``, ``goal``, ``moves`` and
    ``buttons``; actions are the buttons in the level's order."""

    __doc__ = f"{__doc__}\n\n{_VecEnv.__doc__}"
    _game = "calculator"

    if TYPE_CHECKING:

        def __init__(
            self, num_envs: SupportsIndex = 1, *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.CalculatorVecEnv]
        ) -> None: ...


class SixtySevenEnv(_Env[Observed]):
    """A game of 67!; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = "sixty-seven"

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: SixtySevenEnv[Tiles], *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.SixtySevenEnv]
        ) -> None: ...
        @overload
        def __init__(
            self: SixtySevenEnv[Planes], *, observation: Literal["planes", "project"], **keywords: Unpack[keywords.SixtySevenEnv]
        ) -> None: ...
        def __init__(self, **keywords: Any) -> None: ...


class TwentyFortyEightEnv(_Env[Observed]):
    """A game of 2048; actions are 0 up, 1 down, 2 left, 3 right."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = "twenty-forty-eight"

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: TwentyFortyEightEnv[Tiles], *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.TwentyFortyEightEnv]
        ) -> None: ...
        @overload
        def __init__(
            self: TwentyFortyEightEnv[Planes], *, observation: Literal["planes"], **keywords: Unpack[keywords.TwentyFortyEightEnv]
        ) -> None: ...
        def __init__(self, **keywords: Any) -> None: ...


class CalculatorEnv(_Env[Tiles]):
    """A level of Calculator: ``level`` (1 to 199), or ``start``, ``goal``, ``moves`` and ``buttons``;
    actions are the buttons in the level's order."""

    __doc__ = f"{__doc__}\n\n{_Env.__doc__}"
    _game = "calculator"

    if TYPE_CHECKING:

        def __init__(
            self, *, observation: Literal["tiles"] = "tiles", **keywords: Unpack[keywords.CalculatorEnv]
        ) -> None: ...


_KINDS: tuple[tuple[type[_VecEnv[Any]], type[_Env[Any]]], ...] = (
    (SixtySevenVecEnv, SixtySevenEnv),
    (TwentyFortyEightVecEnv, TwentyFortyEightEnv),
    (CalculatorVecEnv, CalculatorEnv),
)
_VECTORS = {name: vector for vector, _ in _KINDS for name in game_of(vector._game).names}


def _vector_of(game: str) -> type[_VecEnv[Any]]:
    """The vector environment of a game, by the game's name or alias."""
    if not isinstance(game, str) or game not in _VECTORS:
        raise ValueError(f"game={game!r}: accepted: {', '.join(_VECTORS)}")
    return _VECTORS[game]


for _vector, _one in _KINDS:
    _keywords = [*list(signature(_Played._open).parameters)[3:-1], *keywords_of(_one._game)]
    _keywords.remove("is_one")
    signed(_vector, _keywords)
    signed(_one, [name for name in _keywords if name not in ("threads", "copy")])
    gym.register(
        f"tilelab/{_one.__name__.removesuffix('Env')}-v0",
        entry_point=f"{__name__}:{_one.__name__}",
        vector_entry_point=f"{__name__}:{_vector.__name__}",
        max_episode_steps=STEPS_MAX,
        # Illegal moves are what the keyword `illegal` says; the environments check the order.
        disable_env_checker=True,
        order_enforce=False,
    )
