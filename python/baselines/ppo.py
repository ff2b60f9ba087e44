"""Proximal policy optimization with masks of legal moves, for 67!, in one file.

    python python/baselines/ppo.py --size 6x7 --minutes 15 --seed 1

The policy never gives a move that is not legal: its logits are set to the least number. Rollouts are
written to arrays that torch shares. ``--minutes`` is processor time of one core; the last line is the
result as JSON.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import tilelab
from tilelab.envs import SixtySevenVecEnv

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--size", default="6x7")
parser.add_argument("--minutes", type=float, default=15.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--games", type=int, default=2_000, help="games of the test, under seed 67")
parser.add_argument("--envs", type=int, default=256, help="games that are played together")
parser.add_argument("--steps", type=int, default=64, help="steps of a rollout")
parser.add_argument("--batch", type=int, default=2048)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
parser.add_argument("--gamma", type=float, default=0.995)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--entropy", type=float, default=0.005)
parser.add_argument("--logs", help="folder of TensorBoard logs")


class Agent(nn.Module):
    def __init__(self, inputs, moves, width=128):
        super().__init__()

        def network(outputs):
            return nn.Sequential(nn.Flatten(), nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs))

        self.actor, self.critic = network(moves), network(1)

    def policy(self, observations, legal):
        # A game that is over before its first move has none: then every move is as good.
        legal = legal | ~legal.any(dim=1, keepdim=True)
        return Categorical(logits=self.actor(observations).masked_fill(~legal, torch.finfo(torch.float32).min))

    def value(self, observations):
        return self.critic(observations).squeeze(1)


def main():
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    envs = SixtySevenVecEnv(arguments.envs, observation="planes", autoreset_mode="SameStep", seed=arguments.seed, size=arguments.size)
    agent = Agent(int(np.prod(envs.single_observation_space.shape)), len(envs.move_names))
    optimizer = torch.optim.Adam(agent.parameters(), lr=arguments.rate, eps=1e-5)
    writer = None
    if arguments.logs:
        from torch.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(arguments.logs)
    out = envs.buffers(arguments.steps)
    rollout = {name: torch.from_numpy(array) for name, array in out.items()}
    shape = arguments.steps, arguments.envs
    logs, values = torch.zeros(shape), torch.zeros(shape[0] + 1, shape[1])
    step = 0

    def act(observations, legal):
        nonlocal step
        shown = torch.from_numpy(observations)
        chances = agent.policy(shown, torch.from_numpy(legal))
        actions = chances.sample()
        logs[step], values[step] = chances.log_prob(actions), agent.value(shown)
        step += 1
        return actions.numpy()

    envs.reset()
    end = time.process_time() + 60 * arguments.minutes
    steps = 0
    while time.process_time() < end:
        step = 0
        with torch.no_grad():
            envs.rollout(act, arguments.steps, out=out)
            values[-1] = agent.value(rollout["planes"][-1])
        over = (rollout["terminated"] | rollout["truncated"]).float()
        advantages, following = torch.zeros(shape), torch.zeros(shape[1])
        for row in reversed(range(arguments.steps)):
            goes_on = 1 - over[row]
            delta = rollout["reward"][row] + arguments.gamma * goes_on * values[row + 1] - values[row]
            advantages[row] = following = delta + arguments.gamma * arguments.gae_lambda * goes_on * following
        observations, legal = rollout["planes"][:-1].flatten(0, 1), rollout["action_mask"][:-1].flatten(0, 1).bool()
        actions, known = rollout["action"].flatten(), logs.flatten()
        advantages, returns = advantages.flatten(), (advantages + values[:-1]).flatten()
        for _ in range(arguments.epochs):
            for rows in torch.randperm(len(actions)).split(arguments.batch):
                chances = agent.policy(observations[rows], legal[rows])
                ratio = (chances.log_prob(actions[rows]) - known[rows]).exp()
                gain = advantages[rows]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - arguments.clip, 1 + arguments.clip)).mean()
                value_loss = nn.functional.mse_loss(agent.value(observations[rows]), returns[rows])
                entropy = chances.entropy().mean()
                optimizer.zero_grad()
                (policy_loss + 0.5 * value_loss - arguments.entropy * entropy).backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        steps += len(actions)
        if writer:
            ended = rollout["terminated"].sum().clamp(min=1)
            writer.add_scalar("charts/win_rate", (rollout["reward"] > 0).sum() / ended, steps)
            for name, value in {"policy": policy_loss, "value": value_loss, "entropy": entropy}.items():
                writer.add_scalar(f"losses/{name}", value, steps)

    def policy(observations, legal):
        with torch.no_grad():
            return agent.policy(torch.from_numpy(observations), torch.from_numpy(legal)).probs.argmax(1).numpy()

    score = tilelab.evaluate(policy, "67", games=arguments.games, observation="planes", against=(), size=arguments.size).score("policy")
    print(json.dumps({"agent": "ppo", "size": arguments.size, "seed": arguments.seed, "minutes": arguments.minutes, "steps": steps, "games": score.games, "wins": score.wins}))


if __name__ == "__main__":
    main()
