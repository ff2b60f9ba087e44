"""The boards of players' games, compared with the games."""

import pickle

import numpy as np
import polars as pl
import pytest

import tilelab
from tilelab import observations

GAMES = [
    ("67", "greedy", {"size": "3x4", "target": 20}),
    ("67", "random", {"size": "3x3", "rules": "bounded"}),
    ("67", "expectimax(samples=2)", {"size": "2x3"}),
    ("2048", "corner", {"goal": 32, "max_moves": 70}),
    ("2048", "expectimax(depth=1)", {"size": "3x3", "max_moves": 40}),
]
NAMES = ["up", "down", "left", "right"]


@pytest.mark.parametrize(("game", "player", "settings"), GAMES)
def test_boards_are_those_of_the_games(game, player, settings):
    result = tilelab.simulate(game, player=player, games=8, seed=3, progress=False, **settings)
    (chunk,) = tilelab.dataset(game, player, games=8, seed=3, **settings)
    asked = tilelab.Player(game, player, **settings)
    has_values = not np.isnan(chunk["values"]).all()
    for index in range(8):
        turns = result.replay(result["cell"][0], index)
        rows = np.flatnonzero(chunk["game"] == index)
        moved = [turn for turn in turns if turn["move"] is not None]
        assert [NAMES[action] for action in chunk["action"][rows]] == [turn["move"] for turn in moved]
        assert chunk["turn"][rows].tolist() == list(range(len(moved)))
        assert (chunk["won"][rows] == (turns[-1]["outcome"] == "won")).all()
        for row, turn in zip(rows, moved, strict=True):
            board = [[str(tile) if tile else "_" for tile in line] for line in turn["board"]]
            assert tilelab.boards_of(chunk["kinds"][[row]], chunk["numbers"][[row]]) == [board]
            assert [NAMES[move] for move in np.flatnonzero(chunk["action_mask"][row])] == turn["legal"]
            assert has_values == bool(not np.isnan(chunk["values"][row, chunk["action"][row]]))
        if game == "2048":
            scores = [turn["score"] for turn in moved]
            assert chunk["return_to_go"][rows].tolist() == np.cumsum(scores[::-1])[::-1].tolist()
        else:
            assert (chunk["return_to_go"][rows] == (1 if turns[-1]["outcome"] == "won" else -1)).all()
    if player == "greedy":
        np.testing.assert_array_equal(asked.values({"kinds": chunk["kinds"], "numbers": chunk["numbers"]}), chunk["values"])
        np.testing.assert_array_equal(asked.act({"kinds": chunk["kinds"], "numbers": chunk["numbers"]}), chunk["action"])


def test_chunks_and_parts_are_all_games_once():
    data = tilelab.dataset("67", "greedy", games="0.6k", size="2x2", values=False, observation="planes")
    chunks = list(data)
    assert [len(np.unique(chunk["game"])) <= 256 for chunk in chunks] == [True] * 3
    assert all(np.isnan(chunk["values"]).all() and chunk["planes"].shape[1:] == (8, 2, 2) for chunk in chunks)
    apart = [chunk for index in range(2) for chunk in pickle.loads(pickle.dumps(data)).part(index, 2)]
    for name in chunks[0]:
        together = np.concatenate([chunk[name] for chunk in (apart[0], apart[2], apart[1])])
        np.testing.assert_array_equal(together, np.concatenate([chunk[name] for chunk in chunks]))
    with pytest.raises(ValueError, match="games=0"):
        tilelab.dataset("67", "greedy", games=0)
    with pytest.raises(ValueError, match="observation=.pixels.: accepted: tiles, planes"):
        tilelab.dataset("67", "greedy", observation="pixels")
    with pytest.raises(ValueError, match="this game cannot start on a given board; play it from its start"):
        list(tilelab.dataset("calculator", "random"))
    for wrong, text in [
        ({"player": 3}, "player=3: accepted: a string"),
        ({"observation": None}, "observation=None: accepted: a string"),
        ({"reward": len}, "reward=<built-in function len>: accepted: a string"),
        ({"values": 1}, "values=1: accepted: True or False"),
    ]:
        with pytest.raises(TypeError, match=text):
            tilelab.dataset(**{"game": "67", "player": "greedy", **wrong})


def test_boards_are_written_as_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    data = tilelab.dataset("67", "greedy", games=300, size="2x3")
    data.to_parquet(tmp_path / "boards.parquet")
    assert [file.name for file in tmp_path.iterdir()] == ["boards.parquet"]
    frame = pl.read_parquet(tmp_path / "boards.parquet")
    for name in next(iter(data)):
        wanted = np.concatenate([chunk[name] for chunk in data])
        np.testing.assert_array_equal(frame[name].to_numpy().reshape(wanted.shape), wanted)


def test_workers_of_torch_share_the_games():
    torch = pytest.importorskip("torch")
    data = tilelab.dataset("67", "greedy", games=600, size="2x2", observation="planes")
    boards = data.torch(batch_size=64)
    counted = []
    for workers in (0, 2):
        batches = list(torch.utils.data.DataLoader(boards, batch_size=None, num_workers=workers))
        assert all(len(batch["action"]) <= 64 and batch["planes"].dtype == torch.float32 for batch in batches)
        counted.append(sorted(zip(*(torch.cat([batch[name] for batch in batches]).tolist() for name in ("game", "turn")), strict=True)))
    assert counted[0] == counted[1] and len(counted[0]) == sum(len(chunk["action"]) for chunk in data)


def test_values_and_observations_match_the_environments():
    (tiles,), (planes,) = (
        list(tilelab.dataset("2048", "corner", games=5, goal=32, observation=observation, reward="win")) for observation in ("tiles", "planes")
    )
    np.testing.assert_array_equal(observations.encode("2048", "planes", tiles["kinds"], tiles["numbers"]), planes["planes"])
    assert (tiles["return_to_go"] == np.where(tiles["won"], 1, -1)).all()
