//! `--game NAME` and `--set key=value` on the command line.

use super::input_error;
use crate::catalog::{self, GAMES, GameEntry, PlayerSpec};
use crate::params::{ParamSpec, Params, suggestion};

/// The game with this name, or an error that lists the games.
pub fn game(name: &str) -> anyhow::Result<&'static GameEntry> {
    catalog::game(name).ok_or_else(|| input_error(unknown("--game", name, GAMES.iter().map(|game| game.name))))
}

/// A game's parameters: its defaults changed by `key=value` settings. `size=6x7` sets rows and cols.
pub fn params(game: &GameEntry, settings: &[String]) -> anyhow::Result<Params> {
    let mut params = Params::defaults(game.params);
    for setting in settings {
        let (key, value) =
            setting.split_once('=').ok_or_else(|| input_error(format!("--set {setting}: write key=value")))?;
        match value.split_once('x') {
            Some((rows, cols)) if key == "size" && game.params.iter().any(|spec| spec.name == "rows") => {
                set(&mut params, game.params, "rows", rows)?;
                set(&mut params, game.params, "cols", cols)?;
            }
            _ => set(&mut params, game.params, key, value)?,
        }
    }
    (game.complete)(&mut params).map_err(|error| input_error(format!("--set {error}")))?;
    Ok(params)
}

/// A player as labels write it: `name`, or `name(key=value,…)`.
pub fn player(game: &'static GameEntry, place: &str, text: &str) -> anyhow::Result<PlayerSpec> {
    let (name, settings) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let settings = rest.strip_suffix(')');
            (name, settings.ok_or_else(|| input_error(format!("{place} {text}: write NAME or NAME(key=value,…)")))?)
        }
    };
    let Some(entry) = game.player(name) else {
        return Err(input_error(unknown(place, name, game.players.iter().map(|player| player.name))));
    };
    let mut spec = PlayerSpec::new(entry);
    for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| input_error(format!("{place} {text}: {setting}: write key=value")))?;
        set_at(&format!("{place} {name}"), &mut spec.params, entry.params, key, value)?;
    }
    if let Some(missing) = entry
        .params
        .iter()
        .find(|known| known.default_value().is_none() && *spec.params.get(known.name) == crate::params::Value::Unset)
    {
        let (key, accepted) = (missing.name, missing.accepts());
        return Err(input_error(format!("{place} {name}: {key} is missing; accepted: {accepted}")));
    }
    Ok(spec)
}

fn set(params: &mut Params, specs: &[ParamSpec], key: &str, value: &str) -> anyhow::Result<()> {
    set_at("--set", params, specs, key, value)
}

fn set_at(place: &str, params: &mut Params, specs: &[ParamSpec], key: &str, value: &str) -> anyhow::Result<()> {
    let Some(spec) = specs.iter().find(|spec| spec.name == key) else {
        return Err(input_error(unknown(place, key, specs.iter().map(|spec| spec.name))));
    };
    let accepted = spec.parse(value);
    params.set(
        key,
        accepted
            .ok_or_else(|| input_error(format!("{place} {key}={value}: not accepted; accepted: {}", spec.accepts())))?,
    );
    Ok(())
}

/// "unknown name; accepted: …", with the name that was probably meant.
pub fn unknown<'a>(place: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let meant = suggestion(name, known.clone()).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    format!("{place} {name}: unknown; accepted: {}{meant}", known.collect::<Vec<_>>().join(", "))
}
