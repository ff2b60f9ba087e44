"""The adapter for Stable-Baselines3; left out where that is not installed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from tilelab.sb3 import VecEnv

pytestmark = pytest.mark.filterwarnings("default")


def test_episodes_end_as_stable_baselines_expects():
    env = VecEnv("67", 6, observation="planes", size="3x3", max_episode_steps=5)
    assert is_masking_supported(env)
    env.seed(1)
    observation = env.reset()
    assert observation in env.observation_space or observation.shape == (6, 8, 3, 3)
    ended = 0
    while ended < 30:
        mask = get_action_masks(env)
        assert (mask == env.action_masks()).all() and mask.any(axis=1).all()
        observation, rewards, done, infos = env.step(mask.argmax(1))
        for slot, info in enumerate(infos):
            assert bool(info) == done[slot]
            if info:
                ended += 1
                assert info["terminal_observation"] in env.observation_space
                assert info["TimeLimit.truncated"] == (info["end"] == "cut")
                assert info["episode"]["l"] <= 5
                assert info["episode"]["r"] == (0 if info["end"] == "cut" else 1 if info["won"] else -1)
                assert info["game"] % 6 == slot


@pytest.mark.parametrize(("game", "arguments"), [("67", {"observation": "planes"}), ("2048", {}), ("calculator", {})])
def test_an_agent_trains(game, arguments):
    env = VecEnv(game, 4, **arguments)
    policy = "MultiInputPolicy" if "observation" not in arguments else "MlpPolicy"
    model = MaskablePPO(policy, env, n_steps=16, batch_size=32, n_epochs=1, seed=1, device="cpu")
    model.learn(128)
    moves, _ = model.predict(env.reset(), action_masks=env.action_masks())
    assert env.action_masks()[np.arange(4), moves].all()


def test_the_script_of_the_learning_curve_runs(tmp_path):
    pytest.importorskip("matplotlib")
    script = Path(__file__).parents[1] / "examples" / "train.py"
    words = ["--steps", "2000", "--points", "2", "--games", "20", "--final-games", "30", "--envs", "8", "--out", "curve.svg"]
    shown = subprocess.run([sys.executable, script, *words], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    assert "| policy | 30 |" in shown.stdout
    assert "million steps of training" in (tmp_path / "curve.svg").read_text(encoding="utf-8")
