//! How far the cells of a run are, and what their games cost.

use crate::matches::Reached;
use std::time::Duration;

/// How far a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellProgress {
    /// Games played, in this run and before.
    pub games: u64,
    /// Games played in this run.
    pub games_now: u64,
    /// Moves made in this run.
    pub turns_now: u64,
    /// The threads' time on a processor for the games of this run.
    pub work_now: Duration,
    /// The time from start to end of the batches of this run, all threads together.
    pub time_now: Duration,
    /// The work of a game.
    pub pace: Pace,
    /// The most games this run's part of the cell will have.
    pub games_max: u64,
    /// Whether a rule may end the cell before.
    pub may_stop: bool,
    /// The games after which the rule will end the cell if its games go on as they began, and the
    /// standard error of that; `None` before games were played in this run.
    pub expected: Option<Expected>,
    /// How far the sequential test of the cell is, once it was looked at.
    pub test: Option<Reached>,
    /// Whether the cell is done.
    pub done: bool,
    /// What plays the games of the cell, once it was begun.
    pub kernel: Option<&'static str>,
}

/// The sum of numbers of games or moves, at most that of 64 bits.
pub fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// A number of games that is not certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The games.
    pub games: u64,
    /// The standard error of the number of games.
    pub error: u64,
}

impl CellProgress {
    /// Games that the cell will have: one that stopped early needs no more. For others the most, or
    /// what is expected of their rule.
    pub fn games_needed(&self) -> u64 {
        match self.expected {
            _ if self.done => self.games,
            Some(expected) => expected.games.max(self.games),
            None => self.games_max,
        }
    }

    /// The work of this run beside its games: what the cell needs before the first one. In seconds
    /// of one thread.
    pub fn beside_games(&self) -> f64 {
        let of_games = self.games_now as f64 * self.pace.seconds_per_game();
        (self.work_now.as_secs_f64() - of_games).max(0.0)
    }
}

/// A batch `MUCH_LARGER` times as large as those before shows what games cost better than they do.
const MUCH_LARGER: u64 = 4;

/// What a game of a cell costs, from the batches that show it best.
///
/// A batch costs more than its games: players fill tables, and games that a kernel plays side by
/// side wait for the longest. The first batch of a cell also makes what the cell needs once, and it
/// is small. So it counts only until there is another one, and small batches count only until there
/// is a much larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Games of the batches that count, and their cost.
    games: u64,
    cost: Duration,
    /// Games of the largest batch.
    largest: u64,
    /// Whether only the first batch is in.
    is_first: bool,
}

impl Pace {
    /// Adds a batch of `games` games and what it cost.
    pub fn add(&mut self, games: u64, cost: Duration) {
        if self.games == 0 || self.is_first || games >= MUCH_LARGER.saturating_mul(self.largest) {
            *self = Self {
                games,
                cost,
                largest: games,
                is_first: self.games == 0,
            };
        } else {
            self.games += games;
            self.cost += cost;
            self.largest = self.largest.max(games);
        }
    }

    /// Games of the batches that count; 0 before the first batch.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The cost of a game in seconds; 0 before the first batch.
    pub fn seconds_per_game(&self) -> f64 {
        self.cost.as_secs_f64() / self.games.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_that_show_the_cost_of_games() {
        let check = |batches: &[(u64, u64)], games: u64, seconds_per_game: f64| {
            let mut pace = Pace::default();
            batches
                .iter()
                .for_each(|&(games, seconds)| pace.add(games, Duration::from_secs(seconds)));
            assert_eq!(
                (pace.games(), pace.seconds_per_game()),
                (games, seconds_per_game),
                "{batches:?}"
            );
        };
        check(&[], 0, 0.0);
        check(&[(8, 48)], 8, 6.0);
        // The second batch replaces the first, also where it is smaller.
        check(&[(8, 48), (8, 24)], 8, 3.0);
        check(&[(8, 48), (2, 6)], 2, 3.0);
        // A much larger one replaces those before; one that is a little larger does not.
        check(&[(8, 48), (8, 24), (8, 24), (64, 128)], 64, 2.0);
        check(&[(8, 48), (8, 24), (16, 72), (16, 24)], 40, 3.0);
        // Small ones at the end of a stage count by their games.
        check(&[(8, 48), (64, 128), (6, 12)], 70, 2.0);
    }
}
