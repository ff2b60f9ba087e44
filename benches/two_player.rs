//! Two-player games: a full random match of Offset, one choice of each thinking player, and the
//! multiplication game solved.
//!
//! Every bench asserts its answer first, so that a fast wrong player is not taken for a good one.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tilelab::catalog::{self, PlayerSpec, Setup};
use tilelab::game::{Game, Job, KernelChoice, Player, Tally};
use tilelab::games::offset::{Offset, Pair, Walk};
use tilelab::games::zero_sum::ZeroSum;
use tilelab::params::Params;
use tilelab::players::two_player::alpha_beta::AlphaBeta;
use tilelab::players::two_player::exact::Exact;
use tilelab::rng::{CellSeeds, SeedableRng, Stream};

fn job(kernel: KernelChoice, player: &str) -> Box<dyn Job> {
    let game = catalog::game("offset").unwrap();
    let params = Params::defaults(game.params);
    let players = [player, "random"].map(|name| PlayerSpec::new(game.player(name).unwrap()));
    let seeds = CellSeeds::new(67, "bench", "bench");
    game.build(&Setup {
        params: &params,
        players: &players,
        seeds,
        kernel,
    })
    .unwrap()
}

fn play(job: &dyn Job, game: u64) -> Tally {
    let mut tally = Tally::new(job.measures());
    job.play(game..game + 1, &mut tally, None);
    tally
}

fn matches(criterion: &mut Criterion) {
    for player in ["random", "greedy"] {
        let job = job(KernelChoice::Auto, player);
        let plain = self::job(KernelChoice::Reference, player);
        assert_eq!(play(&*job, 0), play(&*plain, 0));
        let mut game = 0;
        criterion.bench_function(&format!("offset d=7, {player} against random"), |bench| {
            bench.iter(|| {
                game += 1;
                play(&*job, black_box(game))
            });
        });
    }
}

fn choices(criterion: &mut Criterion) {
    let pairs = Some([Pair::new(1, 6).unwrap(), Pair::new(3, 4).unwrap()]);
    let rules = Offset {
        side: 32,
        d: 7,
        pairs,
        beginner: 0,
        opening: 0,
        walk: Walk::Drawn,
    };
    let board = rules.start(&mut Stream::seed_from_u64(0));
    let choose = |board| {
        let mut stream = Stream::seed_from_u64(0);
        AlphaBeta::new(2, 8, 0).choose(&rules, board, &[], &mut stream)
    };
    let chosen = choose(&board);
    let mut legal = Vec::new();
    rules.legal(&board, &mut legal);
    assert!(legal.contains(&chosen));
    criterion.bench_function(
        "offset d=7, first move of alpha-beta(depth=2,width=8)",
        |bench| {
            bench.iter(|| {
                assert_eq!(choose(black_box(&board)), chosen);
            });
        },
    );
    let game = ZeroSum {
        start: 8,
        beginner: 0,
        limit: 1200,
        opening: 0,
    };
    criterion.bench_function("zero-sum solved from 8", |bench| {
        bench.iter(|| {
            let mut state = game.start(&mut Stream::seed_from_u64(0));
            assert_eq!(Exact::default().margin(&game, black_box(&mut state)), 1);
        });
    });
}

criterion_group!(benches, matches, choices);
criterion_main!(benches);
