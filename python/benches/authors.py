"""The 67! project's own Gymnasium environment beside tilelab's, on one core.

    git clone https://github.com/johnliaogithub/ProjectProgram
    python python/benches/authors.py ProjectProgram/training

Both play 6x7 boards, the same uniformly random actions, in turn. Steps a second are medians of five
runs. Then: what Gymnasium's checker says of each, whether a seed repeats a game, and what 91 * 11
becomes.
"""

import importlib
import statistics
import sys
import time
import warnings

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env

import tilelab.envs

RUNS = 5
STEPS = 10_000
GAMES = 1_024
SETTINGS = {"rules": "merge-runs", "size": "6x7"}


def single(env: gym.Env) -> float:
    """Steps a second of one environment."""
    actions = np.random.default_rng(67).integers(4, size=STEPS)
    env.reset(seed=67)
    begun = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return STEPS / (time.process_time() - begun)


def vector(envs: gym.vector.VectorEnv) -> float:
    """Steps a second of many games stepped together."""
    rounds = 300
    actions = np.random.default_rng(67).integers(4, size=(rounds, envs.num_envs))
    envs.reset(seed=67)
    begun = time.process_time()
    for row in actions:
        envs.step(row)
    return rounds * envs.num_envs / (time.process_time() - begun)


def checked(env: gym.Env) -> str:
    """What `check_env` says first, or that it passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_env(env, skip_render_check=True)
        except Exception as error:  # whatever the checked code raises
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "passes"


def repeats(env: gym.Env) -> bool:
    """Whether the same seed gives the same first 20 steps."""

    def observations() -> list[bytes]:
        seen = [np.asarray(env.reset(seed=67)[0]).tobytes()]
        for step in range(20):
            seen.append(np.asarray(env.step(step % 4)[0]).tobytes())
        return seen

    return observations() == observations()


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    theirs = importlib.import_module("sixseven_env").SixSevenEnv
    rules = importlib.import_module("game")

    def ours() -> gym.Env:
        return gym.make("tilelab/SixtySeven-v0", observation="project", illegal="noop", **SETTINGS)

    many = gym.make_vec("tilelab/SixtySeven-v0", num_envs=GAMES, illegal="noop", **SETTINGS)
    found: dict[str, list[float]] = {"the project's": [], "tilelab, one game": [], f"tilelab, {GAMES} games": []}
    for _ in range(RUNS):
        found["the project's"].append(single(theirs()))
        found["tilelab, one game"].append(single(ours()))
        found[f"tilelab, {GAMES} games"].append(vector(many))
    for name, paces in found.items():
        print(f"{name:22} {statistics.median(paces):12,.0f} steps/s")
    for name, make in (("the project's", theirs), ("tilelab, one game", ours)):
        print(f"{name:22} check_env: {checked(make())}")
        print(f"{name:22} a seed repeats a game: {'yes' if repeats(make()) else 'no'}")
    collapsed = rules.collapse_list_left([91, rules.MULTIPLICATION, 11])
    names = {rules.ADDITION: "+", rules.SUBTRACTION: "-", rules.MULTIPLICATION: "*", rules.SPACE: "blank"}
    print(f"{'the project':22} 91 * 11 becomes {names.get(collapsed[0], collapsed[0])}")
    position = {"board": [["91", "*", "11"]], "move": "left"}
    print(f"{'tilelab':22} 91 * 11 becomes {tilelab.move('67', position, rules='gapless')}")


if __name__ == "__main__":
    main()
