//! Learns the evaluation's weights for the cells of `experiments/players.toml` and prints `src/players/sixty_seven/weights.txt`.
//!
//! `cargo run --release --example learn_sixty_seven -- --rate 0.3 --seed 67 > weights.txt`; `--only N` learns line N alone, `--games G` plays G
//! games for each line instead of those of `RULES`. The lines are learned side by side, each by one thread; how learning goes is told on
//! standard error.

use rayon::prelude::*;
use tilelab::catalog;
use tilelab::games::sixty_seven::{SixtySeven, complete};
use tilelab::params::Params;
use tilelab::players::sixty_seven::field::Field;
use tilelab::players::sixty_seven::learning::{learn, learned};

/// Rules, operator rate, tiles a round, and how many games are played on 4×4, 5×5 and 6×7: fewer where they are long.
const RULES: [(&str, &str, &str, [u64; 3]); 3] = [
    ("original", "0.5", "2", [600_000, 120_000, 60_000]),
    ("merge-runs", "0.67", "2", [100_000, 40_000, 6_000]),
    ("merge-runs", "0.67", "4", [100_000, 60_000, 20_000]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str, otherwise: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map_or_else(|| otherwise.to_owned(), |at| arguments.get(at + 1).expect("a value follows").clone())
    };
    let number = |name: &str| -> Option<u64> {
        let is_given = arguments.iter().any(|argument| argument == name);
        is_given.then(|| given(name, "").parse().expect("a whole number follows"))
    };
    let (only, games_of_each) = (number("--only"), number("--games"));
    let rate = given("--rate", "0.1").parse().expect("--rate is a number");
    let seed = given("--seed", "67").parse().expect("--seed is a whole number");
    let specs = catalog::game("sixty-seven").expect("the game is there").params;
    let mut lines = Vec::new();
    for (rules, operator_rate, tiles, games) in RULES {
        for ((rows, cols), games) in [("4", "4"), ("5", "5"), ("6", "7")].into_iter().zip(games) {
            for operators in ["+-", "+-*"] {
                let settings = format!(
                    "rules={rules} size={rows}x{cols} operators={operators} operator_rate={operator_rate} \
                     tiles_per_turn={tiles}"
                );
                let mut params = Params::parse(specs, &settings).expect("accepted values");
                complete(&mut params).expect("nothing contradicts");
                let field = Field::new(&SixtySeven::from_params(&params));
                let name = format!("{}: {rules} {rows}x{cols} {operators} {tiles}", lines.len() + 1);
                lines.push((
                    name,
                    field,
                    rules,
                    operator_rate.parse().expect("a number"),
                    games_of_each.unwrap_or(games),
                ));
            }
        }
    }
    let wanted = lines.par_iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at as u64 + 1));
    let learned: Vec<String> = wanted
        .map(|(_, (name, field, rules, operator_rate, games))| {
            let weights = learn(field, *games, rate, seed, |pace| {
                eprintln!("{name}: {:>8} games, {:.2} % of the last eighth won", pace.games, pace.win_pct);
            });
            learned(field, rules, *operator_rate, weights).line()
        })
        .collect();
    println!("{}", learned.join("\n"));
}
