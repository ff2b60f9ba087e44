//! The runner with a game made for the purpose: failures, speculation and saved states, whatever
//! the threads and batches.

use crate::effort::times;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tilelab::catalog::{GameEntry, PlayerEntry, PlayerSpec, Setup};
use tilelab::game::{GameObserver, GameResult, Job, KernelChoice, Measure, Outcome, Tally};
use tilelab::params::{ParamError, ParamSpec, Params, Value};
use tilelab::plan::{Cell, Overrides, Plan, PlanEntry, Stop};
use tilelab::results::merge::Parts;
use tilelab::results::{self, store};
use tilelab::rng::mix;
use tilelab::runner::progress::CellProgress;
use tilelab::runner::ranges::Ranges;
use tilelab::runner::schedule::Schedule;
use tilelab::runner::state::{RunState, Segment, Stopped};
use tilelab::runner::{Progress, RunnerObserver, RunnerOptions, Shard, run};

const UNSET: ParamSpec = ParamSpec::int("", 0..=i64::MAX, None).main("");

/// A game of which one in eight is won; games from number `fails` on fail, and each takes `micros`
/// microseconds.
static STAIRS: GameEntry = GameEntry {
    read_back: |_, position| Ok(position.clone()),
    ..GameEntry::new(
        "stairs",
        "",
        &[
            ParamSpec {
                name: "fails",
                ..UNSET
            },
            ParamSpec {
                name: "micros",
                ..UNSET
            },
        ],
    )
};
static NOBODY: PlayerEntry = PlayerEntry {
    name: "nobody",
    summary: "",
    params: &[],
    chance: true,
    searches: false,
    build: stairs,
    seat: None,
};

struct Stairs {
    fails: u64,
    micros: u64,
    batch_games: u64,
}

/// The most batches in play at one time, of jobs whose games take [`COUNTED_MICROS`].
static IN_PLAY_MOST: AtomicU64 = AtomicU64::new(0);
static IN_PLAY: AtomicU64 = AtomicU64::new(0);
const COUNTED_MICROS: u64 = 99;
const IN_PLAY_WANTED: u64 = 36;
/// After this long nothing more is expected to happen.
const HANG: Duration = Duration::from_secs(120);

/// Games that take this long do not end before [`RELEASED`] is set.
const BLOCKED_MICROS: u64 = 98;
static RELEASED: AtomicBool = AtomicBool::new(false);

fn stairs(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    let number = |name| setup.params.int(name).map(|number| number as u64);
    // The kernel stands for anything that changes the batches.
    let batch_games = if setup.kernel == KernelChoice::Auto {
        64
    } else {
        7
    };
    Ok(Box::new(Stairs {
        fails: number("fails").unwrap_or(u64::MAX),
        micros: number("micros").unwrap_or(0),
        batch_games,
    }))
}

impl Job for Stairs {
    fn measures(&self) -> &'static [Measure] {
        &[]
    }
    fn kernel(&self) -> &'static str {
        "stairs"
    }
    fn batch_games(&self) -> u64 {
        self.batch_games
    }
    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let counted = u64::from(self.micros == COUNTED_MICROS);
        let now = IN_PLAY.fetch_add(counted, Ordering::SeqCst) + counted;
        IN_PLAY_MOST.fetch_max(now, Ordering::SeqCst);
        // However slow the machine, batches wait until enough of them are in play at once.
        let begun = Instant::now();
        while counted > 0
            && IN_PLAY_MOST.load(Ordering::SeqCst) < IN_PLAY_WANTED
            && begun.elapsed() < HANG
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        for game in games {
            if game >= self.fails {
                std::panic::resume_unwind(Box::new(format!("game {game} fell down")));
            }
            while self.micros == BLOCKED_MICROS && !RELEASED.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            if self.micros > 0 {
                std::thread::sleep(Duration::from_micros(self.micros));
            }
            let outcome = self.replay(game, &mut |_| ());
            tally.add(&outcome);
            if let Some(observer) = &mut observer {
                (observer.each)(game, &outcome, if observer.positions { "{}" } else { "" });
            }
        }
        IN_PLAY.fetch_sub(counted, Ordering::SeqCst);
    }
    fn replay(&self, game: u64, _: &mut dyn FnMut(tilelab::json::Json)) -> Outcome {
        let word = mix(game);
        Outcome::new(
            if word.is_multiple_of(8) {
                GameResult::Won
            } else {
                GameResult::Lost
            },
            word >> 54,
        )
    }
}

fn cell(fails: Option<i64>, micros: i64, games: u64, stop: Option<Stop>) -> Cell {
    let mut params = Params::defaults(STAIRS.params);
    params.set("micros", Value::Int(micros));
    if let Some(fails) = fails {
        params.set("fails", Value::Int(fails));
    }
    let games = stop.map_or(games, |stop| stop.max_games);
    Cell {
        table: 0,
        game: &STAIRS,
        params,
        players: vec![PlayerSpec::new(&NOBODY)],
        matched: None,
        games,
        stop,
        common: Vec::new(),
        programs: None,
    }
}

fn plan(cells: Vec<Cell>) -> Plan {
    Plan {
        name: "stairs".into(),
        seed: 1,
        confidence: 0.95,
        interval: tilelab::stats::RateInterval::default(),
        titles: vec!["t".into()],
        entries: PlanEntry::of_each(&cells),
        cells,
        text: String::new(),
        per_game: None,
        overrides: Overrides::default(),
    }
}

struct Nobody;
impl RunnerObserver for Nobody {
    fn progress(&self, _: &Progress<'_>) {}
    fn save(&self, _: &RunState, _: &[CellProgress]) {}
}

fn options(threads: usize, kernel: KernelChoice) -> RunnerOptions {
    RunnerOptions {
        threads,
        kernel,
        shard: Shard::WHOLE,
        fail_fast: false,
        save_every: Duration::from_secs(8),
    }
}

fn played(plan: &Plan, options: &RunnerOptions) -> RunState {
    let schedule = Schedule::new(plan, options, None).unwrap();
    run(schedule, options, &AtomicBool::new(false), &Nobody).unwrap()
}

/// A rule whose looks lie at 1,024, 1,536 and so on and that one win in eight fulfils at about
/// 2,000 games.
const STOP: Stop = Stop {
    half_width: Some(0.025),
    relative: None,
    difference: None,
    max_games: 100_000,
};

#[test]
fn the_first_failing_game_is_reported_whatever_the_threads_and_batches() {
    let plan = plan(vec![
        cell(Some(777), 0, 5_000, None),
        cell(None, 0, 500, None),
        cell(Some(0), 0, 9, None),
    ]);
    for threads in [1, 2, 7] {
        for kernel in [KernelChoice::Auto, KernelChoice::Reference] {
            let state = played(&plan, &options(threads, kernel));
            let cell = |index: usize| state.cells[index].as_ref().unwrap();
            assert_eq!(
                cell(0).error.as_deref(),
                Some("game 777 fell down"),
                "{threads} threads"
            );
            assert_eq!(
                (cell(1).stopped, cell(1).games()),
                (Some(Stopped::Games), 500)
            );
            assert_eq!(cell(2).error.as_deref(), Some("game 0 fell down"));
        }
    }
}

/// A failing game and those behind it may belong to different parts, which are merged in memory or
/// one after the other.
#[test]
fn failures_of_parts_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    for (cells, count) in [(3, 7), (300, 7), (300, 2)] {
        let fails = |i: i64| (i % 3 == 1).then_some(i % 50);
        let plan = plan(
            (0..cells)
                .map(|i| cell(fails(i), 0, 60 + i as u64, None))
                .collect(),
        );
        let expected = played(&plan, &options(2, KernelChoice::Auto));
        for cells_max in [1, 100_000] {
            let mut parts = Parts::new(cells_max);
            for index in (1..=count).rev() {
                let options = RunnerOptions {
                    shard: Shard { index, count },
                    ..options(2, KernelChoice::Auto)
                };
                let file = folder.path().join(format!("{cells}-{index}-of-{count}"));
                let state = played(&plan, &options);
                store::save(&state, &file).unwrap();
                assert_eq!(
                    store::load(&file).unwrap(),
                    state,
                    "a state is read as it was written"
                );
                parts.add(folder.path().to_owned(), file, state);
            }
            let merged = parts.arrange().unwrap().merge(&plan).unwrap();
            assert_eq!(merged.cells, expected.cells, "{cells} cells, {count} parts");
        }
    }
}

#[test]
fn a_failure_that_was_met_on_suspicion_only_does_not_count() {
    let plain = plan(vec![cell(None, 20, 0, Some(STOP))]);
    let expected = played(&plain, &options(1, KernelChoice::Auto));
    let games = expected.cells[0].as_ref().unwrap().games();
    assert!((1_024..10_000).contains(&games), "{games} games");
    // The very next game fails; several threads reach it before the cell is decided.
    let fails = plan(vec![cell(Some(games as i64), 20, 0, Some(STOP))]);
    for threads in [1, 8] {
        let mut state = played(&fails, &options(threads, KernelChoice::Auto));
        // The failure is part of the key.
        let cell = Arc::make_mut(state.cells[0].as_mut().unwrap());
        cell.key
            .clone_from(&expected.cells[0].as_ref().unwrap().key);
        assert_eq!(state.cells, expected.cells, "{threads} threads");
    }
    let fails = plan(vec![cell(Some(games as i64 - 1), 20, 0, Some(STOP))]);
    let state = played(&fails, &options(8, KernelChoice::Auto));
    assert_eq!(
        state.cells[0].as_ref().unwrap().error,
        Some(format!("game {} fell down", games - 1))
    );
}

#[test]
fn a_single_undecided_cell_keeps_all_threads_busy() {
    // 40 threads cannot be fed from the 1,024 games before the first look alone, at 64 games a
    // batch.
    let plan = plan(vec![cell(None, COUNTED_MICROS as i64, 0, Some(STOP))]);
    let state = played(&plan, &options(40, KernelChoice::Auto));
    let most = IN_PLAY_MOST.load(Ordering::SeqCst);
    assert!(most >= IN_PLAY_WANTED, "{most} batches at a time");
    assert_eq!(
        state.cells,
        played(&plan, &options(1, KernelChoice::Reference)).cells
    );
}

/// Saves are taken at every instant the monitor likes; each continues to the same end.
#[test]
fn every_saved_state_continues_to_the_same_end() {
    struct Keep(std::sync::Mutex<Vec<RunState>>);
    impl RunnerObserver for Keep {
        fn progress(&self, _: &Progress<'_>) {}
        fn save(&self, state: &RunState, _: &[CellProgress]) {
            self.0.lock().unwrap().push(state.clone());
        }
    }
    let stops = [
        None,
        Some(STOP),
        Some(Stop {
            half_width: None,
            relative: Some(0.1),
            difference: None,
            max_games: 6_000,
        }),
    ];
    let plan = plan(
        stops
            .into_iter()
            .enumerate()
            .map(|(i, stop)| cell(None, 100 + i as i64, 3_000, stop))
            .collect(),
    );
    let options = options(3, KernelChoice::Auto);
    let expected = played(&plan, &options);
    let often = RunnerOptions {
        save_every: Duration::from_millis(1),
        ..options
    };
    let keep = Keep(Vec::new().into());
    let schedule = Schedule::new(&plan, &often, None).unwrap();
    run(schedule, &often, &AtomicBool::new(false), &keep).unwrap();
    let states = keep.0.into_inner().unwrap();
    let open = states
        .iter()
        .filter(|state| {
            state
                .cells
                .iter()
                .flatten()
                .any(|cell| cell.stopped.is_none())
        })
        .count();
    assert!(
        open >= 3,
        "{open} of {} states were taken in the middle",
        states.len()
    );
    // Some of the hundreds of saves are enough, spread over the run.
    let step = states.len().div_ceil(times(8) as usize);
    for state in states.into_iter().step_by(step) {
        let again = Schedule::new(&plan, &options, Some(state)).unwrap();
        let end = run(again, &options, &AtomicBool::new(false), &Nobody).unwrap();
        assert_eq!(end.cells, expected.cells);
    }
}

#[test]
fn saved_numbers_that_contradict_each_other_are_refused() {
    let plan = plan(vec![cell(None, 0, 0, Some(STOP))]);
    let options = options(1, KernelChoice::Auto);
    let state = played(&plan, &options);
    // The games are as many as the saved ones, but others.
    let job = Stairs {
        fails: u64::MAX,
        micros: 0,
        batch_games: 64,
    };
    let mut tally = Tally::new(&[]);
    job.play(1024..2048, &mut tally, None);
    let done = state.cells[0].as_ref().unwrap().segments[0].done.clone();
    let other = Segment::new(&Ranges::from_sorted(&done).unwrap(), &tally);
    let refused = |change: &dyn Fn(&mut tilelab::runner::state::CellState), word: &str| {
        let mut state = state.clone();
        change(Arc::make_mut(state.cells[0].as_mut().unwrap()));
        let error = Schedule::new(&plan, &options, Some(state))
            .err()
            .unwrap_or_else(|| panic!("accepted, where {word:?} was expected"))
            .to_string();
        assert!(error.contains(word), "{error:?} lacks {word:?}");
        assert!(error.contains("stairs/"), "{error:?} names no cell");
    };
    let tally = |from: &'static str, to: &'static str| {
        move |cell: &mut tilelab::runner::state::CellState| {
            let text = serde_json::to_string(&cell.segments[0].tally).unwrap();
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            cell.segments[0].tally = serde_json::from_str(&changed).unwrap();
        }
    };
    refused(
        &|cell| cell.segments[0].done = vec![(0, 1000)],
        "1000 games in a tally of 1024",
    );
    refused(
        &|cell| cell.segments[0].done = vec![(0, 1000), (1000, 1024)],
        "ranges of games overlap",
    );
    refused(
        &|cell| cell.segments[0].done = vec![(1, 1025)],
        "games 1..1025 in the segment 0..1024",
    );
    refused(
        &|cell| cell.segments[0].done.clear(),
        "a segment without games",
    );
    refused(
        &|cell| cell.segments.push(other.clone()),
        "is there twice with different results",
    );
    refused(&tally("\"wins\":", "\"wins\":9999"), "do not go with");
    refused(
        &tally("\"moves_sum\":\"", "\"moves_sum\":\"99"),
        "sum of squares",
    );
    refused(
        &tally("\"moves_sum\":\"", "\"moves_sum\":\"many"),
        "not a number",
    );
}

#[test]
fn fail_fast_stops_at_the_first_failure() {
    // None of the cells is the blocked one, which waits for another test.
    let cells = (0..50)
        .map(|i| cell((i == 3).then_some(5), 40 + i, 200, None))
        .collect();
    let plan = plan(cells);
    let mut options = options(2, KernelChoice::Auto);
    options.fail_fast = true;
    let state = played(&plan, &options);
    let ended = state
        .cells
        .iter()
        .flatten()
        .filter(|cell| cell.stopped.is_some())
        .count();
    assert!((1..50).contains(&ended), "{ended} cells ended");
    // Without the wish for a fast end, the rest goes on and the failed cell is tried again.
    options.fail_fast = false;
    let schedule = Schedule::new(&plan, &options, Some(state)).unwrap();
    let state = run(schedule, &options, &AtomicBool::new(false), &Nobody).unwrap();
    let failed: Vec<_> = state
        .cells
        .iter()
        .flatten()
        .filter_map(|cell| cell.error.clone())
        .collect();
    assert_eq!(failed, ["game 5 fell down"]);
    assert_eq!(
        state
            .cells
            .iter()
            .flatten()
            .filter(|cell| cell.stopped == Some(Stopped::Games))
            .count(),
        49
    );
}

/// Games of minutes must not keep a run from saving and ending; what they give later does not
/// count.
#[test]
fn an_interrupted_run_does_not_wait_for_long_games() {
    let plan = plan(vec![
        cell(None, 0, 500, None),
        cell(None, BLOCKED_MICROS as i64, 300, None),
    ]);
    // The pilot plays two batches of each cell, so that two threads are blocked.
    let options = options(4, KernelChoice::Auto);
    let interrupted = AtomicBool::new(false);
    struct Interrupt<'a>(&'a AtomicBool);
    impl RunnerObserver for Interrupt<'_> {
        fn progress(&self, progress: &Progress<'_>) {
            self.0.store(progress.cells[0].done, Ordering::SeqCst);
        }
        fn save(&self, _: &RunState, _: &[CellProgress]) {}
    }
    let schedule = Schedule::new(&plan, &options, None).unwrap();
    let state = run(schedule, &options, &interrupted, &Interrupt(&interrupted)).unwrap();
    assert!(
        !RELEASED.load(Ordering::SeqCst),
        "the run ended while its games were blocked"
    );
    let games = |state: &RunState| {
        state
            .cells
            .iter()
            .map(|cell| cell.as_ref().map_or(0, |cell| cell.games()))
            .collect::<Vec<_>>()
    };
    assert_eq!(games(&state), [500, 0]);
    RELEASED.store(true, Ordering::SeqCst);
    let schedule = Schedule::new(&plan, &options, Some(state)).unwrap();
    let end = run(schedule, &options, &AtomicBool::new(false), &Nobody).unwrap();
    assert_eq!(games(&end), [500, 300]);
    assert_eq!(end.cells, played(&plan, &options).cells);
}

/// The library writes the files of the command line.
#[test]
fn a_rust_caller_gets_the_same_files() {
    let text = "name = \"lib\"\nseed = 3\ngames = 40\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n\
                target = [0, 9]\n";
    let folder = tempfile::tempdir().unwrap();
    let file = crate::common::write(folder.path(), "lib.toml", text);
    let program = folder.path().join("program");
    let out = crate::common::text(&program);
    crate::common::succeeded(&crate::common::tilelab(&[
        "run",
        crate::common::text(&file),
        "--out",
        out,
        "--quiet",
    ]));
    let plan = Plan::of_text(text, Overrides::default()).unwrap();
    let library = folder.path().join("library");
    let options = results::RunOptions {
        runner: options(2, KernelChoice::Auto),
        out: library.clone(),
        fresh: false,
        command: "a test".into(),
    };
    let finished = results::run(&plan, &options, &AtomicBool::new(false), &()).unwrap();
    assert_eq!(
        (finished.games, finished.games_now, finished.interrupted),
        (80, 80, false)
    );
    // times.md is there where a move took 10 µs: on a busy machine in one of the two alone.
    let names = |folder: &std::path::Path| {
        let names = std::fs::read_dir(folder.join("lib"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != "times.md");
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&program), names(&library));
    for name in [
        "cells.csv",
        "distributions.csv",
        "experiment.toml",
        ".state",
    ] {
        let read = |folder: &std::path::Path| std::fs::read(folder.join("lib").join(name)).unwrap();
        assert!(read(&program) == read(&library), "{name} differs");
    }
    // Called again, it has nothing left to play.
    let again = results::run(&plan, &options, &AtomicBool::new(false), &()).unwrap();
    assert_eq!((again.games, again.games_now), (80, 0));
}
