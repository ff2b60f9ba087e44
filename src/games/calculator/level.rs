//! Levels, positions in them, and level files.

use super::button::{Button, Digits, VALUE_MAX};
use super::press::{self, Portal, Refusal};
use serde::Deserialize;

/// The most moves of a level.
pub const MOVES_MAX: u32 = 99;
/// The most buttons of a level.
pub const BUTTONS_MAX: usize = 24;
/// The 199 levels of the game, as a level file.
pub const BUILT_IN: &str = include_str!("../../../experiments/calculator_levels.json");

/// A level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its number in the file, from 1.
    pub number: u32,
    /// The first display.
    pub start: i32,
    /// The display that solves it.
    pub goal: i32,
    /// Presses that may be spent, 1 to [`MOVES_MAX`].
    pub moves: u32,
    /// The buttons, all different, 1 to [`BUTTONS_MAX`].
    pub buttons: Vec<Button>,
    /// The portal, if there is one; the start has no digit in it.
    pub portal: Option<Portal>,
}

/// Everything about a position but the number of presses spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The display.
    pub value: i32,
    /// The stored number. `[+]n` does not change it.
    pub stored: Option<u32>,
    /// What `[+]` buttons have added to the others so far.
    pub added: u32,
}

/// What can be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// The button with this place in the level, from 0.
    Button(u8),
    /// The stored number.
    Recall,
}

impl Level {
    /// The level with everything checked that concerns more than one part.
    ///
    /// # Errors
    /// Names everything that is wrong, one `key: reason` each.
    pub fn new(
        number: u32,
        [start, goal, moves]: [i64; 3],
        labels: &[impl AsRef<str>],
        portal: Option<Result<Portal, String>>,
    ) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let shown = -i64::from(VALUE_MAX)..=i64::from(VALUE_MAX);
        for (key, value) in [("start", start), ("goal", goal)] {
            if !shown.contains(&value) {
                errors.push(format!("{key}: {value} does not fit the display; -{VALUE_MAX} to {VALUE_MAX} do"));
            }
        }
        if !(1..=i64::from(MOVES_MAX)).contains(&moves) {
            errors.push(format!("moves: {moves} is out of range; 1 to {MOVES_MAX} are accepted"));
        }
        let mut buttons = Vec::with_capacity(labels.len());
        for label in labels {
            match Button::parse(label.as_ref()) {
                Ok(button) if buttons.contains(&button) => {
                    errors.push(format!("buttons: {button} twice; each button is given once"));
                }
                Ok(button) => buttons.push(button),
                Err(error) => errors.push(format!("buttons: {error}")),
            }
        }
        if !(1..=BUTTONS_MAX).contains(&labels.len()) {
            errors.push(format!("buttons: {} given; 1 to {BUTTONS_MAX} are accepted", labels.len()));
        }
        let portal = portal.transpose().unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        if let Some(portal) = portal
            && shown.contains(&start)
            && portal.fall(start.unsigned_abs() as u32) != start.unsigned_abs() as u32
        {
            let from = portal.from;
            errors.push(format!(
                "start: {start} has a digit at position -{from}, where the portal {portal} takes it out"
            ));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { number, start: start as i32, goal: goal as i32, moves: moves as u32, buttons, portal })
    }

    /// The position before the first press.
    #[must_use]
    pub const fn start_state(&self) -> State {
        State { value: self.start, stored: None, added: 0 }
    }

    /// Everything that may ever be pressed: the buttons in the level's order, then the stored
    /// number if there is `Store`.
    pub fn presses(&self) -> impl Iterator<Item = Press> + Clone + use<> {
        let recall = self.buttons.contains(&Button::Store).then_some(Press::Recall);
        (0..self.buttons.len() as u8).map(Press::Button).chain(recall)
    }

    /// The moves that a press costs: none for `Store`, otherwise one.
    #[must_use]
    pub fn cost(&self, press: Press) -> u32 {
        match press {
            Press::Button(index) => u32::from(self.buttons[usize::from(index)] != Button::Store),
            Press::Recall => 1,
        }
    }

    /// What stands on a button at this moment.
    #[must_use]
    pub fn label(&self, state: &State, press: Press) -> String {
        match press {
            Press::Button(index) => self.buttons[usize::from(index)].label(state.added),
            Press::Recall => state.stored.map_or_else(String::new, |stored| stored.to_string()),
        }
    }

    /// The press with this label at this moment. Where the stored number reads like an append
    /// button, pressing either does the same.
    #[must_use]
    pub fn find(&self, state: &State, label: &str) -> Option<Press> {
        self.presses().find(|&press| self.label(state, press) == label)
    }

    /// The position after a press.
    ///
    /// # Errors
    /// Says why the press is not allowed.
    #[inline]
    pub fn press(&self, state: &State, press: Press) -> Result<State, Refusal> {
        let mut after = *state;
        let value = match press {
            Press::Button(index) => {
                let button = self.buttons[usize::from(index)];
                let value = press::press(button, state.added, state.value)?;
                match button {
                    Button::Store => {
                        after.stored = Some(value as u32);
                        return Ok(after);
                    }
                    Button::Increase(n) => {
                        after.added += n;
                        return Ok(after);
                    }
                    _ => value,
                }
            }
            Press::Recall => press::append(state.value, Digits::of(state.stored.ok_or(Refusal::NothingStored)?))?,
        };
        after.value = match self.portal {
            Some(portal) if value < 0 => -(portal.fall(value.unsigned_abs()) as i32),
            Some(portal) => portal.fall(value as u32) as i32,
            None => value,
        };
        Ok(after)
    }

    /// Presses the labels one after the other and checks that the last one, and no earlier one,
    /// brings the goal in time.
    ///
    /// # Errors
    /// Says which press fails and why.
    pub fn check_solution(&self, labels: &[impl AsRef<str>]) -> Result<(), String> {
        let mut state = self.start_state();
        let mut spent = 0;
        for (place, label) in labels.iter().enumerate() {
            let label = label.as_ref();
            let place = place + 1;
            if state.value == self.goal {
                return Err(format!("press {place}: the goal {} is already shown", self.goal));
            }
            let press = self.find(&state, label).ok_or_else(|| format!("press {place}: no button reads {label:?}"))?;
            state = self.press(&state, press).map_err(|why| format!("press {place}, {label}: {why}"))?;
            spent += self.cost(press);
        }
        if state.value != self.goal {
            return Err(format!("{} presses end at {}, not at the goal {}", labels.len(), state.value, self.goal));
        }
        if spent > self.moves {
            return Err(format!("{spent} moves where {} are allowed", self.moves));
        }
        Ok(())
    }
}

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
pub enum Form {
    /// A list of objects, or one object.
    Json,
    /// `[[level]]` tables.
    Toml,
}

/// Reads a level file. A level without a number gets its place in the file.
///
/// ```
/// use tilelab::games::calculator::level::{Form, read};
/// let levels = read("[[level]]\nstart = 0\ngoal = 8\nmoves = 3\nbuttons = [\"+2\", \"+3\"]", Form::Toml).unwrap();
/// assert_eq!(levels[0].level.number, 1);
/// ```
///
/// # Errors
/// Everything that is wrong, one line each.
pub fn read(text: &str, form: Form) -> Result<Vec<Listed>, String> {
    let entries = match form {
        Form::Json if text.trim_start().starts_with('{') => serde_json::from_str(text).map(|entry| vec![entry]),
        Form::Json => serde_json::from_str(text),
        Form::Toml => match toml::from_str::<LevelTables>(text) {
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
            errors.push(format!("level {number}: there are two levels with this number"));
        }
        match Level::new(number, [entry.start, entry.goal, entry.moves], &entry.buttons, portal) {
            Ok(level) => levels.push(Listed { level, solutions: entry.solutions }),
            Err(reasons) => errors.extend(reasons.iter().map(|reason| format!("level {number}: {reason}"))),
        }
    }
    if levels.is_empty() && errors.is_empty() {
        errors.push("no level in the file".to_owned());
    }
    if errors.is_empty() { Ok(levels) } else { Err(errors.join("\n")) }
}

/// The 199 levels of the game.
#[must_use]
pub fn built_in() -> Vec<Listed> {
    read(BUILT_IN, Form::Json).expect("the built-in levels are right")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let json =
            r#"{"level": 192, "start": 189, "goal": 500, "moves": 6, "buttons": ["+8", "7=>0"], "portal": [-4, -1]}"#;
        let toml =
            "[[level]]\nnumber = 192\nstart = 189\ngoal = 500\nmoves = 6\nbuttons = ['+8', '7=>0']\nportal = [-4, -1]";
        assert_eq!(read(json, Form::Json), read(toml, Form::Toml));
    }

    #[test]
    fn all_mistakes_are_named_at_once() {
        let text = r#"[{"start": 1000000, "goal": -1000000, "moves": 0, "buttons": ["+1", "+1", "?"], "portal": [-1, -4]},
                       {"level": 2, "start": 1234, "goal": 1, "moves": 100, "buttons": [], "portal": [-4, -1]},
                       {"start": 1, "goal": 1, "moves": 1, "buttons": ["+1"]}, {"level": 3, "start": 1, "goal": 1, "moves": 1, "buttons": ["+1"]}]"#;
        let error = read(text, Form::Json).unwrap_err();
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
    fn stored_numbers_stay_while_buttons_grow() {
        let level = Level::new(1, [12, 0, 5], &["3", "[+]2", "Store"], None).unwrap();
        let mut state = level.start_state();
        for (label, value) in [("Store", 12), ("[+]2", 12), ("12", 1212), ("5", 12125)] {
            state = level.press(&state, level.find(&state, label).unwrap()).unwrap();
            assert_eq!(state.value, value, "{label}");
        }
        assert_eq!(level.find(&state, "3"), None);
    }
}
