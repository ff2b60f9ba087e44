"""Steps a second of the environments, on one core: medians of five runs, side by side.

    python python/benches/steps.py [games]
"""

import statistics
import sys
import time
from collections.abc import Callable

import gymnasium as gym
import numpy as np

from tilelab import _tilelab, envs

RUNS = 5
SECONDS = 0.3


def pace(step: Callable[[], None], games: int) -> float:
    """Millions of steps a second of games that ``step`` steps together."""
    for _ in range(20):
        step()
    found = []
    for _ in range(RUNS):
        calls = 0
        begun = time.thread_time()
        while time.thread_time() - begun < SECONDS:
            step()
            calls += 1
        found.append(games * calls / (time.thread_time() - begun) / 1e6)
    return statistics.median(found)


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


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    rows = [
        ("67! 6×7, make_vec, tiles", games, vector("tilelab/SixtySeven-v0", games, size="6x7")),
        ("67! 6×7, make_vec, planes", games, vector("tilelab/SixtySeven-v0", games, size="6x7", observation="planes")),
        ("67! 6×7, binding alone", games, binding("67", ["size=6x7"], games)),
        ("2048, make_vec, points as reward", games, vector("tilelab/TwentyFortyEight-v0", games)),
        ("2048, make_vec, wins as reward", games, vector("tilelab/TwentyFortyEight-v0", games, reward="win")),
        ("2048, binding alone", games, binding("2048", [], games)),
        ("67! 6×7, one game", 1, single(envs.SixtySevenEnv(size="6x7"))),
        ("67! 6×7, one game, planes", 1, single(envs.SixtySevenEnv(size="6x7", observation="planes"))),
        ("2048, one game", 1, single(envs.TwentyFortyEightEnv())),
        ("Calculator, one game", 1, single(envs.CalculatorEnv())),
    ]
    print("| environment | games | million steps/s |\n| --- | ---: | ---: |")
    for name, count, step in rows:
        print(f"| {name} | {count} | {pace(step, count):.2f} |", flush=True)


if __name__ == "__main__":
    main()
