//! `tilelab cluster`: helps an engine to run the shards of one experiment on many machines.
//!
//! Shards do not depend on each other and can be merged in any order, so any engine will do. `plan`
//! prints what all machines must agree on, and `status` prints which shards are done. The driver
//! for Ray is `cluster/ray_driver.py`, the array job for Slurm `cluster/slurm.sh`.

use super::{DONE, Ended, Result, experiments, join, set};
use crate::experiment::Experiment;
use crate::plan::{Overrides, Plan};
use crate::report::figures::distinct;
use crate::results::Folder;
use crate::results::store::{LoadError, load};
use crate::runner::Shard;
use crate::runner::state::{Header, Stopped};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run one experiment over a cluster: what all machines must agree on, and which shards are done
#[derive(clap::Args)]
#[command(after_help = "docs/cluster.md explains Ray, Slurm, GNU parallel and Dask.")]
pub struct Args {
    #[command(subcommand)]
    what: ClusterCommand,
}

#[derive(clap::Subcommand)]
enum ClusterCommand {
    /// Print as one JSON line what identifies the run, and the files it reads
    ///
    /// Two machines whose lines agree play the same games with the same rules. Drivers compare them
    /// before they hand out work.
    Plan(ExperimentArgs),
    Status(StatusArgs),
}

/// An experiment and what changes it; the same for all shards.
#[derive(clap::Args)]
struct ExperimentArgs {
    /// The experiment file
    file: PathBuf,
    /// Games per cell, instead of what the file says
    #[arg(long, value_name = "N", value_parser = set::count)]
    games: Option<u64>,
    /// Games that share one sequence of tiles in every cell, instead of what the file says
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// The master seed, instead of the file's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    #[command(flatten)]
    programs: experiments::Programs,
}

/// Show which shards are done
///
/// Refuses a folder that holds shards of another experiment or of another version of tilelab.
#[derive(clap::Args)]
struct StatusArgs {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = shards)]
    shards: u64,
    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Print only the numbers of the shards that are not done, such as 1-3,7; nothing when all are
    #[arg(long)]
    missing: bool,
}

/// Reads a number of shards. A single shard is the whole run, which needs neither a cluster nor a
/// merge.
fn shards(text: &str) -> Result<u64, String> {
    let most = Shard::COUNT_MAX;
    set::number(
        text,
        2..=most,
        &format!("accepted: a whole number from 2 to {most}"),
    )
}

impl ExperimentArgs {
    fn plan(&self) -> Result<Plan> {
        let overrides = Overrides {
            games: self.games,
            lanes: self.lanes,
            seed: self.seed,
            programs: self.programs.allowed(),
            ..Overrides::default()
        };
        let plan = Plan::read(&self.file, overrides).map_err(experiments::refused)?;
        experiments::check_programs(&self.file, &plan)?;
        Ok(plan)
    }
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let text = match &args.what {
        ClusterCommand::Plan(source) => format!("{}\n", identity(source)?),
        ClusterCommand::Status(args) => {
            let plan = args.source.plan()?;
            let status = Status::read(&plan, args.shards, &args.out)?;
            if args.missing {
                status.missing_lines()
            } else {
                status.text()
            }
        }
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    DONE
}

/// What identifies the run, without the shard, and the files beside the experiment that it reads.
fn identity(source: &ExperimentArgs) -> Result<serde_json::Value> {
    let plan = source.plan()?;
    let mut value = serde_json::to_value(Header::new(&plan, Shard::WHOLE))?;
    let experiment = Experiment::read(&source.file).map_err(experiments::refused)?;
    let published = experiment
        .tables
        .iter()
        .filter_map(|table| table.published.as_ref());
    let files = distinct(published.map(|file| file.value.as_str()));
    let fields = value.as_object_mut().expect("a header is an object");
    fields.retain(|field, _| field != "shard" && field != "shards");
    fields.insert("files".to_owned(), files.into());
    Ok(value)
}

/// Where the shards of a run stand.
#[derive(Default)]
struct Status {
    name: String,
    shards: u64,
    done: u64,
    /// Done, but with cells that failed.
    failed: Vec<u64>,
    begun: Vec<u64>,
    untouched: Vec<u64>,
}

impl Status {
    /// Looks at the folders of all shards.
    fn read(plan: &Plan, shards: u64, out: &Path) -> Result<Self> {
        let mut status = Self {
            name: plan.name.clone(),
            shards,
            ..Self::default()
        };
        let mut problems = Vec::new();
        for index in 1..=shards {
            let shard = Shard {
                index,
                count: shards,
            };
            let folder = Folder::of(plan, shard, out);
            match load(&folder.state()) {
                Err(LoadError::Missing(_)) => status.untouched.push(index),
                // `run` continues from the state saved before it, or says what to do.
                Err(LoadError::Damaged { .. }) => status.begun.push(index),
                Err(error) => problems.push(error.to_string()),
                Ok(state) => {
                    let cells = || state.cells.iter().map(|cell| cell.as_ref()?.stopped);
                    let header = Header::new(plan, shard);
                    if let Some(difference) = state.header.difference(&header) {
                        let path = folder.0.display();
                        problems.push(format!("{path}: saved by another run ({difference})"));
                    } else if cells().any(|stopped| stopped.is_none()) {
                        status.begun.push(index);
                    } else {
                        status.done += 1;
                        if cells().any(|stopped| stopped == Some(Stopped::Failed)) {
                            status.failed.push(index);
                        }
                    }
                }
            }
        }
        if problems.is_empty() {
            return Ok(status);
        }
        let more = problems.len().saturating_sub(5);
        problems.truncate(5);
        if more > 0 {
            problems.push(format!("and {more} more"));
        }
        refuse!(
            "{}\nremove them, or name another folder with --out",
            problems.join("\nerror: ")
        )
    }

    fn missing_lines(&self) -> String {
        let mut missing = [self.begun.as_slice(), &self.untouched].concat();
        missing.sort_unstable();
        if missing.is_empty() {
            String::new()
        } else {
            format!("{}\n", ranges(&missing))
        }
    }

    fn text(&self) -> String {
        let Self {
            name, shards, done, ..
        } = self;
        let named = |numbers: &[u64]| {
            let names = if numbers.is_empty() {
                String::new()
            } else {
                format!(" ({})", ranges(numbers))
            };
            format!("{}{names}", numbers.len())
        };
        let begun = named(&self.begun);
        let untouched = named(&self.untouched);
        let mut text = format!(
            "{name}: {done} of {shards} shards done, {begun} begun, {untouched} not begun\n"
        );
        if !self.failed.is_empty() {
            let failed = ranges(&self.failed);
            text += &format!("{name}: cells failed in the shards {failed}\n");
        }
        text
    }
}

/// Ascending numbers as text, neighbours joined: `1-3,7`.
fn ranges(numbers: &[u64]) -> String {
    let run = |run: &[u64]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    join(numbers.chunk_by(|a, b| a + 1 == *b).map(run), ",")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn neighbours_are_joined() {
        for (numbers, text) in [
            (&[][..], ""),
            (&[4], "4"),
            (&[1, 2], "1-2"),
            (&[1, 2, 3, 7], "1-3,7"),
            (&[1, 3, 5, 6], "1,3,5-6"),
        ] {
            assert_eq!(ranges(numbers), text);
        }
    }
}
