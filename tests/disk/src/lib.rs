//! Results folders in worlds that one number decides: runs, shards, merges, reports, exports and
//! trainings of an experiment that changes, one or two at a time, on a `disk` of their own, where
//! they are killed, lose power, and find damaged files.
//!
//! After each step the saved states hold all games that were saved, can be continued by their own
//! plans, and agree with the files made from them. In the end an undisturbed run of everything
//! makes the files of a run that was never disturbed.
//!
//! `TILELAB_SIMULATED_WORLDS=100000` tries 100,000 numbers; `TILELAB_SIMULATED_FROM` is the first
//! one. A message names the number of the world and the steps up to what went wrong.

#![cfg(test)]
mod disk;
mod experiments;
mod learning;
mod model;
mod mounted;
mod operations;

use disk::{Disk, Loss, Process, Shared};
use experiments::{experiment, plan_of, whole_experiment};
use model::{Model, games};
use mounted::ROOT;
use operations::{Operation, Ran, options};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tilelab_games::rng::{Draw, SeedableRng, Stream, hash_key};
use tilelab_lab::plan::Plan;
use tilelab_lab::results::{Error, Folder, Run, derived, rows, store};
use tilelab_lab::runner::schedule::Schedule;
use tilelab_lab::runner::{self, Shard};
use tilelab_output::files::{self, TABLE_BYTES_MAX};

/// Worlds without `TILELAB_SIMULATED_WORLDS`.
const WORLDS: u64 = 1_000;
/// Steps of a world.
const STEPS: u64 = 8;
/// Steps on the disk within which most operations end, and those of short ones.
const DISK_STEPS: [usize; 2] = [600, 60];
/// Parts of the sharded runs.
const SHARDS: u64 = 2;

/// Files that tell when, where and how fast the games were played.
const DATED: [&str; 4] = ["machine.txt", "report.html", "times.csv", "times.md"];

fn below(draw: &mut Stream, limit: usize) -> usize {
    Draw::next(draw).below(limit as u64) as usize
}

/// Whether one of `cases` cases is drawn.
fn is_one_in(draw: &mut Stream, cases: usize) -> bool {
    below(draw, cases) == 0
}

/// A stream of its own.
fn branch(draw: &mut Stream) -> Stream {
    Stream::seed_from_u64(Draw::next(draw).below(u64::MAX))
}

/// The text of the files of a results folder that say the same each time.
type Contents = BTreeMap<PathBuf, Vec<u8>>;

struct World {
    draw: Stream,
    disk: Arc<Shared>,
    with_rows: bool,
    /// Whether runs and reports write plots and pages, too, which take longer than all else. They
    /// are no less made of the rows than `table.md`.
    has_plots: bool,
    plan: Arc<Plan>,
    model: Mutex<Model>,
    /// What was done.
    log: Vec<String>,
}

impl World {
    fn new(number: u64) -> Self {
        let mut draw = Stream::seed_from_u64(number);
        let with_rows = is_one_in(&mut draw, 12);
        let has_plots = is_one_in(&mut draw, 16);
        Self::with(with_rows, has_plots, draw)
    }

    fn with(with_rows: bool, has_plots: bool, mut draw: Stream) -> Self {
        let (text, plan) = experiment(&mut draw, with_rows);
        let disk = Disk::new(Path::new(ROOT), branch(&mut draw));
        Self {
            draw,
            disk: Shared::new(disk),
            with_rows,
            has_plots,
            plan,
            model: Mutex::default(),
            log: vec![text],
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        below(&mut self.draw, limit)
    }

    fn results(&self) -> Folder {
        Folder::of(&self.plan, Shard::WHOLE, Path::new(ROOT))
    }

    fn derive(&self) -> derived::Write {
        match self.has_plots {
            true => derived::write,
            false => derived::write_tables,
        }
    }

    fn model(&mut self) -> &mut Model {
        self.model.get_mut().expect("no operation panics")
    }

    /// Lets undisturbed code use the disk.
    fn alone<T>(&self, what: impl FnOnce() -> T) -> T {
        Process::new(&self.disk, 0, u64::MAX, Loss::Kill)
            .run(what)
            .0
    }

    /// A process with what it does, which may end before its time.
    fn begin(&mut self, number: usize, operation: Operation, is_alone: bool) -> (Process, Ran) {
        let is_disturbed = is_one_in(&mut self.draw, 2);
        let range = DISK_STEPS[self.below(2)];
        let steps = match is_disturbed {
            true => 1 + self.below(range) as u64,
            false => u64::MAX,
        };
        let loss = [Loss::Kill, Loss::Power][self.below(2)];
        let end = match is_disturbed {
            true => format!(", {loss:?} after {steps} steps"),
            false => String::new(),
        };
        self.log.push(format!("{number}: {operation:?}{end}"));
        let ran = Ran {
            plan: Arc::clone(&self.plan),
            draw: branch(&mut self.draw),
            derive: self.derive(),
            operation,
            is_alone,
        };
        (Process::new(&self.disk, number, steps, loss), ran)
    }

    /// Runs one operation, or two at once.
    fn operate(&mut self, first: Operation, second: Option<Operation>) {
        let others = second.is_some();
        // One of two processes may replace a file for which the other one is refused.
        let mut closed = self.closed();
        let mut processes = vec![self.begin(0, first, !others)];
        processes.extend(second.map(|second| self.begin(1, second, false)));
        let model = &self.model;
        let run = |(process, mut ran): (Process, Ran)| {
            let (ended, is_whole) = process.run(|| ran.run(model));
            let ended = is_whole.then_some(ended);
            (ran.operation, ended)
        };
        let mut ended: Vec<_> = if others {
            let second = processes.pop().expect("there are two");
            let first = processes.pop().expect("there are two");
            std::thread::scope(|scope| {
                let second = scope.spawn(|| run(second));
                let first = run(first);
                let second = second.join();
                vec![first, second.expect("the other process does not panic")]
            })
        } else {
            processes.into_iter().map(run).collect()
        };
        self.disk.disk().restart();
        let are_whole = ended.iter().all(|(_, ended)| ended.is_some());
        closed.extend(self.closed());
        // A file for which one is refused, and which is then removed, may be new from the other.
        ended.sort_by_key(|(_, ended)| !matches!(ended, Some(Ok(()))));
        for (operation, ended) in ended {
            self.log.push(match &ended {
                None => format!("{operation:?} has not ended"),
                Some(Ok(())) => format!("{operation:?} is done"),
                Some(Err(error)) => format!("{operation:?}: {error}"),
            });
            match ended {
                None => {}
                Some(Ok(())) if operation.makes_rows() && are_whole => self.check_rows(),
                Some(Ok(())) => {}
                Some(Err(Error::Busy(_))) if others => {}
                Some(Err(Error::Shards(_))) if operation == Operation::Merge => {}
                Some(Err(Error::Csv(_))) if operation.reads_rows() => {}
                Some(Err(Error::Lost { path, .. })) if self.model().is_lost(&path) => {
                    drop(self.disk.disk().remove(&path));
                }
                Some(Err(error)) => {
                    let message = error.to_string();
                    let is_named = |path: &&PathBuf| message.contains(&*path.to_string_lossy());
                    let named = closed.iter().find(is_named);
                    let path = named.unwrap_or_else(|| panic!("refused: {message}"));
                    if self.closed().contains(path) {
                        drop(self.disk.disk().remove(path));
                    }
                }
            }
        }
        self.check();
    }

    /// The files of another user.
    fn closed(&self) -> Vec<PathBuf> {
        let disk = self.disk.disk();
        let mut paths = disk.paths();
        paths.retain(|path| disk.file(path).is_ok_and(|file| disk.is_closed(file)));
        paths
    }

    /// Cuts, flips, empties or removes a file, puts something strange in its place or gives it to
    /// another user. A saved state whose predecessor is damaged stays as it is.
    fn damage(&mut self) {
        let mut files = self.disk.disk().paths();
        let model = self.model.get_mut().expect("no operation panics");
        files.retain(|path| model.may_be_damaged(path));
        if files.is_empty() {
            return;
        }
        let path = files.swap_remove(self.below(files.len()));
        let mut disk = self.disk.disk();
        let file = disk.file(&path).expect("it is a file");
        let mut bytes = disk.content(file).to_vec();
        let at = below(&mut self.draw, bytes.len().max(1));
        let is_regular = path.file_name().is_some_and(|name| name == ".lock")
            || path
                .parent()
                .is_some_and(|folder| folder.ends_with(".games"));
        // A state that nobody may read cannot be checked.
        let is_state = path.to_string_lossy().contains(".state");
        let kinds = if is_state || is_regular { 5 } else { 6 };
        let kind = below(&mut self.draw, kinds);
        self.log.push(format!("damage {kind} of {path:?} at {at}"));
        match kind {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << below(&mut self.draw, 8),
            2 => bytes.clear(),
            _ => {}
        }
        // Another name of the same file stays.
        disk.remove(&path).expect("it is there");
        // A lock or a record of games that is no file is refused.
        let is_strange = kind == 4 && !is_regular;
        if kind < 3 || is_strange || kind == 5 {
            let file = disk.create(&path).expect("it was removed");
            *disk.content_mut(file) = bytes;
            disk.sync(file);
            if is_strange {
                disk.make_strange(file);
            }
            if kind == 5 {
                disk.close(file);
            }
        }
        disk.sync_folder(path.parent().expect("it lies in a folder"));
        drop(disk);
        self.model().damaged(&path);
    }

    /// No saved game is lost, and every saved state can be continued by its own plan.
    fn check(&mut self) {
        // States that have been continued, by their bytes.
        static CONTINUED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
        let model = std::mem::take(self.model());
        self.alone(|| {
            model.check_trainings();
            for (folder, wanted) in model.folders() {
                let folder = Folder(folder.clone());
                let found = store::load_last_good(&folder).expect("the state can be read");
                let Some(found) = found else {
                    panic!("{folder:?}: the state is gone");
                };
                let games = games(&found.state);
                for (cell, before) in wanted {
                    let now = games.get(cell).copied().unwrap_or_default();
                    assert!(
                        now >= *before,
                        "{folder:?}: {cell} had {before} games, now {now}"
                    );
                }
                let text = files::read_text(found.file, TABLE_BYTES_MAX).expect("it has been read");
                if !CONTINUED.lock().unwrap().insert(hash_key(&text)) {
                    continue;
                }
                let plan = plan_of(&found.state).expect("the plan of the state");
                let shard = Shard {
                    index: found.state.header.shard,
                    count: found.state.header.shards,
                };
                let options = options(shard).runner;
                Schedule::new(&plan, &options, Some(found.state)).expect("the state is continued");
            }
        });
        *self.model() = model;
    }

    /// The rows are those of the state, and the tables those of the rows.
    fn check_rows(&self) {
        // Files that have been checked, by what they hold.
        static CHECKED: Mutex<BTreeSet<[Option<u64>; 5]>> = Mutex::new(BTreeSet::new());
        const READ: [&str; 5] = [
            ".state",
            "cells.csv",
            "distributions.csv",
            "published.csv",
            "table.md",
        ];
        let folder = self.results();
        self.alone(|| {
            let held = READ.map(|name| {
                let text = files::read_text(folder.0.join(name), TABLE_BYTES_MAX).ok()?;
                Some(hash_key(&text))
            });
            if !CHECKED.lock().unwrap().insert(held) {
                return;
            }
            let state = store::load(&folder.state()).unwrap();
            let plan = plan_of(&state).unwrap();
            let options = options(Shard::WHOLE).runner;
            let state = Schedule::new(&plan, &options, Some(state)).unwrap().state();
            let mut rows = rows::CellRows::new(&plan);
            rows.update(&plan, &state);
            let cells = files::read(folder.0.join("cells.csv"), TABLE_BYTES_MAX).unwrap();
            let [found, wanted] =
                [cells, rows.cells_csv()].map(|text| String::from_utf8(text).unwrap());
            assert!(
                found == wanted,
                "cells.csv is not that of the state:\n{found}\n{wanted}"
            );
            let Ok(tables) = files::read_text(folder.0.join("table.md"), TABLE_BYTES_MAX) else {
                return;
            };
            let results = derived::read(&folder).expect("the files can be read");
            assert!(
                tables.ends_with(&results.tables()),
                "table.md is not of cells.csv"
            );
        });
    }

    /// The files of the results folder that say the same each time, without those of shards.
    fn contents(&self) -> Contents {
        let folder = self.results().0;
        let disk = self.disk.disk();
        let is_hidden = |path: &Path| path.file_name().unwrap().as_encoded_bytes()[0] == b'.';
        let is_dated = |path: &Path| DATED.iter().any(|dated| path.ends_with(dated));
        // Merges always write plots.
        let is_left_out =
            |path: &Path| !self.has_plots && path.extension().is_some_and(|ending| ending == "svg");
        // What is no file is not the run's: it stays where no file of the run has its name.
        let is_strange = |path: &Path| disk.file(path).is_ok_and(|file| disk.is_strange(file));
        let is_compared = |path: &Path| {
            !is_dated(path) && !is_hidden(path) && !is_left_out(path) && !is_strange(path)
        };
        let here = disk.paths().into_iter();
        here.filter(|path| path.parent() == Some(&folder) && is_compared(path))
            .map(|path| {
                let name = path.strip_prefix(&folder).unwrap().to_owned();
                let bytes = disk.content(disk.file(&path).unwrap()).to_vec();
                (name, bytes)
            })
            .collect()
    }

    /// Runs everything, undisturbed.
    fn run_whole(&self) -> Result<Contents, Error> {
        let plan = whole_experiment(self.with_rows);
        self.alone(|| {
            let options = options(Shard::WHOLE);
            let by = |mut schedule: Schedule<'_>,
                      _: &runner::RunnerOptions,
                      _: &AtomicBool,
                      observer: &dyn runner::RunnerObserver| {
                while let Some(batch) = schedule.next_batch() {
                    let tally = operations::played(&plan, &batch, plan.per_game.is_some());
                    schedule.complete(&batch, Ok(tally), Duration::ZERO, Duration::ZERO);
                }
                observer.save(&schedule.state(), &schedule.progress());
                Ok(schedule.state())
            };
            Run::prepare(&plan, &options)?.play_by(&AtomicBool::new(false), &(), by, self.derive())
        })?;
        Ok(self.contents())
    }

    /// Ends the world: after a run of everything, all files are those of an undisturbed run.
    fn end(&mut self) {
        self.log.push("the end".to_owned());
        static WHOLE: [OnceLock<Contents>; 4] = [const { OnceLock::new() }; 4];
        let [with_rows, has_plots] = [self.with_rows, self.has_plots];
        let whole = WHOLE[2 * usize::from(with_rows) + usize::from(has_plots)].get_or_init(|| {
            let world = Self::with(with_rows, has_plots, self.draw.clone());
            world.run_whole().expect("nothing is in its way")
        });
        for path in self.closed() {
            self.disk.disk().remove(&path).expect("it is there");
        }
        // Where games have rows, these are of the same games the second time.
        for _ in 0..=usize::from(self.with_rows) {
            self.cut_files();
            let mut found = self.run_whole();
            if let Err(Error::Lost { path, .. }) = &found
                && self.model().is_lost(path)
            {
                drop(self.disk.disk().remove(path));
                found = self.run_whole();
            }
            let mut found = found.unwrap_or_else(|error| panic!("the end is refused: {error}"));
            // A damaged plot of an earlier experiment is not known as one, and stays.
            let folder = self.results().0;
            let is_plot = |name: &Path| name.extension().is_some_and(|ending| ending == "svg");
            found.retain(|name, _| {
                let is_left = is_plot(name) && !whole.contains_key(name);
                !(is_left && self.model().was_damaged(&folder.join(name)))
            });
            let differ = |name: &&PathBuf| found.get(*name) != whole.get(*name);
            let names: Vec<_> = found.keys().chain(whole.keys()).filter(differ).collect();
            assert!(
                names.is_empty(),
                "not those of an undisturbed run: {names:?}"
            );
        }
    }

    /// Cuts some of the files that are made from the state.
    fn cut_files(&mut self) {
        for name in self.contents().keys() {
            if is_one_in(&mut self.draw, 3) {
                self.log.push(format!("cut {name:?}"));
                let path = self.results().0.join(name);
                self.model().damaged(&path);
                let mut disk = self.disk.disk();
                let file = disk.file(&path).expect("it is there");
                let content = disk.content_mut(file);
                content.truncate(content.len() / 2);
            }
        }
    }

    fn live(&mut self) {
        for _ in 0..STEPS {
            match self.below(8) {
                0 | 1 => {
                    let (text, plan) = experiment(&mut self.draw, self.with_rows);
                    self.plan = plan;
                    self.log.push(text);
                }
                2 => self.damage(),
                _ => {
                    let first = Operation::drawn(&mut self.draw);
                    let second = match is_one_in(&mut self.draw, 3) {
                        true => Some(Operation::drawn(&mut self.draw)),
                        false => None,
                    };
                    self.operate(first, second);
                }
            }
        }
        self.end();
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

/// Worlds in which a result, or what is expected of it, was wrong once.
const WRONG_ONCE: [u64; 13] = [
    100_016_431,
    100_504_431,
    100_554_932,
    100_587_406,
    101_000_928,
    101_026_695,
    101_500_399,
    101_533_934,
    200_003_660,
    211_018_437,
    250_091_815,
    270_053_977,
    280_000_977,
];

#[test]
fn results_survive_every_world() {
    let first = number("TILELAB_SIMULATED_FROM", 0);
    let end = first + number("TILELAB_SIMULATED_WORLDS", WORLDS);
    mounted::mount();
    let worlds = Mutex::new(WRONG_ONCE.into_iter().chain(first..end));
    let begun = std::time::Instant::now();
    let next = || worlds.lock().unwrap().next();
    let live = || {
        while let Some(number) = next() {
            let mut world = World::new(number);
            let lived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.live()));
            if lived.is_err() {
                while next().is_some() {}
                panic!("world {number}: {:#?}", world.log);
            }
        }
    };
    // The two processes of a world wait for each other, so more worlds than cores keep these busy.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2 * cores).map(|_| scope.spawn(live)).collect();
        for thread in threads {
            thread.join().expect("every world lives");
        }
    });
    println!("{} worlds in {:.1?}", end - first, begun.elapsed());
}
