//! The reference engine of 2048: simple code for boards of any size that follows the rules as
//! closely as possible.
//!
//! Every fast engine is tested against this file.

use super::board::NumberBoard;
use super::{MEASURES, START_TOTAL_MAX, TwentyFortyEight};
use crate::game::boards::kind;
use crate::game::{Game, Level, Measure, Outcome, PositionError, Positions, Tiles, spawned};
use crate::games::direction::{Direction, board_and_move};
use crate::json::{Json, json};
use crate::rng::{Draw, Stream};

/// A position with what has been counted so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The board.
    pub board: NumberBoard,
    /// The sum of the tiles that merges made.
    pub merge_score: u64,
    /// Swipes so far.
    pub moves: u64,
    /// Tiles to be spawned before the next swipe: two at the start, one after a swipe.
    pub spawns_due: u8,
    /// Whether the game is over.
    pub ended: bool,
}

impl State {
    /// The beginning of a game on this board.
    pub fn on(board: NumberBoard) -> Self {
        let ended = board.is_stuck();
        Self {
            board,
            merge_score: 0,
            moves: 0,
            spawns_due: 0,
            ended,
        }
    }
}

impl TwentyFortyEight {
    /// The numbers of new tiles, with their probabilities.
    pub fn new_tiles(&self) -> [(u64, f64); 2] {
        let four_rate = self.four_rate.share();
        [(2, 1.0 - four_rate), (4, four_rate)]
    }

    /// Puts a new tile on a blank cell; draws one word.
    fn spawn(&self, board: &mut NumberBoard, world: &mut Stream) {
        let mut draw = Draw::next(world);
        let blanks = board.blanks().count() as u64;
        let cell = board.blanks().nth(draw.below(blanks) as usize);
        if let Some(cell) = cell {
            board.put(cell, if draw.chance(self.four_rate) { 4 } else { 2 });
        }
    }
}

impl Game for TwentyFortyEight {
    type State = State;
    type Move = Direction;

    const MEASURES: &'static [Measure] = MEASURES;

    const LEVEL: Option<Level<Self>> = Some(|_, state| state.board.points());

    fn start(&self, _world: &mut Stream) -> State {
        match &self.start {
            Some(board) => State::on(board.clone()),
            None => State {
                spawns_due: 2,
                ended: false,
                ..State::on(NumberBoard::blank(self.rows, self.cols))
            },
        }
    }

    fn deal(&self, state: &mut State, world: &mut Stream) {
        for _ in 0..std::mem::take(&mut state.spawns_due) {
            self.spawn(&mut state.board, world);
        }
        state.ended = state.board.is_stuck();
    }

    fn chances(&self, state: &State) -> Option<Vec<(f64, State)>> {
        let mut begun = state.clone();
        begun.spawns_due = 0;
        let mut dealt = vec![(1.0, begun)];
        for _ in 0..state.spawns_due {
            let blanks = |state: &State| state.board.blanks().collect();
            dealt = spawned(&dealt, &self.new_tiles(), blanks, |state, cell, &tile| {
                state.board.put(cell, tile);
            });
        }
        for (_, state) in &mut dealt {
            state.ended = state.board.is_stuck();
        }
        Some(dealt)
    }

    fn legal(&self, state: &State, moves: &mut Vec<Direction>) {
        moves.extend(state.board.legal());
    }

    fn play(&self, state: &mut State, chosen: Direction) {
        state.merge_score += state.board.slide(chosen).expect("the swipe is legal");
        state.moves += 1;
        state.spawns_due = 1;
        state.ended = self.max_moves.is_some_and(|moves| state.moves >= moves);
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        let board = &state.board;
        state.ended.then(|| {
            self.finished(
                state.moves,
                board.points(),
                state.merge_score,
                board.largest(),
            )
        })
    }
}

impl TwentyFortyEight {
    /// The state of a game that goes on from a board.
    fn begun_on(
        &self,
        board: NumberBoard,
        merge_score: u64,
        moves: u64,
        spawns_due: u8,
    ) -> Result<State, PositionError> {
        let total = board.points();
        if total == 0 && spawns_due == 0 {
            return Err("board: only blanks; at least one number is needed".into());
        }
        if total > START_TOTAL_MAX.saturating_add(moves.saturating_mul(4)) {
            let most = START_TOTAL_MAX;
            let message =
                format!("board: the numbers sum to {total}; accepted: a sum up to {most}");
            return Err(message.into());
        }
        let stopped = self.max_moves.is_some_and(|limit| moves >= limit);
        let ended = stopped || (spawns_due == 0 && board.is_stuck());
        Ok(State {
            board,
            merge_score,
            moves,
            spawns_due,
            ended,
        })
    }
}

impl Positions for TwentyFortyEight {
    const HAS_BOARDS: bool = true;

    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    fn read(&self, state: &State, kinds: &mut [u8], numbers: &mut [f64]) {
        read(state.board.tiles().iter().copied(), kinds, numbers);
    }

    fn on_board(&self, (_, numbers): Tiles<'_>) -> Result<State, PositionError> {
        let mut board = NumberBoard::blank(self.rows, self.cols);
        for (cell, &number) in numbers.iter().enumerate() {
            if !(0.0..=START_TOTAL_MAX as f64).contains(&number) || number.fract() != 0.0 {
                let message = format!(
                    "board: {number} is not a tile; write whole numbers from 0 (blank) to {START_TOTAL_MAX}"
                );
                return Err(message.into());
            }
            board.put(cell, number as u64);
        }
        self.begun_on(board, 0, 0, 0)
    }

    fn position(&self, state: &State) -> Json {
        json!({
            "board": state.board,
            "merge_score": state.merge_score,
            "moves": state.moves,
            "spawns_due": state.spawns_due,
        })
    }

    fn parse(&self, position: &Json) -> Result<State, PositionError> {
        let board = NumberBoard::from_json(&position["board"])?;
        board.check_shape(self.shape())?;
        let count = |name: &str| {
            let count = position.get(name).map_or(Some(0), Json::as_u64);
            count.ok_or_else(|| format!("{name}: a whole number from 0 up is needed"))
        };
        let merge_score = count("merge_score")?;
        let moves = count("moves")?;
        let spawns_due = count("spawns_due")?;
        if spawns_due > 2 {
            return Err(
                format!("spawns_due: {spawns_due} is not accepted; accepted: 0, 1, 2").into(),
            );
        }
        self.begun_on(board, merge_score, moves, spawns_due as u8)
    }
}

/// Writes a board as arrays.
pub(super) fn read(tiles: impl Iterator<Item = u64>, kinds: &mut [u8], numbers: &mut [f64]) {
    for (cell, tile) in tiles.enumerate() {
        kinds[cell] = if tile == 0 { kind::BLANK } else { kind::NUMBER };
        numbers[cell] = tile as f64;
    }
}

/// Answers one line of `tilelab move --game twenty-forty-eight`:
/// `{"board":[[2,0,0,2],…],"move":"left"}`.
///
/// `legal` are the legal swipes of the board that was sent; the answered board is the one after the
/// swipe, before a spawn. A board of any size is answered.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn answer(request: &Json) -> Result<Json, String> {
    let (board, direction) = board_and_move(request)?;
    let mut board = NumberBoard::from_json(board)?;
    let legal: Vec<Direction> = board.legal().collect();
    let Some(direction) = direction else {
        return Ok(json!({"legal": legal}));
    };
    let score = board.slide(direction);
    Ok(
        json!({"board": board, "changed": score.is_some(), "score": score.unwrap_or(0), "legal": legal}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use crate::game::play_game;
    use crate::games::twenty_forty_eight::PARAMS;
    use crate::params::Params;
    use crate::players::random::Random;
    use crate::rng::{CellSeeds, Probability};

    fn default_game() -> TwentyFortyEight {
        TwentyFortyEight::from_params(&Params::defaults(PARAMS))
    }

    fn play(game: &TwentyFortyEight, index: u64) -> Outcome {
        let seeds = CellSeeds::new(2048, "world", "player");
        play_game(
            game,
            &mut Random,
            seeds.world_stream(index),
            seeds.player_stream(index),
            &mut Vec::new(),
            None,
        )
        .0
    }

    #[test]
    fn merge_score_is_what_the_tiles_tell() {
        // A tile 2^e made of twos alone has earned (e - 1)·2^e; every spawned 4 saves 4.
        let game = TwentyFortyEight {
            four_rate: Probability::new(0.0),
            max_moves: None,
            ..default_game()
        };
        let seeds = CellSeeds::new(1, "world", "player");
        let mut seen = None;
        let (outcome, _) = play_game(
            &game,
            &mut Random,
            seeds.world_stream(0),
            seeds.player_stream(0),
            &mut Vec::new(),
            Some(&mut |turn| seen = Some(turn.dealt.clone())),
        );
        let board = seen.unwrap().board;
        let earned: u64 = board
            .tiles()
            .iter()
            .map(|&tile| tile * u64::from(tile.ilog2() - 1))
            .sum();
        assert_eq!(outcome.measures[1], earned as i64);
        assert_eq!(
            outcome.measures[0],
            2 * (outcome.moves as i64 + 2),
            "each spawn adds 2"
        );
    }

    #[test]
    fn the_smallest_boards_end_at_once() {
        let game = TwentyFortyEight {
            rows: 1,
            cols: 1,
            ..default_game()
        };
        let outcome = play(&game, 0);
        assert_eq!((outcome.moves, outcome.measures[1]), (0, 0));
        assert!([2, 4].contains(&outcome.measures[0]), "one tile, not none");
    }

    #[test]
    fn the_goal_and_the_move_limit() {
        let game = TwentyFortyEight {
            goal: 4,
            max_moves: Some(3),
            ..default_game()
        };
        let long = TwentyFortyEight {
            goal: 1 << 20,
            ..default_game()
        };
        for index in 0..50 {
            let outcome = play(&game, index);
            assert_eq!(outcome.moves, 3);
            assert_eq!(outcome.result == GameResult::Won, outcome.measures[2] >= 4);
            assert_eq!(play(&long, index).result, GameResult::Lost);
        }
    }

    #[test]
    fn odd_numbers_on_a_start_board() {
        let start = NumberBoard::parse("3,3,3,3/5,5,5,5/0,0,0,0/7,0,0,7").unwrap();
        let game = TwentyFortyEight {
            start: Some(start),
            max_moves: Some(1),
            ..default_game()
        };
        let seeds = CellSeeds::new(1, "world", "player");
        let state = game.start(&mut seeds.world_stream(0));
        assert_eq!(state.spawns_due, 0);
        let mut after = state.clone();
        game.play(&mut after, Direction::Left);
        assert_eq!(
            after.board.to_string(),
            "6,6,0,0/10,10,0,0/0,0,0,0/14,0,0,0"
        );
        assert_eq!(after.merge_score, 46);
        let outcome = game.outcome(&after).unwrap();
        assert_eq!(&outcome.measures[..3], [46, 46, 14]);
    }
}
