"""The environments in the libraries of others; each is left out where it is not installed."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers

from tilelab import envs

pytestmark = pytest.mark.filterwarnings("default")


def play(env, steps=60):
    """Plays legal moves; returns how many episodes ended."""
    _, info = env.reset(seed=1)
    ended = 0
    for _ in range(steps):
        _, _, terminated, truncated, info = env.step(int(np.argmax(info["action_mask"])))
        if terminated or truncated:
            ended += 1
            _, info = env.reset()
    return ended


def test_wrappers_of_gymnasium(tmp_path):
    env = gym.make("tilelab/SixtySeven-v0", size="3x3", observation="planes", max_episode_steps=9)
    for wrap in (wrappers.RecordEpisodeStatistics, wrappers.FlattenObservation, lambda env: wrappers.FrameStackObservation(env, 3)):
        env = wrap(env)
    assert play(env) >= 6
    assert env.reset(seed=1)[0].shape == (3, 8 * 9)
    vector = gym.wrappers.vector.RecordEpisodeStatistics(envs.TwentyFortyEightVecEnv(4, max_episode_steps=9))
    _, info = vector.reset(seed=1)
    lengths = []
    for _ in range(20):
        _, _, _, _, info = vector.step(info["action_mask"].argmax(1))
        lengths += list(info.get("episode", {"l": []})["l"])
    assert 9 in lengths


def test_videos_have_the_boards(tmp_path):
    pytest.importorskip("moviepy")
    env = gym.make("tilelab/SixtySeven-v0", size="3x4", render_mode="rgb_array", max_episode_steps=5)
    with wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda _: True) as recorded:
        recorded.reset(seed=1)
        frame = recorded.render()
        assert frame.shape == (3 * 64, 4 * 64, 3) and frame.dtype == np.uint8 and len(np.unique(frame.reshape(-1, 3), axis=0)) > 3
        play(recorded, 12)
    videos = list(tmp_path.glob("*.mp4"))
    assert videos and all(video.stat().st_size > 500 for video in videos)


def test_agents_without_masks_are_evaluated():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    model = PPO("MultiInputPolicy", gym.make("tilelab/TwentyFortyEight-v0", size="3x3"), n_steps=32, batch_size=32, device="cpu")
    model.learn(64)
    env = gym.make("tilelab/TwentyFortyEight-v0", size="3x3", max_episode_steps=50)
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=3, return_episode_rewards=True, warn=False)
    assert len(rewards) == 3 and max(lengths) <= 50


def test_convolutions_see_planes():
    pytest.importorskip("stable_baselines3")
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    from tilelab.sb3 import VecEnv

    class Convolutions(BaseFeaturesExtractor):
        def __init__(self, space):
            super().__init__(space, 16 * space.shape[1] * space.shape[2])
            layers = torch.nn.Conv2d(space.shape[0], 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten()
            self.layers = torch.nn.Sequential(*layers)

        def forward(self, observations):
            return self.layers(observations)

    env = VecEnv("67", 4, observation="planes", size="4x5", illegal="lose")
    words = {"features_extractor_class": Convolutions, "normalize_images": False}
    model = PPO("CnnPolicy", env, n_steps=16, batch_size=32, n_epochs=1, policy_kwargs=words, device="cpu")
    model.learn(64)
    assert model.predict(env.reset())[0].shape == (4,)


def test_torchrl_plays():
    pytest.importorskip("torchrl")
    from torchrl.envs import GymEnv
    from torchrl.envs.utils import check_env_specs

    env = GymEnv("tilelab/SixtySeven-v0", observation="planes", size="3x3")
    check_env_specs(env)
    assert env.rollout(5)["observation"].shape[-3:] == (8, 3, 3)


def test_rllib_trains(monkeypatch):
    pytest.importorskip("ray.rllib")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.tune.registry import register_env

    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
    try:
        register_env("tilelab", lambda config: envs.TwentyFortyEightEnv(observation="planes", max_episode_steps=50, **config))
        config = PPOConfig().environment("tilelab", env_config={"size": "3x3"})
        config.env_runners(num_env_runners=0, rollout_fragment_length=64)
        config.training(train_batch_size=64, minibatch_size=32, num_epochs=1)
        config.rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[16], conv_filters=[[16, 3, 1]]))
        algorithm = config.build_algo()
        assert algorithm.train()["training_iteration"] == 1
        algorithm.stop()
    finally:
        ray.shutdown()


def test_pufferlib_emulates():
    emulation = pytest.importorskip("pufferlib.emulation")
    env = emulation.GymnasiumPufferEnv(env_creator=lambda **_: envs.SixtySevenEnv(size="3x3", max_episode_steps=9))
    _, info = env.reset(seed=1)
    moves = 0
    while not env.done:
        observation, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        moves += 1
    assert 0 < moves <= 9 and observation.shape == env.observation_space.shape
