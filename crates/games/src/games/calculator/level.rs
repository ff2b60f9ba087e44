//! Levels and positions in them.

use super::button::{Button, ButtonDigits, VALUE_MAX, VALUES};
use super::press::{self, Portal, Refusal};

/// The most moves of a level.
pub const MOVES_MAX: u32 = 99;
/// The most buttons of a level.
pub const BUTTONS_MAX: usize = 24;

/// A level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number of the level in the file, from 1.
    pub number: u32,
    /// The first display.
    pub start: i32,
    /// The display that solves the level.
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
    /// Returns all errors, each as `key: reason`.
    pub fn new(
        number: u32,
        [start, goal, moves]: [i64; 3],
        labels: &[impl AsRef<str>],
        portal: Option<Result<Portal, String>>,
    ) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        for (key, value) in [("start", start), ("goal", goal)] {
            if !VALUES.contains(&value) {
                errors.push(format!(
                    "{key}: {value} does not fit the display; -{VALUE_MAX} to {VALUE_MAX} do"
                ));
            }
        }
        if !(1..=i64::from(MOVES_MAX)).contains(&moves) {
            errors.push(format!(
                "moves: {moves} is out of range; 1 to {MOVES_MAX} are accepted"
            ));
        }
        let mut buttons = Vec::with_capacity(labels.len());
        for label in labels {
            match Button::parse(label.as_ref()) {
                Ok(button) if buttons.contains(&button) => {
                    errors.push(format!(
                        "buttons: {button} twice; each button is given once"
                    ));
                }
                Ok(button) => buttons.push(button),
                Err(error) => errors.push(format!("buttons: {error}")),
            }
        }
        if !(1..=BUTTONS_MAX).contains(&labels.len()) {
            errors.push(format!(
                "buttons: {} given; 1 to {BUTTONS_MAX} are accepted",
                labels.len()
            ));
        }
        let portal = portal.transpose().unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        if let Some(portal) = portal
            && VALUES.contains(&start)
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
        Ok(Self {
            number,
            start: start as i32,
            goal: goal as i32,
            moves: moves as u32,
            buttons,
            portal,
        })
    }

    /// The position before the first press.
    pub const fn start_state(&self) -> State {
        State {
            value: self.start,
            stored: None,
            added: 0,
        }
    }

    /// Everything that may ever be pressed: the buttons in the level's order, then the stored
    /// number if there is `Store`.
    pub fn presses(&self) -> impl Iterator<Item = Press> + Clone + use<> {
        let recall = self
            .buttons
            .contains(&Button::Store)
            .then_some(Press::Recall);
        (0..self.buttons.len() as u8)
            .map(Press::Button)
            .chain(recall)
    }

    /// The moves that a press costs: none for `Store`, otherwise one.
    pub fn cost(&self, press: Press) -> u32 {
        match press {
            Press::Button(index) => u32::from(self.buttons[usize::from(index)] != Button::Store),
            Press::Recall => 1,
        }
    }

    /// What stands on a button at this moment.
    pub fn label(&self, state: &State, press: Press) -> String {
        match press {
            Press::Button(index) => self.buttons[usize::from(index)].label(state.added),
            Press::Recall => state
                .stored
                .map_or_else(String::new, |stored| stored.to_string()),
        }
    }

    /// The press with this label at this moment. Where the stored number reads like an append
    /// button, pressing either does the same.
    pub fn find(&self, state: &State, label: &str) -> Option<Press> {
        self.presses()
            .find(|&press| self.label(state, press) == label)
    }

    /// The position after a press.
    ///
    /// # Errors
    /// Returns the reason if the press is not allowed.
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
            Press::Recall => press::append(
                state.value,
                ButtonDigits::of(state.stored.ok_or(Refusal::NothingStored)?),
            )?,
        };
        after.value = match self.portal {
            Some(portal) => value.signum() * portal.fall(value.unsigned_abs()) as i32,
            None => value,
        };
        Ok(after)
    }

    /// Presses the labels one after the other and checks that the last one, and no earlier one,
    /// brings the goal in time.
    ///
    /// # Errors
    /// Returns an error that names the press that fails and the reason.
    pub fn check_solution(&self, labels: &[impl AsRef<str>]) -> Result<(), String> {
        let mut state = self.start_state();
        let mut spent = 0;
        for (place, label) in labels.iter().enumerate() {
            let label = label.as_ref();
            let place = place + 1;
            if state.value == self.goal {
                return Err(format!(
                    "press {place}: the goal {} is already shown",
                    self.goal
                ));
            }
            let press = self
                .find(&state, label)
                .ok_or_else(|| format!("press {place}: no button reads {label:?}"))?;
            state = self
                .press(&state, press)
                .map_err(|why| format!("press {place}, {label}: {why}"))?;
            spent += self.cost(press);
        }
        if state.value != self.goal {
            return Err(format!(
                "{} presses end at {}, not at the goal {}",
                labels.len(),
                state.value,
                self.goal
            ));
        }
        if spent > self.moves {
            return Err(format!("{spent} moves where {} are allowed", self.moves));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_stay_while_buttons_grow() {
        let level = Level::new(1, [12, 0, 5], &["3", "[+]2", "Store"], None).unwrap();
        let mut state = level.start_state();
        for (label, value) in [("Store", 12), ("[+]2", 12), ("12", 1212), ("5", 12125)] {
            state = level
                .press(&state, level.find(&state, label).unwrap())
                .unwrap();
            assert_eq!(state.value, value, "{label}");
        }
        assert_eq!(level.find(&state, "3"), None);
    }
}
