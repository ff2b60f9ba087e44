//! Transcripts and positions of Offset as JSON.
//!
//! A position: `{"pairs":"1,6:3,4","seat":0,"moves":12,"piles":[[1,2,0],…],"owners":[".1.",…]}`,
//! rows from y = 0 and in them cells from x = 0; a pile is its number of coins (0: empty), an owner
//! `0`, `1` or `.` for nobody.

use super::board::OffsetBoard;
use super::{Move, Offset, Pair, Pile, SIDE, parse_pairs, place};
use crate::game::session::{Attempt, Path};
use crate::game::view::{BoardView, Cell, Slide, Tone};
use crate::game::{Describe, PositionError, Positions, Turn};
use crate::json::{Json, json};
use serde::Deserialize;

/// The largest pile that a position may hold: all coins of the largest board.
const COINS_MAX: u64 = 1024;

/// The most moves that a game has: each leaves a pile less.
const MOVES_MAX: u64 = 1023;

/// A move as `[[x, y], [x, y]]`, source first.
pub fn move_json(chosen: Move) -> Json {
    json!([chosen.source, chosen.target].map(place))
}

/// Reads a move.
///
/// # Errors
/// Returns an error that names the text and the accepted form.
pub fn parse_move(value: &Json, side: usize) -> Result<Move, String> {
    let is_on_board = |ends: &[[u64; 2]; 2]| ends.as_flattened().iter().all(|&at| at < side as u64);
    let ends = <[[u64; 2]; 2]>::deserialize(value).ok().filter(is_on_board);
    let ends = ends.map(|ends| ends.map(|[x, y]| (x + SIDE as u64 * y) as u16));
    let [source, target] = ends.ok_or_else(|| {
        format!(
            "move: {value} is not accepted; write [[x, y], [x, y]], source and target, each number from 0 to {}",
            side - 1
        )
    })?;
    Ok(Move { source, target })
}

/// The piles and their owners, row by row.
pub(super) fn board_json(board: &OffsetBoard, side: usize) -> (Json, Json) {
    let row = |y: usize| (0..side).map(move |x| (x + SIDE * y) as u16);
    let coins = |cell| board.pile(cell).map_or(0, Pile::coins);
    let owner = |cell| match board.pile(cell).and_then(|pile| pile.owner) {
        None => '.',
        Some(seat) => ['0', '1'][seat],
    };
    let piles: Vec<Vec<i64>> = (0..side).map(|y| row(y).map(coins).collect()).collect();
    let owners: Vec<String> = (0..side).map(|y| row(y).map(owner).collect()).collect();
    (json!(piles), json!(owners))
}

/// Reads a position; without `owners`, no pile has an owner; without `seat` and `moves` they are 0.
///
/// # Errors
/// Returns an error that names the problem and the accepted form.
pub(super) fn parse_position(game: &Offset, position: &Json) -> Result<OffsetBoard, String> {
    let side = game.side;
    let pairs = position
        .get("pairs")
        .ok_or("pairs: missing; write \"p0,q0:p1,q1\" such as \"1,6:3,4\"")?;
    let pairs = parse_pairs(pairs.as_str().unwrap_or_default())
        .map_err(|error| format!("pairs: {error}"))?;
    let number = |name: &str, most: u64| match position.get(name) {
        None => Ok(0),
        Some(value) => value
            .as_u64()
            .filter(|&value| value <= most)
            .ok_or_else(|| {
                format!("{name}: {value} is not accepted; a whole number from 0 to {most}")
            }),
    };
    let seat = number("seat", 1)? as usize;
    let moves = number("moves", MOVES_MAX)?;
    let shape = || {
        format!(
            "{side} rows of {side} numbers of coins, each 0 or a power of two up to {COINS_MAX}"
        )
    };
    let rows = position
        .get("piles")
        .ok_or_else(|| format!("piles: missing; write {}", shape()))?;
    let rows = rows.as_array().filter(|rows| rows.len() == side);
    let rows = rows.ok_or_else(|| format!("piles: not accepted; write {}", shape()))?;
    let owners = match position.get("owners") {
        None => vec![vec![None; side]; side],
        Some(owners) => parse_owners(owners, side)?,
    };
    let mut board = OffsetBoard::empty(side, pairs);
    for (y, row) in rows.iter().enumerate() {
        let row = row.as_array().filter(|row| row.len() == side);
        let row =
            row.ok_or_else(|| format!("piles: row {y} is not accepted; write {}", shape()))?;
        for (x, coins) in row.iter().enumerate() {
            let coins = coins
                .as_u64()
                .filter(|&coins| coins == 0 || coins.is_power_of_two() && coins <= COINS_MAX);
            let coins = coins
                .ok_or_else(|| format!("piles: ({x}, {y}) holds {}; write {}", row[x], shape()))?;
            let owner = owners[y][x];
            match coins {
                0 if owner.is_some() => {
                    return Err(format!("owners: ({x}, {y}) has an owner but no pile"));
                }
                1 if owner.is_some() => {
                    return Err(format!(
                        "owners: ({x}, {y}) has an owner; piles of one coin have none"
                    ));
                }
                0 => {}
                _ => board.put(
                    (x + SIDE * y) as u16,
                    Some(Pile {
                        level: coins.trailing_zeros() as u8,
                        owner,
                    }),
                ),
            }
        }
    }
    board.set_turn(seat, moves);
    Ok(board)
}

fn parse_owners(owners: &Json, side: usize) -> Result<Vec<Vec<Option<usize>>>, String> {
    let shape = || {
        format!(
            "owners: {owners} is not accepted; write {side} texts of {side} characters 0, 1 or . (nobody)"
        )
    };
    let rows = owners
        .as_array()
        .filter(|rows| rows.len() == side)
        .ok_or_else(shape)?;
    let owner = |character| match character {
        '0' => Some(Some(0)),
        '1' => Some(Some(1)),
        '.' => Some(None),
        _ => None,
    };
    rows.iter()
        .map(|row| {
            let row: Option<Vec<Option<usize>>> = row.as_str()?.chars().map(owner).collect();
            row.filter(|row| row.len() == side)
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(shape)
}

/// Source and target of a move as (row, column).
fn cells(chosen: Move) -> Path {
    [chosen.source, chosen.target].map(|cell| {
        let (x, y) = place(cell);
        (usize::from(y), usize::from(x))
    })
}

impl Positions for Offset {
    fn position(&self, state: &OffsetBoard) -> Json {
        let (piles, owners) = board_json(state, self.side);
        let [first, second] = state.pairs();
        json!({
            "pairs": format!("{first}:{second}"),
            "seat": state.seat(),
            "moves": state.moves(),
            "piles": piles,
            "owners": owners,
        })
    }

    fn parse(&self, position: &Json) -> Result<OffsetBoard, PositionError> {
        Ok(parse_position(self, position)?)
    }
}

impl Describe for Offset {
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        let played = turn.played.as_ref();
        let value = played.map(|(chosen, after)| after.pile(chosen.target).map_or(0, Pile::coins));
        json!({
            "turn": turn.number,
            "seat": turn.dealt.seat(),
            "pair": turn.dealt.pairs()[turn.dealt.seat()].to_string(),
            "legal_count": turn.legal.len(),
            "move": played.map(|&(chosen, _)| move_json(chosen)),
            "value": value,
            "scores": played.map_or(turn.dealt.scores(), |(_, after)| after.scores()),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    /// The piles in the colours of their owners, the points and the pairs.
    fn view(&self, state: &OffsetBoard) -> BoardView {
        let cell = |x: usize, y: usize| {
            let Some(pile) = state.pile((x + SIDE * y) as u16) else {
                return Cell::new("");
            };
            Cell::new(pile.coins().to_string()).toned(pile.owner.map(Tone::Owned))
        };
        let row = |y| (0..self.side).map(|x| cell(x, y)).collect();
        let fact = |seat: usize| {
            let pair = state.pairs()[seat];
            let coins = state.scores()[seat];
            (format!("seat {seat}"), format!("({pair}) {coins}"))
        };
        BoardView::new((0..self.side).map(row).collect(), [0, 1].map(fact))
    }

    /// Source and target, `3,4-9,5`.
    fn move_name(&self, _state: &OffsetBoard, chosen: Move) -> String {
        let [(from_x, from_y), (to_x, to_y)] = [chosen.source, chosen.target].map(place);
        format!("{from_x},{from_y}-{to_x},{to_y}")
    }

    fn slides(&self, _before: &OffsetBoard, chosen: Move, _after: &OffsetBoard) -> Vec<Slide> {
        let ends = cells(chosen);
        ends.map(|from| Slide { from, to: ends[1] }).to_vec()
    }

    fn how_to_play(&self) -> String {
        let side = self.side;
        format!(
            "The {side} x {side} cells hold a pile of one coin each, which nobody owns yet. Each player has a pair of numbers p,q, shown \
             above the board.\n\
             In turn, each player moves a pile onto another of the same size that lies p cells away along one axis and q cells along \
             the other. The combined pile belongs to that player, whoever owned the two halves.\n\
             A player without a legal move passes. The game ends when neither player can move. Whoever owns more coins wins.\n"
        )
    }

    fn goal(&self) -> String {
        "most coins".to_owned()
    }

    fn why_over(&self, state: &OffsetBoard) -> String {
        let [first, second] = state.scores();
        format!("neither player can move, coins {first} to {second}")
    }

    fn why_illegal(&self, state: &OffsetBoard, attempt: Attempt<'_>) -> Option<String> {
        let side = self.side;
        let [source, target] = match attempt {
            Attempt::Path(path) => path,
            Attempt::Name(name) => parse_name(name)?,
        };
        let is_outside = |(row, col): (usize, usize)| row >= side || col >= side;
        if [source, target].into_iter().any(is_outside) {
            return Some(format!(
                "outside the board; columns and rows go from 0 to {}",
                side - 1
            ));
        }
        Some(why_illegal(state, source, target))
    }

    fn path(&self, chosen: Move) -> Option<Path> {
        Some(cells(chosen))
    }
}

/// Reads the name of a move, `3,4-9,5`, as rows and columns.
fn parse_name(name: &str) -> Option<Path> {
    let cell = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((y.trim().parse().ok()?, x.trim().parse().ok()?))
    };
    let (source, target) = name.split_once('-')?;
    Some([cell(source)?, cell(target)?])
}

/// Why these piles, given as (row, column), cannot be combined.
fn why_illegal(board: &OffsetBoard, source: (usize, usize), target: (usize, usize)) -> String {
    let pile = |(row, col): (usize, usize)| board.pile((col + SIDE * row) as u16);
    let name = |(row, col): (usize, usize)| format!("{col},{row}");
    let [Some(first), Some(second)] = [source, target].map(pile) else {
        let empty = if pile(source).is_none() {
            source
        } else {
            target
        };
        return format!("{} is empty", name(empty));
    };
    let pair = board.pairs()[board.seat()];
    let apart = [source.1.abs_diff(target.1), source.0.abs_diff(target.0)];
    if Pair::new(apart[0] as u8, apart[1] as u8) != Some(pair) {
        return format!(
            "{} and {} lie {},{} apart, not {pair}",
            name(source),
            name(target),
            apart[0],
            apart[1]
        );
    }
    let [first, second] = [first, second].map(Pile::coins);
    format!("{first} and {second} coins are not equal")
}
