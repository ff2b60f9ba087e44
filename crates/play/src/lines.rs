//! Playing and watching line by line: boards on standard output, moves on standard input. For
//! scripts, and for terminals without a full screen.

use super::{
    Clock, DIRECTIONS, Ending, PlayOptions, Role, hint_text, is_persons_turn, of_wasd, refusal,
    summary, take_back, text_width,
};
use std::io::{self, BufRead, Write};
use std::time::Duration;
use tilelab_core::game::session::{Session, View};
use tilelab_core::game::view::Cell;
use tilelab_output::text::wrapped;

const COMMANDS: &str = "undo, hint, new, board, help (the rules), quit";
/// The longest lines of help.
const HELP_WIDTH: usize = 80;
/// More legal moves than this are counted instead of listed.
const LISTED_MAX: usize = 12;

/// Input, output and messages.
pub struct Console<'a> {
    /// Where moves come from, one a line.
    pub input: &'a mut dyn BufRead,
    /// Where boards go.
    pub output: &'a mut dyn Write,
    /// Where error messages, help and prompts go.
    pub messages: &'a mut dyn Write,
    /// Whether to ask before each line of input.
    pub prompts: bool,
}

impl Console<'_> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    fn tell(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.messages, "{text}")
    }
}

/// Plays or watches games until the input ends or somebody quits.
///
/// # Errors
/// When input or output fails.
pub fn run(options: &PlayOptions, console: &mut Console<'_>) -> io::Result<Ending> {
    let mut index = options.index;
    loop {
        let mut session = (options.open)(index).map_err(io::Error::other)?;
        let goal = match session.goal() {
            goal if goal.is_empty() => goal,
            goal => goal + ", ",
        };
        let PlayOptions { title, seed, .. } = options;
        console.say(&format!("{title}, {goal}seed {seed}, game {index}"))?;
        let next = match options.role {
            Role::Watch { rate, .. } => watch(options, session.as_mut(), rate, console)?,
            Role::Play { .. } => play(options, session.as_mut(), console)?,
        };
        match next {
            Next::Game => index += 1,
            Next::End(ending) => return Ok(ending),
        }
    }
}

enum Next {
    Game,
    End(Ending),
}

fn watch(
    options: &PlayOptions,
    session: &mut dyn Session,
    rate: Option<f64>,
    console: &mut Console<'_>,
) -> io::Result<Next> {
    let mut clock = Clock::default();
    clock.run(true);
    let mut view = session.view();
    show(console.output, &view)?;
    while !session.is_over() {
        let chosen = session.choose();
        let seat = view.seat;
        let name = view.legal[chosen].clone();
        session.play(chosen);
        view = session.view();
        let who = if options.players.len() > 1 {
            format!("seat {seat}, ")
        } else {
            String::new()
        };
        let seconds = clock.elapsed().as_secs_f64();
        console.say(&format!(
            "\nmove {}: {who}{name} ({seconds:.2} s)",
            view.moves
        ))?;
        show(console.output, &view)?;
        console.output.flush()?;
        if let Some(rate) = rate {
            std::thread::sleep(Duration::from_secs_f64(1.0 / rate));
        }
    }
    console.say(&summary(options, &view, clock.elapsed()))?;
    Ok(Next::End(Ending::Left))
}

fn play(
    options: &PlayOptions,
    session: &mut dyn Session,
    console: &mut Console<'_>,
) -> io::Result<Next> {
    let mut clock = Clock::default();
    clock.run(true);
    let mut line = Vec::new();
    let mut shown = false;
    loop {
        answer_for_others(options, session, console)?;
        let view = session.view();
        if !std::mem::replace(&mut shown, true) {
            show(console.output, &view)?;
            if view.outcome.is_some() {
                console.say(&summary(options, &view, clock.elapsed()))?;
            }
        }
        console.output.flush()?;
        if console.prompts {
            let asked = if view.outcome.is_some() {
                "undo, new or quit"
            } else {
                "move"
            };
            write!(console.messages, "{asked}? ")?;
            console.messages.flush()?;
        }
        line.clear();
        if console.input.read_until(b'\n', &mut line)? == 0 {
            if view.outcome.is_some() {
                return Ok(Next::End(Ending::Left));
            }
            console.say(&summary(options, &view, clock.elapsed()))?;
            return Ok(Next::End(Ending::InputEnded));
        }
        let text = String::from_utf8_lossy(&line);
        match Command::read(&text, &view, session) {
            Command::Nothing => {}
            Command::Play(chosen) => {
                session.play(chosen);
                shown = false;
            }
            Command::Undo if take_back(session, options.role) => shown = false,
            Command::Undo => console.tell("nothing to undo")?,
            Command::Hint if view.outcome.is_some() => console.tell("the game is over")?,
            Command::Hint => console.say(&hint_text(options, &view, session.hint()))?,
            Command::New => return Ok(Next::Game),
            Command::Board => shown = false,
            Command::Quit => {
                if view.outcome.is_none() {
                    writeln!(
                        console.output,
                        "{}",
                        summary(options, &view, clock.elapsed())
                    )?;
                }
                return Ok(Next::End(Ending::Left));
            }
            Command::Help => {
                for line in wrapped(&session.rules(), HELP_WIDTH) {
                    console.tell(&line)?;
                }
                let legal = legal_text(&view);
                console.tell(&format!("moves: {legal}; commands: {COMMANDS}"))?;
            }
            Command::Refused(message) => console.tell(&message)?,
        }
    }
}

/// Lets the players of the other seats move.
fn answer_for_others(
    options: &PlayOptions,
    session: &mut dyn Session,
    console: &mut Console<'_>,
) -> io::Result<()> {
    loop {
        let view = session.view();
        if view.outcome.is_some() || is_persons_turn(options.role, &view) {
            return Ok(());
        }
        let chosen = session.choose();
        let [player, name] = [&options.players[view.seat], &view.legal[chosen]];
        console.say(&format!("{player}: {name}"))?;
        session.play(chosen);
    }
}

/// A line of input, understood.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Nothing,
    Play(usize),
    Undo,
    Hint,
    New,
    Board,
    Help,
    Quit,
    Refused(String),
}

impl Command {
    fn read(line: &str, view: &View, session: &dyn Session) -> Self {
        let word = plain(line);
        let word = of_wasd(&word);
        if let Some(chosen) = view.legal.iter().position(|name| plain(name) == word) {
            return Self::Play(chosen);
        }
        match word {
            "" => Self::Nothing,
            "undo" | "u" => Self::Undo,
            "hint" | "h" => Self::Hint,
            "new" | "n" => Self::New,
            "board" | "b" => Self::Board,
            "help" | "?" => Self::Help,
            "quit" | "q" => Self::Quit,
            _ if view.outcome.is_some() => {
                Self::Refused(format!("{word}: the game is over; commands: {COMMANDS}"))
            }
            _ => {
                let button = view.buttons.iter().find(|name| plain(name) == word);
                let refused = refusal(session, button.map_or(word, String::as_str));
                let is_known = button.is_some() || DIRECTIONS.contains(&word);
                let commands = if is_known {
                    String::new()
                } else {
                    format!("; commands: {COMMANDS}")
                };
                Self::Refused(format!("{refused}; legal: {}{commands}", legal_text(view)))
            }
        }
    }
}

/// Names are compared in lower case, without blanks and parentheses.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')'))
        .flat_map(char::to_lowercase)
        .collect()
}

fn legal_text(view: &View) -> String {
    match view.legal.len() {
        0 => "none".to_owned(),
        count if count > LISTED_MAX => format!("{count} moves, such as {}", view.legal[0]),
        _ => view.legal.join(" "),
    }
}

/// Writes facts, board and legal moves.
fn show(output: &mut dyn Write, view: &View) -> io::Result<()> {
    let facts: Vec<String> = view
        .board
        .facts
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    writeln!(output, "{}", facts.join(", "))?;
    let text = |cell: &Cell| match cell.text.as_str() {
        "" => "_".to_owned(),
        text => text.to_owned(),
    };
    let width = text_width(&view.board).max(1);
    for row in &view.board.cells {
        let tiles: Vec<String> = row
            .iter()
            .map(|cell| format!("{:>width$}", text(cell)))
            .collect();
        writeln!(output, "  {}", tiles.join(" "))?;
    }
    if view.outcome.is_none() {
        writeln!(output, "legal: {}", legal_text(view))?;
    }
    Ok(())
}
