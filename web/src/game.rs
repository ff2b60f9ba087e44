//! One game on the page: its position, and what people may do in it.

use crate::text::{error, whole};
use serde_json::{Value, json};
use tilelab::catalog::refuse_clocks;
use tilelab::game::session::{Attempt, Session, View};
use tilelab::game::view::{BoardView, Cell as Tile, Mark, Slide, Tone};
use tilelab::games::calculator::{self, levels};
use tilelab::games::zero_sum;
use tilelab::output::numbers::fit;
use tilelab::{Cell, GameResult, KernelChoice};
use wasm_bindgen::prelude::*;

/// Directions in the order of the arrow keys, with their signs.
pub const DIRECTIONS: [(&str, &str); 4] =
    [("left", "←"), ("up", "↑"), ("down", "↓"), ("right", "→")];
/// The keys of buttons in games that have buttons; the page gives other letters another meaning.
const BUTTON_KEYS: &str = "1234567890bcefgijklmprtvxyz";
/// The last colours of numbers and of negative numbers, by bits.
const NUMBER_MAX: u32 = 13;
const NEGATIVE_MAX: u32 = 4;
/// Deals that are tried for a first board with a number.
const DEALS_MAX: u32 = 30;
/// Cells that are told to people who do not see the board.
const TOLD_MAX: usize = 8;

/// Game number `index` of a cell and a seed: the command line's game of that number.
#[wasm_bindgen]
pub struct Game {
    pub(crate) cell: Cell,
    /// The cell as it was given.
    text: String,
    pub(crate) session: Box<dyn Session>,
    /// The names of the moves made.
    pub(crate) made: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) index: u64,
}

#[wasm_bindgen]
impl Game {
    /// Opens a game. The cell is written as in `sixty-seven rules=gapless size=6x7
    /// player=planner`; seed and index are bigints, numbers or decimal text.
    ///
    /// # Errors
    /// Names the setting that is wrong and says what is accepted.
    #[wasm_bindgen(constructor)]
    pub fn new(cell: &str, seed: &JsValue, index: &JsValue) -> Result<Self, JsError> {
        let parsed = Cell::parse(cell).map_err(error)?;
        Self::open(parsed, cell, whole("seed", seed)?, whole("index", index)?)
    }

    /// The position as JSON: `cells` ([`cells`]), `facts` (pairs of name and value), `seat`,
    /// `last`, `slides` ([`slides`]), `moves`, `outcome` (of seat 0: `won`, `lost`, `drawn` or
    /// null), `whyOver`, `heard` (the last move for people who do not see the board), `legal` (the
    /// names of the legal moves), `how` (to make a move here, in a sentence) and `choices` (the
    /// buttons to show, each as name, label and key; empty after the end of a game). Where two
    /// cells are chosen, `legal` is empty, `sources` are the cells that begin a move, and
    /// [`Game::targets`] has the rest.
    #[must_use]
    pub fn view(&self) -> String {
        let view = self.session.view();
        let mut sources: Vec<(usize, usize)> = view.paths.iter().map(|path| path[0]).collect();
        sources.sort_unstable();
        sources.dedup();
        json!({
            "cells": cells(&view.board),
            "facts": view.board.facts,
            "seat": view.seat,
            "choices": self.choices(&view),
            "legal": if view.paths.is_empty() { view.legal.as_slice() } else { &[] },
            "sources": sources,
            "last": view.last,
            "slides": slides(&view.slides),
            "moves": view.moves,
            "outcome": view.outcome.as_ref().map(|outcome| result(outcome.result)),
            "whyOver": view.why_over,
            "heard": heard(&view),
            "how": how(&view),
        })
        .to_string()
    }

    /// The cells that complete a move which begins with this cell, as a JSON list of row, column
    /// and the name of the move.
    #[must_use]
    pub fn targets(&self, row: usize, col: usize) -> String {
        let View { legal, paths, .. } = self.session.view();
        let targets = paths.iter().zip(&legal);
        targets
            .filter(|([source, _], _)| *source == (row, col))
            .map(|([_, (row, col)], name)| json!([row, col, name]))
            .collect::<Value>()
            .to_string()
    }

    /// Game, size, and the settings that were given, for a title.
    #[must_use]
    pub fn title(&self) -> String {
        let Cell { game, params, .. } = &self.cell;
        let value = |name: &str| {
            params
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, it)| it)
        };
        let mut parts = vec![title_of(game.summary)];
        if let (Some(rows), Some(cols)) = (value("rows"), value("cols")) {
            parts.push(format!("{rows}×{cols}"));
        }
        parts.extend(value("level").map(|level| format!("level {level}")));
        let given = self.text.split_whitespace();
        for (name, value) in given.filter_map(|word| word.split_once('=')) {
            let spec = game.params.iter().find(|spec| spec.name == name);
            let default = spec.and_then(|spec| spec.default_value());
            if default.is_some_and(|default| default.to_string() == value) {
                continue;
            }
            parts.push(match name {
                "player" | "opponent" | "rows" | "cols" | "size" | "level" => continue,
                "rules" => value.to_owned(),
                _ => format!("{} {value}", name.replace('_', " ")),
            });
        }
        parts.join(" · ")
    }

    /// The command that plays the same game in a terminal.
    #[must_use]
    pub fn command(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_.,+-/=:".contains(letter);
        let settings = self.text.split_whitespace().skip(1);
        let settings =
            settings.filter(|word| !word.starts_with("player=") && !word.starts_with("opponent="));
        let settings = settings.map(|word| match word.chars().all(is_plain) {
            true => format!(" --set {word}"),
            false => format!(" --set '{}'", word.replace('\'', "'\\''")),
        });
        format!(
            "tilelab play {}{} --seed {} --game {}",
            self.cell.game.name,
            settings.collect::<String>(),
            self.seed,
            self.index
        )
    }

    /// The rules for people who play.
    #[must_use]
    pub fn rules(&self) -> String {
        self.session.rules()
    }

    /// What wins, in a few words.
    #[must_use]
    pub fn goal(&self) -> String {
        self.session.goal()
    }

    /// Makes the legal move with this name.
    ///
    /// # Errors
    /// Says why the move is not legal.
    #[wasm_bindgen(js_name = playName)]
    pub fn play_name(&mut self, name: &str) -> Result<(), JsError> {
        let legal = self.session.view().legal;
        match legal.iter().position(|known| known == name) {
            Some(chosen) => {
                self.play(chosen, name);
                Ok(())
            }
            None => Err(error(self.why_illegal(name))),
        }
    }

    /// Why the move with this name is not legal; empty for a legal move.
    #[wasm_bindgen(js_name = whyIllegal)]
    #[must_use]
    pub fn why_illegal(&self, name: &str) -> String {
        let View { legal, paths, .. } = self.session.view();
        if legal.iter().any(|known| known == name) {
            return String::new();
        }
        let why = self.session.why_illegal(Attempt::Name(name));
        let why = why.unwrap_or_else(|| match direction(name) {
            Some(_) => "it would change nothing".to_owned(),
            None => "there is no such move".to_owned(),
        });
        let listed = if paths.is_empty() && !legal.is_empty() && legal.len() <= TOLD_MAX {
            format!("; legal: {}", legal.join(" "))
        } else {
            String::new()
        };
        format!("{name} is not legal: {why}{listed}")
    }

    /// Takes the last move back; whether there was one.
    pub fn undo(&mut self) -> bool {
        if self.made.pop().is_none() {
            return false;
        }
        if !self.session.undo() {
            // A session keeps the last moves only.
            self.session = session(&self.cell, self.seed, self.index).expect("it was open");
            for name in std::mem::take(&mut self.made) {
                let chosen = self.session.view().legal.iter().position(|it| *it == name);
                self.play(chosen.expect("it was legal"), &name);
            }
        }
        true
    }
}

/// A seed from this one on with which the game of a cell begins with a number on its board, where
/// it has a board.
///
/// # Errors
/// Names the setting that is wrong and says what is accepted.
#[wasm_bindgen(js_name = firstDeal)]
pub fn first_deal(cell: &str, seed: u32) -> Result<u32, JsError> {
    let cell = Cell::parse(cell).map_err(error)?;
    for deal in 0..DEALS_MAX {
        let view = session(&cell, u64::from(seed + deal), 0)?.view();
        let is_number = |cell: &Tile| matches!(cell.tone, Tone::Number(_) | Tone::Goal);
        if view.board.cells.iter().flatten().any(is_number) {
            return Ok(seed + deal);
        }
    }
    Ok(seed)
}

/// The game after one of a cell as JSON, `setting` and `index`: the next number of its seed; in
/// Calculator the next level once this one `isWon`, with its setting. `isLevel` says which.
#[wasm_bindgen(js_name = nextGame)]
#[must_use]
pub fn next_game(game: &str, level: Option<u32>, index: &str, is_won: bool) -> String {
    if game != calculator::NAME {
        let index = index
            .parse::<u64>()
            .map_or(0, |index| index.wrapping_add(1));
        return json!({"index": index.to_string(), "isLevel": false}).to_string();
    }
    let last = levels::built_in().count() as u32;
    let level = level.unwrap_or(1);
    let is_level = is_won && level < last;
    let next = if is_level { level + 1 } else { level };
    json!({"index": index, "level": next.to_string(), "isLevel": is_level}).to_string()
}

impl Game {
    pub(crate) fn open(cell: Cell, text: &str, seed: u64, index: u64) -> Result<Self, JsError> {
        refuse_clocks(&cell.players).map_err(error)?;
        cell.check_single_games("play").map_err(error)?;
        Ok(Self {
            session: session(&cell, seed, index)?,
            cell,
            text: text.to_owned(),
            made: Vec::new(),
            seed,
            index,
        })
    }

    /// This game again, from its start.
    pub(crate) fn again(&self) -> Result<Self, JsError> {
        Self::open(self.cell.clone(), &self.text, self.seed, self.index)
    }

    pub(crate) fn play(&mut self, chosen: usize, name: &str) {
        self.session.play(chosen);
        self.made.push(name.to_owned());
    }

    /// What stands on the button of a move.
    pub(crate) fn label(&self, name: &str) -> String {
        match direction(name) {
            Some(sign) => sign.to_owned(),
            None if self.cell.game.name == zero_sum::NAME => format!("× {name}"),
            None => name.to_owned(),
        }
    }

    fn choices(&self, view: &View) -> Vec<Value> {
        let plain = |name: &str| json!([name, self.label(name), name]);
        if !view.buttons.is_empty() {
            let keys = BUTTON_KEYS.chars().map(String::from);
            let keys = keys.chain(std::iter::repeat(String::new()));
            let buttons = view.buttons.iter().zip(keys);
            buttons
                .map(|(name, key)| json!([name, name, key]))
                .collect()
        } else if !view.paths.is_empty() {
            Vec::new()
        } else if view
            .legal
            .first()
            .is_some_and(|name| direction(name).is_some())
        {
            DIRECTIONS.iter().map(|(name, _)| plain(name)).collect()
        } else {
            view.legal.iter().map(|name| plain(name)).collect()
        }
    }
}

fn session(cell: &Cell, seed: u64, index: u64) -> Result<Box<dyn Session>, JsError> {
    // Batch kernels show no single moves.
    let kernel = if cell.game.seats == 2 {
        KernelChoice::Auto
    } else {
        KernelChoice::Reference
    };
    let job = cell.job(seed, kernel).map_err(error)?;
    job.open(index, None).map_err(error)
}

/// The sign of a direction.
pub fn direction(name: &str) -> Option<&'static str> {
    let found = DIRECTIONS.iter().find(|(known, _)| *known == name);
    found.map(|(_, sign)| *sign)
}

/// The title of a game, from its summary.
pub fn title_of(summary: &str) -> String {
    let title = summary.split(':').next().unwrap_or(summary);
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

pub fn result(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Lost => "lost",
        GameResult::Drawn => "drawn",
    }
}

/// How moves are made on the page.
fn how(view: &View) -> String {
    let first = view.legal.first().map_or("", String::as_str);
    if !view.paths.is_empty() {
        "Click two piles, or move with the arrow keys and choose with Enter; . goes to the next \
         pile, Esc cancels."
            .to_owned()
    } else if !view.buttons.is_empty() {
        "To press a button, use the key shown on it.".to_owned()
    } else if direction(first).is_some() {
        "Arrow keys or W A S D move; on a touch screen, swipe.".to_owned()
    } else if first.is_empty() {
        String::new()
    } else {
        format!("Keys for the moves: {}.", view.legal.join(", "))
    }
}

/// The last move, what it made, what was dealt, and the facts, in a sentence.
fn heard(view: &View) -> String {
    let Some(last) = &view.last else {
        return String::new();
    };
    let rows = &view.board.cells;
    let is_display = rows.len() == 1 && rows[0].len() == 1;
    let list = |mark: Option<Mark>| {
        let cells = rows.iter().zip(1..);
        let cells =
            cells.flat_map(|(row, y)| row.iter().zip(1..).map(move |(cell, x)| (cell, y, x)));
        let marked = cells.filter(|(cell, ..)| mark.is_none() || cell.mark == mark);
        let told = marked.map(|(cell, y, x)| match mark {
            None => cell.text.clone(),
            Some(_) => format!("{} in row {y} column {x}", cell.text),
        });
        let all: Vec<String> = told.collect();
        match all.len() {
            0..=TOLD_MAX => all.join(", "),
            count => format!(
                "{} and {} more",
                all[..TOLD_MAX].join(", "),
                count - TOLD_MAX
            ),
        }
    };
    let told = if is_display {
        vec![("shows", list(None))]
    } else {
        vec![
            ("made", list(Some(Mark::Made))),
            ("new", list(Some(Mark::Dealt))),
        ]
    };
    let told = told.into_iter().filter(|(_, text)| !text.is_empty());
    let told: String = told
        .map(|(word, text)| format!("; {word} {text}"))
        .collect();
    let facts = view.board.facts.iter();
    let facts: Vec<String> = facts
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    format!("{last}{told}. {}.", facts.join(", "))
}

/// Where tiles went, as a JSON list of row and column before and after.
pub fn slides(slides: &[Slide]) -> Value {
    let flat = |slide: &Slide| json!([slide.from.0, slide.from.1, slide.to.0, slide.to.1]);
    slides.iter().map(flat).collect()
}

/// The rows of a board as JSON. A cell is 0 where it is empty, otherwise a list of its text as it
/// fits, of its classes (`number-BITS`, `negative-BITS`, `operator`, `goal` or `owned-SEAT`, and
/// `dealt` or `made`) and, where it was shortened, of its whole text.
pub fn cells(look: &BoardView) -> Value {
    let cols = look.cells.first().map_or(0, Vec::len);
    let width = match (look.cells.len(), cols) {
        (1, 1) => 24,
        (_, ..=8) => 6,
        (_, ..=12) => 5,
        _ => 4,
    };
    let rows = look.cells.iter();
    rows.map(|row| row.iter().map(|cell| tile(cell, width)).collect::<Value>())
        .collect()
}

fn tile(tile: &Tile, width: usize) -> Value {
    let tone = match tile.tone {
        Tone::Blank => return 0.into(),
        Tone::Number(bits) => format!("number-{}", bits.min(NUMBER_MAX)),
        Tone::Negative(bits) => format!("negative-{}", bits.min(NEGATIVE_MAX)),
        Tone::Operator => "operator".to_owned(),
        Tone::Goal => "goal".to_owned(),
        Tone::Owned(seat) => format!("owned-{seat}"),
    };
    let mark = match tile.mark {
        None => "",
        Some(Mark::Dealt) => " dealt",
        Some(Mark::Made) => " made",
    };
    let look = tone + mark;
    let short = match (tile.tone, tile.text.as_str()) {
        (Tone::Operator, "-") => return json!(["−", look]),
        (Tone::Operator, "*") => return json!(["×", look]),
        (_, text) => fit(text, width),
    };
    if short == tile.text {
        json!([short, look])
    } else {
        json!([short, look, tile.text])
    }
}
