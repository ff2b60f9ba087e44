//! The command line: one file a verb. Each has `Args` (its arguments and help) and `run`.

/// Prints a line on standard error. Where that cannot be written, such as on a full disk, the line
/// is lost and the command goes on; `eprintln!` would panic.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

pub mod bench;
pub mod check;
pub mod cluster;
pub mod compare;
pub mod completions;
mod direct;
pub mod exact;
mod experiments;
pub mod export;
pub mod init;
mod interruption;
pub mod learn;
pub mod list;
pub mod machine;
pub mod man;
pub mod matches;
pub mod merge;
pub mod moves;
pub mod pictures;
pub mod plan_games;
pub mod play;
pub mod progress;
pub mod replay;
pub mod replay_offset;
pub mod report;
pub mod run;
pub mod schema;
mod set;
pub mod solve;
pub mod status;
mod terminal_table;
mod tournament;
pub mod watch;

use clap::{Parser, Subcommand};
use std::path::Path;
use std::process::ExitCode;

/// A Monte Carlo laboratory for number games.
#[derive(Parser, Debug)]
#[command(name = "tilelab", version, about, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 failed while running, 2 wrong input, 130 interrupted (state saved).")]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    Run(run::Args),
    Init(init::Args),
    Check(check::Args),
    Bench(bench::Args),
    Cluster(cluster::Args),
    List(list::Args),
    Merge(merge::Args),
    Status(status::Args),
    Compare(compare::Args),
    Export(export::Args),
    Report(report::Args),
    Replay(replay::Args),
    Move(moves::Args),
    Solve(solve::Args),
    Exact(exact::Args),
    Plan(plan_games::Args),
    Match(matches::Args),
    Tournament(tournament::Args),
    Play(play::Args),
    Watch(watch::Args),
    Completions(completions::Args),
    Man(man::Args),
    Schema(schema::Args),
    Learn(learn::Args),
}

/// A mistake in the input (arguments, TOML, boards, levels): exit code 2, nothing written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

/// Shorthand for an [`InputError`].
pub fn input_error(message: impl Into<String>) -> anyhow::Error {
    InputError(message.into()).into()
}

/// Refuses a file that cannot be written, before anything is played; `option` names it.
pub fn require_writable(option: &str, file: &Path) -> anyhow::Result<()> {
    let refuse = |reason: String| Err(input_error(format!("{option} {}: cannot be written: {reason}", file.display())));
    if file.is_dir() {
        return refuse("it is a folder".to_owned());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Files are replaced as a whole, so their folder is what must take a new file.
    tempfile::Builder::new()
        .prefix(".tilelab-")
        .tempfile_in(folder)
        .map_or_else(|error| refuse(error.to_string()), |_| Ok(()))
}

/// Makes a folder for results, or refuses it before anything is played; `option` names it.
pub fn require_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|error| input_error(format!("{option} {}: cannot be made: {error}", folder.display())))?;
    require_writable(option, &folder.join("any"))
}

impl Cli {
    /// Runs the chosen verb, prints the error if there is one, and returns the exit code.
    #[must_use]
    pub fn execute(self) -> ExitCode {
        let result = match self.verb {
            Verb::Run(args) => run::run(&args),
            Verb::Init(args) => init::run(&args),
            Verb::Check(args) => check::run(&args),
            Verb::Bench(args) => bench::run(&args),
            Verb::Cluster(args) => cluster::run(&args),
            Verb::List(args) => list::run(&args),
            Verb::Merge(args) => merge::run(&args),
            Verb::Status(args) => status::run(&args),
            Verb::Compare(args) => compare::run(&args),
            Verb::Export(args) => export::run(&args),
            Verb::Report(args) => report::run(&args),
            Verb::Replay(args) => replay::run(&args),
            Verb::Move(args) => moves::run(&args),
            Verb::Solve(args) => solve::run(&args),
            Verb::Exact(args) => exact::run(&args),
            Verb::Plan(args) => plan_games::run(&args),
            Verb::Match(args) => matches::run(&args),
            Verb::Tournament(args) => tournament::run(&args),
            Verb::Play(args) => play::run(&args),
            Verb::Watch(args) => watch::run(&args),
            Verb::Completions(args) => completions::run(&args),
            Verb::Man(args) => man::run(&args),
            Verb::Schema(args) => schema::run(&args),
            Verb::Learn(args) => learn::run(&args),
        };
        match result {
            Ok(code) => code,
            // A reader that has seen enough (`tilelab … | head`) is not a failure.
            Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                say!("{}", crate::text::escape_lines(&format!("error: {error:#}")));
                ExitCode::from(if error.is::<InputError>() { 2 } else { 1 })
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
