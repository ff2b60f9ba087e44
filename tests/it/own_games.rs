//! A game of one's own: the whole command line knows it, the players of any game play it, and the
//! crate that `init` writes is the example.

use crate::common::{folder, refused, stdout, succeeded, text, tilelab};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::players::mcts::Mcts;
use tilelab::players::monte_carlo::{ByRules, MonteCarlo, Playouts};
use tilelab::players::sixty_seven::monte_carlo;
use tilelab::rng::{CellSeeds, Stream};
use tilelab::{
    Cell, Describe, Game, GameEntry, NamedPlayer, Outcome, ParamSpec, Params, PlayableGame, Player,
    Turns,
};

const EXPERIMENT: &str = include_str!("../../examples/own_game.toml");

/// The program with Pig, built as `cargo test` builds the examples.
static PIG: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_BIN_EXE_tilelab")).parent().unwrap();
    let program = folder.join(format!("examples/own_game{}", std::env::consts::EXE_SUFFIX));
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--example", "own_game"])
        .args(folder.ends_with("release").then_some("--release"))
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(cargo.status().unwrap().success());
    program
});

fn pig(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(&*PIG)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The chance of winning a turn by a rule that says of each sum below the goal whether to stop;
/// before each choice the die is rolled. Stopping early never wins, so the best rule never stops.
fn chance(goal: usize, stops: impl Fn(usize) -> f64) -> f64 {
    // The chance with each number of points before a roll; nobody rolls on for ever.
    let mut before = vec![0.0; goal + 500];
    for points in (0..goal + 490).rev() {
        let after = |sum: usize| {
            let wins = f64::from(u8::from(sum >= goal));
            stops(sum) * wins + (1.0 - stops(sum)) * before[sum]
        };
        before[points] = (2..=6).map(|eyes| after(points + eyes)).sum::<f64>() / 6.0;
    }
    before[0]
}

fn best(goal: usize) -> f64 {
    chance(goal, |sum| f64::from(u8::from(sum >= goal)))
}

/// Goal, player, games and wins of each cell.
fn cells(file: &Path) -> Vec<(usize, String, f64, f64)> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let head = reader.headers().unwrap().clone();
    let cell = |row: csv::StringRecord| {
        let of = |name| row[head.iter().position(|one| one == name).unwrap()].to_owned();
        let number = |name| of(name).parse::<f64>().unwrap();
        (
            number("goal") as usize,
            of("player"),
            number("games"),
            number("wins"),
        )
    };
    reader.records().map(|row| cell(row.unwrap())).collect()
}

/// The example has at most 40 lines of code, and one more for rare wins.
#[test]
fn the_example_has_forty_lines() {
    let source = include_str!("../../examples/own_game.rs");
    let is_needed = |line: &str| !line.is_empty() && !line.starts_with("const LEVEL");
    let is_code = |line: &&str| is_needed(line.trim()) && !line.trim().starts_with("//");
    assert!(source.lines().filter(is_code).count() <= 40);
}

#[test]
fn init_writes_the_example_as_a_crate_and_never_overwrites() {
    let out = folder();
    let mine = out.path().join("mine");
    succeeded(&tilelab(&["init", text(&mine), "--game", "pig"]));
    let read = |name: &str| std::fs::read_to_string(mine.join(name)).unwrap();
    let source = include_str!("../../examples/own_game.rs");
    assert_eq!(
        read("src/main.rs"),
        source.replace("--example own_game ", "")
    );
    assert_eq!(read("pig.toml"), EXPERIMENT);
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    assert_eq!(manifest["package"]["name"].as_str(), Some("mine"));
    let library = manifest["dependencies"]["tilelab"]["path"]
        .as_str()
        .unwrap();
    assert_eq!(Path::new(library), Path::new(env!("CARGO_MANIFEST_DIR")));
    // Cargo takes the manifest, with the library where it lies.
    let mut cargo = Command::new(env!("CARGO"));
    let metadata = cargo
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(&mine)
        .output()
        .unwrap();
    succeeded(&metadata);
    std::fs::write(mine.join("pig.toml"), "mine").unwrap();
    refused(
        &tilelab(&["init", text(&mine), "--game", "pig"]),
        &["mine", "already exists"],
    );
    assert_eq!(read("pig.toml"), "mine");
    refused(
        &tilelab(&["init", text(&out.path().join("two words")), "--game", "pig"]),
        &["two words", "name of the crate"],
    );
}

/// The recursion over states against one over the points alone.
#[test]
fn exact_figures_of_the_example_are_those_of_its_points() {
    let out = folder();
    for goal in [1, 2, 10, 20, 30] {
        for (play, expected) in [("random", chance(goal, |_| 0.5)), ("optimal", best(goal))] {
            let setting = format!("goal={goal}");
            let line = [
                "exact", "--game", "pig", "--json", "--set", &setting, "--player", play,
            ];
            let output = pig(out.path(), &line);
            succeeded(&output);
            let figures: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
            for bound in ["win_pct_lo", "win_pct_hi"] {
                let found = figures[bound].as_f64().unwrap() / 100.0;
                assert!(
                    (found - expected).abs() < 1e-11,
                    "{goal}: {figures}, {expected}"
                );
            }
        }
    }
}

/// The pilot finds levels of its own, and the rates are the exact ones: 10⁻⁴ and 5 · 10⁻⁶.
#[test]
fn rare_wins_of_the_example_are_split() {
    let out = folder();
    let text = "name = \"rare\"\nseed = 67\ngames = 20_000\n[[table]]\ntitle = \"rare\"\ngame = \"pig\"\n\
                goal = [40, 60]\nmethod = [\"splitting\", \"plain\"]\n";
    std::fs::write(out.path().join("rare.toml"), text).unwrap();
    succeeded(&pig(out.path(), &["run", "rare.toml"]));
    let mut reader = csv::Reader::from_path(out.path().join("results/rare/cells.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        if row["method"] == "plain" {
            assert!(
                row["levels"].is_empty() && !row["cell"].contains("method"),
                "{row:?}"
            );
            continue;
        }
        let exact = 100.0 * chance(number("goal") as usize, |_| 0.5);
        let range = number("win_pct_lo")..=number("win_pct_hi");
        assert!(range.contains(&exact), "{row:?}, exactly {exact} %");
        assert!(
            number("effective_games") > 30.0 * number("games"),
            "{row:?}"
        );
    }
    let split = ["run", "--game", "pig", "--set", "method=splitting"];
    for (more, says) in [
        (["--player", "mcts"], "split for random only, not for mcts"),
        (["--kernel", "portable"], "kernel: portable"),
    ] {
        let output = pig(out.path(), &[&split[..], &more].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(says),
            "{output:?}"
        );
    }
}

#[test]
fn the_whole_command_line_knows_a_game_of_ones_own() {
    let out = folder();
    let run = |arguments: &[&str]| {
        let output = pig(out.path(), arguments);
        succeeded(&output);
        stdout(&output)
    };
    std::fs::write(out.path().join("pig.toml"), EXPERIMENT).unwrap();
    assert!(run(&["list", "games"]).contains("pig"));
    assert!(run(&["list", "players", "pig"]).contains("mcts"));
    run(&[
        "run",
        "pig.toml",
        "--games",
        "300",
        "--where",
        "player=random",
        "--out",
        "out",
    ]);
    assert!(run(&["status", "out/pig"]).contains("pig"));
    run(&["compare", "out/pig", "--by", "goal"]);
    assert!(
        run(&[
            "run",
            "--game",
            "pig",
            "--games",
            "200",
            "--player",
            "mcts(iterations=20)"
        ])
        .contains("mcts")
    );
    let line = run(&["replay", "pig.toml", "--row", "1", "--game", "0", "--json"]);
    let line: serde_json::Value = serde_json::from_str(line.lines().nth(1).unwrap()).unwrap();
    assert_eq!(line["legal"], serde_json::json!(["roll", "stop"]));
    assert!(line["position"]["points"].is_u64());
    // A program that has the game writes an experiment of it.
    run(&["init", "more.toml", "--game", "pig"]);
    run(&["check", "more.toml", "--no-forecast"]);
}

#[test]
fn positions_of_any_game_are_answered() {
    let out = folder();
    let position = r#""position":{"points":23,"rolls":5,"over":false}"#;
    let cases = [
        (
            format!("{{{position}}}"),
            r#"{"legal":["roll","stop"],"outcome":null}"#,
        ),
        (
            format!(r#"{{{position},"move":"stop"}}"#),
            r#"{"position":{"points":23,"rolls":5,"over":true},"outcome":"won"}"#,
        ),
        (
            format!(r#"{{{position},"player":"monte-carlo","playouts":5}}"#),
            r#"{"move":"stop","nodes":0}"#,
        ),
        (
            format!(r#"{{{position},"move":"up"}}"#),
            r#"move: \"up\" is not legal; accepted: roll, stop"#,
        ),
        (
            format!(r#"{{{position},"points":3}}"#),
            "points: unknown key; accepted: position, move, player",
        ),
        ("{}".to_owned(), "position: missing"),
        (
            r#"{"position":{"points":1}}"#.to_owned(),
            "position: missing field `rolls`",
        ),
        (
            r#"{"position":{"points":0,"rolls":1,"over":true},"player":"random"}"#.to_owned(),
            "position: the game is over",
        ),
    ];
    let requests: Vec<&str> = cases.iter().map(|(request, _)| &**request).collect();
    std::fs::write(out.path().join("requests"), requests.join("\n")).unwrap();
    let requests = std::fs::File::open(out.path().join("requests")).unwrap();
    let mut program = Command::new(&*PIG);
    let output = program
        .args(["move", "--game", "pig"])
        .stdin(requests)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let answers = stdout(&output);
    assert_eq!(answers.lines().count(), cases.len());
    for (answer, (request, expected)) in answers.lines().zip(cases) {
        let text = answer.strip_prefix(r#"{"error":""#).unwrap_or(answer);
        assert!(text.starts_with(expected), "{request}: {answer}");
    }
}

/// Random play and the players of any game beside exact figures, in the experiment of the example,
/// and the table of the page, which is its result.
#[test]
fn players_of_any_game_are_near_best_play_of_pig() {
    let out = folder();
    std::fs::write(out.path().join("pig.toml"), EXPERIMENT).unwrap();
    succeeded(&pig(out.path(), &["run", "pig.toml"]));
    let results = out.path().join("results/pig");
    for (goal, player, games, wins) in cells(&results.join("cells.csv")) {
        let exact = if player == "random" {
            chance(goal, |_| 0.5)
        } else {
            best(goal)
        };
        let rate = wins / games;
        let error = (exact * (1.0 - exact) / games).sqrt();
        let near = if player == "random" { 0.0 } else { 0.005 };
        assert!(
            rate - exact < 4.5 * error && exact - rate < near + 4.5 * error,
            "{player}, goal {goal}: {rate}, exactly {exact}"
        );
    }
    let table = std::fs::read_to_string(results.join("table.md")).unwrap();
    let page = include_str!("../../docs/own-games.md");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
    assert!(
        page.contains(&rows.join("\n")),
        "docs/own-games.md lacks this:\n{}",
        rows.join("\n")
    );
    let source = include_str!("../../examples/own_game.rs");
    let code = &source[source.find("use tilelab").unwrap()..];
    assert!(
        page.contains(code),
        "docs/own-games.md has other rules than the example"
    );
}

/// Seat 0 chooses a row, then seat 1 a column; seat 0 wins where the table says so.
#[derive(Clone)]
struct TwoMoves;

/// The moves so far.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Made(Vec<u8>);

/// Only in the second row seat 0 wins whatever seat 1 does.
const TABLE: [[bool; 3]; 3] = [[true, true, false], [true, true, true], [true, false, true]];

impl Game for TwoMoves {
    type State = Made;
    type Move = u8;
    const MOVES: &[u8] = &[0, 1, 2];

    fn start(&self, _: &mut Stream) -> Made {
        Made::default()
    }

    fn seat(&self, made: &Made) -> usize {
        made.0.len() % 2
    }

    fn play(&self, made: &mut Made, chosen: u8) {
        made.0.push(chosen);
    }

    fn outcome(&self, made: &Made) -> Option<Outcome> {
        let [row, column] = made.0[..] else {
            return None;
        };
        Some(Outcome::new(TABLE[row as usize][column as usize], 2))
    }
}

impl Describe for TwoMoves {}

impl PlayableGame for TwoMoves {
    const ENTRY: GameEntry = GameEntry {
        seats: 2,
        ..GameEntry::new("two-moves", "a row and a column", &[])
    };

    fn build(_: &Params) -> Self {
        Self
    }
}

/// Each seat plays for itself: seat 1 takes the only column in which seat 0 loses.
#[test]
fn players_of_any_game_play_for_the_seat_to_move() {
    let check = |mut player: Box<dyn Player<TwoMoves>>, made: &[u8], expected: u8| {
        let mut stream = CellSeeds::of(1).player_stream(0);
        let state = Made(made.to_vec());
        player.begin(&TwoMoves);
        let chosen = player.choose(&TwoMoves, &state, TwoMoves::MOVES, &mut stream);
        assert_eq!(chosen, expected, "after {made:?}");
        let values = player
            .evaluate(&TwoMoves, &state, TwoMoves::MOVES, &stream)
            .unwrap();
        let best = values[usize::from(expected)];
        assert!(values.iter().all(|value| *value <= best), "{values:?}");
    };
    for (made, expected) in [(&[][..], 1), (&[0][..], 2), (&[2][..], 1)] {
        let params = Params::defaults(<ByRules<TwoMoves> as Playouts<TwoMoves>>::PARAMS);
        check(
            Box::new(MonteCarlo::<ByRules<TwoMoves>>::build(&params).unwrap()),
            made,
            expected,
        );
        let params = Params::defaults(Mcts::<TwoMoves>::PARAMS);
        check(
            Box::new(Mcts::<TwoMoves>::build(&params).unwrap()),
            made,
            expected,
        );
    }
}

/// The tree finds what flat Monte Carlo cannot: in level 20 of Calculator the first press that wins
/// is not the one after which random presses win most often, in some levels.
#[test]
fn a_tree_solves_levels_of_calculator() {
    for level in [8, 20, 30] {
        let wins = |player: &str| {
            let cell = format!("calculator level={level} player={player}");
            Cell::parse(&cell).unwrap().play(20, 1).unwrap().wins
        };
        let [random, tree] = ["random", "mcts(iterations=3000)"].map(wins);
        assert!(
            tree >= 18 && tree >= random,
            "level {level}: random {random}, mcts {tree}"
        );
    }
}

/// The kernels of 67! are the fast path of the same player: where no game reaches the horizon, the
/// random games after each move win as often as those by the rules as they are written.
#[test]
fn random_games_of_67_are_those_of_the_kernels() {
    let mut game = SixtySeven::new(3, 3);
    game.target = 8;
    let build =
        |params: &[ParamSpec], settings: &[&str]| Params::from_settings(params, settings).unwrap();
    let settings = ["playouts=64", "horizon=100000"];
    let mut fast = monte_carlo::MonteCarlo::build(&build(monte_carlo::PARAMS, &settings)).unwrap();
    let params = <ByRules<SixtySeven> as Playouts<SixtySeven>>::PARAMS;
    let mut plain =
        MonteCarlo::<ByRules<SixtySeven>>::build(&build(params, &settings[..1])).unwrap();
    let mut compared = 0;
    for index in 0..20 {
        let seeds = CellSeeds::of(67);
        let mut turns = Turns::new(&game, seeds.world_stream(index));
        let mut stream = seeds.player_stream(index);
        while turns.outcome().is_none() {
            let legal = turns.legal(&game);
            let wins = |values: Option<Vec<Option<f64>>>| -> Vec<f64> {
                let values = values.unwrap().into_iter();
                values
                    .map(|value| (64.0 * value.unwrap()).floor())
                    .collect()
            };
            let by_kernel = wins(fast.evaluate(&game, turns.state(), &legal, &stream));
            let by_rules = wins(plain.evaluate(&game, turns.state(), &legal, &stream));
            assert_eq!(by_kernel, by_rules, "{:?}", turns.state().board);
            compared += by_rules.iter().filter(|wins| **wins > 0.0).count();
            let chosen = fast.choose(&game, turns.state(), &legal, &mut stream);
            turns.play(&game, chosen);
        }
    }
    assert!(compared > 50, "only {compared} moves have wins");
}
