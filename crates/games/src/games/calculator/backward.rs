//! A lower bound on the number of moves from a display to the goal, computed backward from the
//! goal.
//!
//! The bound is exact for an easier puzzle in which the stored number may be any number at any
//! time. A forward search may discard every state whose bound exceeds its remaining moves without
//! losing a solution.
//!
//! Pseudo-code: `distance[added][value]` is 0 at the goal and unknown elsewhere; layer by layer,
//! every unknown predecessor of the last layer gets the next distance. Predecessors of arithmetic
//! are computed; those of buttons that rearrange digits, and of the portal, come from tables over
//! all million magnitudes.

use super::button::{Button, VALUE_MAX, VALUES, digit_count};
use super::level::Level;
use super::press;
use std::collections::BTreeMap;

/// Displays: −999,999 to 999,999.
const DISPLAYS: usize = 2 * VALUE_MAX as usize + 1;
/// The most sums of `[+]` presses for which tables are kept, 2 MB each.
const ADDED_SUMS_MAX: usize = 64;
/// The layer in which `REACHED_MAX` displays have been reached is given up; what the complete
/// layers tell stays exact.
const REACHED_MAX: usize = 4_000_000;
/// The distance of displays that no layer has reached.
const FAR: u8 = u8::MAX;

/// Lower bounds on the moves from a display to the goal.
#[derive(Debug)]
pub struct Backward {
    /// Every sum that `[+]` presses can come to, ascending.
    sums: Vec<u32>,
    /// The bounds, by sum and display.
    distances: Vec<Vec<u8>>,
    /// Distances up to this one are complete.
    depth: u32,
}

impl Backward {
    /// The bounds of a level; `None` when its `[+]` buttons come to too many sums for tables.
    pub fn new(level: &Level) -> Option<Self> {
        let (sums, presses): (Vec<u32>, Vec<u32>) = added_sums(level)?.into_iter().unzip();
        let inverses = Inverses::new(level);
        let mut backward = Self {
            distances: vec![vec![FAR; DISPLAYS]; sums.len()],
            sums,
            depth: 0,
        };
        let mut layer: Vec<(usize, i32)> = (0..backward.sums.len())
            .map(|sum| (sum, level.goal))
            .collect();
        for &(sum, value) in &layer {
            backward.distances[sum][index(value)] = 0;
        }
        let mut reached = layer.len();
        while backward.depth < level.moves {
            let mut next = Vec::new();
            for &(sum, value) in &layer {
                let added = backward.sums[sum];
                inverses.predecessors(level, added, value, |added, before| {
                    // A sum that is not listed takes more presses than the level has moves.
                    let Ok(sum) = backward.sums.binary_search(&added) else {
                        return;
                    };
                    let distance = &mut backward.distances[sum][index(before)];
                    // `presses[sum]` moves went into the sum, and `depth + 1` are still to come.
                    if *distance == FAR && presses[sum] + backward.depth < level.moves {
                        *distance = backward.depth as u8 + 1;
                        next.push((sum, before));
                    }
                });
                if reached + next.len() > REACHED_MAX {
                    return Some(backward);
                }
            }
            backward.depth += 1;
            reached += next.len();
            layer = next;
        }
        Some(backward)
    }

    /// False only if the goal cannot be reached from this display in `moves` moves.
    #[inline]
    pub fn may_reach(&self, added: u32, value: i32, moves: u32) -> bool {
        moves > self.depth
            || self
                .sums
                .binary_search(&added)
                .is_ok_and(|sum| u32::from(self.distances[sum][index(value)]) <= moves)
    }
}

const fn index(value: i32) -> usize {
    (value + VALUE_MAX) as usize
}

/// What `[+]` presses can come to within the level's moves, with the fewest presses for each;
/// `None` when there are too many sums.
fn added_sums(level: &Level) -> Option<BTreeMap<u32, u32>> {
    let mut sums = BTreeMap::from([(0, 0)]);
    for presses in 1..=level.moves {
        let last: Vec<u32> = sums
            .iter()
            .filter(|(_, fewest)| **fewest + 1 == presses)
            .map(|(&sum, _)| sum)
            .collect();
        for button in &level.buttons {
            if let Button::Increase(n) = button {
                for sum in &last {
                    sums.entry(sum + n).or_insert(presses);
                }
            }
        }
        if sums.len() > ADDED_SUMS_MAX {
            return None;
        }
    }
    Some(sums)
}

/// The preimages of a function on magnitudes, grouped by result.
struct Inverse {
    /// Where the preimages of each result begin in `preimages`.
    starts: Vec<u32>,
    preimages: Vec<u32>,
}

impl Inverse {
    fn new(function: impl Fn(u32) -> Option<u32>) -> Self {
        let magnitudes = VALUE_MAX as u32 + 1;
        let results: Vec<Option<u32>> = (0..magnitudes).map(function).collect();
        let mut starts = vec![0_u32; magnitudes as usize + 1];
        for &result in results.iter().flatten() {
            starts[result as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut free = starts.clone();
        let mut preimages = vec![0; starts[magnitudes as usize] as usize];
        for (magnitude, result) in results.iter().enumerate() {
            if let Some(result) = result {
                preimages[free[*result as usize] as usize] = magnitude as u32;
                free[*result as usize] += 1;
            }
        }
        Self { starts, preimages }
    }

    /// The displays that lead to `value` when the function acts on the magnitude and the sign
    /// stays.
    fn signed(&self, value: i32, mut each: impl FnMut(i32)) {
        let at = value.unsigned_abs() as usize;
        for &magnitude in &self.preimages[self.starts[at] as usize..self.starts[at + 1] as usize] {
            let magnitude = magnitude as i32;
            if value >= 0 {
                each(magnitude);
            }
            if value <= 0 {
                each(-magnitude);
            }
        }
    }
}

/// The tables of a level.
struct Inverses {
    /// In the order of the level's buttons, for those that rearrange digits.
    buttons: Vec<Option<Inverse>>,
    portal: Option<Inverse>,
}

impl Inverses {
    fn new(level: &Level) -> Self {
        let table = |&button: &Button| {
            press::acts_on_digits(button)
                .then(|| Inverse::new(|magnitude| press::rearrange(button, magnitude)))
        };
        Self {
            buttons: level.buttons.iter().map(table).collect(),
            portal: level
                .portal
                .map(|portal| Inverse::new(|magnitude| Some(portal.fall(magnitude)))),
        }
    }

    /// Calls `each` with (added, display) at least for all positions from which one press leads to
    /// `value`.
    fn predecessors(&self, level: &Level, added: u32, value: i32, mut each: impl FnMut(u32, i32)) {
        for button in &level.buttons {
            if let Button::Increase(n) = button
                && let Some(before) = added.checked_sub(*n)
            {
                each(before, value);
            }
        }
        match &self.portal {
            None => self.before_portal(level, added, value, |before| each(added, before)),
            Some(portal) => portal.signed(value, |result| {
                self.before_portal(level, added, result, |before| each(added, before));
            }),
        }
    }

    /// Calls `each` at least with all displays from which one press leads to `result` before the
    /// portal acts.
    fn before_portal(&self, level: &Level, added: u32, result: i32, mut each: impl FnMut(i32)) {
        let mut check = |before: i64| {
            if before.unsigned_abs() <= VALUE_MAX as u64 {
                each(before as i32);
            }
        };
        let wide = i64::from(result);
        for (button, inverse) in level.buttons.iter().zip(&self.buttons) {
            match *button {
                Button::Add(n) => check(wide - i64::from(n + added)),
                Button::Subtract(n) => check(wide + i64::from(n + added)),
                Button::Multiply(n) => match i64::from(n) + i64::from(added) {
                    0 if wide == 0 => VALUES.for_each(&mut check),
                    0 => {}
                    factor if wide % factor == 0 => check(wide / factor),
                    _ => {}
                },
                Button::Divide(n) => check(wide * i64::from(n + added)),
                Button::Power(n) => {
                    let root = f64::from(result.unsigned_abs())
                        .powf(1.0 / f64::from(n))
                        .round() as i64;
                    (-root - 1..=-root + 1)
                        .chain(root - 1..=root + 1)
                        .for_each(&mut check);
                }
                Button::Negate => check(-wide),
                Button::Append(digits) => {
                    let digits = digits.plus(added);
                    let place = 10_i64.pow(u32::from(digits.len));
                    if wide.abs() % place == i64::from(digits.value) {
                        check(wide / place);
                    }
                }
                Button::Increase(_) => {}
                Button::Store => {
                    (1..=digit_count(result.unsigned_abs()))
                        .for_each(|len| check(wide / 10_i64.pow(len)));
                }
                _ => inverse
                    .as_ref()
                    .expect("a table for each")
                    .signed(result, |before| check(i64::from(before))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::calculator::level::State;
    use crate::rng::{Draw, SeedableRng, Stream};

    /// One press changes the bound by at most one: what is one press away from a near display is
    /// near.
    #[test]
    fn no_press_comes_nearer_than_the_bound_says() {
        let mut stream = Stream::seed_from_u64(5);
        for (labels, portal, goal) in [
            (
                vec!["+3", "x-7", "/2", "x^2", "+/-", "12", "<<", "[+]2", "Store"],
                None,
                -36,
            ),
            (
                vec![
                    "-4", "Reverse", "SUM", "Mirror", "Inv10", "1=>00", "Shift>", "<Shift", "x3",
                ],
                None,
                20,
            ),
            (
                vec!["+7", "x2", "Mirror", "0", "Store", "+/-"],
                Some(Portal { from: 4, to: 2 }),
                131,
            ),
            (
                vec!["x-1", "[+]1", "x^3", "+1"],
                Some(Portal { from: 6, to: 1 }),
                0,
            ),
        ] {
            let level = Level::new(1, [1, goal, 6], &labels, portal.map(Ok)).unwrap();
            let backward = Backward::new(&level).unwrap();
            let spent_by_sum = added_sums(&level).unwrap();
            for _ in 0..200_000 {
                let mut draw = Draw::next(&mut stream);
                let digits = 10_u64.pow(1 + draw.below(6) as u32);
                let value = draw.below(2 * digits - 1) as i32 - digits as i32 + 1;
                let stored = Some(draw.below(1000) as u32);
                let added = backward.sums[draw.below(backward.sums.len() as u64) as usize];
                let state = State {
                    value,
                    stored,
                    added,
                };
                let spent = spent_by_sum[&added];
                for press in level.presses() {
                    let Ok(after) = level.press(&state, press) else {
                        continue;
                    };
                    let (cost, Ok(sum)) =
                        (level.cost(press), backward.sums.binary_search(&after.added))
                    else {
                        continue;
                    };
                    let distance = u32::from(backward.distances[sum][index(after.value)]);
                    if distance < backward.depth && spent + distance + cost <= level.moves {
                        assert!(
                            backward.may_reach(added, value, distance + cost),
                            "{state:?} {press:?} {after:?}"
                        );
                    }
                }
            }
        }
    }

    use crate::games::calculator::Portal;
}
