//! The boundaries at which the games of a cell are summed up apart.
//!
//! A saved cell keeps one tally for the games between each two neighbouring boundaries, so that the
//! sum of its first games is known exactly at every boundary. The boundaries are those at which
//! stopping rules look: 0, 1,024, 1,536, 2,048, 3,072, 4,096, … trajectories
//! ([`crate::stats::Rule`]), and 0, 64, 80, 96, 112, 128, 160, … pairs ([`crate::stats::Sprt`]),
//! which are also where other rules look. A rule that is added or changed later therefore decides
//! as in a run that had it from the start.

use crate::stats::{LOOK_FIRST, LOOKS_AN_OCTAVE};
use std::ops::Range;

/// The boundaries of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The first boundary above 0 [games].
    first: u64,
    /// How many boundaries there are from one power of two times `first` to the next.
    an_octave: u64,
}

impl Grid {
    /// The boundaries of games that come in trajectories of `lanes`; 1 where each has its own.
    pub const fn of_games(lanes: u64) -> Self {
        Self {
            first: 1024 * lanes,
            an_octave: 2,
        }
    }

    /// The boundaries of the pairs of a match: those of its sequential test.
    pub const fn of_pairs() -> Self {
        Self {
            first: LOOK_FIRST,
            an_octave: LOOKS_AN_OCTAVE,
        }
    }

    /// The boundary with this number, from 0.
    const fn boundary(self, number: u64) -> u64 {
        if number == 0 {
            return 0;
        }
        let octave = (number - 1) / self.an_octave;
        if octave >= self.first.leading_zeros() as u64 {
            return u64::MAX;
        }
        let power = self.first << octave;
        power.saturating_add(power / self.an_octave * ((number - 1) % self.an_octave))
    }

    /// The games of the segment with this number, from 0.
    #[must_use]
    pub const fn games(self, number: u64) -> Range<u64> {
        self.boundary(number)..self.boundary(number + 1)
    }

    /// The number of the segment to which a game belongs.
    #[must_use]
    pub fn of_game(self, game: u64) -> u64 {
        if game < self.first {
            return 0;
        }
        let octave = u64::from((game / self.first).ilog2());
        let power = self.first << octave;
        1 + self.an_octave * octave + (game - power) / (power / self.an_octave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Rule, Sprt, Units};

    #[test]
    fn every_game_has_one_segment() {
        let starts = |grid: Grid, count| {
            (0..count)
                .map(|number| grid.games(number).start)
                .collect::<Vec<_>>()
        };
        let games = Grid::of_games(1);
        assert_eq!(
            starts(games, 8),
            [0, 1024, 1536, 2048, 3072, 4096, 6144, 8192]
        );
        let pairs = Grid::of_pairs();
        assert_eq!(starts(pairs, 8), [0, 64, 80, 96, 112, 128, 160, 192]);
        for grid in [games, Grid::of_games(16), pairs] {
            for number in 0..80 {
                let segment = grid.games(number);
                assert_eq!(segment.end, grid.games(number + 1).start);
                for game in [segment.start, segment.end - 1] {
                    assert_eq!(grid.of_game(game), number, "game {game} of {grid:?}");
                }
            }
        }
    }

    #[test]
    fn rules_look_at_boundaries() {
        let is_boundary =
            |grid: Grid, look, last| look == last || grid.games(grid.of_game(look)).start == look;
        for lanes in [1, 16] {
            let rule = Rule::of(
                Units::Trajectories(lanes),
                Some(0.001),
                None,
                12_345_678 * lanes,
                0.95,
            )
            .unwrap();
            let last = rule.games_max();
            let grid = Grid::of_games(lanes);
            assert!(rule.looks().all(|look| is_boundary(grid, look, last)));
            if lanes == 1 {
                let grid = Grid::of_pairs();
                assert!(rule.looks().all(|look| is_boundary(grid, look, last)));
            }
        }
        let test = Sprt::new(0.5, 0.51, 0.05, 0.05, 1_000_000).unwrap();
        let grid = Grid::of_pairs();
        assert!(test.looks().all(|look| is_boundary(grid, look, 1_000_000)));
    }
}
