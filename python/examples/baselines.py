"""Baselines for 67!: agents trained with torch for the same processor time, on the same games as the
catalogue's players.

    python python/examples/baselines.py td maskable-ppo ppo dqn --size 6x7 --minutes 15

``td`` learns the values of afterstates (the boards after a move, before the next deal), as agents of
2048 do; the others are those of Stable-Baselines3 with its usual settings. ``--minutes`` is
processor time of one core, for each agent. An illegal move loses for agents that know no masks.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import tilelab
from tilelab.envs import SixtySevenVecEnv
from tilelab.sb3 import VecEnv

SIZE = "6x7"
GAMES = 256
CLASSES = np.array([-1000, -67, -20, -5, -1, 0, 1, 2, 3, 5, 8, 12, 20, 34, 50, 60, 66, 67, 68, 74, 90, 134, 300, 1000], float)
TILES = len(CLASSES) + 5
"""The classes of tiles: blank, three operators, and numbers by their size and their distance from 67."""

Policy = Callable[[Any, NDArray[np.bool_]], NDArray[Any]]


class Values(nn.Module):
    """The chance of winning after a move, from every three neighbouring tiles of a row or column."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.triples = nn.EmbeddingBag(TILES**3, width, mode="sum")
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        nn.init.normal_(self.triples.weight, std=0.02)

    def forward(self, triples: torch.Tensor) -> torch.Tensor:
        return self.rest(self.triples(triples)).squeeze(1)


def triples_of(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> torch.Tensor:
    """The classes of all triples of boards (N, rows, cols): int64 (N, triples)."""
    classes = np.where(kinds == 1, 4 + np.searchsorted(CLASSES, numbers, "right"), np.where(kinds == 0, 0, kinds - 1))
    lines = []
    for board in (classes, classes.swapaxes(1, 2)):
        if board.shape[2] >= 3:
            three = (board[:, :, :-2] * TILES + board[:, :, 1:-1]) * TILES + board[:, :, 2:]
            lines.append(three.reshape(len(classes), -1))
    return torch.from_numpy(np.concatenate(lines, 1).astype(np.int64))


class Td:
    """Temporal differences of the values of afterstates; it takes the move of the best value."""

    def __init__(self) -> None:
        self.values = Values()
        self.optimizer = torch.optim.Adam(self.values.parameters(), lr=1e-3)

    def look(self, observations: Any) -> tuple[NDArray[np.int64], NDArray[np.float32], torch.Tensor]:
        """For each board the best move, its value, and the triples after it."""
        # Boards must be exact; beyond this, numbers are all the same to the agent.
        observations = observations | {"numbers": observations["numbers"].clip(-(2.0**40), 2.0**40)}
        after = tilelab.afterstates("67", observations, size=SIZE)
        shape = after.legal.shape
        triples = triples_of(after.kinds.reshape(-1, *after.kinds.shape[2:]), after.numbers.reshape(-1, *after.kinds.shape[2:]))
        with torch.no_grad():
            values = torch.sigmoid(self.values(triples)).numpy().reshape(shape)
        values = np.where(after.won, 1, values)
        values[after.legal == 0] = -1
        moves = values.argmax(1)
        return moves, values.max(1), triples.reshape(*shape, -1)[torch.arange(len(moves)), torch.from_numpy(moves)]

    def train(self, seconds: float) -> int:
        env = SixtySevenVecEnv(GAMES, autoreset_mode="SameStep", seed=1, size=SIZE)
        observations, _ = env.reset()
        moves, _, triples = self.look(observations)
        end = time.process_time() + seconds
        steps = 0
        while time.process_time() < end:
            observations, _, terminated, truncated, info = env.step(moves)
            moves, best, following = self.look(observations)
            # What the afterstate led to: the value of the next move, or the end.
            targets = best.clip(0).astype(np.float32)
            over = terminated | truncated
            if over.any():
                targets[over] = info["final_info"]["won"][over]
            loss = nn.functional.binary_cross_entropy_with_logits(self.values(triples), torch.from_numpy(targets))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            triples = following
            steps += GAMES
        return steps

    def __call__(self, observations: Any, legal: NDArray[np.bool_]) -> NDArray[Any]:
        return self.look(observations)[0]


class Sb3:
    """An algorithm of Stable-Baselines3 on the observation ``planes``."""

    def __init__(self, name: str) -> None:
        from sb3_contrib import MaskablePPO
        from stable_baselines3 import DQN, PPO

        self.is_masked = name == "maskable-ppo"
        env = VecEnv("67", GAMES, observation="planes", seed=1, size=SIZE, illegal="noop" if self.is_masked else "lose")
        net = {"net_arch": [128, 128]}
        if name == "dqn":
            self.model: Any = DQN("MlpPolicy", env, learning_starts=10_000, buffer_size=100_000, target_update_interval=10_000, train_freq=1, gradient_steps=4, batch_size=256, policy_kwargs=net, seed=1, device="cpu")
        else:
            algorithm = MaskablePPO if self.is_masked else PPO
            self.model = algorithm("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=4, learning_rate=1e-3, gamma=0.995, gae_lambda=0.95, ent_coef=0.005, policy_kwargs=net, seed=1, device="cpu")

    def train(self, seconds: float) -> int:
        end = time.process_time() + seconds
        self.model.learn(10**9, callback=lambda *_: time.process_time() < end)
        return int(self.model.num_timesteps)

    def __call__(self, observations: Any, legal: NDArray[np.bool_]) -> NDArray[Any]:
        if self.is_masked:
            return self.model.predict(observations, action_masks=legal, deterministic=True)[0]
        if hasattr(self.model, "q_net"):
            with torch.no_grad():
                values = self.model.q_net(torch.from_numpy(observations)).numpy()
        else:
            with torch.no_grad():
                values = self.model.policy.get_distribution(torch.from_numpy(observations)).distribution.logits.numpy()
        # The best of the legal moves: an agent without masks may prefer another.
        return np.where(legal, values, -np.inf).argmax(1)


def main() -> None:
    global SIZE
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="+", choices=["td", "maskable-ppo", "ppo", "dqn"])
    parser.add_argument("--size", default=SIZE)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--games", type=int, default=2_000, help="games of the test, with seed 67")
    parser.add_argument("--against", nargs="*", default=["random", "greedy"])
    arguments = parser.parse_args()
    SIZE = arguments.size
    torch.set_num_threads(1)
    torch.manual_seed(1)
    for name in arguments.agents:
        agent: Any = Td() if name == "td" else Sb3(name)
        steps = agent.train(60 * arguments.minutes)
        evaluation = tilelab.evaluate(
            agent,
            "67",
            games=arguments.games,
            name=name,
            observation="tiles" if name == "td" else "planes",
            against=arguments.against,
            size=SIZE,
        )
        print(f"{name} on {SIZE}: {arguments.minutes:g} minutes of one core, {steps} steps\n{evaluation.table()}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
