"""The two-player games as PettingZoo environments."""

import re
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import tilelab
from tilelab.pettingzoo import offset_v0, zero_sum_v0


@pytest.mark.parametrize(("module", "settings"), [(offset_v0, {"side": 6}), (zero_sum_v0, {})])
def test_pettingzoo_finds_nothing(module, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|possible_agents|NaN|render|probably should be|not a NumPy).*")
        api_test(module.env(**settings), num_cycles=200)
        seed_test(lambda: module.env(**settings), num_cycles=50)


@pytest.mark.parametrize(
    ("module", "settings"), [(offset_v0, {"side": 8, "d": 5}), (zero_sum_v0, {"start": 12, "limit": 1000})]
)
def test_a_game_is_that_of_the_transcript(module, settings):
    env = module.raw_env(seed=3, first_game=2, **settings)
    table = {"title": "t", "game": module.raw_env.game, **settings}
    for game in (2, 3):
        env.reset()
        assert env.game_index == game
        turns = tilelab.replay({"name": "n", "seed": 3, "table": [table]}, env.cell_key, game)
        for turn in turns:
            if turn["move"] is None:
                break
            agent = env.agent_selection
            seat = env.possible_agents.index(agent)
            assert seat == turn["seat"]
            observation = env.observe(agent)
            assert observation in env.observation_space(agent)
            if module is zero_sum_v0:
                assert observation["observation"][0] == turn["number"]
                action = turn["move"] - 2
            else:
                (x, y), (to_x, to_y) = turn["move"]
                own = sorted(observation["pairs"][:2])
                dx, dy = to_x - x, to_y - y
                assert sorted([abs(dx), abs(dy)]) == own
                assert observation["action_mask"].sum() == turn["legal_count"]
                action = 8 * (8 * y + x) + 4 * (abs(dx) > abs(dy)) + 2 * (dx < 0) + (dy < 0)
            assert observation["action_mask"][action] == 1
            assert not env.observe(env.possible_agents[1 - seat])["action_mask"].any()
            env.step(action)
        assert all(env.terminations.values())
        assert tilelab.replay(env.experiment, env.cell_key, game, moves=env.played) == turns
        reward = {"won": 1, "drawn": 0, "lost": -1}[turns[-1]["outcome"]]
        assert env.rewards == {"player_0": reward, "player_1": -reward}


def test_illegal_moves():
    env = zero_sum_v0.raw_env()
    env.reset(seed=1)
    for action in (7, [1], "2"):
        with pytest.raises(ValueError, match=re.escape(f"action {action}: not legal")):
            env.step(action)
    assert np.array_equal(env.observe("player_0")["action_mask"], [1, 1, 1])
