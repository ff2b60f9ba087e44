//! What happens on the full screen between two pictures: keys, players thinking in the background, and the clock.

use super::{Clock, Ending, Role, Setting, is_persons_turn, result_text, take_back};
use crate::game::session::{Session, View};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Moves per second to choose from while watching; one step beyond the last is turbo.
const RATES: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
/// How long turbo plays between two pictures.
const TURBO_FRAME: Duration = Duration::from_millis(30);

/// What a key asked for, as far as the screen is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Stay,
    /// Leave the screen.
    Leave(Ending),
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Won.
    Good,
    /// Lost, refused.
    Bad,
    /// Neither.
    Plain,
}

/// A player thinking in the background, so that keys are heard meanwhile.
struct Thinking {
    hint: bool,
    thread: JoinHandle<(Box<dyn Session>, Option<usize>)>,
}

/// A sitting on the full screen.
pub struct App {
    /// What is played or watched.
    pub setting: Setting,
    /// The number of the game.
    pub index: u64,
    /// The position on the screen.
    pub view: View,
    /// Time since the game began, without pauses.
    pub clock: Clock,
    /// The line below the board.
    pub message: Option<(Mood, String)>,
    /// The move that was hinted at, by its place among the legal ones.
    pub hint: Option<usize>,
    /// Whether the watched players wait.
    pub paused: bool,
    /// Moves per second; `None` is turbo.
    pub rate: Option<f64>,
    /// Whether all keys are listed over the board.
    pub help: bool,
    /// The table, unless a player is thinking at it.
    table: Option<Box<dyn Session>>,
    thinking: Option<Thinking>,
    step: bool,
    due: Instant,
}

impl App {
    /// Sits down to the first game.
    ///
    /// # Errors
    /// When the game cannot be opened.
    pub fn new(setting: Setting) -> io::Result<Self> {
        let session = (setting.open)(setting.index).map_err(io::Error::other)?;
        let (rate, paused) = match setting.role {
            Role::Watch { rate, paused } => (rate, paused),
            Role::Play { .. } => (Some(2.0), false),
        };
        let mut app = Self {
            index: setting.index,
            view: session.view(),
            clock: Clock::default(),
            message: None,
            hint: None,
            paused,
            rate,
            help: false,
            table: Some(session),
            thinking: None,
            step: false,
            due: Instant::now(),
            setting,
        };
        app.settle();
        Ok(app)
    }

    /// Whether a player is thinking.
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        self.thinking.is_some()
    }

    /// How long the screen may wait for a key before it looks again.
    #[must_use]
    pub fn patience(&self) -> Duration {
        if self.thinking.is_some() {
            return Duration::from_millis(4);
        }
        let due = self.due.saturating_duration_since(Instant::now());
        if self.players_move() { due.min(Duration::from_millis(50)) } else { Duration::from_millis(50) }
    }

    /// Takes what a player has thought of, and lets the next one think when it is time.
    pub fn tick(&mut self) {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.thread.is_finished()) {
            let Thinking { hint, thread } = self.thinking.take().expect("a player was thinking");
            let (session, hinted) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.table = Some(session);
            if hint {
                self.hint = hinted;
                let name = hinted.map_or("none", |hinted| self.view.legal[hinted].as_str());
                self.message = Some((Mood::Plain, format!("hint: {name} ({})", self.setting.players[self.view.seat])));
            } else {
                self.settle();
            }
        }
        if self.thinking.is_none() && self.players_move() && Instant::now() >= self.due {
            self.step = false;
            let turbo = self.rate.is_none() && !self.paused && matches!(self.setting.role, Role::Watch { .. });
            self.think(false, move |session| {
                let begun = Instant::now();
                loop {
                    let chosen = session.choose();
                    session.play(chosen);
                    if !turbo || session.view().outcome.is_some() || begun.elapsed() >= TURBO_FRAME {
                        return None;
                    }
                }
            });
            self.due = Instant::now() + self.rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        }
    }

    /// Whether it is a player's turn, and it may take it.
    fn players_move(&self) -> bool {
        let turn = self.view.outcome.is_none() && !is_persons_turn(self.setting.role, &self.view);
        turn && (!self.paused || self.step)
    }

    fn think(&mut self, hint: bool, task: impl FnOnce(&mut dyn Session) -> Option<usize> + Send + 'static) {
        let Some(mut session) = self.table.take() else { return };
        let thread = std::thread::spawn(move || {
            let chosen = task(session.as_mut());
            (session, chosen)
        });
        self.thinking = Some(Thinking { hint, thread });
    }

    /// Looks at the table again after it changed.
    fn settle(&mut self) {
        let Some(session) = &self.table else { return };
        self.view = session.view();
        self.hint = None;
        self.message = result_text(&self.setting, &self.view).map(|result| self.verdict(&result));
        self.clock.run(self.view.outcome.is_none() && !self.paused);
    }

    fn verdict(&self, result: &str) -> (Mood, String) {
        let outcome = self.view.outcome.expect("a finished game");
        let moves = if outcome.moves == 1 { "1 move".to_owned() } else { format!("{} moves", outcome.moves) };
        let text = format!("{} after {moves} - n: new game, u: undo, q: quit", capital(result));
        match result {
            "lost" => (Mood::Bad, text),
            "drawn" => (Mood::Plain, text),
            _ => (Mood::Good, text),
        }
    }

    fn new_game(&mut self) {
        match (self.setting.open)(self.index + 1) {
            Ok(session) => {
                self.index += 1;
                // A player still thinking at the old table is left to itself.
                self.thinking = None;
                self.table = Some(session);
                self.clock = Clock::default();
                self.step = false;
                self.due = Instant::now();
                self.settle();
            }
            Err(error) => self.message = Some((Mood::Bad, error)),
        }
    }

    /// Answers a key.
    pub fn key(&mut self, key: KeyEvent) -> Flow {
        if key.kind == KeyEventKind::Release {
            return Flow::Stay;
        }
        let name = match key.code {
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Flow::Leave(Ending::Interrupted);
            }
            KeyCode::Char(_) if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                return Flow::Stay;
            }
            KeyCode::Up => "up".to_owned(),
            KeyCode::Down => "down".to_owned(),
            KeyCode::Left => "left".to_owned(),
            KeyCode::Right => "right".to_owned(),
            KeyCode::Enter => "enter".to_owned(),
            KeyCode::Esc => "esc".to_owned(),
            KeyCode::Backspace => "u".to_owned(),
            KeyCode::Char(character) => character.to_lowercase().to_string(),
            _ => return Flow::Stay,
        };
        if std::mem::take(&mut self.help) {
            return Flow::Stay;
        }
        match name.as_str() {
            "q" => return Flow::Leave(Ending::Left),
            "?" => self.help = true,
            "n" => self.new_game(),
            _ => match self.setting.role {
                Role::Play { .. } => self.key_in_play(&name),
                Role::Watch { .. } => self.key_in_watch(&name),
            },
        }
        Flow::Stay
    }

    fn key_in_play(&mut self, key: &str) {
        let name = match key {
            "w" => "up",
            "a" => "left",
            "s" => "down",
            "d" => "right",
            other => other,
        };
        if self.table.is_none() {
            self.message = Some((Mood::Plain, "thinking…".to_owned()));
        } else if name == "u" {
            self.take_back();
        } else if self.view.outcome.is_some() {
            // Only undo, new game and quit make sense now, as the verdict on the screen says.
        } else if name == "h" {
            self.message = Some((Mood::Plain, "thinking…".to_owned()));
            self.think(true, |session| Some(session.hint()));
        } else if let Some(chosen) = self.view.legal.iter().position(|legal| legal == name) {
            let session = self.table.as_mut().expect("nobody is thinking");
            session.play(chosen);
            self.due = Instant::now() + Duration::from_millis(300);
            self.settle();
        } else if ["up", "down", "left", "right"].contains(&name) {
            let legal = self.view.legal.join(" ");
            self.message = Some((Mood::Bad, format!("{name} would change nothing; legal: {legal}")));
        }
    }

    fn key_in_watch(&mut self, key: &str) {
        match key {
            " " => {
                self.paused = !self.paused;
                self.clock.run(!self.paused && self.view.outcome.is_none());
            }
            "." | "right" | "enter" => {
                self.paused = true;
                self.clock.run(false);
                self.step = true;
                self.due = Instant::now();
            }
            "u" | "left" => {
                self.paused = true;
                self.clock.run(false);
                self.take_back();
            }
            "+" | "=" | "up" => self.change_rate(true),
            "-" | "down" => self.change_rate(false),
            "t" => {
                self.rate = if self.rate.is_none() { Some(5.0) } else { None };
                self.due = Instant::now();
            }
            _ => {}
        }
    }

    fn change_rate(&mut self, faster: bool) {
        self.rate = match (faster, self.rate) {
            (true, Some(rate)) => RATES.into_iter().find(|&next| next > rate),
            (true, None) => None,
            (false, None) => RATES.last().copied(),
            (false, Some(rate)) => RATES.into_iter().rev().find(|&next| next < rate).or(Some(RATES[0])),
        };
        self.due = Instant::now();
    }

    fn take_back(&mut self) {
        let Some(session) = &mut self.table else { return };
        if take_back(session.as_mut(), self.setting.role) {
            self.settle();
        } else {
            self.message = Some((Mood::Plain, "nothing to take back".to_owned()));
        }
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
