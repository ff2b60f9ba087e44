//! Training for `tilelab learn`: a [`Learner`] plays games of one cell's rules and learns an
//! evaluation of boards from them.
//!
//! A training is a number of games, played in order by one thread from one seed: the same seed,
//! rules and number of games give the same weights. Cells are independent, so several are trained
//! in parallel.

use crate::params::{ParamError, Params};
use std::io::{Read, Result, Write};
use std::ops::{AddAssign, Range};

/// The results of a range of games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Games played.
    pub games: u64,
    /// Moves made in the games.
    pub moves: u64,
    /// Games won.
    pub wins: u64,
    /// The sum of the games' scores; 0 in games without one.
    pub score: f64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, further: Self) {
        self.games += further.games;
        self.moves += further.moves;
        self.wins += further.wins;
        self.score += further.score;
    }
}

/// Learns an evaluation for one cell's rules.
pub trait Learner: Send {
    /// Plays the games with these indices of a training of `of` games, in order, and learns from
    /// them. Learning rates may depend on the finished share of the training.
    ///
    /// The result must not depend on how the games are divided into calls: `tilelab learn` requests
    /// one game at a time. When a finished training is continued, `of` is larger than before.
    fn play(&mut self, games: Range<u64>, of: u64) -> Totals;

    /// Plays test games with these indices, without exploration or learning, to measure progress.
    /// It must not affect further learning. `tilelab learn` requests one game at a time, so that
    /// scores have a standard error.
    fn test(&mut self, games: Range<u64>) -> Totals;

    /// The weights that come with the program for the nearest rules, as [`Learner::start_from`]
    /// takes them; `None` where it has none.
    fn built_in(&self) -> Option<Vec<u8>> {
        None
    }

    /// Replaces everything learned by weights that [`Learner::weights`] gave, of these rules or of
    /// others of the same game.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    fn start_from(&mut self, weights: &[u8]) -> std::result::Result<(), String>;

    /// Writes everything needed to continue.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    fn write_state(&self, out: &mut dyn Write) -> Result<()>;

    /// Reads a state written by [`Learner::write_state`] into a learner of the same rules.
    ///
    /// # Errors
    /// Returns the errors of the reader, and `InvalidData` if the state was not written by such a
    /// learner.
    fn read_state(&mut self, from: &mut dyn Read) -> Result<()>;

    /// The weights in the form that players read: the bytes for these rules in a file of weights.
    fn weights(&self) -> Vec<u8>;
}

/// Makes the learner for a cell's rules from the completed parameters of its game and a seed.
///
/// # Errors
/// Returns an error that names the parameter that cannot be trained.
pub type MakeLearner = fn(&Params, u64) -> std::result::Result<Box<dyn Learner>, ParamError>;
