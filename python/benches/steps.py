"""Steps a second of the environments, on one core: medians of rounds in which all are measured one
after the other, so that a busy machine slows them alike.

    python python/benches/steps.py [games]
    python python/benches/steps.py threads    # how much faster two threads are; needs two free cores
"""

import statistics
import sys
import time
from collections.abc import Callable

import gymnasium as gym
import numpy as np

from tilelab import _tilelab, envs

ROUNDS = 9
SECONDS = 0.15

Step = Callable[[], None]


def paces(steps: list[Step], clock: Callable[[], float]) -> list[list[float]]:
    """Seconds of a step, by environment and round."""
    for step in steps:
        for _ in range(20):
            step()
    found: list[list[float]] = [[] for _ in steps]
    for _ in range(ROUNDS):
        for times, step in zip(found, steps, strict=True):
            calls = 0
            begun = clock()
            while clock() - begun < SECONDS:
                step()
                calls += 1
            times.append((clock() - begun) / calls)
    return found


def vector(name: str, games: int, **arguments: object) -> Callable[[], None]:
    """Steps a vector; every game makes its first legal move, which is read from the mask."""
    env = gym.make_vec(name, num_envs=games, autoreset_mode="SameStep", **arguments)
    _, info = env.reset(seed=1)
    mask = [info["action_mask"]]

    def step() -> None:
        _, _, _, _, info = env.step(mask[0].argmax(1))
        mask[0] = info["action_mask"]

    return step


def binding(game: str, settings: list[str], games: int) -> Callable[[], None]:
    """Steps the binding alone, without Gymnasium."""
    stepped = _tilelab.Games(game, settings, games, 1, autoreset="same-step")
    stepped.reset()
    mask = [stepped.observe()[1]]

    def step() -> None:
        mask[0] = stepped.step(mask[0].argmax(1))[1]

    return step


def single(env: gym.Env) -> Callable[[], None]:
    """Steps one game."""
    _, info = env.reset(seed=1)
    mask = [info["action_mask"]]

    def step() -> None:
        _, _, terminated, truncated, info = env.step(mask[0].argmax())
        if terminated or truncated:
            _, info = env.reset()
        mask[0] = info["action_mask"]

    return step


def threads() -> None:
    """Compares one thread with two, by the clock on the wall."""
    games = 8192
    for observation in ("tiles", "planes"):
        steps = [vector("tilelab/SixtySeven-v0", games, size="6x7", observation=observation, threads=count) for count in (1, 2)]
        one, two = paces(steps, time.perf_counter)
        ratios = sorted(a / b for a, b in zip(one, two, strict=True))
        print(f"{observation}: two threads are {statistics.median(ratios):.2f} times as fast ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def main() -> None:
    if sys.argv[1:] == ["threads"]:
        return threads()
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    rows = [
        ("67! 6×7, binding alone", games, binding("67", ["size=6x7"], games)),
        ("67! 6×7, make_vec, tiles", games, vector("tilelab/SixtySeven-v0", games, size="6x7")),
        ("67! 6×7, make_vec, planes", games, vector("tilelab/SixtySeven-v0", games, size="6x7", observation="planes")),
        ("2048, binding alone", games, binding("2048", [], games)),
        ("2048, make_vec, points as reward", games, vector("tilelab/TwentyFortyEight-v0", games)),
        ("2048, make_vec, wins as reward", games, vector("tilelab/TwentyFortyEight-v0", games, reward="win")),
        ("67! 6×7, one game", 1, single(envs.SixtySevenEnv(size="6x7"))),
        ("67! 6×7, one game, planes", 1, single(envs.SixtySevenEnv(size="6x7", observation="planes"))),
        ("2048, one game", 1, single(envs.TwentyFortyEightEnv())),
        ("Calculator, one game", 1, single(envs.CalculatorEnv())),
    ]
    found = paces([step for _, _, step in rows], time.thread_time)
    print("| environment | games | million steps/s | time, binding = 1 |\n| --- | ---: | ---: | ---: |")
    bases = {"67!": found[0], "2048": found[3]}
    for (name, count, _), times in zip(rows, found, strict=True):
        base = bases.get(name.split()[0].strip(","))
        ratio = ""
        if count == games and base is not None and base is not times:
            ratio = f"{statistics.median(time / other for time, other in zip(times, base, strict=True)):.2f}"
        print(f"| {name} | {count} | {count / statistics.median(times) / 1e6:.2f} | {ratio} |")


if __name__ == "__main__":
    main()
