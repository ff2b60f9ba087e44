//! What can go wrong with learning.

use std::io;
use std::path::PathBuf;
use tilelab_games::params::ParamError;
use tilelab_lab::results;
use tilelab_lab::weights;

/// Why nothing was learned, or not all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The game has no evaluation that can be learned.
    #[error("{game}: has no evaluation that can be learned; accepted: {}", accepted.join(", "))]
    NoLearner {
        /// The game.
        game: &'static str,
        /// The games that have one.
        accepted: Vec<&'static str>,
    },
    /// Nothing can be learned for these rules.
    #[error("{set}: {error}")]
    Rules {
        /// Game and rules.
        set: String,
        /// The parameter that is in the way.
        error: ParamError,
    },
    /// The file of weights to start from cannot be used.
    #[error("--from: {0}")]
    Weights(#[from] weights::Error),
    /// The file of weights has none, or several, that could be started from.
    #[error("--from {}: has {count} sets of weights of this game, and none for the rules of {set}; accepted: one for these rules, or a single one of the game", path.display())]
    From {
        /// The file.
        path: PathBuf,
        /// Game and rules.
        set: String,
        /// Sets of the same game in the file.
        count: usize,
    },
    /// tilelab comes with no weights of the game.
    #[error("--from built-in: {0} has no built-in weights; accepted: a file of weights")]
    NoBuiltIn(&'static str),
    /// A file cannot be written, as was found before anything was learned.
    #[error("{}: cannot be written: {error}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The output is a device, a FIFO or standard output.
    #[error("{}: is not a regular file; a training is saved beside its weights", .0.display())]
    Special(PathBuf),
    /// The output is a file of another kind.
    #[error("{}: already exists and is not a file of weights", .0.display())]
    Occupied(PathBuf),
    /// A file that the training writes beside the output is there already.
    #[error("{}: already exists and was not written by a training; curve and plot are written beside the weights", .0.display())]
    Beside(PathBuf),
    /// The output would be replaced by weights learned from the start.
    #[error("{}: already exists, and the training that wrote it is not saved in the folder beside it", .0.display())]
    Lost(PathBuf),
    /// The folder of the states cannot be held.
    #[error(transparent)]
    Folder(#[from] results::Error),
    /// A state cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The state.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A state is incomplete, has been changed, or is something else.
    #[error("{}: the saved training is damaged: {reason}", path.display())]
    Damaged {
        /// The state.
        path: PathBuf,
        /// What is wrong with the state.
        reason: String,
    },
    /// A state is of another version or training.
    #[error("{}: saved by another training ({difference})", path.display())]
    OtherTraining {
        /// The state.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// More games were learned than are asked for.
    #[error("{set}: {games} games are learned already, and cannot be taken back to {wanted}")]
    Fewer {
        /// Game and rules.
        set: String,
        /// Games learned.
        games: u64,
        /// Games asked for.
        wanted: u64,
    },
    /// The system refuses the threads.
    #[error("{threads} threads could not be started: {error}")]
    Threads {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        error: io::Error,
    },
    /// A file cannot be written after something was learned.
    #[error("{}: cannot be written: {error}; what was saved before is kept", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A learner failed.
    #[error("{set}: failed: {reason}")]
    Failed {
        /// Game and rules.
        set: String,
        /// What went wrong.
        reason: String,
    },
}

impl Error {
    /// Whether the caller's input is wrong, rather than something failing on the way. Nothing has
    /// been learned then.
    pub const fn is_wrong_input(&self) -> bool {
        match self {
            Self::Folder(error) => error.is_wrong_input(),
            _ => !matches!(
                self,
                Self::Threads { .. } | Self::Write { .. } | Self::Failed { .. }
            ),
        }
    }
}
