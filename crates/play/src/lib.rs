//! Playing and watching games: on a full screen ([`screen`]), or line by line where there is no
//! terminal ([`lines`]).
//!
//! Both show a [`Session`] and know no game: boards, facts, moves and marks come from
//! [`tilelab_games::game::Describe`].

mod app;
mod cursor;
pub mod lines;
pub mod paint;
mod picture;
pub mod screen;

use std::time::{Duration, Instant};
use tilelab_games::game::GameResult;
use tilelab_games::game::session::{Attempt, Hint, Session, View};
use tilelab_games::game::view::BoardView;
use tilelab_games::text::counted;

/// Opens the game with this index; the error is for people.
pub type Opener = Box<dyn Fn(u64) -> Result<Box<dyn Session>, String>>;

/// What is played or watched.
pub struct PlayOptions {
    /// Game and size, such as "67! 6x7".
    pub title: String,
    /// The master seed.
    pub seed: u64,
    /// The first game; further ones follow by number.
    pub index: u64,
    /// The names of the players, one for each seat.
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
    /// Players make all moves.
    Watch {
        /// Moves per second; `None` is as fast as possible.
        rate: Option<f64>,
        /// Whether to wait for a key before the first move.
        paused: bool,
    },
}

/// How playing or watching ended.
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

    /// Whether the clock runs.
    pub const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Time on the clock.
    pub fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// The result in a word or two, as the person at the screen sees it; `None` while the game goes on.
pub fn result_text(options: &PlayOptions, view: &View) -> Option<String> {
    let result = view.outcome?.result;
    Some(match (options.role, result) {
        (_, GameResult::Drawn) => "drawn".to_owned(),
        (Role::Watch { .. }, _) if options.players.len() > 1 => {
            let seat = usize::from(result == GameResult::Lost);
            format!("seat {seat} ({}) won", options.players[seat])
        }
        (Role::Play { seat }, result) if (result == GameResult::Won) == (seat == 0) => {
            "won".to_owned()
        }
        (Role::Watch { .. }, GameResult::Won) => "won".to_owned(),
        _ => "lost".to_owned(),
    })
}

/// A finished game in one sentence without a full stop: result, moves made and the reason; `None`
/// while the game goes on.
pub fn verdict(options: &PlayOptions, view: &View) -> Option<String> {
    let result = result_text(options, view)?;
    let moves = count(view.moves as usize, "move");
    let why = match view.why_over.as_str() {
        "" => String::new(),
        why => format!(": {why}"),
    };
    Some(format!("{} after {moves}{why}", capital(&result)))
}

/// What there is to say about a game when it is left: the verdict, if there is one, and a line with
/// result, moves made, time and what the game counts.
pub fn summary(options: &PlayOptions, view: &View, elapsed: Duration) -> String {
    let verdict = verdict(options, view).map_or_else(String::new, |verdict| verdict + ".\n");
    let result = result_text(options, view).unwrap_or_else(|| match view.why_over.as_str() {
        "" => "left unfinished".to_owned(),
        why => format!("left unfinished ({why})"),
    });
    let facts: String = view
        .board
        .facts
        .iter()
        .map(|(name, value)| format!(", {name} {value}"))
        .collect();
    format!(
        "{verdict}{result}: moves {}, time {:.1} s{facts}",
        view.moves,
        elapsed.as_secs_f64()
    )
}

/// A hint as a sentence.
fn hint_text(options: &PlayOptions, view: &View, hint: Hint<usize>) -> String {
    match hint {
        Hint::Choice(chosen) => format!(
            "hint: {} ({})",
            view.legal[chosen], options.players[view.seat]
        ),
        Hint::Solution { chosen, moves } => {
            format!(
                "hint: {} (solver: {} to the goal)",
                view.legal[chosen],
                count(moves, "move")
            )
        }
        Hint::Unsolvable => {
            "hint: the goal is out of reach from here; undo a move (solver)".to_owned()
        }
    }
}

/// The most characters on a cell.
fn text_width(board: &BoardView) -> usize {
    let widths = board
        .cells
        .iter()
        .flatten()
        .map(|cell| cell.text.chars().count());
    widths.max().unwrap_or(0)
}

/// Why a move with this name is not legal.
fn refusal(session: &dyn Session, name: &str) -> String {
    match session.why_illegal(Attempt::Name(name)) {
        Some(why) => format!("{name} is not legal: {why}"),
        None if DIRECTIONS.contains(&name) => {
            format!("{name} is not legal: it would change nothing")
        }
        None => format!("{name} is not a move"),
    }
}

/// The names of moves in a direction, which have arrow keys.
const DIRECTIONS: [&str; 4] = ["up", "down", "left", "right"];

/// The direction of one of the keys w, a, s and d; other texts stay.
fn of_wasd(key: &str) -> &str {
    match key {
        "w" => "up",
        "a" => "left",
        "s" => "down",
        "d" => "right",
        other => other,
    }
}

/// A number with its noun, such as "1 move" or "2 moves".
fn count(number: usize, noun: &str) -> String {
    counted(number, [noun, &format!("{noun}s")])
}

/// The text with a capital letter at the start.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// Whether the locale has UTF-8 (`LC_ALL`, `LC_CTYPE`, `LANG`, as POSIX has it). Where none is set,
/// it is taken to have it.
pub fn is_utf8() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

/// Whether the seat to move is a person's.
fn is_persons_turn(role: Role, view: &View) -> bool {
    matches!(role, Role::Play { seat } if seat == view.seat) && view.outcome.is_none()
}

/// Takes moves back until it is the person's turn again (in watching: one move). Returns whether
/// anything was taken back.
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
