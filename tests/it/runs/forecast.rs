//! The work left of a run, foretold from the work done: schedules are played with made-up costs of
//! games, so that no clock decides.

use std::ops::Range;
use std::time::Duration;
use tilelab::game::KernelChoice;
use tilelab::plan::{Overrides, Plan};
use tilelab::rng::mix;
use tilelab::runner::pace::CostGroups;
use tilelab::runner::schedule::Schedule;
use tilelab::runner::state::RunState;
use tilelab::runner::{RunnerOptions, Shard};

/// What is foretold may differ by this share from what comes.
const TOLERANCE: f64 = 0.3;

fn plan(tables: &str) -> Plan {
    Plan::of_text(
        &format!("name = \"work\"\nseed = 5\n{tables}"),
        Overrides::default(),
    )
    .unwrap()
}

/// Plays a plan, or what is left of it, where a game of cell c takes `cost(c)` seconds; see
/// [`check_batches`].
fn check(plan: &Plan, saved: Option<RunState>, cost: &dyn Fn(usize) -> f64) -> (RunState, usize) {
    check_batches(plan, saved, &mut |cell, games| {
        (games.end - games.start) as f64 * cost(cell)
    })
}

/// Plays a plan, or what is left of it, where a batch of these games of cell c takes
/// `cost(c, games)` seconds. From a tenth of the work to nine tenths, forecasts of the work left
/// must be within [`TOLERANCE`]. Returns the last state, and how many forecasts were compared.
fn check_batches(
    plan: &Plan,
    saved: Option<RunState>,
    cost: &mut dyn FnMut(usize, Range<u64>) -> f64,
) -> (RunState, usize) {
    let options = RunnerOptions {
        threads: 1,
        kernel: KernelChoice::Auto,
        shard: Shard::WHOLE,
        fail_fast: false,
        save_every: Duration::from_secs(60),
    };
    let groups = CostGroups::new(plan);
    let mut schedule = Schedule::new(plan, &options, saved).unwrap();
    let mut done = 0.0;
    // Work done, and the work left as foretold then.
    let mut foretold = Vec::new();
    while let Some(batch) = schedule.next_batch() {
        let tally = batch.play();
        let work = Duration::from_secs_f64(cost(batch.cell, batch.games()));
        schedule.complete(&batch, Ok(tally), work, work);
        done += work.as_secs_f64();
        let left: f64 = groups.estimate(&schedule.progress()).unwrap().work;
        foretold.push((done, left));
    }
    assert!(schedule.is_done());
    let compared: Vec<_> = foretold
        .iter()
        .filter(|(at, _)| (0.1 * done..=0.9 * done).contains(at))
        .collect();
    for (at, left) in &compared {
        let error = left / (done - at) - 1.0;
        assert!(
            error.abs() <= TOLERANCE,
            "after {at:.3} of {done:.3} s: {left:.3} s left, {:.0} % off",
            100.0 * error
        );
    }
    (schedule.state(), compared.len())
}

#[test]
fn an_expensive_player_beside_a_cheap_one() {
    // In one table and in two, the expensive one first and last.
    let both = "[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"2x2\"\ngames = 600\nplayer = [\"greedy\", \"random\"]\n";
    let (_, compared) = check(&plan(both), None, &|cell| [0.1, 1e-5][cell]);
    assert!(compared > 20, "{compared}");
    let cheap =
        "[[table]]\ntitle = \"cheap\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\ngames = 30_000\n";
    let expensive = "[[table]]\ntitle = \"expensive\"\ngame = \"67\"\nsize = \"2x2\"\ngames = 100\nplayer = \"greedy\"\n";
    let (_, compared) = check(&plan(&format!("{cheap}{expensive}")), None, &|cell| {
        [1e-5, 2e-5, 0.2][cell]
    });
    assert!(compared > 20, "{compared}");
    check(&plan(&format!("{expensive}{cheap}")), None, &|cell| {
        [0.2, 1e-5, 2e-5][cell]
    });
    // Where the many cheap games are half of the work.
    check(&plan(&format!("{expensive}{cheap}")), None, &|cell| {
        [0.2, 3e-4, 4e-4][cell]
    });
}

#[test]
fn boards_of_many_sizes() {
    let sizes = "[[table]]\ntitle = \"t\"\ngame = \"67\"\nmax_rounds = 3\nplayer = \"greedy\"\ngames = 40\n\
                 rows = { from = 2, to = 6 }\ncols = { from = 2, to = 6 }\n";
    let plan = plan(sizes);
    let cost = |cell: usize| (((2 + cell / 5) * (2 + cell % 5)) as f64).powi(2) * 1e-3;
    assert_eq!(plan.cells.len(), 25);
    let (_, compared) = check(&plan, None, &cost);
    assert!(compared > 20, "{compared}");
}

#[test]
fn unequal_continuation() {
    let tables = |cheap: u32, expensive: u32| {
        format!(
            "[[table]]\ntitle = \"a\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\ngames = {cheap}\n\
             [[table]]\ntitle = \"b\"\ngame = \"67\"\nsize = \"2x2\"\nplayer = \"greedy\"\ngames = {expensive}\n"
        )
    };
    let cost = |cell: usize| [2e-4, 3e-4, 5e-2][cell];
    // The cheap games are nearly all there, the expensive ones are not; and the reverse.
    for (before, after) in [((4096, 64), (6144, 512)), ((1024, 384), (20_480, 512))] {
        let (state, _) = check(&plan(&tables(before.0, before.1)), None, &cost);
        let (_, compared) = check(&plan(&tables(after.0, after.1)), Some(state), &cost);
        assert!(compared > 10, "{compared}");
    }
}

/// The cost of games that are spread like exponential times around a mean.
fn spread(games: Range<u64>, mean: f64) -> f64 {
    games
        .map(|game| -mean * ((mix(game + 1) as f64 + 1.0) / 2_f64.powi(64)).ln())
        .sum()
}

/// The first batch is too small to show what a game costs: every batch fills tables, the first one
/// of a cell more of them, and few games may be long or short ones.
#[test]
fn batches_that_fill_tables_and_games_of_unequal_length() {
    let random = "[[table]]\ntitle = \"random\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\ngames = 100_000\n";
    let beside = |player: &str, games: u32| {
        let table = format!(
            "title = \"beside\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\nplayer = {player}"
        );
        plan(&format!(
            "{random}[[table]]\n{table}\nmax_rounds = 2\ngames = {games}\n"
        ))
    };
    // Batches of up to 64 games; the first has 8.
    let tables = &mut |cell: usize, games: Range<u64>| match cell {
        0 | 1 => spread(games, 1e-5),
        _ => 0.02 + spread(games, 3e-3),
    };
    let (state, compared) = check_batches(&beside("\"greedy\"", 2000), None, tables);
    assert!(compared > 20, "{compared}");
    let (_, compared) = check_batches(&beside("\"greedy\"", 6000), Some(state), tables);
    assert!(compared > 20, "{compared}");
    // Batches of one game.
    let player = "{ name = \"monte-carlo\", playouts = 1, horizon = 1 }";
    let mut has_begun = [false; 4];
    let slow = &mut |cell: usize, games: Range<u64>| match cell {
        0 | 1 => spread(games, 1e-5),
        _ => {
            spread(games, 0.02)
                + if std::mem::replace(&mut has_begun[cell], true) {
                    0.0
                } else {
                    0.3
                }
        }
    };
    let (_, compared) = check_batches(&beside(player, 400), None, slow);
    assert!(compared > 20, "{compared}");
}

/// Cells that a rule ends after a tenth of their games or less, some of them soon and some late.
#[test]
fn cells_that_stop_when_they_are_precise() {
    let tables = |player: &str| {
        format!(
            "[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\", \"3x3\"]\ntarget = [10, 12, 14, 67]\n\
             player = {player}\nstop = {{ half_width = 0.02, max_games = 1_000_000 }}\n"
        )
    };
    let (_, compared) = check(&plan(&tables("\"random\"")), None, &|_| 1e-3);
    assert!(compared > 20, "{compared}");
}
