//! What splitting saves, and how often its interval covers: `cargo run --release --example
//! splitting [REPLICATIONS] [SETTINGS …]`.
//!
//! For each cell: the win rate from so many replications (100,000 when left out), and the *gain*,
//! how many times as many moves, and as much time, plain games need for the same standard error.
//! Then the coverage of 95 % intervals from fewer replications, drawn with repetition from those
//! that were played. Settings such as `size=5x5 operators=+-` replace the cells.

use std::time::Instant;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::splitting::{Splitting, WavePlayer};
use tilelab::players::random::Random;
use tilelab::rng::{Rng, SeedableRng, Stream};
use tilelab::stats::{SplittingSums, Summary};
use tilelab::{Cell, GameResult, KernelChoice, Outcome, Tally};

const CELLS: [&str; 3] = ["size=6x7 operators=+-", "size=5x5 operators=+-", "size=6x7 operators=+-*"];
/// Intervals for each row of coverage.
const INTERVALS: u64 = 2_000;
const CONFIDENCE: f64 = 0.95;

/// The tally of replications with these weighted wins.
fn tally(splitting: &Splitting, wins: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::new(&[]);
    for wins in wins {
        let result = if wins > 0 { GameResult::Won } else { GameResult::Lost };
        tally.add_replication(&Outcome::new(result, 0), splitting.levels(), wins);
    }
    tally
}

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let count = arguments.peek().and_then(|text| text.parse().ok());
    let replications = count.inspect(|_| drop(arguments.next())).unwrap_or(100_000);
    let given = arguments.collect::<Vec<_>>().join(" ");
    let cells = if given.is_empty() { CELLS.to_vec() } else { vec![given.as_str()] };
    for settings in cells {
        measure(settings, replications);
    }
}

fn measure(settings: &str, replications: u64) {
    let cell = Cell::parse(&format!("sixty-seven {settings}")).unwrap_or_else(|error| panic!("{settings}: {error}"));
    let game = SixtySeven::from_params(&cell.params);
    let kernel = Kernel::new(KernelChoice::Auto, &game).unwrap_or_else(|error| panic!("{settings}: {error}"));
    let begun = Instant::now();
    let mut engine = WavePlayer { game: &game, kernel: Some(&kernel), player: Random };
    let splitting = Splitting::by_pilot(&mut engine, cell.seeds(67));
    let mut wins = Vec::new();
    let mut moves = 0;
    splitting.play(&mut engine, cell.seeds(67), 0..replications, &mut |_, replication| {
        wins.push(replication.wins);
        moves += replication.moves;
    });
    let seconds = begun.elapsed().as_secs_f64();
    let split = tally(&splitting, wins.iter().copied());
    let sums = SplittingSums::of(&split).expect("replications were played");
    let rate = sums.rate().expect("there are replications");
    let effective = sums.effective_games().expect("there are replications");

    let begun = Instant::now();
    let mut plain = Tally::new(&[]);
    kernel.play(cell.seeds(67), 0..4 * replications, &mut |ended| plain.add(&ended.outcome()));
    let seconds_plain = begun.elapsed().as_secs_f64() / plain.games as f64;
    let moves_plain = plain.moves_sum as f64 / plain.games as f64;

    let levels = Summary::of(&split, CONFIDENCE).splitting.expect("replications were played").levels_text();
    println!("{settings}: levels {levels}");
    println!("  {replications} replications, {} with a win, {moves} moves, {seconds:.2} s", split.wins);
    println!("  win rate {rate:.4e} ± {:.1e}, effective games {effective:.4e}", sums.standard_error().unwrap_or(0.0));
    println!("  plain: {} wins of {} games", plain.wins, plain.games);
    println!(
        "  gain in moves {:.1}, in time {:.1}",
        moves_plain * effective / moves as f64,
        seconds_plain * effective / seconds
    );
    let mut stream = Stream::seed_from_u64(67);
    for sample in [1_000, 4_000, 16_000] {
        let mut covered = 0;
        for _ in 0..INTERVALS {
            let drawn = (0..sample).map(|_| wins[(stream.next_u64() % wins.len() as u64) as usize]);
            let interval = SplittingSums::of(&tally(&splitting, drawn)).and_then(|sums| sums.interval(CONFIDENCE));
            covered += u64::from(interval.is_some_and(|found| found.contains(rate)));
        }
        let won = split.wins as f64 / replications as f64 * sample as f64;
        println!(
            "  {sample} replications, about {won:.0} with a win: covered {:.2} %",
            100.0 * covered as f64 / INTERVALS as f64
        );
    }
}
