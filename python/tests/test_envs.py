"""Environments, compared with Gymnasium's checks and the transcripts of the command line."""

import copy as copy_module
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from test_observations import CORNER, legal_actions, score, win

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


def same(one, other):
    """Asserts that two results of reset or step are equal."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, (list, tuple)) or isinstance(one, np.ndarray) and one.dtype == object:
        assert len(one) == len(other)
        for parts in zip(one, other, strict=True):
            same(*parts)
    else:
        np.testing.assert_array_equal(one, other)


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
    name = kind._game
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
        check_env(gym.make(f"tilelab/{name}-v0", render_mode="rgb_array").unwrapped)
    assert isinstance(vector.unwrapped, gym.vector.VectorEnv)
    observation, info = vector.reset(seed=1)
    assert observation in vector.observation_space
    assert info["action_mask"].shape == (3, vector.single_action_space.n)


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
    env = envs.SixtySevenVecEnv(3, size="3x3", first_game=10, seed=67)
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


def test_arrays_that_nobody_keeps_are_filled_again():
    env = envs.SixtySevenVecEnv(4, size="4x4", observation="planes")
    _, info = env.reset(seed=1)
    seen = set()
    for _ in range(50):
        observation, _, _, _, info = env.step(info["action_mask"].argmax(1))
        seen.add(observation.ctypes.data)
    assert len(seen) <= 3
    # A view is kept without its array, and arrays can be made read-only.
    view, before = observation[1:, 0], observation[1:, 0].copy()
    for _ in range(5):
        observation, _, _, _, info = env.step(info["action_mask"].argmax(1))
        assert observation.shape == (4, 8, 4, 4)
        observation.flags.writeable = False
    assert np.array_equal(view, before)


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
    env = envs.SixtySevenVecEnv(2, size="3x3")
    start = {"seed": 1, "options": {"board": CORNER}}
    before, info = env.reset(**start)
    assert info["action_mask"].tolist() == [[0, 1, 0, 1]] * 2
    wrong = np.array([2, 0])
    after, rewards, _, _, info = env.step(wrong)
    assert info["illegal"].all() and not rewards.any()
    np.testing.assert_equal(after, before)
    strict = envs.SixtySevenVecEnv(2, size="3x3", illegal="raise")
    strict.reset(**start)
    with pytest.raises(ValueError, match=f"slot 0 .game 0.: move {wrong[0]} .* is not legal; legal: "):
        strict.step(wrong)
    for mode in AutoresetMode:
        losing = envs.SixtySevenVecEnv(2, size="3x3", illegal="lose", autoreset_mode=mode)
        losing.reset(**start)
        _, rewards, terminated, truncated, info = losing.step(wrong)
        assert terminated.all() and not truncated.any() and (rewards == -1).all()
        facts = info.get("final_info", info)
        assert [observations.ENDS[end] for end in facts["end"]] == ["illegal"] * 2
        assert not facts["won"].any() and not facts["moves"].any() and facts["illegal"].all()


def test_actions_outside_the_space_raise():
    for make in [
        lambda **settings: (envs.SixtySevenVecEnv(2, **settings), lambda action: [0, action]),
        lambda **settings: (envs.SixtySevenEnv(**settings), lambda action: action),
    ]:
        for illegal in ["noop", "lose", "raise"]:
            env, actions = make(illegal=illegal)
            env.reset(seed=1)
            for action in [-1, 4, 300, 2**40]:
                with pytest.raises(ValueError, match=f"action {action}: accepted: a whole number from 0 to 3"):
                    env.step(actions(action))
            for action in [1.9, "1", None, np.float64(1)]:
                with pytest.raises(TypeError):
                    env.step(actions(action))
    env, _ = make()
    env.reset(seed=1)
    for action in [np.int64(1), np.array(1), np.uint8(2), True]:
        env.step(action)


def test_agents_without_masks_come_to_an_end():
    # As evaluate_policy of Stable-Baselines3 does: until the episode ends.
    env = gym.make("tilelab/SixtySeven-v0", size="3x3")
    env.reset(seed=1, options={"board": CORNER})
    wrong = 0
    for step in range(1, 20_000):
        _, _, terminated, truncated, _ = env.step(wrong)
        if terminated or truncated:
            break
    assert (step, truncated) == (env.spec.max_episode_steps, True)
    vector = envs.SixtySevenVecEnv(1, size="3x3")
    vector.reset(seed=1, options={"board": CORNER})
    assert sum(not vector.step([wrong])[3][0] for _ in range(step)) == step - 1


def test_unseeded_environments_play_different_games():
    alone = [gym.make("tilelab/SixtySeven-v0") for _ in range(4)]
    together = gym.make_vec("tilelab/SixtySeven-v0", num_envs=4, vectorization_mode="sync").envs
    for four in (alone, together):
        boards = {str(tilelab.boards_of(*(part[None] for part in env.reset()[0].values()))) for env in four}
        assert len(boards) > 1
        assert len({env.unwrapped.experiment for env in four}) == 4
    texts = {envs.TwentyFortyEightVecEnv(2).experiment for _ in range(3)}
    assert len(texts) == 3


@pytest.mark.parametrize("make", [lambda: envs.SixtySevenVecEnv(2), lambda: envs.SixtySevenEnv()])
def test_a_step_before_reset_raises(make):
    env = make()
    with pytest.raises(gym.error.ResetNeeded, match="call reset before the first step"):
        env.step([0, 0] if isinstance(env, envs.SixtySevenVecEnv) else 0)


def test_more_games_than_memory_raise():
    for kind in [envs.SixtySevenVecEnv, envs.TwentyFortyEightVecEnv, envs.CalculatorVecEnv]:
        for count in [10**12, 2**62, 2**63 - 1]:
            with pytest.raises(MemoryError, match=f"num_envs={count}: about"):
                kind(count)
        with pytest.raises((OverflowError, ValueError), match="num_envs|too large|too big"):
            kind(2**64)


def test_numbers_of_numpy_are_numbers():
    env = envs.SixtySevenVecEnv(
        np.int64(2), size=(4, 5), operator_rate=np.float32(0.3), seed=np.int64(3), first_game=np.uint8(1), threads=np.int32(1)
    )
    assert env._games.shape == (4, 5) and "operator_rate=0.3" in env.cell_key
    env.reset(seed=np.int64(5))
    assert "seed = 5" in env.experiment
    envs.TwentyFortyEightEnv(size=(np.int64(3), 3)).reset(seed=np.uint32(1))


def test_masks_can_be_sampled_and_indices_are_signed():
    env = envs.SixtySevenEnv(size="3x3")
    _, info = env.reset(seed=1)
    assert info["action_mask"].dtype == np.int8
    for _ in range(20):
        action = env.action_space.sample(info["action_mask"])
        assert info["action_mask"][action] == 1
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    assert env.action_masks().dtype == np.bool_
    vector = envs.SixtySevenVecEnv(2, size="3x3", autoreset_mode="SameStep", max_episode_steps=1)
    _, info = vector.reset(seed=1)
    assert (info["action_mask"].dtype, info["game"].dtype) == (np.int8, np.int64)
    _, _, _, _, info = vector.step(info["action_mask"].argmax(1))
    final = info["final_info"]
    assert (final["game"].dtype, final["moves"].dtype) == (np.int64, np.int64)
    assert final["illegal"].dtype == np.bool_ and not final["illegal"].any()


def test_recorded_moves_survive_a_time_limit():
    env = gym.make("tilelab/SixtySeven-v0", size="6x7", record=True, max_episode_steps=5)
    _, info = env.reset(seed=1)
    truncated = False
    while not truncated:
        _, _, _, truncated, info = env.step(info["action_mask"].argmax())
    assert len(info["played"]) == 5
    turns = tilelab.replay(
        env.unwrapped.experiment, env.unwrapped.cell_key, info["game"], moves=info["played"], unfinished=True
    )
    assert len(turns) == 6


def test_methods_that_play_many_games_at_once_are_refused():
    with pytest.raises(ValueError, match="environments: .* method = splitting"):
        envs.SixtySevenVecEnv(2, method="splitting")


def test_gymnasium_finds_the_environments_by_their_module():
    program = "import gymnasium; print(gymnasium.make('tilelab.envs:tilelab/TwentyFortyEight-v0').spec.id)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert shown.stdout == "tilelab/TwentyFortyEight-v0\n", shown.stderr


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("kind", [envs.SixtySevenVecEnv, envs.TwentyFortyEightVecEnv])
def test_what_is_written_to_returned_arrays_changes_nothing(kind, copy):
    def arrays(value):
        if isinstance(value, np.ndarray) and value.dtype != object:
            yield value
        elif isinstance(value, dict):
            for part in value.values():
                yield from arrays(part)
        elif isinstance(value, (tuple, list)) or isinstance(value, np.ndarray):
            for part in value:
                yield from arrays(part)

    def overwrite(returned):
        for array in arrays(returned):
            assert array.flags.writeable
            array[...] = 1 if array.dtype != np.float64 else 1e9

    rewards_of = {envs.SixtySevenVecEnv: ["project", win], envs.TwentyFortyEightVecEnv: ["score", score]}[kind]
    for reward in rewards_of:
        for observation in ["tiles", "planes"]:
            for mode in AutoresetMode:
                arguments = {"reward": reward, "observation": observation, "autoreset_mode": mode, "max_episode_steps": 9}
                clean, dirty = (kind(3, size="4x4", copy=copy, **arguments) for _ in range(2))
                returned, other = clean.reset(seed=1), dirty.reset(seed=1)
                for step in range(30):
                    same(returned, other)
                    actions = returned[-1]["action_mask"].argmax(axis=1)
                    overwrite(other)
                    returned, other = clean.step(actions), dirty.step(actions)
                    if mode == AutoresetMode.DISABLED and step % 9 == 8:
                        overwrite(other)
                        returned, other = (
                            env.reset(options={"reset_mask": np.array([True, False, True])}) for env in (clean, dirty)
                        )


@pytest.mark.parametrize("kind", [envs.SixtySevenEnv, envs.TwentyFortyEightEnv, envs.CalculatorEnv])
def test_what_is_written_to_the_arrays_of_one_game_changes_nothing(kind):
    clean, dirty = kind(), kind()
    returned, other = clean.reset(seed=1), dirty.reset(seed=1)
    for _ in range(40):
        same(other, returned)
        assert (dirty.action_masks() == clean.action_masks()).all()
        for array in [*other[0].values(), other[-1]["action_mask"], dirty.action_masks()]:
            array[...] = 1
        action = int(returned[-1]["action_mask"].argmax())
        returned, other = clean.step(action), dirty.step(action)
        if returned[2] or returned[3]:
            same(other, returned)
            returned, other = clean.reset(), dirty.reset()


def copies(env):
    """Copies of an environment, made in all ways."""
    yield copy_module.deepcopy(env)
    yield pickle.loads(pickle.dumps(env))
    other = type(env)(**({"num_envs": env.num_envs} if hasattr(env, "num_envs") else {}), **env.test_settings)
    other.reset(seed=999)
    other.set_state(env.get_state())
    yield other


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(("kind", "settings"), ALL)
def test_copies_go_on_as_the_original(kind, settings, mode):
    env = kind(3, autoreset_mode=mode, max_episode_steps=50, **settings)
    env.test_settings = {"autoreset_mode": mode, "max_episode_steps": 50, **settings}
    generator = np.random.default_rng(5)
    _, info = env.reset(seed=4)
    for moves in range(30):
        if moves % 10 == 3:
            for other in copies(env):
                went = [copy_module.deepcopy(env), other]
                for _ in range(25):
                    mask = went[0]._observe()[1]["action_mask"]
                    actions = legal_actions(mask, generator)
                    same(went[1].step(actions), went[0].step(actions))
        _, _, _, _, info = env.step(legal_actions(info["action_mask"], generator))


def test_copies_of_one_game_go_on_as_the_original():
    env = envs.SixtySevenEnv(size="3x3", record=True, illegal="lose")
    env.test_settings = {"size": "3x3", "record": True, "illegal": "lose"}
    board = [["1", "+", "_"], ["2", "_", "3"], ["_", "_", "_"]]
    for options in [None, {"board": board}]:
        _, info = env.reset(seed=7, options=options)
        env.step(info["action_mask"].argmax())
        for other in copies(env):
            went = [copy_module.deepcopy(env), other]
            for action in [0, 1, 2, 3, 0, 1]:
                same(went[1].step(action), went[0].step(action))
    with pytest.raises(ValueError, match="state: 1 games of sixty-seven/"):
        envs.TwentyFortyEightEnv().set_state(env.get_state())
    with pytest.raises(ValueError, match="state: not what get_state returned"):
        env.set_state(b"x")


def test_games_begin_on_given_boards():
    board = [["1", "+", "_"], ["2", "_", "3"], ["_", "_", "_"]]
    env = envs.SixtySevenEnv(size="3x3")
    observation, info = env.reset(seed=1, options={"board": board})
    assert tilelab.boards_of(observation["kinds"][None], observation["numbers"][None]) == [board]
    assert [name for name, legal in zip(env.move_names, info["action_mask"], strict=True) if legal] == tilelab.move(
        "67", {"board": board}, size="3x3"
    )["legal"]
    # An observation is a board, too; the next episodes are dealt again.
    again, _ = envs.SixtySevenEnv(size="3x3").reset(seed=2, options={"board": observation})
    np.testing.assert_equal(again, observation)
    dealt, _ = env.reset()
    plain = envs.SixtySevenEnv(size="3x3", seed=1, first_game=1)
    np.testing.assert_equal(dealt, plain.reset()[0])

    vector = envs.TwentyFortyEightVecEnv(2, threads=2)
    boards = np.array([[[2, 2, 0, 0]] + [[0] * 4] * 3, [[4, 0, 0, 0]] + [[0] * 4] * 3])
    shown, _ = vector.reset(seed=1, options={"board": boards})
    np.testing.assert_array_equal(shown["numbers"], boards)
    _, rewards, _, _, _ = vector.step([2, 1])
    assert rewards.tolist() == [4, 0]
    some, _ = vector.reset(options={"board": boards[0], "reset_mask": np.array([False, True])})
    np.testing.assert_array_equal(some["numbers"][1], boards[0])
    assert some["numbers"][0].sum() > 4
    for options, text in [
        ({"board": [["x"]]}, "board 0: "),
        ({"board": np.zeros((3, 4, 4))}, "3 boards for 2 games"),
        ({"boards": boards}, "options: boards: unknown; accepted: board, reset_mask"),
    ]:
        with pytest.raises(ValueError, match=text):
            vector.reset(options=options)


def test_wrong_arguments_are_named():
    for arguments, text in [
        ({"observation": "pixels"}, 'observation="pixels": accepted: tiles, planes, project'),
        ({"reward": "points"}, 'reward="points": accepted: win, project'),
        ({"illegal": "loss"}, 'illegal="loss": accepted: noop, lose, raise'),
        ({"seed": -1}, "seed=-1: accepted: "),
        ({"threads": 0}, "threads=0: accepted: "),
        ({"size": "0x3"}, "rows=0: not accepted"),
        ({"first_game": -1}, "first_game=-1: accepted: "),
        ({"max_episode_steps": -1}, "max_episode_steps=-1: accepted: "),
        ({"num_envs": -1}, "num_envs=-1: accepted: "),
        ({"num_envs": 0}, "num_envs=0: accepted: "),
        ({"autoreset_mode": "x"}, "autoreset_mode='x': accepted: NextStep, SameStep, Disabled"),
    ]:
        with pytest.raises(ValueError) as raised:
            envs.SixtySevenVecEnv(**arguments)
        assert text in str(raised.value)
    for arguments, text in [
        ({"observation": 3}, "observation=3: accepted: a string"),
        ({"reward": 3}, "reward=3: accepted: a string or a function"),
        ({"illegal": None}, "illegal=None: accepted: a string"),
        ({"num_envs": 1.5}, "num_envs=1.5: accepted: a whole number"),
    ]:
        with pytest.raises(TypeError) as raised:
            envs.SixtySevenVecEnv(**arguments)
        assert text in str(raised.value)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'operater_rate'; did you mean operator_rate"):
        envs.SixtySevenVecEnv(operater_rate=0.5)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'colour'"):
        gym.make("tilelab/SixtySeven-v0", colour="red")
    env = envs.SixtySevenVecEnv(2)
    env.reset()
    with pytest.raises(ValueError, match=r"actions: shape \(2,\) is needed, \(3,\) was given"):
        env.step([0, 0, 0])
    with pytest.raises(TypeError, match=r"actions: whole numbers are needed, float64 of shape \(2,\) was given"):
        env.step([0.0, 1.0])
    with pytest.raises(TypeError, match="accepted: one whole number"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="a seed begins all games"):
        env.reset(seed=1, options={"reset_mask": np.ones(2, bool)})


def test_two_threads_on_one_environment_get_an_error():
    env = envs.SixtySevenVecEnv(20_000, size="6x7")
    failures = []
    env.reset()
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


@pytest.mark.parametrize(("kind", "settings"), ALL)
def test_recorded_moves_are_replayed(kind, settings):
    generator = np.random.default_rng(5)
    env = kind(3, autoreset_mode="SameStep", seed=4, first_game=2, record=True, max_episode_steps=200, **settings)
    _, info = env.reset(seed=12)
    # Some of the moves are not legal and do nothing.
    ended = 0
    while ended < 8:
        actions = legal_actions(info["action_mask"], generator)
        actions[generator.random(3) < 0.1] = 0
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
                assert tiles(kind._game, board["kinds"][0], board["numbers"][0]) == shown
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


def resident():
    """The memory that this process holds, in MB."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="the memory is read from /proc, and AddressSanitizer keeps what is freed",
)
def test_the_moves_that_are_kept_are_those_of_running_episodes():
    env = envs.SixtySevenVecEnv(8192, size="2x2", autoreset_mode="SameStep", max_episode_steps=None)
    _, info = env.reset(seed=1)
    before = 0.0
    for step in range(1_200):
        if step == 100:
            before = resident()
        actions = info["action_mask"].argmax(1)
        # An episode that never ends: its move is never legal.
        actions[0] = info["action_mask"][0].argmin()
        _, _, _, _, info = env.step(actions)
    assert resident() - before < 4
    assert env._games.played(0) == []


def test_wrong_calls_name_what_is_needed():
    env = envs.SixtySevenVecEnv(4, size="3x3")
    one = envs.SixtySevenEnv(size="3x3")
    strange = envs.SixtySevenVecEnv(4, reward=lambda step: ["a"] * 4)
    strange.reset()
    one.reset()
    action = "action: a whole number from 0 to 3 is needed, "
    for call, kind, text in [
        (lambda: env.reset(seed=[1, 2]), TypeError, "seed=[1, 2]: accepted: one whole number, which seeds all games"),
        (lambda: env.reset(options=[1]), TypeError, "options=[1]: accepted: a dict with board or reset_mask"),
        (lambda: envs.SixtySevenEnv().reset(options=[1]), TypeError, "options=[1]: accepted: a dict"),
        (lambda: env.reset(options={"reset_mask": [[True]]}), ValueError, "reset_mask: shape (4,) is needed, (1, 1) was given"),
        (lambda: env.step(np.zeros((4, 1), int)), ValueError, "actions: shape (4,) is needed, (4, 1) was given"),
        (lambda: env.reset(options={"reset_mask": [0.5] * 4}), TypeError, "reset_mask: bools are needed, float64 of shape (4,) was given"),
        (lambda: env.reset(options={"reset_mask": [2] * 4}), ValueError, "reset_mask: bools (bool) are needed, 2 was given"),
        (lambda: env.reset(options={1: 2}), ValueError, "options: 1: unknown; accepted: board, reset_mask"),
        (lambda: env.reset(options={"board": {"kinds": [[0]]}}), ValueError, "board: numbers: missing; an observation has the arrays kinds and numbers"),
        (lambda: env.step([[0], [1, 2]]), TypeError, "actions: an array of whole numbers is needed, a list that cannot be made one was given"),
        (lambda: env.step(np.full(4, 2**63, np.uint64)), ValueError, f"actions: whole numbers (int64) are needed, {2**63} was given"),
        (lambda: strange.step([0] * 4), TypeError, "reward: numbers are needed, <U1 of shape (4,) was given"),
        (lambda: env.set_state("state"), TypeError, "state: the bytes that get_state returned are needed, str was given"),
        (lambda: one.set_state(None), TypeError, "state: the bytes that get_state returned are needed, None was given"),
        (lambda: one.step(np.array([1])), TypeError, action + "int64 of shape (1,) was given"),
        (lambda: one.step("left"), TypeError, action + "'left' was given"),
        (lambda: one.step(None), TypeError, action + "None was given"),
        (lambda: one.step([1]), TypeError, action + "list was given"),
        (lambda: one.step(2**64), ValueError, action + f"{2**64} was given"),
        (lambda: tilelab.player(3), TypeError, "player=3: accepted: a function"),
    ]:
        env.reset(seed=1)
        with pytest.raises(kind) as raised:
            call()
        assert text in str(raised.value)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("observation", ["tiles", "planes"])
def test_rollouts_are_steps_written_in_place(mode, observation):
    settings = {"size": "3x3", "observation": observation, "autoreset_mode": mode, "max_episode_steps": 12, "threads": 2}
    env, other = envs.SixtySevenVecEnv(5, **settings), envs.SixtySevenVecEnv(5, **settings)
    names = ["kinds", "numbers"] if observation == "tiles" else ["planes"]

    def policy(observations, legal):
        return legal.argmax(axis=1)

    shown, info = other.reset(seed=2)
    env.reset(seed=2)
    out = env.buffers(20)
    for _ in range(2):
        assert env.rollout(policy, 20, out=out) is out
        for step in range(20):
            for name in names:
                part = np.from_dlpack(out[name])
                assert np.shares_memory(part, out[name])
                np.testing.assert_array_equal(part[step], shown[name] if observation == "tiles" else shown)
            np.testing.assert_array_equal(out["action_mask"][step], info["action_mask"])
            shown, *results, info = other.step(info["action_mask"].argmax(axis=1))
            for name, result in zip(("reward", "terminated", "truncated"), results, strict=True):
                np.testing.assert_array_equal(out[name][step], result)
    assert out["terminated"].any()


@pytest.mark.parametrize("observation", ["tiles", "planes"])
def test_what_a_rollout_cannot_use_is_refused_before_it(observation):
    env = envs.SixtySevenVecEnv(5, size="3x3", observation=observation)
    env.reset(seed=2)
    out = env.buffers(20)
    shown = "kinds" if observation == "tiles" else "planes"
    shape, kind = out[shown].shape, out[shown].dtype
    locked = out["reward"].copy()
    locked.flags.writeable = False
    before = env.get_state()
    for wrong, error, text in [
        ([1], TypeError, "out: a dict of arrays is needed, list was given"),
        ({"action": out["action"]}, ValueError, "action_mask, reward, terminated, truncated: missing; the method buffers makes"),
        (out | {shown: np.zeros(shape, np.int64)}, TypeError, f"out: {shown}: an array of {kind} is needed, int64 of shape {shape} was given"),
        (out | {shown: [1]}, TypeError, f"out: {shown}: an array of {kind} is needed, list was given"),
        (out | {shown: out[shown][:20]}, ValueError, f"out: {shown}: shape {shape} is needed, {(20, *shape[1:])} was given"),
        (out | {"action_mask": np.zeros((21, 4, 4), np.int8)}, ValueError, "out: action_mask: shape (21, 5, 4) is needed, (21, 4, 4) was given"),
        (out | {"action_mask": np.zeros((21, 4, 5), np.int8).swapaxes(1, 2)}, ValueError, "out: action_mask: a C-contiguous array is needed"),
        (out | {"action": np.zeros((20, 5), np.bool_)}, TypeError, "out: action: an array of int64 is needed, bool of shape (20, 5) was given"),
        (out | {"reward": locked}, ValueError, "out: reward: an array that can be written to is needed, a read-only one was given"),
    ]:
        with pytest.raises(error) as raised:
            env.rollout(lambda observations, legal: legal.argmax(axis=1), 20, out=wrong)
        assert text in str(raised.value)
    for policy, text in [
        (3, "policy: a function is needed, int was given"),
        (lambda observations, legal: legal.argmax(axis=1) / 2, "actions: whole numbers are needed, float64 of shape (5,) was given"),
    ]:
        with pytest.raises(TypeError) as raised:
            env.rollout(policy, 20, out=out)
        assert text in str(raised.value)
    with pytest.raises(ValueError, match=r"actions: shape \(5,\) is needed, \(5, 1\) was given"):
        env.rollout(lambda observations, legal: legal.argmax(axis=1)[:, None], 20)
    with pytest.raises(TypeError, match="steps=1.5: accepted: a whole number"):
        env.rollout(lambda observations, legal: legal.argmax(axis=1), 1.5, out=out)
    assert env.get_state() == before
    # More rows than the steps, and other types that can hold rewards, are filled, too.
    wide = env.buffers(30) | {"reward": np.zeros((20, 5))}
    assert env.rollout(lambda observations, legal: legal.argmax(axis=1), 20, out=wide)["action_mask"][:21].any(axis=(1, 2)).all()


def test_the_binding_names_arrays_that_it_cannot_fill():
    games = envs.SixtySevenVecEnv(5, size="3x3")._games
    games.reset(1)
    boards = {"kinds": np.zeros((5, 3, 3), np.uint8), "numbers": np.zeros((5, 3, 3))}
    for given, text in [
        ((boards, np.zeros((4, 4), np.int8)), "out: action_mask: int8 of shape (5, 4) is needed, int8 of shape (4, 4) was given"),
        (({**boards, "kinds": [1]}, np.zeros((5, 4), np.int8)), "out: kinds: uint8 of shape (5, 3, 3) is needed, list was given"),
        ((boards, np.zeros((4, 5), np.int8).T), "out: arrays have to be C-contiguous"),
        ((boards, boards["kinds"].reshape(-1)[:20].view(np.int8).reshape(5, 4)), "to share no memory with each other"),
    ]:
        with pytest.raises(ValueError) as raised:
            games.observe(given)
        assert text in str(raised.value)
