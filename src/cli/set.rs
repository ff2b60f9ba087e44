//! `--game NAME`, `--set key=value` and players on the command line.

use super::input_error;
use crate::catalog::{GAMES, GameEntry, PlayerSpec};
use crate::params::Params;
use crate::plan;

/// The game with this name, or an error that lists the games.
pub fn game(name: &str) -> anyhow::Result<&'static GameEntry> {
    plan::game(name).map_err(|error| input_error(format!("--game {error}")))
}

/// The two-player game with this name.
pub fn two_player_game(name: &str) -> anyhow::Result<&'static GameEntry> {
    let game = game(name)?;
    if game.seats != 2 {
        let names: Vec<&str> = GAMES.iter().filter(|game| game.seats == 2).map(|game| game.name).collect();
        return Err(input_error(format!("--game {name}: played by one; accepted: {}", names.join(", "))));
    }
    Ok(game)
}

/// A game's parameters: its defaults changed by `key=value` settings. `size=6x7` sets rows and
/// cols.
pub fn params(game: &GameEntry, settings: &[String]) -> anyhow::Result<Params> {
    plan::params(game, settings).map_err(|error| input_error(format!("--set {error}")))
}

/// A player as labels write it: `name`, or `name(key=value,…)`. `place` is the option that names
/// it.
pub fn player(game: &GameEntry, place: &str, text: &str) -> anyhow::Result<PlayerSpec> {
    plan::player(game, text).map_err(|error| input_error(format!("{place} {error}")))
}
