"""The types of keywords. Made from the catalog by `python python/tests/keywords.py`; do not edit."""

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


class SixtySeven(TypedDict, total=False):
    """The parameters of sixty-seven."""

    rules: Literal["original", "gapless", "merge-pairs", "merge-runs", "bounded"] | None
    rows: SupportsIndex | None
    cols: SupportsIndex | None
    operators: str | None
    operator_rate: SupportsFloat | None
    tiles_per_turn: SupportsIndex | None
    target: SupportsIndex | None
    digits: str | None
    numbers: str | None
    goal: str | None
    gaps: Literal["keep", "close"] | None
    equal_operators: Literal["stay", "pairs", "runs"] | None
    start: str | None
    value_limit: SupportsIndex | None
    max_rounds: SupportsIndex | None
    lanes: SupportsIndex | None
    method: Literal["plain", "splitting", "counted"] | None
    size: str | tuple[SupportsIndex, SupportsIndex] | None


class SixtySevenEnv(EnvOptions, SixtySeven, total=False):
    """Keywords of the environment."""


class SixtySevenVecEnv(VecOptions, SixtySeven, total=False):
    """Keywords of the vector."""


class Calculator(TypedDict, total=False):
    """The parameters of calculator."""

    level: SupportsIndex | None
    start: SupportsIndex | None
    goal: SupportsIndex | None
    moves: SupportsIndex | None
    buttons: str | Iterable[str] | None
    portal: str | None


class CalculatorEnv(EnvOptions, Calculator, total=False):
    """Keywords of the environment."""


class CalculatorVecEnv(VecOptions, Calculator, total=False):
    """Keywords of the vector."""


class TwentyFortyEight(TypedDict, total=False):
    """The parameters of twenty-forty-eight."""

    rows: SupportsIndex | None
    cols: SupportsIndex | None
    four_rate: SupportsFloat | None
    goal: SupportsIndex | None
    start: str | None
    max_moves: SupportsIndex | None
    method: Literal["plain", "splitting"] | None
    size: str | tuple[SupportsIndex, SupportsIndex] | None


class TwentyFortyEightEnv(EnvOptions, TwentyFortyEight, total=False):
    """Keywords of the environment."""


class TwentyFortyEightVecEnv(VecOptions, TwentyFortyEight, total=False):
    """Keywords of the vector."""


class Offset(TypedDict, total=False):
    """The parameters of offset."""

    d: SupportsIndex | None
    pairs: Literal["drawn", "all", "each"] | None
    pair0: str | None
    pair1: str | None
    beginner: SupportsIndex | None
    side: SupportsIndex | None
    opening: SupportsIndex | None


class ZeroSum(TypedDict, total=False):
    """The parameters of zero-sum."""

    start: SupportsIndex | None
    beginner: SupportsIndex | None
    limit: SupportsIndex | None
    opening: SupportsIndex | None


class AnyGame(TypedDict, total=False):
    """The parameters of all games."""

    rules: Literal["original", "gapless", "merge-pairs", "merge-runs", "bounded"] | None
    rows: SupportsIndex | None
    cols: SupportsIndex | None
    operators: str | None
    operator_rate: SupportsFloat | None
    tiles_per_turn: SupportsIndex | None
    target: SupportsIndex | None
    digits: str | None
    numbers: str | None
    goal: str | SupportsIndex | None
    gaps: Literal["keep", "close"] | None
    equal_operators: Literal["stay", "pairs", "runs"] | None
    start: str | SupportsIndex | None
    value_limit: SupportsIndex | None
    max_rounds: SupportsIndex | None
    lanes: SupportsIndex | None
    method: Literal["plain", "splitting", "counted"] | Literal["plain", "splitting"] | None
    size: str | tuple[SupportsIndex, SupportsIndex] | None
    level: SupportsIndex | None
    moves: SupportsIndex | None
    buttons: str | Iterable[str] | None
    portal: str | None
    four_rate: SupportsFloat | None
    max_moves: SupportsIndex | None
    d: SupportsIndex | None
    pairs: Literal["drawn", "all", "each"] | None
    pair0: str | None
    pair1: str | None
    beginner: SupportsIndex | None
    side: SupportsIndex | None
    opening: SupportsIndex | None
    limit: SupportsIndex | None


class Sweep(TypedDict, total=False):
    """The parameters of all games, each one value or several."""

    rules: Literal["original", "gapless", "merge-pairs", "merge-runs", "bounded"] | Iterable[Literal["original", "gapless", "merge-pairs", "merge-runs", "bounded"]] | None
    rows: SupportsIndex | Iterable[SupportsIndex] | None
    cols: SupportsIndex | Iterable[SupportsIndex] | None
    operators: str | Iterable[str] | None
    operator_rate: SupportsFloat | Iterable[SupportsFloat] | None
    tiles_per_turn: SupportsIndex | Iterable[SupportsIndex] | None
    target: SupportsIndex | Iterable[SupportsIndex] | None
    digits: str | Iterable[str] | None
    numbers: str | Iterable[str] | None
    goal: str | SupportsIndex | Iterable[str | SupportsIndex] | None
    gaps: Literal["keep", "close"] | Iterable[Literal["keep", "close"]] | None
    equal_operators: Literal["stay", "pairs", "runs"] | Iterable[Literal["stay", "pairs", "runs"]] | None
    start: str | SupportsIndex | Iterable[str | SupportsIndex] | None
    value_limit: SupportsIndex | Iterable[SupportsIndex] | None
    max_rounds: SupportsIndex | Iterable[SupportsIndex] | None
    lanes: SupportsIndex | Iterable[SupportsIndex] | None
    method: Literal["plain", "splitting", "counted"] | Literal["plain", "splitting"] | Iterable[Literal["plain", "splitting", "counted"] | Literal["plain", "splitting"]] | None
    size: str | tuple[SupportsIndex, SupportsIndex] | Iterable[str | tuple[SupportsIndex, SupportsIndex]] | None
    level: SupportsIndex | Iterable[SupportsIndex] | None
    moves: SupportsIndex | Iterable[SupportsIndex] | None
    buttons: str | Iterable[str] | Iterable[str | Iterable[str]] | None
    portal: str | Iterable[str] | None
    four_rate: SupportsFloat | Iterable[SupportsFloat] | None
    max_moves: SupportsIndex | Iterable[SupportsIndex] | None
    d: SupportsIndex | Iterable[SupportsIndex] | None
    pairs: Literal["drawn", "all", "each"] | Iterable[Literal["drawn", "all", "each"]] | None
    pair0: str | Iterable[str] | None
    pair1: str | Iterable[str] | None
    beginner: SupportsIndex | Iterable[SupportsIndex] | None
    side: SupportsIndex | Iterable[SupportsIndex] | None
    opening: SupportsIndex | Iterable[SupportsIndex] | None
    limit: SupportsIndex | Iterable[SupportsIndex] | None
