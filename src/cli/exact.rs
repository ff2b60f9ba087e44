//! `tilelab exact`: exact figures of small games under random and under best play.

use super::{DONE, Ended, set, wrong};
use crate::exact::{Best, Exact, Limits, Problem, values_table};
use crate::games::zero_sum;
use crate::json::{Json, json, plain};
use crate::plan::Cell;
use std::io::Write;

/// Compute the exact win rate of a small game under random or best play
///
/// For the random player, the mean number of moves is computed too; --player optimal gives the
/// highest win rate that any player can reach. In a two-player game, both seats play at random, or
/// both play their best; the score of best play counts a draw as half a win.
///
/// Any game is accepted, also one of your own, if its rules list their random events with
/// probabilities (docs/own-games.md). With --game zero-sum alone: the value of every start number
/// under best play, for both beginners, as a Markdown table.
///
/// Boards are carried forward with their probabilities until every game has ended. Standard error
/// says beforehand how many boards there can be. When the limit on boards is reached, the
/// computation stops and win_pct_lo and win_pct_hi bound the win rate; otherwise they are equal up
/// to rounding.
#[derive(clap::Args)]
#[command(
    after_help = "Example: tilelab exact --game twenty-forty-eight --set size=2x3 --set goal=64\n\
                  Example: tilelab exact --game sixty-seven --set size=2x3 --set digits=12 --set operators=+ --set target=3 --set value_limit=9"
)]
pub struct Args {
    /// The game (`tilelab list games`)
    #[arg(long, value_name = "G", default_value = "sixty-seven")]
    game: String,
    /// The player: random, or optimal, which always makes the best move; by default random
    #[arg(long, value_name = "P", value_parser = [RANDOM, OPTIMAL])]
    player: Option<String>,
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

const RANDOM: &str = "random";
const OPTIMAL: &str = "optimal";

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let game = set::game(&args.game)?;
    let has_options = args.check || args.json || args.player.is_some();
    if game.name == zero_sum::NAME && args.settings.is_empty() && !has_options {
        write!(std::io::stdout(), "{}", values_table())?;
        return DONE;
    }
    let params = set::params(game, &args.settings)?;
    let name = game.name;
    let problem = Problem::of(game, &params).map_err(wrong(format!("--game {name}")))?;
    let limits = Limits {
        boards_max: args.boards as usize,
        ..Limits::default()
    };
    if args.player.as_deref() == Some(OPTIMAL) {
        if args.check {
            refuse!(
                "--check: tells how many boards random play meets; leave it out with --player optimal"
            );
        }
        let best = problem.best(limits);
        let key = Cell::of(game, params, Vec::new()).world_key() + "/" + OPTIMAL;
        let what = if game.seats == 2 { "score" } else { "win" };
        print(args, &best_figures(&key, what, &best))?;
        if best.is_cut {
            let [lo, hi] = best.won.map(|value| 100.0 * value);
            say!(
                "not all games were followed to their end (limit of boards, numbers beyond ± 2^30): the {what} rate of best play is between {lo:.3} and {hi:.3} %"
            );
        }
        return DONE;
    }
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
        return DONE;
    }
    let exact = problem.solve(limits);
    print(args, &figures(&key, &exact))?;
    if exact.is_cut {
        say!(
            "stopped at the limit of {limit} boards: {:.3} % of the games were not followed to their end; moves are those of the others",
            100.0 * exact.unresolved
        );
    }
    DONE
}

/// Prints figures, one a line or as JSON.
fn print(args: &Args, figures: &Json) -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    if args.json {
        writeln!(output, "{figures}")?;
        return Ok(());
    }
    for (name, value) in figures.as_object().expect("the figures are an object") {
        let text = if value.is_null() { "-" } else { &plain(value) };
        writeln!(output, "{name:20} {text}")?;
    }
    Ok(())
}

/// About the significant digits that rounding leaves.
fn round(value: f64) -> f64 {
    format!("{value:.11e}")
        .parse()
        .expect("a number written so reads back")
}

fn best_figures(key: &str, what: &str, best: &Best) -> Json {
    let [lo, hi] = best.won.map(|value| round(100.0 * value));
    json!({
        "cell": key,
        format!("{what}_pct"): (!best.is_cut).then_some(lo),
        format!("{what}_pct_lo"): lo,
        format!("{what}_pct_hi"): hi,
        "boards": best.boards,
    })
}

fn figures(key: &str, exact: &Exact) -> Json {
    let (lo, hi) = exact.win_bounds();
    json!({
        "cell": key,
        "win_pct": (!exact.is_cut).then(|| round(100.0 * lo)),
        "win_pct_lo": round(100.0 * lo),
        "win_pct_hi": round(100.0 * hi),
        "drawn_pct": round(100.0 * exact.drawn),
        "unresolved_pct": round(100.0 * exact.unresolved),
        "moves_mean": exact.moves.mean().map(round),
        "moves_sd": exact.moves.standard_deviation().map(round),
        "moves_win_mean": exact.moves_win.mean().map(round),
        "moves_win_sd": exact.moves_win.standard_deviation().map(round),
        "boards": exact.boards,
        "boards_peak": exact.boards_peak,
    })
}
