//! What splitting saves: `cargo run --release --example splitting [REPLICATIONS] [SETTINGS …]`.
//!
//! For each cell: the win rate from so many replications (100,000 when left out), and the *gain*,
//! how many times as many moves, and as much time, plain games need for the same standard error,
//! with the standard error of the gain in moves. The time of splitting includes the pilot run.
//! Settings such as `size=5x5 operators=+-` replace the cells. Example `coverage` says how often
//! the interval covers.

use std::time::Instant;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::splitting::{Splitting, WavePlayer};
use tilelab::players::random::Random;
use tilelab::stats::{SplittingSums, Summary};
use tilelab::{Cell, GameResult, KernelChoice, Outcome, Tally};

const CELLS: [&str; 3] = [
    "size=6x7 operators=+-",
    "size=5x5 operators=+-",
    "size=6x7 operators=+-*",
];
const CONFIDENCE: f64 = 0.95;

/// The tally of replications with these weighted wins.
fn tally(splitting: &Splitting, wins: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::new(&[]);
    for wins in wins {
        let result = if wins > 0 {
            GameResult::Won
        } else {
            GameResult::Lost
        };
        tally.add_replication(&Outcome::new(result, 0), splitting.levels(), wins);
    }
    tally
}

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
    for settings in cells {
        measure(settings, replications);
    }
}

fn measure(settings: &str, replications: u64) {
    let cell = Cell::parse(&format!("sixty-seven {settings}"))
        .unwrap_or_else(|error| panic!("{settings}: {error}"));
    let game = SixtySeven::from_params(&cell.params);
    let kernel = Kernel::new(KernelChoice::Auto, &game)
        .unwrap_or_else(|error| panic!("{settings}: {error}"));
    let begun = Instant::now();
    let mut engine = WavePlayer {
        game: &game,
        kernel: Some(&kernel),
        player: Random,
    };
    let splitting = Splitting::by_pilot(&mut engine, cell.seeds(67));
    let mut wins = Vec::new();
    let mut moves = 0;
    splitting.play(
        &mut engine,
        cell.seeds(67),
        0..replications,
        &mut |_, replication| {
            wins.push(replication.wins);
            moves += replication.moves;
        },
    );
    let seconds = begun.elapsed().as_secs_f64();
    let split = tally(&splitting, wins.iter().copied());
    let sums = SplittingSums::of(&split).expect("replications were played");
    let rate = sums.rate().expect("there are replications");
    let effective = sums.effective_games().expect("there are replications");

    let begun = Instant::now();
    let mut plain = Tally::new(&[]);
    kernel.play(cell.seeds(67), 0..4 * replications, &mut |ended| {
        plain.add(&ended.outcome())
    });
    let seconds_plain = begun.elapsed().as_secs_f64() / plain.games as f64;
    let moves_plain = plain.moves_sum as f64 / plain.games as f64;

    let levels = Summary::of(&split, CONFIDENCE)
        .splitting
        .expect("replications were played")
        .levels_text();
    println!("{settings}: levels {levels}");
    println!(
        "  {replications} replications, {} with a win, {moves} moves, {seconds:.2} s",
        split.wins
    );
    println!(
        "  win rate {rate:.4e} ± {:.1e}, effective games {effective:.4e}",
        sums.standard_error().unwrap_or(0.0)
    );
    println!("  plain: {} wins of {} games", plain.wins, plain.games);
    let gain = moves_plain * effective / moves as f64;
    // The gain is as uncertain as the variance: Var(s²) ≈ (κ − 1) s⁴ / m with the kurtosis κ.
    let deviation = |&wins: &u64| wins as f64 / splitting.product(0) as f64 - rate;
    let mean_power = |power| {
        wins.iter()
            .map(|one| deviation(one).powi(power))
            .sum::<f64>()
            / replications as f64
    };
    let kurtosis = mean_power(4) / mean_power(2).powi(2);
    let error = gain * ((kurtosis - 1.0) / replications as f64).sqrt();
    println!(
        "  gain in moves {gain:.1} ± {error:.1}, in time {:.1}",
        seconds_plain * effective / seconds
    );
}
