//! `tilelab bench`: how fast the kernels play, side by side in one run.

use super::{input_error, set};
use crate::bench::{self, Effort, Measured};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Measure the kernels: nanoseconds a turn, turns and games a second, and how many times as fast as
/// the reference
///
/// One thread, the game's default player. Every kernel plays the same games; the kernels take
/// turns, so that a busy machine slows all alike; the median of the repetitions and the fastest are
/// shown. The table goes to standard output.
///
/// A turn is a turn of one game up to its end: with --set lanes=16, each of the 16 games of a
/// trajectory has its own. "effective" is the time of a turn times the design effect of the win
/// rate in the measured games, that is, of a turn's worth of independent games.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: tilelab bench --set rules=gapless,merge-runs --set size=6x7,10x10 --set tiles_per_turn=2,4 --kernel avx512,reference"
)]
pub struct Args {
    /// The game (`tilelab list games`)
    #[arg(long, value_name = "G", default_value = "sixty-seven")]
    game: String,
    /// A parameter and the values to measure it at, such as size=6x7,8x8; may be repeated; the
    /// product of all is measured
    #[arg(long = "set", value_name = "key=value,…")]
    settings: Vec<String>,
    /// The kernels to measure; all that this machine has when left out
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Repetitions of which the median is taken
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: u64,
    /// One short repetition of each, to see that all work
    #[arg(long)]
    quick: bool,
    /// Print a JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = set::game(&args.game)?;
    let kernels = bench::kernels(game, &args.kernel)
        .map_err(|error| input_error(format!("--kernel {error}")))?;
    let cases = bench::cases(game, &args.settings)
        .map_err(|error| input_error(format!("--set {error}")))?;
    let (time, repeats) = if args.quick {
        (2, 1)
    } else {
        (20, args.repeats)
    };
    let effort = Effort {
        time: Duration::from_millis(time),
        repeats,
    };
    let mut output = std::io::stdout().lock();
    let mut all = Vec::new();
    if !args.json {
        writeln!(
            output,
            "{:44} {:10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>12}",
            "case",
            "kernel",
            "ns/turn",
            "fastest",
            "effective",
            "turns/s",
            "games/s",
            "x reference"
        )?;
    }
    for case in &cases {
        let measured = bench::measure(game, case, &kernels, effort);
        for measured in measured.map_err(|error| input_error(format!("{}: {error}", case.name)))? {
            if args.json {
                all.push(measured);
                continue;
            }
            let times = measured
                .times_reference
                .map_or_else(String::new, |times| format!("{times:.1}"));
            let Measured {
                case,
                kernel,
                ns_per_turn,
                ns_per_turn_min,
                turns_per_s,
                games_per_s,
                ..
            } = measured;
            let effective = measured.effective_ns_per_turn;
            writeln!(
                output,
                "{case:44} {kernel:10} {ns_per_turn:10.2} {ns_per_turn_min:10.2} {effective:10.2} {turns_per_s:12.0} {games_per_s:10.0} {times:>12}"
            )?;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut output, &all)?;
        writeln!(output)?;
    }
    Ok(ExitCode::SUCCESS)
}
