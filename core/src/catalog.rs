//! The catalog: all games with their players, by name.
//!
//! This list is the only place that names all games. A game is one file that implements
//! [`PlayableGame`] and one line here; a player is one file that implements [`NamedPlayer`] and one
//! line in the `mod.rs` of its folder. No other code matches on their names. A program that uses the
//! library can add games of its own ([`add_game`]).

pub use crate::game::registry::{
    Answer, BuildJob, GameEntry, MakeSeat, NamedPlayer, PlayableGame, PlayerEntry, PlayerSpec,
    Setup, refuse_clocks,
};
pub use crate::games::two_player::{NODES_AT, seat_player};
pub use crate::players::weights::WEIGHTS;

use crate::players::random::Random;
use crate::{games, players};
use std::sync::{PoisonError, RwLock};

/// The number of games that share a trajectory, for games that support it
/// ([`games::sixty_seven::lanes`]).
pub const LANES: &str = games::sixty_seven::lanes::NAME;
/// The parameter of games whose win rates can be estimated by splitting.
pub const METHOD: &str = games::sixty_seven::splitting::METHOD;
/// Its value that selects splitting.
pub const SPLITTING: &str = games::sixty_seven::splitting::SPLITTING;

/// The built-in games.
pub static GAMES: &[GameEntry] = &[
    GameEntry::of::<games::sixty_seven::SixtySeven>(players::sixty_seven::PLAYERS)
        .learned_by(players::sixty_seven::learning::learner),
    GameEntry::of::<games::calculator::Calculator>(&[PlayerEntry::of::<
        games::calculator::Calculator,
        Random,
    >()]),
    GameEntry::of::<games::twenty_forty_eight::TwentyFortyEight>(
        players::twenty_forty_eight::PLAYERS,
    )
    .learned_by(players::twenty_forty_eight::learning::learner),
    GameEntry::of::<games::offset::Offset>(players::two_player::OFFSET),
    GameEntry::of::<games::zero_sum::ZeroSum>(players::two_player::ZERO_SUM),
];

/// The games that the program has added.
static ADDED: RwLock<Vec<&'static GameEntry>> = RwLock::new(Vec::new());

/// All games: the built-in ones, then those that the program has added.
pub fn games() -> impl Iterator<Item = &'static GameEntry> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner).clone();
    GAMES.iter().chain(added)
}

/// Adds a game, or replaces an added one of the same name. Cells that have been planned keep the
/// former rules. The entry is never freed.
///
/// # Errors
/// Returns an error if a built-in game has one of its names.
pub fn add_game(entry: GameEntry) -> Result<&'static GameEntry, String> {
    let built_in: Vec<&str> = GAMES.iter().flat_map(GameEntry::names).collect();
    if let Some(name) = entry.names().find(|name| built_in.contains(name)) {
        return Err(format!("{name}: a built-in game has this name"));
    }
    let entry: &'static GameEntry = Box::leak(Box::new(entry));
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    added.retain(|known| known.name != entry.name);
    added.push(entry);
    Ok(entry)
}

/// The game with this name or alias.
#[must_use]
pub fn game(name: &str) -> Option<&'static GameEntry> {
    games().find(|game| game.names().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_stands_for_one_game() {
        let names: Vec<&str> = GAMES.iter().flat_map(GameEntry::names).collect();
        for name in &names {
            assert_eq!(
                names.iter().filter(|other| *other == name).count(),
                1,
                "{name}"
            );
        }
        for (alias, name) in [
            ("67", "sixty-seven"),
            ("2048", "twenty-forty-eight"),
            ("multiplication", "zero-sum"),
        ] {
            assert_eq!(game(alias).map(|game| game.name), Some(name));
        }
    }
}
