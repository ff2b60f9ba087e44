"""Plays 67! with the random player by tilelab's kernels and by what one would write instead, and writes the times as
CSV to results/bench:

    python benches/others/run.py

The programs take turns, so that a busy machine slows all alike; time is that of the process on a processor, in which
games are played. Each must win as often as tilelab and make as many moves, or nothing is written. numba takes part
where it is installed. What biases the comparison is in docs/kernels.md.
"""

import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
BOARDS = [(6, 7), (5, 5)]
RULES = "original"
# Standard errors of a difference: 99.9 % of equal programs are within.
WITHIN = 3.29


@dataclass
class Sample:
    """Games of one program on one board."""

    games: int = 0
    wins: int = 0
    moves: int = 0
    squares: float = 0  # the sum of the squared moves
    seconds: float = 0
    ns_per_turn: list[float] = field(default_factory=list)

    def add(self, games: int, wins: int, moves: int, squares: float, seconds: float) -> None:
        self.games += games
        self.wins += wins
        self.moves += moves
        self.squares += squares
        self.seconds += seconds
        self.ns_per_turn.append(1e9 * seconds / moves)

    def means(self) -> list[tuple[str, float, float]]:
        """The win rate and the mean moves, and the variances of both."""
        rate = self.wins / self.games
        mean = self.moves / self.games
        return [
            ("win rate", rate, rate * (1 - rate) / self.games),
            ("mean moves", mean, (self.squares / self.games - mean**2) / self.games),
        ]


@dataclass
class Program:
    """What plays a number of games a repetition."""

    name: str
    version: str
    compiler: str
    games: int
    command: list[str]

    def play(self, board: tuple[int, int], games: int, seed: int, folder: str) -> tuple[int, int, int, float, float]:
        """Games, wins, the sum of the moves and of their squares, and seconds."""
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        arguments = [str(number) for number in (*board, games, seed)]
        run = subprocess.run([*self.command, *arguments], env=environment, check=True, stdout=subprocess.PIPE, text=True)
        played, wins, moves, squares, seconds = run.stdout.split()
        return int(played), int(wins), int(moves), float(squares), float(seconds)


class Kernel(Program):
    """A kernel of tilelab."""

    def play(self, board: tuple[int, int], games: int, seed: int, folder: str) -> tuple[int, int, int, float, float]:
        experiment = Path(folder, "others.toml")
        rows, cols = board
        experiment.write_text(
            f'name = "others"\nseed = {seed}\ngames = {games}\n[[table]]\ntitle = "t"\ngame = "sixty-seven"\n'
            f'rules = "{RULES}"\nsize = "{rows}x{cols}"\n'
        )
        arguments = ["run", experiment, "--threads", "1", "--quiet", "--fresh", "--out", folder]
        subprocess.run([*self.command[:1], *arguments, *self.command[1:]], check=True)
        cell, times = (
            next(csv.DictReader(Path(folder, "others", file).open())) for file in ("cells.csv", "times.csv")
        )
        moves = int(times["moves"])
        spread = float(cell["moves_mean_se"]) ** 2 * games * (games - 1)
        return games, int(cell["wins"]), moves, spread + moves**2 / games, float(times["seconds"])


def output_of(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def programs(tilelab: Path) -> list[Program]:
    rustc = output_of("rustc", "--version")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    version = output_of(tilelab, "--version").split()[-1]
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "tilelab-others"], check=True, cwd=ROOT)
    arrays = str(TARGET / "release/arrays")
    found = [
        Program("plain Python", "", python, 2_000, [sys.executable, str(HERE / "lists.py")]),
        Program("Rust arrays", "", rustc, 50_000, [arrays]),
    ]
    try:
        numba = importlib.metadata.version("numba")
        found.append(Program("numba", numba, python, 50_000, [sys.executable, str(HERE / "arrays.py")]))
    except importlib.metadata.PackageNotFoundError:
        print("numba is left out: it is not installed (pip install numba)", file=sys.stderr)
    quick = output_of(tilelab, "bench", "--quick", "--json", "--set", f"rules={RULES}", "--set", "size=6x7")
    for kernel in [row["kernel"] for row in json.loads(quick)]:
        games = 50_000 if kernel == "reference" else 1_000_000
        found.append(Kernel(f"tilelab {kernel}", version, rustc, games, [str(tilelab), "--kernel", kernel]))
    return found


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0]}, {len(models)} cores" if models else platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilelab", type=Path, help="the program; built when left out")
    default = ROOT / "results/bench" / f"{datetime.date.today()}-others.csv"
    parser.add_argument("--out", type=Path, default=default, help="the CSV file (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="repetitions of which the median is taken")
    parser.add_argument("--toy", action="store_true", help="one repetition of fewer games")
    options = parser.parse_args()
    if options.tilelab is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "tilelab"], check=True, cwd=ROOT)
    tilelab = (options.tilelab or TARGET / "release/tilelab").resolve()
    repeats = 1 if options.toy else options.repeats
    all_programs = programs(tilelab)
    samples = {(program.name, board): Sample() for board in BOARDS for program in all_programs}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(repeats):
            for board in BOARDS:
                for program in all_programs:
                    games = program.games // (4 if options.toy else 1)
                    samples[program.name, board].add(*program.play(board, games, 67 + repeat, folder))

    differ = False
    rows = []
    for board in BOARDS:
        truth = samples[all_programs[-1].name, board]
        for program in all_programs:
            sample = samples[program.name, board]
            size = f"{board[0]}x{board[1]}"
            # Kernels play the same games.
            if not isinstance(program, Kernel):
                for (what, value, variance), (_, true_value, true_variance) in zip(sample.means(), truth.means()):
                    apart = abs(value - true_value) / (variance + true_variance) ** 0.5
                    verdict = "agrees" if apart <= WITHIN else "DIFFERS"
                    differ |= apart > WITHIN
                    print(
                        f"{program.name}, {size}: {what} {value:.5g}, tilelab {true_value:.5g}: "
                        f"{apart:.1f} standard errors apart, {verdict}"
                    )
            rows.append(
                {
                    "program": program.name,
                    "version": program.version,
                    "compiler": program.compiler,
                    "machine": machine(),
                    "rules": RULES,
                    "board": size,
                    "games": sample.games,
                    "wins": sample.wins,
                    "moves": sample.moves,
                    "repeats": repeats,
                    "seconds": f"{sample.seconds:.6g}",
                    "ns_per_turn": f"{statistics.median(sample.ns_per_turn):.5g}",
                    "ns_per_turn_min": f"{min(sample.ns_per_turn):.5g}",
                }
            )
    if differ:
        print("nothing is written: a program plays another game", file=sys.stderr)
        return 1
    with options.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"\n{'program':20} {'board':>6} {'ns a turn':>10} {'fastest':>10}")
    for row in rows:
        print(f"{row['program']:20} {row['board']:>6} {row['ns_per_turn']:>10} {row['ns_per_turn_min']:>10}")
    print(f"\nwritten: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
