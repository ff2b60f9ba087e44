"""The binding: arrays and names between Python and the library. Use the package ``tilelab``."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

__version__: str

@final
class Experiment:
    @staticmethod
    def read(path: str | PathLike[str], games: int | None = None, seed: int | None = None) -> Experiment: ...
    @staticmethod
    def parse(text: str, games: int | None = None, seed: int | None = None) -> Experiment: ...
    @staticmethod
    def of_json(text: str, games: int | None = None, seed: int | None = None) -> Experiment: ...
    @staticmethod
    def direct(
        game: str,
        settings: list[str],
        players: list[str],
        opponents: list[str],
        games: int | None,
        seed: int,
    ) -> Experiment: ...
    @property
    def name(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def cells(self) -> list[str]: ...
    def replay(self, cell: str, game: int) -> list[str]: ...
    def run(
        self,
        threads: int | None = None,
        out: str | None = None,
        fresh: bool = False,
        progress: Callable[[int, int, int, int], object] | None = None,
    ) -> Finished: ...

@final
class Finished:
    @property
    def folder(self) -> Path | None: ...
    @property
    def games(self) -> int: ...
    @property
    def games_now(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def failures(self) -> list[tuple[str, str]]: ...
    @property
    def cells_csv(self) -> bytes: ...
    @property
    def columns(self) -> list[tuple[str, str]]: ...
    @property
    def tables(self) -> str: ...
    @property
    def plots(self) -> list[tuple[str, str, str]]: ...

@final
class Games:
    def __new__(
        cls,
        game: str,
        settings: list[str],
        slots: int,
        seed: int,
        first_game: int = 0,
        autoreset: str = "next-step",
        refuses: bool = False,
        steps_max: int | None = None,
        threads: int = 1,
    ) -> Games: ...
    @property
    def cell_key(self) -> str: ...
    @property
    def slots(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def kernel(self) -> str: ...
    def reset(self, seed: int | None = None, chosen: NDArray[np.bool_] | None = None) -> None: ...
    def observe(self, kinds: NDArray[np.uint8], numbers: NDArray[np.float64], mask: NDArray[np.bool_]) -> None: ...
    def step(
        self,
        actions: NDArray[np.int64],
        kinds: NDArray[np.uint8],
        numbers: NDArray[np.float64],
        mask: NDArray[np.bool_],
        ends: NDArray[np.uint8],
        illegal: NDArray[np.bool_],
    ) -> int: ...
    def games(self) -> NDArray[np.uint64]: ...
    def finished(
        self,
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.uint64],
        NDArray[np.uint8],
        NDArray[np.uint64],
        NDArray[np.bool_],
        NDArray[np.uint8],
        NDArray[np.float64],
    ]: ...

def command_line(arguments: list[str]) -> int: ...
def answer(game: str, settings: list[str], request: str) -> str: ...
def count(text: str) -> int: ...
def solve_level(
    start: int,
    goal: int,
    moves: int,
    buttons: list[str],
    portal: str | None = None,
    all: bool = False,
) -> list[list[str]]: ...
def solve_number(number: int, all: bool = False) -> list[list[str]]: ...
