//! `tilelab sample-size`: how many games a question needs, and how long they take.

use super::progress::{duration_text, grouped};
use super::{DONE, Ended, Result, input_error, set};
use crate::catalog::PlayerSpec;
use crate::plan::Cell;
use crate::report::figures::brackets;
use crate::sample_size::{Pilot, PrecisionSize, Wanted, differing, precision};
use crate::stats::power::{self, GAMES_MOST, Width};
use crate::stats::{Interval, RateInterval};
use std::io::Write;
use std::time::Duration;

/// Compute sample sizes
///
/// Rates are shares from 0 to 1. For a width, there are two plans, both for the interval that will
/// be reported: a number of games fixed beforehand, and a stopping rule. With --game, some games
/// are played for a few seconds: their win rate replaces a missing --rate, and the time of the
/// planned games is forecast, for plain games and, where the game has them, value lanes and
/// splitting. The forecast is for one thread. Comparisons are planned for independent games, or for
/// pairs with --differing or --against.
#[derive(clap::Args)]
#[command(
    after_help = "Example: tilelab sample-size --rate 0.01 --detect 0.001 --power 0.9\n\
                  Example: tilelab sample-size --game sixty-seven --set size=6x7 --relative 0.05"
)]
pub struct Args {
    /// The win rate that is expected [default: that of the games played with --game]
    #[arg(long, value_name = "P", value_parser = below(1.0))]
    rate: Option<f64>,
    /// Half the width of the interval of the rate
    #[arg(long, value_name = "W", value_parser = below(0.5))]
    half_width: Option<f64>,
    /// The half-width divided by the rate
    #[arg(long, value_name = "R", value_parser = below(LARGEST))]
    relative: Option<f64>,
    /// The difference of two rates that a test finds
    #[arg(long, value_name = "D", value_parser = below(1.0))]
    detect: Option<f64>,
    /// The difference below which two equal rates are found equivalent
    #[arg(long, value_name = "MARGIN", value_parser = below(1.0))]
    equivalence: Option<f64>,
    /// The probability that the width is reached, or that the test finds the difference
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = below(1.0))]
    power: f64,
    /// The confidence of the interval; tests have the level 1 - confidence
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = below(1.0))]
    confidence: f64,
    /// The interval of the rate
    #[arg(long, value_name = "NAME", default_value = "clopper-pearson", value_parser = interval)]
    interval: RateInterval,
    /// The share of pairs of games that only one of two cells wins: --detect and --equivalence then
    /// count pairs
    #[arg(long, value_name = "P", value_parser = below(1.0), conflicts_with = "against")]
    differing: Option<f64>,
    /// The game to play for a forecast (`tilelab list games`)
    #[arg(long, value_name = "G")]
    game: Option<String>,
    /// A parameter of the game, such as size=6x7; may be repeated
    #[arg(long = "set", value_name = "key=value", requires = "game")]
    settings: Vec<String>,
    /// The player
    #[arg(long, value_name = "NAME", requires = "game")]
    player: Option<String>,
    /// Another player, who meets the same random numbers: the games played replace --differing
    #[arg(long, value_name = "NAME", requires = "game")]
    against: Option<String>,
}

fn interval(text: &str) -> Result<RateInterval, String> {
    set::named(text, RateInterval::ALL)
}

/// Reads a number between 0 and a limit.
fn below(limit: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text| {
        let accepted = format!("must lie between 0 and {limit}, at least {SMALLEST:e} from both");
        set::number(text, SMALLEST..=limit - SMALLEST, &accepted)
    }
}

/// The smallest number of any option: below it, the figures are those of rounding errors.
const SMALLEST: f64 = 1e-9;
/// The largest number that is not a share.
const LARGEST: f64 = 1e9;

/// How long each way is played.
const PILOT: Duration = Duration::from_secs(1);

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    if [
        args.half_width,
        args.relative,
        args.detect,
        args.equivalence,
    ]
    .iter()
    .all(Option::is_none)
    {
        refuse!("nothing to plan; give --half-width, --relative, --detect or --equivalence");
    }
    let cell = cell(args)?;
    let pilots = match &cell {
        Some(cell) => {
            let alternatives = !args
                .settings
                .iter()
                .any(|setting| setting.starts_with("lanes=") || setting.starts_with("method="));
            Pilot::measure(cell, PILOT, alternatives).map_err(input_error)?
        }
        None => Vec::new(),
    };
    let rate = rate(args, &pilots)?;
    let differing = match &cell {
        Some(cell) => against(args, cell)?,
        None => args.differing,
    };
    let mut output = std::io::stdout().lock();
    let wanted = Wanted {
        power: args.power,
        confidence: args.confidence,
        interval: args.interval,
    };
    let played = match pilots.iter().find(|pilot| pilot.rate == rate) {
        Some(pilot) if args.rate.is_none() => {
            let Interval { lo, hi } = pilot.interval(&wanted);
            let interval = brackets(rate, lo, hi);
            format!(" {interval} (of {} {})", grouped(pilot.games), pilot.unit)
        }
        _ => String::new(),
    };
    writeln!(
        output,
        "rate {}{played}, confidence {}, power {}",
        rate_text(rate),
        args.confidence,
        args.power
    )?;
    let half = args
        .half_width
        .map(|width| (format!("half-width {width}"), Width::Half(width)));
    let relative = args.relative.map(|relative| {
        (
            format!("half-width of {relative} times the rate"),
            Width::Relative(relative),
        )
    });
    for (question, width) in half.into_iter().chain(relative) {
        writeln!(output, "{question}:")?;
        if pilots.is_empty() {
            let size = precision(rate, width, &wanted);
            writeln!(output, "  {}", precision_text(&size, "games", args.power))?;
        }
        let planned = pilots.iter().map(|pilot| {
            let size = pilot.precision(rate, width, &wanted);
            let time = size.fixed * pilot.seconds_per_game;
            (pilot, size, time)
        });
        let planned: Vec<_> = planned.collect();
        let times = planned.iter().map(|(.., time)| *time);
        let soonest = times.fold(f64::INFINITY, f64::min);
        for (pilot, size, time) in planned {
            let mark = if pilots.len() > 1 && time == soonest {
                ", soonest"
            } else {
                ""
            };
            let size = precision_text(&size, pilot.unit, args.power);
            let time = time_text(time);
            writeln!(output, "  {}: {size}{time}{mark}", pilot.name)?;
        }
    }
    for (question, games) in comparisons(args, rate, differing)? {
        writeln!(output, "{question}")?;
        for pilot in pilots.iter().filter(|_| differing.is_none()) {
            let needed = games * pilot.design_effect;
            writeln!(
                output,
                "  {}: {} {} (design effect {}){}",
                pilot.name,
                count_text(needed),
                pilot.unit,
                effect_text(pilot.design_effect),
                time_text(needed * pilot.seconds_per_game)
            )?;
        }
    }
    DONE
}

/// A rate with at least four digits of what is left to 0 or to 1.
fn rate_text(rate: f64) -> String {
    let left = rate.min(1.0 - rate);
    let decimals = (3.0 - left.log10().floor()).clamp(0.0, 16.0) as usize;
    format!("{rate:.decimals$}")
        .trim_end_matches('0')
        .to_owned()
}

/// The cell that --game and the settings name.
fn cell(args: &Args) -> Result<Option<Cell>> {
    let Some(name) = &args.game else {
        return Ok(None);
    };
    let game = set::game(name)?;
    let mut players = vec![PlayerSpec::new(&game.players[0]); game.seats];
    if let Some(name) = &args.player {
        players[0] = set::player(game, "--player", name)?;
    }
    let params = set::params(game, &args.settings)?;
    Ok(Some(Cell::of(game, params, players)))
}

/// The rate to plan with: the one given, or that of the way that knows it best.
fn rate(args: &Args, pilots: &[Pilot]) -> Result<f64> {
    // Independent games that were won, or lost where those are fewer.
    let known = |pilot: &&Pilot| {
        pilot.games as f64 / pilot.design_effect * pilot.rate.min(1.0 - pilot.rate)
    };
    let measured = pilots
        .iter()
        .filter(|pilot| known(pilot) > 0.0)
        .max_by(|a, b| known(a).total_cmp(&known(b)));
    args.rate
        .or(measured.map(|pilot| pilot.rate))
        .ok_or_else(|| {
            let why = match pilots.first() {
                Some(pilot) => {
                    let won = if pilot.rate > 0.0 { "all" } else { "none" };
                    format!(
                        "{won} of {} games were won, which gives no rate to plan with",
                        pilot.games
                    )
                }
                None => "it is needed without --game".to_owned(),
            };
            input_error(format!("--rate: {why}; give the rate that you expect"))
        })
}

/// The share of pairs that differ: the one given, or measured by playing against another player.
fn against(args: &Args, cell: &Cell) -> Result<Option<f64>> {
    let Some(name) = &args.against else {
        return Ok(args.differing);
    };
    let mut other = cell.clone();
    other.players[0] = set::player(cell.game, "--against", name)?;
    let (share, pairs) = differing(cell, &other, PILOT)
        .map_err(input_error)?
        .ok_or_else(|| {
            input_error("--against: both players won the same games; give --differing")
        })?;
    say!(
        "{pairs} pairs of games: only one player wins {:.3} % of them",
        100.0 * share
    );
    Ok(Some(share))
}

fn precision_text(size: &PrecisionSize, unit: &str, power: f64) -> String {
    let few = if size.stopped_mean > size.stopped_most {
        ", since a few need many more"
    } else {
        ""
    };
    format!(
        "{} {unit} fixed beforehand; with a stopping rule {} % of the runs need at most {}; the mean is {}{few}",
        count_text(size.fixed.ceil()),
        100.0 * power,
        count_text(size.stopped_most),
        count_text(size.stopped_mean)
    )
}

/// A number of games, as far as they can be played.
fn count_text(games: f64) -> String {
    if games < GAMES_MOST as f64 {
        grouped(games.round() as u64)
    } else {
        format!("more than {:.1e}", GAMES_MOST as f64)
    }
}

/// How long games take, where they can be played.
fn time_text(seconds: f64) -> String {
    if seconds < SECONDS_MOST {
        format!("; {} on one thread", duration_text(seconds))
    } else {
        String::new()
    }
}

/// A thousand years.
const SECONDS_MOST: f64 = 3e10;

/// A design effect to two decimals, or as many as show it.
fn effect_text(effect: f64) -> String {
    if effect < 0.1 {
        format!("{effect:.1e}")
    } else {
        format!("{effect:.2}")
    }
}

/// How many pairs, or games of each of two cells, a comparison needs: of a rate, a distance, the
/// confidence and the power.
type Needed = fn(f64, f64, f64, f64) -> f64;

/// The comparisons asked about as lines, each with the games that it needs.
fn comparisons(args: &Args, rate: f64, differing: Option<f64>) -> Result<Vec<(String, f64)>> {
    let answer = |question: String, distance: f64, of_pairs: Needed, of_games: Needed| {
        let needed = |needed: Needed, share| needed(share, distance, args.confidence, args.power);
        let games = match differing {
            Some(differing) => needed(of_pairs, differing),
            None => needed(of_games, rate),
        };
        let count = count_text(games);
        let line = match differing {
            Some(_) => format!("{question}: {count} pairs of games"),
            None => format!("{question}, for each of two cells: {count} independent games"),
        };
        (line, games)
    };
    let mut all = Vec::new();
    if let Some(difference) = args.detect {
        let most = differing.unwrap_or(1.0 - rate);
        if difference >= most {
            let with = match differing {
                Some(_) => format!("only one of two cells wins {most} of the pairs"),
                None => format!("with the rate {rate}"),
            };
            refuse!("--detect {difference}: {with}, so it must be below {most}");
        }
        all.push(answer(
            format!("difference {difference}"),
            difference,
            power::pairs_for_difference,
            power::games_for_difference,
        ));
    }
    if let Some(margin) = args.equivalence {
        all.push(answer(
            format!("equivalence within {margin}"),
            margin,
            power::pairs_for_equivalence,
            power::games_for_equivalence,
        ));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_near_one_keep_their_digits() {
        for (rate, text) in [
            (0.99999, "0.99999"),
            (0.999_999_999, "0.999999999"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.3333"),
            (0.000_123_456, "0.0001235"),
        ] {
            assert_eq!(rate_text(rate), text);
        }
    }
}
