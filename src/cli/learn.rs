//! `tilelab learn`: learns the weights that players evaluate boards with.

use super::{input_error, set};
use crate::games::sixty_seven::{self, SixtySeven};
use crate::players::sixty_seven::field::Field;
use crate::players::sixty_seven::learning::{learn, learned};
use rayon::prelude::*;
use std::io::Write;
use std::process::ExitCode;

/// Learn the evaluation's weights for the cells of experiments/players.toml and print
/// src/players/sixty_seven/weights.txt
///
/// Each line is learned by one thread; progress goes to standard error.
#[derive(clap::Args, Debug)]
#[command(hide = true)]
#[command(after_help = "Example: tilelab learn sixty-seven --rate 0.3 > weights.txt")]
pub struct Args {
    /// The game: sixty-seven
    #[arg(value_name = "GAME")]
    game: String,
    /// Learn this line alone, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=18))]
    only: Option<u64>,
    /// Games played for each line, instead of its own number
    #[arg(long, value_name = "G", value_parser = super::set::count)]
    games: Option<u64>,
    /// The learning rate
    #[arg(long, value_name = "R", default_value_t = 0.1)]
    rate: f32,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 67)]
    seed: u64,
}

/// Rules, operator rate, tiles a round, and how many games are played on 4×4, 5×5 and 6×7: fewer
/// where they are long.
const RULES: [(&str, &str, &str, [u64; 3]); 3] = [
    ("original", "0.5", "2", [600_000, 120_000, 60_000]),
    ("merge-runs", "0.67", "2", [100_000, 40_000, 6_000]),
    ("merge-runs", "0.67", "4", [100_000, 60_000, 20_000]),
];

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.game != sixty_seven::NAME {
        return Err(input_error(format!("GAME {}: nothing to learn; accepted: {}", args.game, sixty_seven::NAME)));
    }
    if !(args.rate > 0.0 && args.rate <= 1.0) {
        return Err(input_error(format!("--rate {}: not accepted; a number above 0, at most 1", args.rate)));
    }
    let game = set::game(sixty_seven::NAME)?;
    let mut lines = Vec::new();
    for (rules, operator_rate, tiles, games) in RULES {
        for ((rows, cols), games) in [("4", "4"), ("5", "5"), ("6", "7")].into_iter().zip(games) {
            for operators in ["+-", "+-*"] {
                let settings = [
                    format!("rules={rules}"),
                    format!("size={rows}x{cols}"),
                    format!("operators={operators}"),
                    format!("operator_rate={operator_rate}"),
                    format!("tiles_per_turn={tiles}"),
                ];
                let params = set::params(game, &settings)?;
                let field = Field::new(&SixtySeven::from_params(&params));
                let name = format!("{}: {rules} {rows}x{cols} {operators} {tiles}", lines.len() + 1);
                lines.push((name, field, rules, operator_rate.parse().expect("a number"), args.games.unwrap_or(games)));
            }
        }
    }
    let wanted = lines.par_iter().enumerate().filter(|(at, _)| args.only.is_none_or(|only| only == *at as u64 + 1));
    let learned: Vec<String> = wanted
        .map(|(_, (name, field, rules, operator_rate, games))| {
            let weights = learn(field, *games, args.rate, args.seed, |pace| {
                say!("{name}: {:>8} games, {:.2} % of the last eighth won", pace.games, pace.win_pct);
            });
            learned(field, rules, *operator_rate, weights).line()
        })
        .collect();
    writeln!(std::io::stdout(), "{}", learned.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
