//! The catalog: all games with their players, by name.
//!
//! This list is the only place that names all games. A game is one file that implements
//! [`PlayableGame`] and one line here; a player is one file that implements [`NamedPlayer`] and one
//! line in the `mod.rs` of its folder. No other code matches on their names.
//!
//! A program that uses the library can add games ([`add_game`]) and players ([`add_player`]), which
//! then are like the others.

pub use crate::game::registry::{
    GameEntry, NamedPlayer, PlayableGame, PlayerEntry, PlayerSpec, Setup, refuse_clocks,
};
pub use crate::game::splitting::{METHOD, SPLITTING};
pub use crate::games::two_player::NODES_AT;
pub use crate::players::weights::WEIGHTS;

use crate::games::{calculator, offset, sixty_seven, twenty_forty_eight, zero_sum};
use crate::params::ParamError;
use crate::players;
use crate::text::join;
use std::sync::{LazyLock, PoisonError, RwLock};

/// The number of games that share a trajectory, for games that support it
/// ([`sixty_seven::lanes`]).
pub const LANES: &str = sixty_seven::lanes::NAME;

/// The games of this crate.
static BUILT_IN: &[GameEntry] = &[
    GameEntry::of::<sixty_seven::SixtySeven>(players::sixty_seven::PLAYERS)
        .learned_by(players::sixty_seven::learning::learner),
    GameEntry::of::<calculator::Calculator>(players::general::<calculator::Calculator>()),
    GameEntry::of::<twenty_forty_eight::TwentyFortyEight>(players::twenty_forty_eight::PLAYERS)
        .learned_by(players::twenty_forty_eight::learning::learner),
    GameEntry::of::<offset::Offset>(players::two_player::OFFSET),
    GameEntry::of::<zero_sum::ZeroSum>(players::two_player::ZERO_SUM),
];

/// All games, with what the program has added. An entry that was replaced is never freed.
static CATALOG: LazyLock<RwLock<Vec<&'static GameEntry>>> =
    LazyLock::new(|| RwLock::new(BUILT_IN.iter().collect()));

/// All games: those of this crate, then those that the program has added.
pub fn games() -> impl Iterator<Item = &'static GameEntry> {
    let catalog = CATALOG.read().unwrap_or_else(PoisonError::into_inner);
    catalog.clone().into_iter()
}

/// Adds a game, or replaces an added one of the same name. Cells that have been planned keep the
/// former rules.
///
/// # Errors
/// Returns an error if another game, or one of this crate, has one of its names.
pub fn add_game(entry: GameEntry) -> Result<&'static GameEntry, String> {
    let mut catalog = CATALOG.write().unwrap_or_else(PoisonError::into_inner);
    let is_built_in = |name| BUILT_IN.iter().any(|known| known.name == name);
    let others = catalog
        .iter()
        .filter(|known| known.name != entry.name || is_built_in(known.name));
    let taken: Vec<&str> = others.flat_map(|known| known.names()).collect();
    if let Some(name) = entry.names().find(|name| taken.contains(name)) {
        return Err(format!("{name}: there is a game of this name already"));
    }
    let entry: &'static GameEntry = Box::leak(Box::new(entry));
    match catalog.iter_mut().find(|known| known.name == entry.name) {
        Some(known) => *known = entry,
        None => catalog.push(entry),
    }
    Ok(entry)
}

/// Adds a player to a game.
///
/// # Errors
/// Returns an error if there is no such game, or if it has a player of this name.
pub fn add_player(name: &str, player: PlayerEntry) -> Result<(), String> {
    let mut catalog = CATALOG.write().unwrap_or_else(PoisonError::into_inner);
    let entry = catalog
        .iter_mut()
        .find(|game| game.has_name(name))
        .ok_or_else(|| format!("{name}: there is no game of this name"))?;
    if entry.player(player.name).is_some() {
        let player = player.name;
        return Err(format!(
            "{player}: {name} has a player of this name already"
        ));
    }
    let players = [entry.players, &[player]].concat().leak();
    *entry = Box::leak(Box::new(GameEntry { players, ..**entry }));
    Ok(())
}

/// The game with this name or alias.
pub fn game(name: &str) -> Option<&'static GameEntry> {
    games().find(|game| game.has_name(name))
}

/// Refuses a game that is not stepped
/// ([`Stepper`](crate::game::stepping::Stepper)), and names those that are.
///
/// # Errors
/// Returns an error if the game is not stepped.
pub fn refuse_unstepped(game: &GameEntry) -> Result<(), ParamError> {
    if game.make_table.is_some() {
        return Ok(());
    }
    let stepped = games().filter(|game| game.make_table.is_some());
    let names = join(stepped.map(|game| game.name), ", ");
    let message = format!("{} is not stepped; accepted: {names}", game.name);
    Err(ParamError::new("game", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Additions that would change what a name stands for are refused.
    #[test]
    fn names_that_are_taken_are_refused() {
        let game = BUILT_IN[0];
        let player = game.players[0];
        for (refused, named) in [
            (add_game(game).unwrap_err(), "sixty-seven: there is a game"),
            (
                add_player("chess", player).unwrap_err(),
                "chess: there is no game",
            ),
            (
                add_player("sixty-seven", player).unwrap_err(),
                "random: sixty-seven has a player",
            ),
        ] {
            assert!(refused.contains(named), "{refused}");
        }
    }

    /// Players that several threads add at once are all there afterwards.
    #[test]
    fn players_added_at_once_are_all_kept() {
        const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
        for name in ["round 1", "round 2", "round 3", "round 4"] {
            let game = add_game(GameEntry {
                name,
                aliases: &[],
                ..BUILT_IN[4]
            });
            let player = game.unwrap().players[0];
            let barrier = std::sync::Barrier::new(NAMES.len());
            std::thread::scope(|scope| {
                for added in NAMES {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        let player = PlayerEntry {
                            name: added,
                            ..player
                        };
                        add_player(name, player).unwrap();
                    });
                }
            });
            let game = super::game(name).unwrap();
            for added in NAMES {
                assert!(game.player(added).is_some(), "{name}: {added}");
            }
        }
    }

    #[test]
    fn every_name_and_alias_stands_for_one_game() {
        let names: Vec<&str> = games().flat_map(GameEntry::names).collect();
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
