//! A player of your own for 2048, compared with the random player on the same spawns: `cargo run
//! --release --example own_player`.

use tilelab::games::direction::Direction;
use tilelab::games::twenty_forty_eight::TwentyFortyEight;
use tilelab::rng::Stream;
use tilelab::{Cell, Game, LoopJob, Player, Summary, play_games};

/// Swipes down when it can, else left, else right, else up.
struct DownLeft;

impl Player<TwentyFortyEight> for DownLeft {
    fn choose(
        &mut self,
        _game: &TwentyFortyEight,
        _state: &<TwentyFortyEight as Game>::State,
        legal: &[Direction],
        _stream: &mut Stream,
    ) -> Direction {
        let order = [
            Direction::Down,
            Direction::Left,
            Direction::Right,
            Direction::Up,
        ];
        order
            .into_iter()
            .find(|direction| legal.contains(direction))
            .expect("at least one swipe is legal")
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games = 500;
    let seed = 2048;
    let cell = Cell::parse("twenty-forty-eight size=4x4 player=random")?;
    let job = LoopJob::new(
        TwentyFortyEight::from_params(&cell.params),
        || DownLeft,
        cell.seeds(seed),
    );
    for (name, tally) in [
        ("down-left", play_games(&job, 0..games)),
        ("random", cell.play(games, seed)?),
    ] {
        let summary = Summary::of(&tally, 0.95);
        println!(
            "{name}: {:.1} moves a game",
            summary.moves_mean.ok_or("no game was played")?
        );
    }
    Ok(())
}
