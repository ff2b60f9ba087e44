//! Learns the evaluation's weights for the cells of `experiments/players.toml` and prints `src/players/sixty_seven/weights.txt`.
//!
//! `cargo run --release --example learn_sixty_seven -- --games 20000 --rate 0.1 --seed 67 > weights.txt`; `--only N` learns line N alone.
//! `--games` are those on 6×7; on smaller boards more are played (see `RULES`), since games there are short. One thread; how learning goes is
//! told on standard error.

use tilelab::catalog;
use tilelab::games::sixty_seven::{SixtySeven, complete};
use tilelab::params::Params;
use tilelab::players::sixty_seven::field::Field;
use tilelab::players::sixty_seven::learning::{learn, learned};

/// Rules, operator rate, tiles a round, and how many times as many games are played on 4×4, 5×5 and 6×7.
const RULES: [(&str, &str, &str, [u64; 3]); 3] = [
    ("original", "0.5", "2", [20, 2, 1]),
    ("merge-runs", "0.67", "2", [4, 2, 1]),
    ("merge-runs", "0.67", "4", [4, 2, 1]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str, otherwise: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map_or_else(|| otherwise.to_owned(), |at| arguments.get(at + 1).expect("a value follows").clone())
    };
    let games: u64 = given("--games", "20000").parse().expect("--games is a whole number");
    let rate = given("--rate", "0.1").parse().expect("--rate is a number");
    let seed = given("--seed", "67").parse().expect("--seed is a whole number");
    let only: Option<usize> = arguments
        .contains(&"--only".to_owned())
        .then(|| given("--only", "").parse().expect("--only is the number of a line, from 1"));
    let specs = catalog::game("sixty-seven").expect("the game is there").params;
    let mut number = 0;
    for (rules, operator_rate, tiles, times) in RULES {
        for ((rows, cols), times) in [("4", "4"), ("5", "5"), ("6", "7")].into_iter().zip(times) {
            for operators in ["+-", "+-*"] {
                number += 1;
                if only.is_some_and(|only| only != number) {
                    continue;
                }
                let mut params = Params::defaults(specs);
                for (key, text) in [
                    ("rules", rules),
                    ("rows", rows),
                    ("cols", cols),
                    ("operators", operators),
                    ("operator_rate", operator_rate),
                    ("tiles_per_turn", tiles),
                ] {
                    let spec = specs.iter().find(|spec| spec.name == key).expect("a parameter of the game");
                    params.set(key, spec.parse(text).expect("an accepted value"));
                }
                complete(&mut params).expect("nothing contradicts");
                let field = Field::new(&SixtySeven::from_params(&params));
                eprintln!("{number}: {rules} {rows}x{cols} {operators} {tiles}");
                let weights = learn(&field, times * games, rate, seed, |pace| {
                    eprintln!("  {:>8} games, {:.2} % of the last eighth won", pace.games, pace.win_pct);
                });
                println!("{}", learned(&field, rules, operator_rate.parse().expect("a number"), weights).line());
            }
        }
    }
}
