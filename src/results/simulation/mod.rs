//! A results folder in a world that one number decides: runs, shards, merges and reports of an
//! experiment that changes, on a [`disk`] that goes down, beside each other and after damage.
//!
//! After each step the saved states hold all games that were saved, can be continued by their own
//! plans, and agree with the files made from them. In the end an undisturbed run of everything
//! makes the files of a run that was never disturbed.
//!
//! `TILELAB_SIMULATED_WORLDS=100000` tries so many numbers; `TILELAB_SIMULATED_FROM` is the first
//! one. A message names the number of the world and the steps up to what went wrong.

pub mod disk;

use super::merge::Parts;
use super::{Error, Finished, Folder, Options, Run, Silent, derived, rows, store};
use crate::game::KernelChoice;
use crate::plan::{Overrides, Plan};
use crate::rng::{Draw, SeedableRng, Stream};
use crate::runner::schedule::{Batch, Schedule};
use crate::runner::state::State;
use crate::runner::{self, Shard};
use disk::{Disk, Loss};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Worlds without `TILELAB_SIMULATED_WORLDS`.
const WORLDS: u64 = 500;
/// Steps of a world.
const STEPS: u64 = 8;
/// More steps of a disk than most operations take.
const DISK_STEPS: u64 = 160;
/// Numbers of games that cells are asked for; rules look after 1,024.
const GAMES: [u64; 4] = [3, 40, 300, 1_040];
/// Parts of the sharded runs.
const SHARDS: u64 = 2;

/// Files that tell when, where and how fast the games were played.
const DATED: [&str; 6] = [
    "machine.txt",
    "report.html",
    "times.csv",
    "times.md",
    ".state",
    ".state.previous",
];

fn below(draw: &mut Stream, limit: usize) -> usize {
    Draw::next(draw).below(limit as u64) as usize
}

/// Whether one of so many cases is drawn.
fn is_one_in(draw: &mut Stream, cases: usize) -> bool {
    below(draw, cases) == 0
}

/// The experiment with some of its cells, or all of them with all of their games.
fn experiment(draw: &mut Stream, with_rows: bool, is_whole: bool) -> String {
    let mut text = "name = \"sim\"\nseed = 67\n".to_owned();
    if with_rows {
        text += "per_game = \"csv\"\n";
    }
    let mut table = |title: &str, cells: &str, games: &dyn Fn(u64) -> String| {
        let asked = if is_whole { 3 } else { below(draw, 4) };
        if is_whole || !is_one_in(draw, 3) {
            let games = games(GAMES[asked]);
            text += &format!("[[table]]\ntitle = \"{title}\"\ngame = \"67\"\n{cells}\n{games}\n");
        }
    };
    let fixed = |games: u64| format!("games = {games}");
    let stopped = |games: u64| format!("stop = {{ half_width = 0.01, max_games = {games} }}");
    table("a", "size = [\"1x2\", \"2x2\"]", &fixed);
    table("b", "size = [\"2x2\", \"1x3\"]", &fixed);
    table("c", "size = \"1x2\"\noperators = \"+\"", &stopped);
    if !text.contains("[[table]]") {
        text += "[[table]]\ntitle = \"d\"\ngame = \"67\"\nsize = \"2x2\"\ngames = 3\n";
    }
    text
}

/// The files of a results folder that say the same each time, without those of shards.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_dated = |path: &Path| DATED.iter().any(|dated| path.ends_with(dated));
    let here = disk::files(folder).into_iter();
    here.filter(|path| path.parent() == Some(folder) && !is_dated(path))
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            // The first line of a table names the folder.
            let begin = match name.ends_with("table.md") {
                true => bytes.iter().position(|&byte| byte == b'\n').unwrap(),
                false => 0,
            };
            (name, bytes[begin..].to_vec())
        })
        .collect()
}

/// Plays batches in an order that is drawn, saves now and then, and is interrupted sometimes;
/// `beside` happens before some batch.
fn play(
    draw: &mut Stream,
    mut schedule: Schedule<'_>,
    interrupted: &AtomicBool,
    observer: &dyn runner::Observer,
    saved: &RefCell<Option<State>>,
    mut beside: impl FnMut(),
) -> State {
    let save = |schedule: &Schedule<'_>| {
        let state = schedule.state();
        observer.save(&state, &schedule.progress());
        if !disk::is_down() {
            *saved.borrow_mut() = Some(state.clone());
        }
        state
    };
    let ends_early = is_one_in(draw, 3);
    let beside_at = below(draw, 4);
    for number in 0.. {
        if number == beside_at {
            beside();
        }
        let mut batches: Vec<Batch> = Vec::new();
        while batches.len() <= below(draw, 3)
            && let Some(batch) = schedule.next_batch()
        {
            batches.push(batch);
        }
        if batches.is_empty() || disk::is_down() {
            break;
        }
        if ends_early && is_one_in(draw, 4) {
            interrupted.store(true, Ordering::Relaxed);
            break;
        }
        while !batches.is_empty() {
            let batch = batches.swap_remove(below(draw, batches.len()));
            let time = Duration::from_micros(batch.games().end - batch.games().start);
            schedule.complete(&batch, Ok(batch.play()), time, time);
        }
        if is_one_in(draw, 6) {
            save(&schedule);
        }
    }
    save(&schedule)
}

/// What an operation has come to.
enum Ended {
    Done,
    /// The disk went down.
    Down,
    /// It was refused.
    Refused(Error),
}

struct World {
    draw: Stream,
    folder: tempfile::TempDir,
    with_rows: bool,
    plan: Rc<Plan>,
    /// Games of each cell that were saved, by results folder.
    saved: BTreeMap<PathBuf, BTreeMap<String, u64>>,
    /// What was done.
    log: Vec<String>,
}

impl World {
    fn new(number: u64) -> Self {
        let mut draw = Stream::seed_from_u64(number);
        let with_rows = is_one_in(&mut draw, 8);
        let text = experiment(&mut draw, with_rows, false);
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self {
            draw,
            folder: folder.unwrap(),
            with_rows,
            plan: Rc::new(Plan::of_text(&text, Overrides::default()).unwrap()),
            saved: BTreeMap::new(),
            log: vec![text],
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        below(&mut self.draw, limit)
    }

    fn options(&self, shard: Shard) -> Options {
        Options {
            runner: runner::Options {
                threads: 1,
                kernel: KernelChoice::Auto,
                shard,
                fail_fast: false,
                save_every: Duration::MAX,
            },
            out: self.folder.path().to_owned(),
            fresh: false,
            command: "simulated".to_owned(),
        }
    }

    fn of_shard(&self, index: u64) -> Folder {
        let count = SHARDS;
        Folder::of(&self.plan, Shard { index, count }, self.folder.path())
    }

    fn results(&self) -> Folder {
        Folder::of(&self.plan, Shard::WHOLE, self.folder.path())
    }

    /// Does something, now and then on a disk that goes down. `saved` is what it has saved.
    fn disturbed(
        &mut self,
        folder: &Folder,
        operation: impl FnOnce(&mut Stream, &RefCell<Option<State>>) -> Result<(), Error>,
    ) -> Ended {
        if is_one_in(&mut self.draw, 2) {
            let steps = 1 + self.below(DISK_STEPS as usize) as u64;
            Disk::begin(self.folder.path(), steps);
        }
        let saved = RefCell::new(None);
        let ended = operation(&mut self.draw, &saved);
        let ended = match Disk::end().filter(Disk::is_down) {
            Some(disk) => {
                let loss = [Loss::Kill, Loss::Power][self.below(2)];
                self.log.push(format!("the disk goes down: {loss:?}"));
                disk.restart(loss, &mut self.draw);
                Ended::Down
            }
            None => ended.map_or_else(Ended::Refused, |()| Ended::Done),
        };
        if let Some(state) = saved.into_inner() {
            let known = self.saved.entry(folder.0.clone()).or_default();
            for (cell, games) in games(&state) {
                let known = known.entry(cell).or_default();
                *known = games.max(*known);
            }
        }
        ended
    }

    /// Runs the experiment, or a part of it; a report or a second run may begin meanwhile.
    fn run(&mut self, shard: Shard) -> Ended {
        let plan = Rc::clone(&self.plan);
        let options = self.options(shard);
        let folder = Folder::of(&plan, shard, self.folder.path());
        let reports = shard == Shard::WHOLE && is_one_in(&mut self.draw, 2);
        let ended = self.disturbed(&folder, |draw, saved| {
            let interrupted = AtomicBool::new(false);
            let opened = RefCell::new(None);
            let beside = || {
                let second = Run::prepare(&plan, &options);
                assert!(matches!(second, Err(Error::Busy(_))), "a second run begins");
                if reports {
                    *opened.borrow_mut() = derived::open(&folder).ok();
                }
            };
            let run = Run::prepare(&plan, &options)?;
            let by = |schedule: Schedule<'_>,
                      _: &runner::Options,
                      interrupted: &AtomicBool,
                      observer: &dyn runner::Observer| {
                Ok(play(draw, schedule, interrupted, observer, saved, beside))
            };
            let finished: Finished = run.play_by(&interrupted, &Silent, by)?;
            if !disk::is_down() {
                *saved.borrow_mut() = Some(finished.state);
            }
            finish(&folder, opened.into_inner())
        });
        if let (Ended::Done, true) = (&ended, shard == Shard::WHOLE) {
            self.check_rows(&folder);
        }
        ended
    }

    /// Merges the parts, where all are there.
    fn merge(&mut self) -> Ended {
        let folder = self.results();
        let parts: Vec<Folder> = (1..=SHARDS).map(|index| self.of_shard(index)).collect();
        let out = self.folder.path().to_owned();
        let ended = self.disturbed(&folder, |_, saved| {
            let mut all = Parts::new(usize::MAX);
            for part in &parts {
                if let Some(found) = store::load_last_good(part)? {
                    all.add(part.0.clone(), found.file, found.state);
                }
            }
            let shards = all.arrange()?;
            let plan = shards.plan()?;
            let state = shards.merge(&plan)?;
            super::write(&plan, state.clone(), &out, &shards.folders(), 1)?;
            *saved.borrow_mut() = Some(state);
            Ok(())
        });
        if matches!(ended, Ended::Done) {
            self.check_rows(&folder);
        }
        ended
    }

    /// Makes the derived files again, while a run may begin.
    fn report(&mut self) -> Ended {
        let folder = self.results();
        let plan = Rc::clone(&self.plan);
        let options = self.options(Shard::WHOLE);
        self.disturbed(&folder, |_, _| {
            let opened = derived::open(&folder)?;
            let run = Run::prepare(&plan, &options);
            assert!(matches!(run, Err(Error::Busy(_))), "a run begins");
            finish(&folder, Some(opened))
        })
    }

    /// Cuts, flips, empties or removes a file. A saved state whose predecessor is damaged stays as
    /// it is.
    fn damage(&mut self) {
        let mut files = disk::files(self.folder.path());
        let is_needed = |path: &Path| {
            let other = match path.extension() {
                Some(_) => path.with_extension(""),
                None => path.with_extension("previous"),
            };
            let is_state = path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(".state");
            is_state && store::load(&other).is_err()
        };
        files.retain(|path| !is_needed(path));
        if files.is_empty() {
            return;
        }
        let path = files.swap_remove(self.below(files.len()));
        let mut bytes = std::fs::read(&path).unwrap();
        let at = self.below(bytes.len().max(1));
        let kind = self.below(4);
        self.log.push(format!("damage {kind} of {path:?} at {at}"));
        match kind {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            2 => bytes.clear(),
            _ => {}
        }
        // Another name may be of the same file, which stays.
        std::fs::remove_file(&path).unwrap();
        if kind < 3 {
            std::fs::write(&path, bytes).unwrap();
        }
        self.forgive(&path);
    }

    /// What was saved last may be gone now, and all games with a run's only record of them.
    fn forgive(&mut self, path: &Path) {
        let folder = Folder(path.parent().unwrap().to_owned());
        let is_state = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with(".state");
        if let Some(known) = self.saved.get_mut(&folder.0).filter(|_| is_state) {
            let found = store::load_last_good(&folder).unwrap();
            *known = found.map(|found| games(&found.state)).unwrap_or_default();
        }
    }

    /// Goes on after a step.
    fn take(&mut self, ended: Ended) {
        match ended {
            Ended::Done => self.log.push("done".to_owned()),
            Ended::Down => {}
            // A damaged number in cells.csv may be games that are nowhere; people remove it then.
            Ended::Refused(Error::Lost { path, .. }) => {
                self.log.push("games would be lost".to_owned());
                std::fs::remove_file(path).unwrap();
            }
            Ended::Refused(error @ (Error::Shards(_) | Error::Csv(_))) => {
                self.log.push(error.to_string());
            }
            Ended::Refused(error) => panic!("refused: {error}"),
        }
        self.check();
    }

    /// No saved game is lost, and every saved state can be continued by its own plan.
    fn check(&self) {
        for (folder, saved) in &self.saved {
            let folder = Folder(folder.clone());
            let found = store::load_last_good(&folder).expect("the state can be read");
            let Some(found) = found else {
                assert!(saved.is_empty(), "{folder:?}: the state is gone");
                continue;
            };
            let games = games(&found.state);
            for (cell, before) in saved {
                let now = games.get(cell).copied().unwrap_or_default();
                assert!(
                    now >= *before,
                    "{folder:?}: {cell} had {before} games, now {now}"
                );
            }
            let plan = found.state.plan().expect("the plan of the state");
            let shard = Shard {
                index: found.state.header.shard,
                count: found.state.header.shards,
            };
            let options = self.options(shard).runner;
            Schedule::new(&plan, &options, Some(found.state)).expect("the state is continued");
        }
    }

    /// The rows are those of the state, and the tables those of the rows.
    fn check_rows(&self, folder: &Folder) {
        let state = store::load(&folder.state()).unwrap();
        let plan = state.plan().unwrap();
        let options = self.options(Shard::WHOLE).runner;
        let state = Schedule::new(&plan, &options, Some(state)).unwrap().state();
        let mut rows = rows::Rows::new(&plan);
        rows.update(&plan, &state);
        let cells = std::fs::read(folder.0.join("cells.csv")).unwrap();
        let [found, wanted] =
            [cells, rows.cells_csv()].map(|text| String::from_utf8(text).unwrap());
        assert!(
            found == wanted,
            "cells.csv is not that of the state:\n{found}\n{wanted}"
        );
        let Ok(tables) = std::fs::read_to_string(folder.0.join("table.md")) else {
            return;
        };
        let results = derived::read(folder).expect("the files can be read");
        assert!(
            tables.ends_with(&results.tables()),
            "table.md is not of cells.csv"
        );
    }

    /// Ends the world: after a run of everything, all files are those of an undisturbed run.
    fn end(&mut self) {
        let text = experiment(&mut self.draw, self.with_rows, true);
        self.log.push("the end".to_owned());
        let mut damaged = self.draw.clone();
        static WHOLE: [OnceLock<BTreeMap<PathBuf, Vec<u8>>>; 2] = [const { OnceLock::new() }; 2];
        let run = |out: &Path| {
            let plan = Plan::of_text(&text, Overrides::default()).unwrap();
            let mut options = self.options(Shard::WHOLE);
            options.out = out.to_owned();
            let by = |mut schedule: Schedule<'_>,
                      _: &runner::Options,
                      _: &AtomicBool,
                      observer: &dyn runner::Observer| {
                while let Some(batch) = schedule.next_batch() {
                    schedule.complete(&batch, Ok(batch.play()), Duration::ZERO, Duration::ZERO);
                }
                observer.save(&schedule.state(), &schedule.progress());
                Ok(schedule.state())
            };
            let run = Run::prepare(&plan, &options)?;
            let finished = run.play_by(&AtomicBool::new(false), &Silent, by)?;
            Ok::<_, Error>(contents(&finished.folder.0))
        };
        let whole = WHOLE[usize::from(self.with_rows)].get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            run(folder.path()).unwrap()
        });
        let mut found = run(self.folder.path());
        if let Err(Error::Lost { path, .. }) = &found {
            std::fs::remove_file(path).unwrap();
            found = run(self.folder.path());
        }
        let compare = |found: Result<BTreeMap<PathBuf, Vec<u8>>, Error>| {
            let found = found.unwrap_or_else(|error| panic!("the end is refused: {error}"));
            let differ = |name: &&PathBuf| found.get(*name) != whole.get(*name);
            let names: Vec<_> = found.keys().chain(whole.keys()).filter(differ).collect();
            assert!(
                names.is_empty(),
                "not those of an undisturbed run: {names:?}"
            );
        };
        compare(found);
        // A file that is made from the state is made again.
        let names: Vec<&PathBuf> = whole.keys().collect();
        let name = names[below(&mut damaged, names.len())];
        let path = self.results().0.join(name);
        std::fs::write(&path, &whole[name][..whole[name].len() / 2]).unwrap();
        compare(run(self.folder.path()));
    }

    fn live(&mut self) {
        for _ in 0..STEPS {
            match self.below(10) {
                0..=3 => {
                    self.log.push("run".to_owned());
                    let ended = self.run(Shard::WHOLE);
                    self.take(ended);
                }
                4 | 5 => {
                    let text = experiment(&mut self.draw, self.with_rows, false);
                    self.plan = Rc::new(Plan::of_text(&text, Overrides::default()).unwrap());
                    self.log.push(text);
                }
                6 => {
                    for index in 1..=SHARDS {
                        let count = SHARDS;
                        self.log.push(format!("run shard {index}"));
                        let ended = self.run(Shard { index, count });
                        self.take(ended);
                    }
                    self.log.push("merge".to_owned());
                    let ended = self.merge();
                    self.take(ended);
                }
                7 => {
                    self.log.push("report".to_owned());
                    let ended = self.report();
                    self.take(ended);
                }
                _ => self.damage(),
            }
        }
        self.end();
    }
}

/// Writes what was read before; the lock is held until then.
fn finish(
    folder: &Folder,
    opened: Option<(File, crate::report::folder::Results)>,
) -> Result<(), Error> {
    if let Some((_lock, results)) = opened {
        derived::write(folder, &results)?;
    }
    Ok(())
}

/// The games of each cell in a state.
fn games(state: &State) -> BTreeMap<String, u64> {
    let cells = state.cells.iter().flatten().chain(&state.beyond);
    cells
        .map(|cell| (cell.key.clone(), cell.games_stored()))
        .collect()
}

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn results_survive_every_world() {
    let first = number("TILELAB_SIMULATED_FROM", 0);
    let end = first + number("TILELAB_SIMULATED_WORLDS", WORLDS);
    let next = AtomicU64::new(first);
    let begun = std::time::Instant::now();
    let live = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return;
            }
            let mut world = World::new(number);
            let lived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.live()));
            drop(Disk::end());
            if lived.is_err() {
                next.store(end, Ordering::Relaxed);
                panic!("world {number}: {:#?}", world.log);
            }
        }
    };
    std::thread::scope(|scope| {
        let second = scope.spawn(live);
        live();
        second.join().expect("every world lives");
    });
    println!("{} worlds in {:.1?}", end - first, begun.elapsed());
}
