//! What splitting saves: `cargo run --release --example splitting [REPLICATIONS] [CELL …]`.
//!
//! For each cell: the win rate from `REPLICATIONS` replications (100,000 when left out), and the
//! *gain*, how many times as many moves, and as much time, plain games need for the same standard
//! error; rate and gain in moves with 95 % intervals. The time of splitting includes the pilot run.
//! A cell such as `67 size=5x5 operators=+-` replaces those of the list. Example `coverage` says
//! how often the interval covers.

use std::time::Instant;
use tilelab::stats::{Interval, SplittingSums, Summary};
use tilelab::{Cell, KernelChoice, Tally};

const CELLS: [&str; 4] = [
    "67 size=6x7 operators=+-",
    "67 size=5x5 operators=+-",
    "67 size=6x7 operators=+-*",
    "2048 size=3x3 goal=256",
];

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let count = arguments.peek().and_then(|text| text.parse().ok());
    let replications = count.inspect(|_| drop(arguments.next())).unwrap_or(100_000);
    let given = arguments.collect::<Vec<_>>().join(" ");
    let cells = if given.is_empty() {
        CELLS.to_vec()
    } else {
        vec![given.as_str()]
    };
    for cell in cells {
        measure(cell, replications);
    }
}

/// The tally of the first games of a cell on one thread, and the seconds that they took.
fn play(cell: &str, games: u64) -> (Tally, f64) {
    let cell = Cell::parse(cell).unwrap_or_else(|error| panic!("{cell}: {error}"));
    let job = cell.job(67, KernelChoice::Auto);
    let job = job.unwrap_or_else(|error| panic!("{error}"));
    let mut tally = Tally::new(job.measures());
    let begun = Instant::now();
    job.play(0..games, &mut tally, None);
    (tally, begun.elapsed().as_secs_f64())
}

fn measure(cell: &str, replications: u64) {
    let (split, seconds) = play(&format!("{cell} method=splitting"), replications);
    let (plain, seconds_plain) = play(cell, 4 * replications);
    let sums = SplittingSums::of(&split).expect("replications were played");
    let rate = sums.rate().expect("there are replications");
    let effective = sums.effective_games().expect("there are replications");
    let summary = Summary::of(&split, 0.95).splitting;
    let levels = summary.expect("replications were played").levels_text();
    println!("{cell}: levels {levels}");
    println!(
        "  {replications} replications, {} with a win, {} moves, {seconds:.2} s",
        split.wins, split.moves_sum
    );
    let Interval { lo, hi } = sums.interval(0.95).expect("there are replications");
    println!("  win rate {rate:.4e} [{lo:.4e}, {hi:.4e}], effective games {effective:.4e}");
    println!("  plain: {} wins of {} games", plain.wins, plain.games);
    let per_game = |sum: f64| sum / plain.games as f64;
    let gain = per_game(plain.moves_sum as f64) * effective / split.moves_sum as f64;
    // The gain is as uncertain as the variance, whose root is the width.
    let error = 1.96 * gain * 2.0 * sums.width_error(replications);
    println!(
        "  gain in moves {gain:.1} [{:.1}, {:.1}], in time {:.1}",
        gain - error,
        gain + error,
        per_game(seconds_plain) * effective / seconds
    );
}
