//! Reading experiment files named on the command line.

use super::{Result, input_error, join};
use crate::external;
use crate::game::KernelChoice;
use crate::plan::{Cell, Overrides, Plan};
use std::path::{Path, PathBuf};
use tilelab_output::text::plain;

/// Reads and plans all files; reports the problems of all of them at once.
pub fn plans(files: &[PathBuf], overrides: &Overrides) -> Result<Vec<Plan>> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    for file in files {
        match Plan::read(file, overrides.clone()) {
            Ok(plan) => {
                if plans.iter().any(|other| other.name == plan.name) {
                    let path = file.display();
                    problems.push(format!(
                        "{path}: name = {:?}: an earlier file has this name too",
                        plan.name
                    ));
                }
                plans.push(plan);
            }
            Err(found) => problems.push(found.to_string()),
        }
    }
    if problems.is_empty() {
        Ok(plans)
    } else {
        Err(refused(join(problems, "\n")))
    }
}

/// Problems, one in each line, as one error.
pub fn refused(problems: impl ToString) -> anyhow::Error {
    input_error(problems.to_string().replace('\n', "\nerror: "))
}

/// Whether programs that files name may be started.
#[derive(clap::Args, Clone, Copy)]
pub struct Programs {
    /// Start the programs that the file names as players; read it first, and trust them
    #[arg(long)]
    allow_programs: bool,
}

impl Programs {
    /// What starts the programs, where they may be started.
    pub fn allowed(self) -> Option<external::Programs> {
        self.allow_programs.then(external::Programs::default)
    }
}

/// Refuses an experiment whose programs may not be started.
pub fn check_programs(path: &Path, plan: &Plan) -> Result<()> {
    let mut refused: Vec<_> = plan
        .cells
        .iter()
        .filter_map(Cell::refused_program)
        .collect();
    refused.dedup();
    if refused.is_empty() {
        return Ok(());
    }
    let named = refused.join(", ");
    refuse!(
        "{}: names programs as players: {named}; if you trust them, add --allow-programs",
        path.display()
    )
}

/// Refuses a kernel that does not fit a cell before anything is played. Says on standard error,
/// once for each table, where `auto` falls back to the reference.
pub fn check_kernel(path: &Path, plan: &Plan, kernel: KernelChoice) -> Result<()> {
    // For each table: cells, how many of them fall back, and why the first of these does.
    let mut tables = vec![(0, 0, String::new()); plan.titles.len()];
    // The others would have to be started.
    let known = plan.cells.iter();
    for cell in known.filter(|cell| cell.refused_program().is_none()) {
        let job = cell
            .job(plan.seed, kernel)
            .map_err(|error| input_error(format!("{}: {}: {error}", path.display(), cell.key())))?;
        let (cells, slow, reason) = &mut tables[cell.table];
        *cells += 1;
        if let Some(why) = job.fallback() {
            *slow += 1;
            if reason.is_empty() {
                why.clone_into(reason);
            }
        }
    }
    for (title, (cells, slow, reason)) in plan
        .titles
        .iter()
        .zip(tables)
        .filter(|(_, (_, slow, _))| *slow > 0)
    {
        let which = if slow == cells {
            String::new()
        } else {
            format!(" ({slow} of {cells} cells)")
        };
        say!(
            "{}: table {:?}{which}: {reason}",
            path.display(),
            plain(title)
        );
    }
    Ok(())
}
