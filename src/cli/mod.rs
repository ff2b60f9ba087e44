//! The command line: one file a verb. Each has `Args` (its arguments and help) and `run`.

/// Prints a message on standard error.
macro_rules! say {
    ($($argument:tt)*) => { $crate::cli::say(&format!($($argument)*)) };
}

/// Returns from the function around it with an [`InputError`] of this message.
macro_rules! refuse {
    ($($argument:tt)*) => { return Err($crate::cli::input_error(format!($($argument)*))) };
}

mod bench;
mod check;
mod cluster;
mod compare;
mod curve;
mod direct;
mod exact;
mod experiments;
mod formats;
mod generate;
mod init;
mod interruption;
mod learn;
mod list;
mod machine;
mod matches;
mod merge;
mod moves;
mod play;
mod progress;
mod replay;
mod replay_offset;
mod report;
pub mod run;
mod sample_size;
mod serve;
mod set;
mod solve;
mod status;

use crate::text::{self, join};
use anyhow::{Context, Result};
use clap::{ArgMatches, Command};
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use tilelab_output::document::Document;
use tilelab_output::text::indented;

/// The command line, read: a verb with its arguments.
pub struct Cli {
    verb: Verb,
    arguments: ArgMatches,
}

/// A verb of the command line.
struct Verb {
    name: &'static str,
    /// Adds the arguments and the help of the verb.
    augment: fn(Command) -> Command,
    run: Box<dyn Fn(&ArgMatches) -> Ended>,
}

fn verb<A: clap::Args + 'static>(name: &'static str, run: fn(&A) -> Ended) -> Verb {
    Verb {
        name,
        augment: A::augment_args,
        run: Box::new(move |arguments| run(&A::from_arg_matches(arguments)?)),
    }
}

/// The verbs as `tilelab --help` lists them.
fn verbs() -> [(&'static str, Vec<Verb>); 4] {
    [
        (
            "Experiments",
            vec![
                verb("init", init::run),
                verb("run", run::run),
                verb("check", check::run),
                verb("status", status::run),
                verb("compare", compare::run),
                verb("curve", curve::run),
                verb("report", report::run),
                verb("merge", merge::run),
            ],
        ),
        (
            "Players",
            vec![
                verb("list", list::run),
                verb("match", matches::run),
                verb("learn", learn::run),
            ],
        ),
        (
            "Games",
            vec![
                verb("play", play::run),
                verb("replay", replay::run),
                verb("solve", solve::run),
                verb("exact", exact::run),
            ],
        ),
        (
            "More",
            vec![
                verb("sample-size", sample_size::run),
                verb("bench", bench::run),
                verb("move", moves::run),
                verb("cluster", cluster::run),
                verb("generate", generate::run),
            ],
        ),
    ]
}

/// The command line with its verbs in groups, which clap's derive does not do.
pub fn command() -> Command {
    // Shells complete files where clap knows nothing better; only paths are files.
    let not_a_file = |arg: clap::Arg| {
        let is_unknown = arg.get_value_hint() == clap::ValueHint::Unknown;
        if is_unknown && arg.get_action().takes_values() {
            arg.value_hint(clap::ValueHint::Other)
        } else {
            arg
        }
    };
    let mut command = Command::new("tilelab")
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .after_help("Exit codes: 0 done, 1 failed while running, 2 wrong input, 130 interrupted (state saved).")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true);
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut listed = String::new();
    for (group, verbs) in verbs() {
        listed += &format!("{header}{group}:{header:#}\n");
        for Verb { name, augment, .. } in verbs {
            let verb = augment(Command::new(name)).mut_args(not_a_file);
            let about = verb.get_about().cloned().unwrap_or_default();
            listed += &format!("  {literal}{name:<12}{literal:#} {about}\n");
            command = command.subcommand(verb);
        }
        listed += "\n";
    }
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{listed}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// What a verb ends with: the exit code, or an error that is printed.
pub type Ended = Result<ExitCode>;

/// The verb did all that it was asked for.
pub const DONE: Ended = Ok(ExitCode::SUCCESS);

/// A mistake in the input (arguments, TOML, boards, levels): exit code 2, nothing written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

/// Shorthand for an [`InputError`].
pub fn input_error(message: impl ToString) -> anyhow::Error {
    InputError(message.to_string()).into()
}

/// Turns an error into an [`InputError`] that names its place first: a file or an option.
pub fn wrong<E: Display>(place: impl Display) -> impl Fn(E) -> anyhow::Error {
    move |error| input_error(format!("{place}: {error}"))
}

/// Refuses a file that could not be written in the end, before there is anything to lose. `option`
/// names it.
pub fn check_writable(option: &str, file: &Path) -> Result<()> {
    tilelab_output::atomic::check_writable(file).map_err(|error| {
        let file = file.display();
        input_error(format!(
            "{option} {file}: cannot be written: {error}; name a file that can"
        ))
    })
}

/// Writes a file that the user named.
pub fn write_output(file: &Path, bytes: &[u8]) -> Result<()> {
    let written = tilelab_output::atomic::write_output(file, bytes);
    written.with_context(|| format!("{}: cannot be written", file.display()))
}

/// The columns of the terminal that standard output is; `None` where it is none.
pub fn columns() -> Option<usize> {
    columns_of(&std::io::stdout())
}

/// The columns of the terminal, where `output` is one; otherwise `None`.
fn columns_of(output: &impl IsTerminal) -> Option<usize> {
    // A terminal that does not know its size counts as one of 80 columns.
    (output.is_terminal()).then(|| match ratatui::crossterm::terminal::size() {
        Ok((columns @ 1.., _)) => columns.into(),
        _ => 80,
    })
}

/// Makes writing beyond the system's limit of the size of files (`ulimit -f`) an error, which says
/// what could not be written, and no longer the end of the process.
pub fn tell_of_full_files() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGXFSZ, flag};
        // Where there is no handler, the process ends as before.
        drop(flag::register(SIGXFSZ, std::sync::Arc::default()));
    }
}

/// Starts the threads that play games again.
pub fn start_threads() -> Result<()> {
    use std::error::Error;
    match rayon::ThreadPoolBuilder::new().build_global() {
        // Without a source, they have been started before.
        Err(error) if error.source().is_some() => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a message on standard error. Where that cannot be written, such as on a full disk, the
/// message is lost and the command goes on; `eprintln!` would panic.
pub fn say(message: &str) {
    let mut output = std::io::stderr().lock();
    let columns = columns_of(&output);
    let _ = output.write_all(indented(message, columns).as_bytes());
}

/// Prints lines, on a terminal broken between words.
pub fn print_lines(text: &str) -> std::io::Result<()> {
    std::io::stdout().write_all(indented(text, columns()).as_bytes())
}

/// Prints a document: as Markdown, or on a terminal in its width.
pub fn print(document: &Document) -> std::io::Result<()> {
    let text = match columns() {
        Some(columns) => document.to_terminal(columns),
        None => document.to_string(),
    };
    std::io::stdout().write_all(text.as_bytes())
}

impl Cli {
    /// Reads the arguments, the program's name first.
    ///
    /// # Errors
    /// Says which argument is wrong and what is accepted; or holds the help that was asked for.
    pub fn read<T: Into<std::ffi::OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let named = command()
            .try_get_matches_from(arguments)?
            .remove_subcommand();
        let (name, arguments) = named.expect("a verb is required");
        let mut verbs = verbs().into_iter().flat_map(|(_, verbs)| verbs);
        let verb = verbs
            .find(|verb| verb.name == name)
            .expect("only verbs are commands");
        Ok(Self { verb, arguments })
    }

    /// Runs the verb, prints the error if there is one, and returns the exit code.
    #[must_use]
    pub fn execute(self) -> ExitCode {
        match (self.verb.run)(&self.arguments) {
            Ok(code) => code,
            // A reader that has seen enough (`tilelab … | head`) is not a failure.
            Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                let message = format!("error: {error:#}");
                say!("{}", text::shorten_lines(&text::escape_lines(&message)));
                ExitCode::from(if error.is::<InputError>() { 2 } else { 1 })
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
