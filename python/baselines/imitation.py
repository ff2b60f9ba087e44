"""Imitation of a player of the catalog, for 67!, in one file.

    python python/baselines/imitation.py --teacher greedy --size 6x7 --minutes 15 --seed 1

A network scores the boards after each move, and learns to give the teacher's move the best score, from a data
set of the teacher's games (``tilelab.dataset``), which are played as they are needed. ``--minutes`` is processor
time of one core, the teacher's games included; the last line is the result as JSON.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch import nn

import tilelab

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--teacher", default="greedy")
parser.add_argument("--size", default="6x7")
parser.add_argument("--minutes", type=float, default=15.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--games", type=int, default=2_000, help="games of the test, under seed 67")
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--passes", type=int, default=1, help="how often a board is learned")
parser.add_argument("--width", type=int, default=32, help="units of a layer")
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
parser.add_argument("--logs", help="folder of TensorBoard logs")

# Classes of tiles: blank, three operators, and numbers by their size and their distance from 67.
STEPS = np.array([-1000, -67, -20, -5, -1, 0, 1, 2, 3, 5, 8, 12, 20, 34, 50, 60, 66, 67, 68, 74, 90, 134, 300, 1000], float)
TILES = len(STEPS) + 5


def triples_of(kinds, numbers):
    """The classes of three neighbours each, of boards (N, rows, cols): int64 (N, triples)."""
    classes = np.where(kinds == 1, 4 + np.searchsorted(STEPS, numbers, "right"), np.where(kinds == 0, 0, kinds.astype(np.int64) - 1))
    lines = []
    for board in (classes, classes.swapaxes(1, 2)):
        if board.shape[2] >= 3:
            three = (board[:, :, :-2] * TILES + board[:, :, 1:-1]) * TILES + board[:, :, 2:]
            lines.append(three.reshape(len(classes), -1))
    return torch.from_numpy(np.concatenate(lines, 1))


def looks(observations, size):
    """The triples of each board after each move, and what is to be added to the scores: (N, 4, triples) and (N, 4)."""
    after = tilelab.afterstates("67", observations, size=size)
    triples = triples_of(*(part.reshape(-1, *part.shape[2:]) for part in (after.kinds, after.numbers)))
    # Illegal moves are never made, and winning ones always.
    added = np.where(after.legal == 0, -1e9, np.where(after.won, 1e3, 0)).astype(np.float32)
    return triples.reshape(*after.legal.shape, -1), torch.from_numpy(added)


class Scores(nn.Module):
    """A row of a table for each triple, summed, two layers of ``width`` units, and one output for each move."""

    def __init__(self, width):
        super().__init__()
        self.table = nn.EmbeddingBag(TILES**3, width, mode="sum")
        nn.init.normal_(self.table.weight, 0, 0.02)
        self.layers = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, triples, added):
        return self.layers(self.table(triples.flatten(0, 1))).view(added.shape) + added


def main():
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    scores = Scores(arguments.width)
    optimizer = torch.optim.Adam(scores.parameters(), lr=arguments.rate)
    writer = None
    if arguments.logs:
        from torch.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(arguments.logs)

    end = time.process_time() + 60 * arguments.minutes
    # Training and the test have games of their own.
    boards = tilelab.dataset("67", arguments.teacher, games=10_000_000, seed=1_000 + arguments.seed, values=False, size=arguments.size)
    learned = 0
    for chunk in boards:
        triples, added = looks(chunk, arguments.size)
        actions = torch.from_numpy(chunk["action"])
        for rows in (part for _ in range(arguments.passes) for part in torch.randperm(len(actions)).split(arguments.batch)):
            loss = nn.functional.cross_entropy(scores(triples[rows], added[rows]), actions[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        learned += len(actions)
        if writer:
            writer.add_scalar("losses/cross_entropy", loss, learned)
        if time.process_time() >= end:
            break

    def policy(observations, legal):
        with torch.no_grad():
            return scores(*looks(observations, arguments.size)).argmax(1).numpy()

    score = tilelab.evaluate(policy, "67", games=arguments.games, against=(), size=arguments.size).score("policy")
    agent = f"imitation of {arguments.teacher}"
    print(json.dumps({"agent": agent, "size": arguments.size, "seed": arguments.seed, "minutes": arguments.minutes, "steps": learned, "games": score.games, "wins": score.wins}))


if __name__ == "__main__":
    main()
