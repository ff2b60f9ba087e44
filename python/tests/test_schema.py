"""The JSON schema of experiment files and their reader hold the same view: every experiment of the
project fits the schema, broken ones fit neither, and both know the same keys."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tilelab

jsonschema = pytest.importorskip("jsonschema")
tomllib = pytest.importorskip("tomllib", reason="Python has it from 3.11 on")

PROGRAM = Path(sys.executable).with_name("tilelab")
if not PROGRAM.exists():
    pytest.skip(f"there is no program {PROGRAM}", allow_module_level=True)
EXPERIMENTS = next(folder / "experiments" for folder in Path(__file__).parents if (folder / "experiments").is_dir())
TEXT = subprocess.run([PROGRAM, "generate", "schema"], capture_output=True, text=True, check=True).stdout
SCHEMA = json.loads(TEXT)
# Other tests of the process add games of their own.
GAMES = [game for game in tilelab.games() if game.name in SCHEMA["definitions"]]
assert len(GAMES) >= 5

HEAD = 'name = "x"\nseed = 1\n'
TABLE = '[[table]]\ntitle = "t"\ngame = "sixty-seven"\n'
DEFAULTS = (
    '[defaults]\ngame = "sixty-seven"\nplayer = "random"\nrules = ["original", "gapless"]\nsize = "3x3"\n'
)

SOUND = [
    HEAD + head + TABLE + lines
    for head, lines in [
        ("", ""),
        ("games = 10\nconfidence = 0.99\n", 'size = ["3x3", "4x5"]\nplayer = [{ name = "random" }]\n'),
        (
            "stop = { half_width = 0.01, max_games = 100 }\n",
            "operator_rate = { from = 0.3, to = 0.5, step = 0.1 }\n",
        ),
        (
            "",
            "stop = { relative = 0.1, half_width = 0.2, max_games = 7 }\ntiles_per_turn = { from = 1, to = 4 }\n",
        ),
        ("", 'rows = [2, 3]\ncols = [3, 2]\nzip = [["rows", "cols"]]\n'),
        ("", 'rows = [2, 3]\ncols = 3\nexclude = [{ rows = 2 }]\nrules = ["gapless", "bounded"]\n'),
        (
            "",
            'target = -5\noperators = "+-"\nvalue_limit = 99\nmax_rounds = 12\ndigits = "123"\noperator_rate = 1\n',
        ),
    ]
] + [
    HEAD + DEFAULTS + table
    for table in [
        '[[table]]\ntitle = "t"\n',
        TABLE,
        '[[table]]\ntitle = "t"\nrules = "bounded"\nsize = "2x2"\n',
    ]
]

BROKEN = [
    f"{HEAD}{TABLE}{line}\n"
    for line in [
        'size = "0x3"',
        'size = "3by3"',
        "size = 3",
        "size = []",
        "rows = 0",
        "rows = 65",
        "rows = 3.5",
        'cols = "3"',
        'rules = "orignal"',
        'rules = ["original", 1]',
        "operator_rate = 1.5",
        "operator_rate = -0.1",
        'operator_rate = "half"',
        "operator_rate = []",
        "operator_rate = { from = 0.1 }",
        "operator_rate = { from = 0.1, to = 0.9, step = 0.0 }",
        "operator_rate = { from = 0.1, to = 0.9, by = 0.1 }",
        "tiles_per_turn = 0",
        "tiles_per_turn = true",
        "operators = 5",
        "value_limit = -1",
        "max_rounds = 0",
        'player = "nobody"',
        "player = 3",
        "player = { depth = 3 }",
        'player = { name = "random", depth = 3 }',
        'opponent = "random"',
        "operater_rate = 0.5",
        "games = 0",
        'games = "many"',
        "published = 3",
        'zip = ["rows", "cols"]',
        'zip = [["rows"]]',
        "exclude = [{}]",
        "exclude = [{ nonsense = 1 }]",
        "stop = { half_width = 0.1 }",
        "stop = { max_games = 10 }",
        "stop = { half_width = 0.7, max_games = 10 }",
        "stop = { half_width = 0.1, max_games = 10, min_games = 1 }",
    ]
] + [
    HEAD,
    f'name = "x"\n{TABLE}',
    f"seed = 1\n{TABLE}",
    f'name = "a b"\nseed = 1\n{TABLE}',
    f'name = "x"\nseed = -1\n{TABLE}',
    f"{HEAD}confidence = 1.0\n{TABLE}",
    f"{HEAD}seeed = 1\n{TABLE}",
    f"{HEAD}table = 3\n",
    f'{HEAD}[[table]]\ngame = "sixty-seven"\n',
    f'{HEAD}[[table]]\ntitle = " "\ngame = "sixty-seven"\n',
    f'{HEAD}[[table]]\ntitle = "t"\n',
    f'{HEAD}[defaults]\nsize = "3x3"\n[[table]]\ntitle = "t"\n',
    f'{HEAD}[defaults]\ntitle = "t"\n{TABLE}',
    f'{HEAD}[defaults]\ngame = "chess"\n[[table]]\ntitle = "t"\n',
    f'{HEAD}[defaults]\nrules = "orignal"\n{TABLE}',
    f'{HEAD}[defaults]\ngame = "sixty-seven"\n[[table]]\ntitle = "t"\nfour_rate = 0.1\n',
    f'{HEAD}[[table]]\ntitle = "t"\ngame = "chess"\n',
]


def validator(schema):
    return jsonschema.validators.validator_for(schema)(schema)


def definition(name):
    """Checks values against one of the schema's definitions."""
    return validator(
        {
            "$schema": SCHEMA["$schema"],
            "allOf": [{"$ref": f"#/definitions/{name}"}],
            "definitions": SCHEMA["definitions"],
        }
    )


def faults(text):
    return [error.message for error in validator(SCHEMA).iter_errors(tomllib.loads(text))]


def problems(folder, text):
    """What the reader says of an experiment; empty if it is sound."""
    path = folder / "x.toml"
    path.write_text(text)
    checked = subprocess.run([PROGRAM, "check", "--no-forecast", path], capture_output=True, text=True)
    assert checked.returncode in (0, 2), checked.stderr
    return checked.stderr if checked.returncode else ""


def test_every_experiment_fits_the_schema_and_names_it():
    experiments = list(EXPERIMENTS.glob("*.toml"))
    assert experiments
    for path in experiments:
        text = path.read_text(encoding="utf-8")
        assert faults(text) == [], path
        assert text.startswith("#:schema tilelab.schema.json\n"), path


def test_the_schema_beside_the_experiments_is_current():
    current = (EXPERIMENTS / "tilelab.schema.json").read_text(encoding="utf-8") == TEXT
    assert current, "write it with: tilelab generate schema > experiments/tilelab.schema.json"


@pytest.mark.parametrize("text", SOUND)
def test_sound_experiments_fit_both(text, tmp_path):
    assert faults(text) == []
    assert problems(tmp_path, text) == ""


@pytest.mark.parametrize("text", BROKEN)
def test_broken_experiments_fit_neither(text, tmp_path):
    assert faults(text), "the schema accepts it"
    assert problems(tmp_path, text), "the reader accepts it"


def test_reader_and_schema_know_the_same_keys(tmp_path):
    def listed(text):
        """The keys that a refusal of the unknown key ``nonsense`` lists."""
        said = problems(tmp_path, text)
        return set(re.search(r"nonsense.*?accepted: ([^;\n]*)", said)[1].split(", "))

    definitions = SCHEMA["definitions"]
    assert listed(f"nonsense = 1\n{HEAD}{TABLE}") == set(SCHEMA["properties"])
    stop = f"{HEAD}{TABLE}stop = {{ half_width = 0.1, max_games = 3, nonsense = 1 }}\n"
    assert listed(stop) == set(definitions["stop"]["properties"])
    for game in GAMES:
        table = f'{HEAD}[[table]]\ntitle = "t"\ngame = "{game.name}"\nnonsense = 1\n'
        assert listed(table) == set(definitions[game.name]["properties"]), game.name


def test_defaults_fit_the_schema():
    """The defaults of every parameter fit the schema of their own key."""
    for game in GAMES:
        for parameter in game.parameters:
            name = f"{game.name}.{parameter.name}"
            schema = SCHEMA["definitions"].get(name, {})
            if "default" in schema:
                assert definition(name).is_valid(schema["default"]), name


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_players_that_need_no_parameter_fit_by_their_name_alone(game, tmp_path):
    one = definition(f"{game.name}.player")
    for player in game.players:
        table = f'{HEAD}[[table]]\ntitle = "t"\ngame = "{game.name}"\nplayer = {{ name = "{player.name}" }}\n'
        said = problems(tmp_path, table)
        assert one.is_valid({"name": player.name}) == (said == ""), f"{player.name}: {said}"


def test_the_schema_is_small():
    """Each part is written once."""
    assert len(TEXT.encode()) <= 99_000
