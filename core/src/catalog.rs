//! The catalog: all games with their players, by name.
//!
//! This list is the only place that names all games. A game is one file that implements
//! [`PlayableGame`] and one line here; a player is one file that implements [`NamedPlayer`] and one
//! line in the `mod.rs` of its folder. No other code matches on their names.
//!
//! The program of another crate [`add`]s games and players before anything else, and then they are
//! like the others. A program that uses the library can also add games later ([`add_game`]).

pub use crate::game::registry::{
    Answer, BuildJob, GameEntry, MakeSeat, NamedPlayer, PlayableGame, PlayerEntry, PlayerSpec,
    Setup, refuse_clocks,
};
pub use crate::games::two_player::{NODES_AT, seat_player};
pub use crate::players::weights::WEIGHTS;

use crate::players::random::Random;
use crate::{games, players};
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

/// The number of games that share a trajectory, for games that support it
/// ([`games::sixty_seven::lanes`]).
pub const LANES: &str = games::sixty_seven::lanes::NAME;
/// The parameter of games whose win rates can be estimated by splitting.
pub const METHOD: &str = games::sixty_seven::splitting::METHOD;
/// Its value that selects splitting.
pub const SPLITTING: &str = games::sixty_seven::splitting::SPLITTING;

/// Games and players of another crate.
#[derive(Debug, Default)]
pub struct Additions {
    /// Games, each with its players, the default first.
    pub games: Vec<GameEntry>,
    /// Players, each with the name of its game.
    pub players: Vec<(&'static str, PlayerEntry)>,
}

static ADDITIONS: OnceLock<Additions> = OnceLock::new();

/// Adds games and players to the catalog, once and before it is first read. They get everything
/// that those of the catalog have; a name that is taken is refused, so that no addition changes
/// what a name stands for.
///
/// # Errors
/// Names the game or player whose name is taken or whose game there is not, or says that it is too
/// late.
pub fn add(additions: Additions) -> Result<(), String> {
    let mut names: Vec<&str> = BUILT_IN.iter().flat_map(GameEntry::names).collect();
    for game in &additions.games {
        if let Some(taken) = game.names().find(|name| names.contains(name)) {
            return Err(format!("{taken}: there is a game of this name already"));
        }
        names.extend(game.names());
    }
    let mut seen = Vec::new();
    for (name, player) in &additions.players {
        let mut known = BUILT_IN.iter().chain(&additions.games);
        let game = known
            .find(|game| game.name == *name)
            .ok_or_else(|| format!("{name}: there is no game of this name for {}", player.name))?;
        if game.player(player.name).is_some() || seen.contains(&(name, player.name)) {
            let player = player.name;
            return Err(format!(
                "{player}: {name} has a player of this name already"
            ));
        }
        seen.push((name, player.name));
    }
    let mut late = true;
    ADDITIONS.get_or_init(|| {
        late = false;
        additions
    });
    if late {
        return Err("the catalog has been read already; add games and players first".to_owned());
    }
    Ok(())
}

/// The games of this crate and those that were [`add`]ed.
pub static GAMES: LazyLock<Vec<GameEntry>> = LazyLock::new(|| {
    let additions = ADDITIONS.get_or_init(Additions::default);
    let mut games = [BUILT_IN, &additions.games].concat();
    for game in &mut games {
        let players = additions.players.iter();
        let mut added = players
            .filter(|(name, _)| *name == game.name)
            .map(|(_, player)| *player)
            .peekable();
        if added.peek().is_some() {
            let all: Vec<PlayerEntry> = game.players.iter().copied().chain(added).collect();
            game.players = all.leak();
        }
    }
    games
});

/// The games of this crate.
static BUILT_IN: &[GameEntry] = &[
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

    /// Additions that would change what a name stands for, or come too late, are refused.
    #[test]
    fn names_that_are_taken_are_refused() {
        let game = GAMES[0];
        let player = game.players[0];
        let adds = |games: &[GameEntry], players: &[(&'static str, PlayerEntry)]| {
            add(Additions {
                games: games.to_vec(),
                players: players.to_vec(),
            })
            .unwrap_err()
        };
        for (refused, named) in [
            (adds(&[game], &[]), "sixty-seven: there is a game"),
            (adds(&[], &[("chess", player)]), "chess: there is no game"),
            (
                adds(&[], &[("sixty-seven", player)]),
                "random: sixty-seven has a player",
            ),
            (adds(&[], &[]), "read already"),
        ] {
            assert!(refused.contains(named), "{refused}");
        }
    }

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
