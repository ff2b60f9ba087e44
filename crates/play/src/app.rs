//! What happens on the full screen between two frames: keys, players thinking in the background,
//! and the clock.

use super::cursor::Cursor;
use super::{
    Clock, DIRECTIONS, Ending, PlayOptions, Role, hint_text, is_persons_turn, of_wasd, refusal,
    result_text, take_back, verdict,
};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::cell::Cell;
use std::io;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tilelab_games::game::session::{Attempt, Hint, Session, View};

/// Moves per second to choose from while watching; one step beyond the last is turbo.
const RATES: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
/// The keys of the buttons in games that have buttons, in their order; letters with another meaning
/// are left out.
pub const BUTTON_KEYS: &str = "1234567890bcefgijklmoprtvxyz";
/// How long turbo plays between two frames.
const TURBO_FRAME: Duration = Duration::from_millis(30);

/// What a key asked for, as far as the screen is concerned.
pub enum Flow {
    /// Stay on the screen.
    Stay,
    /// Leave the screen.
    Leave(Ending),
    /// Stop as other programs do at Ctrl-Z, and go on when the shell says so.
    Suspend,
}

/// Whether a message is good or bad news.
pub enum Mood {
    /// Good news: the game was won.
    Good,
    /// Bad news: the game was lost, or a move refused.
    Bad,
    /// Neither good nor bad news.
    Plain,
}

/// The session given back by a player that has thought, and its hint if it was asked for one.
type Thought = (Box<dyn Session>, Option<Hint<usize>>);

/// Everything that the full screen shows.
pub struct App {
    /// What is played or watched; the index is that of the game on the screen.
    pub options: PlayOptions,
    /// The position on the screen.
    pub view: View,
    /// Time since the game began, without pauses.
    pub clock: Clock,
    /// The line below the board.
    pub message: Option<(Mood, String)>,
    /// The move that was hinted at, by its index among the legal ones.
    pub hint: Option<usize>,
    /// The rules of the game for people who play.
    pub rules: String,
    /// What wins, in a few words.
    pub goal: String,
    /// The cursor of games in which two cells are chosen.
    pub cursor: Cursor,
    /// The button under the cursor, in games that have buttons.
    pub button: usize,
    /// Whether the watched players wait.
    pub paused: bool,
    /// Moves per second; `None` is turbo.
    pub rate: Option<f64>,
    /// The first line shown of rules and keys, while they cover the board.
    pub help: Option<usize>,
    /// The first line of the last page of rules and keys, set when they are drawn.
    pub help_last: Cell<usize>,
    /// The game, unless a player is thinking about it.
    session: Option<Box<dyn Session>>,
    /// A player thinking in the background, so that keys are answered meanwhile.
    thinking: Option<JoinHandle<Thought>>,
    step: bool,
    due: Instant,
}

impl App {
    /// Opens the first game.
    ///
    /// # Errors
    /// When the game cannot be opened.
    pub fn new(options: PlayOptions) -> io::Result<Self> {
        let session = (options.open)(options.index).map_err(io::Error::other)?;
        let (rate, paused) = match options.role {
            Role::Watch { rate, paused } => (rate, paused),
            Role::Play { .. } => (Some(2.0), false),
        };
        let mut app = Self {
            view: session.view(),
            clock: Clock::default(),
            message: None,
            hint: None,
            rules: session.rules(),
            goal: session.goal(),
            cursor: Cursor::default(),
            button: 0,
            paused,
            rate,
            help: None,
            help_last: Cell::new(0),
            session: Some(session),
            thinking: None,
            step: false,
            due: Instant::now(),
            options,
        };
        app.refresh();
        app.center_cursor();
        Ok(app)
    }

    /// Whether a player is thinking.
    pub fn is_thinking(&self) -> bool {
        self.thinking.is_some()
    }

    /// How long the screen may wait for a key before the next frame.
    pub fn wait_max(&self) -> Duration {
        if self.thinking.is_some() {
            return Duration::from_millis(4);
        }
        let due = self.due.saturating_duration_since(Instant::now());
        let frame = Duration::from_millis(50);
        if self.players_move() {
            due.min(frame)
        } else {
            frame
        }
    }

    /// Takes over what a player has chosen, and starts the next one when it is time.
    pub fn tick(&mut self) {
        if let Some(thread) = self.thinking.take_if(|thread| thread.is_finished()) {
            let (session, hint) = thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.session = Some(session);
            match hint {
                Some(hint) => self.show_hint(hint),
                None => self.refresh(),
            }
        }
        if self.thinking.is_none() && self.players_move() && Instant::now() >= self.due {
            self.step = false;
            // Only those who watch can ask for turbo.
            let turbo = self.rate.is_none() && !self.paused;
            self.think(move |session| {
                let begun = Instant::now();
                loop {
                    let chosen = session.choose();
                    session.play(chosen);
                    if !turbo || session.is_over() || begun.elapsed() >= TURBO_FRAME {
                        return None;
                    }
                }
            });
            let between = |rate| Duration::from_secs_f64(1.0 / rate);
            self.due = Instant::now() + self.rate.map_or(Duration::ZERO, between);
        }
    }

    /// Whether it is a player's turn, and it may take it.
    fn players_move(&self) -> bool {
        let turn = !self.view.legal.is_empty() && !is_persons_turn(self.options.role, &self.view);
        turn && (!self.paused || self.step)
    }

    fn think(
        &mut self,
        task: impl FnOnce(&mut dyn Session) -> Option<Hint<usize>> + Send + 'static,
    ) {
        let Some(session) = self.session.take() else {
            return;
        };
        // The session is handed over once the thread is there: it would be lost with it.
        let (give, given) = std::sync::mpsc::sync_channel(1);
        let started = std::thread::Builder::new().spawn(move || {
            let mut session: Box<dyn Session> = given.recv().expect("the session is handed over");
            let hint = task(session.as_mut());
            (session, hint)
        });
        match started {
            Ok(thread) => {
                give.send(session).expect("the thread takes the session");
                self.thinking = Some(thread);
            }
            Err(error) => {
                self.session = Some(session);
                self.due = Instant::now() + Duration::from_secs(1);
                self.say(Mood::Bad, format!("no thread for the player: {error}"));
            }
        }
    }

    fn say(&mut self, mood: Mood, text: impl Into<String>) {
        self.message = Some((mood, text.into()));
    }

    /// Shows a hint in words, on the list of legal moves, and where there is a cursor by moving it.
    fn show_hint(&mut self, hint: Hint<usize>) {
        self.say(Mood::Plain, hint_text(&self.options, &self.view, hint));
        self.hint = hint.chosen();
        let Some(chosen) = self.hint else { return };
        if let Some(&[first, second]) = self.view.paths.get(chosen) {
            self.cursor = Cursor {
                at: second,
                first: Some(first),
            };
        }
        let mut names = self.view.buttons.iter();
        let hinted = names.position(|name| *name == self.view.legal[chosen]);
        self.button = hinted.unwrap_or(self.button);
    }

    /// Puts the cursor into the middle of the board.
    fn center_cursor(&mut self) {
        let rows = self.view.board.cells.len();
        let cols = self.view.board.cells.first().map_or(0, Vec::len);
        self.cursor = Cursor {
            at: (rows / 2, cols / 2),
            first: None,
        };
    }

    /// Reads the position again after it changed.
    fn refresh(&mut self) {
        let Some(session) = &self.session else { return };
        self.view = session.view();
        self.hint = None;
        self.cursor.first = None;
        self.button = self.button.min(self.view.buttons.len().saturating_sub(1));
        self.message = self.verdict();
        self.clock.run(!self.view.legal.is_empty() && !self.paused);
    }

    /// The message about a finished game; `None` while the game goes on.
    fn verdict(&self) -> Option<(Mood, String)> {
        let text = verdict(&self.options, &self.view)? + " - n: new game, u: undo, q: quit";
        let mood = match result_text(&self.options, &self.view)?.as_str() {
            "lost" => Mood::Bad,
            "drawn" => Mood::Plain,
            _ => Mood::Good,
        };
        Some((mood, text))
    }

    fn new_game(&mut self) {
        match (self.options.open)(self.options.index + 1) {
            Ok(session) => {
                self.options.index += 1;
                // A player that still thinks about the old game is abandoned.
                self.thinking = None;
                self.rules = session.rules();
                self.goal = session.goal();
                self.session = Some(session);
                self.clock = Clock::default();
                self.step = false;
                self.due = Instant::now();
                self.refresh();
                self.center_cursor();
            }
            Err(error) => self.say(Mood::Bad, error),
        }
    }

    /// Answers a key.
    pub fn key(&mut self, key: KeyEvent) -> Flow {
        if key.kind == KeyEventKind::Release {
            return Flow::Stay;
        }
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let typed;
        let name = match key.code {
            KeyCode::Char('c' | 'd') if has_control => return Flow::Leave(Ending::Interrupted),
            KeyCode::Char('z') if has_control => return Flow::Suspend,
            KeyCode::Char(_) if has_control || key.modifiers.contains(KeyModifiers::ALT) => {
                return Flow::Stay;
            }
            KeyCode::Char(character) => {
                typed = character.to_lowercase().to_string();
                typed.as_str()
            }
            KeyCode::Backspace => "u",
            KeyCode::Up => "up",
            KeyCode::Down => "down",
            KeyCode::Left => "left",
            KeyCode::Right => "right",
            KeyCode::Enter => "enter",
            KeyCode::Esc => "esc",
            KeyCode::Tab => "tab",
            KeyCode::PageUp => "page up",
            KeyCode::PageDown => "page down",
            _ => return Flow::Stay,
        };
        if let Some(line) = self.help {
            let last = self.help_last.get();
            self.help = match name {
                "up" => Some(line.saturating_sub(1)),
                "down" => Some((line + 1).min(last)),
                "page up" => Some(line.saturating_sub(10)),
                "page down" => Some((line + 10).min(last)),
                _ => None,
            };
            return Flow::Stay;
        }
        match name {
            "q" => return Flow::Leave(Ending::Left),
            "?" => self.help = Some(0),
            "n" => self.new_game(),
            _ => match self.options.role {
                Role::Play { .. } => self.key_in_play(name),
                Role::Watch { .. } => self.key_in_watch(name),
            },
        }
        Flow::Stay
    }

    fn key_in_play(&mut self, key: &str) {
        let name = of_wasd(key);
        if self.session.is_none() {
            self.say(Mood::Plain, "thinking…");
        } else if name == "u" {
            self.take_back();
        } else if self.view.legal.is_empty() {
            // Only undo, new game and quit make sense now, as the verdict on the screen says.
        } else if name == "h" {
            self.say(Mood::Plain, "thinking…");
            self.think(|session| Some(session.hint()));
        } else if !self.view.buttons.is_empty() {
            self.key_on_buttons(name);
        } else if !self.view.paths.is_empty() {
            self.key_on_board(name);
        } else if let Some(chosen) = self.view.legal.iter().position(|legal| legal == name) {
            self.play(chosen);
        } else if DIRECTIONS.contains(&name) {
            let legal = self.view.legal.join(" ");
            self.refuse(name, &format!("; legal: {legal}"));
        }
    }

    /// Says why a move is not legal.
    fn refuse(&mut self, name: &str, more: &str) {
        if let Some(session) = self.session.as_deref() {
            self.say(Mood::Bad, refusal(session, name) + more);
        }
    }

    fn play(&mut self, chosen: usize) {
        let Some(session) = &mut self.session else {
            return;
        };
        session.play(chosen);
        self.due = Instant::now() + Duration::from_millis(300);
        self.refresh();
    }

    /// Presses a button by its own key, or moves the cursor over the buttons and presses the one
    /// under it.
    fn key_on_buttons(&mut self, key: &str) {
        let last = self.view.buttons.len() - 1;
        match key {
            "left" | "up" => self.button = self.button.saturating_sub(1),
            "right" | "down" | "tab" => self.button = (self.button + 1).min(last),
            "enter" | " " => self.press(self.button),
            _ => {
                if let Some(button) = BUTTON_KEYS.find(key).filter(|&button| button <= last) {
                    self.button = button;
                    self.press(button);
                }
            }
        }
    }

    fn press(&mut self, button: usize) {
        let name = &self.view.buttons[button];
        if let Some(chosen) = self.view.legal.iter().position(|legal| legal == name) {
            self.play(chosen);
        } else {
            self.refuse(&name.clone(), "");
        }
    }

    /// Moves the cursor over the board, and chooses the two cells of a move.
    fn key_on_board(&mut self, key: &str) {
        let rows = self.view.board.cells.len();
        let cols = self.view.board.cells[0].len();
        self.message = None;
        match key {
            "esc" => self.cursor.first = None,
            "tab" => self.cursor.next(&self.view.paths),
            "enter" | " " => self.choose_cell(),
            direction => self.cursor.step(direction, rows, cols),
        }
    }

    fn choose_cell(&mut self) {
        let at = self.cursor.at;
        match self.cursor.first {
            None if self.view.paths.iter().any(|path| path[0] == at) => {
                self.cursor.first = Some(at)
            }
            None => {
                let (row, col) = at;
                self.say(
                    Mood::Bad,
                    format!("{col},{row} is not part of a legal move; Tab: next one that is"),
                );
            }
            Some(first) if first == at => self.cursor.first = None,
            Some(first) => {
                let path = [first, at];
                if let Some(chosen) = self.view.paths.iter().position(|known| *known == path) {
                    self.play(chosen);
                } else {
                    let why = self
                        .session
                        .as_deref()
                        .and_then(|session| session.why_illegal(Attempt::Path(path)))
                        .unwrap_or_else(|| "these two cells are not a move".to_owned());
                    self.say(Mood::Bad, format!("not legal: {why}"));
                }
            }
        }
    }

    fn key_in_watch(&mut self, key: &str) {
        match key {
            " " => {
                self.paused = !self.paused;
                self.clock.run(!self.paused && !self.view.legal.is_empty());
            }
            "." | "right" | "enter" => {
                self.pause();
                self.step = true;
                self.due = Instant::now();
            }
            "u" | "left" => {
                self.pause();
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

    fn pause(&mut self) {
        self.paused = true;
        self.clock.run(false);
    }

    fn change_rate(&mut self, faster: bool) {
        self.rate = match (faster, self.rate) {
            (true, Some(rate)) => RATES.into_iter().find(|&next| next > rate),
            (true, None) => None,
            (false, None) => RATES.last().copied(),
            (false, Some(rate)) => RATES
                .into_iter()
                .rfind(|&next| next < rate)
                .or(Some(RATES[0])),
        };
        self.due = Instant::now();
    }

    fn take_back(&mut self) {
        let Some(session) = &mut self.session else {
            return;
        };
        if take_back(session.as_mut(), self.options.role) {
            self.refresh();
        } else {
            self.say(Mood::Plain, "nothing to undo");
        }
    }
}
