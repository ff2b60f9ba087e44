//! The full screen: its layout, and a terminal that is restored whatever happens.
//!
//! ```text
//! 67! 6x7 · make 67 · seed 1 · game 0 what is played
//! round 12 · best 63 · 11 moves · …   how it stands
//!        the board                    as large as fits
//! legal  ↑ ↓ · →                      the legal moves
//! Won after 12 moves …                what happened
//! ←↑↓→ wasd move  u undo …            keys
//! ```

use super::app::{App, Flow, Mood};
use super::paint::{self, Buttons, Palette, Pointer};
use super::{DIRECTIONS, Ending, PlayOptions, Role, count, is_persons_turn, picture, summary};
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::layout::{Constraint, Layout, Rect, Size};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Padding, Paragraph};
use ratatui::{DefaultTerminal, Frame, Terminal};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tilelab_games::game::session::View;
use tilelab_games::game::view::Tone;
use tilelab_games::text::join;
use tilelab_output::numbers::fit;
use tilelab_output::text::wrapped;

/// The smallest screen.
pub const SIZE_MIN: (u16, u16) = (40, 12);

/// What is left of the last game after the screen is gone.
pub struct LastScreen {
    /// How playing or watching ended.
    pub ending: Ending,
    /// What there is to say about the game.
    pub summary: String,
    /// The last screen as an SVG picture.
    pub picture: String,
}

/// Set by a panic, also on a thinking player's thread: the terminal is restored already and must
/// not be drawn on.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Held while drawing, so that a panic on a player's thread does not restore the terminal in the
/// middle of a frame, the rest of which would then land on the ordinary screen.
static DRAWING: Mutex<()> = Mutex::new(());

/// The terminal in raw mode on its alternate screen; both end when this is dropped, and in a panic.
struct Screen(Option<DefaultTerminal>);

impl Screen {
    /// Takes the terminal over. This is not `ratatui::try_init`, whose panic hook prints an error
    /// where the terminal is gone; on such a terminal printing panics, and a panic in the hook
    /// aborts the process.
    fn open() -> io::Result<Self> {
        let hook = std::panic::take_hook();
        let drawer = std::thread::current().id();
        std::panic::set_hook(Box::new(move |panic| {
            // The drawing thread itself may hold the lock already; it draws no more.
            let _drawing = (std::thread::current().id() != drawer).then(|| DRAWING.lock());
            PANICKED.store(true, Ordering::SeqCst);
            restore();
            hook(panic);
        }));
        let open = || {
            take_over()?;
            Terminal::new(CrosstermBackend::new(io::stdout()))
        };
        open()
            .inspect_err(|_| restore())
            .map(|terminal| Self(Some(terminal)))
    }

    fn terminal(&mut self) -> &mut DefaultTerminal {
        self.0.as_mut().expect("it is taken at the end only")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The cursor is part of what is restored. An error has nowhere to go: the terminal is gone.
        // Then the terminal is not dropped, which would print a message and panic at it.
        if let Some(mut terminal) = self.0.take()
            && terminal.show_cursor().is_err()
        {
            std::mem::forget(terminal);
        }
        if !PANICKED.load(Ordering::SeqCst) {
            restore();
        }
    }
}

fn take_over() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen)
}

/// Takes the terminal over again after the process was stopped: the shell has used it since.
fn resume(terminal: &mut DefaultTerminal) -> io::Result<()> {
    // Else it would count as raw still.
    let _ = disable_raw_mode();
    take_over()?;
    terminal.clear()
}

/// Gives the terminal back and stops, as Ctrl-Z stops programs that do not read it as a key.
fn suspend(app: &mut App, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let was_running = app.clock.is_running();
    app.clock.run(false);
    terminal.show_cursor()?;
    restore();
    #[cfg(unix)]
    {
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        // Another thread may have got the signal; this one stops a moment later.
        std::thread::sleep(Duration::from_millis(50));
    }
    app.clock.run(was_running);
    resume(terminal)
}

/// Restores the terminal. Errors are ignored: a terminal that is gone needs nothing.
pub fn restore() {
    let _ = ratatui::try_restore();
}

/// Whether the terminal was closed: its file descriptors stay open but no longer belong to a
/// terminal.
pub fn is_closed() -> bool {
    !io::stdin().is_terminal()
}

/// What signals have told.
#[derive(Debug, Default)]
pub struct Signals {
    /// Whether a signal has asked the process to end.
    pub interrupted: Arc<AtomicBool>,
    /// Whether a signal has told the process to go on after it was stopped.
    pub resumed: Arc<AtomicBool>,
}

/// Plays or watches games on the full screen until somebody leaves, a signal asks for the end or
/// the terminal is closed.
///
/// # Errors
/// When the terminal fails, or a game cannot be opened.
pub fn run(options: PlayOptions, palette: Palette, signals: &Signals) -> io::Result<LastScreen> {
    let mut app = App::new(options)?;
    let mut screen = Screen::open()?;
    let ending = match answer_keys(&mut app, screen.terminal(), palette, signals) {
        Err(_) if is_closed() => Ending::Interrupted,
        ending => ending?,
    };
    let size = screen.terminal().size().unwrap_or(Size::new(80, 24));
    drop(screen);
    app.clock.run(false);
    let mut paper = Terminal::new(TestBackend::new(size.width, size.height))
        .expect("a buffer takes every frame");
    let picture = picture::svg(
        paper
            .draw(|frame| draw(&app, palette, frame))
            .expect("as above")
            .buffer,
    );
    Ok(LastScreen {
        ending,
        summary: summary(&app.options, &app.view, app.clock.elapsed()),
        picture,
    })
}

/// Draws frames and answers keys until somebody leaves.
fn answer_keys(
    app: &mut App,
    terminal: &mut DefaultTerminal,
    palette: Palette,
    signals: &Signals,
) -> io::Result<Ending> {
    let is_utf8 = super::is_utf8();
    loop {
        app.tick();
        if signals.interrupted.load(Ordering::Relaxed) {
            return Ok(Ending::Interrupted);
        }
        if signals.resumed.swap(false, Ordering::Relaxed) {
            resume(terminal)?;
        }
        let drawing = DRAWING.lock();
        if PANICKED.load(Ordering::SeqCst) {
            // The player's thread is about to end; the next tick joins it and passes its panic on.
            drop(drawing);
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        terminal.draw(|frame| {
            draw(app, palette, frame);
            if !is_utf8 {
                paint::ascii(frame.buffer_mut());
            }
        })?;
        drop(drawing);
        // All keys that are waiting are answered before the next frame.
        let mut wait_max = app.wait_max();
        while event::poll(wait_max)? {
            wait_max = Duration::ZERO;
            let Event::Key(key) = event::read()? else {
                continue;
            };
            match app.key(key) {
                Flow::Stay => {}
                Flow::Leave(ending) => return Ok(ending),
                Flow::Suspend => suspend(app, terminal)?,
            }
        }
    }
}

/// Draws everything.
pub fn draw(app: &App, palette: Palette, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < SIZE_MIN.0 || area.height < SIZE_MIN.1 {
        let (width, height) = SIZE_MIN;
        let text = format!("too small: {width}x{height} at least");
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    let [line, rest] = [Constraint::Length(1), Constraint::Min(1)];
    let [title, facts, board, legal, message, keys] =
        Layout::vertical([line, line, rest, line, line, line]).areas(area);
    let bold = Style::new().bold();
    let pointer = pointer(app);
    let cropped = if !app.view.buttons.is_empty() {
        draw_display_and_buttons(app, palette, inner(board), frame);
        None
    } else {
        // Coordinates matter where moves are named by cells.
        let is_numbered = !app.view.paths.is_empty();
        let buffer = frame.buffer_mut();
        paint::board(
            &app.view.board,
            palette,
            inner(board),
            is_numbered,
            pointer.as_ref(),
            buffer,
        )
    };
    let said = match (&app.message, &pointer) {
        (Some((mood, text)), _) => {
            let style = match mood {
                Mood::Good => palette.good(),
                Mood::Bad => palette.bad(),
                Mood::Plain => bold,
            };
            Line::styled(shortened(text, message.width), style)
        }
        (None, Some(pointer)) => Line::raw(cursor_text(app, pointer)),
        (None, None) => Line::default(),
    };
    for (line, place) in [
        (Line::styled(heading(app, title.width), bold), title),
        (Line::raw(facts_text(app, facts.width)), facts),
        (legal_line(app, palette, cropped), legal),
        (said, message),
        (
            Line::styled(keys_text(app, keys.width), palette.dim()),
            keys,
        ),
    ] {
        frame.render_widget(line.centered(), place);
    }
    if let Some(line) = app.help {
        help(app, line, frame, area);
    }
}

/// Game, goal, seed and number of the game, as much of it as fits.
fn heading(app: &App, width: u16) -> String {
    let PlayOptions {
        title, seed, index, ..
    } = &app.options;
    let mut parts = vec![
        title.clone(),
        app.goal.clone(),
        format!("seed {seed}"),
        format!("game {index}"),
    ];
    parts.retain(|part| !part.is_empty());
    fitting(parts, width)
}

/// The first parts, as many as fit.
fn fitting(mut parts: Vec<String>, width: u16) -> String {
    while parts.len() > 1 && parts.join(" · ").chars().count() > usize::from(width) {
        parts.pop();
    }
    parts.join(" · ")
}

/// The cursor on the board, when a person chooses two cells.
fn pointer(app: &App) -> Option<Pointer> {
    let is_choosing = !app.view.paths.is_empty() && is_persons_turn(app.options.role, &app.view);
    is_choosing.then(|| Pointer {
        cursor: app.cursor,
        targets: app.cursor.targets(&app.view.paths),
    })
}

/// What is under the cursor, and what Enter does there. Cells are column and row, as in the names
/// of moves.
fn cursor_text(app: &App, pointer: &Pointer) -> String {
    let (row, col) = pointer.cursor.at;
    let cell = &app.view.board.cells[row][col];
    let what = match cell.tone {
        Tone::Blank => "empty".to_owned(),
        Tone::Owned(seat) if app.options.role == (Role::Play { seat }) => {
            format!("{}, yours", cell.text)
        }
        Tone::Owned(_) => format!("{}, the opponent's", cell.text),
        _ => cell.text.clone(),
    };
    let next = match pointer.cursor.first {
        None => "Enter: choose".to_owned(),
        Some(first) if first == (row, col) => "Enter: let go".to_owned(),
        Some(first) => format!("{},{} chosen · Enter: move it here", first.1, first.0),
    };
    format!("{col},{row}: {what} · {next}")
}

/// The display above the buttons, both in the middle of the area.
fn draw_display_and_buttons(app: &App, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let buttons = Buttons {
        names: &app.view.buttons,
        legal: &app.view.legal,
        hint: app.hint.map(|hint| app.view.legal[hint].as_str()),
        cursor: is_persons_turn(app.options.role, &app.view).then_some(app.button),
    };
    const DISPLAY: u16 = 4;
    let high = (DISPLAY + buttons.height(area.width)).min(area.height);
    let top = area.y + (area.height - high) / 2;
    let display = Rect::new(area.x, top, area.width, DISPLAY - 1).intersection(area);
    let below_high = high.saturating_sub(DISPLAY);
    let below = Rect::new(area.x, top + DISPLAY, area.width, below_high).intersection(area);
    let buffer = frame.buffer_mut();
    paint::board(&app.view.board, palette, display, false, None, buffer);
    buttons.draw(palette, below, buffer);
}

/// The area without an empty line above and below, where it is high enough for that.
fn inner(area: Rect) -> Rect {
    if area.height < 12 {
        area
    } else {
        Rect::new(area.x, area.y + 1, area.width, area.height - 2)
    }
}

/// The text up to the last whole part that fits; parts end at " - ".
fn shortened(text: &str, width: u16) -> &str {
    let mut text = text;
    while text.chars().count() > usize::from(width) {
        match text.rfind(" - ") {
            Some(at) => text = &text[..at],
            None => break,
        }
    }
    text
}

/// The facts of the game, as many as fit: the game's own first, then moves, time and speed.
fn facts_text(app: &App, width: u16) -> String {
    let elapsed = app.clock.elapsed();
    let mut parts: Vec<String> = app
        .view
        .board
        .facts
        .iter()
        .map(|(name, value)| format!("{} {value}", fact_name(app, name)))
        .collect();
    parts.push(count(app.view.moves as usize, "move"));
    let seconds = elapsed.as_secs();
    parts.push(format!(
        "{}:{:02}.{}",
        seconds / 60,
        seconds % 60,
        elapsed.subsec_millis() / 100
    ));
    if let Role::Watch { .. } = app.options.role {
        parts.push(match (app.paused, app.rate) {
            (true, _) => "paused".to_owned(),
            (false, None) => "turbo".to_owned(),
            (false, Some(rate)) => format!("{rate}/s"),
        });
    }
    for part in &mut parts {
        if part.chars().count() > 24
            && let Some((name, value)) = part.split_once(' ')
        {
            *part = format!("{name} {}", fit(value, 12));
        }
    }
    fitting(parts, width)
}

/// The name of a fact; the person who plays reads "you" instead of a seat's number.
fn fact_name<'a>(app: &App, name: &'a str) -> &'a str {
    let Role::Play { seat } = app.options.role else {
        return name;
    };
    match name
        .strip_prefix("seat ")
        .and_then(|number| number.parse::<usize>().ok())
    {
        Some(number) if number == seat => "you",
        Some(_) => "opponent",
        None => name,
    }
}

/// The signs of [`DIRECTIONS`].
const ARROWS: [&str; 4] = ["↑", "↓", "←", "→"];

/// Whether the legal moves are directions.
fn has_arrows(view: &View) -> bool {
    view.legal
        .iter()
        .all(|name| DIRECTIONS.contains(&name.as_str()))
}

/// The legal moves: arrows with a dot in the place of what is not legal, or names, or a number of
/// moves.
fn legal_line(app: &App, palette: Palette, cropped: Option<String>) -> Line<'static> {
    let view = &app.view;
    let bold = Style::new().bold();
    let mut line = Line::default();
    let hinted = app.hint.map(|hint| view.legal[hint].as_str());
    let styled = |name: &str| {
        if hinted == Some(name) {
            palette.good()
        } else {
            bold
        }
    };
    if view.outcome.is_some() {
        line.push_span("game over ");
    } else if view.legal.is_empty() {
        line.push_span(view.why_over.clone());
    } else if has_arrows(view) {
        line.push_span("legal ");
        for (name, arrow) in DIRECTIONS.into_iter().zip(ARROWS) {
            line.push_span(if view.legal.iter().any(|legal| legal == name) {
                Span::styled(arrow, styled(name))
            } else {
                Span::raw("·")
            });
            line.push_span(" ");
        }
    } else if view.legal.len() <= 8 {
        line.push_span("legal ");
        for name in &view.legal {
            line.push_span(Span::styled(name.clone(), styled(name)));
            line.push_span(" ");
        }
    } else {
        line.push_span(format!("{} legal moves ", view.legal.len()));
    }
    if let Some(last) = &view.last {
        line.push_span(format!("· last {last} "));
    }
    if app.is_thinking() && app.rate.is_some_and(|rate| rate <= 5.0) {
        line.push_span("… ");
    }
    if let Some(part) = cropped {
        line.push_span(format!("· {part}"));
    }
    line
}

const KEYS_PLAY: [(&str, &str); 6] = [
    ("←↑↓→ wasd", "move"),
    ("u", "undo"),
    ("h", "hint"),
    ("n", "new game"),
    ("?", "help"),
    ("q", "quit"),
];
const KEYS_WATCH: [(&str, &str); 8] = [
    ("space", "pause"),
    (".", "step"),
    ("+ -", "speed"),
    ("t", "turbo"),
    ("u", "step back"),
    ("n", "new game"),
    ("?", "help"),
    ("q", "quit"),
];

/// The keys and what they do; those that make moves come first.
fn keys(app: &App) -> Vec<(&'static str, &'static str)> {
    if let Role::Watch { .. } = app.options.role {
        return KEYS_WATCH.to_vec();
    }
    let view = &app.view;
    let moving: &[(&str, &str)] = if !view.buttons.is_empty() {
        &[("1 2 3…", "press"), ("←→", "choose"), ("Enter", "press")]
    } else if !view.paths.is_empty() {
        &[("←↑↓→", "cursor"), ("Enter", "choose"), ("Tab", "next")]
    } else if has_arrows(view) {
        return KEYS_PLAY.to_vec();
    } else {
        &[("2 3 4", "multiply")]
    };
    [moving, &KEYS_PLAY[1..]].concat()
}

/// All keys where they fit on the line, otherwise the first ones and how to see the others.
fn keys_text(app: &App, width: u16) -> String {
    let mut keys = keys(app);
    let text =
        |keys: &[(&str, &str)]| join(keys.iter().map(|(key, what)| format!("{key} {what}")), "  ");
    // The last two are how to see all keys, and how to leave.
    while keys.len() > 3 && text(&keys).chars().count() > usize::from(width) {
        keys.remove(keys.len() - 3);
    }
    text(&keys)
}

/// The rules and all keys in a box over the board, from line `first` on.
fn help(app: &App, first: usize, frame: &mut Frame<'_>, area: Rect) {
    let width = area.width.min(80);
    let text_width = usize::from(width) - 4;
    let mut lines = wrapped(&app.rules, text_width);
    lines.push(String::new());
    let entries: Vec<String> = keys(app)
        .iter()
        .map(|(key, what)| format!("{key:>9}  {what}"))
        .collect();
    let columns = if text_width >= 60 { 2 } else { 1 };
    lines.extend(
        entries
            .chunks(columns)
            .map(|row| row.iter().map(|entry| format!("{entry:<30}")).collect()),
    );
    if app.view.buttons.is_empty() && app.view.paths.is_empty() {
        lines.push("Tiles: [n] made by the last move, ·n· new".to_owned());
    }
    let shown = lines.len().min(usize::from(area.height) - 2);
    let is_whole = shown == lines.len();
    app.help_last.set(lines.len() - shown);
    let first = first.min(app.help_last.get());
    let height = shown as u16 + 2;
    let place = Rect::new(
        (area.width - width) / 2,
        (area.height - height) / 2,
        width,
        height,
    );
    let keys = if is_whole {
        " any key: back "
    } else {
        " ↑↓ more · any other key: back "
    };
    let block = Block::bordered()
        .title(" rules and keys ")
        .title_bottom(keys)
        .padding(Padding::horizontal(1));
    let lines: Vec<_> = lines
        .into_iter()
        .skip(first)
        .take(shown)
        .map(Line::raw)
        .collect();
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
