//! The multiplication game under best play.

use super::listed::Listed;
use super::{Limits, optimal};
use tilelab_games::game::Outcome;
use tilelab_games::games::two_player::SCORE_AT;
use tilelab_games::games::zero_sum::{MULTIPLIERS, NAME, PARAMS, STARTS};
use tilelab_games::params::{Params, Value};
use tilelab_output::table::{Align, Table};

/// The exact values as a Markdown table, for every start number and both beginners.
#[must_use]
pub fn values_table() -> String {
    let mut table = Table::new([
        ("start", Align::Right),
        ("beginner", Align::Left),
        ("result for the player", Align::Left),
        ("final difference", Align::Right),
        ("first multiplier", Align::Right),
    ]);
    let game = tilelab_games::catalog::game(NAME).expect("a game of the catalog");
    let margin: fn(&Outcome) -> f64 = |outcome| {
        let [own, other] = SCORE_AT.map(|at| outcome.measures[at]);
        (own - other) as f64
    };
    let boards = STARTS.flat_map(|start| [0, 1].map(|beginner| (start, beginner)));
    for (start, beginner) in boards {
        let mut params = Params::defaults(PARAMS);
        params.set("start", Value::Int(start));
        params.set("beginner", Value::Int(beginner));
        let worth = (margin, [f64::NEG_INFINITY, f64::INFINITY]);
        let rules = Listed::new(game, &params, worth).expect("a game without chance");
        let best = optimal::solve(rules, Limits::default());
        let margin = best.won[0];
        let first = best.choices.iter().position(|&value| value == best.won);
        table.row([
            start.to_string(),
            ["player", "opponent"][beginner as usize].to_owned(),
            ["lost", "drawn", "won"][((margin as i64).signum() + 1) as usize].to_owned(),
            format!("{margin:+}"),
            MULTIPLIERS[first.expect("one is the best")].to_string(),
        ]);
    }
    table.to_string()
}
