//! The cells of a saved state, each to be continued by one cell of the plan.

use super::state::{CellState, RunState};
use std::collections::HashMap;
use std::sync::Arc;

/// The cells of a saved state by their keys, each with its place in the state.
#[derive(Default)]
pub(super) struct Store(HashMap<String, (usize, Arc<CellState>)>);

impl Store {
    /// The cells of this state.
    pub fn new(saved: RunState) -> Self {
        // The cells of other shards are saved without their keys.
        let mut cells = saved.cells.iter().flatten();
        let are_unnamed = cells.any(|cell| cell.key.is_empty());
        let plan = are_unnamed.then(|| saved.plan().ok()).flatten();
        let mut store = Self::default();
        let cells = saved
            .cells
            .into_iter()
            .chain(saved.cells_not_in_plan.into_iter().map(Some));
        for (place, state) in cells.enumerate() {
            let Some(mut state) = state else { continue };
            if state.key.is_empty() {
                let Some(cell) = plan.as_ref().and_then(|plan| plan.cells.get(place)) else {
                    continue;
                };
                Arc::make_mut(&mut state).key = cell.key();
            }
            store.add(place, state);
        }
        store
    }

    /// Adds a cell. States that were put together have a cell several times.
    fn add(&mut self, place: usize, state: Arc<CellState>) {
        match self.0.get_mut(&state.key) {
            Some((_, known)) => Arc::make_mut(known).absorb(Arc::unwrap_or_clone(state)),
            None => drop(self.0.insert(state.key.clone(), (place, state))),
        }
    }

    /// Takes out what was saved of a cell.
    pub fn take(&mut self, key: &str) -> Option<Arc<CellState>> {
        Some(self.0.remove(key)?.1)
    }

    /// The cells that were not taken, in the order in which they were saved.
    pub fn not_taken(self) -> Vec<Arc<CellState>> {
        let mut rest: Vec<(usize, Arc<CellState>)> = self.0.into_values().collect();
        rest.sort_by_key(|(place, _)| *place);
        rest.into_iter().map(|(_, state)| state).collect()
    }
}
