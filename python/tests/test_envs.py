"""Environments, held against Gymnasium's checks and the transcripts of the command line."""

import os
import threading
import time
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tilelab
from tilelab import envs, observations

SIXTY_SEVEN = [
    {"rules": "original", "size": "4x4"},
    {"rules": "original", "size": "3x5", "operator_rate": 0.3},
    {"rules": "gapless", "size": "3x3"},
    {"rules": "gapless", "size": "9x9", "max_rounds": 60},
    {"rules": "merge-pairs", "size": "4x4"},
    {"rules": "merge-runs", "size": "6x7", "max_rounds": 30},
    {"rules": "bounded", "size": "4x4"},
]
ALL = (
    [(envs.SixtySevenVecEnv, settings) for settings in SIXTY_SEVEN]
    + [(envs.TwentyFortyEightVecEnv, settings) for settings in [{}, {"size": "3x3"}, {"max_moves": 20}]]
    + [(envs.CalculatorVecEnv, settings) for settings in [{}, {"level": 90}]]
)
# TILELAB_GAMES=300 is the long test: `TILELAB_GAMES=300 python -m pytest python/tests -k replayed_games`.
GAMES = int(os.environ.get("TILELAB_GAMES", "25"))
IDS = ["sixty-seven", "twenty-forty-eight", "calculator"]


def legal_actions(mask, generator):
    """A random legal action for each game; 0 where there is none."""
    return np.where(mask, generator.random(mask.shape), -1).argmax(1)


def tiles(game, kinds, numbers):
    """A board as the transcript of the game has it."""
    if game == "twenty-forty-eight":
        return numbers.astype(int).tolist()
    signs = ["_", None, "+", "-", "*"]
    return [
        [str(int(x)) if kind == observations.NUMBER else signs[kind] for kind, x in zip(*row, strict=True)]
        for row in zip(kinds, numbers, strict=True)
    ]


def random_game(game, cell, index, settings, seed):
    """The transcript of a game of the random player."""
    table = {"title": "t", "game": game, **settings}
    return tilelab.replay({"name": "n", "seed": seed, "table": [table]}, cell, index)


@pytest.mark.parametrize(("kind", "settings"), ALL)
def test_steps_are_those_of_replayed_games(kind, settings):
    # Each game is given the moves of the random player, so boards and ends must be the transcript's.
    count, seed = 6, 11
    env = kind(count, autoreset_mode="SameStep", seed=seed, first_game=5, **settings)
    name = kind._game.name
    games = {}

    def turns(index):
        if index not in games:
            games[index] = random_game(name, env.cell_key, int(index), settings, seed)
        return games[index]

    observation, info = env.reset()
    assert info["game"].tolist() == [5, 6, 7, 8, 9, 10]
    at = np.zeros(count, int)
    finished = 0
    while finished < GAMES:
        actions = np.zeros(count, np.int64)
        points = np.zeros(count)
        for slot, game in enumerate(info["game"]):
            turn = turns(game)[at[slot]]
            kinds, numbers = observation["kinds"][slot], observation["numbers"][slot]
            legal = np.flatnonzero(info["action_mask"][slot])
            if name == "calculator":
                assert numbers[0, [0, 3]].tolist() == [turn["value"], turn["left"]]
                move, named = turn["button"], turn["legal"]
            else:
                assert tiles(name, kinds, numbers) == turn["board"]
                assert [env.move_names[move] for move in legal] == turn["legal"]
                move, named = turn["move"], turn["legal"]
            if move is not None:
                actions[slot] = legal[named.index(move)]
                points[slot] = turn.get("score", 0)
        before = info["game"]
        observation, rewards, terminated, truncated, info = env.step(actions)
        if name == "twenty-forty-eight":
            assert rewards.tolist() == points.tolist()
        for slot in range(count):
            rest = turns(before[slot])[at[slot] + 1 :]
            # A last turn without a move only says that no move was legal.
            is_over = not rest or rest[0].get("move", "press") is None
            assert is_over == (terminated[slot] or truncated[slot])
            at[slot] = 0 if is_over else at[slot] + 1
            if is_over:
                finished += 1
                outcome = turns(before[slot])[-1]["outcome"]
                assert info["final_info"]["won"][slot] == (outcome == "won")
                assert info["final_info"]["game"][slot] == before[slot]
                assert info["game"][slot] == before[slot] + count


@pytest.mark.parametrize("name", ["SixtySeven", "TwentyFortyEight", "Calculator"])
def test_gymnasium_finds_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector = gym.make_vec(f"tilelab/{name}-v0", num_envs=3)
        env = gym.make(f"tilelab/{name}-v0")
        # Numbers have no bounds, which is all that the check may say.
        warnings.filterwarnings("ignore", message=".*infinity.*")
        warnings.filterwarnings("ignore", message=".*render.*")
        check_env(env.unwrapped, skip_render_check=True)
    assert isinstance(vector.unwrapped, gym.vector.VectorEnv)
    observation, info = vector.reset(seed=1)
    assert observation in vector.observation_space
    assert info["action_mask"].shape == (3, vector.single_action_space.n)


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
    planes = observations.planes_sixty_seven(kinds, numbers)
    assert planes.shape == (2, 8, 2, 2)
    assert planes[0, :5].reshape(5, 4).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0] * 4]
    assert not planes[0, 5:].any()
    np.testing.assert_allclose(planes[1, 5].ravel(), [np.log1p(67) / np.log1p(1000), -1, 4, 0], rtol=1e-6)
    np.testing.assert_allclose(planes[1, 6].ravel(), [1, -4, 4, 0], rtol=1e-6)
    np.testing.assert_allclose(planes[1, 7].ravel(), [1, np.exp(-1067 / 9), 0, 0], rtol=1e-5, atol=1e-30)
    project = observations.project_sixty_seven(kinds, numbers)
    assert project.shape == (2, 20)
    assert project[0].reshape(4, 5).tolist() == [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert project[1, 0] == np.float32(0.067)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_modes_of_autoreset_play_the_same_games(mode):
    count = 4
    env = envs.SixtySevenVecEnv(count, size="3x3", autoreset_mode=mode, seed=9)
    assert env.metadata["autoreset_mode"] is mode
    observation, info = env.reset()
    lengths = {}
    over = np.zeros(count, bool)
    steps = 0
    while len(lengths) < 40:
        steps += 1
        if mode == AutoresetMode.DISABLED and over.any():
            observation, info = env.reset(options={"reset_mask": over})
            over[:] = False
        games = info["game"]
        # The lowest legal move, so that a game's moves depend on its boards only.
        actions = info["action_mask"].argmax(1)
        observation, rewards, terminated, truncated, info = env.step(actions)
        if mode == AutoresetMode.NEXT_STEP:
            assert not rewards[over].any() and not (terminated | truncated)[over].any()
        over = terminated | truncated
        facts = info.get("final_info", info)
        for slot in np.flatnonzero(over):
            assert rewards[slot] == (1 if facts["won"][slot] else -1)
            lengths[int(games[slot])] = int(facts["moves"][slot])
            if mode != AutoresetMode.SAME_STEP:
                assert not info["action_mask"][slot].any()
    alone = envs.SixtySevenEnv(size="3x3", seed=9)
    for game in range(20):
        _, info = alone.reset()
        assert info["game"] == game
        over = False
        while not over:
            _, _, terminated, truncated, info = alone.step(info["action_mask"].argmax())
            over = terminated or truncated
        assert lengths.get(game, info["moves"]) == info["moves"]


def test_seeds_and_resets():
    env = envs.SixtySevenVecEnv(3, size="3x3", first_game=10)
    first, info = env.reset()
    assert info["game"].tolist() == [10, 11, 12]
    again, info = env.reset()
    assert info["game"].tolist() == [13, 14, 15]
    seeded, info = env.reset(seed=tilelab.experiments.SEED)
    assert info["game"].tolist() == [10, 11, 12]
    np.testing.assert_equal(seeded, first)
    other, _ = env.reset(seed=1)
    assert not np.array_equal(other["kinds"], first["kinds"]) or not np.array_equal(other["numbers"], first["numbers"])


def test_threads_change_nothing():
    def play(threads):
        env = envs.SixtySevenVecEnv(37, size="4x4", threads=threads, autoreset_mode="SameStep")
        observation, info = env.reset(seed=2)
        generator = np.random.default_rng(3)
        seen = []
        for _ in range(60):
            observation, rewards, terminated, _, info = env.step(legal_actions(info["action_mask"], generator))
            seen.append((observation, rewards, terminated, info["game"], info["action_mask"]))
        return seen

    np.testing.assert_equal(play(1), play(2))


def test_kept_arrays_stay_as_they_are_unless_copy_is_off():
    for copy in [True, False]:
        env = envs.SixtySevenVecEnv(4, size="4x4", copy=copy)
        observation, info = env.reset(seed=1)
        kept = observation["numbers"].copy()
        for _ in range(5):
            _, _, _, _, info = env.step(info["action_mask"].argmax(1))
        assert np.array_equal(observation["numbers"], kept) == copy


@pytest.mark.parametrize("copy", [True, False])
def test_rewards_of_ones_own(copy):
    seen = []

    def mine(step):
        seen.append(step)
        return step.won + 2.0 * step.illegal

    env = envs.SixtySevenVecEnv(2, size="3x3", reward=mine, copy=copy)
    _, info = env.reset()
    wrong = (~info["action_mask"]).argmax(1)
    _, rewards, _, _, later = env.step(wrong)
    assert rewards.tolist() == (2.0 * seen[0].illegal).tolist()
    assert later["illegal"].tolist() == (~info["action_mask"][[0, 1], wrong]).tolist()
    with pytest.raises(ValueError, match="one number for each of 2 games"):
        envs.SixtySevenVecEnv(2, reward=lambda step: np.zeros(3)).step([0, 0])


def test_the_authors_reward():
    step = observations.Step(
        kinds_before=np.array([[[1, 0]]] * 4, np.uint8),
        numbers_before=np.array([[[60.0, 0]]] * 4),
        kinds=np.array([[[1, 0]], [[1, 1]], [[0, 0]], [[1, 0]]], np.uint8),
        numbers=np.array([[[62.0, 0]], [[67.0, 1]], [[0.0, 0]], [[60.0, 0]]]),
        won=np.array([False, True, False, False]),
        lost=np.array([False, False, True, False]),
        cut=np.zeros(4, bool),
        illegal=np.array([False, False, False, True]),
        waiting=np.zeros(4, bool),
    )
    wanted = [0.2 + 0.01, 0.7 + 100, 0.1 * (7 - 1000) + 0.02 - 50, -5]
    np.testing.assert_allclose(observations.project(step), wanted)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_long_episodes_are_cut(mode):
    env = envs.SixtySevenVecEnv(3, size="6x7", max_episode_steps=4, autoreset_mode=mode)
    _, info = env.reset(seed=1)
    for step in range(1, 9):
        _, rewards, terminated, truncated, info = env.step(info["action_mask"].argmax(1))
        if mode == AutoresetMode.SAME_STEP:
            assert truncated.all() == (step % 4 == 0)
        elif mode == AutoresetMode.NEXT_STEP:
            assert truncated.all() == (step == 4)
        else:
            assert truncated.all() == (step >= 4)
        assert not terminated.any() and not rewards.any()
        if step == 4:
            ends = info.get("final_info", info)["end"]
            assert [observations.ENDS[end] for end in ends] == ["cut"] * 3


def test_limits_of_the_rules_truncate_and_spent_moves_lose():
    env = envs.SixtySevenEnv(size="6x7", max_rounds=3)
    _, info = env.reset(seed=1)
    for _ in range(3):
        _, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
    assert (terminated, truncated, reward) == (False, True, 0)
    env = envs.CalculatorEnv(start=0, goal=100, moves=2, buttons=["+1", "x2"])
    assert env.move_names == ["+1", "x2"]
    env.reset(seed=1)
    env.step(0)
    _, reward, terminated, truncated, info = env.step(1)
    assert (terminated, truncated, reward, info["won"]) == (True, False, -1, False)


def test_illegal_moves():
    for action in [-1, 4, 300, 2**40]:
        env = envs.SixtySevenVecEnv(2, size="3x3")
        before, _ = env.reset(seed=1)
        after, rewards, _, _, info = env.step([action, action])
        assert info["illegal"].all() and not rewards.any()
        np.testing.assert_equal(after, before)
        strict = envs.SixtySevenVecEnv(2, size="3x3", illegal="raise")
        with pytest.raises(ValueError, match=f"slot 0 .game 0.: move {action} is not legal; legal: "):
            strict.step([action, action])


def test_wrong_arguments_are_named():
    for arguments, text in [
        ({"observation": "pixels"}, "observation='pixels': accepted: tiles, planes, project"),
        ({"reward": "points"}, "reward='points': accepted: win, project"),
        ({"illegal": "loss"}, "illegal='loss': accepted: noop, raise"),
        ({"seed": -1}, "seed=-1: accepted: "),
        ({"threads": 0}, "threads=0: accepted: "),
        ({"size": "0x3"}, "rows=0: not accepted"),
        ({"colour": "red"}, "colour: unknown"),
        ({"num_envs": 0}, "num_envs=0: accepted: "),
    ]:
        with pytest.raises(ValueError) as raised:
            envs.SixtySevenVecEnv(**arguments)
        assert text in str(raised.value)
    env = envs.SixtySevenVecEnv(2)
    with pytest.raises(ValueError, match="3 moves given for 2 games"):
        env.step([0, 0, 0])
    with pytest.raises(ValueError, match="whole numbers are needed, not float64"):
        env.step([0.0, 1.0])
    with pytest.raises(ValueError, match="one whole number"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="a seed begins all games"):
        env.reset(seed=1, options={"reset_mask": np.ones(2, bool)})


def test_two_threads_on_one_environment_get_an_error():
    env = envs.SixtySevenVecEnv(20_000, size="6x7")
    failures = []
    stop = time.monotonic() + 20

    def step():
        actions = np.zeros(20_000, np.int64)
        while time.monotonic() < stop and not failures:
            try:
                env.step(actions)
            except RuntimeError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures[0] == "another thread is using this environment; give each thread an environment of its own"


def test_boards_are_shown_as_text():
    env = envs.TwentyFortyEightEnv(render_mode="ansi")
    env.reset(seed=1)
    assert len(env.render().splitlines()) == 4


@pytest.mark.parametrize(("kind", "settings"), ALL)
def test_recorded_moves_are_replayed(kind, settings):
    generator = np.random.default_rng(5)
    env = kind(3, autoreset_mode="SameStep", seed=4, first_game=2, record=True, max_episode_steps=200, **settings)
    _, info = env.reset(seed=12)
    # A tenth of the moves is not legal and does nothing.
    ended = 0
    while ended < 8:
        actions = legal_actions(info["action_mask"], generator)
        actions[generator.random(3) < 0.1] = 77
        _, _, _, truncated, info = env.step(actions)
        for slot in np.flatnonzero(info.get("_final_info", [])):
            final = info["final_info"]
            played = final["played"][slot]
            is_cut = observations.ENDS[final["end"][slot]] == "cut"
            turns = tilelab.replay(
                env.experiment, env.cell_key, int(final["game"][slot]), moves=played, unfinished=is_cut
            )
            assert final["moves"][slot] == len(played)
            assert turns[-1]["outcome"] == (None if is_cut else "won" if final["won"][slot] else "lost")
            if kind is not envs.CalculatorVecEnv:
                board = {name: part[None] for name, part in info["final_obs"][slot].items()}
                shown = turns[-1]["after"] or turns[-1]["board"]
                assert tiles(kind._game.name, board["kinds"][0], board["numbers"][0]) == shown
            ended += 1


@pytest.mark.parametrize("name", IDS)
def test_a_single_environment_records_its_moves(name):
    env = {"sixty-seven": envs.SixtySevenEnv, "twenty-forty-eight": envs.TwentyFortyEightEnv, "calculator": envs.CalculatorEnv}[
        name
    ](record=True)
    for seed in [3, None]:
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(info["action_mask"].argmax())
            over = terminated or truncated
        turns = tilelab.replay(env.experiment, env.cell_key, info["game"], moves=info["played"])
        assert turns[-1]["outcome"] == ("won" if info["won"] else "lost")


def test_labels_of_buttons_are_those_of_the_moment():
    env = envs.CalculatorEnv(start=1, goal=50, moves=3, buttons=["+2", "[+]3", "Store"], record=True)
    _, info = env.reset()
    for action in [1, 0, 0]:
        _, _, _, _, info = env.step(action)
    assert info["played"] == ["[+]3", "+5", "+5"]
    assert tilelab.replay(env.experiment, env.cell_key, 0, moves=info["played"])[-1]["after"] == 11
