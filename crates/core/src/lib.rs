//! The engine of tilelab: the loop that plays every game, random streams, tallies, players of any
//! game, and 67! with its kernels and players. A seed determines the games: they are the same on
//! every machine and with any number of threads. The other games, and the catalog of all by name,
//! are in the crate `tilelab-games`. It knows neither files nor experiments, and adds up figures
//! without judging them.
//!
//! # A million games
//! [`GameEntry::job`] builds a job from a game, its players and its settings. [`play_games`] plays
//! it with the fastest kernel of the machine, on all threads with the feature `parallel`.
//!
//! ```
//! use tilelab_core::{GameEntry, SixtySeven, play_games, players};
//!
//! static GAME: GameEntry = GameEntry::of::<SixtySeven>(players::sixty_seven::PLAYERS);
//!
//! let job = GAME.job(["size=6x7"], 67)?; // settings, seed
//! let tally = play_games(&*job, 0..1_000_000);
//! println!("{:.4} % won", 100.0 * tally.wins as f64 / tally.games as f64);
//! # assert!((12_400..13_400).contains(&tally.wins), "{}", tally.wins);
//! # Ok::<(), tilelab_core::ParamError>(())
//! ```
//!
//! # One game, move by move
//! [`Turns`] deals, lists the legal moves and plays the one you choose.
//!
//! ```
//! use tilelab_core::{CellSeeds, Direction, SixtySeven, Turns};
//!
//! let game = SixtySeven::new(6, 7); // rows, columns
//! let mut turns = Turns::new(&game, CellSeeds::of(67).world_stream(0));
//! while turns.outcome().is_none() {
//!     let legal = turns.legal(&game);
//!     let order = [Direction::Down, Direction::Left, Direction::Right, Direction::Up];
//!     let chosen = order.into_iter().find(|direction| legal.contains(direction));
//!     turns.play(&game, chosen.expect("a game that goes on has a legal move"));
//! }
//! println!("{:?}", turns.outcome());
//! ```
//!
//! # A game of your own
//! A game is a type that implements [`Game`]. A closure that chooses moves, or a type that
//! implements [`Player`], plays it. In this example, dice are added up to exactly 67, and the sum
//! may be doubled before each roll.
//!
//! ```
//! use tilelab_core::{Draw, Game, GameResult::{Lost, Won}, Outcome, Stream, simulate};
//! #[derive(Clone)] struct Dice;
//! impl Game for Dice {
//!     type State = u64; // the sum
//!     type Move = bool; // whether to double it
//!     fn start(&self, _: &mut Stream) -> u64 { 0 }
//!     fn deal(&self, sum: &mut u64, world: &mut Stream) { *sum += 1 + Draw::next(world).below(6) }
//!     fn legal(&self, _: &u64, moves: &mut Vec<bool>) { moves.extend([false, true]) }
//!     fn play(&self, sum: &mut u64, double: bool) { if double { *sum *= 2 } }
//!     fn outcome(&self, sum: &u64) -> Option<Outcome> {
//!         (*sum >= 67).then(|| Outcome::new(if *sum == 67 { Won } else { Lost }, *sum))
//!     }
//! }
//! let player = |_: &Dice, sum: &u64, _: &[bool], _: &mut Stream| *sum <= 16;
//! println!("{} games won", simulate(&Dice, || player, 67, 0..100_000).wins);
//! ```
//!
//! # Features
//! * `kernels` (default): batch kernels, steppers, learners and the lists of states for exact
//!   figures; without it games are played one by one.
//! * `networks` (default): the learned networks of 67! are compiled in.
//! * `parallel`: games are played on several threads; without it on the calling thread, with the
//!   same results.

use std::sync::{Mutex, MutexGuard, PoisonError};

// What most programs need is re-exported below.
pub mod game;
pub mod games;
pub mod json;
pub mod params;
pub mod players;
pub mod rng;
pub mod tally;
pub mod text;

#[doc(inline)]
pub use crate::{
    game::batches::{play_games, simulate},
    game::registry::{GameEntry, PlayableGame, PlayerEntry, PlayerSpec, Setup},
    game::session::Session,
    game::stepping::Stepper,
    game::{
        Describe, Game, GameObserver, Job, KernelChoice, Level, LoopJob, Player, Turn, Turns,
        play_game,
    },
    games::direction::Direction,
    games::sixty_seven::SixtySeven,
    json::Json,
    params::{Kind, ParamError, ParamSpec, Params, SettingError, Value},
    players::random::Random,
    rng::{CellSeeds, Draw, Probability, Stream},
    tally::{GameResult, Measure, MeasureKind, Outcome, Sampling, Tally},
};

/// What a mutex holds, also where a thread that held it has panicked: who uses this keeps what is
/// held whole at every moment.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
