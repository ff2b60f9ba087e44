"""Imitation of a player of the catalogue, for 67!, in one file.

    python python/baselines/imitation.py --teacher planner --size 6x7 --minutes 15 --seed 1

A convolutional network learns the teacher's moves from a data set of its games (``tilelab.dataset``), which
are played as they are needed. ``--minutes`` is processor time of one core, the teacher's games included;
the last line is the result as JSON.
"""

import argparse
import json
import time

import torch
from torch import nn

import tilelab

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--teacher", default="planner")
parser.add_argument("--size", default="6x7")
parser.add_argument("--minutes", type=float, default=15.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--games", type=int, default=2_000, help="games of the test, under seed 67")
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--passes", type=int, default=4, help="how often a board is learned")
parser.add_argument("--width", type=int, default=48, help="channels of a layer")
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
parser.add_argument("--logs", help="folder of TensorBoard logs")


def main():
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    rows, cols = map(int, arguments.size.split("x"))
    width = arguments.width
    # Rules look along whole lines: kernels as long as a row and as a column, then one network for all.
    network = nn.Sequential(
        nn.Conv2d(8, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(width * rows * cols, 256), nn.ReLU(), nn.Linear(256, 4),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.rate)
    writer = None
    if arguments.logs:
        from torch.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(arguments.logs)

    def chances(planes, legal):
        return network(planes).masked_fill(~legal, torch.finfo(torch.float32).min)

    end = time.process_time() + 60 * arguments.minutes
    # Training and the test have games of their own.
    boards = tilelab.dataset(
        "67", arguments.teacher, games=10_000_000, seed=1_000 + arguments.seed, observation="planes", values=False, size=arguments.size
    ).torch()
    learned = 0
    for chunk in boards:
        for rows_ in [part for _ in range(arguments.passes) for part in torch.randperm(len(chunk["action"])).split(arguments.batch)]:
            loss = nn.functional.cross_entropy(chances(chunk["planes"][rows_], chunk["action_mask"][rows_].bool()), chunk["action"][rows_])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        learned += len(chunk["action"])
        if writer:
            writer.add_scalar("losses/cross_entropy", loss, learned)
        if time.process_time() >= end:
            break

    def policy(observations, legal):
        with torch.no_grad():
            return chances(torch.from_numpy(observations), torch.from_numpy(legal)).argmax(1).numpy()

    score = tilelab.evaluate(policy, "67", games=arguments.games, observation="planes", against=(), size=arguments.size).score("policy")
    agent = f"imitation of {arguments.teacher}"
    print(json.dumps({"agent": agent, "size": arguments.size, "seed": arguments.seed, "minutes": arguments.minutes, "steps": learned, "games": score.games, "wins": score.wins}))


if __name__ == "__main__":
    main()
