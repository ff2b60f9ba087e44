//! `tilelab run`: plays experiments.

use super::progress::{Display, NOTHING_LEFT, duration_text, games_text, grouped, scaled};
use super::serve::{self, Server};
use super::{Ended, Result, direct, experiments, input_error, interruption, machine, set};
use crate::game::KernelChoice;
use crate::plan::{Cell, Overrides, PerGame, Plan};
use crate::report::folder::{Results, begun};
use crate::report::forfeits;
use crate::results::{self, Error, Finished, Run, derived};
use crate::runner::{self, Progress, Shard};
use crate::text::counted;
use anyhow::Context;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tilelab_output::document::Document;

/// Play experiments and write their tables
///
/// Results go to DIR/NAME/, where NAME is the experiment's name: cells.csv, table.md, and
/// machine.txt with times and machine facts; the tables are printed too. The state is saved about
/// every ten seconds and when interrupted. Started again, an unfinished run continues where it
/// ended, and cells that failed are tried again.
///
/// Numbers of games may be written 250000, 250_000, 250k, 2.5e5 or 3M.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab run experiments/readme.toml --games 10000 --out /tmp/results\n  \
        tilelab run --game 67 --set size=5x5,6x7 --games 1e6")]
pub struct Args {
    /// Experiment files (experiments/README.md documents every key)
    #[arg(
        required_unless_present = "game",
        conflicts_with = "game",
        value_name = "FILE"
    )]
    files: Vec<PathBuf>,
    #[command(flatten)]
    direct: direct::Args,
    /// Games per cell, instead of what the files say; limits max_games of stopping rules too
    #[arg(long, value_name = "N", value_parser = set::count)]
    games: Option<u64>,
    /// Change the number of games of these cells only, such as size=6x7 or player=greedy,random; a
    /// cell must match every --where
    #[arg(long = "where", value_name = "KEY=VALUE", requires = "games")]
    part: Vec<String>,
    /// Games that share one sequence of tiles in every cell, instead of what the files say: 1 or 16
    /// (`lanes` in experiments/README.md)
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    #[command(flatten)]
    programs: experiments::Programs,
    #[command(flatten)]
    how: How,
}

/// How plans are played and what is kept of them.
#[derive(clap::Args)]
pub struct How {
    /// The master seed [default: 67, or what the file says]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Threads to play on [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub threads: Option<usize>,
    /// The kernel, which plays the games (`tilelab list kernels`)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = kernel)]
    pub kernel: KernelChoice,
    /// Where results go [default: results; none with --game]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Play only part I of N; `tilelab merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Write a row for every game too: to games.parquet, or with --per-game=csv to games.csv;
    /// --per-game=positions and --per-game=csv-positions add the last position
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true,
          default_missing_value = "parquet", value_parser = per_game)]
    pub per_game: Option<PerGame>,
    /// Show the report in a browser while the run goes on, with the cells that have ended
    #[arg(long)]
    pub open: bool,
    /// Start over instead of continuing an unfinished run
    #[arg(long)]
    pub fresh: bool,
    /// Stop at the first cell that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Time between saves of the state [seconds]; a killed run loses this and up to two seconds
    /// more
    #[arg(long, value_name = "T", default_value = "8", value_parser = seconds, hide_short_help = true)]
    pub save_every: Duration,
    /// Time between lines of progress when standard error is not a terminal [seconds]
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds, hide_short_help = true)]
    pub line_every: Duration,
    /// Show no progress, and print no tables
    #[arg(long, short)]
    pub quiet: bool,
}

/// Reads the name of a kernel.
pub fn kernel(name: &str) -> Result<KernelChoice, String> {
    set::named(name, KernelChoice::ALL)
}

fn per_game(name: &str) -> Result<PerGame, String> {
    set::named(name, PerGame::ALL)
}

/// Reads a number of threads: many more than there are cores only make a run slow to respond.
pub fn threads(text: &str) -> Result<usize, String> {
    let most = (4 * cores()).max(1024);
    set::number(
        text,
        1..=most,
        &format!("accepted: a whole number from 1 to {most}"),
    )
}

/// Threads that can run at once on this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Reads a time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    set::number(text, 0.001..=1e6, "write seconds from 0.001 to 1000000")
        .map(Duration::from_secs_f64)
}

fn shard(text: &str) -> Result<Shard, String> {
    let read = || {
        let (index, count) = text.split_once('/')?;
        let count = count
            .parse()
            .ok()
            .filter(|count| *count <= Shard::COUNT_MAX)?;
        let index = index
            .parse()
            .ok()
            .filter(|index| (1..=count).contains(index))?;
        Some(Shard { index, count })
    };
    read().ok_or_else(|| "write I/N with 1 ≤ I ≤ N ≤ 1000000, such as 3/7".to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let overrides = Overrides {
        games: args.games,
        part: args.part.clone(),
        lanes: args.lanes,
        seed: args.how.seed,
        programs: args.programs.allowed(),
        ..Overrides::default()
    };
    let plans = match &args.direct.game {
        None => experiments::plans(&args.files, &overrides)?,
        Some(game) => vec![direct::plan(game, &args.direct, overrides)?],
    };
    play_all(plans, &args.files, &args.how, &mut |_, _| Ok(None))
}

/// Says which plan, if any, is played next in the folder of one that was played.
pub type Next<'a> = &'a mut dyn FnMut(&Plan, &Finished) -> Result<Option<Plan>>;

/// Plays plans, each with those that follow it. They come from these files; without any, `--game`
/// has named a single one, and its results are not kept without a folder.
pub fn play_all(mut plans: Vec<Plan>, files: &[PathBuf], args: &How, next: Next<'_>) -> Ended {
    let are_files = !files.is_empty();
    let is_kept = are_files || args.out.is_some();
    for plan in &mut plans {
        if args.per_game.is_some() {
            plan.cells
                .iter()
                .try_for_each(|cell| cell.check_single_games("--per-game").map_err(input_error))?;
        }
        plan.per_game = args.per_game.or(plan.per_game);
    }
    // Removed when this function returns.
    let unkept = if is_kept {
        None
    } else if args.shard.is_some() {
        refuse!("--shard: requires --out; a shard that is not saved cannot be merged");
    } else if args.per_game.is_some() {
        refuse!("--per-game: requires --out, the folder for its file");
    } else {
        let made = tempfile::tempdir();
        Some(made.context("no temporary folder can be made; name one with --out")?)
    };
    let named = args.out.clone().unwrap_or_else(|| PathBuf::from("results"));
    let options = results::RunOptions {
        runner: runner::RunnerOptions {
            threads: args.threads.unwrap_or_else(cores),
            kernel: args.kernel,
            shard: args.shard.unwrap_or(Shard::WHOLE),
            fail_fast: args.fail_fast,
            save_every: args.save_every,
        },
        out: unkept
            .as_ref()
            .map_or(named, |folder| folder.path().to_owned()),
        fresh: args.fresh,
        command: machine::command(),
    };
    // Before the first program is started.
    let interrupted = interruption::flag()?;
    let typed = [PathBuf::from("--game")];
    for (path, plan) in files.iter().chain(&typed).zip(&plans) {
        experiments::check_programs(path, plan)?;
        experiments::check_kernel(path, plan, args.kernel)?;
    }
    // Everything that can be refused is refused before the first game.
    let runs: Vec<_> = plans
        .iter()
        .map(|plan| Run::prepare(plan, &options))
        .collect::<Result<_, _>>()
        .map_err(explained)?;
    let mut failed = false;
    let server = args.open.then(|| serve_first(&runs)).transpose()?;
    for run in runs {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(interruption::EXIT_CODE));
        }
        if let Some(server) = &server {
            server.show(&run.folder.0);
        }
        let finished = play(run, args, are_files, &options, &interrupted, next)?;
        if let Some(server) = &server {
            server.wait(&interrupted);
        }
        if finished.interrupted {
            return Ok(ExitCode::from(interruption::EXIT_CODE));
        }
        failed |= !finished.failures.is_empty() || has_only_forfeits(&finished)?;
        if failed && args.fail_fast {
            break;
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// Says which players did not finish games, and whether there is a cell in which no game was
/// finished.
fn has_only_forfeits(finished: &Finished) -> Result<bool> {
    // Most results have no programs, and their files may be large.
    if finished.forfeited == 0 {
        return Ok(false);
    }
    let results = derived::read(&finished.folder).map_err(explained)?;
    let rows: Vec<_> = results.cells.records().collect();
    for player in forfeits::of_rows(&rows, results.standings.as_ref()) {
        say!("warning: {player}");
    }
    let mut are_there = false;
    for row in rows.iter().filter(|row| forfeits::are_all(row)) {
        let cell = row.get("cell").unwrap_or_default();
        say!("the cell {cell} has no game that its players finished");
        are_there = true;
    }
    Ok(are_there)
}

/// Serves the page of the first run, and opens it.
fn serve_first(runs: &[Run<'_>]) -> Result<Server> {
    let first = runs.first().context("there is nothing to run")?;
    let server = Server::start(&first.folder.0, 0)?;
    say!("report: {}", server.address());
    serve::open(&server.address());
    Ok(server)
}

/// Plays one experiment and those that follow it, and shows how it goes and ends.
fn play(
    run: Run<'_>,
    args: &How,
    are_files: bool,
    options: &results::RunOptions,
    interrupted: &AtomicBool,
    next: Next<'_>,
) -> Result<Finished> {
    let plan = run.plan;
    if let Some(damage) = &run.damage {
        say!("{damage}; using the one saved before it");
    }
    let games = run.games_before;
    if games > 0 && !run.is_complete() {
        say!(
            "{}: continuing after {} {} that are already played (--fresh starts over)",
            plan.name,
            grouped(games),
            plan.unit()[usize::from(games != 1)]
        );
    }
    let leaving = run.leaving;
    if leaving > 0 {
        say!(
            "{}: {} of the tables in {} {} not part of this run: kept in the folder, but no longer shown in its tables (--out DIR plays elsewhere)",
            plan.name,
            counted(leaving, ["cell", "cells"]),
            run.folder.0.display(),
            if leaving == 1 { "is" } else { "are" }
        );
    }
    let display = Display::new(plan, &options.runner, args.quiet, args.line_every);
    display.start();
    let shown = DisplayObserver {
        display: &display,
        unwritten: OnceLock::new(),
    };
    let played = run.play(interrupted, &shown);
    display.finish();
    // The games are played all the same.
    if !args.quiet
        && options.runner.shard == Shard::WHOLE
        && let Some(results) = shown.unwritten.get()
    {
        print_document(&results.document())?;
    }
    let finished = played.map_err(explained)?;
    if !finished.interrupted
        && finished.failures.is_empty()
        && let Some(mut following) = next(plan, &finished)?
    {
        following.per_game = plan.per_game;
        let options = results::RunOptions {
            fresh: false,
            ..options.clone()
        };
        let run = Run::prepare(&following, &options).map_err(explained)?;
        return play(run, args, are_files, &options, interrupted, next);
    }
    let is_kept = are_files || args.out.is_some();
    report(plan, args, is_kept, options.runner.threads, &finished);
    // What was typed is not kept in a file that could be looked at later.
    let is_shown = !finished.interrupted || !are_files;
    if !args.quiet && is_shown && options.runner.shard == Shard::WHOLE {
        print_tables(&finished)?;
    }
    Ok(finished)
}

/// Prints the tables of the cells that have ended, and what others have.
fn print_tables(finished: &Finished) -> Result<()> {
    if finished.cells > 0 {
        return print_document(&finished.tables);
    }
    begun(&finished.folder.0)
        .map_err(anyhow::Error::msg)?
        .as_ref()
        .map_or(Ok(()), print_document)
}

fn print_document(document: &Document) -> Result<()> {
    super::print(document).context("standard output cannot be written")
}

/// Names the cells that failed, by their labels.
fn say_failures(plan: &Plan, finished: &Finished) {
    if finished.failures.is_empty() {
        return;
    }
    let labels = plan.labels();
    let labels: HashMap<_, _> = plan
        .cells
        .iter()
        .zip(&labels)
        .map(|(cell, label)| (cell.key(), label))
        .collect();
    for failure in &finished.failures {
        let label = labels.get(&failure.cell).filter(|label| !label.is_empty());
        let cell = label.map_or(&failure.cell, |label| *label);
        say!("{}: the cell {cell} failed: {}", plan.name, failure.error);
    }
}

/// Says how a run ended.
fn report(plan: &Plan, args: &How, is_kept: bool, threads: usize, finished: &Finished) {
    if finished.interrupted {
        let advice = if is_kept {
            "the state is saved, run the same command to continue"
        } else {
            "nothing is kept without --out"
        };
        say!(
            "{}: interrupted; {advice}; {} of {} have ended",
            plan.name,
            finished.cells,
            counted(plan.cells.len(), ["cell", "cells"])
        );
        return;
    }
    say_failures(plan, finished);
    if args.quiet {
        return;
    }
    let mut cells = counted(finished.cells, ["cell", "cells"]);
    if !finished.failures.is_empty() {
        cells += &format!(", of which {} failed", finished.failures.len());
    }
    let forfeited = match finished.forfeited {
        0 => String::new(),
        games => format!(", {} forfeited", grouped(games)),
    };
    let place = if is_kept {
        format!("; results in {}", finished.folder.0.display())
    } else {
        String::new()
    };
    let has_more =
        |(at, cell): &(usize, &Cell)| cell.stop.is_none() && finished.games_of(*at) > cell.games;
    let kept = match plan.cells.iter().enumerate().filter(has_more).count() {
        0 => String::new(),
        count => format!(
            "; {} {} more games than asked for",
            counted(count, ["cell", "cells"]),
            if count == 1 { "keeps" } else { "keep" }
        ),
    };
    let unit = plan.unit();
    let played = if finished.games_now == 0 && finished.failures.is_empty() {
        NOTHING_LEFT.to_owned()
    } else {
        let speed = finished.games_now as f64 / finished.seconds.max(1e-9);
        format!(
            " in {}, {} {}/s on {}",
            duration_text(finished.seconds),
            scaled(speed).trim_end(),
            unit[1],
            counted(threads, ["thread", "threads"])
        )
    };
    say!(
        "{}: {cells}, {}{forfeited}{played}{kept}{place}",
        plan.name,
        games_text(finished.games, finished.games_now, unit)
    );
}

/// The error of the library with the remedy that the command line has for it.
pub fn explained(error: Error) -> anyhow::Error {
    let remedy = match &error {
        Error::Unwritable { .. } => "; name another folder with --out",
        Error::Busy(_) => "; wait for it or name another folder with --out",
        Error::Load(_)
        | Error::LoadBoth { .. }
        | Error::OtherShard { .. }
        | Error::Contradiction { .. } => "; --fresh starts over",
        Error::OtherRun { .. } => "; --fresh starts over, --out DIR keeps it",
        Error::Lost { .. } => "; --fresh starts over without them, --out DIR plays elsewhere",
        Error::Threads { .. } => "; name fewer with --threads",
        _ => "",
    };
    let prefix = match error {
        Error::Unwritable { .. } => "--out: ",
        _ => "",
    };
    let text = format!("{prefix}{error}{remedy}");
    if error.is_wrong_input() {
        input_error(text)
    } else {
        anyhow::Error::msg(text)
    }
}

/// Passes on to the display what happens in a run.
struct DisplayObserver<'a> {
    display: &'a Display<'a>,
    /// The results, where their files cannot be written.
    unwritten: OnceLock<Results>,
}

impl results::RunObserver for DisplayObserver<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.display.show(progress);
    }

    fn save_failed(&self, error: &Error) {
        self.display.message(&error.to_string());
    }

    fn unwritten(&self, results: Results) {
        self.unwritten.get_or_init(|| results);
    }
}
