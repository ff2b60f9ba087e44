//! Two results, or the cells of one, compared: which cells belong together, and their games in
//! pairs.
//!
//! ```no_run
//! use tilelab_lab::compare::{ComparisonOptions, Side, compare};
//! use tilelab_report::comparison::to_markdown;
//!
//! let options = ComparisonOptions { paired: Some(None), ..ComparisonOptions::default() };
//! let results = Side::read("results/players".as_ref())?;
//! let matched = results.by("player", Some("random"))?;
//! let pairs = compare(&results, &results, &matched, &options)?;
//! println!("{}", to_markdown(&pairs, &options));
//! # Ok::<(), String>(())
//! ```

mod matching;
mod pairs;

pub use crate::report::comparison::ComparisonOptions;
pub use matching::Matched;
pub use pairs::play_pairs;

use crate::external::Programs;
use crate::game::{Job, KernelChoice};
use crate::plan::{Cell, Overrides};
use crate::report::cells::{Cells, Record};
use crate::report::comparison::{Analysis, Met, Pair, adjust};
use crate::report::figures::distinct;
use crate::report::folder::lacking_in;
use crate::report::labels;
use crate::results::replay::plan_of_folder;
use crate::text::join;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Compares the cells that belong together; p-values are adjusted for all of them.
///
/// Pairs of games are played again.
///
/// # Errors
/// Names the option that cannot be followed, or says what cannot be played again.
pub fn compare<'a>(
    a: &Side,
    b: &Side,
    matched: &Matched<'a>,
    options: &ComparisonOptions,
) -> Result<Vec<Pair<'a>>, String> {
    options.check()?;
    if let Some(measure) = &options.measure {
        check_measure(measure, matched)?;
    }
    let mut compared = Vec::new();
    for &(row_a, row_b) in &matched.pairs {
        let rows = [(a, row_a), (b, row_b)];
        let pair_of = |met| Pair::new(row_a, row_b, met, options);
        if options.paired.is_some() && !options.unpaired_ok {
            check_pairable(rows)?;
        }
        let mut pair = pair_of(if met_same_numbers(rows) {
            Met::Same(None)
        } else {
            Met::Other
        });
        if let (Some(most), Analysis::UnpairedThoughPairable) = (options.paired, pair.analysis) {
            // A pair without the measure is compared without it.
            let measure = options
                .measure
                .as_deref()
                .filter(|_| pair.differences[2].is_some());
            let sums = pairs::played(rows, measure, most)?;
            pair = pair_of(Met::Same(Some(&sums)));
        }
        compared.push(pair);
    }
    adjust(&mut compared);
    Ok(compared)
}

/// The measures whose means a row has with their standard errors.
fn measures<'a>(row: &Record<'a>) -> impl Iterator<Item = &'a str> {
    let row = *row;
    let names = row.header();
    let names = names.filter_map(|column| column.strip_suffix("_mean_se"));
    names
        // Moves are compared anyway, and points of two players are their result.
        .filter(|name| !["moves", "moves_win", "points"].contains(name))
        .filter(move |name| row.get(&format!("{name}_mean")).is_some())
}

/// Checks that in some pair both rows have the mean of a measure.
///
/// # Errors
/// Names the measures of the rows where no pair has this one.
fn check_measure(measure: &str, matched: &Matched<'_>) -> Result<(), String> {
    let of_both = matched
        .pairs
        .iter()
        .flat_map(|(a, b)| measures(a).filter(move |name| measures(b).any(|of_b| of_b == *name)));
    let known = distinct(of_both);
    if known.contains(&measure) {
        return Ok(());
    }
    let accepted = match &known[..] {
        [] => "none: these games report none besides result and moves".to_owned(),
        _ => known.join(", "),
    };
    Err(format!(
        "--measure {measure}: no pair of cells has this measure; accepted: {accepted}"
    ))
}

/// Whether the games of two rows with the same numbers met the same random numbers; `false` also
/// where a plan that says so is missing.
fn met_same_numbers(rows: [RowOf<'_>; 2]) -> bool {
    let [seed_a, seed_b] = rows.map(|(_, row)| row.get("seed"));
    match rows.map(|(side, row)| side.cell(&row)) {
        [Ok(a), Ok(b)] => seed_a == seed_b && a.world_key() == b.world_key(),
        _ => false,
    }
}

/// Checks that two cells met the same random numbers and have single games, or are the same cell.
///
/// # Errors
/// Says why they cannot be compared in pairs, and what to add to the experiment.
fn check_pairable([(a, row_a), (b, row_b)]: [RowOf<'_>; 2]) -> Result<(), String> {
    let rows = [row_a, row_b];
    let differs = |name: &&str| row_a.get(name) != row_b.get(name);
    if !["cell", "seed"].iter().any(differs) {
        return Ok(());
    }
    let has = |name: &str| rows.iter().any(|row| row.count(name).is_some());
    let why = if let Some(column) = ["game", "seed"].into_iter().find(differs) {
        let values = rows.map(|row| row.get(column).unwrap_or("none"));
        format!(
            "their {column}s differ, {} and {}; play both with the same {column}",
            values[0], values[1]
        )
    } else if has("trajectories") {
        "games of value lanes are correlated; play both without `lanes`".to_owned()
    } else if has("replications") {
        "splitting has no single games; play both with method = \"plain\"".to_owned()
    } else {
        let cells = [a.cell(&row_a)?, b.cell(&row_b)?];
        if cells[0].world_key() == cells[1].world_key() {
            return Ok(());
        }
        let differing = differing_params(cells);
        format!(
            "they met different random numbers, because {} differ; add `common = [{}]` to {} and run it again",
            differing.join(", "),
            join(differing.iter().map(|name| format!("{name:?}")), ", "),
            if cells[0].common == cells[1].common {
                "the table"
            } else {
                "both tables"
            },
        )
    };
    // By what they differ in; cells that differ in their seeds only are the same.
    let labels = labels::of_rows(&rows);
    let keys = rows.map(|row| row.get("cell").unwrap_or_default());
    let named = |side: usize| match labels[side].as_str() {
        "" => keys[side],
        label => label,
    };
    Err(format!(
        "--paired: the cells {} and {} cannot be compared in pairs: {why}, or accept independent samples with --unpaired-ok",
        named(0),
        named(1)
    ))
}

/// The parameters of one game through which two cells met different random numbers: those with
/// other values, and those that only one of them leaves out of its random numbers.
fn differing_params([a, b]: [&Cell; 2]) -> Vec<&'static str> {
    let differs = |name: &&'static str| {
        a.params.get(name) != b.params.get(name)
            || a.common.contains(name) != b.common.contains(name)
    };
    a.game.param_names().filter(differs).collect()
}

/// A row of one of the two results.
type RowOf<'a> = (&'a Side, Record<'a>);

/// One of the two results.
#[derive(Debug)]
pub struct Side {
    cells: Cells,
    /// What the results lack, for people.
    pub lacking: Option<String>,
    folder: PathBuf,
    path: PathBuf,
    /// Starts the programs that the experiment names as players, to play games again; `None` where
    /// they may not be started.
    pub programs: Option<Programs>,
    /// The cells of the folder's plan by their keys, once they are asked for.
    planned: OnceCell<Result<HashMap<String, Cell>, String>>,
}

impl Side {
    /// Reads a results folder or a `cells.csv`.
    ///
    /// # Errors
    /// Names the file and what is wrong in it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let file = if path.is_dir() {
            path.join("cells.csv")
        } else {
            path.to_owned()
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        let cells = Cells::read_cells(&file)?;
        Ok(Self {
            lacking: lacking_in(folder, &cells),
            cells,
            folder: folder.to_owned(),
            path: path.to_owned(),
            programs: None,
            planned: OnceCell::new(),
        })
    }

    /// The rows of this result and of another one that belong together.
    ///
    /// # Errors
    /// When there are none.
    pub fn with<'a>(&'a self, other: &'a Self) -> Result<Matched<'a>, String> {
        let matched = Matched::of(&self.cells, &other.cells);
        if matched.pairs.is_empty() {
            let paths = [&self.path, &other.path].map(|path| path.display());
            return Err(format!(
                "{} and {} have no cell in common: neither cell keys nor game and rules agree",
                paths[0], paths[1]
            ));
        }
        Ok(matched)
    }

    /// The rows of this result that differ in one column only, each with the row that has the
    /// baseline's value there, by default that of the first row.
    ///
    /// Players are compared as a whole, with their parameters: by `player`, a row counts as the
    /// baseline with the label or the plain name of its first player.
    ///
    /// # Errors
    /// Says that there is no such column or value, and what there is.
    pub fn by(&self, column: &str, baseline: Option<&str>) -> Result<Matched<'_>, String> {
        Matched::within(&self.cells, column, baseline)
            .map_err(|error| format!("{}: {error}", self.path.display()))
    }

    /// The cell of a row in the plan of the folder.
    fn cell(&self, row: &Record<'_>) -> Result<&Cell, String> {
        let planned = self.planned.get_or_init(|| {
            let overrides = Overrides {
                programs: self.programs.clone(),
                ..Overrides::default()
            };
            let plan = plan_of_folder(&self.folder, &self.cells, overrides)?;
            let keyed = plan.cells.into_iter().map(|cell| (cell.key(), cell));
            Ok(keyed.collect())
        });
        let cells = planned
            .as_ref()
            .map_err(|error| format!("--paired: {error}"))?;
        let key = row.get("cell").unwrap_or_default();
        let missing = || {
            format!(
                "--paired: {}: experiment.toml does not give the cell {key}",
                self.folder.display()
            )
        };
        cells.get(key).ok_or_else(missing)
    }

    /// What plays the cell of a row again.
    fn job(&self, row: &Record<'_>) -> Result<Box<dyn Job>, String> {
        let cell = self.cell(row)?;
        cell.check_single_games("--paired")?;
        let seed = row.count("seed").unwrap_or_default();
        cell.job(seed, KernelChoice::Auto)
            .map_err(|error| format!("--paired: {}: {error}", self.folder.display()))
    }
}
