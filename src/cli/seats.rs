//! Players of two-player games on the command line: `name` or `name(key=value,…)`.

use super::{input_error, set};
use crate::catalog::{GAMES, GameEntry, PlayerSpec};

/// The two-player game with this name.
pub fn game(name: &str) -> anyhow::Result<&'static GameEntry> {
    let game = set::game(name)?;
    if game.seats != 2 {
        let names: Vec<&str> = GAMES.iter().filter(|game| game.seats == 2).map(|game| game.name).collect();
        return Err(input_error(format!("--game {name}: played by one; accepted: {}", names.join(", "))));
    }
    Ok(game)
}

/// Reads a player with its parameters; `place` is the option that names it.
pub fn player(game: &GameEntry, place: &str, text: &str) -> anyhow::Result<PlayerSpec> {
    let (name, settings) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let settings = rest.strip_suffix(')');
            (name, settings.ok_or_else(|| input_error(format!("{place} {text}: write name(key=value,…)")))?)
        }
    };
    let names = game.players.iter().map(|player| player.name);
    let entry = game.player(name).ok_or_else(|| input_error(set::unknown(place, name, names)))?;
    let mut spec = PlayerSpec::new(entry);
    for setting in settings.split(',').filter(|setting| !setting.trim().is_empty()) {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| input_error(format!("{place} {text}: {setting} is not accepted; write key=value")))?;
        let (key, value) = (key.trim(), value.trim());
        let known = entry.params.iter().map(|param| param.name);
        let param = entry.params.iter().find(|param| param.name == key);
        let param = param.ok_or_else(|| input_error(set::unknown(&format!("{place} {name}:"), key, known)))?;
        let value = param.parse(value).ok_or_else(|| {
            input_error(format!("{place} {name}: {key}={value}: not accepted; accepted: {}", param.accepts()))
        })?;
        spec.params.set(param.name, value);
    }
    Ok(spec)
}
