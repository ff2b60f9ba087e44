//! The full screen: what stands where, and a terminal that is put back whatever happens.
//!
//! ```text
//! 67! 6x7 · seed 1 · game 0           what is played
//! round 12 · best 63 · 11 moves · …   how it stands
//!        the board                    as large as fits
//! legal  ↑ ↓ · →                      what can be done
//! Won after 12 moves …                what happened
//! ←↑↓→ wasd move  u undo …            keys
//! ```

use super::app::{App, Flow, Mood};
use super::paint::{self, Palette};
use super::picture;
use super::{Clock, Ending, Role, Setting};
use crate::game::session::View;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event};
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use ratatui::{DefaultTerminal, Frame, Terminal};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The smallest screen.
pub const SIZE_MIN: (u16, u16) = (40, 12);

/// The last game's position and clock, for the summary after the screen is gone.
pub struct Sitting {
    /// How it ended.
    pub ending: Ending,
    /// The position.
    pub view: View,
    /// Its time.
    pub clock: Clock,
    /// What was played.
    pub setting: Setting,
    /// The last screen as an SVG picture.
    pub picture: String,
}

/// Set by a panic, also on a thinking player's thread: the terminal is put back already and must not be drawn on.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Held while drawing, so that a panic on a player's thread does not put the terminal back in the middle of a picture, the rest of
/// which would then land on the ordinary screen.
static DRAWING: Mutex<()> = Mutex::new(());

/// The terminal in raw mode on its alternate screen; both end when this is dropped, and in a panic.
struct Screen(DefaultTerminal);

impl Screen {
    fn open() -> io::Result<Self> {
        let terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
        let hook = std::panic::take_hook();
        let drawer = std::thread::current().id();
        std::panic::set_hook(Box::new(move |panic| {
            // The drawing thread itself may hold the lock already; it draws no more.
            let _drawing = (std::thread::current().id() != drawer).then(|| DRAWING.lock());
            PANICKED.store(true, Ordering::SeqCst);
            hook(panic);
        }));
        Ok(Self(terminal))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // On the way out errors have nowhere to go; the cursor is part of what is put back.
        let _ = self.0.show_cursor();
        if !PANICKED.load(Ordering::SeqCst) {
            ratatui::restore();
        }
    }
}

/// Sits through games on the full screen until somebody leaves or `interrupted` is set (by a signal).
///
/// # Errors
/// When the terminal fails, or a game cannot be opened.
pub fn sit(setting: Setting, palette: Palette, interrupted: &AtomicBool) -> io::Result<Sitting> {
    let mut app = App::new(setting)?;
    let mut screen = Screen::open()?;
    let ending = run(&mut app, &mut screen.0, palette, interrupted)?;
    let size = screen.0.size()?;
    drop(screen);
    app.clock.run(false);
    let mut paper = Terminal::new(TestBackend::new(size.width, size.height)).expect("a buffer takes every picture");
    let picture = picture::svg(paper.draw(|frame| draw(&app, palette, frame)).expect("as above").buffer);
    Ok(Sitting { ending, view: app.view, clock: app.clock, setting: app.setting, picture })
}

fn run(
    app: &mut App,
    terminal: &mut DefaultTerminal,
    palette: Palette,
    interrupted: &AtomicBool,
) -> io::Result<Ending> {
    loop {
        app.tick();
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Ending::Interrupted);
        }
        let drawing = DRAWING.lock();
        if PANICKED.load(Ordering::SeqCst) {
            // The player's thread is about to end; the next tick joins it and passes its panic on.
            drop(drawing);
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        terminal.draw(|frame| draw(app, palette, frame))?;
        drop(drawing);
        // All keys that wait are answered before the next picture.
        let mut patience = app.patience();
        while event::poll(patience)? {
            patience = Duration::ZERO;
            if let Event::Key(key) = event::read()?
                && let Flow::Leave(ending) = app.key(key)
            {
                return Ok(ending);
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
    let [title, facts, board, legal, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let heading = format!("{} · seed {} · game {}", app.setting.title, app.setting.seed, app.index);
    frame.render_widget(Line::styled(heading, bold).centered(), title);
    frame.render_widget(Line::raw(facts_text(app, facts.width)).centered(), facts);
    let cropped = if app.view.look.cells.is_empty() {
        None
    } else {
        paint::board(&app.view.look, palette, inner(board), frame.buffer_mut())
    };
    frame.render_widget(legal_line(app, palette, cropped).centered(), legal);
    if let Some((mood, text)) = &app.message {
        let style = match mood {
            Mood::Good => palette.good(),
            Mood::Bad => palette.bad(),
            Mood::Plain => bold,
        };
        frame.render_widget(Line::styled(shortened(text, message.width), style).centered(), message);
    }
    let dim = if palette == Palette::Plain { Style::new() } else { Style::new().add_modifier(Modifier::DIM) };
    frame.render_widget(Line::styled(keys_text(app, keys.width), dim).centered(), keys);
    if app.help {
        help(app, frame, area);
    }
}

/// A line of air above and below the board where there is enough.
fn inner(area: Rect) -> Rect {
    if area.height < 12 { area } else { Rect::new(area.x, area.y + 1, area.width, area.height - 2) }
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

/// As many facts as fit: the game's own first, then moves, time and pace.
fn facts_text(app: &App, width: u16) -> String {
    let elapsed = app.clock.elapsed();
    let mut parts: Vec<String> = app.view.look.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let moves = app.view.moves;
    parts.push(if moves == 1 { "1 move".to_owned() } else { format!("{moves} moves") });
    let seconds = elapsed.as_secs();
    parts.push(format!("{}:{:02}.{}", seconds / 60, seconds % 60, elapsed.subsec_millis() / 100));
    if let Role::Watch { .. } = app.setting.role {
        parts.push(match (app.paused, app.rate) {
            (true, _) => "paused".to_owned(),
            (false, None) => "turbo".to_owned(),
            (false, Some(rate)) => format!("{rate}/s"),
        });
    }
    let long = |parts: &[String]| parts.join(" · ").chars().count() > usize::from(width);
    for part in &mut parts {
        if part.chars().count() > 24 {
            let short = part.split_once(' ').map(|(name, value)| format!("{name} {}", paint::fit(value, 12)));
            *part = short.unwrap_or_default();
        }
    }
    while parts.len() > 1 && long(&parts) {
        parts.pop();
    }
    parts.join(" · ")
}

const ARROWS: [(&str, &str); 4] = [("up", "↑"), ("down", "↓"), ("left", "←"), ("right", "→")];

/// The legal moves: arrows with a dot in the place of what is not legal, or names, or a number of moves.
fn legal_line(app: &App, palette: Palette, cropped: Option<String>) -> Line<'static> {
    let view = &app.view;
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut spans: Vec<Span<'static>> = Vec::new();
    let hinted = app.hint.map(|hint| view.legal[hint].as_str());
    let styled = |name: &str| if hinted == Some(name) { palette.good() } else { bold };
    let arrows = view.legal.iter().all(|name| ARROWS.iter().any(|(known, _)| known == name));
    if view.outcome.is_some() {
        spans.push(Span::raw("game over "));
    } else if arrows {
        spans.push(Span::raw("legal "));
        for (name, arrow) in ARROWS {
            let is_legal = view.legal.iter().any(|legal| legal == name);
            spans.push(if is_legal { Span::styled(arrow, styled(name)) } else { Span::raw("·") });
            spans.push(Span::raw(" "));
        }
    } else if view.legal.len() <= 8 {
        spans.push(Span::raw("legal "));
        for name in &view.legal {
            spans.push(Span::styled(name.clone(), styled(name)));
            spans.push(Span::raw(" "));
        }
    } else {
        spans.push(Span::raw(format!("{} legal moves ", view.legal.len())));
    }
    if let Some(last) = &view.last {
        spans.push(Span::raw(format!("· last {last}")));
    }
    if app.is_thinking() && app.rate.is_some_and(|rate| rate <= 5.0) {
        spans.push(Span::raw(" …"));
    }
    if let Some(part) = cropped {
        spans.push(Span::raw(format!(" · {part}")));
    }
    Line::from(spans)
}

const KEYS_PLAY: [(&str, &str); 6] =
    [("←↑↓→ wasd", "move"), ("u", "undo"), ("h", "hint"), ("n", "new game"), ("?", "keys"), ("q", "quit")];
const KEYS_WATCH: [(&str, &str); 8] = [
    ("space", "pause"),
    (".", "step"),
    ("+ -", "speed"),
    ("t", "turbo"),
    ("u", "step back"),
    ("n", "new game"),
    ("?", "keys"),
    ("q", "quit"),
];

fn keys(app: &App) -> Vec<(&'static str, &'static str)> {
    let mut keys = match app.setting.role {
        Role::Play { .. } => KEYS_PLAY.to_vec(),
        Role::Watch { .. } => KEYS_WATCH.to_vec(),
    };
    let has_arrows = app.view.legal.iter().all(|name| ARROWS.iter().any(|(known, _)| known == name));
    if matches!(app.setting.role, Role::Play { .. }) && !has_arrows {
        keys[0] = ("2 3 4", "multiply");
    }
    keys
}

/// All keys where they fit on the line, otherwise the way to see them.
fn keys_text(app: &App, width: u16) -> String {
    let all: Vec<String> = keys(app).iter().map(|(key, what)| format!("{key} {what}")).collect();
    let all = all.join("  ");
    if all.chars().count() <= usize::from(width) {
        return all;
    }
    let first = keys(app)[0];
    format!("{} {}  ? all keys  q quit", first.0, first.1)
}

fn help(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let mut lines: Vec<Line<'_>> =
        keys(app).into_iter().map(|(key, what)| Line::raw(format!("{key:>10}  {what}"))).collect();
    lines.push(Line::raw("[n] made, ·n· new").alignment(Alignment::Center));
    let (width, height) = (30, lines.len() as u16 + 2);
    let place = Rect::new((area.width - width) / 2, (area.height.saturating_sub(height)) / 2, width, height);
    let place = place.intersection(area);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ")), place);
}
