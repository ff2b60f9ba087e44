"""Types as a user's program meets them: misspelt keywords and wrong values are found before it runs."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import keywords
import pytest

import tilelab

PROGRAM = Path(__file__).with_name("program.py")
MISTAKES = [
    'tilelab.simulate("67", operater_rate=0.5)',
    'tilelab.simulate("67", rules="gaples")',
    'tilelab.simulate("67", target="many")',
    "envs.SixtySevenVecEnv(4, colour=1)",
    'envs.SixtySevenEnv(observation="pixels")',
    'envs.TwentyFortyEightEnv(observation="project")',
    "envs.SixtySevenEnv().reset()[0].shape",
    "envs.SixtySevenEnv(num_envs=3)",
    "envs.CalculatorEnv(operator_rate=0.5)",
    'tilelab.Player("67", sice="4x4")',
    "tilelab.evaluate(lambda observations, legal: legal, goals=3)",
    'tilelab.simulate("67").to_polar()',
    'tilelab.match("67", [first, 3])',
    'tilelab.learn("67", "my.weights", sise="4x4")',
    'tilelab.Player("67").act({"kinds": [1]})',
    'tilelab.afterstates("67", "3x3")',
    'tilelab.dataset("67", "greedy", sise="4x4")',
]


def test_keywords_are_those_of_the_catalog():
    spec = importlib.util.find_spec("tilelab._keywords")
    # In a process of its own, to which no test has added games.
    made = subprocess.run([sys.executable, keywords.__file__], capture_output=True, text=True, check=True).stdout
    with open(spec.origin, encoding="utf-8") as file:
        assert file.read() == made


def mypy(path):
    pytest.importorskip("mypy")
    return [sys.executable, "-m", "mypy", "--strict", "--python-executable", sys.executable, path]


def pyright(path):
    pytest.importorskip("pyright")
    return [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, path]


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_mistakes_are_found_and_sound_programs_pass(checker, tmp_path):
    path = tmp_path / "program.py"

    def check(text):
        path.write_text(text, encoding="utf-8")
        return subprocess.run(checker(path), cwd=tmp_path, capture_output=True, text=True, timeout=600)

    sound = PROGRAM.read_text(encoding="utf-8")
    shown = check(sound)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    wrong = check(sound + "\n".join(MISTAKES) + "\n")
    lines = len(sound.splitlines())
    for number, mistake in enumerate(MISTAKES, start=lines + 1):
        assert f"program.py:{number}:" in wrong.stdout, (mistake, wrong.stdout)


def test_the_program_runs(tmp_path):
    subprocess.run([sys.executable, "-W", "error", PROGRAM], cwd=tmp_path, timeout=300, check=True)


@pytest.mark.parametrize("call", ["tilelab.simulate('67', operator_r", "envs.SixtySevenEnv(operator_r", "envs.SixtySevenVecEnv(4, operator_r"])
def test_keywords_are_completed(call):
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    interactive.run_cell("import tilelab\nfrom tilelab import envs")
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        found = [completion.text for completion in interactive.Completer.completions(call, len(call))]
    assert found == ["operator_rate="]


def test_public_names_have_types():
    pytest.importorskip("pyright")
    # It asks the Python on the path where packages are.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    words = [sys.executable, "-m", "pyright", "--verifytypes", "tilelab", "--ignoreexternal", "--outputjson"]
    shown = subprocess.run(words, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=600)
    found = json.loads(shown.stdout)["typeCompleteness"]
    unknown = [symbol["name"] for symbol in found["symbols"] if not symbol["isTypeKnown"]]
    assert found["completenessScore"] >= 0.98, unknown


def test_the_catalog_is_data():
    game = next(game for game in tilelab.games() if "2048" in game.names)
    assert (game.name, game.seats) == ("twenty-forty-eight", 1)
    parameters = {parameter.name: parameter for parameter in game.parameters}
    assert parameters["goal"].default == 2048 and parameters["goal"].kind == "int"
    assert "merge_score" in game.measures
    assert {player.name for player in tilelab.players("2048")} >= {"random", "corner"}
    with pytest.raises(ValueError, match="68: unknown game; accepted: sixty-seven, 67, "):
        tilelab.players("68")
