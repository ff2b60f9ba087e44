"""The baselines at toy size; those that need PyTorch are left out where it is not installed."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "baselines"
TOY = ["--size", "2x3", "--games", "40"]


def run(tmp_path, script, *words):
    command = [sys.executable, FOLDER / f"{script}.py", *TOY, *words]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("td", ["--envs", "16", "--width", "4"]),
        ("ppo", ["--envs", "8", "--steps", "16", "--batch", "64", "--epochs", "1"]),
        ("imitation", ["--teacher", "greedy", "--width", "4", "--passes", "1"]),
    ],
)
def test_a_baseline_learns_for_a_moment(tmp_path, script, words):
    if script != "td":
        pytest.importorskip("torch")
    has_logs = find_spec("tensorboardX" if script == "td" else "tensorboard") is not None
    logs = ["--logs", str(tmp_path / "logs")] if has_logs else []
    result = json.loads(run(tmp_path, script, "--minutes", "0.02", *words, *logs).splitlines()[-1])
    assert result["agent"].startswith(script) and (result["size"], result["games"]) == ("2x3", 40)
    assert result["steps"] > 0 and 0 <= result["wins"] <= 40
    assert not logs or list((tmp_path / "logs").iterdir())


def test_temporal_differences_learn_a_small_board():
    sys.path.insert(0, str(FOLDER))
    try:
        import numpy as np
        import td
    finally:
        sys.path.remove(str(FOLDER))
    # The slopes that it learns by are those of its loss.
    generator = np.random.default_rng(3)
    values = td.Values(4, 0.0, generator)
    triples = generator.integers(0, td.TILES, (6, 5)) % 3
    targets = generator.random(6)
    values.weights = [weight.astype(np.float64) for weight in values.weights]
    values.means = [np.zeros_like(weight) for weight in values.weights]
    before = values.learn(triples, targets)
    slopes = [10 * mean for mean in values.means]
    for weight, found in zip(values.weights, slopes, strict=True):
        place = tuple(np.unravel_index(np.abs(found).argmax(), found.shape))
        slope = found[place]
        weight[place] += 1e-5
        after = values.learn(triples, targets)
        weight[place] -= 1e-5
        assert (after - before) / 1e-5 == pytest.approx(slope, rel=1e-2)


def test_results_are_a_table_with_seeds_and_intervals(tmp_path):
    table = run(tmp_path, "results", "td", "--minutes", "0.01", "--seeds", "1", "2").splitlines()
    assert len(table) == 3 and table[2].startswith("| td | 2x3 | 0.01 | ")
    assert table[2].count("[") == 3
