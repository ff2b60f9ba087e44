//! Calculator as a game that players play, and the answers of `tilelab move`.

use super::button::{Button, ButtonDigits, INCREASE_MAX, VALUE_MAX, VALUES};
use super::level::{BUTTONS_MAX, Level, MOVES_MAX, Press, State};
use super::levels;
use super::press::Portal;
use super::solver::{self, STATES_MAX, TooLarge};
use crate::game::registry::{GameEntry, PlayableGame, Setup};
use crate::game::session::{Attempt, Hint};
use crate::game::stepping::{End, PlainTable, Steppable, Table, kind};
use crate::game::view::{BoardView, Cell, Tone};
use crate::game::{Describe, Game, GameResult, Outcome, PositionError, Positions, Turn};
use crate::json::{Json, json, refuse_unknown_keys};
use crate::params::{ParamError, ParamSpec, Params, Value as Parameter};
use crate::rng::Stream;
use serde::Deserialize;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// How many levels the game has.
const LEVELS: i64 = levels::COUNT as i64;
/// The parameters that define a custom level.
const OWN: [&str; 4] = ["start", "goal", "moves", "buttons"];

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("level", 1..=LEVELS, None).main(
        "the level of the game; unset: 1, or the level that start, goal, moves and buttons give",
    ),
    ParamSpec::int("start", VALUES, None).help("the first display of a level of your own"),
    ParamSpec::int("goal", VALUES, None).help("the display that wins a level of your own"),
    ParamSpec::int("moves", 1..=MOVES_MAX as i64, None)
        .help("presses that may be spent in a level of your own"),
    ParamSpec::text(
        "buttons",
        "labels separated by spaces, such as \"+8 x4 Inv10 9 7=>0\"",
        canonical_buttons,
        None,
    )
    .help("the buttons of a level of your own"),
    ParamSpec::text(
        "portal",
        "two positions from the right, such as \"-4,-1\"",
        canonical_portal,
        None,
    )
    .help("the portal of a level of your own, if it has one"),
];

fn canonical_buttons(text: &str) -> Option<String> {
    let buttons: Option<Vec<String>> = text
        .split_whitespace()
        .map(|label| Button::parse(label).ok().map(|button| button.to_string()))
        .collect();
    buttons
        .filter(|buttons| !buttons.is_empty())
        .map(|buttons| buttons.join(" "))
}

fn canonical_portal(text: &str) -> Option<String> {
    Portal::parse(text).ok().map(|portal| portal.to_string())
}

/// Sets level 1 by default; otherwise checks that a custom level is complete.
///
/// # Errors
/// Returns an error that names a parameter that is missing, invalid or contradicts another.
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    let given = |name: &&str| *params.get(name) != Parameter::Unset;
    let own: Vec<&str> = OWN.into_iter().chain(["portal"]).filter(given).collect();
    match (own.first(), params.int("level")) {
        (None, None) => params.set("level", Parameter::Int(1)),
        (None, Some(_)) => {}
        (Some(key), Some(level)) => {
            return Err(ParamError::new(
                key,
                format!("contradicts level {level}; give either a level or one of your own"),
            ));
        }
        (Some(first), None) => {
            if let Some(missing) = OWN.iter().find(|name| !given(name)) {
                return Err(ParamError::new(
                    missing,
                    format!("missing; {first} needs start, goal, moves and buttons"),
                ));
            }
            own_level(params)?;
        }
    }
    Ok(())
}

fn own_level(params: &Params) -> Result<Level, ParamError> {
    let int = |name| params.int(name).expect("checked to be given");
    let labels: Vec<&str> = params
        .text("buttons")
        .expect("checked to be given")
        .split(' ')
        .collect();
    let portal = params.text("portal").map(Portal::parse);
    Level::new(
        1,
        [int("start"), int("goal"), int("moves")],
        &labels,
        portal,
    )
    .map_err(|reasons| {
        let (key, reason) = reasons[0]
            .split_once(": ")
            .expect("reasons begin with a key");
        ParamError::new(key, reason)
    })
}

/// The rules with their level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calculator {
    /// The level.
    pub level: Level,
}

/// A position and the moves spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Display, stored number, and what was added to the buttons.
    pub state: State,
    /// Moves spent.
    pub spent: u32,
}

impl Calculator {
    /// The game with these parameters, which [`PARAMS`] has accepted and [`complete`] has
    /// completed.
    ///
    /// # Panics
    /// Panics if the parameters were not accepted.
    pub fn from_params(params: &Params) -> Self {
        let level = match params.int("level") {
            Some(number) => levels::level(number as u32),
            None => own_level(params).expect("completed before"),
        };
        Self { level }
    }

    /// The position after a press, if a player may press it.
    fn after(&self, position: &Position, press: Press) -> Option<Position> {
        let state = self.level.press(&position.state, press).ok()?;
        let cost = self.level.cost(press);
        // A free press that changed nothing could be repeated for ever.
        (cost > 0 || state != position.state).then_some(Position {
            state,
            spent: position.spent + cost,
        })
    }

    fn options(&self, position: &Position) -> impl Iterator<Item = (Press, Position)> {
        self.level
            .presses()
            .filter_map(|press| Some((press, self.after(position, press)?)))
    }

    /// The exact share of games that the uniformly random player wins, in 0 to 1, up to rounding in
    /// the last digits.
    ///
    /// Positions are merged, so that each is looked at once; there may still be many in wide and
    /// deep levels.
    ///
    /// # Errors
    /// Returns an error if there are more than [`STATES_MAX`] positions.
    pub fn random_win_share(&self) -> Result<f64, TooLarge> {
        self.win_share(
            Position {
                state: self.level.start_state(),
                spent: 0,
            },
            &mut HashMap::new(),
        )
    }

    fn win_share(
        &self,
        position: Position,
        known: &mut HashMap<Position, f64>,
    ) -> Result<f64, TooLarge> {
        if let Some(outcome) = self.outcome(&position) {
            return Ok(f64::from(outcome.result == GameResult::Won));
        }
        if let Some(&share) = known.get(&position) {
            return Ok(share);
        }
        if known.len() >= STATES_MAX {
            return Err(TooLarge {
                states_max: STATES_MAX,
            });
        }
        let mut sum = 0.0;
        let mut options = 0.0;
        for (_, after) in self.options(&position) {
            sum += self.win_share(after, known)?;
            options += 1.0;
        }
        known.insert(position, sum / options);
        Ok(sum / options)
    }
}

impl PlayableGame for Calculator {
    const ENTRY: GameEntry = GameEntry {
        batch_games: 4096,
        complete,
        chance: |_| false,
        answer: Some(|_, request, _| answer(request)),
        make_table: Some(table),
        ..GameEntry::new(super::NAME, super::SUMMARY, PARAMS)
    };

    fn build(params: &Params) -> Self {
        Self::from_params(params)
    }
}

/// There is no randomness, so every game of a level is the same. A board has one row of four cells:
/// the display, the stored number (blank as long as nothing is stored), what `[+]n` buttons have
/// added to the others, and the moves left. The moves are the level's buttons in its order, then
/// the stored number where there is `Store`.
impl Steppable for Calculator {
    fn all_moves(&self) -> Vec<(Press, String)> {
        let start = self.level.start_state();
        let name = |press| match press {
            Press::Button(_) => self.level.label(&start, press),
            Press::Recall => "stored number".to_owned(),
        };
        self.level
            .presses()
            .map(|press| (press, name(press)))
            .collect()
    }

    fn end(&self, state: &Position) -> End {
        if self
            .outcome(state)
            .is_some_and(|outcome| outcome.result == GameResult::Won)
        {
            End::Won
        } else if state.spent >= self.level.moves {
            End::OutOfRounds
        } else {
            End::Blocked
        }
    }
}

/// Makes the table that steps games together ([`GameEntry::make_table`]).
fn table(setup: &Setup<'_>, slots: usize) -> Result<Box<dyn Table>, ParamError> {
    let kernel = setup.kernel;
    kernel.accept_reference("does not play this game; accepted: auto, reference")?;
    let game = Calculator::from_params(setup.params);
    Ok(Box::new(PlainTable::new(game, setup.seeds, slots)))
}

impl Game for Calculator {
    type State = Position;
    type Move = Press;

    fn start(&self, _world: &mut Stream) -> Position {
        Position {
            state: self.level.start_state(),
            spent: 0,
        }
    }

    fn legal(&self, state: &Position, moves: &mut Vec<Press>) {
        moves.extend(self.options(state).map(|(press, _)| press));
    }

    fn play(&self, state: &mut Position, chosen: Press) {
        *state = self.after(state, chosen).expect("the press is legal");
    }

    fn outcome(&self, state: &Position) -> Option<Outcome> {
        let result = if state.state.value == self.level.goal {
            GameResult::Won
        } else if state.spent >= self.level.moves || self.options(state).next().is_none() {
            GameResult::Lost
        } else {
            return None;
        };
        Some(Outcome::new(result, u64::from(state.spent)))
    }
}

impl Positions for Calculator {
    fn shape(&self) -> (usize, usize) {
        (1, 4)
    }

    fn read(&self, state: &Position, kinds: &mut [u8], numbers: &mut [f64]) {
        let stored = state.state.stored;
        kinds.copy_from_slice(&[
            kind::NUMBER,
            if stored.is_some() {
                kind::NUMBER
            } else {
                kind::BLANK
            },
            kind::NUMBER,
            kind::NUMBER,
        ]);
        numbers.copy_from_slice(&[
            f64::from(state.state.value),
            stored.map_or(0.0, f64::from),
            f64::from(state.state.added),
            f64::from(self.level.moves - state.spent),
        ]);
    }

    fn position(&self, state: &Position) -> Json {
        let State {
            value,
            stored,
            added,
        } = state.state;
        json!({"value": value, "stored": stored, "added": added, "spent": state.spent})
    }

    fn parse(&self, position: &Json) -> Result<Position, PositionError> {
        if position.as_object().is_none() {
            return Err("a position is an object with value, stored, added and spent".into());
        }
        let moves = i64::from(self.level.moves);
        let stored = optional(position, "stored", 0..=i64::from(VALUE_MAX))?;
        let state = State {
            value: whole(position, "value", VALUES)? as i32,
            stored: stored.map(|stored| stored as u32),
            added: whole(position, "added", 0..=i64::from(INCREASE_MAX) * moves)? as u32,
        };
        Ok(Position {
            state,
            spent: whole(position, "spent", 0..=moves)? as u32,
        })
    }
}

impl Describe for Calculator {
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        let dealt = turn.dealt;
        let label = |press| self.level.label(&dealt.state, press);
        json!({
            "press": turn.number,
            "left": self.level.moves - dealt.spent,
            "value": dealt.state.value,
            "stored": dealt.state.stored,
            "legal": turn.legal.iter().map(|&press| label(press)).collect::<Vec<_>>(),
            "button": turn.played.map(|(press, _)| label(press)),
            "after": turn.played.map(|(_, after)| after.state.value),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    fn view(&self, state: &Position) -> BoardView {
        let left = self.level.moves - state.spent;
        let mut facts = vec![
            ("goal", self.level.goal.to_string()),
            ("presses left", left.to_string()),
        ];
        facts.extend(
            state
                .state
                .stored
                .map(|stored| ("stored", stored.to_string())),
        );
        let value = state.state.value;
        let tone = (value == self.level.goal).then_some(Tone::Goal);
        BoardView::new(vec![vec![Cell::new(value.to_string()).toned(tone)]], facts)
    }

    fn move_name(&self, state: &Position, chosen: Press) -> String {
        self.level.label(&state.state, chosen)
    }

    /// The rules for people; of the buttons, only those of the level are described.
    fn how_to_play(&self) -> String {
        let level = &self.level;
        let mut text = format!(
            "Press buttons until the display shows {}. You have {} presses.\n\
             A press whose result has more than six digits is not allowed.\n",
            level.goal, level.moves
        );
        let mut effects: Vec<&str> = Vec::new();
        for &button in &level.buttons {
            let effect = effect(button);
            if !effects.contains(&effect) {
                effects.push(effect);
            }
        }
        if let Some(portal) = level.portal {
            text += &format!(
                "After each press the portal takes out the digit at position {} from the right and adds it at position {}.\n",
                portal.from, portal.to
            );
        }
        text += &effects.join("\n");
        text
    }

    fn goal(&self) -> String {
        format!("show {}", self.level.goal)
    }

    fn why_over(&self, state: &Position) -> String {
        let goal = self.level.goal;
        if state.state.value == goal {
            format!("the display shows {goal}")
        } else if state.spent >= self.level.moves {
            format!("no presses are left and the display does not show {goal}")
        } else {
            "no button can be pressed".to_owned()
        }
    }

    fn why_illegal(&self, state: &Position, attempt: Attempt<'_>) -> Option<String> {
        let Attempt::Name(name) = attempt else {
            return None;
        };
        let press = self.level.find(&state.state, name)?;
        Some(match self.level.press(&state.state, press) {
            Ok(_) => "it would change nothing".to_owned(),
            Err(why) => why.to_string(),
        })
    }

    fn buttons(&self, state: &Position) -> Vec<String> {
        let labels = self
            .level
            .presses()
            .map(|press| self.level.label(&state.state, press));
        // The stored number has no label as long as nothing is stored.
        labels.filter(|label| !label.is_empty()).collect()
    }

    fn solve(&self, state: &Position) -> Option<Hint<Press>> {
        // A search beyond its bound is not a hint; the player is asked instead.
        let found = solver::shortest_from(
            &self.level,
            state.state,
            self.level.moves - state.spent,
            STATES_MAX,
        )
        .ok()?;
        let Some(labels) = found.solution else {
            return Some(Hint::Unsolvable);
        };
        let chosen = self.level.find(&state.state, labels.first()?)?;
        Some(Hint::Solution {
            chosen,
            moves: labels.len(),
        })
    }
}

/// The effect of a button, for people.
const fn effect(button: Button) -> &'static str {
    match button {
        Button::Add(_) | Button::Subtract(_) | Button::Multiply(_) => {
            "+ - x: add, subtract, multiply."
        }
        Button::Divide(_) => "/: divides, if that leaves no remainder.",
        Button::Power(_) => "x^: raises to a power.",
        Button::Negate => "+/-: changes the sign.",
        Button::Append(_) => "Digits: are appended to the number.",
        Button::Delete => "<<: deletes the last digit.",
        Button::Replace(..) => "a=>b: replaces the digits a by b, wherever they are.",
        Button::Reverse => "Reverse: reverses the digits.",
        Button::Sum => "SUM: the sum of the digits.",
        Button::ShiftLeft => "<Shift: the first digit goes to the end.",
        Button::ShiftRight => "Shift>: the last digit goes to the front.",
        Button::Mirror => "Mirror: appends the digits in reverse order.",
        Button::Invert => "Inv10: each digit d becomes 10 - d; 0 stays 0.",
        Button::Increase(_) => "[+]n: adds n to the numbers on the buttons + - x / and digits.",
        Button::Store => "Store: keeps the number, free of charge; a new button appends it.",
    }
}

fn optional(from: &Json, key: &str, accepted: RangeInclusive<i64>) -> Result<Option<i64>, String> {
    let given = &from[key];
    if given.is_null() {
        return Ok(None);
    }
    let number = given.as_i64().filter(|number| accepted.contains(number));
    let (min, max) = accepted.into_inner();
    number
        .map(Some)
        .ok_or_else(|| format!("{key}: {given} is not a whole number from {min} to {max}"))
}

fn whole(from: &Json, key: &str, accepted: RangeInclusive<i64>) -> Result<i64, String> {
    let number = optional(from, key, accepted.clone())?;
    let (min, max) = accepted.into_inner();
    number.ok_or_else(|| format!("{key}: missing; a whole number from {min} to {max}"))
}

/// Answers one line of `tilelab move --game calculator`:
/// `{"value":189,"button":"x4","portal":[-4,-1]}` gives `{"value":756}`.
///
/// The button is named as it reads at the moment. `"stored"` is the stored number, if any; it comes
/// back in the answer. `"buttons"` lists all buttons of the level; they come back as they read
/// after the press, which `[+]n` changes, and the button must be one of them or the stored number.
/// Without `"button"`, the answer lists those that may be pressed.
///
/// # Errors
/// Returns a one-line message if the request is invalid or the press is not allowed.
pub fn answer(request: &Json) -> Result<Json, String> {
    if !request.is_object() {
        let form = "a request is an object such as {\"value\":189,\"button\":\"x4\"}";
        return Err(form.to_owned());
    }
    refuse_unknown_keys(request, &["value", "button", "portal", "buttons", "stored"])?;
    let value = whole(request, "value", VALUES)? as i32;
    let stored = optional(request, "stored", 0..=i64::from(VALUE_MAX))?.map(|stored| stored as u32);
    let given = &request["portal"];
    let portal = Option::<[i64; 2]>::deserialize(given)
        .map_err(|_| format!("portal: {given} is not a pair of positions; write [-4,-1]"))?
        .map(|[from, to]| Portal::new(from, to))
        .transpose()?;
    let text = |key: &str, given: &Json| {
        given
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("{key}: {given} is not a text; write a label such as \"x4\""))
    };
    let named = request
        .get("button")
        .map(|given| text("button", given))
        .transpose()?;
    let mut labels = Vec::new();
    if let Some(given) = request.get("buttons") {
        let list = given
            .as_array()
            .ok_or_else(|| format!("buttons: {given} is not a list of labels"))?;
        labels = list
            .iter()
            .map(|label| text("buttons", label))
            .collect::<Result<_, _>>()?;
    }
    if labels.len() > BUTTONS_MAX {
        return Err(format!(
            "buttons: {} given; at most {BUTTONS_MAX} are accepted",
            labels.len()
        ));
    }
    let listed = !labels.is_empty();
    if !listed {
        labels.push(
            named
                .clone()
                .ok_or("button: missing; name the button, or list the buttons")?,
        );
    }
    let mut buttons = labels
        .iter()
        .map(|label| Button::parse(label))
        .collect::<Result<Vec<_>, _>>()?;
    if stored.is_some() && !buttons.contains(&Button::Store) {
        buttons.push(Button::Store);
    }
    let level = Level {
        number: 1,
        start: value,
        goal: 0,
        moves: 1,
        buttons,
        portal,
    };
    let state = State {
        value,
        stored,
        added: 0,
    };
    let Some(named) = named else {
        let allowed = level
            .presses()
            .take(labels.len())
            .chain(stored.map(|_| Press::Recall));
        let legal: Vec<String> = allowed
            .filter(|&press| level.press(&state, press).is_ok())
            .map(|press| level.label(&state, press))
            .collect();
        return Ok(json!({"legal": legal}));
    };
    let is_stored =
        stored.is_some_and(|stored| ButtonDigits::parse(&named) == Some(ButtonDigits::of(stored)));
    let press = match labels.iter().position(|label| *label == named) {
        Some(place) => Press::Button(place as u8),
        None if is_stored => Press::Recall,
        None => {
            return Err(format!(
                "button: {named:?} is not among the buttons {}",
                labels.join(" ")
            ));
        }
    };
    let after = level
        .press(&state, press)
        .map_err(|why| format!("button {named} at {value}: {why}"))?;
    let mut answer = json!({"value": after.value});
    if let Some(stored) = after.stored {
        answer["stored"] = stored.into();
    }
    if listed {
        let shown = level
            .buttons
            .iter()
            .take(labels.len())
            .map(|button| button.label(after.added));
        answer["buttons"] = shown.collect();
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_exact_on_small_levels() {
        for (start, goal, moves, buttons, share) in [
            (0, 2, 2, "+1", 1.0),
            (0, 3, 2, "+1 +2", 0.5),
            // /2 is out at 1, so +1 is pressed; at 2 both may be, and 1 does not lead back to 3 in
            // time.
            (1, 3, 2, "+1 /2", 0.5),
            // Store leaves two buttons at 1 (Store no more): of 1 and the stored 1, each gives 11.
            (1, 11, 1, "1 Store", 1.0),
            (3, 4, 5, "/2", 0.0),
        ] {
            let labels: Vec<&str> = buttons.split(' ').collect();
            let level = Level::new(1, [start, goal, moves], &labels, None).unwrap();
            assert!(
                (Calculator { level }.random_win_share().unwrap() - share).abs() < 1e-12,
                "{buttons}"
            );
        }
    }
}
