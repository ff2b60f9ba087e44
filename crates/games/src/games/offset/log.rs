//! Match logs of Offset: written move by move, read and checked move by move.
//!
//! One line a move, `(player, true, (x, y), (x, y), value)`: the mover 0 or 1, the source cell, the
//! target cell and the coins of the new pile; a pass has no line. `True` and any spaces are
//! accepted too, and blank lines. The first line's player began the game.

use super::board::OffsetBoard;
use super::{Assignment, Move, Offset, Pair, Pile, SIDE, Walk, place};
use crate::game::Game;
use crate::rng::{SeedableRng, Stream};
use std::cmp::Ordering;

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogMove {
    /// The mover's seat.
    pub player: usize,
    /// What was combined.
    pub chosen: Move,
    /// Coins of the new pile.
    pub value: i64,
}

impl LogMove {
    /// The entry of a legal move.
    ///
    /// # Panics
    /// Panics if there is no pile on the source.
    pub fn of(board: &OffsetBoard, chosen: Move) -> Self {
        let half = board
            .pile(chosen.source)
            .expect("a legal move combines two piles");
        Self {
            player: board.seat(),
            chosen,
            value: 2 * half.coins(),
        }
    }

    /// The line of the log.
    pub fn line(&self) -> String {
        let (x0, y0) = place(self.chosen.source);
        let (x1, y1) = place(self.chosen.target);
        format!(
            "({}, true, ({x0}, {y0}), ({x1}, {y1}), {})",
            self.player, self.value
        )
    }

    /// Reads a line of the log of a board with this side.
    ///
    /// # Errors
    /// Returns an error that names the problem and the accepted form.
    pub fn parse(line: &str, side: usize) -> Result<Self, String> {
        let form = || {
            format!(
                "{:?} is not a line of a log; a line is (player, true, (x, y), (x, y), value)",
                line.trim()
            )
        };
        let text: String = line
            .chars()
            .filter(|character| !character.is_whitespace())
            .collect();
        // The brackets' places are checked by name; what is between commas is then a list of six
        // words.
        let inner = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'))
            .ok_or_else(form)?;
        let (player, rest) = inner.split_once(',').ok_or_else(form)?;
        let (done, rest) = rest.split_once(",(").ok_or_else(form)?;
        let (source, rest) = rest.split_once("),(").ok_or_else(form)?;
        let (target, value) = rest.split_once("),").ok_or_else(form)?;
        if !matches!(done, "true" | "True") {
            return Err(format!(
                "the second entry is {done}, not true; only moves that were made are logged"
            ));
        }
        let number = |text: &str| text.parse::<i64>().map_err(|_| form());
        let cell = |name: &str, text: &str| {
            let (x, y) = text.split_once(',').ok_or_else(form)?;
            let x = number(x)?;
            let y = number(y)?;
            let places = 0..side as i64;
            if places.contains(&x) && places.contains(&y) {
                Ok((x + SIDE as i64 * y) as u16)
            } else {
                Err(format!(
                    "the {name} ({x}, {y}) is not on the board; x and y go from 0 to {}",
                    side - 1
                ))
            }
        };
        let player = number(player)?;
        let value = number(value)?;
        if !(0..=1).contains(&player) {
            return Err(format!("the player is {player}; players are 0 and 1"));
        }
        let chosen = Move {
            source: cell("source", source)?,
            target: cell("target", target)?,
        };
        Ok(Self {
            player: player as usize,
            chosen,
            value,
        })
    }
}

/// Why a move is not legal for a seat on this board.
pub(super) fn why_illegal(board: &OffsetBoard, seat: usize, chosen: Move) -> String {
    let source = place(chosen.source);
    let target = place(chosen.target);
    let pair: Pair = board.pairs()[seat];
    let distances =
        [source.0.abs_diff(target.0), source.1.abs_diff(target.1)].map(|distance| distance as u8);
    if Pair::new(distances[0], distances[1]) != Some(pair) {
        let [dx, dy] = distances;
        return format!(
            "{source:?} and {target:?} lie {dx} and {dy} apart; player {seat} combines cells {pair} apart"
        );
    }
    let coins = [chosen.source, chosen.target].map(|cell| board.pile(cell).map(Pile::coins));
    match coins {
        [None, _] => format!("the source {source:?} is empty"),
        [_, None] => format!("the target {target:?} is empty"),
        [Some(first), Some(second)] => {
            format!(
                "the piles on {source:?} and {target:?} have {first} and {second} coins; only equal piles are combined"
            )
        }
    }
}

/// Where a log stops making sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct LogError {
    /// Lines are numbered from 1.
    pub line: usize,
    /// What is impossible about the line.
    pub reason: String,
}

/// What a log came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The coins of both players.
    pub scores: [i64; 2],
    /// Combinations made.
    pub moves: u64,
    /// How many moves each player still has; none when the game is over.
    pub left: [usize; 2],
}

impl Replayed {
    /// Whether neither player can move.
    pub fn is_over(&self) -> bool {
        self.left == [0, 0]
    }

    /// The winner of a finished game; `None` for a draw.
    pub fn winner(&self) -> Option<usize> {
        match self.scores[0].cmp(&self.scores[1]) {
            Ordering::Greater => Some(0),
            Ordering::Equal => None,
            Ordering::Less => Some(1),
        }
    }
}

/// Plays a log through the rules and calls `watch` with each entry and the points after it.
///
/// # Errors
/// Returns an error that names the first impossible line and the reason.
pub fn replay(
    text: &str,
    pairs: [Pair; 2],
    side: usize,
    mut watch: impl FnMut(&LogMove, [i64; 2]),
) -> Result<Replayed, LogError> {
    let mut game: Option<(Offset, OffsetBoard)> = None;
    let rules = Offset {
        side,
        d: pairs[0].d(),
        pairs: Some(pairs),
        beginner: 0,
        opening: 0,
        walk: Walk::Drawn,
    };
    let begun = |beginner| {
        let rules = rules.assigned(Assignment { pairs, beginner });
        (rules, rules.start(&mut Stream::seed_from_u64(0)))
    };
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let error = |reason| LogError {
            line: index + 1,
            reason,
        };
        let entry = LogMove::parse(line, side).map_err(error)?;
        let (rules, board) = game.get_or_insert_with(|| begun(entry.player));
        check(rules, board, &entry).map_err(error)?;
        rules.play(board, entry.chosen);
        watch(&entry, board.scores());
    }
    let (_, board) = game.unwrap_or_else(|| begun(0));
    Ok(Replayed {
        scores: board.scores(),
        moves: board.moves(),
        left: [board.mobility(0), board.mobility(1)],
    })
}

/// Whether an entry is possible on this board.
fn check(rules: &Offset, board: &OffsetBoard, entry: &LogMove) -> Result<(), String> {
    if rules.outcome(board).is_some() {
        return Err("the game is over; neither player can move".to_owned());
    }
    if entry.player != board.seat() {
        return Err(format!(
            "player {} moves, but it is the turn of player {}",
            entry.player,
            board.seat()
        ));
    }
    if !rules.legal_moves(board).contains(&entry.chosen) {
        return Err(why_illegal(board, entry.player, entry.chosen));
    }
    let value = LogMove::of(board, entry.chosen).value;
    if entry.value != value {
        return Err(format!(
            "the new pile has {value} coins, not {}",
            entry.value
        ));
    }
    Ok(())
}
