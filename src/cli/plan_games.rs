//! `tilelab plan`: how many games a question needs, and how long they take.

use super::progress::duration_text;
use super::{input_error, set};
use crate::catalog::{GameEntry, LANES, METHOD, PlayerSpec, SPLITTING};
use crate::game::{Job, KernelChoice, Tally};
use crate::params::{Params, Value};
use crate::plan::Cell;
use crate::stats::{ClusterSums, SplittingSums, power};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Say how many games a precision, a difference or an equivalence needs
///
/// Rates are shares from 0 to 1. With --game, some games are played for about two seconds: their
/// win rate replaces a missing --rate, and the time of the planned games is forecast, for plain
/// games and, in 67!, for value lanes. The forecast is for one thread.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab plan --rate 0.01 --detect 0.001 --power 0.9\n\
                  Example: tilelab plan --game sixty-seven --set size=6x7 --relative 0.05")]
pub struct Args {
    /// The win rate that is expected; that of the games played when left out
    #[arg(long, value_name = "P", value_parser = share)]
    rate: Option<f64>,
    /// Half the width of the interval of the rate
    #[arg(long, value_name = "W", value_parser = share)]
    half_width: Option<f64>,
    /// The half-width divided by the rate
    #[arg(long, value_name = "R", value_parser = positive)]
    relative: Option<f64>,
    /// The difference of two rates that a test finds
    #[arg(long, value_name = "D", value_parser = share)]
    detect: Option<f64>,
    /// The difference below which two equal rates are found equivalent
    #[arg(long, value_name = "MARGIN", value_parser = share)]
    equivalence: Option<f64>,
    /// The probability that the test finds it
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = share)]
    power: f64,
    /// The confidence of the interval; tests have the level 1 - confidence
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = share)]
    confidence: f64,
    /// The game to play for a forecast (`tilelab list games`)
    #[arg(long, value_name = "G")]
    game: Option<String>,
    /// A parameter of the game, such as size=6x7; may be repeated
    #[arg(long = "set", value_name = "key=value", requires = "game")]
    settings: Vec<String>,
    /// The player
    #[arg(long, value_name = "NAME", requires = "game")]
    player: Option<String>,
}

fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number between 0 and 1 is needed".to_owned())?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("must lie between 0 and 1".to_owned()) }
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number above 0 is needed".to_owned())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("must be above 0".to_owned()) }
}

/// A way to play, measured.
struct Way {
    name: String,
    /// What is counted: games, or replications.
    unit: &'static str,
    /// The win rate of the games played.
    rate: f64,
    games: u64,
    /// Games (or replications) that are worth as much as one independent game.
    design_effect: f64,
    seconds_per_game: f64,
}

/// How long each way is played.
const PILOT: Duration = Duration::from_secs(1);

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if [args.half_width, args.relative, args.detect, args.equivalence].iter().all(Option::is_none) {
        return Err(input_error("nothing to plan; give --half-width, --relative, --detect or --equivalence"));
    }
    let ways = match &args.game {
        Some(name) => measure(set::game(name)?, args)?,
        None => Vec::new(),
    };
    // The first way that has seen wins and losses.
    let measured = ways.iter().map(|way| way.rate).find(|rate| (f64::MIN_POSITIVE..1.0).contains(rate));
    let Some(rate) = args.rate.or(measured) else {
        let why = match ways.first() {
            Some(way) => {
                let won = if way.rate > 0.0 { "all" } else { "none" };
                format!("{won} of {} games were won, which gives no rate to plan with", way.games)
            }
            None => "it is needed without --game".to_owned(),
        };
        return Err(input_error(format!("--rate: {why}; give the rate that you expect")));
    };
    let mut output = std::io::stdout().lock();
    writeln!(output, "rate {rate}, confidence {}, power {}", args.confidence, args.power)?;
    for (question, games) in questions(args, rate)? {
        writeln!(output, "{question}: {games:.0} independent games")?;
        let time = |way: &Way| games * way.design_effect * way.seconds_per_game;
        let soonest = ways.iter().map(time).fold(f64::INFINITY, f64::min);
        for way in &ways {
            let mark = if ways.len() > 1 && time(way) == soonest { ", soonest" } else { "" };
            writeln!(
                output,
                "  {}: {:.0} {} (design effect {}), {} on one thread{mark}",
                way.name,
                (games * way.design_effect).ceil(),
                way.unit,
                effect_text(way.design_effect),
                duration_text(time(way))
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A design effect to two decimals, or as many as show it.
fn effect_text(effect: f64) -> String {
    if effect < 0.1 { format!("{effect:.1e}") } else { format!("{effect:.2}") }
}

/// The questions asked, each with the games that it needs.
fn questions(args: &Args, rate: f64) -> anyhow::Result<Vec<(String, f64)>> {
    let mut all = Vec::new();
    if let Some(width) = args.half_width {
        all.push((format!("half-width {width}"), power::games_for_half_width(rate, width, args.confidence)));
    }
    if let Some(relative) = args.relative {
        let games = power::games_for_half_width(rate, relative * rate, args.confidence);
        all.push((format!("half-width of {relative} times the rate"), games));
    }
    if let Some(difference) = args.detect {
        if rate + difference >= 1.0 {
            return Err(input_error(format!(
                "--detect {difference}: with the rate {rate} it must be below {}",
                1.0 - rate
            )));
        }
        let games = power::games_for_difference(rate, difference, args.confidence, args.power);
        all.push((format!("difference {difference}, for each of two cells"), games));
    }
    if let Some(margin) = args.equivalence {
        let games = power::games_for_equivalence(rate, margin, args.confidence, args.power);
        all.push((format!("equivalence within {margin}, for each of two cells"), games));
    }
    Ok(all)
}

/// Plays the cell plainly, and with lanes and by splitting where the game has them and the settings
/// name neither.
fn measure(game: &'static GameEntry, args: &Args) -> anyhow::Result<Vec<Way>> {
    let mut players = vec![PlayerSpec::new(&game.players[0]); game.seats];
    if let Some(name) = &args.player {
        players[0] = set::player(game, "--player", name)?;
    }
    let params = set::params(game, &args.settings)?;
    let job = |params: Params| Cell::of(game, params, players.clone()).job(0, KernelChoice::Auto);
    let is_named = args.settings.iter().any(|setting| setting.starts_with("lanes=") || setting.starts_with("method="));
    let plain = job(params.clone()).map_err(|error| input_error(error.to_string()))?;
    let name = |lanes: u64| if lanes > 1 { format!("{lanes} value lanes") } else { "plain games".to_owned() };
    let mut ways = vec![play(name(plain.lanes()), plain.as_ref())];
    for (key, value) in [(LANES, Value::Int(16)), (METHOD, Value::Text(SPLITTING.to_owned()))] {
        if is_named || !game.params.iter().any(|spec| spec.name == key) {
            continue;
        }
        let mut changed = params.clone();
        changed.set(key, value);
        // Rules or players that have no lanes, or are not split, are planned without them.
        if (game.complete)(&mut changed).is_ok()
            && let Ok(job) = job(changed)
        {
            ways.push(play(name(job.lanes()), job.as_ref()));
        }
    }
    Ok(ways)
}

/// Plays whole batches for about [`PILOT`].
fn play(name: String, job: &dyn Job) -> Way {
    let mut tally = Tally::new(job.measures());
    let begun = Instant::now();
    while begun.elapsed() < PILOT {
        let from = tally.games;
        job.play(from..from + job.batch_games(), &mut tally);
    }
    let seconds_per_game = begun.elapsed().as_secs_f64() / tally.games as f64;
    let games = tally.games;
    if let Some(sums) = SplittingSums::of(&tally) {
        let rate = sums.rate().unwrap_or_default();
        let design_effect = sums.effective_games().map_or(1.0, |effective| games as f64 / effective);
        let name = SPLITTING.to_owned();
        return Way { name, unit: "replications", rate, games, design_effect, seconds_per_game };
    }
    let design_effect = ClusterSums::of_wins(&tally).and_then(|sums| sums.design_effect()).map_or(1.0, |e| e.max(1.0));
    let rate = tally.wins as f64 / games as f64;
    Way { name, unit: "games", rate, games, design_effect, seconds_per_game }
}
