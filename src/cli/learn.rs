//! `tilelab learn`: learns evaluations for the rules of an experiment.

use super::progress::{Display, NOTHING_LEFT, duration_text, games_text, grouped};
use super::run::{cores, seconds, threads};
use super::{Ended, direct, experiments, input_error, interruption, set};
use crate::learn::{self, Error, Finished, GAMES_DEFAULT, LearnOptions, Training, beside};
use crate::plan::{Overrides, Plan};
use crate::text::counted;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Train weights for the rules of an experiment
///
/// Weights are learned for each set of rules that the cells of FILE name, whichever players they
/// name; each set is learned on one thread. All weights go into one file, with a learning curve
/// (PATH.csv) and its plot (PATH.svg) beside it. Players take the file as in { name = "greedy",
/// weights = "PATH" }.
///
/// The states of the training are saved in the folder .NAME.training beside the file, every minute
/// and when interrupted. Started again, an unfinished training continues where it ended; so does a
/// finished one with a larger --games.
///
/// Numbers of games may be written 250000, 250_000, 250k, 2.5e5 or 3M.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab learn mine.toml --games 20k\n  \
        tilelab learn --game 67 --set size=4x4 --set rules=merge-runs --minutes 1 --out small.weights")]
pub struct Args {
    /// An experiment file (experiments/README.md documents every key)
    #[arg(required_unless_present = "game", conflicts_with = "game")]
    file: Option<PathBuf>,
    /// Learn the rules of this game without a file, with --set
    #[arg(long, value_name = "G")]
    game: Option<String>,
    /// With --game: a parameter and its values, such as size=5x5,6x7; may be repeated; the product
    /// of all is learned
    #[arg(long = "set", value_name = "key=value,…", requires = "game")]
    settings: Vec<String>,
    /// Training games for each set of rules; the learning rate falls over them
    #[arg(long, value_name = "N", value_parser = set::count, default_value_t = GAMES_DEFAULT)]
    games: u64,
    /// End after about this time, with the games learned until then
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Option<f64>,
    /// The master seed [default: 67, or what the file says]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Sets of rules to learn at once [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,
    /// Start from the weights in this file: those for the same rules, or, if the file has a single
    /// set for the game, those; built-in: from the weights that come with tilelab
    #[arg(long, value_name = "WEIGHTS")]
    from: Option<PathBuf>,
    /// Where the weights go [default: FILE with the extension .weights]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Start over instead of continuing an earlier training
    #[arg(long)]
    fresh: bool,
    /// Time between saves of the states [seconds]
    #[arg(long, value_name = "T", default_value = "60", value_parser = seconds, hide_short_help = true)]
    save_every: Duration,
    /// Time between lines of progress when standard error is not a terminal [seconds]
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds, hide_short_help = true)]
    line_every: Duration,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

fn minutes(text: &str) -> Result<f64, String> {
    set::number(text, 0.001..=1e6, "write minutes from 0.001 to 1000000")
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    if args.file.is_some() && !args.settings.is_empty() {
        refuse!("--set: the file names the rules; leave --set out, or name the game with --game");
    }
    // The players of the experiment may name the very file that is to be learned.
    let overrides = Overrides {
        seed: args.seed,
        unpublished: true,
        ..Overrides::default()
    };
    let (plan, out, source) = match (&args.file, &args.game) {
        (Some(file), _) => (
            Plan::read(file, overrides).map_err(experiments::refused)?,
            file.with_extension("weights"),
            file.display().to_string(),
        ),
        (None, Some(game)) => {
            let plan = direct::rules(game, &args.settings, overrides)?;
            let out = PathBuf::from(format!("{}.weights", plan.name));
            let settings: String = args
                .settings
                .iter()
                .map(|setting| format!(" --set {setting}"))
                .collect();
            (plan, out, format!("--game {game}{settings}"))
        }
        (None, None) => unreachable!("one of the two is required"),
    };
    let sets = learn::sets(&plan, args.games).map_err(explained)?;
    let options = LearnOptions {
        out: args.out.clone().unwrap_or(out),
        games: args.games,
        time: (args.minutes).map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
        threads: args.threads.unwrap_or_else(cores),
        save_every: args.save_every,
        fresh: args.fresh,
        command: format!(
            "tilelab learn {source} --games {} --seed {}{}",
            args.games,
            sets.seed,
            (args.from.iter())
                .map(|from| format!(" --from {}", from.display()))
                .collect::<String>()
        ),
        from: args.from.clone(),
    };
    if args.file.as_ref() == Some(&options.out) {
        refuse!("--out {}: is the experiment itself", options.out.display());
    }
    let interrupted = interruption::flag()?;
    let training = Training::prepare(&sets, &options).map_err(explained)?;
    let games = training.games_before();
    if (1..args.games.saturating_mul(sets.cells.len() as u64)).contains(&games) {
        say!(
            "{}: continuing after {} games that are already learned (--fresh starts over)",
            sets.name,
            grouped(games)
        );
    }
    let display = Display::of_sets(&sets, &options, args.quiet, args.line_every);
    display.start();
    let finished = training.run(&interrupted, &display);
    display.finish();
    let finished = finished.map_err(explained)?;
    report(&sets, args, &options, &finished);
    Ok(if finished.interrupted {
        ExitCode::from(interruption::EXIT_CODE)
    } else {
        ExitCode::SUCCESS
    })
}

/// Says how the training ended.
fn report(sets: &Plan, args: &Args, options: &LearnOptions, finished: &Finished) {
    let name = &sets.name;
    if finished.interrupted {
        say!("{name}: interrupted; the training is saved, run the same command to continue");
        return;
    }
    if args.quiet {
        return;
    }
    let count = sets.cells.len();
    let of_rules = counted(count, ["set of rules", "sets of rules"]);
    let out = options.out.display();
    let curve = beside(&options.out, ".csv");
    let time = match finished.games_now {
        0 => NOTHING_LEFT.to_owned(),
        _ => format!(" in {}", duration_text(finished.seconds)),
    };
    say!(
        "{name}: {of_rules}, {}{time}; weights in {out}, learning curve in {} and .svg",
        games_text(finished.games, finished.games_now, ["game", "games"]),
        curve.display()
    );
    let left = count.saturating_sub(finished.complete);
    if left > 0 {
        say!(
            "{name}: {left} of {count} sets have fewer than {} games; run the same command to go on",
            options.games
        );
    }
}

/// The error of the library with the remedy that the command line has for it.
fn explained(error: Error) -> anyhow::Error {
    let remedy = match &error {
        Error::Special(_) => "; name a file with --out",
        Error::Unwritable { .. } | Error::Occupied(_) | Error::Beside(_) => {
            "; name another file with --out"
        }
        Error::Lost(_) => "; --fresh replaces it, --out PATH keeps it",
        Error::Damaged { .. } => "; --fresh starts over",
        Error::OtherTraining { .. } => "; --fresh starts over, --out PATH keeps it",
        Error::Fewer { .. } => "; ask for more with --games, or --fresh starts over",
        Error::Threads { .. } => "; name fewer with --threads",
        Error::Folder(crate::results::Error::Busy(_)) => {
            "; wait for it or name another file with --out"
        }
        _ => "",
    };
    let text = format!("{error}{remedy}");
    if error.is_wrong_input() {
        input_error(text)
    } else {
        anyhow::Error::msg(text)
    }
}
