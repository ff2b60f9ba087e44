"""The programs that the page on Python shows run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import tilelab

PAGES = [Path(__file__).parents[1] / "python.md", Path(__file__).parents[2] / "docs" / "python.md"]
PAGE = next(page for page in PAGES if page.exists())


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_programs_run(tmp_path):
    # In a process of their own, which has imported nothing else.
    programs = blocks("py")
    assert len(programs) >= 8
    (tmp_path / "page.py").write_text("\n".join(programs), encoding="utf-8")
    shown = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    printed = shown.stdout
    # The command that the page prints for a recorded game.
    (words,) = [shlex.split(line)[1:] for line in printed.splitlines() if line.startswith("tilelab replay ")]
    replayed = subprocess.run(
        [sys.executable, "-m", "tilelab._cli", *words], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert replayed.returncode == 0, replayed.stderr
    assert "[['3', '_', '_']]" in printed and "[['+2', '+2', '+2']]" in printed
    assert (tmp_path / "win_rate.svg").exists() and (tmp_path / "results" / "small" / "cells.csv").exists()


@pytest.mark.filterwarnings("default")
def test_the_training_runs(capsys):
    pytest.importorskip("sb3_contrib")
    (program,) = blocks("py,train")
    short = program.replace("1_000_000", "1_000").replace("5_000", "50").replace('VecEnv("67", 256', 'VecEnv("67", 8')
    assert short != program
    exec(compile(short, "python.md", "exec"), {"tilelab": tilelab})
    assert "| policy | 50 |" in capsys.readouterr().out
