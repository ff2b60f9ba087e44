//! The players of two-player games and the games of two of them ([`seats`]).
//!
//! They are written once over [`crate::games::two_player::TwoPlayer`]; only the evaluations belong
//! to a game. A seat holds its player in a box, so a choice costs one virtual call, which is
//! negligible compared with a search or a list of moves.

pub mod alpha_beta;
pub mod exact;
pub mod greedy;
pub mod minimax;
pub mod monte_carlo;
pub mod seats;
