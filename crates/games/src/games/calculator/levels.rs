//! The 199 levels of the game.

use super::level::Level;
use super::press::Portal;

/// How many there are.
pub const COUNT: u32 = 199;

/// A line of names, then a line a level: labels of buttons and positions of the portal have spaces
/// between them.
const BUILT_IN: &str = include_str!("levels.csv");

/// The level with this number, from 1 to [`COUNT`].
///
/// # Panics
/// Panics if there is no such level.
pub fn level(number: u32) -> Level {
    let line = BUILT_IN.lines().nth(number as usize);
    let fields: Vec<&str> = line.expect("there is such a level").split(',').collect();
    let whole = |text: &str| text.parse().expect("a whole number");
    let [start, goal, moves] = [0, 1, 2].map(|at| whole(fields[at]));
    let labels: Vec<&str> = fields[3].split(' ').collect();
    let portal = fields[4].split_once(' ');
    let portal = portal.map(|(from, to)| Portal::new(whole(from), whole(to)));
    Level::new(number, [start, goal, moves], &labels, portal)
        .expect("the built-in levels are right")
}

/// All levels in their order.
pub fn built_in() -> impl Iterator<Item = Level> {
    (1..=COUNT).map(level)
}
