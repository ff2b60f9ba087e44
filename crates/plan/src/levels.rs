//! Level files of Calculator, in JSON or TOML.

use serde::Deserialize;
use tilelab_games::games::calculator::level::Level;
use tilelab_games::games::calculator::press::Portal;

/// The 199 levels of the game with solutions, as a level file.
const BUILT_IN: &str = include_str!("calculator_levels.json");

/// A level as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelEntry {
    #[serde(alias = "number")]
    level: Option<u32>,
    start: i64,
    goal: i64,
    moves: i64,
    buttons: Vec<String>,
    portal: Option<[i64; 2]>,
    #[serde(default)]
    solutions: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelTables {
    level: Vec<LevelEntry>,
}

/// A level and the solutions that its file lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The level.
    pub level: Level,
    /// Listed solutions, unchecked; empty when the file lists none.
    pub solutions: Vec<Vec<String>>,
}

/// The form of a level file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelFormat {
    /// A list of objects, or one object.
    Json,
    /// `[[level]]` tables.
    Toml,
}

/// Reads a level file. A level without a number gets its place in the file.
///
/// ```
/// use tilelab_plan::levels::{LevelFormat, read};
/// let levels = read("[[level]]\nstart = 0\ngoal = 8\nmoves = 3\nbuttons = [\"+2\", \"+3\"]", LevelFormat::Toml).unwrap();
/// assert_eq!(levels[0].level.number, 1);
/// ```
///
/// # Errors
/// Everything that is wrong, one line each.
pub fn read(text: &str, form: LevelFormat) -> Result<Vec<Listed>, String> {
    let entries = match form {
        LevelFormat::Json if text.trim_start().starts_with('{') => {
            serde_json::from_str(text).map(|entry| vec![entry])
        }
        LevelFormat::Json => serde_json::from_str(text),
        LevelFormat::Toml => match toml::from_str::<LevelTables>(text) {
            Ok(tables) => Ok(tables.level),
            Err(error) => return Err(error.to_string().trim_end().to_owned()),
        },
    };
    let entries: Vec<LevelEntry> = entries.map_err(|error| error.to_string())?;
    let mut levels = Vec::<Listed>::new();
    let mut errors = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        let number = entry.level.unwrap_or(place as u32 + 1);
        let portal = entry.portal.map(|[from, to]| Portal::new(from, to));
        if levels.iter().any(|known| known.level.number == number) {
            errors.push(format!(
                "level {number}: there are two levels with this number"
            ));
        }
        match Level::new(
            number,
            [entry.start, entry.goal, entry.moves],
            &entry.buttons,
            portal,
        ) {
            Ok(level) => levels.push(Listed {
                level,
                solutions: entry.solutions,
            }),
            Err(reasons) => errors.extend(
                reasons
                    .iter()
                    .map(|reason| format!("level {number}: {reason}")),
            ),
        }
    }
    if levels.is_empty() && errors.is_empty() {
        errors.push("no level in the file".to_owned());
    }
    if errors.is_empty() {
        Ok(levels)
    } else {
        Err(errors.join("\n"))
    }
}

/// The 199 levels of the game, every second with its solutions.
pub fn built_in() -> Vec<Listed> {
    read(BUILT_IN, LevelFormat::Json).expect("the built-in levels are right")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelab_games::games::calculator::levels;

    #[test]
    fn there_are_199_levels_and_every_second_lists_solutions() {
        let levels = built_in();
        assert_eq!(levels.len(), 199);
        for (place, listed) in levels.iter().enumerate() {
            assert_eq!(listed.level.number as usize, place + 1);
            assert_eq!(listed.solutions.is_empty(), place % 2 == 0);
        }
    }

    #[test]
    fn toml_and_json_read_alike() {
        let json = r#"{"level": 192, "start": 189, "goal": 500, "moves": 6, "buttons": ["+8", "7=>0"], "portal": [-4, -1]}"#;
        let toml = "[[level]]\nnumber = 192\nstart = 189\ngoal = 500\nmoves = 6\nbuttons = ['+8', '7=>0']\nportal = [-4, -1]";
        assert_eq!(read(json, LevelFormat::Json), read(toml, LevelFormat::Toml));
    }

    #[test]
    fn all_mistakes_are_named_at_once() {
        let text = r#"[{"start": 1000000, "goal": -1000000, "moves": 0, "buttons": ["+1", "+1", "?"], "portal": [-1, -4]},
                       {"level": 2, "start": 1234, "goal": 1, "moves": 100, "buttons": [], "portal": [-4, -1]},
                       {"start": 1, "goal": 1, "moves": 1, "buttons": ["+1"]}, {"level": 3, "start": 1, "goal": 1, "moves": 1, "buttons": ["+1"]}]"#;
        let error = read(text, LevelFormat::Json).unwrap_err();
        for expected in [
            "level 1: start: 1000000",
            "level 1: goal: -1000000",
            "level 1: moves: 0",
            "level 1: buttons: +1 twice",
            "level 1: buttons: button \"?\"",
            "level 1: portal -1,-4",
            "level 2: moves: 100",
            "level 2: buttons: 0 given",
            "level 2: start: 1234 has a digit at position -4",
            "level 3: there are two",
        ] {
            assert!(error.contains(expected), "{expected} not in {error}");
        }
    }

    #[test]
    fn the_core_has_the_levels_of_the_file() {
        let file: Vec<Level> = built_in().into_iter().map(|listed| listed.level).collect();
        assert_eq!(levels::built_in().collect::<Vec<_>>(), file);
    }
}
