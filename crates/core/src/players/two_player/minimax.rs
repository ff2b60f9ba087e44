//! The minimax player for two-player games: searches a fixed number of moves without pruning.
//!
//! It is the search of [`super::alpha_beta`] without pruning and without a table, and tests compare
//! the choices of both. Of the best moves it takes the first in the game's fixed order. A node is a
//! visited position, the searched one included. No draws. With `budget_ms` it searches depths 1, 2,
//! … up to `depth` until the time is over, and the last finished depth decides.

use super::alpha_beta::LookAhead;

/// Looks a fixed number of moves ahead.
pub type Minimax<G> = LookAhead<G, false>;
