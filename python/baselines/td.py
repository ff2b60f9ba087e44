"""Temporal differences of the values of afterstates, for 67!, with NumPy alone.

    python python/baselines/td.py --size 6x7 --minutes 15 --seed 1

An afterstate is a board after a move, before the next deal. Its value is the chance of winning from it: a
small network whose first layer adds one row of a table for every three neighbouring tiles. The agent takes
the move of the best value, and moves the value of the afterstate before towards it. ``--minutes`` is
processor time of one core; the last line is the result as JSON.
"""

import argparse
import json
import time

import numpy as np

import tilelab
from tilelab.envs import SixtySevenVecEnv

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--size", default="6x7")
parser.add_argument("--minutes", type=float, default=15.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--games", type=int, default=2_000, help="games of the test, under seed 67")
parser.add_argument("--envs", type=int, default=256, help="games that are played together")
parser.add_argument("--width", type=int, default=32, help="units of a layer")
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
parser.add_argument("--logs", help="folder of TensorBoard logs (needs tensorboardX)")

# Classes of tiles: blank, three operators, and numbers by their size and their distance from 67.
STEPS = np.array([-1000, -67, -20, -5, -1, 0, 1, 2, 3, 5, 8, 12, 20, 34, 50, 60, 66, 67, 68, 74, 90, 134, 300, 1000], float)
TILES = len(STEPS) + 5


def triples_of(kinds, numbers):
    """The classes of all triples of boards (N, rows, cols): int64 (N, triples)."""
    classes = np.where(kinds == 1, 4 + np.searchsorted(STEPS, numbers, "right"), np.where(kinds == 0, 0, kinds.astype(np.int64) - 1))
    lines = []
    for board in (classes, classes.swapaxes(1, 2)):
        if board.shape[2] >= 3:
            three = (board[:, :, :-2] * TILES + board[:, :, 1:-1]) * TILES + board[:, :, 2:]
            lines.append(three.reshape(len(classes), -1))
    return np.concatenate(lines, 1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Values:
    """Table of triples, two layers of ``width`` units, and one output: the log odds of winning."""

    def __init__(self, width, rate, generator):
        uniform = lambda *shape: generator.uniform(-(width**-0.5), width**-0.5, shape)
        table = generator.normal(0, 0.02, (TILES**3, width))
        self.weights = [part.astype(np.float32) for part in (table, uniform(width, width), uniform(width), uniform(width), uniform(1))]
        self.means = [np.zeros_like(part) for part in self.weights]
        self.squares = [np.zeros_like(part) for part in self.weights]
        self.rate = rate
        self.updates = 0

    def layers(self, triples):
        table, inner, bias, outer, offset = self.weights
        first = table.take(triples, axis=0).sum(axis=1).clip(0)
        second = (first @ inner + bias).clip(0)
        return first, second, second @ outer + offset

    def __call__(self, triples):
        return sigmoid(self.layers(triples)[2])

    def learn(self, triples, targets):
        """One step of Adam on the cross entropy; returns it."""
        _, inner, _, outer, _ = self.weights
        first, second, odds = self.layers(triples)
        found = sigmoid(odds)
        slope = (found - targets)[:, None].astype(np.float32) / len(targets)
        back = slope * outer * (second > 0)
        below = back @ inner.T * (first > 0)
        # Rows of the table that several triples share: sorted, their slopes are added in one pass.
        order = triples.argsort(axis=None)
        rows, starts = np.unique(triples.reshape(-1)[order], return_index=True)
        table = np.zeros_like(self.weights[0])
        table[rows] = np.add.reduceat(below[order // triples.shape[1]], starts)
        self.updates += 1
        scale = self.rate * (1 - 0.999**self.updates) ** 0.5 / (1 - 0.9**self.updates)
        slopes = (table, first.T @ back, back.sum(0), (second * slope).sum(0), slope.sum(0))
        for weight, mean, square, slope in zip(self.weights, self.means, self.squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weight -= scale * mean / (np.sqrt(square) + 1e-8)
        return float(-(targets * np.log(found + 1e-9) + (1 - targets) * np.log(1 - found + 1e-9)).mean())


def look(values, observations, size):
    """For each board the best move, its value, and the triples after it."""
    after = tilelab.afterstates("67", observations, size=size)
    shape = after.legal.shape
    triples = triples_of(*(part.reshape(-1, *part.shape[2:]) for part in (after.kinds, after.numbers)))
    found = np.where(after.won, 1, values(triples).reshape(shape))
    found[after.legal == 0] = -1
    moves = found.argmax(1)
    return moves, found.max(1), triples.reshape(*shape, -1)[np.arange(len(moves)), moves]


def main():
    arguments = parser.parse_args()
    size = arguments.size
    values = Values(arguments.width, arguments.rate, np.random.default_rng(arguments.seed))
    writer = None
    if arguments.logs:
        from tensorboardX import SummaryWriter

        writer = SummaryWriter(arguments.logs)
    envs = SixtySevenVecEnv(arguments.envs, autoreset_mode="SameStep", seed=arguments.seed, size=size)
    observations, _ = envs.reset()
    moves, _, triples = look(values, observations, size)
    end = time.process_time() + 60 * arguments.minutes
    steps = ended = won = 0
    while time.process_time() < end:
        observations, _, terminated, truncated, info = envs.step(moves)
        moves, best, following = look(values, observations, size)
        # What the afterstate led to: the value of the next move, or the end.
        targets = best.clip(0)
        over = terminated | truncated
        if over.any():
            targets[over] = info["final_info"]["won"][over]
            ended += over.sum()
            won += targets[over].sum()
        loss = values.learn(triples, targets)
        triples = following
        steps += arguments.envs
        if writer and values.updates % 100 == 0:
            writer.add_scalar("losses/value", loss, steps)
            writer.add_scalar("charts/win_rate", won / max(ended, 1), steps)
            ended = won = 0

    def policy(observations, legal):
        return look(values, observations, size)[0]

    score = tilelab.evaluate(policy, "67", games=arguments.games, against=(), size=size).score("policy")
    print(json.dumps({"agent": "td", "size": size, "seed": arguments.seed, "minutes": arguments.minutes, "steps": steps, "games": score.games, "wins": score.wins}))


if __name__ == "__main__":
    main()
