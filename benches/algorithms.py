"""Measures which algorithm of the 67! kernels plays whole games faster, and writes the table by which they choose:

    cargo build --release -p tilelab-platforms --no-default-features --bin turns
    python3 benches/algorithms.py

Each case is played with few and with many games by either algorithm in turn. The difference of the times over that of
the turns leaves out the start and the last games; the table has the medians, in nanoseconds of processor time. Rows of
kernels that are not measured stay as they are.

Programs for other machines are named with what runs them (docs/kernels.md shows how they are built):

    python3 benches/algorithms.py --kernel simd128 node --no-liftoff .ci/wasi.mjs target/wasm32-wasip1/release/turns.wasm
    python3 benches/algorithms.py --kernel neon qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin ./count.so \\
        target/aarch64-unknown-linux-gnu/release/turns

Times under an emulator say little; where it counts instructions, the table has instructions a turn instead.
"""

import argparse
import itertools
import re
import resource
import statistics
import subprocess
from pathlib import Path

TABLE = Path(__file__).parent.parent / "crates/core/src/games/sixty_seven/kernels/algorithms.csv"
RULES = ["original", "gapless", "merge-pairs", "merge-runs"]
# Rows and cols, and few and many games.
SIZES = {(5, 5): (1_000, 60_000), (6, 7): (1_000, 30_000), (8, 8): (600, 10_000), (10, 10): (400, 5_000)}
TILES = [1, 2, 3, 4]
ALGORITHMS = ["planes", "slices"]
# On large boards with one tile a round, games last long.
ROUNDS_MAX = 500
REPEATS = 5


def of_children() -> float:
    """Seconds on a processor of all programs that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", help="the kernel to measure (default: all of the machine)")
    parser.add_argument("--toy", action="store_true", help="play one case of each kernel, and write nothing")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program, with what runs it")
    options = parser.parse_args()
    program = options.program or ["target/release/turns"]

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*program, *map(str, arguments)], check=True, capture_output=True, text=True)

    def play(settings: str, games: int, kernel: str, algorithm: str) -> tuple[float, int, str]:
        """What `games` games take, how many turns these are, and the unit."""
        before = of_children()
        played = run(settings, games, 1, kernel, algorithm)
        spent = of_children() - before
        line = re.fullmatch(rf"{kernel} +{algorithm} .*; (\d+) turns\n", played.stdout)
        if line is None:
            raise SystemExit(f"{' '.join(program)}: does not play {kernel} by {algorithm}: {played.stdout}")
        if counted := re.search(r"^(\d+) instructions$", played.stderr, re.MULTILINE):
            return float(counted[1]), int(line[1]), "instructions"
        return 1e9 * spent, int(line[1]), "ns"

    available = dict.fromkeys(line.split()[0] for line in run("rows=3 cols=3", 2, 1).stdout.splitlines())
    kernels = [options.kernel] if options.kernel else list(available)
    cases = list(itertools.product(RULES, SIZES, TILES))
    rows = TABLE.read_text().splitlines()
    for kernel in kernels:
        measured = []
        for rules, (height, width), tiles in cases[:1] if options.toy else cases:
            settings = f"rules={rules} rows={height} cols={width} tiles_per_turn={tiles} max_rounds={ROUNDS_MAX}"
            few_games, many_games = (2, 9) if options.toy else SIZES[height, width]
            times: dict[str, list[float]] = {algorithm: [] for algorithm in ALGORITHMS}
            unit = "ns"
            # Instructions are the same each time.
            while len(times["slices"]) < (REPEATS if unit == "ns" and not options.toy else 1):
                for algorithm in ALGORITHMS:
                    few, few_turns, unit = play(settings, few_games, kernel, algorithm)
                    many, many_turns, unit = play(settings, many_games, kernel, algorithm)
                    times[algorithm].append((many - few) / (many_turns - few_turns))
            medians = ",".join(f"{statistics.median(times[algorithm]):.1f}" for algorithm in ALGORITHMS)
            measured.append(f"{kernel},{rules},{height}x{width},{tiles},{medians}")
            print(measured[-1], unit, flush=True)
        rows = [row for row in rows if not row.startswith(f"{kernel},")] + measured
    if not options.toy:
        TABLE.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
