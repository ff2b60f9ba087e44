//! The reference engine of 67!: simple code with numbers of any size that follows the rules as
//! closely as possible.
//!
//! Every fast engine is tested against this one.

use super::line::Tile;
use super::number::Number;
use super::{Direction, Operator, SixtySeven};
use crate::game::spawned;
use crate::game::stepping::{End, Steppable, kind};
use crate::game::{Game, GameResult, Level, Outcome, PositionError, Positions, Tiles};
use crate::games::direction::board_and_move;
use crate::json::{Json, json};
use crate::rng::{Draw, Stream};

pub use super::board::{TileBoard, collapse};

/// A position of the reference engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The board.
    pub board: TileBoard,
    /// Rounds begun.
    pub round: u64,
    /// How the game ended, and the moves made.
    pub ended: Option<(GameResult, u64)>,
    /// The operators and the digits that appeared, where they are counted.
    pub spawned: [u64; 2],
}

impl Game for SixtySeven {
    type State = State;
    type Move = Direction;

    const LEVEL: Option<Level<Self>> = Some(|_, state| state.board.largest());

    fn start(&self, _world: &mut Stream) -> State {
        State {
            board: match &self.start {
                Some(board) => board.clone(),
                None => TileBoard::blank(self.rows, self.cols),
            },
            round: 0,
            ended: None,
            spawned: [0; 2],
        }
    }

    fn deal(&self, state: &mut State, world: &mut Stream) {
        state.round += 1;
        for _ in 0..self.words_per_round() {
            let Some((cell, tile)) = self.new_tile(&state.board, Draw::next(world)) else {
                continue;
            };
            self.put(state, cell, tile);
        }
        self.check_stuck(state);
    }

    fn chances(&self, state: &State) -> Option<Vec<(f64, State)>> {
        let mut begun = state.clone();
        begun.round += 1;
        let mut dealt = vec![(1.0, begun)];
        let tiles = self.new_tiles();
        for _ in 0..self.words_per_round() {
            let blanks = |state: &State| state.board.blanks().collect();
            dealt = spawned(&dealt, &tiles, blanks, |state, cell, tile| {
                self.put(state, cell, tile.clone());
            });
        }
        for (_, state) in &mut dealt {
            self.check_stuck(state);
        }
        Some(dealt)
    }

    fn legal(&self, state: &State, moves: &mut Vec<Direction>) {
        moves.extend(state.board.legal(self.collapse));
    }

    fn play(&self, state: &mut State, chosen: Direction) {
        state.board.slide(self.collapse, chosen);
        state.ended = self.ended_by(&state.board, state.round);
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.ended.map(|(result, moves)| Outcome {
            spawned: self.counted.then_some(state.spawned),
            ..Outcome::new(result, moves)
        })
    }
}

impl SixtySeven {
    fn put(&self, state: &mut State, cell: usize, tile: Tile) {
        state.spawned[usize::from(!matches!(tile, Tile::Operator(_)))] += u64::from(self.counted);
        state.board.put(cell, tile);
    }

    fn check_stuck(&self, state: &mut State) {
        if state.board.legal(self.collapse).next().is_none() {
            // No move was made in this round.
            state.ended = Some((GameResult::Lost, state.round - 1));
        }
    }

    /// The tiles that a word makes appear, with their probabilities.
    pub fn new_tiles(&self) -> Vec<(Tile, f64)> {
        let rate = self.operator_rate.share();
        let total = self.operators.total() as f64;
        let operators =
            self.operators.entries().iter().map(|(operator, weight)| {
                (Tile::Operator(*operator), rate * *weight as f64 / total)
            });
        let total = self.numbers.total() as f64;
        let numbers = self.numbers.entries().iter();
        let numbers = numbers
            .map(|(number, weight)| (Tile::number(*number), (1.0 - rate) * *weight as f64 / total));
        operators.chain(numbers).collect()
    }

    /// The tile that a word of the world stream makes appear, and its cell; `None` if no cell is
    /// blank.
    pub(super) fn new_tile(&self, board: &TileBoard, mut word: Draw) -> Option<(usize, Tile)> {
        let blanks = board.blanks().count();
        if blanks == 0 {
            return None;
        }
        let cell = board.blanks().nth(word.below(blanks as u64) as usize)?;
        let numbers = self.numbers.total();
        let j = word.below(numbers * self.operators.total());
        let tile = if word.chance(self.operator_rate) {
            let place = self.operators.place(j / numbers);
            Tile::Operator(*self.operators.at(place))
        } else {
            Tile::number(*self.numbers.at(self.numbers.place(j % numbers)))
        };
        Some((cell, tile))
    }

    /// How the game is over that shows this board in this round, if it is not told otherwise. A
    /// board after a move has a blank and a tile, so that there is a legal direction.
    fn ended(&self, board: &TileBoard, round: u64) -> Option<(GameResult, u64)> {
        if board.tiles().iter().all(Tile::is_blank) {
            None
        } else if board.legal(self.collapse).next().is_none() {
            Some((GameResult::Lost, round.saturating_sub(1)))
        } else {
            self.ended_by(board, round)
        }
    }

    /// How the game is over after the move of this round.
    fn ended_by(&self, board: &TileBoard, round: u64) -> Option<(GameResult, u64)> {
        if self.is_won(board) {
            Some((GameResult::Won, round))
        } else if self.value_limit.is_some_and(|limit| board.exceeds(limit))
            || self.max_rounds.is_some_and(|rounds| round >= rounds)
        {
            Some((GameResult::Lost, round))
        } else {
            None
        }
    }

    /// The state of a game that begins on a board, after its deal.
    fn begun_on(&self, board: TileBoard) -> Result<State, PositionError> {
        if board.tiles().iter().all(Tile::is_blank) {
            return Err("board: only blanks; at least one tile is needed".into());
        }
        let ended = self.ended_by(&board, 0).or_else(|| {
            let is_stuck = board.legal(self.collapse).next().is_none();
            is_stuck.then_some((GameResult::Lost, 0))
        });
        Ok(State {
            board,
            round: 1,
            ended,
            spawned: [0; 2],
        })
    }
}

impl Positions for SixtySeven {
    const HAS_BOARDS: bool = true;

    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    fn read(&self, state: &State, kinds: &mut [u8], numbers: &mut [f64]) {
        for (cell, tile) in state.board.tiles().iter().enumerate() {
            (kinds[cell], numbers[cell]) = match tile {
                Tile::Blank => (kind::BLANK, 0.0),
                Tile::Number(number) => (kind::NUMBER, number.to_f64()),
                Tile::Operator(operator) => (kind::PLUS + *operator as u8, 0.0),
            };
        }
    }

    fn on_board(&self, (kinds, numbers): Tiles<'_>) -> Result<State, PositionError> {
        let mut board = TileBoard::blank(self.rows, self.cols);
        for (cell, (&kind, &number)) in kinds.iter().zip(numbers).enumerate() {
            let tile = match kind {
                kind::BLANK => Tile::Blank,
                kind::NUMBER => {
                    let finite = number.clamp(f64::MIN, f64::MAX);
                    Tile::Number(Number::from_f64(finite).expect("a whole number"))
                }
                operator => Tile::Operator(Operator::ALL[usize::from(operator - kind::PLUS)]),
            };
            board.put(cell, tile);
        }
        self.begun_on(board)
    }

    fn position(&self, state: &State) -> Json {
        let mut position = json!({"board": state.board, "round": state.round});
        if state.ended != self.ended(&state.board, state.round) {
            position["outcome"] = json!(state.ended.map(|(result, _)| result));
            position["moves"] = json!(state.ended.map(|(_, moves)| moves));
        }
        if self.counted {
            position["spawned"] = json!(state.spawned);
        }
        position
    }

    fn parse(&self, position: &Json) -> Result<State, PositionError> {
        let board = TileBoard::from_json(&position["board"])?;
        board.check_shape(self.shape())?;
        let Some(round) = position.get("round") else {
            return self.begun_on(board);
        };
        let count = |name: &str, count: &Json| {
            let number = count.as_u64();
            number.ok_or_else(|| format!("{name}: {count}; a whole number from 0 up is needed"))
        };
        let round = count("round", round)?;
        let ended = match position.get("outcome") {
            None => self.ended(&board, round),
            Some(outcome) => {
                let result: Option<GameResult> = serde_json::from_value(outcome.clone())
                    .map_err(|_| format!("outcome: {outcome}; accepted: won, lost, null"))?;
                let moves = |result| Ok((result, count("moves", &position["moves"])?));
                result
                    .map(moves)
                    .transpose()
                    .map_err(|error: String| error)?
            }
        };
        let mut spawned = [0; 2];
        if self.counted {
            for (place, spawned) in spawned.iter_mut().enumerate() {
                *spawned = count("spawned", &position["spawned"][place])?;
            }
        }
        Ok(State {
            board,
            round,
            ended,
            spawned,
        })
    }
}

impl Steppable for SixtySeven {
    fn all_moves(&self) -> Vec<(Direction, String)> {
        Direction::named()
    }

    fn end(&self, state: &State) -> End {
        let (result, moves) = state.ended.expect("the game is over");
        if result == GameResult::Won {
            End::Won
        } else if self
            .value_limit
            .is_some_and(|limit| state.board.exceeds(limit))
        {
            End::Exceeded
        } else if moves < state.round {
            End::Blocked
        } else {
            End::OutOfRounds
        }
    }
}

/// Answers one line of `tilelab move --game sixty-seven`:
/// `{"board":[["1","+","_"],…],"move":"left"}`.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn answer(game: &SixtySeven, request: &Json) -> Result<Json, String> {
    let (board, direction) = board_and_move(request)?;
    let board = TileBoard::from_json(board)?;
    let legal: Vec<Direction> = board.legal(game.collapse).collect();
    let Some(direction) = direction else {
        return Ok(json!({"legal": legal, "won": game.is_won(&board)}));
    };
    let after = board.moved(game.collapse, direction);
    Ok(
        json!({"legal": legal, "board": after, "changed": after != board, "won": game.is_won(&after)}),
    )
}
