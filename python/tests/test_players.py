"""Players of the catalogue and policies on the same games."""

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


def test_playouts_count_wins_after_each_move():
    wins = tilelab.playouts([BOARD, BOARD], 400, size="3x3", target=10)
    assert wins.shape == (2, 4)
    assert (wins[0] == wins[1]).all()
    legal = tilelab.move("67", {"board": BOARD}, size="3x3")["legal"]
    assert [name for name, won in zip(["up", "down", "left", "right"], wins[0], strict=True) if won >= 0] == legal
    assert ((wins <= 400) & (wins >= -1)).all() and wins.max() > 0
    won = tilelab.playouts([[["66", "+", "1"], ["_", "_", "_"], ["_", "_", "_"]]], 10, size="3x3")
    assert won[0, 2] == 10
    with pytest.raises(ValueError, match="board 0: 2x1; the rules play 3x3"):
        tilelab.playouts([[["1"], ["2"]]], 10, size="3x3")


def test_a_policy_plays_the_games_of_the_players():
    # "first" is the policy here; the random player's wins are those of a run.
    result = tilelab.evaluate(
        lambda observations, mask: mask.argmax(1), games=300, size="3x3", target=10, against=["random", "greedy"], num_envs=7
    )
    cells = tilelab.simulate("67", size="3x3", target=10, player=["random", "greedy"], games=300).polars()
    assert [result["random"].wins, result["greedy"].wins] == cells["wins"].to_list()
    assert result["random"].moves_mean == pytest.approx(cells["moves_mean"][0])
    low, high = result["random"].interval
    assert [100 * low, 100 * high] == pytest.approx([cells["win_pct_lo"][0], cells["win_pct_hi"][0]])
    for player in ["random", "greedy"]:
        score = result[player]
        assert score.difference == pytest.approx(result["policy"].win_rate - score.win_rate)
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
    with pytest.raises(ValueError, match="one move for each of 4 games"):
        tilelab.evaluate(lambda observations, mask: np.zeros(3, int), games=4)
    with pytest.raises(ValueError, match="move 9 is not legal"):
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
    result = tilelab.evaluate(mine, games=20, name="mine", against=["corner", "random"], num_envs=20, **settings)
    whole = tilelab.simulate("2048", player=["corner", "random"], goal=256, games=20)
    # The catalogue's rows are those of a run.
    frame, cells = result.polars(), whole.polars()
    assert frame.columns[:20] == cells.columns[:20] and set(frame.columns) == set(cells.columns)
    assert result.columns == {name: whole.columns[name] for name in result.columns}
    assert frame[1:].select(cells.columns).equals(cells)
    assert frame["player"].to_list() == ["mine", "corner", "random"]
    assert frame["cell"][0] == cells["cell"][0].replace("/corner", "/mine")
    # The policy makes the moves of the corner player, so all its figures are the same.
    figures = [name for name in frame.columns if name not in ("cell", "player") and not name.startswith("player_")]
    assert frame[figures].row(0) == frame[figures].row(1)
    assert (result.won["mine"] == result.won["corner"]).all()
    assert result.pandas()["games"].tolist() == [20, 20, 20]


def test_several_policies_are_compared_with_the_first():
    def first(observations, mask):
        return mask.argmax(1)

    def last(observations, mask):
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(1)

    result = tilelab.evaluate({"first": first, "last": last}, games=60, size="3x3", target=10)
    assert result.polars()["player"].to_list() == ["first", "last", "random"]
    assert result["first"].difference_interval is None
    assert result["last"].difference == pytest.approx(result["first"].win_rate - result["last"].win_rate)
    assert result["last"].difference_interval[0] <= result["last"].difference <= result["last"].difference_interval[1]


def test_policies_without_a_row_are_named():
    def first(observations, mask):
        return mask.argmax(1)

    cut = tilelab.evaluate(first, games=10, max_episode_steps=1)
    with pytest.raises(ValueError, match="policy: max_episode_steps cut 10 games"):
        cut.polars()
    for name, text in [("greedy", "a player of sixty-seven has this name"), ("a/b", "accepted: letters"), ("", "accepted: letters")]:
        with pytest.raises(ValueError, match=text):
            tilelab.evaluate(first, games=2, size="3x3", name=name).csv
    with pytest.raises(ValueError, match="policy 'random': a player has this name"):
        tilelab.evaluate(first, games=2, size="3x3", name="random")
    with pytest.raises(ValueError, match="policy: none is given"):
        tilelab.evaluate({}, games=2)
