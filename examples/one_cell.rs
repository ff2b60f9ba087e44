//! Plays one cell and prints its win rate with its interval: `cargo run --release --example
//! one_cell`.

use tilelab::{Cell, Summary};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cell = Cell::parse("sixty-seven rules=gapless size=4x4 player=random")?;
    let tally = cell.play(10_000, 67)?;
    let summary = Summary::of(&tally, 0.95);
    let interval = summary.win_pct_exact.ok_or("no game was played")?;
    println!("{}", cell.key());
    println!(
        "{} of {} games won: {:.2} to {:.2} % (95 % interval)",
        summary.wins, summary.games, interval.lo, interval.hi
    );
    println!(
        "{:.1} moves a game",
        summary.moves_mean.ok_or("no game was played")?
    );
    Ok(())
}
