//! Matches: pairs of games of two players as cells of an experiment.

use crate::common::{command, folder, stderr, stdout, succeeded, tilelab, write};
use crate::effort::times;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tilelab::game::{GameObserver, GameResult, Outcome};
use tilelab::matches::{DIFFERENCE_AT, HALF_POINTS_AT, half_points_max};
use tilelab::report::folder::Results;
use tilelab::stats::{PairPoints, Ranged, Standings, Stratum};
use tilelab::tally::{Tally, meetings};
use tilelab::{Job, KernelChoice, Overrides, Plan};

fn plan(table: &str) -> Plan {
    let text = format!("name = \"m\"\nseed = 67\n[[table]]\ntitle = \"t\"\n{table}\n");
    Plan::parse(&text, Overrides::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn job(plan: &Plan, cell: usize) -> Box<dyn Job> {
    plan.cells[cell].job(plan.seed, KernelChoice::Auto).unwrap()
}

fn outcomes(job: &dyn Job, games: u64) -> Vec<Outcome> {
    let mut outcomes = vec![None; games as usize];
    let mut tally = Tally::new(job.measures());
    let mut keep = |game: u64, outcome: &Outcome, _: &str| outcomes[game as usize] = Some(*outcome);
    job.play(
        0..games,
        &mut tally,
        Some(GameObserver::outcomes(&mut keep)),
    );
    outcomes.into_iter().map(Option::unwrap).collect()
}

/// A pair of a one-player game is the same game of both players' own cells; of a two-player game,
/// the same start in both seatings.
#[test]
fn pairs_are_the_games_of_the_players_own_cells() {
    let size = "game = \"2048\"\nsize = \"3x3\"\ngoal = 64";
    let pairs = outcomes(
        &*job(
            &plan(&format!("{size}\nmatch = [\"corner\", \"random\"]")),
            0,
        ),
        40,
    );
    let own = |player: &str| {
        outcomes(
            &*job(&plan(&format!("{size}\nplayer = \"{player}\"")), 0),
            40,
        )
    };
    // Where the merge score stands among the measures of 2048.
    let score = 1;
    let mut decided = 0;
    for ((pair, corner), random) in pairs.iter().zip(own("corner")).zip(own("random")) {
        let points = |outcome: &Outcome| i64::from(outcome.result == GameResult::Won);
        assert_eq!(
            pair.measures[HALF_POINTS_AT],
            1 + points(&corner) - points(&random)
        );
        decided += usize::from(pair.result != GameResult::Drawn);
        assert_eq!(pair.moves, corner.moves + random.moves);
        assert_eq!(
            pair.measures[DIFFERENCE_AT],
            pair.measures[1] - pair.measures[2]
        );
        assert_eq!(
            pair.measures[1..3],
            [corner.measures[score], random.measures[score]]
        );
    }
    assert!(decided > 0, "no pair was decided");

    let rules = "game = \"offset\"\nside = 6\nd = 5";
    let pairs = outcomes(
        &*job(
            &plan(&format!("{rules}\nmatch = [\"greedy\", \"random\"]")),
            0,
        ),
        40,
    );
    let seated = |player: &str, opponent: &str| {
        let table = format!("{rules}\nplayer = \"{player}\"\nopponent = \"{opponent}\"");
        outcomes(&*job(&plan(&table), 0), 40)
    };
    let first = seated("greedy", "random");
    for ((pair, first), second) in pairs.iter().zip(first).zip(seated("random", "greedy")) {
        let half_points = |result| match result {
            GameResult::Won => 2,
            GameResult::Drawn => 1,
            GameResult::Lost => 0,
        };
        let points = half_points(first.result) + 2 - half_points(second.result);
        assert_eq!(pair.measures[HALF_POINTS_AT], points);
        let difference =
            first.measures[0] - first.measures[1] + second.measures[1] - second.measures[0];
        assert_eq!(pair.measures[DIFFERENCE_AT], difference);
    }
}

/// In a match of more players, each plays a start once, and everyone meets everyone on it; in games
/// for two, in both seatings.
#[test]
fn every_player_of_a_block_plays_its_start_once() {
    let players = ["corner", "random", "corner(corner=top-right)"];
    let list = players.map(|player| format!("{player:?}")).join(", ");
    let game = "game = \"2048\"\nsize = \"3x3\"";
    let table = format!("{game}\nmatch = [{list}]\nmeasure = \"score\"");
    let plan = plan(&table);
    assert_eq!(plan.cells.len(), 1);
    assert_eq!(plan.cells[0].games_of_match().len(), 3);
    let job = job(&plan, 0);
    let mut tally = Tally::new(job.measures());
    job.play(0..50, &mut tally, None);
    let blocks = tally.blocks().unwrap();
    let own = players.map(|player| {
        let plan = self::plan(&format!("{game}\nplayer = {player:?}"));
        let scores = outcomes(&*self::job(&plan, 0), 50);
        scores
            .iter()
            .map(|outcome| outcome.measures[1])
            .collect::<Vec<i64>>()
    });
    for (player, scores) in own.iter().enumerate() {
        assert_eq!(blocks.values[player].sum, scores.iter().sum::<i64>().into());
    }
    for (at, [first, second]) in meetings(3).enumerate() {
        let pairs = own[first].iter().zip(&own[second]);
        let points = pairs.map(|(a, b)| 1 + i128::from(a.cmp(b) as i8));
        assert_eq!(blocks.meetings[at].sum, points.sum::<i128>());
    }
    let two = self::plan(
        "game = \"offset\"\nside = 6\nd = 5\nmatch = [\"greedy\", \"random\", \"mobility\"]",
    );
    let job = self::job(&two, 0);
    let mut tally = Tally::new(job.measures());
    job.play(0..30, &mut tally, None);
    let separate = self::plan(
        "game = \"offset\"\nside = 6\nd = 5\nseparate = true\nmatch = [\"greedy\", \"random\", \"mobility\"]",
    );
    assert_eq!(separate.cells.len(), 3);
    for (cell, meeting) in (0..3).zip(&tally.blocks().unwrap().meetings) {
        let job = self::job(&separate, cell);
        let mut pairs = Tally::new(job.measures());
        job.play(0..30, &mut pairs, None);
        assert_eq!(pairs.measures[HALF_POINTS_AT], *meeting);
    }
}

/// How often the standings of six players contain the truth, over samples of 60 starts; the table
/// of docs/statistics.md is that of `cargo run --release --example coverage standings`. Intervals
/// that took the rows of a player as independent held 79 % of the points.
#[test]
fn standings_cover_what_they_say() {
    const BLOCKS: u64 = 60;
    let samples = times(50);
    let plan = plan(
        "game = \"67\"\nsize = \"3x3\"\nmeasure = \"moves\"\nmatch = [\"random\", \"cycle\", \"cycle(order=u)\", \
         \"cycle(order=ud)\", \"cycle(order=lr)\", \"cycle(order=drul)\"]",
    );
    let job = job(&plan, 0);
    let standings = |games: std::ops::Range<u64>| {
        let mut tally = Tally::new(job.measures());
        job.play(games, &mut tally, None);
        let sums = tally.blocks().unwrap();
        let has_chance = true;
        Standings::new(&[Stratum { sums, has_chance }], 2, 0.95).unwrap()
    };
    let truth = standings(1_000_000..1_000_000 + 6 * BLOCKS * samples);
    let mut held = [0_u64; 3];
    let mut all = [0_u64; 3];
    for sample in 0..samples {
        let found = standings(sample * BLOCKS..(sample + 1) * BLOCKS);
        let mut add = |at: usize, found: Ranged, truth: Ranged| {
            held[at] += u64::from(found.interval.contains(truth.value));
            all[at] += 1;
        };
        for (found, truth) in found.players.iter().zip(&truth.players) {
            add(0, found.points, truth.points);
            if let Some(elo) = found.elo {
                add(1, elo, truth.elo.unwrap());
            }
        }
        for (found, truth) in found.leads.iter().zip(&truth.leads) {
            add(2, found.points, truth.points);
        }
    }
    for (what, (held, all)) in ["points", "Elo", "leads"].iter().zip(held.iter().zip(all)) {
        let coverage = *held as f64 / all as f64;
        println!("{what}: {:.1} % of {all}", 100.0 * coverage);
        assert!((0.925..0.985).contains(&coverage), "{what}: {coverage}");
    }
}

/// A search writes a row for every game, the same for its own experiment file.
#[test]
fn the_rows_of_a_search_are_complete() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = at("search");
    let search = [
        "match",
        "random",
        "corner",
        "corner(corner=top-left)",
        "--game",
        "2048",
        "--set",
        "size=3x3",
        "--measure",
        "score",
        "--best",
        "25",
        "--seed",
        "5",
        "--per-game=csv",
        "--out",
        &out,
    ];
    let folder_of = |out: &str| Path::new(out).join("twenty-forty-eight");
    let lines = |out: &str| {
        let text = std::fs::read_to_string(folder_of(out).join("games.csv")).unwrap();
        text.lines().count() - 1
    };
    succeeded(&tilelab(&search));
    let cells = Results::open(&folder_of(&out)).unwrap().cells;
    let games: u64 = cells.records().filter_map(|row| row.count("games")).sum();
    assert_eq!(lines(&out) as u64, games);
    succeeded(&tilelab(&search));
    assert_eq!(lines(&out) as u64, games, "repeated");
    let file = folder_of(&out).join("experiment.toml");
    let again = at("again");
    let file = file.to_str().unwrap();
    succeeded(&tilelab(&[
        "run",
        file,
        "--per-game=csv",
        "--quiet",
        "--out",
        &again,
    ]));
    assert_eq!(lines(&again) as u64, games, "by its own experiment.toml");
}

/// What has no meaning for blocks is refused with the remedy.
#[test]
fn what_blocks_cannot_have_is_refused() {
    let table = "game = \"2048\"\nsize = \"3x3\"\nmatch = [\"corner\", \"random\", \"corner(corner=top-left)\"]";
    for (more, named) in [
        (
            "stop = { half_width = 0.1, max_games = 100 }",
            "has no single win rate",
        ),
        ("separate = 1", "separate"),
    ] {
        let text = format!("name = \"m\"\nseed = 67\n[[table]]\ntitle = \"t\"\n{table}\n{more}\n");
        let error = Plan::parse(&text, Overrides::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(named), "{error}");
    }
    let text =
        format!("name = \"m\"\nseed = 67\nper_game = true\n[[table]]\ntitle = \"t\"\n{table}\n");
    let error = Plan::parse(&text, Overrides::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("separate = true for rows of pairs"),
        "{error}"
    );
    let single =
        "name = \"m\"\nseed = 67\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nseparate = true\n";
    let error = Plan::parse(single, Overrides::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("separate: only a table with match"),
        "{error}"
    );
}

/// By a measure, the larger value wins the pair.
#[test]
fn a_measure_can_decide() {
    let table =
        "game = \"2048\"\nsize = \"3x3\"\nmatch = [\"corner\", \"random\"]\nmeasure = \"score\"";
    let pairs = outcomes(&*job(&plan(table), 0), 60);
    for pair in &pairs {
        let expected = match pair.measures[DIFFERENCE_AT].signum() {
            1 => GameResult::Won,
            0 => GameResult::Drawn,
            _ => GameResult::Lost,
        };
        assert_eq!(pair.result, expected);
    }
    assert!(pairs.iter().any(|pair| pair.result == GameResult::Lost));
    assert!(pairs.iter().any(|pair| pair.result == GameResult::Won));
}

/// The games of players that leave nothing to chance are played once, over all starts; the issue's
/// case has 12 different games.
#[test]
fn a_game_counts_once() {
    let players =
        "match = [{ name = \"minimax\", depth = 1 }, { name = \"alpha-beta\", depth = 2 }]";
    let table = format!("game = \"offset\"\nside = 10\n{players}\ngames = 120");
    let plan = plan(&table);
    assert_eq!(plan.cells[0].games, 6, "{}", plan.cells[0].key());
    assert!(!plan.cells[0].has_chance());
    let output = tilelab(&[
        "match",
        "minimax(depth=1)",
        "alpha-beta(depth=2)",
        "--game",
        "offset",
        "--set",
        "side=10",
        "--games",
        "20",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(
        text.contains("every different start was played once"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|line| line.starts_with("| alpha-beta") || line.starts_with("| minimax"))
        .unwrap();
    let fields: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(fields[3], "6", "{row}");
    assert!(!fields[7].contains('['), "{row}");
    // Fewer games than starts are drawn at random, so they have an interval.
    let few = self::plan(&table.replace("games = 120", "games = 4"));
    assert_eq!(few.cells[0].games, 4);
    assert!(few.cells[0].has_chance());
    // A start that is given is one pair.
    let one = self::plan(
        "game = \"zero-sum\"\nstart = [8, 9]\nmatch = [\"alpha-beta\", \"minimax\", \"exact\"]",
    );
    assert_eq!(
        one.cells.iter().map(|cell| cell.games).collect::<Vec<_>>(),
        [1; 2]
    );
}

/// The start of every pair of a complete match differs from the others.
#[test]
fn all_starts_are_walked_once() {
    let plan = plan(
        "game = \"offset\"\nd = 9\nside = 12\nmatch = [{ name = \"minimax\", depth = 1 }, { name = \"alpha-beta\", depth = 1 }]",
    );
    let games = plan.cells[0].games;
    assert_eq!(games, 12);
    let job = job(&plan, 0);
    let mut starts = std::collections::BTreeSet::new();
    for game in 0..games {
        let mut pairs = Vec::new();
        job.replay(game, &mut |line| {
            if pairs.len() < 2 {
                pairs.push((line["seat"].clone(), line["pair"].clone()));
            }
        });
        assert_eq!(pairs[0].0.to_string(), "0", "{pairs:?}");
        starts.insert(format!("{pairs:?}"));
    }
    assert_eq!(starts.len(), 12);
}

const FILE: &str = "name = \"both\"\nseed = 5\ngames = 3_000\nper_game = \"csv\"\n\
    [[table]]\ntitle = \"two\"\ngame = \"offset\"\nside = 6\nd = 5\nmatch = [\"random\", \"greedy\", \"mobility\"]\nseparate = true\ngames = 1_000\n\
    [[table]]\ntitle = \"one\"\ngame = \"67\"\nsize = \"3x3\"\nmatch = [\"random\", \"greedy\"]\n";

/// Threads, shards and `merge` give the same bytes as one run, rows of pairs among them.
#[test]
fn shards_of_matches_merge_to_the_same_bytes() {
    let folder = folder();
    let file = write(folder.path(), "both.toml", FILE);
    let file = file.to_str().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |more: &[&str]| {
        let output = tilelab(&[&["run", file, "--quiet"], more].concat());
        succeeded(&output);
    };
    let checked = stdout(&tilelab(&["check", "--no-forecast", file]));
    assert!(
        checked.ends_with("both: 4 cells, 6,000 pairs\n"),
        "{checked}"
    );
    run(&["--out", &at("whole"), "--threads", "1"]);
    run(&["--out", &at("first"), "--shard", "1/2", "--threads", "2"]);
    run(&["--out", &at("second"), "--shard", "2/2"]);
    let output = tilelab(&[
        "merge",
        "--out",
        &at("merged"),
        &at("first/both"),
        &at("second/both"),
    ]);
    succeeded(&output);
    for name in ["cells.csv", "games.csv", "table.md"] {
        let read = |out: &str| std::fs::read(Path::new(&at(out)).join("both").join(name)).unwrap();
        let skip = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.lines()
                .filter(|line| !line.starts_with("<!--"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(
            skip(read("whole")) == skip(read("merged")),
            "{name} differs"
        );
    }
    let table = std::fs::read_to_string(Path::new(&at("whole")).join("both/table.md")).unwrap();
    for words in ["Elo difference", "random", "mean score difference a pair"] {
        assert!(table.contains(words), "{words} is not in {table}");
    }
    let cells = tilelab(&["compare", &at("whole/both"), &at("merged/both")]);
    assert_eq!(cells.status.code(), Some(0), "{}", stderr(&cells));
    let replayed = tilelab(&[
        "replay",
        file,
        "--cell",
        &plan_of(FILE).cells[0].key(),
        "--game",
        "2",
        "--json",
    ]);
    succeeded(&replayed);
    let text = stdout(&replayed);
    let games = ["\"game_of_pair\":1", "\"game_of_pair\":2"];
    assert!(games.iter().all(|game| text.contains(game)), "{text}");
}

fn plan_of(text: &str) -> Plan {
    Plan::parse(text, Overrides::default()).unwrap()
}

/// How often the interval of the share of points contains the true share, for starts that are drawn
/// and players with and without chance; the table of docs/statistics.md: `TILELAB_TIMES=20
/// cargo test --test it -- --nocapture intervals_cover_what_they_say`.
#[test]
fn intervals_cover_what_they_say() {
    for (table, repetitions) in [
        (
            "game = \"offset\"\nside = 5\nd = 5\nopening = 3\nmatch = [\"minimax(depth=1)\", \"alpha-beta(depth=2,width=2)\"]",
            30,
        ),
        (
            "game = \"zero-sum\"\nopening = 4\nmatch = [\"minimax(depth=1)\", \"alpha-beta(depth=3)\"]",
            150,
        ),
        (
            "game = \"offset\"\nside = 5\nd = 5\nmatch = [\"random\", \"greedy\"]",
            300,
        ),
        (
            "game = \"zero-sum\"\nstart = 11\nmatch = [\"random\", \"greedy\"]",
            500,
        ),
    ] {
        let repetitions = times(repetitions);
        let plan = plan(table);
        let cell = &plan.cells[0];
        let job = job(&plan, 0);
        let most = half_points_max(cell.game);
        let points = |games: std::ops::Range<u64>| {
            let mut tally = Tally::new(job.measures());
            job.play(games, &mut tally, None);
            PairPoints::new(&tally.measures[HALF_POINTS_AT].counts, most)
        };
        let pairs = 40;
        let truth = points(1_000_000..1_000_000 + 4 * pairs * repetitions)
            .mean()
            .unwrap();
        let covered = (0..repetitions)
            .filter(|at| {
                let interval = points(at * pairs..(at + 1) * pairs).interval(0.95).unwrap();
                interval.contains(truth)
            })
            .count();
        let coverage = covered as f64 / repetitions as f64;
        println!(
            "| {} | {:.1} | {:.2} |",
            cell.key(),
            100.0 * truth,
            100.0 * coverage
        );
        // 0.945 to 0.965, and 2.5 standard errors of the repetitions.
        let margin = 2.5 * (0.05 * 0.95 / repetitions as f64).sqrt();
        assert!(
            (0.945 - margin..0.965 + margin).contains(&coverage),
            "{table}: {coverage} around {truth}"
        );
    }
}

/// Players that choose under a time limit are accepted in matches, and named in the table.
#[test]
fn clocks_are_named() {
    let output = tilelab(&[
        "match",
        "random",
        "alpha-beta(depth=2,budget_ms=1)",
        "--game",
        "offset",
        "--set",
        "side=4",
        "--set",
        "d=5",
        "--games",
        "2",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(text.contains("their games cannot be repeated"), "{text}");
}

/// Players that draw nothing play one game from one start; random openings make it many, and both
/// games of a pair have the same.
#[test]
fn random_openings_make_deterministic_players_play_different_games() {
    for rules in [
        "game = \"zero-sum\"",
        "game = \"offset\"\nside = 6\nd = 5\npair0 = \"1,4\"\npair1 = \"2,3\"",
    ] {
        let of = |opening: u64| {
            let table = format!(
                "{rules}\nopening = {opening}\ngames = 12\nmatch = [\"minimax(depth=1)\", \"alpha-beta(depth=3)\"]"
            );
            plan(&table)
        };
        assert_eq!(of(0).cells[0].games, 1, "played once");
        let opened = of(3);
        assert_eq!(opened.cells[0].games, 12);
        let fast = job(&opened, 0);
        let plain = opened.cells[0]
            .job(opened.seed, KernelChoice::Reference)
            .unwrap();
        assert_eq!(outcomes(&*fast, 12), outcomes(&*plain, 12));
        let mut starts = std::collections::HashSet::new();
        for game in 0..12 {
            let mut first: [Option<String>; 2] = [None, None];
            plain.replay(game, &mut |line| {
                let of_pair = line["game_of_pair"].as_u64().unwrap() as usize - 1;
                let mut line: serde_json::Value = serde_json::from_str(&line.to_string()).unwrap();
                for chosen_by_a_player in [
                    "game_of_pair",
                    "move",
                    "after",
                    "scores_after",
                    "outcome",
                    "owners_after",
                ] {
                    line.as_object_mut().unwrap().remove(chosen_by_a_player);
                }
                first[of_pair].get_or_insert(line.to_string());
            });
            assert_eq!(first[0], first[1], "{rules}, pair {game}");
            starts.insert(first[0].clone());
        }
        // Lines of Offset do not have the board: many openings look alike.
        assert!(starts.len() >= 5, "{rules}: {} openings", starts.len());
    }
}

/// A match of 2048 whose sequential test of the mean score takes some thousand pairs, in files.
fn tested(out: &Path, threads: &str, more: &[&str]) -> Vec<String> {
    let mut arguments = vec![
        "match",
        "corner",
        "random",
        "--game",
        "2048",
        "--set",
        "size=3x3",
        "--measure",
        "score",
        "--sprt",
        "180",
        "190",
        "--threads",
        threads,
        "--out",
    ];
    arguments.push(out.to_str().unwrap());
    arguments.extend(more);
    arguments.into_iter().map(str::to_owned).collect()
}

/// A match stops when its test is decided, at the same pair whatever the threads; killed and
/// continued, its files have the same bytes.
#[test]
fn a_sequential_test_stops_a_match() {
    let folder = folder();
    let run = |arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = tilelab(&arguments);
        succeeded(&output);
        stdout(&output)
    };
    let cells =
        |out: &Path| std::fs::read_to_string(out.join("twenty-forty-eight/cells.csv")).unwrap();
    let whole = folder.path().join("whole");
    let text = run(&tested(&whole, "1", &[]));
    for said in [
        "| verdict",
        "estimate after stopping",
        "corrected for stopping",
    ] {
        assert!(text.contains(said), "{text}");
    }
    let whole = cells(&whole);
    let mut reader = csv::Reader::from_reader(whole.as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let field = |name: &str| {
        let at = names.iter().position(|known| known == name);
        row[at.unwrap_or_else(|| panic!("no {name}"))].to_owned()
    };
    let number = |name: &str| field(name).parse::<f64>().unwrap();
    assert!(
        ["lower", "upper"].contains(&field("stopped").as_str()),
        "{row:?}"
    );
    let pairs = number("games");
    assert!((64.0..100_000.0).contains(&pairs), "{row:?}");
    assert_eq!(field("win_pct_lo"), "");
    assert!(number("estimate_lo") < number("estimate"), "{row:?}");
    assert!(number("estimate") < number("estimate_hi"), "{row:?}");
    // The mean of a test that stopped exaggerates; the estimate lies nearer to the middle.
    let middle = 185.0;
    let off = |value: f64| (value - middle).abs();
    assert!(
        off(number("estimate")) < off(number("difference_mean")),
        "{row:?}"
    );

    let killed = folder.path().join("killed");
    let arguments = tested(&killed, "2", &["--save-every", "0.005"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    child.kill().unwrap();
    child.wait().unwrap();
    run(&tested(&killed, "2", &[]));
    assert_eq!(cells(&killed), whole);
}

/// Points of two-player games are tested over both seatings; a decided match says for which share.
#[test]
fn a_sequential_test_of_points_has_a_verdict() {
    let output = tilelab(&[
        "match", "greedy", "random", "--game", "offset", "--set", "side=6", "--sprt", "0.4", "0.5",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(text.contains("upper: 0.5"), "{text}");
}

/// What a test cannot be is refused with its place.
#[test]
fn wrong_sequential_tests_are_refused() {
    let game = "game = \"offset\"\nmatch = [\"greedy\", \"random\"]\n";
    for (table, named) in [
        (
            "game = \"offset\"\nstop = { difference = { lower = 0.5, upper = 0.6 } }".to_owned(),
            "stop.difference: only a table with match takes it",
        ),
        (
            format!("{game}stop = {{ difference = {{ lower = 0.5, upper = 60 }} }}"),
            "shares of points lie between 0 and 1",
        ),
        (
            format!("{game}stop = {{ difference = {{ lower = 0.6, upper = 0.5 }} }}"),
            "lower must be less than upper",
        ),
        (
            format!("{game}stop = {{ difference = {{ lower = 0.5, upper = 0.6, alpha = 0.7 }} }}"),
            "alpha = 0.7",
        ),
        (
            format!("{game}stop = {{ difference = {{ lower = 0.5 }} }}"),
            "stop.difference: upper is missing",
        ),
        (
            format!(
                "{game}stop = {{ difference = {{ lower = 0.5, upper = 0.6 }}, relative = 0.1 }}"
            ),
            "difference stands alone",
        ),
    ] {
        let text = format!("name = \"m\"\nseed = 67\n[[table]]\ntitle = \"t\"\n{table}\n");
        let error = Plan::parse(&text, Overrides::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(named), "{error}");
    }
}

/// The best of three: the weak one is dropped first, two equal ones go on until they are decided,
/// and the bytes do not depend on threads or on how far an earlier run came.
#[test]
fn the_best_is_found_with_fewer_pairs() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let found = |out: &str, more: &[&str]| {
        let players = ["match", "random", "corner", "corner(corner=top-left)"];
        let how = ["--game", "2048", "--set", "size=3x3", "--measure", "score"];
        let best = ["--best", "25", "--seed", "5", "--out", out];
        let output = tilelab(&[&players[..], &how, &best, more].concat());
        succeeded(&output);
        stdout(&output)
    };
    let said = found(&at("one"), &["--threads", "1"]);
    assert!(said.contains("best: corner"), "{said}");
    assert!(
        said.contains("Left: 2 players after 64 pairs of every two"),
        "{said}"
    );
    // One table, with the numbers of pairs that the search came to.
    assert_eq!(said.matches("###").count(), 1, "{said}");
    let cells = |out: &str| {
        let path = Path::new(out).join("twenty-forty-eight/cells.csv");
        std::fs::read_to_string(path).unwrap()
    };
    let one = cells(&at("one"));
    let mut reader = csv::Reader::from_reader(one.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    let games = reader.records().map(|row| {
        let row = row.unwrap();
        let games: u64 = row[place("games")].parse().unwrap();
        (row[place("player")].contains("random"), games)
    });
    for (has_random, games) in games {
        assert_eq!(games == 64, has_random, "{one}");
    }
    let short = found(&at("two"), &["--games", "100"]);
    assert!(
        short.contains("undecided: corner, corner(corner=top-left)"),
        "{short}"
    );
    assert_eq!(found(&at("two"), &[]), said);
    assert_eq!(cells(&at("two")), one);
    for (wrong, named) in [
        (&["--best", "0"][..], "--best 0: must be above 0"),
        (&["--best", "1", "--alpha", "0.7"], "--alpha 0.7"),
        (&["--best", "1", "--set", "goal=64,128"], "one set of rules"),
        (&["--best", "1", "--shard", "1/2"], "--shard"),
    ] {
        let base = [
            "match", "random", "corner", "--game", "2048", "--set", "size=3x3",
        ];
        let output = tilelab(&[&base[..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
    }
}

/// Each start of a file is a row, and players without chance play it once.
#[test]
fn a_file_has_the_starts() {
    let folder = folder();
    let file = |text: &str| write(folder.path(), "starts.csv", text);
    let played = |text: &str, more: &[&str]| {
        let players = ["match", "minimax(depth=1)", "alpha-beta(depth=3)"];
        let file = file(text);
        let game = ["--game", "zero-sum", "--starts", file.to_str().unwrap()];
        tilelab(&[&players[..], &game, more].concat())
    };
    let output = played("start, beginner\n8, 0\n9, 1\n18, 0\n", &[]);
    succeeded(&output);
    let table = stdout(&output);
    assert!(
        table.contains("every different start was played once"),
        "{table}"
    );
    for row in [
        "| 8 | 0 | minimax",
        "| 9 | 1 | minimax",
        "| 18 | 0 | minimax",
    ] {
        assert!(table.contains(row), "{table}");
    }
    for (text, more, named) in [
        ("start\n7\n", &[][..], "start"),
        ("level\n7\n", &[], "level"),
        ("start\n", &[], "holds no start"),
        ("start,beginner\n8\n", &[], "starts.csv"),
        ("start\n8\n", &["--set", "start=9"], "start: is given twice"),
    ] {
        let output = played(text, more);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
    }
}
