//! One game, played move by move.

use crate::text::{error, whole};
use serde_json::{Value, json};
use tilelab::catalog::refuse_clocks;
use tilelab::game::session::{Attempt, Hint, Session, View};
use tilelab::game::view::{BoardView, Cell as Tile, Mark, Tone};
use tilelab::{Cell, GameResult, KernelChoice, Outcome};
use wasm_bindgen::prelude::*;

/// Game number `index` of a cell and a seed: the command line's game of that number.
#[wasm_bindgen]
pub struct Game {
    cell: Cell,
    session: Box<dyn Session>,
}

#[wasm_bindgen]
impl Game {
    /// Opens a game. The cell is written as in `sixty-seven rules=gapless size=6x7
    /// player=foresight`; seed and index are bigints, numbers or decimal text.
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
        let kernel = if cell.game.seats == 2 { KernelChoice::Auto } else { KernelChoice::Reference };
        let job = cell.job(seed, kernel).map_err(error)?;
        let session = job.open(index, None).map_err(error)?;
        Ok(Self { cell, session })
    }

    /// The position as JSON: `cells` (rows of `text`, `tone`, `bits`, `owner` and `mark`), `facts`
    /// (pairs of name and value), `seat`, `legal`, `last`, `moves`, `outcome` (`result` of seat 0:
    /// `won`, `lost` or `drawn`), `whyOver`, `buttons` and `paths`.
    #[must_use]
    pub fn view(&self) -> String {
        let View { look, seat, legal, last, moves, outcome, why_over, buttons, paths } = self.session.view();
        json!({
            "cells": cells(&look),
            "facts": look.facts,
            "seat": seat,
            "legal": legal,
            "last": last,
            "moves": moves,
            "outcome": outcome.as_ref().map(result),
            "whyOver": why_over,
            "buttons": buttons,
            "paths": paths,
        })
        .to_string()
    }

    /// The position as JSON, in the game's own form.
    #[must_use]
    pub fn position(&self) -> String {
        self.session.position().to_string()
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

    /// Name and parameters of the player of each seat, as a JSON list.
    #[must_use]
    pub fn players(&self) -> String {
        let labels: Vec<String> = self.cell.players.iter().map(tilelab::catalog::PlayerSpec::label).collect();
        json!(labels).to_string()
    }

    /// The parameters of the game, completed, as JSON: names and values as text.
    #[must_use]
    pub fn params(&self) -> String {
        let pairs = self.cell.params.iter().map(|(name, value)| (name.to_owned(), Value::from(value.to_string())));
        pairs.collect::<Value>().to_string()
    }

    /// Makes the legal move with this number.
    ///
    /// # Errors
    /// When there is no such move.
    pub fn play(&mut self, legal: usize) -> Result<(), JsError> {
        let count = self.session.view().legal.len();
        if legal >= count {
            return Err(error(format!("move {legal}: there are {count} legal moves, numbered from 0")));
        }
        self.session.play(legal);
        Ok(())
    }

    /// Makes the legal move with this name.
    ///
    /// # Errors
    /// Says why the move is not legal.
    #[wasm_bindgen(js_name = playName)]
    pub fn play_name(&mut self, name: &str) -> Result<(), JsError> {
        let legal = self.session.view().legal.iter().position(|known| known == name);
        let legal = legal.ok_or_else(|| error(format!("{name} is not legal: {}", self.why(name))))?;
        self.session.play(legal);
        Ok(())
    }

    /// Why the move with this name is not legal; empty for a legal move.
    #[wasm_bindgen(js_name = whyIllegal)]
    #[must_use]
    pub fn why_illegal(&self, name: &str) -> String {
        if self.session.view().legal.iter().any(|known| known == name) { String::new() } else { self.why(name) }
    }

    /// Takes the last move back; whether there was one.
    pub fn undo(&mut self) -> bool {
        self.session.undo()
    }

    /// The number of the legal move that the player of the seat to move chooses.
    ///
    /// # Errors
    /// When the game is over.
    pub fn choose(&mut self) -> Result<usize, JsError> {
        self.check_open()?;
        Ok(self.session.choose())
    }

    /// Lets the players make up to this many moves; how many were made. Fewer are made only when
    /// the game ends.
    pub fn run(&mut self, moves: u32) -> u32 {
        for made in 0..moves {
            if self.session.is_over() {
                return made;
            }
            let chosen = self.session.choose();
            self.session.play(chosen);
        }
        moves
    }

    /// A hint as JSON: `kind` is `choice` (of the player), `solution` (of the solver; `moves` is
    /// the number of moves to the goal) or `unsolvable`; `move` is the number of the legal move.
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
        Ok(json!({"kind": kind, "move": hint.chosen(), "moves": moves}).to_string())
    }

    /// What the player of the seat to move thinks of each legal move, as a JSON list of `move` (its
    /// number) and `value` (on the player's own scale, larger is better; null for a move that it
    /// does not look at); `null` where the player cannot say.
    ///
    /// # Errors
    /// When the game is over.
    pub fn evaluate(&mut self) -> Result<String, JsError> {
        self.check_open()?;
        let item = |(number, value): (usize, Option<f64>)| json!({"move": number, "value": value});
        let values = self.session.evaluate().map(|values| values.into_iter().enumerate().map(item).collect::<Value>());
        Ok(json!(values).to_string())
    }

    /// Whether the game is over.
    #[wasm_bindgen(js_name = isOver)]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }
}

impl Game {
    fn why(&self, name: &str) -> String {
        let why = self.session.why_illegal(Attempt::Name(name));
        why.unwrap_or_else(|| match name {
            "up" | "down" | "left" | "right" => "it would change nothing".to_owned(),
            _ => "there is no such move".to_owned(),
        })
    }

    fn check_open(&self) -> Result<(), JsError> {
        if self.session.is_over() { Err(error("the game is over")) } else { Ok(()) }
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

/// The rows of a board as JSON.
pub fn cells(look: &BoardView) -> Value {
    look.cells.iter().map(|row| row.iter().map(tile).collect::<Value>()).collect()
}

fn tile(tile: &Tile) -> Value {
    let (tone, bits, owner) = match tile.tone {
        Tone::Blank => ("blank", 0, None),
        Tone::Number(bits) => ("number", bits, None),
        Tone::Negative(bits) => ("negative", bits, None),
        Tone::Operator => ("operator", 0, None),
        Tone::Goal => ("goal", 0, None),
        Tone::Owned(seat) => ("owned", 0, Some(seat)),
    };
    let mark = tile.mark.map(|mark| match mark {
        Mark::Dealt => "dealt",
        Mark::Made => "made",
    });
    json!({"text": tile.text, "tone": tone, "bits": bits, "owner": owner, "mark": mark})
}
