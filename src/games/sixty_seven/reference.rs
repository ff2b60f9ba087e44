//! The reference engine of 67!: plain code with true big integers, to be read beside the rules.
//!
//! Everything fast is held against this file.

use super::line::Tile;
use super::{Collapse, Direction, Operator, Runs, SIDE_MAX, SixtySeven, look};
use crate::game::look::Look;
use crate::game::{Describe, Game, GameResult, Outcome, Turn};
use crate::rng::{Draw, Stream};
use num_bigint::BigInt;
use serde_json::{Value, json};

/// Collapses one line in reading order towards its start or its end and packs it against that edge.
///
/// * Where blanks separate, a triple must occupy three adjacent cells; otherwise blanks are removed first.
/// * Runs of equal operators are merged before triples are looked for.
/// * A triple is number, operator, number. The scan for triples starts at the edge the tiles move towards, makes one pass,
///   and goes on after each triple; operands stay in reading order.
///
/// ```
/// use tilelab::games::sixty_seven::{Collapse, line::{line_text, parse_line}, reference::collapse};
/// let line = parse_line("5 - 9 - 3").unwrap();
/// assert_eq!(line_text(&collapse(Collapse::preset("original"), &line, true)), "_ _ 5 - 6");
/// ```
#[must_use]
pub fn collapse(rule: Collapse, line: &[Tile], towards_end: bool) -> Vec<Tile> {
    let mut tiles = line.to_vec();
    if !rule.blanks_separate {
        tiles.retain(|tile| !tile.is_blank());
    }
    tiles = merge_runs(rule.runs, tiles);
    tiles = if towards_end { collapse_triples_backward(tiles) } else { collapse_triples_forward(tiles) };
    tiles.retain(|tile| !tile.is_blank());
    let blanks = vec![Tile::Blank; line.len() - tiles.len()];
    if towards_end { [blanks, tiles].concat() } else { [tiles, blanks].concat() }
}

/// Merges each run of m equal operators into m, ⌈m/2⌉ or 1 of them.
fn merge_runs(runs: Runs, tiles: Vec<Tile>) -> Vec<Tile> {
    let mut merged = Vec::new();
    for run in tiles.chunk_by(|a, b| a == b) {
        let left = match (&run[0], runs) {
            (Tile::Operator(_), Runs::Halve) => run.len().div_ceil(2),
            (Tile::Operator(_), Runs::One) => 1,
            _ => run.len(),
        };
        merged.extend_from_slice(&run[..left]);
    }
    merged
}

fn collapse_triples_forward(tiles: Vec<Tile>) -> Vec<Tile> {
    let mut collapsed = Vec::new();
    let mut at = 0;
    while at < tiles.len() {
        if let Some(number) = tiles.get(at..at + 3).and_then(triple) {
            collapsed.push(number);
            at += 3;
        } else {
            collapsed.push(tiles[at].clone());
            at += 1;
        }
    }
    collapsed
}

fn collapse_triples_backward(tiles: Vec<Tile>) -> Vec<Tile> {
    let mut collapsed = Vec::new();
    let mut end = tiles.len();
    while end > 0 {
        if let Some(number) = end.checked_sub(3).and_then(|start| triple(&tiles[start..end])) {
            collapsed.push(number);
            end -= 3;
        } else {
            collapsed.push(tiles[end - 1].clone());
            end -= 1;
        }
    }
    collapsed.reverse();
    collapsed
}

/// The result of number, operator, number; `None` for other tiles.
fn triple(tiles: &[Tile]) -> Option<Tile> {
    let [Tile::Number(first), Tile::Operator(operator), Tile::Number(second)] = tiles else { return None };
    Some(Tile::Number(match operator {
        Operator::Plus => first + second,
        Operator::Minus => first - second,
        Operator::Times => first * second,
    }))
}

/// A board with true big integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    rows: usize,
    cols: usize,
    tiles: Vec<Tile>,
}

impl Board {
    /// A blank board.
    #[must_use]
    pub fn blank(rows: usize, cols: usize) -> Self {
        Self { rows, cols, tiles: vec![Tile::Blank; rows * cols] }
    }

    /// Rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// The tiles in reading order.
    #[must_use]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Puts a tile on a cell, numbered in reading order.
    pub fn put(&mut self, cell: usize, tile: Tile) {
        self.tiles[cell] = tile;
    }

    /// The board after all lines along the axis of `direction` were collapsed towards it.
    #[must_use]
    pub fn moved(&self, rule: Collapse, direction: Direction) -> Self {
        let mut after = self.clone();
        let lines = if direction.along_rows() { self.rows } else { self.cols };
        for line in 0..lines {
            let cells: Vec<usize> = if direction.along_rows() {
                (0..self.cols).map(|col| line * self.cols + col).collect()
            } else {
                (0..self.rows).map(|row| row * self.cols + line).collect()
            };
            let before: Vec<Tile> = cells.iter().map(|&cell| self.tiles[cell].clone()).collect();
            for (cell, tile) in cells.into_iter().zip(collapse(rule, &before, direction.towards_end())) {
                after.tiles[cell] = tile;
            }
        }
        after
    }

    /// The directions in which a move would change the board, in the order of [`Direction::ALL`].
    pub fn legal(&self, rule: Collapse) -> impl Iterator<Item = Direction> + '_ {
        Direction::ALL.into_iter().filter(move |&direction| self.moved(rule, direction) != *self)
    }

    /// Whether a tile is this number.
    #[must_use]
    pub fn shows(&self, number: &BigInt) -> bool {
        self.tiles.iter().any(|tile| matches!(tile, Tile::Number(value) if value == number))
    }

    /// Whether a number lies outside `[-limit, limit]`.
    #[must_use]
    pub fn exceeds(&self, limit: i64) -> bool {
        let limit = BigInt::from(limit).magnitude().clone();
        self.tiles.iter().any(|tile| matches!(tile, Tile::Number(value) if *value.magnitude() > limit))
    }

    /// The board as rows of tile texts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |tiles: &[Tile]| tiles.iter().map(|tile| Value::String(tile.to_string())).collect();
        Value::Array(self.tiles.chunks(self.cols).map(row).map(Value::Array).collect())
    }

    /// Reads a board from rows of tile texts.
    ///
    /// # Errors
    /// Says which row or tile is wrong and what would be right.
    pub fn from_json(board: &Value) -> Result<Self, String> {
        let shape =
            "a board is a list of rows, each a list of tile texts such as [[\"1\",\"+\",\"_\"],[\"2\",\"_\",\"3\"]]";
        let rows = board.as_array().ok_or_else(|| format!("board: {shape}"))?;
        let rows: Vec<&Vec<Value>> =
            rows.iter().map(|row| row.as_array().ok_or_else(|| format!("board: {shape}"))).collect::<Result<_, _>>()?;
        let cols = rows.first().map_or(0, |row| row.len());
        if !(1..=SIDE_MAX).contains(&rows.len()) || !(1..=SIDE_MAX).contains(&cols) {
            return Err(format!("board: {} × {cols} cells; 1 to {SIDE_MAX} rows and columns are accepted", rows.len()));
        }
        let mut tiles = Vec::with_capacity(rows.len() * cols);
        for (number, row) in rows.iter().enumerate() {
            if row.len() != cols {
                let (row, number) = (row.len(), number + 1);
                return Err(format!(
                    "board: row {number} has {row} tiles where row 1 has {cols}; all rows must be equally long"
                ));
            }
            for (col, tile) in row.iter().enumerate() {
                let place = || format!("board: row {}, column {}: ", number + 1, col + 1);
                let text =
                    tile.as_str().ok_or_else(|| format!("{}{tile} is no text; write tiles as \"7\"", place()))?;
                tiles.push(Tile::parse(text).map_err(|error| place() + &error)?);
            }
        }
        Ok(Self { rows: rows.len(), cols, tiles })
    }
}

/// A position of the reference engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The board.
    pub board: Board,
    /// Rounds begun.
    pub round: u64,
    /// How the game ended, and its move count.
    pub ended: Option<(GameResult, u64)>,
}

impl Game for SixtySeven {
    type State = State;
    type Move = Direction;

    fn start(&self, _world: &mut Stream) -> State {
        State { board: Board::blank(self.rows, self.cols), round: 0, ended: None }
    }

    fn deal(&self, state: &mut State, world: &mut Stream) {
        state.round += 1;
        for _ in 0..self.words_per_round() {
            let mut draw = Draw::next(world);
            let blanks: Vec<usize> = (0..self.cells()).filter(|&cell| state.board.tiles[cell].is_blank()).collect();
            if blanks.is_empty() {
                continue;
            }
            let cell = blanks[draw.below(blanks.len() as u64) as usize];
            let j = draw.below((self.digits.len() * self.operators.len()) as u64) as usize;
            let tile = if draw.chance(self.operator_rate) {
                Tile::Operator(self.operators[j / self.digits.len()])
            } else {
                Tile::number(self.digits[j % self.digits.len()])
            };
            state.board.put(cell, tile);
        }
        if state.board.legal(self.collapse).next().is_none() {
            state.ended = Some((GameResult::Lost, state.round));
        }
    }

    fn legal(&self, state: &State, moves: &mut Vec<Direction>) {
        moves.extend(state.board.legal(self.collapse));
    }

    fn play(&self, state: &mut State, chosen: Direction) {
        state.board = state.board.moved(self.collapse, chosen);
        if state.board.shows(&BigInt::from(self.target)) {
            state.ended = Some((GameResult::Won, state.round));
        } else if self.value_limit.is_some_and(|limit| state.board.exceeds(limit)) {
            state.ended = Some((GameResult::Lost, state.round));
        } else if self.max_rounds.is_some_and(|rounds| state.round >= rounds) {
            state.ended = Some((GameResult::Lost, state.round + 1));
        }
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.ended.map(|(result, moves)| Outcome::new(result, moves))
    }
}

impl Describe for SixtySeven {
    fn describe(&self, turn: &Turn<'_, Self>) -> Value {
        let (before, dealt) = (&turn.before.board, &turn.dealt.board);
        let spawned: Vec<Value> = (0..self.cells())
            .filter(|&cell| before.tiles[cell] != dealt.tiles[cell])
            .map(
                |cell| json!({"row": cell / self.cols, "col": cell % self.cols, "tile": dealt.tiles[cell].to_string()}),
            )
            .collect();
        json!({
            "round": turn.dealt.round,
            "spawned": spawned,
            "board": dealt.to_json(),
            "legal": turn.legal.iter().map(|direction| direction.name()).collect::<Vec<_>>(),
            "move": turn.played.map(|(direction, _)| direction.name()),
            "after": turn.played.map(|(_, after)| after.board.to_json()),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    fn position(&self, state: &State) -> Value {
        json!({"board": state.board.to_json(), "round": state.round})
    }

    fn parse(&self, position: &Value) -> Result<State, String> {
        let board = Board::from_json(&position["board"])?;
        if (board.rows, board.cols) != (self.rows, self.cols) {
            return Err(format!(
                "board: {} × {} cells where {} × {} are played",
                board.rows, board.cols, self.rows, self.cols
            ));
        }
        let round = position["round"].as_u64().ok_or("round: the number of rounds begun is missing")?;
        Ok(State { board, round, ended: None })
    }

    fn look(&self, state: &State) -> Look {
        look::look(self, state)
    }

    fn made(&self, before: &State, chosen: Direction, _after: &State) -> Vec<(usize, usize)> {
        look::made(self, &before.board, chosen)
    }

    fn start_on(&self, board: &[Vec<String>]) -> Result<State, String> {
        look::start_on(self, board)
    }

    fn how_to_play(&self) -> String {
        look::rules(self)
    }

    fn goal(&self) -> String {
        format!("make {}", self.target)
    }

    fn why_over(&self, state: &State) -> String {
        look::why_over(self, state)
    }
}

/// Answers one line of `tilelab move --game sixty-seven`: `{"board":[["1","+","_"],…],"move":"left"}`.
///
/// # Errors
/// Says in one line what is wrong with the request.
pub fn answer(game: &SixtySeven, request: &Value) -> Result<Value, String> {
    let fields = request.as_object().ok_or("a request is an object with \"board\" and, if wanted, \"move\"")?;
    if let Some(unknown) = fields.keys().find(|key| !["board", "move"].contains(&key.as_str())) {
        return Err(format!("{unknown}: unknown key; accepted: board, move"));
    }
    let board = Board::from_json(fields.get("board").ok_or("board: missing")?)?;
    let target = BigInt::from(game.target);
    let legal: Vec<&str> = board.legal(game.collapse).map(Direction::name).collect();
    let Some(named) = fields.get("move") else {
        return Ok(json!({"legal": legal, "won": board.shows(&target)}));
    };
    let direction = named.as_str().and_then(Direction::from_name);
    let direction =
        direction.ok_or_else(|| format!("move: {named} is no direction; accepted: up, down, left, right"))?;
    let after = board.moved(game.collapse, direction);
    Ok(json!({"legal": legal, "board": after.to_json(), "changed": after != board, "won": after.shows(&target)}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::line::{line_text, parse_line};

    fn check(rules: &str, towards_end: bool, line: &str, expected: &str) {
        let collapsed = collapse(Collapse::preset(rules), &parse_line(line).unwrap(), towards_end);
        assert_eq!(line_text(&collapsed), expected, "{rules}: {line}, towards end: {towards_end}");
    }

    #[test]
    fn lines_of_the_rules() {
        check("original", false, "1 + 2 + 3", "3 + 3 _ _");
        check("original", true, "5 - 9 - 3", "_ _ 5 - 6");
        check("original", true, "5 - 4", "_ _ 1");
        check("original", false, "8 + _ 0", "8 + 0 _");
        for rules in ["gapless", "merge-pairs", "merge-runs", "bounded"] {
            check(rules, false, "8 + _ 0", "8 _ _ _");
        }
        check("original", false, "1 + 2 3", "3 3 _ _");
        check("merge-runs", false, "+ + + +", "+ _ _ _");
        check("merge-pairs", false, "+ + + +", "+ + _ _");
        check("gapless", false, "+ + + +", "+ + + +");
        check("merge-pairs", false, "1 + + 2", "3 _ _ _");
        check("merge-runs", false, "1 + + + 2", "3 _ _ _ _");
    }
}
