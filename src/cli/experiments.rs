//! Reading experiment files named on the command line.

use super::input_error;
use crate::experiment::{Experiment, Problem};
use crate::game::KernelChoice;
use crate::plan::{Overrides, Plan};
use std::path::{Path, PathBuf};

/// Reads and plans all files; reports the problems of all of them at once.
pub fn plans(files: &[PathBuf], overrides: Overrides) -> anyhow::Result<Vec<Plan>> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    for file in files {
        match Experiment::read(file).and_then(|experiment| Plan::new(&experiment, overrides)) {
            Ok(plan) => {
                if plans.iter().any(|other| other.name == plan.name) {
                    let path = file.display();
                    problems.push(format!("{path}: name = {:?}: an earlier file has this name too", plan.name));
                }
                plans.push(plan);
            }
            Err(found) => problems.extend(found.iter().map(Problem::to_string)),
        }
    }
    if problems.is_empty() { Ok(plans) } else { Err(input_error(problems.join("\nerror: "))) }
}

/// Refuses a kernel that does not fit a cell before anything is played.
pub fn check_kernel(path: &Path, plan: &Plan, kernel: KernelChoice) -> anyhow::Result<()> {
    for cell in &plan.cells {
        if let Err(error) = cell.job(plan.seed, kernel) {
            return Err(input_error(format!("{}: {}: {error}", path.display(), cell.key())));
        }
    }
    Ok(())
}
