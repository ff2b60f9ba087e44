//! Measures which algorithm of the 67! kernels plays whole games faster, and writes the table by
//! which they choose: `cargo bench -p tilelab-benches --bench algorithms`.
//!
//! Each case is played with few and with many games by either algorithm in turn. The difference of
//! the times over that of the turns leaves out the start and the last games; the table has the
//! medians in nanoseconds of processor time. Rows of kernels that this machine lacks stay as they
//! are. With `-- --test` one case is played and nothing is written; with `-- NAME` the kernel NAME
//! alone is measured.

#![allow(clippy::disallowed_methods)]

use std::process::ExitCode;
use tilelab::games::sixty_seven::kernels::{Algorithm, KERNELS, Kernel};
use tilelab::games::sixty_seven::{Collapse, SixtySeven};
use tilelab::rng::CellSeeds;

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/core/src/games/sixty_seven/kernels/algorithms.csv"
);
const RULES: [&str; 4] = ["original", "gapless", "merge-pairs", "merge-runs"];
/// Rows, cols, and few and many games.
const SIZES: [(usize, usize, [u64; 2]); 4] = [
    (5, 5, [1_000, 12_000]),
    (6, 7, [1_000, 6_000]),
    (8, 8, [600, 2_000]),
    (10, 10, [400, 900]),
];
const TILES: [usize; 4] = [1, 2, 3, 4];
/// On large boards with one tile a turn, games last long.
const ROUNDS_MAX: u64 = 500;
const REPEATS: usize = 5;

/// Nanoseconds of processor time of this thread; where the system does not tell, of the clock.
fn now() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|text| text.split(' ').next()?.parse().ok());
    spent.unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed();
        since.expect("the clock is right").as_nanos() as u64
    })
}

/// Time and turns of the first games.
fn play(kernel: &Kernel, games: u64) -> (f64, f64) {
    let mut turns = 0;
    let start = now();
    let seeds = CellSeeds::new(67, "algorithms", "algorithms");
    kernel.play(seeds, 0..games, &mut |ended| turns += ended.rounds);
    ((now() - start) as f64, turns as f64)
}

/// Nanoseconds a turn.
fn measure(kernel: &Kernel, [few, many]: [u64; 2]) -> f64 {
    let (few_time, few_turns) = play(kernel, few);
    let (many_time, many_turns) = play(kernel, many);
    (many_time - few_time) / (many_turns - few_turns)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    let table = std::fs::read_to_string(TABLE).expect("the table can be read");
    let mut rows: Vec<String> = table.lines().map(str::to_owned).collect();
    for entry in KERNELS.iter().filter(|entry| (entry.available)()) {
        let name = entry.choice.name();
        if wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let mut measured = Vec::new();
        for rules in RULES {
            for (rows, cols, games) in SIZES {
                for tiles in TILES {
                    let mut game = SixtySeven::new(rows, cols);
                    game.collapse = Collapse::preset(rules);
                    game.tiles_per_turn = tiles;
                    game.max_rounds = Some(ROUNDS_MAX);
                    let kernel = Kernel::new(entry.choice, &game).expect("the case fits");
                    let kernels = [Algorithm::Planes, Algorithm::Slices].map(|algorithm| {
                        kernel
                            .with_algorithm(algorithm)
                            .expect("the board fits both")
                    });
                    if is_test {
                        kernels
                            .iter()
                            .for_each(|kernel| assert!(play(kernel, 8).1 > 0.0));
                        return ExitCode::SUCCESS;
                    }
                    let mut times = [const { Vec::new() }; 2];
                    for _ in 0..REPEATS {
                        for (times, kernel) in times.iter_mut().zip(&kernels) {
                            times.push(measure(kernel, games));
                        }
                    }
                    let [planes, slices] = times.map(median);
                    let row =
                        format!("{name},{rules},{rows}x{cols},{tiles},{planes:.1},{slices:.1}");
                    eprintln!("{row}");
                    measured.push(row);
                }
            }
        }
        rows.retain(|row| !row.starts_with(&format!("{name},")));
        rows.extend(measured);
    }
    if !is_test {
        std::fs::write(TABLE, rows.join("\n") + "\n").expect("the table can be written");
    }
    ExitCode::SUCCESS
}
