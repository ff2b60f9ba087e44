"""Observations, rewards and pictures of the environments, compared with the boards."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tilelab import envs, observations

# Only down and right are legal.
CORNER = [["1", "_", "_"], ["_", "_", "_"], ["_", "_", "_"]]


def legal_actions(mask, generator):
    """A random legal action for each game; 0 where there is none."""
    return np.where(mask, generator.random(mask.shape), -1).argmax(1)


@pytest.mark.parametrize("kind", ["tiles", "planes", "project"])
def test_observations_have_their_spaces(kind):
    env = envs.SixtySevenVecEnv(5, observation=kind, size="3x4", autoreset_mode="SameStep")
    observation, info = env.reset(seed=3)
    generator = np.random.default_rng(1)
    for _ in range(50):
        assert observation in env.observation_space
        observation, _, _, _, info = env.step(legal_actions(info["action_mask"], generator))
        for final in info.get("final_obs", []):
            assert final is None or final in env.single_observation_space


def test_planes_of_a_board():
    kinds = np.array([[[0, 2], [3, 4]], [[1, 1], [1, 0]]], np.uint8)
    numbers = np.array([[[0.0, 0], [0, 0]], [[67, -1000], [1e300, 0]]])
    planes = observations.encode("67", "planes", kinds, numbers)
    assert planes.shape == (2, 8, 2, 2)
    assert planes[0, :5].reshape(5, 4).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0] * 4]
    assert not planes[0, 5:].any()
    np.testing.assert_allclose(planes[1, 5].ravel(), [np.log1p(67) / np.log1p(1000), -1, 4, 0], rtol=1e-6)
    np.testing.assert_allclose(planes[1, 6].ravel(), [1, -4, 4, 0], rtol=1e-6)
    np.testing.assert_allclose(planes[1, 7].ravel(), [1, np.exp(-1067 / 9), 0, 0], rtol=1e-5, atol=1e-30)
    project = observations.encode("67", "project", kinds, numbers)
    assert project.shape == (2, 20)
    assert project[0].reshape(4, 5).tolist() == [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert project[1, 0] == np.float32(0.067)
    assert np.array_equal(observations.encode("67", "planes", kinds.astype(int), numbers.tolist()), planes)
    for arrays, error, text in [
        ((kinds + 1, numbers), ValueError, "kinds: 5 is not a kind; accepted: whole numbers from 0 to 4"),
        ((kinds.astype(int) - 300, numbers), ValueError, "kinds: whole numbers (uint8) are needed, -300 was given"),
        ((kinds / 2, numbers), TypeError, "kinds: whole numbers are needed, float64 of shape (2, 2, 2) was given"),
        (("1", numbers), TypeError, "kinds: whole numbers are needed, <U1 of shape () was given"),
        ((kinds, [["a"]]), TypeError, "numbers: numbers are needed, <U1 of shape (1, 1) was given"),
        ((kinds, numbers[:1]), ValueError, "one shape (N, rows, cols) is needed, (2, 2, 2) and (1, 2, 2) were given"),
        ((kinds[0], numbers[0]), ValueError, "one shape (N, rows, cols) is needed, (2, 2) and (2, 2) were given"),
    ]:
        with pytest.raises(error) as raised:
            observations.encode("67", "planes", *arrays)
        assert text in str(raised.value)
    with pytest.raises(TypeError, match="observation=3: accepted: a string"):
        observations.encode("67", 3, kinds, numbers)


@pytest.mark.parametrize("size", ["4x4", "5x5"])
def test_planes_of_2048_have_every_tile(size):
    side = int(size[0])
    largest = side * side + 1
    board = np.zeros((side, side))
    board.flat[: largest - 2] = 2.0 ** np.arange(largest, 2, -1)
    env = envs.TwentyFortyEightEnv(size=size, observation="planes")
    if size == "4x4":
        env.reset(options={"board": board})
    planes = observations.encode("2048", "planes", (board > 0).astype(np.uint8)[None], board[None])[0]
    assert planes.shape == env.observation_space.shape
    assert (planes.sum(axis=0) == 1).all()
    assert planes[largest, 0, 0] == 1 and planes[0, -1, -1] == 1


@pytest.mark.parametrize(
    ("kind", "observation", "settings"),
    [
        (envs.SixtySevenVecEnv, "planes", {"size": "4x5"}),
        (envs.SixtySevenVecEnv, "project", {"size": "4x5", "rules": "gapless"}),
        (envs.TwentyFortyEightVecEnv, "planes", {}),
        (envs.TwentyFortyEightVecEnv, "planes", {"size": "3x5"}),
    ],
)
def test_observations_are_those_of_the_tiles(kind, observation, settings):
    tiles = kind(5, autoreset_mode="SameStep", **settings)
    planes = kind(5, autoreset_mode="SameStep", observation=observation, threads=2, **settings)
    generator = np.random.default_rng(1)
    shown, info = tiles.reset(seed=3)
    encoded, _ = planes.reset(seed=3)
    for _ in range(80):
        wanted = observations.encode(kind._game, observation, shown["kinds"], shown["numbers"])
        np.testing.assert_array_equal(encoded, wanted)
        actions = legal_actions(info["action_mask"], generator)
        shown, _, _, _, info = tiles.step(actions)
        encoded, _, _, _, other = planes.step(actions)
        for final, last in zip(info.get("final_obs", []), other.get("final_obs", []), strict=True):
            assert (final is None) == (last is None)
            if final is not None:
                one = {name: part[None] for name, part in final.items()}
                np.testing.assert_array_equal(last, observations.encode(kind._game, observation, *one.values())[0])


@pytest.mark.parametrize("copy", [True, False])
def test_rewards_of_ones_own(copy):
    seen = []

    def mine(step):
        seen.append(step)
        return step.won + 2.0 * step.illegal

    env = envs.SixtySevenVecEnv(2, size="3x3", reward=mine, copy=copy)
    env.reset(options={"board": CORNER})
    wrong = [0, 1]
    _, rewards, _, _, later = env.step(wrong)
    assert rewards.tolist() == (2.0 * seen[0].illegal).tolist() == [2, 0]
    assert later["illegal"].tolist() == [True, False]
    other = envs.SixtySevenVecEnv(2, reward=lambda step: np.zeros(3))
    other.reset()
    with pytest.raises(ValueError, match=r"reward: shape \(2,\) is needed, \(3,\) was given"):
        other.step([0, 0])


def distance(kinds, numbers):
    known = np.where(kinds == 1, np.abs(numbers - 67), np.inf).min(axis=(1, 2))
    return np.where(np.isinf(known), 1000.0, known)


def project(step):
    """The reward that the authors of 67! published."""
    nearer = distance(step.kinds_before, step.numbers_before) - distance(step.kinds, step.numbers)
    reward = 0.1 * np.clip(nearer, -1000, 1000) + 0.01 * (step.kinds == 0).sum(axis=(1, 2))
    reward += 100.0 * step.won - 50.0 * step.lost
    reward[step.illegal & ~step.lost] = -5.0
    return np.where(step.waiting, 0, reward)


def made(numbers):
    exponents = np.log2(np.maximum(numbers, 2)) - 1
    return (exponents * numbers).sum(axis=(1, 2))


def score(step):
    dealt = step.numbers.sum(axis=(1, 2)) - step.numbers_before.sum(axis=(1, 2))
    return np.where(step.waiting, 0, made(step.numbers) - made(step.numbers_before) - 4.0 * (dealt == 4))


def win(step):
    return step.won * 1.0 - step.lost


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("illegal", ["noop", "lose"])
@pytest.mark.parametrize(
    ("kind", "name", "own", "settings"),
    [
        (envs.SixtySevenVecEnv, "project", project, {"size": "3x3", "target": 10}),
        (envs.SixtySevenVecEnv, "win", win, {"size": "3x3", "max_rounds": 20}),
        (envs.TwentyFortyEightVecEnv, "score", score, {"size": "4x4", "goal": 64}),
        (envs.TwentyFortyEightVecEnv, "win", win, {"size": "3x3", "max_moves": 20, "goal": 16}),
        (envs.CalculatorVecEnv, "win", win, {}),
    ],
)
def test_rewards_are_those_computed_from_the_boards(kind, name, own, settings, illegal, mode):
    pair = [
        kind(7, reward=reward, illegal=illegal, autoreset_mode=mode, max_episode_steps=60, **settings)
        for reward in (name, own)
    ]
    alone = vars(envs)[kind.__name__.replace("Vec", "")](reward=name, illegal=illegal, max_episode_steps=60, **settings)
    generator = np.random.default_rng(1)
    _, info = [env.reset(seed=3) for env in pair][0]
    _, single = alone.reset(seed=3)
    is_over = False
    for _ in range(90):
        actions = legal_actions(info["action_mask"], generator)
        wrong = generator.random(7) < 0.1
        actions[wrong] = generator.integers(info["action_mask"].shape[1], size=wrong.sum())
        (_, named, terminated, truncated, info), (_, computed, *flags, _) = [env.step(actions) for env in pair]
        np.testing.assert_allclose(named, computed, rtol=1e-12)
        np.testing.assert_array_equal([terminated, truncated], flags)
        if not is_over:
            # A single game is game 0 of the vector.
            _, reward, ended, cut, single = alone.step(actions[0])
            assert (reward, ended, cut) == (named[0], terminated[0], truncated[0])
            is_over = ended or cut
    if mode == AutoresetMode.DISABLED:
        pair[0].reset(options={"reset_mask": np.ones(7, bool)})


def test_pictures_of_boards():
    with pytest.raises(ValueError, match="render_mode='human': accepted: ansi, rgb_array"):
        envs.SixtySevenEnv(render_mode="human")
    env = gym.make("tilelab/SixtySeven-v0", size="4x5", render_mode="rgb_array")
    _, info = env.reset(seed=1)
    before = env.render()
    assert (before.shape, before.dtype) == ((4 * 64, 5 * 64, 3), np.uint8)
    env.step(info["action_mask"].argmax())
    assert not np.array_equal(env.render(), before)
    vector = envs.TwentyFortyEightVecEnv(3, render_mode="rgb_array")
    vector.reset(seed=1)
    assert [frame.shape for frame in vector.render()] == [(256, 256, 3)] * 3


def test_boards_are_shown_as_text():
    env = envs.TwentyFortyEightEnv(render_mode="ansi")
    env.reset(seed=1)
    assert len(env.render().splitlines()) == 4


def test_planes_of_2048_show_powers_of_two_only():
    for tile in [1, 3, 2**18]:
        board = [[tile, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4]
        env = envs.TwentyFortyEightEnv(observation="planes")
        with pytest.raises(ValueError, match=f"board 0: {tile}: planes show the powers of two from 2 to 2..17 only"):
            env.reset(options={"board": board})
        with pytest.raises(ValueError, match=f"board 0: {tile}: planes"):
            observations.encode("2048", "planes", np.ones((1, 4, 4), np.uint8), np.array([board], float))
        assert envs.TwentyFortyEightEnv().reset(options={"board": board})[0]["numbers"][0, 0] == tile
