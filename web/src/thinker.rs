//! Players that think about a game: hints, answers, evaluations and reviews, in words and figures.

use crate::catalog::SEATS;
use crate::chart::{Curves, Point};
use crate::game::{DIRECTIONS, Game, direction, result};
use crate::text::{error, whole};
use serde_json::{Value, json};
use tilelab::game::Scale;
use tilelab::game::session::{Hint, View};
use tilelab::game::view::Mark;
use tilelab::games::two_player::WIN;
use tilelab::output::numbers::grouped;
use tilelab::players::sixty_seven::networks;
use tilelab::{Cell, GameResult, plan};
use wasm_bindgen::prelude::*;

/// The most moves whose values are listed.
const VALUES_MAX: usize = 8;
/// From this loss of win chance on, a move is called a mistake, and how many are listed.
const MISTAKE: f64 = 0.05;
const MISTAKES_MAX: usize = 3;
/// Squares of a result that is shared, and the losses up to which they are green and yellow.
const SQUARES_MAX: usize = 10;
const GREEN_MAX: f64 = 0.02;
const YELLOW_MAX: f64 = 0.1;

/// A game with players that think. Its methods take the moves of the page's game as a JSON list of
/// names, and go there.
#[wasm_bindgen]
pub struct Thinker {
    game: Game,
    /// The seat of a player that answers a person.
    rival: Option<usize>,
    /// The player's own game of the deal, as far as it was asked for.
    own: Option<Game>,
}

#[wasm_bindgen]
impl Thinker {
    /// Opens a game. A player that the cell does not name is the last in the game's list that can
    /// play by these parameters. `rival` is the seat of a player that answers a person.
    ///
    /// # Errors
    /// Names the setting that is wrong and says what is accepted.
    #[wasm_bindgen(constructor)]
    pub fn new(
        cell: &str,
        seed: &JsValue,
        index: &JsValue,
        rival: Option<usize>,
    ) -> Result<Self, JsError> {
        let found = strongest(cell).map_err(error)?;
        let game = Game::open(found, cell, whole("seed", seed)?, whole("index", index)?)?;
        let own = None;
        Ok(Self { game, rival, own })
    }

    /// The players, as cells write them, as a JSON list.
    #[must_use]
    pub fn players(&self) -> String {
        let players = self.game.cell.players.iter();
        players
            .map(|player| player.label())
            .collect::<Value>()
            .to_string()
    }

    /// A hint as JSON: `name` and `path` of the move, null where there is none, and `text`.
    ///
    /// # Errors
    /// When the game is over.
    pub fn hint(&mut self, moves: &str) -> Result<String, JsError> {
        self.follow(moves)?;
        self.check_open()?;
        let hint = self.game.session.hint();
        let Some(chosen) = hint.chosen() else {
            let text = "Hint: the goal cannot be reached from here; undo a move.";
            return Ok(json!({"name": null, "path": null, "text": text}).to_string());
        };
        let View {
            legal, paths, seat, ..
        } = self.game.session.view();
        let name = &legal[chosen];
        let player = self.game.cell.players[seat].entry.name;
        let mut parts = vec![match direction(name) {
            Some(_) => format!("Hint: {name}"),
            None => format!("Hint: {}", self.game.label(name)),
        }];
        self.game.session.play(chosen);
        let after = self.game.session.view();
        self.game.session.undo();
        let outcome = after.outcome.map(|outcome| outcome.result);
        let made = after.board.cells.iter().flatten();
        let made = made.filter(|cell| cell.mark == Some(Mark::Made));
        let made: Vec<&str> = made.map(|cell| cell.text.as_str()).take(3).collect();
        let wins = outcome == Some(GameResult::Won);
        if wins {
            parts.push("wins at once".to_owned());
        } else if !made.is_empty() && paths.is_empty() {
            parts.push(format!("makes {}", made.join(" and ")));
        }
        if let Hint::Solution { moves, .. } = hint {
            let presses = if moves == 1 { "press" } else { "presses" };
            parts.push(format!("{moves} {presses} to the goal"));
        } else if !wins {
            parts.extend(
                self.values()
                    .and_then(|values| values.compared(chosen, &self.game)),
            );
        }
        let text = match hint {
            Hint::Solution { .. } => format!("{} (solver)", parts.join(" · ")),
            _ => format!("{} ({player})", parts.join(" · ")),
        };
        Ok(json!({"name": name, "path": paths.get(chosen), "text": text}).to_string())
    }

    /// The name of the move that the player of the seat to move chooses, as JSON.
    ///
    /// # Errors
    /// When the game is over.
    pub fn choose(&mut self, moves: &str) -> Result<String, JsError> {
        self.follow(moves)?;
        self.check_open()?;
        Ok(json!(step(&mut self.game, false)).to_string())
    }

    /// Lets the players make up to `count` moves, and no more once `milliseconds` have passed. With
    /// `solves`, the solver of the game chooses where it knows a solution. The answer is JSON:
    /// `made`, the names of the moves, and `values`, what the player to move thinks then of each
    /// move, if `wants_values`: `title`, `note`, `isSigned`, `path` of the best move, and `rows`,
    /// each with `name`, `text`, `left` and `width` of its bar in percent, and `isBest`.
    ///
    /// # Errors
    /// When a move is not legal.
    pub fn run(
        &mut self,
        moves: &str,
        count: u32,
        milliseconds: f64,
        solves: bool,
        wants_values: bool,
    ) -> Result<String, JsError> {
        self.follow(moves)?;
        let until = js_sys::Date::now() + milliseconds;
        let mut made = Vec::new();
        while made.len() < count as usize && !self.game.session.is_over() {
            made.push(step(&mut self.game, solves));
            if js_sys::Date::now() >= until {
                break;
            }
        }
        let values = match wants_values && !self.game.session.is_over() {
            true => self.values().map(|values| values.rows(&self.game)),
            false => None,
        };
        Ok(json!({"made": made, "values": values}).to_string())
    }

    /// Where the player is after as many moves of its own from the same start, as [`Game::view`].
    ///
    /// # Errors
    /// When the moves are no list of names.
    pub fn race(&mut self, moves: &str) -> Result<String, JsError> {
        let moves: Vec<String> = serde_json::from_str(moves).map_err(error)?;
        Ok(self.race_to(moves.len())?.view())
    }

    /// What the strongest player thinks of these moves, as JSON: `chart` of the chances to win
    /// before each move, `mistakes` (each with `at`, the number of the move, and `text`), the
    /// `sharpest` of them as a question, `squares` for a result to share, and how the player
    /// itself does from the start: `player`, `result` and `moves`.
    ///
    /// # Errors
    /// When no player of the game estimates win chances.
    pub fn review(&mut self, moves: &str) -> Result<String, JsError> {
        let names: Vec<String> = serde_json::from_str(moves).map_err(error)?;
        self.game = self.game.again()?;
        let mut chances = Vec::new();
        let mut losses = Vec::new();
        let mut seen = Vec::new();
        let mut mistakes = Vec::new();
        for (at, name) in names.iter().enumerate() {
            self.check_open()?;
            let values = self.values().filter(|values| values.scale == "chance");
            let values =
                values.ok_or_else(|| error("No player of this game estimates win chances."))?;
            let best = values.order[0];
            let chance = values.value(best);
            let own = values.names.iter().position(|known| known == name);
            let made = own.map_or(0.0, |own| values.value(own));
            let text = format!(
                "Move {}: {name} {:.0} %, {} {:.0} %.",
                at + 1,
                100.0 * made,
                values.names[best],
                100.0 * chance
            );
            chances.push(Point {
                x: (at + 1) as f64,
                y: 100.0 * chance,
                ends: None,
            });
            seen.push([made, chance].map(|chance| 100.0 * chance));
            losses.push((chance - made).max(0.0));
            mistakes.push((chance - made, at, text));
            self.game.play_name(name)?;
        }
        mistakes.retain(|(loss, ..)| *loss >= MISTAKE);
        mistakes.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        mistakes.truncate(MISTAKES_MAX);
        let player = self.game.cell.players[0].entry.name;
        let View { moves, outcome, .. } = self.race_to(usize::MAX)?.session.view();
        let marked: Vec<usize> = mistakes.iter().map(|(_, at, _)| *at).collect();
        let chart = Curves {
            label: "Win chance before each move, in percent".to_owned(),
            x_label: "move".to_owned(),
            series: &[chances],
            names: &[],
            marked: &marked,
            here: None,
            y_max: Some(100.0),
        };
        let sharpest = mistakes.first().map_or_else(
            || "No move cost 5 % or more.".to_owned(),
            |(_, at, _)| asks(*at, &seen[*at], player),
        );
        let listed = mistakes
            .iter()
            .map(|(_, at, text)| json!({"at": at, "text": text}));
        Ok(json!({
            "chart": chart.svg(),
            "mistakes": listed.collect::<Value>(),
            "squares": squares(&losses),
            "player": player,
            "sharpest": sharpest,
            "result": outcome.map(|outcome| result(outcome.result)),
            "moves": moves,
        })
        .to_string())
    }
}

impl Thinker {
    /// Goes to the position after these moves. A rival that draws random numbers is asked for each
    /// of its moves, so that its stream is where it would be in the command line's game.
    fn follow(&mut self, moves: &str) -> Result<(), JsError> {
        let moves: Vec<String> = serde_json::from_str(moves).map_err(error)?;
        let same = self.game.made.iter().zip(&moves);
        let same = same.take_while(|(one, other)| one == other).count();
        while self.game.made.len() > same {
            self.game.undo();
        }
        for name in &moves[same..] {
            let seat = self.game.session.view().seat;
            let draws = self.game.cell.players[seat].entry.chance;
            if self.rival == Some(seat) && draws && !self.game.session.is_over() {
                self.game.session.choose();
            }
            self.game.play_name(name)?;
        }
        Ok(())
    }

    /// The player's own game of this deal after at most `moves` moves. Each move is chosen once: a
    /// player that draws numbers would choose another one from the same position.
    fn race_to(&mut self, moves: usize) -> Result<Game, JsError> {
        let mut own = match self.own.take() {
            Some(own) => own,
            None => self.game.again()?,
        };
        while own.made.len() < moves && !own.session.is_over() {
            step(&mut own, false);
        }
        let mut shown = own.again()?;
        for name in own.made.iter().take(moves) {
            shown.play_name(name)?;
        }
        self.own = Some(own);
        Ok(shown)
    }

    fn values(&mut self) -> Option<Values> {
        let values = self.game.session.evaluate()?;
        let View { legal, .. } = self.game.session.view();
        let (scale, unit) = match self.game.session.scale() {
            Scale::Chance => ("chance", 1),
            Scale::Margin { unit } => ("margin", unit),
            Scale::Points => ("points", 1),
            Scale::Own => ("own", 1),
        };
        let values: Vec<_> = values
            .iter()
            .map(|it| it.map(|it| it / unit as f64))
            .collect();
        Some(Values::new(scale, unit, legal, values))
    }

    fn check_open(&self) -> Result<(), JsError> {
        if self.game.session.is_over() {
            Err(error("the game is over"))
        } else {
            Ok(())
        }
    }
}

/// Lets the player of the seat to move make a move; its name. With `solves`, the solver of the game
/// chooses where it knows a solution.
fn step(game: &mut Game, solves: bool) -> String {
    let session = &mut game.session;
    let solution = if solves {
        session.hint().chosen()
    } else {
        None
    };
    let chosen = solution.unwrap_or_else(|| session.choose());
    let name = session.view().legal.swap_remove(chosen);
    game.play(chosen, &name);
    name
}

/// The cell of a text; for players that it does not name, the strongest that fit.
fn strongest(text: &str) -> Result<Cell, plan::Invalid> {
    let game = plan::game(text.split_whitespace().next().unwrap_or_default())?;
    let is_named = |key: &&str| {
        let mut words = text.split_whitespace();
        words.any(|word| word.split_once('=').is_some_and(|(name, _)| name == *key))
    };
    let (named, unnamed): (Vec<_>, Vec<_>) =
        SEATS[..game.seats].iter().copied().partition(is_named);
    let mut found = Cell::parse(text);
    if named.len() == game.seats {
        return found;
    }
    for player in game.players.iter().rev() {
        let own = unnamed.iter().map(|key| format!(" {key}={}", player.name));
        found = Cell::parse(&(text.to_owned() + &own.collect::<String>()));
        // The page loads a missing network and asks again.
        if found.is_ok() || networks::missing().next().is_some() {
            break;
        }
    }
    found
}

/// A mistake as a question: the chances in percent of the own move and of the player's.
fn asks(at: usize, [own, best]: &[f64; 2], player: &str) -> String {
    format!(
        "Your sharpest mistake, at move {}: you {own:.0} %, {player} {best:.0} %. Would you have seen it?",
        at + 1
    )
}

/// A square for each part of a game, by the chance that its moves gave away.
fn squares(losses: &[f64]) -> String {
    let parts = losses.len().min(SQUARES_MAX);
    let part = |part: usize| {
        let own = part * losses.len() / parts..(part + 1) * losses.len() / parts;
        match losses[own].iter().copied().fold(0.0, f64::max) {
            ..GREEN_MAX => '🟩',
            ..YELLOW_MAX => '🟨',
            _ => '🟥',
        }
    };
    (0..parts).map(part).collect()
}

/// What a player thinks of the legal moves.
struct Values {
    /// `chance` (of winning, 0 to 1), `margin` (points ahead of the other), `points` (still to
    /// come) or `own` (only differences mean something).
    scale: &'static str,
    /// Beyond half of this, a margin is a win.
    win: f64,
    names: Vec<String>,
    /// `None` for a move that the player does not look at.
    values: Vec<Option<f64>>,
    /// The numbers of the moves, the best first.
    order: Vec<usize>,
}

impl Values {
    fn new(scale: &'static str, unit: i64, names: Vec<String>, values: Vec<Option<f64>>) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        let rank = |at: &usize| values[*at].unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        Self {
            scale,
            win: WIN as f64 / unit as f64,
            names,
            values,
            order,
        }
    }

    fn value(&self, at: usize) -> f64 {
        self.values[at].unwrap_or(0.0)
    }

    /// Whether the search has seen that a value wins or loses.
    fn decides(&self, value: f64) -> bool {
        self.scale == "margin" && value.abs() > self.win / 2.0
    }

    /// The value of a move in words: chances with the digits that tell them from the best, other
    /// values as differences.
    fn text(&self, at: usize) -> String {
        let (Some(value), Some(best)) = (self.values[at], self.values[self.order[0]]) else {
            return "not evaluated".to_owned();
        };
        let is_best = value == best;
        match self.scale {
            "margin" if self.decides(value) => {
                if value > 0.0 { "wins" } else { "loses" }.to_owned()
            }
            "margin" => signed(value),
            "chance" => {
                let next = self.order.get(1).and_then(|&next| self.values[next]);
                let other = if is_best { next.unwrap_or(best) } else { best };
                let is_close = value != other && (value - other).abs() < 0.002;
                let digits = if is_close { 2 } else { 1 };
                format!("{:.digits$} %", 100.0 * value)
            }
            "points" if is_best => points(value),
            "own" if is_best => "best".to_owned(),
            _ => signed(value - best),
        }
    }

    /// The value of a move beside that of the next best.
    fn compared(&self, chosen: usize, game: &Game) -> Option<String> {
        let unit = match self.scale {
            "chance" => "win chance",
            "margin" => "points ahead",
            "points" => "points to come",
            _ => return None,
        };
        let mut others = self.order.iter().filter(|&&at| at != chosen);
        let next = others.find(|&&at| self.values[at].is_some()).map(|&at| {
            let name = &self.names[at];
            let label = direction(name).map_or_else(|| game.label(name), |_| name.clone());
            format!(", next best {label} {}", self.text(at))
        });
        Some(format!(
            "{unit} {}{}",
            self.text(chosen),
            next.unwrap_or_default()
        ))
    }

    /// Where the bar of a value begins and how long it is, in percent.
    fn bar(&self, value: f64) -> (f64, f64) {
        let sizes = self
            .values
            .iter()
            .flatten()
            .filter(|value| !self.decides(**value));
        let most = sizes.fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()));
        match self.scale {
            "chance" => (0.0, 100.0 * value),
            "margin" => {
                let width = (50.0 * value.abs() / most).min(50.0);
                (if value < 0.0 { 50.0 - width } else { 50.0 }, width)
            }
            _ => (0.0, (100.0 * value / most).clamp(0.0, 100.0)),
        }
    }

    fn rows(&self, game: &Game) -> Value {
        let row = |at: usize| {
            let (left, width) = self.values[at].map_or((0.0, 0.0), |value| self.bar(value));
            json!({
                "name": self.names[at],
                "text": self.text(at),
                "left": left,
                "width": width,
                "isBest": at == self.order[0],
            })
        };
        let are_directions = self.names.iter().all(|name| direction(name).is_some());
        let rows: Vec<Value> = if are_directions {
            let illegal = |name| json!({"name": name, "text": "not legal", "left": 0, "width": 0});
            let places = DIRECTIONS.iter().map(|(name, _)| {
                let at = self.names.iter().position(|known| known == name);
                at.map_or_else(|| illegal(name), row)
            });
            places.collect()
        } else {
            self.order
                .iter()
                .take(VALUES_MAX)
                .map(|&at| row(at))
                .collect()
        };
        let title = match self.scale {
            "chance" => "Win chance",
            "margin" => "Points ahead at the end of its search",
            "points" => "Points still to come",
            _ => "Its own evaluation: only differences are meaningful",
        };
        let all = self.names.len();
        let note = if !are_directions && all > VALUES_MAX {
            format!("The best {VALUES_MAX} of {all} legal moves; the first is marked on the board.")
        } else {
            String::new()
        };
        let paths = game.session.view().paths;
        json!({
            "title": title,
            "note": note,
            "isSigned": self.scale == "margin",
            "path": paths.get(self.order[0]),
            "rows": rows,
        })
    }
}

/// A number of points, without more digits than it needs.
fn points(value: f64) -> String {
    let value = value.abs();
    if value < 100.0 && value.fract() != 0.0 {
        format!("{value:.1}")
    } else {
        grouped(value.round() as u64)
    }
}

fn signed(value: f64) -> String {
    let sign = match value {
        0.0 => "±",
        ..0.0 => "−",
        _ => "+",
    };
    sign.to_owned() + &points(value)
}
