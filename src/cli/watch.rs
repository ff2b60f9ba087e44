//! `tilelab watch`: a player plays and a person watches.

use super::play::{GameArgs, play};
use crate::tui::Role;
use std::process::ExitCode;

/// Watch a player play a game
///
/// Space pauses, . makes a single step, + and - change the speed, t is turbo, u steps back, n
/// begins the next game, ? shows the rules. Without a terminal, or with --plain, every position is
/// written to standard output with move count and elapsed time.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
        tilelab watch sixty-seven --player random --seed 67\n  \
        tilelab watch sixty-seven --turbo --set size=10x10\n  \
        tilelab watch sixty-seven --plain --seed 1 | tail -1")]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Moves per second [default: 5 on the full screen, as fast as possible line by line]
    #[arg(long, value_name = "N", value_parser = rate)]
    speed: Option<f64>,
    /// As fast as possible
    #[arg(long, conflicts_with = "speed")]
    turbo: bool,
    /// Wait for a key before the first move
    #[arg(long)]
    paused: bool,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.01..=1000.0).contains(rate));
    rate.ok_or_else(|| "write moves per second, 0.01 to 1000".to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    use std::io::IsTerminal;
    let by_default = if std::io::stdout().is_terminal() { Some(5.0) } else { None };
    let rate = if args.turbo { None } else { args.speed.or(by_default) };
    play(&args.game, 0, |_| Role::Watch { rate, paused: args.paused })
}
