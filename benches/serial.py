"""Processor time of an experiment's serial parts, and by Amdahl's law what they leave of many cores:

    python benches/serial.py [experiments/readme.toml [--games N]]

Without an experiment it is one of 9,000 cells: ten games each of 67! on 2x2, 2x3 and 3x3.

Start is what `tilelab --version` takes, plan what `check` takes beyond it, report what `report` does; writing is the
rest of a run with one game a cell (saved state, cells.csv, the other tables). Playing is what a run takes beyond a
run with one game a cell, with one thread and, to see what threads cost, with two. Medians of the repetitions.
"""

import argparse
import csv
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path


SMALL = """name = "small"
seed = 67
games = 10
[[table]]
title = "t"
game = "sixty-seven"
size = ["2x2", "2x3", "3x3"]
operator_rate = [%s]
"""


def of_children() -> float:
    """Seconds on a processor of all programs that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", type=Path, nargs="?")
    parser.add_argument("--games", help="games of each cell, instead of the file's")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tilelab", default="target/release/tilelab", help="the program (default: %(default)s)")
    options = parser.parse_args()
    games = ["--games", options.games] if options.games else []

    with tempfile.TemporaryDirectory() as out:
        experiment = options.experiment
        if experiment is None:
            experiment = Path(out, "small.toml")
            experiment.write_text(SMALL % ", ".join(f"{0.05 + 0.0003 * i:.4f}" for i in range(3_000)))
        run = ["run", experiment, "--out", out, "--quiet", "--fresh"]

        def seconds(*arguments: str | Path) -> float:
            before = of_children()
            subprocess.run([options.tilelab, *arguments], check=True, stdout=subprocess.DEVNULL)
            return of_children() - before

        def median(*arguments: str | Path) -> float:
            return statistics.median(seconds(*arguments) for _ in range(options.repeats))

        start = median("--version")
        plan = median("check", "--no-forecast", experiment) - start
        smallest = median(*run, "--games", "1", "--threads", "1")
        (folder,) = (path.parent for path in Path(out).glob("*/times.csv"))
        with (folder / "times.csv").open() as times:
            cells = list(csv.DictReader(times))
        report = median("report", folder) - start
        serial = smallest - sum(float(cell["seconds"]) for cell in cells)
        one = median(*run, *games, "--threads", "1")
        two = median(*run, *games, "--threads", "2")

    playing = one - smallest
    print(f"{len(cells)} cells, seconds on a processor")
    parts = {"start": start, "plan": plan, "writing": serial - start - plan - report, "report": report}
    for name, part in parts.items():
        print(f"{name:10} {part:9.3f}")
    print(f"{'serial':10} {serial:9.3f}   {1e3 * serial / len(cells):.3f} ms a cell")
    print(f"{'playing':10} {playing:9.3f}   two threads take {two / one:.3f} times the processor time of one")
    for cores in (2, 64, 128):
        print(f"{cores:3} cores: {(serial + playing) / (serial + playing / cores):6.1f} times as fast as one")


if __name__ == "__main__":
    main()
