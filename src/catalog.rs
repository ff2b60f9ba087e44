//! The catalog: all games with their players, by name.
//!
//! This list is the only place that names all games. A game is one file that implements
//! [`PlayableGame`](crate::game::registry::PlayableGame) and one line here; a player is one file that
//! implements [`NamedPlayer`](crate::game::registry::NamedPlayer) and one line in the `mod.rs` of its
//! folder. Nothing else matches on their names.

pub use crate::game::registry::{
    Answer, BuildJob, GameEntry, MakeSeat, NamedPlayer, PlayableGame, PlayerEntry, PlayerSpec, Setup, refuse_clocks,
};
pub use crate::games::two_player::seat_player;

use crate::games::{calculator, offset, sixty_seven, twenty_forty_eight, zero_sum};
use crate::players::random::Random;
use crate::players::{sixty_seven as of_67, twenty_forty_eight as of_2048, two_player};

/// The parameter of games that can share trajectories: how many do ([`sixty_seven::lanes`]).
pub const LANES: &str = sixty_seven::lanes::NAME;

/// All games.
pub static GAMES: &[GameEntry] = &[
    GameEntry::of::<sixty_seven::SixtySeven>(of_67::PLAYERS),
    GameEntry::of::<calculator::Calculator>(&[PlayerEntry::of::<calculator::Calculator, Random>()]),
    GameEntry::of::<twenty_forty_eight::TwentyFortyEight>(of_2048::PLAYERS),
    GameEntry::of::<offset::Offset>(two_player::OFFSET),
    GameEntry::of::<zero_sum::ZeroSum>(two_player::ZERO_SUM),
];

/// The game with this name.
#[must_use]
pub fn game(name: &str) -> Option<&'static GameEntry> {
    GAMES.iter().find(|game| game.name == name)
}
