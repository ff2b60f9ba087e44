//! Finds one shortest solution of a level, or all of them, or proves that there is none.
//!
//! Positions are merged: a state is the display, the stored number, and what `[+]` buttons have
//! added. Three kinds of presses are left out; a level is solvable with them exactly if it is
//! solvable without them:
//!
//! 1. presses that change nothing;
//! 2. a `Store` whose number is not pressed before the next `Store` or the end;
//! 3. an `Inv10` directly after an `Inv10`, which only undoes it (with a `Store` between, both
//!    count: a number was stored).
//!
//! Two solutions with the same labels are the same; so if an append button has the same label as
//! the stored number, one of the two is left out. A solution ends when the goal is first shown.
//!
//! [`shortest`] is a breadth-first search that visits every state once. [`all`] stores each layer
//! of states (states may recur in later layers), counts backward from the last layer how many ways
//! lead to the goal, and then follows only states that lead there. Large searches are pruned by a
//! backward bound (`backward.rs`), which loses no solution.

use super::backward::Backward;
use super::button::{Button, ButtonDigits};
use super::level::{Level, Press, State};
use super::states::{Node, StateSet};
use std::cell::LazyCell;

/// A search that holds `LARGE` states looks for a backward bound; below, building the tables
/// would take longer than it saves.
const LARGE: usize = 60_000;

/// The most states that one search keeps: about 2 GB of memory at the most.
pub const STATES_MAX: usize = 20_000_000;

/// A search would need more memory than it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the search stopped at its bound of {states_max} states, which keeps its memory below about 2 GB; fewer moves or \
     buttons make it smaller"
)]
pub struct TooLarge {
    /// The most states that the search was allowed to keep.
    pub states_max: usize,
}

/// What came of a search for one solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortest {
    /// The labels of a solution with the fewest moves; `None` when the search was exhausted without
    /// any.
    pub solution: Option<Vec<String>>,
    /// Different states met.
    pub states: u64,
}

/// Finds a solution with the fewest moves.
///
/// ```
/// use tilelab_games::games::calculator::{Level, solver::shortest};
/// let level = Level::new(1, [0, 404, 5], &["+8", "x10", "/2"], None).unwrap();
/// assert_eq!(shortest(&level).unwrap().solution.unwrap(), ["+8", "x10", "x10", "+8", "/2"]);
/// ```
///
/// # Errors
/// Returns an error if the search would keep more than [`STATES_MAX`] states.
pub fn shortest(level: &Level) -> Result<Shortest, TooLarge> {
    shortest_from(level, level.start_state(), level.moves, STATES_MAX)
}

/// Finds what [`shortest`] finds, from any state of the level, within `moves` moves, at most those
/// of the level, and with a bound.
///
/// # Errors
/// Returns an error if the search would keep more than `states_max` states.
pub fn shortest_from(
    level: &Level,
    start: State,
    moves: u32,
    states_max: usize,
) -> Result<Shortest, TooLarge> {
    let rules = Rules::new(level, false);
    let mut search = Tree {
        rules,
        set: StateSet::default(),
        came_from: Vec::new(),
    };
    let start = Node {
        state: start,
        pending: false,
        inverted: false,
    };
    if start.state.value == level.goal {
        return Ok(Shortest {
            solution: Some(Vec::new()),
            states: 1,
        });
    }
    search.insert(start, (0, Press::Recall));
    let mut from = 0;
    let has_memory = rules.has_memory();
    let backward = LazyCell::new(|| has_memory.then(|| Backward::new(level)).flatten());
    for left in (0..moves).rev() {
        let to = search.set.len();
        for number in from..to {
            if search.set.len() > states_max {
                return Err(TooLarge { states_max });
            }
            let node = search.set.node(number);
            let is_large = search.set.len() > LARGE;
            let bound = is_large.then(|| backward.as_ref()).flatten();
            let mut solution = None;
            rules.successors(node, |press, after| {
                if after.state.value == level.goal {
                    if !after.pending && solution.is_none() {
                        solution = Some(press);
                    }
                } else if left > 0
                    && bound.is_none_or(|b| b.may_reach(after.state.added, after.state.value, left))
                {
                    search.insert(after, (number as u32, press));
                }
            });
            if let Some(press) = solution {
                let states = search.set.len() as u64 + 1;
                return Ok(Shortest {
                    solution: Some(search.labels(number, press)),
                    states,
                });
            }
        }
        from = to;
        if from == search.set.len() {
            break;
        }
    }
    Ok(Shortest {
        solution: None,
        states: search.set.len() as u64,
    })
}

/// The presses that the search considers.
#[derive(Clone, Copy)]
struct Rules<'a> {
    level: &'a Level,
    /// The place of `Store`.
    store: Option<Press>,
    /// Whether `Inv10` after `Inv10` has to be told apart; a search that meets each state once does
    /// not come back anyway.
    marks_inverted: bool,
}

impl<'a> Rules<'a> {
    fn new(level: &'a Level, marks_inverted: bool) -> Self {
        let place = level
            .buttons
            .iter()
            .position(|&button| button == Button::Store);
        Self {
            level,
            store: place.map(|place| Press::Button(place as u8)),
            marks_inverted,
        }
    }

    /// Whether a state is more than its display.
    fn has_memory(&self) -> bool {
        self.store.is_some()
            || self
                .level
                .buttons
                .iter()
                .any(|button| matches!(button, Button::Increase(_)))
    }

    /// Calls `each` with every press that costs a move and the node after it.
    #[inline]
    fn successors(&self, node: Node, mut each: impl FnMut(Press, Node)) {
        for (place, &button) in self.level.buttons.iter().enumerate() {
            let inverts = button == Button::Invert && self.marks_inverted;
            if button == Button::Store
                || (inverts && node.inverted)
                || reads_like_stored(button, &node.state)
            {
                continue;
            }
            let press = Press::Button(place as u8);
            if let Ok(state) = self.level.press(&node.state, press)
                && state != node.state
            {
                each(
                    press,
                    Node {
                        state,
                        pending: node.pending,
                        inverted: inverts,
                    },
                );
            }
        }
        if node.state.stored.is_some()
            && let Ok(state) = self.level.press(&node.state, Press::Recall)
            && state != node.state
        {
            each(
                Press::Recall,
                Node {
                    state,
                    pending: false,
                    inverted: false,
                },
            );
        }
    }

    /// The node after `Store`, where that can serve a purpose.
    #[inline]
    fn stored(&self, node: Node) -> Option<Node> {
        let state = if node.pending {
            return None;
        } else {
            self.level.press(&node.state, self.store?).ok()?
        };
        (state != node.state).then_some(Node {
            state,
            pending: true,
            inverted: false,
        })
    }
}

/// Whether an append button shows the stored number. Pressing the stored number does the same and
/// leaves more open.
fn reads_like_stored(button: Button, state: &State) -> bool {
    match (button, state.stored) {
        (Button::Append(digits), Some(stored)) => {
            digits.plus(state.added) == ButtonDigits::of(stored)
        }
        _ => false,
    }
}

/// The states of a breadth-first search, each with the way it was first met.
struct Tree<'a> {
    rules: Rules<'a>,
    set: StateSet,
    /// The number of the state before, and the press.
    came_from: Vec<(u32, Press)>,
}

impl Tree<'_> {
    /// Adds a node, and the node after a free `Store` with it.
    #[inline]
    fn insert(&mut self, node: Node, came_from: (u32, Press)) {
        if self.set.insert(node) {
            self.came_from.push(came_from);
            if let Some(stored) = self.rules.stored(node) {
                let number = self.set.len() as u32 - 1;
                if self.set.insert(stored) {
                    self.came_from
                        .push((number, self.rules.store.expect("it was pressed")));
                }
            }
        }
    }

    /// The labels from the start to a node and one press more.
    fn labels(&self, mut number: usize, last: Press) -> Vec<String> {
        let mut labels = vec![self.rules.level.label(&self.set.node(number).state, last)];
        while number > 0 {
            let (before, press) = self.came_from[number];
            number = before as usize;
            labels.push(self.rules.level.label(&self.set.node(number).state, press));
        }
        labels.reverse();
        labels
    }
}

/// All solutions of a level, ready to be walked through.
pub struct All<'a> {
    rules: Rules<'a>,
    /// The states after 0, 1, 2, … moves.
    layers: Vec<Layer>,
    /// How many solutions there are (at most `u128::MAX`).
    pub count: u128,
    /// Different states met, counted anew for each number of moves.
    pub states: u64,
}

#[derive(Default)]
struct Layer {
    set: StateSet,
    /// By state: bit r is set when the goal can be shown for the first time after exactly r more
    /// moves.
    ahead: Vec<u128>,
}

/// Finds all solutions within the level's moves.
///
/// ```
/// use tilelab_games::games::calculator::{Level, solver::all};
/// let level = Level::new(1, [4, 7, 2], &["+4", "-1", "Reverse"], None).unwrap();
/// assert_eq!(all(&level).unwrap().list(), [["+4", "-1"], ["-1", "+4"]]);
/// ```
///
/// # Errors
/// Returns an error if the search would keep more than [`STATES_MAX`] states.
pub fn all(level: &Level) -> Result<All<'_>, TooLarge> {
    all_within(level, STATES_MAX)
}

/// Finds what [`all`] finds, with another bound.
///
/// # Errors
/// Returns an error if the search would keep more than `states_max` states.
pub fn all_within(level: &Level, states_max: usize) -> Result<All<'_>, TooLarge> {
    let rules = Rules::new(level, true);
    let mut layers = vec![Layer::default()];
    let start = Node {
        state: level.start_state(),
        pending: false,
        inverted: false,
    };
    layers[0].insert(&rules, start);
    let mut met = layers[0].set.len();
    let backward = LazyCell::new(|| Backward::new(level));
    for left in (0..level.moves).rev() {
        let mut next = Layer::default();
        let layer = layers.last().expect("one a move");
        for number in 0..layer.set.len() {
            let node = layer.set.node(number);
            if node.state.value == level.goal {
                continue;
            }
            if met + next.set.len() > states_max {
                return Err(TooLarge { states_max });
            }
            let is_large = met + next.set.len() > LARGE;
            let bound = is_large.then(|| backward.as_ref()).flatten();
            rules.successors(node, |_, after| {
                let added = after.state.added;
                let value = after.state.value;
                let goal = value == level.goal;
                if (goal && !after.pending)
                    || (!goal
                        && left > 0
                        && bound.is_none_or(|bound| bound.may_reach(added, value, left)))
                {
                    next.insert(&rules, after);
                }
            });
        }
        met += next.set.len();
        if next.set.len() == 0 {
            break;
        }
        layers.push(next);
    }
    let count = look_ahead(&rules, &mut layers);
    Ok(All {
        rules,
        layers,
        count,
        states: met as u64,
    })
}

impl Layer {
    /// Adds a node, and the node after a free `Store` with it unless the level is solved.
    fn insert(&mut self, rules: &Rules<'_>, node: Node) {
        if self.set.insert(node)
            && node.state.value != rules.level.goal
            && let Some(stored) = rules.stored(node)
        {
            self.set.insert(stored);
        }
    }
}

/// Fills in from the last layer back what lies ahead of each state, and returns the number of ways
/// from the start.
fn look_ahead(rules: &Rules<'_>, layers: &mut [Layer]) -> u128 {
    let mut counts_after: Vec<u128> = Vec::new();
    for depth in (0..layers.len()).rev() {
        let (before, after) = layers.split_at_mut(depth + 1);
        let layer = &mut before[depth];
        let next = after.first();
        let mut counts = vec![0_u128; layer.set.len()];
        layer.ahead = vec![0; layer.set.len()];
        // A state may lead to a pending one of its own layer, by Store; pending ones lead only to
        // the next layer.
        for pending in [true, false] {
            for number in 0..layer.set.len() {
                let node = layer.set.node(number);
                if node.pending != pending {
                    continue;
                }
                let mut ahead = 0;
                let mut count = 0_u128;
                if node.state.value == rules.level.goal {
                    (ahead, count) = (1, 1);
                } else {
                    if let Some(next) = next {
                        rules.successors(node, |_, after| {
                            if let Some(number) = next.set.find(after) {
                                ahead |= next.ahead[number] << 1;
                                count = count.saturating_add(counts_after[number]);
                            }
                        });
                    }
                    if let Some(number) =
                        rules.stored(node).and_then(|stored| layer.set.find(stored))
                    {
                        ahead |= layer.ahead[number];
                        count = count.saturating_add(counts[number]);
                    }
                }
                (layer.ahead[number], counts[number]) = (ahead, count);
            }
        }
        counts_after = counts;
    }
    counts_after[0]
}

impl All<'_> {
    /// Every solution, those with fewer moves first, then in the order of the level's buttons.
    pub fn list(&self) -> Vec<Vec<String>> {
        let mut solutions = Vec::new();
        let mut labels = Vec::new();
        let start = self.layers[0].set.node(0);
        for moves in 0..self.layers.len() {
            if self.layers[0].ahead[0] >> moves & 1 == 1 {
                self.walk(start, 0, moves, &mut labels, &mut solutions);
            }
        }
        solutions
    }

    /// Adds all ways from a node of layer `depth` to the goal in exactly `moves` more moves.
    fn walk(
        &self,
        node: Node,
        depth: usize,
        moves: usize,
        labels: &mut Vec<String>,
        found: &mut Vec<Vec<String>>,
    ) {
        if node.state.value == self.rules.level.goal {
            found.push(labels.clone());
            return;
        }
        let mut ways = Vec::new();
        if moves > 0 {
            self.rules
                .successors(node, |press, after| ways.push((press, after)));
        }
        if let Some(stored) = self.rules.stored(node) {
            let press = self.rules.store.expect("it was pressed");
            let place = ways
                .iter()
                .position(|&(other, _)| order(other) > order(press))
                .unwrap_or(ways.len());
            ways.insert(place, (press, stored));
        }
        for (press, after) in ways {
            let cost = self.rules.level.cost(press) as usize;
            let Some(layer) = self.layers.get(depth + cost) else {
                continue;
            };
            let ahead = layer
                .set
                .find(after)
                .map_or(0, |number| layer.ahead[number]);
            if ahead >> (moves - cost) & 1 == 1 {
                labels.push(self.rules.level.label(&node.state, press));
                self.walk(after, depth + cost, moves - cost, labels, found);
                labels.pop();
            }
        }
    }
}

/// The order of presses: the level's buttons, then the stored number.
fn order(press: Press) -> u8 {
    match press {
        Press::Button(place) => place,
        Press::Recall => u8::MAX,
    }
}
