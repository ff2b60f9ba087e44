//! Playing and watching line by line: boards on standard output, moves on standard input. For
//! scripts, and for terminals without a full screen.

use super::{
    DIRECTIONS, Ending, PlayOptions, Role, hint_text, is_persons_turn, of_wasd, refusal, summary,
    take_back, text_width,
};
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};
use tilelab_games::game::session::{Session, View};
use tilelab_games::game::view::Cell;
use tilelab_games::text::join;
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
        match options.role {
            Role::Watch { rate, .. } => return watch(options, session.as_mut(), rate, console),
            Role::Play { .. } => {
                if let Some(ending) = play(options, session.as_mut(), console)? {
                    return Ok(ending);
                }
            }
        }
        index += 1;
    }
}

fn watch(
    options: &PlayOptions,
    session: &mut dyn Session,
    rate: Option<f64>,
    console: &mut Console<'_>,
) -> io::Result<Ending> {
    let begun = Instant::now();
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
        let seconds = begun.elapsed().as_secs_f64();
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
    console.say(&summary(options, &view, begun.elapsed()))?;
    Ok(Ending::Left)
}

/// Plays one game; returns how playing ended, or nothing where another game is asked for.
fn play(
    options: &PlayOptions,
    session: &mut dyn Session,
    console: &mut Console<'_>,
) -> io::Result<Option<Ending>> {
    let begun = Instant::now();
    let mut line = Vec::new();
    let mut shown = false;
    loop {
        answer_for_others(options, session, console)?;
        let view = session.view();
        let is_over = view.outcome.is_some();
        if !std::mem::replace(&mut shown, true) {
            show(console.output, &view)?;
            if is_over {
                console.say(&summary(options, &view, begun.elapsed()))?;
            }
        }
        console.output.flush()?;
        if console.prompts {
            let asked = if is_over { "undo, new or quit" } else { "move" };
            write!(console.messages, "{asked}? ")?;
            console.messages.flush()?;
        }
        line.clear();
        if console.input.read_until(b'\n', &mut line)? == 0 {
            if is_over {
                return Ok(Some(Ending::Left));
            }
            console.say(&summary(options, &view, begun.elapsed()))?;
            return Ok(Some(Ending::InputEnded));
        }
        let word = plain(&String::from_utf8_lossy(&line));
        let word = of_wasd(&word);
        if let Some(chosen) = view.legal.iter().position(|name| plain(name) == word) {
            session.play(chosen);
            shown = false;
            continue;
        }
        match word {
            "" => {}
            "undo" | "u" if take_back(session, options.role) => shown = false,
            "undo" | "u" => console.tell("nothing to undo")?,
            "hint" | "h" if is_over => console.tell("the game is over")?,
            "hint" | "h" => console.say(&hint_text(options, &view, session.hint()))?,
            "new" | "n" => return Ok(None),
            "board" | "b" => shown = false,
            "quit" | "q" => {
                if !is_over {
                    console.say(&summary(options, &view, begun.elapsed()))?;
                }
                return Ok(Some(Ending::Left));
            }
            "help" | "?" => {
                for line in wrapped(&session.rules(), HELP_WIDTH) {
                    console.tell(&line)?;
                }
                let legal = legal_text(&view);
                console.tell(&format!("moves: {legal}; commands: {COMMANDS}"))?;
            }
            _ => console.tell(&refused(word, &view, session))?,
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

/// Why an input is neither a legal move nor a command.
fn refused(word: &str, view: &View, session: &dyn Session) -> String {
    if view.outcome.is_some() {
        return format!("{word}: the game is over; commands: {COMMANDS}");
    }
    let button = view.buttons.iter().find(|name| plain(name) == word);
    let refused = refusal(session, button.map_or(word, String::as_str));
    let legal = legal_text(view);
    if button.is_some() || DIRECTIONS.contains(&word) {
        format!("{refused}; legal: {legal}")
    } else {
        format!("{refused}; legal: {legal}; commands: {COMMANDS}")
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
    let facts = view.board.facts.iter();
    let facts = facts.map(|(name, value)| format!("{name} {value}"));
    writeln!(output, "{}", join(facts, ", "))?;
    let width = text_width(&view.board).max(1);
    let tile = |cell: &Cell| match cell.text.as_str() {
        "" => format!("{:>width$}", "_"),
        text => format!("{text:>width$}"),
    };
    for row in &view.board.cells {
        writeln!(output, "  {}", join(row.iter().map(tile), " "))?;
    }
    if view.outcome.is_none() {
        writeln!(output, "legal: {}", legal_text(view))?;
    }
    Ok(())
}
