//! `tilelab exact`: exact figures of small boards under random play.

use super::{input_error, set};
use crate::exact::{Exact, Limits, Problem, values_table};
use crate::games::sixty_seven::{self, SixtySeven};
use crate::games::twenty_forty_eight::{self, TwentyFortyEight};
use crate::games::zero_sum;
use crate::plan::Cell;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// Compute the exact win rate and mean moves of the random player on a small board
///
/// With --game zero-sum: the value of every start number under best play, for both beginners, as a
/// Markdown table.
///
/// Boards are carried forward with their probabilities until every game has ended. Standard error
/// says beforehand how many boards there can be. When the limit on boards is reached, the
/// computation stops and win_pct_lo and win_pct_hi bound the win rate; otherwise they are equal up
/// to rounding.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: tilelab exact --game twenty-forty-eight --set size=2x3 --set goal=64\n\
                  Example: tilelab exact --game sixty-seven --set size=2x3 --set digits=12 --set operators=+ --set target=3 --set value_limit=9"
)]
pub struct Args {
    /// The game: sixty-seven, twenty-forty-eight or zero-sum
    #[arg(long, value_name = "G", default_value = "sixty-seven")]
    game: String,
    /// A parameter of the game, such as size=2x3; may be repeated
    #[arg(long = "set", value_name = "key=value")]
    settings: Vec<String>,
    /// Stop when more boards than this are held at once; a million takes about 300 MB
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    boards: u32,
    /// Only say how many boards there can be
    #[arg(long)]
    check: bool,
    /// Print a JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = set::game(&args.game)?;
    if game.name == zero_sum::NAME {
        return print_values(args);
    }
    if ![sixty_seven::NAME, twenty_forty_eight::NAME].contains(&game.name) {
        let accepted = [sixty_seven::NAME, twenty_forty_eight::NAME, zero_sum::NAME].join(", ");
        return Err(input_error(format!(
            "--game {}: has no exact figures here; accepted: {accepted}",
            game.name
        )));
    }
    let params = set::params(game, &args.settings)?;
    let problem = if game.name == sixty_seven::NAME {
        Problem::sixty_seven(&SixtySeven::from_params(&params))
    } else {
        Problem::twenty_forty_eight(&TwentyFortyEight::from_params(&params))
    };
    let problem = problem.map_err(|error| input_error(format!("--set {error}")))?;
    let players = vec![crate::catalog::PlayerSpec::new(&game.players[0]); game.seats];
    let key = Cell::of(game, params, players).key();

    let bound = problem.boards_bound();
    let limit = args.boards;
    if bound <= f64::from(limit) {
        say!("feasible: at most {bound:.0} boards at once, the limit is {limit}");
    } else {
        let many = if bound.is_finite() {
            format!("up to {bound:.1e}")
        } else {
            "without bound".to_owned()
        };
        say!(
            "not certain to finish: boards at once {many}, the limit is {limit} (--boards); far fewer are usual"
        );
    }
    if args.check {
        return Ok(ExitCode::SUCCESS);
    }
    let exact = problem.solve(Limits {
        boards_max: limit as usize,
        ..Limits::default()
    });
    let mut output = std::io::stdout().lock();
    if args.json {
        writeln!(output, "{}", figures(&key, &exact))?;
    } else {
        for (name, value) in figures(&key, &exact)
            .as_object()
            .expect("the figures are an object")
        {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            writeln!(
                output,
                "{name:20} {}",
                if value.is_null() { "-" } else { &text }
            )?;
        }
    }
    if exact.is_cut {
        say!(
            "stopped at the limit of {limit} boards: {:.3} % of the games were not followed to their end; moves are those of the others",
            100.0 * exact.unresolved
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the values of the multiplication game.
fn print_values(args: &Args) -> anyhow::Result<ExitCode> {
    if !args.settings.is_empty() || args.check || args.json {
        return Err(input_error(format!(
            "--game {}: prints all values as a table; leave --set, --check and --json out",
            args.game
        )));
    }
    std::io::stdout()
        .lock()
        .write_all(values_table().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn figures(key: &str, exact: &Exact) -> serde_json::Value {
    let (lo, hi) = exact.win_bounds();
    // Rounding leaves about 12 significant digits.
    let round = |value: f64| {
        format!("{value:.11e}")
            .parse::<f64>()
            .expect("a number written so reads back")
    };
    json!({
        "cell": key,
        "win_pct": (!exact.is_cut).then(|| round(100.0 * lo)),
        "win_pct_lo": round(100.0 * lo),
        "win_pct_hi": round(100.0 * hi),
        "unresolved_pct": round(100.0 * exact.unresolved),
        "moves_mean": exact.moves.mean().map(round),
        "moves_sd": exact.moves.standard_deviation().map(round),
        "moves_win_mean": exact.moves_win.mean().map(round),
        "moves_win_sd": exact.moves_win.standard_deviation().map(round),
        "boards": exact.boards,
        "boards_peak": exact.boards_peak,
    })
}
