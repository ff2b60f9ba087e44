//! The minimax player for two-player games: searches a fixed number of moves without pruning.
//!
//! It is the search of [`super::alpha_beta`] without pruning and without a table, and tests compare
//! the choices of both. Of the best moves it takes the first in the game's fixed order. A node is a
//! visited position, the searched one included. No draws. With `budget_ms` it searches depths 1, 2,
//! … up to `depth` until the time is over, and the last finished depth decides.

use super::alpha_beta::LookAhead;
use crate::params::ParamSpec;
use crate::players::clock::BUDGET_PARAM;

/// The largest depth that is accepted.
pub const DEPTH_MAX: i64 = 64;

/// Its parameters, with a game's own defaults.
pub const fn params(depth: i64, width: i64) -> [ParamSpec; 3] {
    [depth_param(depth), width_param(width), BUDGET_PARAM]
}

/// How many moves to look ahead.
pub(super) const fn depth_param(depth: i64) -> ParamSpec {
    ParamSpec::int("depth", 1..=DEPTH_MAX, Some(depth)).main("moves to look ahead")
}

/// How many moves to look at in each position.
pub(super) const fn width_param(width: i64) -> ParamSpec {
    ParamSpec::int("width", 0..=1 << 20, Some(width))
        .help("the most promising moves looked at in each position; 0: all")
}

/// Looks a fixed number of moves ahead.
pub type Minimax<G> = LookAhead<G, false>;
