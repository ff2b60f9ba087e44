//! Games of 67! stepped together with given moves: the reference, and the choice of the table.

use super::line::Tile;
use super::reference::State;
use super::{Direction, SixtySeven};
use crate::game::GameResult;
use crate::game::stepping::{End, Steppable, kind};
use num_bigint::BigInt;

impl Steppable for SixtySeven {
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    fn all_moves(&self) -> Vec<(Direction, String)> {
        Direction::ALL
            .map(|direction| (direction, direction.name().to_owned()))
            .into()
    }

    fn end(&self, state: &State) -> End {
        let (result, moves) = state.ended.expect("the game is over");
        if result == GameResult::Won {
            End::Won
        } else if self
            .value_limit
            .is_some_and(|limit| state.board.exceeds(limit))
        {
            End::Exceeded
        } else if moves < state.round {
            End::Blocked
        } else {
            End::OutOfRounds
        }
    }

    fn read(&self, state: &State, kinds: &mut [u8], numbers: &mut [f64]) {
        for (cell, tile) in state.board.tiles().iter().enumerate() {
            (kinds[cell], numbers[cell]) = match tile {
                Tile::Blank => (kind::BLANK, 0.0),
                Tile::Number(number) => (kind::NUMBER, rounded(number)),
                Tile::Operator(operator) => (kind::PLUS + *operator as u8, 0.0),
            };
        }
    }
}

/// The nearest `f64`, ties to even; infinite beyond its range.
pub(super) fn rounded(number: &BigInt) -> f64 {
    let magnitude = number.magnitude();
    // The top 64 bits, the lowest of them set where anything below them is: rounded once, to 53.
    let below = magnitude.bits().saturating_sub(64);
    let top = magnitude >> below;
    let is_exact = &top << below == *magnitude;
    let top = top.iter_u64_digits().next().unwrap_or(0) | u64::from(!is_exact);
    // In two steps, since 2^below alone may be beyond the range.
    let half = i32::try_from(below.min(1024) / 2).expect("at most 512");
    let rest = i32::try_from(below.min(1024)).expect("at most 1024") - half;
    let rounded = top as f64 * 2_f64.powi(half) * 2_f64.powi(rest);
    if number.sign() == num_bigint::Sign::Minus {
        -rounded
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_once() {
        let two = BigInt::from(2);
        let mut numbers = vec![BigInt::from(0), BigInt::from(67), BigInt::from(i64::MIN)];
        for bits in [
            10, 53, 54, 55, 63, 64, 65, 100, 117, 118, 119, 200, 1022, 1023, 1024, 3000,
        ] {
            let power = two.pow(bits);
            for near in [-3, -2, -1, 0, 1, 2, 3] {
                numbers.push(&power + near);
                // Beside the middle of two neighbouring values.
                numbers.push(&power + two.pow(bits.saturating_sub(53)) + near);
            }
        }
        for number in numbers {
            for number in [number.clone(), -number] {
                let expected: f64 = number.to_string().parse().unwrap();
                assert_eq!(rounded(&number), expected, "{number}");
            }
        }
    }
}
