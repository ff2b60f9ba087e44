"""Trains MaskablePPO on 67! 6×7 and draws its learning curve, with 95 % intervals.

    python python/examples/train.py --out docs/pictures/learning_curve.svg

Needs `pip install '.[sb3]' matplotlib`. One core; prints the processor time of training and
evaluation. Every point is the deterministic policy on the same games of seed 67, which training
does not see.
"""

import argparse
import time
from pathlib import Path

import matplotlib
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import tilelab
from tilelab.sb3 import VecEnv

BLUE = "#2f6db3"
GREY = "#777777"
ROLLOUT = 64
"""Steps of each game between two updates of the policy."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=1_000_000, help="steps of training")
    arguments.add_argument("--points", type=int, default=8, help="evaluations on the way")
    arguments.add_argument("--games", type=int, default=1_000, help="games of each evaluation")
    arguments.add_argument("--final-games", type=int, default=5_000, help="games of the last one")
    arguments.add_argument("--envs", type=int, default=256, help="games that are played together")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--out", type=Path, default=Path("learning_curve.svg"))
    given = arguments.parse_args()

    torch.set_num_threads(1)
    env = VecEnv("67", given.envs, observation="planes", size="6x7", seed=given.seed)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=ROLLOUT, batch_size=2048, n_epochs=4, learning_rate=1e-3, gamma=0.995, gae_lambda=0.95,
        ent_coef=0.005, policy_kwargs={"net_arch": [128, 128]}, seed=given.seed, device="cpu",
    )

    def policy(observations, legal):
        return model.predict(observations, action_masks=legal, deterministic=True)[0]

    def evaluate(games, against=()):
        return tilelab.evaluate(policy, "67", games=games, observation="planes", against=against, size="6x7")

    curve = []
    evaluating = 0.0

    class Points(BaseCallback):
        """Evaluates the policy about every `steps / points` steps."""

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            nonlocal evaluating
            if self.num_timesteps >= given.steps * len(curve) / given.points and len(curve) < given.points:
                begun = time.thread_time()
                score = evaluate(given.games).score("policy")
                evaluating += time.thread_time() - begun
                # The policy that played this rollout: it has learned from those before it.
                curve.append((self.num_timesteps - given.envs * ROLLOUT, score))
                print(f"{curve[-1][0]:>9} steps: {100 * score.win_rate:.2f} % won", flush=True)

    begun = time.thread_time()
    model.learn(given.steps, callback=Points())
    training = time.thread_time() - begun - evaluating
    final = evaluate(given.final_games, ["random", "greedy"])
    curve.append((model.num_timesteps, final.score("policy")))
    print(f"{final.table()}\nprocessor time: training {training:.0f} s, evaluation on the way {evaluating:.0f} s")
    draw(curve, final.score("random"), given.out)


def draw(curve, random, file: Path) -> None:
    """Draws the points with their intervals, and the random player's interval as a band."""
    matplotlib.use("svg")
    # Text stays text, and the same figures give the same bytes.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tilelab", "font.size": 11})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained", facecolor="white")
    steps = [step / 1e6 for step, _ in curve]
    rates = [100 * score.win_rate for _, score in curve]
    below = [100 * (score.win_rate - score.interval[0]) for _, score in curve]
    above = [100 * (score.interval[1] - score.win_rate) for _, score in curve]
    axes.errorbar(steps, rates, [below, above], color=BLUE, marker="o", markersize=4, capsize=3, label="MaskablePPO")
    low, high = (100 * end for end in random.interval)
    axes.axhspan(low, high, color=GREY, alpha=0.35, linewidth=0, label="random player")
    axes.set(xlabel="million steps of training", ylabel="games won [%]", ylim=(0, None))
    axes.set_title("67! 6×7, original rules; bars are 95 % intervals", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(file, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
