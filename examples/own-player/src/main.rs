//! tilelab with a player of your own for 2048, which swipes down, else left, else right, else up:
//! `cargo run --release -p own-player -- match down-left corner --game 2048 --measure score`.

use std::process::ExitCode;
use tilelab::catalog::{self, NamedPlayer, PlayerEntry};
use tilelab::games::direction::Direction::{self, Down, Left, Right, Up};
use tilelab::games::twenty_forty_eight::{NAME, TwentyFortyEight as Game, reference::State};
use tilelab::params::{ParamError, Params};
use tilelab::{Player, rng::Stream};

struct DownLeft;

impl Player<Game> for DownLeft {
    fn choose(&mut self, _: &Game, _: &State, legal: &[Direction], _: &mut Stream) -> Direction {
        let mut order = [Down, Left, Right, Up].into_iter();
        order.find(|swipe| legal.contains(swipe)).unwrap()
    }
}

impl NamedPlayer<Game> for DownLeft {
    const NAME: &str = "down-left";
    const SUMMARY: &str = "swipes down when it can, else left, else right, else up";
    const CHANCE: bool = false;

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self)
    }
}

fn main() -> ExitCode {
    catalog::add_player(NAME, PlayerEntry::of::<Game, DownLeft>()).expect("the name is free");
    tilelab::program()
}
