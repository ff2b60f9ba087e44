//! `tilelab bench`: how fast kernels and players play, side by side in one run.

mod measure;

use super::{DONE, Ended, input_error, set, wrong};
use measure::Measured;
use std::io::Write;
use std::time::Duration;

/// A median is told that is `ABOVE_FASTEST` times the fastest repetition or more.
const ABOVE_FASTEST: f64 = 1.2;

/// Measure kernels and players: nanoseconds per turn, turns and games per second, and how many
/// times as fast as the reference
///
/// One thread. The game's first player plays the same games by every kernel; with --player, others
/// play too. Kernels and players take turns, so that a busy machine slows all alike. Times are the
/// processor time of the thread: the median of the repetitions and the fastest; "wall" is the
/// median of the elapsed time. The table goes to standard output.
///
/// Turns are counted for each game up to its end: with --set lanes=16, each of the 16 games of a
/// trajectory has its own turns. "effective" is the time per turn times the design effect of the
/// win rate in the measured games: the time per turn of independent games with the same precision.
#[derive(clap::Args)]
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
    /// The kernels to measure [default: all that this machine has]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// A player to measure beside the game's first, such as greedy or "planner(near=64)"; may be
    /// repeated
    #[arg(long)]
    player: Vec<String>,
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
pub fn run(args: &Args) -> Ended {
    let game = set::game(&args.game)?;
    let kernels = measure::kernels(game, &args.kernel)
        .map_err(|error| input_error(format!("--kernel {error}")))?;
    let cases = measure::cases(game, &args.settings)
        .map_err(|error| input_error(format!("--set {error}")))?;
    let player = |text: &String| set::player(game, "--player", text);
    let players: Vec<_> = args.player.iter().map(player).collect::<Result<_, _>>()?;
    let (time, repeats) = if args.quick {
        (2, 1)
    } else {
        (20, args.repeats)
    };
    let time = Duration::from_millis(time);
    let mut output = std::io::stdout().lock();
    let mut all = Vec::new();
    let mut slowest: f64 = 1.0;
    if !args.json {
        writeln!(
            output,
            "{:44} {:10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>12}  player",
            "case",
            "kernel",
            "ns/turn",
            "fastest",
            "wall",
            "effective",
            "turns/s",
            "games/s",
            "x reference"
        )?;
    }
    for case in &cases {
        let measured = measure::measure(game, case, &kernels, &players, time, repeats);
        for measured in measured.map_err(wrong(&case.name))? {
            let above_fastest = measured.ns_per_turn / measured.ns_per_turn_min;
            slowest = above_fastest.max(slowest);
            if args.json {
                all.push(measured);
                continue;
            }
            let Measured {
                case,
                kernel,
                player,
                ns_per_turn,
                ns_per_turn_min,
                wall_ns_per_turn,
                turns_per_s,
                games_per_s,
                effective_ns_per_turn,
                times_reference,
                ..
            } = measured;
            let times = times_reference.map_or_else(String::new, |times| format!("{times:.1}"));
            writeln!(
                output,
                "{case:44} {kernel:10} {ns_per_turn:10.2} {ns_per_turn_min:10.2} {wall_ns_per_turn:10.2} {effective_ns_per_turn:10.2} {turns_per_s:12.0} {games_per_s:10.0} {times:>12}  {player}"
            )?;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut output, &all)?;
        writeln!(output)?;
    }
    if slowest > ABOVE_FASTEST {
        say!(
            "warning: a median is {slowest:.2} times the fastest repetition: the machine is busy, or its clock changes; compare with care"
        );
    }
    DONE
}
