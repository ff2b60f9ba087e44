//! A commented experiment to begin with.

use super::value_text;
use crate::keys::{self, Form, Key, TABLE, TOP};
use std::fmt::Write;
use tilelab_games::catalog::GameEntry;
use tilelab_games::params::Value;

/// The widest line of comments, in characters.
const WIDTH: usize = 100;

/// The text of an experiment with this name that plays one table of this game. Comments explain
/// every key; the game's parameters stand there with their defaults, commented out.
pub fn template(name: &str, game: &GameEntry) -> String {
    let mut text = String::new();
    comment(
        &mut text,
        "`tilelab check` validates this file and says how long it will take, `tilelab run` plays it.",
    );
    let player = format!("\"{}\"", game.players[0].name);
    let quoted = format!("\"{name}\"");
    let value = |key: &Key| {
        Some(match key.form {
            Form::Name | Form::Title => quoted.as_str(),
            Form::Seed => "67",
            Form::Games => "10_000",
            Form::Confidence => "0.95",
            Form::Player(_) => player.as_str(),
            _ => return None,
        })
    };
    let given = |text: &mut String, key: &Key| {
        if let Some(value) = value(key) {
            comment(text, key.help);
            let _ = writeln!(text, "{} = {value}", key.name);
        }
    };
    text.push('\n');
    TOP.iter().for_each(|key| given(&mut text, key));
    text.push('\n');
    comment(
        &mut text,
        "Any key below may hold a list, or a range such as { from = 0.3, to = 0.9, step = 0.05 }: a table is the \
         product of its lists. An experiment may have several tables.",
    );
    let _ = writeln!(text, "[[table]]");
    for key in TABLE.iter().filter(|key| key.is_of(game)) {
        match key.form {
            Form::Game => {
                comment(&mut text, &format!("{}.", game.summary));
                let _ = writeln!(text, "game = \"{}\"", game.name);
            }
            // The games at the top hold for all tables.
            Form::Games => {}
            Form::Stop => {
                comment(&mut text, keys::named(&TOP, key.name).unwrap_or(key).help);
                let _ = writeln!(
                    text,
                    "# stop = {{ half_width = 0.001, max_games = 10_000_000 }}"
                );
            }
            _ => given(&mut text, key),
        }
    }
    comment(
        &mut text,
        "The parameters of the game, each with its default.",
    );
    for spec in game.params {
        text.push('\n');
        comment(&mut text, &format!("{} ({})", spec.help, spec.accepts()));
        let _ = match spec.default_value() {
            None | Some(Value::Unset) => writeln!(text, "# {} =", spec.name),
            Some(value) => writeln!(text, "# {} = {}", spec.name, value_text(&value)),
        };
    }
    text
}

/// Writes a comment, broken at blanks where it would be wider than [`WIDTH`].
fn comment(text: &mut String, words: &str) {
    let mut line = "#".to_owned();
    for word in words.split(' ') {
        if line.len() > 1 && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = "#".to_owned();
        }
        line.push(' ');
        line += word;
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, Plan};
    use tilelab_games::catalog;

    /// The text with the defaults of all parameters as its own.
    fn with_defaults(text: &str) -> String {
        let is_setting = |line: &str| {
            let key = line
                .strip_prefix("# ")
                .and_then(|line| line.split_once(" = "))
                .map(|(key, _)| key);
            key.is_some_and(|key| {
                key != "stop"
                    && key
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c == '_' || c == '0')
            })
        };
        let line = |line: &str| {
            if is_setting(line) {
                line[2..].to_owned() + "\n"
            } else {
                line.to_owned() + "\n"
            }
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn the_template_of_every_game_is_an_experiment() {
        for game in catalog::games() {
            let text = template("mine", game);
            let plan = |text: &str| {
                Plan::of_text(text, Overrides::default())
                    .unwrap_or_else(|error| panic!("{error}\n{text}"))
            };
            assert_eq!(
                (plan(&text).name.as_str(), plan(&text).cells.len()),
                ("mine", 1)
            );
            assert_eq!(
                plan(&with_defaults(&text)).cells[0].key(),
                plan(&text).cells[0].key()
            );
            for spec in game.params {
                assert!(
                    text.contains(&format!("# {} =", spec.name)),
                    "{}: {}",
                    game.name,
                    spec.name
                );
            }
            assert!(
                text.lines().all(|line| line.chars().count() <= WIDTH),
                "{text}"
            );
        }
    }
}
