//! The work that is left of a run, from the work that its games have taken so far.
//!
//! Games of different cells take different times: an expensive player stands beside a cheap one,
//! and large boards beside small ones. So each cell counts at its own measured work per game. A
//! cell that was not played yet counts like the nearest one in the plan with the same table and
//! players; else, with the same players; else, like the mean of all. The schedule plays the first
//! batch of some cells of each kind early, so that these are known soon.

use super::progress::CellProgress;
use crate::plan::Plan;
use std::collections::HashMap;

/// Which cells of a plan are likely to cost about the same.
pub struct Kinds {
    /// Of each cell: its table and players as a number, and its players as a number.
    cells: Vec<(usize, usize)>,
}

impl Kinds {
    /// The kinds of a plan's cells.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let mut in_table = HashMap::new();
        let mut anywhere = HashMap::new();
        let cells = plan.cells.iter().map(|cell| {
            let players = format!("{}/{}", cell.game.name, cell.players_key());
            let next = in_table.len();
            let kind = *in_table.entry((cell.table, players.clone())).or_insert(next);
            let next = anywhere.len();
            (kind, *anywhere.entry(players).or_insert(next))
        });
        Self { cells: cells.collect() }
    }

    /// At most about `most` of these cells (ascending): the first of each kind, and others at equal
    /// distances.
    #[must_use]
    pub fn sample(&self, cells: &[usize], most: usize) -> Vec<usize> {
        let mut seen = std::collections::HashSet::new();
        let mut sample: Vec<usize> = cells.iter().copied().filter(|&cell| seen.insert(self.cells[cell].0)).collect();
        sample.truncate(most);
        sample.extend(cells.iter().copied().step_by(cells.len().div_ceil(most).max(1)));
        sample.sort_unstable();
        sample.dedup();
        sample
    }

    /// The work left in each cell [seconds of one thread]; `None` before anything was measured.
    #[must_use]
    pub fn work_left(&self, progress: &[CellProgress]) -> Option<Vec<f64>> {
        let mut near: HashMap<(bool, usize), Vec<(usize, f64)>> = HashMap::new();
        let mut games = 0;
        let mut work = 0.0;
        for (index, (cell, &(kind, players))) in progress.iter().zip(&self.cells).enumerate() {
            if cell.games_now > 0 {
                let pace = cell.work_now.as_secs_f64() / cell.games_now as f64;
                near.entry((true, kind)).or_default().push((index, pace));
                near.entry((false, players)).or_default().push((index, pace));
                games += cell.games_now;
                work += cell.work_now.as_secs_f64();
            }
        }
        if games == 0 {
            return None;
        }
        let used = self.used(progress);
        let of_cell = |(index, (cell, &(kind, players))): (usize, (&CellProgress, &(usize, usize)))| {
            if cell.done {
                return 0.0;
            }
            let known = near.get(&(true, kind)).or_else(|| near.get(&(false, players)));
            let pace = known.map_or(work / games as f64, |known| nearest(known, index));
            let wanted =
                cell.games_max as f64 * if cell.may_stop { used.get(&kind).copied().unwrap_or(1.0) } else { 1.0 };
            (wanted - cell.games as f64).max(0.0) * pace
        };
        Some(progress.iter().zip(&self.cells).enumerate().map(of_cell).collect())
    }

    /// The share of their games that the cells with stopping rules that have ended took, by kind.
    fn used(&self, progress: &[CellProgress]) -> HashMap<usize, f64> {
        let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
        for (cell, &(kind, _)) in progress.iter().zip(&self.cells).filter(|(cell, _)| cell.done && cell.may_stop) {
            let (games, most) = sums.entry(kind).or_default();
            *games += cell.games as f64;
            *most += cell.games_max as f64;
        }
        sums.into_iter().map(|(kind, (games, most))| (kind, games / most.max(1.0))).collect()
    }
}

/// The value at the place that is nearest; places ascend, and there is at least one.
fn nearest(known: &[(usize, f64)], place: usize) -> f64 {
    let after = known.partition_point(|(at, _)| *at < place).min(known.len() - 1);
    let before = after.saturating_sub(1);
    let is_before = place.abs_diff(known[before].0) <= place.abs_diff(known[after].0);
    known[if is_before { before } else { after }].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Overrides;
    use std::time::Duration;

    /// Two cheap cells and two expensive ones, of which some were played.
    #[test]
    fn work_is_counted_by_cells() {
        let text = "name = \"pace\"\nseed = 1\ngames = 1000\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n\
                    size = \"2x2\"\nplayer = [\"random\", \"greedy\"]\ntarget = [1, 9]\n";
        let plan = Plan::of_text(text, Overrides::default()).unwrap();
        let kinds = Kinds::new(&plan);
        assert_eq!(kinds.sample(&[0, 1, 2, 3], 2), [0, 2]);
        let mut progress = vec![CellProgress { games_max: 1000, ..CellProgress::default() }; 4];
        assert_eq!(kinds.work_left(&progress), None);
        let played = |progress: &mut CellProgress, games: u64, seconds: u64| {
            progress.games += games;
            progress.games_now += games;
            progress.work_now += Duration::from_secs(seconds);
        };
        played(&mut progress[0], 100, 1);
        assert_eq!(kinds.work_left(&progress).unwrap(), [9.0, 10.0, 10.0, 10.0]);
        played(&mut progress[2], 10, 10);
        assert_eq!(kinds.work_left(&progress).unwrap(), [9.0, 10.0, 990.0, 1000.0]);
        // Games of earlier runs need no work.
        progress[3].games = 900;
        progress[0].done = true;
        assert_eq!(kinds.work_left(&progress).unwrap(), [0.0, 10.0, 990.0, 100.0]);
    }
}
