//! What `tilelab learn` drives: a [`Learner`] plays games of one cell's rules and learns from them
//! how good a board is.
//!
//! A training is a number of games, played in order by one thread from one seed: the same seed,
//! rules and number of games learn the same weights. Cells are independent, so several are learned
//! side by side.

use crate::params::{ParamError, Params};
use std::io::{Read, Result, Write};
use std::ops::{AddAssign, Range};

/// What the games of a stretch came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Games played.
    pub games: u64,
    /// Moves made in them.
    pub moves: u64,
    /// Games won.
    pub wins: u64,
    /// The sum of their scores; 0 in games without one.
    pub score: f64,
}

impl AddAssign for Stretch {
    fn add_assign(&mut self, further: Self) {
        self.games += further.games;
        self.moves += further.moves;
        self.wins += further.wins;
        self.score += further.score;
    }
}

/// Learns an evaluation for one cell's rules.
pub trait Learner: Send {
    /// Plays the games with these numbers of a training of `of` games, in order, and learns from
    /// them. Rates of learning may fall with the share of the training that is done.
    ///
    /// What is learned may not depend on how the games are cut into calls: `tilelab learn` asks for
    /// one game at a time. When a finished training goes on, `of` is larger than before.
    fn play(&mut self, games: Range<u64>, of: u64) -> Stretch;

    /// Plays games with these numbers as a player without exploration or learning, to tell how far
    /// learning has come; further learning is as if they had not been played. `tilelab learn` asks
    /// for one game at a time, so that scores have a standard error.
    fn test(&mut self, games: Range<u64>) -> Stretch;

    /// Writes all that going on needs.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_state(&self, out: &mut dyn Write) -> Result<()>;

    /// Reads what [`Learner::write_state`] wrote, into a learner of the same rules.
    ///
    /// # Errors
    /// Those of the reader, and `InvalidData` where it was not written by such a learner.
    fn read_state(&mut self, from: &mut dyn Read) -> Result<()>;

    /// The weights as players take them: the bytes that a file of weights holds for these rules.
    fn weights(&self) -> Vec<u8>;
}

/// Makes the learner for a cell's rules, from its game's completed parameters and a seed.
///
/// # Errors
/// Names the parameter under which nothing can be learned.
pub type MakeLearner = fn(&Params, u64) -> std::result::Result<Box<dyn Learner>, ParamError>;
