//! The multiplication game under best play.

use tilelab_core::game::{Game, Player};
use tilelab_core::games::zero_sum::{STARTS, ZeroSum};
use tilelab_core::params::Params;
use tilelab_core::players::two_player::exact::Exact;
use tilelab_core::rng::{SeedableRng, Stream};
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
    let rules = ZeroSum::from_params(&Params::defaults(tilelab_core::games::zero_sum::PARAMS));
    let boards = STARTS.flat_map(|start| [0, 1].map(|beginner| (start, beginner)));
    for (start, beginner) in boards {
        let game = ZeroSum {
            start,
            beginner,
            ..rules
        };
        let state = game.start(&mut Stream::seed_from_u64(0));
        let mut exact = Exact::default();
        let margin = exact.margin(&game, &mut state.clone());
        let first = exact.choose(&game, &state, &[], &mut Stream::seed_from_u64(0));
        table.row([
            start.to_string(),
            ["player", "opponent"][beginner].to_owned(),
            ["lost", "drawn", "won"][(margin.signum() + 1) as usize].to_owned(),
            format!("{margin:+}"),
            first.to_string(),
        ]);
    }
    table.to_string()
}
