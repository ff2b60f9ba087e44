//! How far a run is that plays now: a small file beside the saved state.

use super::Folder;
use crate::plan::Plan;
use crate::runner::Progress;
use crate::runner::pace::{CostGroups, seconds_left};
use crate::runner::progress::{CellProgress, total};
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::time::Duration;
use tilelab_output::atomic;
use tilelab_output::files::{self, File, NOTE_BYTES_MAX, TryLockError};
use tilelab_output::locked;

/// How often the file is written.
const EVERY: Duration = Duration::from_secs(1);

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Name of the experiment.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// Cells that are played or done.
    pub cells: usize,
    /// Cells that are done.
    pub cells_done: usize,
    /// Games played, now and before.
    pub games: u64,
    /// Games that there will be at most.
    pub games_max: u64,
    /// Seconds since the run began.
    pub elapsed_s: f64,
    /// Seconds left, once some work was measured.
    pub seconds_left: Option<f64>,
}

impl Live {
    /// What a run that holds this folder has noted; `None` where none does.
    pub fn of(folder: &Folder) -> Option<Self> {
        // The lock is asked for only where a run was, so that asking never keeps a run from
        // beginning in a folder at rest.
        let text = files::read(folder.live(), NOTE_BYTES_MAX).ok()?;
        let lock = File::open(folder.lock()).ok()?;
        let is_held = matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
        is_held.then(|| serde_json::from_slice(&text).ok())?
    }
}

/// Notes how far a run is, and removes the note when dropped.
pub struct Noted<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    groups: CostGroups,
    threads: usize,
    last: Mutex<Option<Duration>>,
}

impl<'a> Noted<'a> {
    /// The notes of a run before the first one.
    pub fn new(plan: &'a Plan, folder: &'a Folder, threads: usize) -> Self {
        Self {
            folder,
            plan,
            groups: CostGroups::new(plan),
            threads,
            last: Mutex::new(None),
        }
    }

    /// Writes the file, at most once a second. No result depends on it, so a full disk is no error.
    pub fn progress(&self, progress: &Progress<'_>) {
        let mut last = locked(&self.last);
        if last.is_some_and(|last| progress.elapsed < last + EVERY) {
            return;
        }
        *last = Some(progress.elapsed);
        let sum = |of: fn(&CellProgress) -> u64| total(progress.cells.iter().map(of));
        let left = self.groups.estimate(progress.cells);
        let live = Live {
            name: self.plan.name.clone(),
            seed: self.plan.seed,
            cells: progress.cells.len(),
            cells_done: progress.cells.iter().filter(|cell| cell.done).count(),
            games: sum(|cell| cell.games),
            games_max: sum(CellProgress::games_needed),
            elapsed_s: progress.elapsed.as_secs_f64(),
            seconds_left: left.map(|left| seconds_left(left.work, progress.cells, self.threads)),
        };
        let text = serde_json::to_vec(&live).expect("numbers and names can be written");
        drop(atomic::write_unsynced(&self.folder.live(), &text));
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        drop(files::remove_file(self.folder.live()));
    }
}
