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
use std::sync::{OnceLock, PoisonError, RwLock};

/// The number of games that share a trajectory, for games that support it
/// ([`sixty_seven::lanes`]).
pub const LANES: &str = sixty_seven::lanes::NAME;

/// The games of this crate. This and the lists of players are constants: the compiler would compile
/// what a static names, all loops of all players, for every program of tests.
const BUILT_IN: &[GameEntry] = &[
    GameEntry::of::<sixty_seven::SixtySeven>(players::sixty_seven::PLAYERS)
        .learned_by(players::sixty_seven::learning::learner),
    GameEntry::of::<calculator::Calculator>(players::general::<calculator::Calculator>()),
    GameEntry::of::<twenty_forty_eight::TwentyFortyEight>(players::twenty_forty_eight::PLAYERS)
        .learned_by(players::twenty_forty_eight::learning::learner),
    GameEntry::of::<offset::Offset>(players::two_player::OFFSET),
    GameEntry::of::<zero_sum::ZeroSum>(players::two_player::ZERO_SUM),
];

/// All games, with what the program has added. An entry that was replaced is never freed.
fn catalog() -> &'static RwLock<Vec<&'static GameEntry>> {
    static CATALOG: OnceLock<RwLock<Vec<&GameEntry>>> = OnceLock::new();
    CATALOG.get_or_init(|| RwLock::new(BUILT_IN.iter().collect()))
}

/// All games: those of this crate, then those that the program has added.
pub fn games() -> impl Iterator<Item = &'static GameEntry> {
    let catalog = catalog().read().unwrap_or_else(PoisonError::into_inner);
    catalog.clone().into_iter()
}

/// Adds a game, or replaces an added one of the same name. Cells that have been planned keep the
/// former rules.
///
/// # Errors
/// Returns an error if another game, or one of this crate, has one of its names.
pub fn add_game(entry: GameEntry) -> Result<&'static GameEntry, String> {
    let mut catalog = catalog().write().unwrap_or_else(PoisonError::into_inner);
    // The games of this crate come first, and keep their names.
    let others = catalog
        .iter()
        .enumerate()
        .filter(|&(place, known)| place < BUILT_IN.len() || known.name != entry.name);
    let taken: Vec<&str> = others.flat_map(|(_, known)| known.names()).collect();
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
    let mut catalog = catalog().write().unwrap_or_else(PoisonError::into_inner);
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
