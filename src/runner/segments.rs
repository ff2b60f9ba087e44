//! The boundaries at which the games of a cell are summed up apart.
//!
//! A saved cell keeps one tally for the games between each two neighbouring boundaries, so that the
//! sum of its first games is known exactly at every boundary. The boundaries are those at which
//! stopping rules look ([`crate::stats::Rule`]): 0, 1,024, 1,536, 2,048, 3,072, 4,096, …
//! trajectories. A rule that is added or changed later therefore decides as in a run that had it
//! from the start.

use std::ops::Range;

/// The first boundary above 0 [trajectories].
const FIRST: u64 = 1024;

/// The boundary with this number, from 0 [trajectories].
const fn boundary(number: u64) -> u64 {
    if number == 0 {
        return 0;
    }
    let step = (number - 1) / 2;
    if step > 51 {
        return u64::MAX;
    }
    let power = FIRST << step;
    if number % 2 == 1 {
        power
    } else {
        power + power / 2
    }
}

/// The games of the segment with this number, from 0, where trajectories have `lanes` games.
#[must_use]
pub fn games(number: u64, lanes: u64) -> Range<u64> {
    boundary(number).saturating_mul(lanes)..boundary(number + 1).saturating_mul(lanes)
}

/// The number of the segment to which a game belongs.
#[must_use]
pub fn of_game(game: u64, lanes: u64) -> u64 {
    let trajectory = game / lanes;
    if trajectory < FIRST {
        return 0;
    }
    let step = u64::from((trajectory / FIRST).ilog2());
    let has_second_half = trajectory - (FIRST << step) >= FIRST << step >> 1;
    1 + 2 * step + u64::from(has_second_half)
}

/// The last boundary that is at most this number of games.
#[must_use]
pub fn boundary_below(number_of_games: u64, lanes: u64) -> u64 {
    games(of_game(number_of_games, lanes), lanes).start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Rule;

    #[test]
    fn every_game_has_one_segment() {
        let starts: Vec<u64> = (0..8).map(|number| games(number, 1).start).collect();
        assert_eq!(starts, [0, 1024, 1536, 2048, 3072, 4096, 6144, 8192]);
        for lanes in [1, 16] {
            for number in 0..80 {
                let segment = games(number, lanes);
                assert_eq!(segment.end, games(number + 1, lanes).start);
                for game in [segment.start, segment.end - 1] {
                    assert_eq!(
                        of_game(game, lanes),
                        number,
                        "game {game} with {lanes} lanes"
                    );
                }
                assert_eq!(boundary_below(segment.start, lanes), segment.start);
                assert_eq!(boundary_below(segment.end - 1, lanes), segment.start);
            }
        }
    }

    #[test]
    fn rules_look_at_boundaries() {
        for lanes in [1, 16] {
            let rule = Rule::of_lanes(Some(0.001), None, 12_345_678 * lanes, 0.95, lanes).unwrap();
            let last = rule.games_max();
            assert!(
                rule.looks()
                    .all(|look| look == last || boundary_below(look, lanes) == look)
            );
        }
    }
}
