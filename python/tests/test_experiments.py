"""Experiments, frames and positions, compared with the command line."""

import io
import json
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import tilelab
from tilelab import _progress

TEXT = """
name = "small"
seed = 5
games = 300
[[table]]
title = "By size"
game = "sixty-seven"
size = ["2x2", "3x3"]
operators = ["+-*", "+"]
"""
DICT = {
    "name": "small",
    "seed": 5,
    "games": 300,
    "table": [{"title": "By size", "game": "sixty-seven", "size": ["2x2", "3x3"], "operators": ["+-*", "+"]}],
}


def command(*arguments, **options):
    words = [sys.executable, "-m", "tilelab._cli", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def test_the_command_is_the_program(tmp_path):
    shown = command("--version")
    assert (shown.returncode, shown.stdout) == (0, f"tilelab {tilelab.__version__}\n")
    program = Path(sys.executable).with_name("tilelab")
    module = subprocess.run([sys.executable, "-m", "tilelab", "--version"], capture_output=True, text=True, timeout=120)
    assert module.stdout == shown.stdout
    words = ["run", "--game", "67", "--set", "size=2x2", "--games", "5", "--quiet", "--out", str(tmp_path)]
    assert subprocess.run([program, *words], timeout=120).returncode == 0
    facts = (tmp_path / "sixty-seven" / "machine.txt").read_text()
    assert facts.startswith(f"command: tilelab {' '.join(words)}\n")
    wrong = command("run", "--game", "68")
    assert wrong.returncode == 2
    assert "68: unknown game" in wrong.stderr


def test_frames_are_equal_to_cells_csv(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    command("run", file, "--out", tmp_path / "cli", "--quiet")
    wanted = (tmp_path / "cli" / "small" / "cells.csv").read_bytes()
    for result in [tilelab.run(file), tilelab.run(TEXT), tilelab.run(DICT), tilelab.run(TEXT, out=tmp_path / "py")]:
        assert result.csv == wanted
        frame = pl.read_csv(io.BytesIO(wanted), schema=result.to_polars().schema)
        # Braces keep the file's readers from taking a text for a number.
        frame = frame.with_columns(pl.col("digits").str.strip_chars("{}"))
        assert result.to_polars().equals(frame)
        assert result.to_pandas()["wins"].tolist() == frame["wins"].to_list()
        assert result.to_pandas()["operators"].tolist() == frame["operators"].to_list()
        assert pl.DataFrame(result).equals(frame)
        assert result["wins"] == frame["wins"].to_list()
        assert result[1] == frame.row(1, named=True) == list(result)[1]
        assert result[-2:] == frame.rows(named=True)[-2:]
        assert len(result) == frame.height
    assert (tmp_path / "py" / "small" / "cells.csv").read_bytes() == wanted
    assert result.folder == tmp_path / "py" / "small"
    assert result.games == 1200


def test_a_result_shows_itself():
    result = tilelab.run(TEXT, games=50)
    assert result.table() in result._repr_markdown_()
    assert "| rows | cols |" in result.table()
    assert result.plot()._repr_svg_().startswith("<svg")
    assert "1200" not in repr(result)
    with pytest.raises(ValueError, match="no such plot; there are: "):
        result.plot("none")


def test_the_seed_and_the_games_can_be_replaced():
    assert tilelab.run(TEXT, seed=5, games=300).csv == tilelab.run(TEXT).csv
    assert tilelab.run(TEXT, seed=6).csv != tilelab.run(TEXT).csv
    assert tilelab.run(TEXT, games="0.1k").games == 400
    assert tilelab.run(TEXT, games=1e2).games == 400


def test_simulate_plays_what_the_command_line_plays(tmp_path):
    result = tilelab.simulate("67", size=["2x2", "3x3"], operator_rate=0.5, games=200, out=tmp_path / "py")
    settings = ["--set", "size=2x2,3x3", "--set", "operator_rate=0.5"]
    command("run", "--game", "67", *settings, "--games", "200", "--out", tmp_path / "cli", "--quiet")
    assert result.csv == (tmp_path / "cli" / "sixty-seven" / "cells.csv").read_bytes()
    two = tilelab.simulate("offset", player=["random", "greedy"], opponent="random", games=20)
    assert two.to_polars()["player"].to_list() == ["random / random", "greedy / random"]


def test_threads_change_nothing():
    assert tilelab.run(TEXT, threads=1).csv == tilelab.run(TEXT, threads=2).csv


def test_wrong_input_is_a_value_error_with_the_message_of_the_command_line(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(TEXT.replace('size = ["2x2", "3x3"]', 'size = "0x3"').replace("operators", "operator"))
    shown = command("run", file)
    with pytest.raises(ValueError) as raised:
        tilelab.run(file)
    assert shown.stderr == "".join(f"error: {line}\n" for line in str(raised.value).splitlines())
    for call, text in [
        (lambda: tilelab.simulate("68"), "68: unknown game"),
        (lambda: tilelab.simulate("67", opponent="random"), "has one seat"),
        (lambda: tilelab.run({"name": "x", "table": [None]}), "dict: "),
        (lambda: tilelab.run({"name": "x", "seed": 1, "table": [{"title": "t", "game": "68"}]}), "68"),
        (lambda: tilelab.run(TEXT, threads=0), "threads=0: accepted: "),
        (lambda: tilelab.run(TEXT, games="many"), "games="),
        (lambda: tilelab.replay(TEXT, "nothing", 0), "no such cell"),
        (lambda: tilelab.move("67", {"board": []}), "board"),
        (lambda: tilelab.solve(level=200), "there are levels 1 to 199"),
        (lambda: tilelab.solve(start=1), "goal, moves, buttons: missing"),
        (lambda: tilelab.solve(start=2**70, goal=1, moves=1, buttons=["+1"]), f"start={2**70}: accepted: a whole number from "),
        (lambda: tilelab.move("67", {"board": [[float("nan")]]}), "request['board'][0][0]=nan: accepted: a finite number"),
    ]:
        with pytest.raises(ValueError) as raised:
            call()
        assert text in str(raised.value)


def test_numbers_of_numpy_are_numbers_in_dicts():
    assert tilelab.run({**DICT, "games": np.int64(3)}, progress=False)["games"][0] == 3


def test_wrong_types_are_named():
    level = {"start": 0, "goal": 3, "moves": 2, "buttons": ["+1", "*2"]}
    result = tilelab.run(TEXT, games=2, progress=False)
    cell = result["cell"][0]
    kinds = "a string, a number, a bool, a list or a dict"
    for call, text in [
        (lambda: tilelab.move("67", 3), "request: a dict is needed, int was given"),
        (lambda: tilelab.move("67", {"board": [[{1}]]}), f"request['board'][0][0]={{1}}: accepted: {kinds}"),
        (lambda: tilelab.move("67", {(1, 2): 3}), "request: the key (1, 2): accepted: a string"),
        (lambda: tilelab.solve(**{**level, "buttons": "+1 *2"}), "buttons='+1 *2': accepted: a list of strings"),
        (lambda: tilelab.solve(**{**level, "buttons": [1]}), "buttons=[1]: accepted: a list of strings"),
        (lambda: tilelab.solve(**{**level, "buttons": 1}), "buttons=1: accepted: a list of strings"),
        (lambda: tilelab.solve(**{**level, "moves": 1.5}), "moves=1.5: accepted: a whole number"),
        (lambda: tilelab.solve(**level, portal=3), "portal=3: accepted: a string"),
        (lambda: tilelab.solve(**level, all=1), "all=1: accepted: True or False"),
        (lambda: tilelab.run(3), "experiment=3: accepted: a path, a text with line feeds, a dict, or what tilelab.plan returned"),
        (lambda: tilelab.run({**DICT, "games": {3}}), f"experiment['games']={{3}}: accepted: {kinds}"),
        (lambda: tilelab.run({**DICT, 3: 3}), "experiment: the key 3: accepted: a string"),
        (lambda: tilelab.run(TEXT, out=3), "out=3: accepted: a path"),
        (lambda: tilelab.run(TEXT, fresh=1), "fresh=1: accepted: True or False"),
        (lambda: tilelab.load(3), "folder=3: accepted: a path"),
        (lambda: tilelab.replay(TEXT, 3, 0), "cell=3: accepted: a string"),
        (lambda: tilelab.replay(TEXT, cell, 0, moves=3), "moves=3: accepted: a list of strings"),
        (lambda: tilelab.replay(TEXT, cell, 0, moves=[3]), "moves=[3]: accepted: a list of strings"),
        (lambda: tilelab.match("67", ["random", "greedy"], sprt=0.5), "sprt=0.5: accepted: two numbers"),
        (lambda: tilelab.match("67", ["random", "greedy"], sprt=(0.5, "x")), "sprt='x': accepted: a number"),
        (lambda: tilelab.match("67", ["random", "greedy"], measure=3), "measure=3: accepted: a string"),
        (lambda: tilelab.simulate("67", player=3), "player=3: accepted: a name, a function, or a list of them"),
        (lambda: tilelab.learn("67", 3), "out=3: accepted: a path"),
        (lambda: tilelab.learn("67", "x", minutes="1"), "minutes='1': accepted: a number"),
        (lambda: tilelab.compare(None), "a=None: accepted: a results folder, a cells.csv or a result"),
        (lambda: tilelab.compare(result, 3), "b=3: accepted: a results folder, a cells.csv or a result"),
        (lambda: tilelab.compare(result, by=3), "by=3: accepted: a string"),
        (lambda: tilelab.compare(result, by="size", margin="x"), "margin='x': accepted: a number"),
        (lambda: tilelab.compare(result, by="size", unpaired_ok=1), "unpaired_ok=1: accepted: True or False"),
        (lambda: result.plot(3), "name=3: accepted: a string"),
        (lambda: result.plots[0].save(3), "path=3: accepted: a path"),
        (lambda: result[1.5], "row 1.5: accepted: a whole number, a slice, or the name of a column"),
    ]:
        with pytest.raises(TypeError) as raised:
            call()
        assert text in str(raised.value)


def test_a_replay_is_that_of_the_command_line(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    cell = tilelab.plan(TEXT).cells[1]
    turns = tilelab.replay(TEXT, cell, 7)
    shown = command("replay", file, "--cell", cell, "--game", 7, "--json").stdout.splitlines()
    header, *lines = [json.loads(line) for line in shown]
    assert [turn["board"] for turn in turns] == [line["board"] for line in lines]
    assert header["format"] == "tilelab game"
    assert (header["game_index"], header["outcome"]) == (7, turns[-1]["outcome"])
    assert turns[-1]["outcome"] in ("won", "lost")


def test_given_moves_are_replayed(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    cell = tilelab.plan(TEXT).cells[1]
    wanted = tilelab.replay(TEXT, cell, 7)
    moves = [turn["move"] for turn in wanted if turn["move"]]
    assert tilelab.replay(TEXT, cell, 7, moves=moves) == wanted
    assert tilelab.replay(TEXT, cell, 7, moves=" ".join(moves)) == wanted
    (tmp_path / "moves.txt").write_text("\n".join(moves))
    shown = command("replay", file, "--cell", cell, "--game", 7, "--json", "--moves", tmp_path / "moves.txt")
    header, *lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert header["moves"] == moves
    assert lines == [{"game_index": 7, **turn} for turn in wanted]
    with pytest.raises(ValueError, match="move 1: sideways is not legal; legal: "):
        tilelab.replay(TEXT, cell, 7, moves="sideways")
    with pytest.raises(ValueError, match=f"{len(moves) - 1} moves, and game 7 goes on after them .*unfinished=True"):
        tilelab.replay(TEXT, cell, 7, moves=moves[:-1])
    short = tilelab.replay(TEXT, cell, 7, moves=moves[:-1], unfinished=True)
    assert short[:-1] == wanted[: len(moves) - 1]
    assert short[-1]["board"] == wanted[len(moves) - 1]["board"]
    assert short[-1]["move"] is None
    with pytest.raises(ValueError, match="but the game is over after"):
        tilelab.replay(TEXT, cell, 7, moves=[*moves, "up"])


def test_comparisons_are_those_of_the_command_line(tmp_path):
    by_player = {"title": "By player", "game": "sixty-seven", "size": ["3x3", "4x4"], "player": ["random", "greedy"]}
    one = tilelab.run({"name": "one", "seed": 5, "games": 300, "table": [by_player]}, out=tmp_path)
    other = tilelab.run({"name": "other", "seed": 6, "games": 300, "table": [by_player]}, out=tmp_path)
    for wanted, found in [
        ([one.folder, other.folder], tilelab.compare(one, other)),
        ([one.folder, "--by", "player", "--paired"], tilelab.compare(one, by="player", paired=True)),
        (
            [one.folder, "--by", "player", "--baseline", "greedy", "--paired=100", "--margin", 0.1],
            tilelab.compare(str(one.folder), by="player", baseline="greedy", paired=100, margin=0.1),
        ),
    ]:
        assert found.csv.decode() == command("compare", *wanted, "--format", "csv").stdout
        frame = found.to_polars()
        assert frame.height in (2, 4)
        assert frame.columns == found.columns
        assert "different" in found.table() or "no evidence of a difference" in found.table()
    small = tilelab.run({"name": "small", "seed": 5, "games": 9, "table": [by_player | {"size": "3x3"}]}, out=tmp_path)
    assert len(tilelab.compare(small, one).only_b) == 2
    swipes = {"title": "Swipes", "game": "2048", "player": ["random", "corner"]}
    scored = tilelab.run({"name": "scored", "seed": 5, "games": 50, "table": [swipes]}, out=tmp_path)
    scores = tilelab.compare(scored, by="player", measure="merge_score").to_polars().row(0, named=True)
    assert scores["measure"] == "merge_score"
    assert scores["measure_mean_diff_lo"] > 1000

    for wrong, message in [
        ({}, "give either a second result or `by`"),
        ({"by": "pace"}, "--by pace: no such parameter"),
        ({"by": "player", "paired": 1}, "paired=1: accepted: a whole number from 2"),
        ({"by": "player", "margin": 1.0}, "margin=1: accepted: a number between 0 and 1"),
        ({"by": "player", "measure": "score"}, "--measure score: no pair of cells has this measure"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            tilelab.compare(one, **wrong)


def test_results_in_memory_are_compared_as_folders_are(tmp_path):
    table = {"title": "t", "game": "sixty-seven", "size": ["3x3", "4x4"], "player": ["random", "greedy"]}
    one, other = ({"name": name, "seed": 5, "games": 200, "table": [table]} for name in ("one", "other"))
    kept, memory = tilelab.run(one, out=tmp_path), tilelab.run(one)
    rest = tilelab.run(other | {"seed": 6})
    for keywords in [{"by": "player", "paired": True}, {"by": "size"}, {"by": "size", "baseline": "4x4"}]:
        found = tilelab.compare(memory, **keywords)
        assert found.csv == tilelab.compare(kept, **keywords).csv
        assert len(found) == 2
    by_size = tilelab.compare(memory, by="size")
    sizes = dict(zip(memory["cell"], memory["rows"], strict=True))
    assert [sizes[cell] for cell in by_size["cell_a"] + by_size["cell_b"]] == [3, 3, 4, 4]
    assert tilelab.compare(memory, rest).csv == tilelab.compare(kept, rest).csv
    with pytest.raises(ValueError, match="--baseline 9x9: no cell has it as size; accepted: 3x3, 4x4"):
        tilelab.compare(memory, by="size", baseline="9x9")


def test_results_are_pickled_and_copied():
    result = tilelab.run(TEXT, games=30, seed=8)
    compared = tilelab.compare(result, by="size")
    for copy in [pickle.loads(pickle.dumps(result)), deepcopy(result)]:
        assert copy.csv == result.csv and copy.table() == result.table()
        assert copy.plot().svg == result.plot().svg
        assert copy.replay(copy["cell"][0], 3) == result.replay(result["cell"][0], 3)
    for copy in [pickle.loads(pickle.dumps(compared)), deepcopy(compared)]:
        assert copy.csv == compared.csv and copy.table() == compared.table()
    experiment = tilelab.plan(TEXT, games=30, seed=8)
    copy = pickle.loads(pickle.dumps(experiment))
    assert isinstance(copy, tilelab.Experiment)
    assert (copy.name, copy.seed, copy.cells) == (experiment.name, experiment.seed, experiment.cells)
    assert tilelab.run(TEXT, games=30, seed=8).csv == result.csv


def test_results_are_data(tmp_path):
    result = tilelab.run(TEXT, games=50, out=tmp_path)
    assert "<td>2</td>" in result._repr_html_() and "<th>win_pct</th>" in result._repr_html_()
    loaded = tilelab.load(tmp_path / "small")
    assert loaded.csv == result.csv and loaded.table() == result.table() and loaded.games == result.games
    assert [plot.svg for plot in loaded.plots] == [plot.svg for plot in result.plots]
    assert loaded.replay(loaded["cell"][0], 1) == result.replay(result["cell"][0], 1)
    with pytest.raises(ValueError, match="nowhere"):
        tilelab.load(tmp_path / "nowhere")
    frame = result.to_polars()
    assert frame.schema["games"] == pl.UInt64 and frame.schema["win_pct"] == pl.Float64
    # Null where a figure is undefined, in every library.
    assert frame["error"].null_count() == 4 and result.to_pandas()["error"].isna().all()
    with pytest.raises(KeyError):
        result["nothing"]
    with pytest.raises(IndexError):
        result[4]


def test_results_are_xarray_data_sets():
    pytest.importorskip("xarray")
    result = tilelab.run(TEXT, games=50)
    data = result.to_xarray()
    assert data.sizes == {"size": 2, "operators": 2}
    wins = {(row["rows"], row["operators"]): row["wins"] for row in result}
    for (size, operators), count in wins.items():
        assert data["wins"].sel(size=f"{size}x{size}", operators=operators) == count


def test_positions():
    board = [["1", "+", "2"]]
    answer = tilelab.move("67", {"board": board, "move": "left"}, rules="original")
    assert answer["board"] == [["3", "_", "_"]]
    assert tilelab.solve(start=0, goal=6, moves=3, buttons=["+2"]) == [["+2", "+2", "+2"]]
    assert tilelab.solve(start=0, goal=5, moves=3, buttons=["+2"]) == []
    assert len(tilelab.solve(level=12)) == 1


@pytest.fixture
def interrupts():
    # A process that a script starts in the background ignores them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("kept", [False, True])
def test_an_interrupt_is_answered_within_a_fifth_of_a_second(tmp_path, kept):
    # Games of this player take seconds: they are dropped, and played again by a run that continues.
    slow = """
name = "slow"
seed = 5
games = 1000
[[table]]
title = "t"
game = "sixty-seven"
player = { name = "monte-carlo", playouts = 2000 }
size = "5x5"
"""
    for number, text in enumerate([TEXT, slow]):
        out = tmp_path / str(number) if kept else None
        took = []
        # A machine that is busy may need several attempts.
        while min(took, default=1.0) >= 0.2 and len(took) < 8:
            begun = threading.Event()
            sent = []

            def interrupt(begun=begun, sent=sent):
                begun.wait()
                time.sleep(0.2)
                sent.append(time.monotonic())
                signal.raise_signal(signal.SIGINT)

            thread = threading.Thread(target=interrupt, daemon=True)
            thread.start()
            with pytest.raises(KeyboardInterrupt):
                tilelab.run(text, games="1G" if number == 0 else None, out=out, progress=lambda *counts: begun.set())
            took.append(time.monotonic() - sent[0])
            thread.join()
            if kept:
                assert list(out.glob("*/.state"))
        assert min(took) < 0.2, took


def test_progress_counts_games_and_cells():
    told = []
    tilelab.run(TEXT, games=200_000, progress=lambda *counts: told.append(counts))
    assert told == sorted(told)
    assert all(counts[3] == 4 and counts[0] <= counts[1] == 800_000 for counts in told)
    assert told[-1] == (800_000, 800_000, 4, 4)
    told.clear()
    tilelab.run(TEXT, games=1, progress=lambda *counts: told.append(counts))
    assert told[-1] == (4, 4, 4, 4)

    def fail(*counts):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tilelab.run(TEXT, games="1G", progress=fail)


def test_notebooks_show_a_bar(monkeypatch):
    # Colab's shell inherits from that of Jupyter.
    jupyter = type("ZMQInteractiveShell", (), {})
    for shell, shown in ((jupyter(), True), (type("Shell", (jupyter,), {})(), True), (object(), False), (None, False)):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        assert _progress.Bar("name", None)._is_shown == shown


@pytest.mark.parametrize("is_kept", [True, False])
def test_games_and_distributions_are_rows(tmp_path, is_kept):
    out = tmp_path if is_kept else None
    result = tilelab.run({**DICT, "per_game": "csv"}, out=out, progress=False)
    games = result.per_game().to_polars()
    assert games.height == result.games == 1_200
    assert games.schema["game_index"] == games.schema["moves"] == pl.UInt64
    wins = games.group_by("cell", maintain_order=True).agg(pl.col("outcome").eq("won").sum())
    assert wins["outcome"].to_list() == result["wins"]
    bins = pickle.loads(pickle.dumps(result)).distributions().to_pandas()
    assert bins["games"].sum() == result.games
    assert bins["wins"].sum() == sum(result["wins"])
    if is_kept:
        assert tilelab.load(tmp_path / "small").per_game().csv == result.per_game().csv


def test_rows_that_are_not_there_are_explained(tmp_path):
    with pytest.raises(ValueError, match='per_game = "csv"'):
        tilelab.run(DICT, games=10, progress=False).per_game()
    kept = tilelab.run({**DICT, "per_game": True}, games=10, out=tmp_path, progress=False)
    with pytest.raises(ValueError, match="read_parquet"):
        kept.per_game()
    played = tilelab.run({**DICT, "per_game": True}, games=10, progress=False)
    assert len(played.per_game()) == 40


def test_a_planned_experiment_is_run():
    planned = tilelab.plan({"name": "planned", "seed": 1, "table": [{"title": "t", "game": "67", "size": "3x3"}]}, games=50, seed=3)
    assert tilelab.run(planned)["games"] == [50]
    with pytest.raises(ValueError, match="planned already"):
        tilelab.run(planned, seed=4)


def test_programs_of_files_need_leave(tmp_path):
    script, left = tmp_path / "leave.sh", tmp_path / "left"
    script.write_text(f"touch '{left}'\n")
    player = f'player = {{ command = ["sh", "{script}"] }}'
    text = f'name = "p"\nseed = 1\ngames = 2\n[[table]]\ntitle = "t"\ngame = "2048"\nsize = "2x2"\n{player}\n'
    with pytest.raises(ValueError, match="allow_programs=True"):
        tilelab.run(text)
    assert not left.exists()
    # The program answers nothing, so that it forfeits every game.
    result = tilelab.run(tilelab.plan(text, allow_programs=True))
    assert left.exists() and result["forfeited"] == [2]


def test_dimensions_are_what_distinguishes_rows():
    pytest.importorskip("xarray")
    one = tilelab.simulate("67", size="2x2", games=10)
    assert not one.to_xarray().dims and one.to_xarray()["games"].item() == 10
    boards = tilelab.simulate("67", size=["2x2", "3x3", "2x3"], operators=["+", "+-"], games=10)
    data = boards.to_xarray()
    assert dict(data.sizes) == {"size": 3, "operators": 2} and not data["games"].isnull().any()
    assert data.sel(size="2x3", operators="+")["cols"].item() == 3
    full = tilelab.simulate("67", rows=[2, 3], cols=[2, 3], games=10)
    assert dict(full.to_xarray().sizes) == {"rows": 2, "cols": 2}
    players = tilelab.simulate("67", size="2x2", player=["random", "greedy", "cycle"], games=10)
    differences = tilelab.compare(players, by="player").to_xarray()
    assert dict(differences.sizes) == {"cell_b": 2}
    assert tilelab.compare(one, one).to_xarray()["win_pct_diff"].item() == 0


def test_texts_of_digits_are_what_was_given():
    result = tilelab.simulate("67", size="2x2", digits=["123", "45"], games=10)
    assert result["digits"] == result.to_polars()["digits"].to_list() == result.to_pandas()["digits"].tolist() == ["123", "45"]


def test_many_rows_are_read_and_shown_in_parts(tmp_path):
    result = tilelab.run(f'per_game = "csv"\n{TEXT}', out=tmp_path)
    rows = result.per_game()
    every = list(rows)
    assert len(every) == len(rows) == 1200
    assert [rows[0], rows[5], rows[-1]] == [every[0], every[5], every[-1]]
    assert rows[3:9:2] == every[3:9:2] and rows[::-400] == every[::-400] and rows[9:3] == []
    assert rows.to_polars().to_dicts() == every
    shown = rows._repr_html_()
    assert shown.count("<tr>") == 11 and "the first 10 of 1,200 rows" in shown
    with pytest.raises(IndexError, match="row 1200: there are 1200 rows"):
        rows[1200]
