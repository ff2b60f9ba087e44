//! Playing and watching games: on a full screen ([`screen`]), or line by line where there is no terminal ([`lines`]).
//!
//! Both show a [`Session`] and know no game: boards, facts, moves and marks come from [`crate::game::Describe`].

pub mod app;
pub mod lines;
pub mod paint;
pub mod picture;
pub mod screen;

use crate::game::GameResult;
use crate::game::session::{Session, View};
use std::time::{Duration, Instant};

/// Opens the game with this index; the error is for people.
pub type Opener = Box<dyn Fn(u64) -> Result<Box<dyn Session>, String>>;

/// What is played or watched.
pub struct Setting {
    /// Game and size, such as "67! 6x7".
    pub title: String,
    /// The master seed.
    pub seed: u64,
    /// The first game; further ones follow by number.
    pub index: u64,
    /// The names of the players, one a seat.
    pub players: Vec<String>,
    /// Who chooses.
    pub role: Role,
    /// Opens games.
    pub open: Opener,
}

/// Who chooses the moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// A person on this seat; players on the others.
    Play {
        /// The person's seat.
        seat: usize,
    },
    /// Players only.
    Watch {
        /// Moves per second; `None` is as fast as possible.
        rate: Option<f64>,
        /// Whether to wait for a key before the first move.
        paused: bool,
    },
}

/// How a sitting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last game was played to its end, or left by choice.
    Left,
    /// Standard input ended before the game did.
    InputEnded,
    /// By Ctrl-C or a signal.
    Interrupted,
}

/// A clock that can be stopped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    since: Option<Instant>,
    before: Duration,
}

impl Clock {
    /// Starts or stops the clock.
    pub fn run(&mut self, running: bool) {
        match (running, self.since) {
            (true, None) => self.since = Some(Instant::now()),
            (false, Some(since)) => {
                self.before += since.elapsed();
                self.since = None;
            }
            _ => {}
        }
    }

    /// Time on the clock.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// The result in a word or two, as the person at the screen sees it; `None` while the game goes on.
#[must_use]
pub fn result_text(setting: &Setting, view: &View) -> Option<String> {
    let result = view.outcome?.result;
    Some(match (setting.role, result) {
        (_, GameResult::Drawn) => "drawn".to_owned(),
        (Role::Watch { .. }, _) if setting.players.len() > 1 => {
            let seat = usize::from(result == GameResult::Lost);
            format!("seat {seat} ({}) won", setting.players[seat])
        }
        (Role::Play { seat }, result) if (result == GameResult::Won) == (seat == 0) => "won".to_owned(),
        (Role::Watch { .. }, GameResult::Won) => "won".to_owned(),
        _ => "lost".to_owned(),
    })
}

/// One line about a game: result, moves, time, and what the game counts.
#[must_use]
pub fn summary(setting: &Setting, view: &View, elapsed: Duration) -> String {
    let result = result_text(setting, view).unwrap_or_else(|| "left unfinished".to_owned());
    let moves = view.outcome.map_or(view.moves, |outcome| outcome.moves);
    let facts: String = view.look.facts.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    format!("{result}: moves {moves}, time {:.1} s{facts}", elapsed.as_secs_f64())
}

/// Whether the seat to move is a person's.
fn is_persons_turn(role: Role, view: &View) -> bool {
    matches!(role, Role::Play { seat } if seat == view.seat) && view.outcome.is_none()
}

/// Takes moves back until it is the person's turn again (in watching: one move). Returns whether anything was taken back.
fn take_back(session: &mut dyn Session, role: Role) -> bool {
    let mut any = false;
    while session.undo() {
        any = true;
        if matches!(role, Role::Watch { .. }) || is_persons_turn(role, &session.view()) {
            break;
        }
    }
    any
}
