//! The cells of a saved state, each to be continued by one cell of the plan.

use super::state::{CellState, State};
use std::collections::HashMap;
use std::sync::Arc;

/// The cells of a saved state by their keys.
#[derive(Default)]
pub(super) struct Store(HashMap<String, Vec<Saved>>);

/// A saved cell.
pub(super) struct Saved {
    /// What was saved.
    pub state: Arc<CellState>,
    /// Its place in the state.
    place: usize,
    /// Whether a cell of the plan continues it.
    pub is_used: bool,
}

impl Store {
    /// The cells of this state.
    pub fn new(saved: State) -> Self {
        // The cells of other shards are saved without their keys.
        let is_unnamed = |cell: &Arc<CellState>| cell.key.is_empty();
        let plan = saved.cells.iter().flatten().any(is_unnamed).then(|| saved.plan().ok()).flatten();
        let mut store = Self::default();
        let count = saved.cells.len();
        let cells = saved.cells.into_iter().enumerate().filter_map(|(place, cell)| Some((place, cell?)));
        for (place, state) in cells.chain(saved.beyond.into_iter().enumerate().map(|(at, cell)| (count + at, cell))) {
            let key = match (&state.key, &plan) {
                (key, _) if !key.is_empty() => key.clone(),
                (_, Some(plan)) if place < plan.cells.len() => plan.cells[place].key(),
                _ => continue,
            };
            store.0.entry(key).or_default().push(Saved { state, place, is_used: false });
        }
        for cells in store.0.values_mut() {
            cells.sort_by_key(|saved| std::cmp::Reverse(saved.state.games_stored()));
        }
        store
    }

    /// What was saved of a cell, the most games first.
    pub fn of(&mut self, key: &str) -> &mut [Saved] {
        self.0.get_mut(key).map_or(&mut [], Vec::as_mut_slice)
    }

    /// The cells that no cell of the plan has taken, in the order in which they were saved.
    pub fn unused(self) -> Vec<Arc<CellState>> {
        let mut unused: Vec<(usize, Arc<CellState>)> = Vec::new();
        for (key, cells) in self.0 {
            for Saved { mut state, place, is_used } in cells {
                if is_used {
                    continue;
                }
                if state.key.is_empty() {
                    Arc::make_mut(&mut state).key.clone_from(&key);
                }
                unused.push((place, state));
            }
        }
        unused.sort_by_key(|(place, _)| *place);
        unused.into_iter().map(|(_, state)| state).collect()
    }
}
