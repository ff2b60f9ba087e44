//! An experiment of one table without a file: from `key=value` settings, as on a command line.

use super::Difference;
use super::cell::{self, Invalid};
use super::values::{MATCH, MEASURE, SEPARATE};
use std::fmt::Write;
use tilelab_games::catalog::{GameEntry, PlayerSpec};
use tilelab_games::params::{Params, SettingError, Value};
use tilelab_games::text::{join, separate};

/// What stands for an experiment file of one table.
#[derive(Clone, Debug)]
pub struct Inline<'a> {
    /// The game.
    pub game: &'static GameEntry,
    /// `key=value` or `key=value,value,…` of the game's parameters, and `size=6x7,…`.
    pub settings: &'a [String],
    /// Players of the first seat as labels write them, several separated by commas; empty: the
    /// game's default.
    pub players: &'a [String],
    /// Players of the second seat, in the same way.
    pub opponents: &'a [String],
    /// Games of each cell.
    pub games: u64,
    /// The master seed.
    pub seed: u64,
    /// What decides the pairs of a match of the players of the first seat; `None` where every
    /// player has cells of its own.
    pub decided_by: Option<&'a str>,
    /// The sequential test of a match.
    pub difference: Option<Difference>,
    /// Parameters that move together, each with a value for every start; empty: the settings say
    /// all.
    pub starts: &'a [(String, Vec<String>)],
    /// In a match whose pairs are searched for the best player: the rounds after the first, each
    /// with fewer players and more pairs. `None` in other matches.
    pub rounds: Option<&'a [Round]>,
}

/// A round of a search for the best player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The players, as labels write them.
    pub players: Vec<String>,
    /// Pairs of every two players, those of earlier rounds included.
    pub pairs: u64,
}

impl Inline<'_> {
    /// The text of the experiment file that plays the same cells; the experiment and its table have
    /// the name of the game.
    ///
    /// # Errors
    /// Names the first setting or player that is wrong and says what is accepted. Whether the
    /// parameters go together shows when the text is planned.
    pub fn text(&self) -> Result<String, Invalid> {
        let name = self.game.name;
        let mut text = format!(
            "name = \"{name}\"\nseed = {}\ngames = {}\n\n",
            self.seed, self.games
        );
        let _ = writeln!(text, "[[table]]\ntitle = \"{name}\"\ngame = \"{name}\"");
        for setting in self.settings {
            let (key, values) = self.values(setting)?;
            let _ = writeln!(text, "{key} = {}", list(&values));
        }
        for (key, values) in self.starts {
            let read = |value: &String| {
                let setting = format!("{key}={value}");
                Ok(self.values(&setting)?.1.join(", "))
            };
            let values: Vec<String> = values.iter().map(read).collect::<Result<_, Invalid>>()?;
            let _ = writeln!(text, "{key} = {}", list(&values));
        }
        if self.starts.len() > 1 {
            let keys = join(self.starts.iter().map(|(key, _)| quoted(key)), ", ");
            let _ = writeln!(text, "zip = [[{keys}]]");
        }
        let first = if self.decided_by.is_some() {
            MATCH
        } else {
            "player"
        };
        let texts = |players: &[String]| {
            let players = players.iter().flat_map(|players| separate(players, ','));
            let text = |player| Ok(player_text(&cell::player(self.game, player)?));
            players.map(text).collect::<Result<Vec<String>, Invalid>>()
        };
        for (seat, players) in [(first, self.players), ("opponent", self.opponents)] {
            let players = texts(players)?;
            if !players.is_empty() {
                let _ = writeln!(text, "{seat} = {}", list(&players));
            }
        }
        if let Some(name) = self.decided_by {
            let _ = writeln!(text, "{MEASURE} = {}", quoted(name));
        }
        if let Some(test) = self.difference {
            let Difference {
                lower,
                upper,
                alpha,
                beta,
            } = test;
            let _ = writeln!(
                text,
                "stop = {{ difference = {{ lower = {lower:?}, upper = {upper:?}, alpha = {alpha:?}, beta = {beta:?} }}, max_games = {} }}",
                self.games
            );
        }
        if let Some(rounds) = self.rounds {
            let _ = writeln!(text, "{SEPARATE} = true");
            let entry = |round: &Round| {
                let players = list(&texts(&round.players)?);
                Ok(format!(
                    "    {{ {MATCH} = {players}, games = {} }},\n",
                    round.pairs
                ))
            };
            let entries = rounds.iter().map(entry);
            let entries = entries.collect::<Result<String, Invalid>>()?;
            if !entries.is_empty() {
                let _ = writeln!(text, "grow = [\n{entries}]");
            }
        }
        Ok(text)
    }

    /// The key of a setting and its values in TOML.
    fn values<'s>(&self, setting: &'s str) -> Result<(&'s str, Vec<String>), Invalid> {
        let form = || {
            Invalid::Setting(SettingError::Form {
                setting: setting.to_owned(),
            })
        };
        let (key, text) = setting.split_once('=').ok_or_else(form)?;
        let specs = self.game.params;
        let read = |value: &str| {
            let mut params = Params::defaults(specs);
            params.change(specs, &format!("{key}={value}"))?;
            let spec = self.game.param(key);
            Ok(spec.map_or_else(|| quoted(value), |spec| value_text(params.get(spec.name))))
        };
        // Text of some parameters has commas of its own.
        let values = read(text).map_or_else(|_| separate(text, ','), |_| vec![text]);
        let names_another = |value: &&&str| {
            let another = value.split_once('=');
            another.is_some_and(|(name, _)| self.game.param(name).is_some())
        };
        if let Some(another) = values.iter().find(names_another) {
            return Err(Invalid::Second {
                key: key.to_owned(),
                another: (*another).to_owned(),
            });
        }
        let values: Result<Vec<String>, SettingError> = values.into_iter().map(read).collect();
        Ok((key, values.map_err(Invalid::Setting)?))
    }
}

/// Values as they stand in TOML: a single one, or a list.
pub(super) fn list(values: &[String]) -> String {
    match values {
        [value] => value.clone(),
        _ => format!("[{}]", values.join(", ")),
    }
}

fn player_text(player: &PlayerSpec) -> String {
    let given = player
        .params
        .iter()
        .filter(|(_, value)| **value != Value::Unset);
    let given: String = given
        .map(|(name, value)| format!(", {name} = {}", value_text(value)))
        .collect();
    format!("{{ name = \"{}\"{given} }}", player.entry.name)
}

/// A value as it stands in TOML.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        // Keeps the dot of a whole number.
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Text as it stands in TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, Plan};

    fn text(
        game: &str,
        settings: &[&str],
        players: &[&str],
        opponents: &[&str],
    ) -> Result<String, Invalid> {
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|&text| text.to_owned())
                .collect::<Vec<String>>()
        };
        let game = cell::game(game)?;
        let settings = owned(settings);
        let players = owned(players);
        let opponents = owned(opponents);
        Inline {
            game,
            settings: &settings,
            players: &players,
            opponents: &opponents,
            games: 10,
            seed: 67,
            decided_by: None,
            difference: None,
            starts: &[],
            rounds: None,
        }
        .text()
    }

    #[test]
    fn lists_become_the_lists_of_a_table() {
        let settings = ["size=5x5,6x7", "operators=+-*,+-", "operator_rate=0.5,1"];
        let text = text(
            "67",
            &settings,
            &["random,monte-carlo(playouts=2,horizon=3)"],
            &[],
        )
        .unwrap();
        let plan = Plan::of_text(&text, Overrides::default())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(
            (plan.cells.len(), plan.seed, plan.cells[0].games),
            (16, 67, 10)
        );
        let last = plan.cells.last().unwrap().key();
        assert!(
            last.contains("rows=6,cols=7,operators=+-,operator_rate=1"),
            "{last}"
        );
        assert!(last.contains("monte-carlo("), "{last}");
    }

    #[test]
    fn a_value_with_commas_of_its_own_is_one_value() {
        let level = text(
            "calculator",
            &["start=1", "goal=5", "moves=3", "buttons=+1 x2"],
            &[],
            &[],
        )
        .unwrap();
        assert!(level.contains("buttons = \""), "{level}");
        let pairs = text("offset", &["pair0=1,6", "pair1=3,4"], &[], &[]).unwrap();
        assert!(
            pairs.contains("pair0 = \"1,6\"") && pairs.contains("pair1 = \"3,4\""),
            "{pairs}"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (game, settings, player, named) in [
            ("68", &[][..], "random", "68: unknown game"),
            ("67", &["size"][..], "random", "size: write key=value"),
            (
                "67",
                &["size=6x7,0x1"][..],
                "random",
                "rows=0: not accepted",
            ),
            (
                "67",
                &["size=6"][..],
                "random",
                "size=6: not accepted; accepted: rows x columns",
            ),
            (
                "67",
                &["size=6x7,target=5"][..],
                "random",
                "target=5 after size: each parameter needs its own --set",
            ),
            ("67", &["colour=red"][..], "random", "colour: unknown"),
            ("67", &[][..], "nobody", "nobody: unknown player"),
        ] {
            let error = text(game, settings, &[player], &[])
                .unwrap_err()
                .to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
