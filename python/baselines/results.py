"""Runs the baselines with several seeds and prints a table of their results.

    python python/baselines/results.py --seeds 1 2 3 --minutes 15 td ppo imitation

One process a run, one core each. Intervals are 95 %: Clopper and Pearson's for a run, Student's for the
mean of the seeds' win rates.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tilelab import _tilelab

FOLDER = Path(__file__).parent


def run(agent, seed, words):
    """The result of one run."""
    one_core = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")}
    command = [sys.executable, FOLDER / f"{agent}.py", "--seed", str(seed), *words]
    shown = subprocess.run(command, env=os.environ | one_core, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(shown.stdout.splitlines()[-1])


def interval(low, high):
    return f"[{100 * low:.1f}, {100 * high:.1f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", nargs="+", choices=["td", "ppo", "imitation"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--size", default="6x7")
    parser.add_argument("--games", type=int, default=2_000)
    given = parser.parse_args()
    words = ["--minutes", str(given.minutes), "--size", given.size, "--games", str(given.games)]
    print("| agent | board | minutes | steps | win % by seed | mean of seeds |\n| --- | --- | ---: | ---: | --- | --- |")
    for agent in given.agents:
        runs = [run(agent, seed, words) for seed in given.seeds]
        rates = [f"{100 * one['wins'] / one['games']:.1f} {interval(*_tilelab.rate_interval(one['wins'], one['games'], 0.95))}" for one in runs]
        mean = _tilelab.mean_interval(np.array([one["wins"] for one in runs]), 0.95)
        # Student's interval may reach beyond what a share can be.
        whole = "–" if mean is None else f"{100 * mean[0] / given.games:.1f} {interval(max(mean[1] / given.games, 0), min(mean[2] / given.games, 1))}"
        steps = sum(one["steps"] for one in runs) // len(runs)
        print(f"| {runs[0]['agent']} | {given.size} | {given.minutes:g} | {steps:,} | {', '.join(rates)} | {whole} |", flush=True)


if __name__ == "__main__":
    main()
