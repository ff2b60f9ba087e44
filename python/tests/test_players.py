"""Players of the catalog and policies on the same games."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

import tilelab
from tilelab import envs

BOARD = [["1", "+", "_"], ["2", "_", "3"], ["_", "_", "_"]]


def test_a_player_acts_on_given_boards():
    player = tilelab.Player("67", "greedy", size="3x3")
    assert player.cell_key.endswith("/greedy")
    moves = player.act([BOARD, BOARD])
    assert moves[0] == moves[1]
    assert moves[0] in tilelab.move("67", {"board": BOARD}, size="3x3")["legal"]
    env = envs.TwentyFortyEightVecEnv(3)
    observation, _ = env.reset(seed=1)
    boards = [board.astype(int).tolist() for board in observation["numbers"]]
    assert set(tilelab.Player("2048", "random").act(boards)) <= set(env.move_names)
    for boards, text in [([[["x"]]], "board 0: "), ([BOARD, [["1"] * 3] * 3], "board 1: ")]:
        with pytest.raises(ValueError, match=text):
            player.act(boards)
    with pytest.raises(ValueError, match="nobody: unknown player"):
        tilelab.Player("67", "nobody")
    with pytest.raises(TypeError, match="player=3: accepted: a string"):
        tilelab.Player("67", 3)
    with pytest.raises(ValueError, match="this game cannot start on a given board; play it from its start"):
        tilelab.Player("calculator").act([BOARD])


def test_boards_of_arrays_are_read_back():
    env = envs.SixtySevenVecEnv(4, size="3x3")
    observation, info = env.reset(seed=2)
    for _ in range(4):
        observation, _, _, _, info = env.step(info["action_mask"].argmax(1))
    boards = tilelab.boards_of(observation["kinds"], observation["numbers"])
    for slot, board in enumerate(boards):
        legal = tilelab.move("67", {"board": board}, size="3x3")["legal"]
        assert legal == [name for name, is_legal in zip(env.move_names, info["action_mask"][slot], strict=True) if is_legal]
    with pytest.raises(ValueError, match="rounded"):
        tilelab.boards_of(np.ones((1, 1, 1), np.uint8), np.full((1, 1, 1), 2.0**60))
    for kinds, numbers, text in [
        ([[[5]]], [[[1]]], "kinds: 5 is not a kind; accepted: whole numbers from 0 to 4"),
        ([[[1]]], [[[0.5]]], "numbers: 0.5 is not a whole number"),
        ([[[1]]], [[[np.nan]]], "numbers: nan is not a whole number"),
        ([[[1]]], [[[1, 2]]], r"one shape \(N, rows, cols\) is needed, \(1, 1, 1\) and \(1, 1, 2\) were given"),
        ([1], [1], r"one shape \(N, rows, cols\) is needed, \(1,\) and \(1,\) were given"),
    ]:
        with pytest.raises(ValueError, match=text):
            tilelab.boards_of(kinds, numbers)


def test_playouts_count_wins_after_each_move():
    wins = tilelab.playouts([BOARD, BOARD], 400, size="3x3", target=10)
    assert wins.shape == (2, 4)
    assert (wins[0] == wins[1]).all()
    legal = tilelab.move("67", {"board": BOARD}, size="3x3")["legal"]
    assert [name for name, won in zip(["up", "down", "left", "right"], wins[0], strict=True) if won >= 0] == legal
    assert ((wins <= 400) & (wins >= -1)).all() and wins.max() > 0
    won = tilelab.playouts([[["66", "+", "1"], ["_", "_", "_"], ["_", "_", "_"]]], 10, size="3x3")
    assert won[0, 2] == 10
    with pytest.raises(ValueError, match="board 0: 2x1 was given, 3x3 is needed"):
        tilelab.playouts([[["1"], ["2"]]], 10, size="3x3")


def test_a_policy_plays_the_games_of_the_players():
    # "first" is the policy here; the random player's wins are those of a run.
    result = tilelab.evaluate(
        lambda observations, mask: mask.argmax(1), games=300, size="3x3", target=10, against=["random", "greedy"], num_envs=7
    )
    cells = tilelab.simulate("67", size="3x3", target=10, player=["random", "greedy"], games=300).to_polars()
    assert [result.score("random").wins, result.score("greedy").wins] == cells["wins"].to_list()
    assert result.score("random").moves_mean == pytest.approx(cells["moves_mean"][0])
    low, high = result.score("random").interval
    assert [100 * low, 100 * high] == pytest.approx([cells["win_pct_lo"][0], cells["win_pct_hi"][0]])
    for player in ["random", "greedy"]:
        score = result.score(player)
        assert score.difference == pytest.approx(result.score("policy").win_rate - score.win_rate)
        assert score.difference_interval[0] <= score.difference <= score.difference_interval[1]
        assert 0 <= score.p_value <= 1
    assert "| policy | 300 |" in result.table()


def test_the_slots_of_an_evaluation_change_nothing():
    def first(observations, mask):
        return mask.argmax(1)

    one = tilelab.evaluate(first, games=50, size="3x3", target=10, num_envs=1)
    many = tilelab.evaluate(first, games=50, size="3x3", target=10, num_envs=50)
    assert (one.won["policy"] == many.won["policy"]).all()
    assert one.table() == many.table()


def test_wrong_policies_are_named():
    with pytest.raises(ValueError, match=r"policy: moves: shape \(4,\) is needed, \(3,\) was given"):
        tilelab.evaluate(lambda observations, mask: np.zeros(3, int), games=4)
    good = {"good": lambda observations, mask: mask.argmax(1)}
    with pytest.raises(ValueError, match=r"late: moves: shape \(4,\) is needed, \(4, 1\) was given"):
        tilelab.evaluate({**good, "late": lambda observations, mask: mask.argmax(1)[:, None]}, games=4)
    for policy, text in [
        (3, "policy: a function is needed, int was given"),
        ({**good, "late": None}, "late: a function is needed, None was given"),
        ({3: good["good"]}, "name=3: accepted: a string"),
        (lambda observations, mask: None, r"policy: moves: whole numbers are needed, object of shape \(\) was given"),
    ]:
        with pytest.raises(TypeError, match=text):
            tilelab.evaluate(policy, games=4)
    with pytest.raises(TypeError, match="confidence='high': accepted: a number"):
        tilelab.evaluate(good, games=4, confidence="high")
    with pytest.raises(TypeError, match="player=3: accepted: a name, a function, or a list of them"):
        tilelab.evaluate(good, games=4, against=3)
    with pytest.raises(ValueError, match="action 9: accepted"):
        tilelab.evaluate(lambda observations, mask: np.full(4, 9), games=4)
    with pytest.raises(ValueError, match="games=0"):
        tilelab.evaluate(lambda observations, mask: mask.argmax(1), games=0)
    with pytest.raises(ValueError, match="confidence=2"):
        tilelab.evaluate(lambda observations, mask: mask.argmax(1), games=4, confidence=2, size="3x3")


def test_a_policy_is_a_row_of_cells_csv():
    corner = tilelab.Player("2048", "corner", goal=256)

    def mine(observations, mask):
        boards = observations["numbers"].astype(int).tolist()
        names = ["up", "down", "left", "right"]
        over = ~mask.any(axis=1)
        return np.array([0 if over[i] else names.index(corner.act([board])[0]) for i, board in enumerate(boards)])

    settings = {"game": "2048", "goal": 256}
    result = tilelab.evaluate(mine, games=8, name="mine", against=["corner", "random"], num_envs=8, **settings)
    whole = tilelab.simulate("2048", player=["corner", "random"], goal=256, games=8)
    # The catalog's rows are those of a run.
    frame, cells = result.to_polars(), whole.to_polars()
    assert frame.columns[:20] == cells.columns[:20] and set(frame.columns) == set(cells.columns)
    assert result.kinds == {name: whole.kinds[name] for name in result.columns}
    assert frame[1:].select(cells.columns).equals(cells)
    assert frame["player"].to_list() == ["mine", "corner", "random"]
    assert frame["cell"][0] == cells["cell"][0].replace("/corner", "/mine")
    # The policy makes the moves of the corner player, so all its figures are the same.
    figures = [name for name in frame.columns if name not in ("cell", "player") and not name.startswith("player_")]
    assert frame[figures].row(0) == frame[figures].row(1)
    assert (result.won["mine"] == result.won["corner"]).all()
    assert result.to_pandas()["games"].tolist() == [8, 8, 8]


def test_several_policies_are_compared_with_the_first():
    def first(observations, mask):
        return mask.argmax(1)

    def last(observations, mask):
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(1)

    result = tilelab.evaluate({"first": first, "last": last}, games=60, size="3x3", target=10)
    assert result.to_polars()["player"].to_list() == ["first", "last", "random"]
    assert result.score("first").difference_interval is None
    assert result.score("last").difference == pytest.approx(result.score("first").win_rate - result.score("last").win_rate)
    assert result.score("last").difference_interval[0] <= result.score("last").difference <= result.score("last").difference_interval[1]


def test_policies_without_a_row_are_named():
    def first(observations, mask):
        return mask.argmax(1)

    cut = tilelab.evaluate(first, games=10, max_episode_steps=1)
    with pytest.raises(ValueError, match="policy: max_episode_steps cut 10 games"):
        cut.to_polars()
    for name, text in [("greedy", "a player of the catalog has this name"), ("a/b", "accepted: letters"), ("", "accepted: letters")]:
        with pytest.raises(ValueError, match=text):
            tilelab.evaluate(first, games=2, size="3x3", name=name).csv
    with pytest.raises(ValueError, match="policy 'random': a player has this name"):
        tilelab.evaluate(first, games=2, size="3x3", name="random")
    with pytest.raises(ValueError, match="policy: the dict is empty"):
        tilelab.evaluate({}, games=2)


def test_evaluations_are_pickled_and_take_one_name():
    def first(observations, mask):
        return mask.argmax(1)

    result = tilelab.evaluate(first, "2048", games=np.int64(20), against="corner", goal=256, seed=np.int32(5))
    copy = pickle.loads(pickle.dumps(result))
    assert copy.table() == result.table() == deepcopy(result).table()
    assert copy.csv == result.csv
    assert (copy.won["corner"] == result.won["corner"]).all()


def test_evaluations_have_the_measures_of_the_game():
    def first(observations, mask):
        return mask.argmax(1)

    result = tilelab.evaluate(first, "2048", games=60, against=["first-legal-like", "corner"][1:], goal=256)
    cells = result.to_polars()
    for row in cells.iter_rows(named=True):
        score = result.score(row["player"])
        assert score.measures["merge_score"] == pytest.approx(row["merge_score_mean"])
        assert score.measures["largest_tile"] == pytest.approx(row["largest_tile_mean"])
    corner = result.score("corner")
    ours, theirs = (result.measures[name]["merge_score"] for name in ("policy", "corner"))
    difference = ours - theirs
    assert corner.measure_differences["merge_score"].mean == pytest.approx(difference.mean())
    low, high = corner.measure_differences["merge_score"].interval
    # The t interval of the differences of pairs.
    half = 2.0009953780882692 * difference.std(ddof=1) / 60**0.5
    assert (low, high) == pytest.approx((difference.mean() - half, difference.mean() + half))
    assert "mean merge score" in result.table()
    alone = tilelab.evaluate(first, games=5, size="3x3")
    assert alone.score("policy").measures == {} and "merge" not in alone.table()


def test_numbers_below_the_least_are_value_errors_with_their_name():
    def first(observations, mask):
        return mask.argmax(1)

    for call, name in [
        (lambda: tilelab.Player("67", seed=-1), "seed"),
        (lambda: tilelab.playouts([BOARD], -1, size="3x3"), "n"),
        (lambda: tilelab.playouts([BOARD], 1, horizon=-1, size="3x3"), "horizon"),
        (lambda: tilelab.evaluate(first, games=-1), "games"),
        (lambda: tilelab.evaluate(first, num_envs=-1), "num_envs"),
        (lambda: tilelab.simulate("67", games=-1), "games"),
        (lambda: tilelab.simulate("67", seed=-1), "seed"),
        (lambda: tilelab.simulate("67", threads=-1), "threads"),
        (lambda: tilelab.solve(level=-1), "level"),
    ]:
        with pytest.raises(ValueError, match=f"{name}=-1: accepted: "):
            call()
    for call in [
        lambda: tilelab.Player("67", colour="red"),
        lambda: tilelab.playouts([BOARD], 1, colour="red"),
        lambda: tilelab.evaluate(first, colour="red"),
        lambda: tilelab.simulate("67", colour="red"),
        lambda: tilelab.move("67", {"board": BOARD}, colour="red"),
    ]:
        with pytest.raises(TypeError, match="got an unexpected keyword argument 'colour'"):
            call()
    assert tilelab.Player("67", size=(3, 3), operator_rate=np.float32(0.3)).cell_key == (
        tilelab.Player("67", size="3x3", operator_rate=0.3).cell_key
    )


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (envs.SixtySevenVecEnv, {"size": "4x5", "rules": "original"}),
        (envs.SixtySevenVecEnv, {"size": "5x3", "rules": "gapless", "target": 5}),
        (envs.SixtySevenVecEnv, {"size": "4x4", "rules": "merge-runs"}),
        (envs.TwentyFortyEightVecEnv, {}),
        (envs.TwentyFortyEightVecEnv, {"size": "3x5"}),
    ],
)
def test_afterstates_are_those_of_the_move_command(kind, settings):
    env = kind(6, autoreset_mode="SameStep", **settings)
    generator = np.random.default_rng(3)
    observation, info = env.reset(seed=2)
    game = env._game
    directions = ["up", "down", "left", "right"]
    for _ in range(25):
        after = tilelab.afterstates(game, observation, **settings)
        assert (after.legal == info["action_mask"]).all()
        boards = tilelab.boards_of(**observation)
        for slot, board in enumerate(boards):
            if game == "twenty-forty-eight":
                board = [[0 if tile == "_" else int(tile) for tile in row] for row in board]
            for place, direction in enumerate(directions):
                shown = tilelab.boards_of(after.kinds[slot], after.numbers[slot])[place]
                if not after.legal[slot, place]:
                    assert shown == boards[slot] and not after.won[slot, place] and not after.scores[slot, place]
                    continue
                answer = tilelab.move(game, {"board": board, "move": direction}, **settings)
                assert shown == [[str(tile).replace("0", "_") if tile == 0 else str(tile) for tile in row] for row in answer["board"]]
                if game == "twenty-forty-eight":
                    assert after.scores[slot, place] == answer["score"]
                else:
                    assert after.won[slot, place] == answer["won"]
        actions = np.where(info["action_mask"], generator.random((6, 4)), -1).argmax(1)
        observation, _, _, _, info = env.step(actions)


def test_afterstates_of_large_numbers_are_exact():
    # 2**52 * 2**52 is beyond the residues of the kernels.
    large = 2**52
    kinds = np.array([[[1, 4, 1], [0, 0, 0], [1, 2, 1]]], np.uint8)
    numbers = np.array([[[large, 0, large], [0, 0, 0], [-5, 0, 7]]], np.float64)
    after = tilelab.afterstates("67", {"kinds": kinds, "numbers": numbers}, size="3x3", rules="original")
    assert after.numbers[0, 2, 0].tolist() == [2.0**104, 0, 0]
    assert after.numbers[0, 2, 2].tolist() == [2, 0, 0]
    huge = tilelab.afterstates("67", {"kinds": kinds, "numbers": np.where(numbers == large, -(2.0**70), numbers)}, size="3x3")
    assert huge.numbers[0, 2, 0].tolist() == [2.0**140, 0, 0]
    endless = tilelab.afterstates("67", {"kinds": kinds, "numbers": np.where(numbers == large, np.inf, numbers)}, size="3x3")
    assert endless.numbers[0, 2, 0].tolist() == [np.inf, 0, 0]
    for wrong in [0.5, np.nan]:
        for ask in (tilelab.afterstates, lambda _, boards, **settings: tilelab.Player("67", "greedy", **settings).act(boards)):
            with pytest.raises(ValueError, match=f"board 0: board: row 1, column 1: (?i:{wrong}) is not a whole number"):
                ask("67", {"kinds": kinds, "numbers": numbers * 0 + wrong}, size="3x3")
    with pytest.raises(ValueError, match="board 0: board: row 1, column 1: 9 is not a kind"):
        tilelab.afterstates("67", {"kinds": kinds * 0 + 9, "numbers": numbers}, size="3x3")
    with pytest.raises(ValueError, match=r"shape \(N, 4, 4\) is needed, \(1, 3, 3\) and \(1, 3, 3\) were given"):
        tilelab.afterstates("67", {"kinds": kinds, "numbers": numbers}, size="4x4")
    with pytest.raises(ValueError, match=r"boards: shape \(N, rows, cols\) is needed, \(4,\) was given"):
        tilelab.afterstates("2048", np.full(4, 2))
    for game, boards, error, text in [
        ("67", {"kinds": kinds, "numbers": numbers[:, :2]}, ValueError, "one shape (N, rows, cols) is needed, (1, 3, 3) and (1, 2, 3) were given"),
        ("67", {"kinds": kinds}, ValueError, "board: numbers: missing; an observation has the arrays kinds and numbers"),
        ("67", {"kinds": kinds + np.int64(256), "numbers": numbers}, ValueError, "kinds: whole numbers (uint8) are needed, 257 was given"),
        ("67", {"kinds": kinds - 256.0, "numbers": numbers}, TypeError, "kinds: whole numbers are needed, float64 of shape (1, 3, 3)"),
        ("67", numbers, TypeError, "boards: a dict of the arrays kinds and numbers is needed"),
        ("2048", [["2", "4"]], TypeError, "boards: numbers are needed, <U1 of shape (1, 2) was given"),
        ("calculator", numbers, ValueError, "game='calculator': accepted: sixty-seven, twenty-forty-eight"),
        ("calculator", {"kinds": kinds, "numbers": numbers}, ValueError, "game='calculator': accepted: sixty-seven, twenty-forty-eight"),
        (3, numbers, TypeError, "game=3: accepted: the name of a game"),
    ]:
        with pytest.raises(error) as raised:
            tilelab.afterstates(game, boards)
        assert text in str(raised.value)
    for wrong in [-2, 2.0**60]:
        with pytest.raises(ValueError, match="board 0: board: .* is not a tile; write whole numbers from 0"):
            tilelab.afterstates("2048", np.full((1, 4, 4), wrong))


def test_players_act_on_arrays_and_tell_their_values():
    env = envs.SixtySevenVecEnv(5, size="4x4")
    observation, info = env.reset(seed=2)
    for _ in range(3):
        observation, _, _, _, info = env.step(info["action_mask"].argmax(1))
    player = tilelab.Player("67", "greedy", size="4x4")
    names = player.act(tilelab.boards_of(**observation))
    actions = player.act(observation)
    assert actions.dtype == np.int64 and [env.move_names[action] for action in actions] == names
    values = player.values(observation)
    assert values.shape == (5, 4)
    assert (np.isnan(values) == (info["action_mask"] == 0)).all()
    assert (values[range(5), actions] == np.nanmax(values, axis=1)).all()
    swipes, info = envs.TwentyFortyEightVecEnv(3).reset(seed=1)
    corner = tilelab.Player("2048", "corner")
    assert info["action_mask"][range(3), corner.act(swipes["numbers"])].all()
    with pytest.raises(ValueError, match="the player does not evaluate moves"):
        tilelab.Player("67", "random", size="4x4").values(observation)


@pytest.mark.parametrize(
    ("kind", "player", "settings"),
    [(envs.SixtySevenVecEnv, player, {"size": "3x3", "target": 10}) for player in ("greedy", "expectimax(samples=2)")]
    + [(envs.TwentyFortyEightVecEnv, "expectimax(depth=1)", {"size": "2x2"})],
)
def test_a_player_acts_in_a_vector_with_the_default_autoreset(kind, player, settings):
    # The last board of an episode is observed with those of games that go on.
    env = kind(6, illegal="raise", seed=1, **settings)
    one = tilelab.Player(env._game, player, **settings)
    observation, info = env.reset()
    won, ended = 0, 0
    for _ in range(60):
        actions, values = one.act(observation), one.values(observation)
        over = ~info["action_mask"].any(1)
        assert (actions[over] == 0).all() and np.isnan(values[over]).all()
        assert info["action_mask"][~over, actions[~over]].all() and not np.isnan(values[~over, actions[~over]]).any()
        ended += over.sum()
        observation, _, _, _, info = env.step(actions)
        won += info["won"].sum() if "won" in info else 0
    assert ended > 6 and (won > 0) == (kind is envs.SixtySevenVecEnv)


def test_names_of_moves_need_a_game_that_goes_on():
    with pytest.raises(ValueError, match="board 0: board: a tile shows 67 already"):
        tilelab.Player("67", "greedy", size="2x2").act([[["67", "1"], ["1", "1"]]])
    with pytest.raises(ValueError, match="board 0: the game is over"):
        tilelab.Player("67", "greedy", size="2x2").act([[["+", "-"], ["*", "+"]]])


@pytest.mark.parametrize(
    ("kind", "player", "settings"),
    [(envs.SixtySevenVecEnv, "greedy", {"rules": rules, "size": "4x5"}) for rules in ("original", "gapless", "merge-pairs", "merge-runs")]
    + [(envs.SixtySevenVecEnv, "expectimax(samples=2)", {"size": "3x4"}), (envs.TwentyFortyEightVecEnv, "expectimax(depth=2)", {"goal": 64})],
)
def test_arrays_and_texts_are_the_same_boards(kind, player, settings):
    env = kind(12, autoreset_mode="SameStep", **settings)
    observation, info = env.reset(seed=4)
    one = tilelab.Player("67" if kind is envs.SixtySevenVecEnv else "2048", player, **settings)
    generator = np.random.default_rng(5)
    for step in range(24):
        if step % 4 == 0:
            texts = tilelab.boards_of(**observation)
            assert [env.move_names[action] for action in one.act(observation)] == one.act(texts)
            np.testing.assert_array_equal(one.values(observation), one.values(texts))
        mask = info["action_mask"]
        observation, _, _, _, info = env.step(np.where(mask, generator.random(mask.shape), -1).argmax(1))


def texts(kinds, numbers):
    """A board as texts, with the numbers that the arrays show."""
    signs = ["_", "", "+", "-", "*"]
    return [[str(int(x)) if kind == 1 else signs[kind] for kind, x in zip(*row, strict=True)] for row in zip(kinds, numbers, strict=True)]


@pytest.mark.parametrize("rules", ["original", "gapless", "merge-pairs", "merge-runs", "bounded"])
@pytest.mark.parametrize("player", ["greedy", "expectimax(samples=1)"])
def test_players_answer_every_board_of_real_games(rules, player):
    settings = {"rules": rules, "size": "4x5", "operators": "*"}
    env = envs.SixtySevenVecEnv(16, **settings)
    asked = tilelab.Player("67", player, **settings)
    generator = np.random.default_rng(8)
    observation, info = env.reset(seed=8)
    largest = 0.0
    for step in range(80):
        if step % 20 == 10 and rules != "bounded":
            # Two moves from here make numbers beyond 2**53.
            row = ["987654321", "*", "-123456789", "*", "1000003"]
            observation, info = env.reset(options={"board": [row, ["_"] * 5, ["*"] + ["_"] * 4, row]})
        actions = asked.act(observation)
        values = asked.values(observation)
        mask = info["action_mask"]
        going = mask.any(axis=1)
        assert mask[going, actions[going]].all() and not np.isnan(values[going, actions[going]]).any()
        assert (actions[~going] == 0).all() and np.isnan(values[~going]).all()
        largest = max(largest, np.abs(observation["numbers"]).max())
        if player == "greedy":
            boards = [texts(kinds, numbers) for kinds, numbers in zip(*(part[going] for part in observation.values()), strict=True)]
            assert [env.move_names[action] for action in actions[going]] == asked.act(boards)
        after = tilelab.afterstates("67", observation, **settings)
        assert (after.legal[going] == mask[going]).all()
        observation, _, _, _, info = env.step(np.where(mask, generator.random(mask.shape), -1).argmax(1))
    assert rules == "bounded" or largest > 2**53


def test_players_from_outside_name_what_to_call():
    @tilelab.player
    def mine(turn):
        return turn.legal[0]

    player = tilelab.Player("67", "mine", size="3x3")
    boards = {"kinds": np.ones((1, 3, 3), np.uint8), "numbers": np.ones((1, 3, 3))}
    for call in (lambda: player.act([BOARD]), lambda: player.act(boards), lambda: player.values(boards)):
        with pytest.raises(ValueError, match="play whole games, which replay shows; ask the function itself about a board"):
            call()
