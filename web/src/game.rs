//! One game, played move by move.

use crate::text::{error, whole};
use serde_json::{Value, json};
use tilelab::catalog::refuse_clocks;
use tilelab::game::Scale;
use tilelab::game::session::{Attempt, Hint, Path, Session, View};
use tilelab::game::view::{BoardView, Cell as Tile, Mark, Slide, Tone};
use tilelab::games::two_player::WIN;
use tilelab::{Cell, GameResult, KernelChoice, Outcome};
use wasm_bindgen::prelude::*;

/// The most moves whose values are told.
const VALUES_MAX: usize = 8;

/// Game number `index` of a cell and a seed: the command line's game of that number.
#[wasm_bindgen]
pub struct Game {
    cell: Cell,
    session: Box<dyn Session>,
    /// The names of the moves made.
    made: Vec<String>,
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
        let cell = Cell::parse(cell).map_err(error)?;
        refuse_clocks(&cell.players).map_err(error)?;
        cell.check_single_games("play").map_err(error)?;
        let seed = whole("seed", seed)?;
        let index = whole("index", index)?;
        // Batch kernels show no single moves.
        let kernel = if cell.game.seats == 2 {
            KernelChoice::Auto
        } else {
            KernelChoice::Reference
        };
        let job = cell.job(seed, kernel).map_err(error)?;
        let session = job.open(index, None).map_err(error)?;
        Ok(Self {
            cell,
            session,
            made: Vec::new(),
        })
    }

    /// The position as JSON: `cells` ([`cells`]), `facts` (pairs of name and value), `seat`, `last`,
    /// `slides` ([`slides`]), `moves`, `outcome` (`result` of seat 0: `won`, `lost` or `drawn`),
    /// `whyOver` and `buttons`. `legal` are the names of the legal moves; where two cells are chosen
    /// it is empty, `sources` are the cells that begin a move, and [`Game::targets`] has the rest.
    #[must_use]
    pub fn view(&self) -> String {
        let View {
            look,
            seat,
            legal,
            last,
            slides: moved,
            moves,
            outcome,
            why_over,
            buttons,
            paths,
        } = self.session.view();
        let mut sources: Vec<(usize, usize)> = paths.iter().map(|path| path[0]).collect();
        sources.sort_unstable();
        sources.dedup();
        json!({
            "cells": cells(&look),
            "facts": look.facts,
            "seat": seat,
            "legal": if paths.is_empty() { legal } else { Vec::new() },
            "sources": sources,
            "last": last,
            "slides": slides(&moved),
            "moves": moves,
            "outcome": outcome.as_ref().map(result),
            "whyOver": why_over,
            "buttons": buttons,
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

    /// The names of the moves made so far, as a JSON list.
    #[must_use]
    pub fn moves(&self) -> String {
        json!(self.made).to_string()
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

    /// The key of the cell, as in the column `cell` of `cells.csv`.
    #[must_use]
    pub fn key(&self) -> String {
        self.cell.key()
    }

    /// Makes the legal move with this name.
    ///
    /// # Errors
    /// Says why the move is not legal.
    #[wasm_bindgen(js_name = playName)]
    pub fn play_name(&mut self, name: &str) -> Result<(), JsError> {
        let legal = self
            .session
            .view()
            .legal
            .iter()
            .position(|known| known == name);
        let legal =
            legal.ok_or_else(|| error(format!("{name} is not legal: {}", self.why(name))))?;
        self.session.play(legal);
        self.made.push(name.to_owned());
        Ok(())
    }

    /// Why the move with this name is not legal; empty for a legal move.
    #[wasm_bindgen(js_name = whyIllegal)]
    #[must_use]
    pub fn why_illegal(&self, name: &str) -> String {
        if self.session.view().legal.iter().any(|known| known == name) {
            String::new()
        } else {
            self.why(name)
        }
    }

    /// Takes the last move back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let undone = self.session.undo();
        if undone {
            self.made.pop();
        }
        undone
    }

    /// The name of the move that the player of the seat to move chooses.
    ///
    /// # Errors
    /// When the game is over.
    pub fn choose(&mut self) -> Result<String, JsError> {
        self.check_open()?;
        let chosen = self.session.choose();
        Ok(self.session.view().legal.swap_remove(chosen))
    }

    /// Lets the players make up to this many moves; how many were made. Fewer are made only when
    /// the game ends. With `solves`, the solver of the game chooses where it knows a solution.
    pub fn run(&mut self, moves: u32, solves: bool) -> u32 {
        for made in 0..moves {
            if self.session.is_over() {
                return made;
            }
            let solution = match solves {
                true => self.session.hint().chosen(),
                false => None,
            };
            let chosen = solution.unwrap_or_else(|| self.session.choose());
            self.made
                .push(self.session.view().legal.swap_remove(chosen));
            self.session.play(chosen);
        }
        moves
    }

    /// A hint as JSON: `kind` is `choice` (of the player), `solution` (of the solver; `moves` is
    /// the number of moves to the goal) or `unsolvable`; `name` and `path` are those of the move,
    /// `makes` are the tiles that it makes, and `values` are those of [`Game::evaluate`].
    ///
    /// # Errors
    /// When the game is over.
    pub fn hint(&mut self) -> Result<String, JsError> {
        self.check_open()?;
        let hint = self.session.hint();
        let (kind, moves) = match hint {
            Hint::Choice(_) => ("choice", None),
            Hint::Solution { moves, .. } => ("solution", Some(moves)),
            Hint::Unsolvable => ("unsolvable", None),
        };
        let Some(chosen) = hint.chosen() else {
            return Ok(json!({"kind": kind}).to_string());
        };
        let View { legal, paths, .. } = self.session.view();
        let values = match moves {
            None => self.values(&legal, &paths),
            Some(_) => Value::Null,
        };
        self.session.play(chosen);
        let after = self.session.view();
        self.session.undo();
        let made = after.look.cells.iter().flatten();
        let makes: Vec<&str> = made
            .filter(|cell| cell.mark == Some(Mark::Made))
            .map(|cell| cell.text.as_str())
            .collect();
        let wins = after
            .outcome
            .is_some_and(|outcome| outcome.result == GameResult::Won);
        Ok(json!({
            "kind": kind,
            "name": legal[chosen],
            "path": paths.get(chosen),
            "moves": moves,
            "makes": makes,
            "wins": wins,
            "values": values,
        })
        .to_string())
    }

    /// What the player of the seat to move thinks of the legal moves, as JSON; `null` where it
    /// cannot say. `scale` is `chance` (of winning, 0 to 1), `margin` (points ahead of the other),
    /// `points` (still to come) or `own` (only differences mean something). `moves` are the best
    /// ones, the best first, each with `name`, `path`, `value` (null for a move that the player
    /// does not look at) and `decided` (`won`, `lost` or null); `count` is the number of legal
    /// moves.
    ///
    /// # Errors
    /// When the game is over.
    pub fn evaluate(&mut self) -> Result<String, JsError> {
        self.check_open()?;
        let View { legal, paths, .. } = self.session.view();
        Ok(self.values(&legal, &paths).to_string())
    }
}

impl Game {
    fn values(&mut self, legal: &[String], paths: &[Path]) -> Value {
        let Some(values) = self.session.evaluate() else {
            return Value::Null;
        };
        let (scale, unit) = match self.session.scale() {
            Scale::Chance => ("chance", 1),
            Scale::Margin { unit } => ("margin", unit),
            Scale::Points => ("points", 1),
            Scale::Own => ("own", 1),
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        let rank = |at: &usize| values[*at].unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        order.truncate(VALUES_MAX);
        let is_decided = |value: &f64| scale == "margin" && value.abs() > WIN as f64 / 2.0;
        let moves = order.into_iter().map(|at| {
            let decided = values[at].filter(is_decided);
            json!({
                "name": legal[at],
                "path": paths.get(at),
                "value": values[at].map(|value| value / unit as f64),
                "decided": decided.map(|value| if value > 0.0 { "won" } else { "lost" }),
            })
        });
        let moves: Value = moves.collect();
        json!({"scale": scale, "moves": moves, "count": legal.len()})
    }

    fn why(&self, name: &str) -> String {
        let why = self.session.why_illegal(Attempt::Name(name));
        why.unwrap_or_else(|| match name {
            "up" | "down" | "left" | "right" => "it would change nothing".to_owned(),
            _ => "there is no such move".to_owned(),
        })
    }

    fn check_open(&self) -> Result<(), JsError> {
        if self.session.is_over() {
            Err(error("the game is over"))
        } else {
            Ok(())
        }
    }
}

fn result(outcome: &Outcome) -> Value {
    let result = match outcome.result {
        GameResult::Won => "won",
        GameResult::Lost => "lost",
        GameResult::Drawn => "drawn",
    };
    json!({"result": result, "moves": outcome.moves})
}

/// Where tiles went, as a JSON list of row and column before and after.
pub fn slides(slides: &[Slide]) -> Value {
    let flat = |slide: &Slide| json!([slide.from.0, slide.from.1, slide.to.0, slide.to.1]);
    slides.iter().map(flat).collect()
}

/// The rows of a board as JSON. A cell is 0 where it is empty, otherwise a list of its text, its
/// tone (`number-BITS`, `negative-BITS`, `operator`, `goal` or `owned-SEAT`) and, where it has one,
/// its mark (`dealt` or `made`).
pub fn cells(look: &BoardView) -> Value {
    look.cells
        .iter()
        .map(|row| row.iter().map(tile).collect::<Value>())
        .collect()
}

fn tile(tile: &Tile) -> Value {
    let tone = match tile.tone {
        Tone::Blank => return 0.into(),
        Tone::Number(bits) => format!("number-{bits}"),
        Tone::Negative(bits) => format!("negative-{bits}"),
        Tone::Operator => "operator".to_owned(),
        Tone::Goal => "goal".to_owned(),
        Tone::Owned(seat) => format!("owned-{seat}"),
    };
    match tile.mark {
        None => json!([tile.text, tone]),
        Some(Mark::Dealt) => json!([tile.text, tone, "dealt"]),
        Some(Mark::Made) => json!([tile.text, tone, "made"]),
    }
}
