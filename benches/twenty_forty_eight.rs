//! 2048: random games a second by kernel, and thinking players' moves. Every bench asserts its
//! answer.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tilelab::catalog::{self, PlayerSpec, Setup};
use tilelab::game::registry::NamedPlayer;
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::games::direction::Direction;
use tilelab::games::twenty_forty_eight::board::NumberBoard;
use tilelab::games::twenty_forty_eight::{self, TwentyFortyEight};
use tilelab::params::{ParamError, Params};
use tilelab::players::twenty_forty_eight::expectimax::Expectimax;
use tilelab::rng::CellSeeds;

/// Random games of one batch and the swipes that they take.
const GAMES: u64 = 8192;
const SWIPES: u128 = 964_118;

fn random_job(kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
    let game = catalog::game("twenty-forty-eight").expect("the game is in the catalog");
    let players = [PlayerSpec::new(
        game.player("random").expect("the random player plays it"),
    )];
    let params = Params::defaults(game.params);
    let seeds = CellSeeds::new(2048, "world", "player");
    game.build(&Setup {
        params: &params,
        players: &players,
        seeds,
        kernel,
    })
}

fn random(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("2048/random");
    group
        .throughput(Throughput::Elements(SWIPES as u64))
        .sample_size(10);
    for (name, kernel) in KernelChoice::ALL {
        let Ok(job) = random_job(kernel) else {
            continue;
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut tally = Tally::new(job.measures());
                job.play(0..GAMES, &mut tally, None);
                assert_eq!(tally.moves_sum, SWIPES);
            });
        });
    }
    group.finish();
}

/// Boards of an early, a middle and a late game.
const BOARDS: [(&str, &str); 3] = [
    ("early", "64,16,4,2/8,4,2,0/2,0,0,0/0,0,2,0"),
    ("middle", "1024,256,64,8/128,64,16,4/8,4,2,2/2,0,0,2"),
    ("late", "8192,4096,2048,512/256,128,64,8/16,8,4,2/2,4,2,0"),
];

/// One choice by expectimax with its default depth; elements are evaluated swipes, legal or not, as
/// public engines count them.
fn expectimax(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("2048/expectimax");
    group.sample_size(10);
    let game = TwentyFortyEight::from_params(&Params::defaults(twenty_forty_eight::PARAMS));
    for (name, text) in BOARDS {
        let board = NumberBoard::parse(text).expect("a board");
        let legal: Vec<Direction> = board.legal().collect();
        let mut player = Expectimax::build(&Params::defaults(Expectimax::PARAMS)).unwrap();
        let values = player.values(&game, &board, &legal);
        assert!(values.iter().all(|value| *value > 0.0), "{values:?}");
        group.throughput(Throughput::Elements(player.evaluated()));
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(player.values(&game, &board, &legal), values));
        });
    }
    group.finish();
}

criterion_group!(benches, random, expectimax);
criterion_main!(benches);
