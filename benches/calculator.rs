//! Calculator: the 199 levels, the two that took nested loops longest, and a wide and deep level;
//! every answer is asserted.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tilelab::games::calculator::{Level, solver};
use tilelab::levels::built_in;

fn levels(criterion: &mut Criterion) {
    let levels: Vec<Level> = built_in().into_iter().map(|listed| listed.level).collect();
    let mut group = criterion.benchmark_group("calculator");
    group.bench_function("199 levels, one solution each", |bench| {
        bench.iter(|| {
            let solved = levels
                .iter()
                .filter(|level| {
                    solver::shortest(black_box(level))
                        .unwrap()
                        .solution
                        .is_some()
                })
                .count();
            assert_eq!(solved, 199);
        });
    });
    group.bench_function("199 levels, all solutions", |bench| {
        bench.iter(|| {
            let count: u128 = levels
                .iter()
                .map(|level| solver::all(black_box(level)).unwrap().count)
                .sum();
            assert_eq!(count, COUNT);
        });
    });
    for (number, solutions) in [(192, 7), (199, 5)] {
        group.bench_function(format!("level {number}, all solutions"), |bench| {
            bench.iter(|| {
                assert_eq!(
                    solver::all(black_box(&levels[number - 1]))
                        .unwrap()
                        .list()
                        .len(),
                    solutions
                )
            });
        });
    }
    group.sample_size(10);
    let labels = [
        "+9", "x2", "Reverse", "SUM", "Shift>", "-18", "[+]9", "Store",
    ];
    let refuted = Level::new(1, [9, 100_001, 12], &labels, None).expect("a right level");
    group.bench_function("8 buttons, 12 moves, refuted", |bench| {
        bench.iter(|| {
            assert!(
                solver::shortest(black_box(&refuted))
                    .unwrap()
                    .solution
                    .is_none()
            )
        });
    });
    group.finish();
}

/// All solutions of all levels together.
const COUNT: u128 = 721;

criterion_group!(benches, levels);
criterion_main!(benches);
