//! 2048: random games a second by kernel, and thinking players' moves. Every bench asserts its answer.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tilelab::catalog::{self, PlayerSpec, Setup};
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::params::{ParamError, Params};
use tilelab::rng::CellSeeds;

/// Random games of one batch and the swipes that they take.
const GAMES: u64 = 8192;
const SWIPES: u128 = 964_118;

fn random_job(kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
    let game = catalog::game("twenty-forty-eight").expect("the game is in the catalog");
    let players = [PlayerSpec::new(game.player("random").expect("the random player plays it"))];
    let (params, seeds) = (Params::defaults(game.params), CellSeeds::new(2048, "world", "player"));
    (game.build)(&Setup { params: &params, players: &players, seeds, kernel })
}

fn random(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("2048/random");
    group.throughput(Throughput::Elements(SWIPES as u64)).sample_size(10);
    for (name, kernel) in KernelChoice::ALL {
        let Ok(job) = random_job(kernel) else { continue };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut tally = Tally::new(job.measures());
                job.play(0..GAMES, &mut tally);
                assert_eq!(tally.moves_sum, SWIPES);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, random);
criterion_main!(benches);
