//! The games of tilelab and the catalog of them by name: 67! with its players from
//! [`tilelab_core`], 2048, Offset, Calculator: The Game and the multiplication game with theirs. It
//! knows neither files nor experiments.
//!
//! [`GameEntry::job`] builds a job from a game of the catalog and its settings. [`play_games`]
//! plays it with the fastest kernel of the machine, on all threads with the feature `parallel`.
//!
//! ```
//! use tilelab_games::play_games;
//!
//! let game = tilelab_games::game("sixty-seven").expect("the catalog has 67!");
//! let job = game.job(["size=6x7"], 67)?; // settings, seed
//! let tally = play_games(&*job, 0..1_000_000);
//! println!("{:.4} % won", 100.0 * tally.wins as f64 / tally.games as f64);
//! # assert!((12_400..13_400).contains(&tally.wins), "{}", tally.wins);
//! # Ok::<(), tilelab_games::ParamError>(())
//! ```
//!
//! All names of [`tilelab_core`] are also names of this crate.
//!
//! # Features
//! They are those of [`tilelab_core`].

pub mod catalog;
pub mod games;
pub mod players;

#[doc(inline)]
pub use crate::{
    catalog::{game, games},
    games::calculator::Calculator,
    games::offset::Offset,
    games::twenty_forty_eight::TwentyFortyEight,
    games::zero_sum::ZeroSum,
};
pub use tilelab_core::*;
