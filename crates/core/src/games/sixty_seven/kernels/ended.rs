//! How games end, and what a kernel reports about ended games.

pub use crate::game::stepping::End;
use crate::game::{GameResult, Outcome};
use crate::games::sixty_seven::lanes::{LANES, LaneMoves};
use crate::games::sixty_seven::packed::PackedBoard;

/// The position from which a game is continued after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The place of the game's board in the list of boards.
    pub board: usize,
    /// The number of the streams that the game draws from.
    pub stream: u64,
    /// Rounds begun before.
    pub rounds: u64,
}

/// The boards that games begin on and where they stand; `None` for whole games.
pub(super) type Starts<'a> = Option<(&'a [PackedBoard], &'a [Start])>;

/// An ended game or playout.
pub struct Ended<'a> {
    /// The index of the game; for one continued from a [`Start`], the index of that start.
    pub game: u64,
    /// Why the game ended.
    pub end: End,
    /// Rounds begun; for a playout, since its start; for a game that goes on, with those before.
    pub rounds: u64,
    /// The operators and the digits that appeared, where the rules have them counted.
    pub spawned: Option<[u64; 2]>,
    pub(super) board: &'a dyn Fn() -> PackedBoard,
}

impl Ended<'_> {
    /// The outcome by the rules, for a whole game.
    pub fn outcome(&self) -> Outcome {
        let (result, moves) = match self.end {
            End::Won => (GameResult::Won, self.rounds),
            // No move was made in the last round.
            End::Blocked => (GameResult::Lost, self.rounds - 1),
            End::Exceeded | End::OutOfRounds => (GameResult::Lost, self.rounds),
        };
        let mut outcome = Outcome::new(result, moves);
        outcome.spawned = self.spawned;
        outcome
    }

    /// The last board.
    pub fn board(&self) -> PackedBoard {
        (self.board)()
    }
}

/// An ended trajectory with all its value lanes.
pub struct EndedLanes<'a> {
    /// The index of the trajectory.
    pub trajectory: u64,
    /// Why the trajectory ended: [`End::Won`] only when every lane had won.
    pub end: End,
    /// Rounds begun.
    pub rounds: u64,
    /// Bit l is set when lane l has won.
    pub(super) won: u32,
    /// The round in which each of these won.
    pub(super) rounds_won: &'a [u64; LANES],
}

impl EndedLanes<'_> {
    /// The move counts of the lanes that won, and of those that lost.
    pub fn moves(&self) -> LaneMoves {
        let rounds = |lane| (self.won >> lane & 1 == 1).then_some(self.rounds_won[lane]);
        let lost = if self.end == End::Blocked {
            self.rounds - 1
        } else {
            self.rounds
        };
        LaneMoves {
            won: std::array::from_fn(rounds),
            lost,
        }
    }
}
