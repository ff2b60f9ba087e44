//! `--game NAME`, `--set key=value`, players and counts on the command line.

use super::{Result, input_error};
use crate::catalog::{GameEntry, PlayerSpec};
use crate::params::Params;
use crate::plan;
use crate::text;
use std::ops::RangeBounds;
use std::str::FromStr;

/// The game with this name, or an error that lists the games.
pub fn game(name: &str) -> Result<&'static GameEntry> {
    plan::game(name).map_err(|error| input_error(format!("--game {error}")))
}

/// A game's parameters: its defaults changed by `key=value` settings. `size=6x7` sets rows and
/// cols.
pub fn params(game: &GameEntry, settings: &[String]) -> Result<Params> {
    check_players(settings, "--player")?;
    plan::params(game, settings).map_err(|error| input_error(format!("--set {error}")))
}

/// Refuses players among the parameters of a game. `option` says where they are named.
pub fn check_players(settings: &[String], option: &str) -> Result<()> {
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let option = match key.trim() {
            "player" => option,
            "opponent" if option == "--player" => "--opponent",
            "opponent" => option,
            _ => continue,
        };
        refuse!("--set {setting}: a player is no parameter of the game; give {option} {value}");
    }
    Ok(())
}

/// A player as labels write it: `name`, or `name(key=value,…)`. `place` is the option that names
/// it.
pub fn player(game: &GameEntry, place: &str, text: &str) -> Result<PlayerSpec> {
    plan::player(game, text).map_err(|error| input_error(format!("{place} {error}")))
}

/// Reads a number within a range; where it is another, says what is accepted.
pub fn number<T: FromStr + PartialOrd>(
    text: &str,
    range: impl RangeBounds<T>,
    accepted: &str,
) -> Result<T, String> {
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| accepted.to_owned())
}

/// Reads one of these names; where it is another, lists them.
pub fn named<T, const N: usize>(text: &str, all: [(&str, T); N]) -> Result<T, String> {
    let names = all.each_ref().map(|(name, _)| *name).join(", ");
    let mut all = all.into_iter();
    let found = all.find(|(name, _)| *name == text);
    found
        .map(|(_, value)| value)
        .ok_or_else(|| format!("accepted: {names}"))
}

/// Reads a number of games from 1 up, such as 250000, 250_000, 250k, 2.5e5 or 3M.
pub fn count(text: &str) -> Result<u64, String> {
    let largest = i64::MAX.unsigned_abs();
    text::count(text)
        .filter(|count| (1..=largest).contains(count))
        .ok_or_else(|| format!("accepted: {} from 1 to {largest}", text::COUNT_FORM))
}
