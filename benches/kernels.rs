//! Times of the 67! kernels: `cargo bench -p tilelab-benches --bench kernels`. Every batch is
//! checked to have played what the first one played.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tilelab::game::GameResult;
use tilelab::games::sixty_seven::kernels::{KERNELS, Kernel};
use tilelab::games::sixty_seven::{PARAMS, SixtySeven};
use tilelab::params::{Params, Value};
use tilelab::rng::CellSeeds;

/// Rules, rows, cols, games a batch, and the (wins, turns) of games 0, 1, … under master seed 67
/// and the key "bench".
type Case = (&'static str, i64, i64, u64, (u64, u64));

const CASES: [Case; 6] = [
    ("original", 6, 7, 2000, (25, 99_167)),
    ("gapless", 6, 7, 2000, (33, 102_902)),
    ("merge-runs", 6, 7, 1000, (21, 78_757)),
    ("gapless", 8, 8, 500, (28, 71_401)),
    ("gapless", 10, 10, 200, (64, 134_959)),
    ("gapless", 16, 16, 50, (47, 92_606)),
];

fn game(rules: &str, rows: i64, cols: i64) -> SixtySeven {
    let mut params = Params::defaults(PARAMS);
    params.set("rules", Value::Text(rules.to_owned()));
    params.set("rows", Value::Int(rows));
    params.set("cols", Value::Int(cols));
    SixtySeven::from_params(&params)
}

/// Wins and turns of the first games.
fn play(kernel: &Kernel, games: u64) -> (u64, u64) {
    let mut wins = 0;
    let mut turns = 0;
    kernel.play(
        CellSeeds::new(67, "bench", "bench"),
        0..games,
        &mut |ended| {
            wins += u64::from(ended.outcome().result == GameResult::Won);
            turns += ended.rounds;
        },
    );
    (wins, turns)
}

fn kernels(criterion: &mut Criterion) {
    for (rules, rows, cols, games, expected) in CASES {
        let mut group = criterion.benchmark_group(format!("{rules} {rows}x{cols}"));
        group.throughput(Throughput::Elements(expected.1));
        for entry in KERNELS.iter().filter(|entry| (entry.available)()) {
            let kernel = Kernel::new(entry.choice, &game(rules, rows, cols))
                .expect("the case fits every kernel");
            group.bench_function(BenchmarkId::from_parameter(kernel.name()), |bencher| {
                bencher.iter(|| assert_eq!(play(black_box(&kernel), games), expected));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
