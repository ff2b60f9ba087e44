//! Games that share a trajectory, and sums over trajectories.

use serde::{Deserialize, Serialize};

/// Games that share a trajectory. They are correlated, so the trajectory is the independent unit.
#[derive(Clone, Copy, Debug)]
pub struct Trajectory<'a> {
    /// Move counts of the won games.
    pub won: &'a [u64],
    /// Number of lost games.
    pub lost: u64,
    /// The move count of the lost games.
    pub moves_lost: u64,
}

/// Sums over trajectories of the products of each trajectory's totals. (Sums of the totals
/// themselves are sums over games.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrajectoryTally {
    /// Games of each trajectory.
    pub lanes: u64,
    /// Trajectories.
    pub trajectories: u64,
    /// Sum of the squared numbers of wins.
    #[serde(with = "super::saved::text")]
    pub wins_sq: u128,
    /// Sum of the squared totals of moves.
    #[serde(with = "super::saved::text")]
    pub moves_sq: u128,
    /// Sum of the squared totals of moves of won games.
    #[serde(with = "super::saved::text")]
    pub moves_win_sq: u128,
    /// Sum of the products of wins and total of moves of won games.
    #[serde(with = "super::saved::text")]
    pub wins_moves: u128,
}

impl TrajectoryTally {
    pub(super) fn merge(&mut self, other: &Self) {
        assert_eq!(
            self.lanes, other.lanes,
            "trajectories of one tally have equally many games"
        );
        self.trajectories += other.trajectories;
        self.wins_sq += other.wins_sq;
        self.moves_sq += other.moves_sq;
        self.moves_win_sq += other.moves_win_sq;
        self.wins_moves += other.wins_moves;
    }
}
