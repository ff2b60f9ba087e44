//! Plays games of 67! with the random player on each kernel of the machine in turn, by each of its
//! algorithms, and prints nanoseconds a turn, the median of several runs: `cargo run --release -p
//! tilelab-platforms --bin turns`; another cell, games a run, runs, one kernel and one algorithm
//! may follow: `-- "rules=gapless rows=10 cols=10" 300 9 portable slices`.
//!
//! It needs no threads and no files, so that it also runs on an emulator or compiled to
//! WebAssembly. All kernels of a run are checked to have played the same turns.

use std::time::Instant;
use tilelab::games::sixty_seven::kernels::{Algorithm, KERNELS, Kernel};
use tilelab::games::sixty_seven::{PARAMS, SixtySeven, complete};
use tilelab::params::Params;
use tilelab::rng::CellSeeds;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let settings = arguments
        .next()
        .unwrap_or_else(|| "rules=gapless rows=6 cols=7".to_owned());
    let games: u64 = arguments
        .next()
        .unwrap_or_else(|| "2000".to_owned())
        .parse()?;
    let runs: usize = arguments
        .next()
        .unwrap_or_else(|| "15".to_owned())
        .parse()?;
    let wanted = arguments.next();

    let mut params = Params::parse(PARAMS, &settings)?;
    complete(&mut params)?;
    let game = SixtySeven::from_params(&params);
    let chosen = KERNELS.iter().filter(|entry| {
        wanted
            .as_ref()
            .is_none_or(|name| entry.choice.name() == name)
    });
    let algorithms = [("planes", Algorithm::Planes), ("slices", Algorithm::Slices)];
    let algorithm = arguments.next();
    let algorithms = algorithms
        .into_iter()
        .filter(|(name, _)| algorithm.as_ref().is_none_or(|wanted| wanted == name));
    let kernels: Vec<(&str, Kernel)> = chosen
        .filter_map(|entry| Kernel::new(entry.choice, &game).ok())
        .flat_map(|kernel| {
            let by = |(name, algorithm)| Some((name, kernel.with_algorithm(algorithm)?));
            algorithms.clone().filter_map(by).collect::<Vec<_>>()
        })
        .collect();
    let mut times = vec![Vec::new(); kernels.len()];
    let mut all = 0;
    for run in 0..runs as u64 {
        let mut played = Vec::new();
        for ((_, kernel), times) in kernels.iter().zip(&mut times) {
            let mut turns = 0;
            let start = Instant::now();
            kernel.play(
                CellSeeds::new(67, "turns", "turns"),
                run * games..(run + 1) * games,
                &mut |ended| {
                    turns += ended.rounds;
                },
            );
            times.push(start.elapsed().as_secs_f64() * 1e9 / turns as f64);
            played.push(turns);
        }
        all += played.first().copied().unwrap_or_default();
        assert!(
            played.iter().all(|turns| *turns == played[0]),
            "the kernels play different turns: {played:?}"
        );
    }
    for ((algorithm, kernel), times) in kernels.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!(
            "{:10} {algorithm} {:7.1} ns a turn, fastest {:.1}; {all} turns",
            kernel.name(),
            times[runs / 2],
            times[0]
        );
    }
    Ok(())
}
