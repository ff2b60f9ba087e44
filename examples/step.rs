//! Steps many games at once, each with its own move, and measures the pace: `cargo run --release
//! --example step`; another cell or kernel may follow: `-- "2048 goal=512" portable`.

use std::time::Instant;
use tilelab::game::stepping::SteppingOptions;
use tilelab::{Cell, GameResult, KernelChoice};

const GAMES: usize = 1024;
const STEPS: usize = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let cell = Cell::parse(
        &arguments
            .next()
            .unwrap_or_else(|| "sixty-seven rules=gapless size=6x7".to_owned()),
    )?;
    let name = arguments.next().unwrap_or_else(|| "auto".to_owned());
    let kernel = KernelChoice::ALL
        .into_iter()
        .find(|(known, _)| *known == name)
        .ok_or("no such kernel")?
        .1;

    let mut games = cell.stepper(67, GAMES, kernel, SteppingOptions::default())?;
    let mut moves = vec![0; GAMES];
    let mut won = 0;
    let mut ended = 0;
    let start = Instant::now();
    for step in 0..STEPS {
        // The legal directions in turn: the bits of a mask are up, down, left, right.
        for (chosen, legal) in moves.iter_mut().zip(games.legal()) {
            let turned = (legal | legal << 4) >> (step % 4);
            *chosen = ((turned.trailing_zeros() as usize + step) % 4) as u8;
        }
        games.step(&moves)?;
        ended += games.finished().len();
        won += games
            .finished()
            .iter()
            .filter(|game| game.outcome.result == GameResult::Won)
            .count();
    }
    let rounds_per_s = (GAMES * STEPS) as f64 / start.elapsed().as_secs_f64();
    println!(
        "{won} of {ended} games won; {:.1} million rounds/s, kernel {}",
        rounds_per_s / 1e6,
        games.kernel()
    );
    Ok(())
}
