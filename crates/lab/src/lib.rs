//! A Monte Carlo laboratory for number games.
//!
//! tilelab plays millions of games of 67!, 2048, Offset, Calculator and the multiplication game
//! with random or thinking players, over grids of parameters. Results depend on the seed alone, not
//! on threads, batches or the machine.
//!
//! # One cell
//! A [`Cell`] is a game with its parameters and players. [`Cell::play`] plays it on all threads and
//! returns a [`Tally`] of integer counters; a [`Summary`] computes rates, means and intervals from
//! it.
//!
//! ```
//! use tilelab_lab::{Cell, Summary};
//!
//! let cell = Cell::parse("sixty-seven rules=gapless size=3x3 player=random")?;
//! let tally = cell.play(2_000, 67)?; // games, master seed
//! let summary = Summary::of(&tally, 0.95);
//! assert_eq!(summary.games, 2_000);
//! println!("{} of {} games won, {:?} % (95 % interval)", summary.wins, summary.games, summary.win_pct_exact);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A sweep
//! An [`Experiment`] is a TOML text whose lists span a grid. A checked experiment is a [`Plan`];
//! [`play_plan`] plays its cells in memory. The program `tilelab run` plays the same games, and
//! also saves its state and writes tables.
//!
//! ```
//! use tilelab_lab::{Experiment, play_plan};
//!
//! let experiment = Experiment::parse(
//!     r#"
//!     name = "small"
//!     seed = 67
//!     games = 500
//!     [[table]]
//!     title = "Win rate by operator rate"
//!     game = "sixty-seven"
//!     size = ["2x2", "3x3"]
//!     operator_rate = [0.3, 0.5]
//!     "#,
//! )?;
//! let plan = experiment.plan()?;
//! for result in play_plan(&plan, 2)? { // threads
//!     println!("{}: {:?} %", result.cell.key(), result.summary.win_pct);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Your own player
//! A player is a type with the trait [`Player`] of a game. A [`LoopJob`] plays it. On the seeds of
//! a cell it meets the same spawns as the cell's own player.
//!
//! ```
//! use tilelab_lab::games::sixty_seven::{Direction, SixtySeven};
//! use tilelab_lab::rng::Stream;
//! use tilelab_lab::{Cell, Game, LoopJob, Player, play_games};
//!
//! /// Takes the first legal direction in the order up, down, left, right.
//! struct First;
//!
//! impl Player<SixtySeven> for First {
//!     fn choose(
//!         &mut self,
//!         _game: &SixtySeven,
//!         _state: &<SixtySeven as Game>::State,
//!         legal: &[Direction],
//!         _stream: &mut Stream,
//!     ) -> Direction {
//!         legal[0]
//!     }
//! }
//!
//! let cell = Cell::parse("sixty-seven size=3x3")?;
//! let job = LoopJob::new(SixtySeven::from_params(&cell.params), || First, cell.seeds(67));
//! let first = play_games(&job, 0..1_000);
//! let random = cell.play(1_000, 67)?;
//! println!("first legal direction: {} games won, random: {}", first.wins, random.wins);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Many games, move by move
//! [`Cell::stepper`] opens N games that are stepped together, one given move for each. A
//! [`Stepper`] reads legal moves as masks and boards as arrays, and replaces ended games.
//!
//! ```
//! use tilelab_lab::game::stepping::{SteppingOptions, kind};
//! use tilelab_lab::{Cell, KernelChoice};
//!
//! let cell = Cell::parse("sixty-seven size=6x7")?;
//! let mut games = cell.stepper(67, 100, KernelChoice::Auto, SteppingOptions::default())?; // master seed, games
//! let mut kinds = vec![kind::BLANK; 100 * 6 * 7];
//! let mut numbers = vec![0.0; 100 * 6 * 7];
//! for _ in 0..10 {
//!     games.boards(&mut kinds, &mut numbers);
//!     let moves: Vec<u8> = games.legal().iter().map(|legal| legal.trailing_zeros() as u8).collect();
//!     games.step(&moves)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod compare;
pub mod curve;
pub mod in_memory;
pub mod results;
pub mod runner;
pub mod sample_size;

pub use tilelab_plan::{
    dictionary, experiment, external, keys, levels, matches, plan, record, requests, schema,
    weights,
};

pub use experiment::{Experiment, Problem, Problems};
pub use tilelab_games::{catalog, game, games, json, params, players, rng, tally, text};
pub use tilelab_output as output;
pub use tilelab_report as report;
pub use tilelab_stats as stats;

pub use catalog::{GameEntry, NamedPlayer, PlayableGame, PlayerEntry};
pub use game::batches::{play_games, simulate};
pub use game::stepping::Stepper;
pub use game::{
    Describe, Game, GameResult, Job, KernelChoice, Level, LoopJob, Outcome, Player, Sampling,
    Tally, Turns, play_game,
};
pub use in_memory::{CellResult, RunError, play_plan};
pub use params::{ParamError, ParamSpec, Params};
pub use plan::{Cell, Overrides, Plan};
pub use rng::{Draw, Stream};
pub use stats::{Interval, Summary};
