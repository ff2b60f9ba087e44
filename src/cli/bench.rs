//! `tilelab bench`: how fast the kernels play, side by side in one run.

use super::{input_error, set};
use crate::catalog::{GameEntry, PlayerSpec, Setup};
use crate::game::{Job, KernelChoice, Tally};
use crate::params::{Params, suggestion};
use crate::rng::CellSeeds;
use crate::stats::ClusterSums;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

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

/// One measured line.
#[derive(Debug, Serialize)]
struct Measured {
    game: &'static str,
    case: String,
    kernel: &'static str,
    games: u64,
    turns: u64,
    ns_per_turn: f64,
    ns_per_turn_min: f64,
    turns_per_s: f64,
    games_per_s: f64,
    /// Games that share a trajectory.
    lanes: u64,
    /// How many times the variance of the win rate that of independent games is, in the measured
    /// games; absent without lanes.
    design_effect: Option<f64>,
    /// `ns_per_turn` times the design effect (at least 1): what a turn of an independent game would
    /// have to cost for the same precision.
    effective_ns_per_turn: f64,
    /// The reference's time over this kernel's; absent when the reference was not measured.
    times_reference: Option<f64>,
}

/// A kernel at work on a case.
struct Runner {
    job: Box<dyn Job>,
    games: u64,
    turns: u64,
    design_effect: Option<f64>,
    ns_per_turn: Vec<f64>,
}

impl Runner {
    /// Chooses how many games take about `target` of time.
    fn new(job: Box<dyn Job>, target: Duration) -> Self {
        let mut games = 8 * job.lanes();
        loop {
            let (time, _) = play(job.as_ref(), games);
            if time * 2 > target {
                return Self { job, games, turns: 0, design_effect: None, ns_per_turn: Vec::new() };
            }
            games *= if time * 8 < target { 4 } else { 2 };
        }
    }

    fn measure(&mut self) {
        let (time, tally) = play(self.job.as_ref(), self.games);
        let turns = u64::try_from(tally.moves_sum).expect("a short run has few turns");
        self.turns = turns;
        self.design_effect = ClusterSums::of_wins(&tally).and_then(|sums| sums.design_effect());
        self.ns_per_turn.push(time.as_nanos() as f64 / turns as f64);
    }

    fn median(&mut self) -> f64 {
        self.ns_per_turn.sort_unstable_by(f64::total_cmp);
        self.ns_per_turn[self.ns_per_turn.len() / 2]
    }
}

/// Plays the first games of a job; returns the time and the games.
fn play(job: &dyn Job, games: u64) -> (Duration, Tally) {
    let mut tally = Tally::new(job.measures());
    let begun = Instant::now();
    let mut from = 0;
    while from < games {
        let to = games.min(from + job.batch_games());
        job.play(from..to, &mut tally);
        from = to;
    }
    (begun.elapsed(), tally)
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = set::game(&args.game)?;
    let kernels = kernels(game, &args.kernel)?;
    let settings = if args.settings.is_empty() {
        game.bench.iter().map(|&setting| setting.to_owned()).collect()
    } else {
        args.settings.clone()
    };
    let mut cases = Vec::new();
    for case in product(&settings)? {
        cases.push((case.join(" "), set::params(game, &case)?));
    }
    let mut output = std::io::stdout().lock();
    let mut all = Vec::new();
    if !args.json {
        writeln!(
            output,
            "{:44} {:10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>12}",
            "case", "kernel", "ns/turn", "fastest", "effective", "turns/s", "games/s", "x reference"
        )?;
    }
    for (case, params) in &cases {
        for measured in measure(game, case, params, &kernels, args)? {
            if args.json {
                all.push(measured);
                continue;
            }
            let times = measured.times_reference.map_or_else(String::new, |times| format!("{times:.1}"));
            let Measured { case, kernel, ns_per_turn, ns_per_turn_min, turns_per_s, games_per_s, .. } = measured;
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

/// The kernels to measure, slowest first.
fn kernels(game: &GameEntry, named: &[String]) -> anyhow::Result<Vec<KernelChoice>> {
    let mut known = vec![KernelChoice::Reference];
    known.extend(game.kernels.iter().filter(|kernel| (kernel.available)()).map(|kernel| kernel.choice));
    let names: Vec<&str> = known.iter().map(|kernel| kernel.name()).collect();
    for name in named {
        if !names.contains(&name.as_str()) {
            let meant = suggestion(name, names.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
            return Err(input_error(format!(
                "--kernel {name}: not there; this machine has: {}{}",
                names.join(", "),
                meant.unwrap_or_default()
            )));
        }
    }
    known.retain(|kernel| named.is_empty() || named.iter().any(|name| name == kernel.name()));
    Ok(known)
}

/// All combinations of `key=a,b` settings as `key=a` settings, the last key fastest.
fn product(settings: &[String]) -> anyhow::Result<Vec<Vec<String>>> {
    let mut cases = vec![Vec::new()];
    for setting in settings {
        let (key, values) = setting
            .split_once('=')
            .ok_or_else(|| input_error(format!("--set {setting}: write key=value or key=value,value")))?;
        cases = cases
            .iter()
            .flat_map(|case: &Vec<String>| {
                values.split(',').map(move |value| [case.as_slice(), &[format!("{key}={value}")]].concat())
            })
            .collect();
    }
    Ok(cases)
}

/// Measures one case with every kernel in turn.
fn measure(
    game: &'static GameEntry,
    case: &str,
    params: &Params,
    kernels: &[KernelChoice],
    args: &Args,
) -> anyhow::Result<Vec<Measured>> {
    let (target, repeats) =
        if args.quick { (Duration::from_millis(2), 1) } else { (Duration::from_millis(20), args.repeats) };
    let players = vec![PlayerSpec::new(&game.players[0]); game.seats];
    let key = params.key(game.params);
    let mut runners = Vec::new();
    for &kernel in kernels {
        let setup = Setup { params, players: &players, seeds: CellSeeds::new(67, &key, &key), kernel };
        let job = game.build(&setup).map_err(|error| input_error(format!("{case}: {error}")))?;
        runners.push(Runner::new(job, target));
    }
    for _ in 0..repeats {
        runners.iter_mut().for_each(Runner::measure);
    }
    let reference = kernels.iter().position(|&kernel| kernel == KernelChoice::Reference);
    let reference = reference.map(|at| runners[at].median());
    let lines = runners.iter_mut().map(|runner| {
        let ns_per_turn = runner.median();
        Measured {
            game: game.name,
            case: case.to_owned(),
            kernel: runner.job.kernel(),
            games: runner.games,
            turns: runner.turns,
            ns_per_turn,
            // Sorted by the median.
            ns_per_turn_min: runner.ns_per_turn[0],
            turns_per_s: 1e9 / ns_per_turn,
            games_per_s: 1e9 / ns_per_turn / (runner.turns as f64 / runner.games as f64),
            lanes: runner.job.lanes(),
            design_effect: runner.design_effect,
            effective_ns_per_turn: ns_per_turn * runner.design_effect.map_or(1.0, |effect| effect.max(1.0)),
            times_reference: reference.map(|reference| reference / ns_per_turn),
        }
    });
    Ok(lines.collect())
}
