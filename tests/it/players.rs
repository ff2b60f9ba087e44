//! The players of 67!: what they choose, that they are repeatable, what they refuse.

use crate::common::{stdout, succeeded};
use crate::effort::times;
use std::path::Path;
use std::process::{Command, Output};
use tilelab::catalog::{self, PlayerSpec, Setup};
use tilelab::game::registry::NamedPlayer;
use tilelab::game::{Game, Job, KernelChoice, Player, Tally};
use tilelab::games::sixty_seven::line::Tile;
use tilelab::games::sixty_seven::reference::{State, TileBoard};
use tilelab::games::sixty_seven::{Direction, SixtySeven};
use tilelab::params::Params;
use tilelab::players::sixty_seven::network::{FEATURES, Network};
use tilelab::players::sixty_seven::{cycle, expectimax, greedy, learning, monte_carlo, planner};
use tilelab::rng::{CellSeeds, Draw, SeedableRng, Stream};

fn params(settings: &str) -> Params {
    let entry = catalog::game("sixty-seven").unwrap();
    let mut params = Params::parse(entry.params, settings).unwrap();
    (entry.complete)(&mut params).unwrap();
    params
}

fn player(name: &str, settings: &str) -> PlayerSpec {
    let mut spec = PlayerSpec::new(catalog::game("sixty-seven").unwrap().player(name).unwrap());
    spec.params = Params::parse(spec.entry.params, settings).unwrap();
    spec
}

fn job(game: &str, player: PlayerSpec) -> Box<dyn Job> {
    let seeds = CellSeeds::new(67, game, &format!("{game} {}", player.label()));
    let setup = Setup {
        params: &params(game),
        players: &[player],
        seeds,
        kernel: KernelChoice::Auto,
    };
    catalog::game("sixty-seven").unwrap().build(&setup).unwrap()
}

/// All players that think, small.
fn thinking() -> Vec<(&'static str, Box<dyn Player<SixtySeven>>)> {
    let spec = |name, settings| player(name, settings).params;
    let monte_carlo =
        monte_carlo::MonteCarlo::build(&spec("monte-carlo", "playouts=20 horizon=10")).unwrap();
    let expectimax =
        expectimax::Expectimax::build(&spec("expectimax", "depth=2 samples=4")).unwrap();
    let greedy = greedy::Greedy::build(&spec("greedy", "")).unwrap();
    let planner = planner::Planner::build(&spec("planner", "near=32 far=8 replies=4")).unwrap();
    vec![
        ("greedy", Box::new(greedy)),
        ("monte-carlo", Box::new(monte_carlo)),
        ("expectimax", Box::new(expectimax)),
        ("planner", Box::new(planner)),
    ]
}

fn state(rows: &[&str]) -> State {
    let rows: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| row.split_whitespace().collect())
        .collect();
    State {
        board: TileBoard::from_json(&rows.into()).unwrap(),
        round: 9,
        ended: None,
        spawned: [0; 2],
    }
}

#[test]
fn a_win_at_once_is_always_taken() {
    let game = SixtySeven::from_params(&params("rules=original rows=4 cols=4"));
    for (rows, wins) in [
        (
            ["60 + 7 _", "_ _ _ 1", "2 _ _ _", "_ _ 3 _"],
            vec![Direction::Left, Direction::Right],
        ),
        (
            ["70 _ _ 4", "- _ _ _", "3 _ + _", "_ 5 _ _"],
            vec![Direction::Up, Direction::Down],
        ),
        (
            ["9 + 58 +", "8 _ _ _", "_ _ _ 2", "_ 5 _ _"],
            vec![Direction::Left, Direction::Right],
        ),
        (["1 + 60 +", "_ _ _ 7", "_ 1 _ _", "_ + _ _"], vec![]),
        (
            ["60 + 7 + ", "_ _ _ _", "_ _ _ _", "_ _ _ _"],
            vec![Direction::Left, Direction::Right],
        ),
    ] {
        let state = state(&rows);
        let mut legal = Vec::new();
        game.legal(&state, &mut legal);
        let winning: Vec<Direction> = legal
            .iter()
            .copied()
            .filter(|&direction| game.is_won(&state.board.moved(game.collapse, direction)))
            .collect();
        assert_eq!(winning, wins, "{rows:?}");
        for (name, mut player) in thinking() {
            for seed in 0..3 {
                let chosen = player.choose(&game, &state, &legal, &mut Stream::seed_from_u64(seed));
                assert!(legal.contains(&chosen), "{name} {rows:?}");
                assert!(
                    wins.is_empty() || Some(&chosen) == wins.first(),
                    "{name} {rows:?} chose {chosen}"
                );
            }
        }
    }
}

/// A choice depends on the position and the stream, not on what the player has seen before.
#[test]
fn players_forget() {
    let game = SixtySeven::from_params(&params("rules=merge-runs rows=4 cols=4"));
    let other = SixtySeven::from_params(&params("rules=original rows=5 cols=3"));
    let here = state(&["6 + _ 1", "_ 5 * _", "2 - _ 3", "_ _ 60 _"]);
    let there = state(&["1 + 2"; 5]);
    let legal = |game: &SixtySeven, state: &State| {
        let mut legal = Vec::new();
        game.legal(state, &mut legal);
        legal
    };
    for ((name, mut fresh), (_, mut used)) in thinking().into_iter().zip(thinking()) {
        used.choose(
            &other,
            &there,
            &legal(&other, &there),
            &mut Stream::seed_from_u64(5),
        );
        used.begin(&game);
        fresh.begin(&game);
        for seed in 0..5 {
            let mut streams = [Stream::seed_from_u64(seed), Stream::seed_from_u64(seed)];
            let legal = legal(&game, &here);
            let choices = [
                fresh.choose(&game, &here, &legal, &mut streams[0]),
                used.choose(&game, &here, &legal, &mut streams[1]),
            ];
            assert_eq!(choices[0], choices[1], "{name}");
            assert_eq!(streams[0], streams[1], "{name}: as many words");
        }
    }
}

#[test]
fn the_cycle_goes_round_and_skips_what_is_not_legal() {
    let game = SixtySeven::from_params(&params("rows=4 cols=4"));
    let chosen = |order: &str, round: u64, legal: &[Direction]| {
        let mut cycle =
            cycle::Cycle::build(&player("cycle", &format!("order={order}")).params).unwrap();
        let state = State {
            round,
            ..state(&["1 _ _ _", "_ _ _ _", "_ _ _ _", "_ _ _ _"])
        };
        cycle.choose(&game, &state, legal, &mut Stream::seed_from_u64(1))
    };
    let rounds = |order| {
        (1..=5)
            .map(|round| chosen(order, round, &Direction::ALL))
            .collect::<Vec<_>>()
    };
    use Direction::{Down, Left, Right, Up};
    assert_eq!(rounds("uldr"), [Up, Left, Down, Right, Up]);
    assert_eq!(rounds("lu"), [Left, Up, Left, Up, Left]);
    assert_eq!(chosen("uldr", 1, &[Down, Right]), Down);
    assert_eq!(chosen("lu", 2, &[Down, Right]), Down);
    assert_eq!(chosen("lu", 2, &[Left, Right]), Left);
}

/// Random wins about 0.2 %, greedy 36 %, planner more than 60 %.
#[test]
fn the_ladder_rises() {
    let rules = "rules=merge-runs rows=4 cols=4 operator_rate=0.67";
    let wins = |spec: PlayerSpec, games: u64| {
        let job = job(rules, spec);
        let mut tally = Tally::new(job.measures());
        job.play(0..games, &mut tally, None);
        tally.wins as f64 / games as f64
    };
    let random = wins(player("random", ""), 4000);
    let greedy = wins(player("greedy", ""), 150);
    let planner = wins(player("planner", "near=32 far=8 replies=4"), 40);
    assert!(random < 0.01, "{random}");
    assert!((0.26..0.46).contains(&greedy), "{greedy}");
    assert!(planner > 0.45, "{planner}");
}

/// Variants that nobody learned, drawn from all settings.
fn variants(count: usize) -> Vec<String> {
    let mut stream = Stream::seed_from_u64(67);
    let variant = || {
        let mut draw = Draw::next(&mut stream);
        let mut of =
            |choices: &[&str]| choices[draw.below(choices.len() as u64) as usize].to_owned();
        [
            of(&["gaps=keep", "gaps=close"]),
            of(&[
                "equal_operators=stay",
                "equal_operators=pairs",
                "equal_operators=runs",
            ]),
            of(&["size=3x4", "size=4x4", "size=5x4"]),
            of(&[
                "operators=+-*",
                "operators=+:3;-:2;*",
                "operators=+;*:4",
                "operators=+:2;-:5",
            ]),
            of(&[
                "operator_rate=0.4",
                "operator_rate=0.5",
                "operator_rate=0.6",
            ]),
            of(&[
                "digits=123",
                "numbers=1:3;5;10:2",
                "numbers=-7;2;3:4",
                "numbers=0;11:5;25",
            ]),
            of(&["target=9", "target=24", "target=67"]),
            of(&["tiles_per_turn=1", "tiles_per_turn=2"]),
            of(&["", "", "value_limit=200", "max_rounds=40"]),
        ]
        .join(" ")
    };
    std::iter::repeat_with(variant).take(count).collect()
}

/// On each variant the win rate of a thinking player is at least that of random, up to four
/// standard errors; over all it is higher.
#[test]
fn thinking_players_are_no_weaker_than_random_on_any_variant() {
    let mut sums = [0.0; 3];
    for variant in variants(times(8) as usize) {
        let wins = |name: &str, settings: &str, games: u64| {
            let job = job(&variant, player(name, settings));
            let mut tally = Tally::new(job.measures());
            job.play(0..games, &mut tally, None);
            tally.wins as f64 / games as f64
        };
        let random = wins("random", "", 4000);
        sums[0] += random;
        for (at, (name, settings, games)) in [
            ("greedy", "", 100),
            ("planner", "near=16 far=4 replies=2", 30),
        ]
        .into_iter()
        .enumerate()
        {
            let rate = wins(name, settings, games);
            let error = (random * (1.0 - random) / games as f64).sqrt();
            assert!(
                rate >= random - 4.0 * error,
                "{variant}: {name} {rate}, random {random}"
            );
            sums[at + 1] += rate;
        }
    }
    let [random, greedy, planner] = sums;
    assert!(greedy > 1.5 * random && planner > 1.5 * random, "{sums:?}");
}

/// What bounds every player where runs of operators stay: a move takes as many operators as numbers
/// from the board, so that how many more operators than numbers there are is decided by the tiles
/// that appear alone.
#[test]
fn no_move_changes_the_excess_of_operators() {
    for (rules, is_fixed) in [("original", true), ("gapless", true), ("merge-runs", false)] {
        let game = SixtySeven::from_params(&params(&format!("rules={rules} rows=6 cols=7")));
        let excess = |board: &TileBoard| {
            let of = |tile: &Tile| match tile {
                Tile::Blank => 0,
                Tile::Operator(_) => 1,
                Tile::Number(_) => -1,
            };
            board.tiles().iter().map(of).sum::<i64>()
        };
        let mut world = Stream::seed_from_u64(67);
        let mut state = game.start(&mut world);
        let mut changed = false;
        for round in 0..300 {
            game.deal(&mut state, &mut world);
            let legal: Vec<Direction> = state.board.legal(game.collapse).collect();
            let moved = |&direction| state.board.moved(game.collapse, direction);
            let mut after: Vec<TileBoard> = legal.iter().map(moved).collect();
            changed |= after
                .iter()
                .any(|after| excess(after) != excess(&state.board));
            // A board that is full is followed by a new game.
            state.board = if after.is_empty() {
                TileBoard::blank(6, 7)
            } else {
                after.swap_remove(round % after.len())
            };
        }
        assert_eq!(changed, !is_fixed, "{rules}");
    }
}

#[test]
fn learning_is_repeatable_and_learns() {
    let rules = params("rules=merge-runs rows=4 cols=4 operator_rate=0.67");
    let learned = |seed, parts: &[u64]| {
        let mut learner = learning::learner(&rules, seed).unwrap();
        let mut wins = 0;
        for part in parts.windows(2) {
            wins += learner.play(part[0]..part[1], 800).wins;
            // Tests change nothing, and a state is all that going on needs.
            learner.test(0..3);
            let mut state = Vec::new();
            learner.write_state(&mut state).unwrap();
            learner = learning::learner(&rules, seed).unwrap();
            learner.read_state(&mut state.as_slice()).unwrap();
        }
        (learner.weights(), wins)
    };
    let (first, wins) = learned(5, &[0, 800]);
    assert_eq!(first, learned(5, &[0, 1, 399, 401, 800]).0);
    assert_ne!(first, learned(6, &[0, 800]).0);
    // Random play wins 0.2 % of these games, between one and two.
    assert!(wins > 6, "{wins}");
    let game = SixtySeven::from_params(&rules);
    let network = Network::from_bytes(&game, &first).unwrap();
    let parts = (0..FEATURES).filter_map(|feature| network.part(feature));
    assert!(parts.count() > 1000 && network.layer.is_some());
}

fn tilelab(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tilelab"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

const ALL: &str = r#"name = "all"
seed = 1
games = 3
[[table]]
title = "t"
game = "sixty-seven"
size = "4x4"
rules = ["original", "bounded"]
player = ["random", { name = "cycle", order = ["uldr", "lr"] }, "greedy",
  { name = "monte-carlo", playouts = [5, 10], horizon = 10 }, { name = "expectimax", samples = [3, 5], depth = 2 },
  { name = "planner", near = 32, far = [0, 8], replies = [2, 4] }]
"#;

#[test]
fn bytes_do_not_depend_on_threads_and_times_stand_apart() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.toml"), ALL).unwrap();
    let mut bytes = Vec::new();
    let mut tables = Vec::new();
    for threads in ["1", "3"] {
        let run = tilelab(
            folder.path(),
            &[
                "run",
                "all.toml",
                "--threads",
                threads,
                "--out",
                threads,
                "--quiet",
            ],
        );
        succeeded(&run);
        bytes.push(std::fs::read(folder.path().join(threads).join("all/cells.csv")).unwrap());
        let times =
            std::fs::read_to_string(folder.path().join(threads).join("all/times.csv")).unwrap();
        let mut lines = times.lines();
        assert_eq!(
            lines.next(),
            Some("table,cell,games,moves,seconds,ms_per_move")
        );
        assert_eq!(lines.count(), 24, "a line a cell");
        let table = |name: &str| {
            std::fs::read_to_string(folder.path().join(threads).join("all").join(name)).unwrap()
        };
        assert!(
            table("times.md").contains("| ms a move |"),
            "{}",
            table("times.md")
        );
        let plot = table("win_rate_by_time.svg");
        for text in [
            "milliseconds a move",
            ">greedy</text>",
            ">planner</text>",
            "planner(near=32,",
        ] {
            assert!(plot.contains(text), "{text} is missing in {plot}");
        }
        tables.push(table("table.md").split_once('\n').unwrap().1.to_owned());
    }
    assert_eq!(bytes[0], bytes[1]);
    assert_eq!(tables[0], tables[1]);
    assert!(!tables[0].contains("ms a move"), "{}", tables[0]);
    let text = String::from_utf8(bytes.remove(0)).unwrap();
    assert!(
        text.contains("monte-carlo(playouts=10,horizon=10)"),
        "{text}"
    );
    // Continued with nothing left to play, the times stay.
    let before = std::fs::read(folder.path().join("1/all/times.csv")).unwrap();
    succeeded(&tilelab(
        folder.path(),
        &["run", "all.toml", "--threads", "1", "--out", "1", "--quiet"],
    ));
    assert_eq!(
        std::fs::read(folder.path().join("1/all/times.csv")).unwrap(),
        before
    );
}

#[test]
fn wrong_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, words) in [
        (
            "player = { name = \"monte-carlo\", playouts = 0 }",
            "player.playouts",
        ),
        (
            "player = { name = \"monte-carlo\", horizon = 0 }",
            "player.horizon",
        ),
        (
            "player = { name = \"monte-carlo\", width = 2 }",
            "player.width",
        ),
        (
            "player = { name = \"expectimax\", depth = 9 }",
            "player.depth",
        ),
        (
            "player = { name = \"expectimax\", budget_ms = 10 }",
            "player.budget_ms: a time budget",
        ),
        (
            "player = { name = \"planner\", budget_ms = [5, 10] }",
            "player.budget_ms: a time budget",
        ),
        ("player = { name = \"planner\", near = -1 }", "player.near"),
        (
            "player = { name = \"planner\", far = \"big\" }",
            "player.far",
        ),
        (
            "player = { name = \"cycle\", order = \"ulx\" }",
            "player.order",
        ),
        (
            "player = { name = \"cycle\", order = \"\" }",
            "player.order",
        ),
        ("player = \"planer\"", "did you mean \"planner\"?"),
        (
            "player = \"greedy\"\nsize = \"9x4\"",
            "size: greedy plays boards up to 8x8, not 9x4",
        ),
        (
            "player = \"planner\"\nsize = \"4x9\"",
            "size: planner plays boards up to 8x8, not 4x9",
        ),
        (
            "player = \"monte-carlo\"\nsize = \"17x4\"",
            "size: monte-carlo plays boards up to 16x16, not 17x4",
        ),
        ("player = \"greedy\"\ntarget = 7", "greedy cannot play this"),
        (
            "player = \"greedy\"\ntarget = 4_000_000_000",
            "target: greedy plays for targets within",
        ),
    ] {
        let text = format!(
            "name = \"x\"\nseed = 1\ngames = 1\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n{line}\n"
        );
        std::fs::write(folder.path().join("x.toml"), text).unwrap();
        let run = tilelab(folder.path(), &["run", "x.toml", "--quiet"]);
        let message = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains(words), "{line}: {message}");
        assert!(
            !folder.path().join("results").exists(),
            "{line}: nothing is written"
        );
    }
}

#[test]
fn kernels_are_for_the_random_player() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.toml"), ALL).unwrap();
    let run = tilelab(folder.path(), &["run", "all.toml", "--kernel", "portable"]);
    assert_eq!(run.status.code(), Some(2));
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(
        message.contains("portable plays the random player only; cycle accepts: auto, reference"),
        "{message}"
    );
}

#[test]
fn each_of_players_with_one_name_is_listed() {
    let list = tilelab(Path::new("."), &["list", "players"]);
    let text = String::from_utf8(list.stdout).unwrap();
    for (name, games) in [
        ("greedy", "(plays sixty-seven)"),
        ("greedy", "(plays offset, zero-sum)"),
        ("monte-carlo", "(plays sixty-seven)"),
        ("expectimax", "(plays sixty-seven)"),
        ("expectimax", "(plays twenty-forty-eight)"),
        (
            "random",
            "(plays sixty-seven, calculator, twenty-forty-eight, offset, zero-sum)",
        ),
    ] {
        let is_it =
            |line: &&str| line.starts_with(&format!("player {name}: ")) && line.ends_with(games);
        assert_eq!(
            text.lines().filter(is_it).count(),
            1,
            "{name} {games}\n{text}"
        );
    }
}

#[test]
fn people_can_ask_every_player() {
    for player in [
        "cycle",
        "greedy",
        "monte-carlo(playouts=5)",
        "expectimax(budget_ms=2)",
        "planner(budget_ms=5)",
    ] {
        let board = "60 + _ 1/_ _ _ _/_ 7 _ _/_ _ _ 3";
        let mut play = Command::new(env!("CARGO_BIN_EXE_tilelab"))
            .args([
                "play",
                "sixty-seven",
                "--seed",
                "1",
                "--hints",
                player,
                "--board",
                board,
            ])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut play.stdin.take().unwrap(), b"hint\nquit\n").unwrap();
        let output = play.wait_with_output().unwrap();
        let text = stdout(&output);
        succeeded(&output);
        let hint = text
            .lines()
            .find(|line| line.contains("hint: "))
            .unwrap_or_else(|| panic!("{player}: {text}"));
        assert!(
            ["up", "down", "left", "right"]
                .iter()
                .any(|way| hint.contains(way)),
            "{hint}"
        );
    }
}

/// Without --player the strongest that plays such boards is asked.
#[test]
fn large_boards_have_a_player_to_ask() {
    for (size, named) in [
        ("8x8", "(planner("),
        ("10x10", "(monte-carlo("),
        ("20x20", "(cycle)"),
    ] {
        let play = Command::new(env!("CARGO_BIN_EXE_tilelab"))
            .args([
                "play",
                "sixty-seven",
                "--seed",
                "1",
                "--set",
                &format!("size={size}"),
            ])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn();
        let mut play = play.unwrap();
        std::io::Write::write_all(&mut play.stdin.take().unwrap(), b"hint\nquit\n").unwrap();
        let output = play.wait_with_output().unwrap();
        succeeded(&output);
        let text = stdout(&output);
        assert!(text.contains(named), "{size}: {text}");
    }
}

#[test]
fn players_are_compared_in_pairs() {
    let folder = tempfile::tempdir().unwrap();
    for player in ["random", "greedy"] {
        let text = format!(
            "name = \"{player}\"\nseed = 1\ngames = 200\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nplayer = \"{player}\"\n\
             rules = \"merge-runs\"\nsize = \"4x4\"\noperator_rate = 0.67\n"
        );
        let file = format!("{player}.toml");
        std::fs::write(folder.path().join(&file), text).unwrap();
        succeeded(&tilelab(folder.path(), &["run", &file, "--quiet"]));
    }
    let compare = tilelab(
        folder.path(),
        &[
            "compare",
            "results/random",
            "results/greedy",
            "--paired=100",
        ],
    );
    let text = String::from_utf8_lossy(&compare.stdout);
    succeeded(&compare);
    assert!(text.contains("paired, 100 pairs of games"), "{text}");
}
