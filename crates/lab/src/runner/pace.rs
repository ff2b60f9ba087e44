//! The work that is left of a run, from the work that its games have taken so far.
//!
//! Games of different cells take different times: an expensive player stands beside a cheap one,
//! and large boards beside small ones. So each cell counts at its own measured work per game. A
//! cell that was not played yet counts like the nearest one in the plan with the same table and
//! players; else, with the same players; else, like the mean of all. The schedule begins with a
//! pilot: it plays some cells of each group first, and of these the ones whose cost leaves the work
//! left most uncertain, until it is known well enough.

use super::progress::{CellProgress, total};
use crate::plan::Plan;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

/// Work left that is this certain (relative standard error, if games were as spread as exponential
/// times) needs no more games of a pilot. Three times this is well within 30 %.
const CERTAIN: f64 = 0.05;
/// Fewer games than this do not tell what a game costs.
const FEW: f64 = 4.0;
/// The most games that a pilot plays, as a share of all games that are expected to cost the same.
const PILOT_SHARE: f64 = 0.1;

/// Which cells of a plan are likely to cost about the same.
pub struct CostGroups {
    cells: Vec<Group>,
}

/// The groups of a cell, each as a number that no other group has.
struct Group {
    /// The group of the cells with the same table and players.
    in_table: usize,
    /// The group of the cells with the same players.
    players: usize,
}

impl CostGroups {
    /// The groups of a plan's cells.
    pub fn new(plan: &Plan) -> Self {
        let mut known = HashMap::new();
        let mut number = |table: Option<usize>, players: &str| {
            let next = known.len();
            *known.entry((table, players.to_owned())).or_insert(next)
        };
        let cells = plan.cells.iter().map(|cell| {
            let players = format!("{}/{}", cell.game.name, cell.players_key());
            Group {
                in_table: number(Some(cell.table), &players),
                players: number(None, &players),
            }
        });
        Self {
            cells: cells.collect(),
        }
    }

    /// At most about `most` of these cells (ascending): the first of each group with a table of its
    /// own, and others at equal distances.
    pub fn sample(&self, cells: &[usize], most: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let firsts = cells
            .iter()
            .filter(|&&cell| seen.insert(self.cells[cell].in_table));
        let spread = cells.iter().step_by(cells.len().div_ceil(most).max(1));
        let sample: BTreeSet<usize> = firsts.take(most).chain(spread).copied().collect();
        sample.into_iter().collect()
    }

    /// What is left of all cells together; `None` before anything was measured.
    pub fn estimate(&self, progress: &[CellProgress]) -> Option<Estimate> {
        let left = self.left(progress)?;
        let turns = |cells: &[CellProgress]| {
            let sum = |of: fn(&CellProgress) -> u64| total(cells.iter().map(of)) as f64;
            sum(|cell| cell.turns_now) / sum(|cell| cell.games_now).max(1.0)
        };
        let mean = turns(progress);
        let turns_of =
            |left: &Remaining| left.games * left.like.map_or(mean, |at| turns(&progress[at..=at]));
        let paces: f64 = alike(&left)
            .map(|(cell, games)| error_of_pace(&progress[cell], games).powi(2))
            .sum();
        let ends = left
            .iter()
            .map(|left| (left.games_error * left.pace).powi(2));
        Some(Estimate {
            work: left.iter().map(Remaining::work).sum(),
            error: (paces + ends.sum::<f64>()).sqrt(),
            games: left.iter().map(|left| left.games).sum(),
            turns: left.iter().map(turns_of).sum(),
        })
    }

    /// The work of each cell that is done, also by earlier runs, and that which is left [seconds of
    /// one thread]; `None` before anything was measured.
    pub fn work(&self, progress: &[CellProgress]) -> Option<Vec<[f64; 2]>> {
        let left = self.left(progress)?;
        let both = left.iter().map(|left| [left.done, left.work()]);
        Some(both.collect())
    }

    /// The measured cells of which a pilot should play more games, those first that matter most;
    /// empty once the work left is certain enough, or where those cells are done. Of the games that
    /// are expected to cost as much as those of one cell, at most a tenth are for the pilot. `None`
    /// before anything was measured.
    pub fn uncertain(&self, progress: &[CellProgress]) -> Option<Vec<usize>> {
        let left = self.left(progress)?;
        let total: f64 = left.iter().map(Remaining::work).sum();
        let errors = alike(&left).map(|(cell, games)| {
            // Few games may all be short ones.
            let is_known = progress[cell].pace.games() as f64 >= FEW || games == 0.0;
            let error = error_of_pace(&progress[cell], games);
            (if is_known { error } else { f64::INFINITY }, cell, games)
        });
        let mut errors: Vec<(f64, usize, f64)> = errors.collect();
        let variance: f64 = errors.iter().map(|(error, _, _)| error.powi(2)).sum();
        if variance.sqrt() <= CERTAIN * total {
            return Some(Vec::new());
        }
        errors.retain(|&(_, cell, games)| {
            let now = progress[cell].games_now as f64;
            !progress[cell].done && now < PILOT_SHARE * (now + games)
        });
        errors.sort_by(|(a, _, _), (b, _, _)| b.total_cmp(a));
        Some(errors.into_iter().map(|(_, cell, _)| cell).collect())
    }

    fn left(&self, progress: &[CellProgress]) -> Option<Vec<Remaining>> {
        let mut near: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut games = 0;
        let mut work = 0.0;
        for (index, (cell, group)) in progress.iter().zip(&self.cells).enumerate() {
            if cell.games_now > 0 {
                near.entry(group.in_table).or_default().push(index);
                near.entry(group.players).or_default().push(index);
                games += cell.games_now;
                work += cell.work_now.as_secs_f64();
            }
        }
        if games == 0 {
            return None;
        }
        let used = self.used(progress);
        let cells = progress.iter().zip(&self.cells).enumerate();
        let left = cells.map(|(index, (cell, group))| {
            let known = near
                .get(&group.in_table)
                .or_else(|| near.get(&group.players));
            let like = known.map(|known| nearest(known, index));
            let pace = like.map_or(work / games as f64, |like| {
                progress[like].pace.seconds_per_game()
            });
            let expected = cell.expected.filter(|_| cell.may_stop);
            let wanted = match expected {
                _ if cell.done => cell.games as f64,
                Some(expected) => expected.games as f64,
                None if cell.may_stop => {
                    cell.games_max as f64 * used.get(&group.in_table).copied().unwrap_or(1.0)
                }
                None => cell.games_max as f64,
            };
            let is_open = !cell.done;
            let expected = expected.filter(|_| is_open);
            Remaining {
                done: cell.games as f64 * pace,
                games: (wanted - cell.games as f64).max(0.0),
                games_error: expected.map_or(0.0, |expected| expected.error as f64),
                pace,
                begin: match like {
                    Some(like) if is_open && cell.games_now == 0 => progress[like].beside_games(),
                    _ => 0.0,
                },
                like: like.filter(|_| is_open),
            }
        });
        Some(left.collect())
    }

    /// The share of their games that the cells with stopping rules take, by group: as far as those
    /// show it that have ended or that have played some games.
    fn used(&self, progress: &[CellProgress]) -> HashMap<usize, f64> {
        let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
        for (cell, group) in progress.iter().zip(&self.cells) {
            let games = match cell.expected {
                _ if !cell.may_stop => continue,
                _ if cell.done => cell.games,
                Some(expected) => expected.games,
                None => continue,
            };
            let (sum, most) = sums.entry(group.in_table).or_default();
            *sum += games as f64;
            *most += cell.games_max as f64;
        }
        sums.into_iter()
            .map(|(group, (games, most))| (group, games / most.max(1.0)))
            .collect()
    }
}

/// What is left of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The work in seconds of one thread.
    pub work: f64,
    /// The standard error of the work, if the costs of games were spread like exponential ones and
    /// cells that were not played like those that count for them.
    pub error: f64,
    /// The games that are left.
    pub games: f64,
    /// The turns of the games that are left.
    pub turns: f64,
}

/// What is left of a cell.
struct Remaining {
    /// The work of the games played.
    done: f64,
    /// Games, as far as can be told.
    games: f64,
    /// The standard error of the number of games.
    games_error: f64,
    /// The work of one [seconds of one thread].
    pace: f64,
    /// The work before the first game of the cell [seconds of one thread].
    begin: f64,
    /// The measured cell at whose pace it counts; `None` where that is the mean of all.
    like: Option<usize>,
}

impl Remaining {
    /// In seconds of one thread.
    fn work(&self) -> f64 {
        self.games * self.pace + self.begin
    }
}

/// The games left that count at the pace of each measured cell.
fn alike(left: &[Remaining]) -> impl Iterator<Item = (usize, f64)> + use<> {
    let mut alike: BTreeMap<usize, f64> = BTreeMap::new();
    for left in left {
        if let Some(cell) = left.like {
            *alike.entry(cell).or_default() += left.games;
        }
    }
    alike.into_iter()
}

/// The error of the work left in `games` games at the pace of a cell.
fn error_of_pace(cell: &CellProgress, games: f64) -> f64 {
    games * cell.pace.seconds_per_game() / (cell.pace.games().max(1) as f64).sqrt()
}

/// The nearest of these places, which ascend; there is at least one.
fn nearest(known: &[usize], place: usize) -> usize {
    let after = known.partition_point(|&at| at < place).min(known.len() - 1);
    let before = after.saturating_sub(1);
    let is_before = place.abs_diff(known[before]) <= place.abs_diff(known[after]);
    known[if is_before { before } else { after }]
}

/// The work of the batches so far and their time, in seconds.
pub fn work_and_time(progress: &[CellProgress]) -> [f64; 2] {
    let sum = |of: fn(&CellProgress) -> Duration| progress.iter().map(of).sum::<Duration>();
    [sum(|cell| cell.work_now), sum(|cell| cell.time_now)].map(|sum| sum.as_secs_f64())
}

/// The time left of a run on `threads` threads in seconds, from its work left.
///
/// A thread does as much work in a second as the batches so far did in a second of their time,
/// which is less than a second of work where others use the processors too.
pub fn seconds_left(work_left: f64, progress: &[CellProgress], threads: usize) -> f64 {
    let [work, time] = work_and_time(progress);
    if work > 0.0 {
        work_left * (time / work) / threads as f64
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Overrides;

    /// Two cheap cells and two expensive ones, of which some were played.
    #[test]
    fn work_is_counted_by_cells() {
        let text = "name = \"pace\"\nseed = 1\ngames = 1000\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n\
                    size = \"2x2\"\nplayer = [\"random\", \"greedy\"]\ntarget = [1, 9]\n";
        let plan = Plan::of_text(text, Overrides::default()).unwrap();
        let groups = CostGroups::new(&plan);
        assert_eq!(groups.sample(&[0, 1, 2, 3], 2), [0, 2]);
        let mut progress = vec![
            CellProgress {
                games_max: 1000,
                ..CellProgress::default()
            };
            4
        ];
        assert_eq!(groups.work(&progress), None);
        let work_left = |progress: &[CellProgress]| {
            let work = groups.work(progress).unwrap();
            work.iter().map(|[_, left]| *left).collect::<Vec<_>>()
        };
        let played = |progress: &mut CellProgress, games: u64, seconds: u64| {
            progress.games += games;
            progress.games_now += games;
            progress.work_now += Duration::from_secs(seconds);
            progress.pace.add(games, Duration::from_secs(seconds));
        };
        played(&mut progress[0], 100, 1);
        assert_eq!(work_left(&progress), [9.0, 10.0, 10.0, 10.0]);
        played(&mut progress[2], 10, 10);
        assert_eq!(work_left(&progress), [9.0, 10.0, 990.0, 1000.0]);
        // Games of earlier runs need no work.
        progress[3].games = 900;
        progress[0].done = true;
        assert_eq!(work_left(&progress), [0.0, 10.0, 990.0, 100.0]);
    }
}
