//! Two results, or the cells of one, compared: which cells belong together, and their games in
//! pairs.
//!
//! ```no_run
//! use tilelab::compare::{Matched, Options, Side, compare};
//! use tilelab::report::comparison::to_markdown;
//!
//! let options = Options { paired: Some(None), ..Options::default() };
//! let results = Side::read("results/players".as_ref(), options.paired.is_some())?;
//! let matched = Matched::within(results.cells(), "player", Some("random"))?;
//! let pairs = compare(&results, &results, &matched, &options)?;
//! println!("{}", to_markdown(&pairs, options.alpha()));
//! # Ok::<(), String>(())
//! ```

mod matching;
mod pairs;

pub use matching::Matched;
pub use pairs::play_pairs;

use crate::game::{Job, KernelChoice};
use crate::plan::{Overrides, Plan};
use crate::report::cells::{Cells, Record};
use crate::report::comparison::{Analysis, Pair, adjust};
use crate::report::game_rows::GameRows;
use std::path::{Path, PathBuf};

/// How results are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Whether cells that met the same random numbers are compared in pairs of games, and if so,
    /// how many of the first; `Some(None)` compares all that both have.
    pub paired: Option<Option<u64>>,
    /// Also tests whether win rates are the same but for this margin (a share).
    pub margin: Option<f64>,
    /// The level of the intervals, between 0 and 1.
    pub confidence: f64,
}

impl Default for Options {
    /// Unpaired, without a margin, at 0.95.
    fn default() -> Self {
        Self { paired: None, margin: None, confidence: 0.95 }
    }
}

impl Options {
    /// The adjusted p-value up to which a difference counts.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }
}

/// Compares the cells that belong together; p-values are adjusted for all of them.
///
/// In pairs of games, the outcomes come from `games.parquet` or `games.csv` where the run has
/// written one, and are played again otherwise.
///
/// # Errors
/// Names the file that cannot be read, or says what cannot be played again.
pub fn compare<'a>(a: &Side, b: &Side, matched: &Matched<'a>, options: &Options) -> Result<Vec<Pair<'a>>, String> {
    let mut compared = Vec::new();
    for (row_a, row_b) in &matched.pairs {
        let of_sums = |sums| Pair::new(*row_a, *row_b, sums, options.confidence, options.margin);
        let mut pair = of_sums(None);
        if let (Some(most), Analysis::UnpairedThoughPairable) = (options.paired, pair.analysis)
            && row_a.get("cell") != row_b.get("cell")
        {
            let sums = match pairs::stored((a, row_a), (b, row_b), most)? {
                Some(sums) => sums,
                None => pairs::played((a, row_a), (b, row_b), most)?,
            };
            pair = of_sums(Some(&sums));
        }
        compared.push(pair);
    }
    adjust(&mut compared);
    Ok(compared)
}

/// One of the two results.
#[derive(Debug)]
pub struct Side {
    cells: Cells,
    folder: PathBuf,
    /// The rows of single games, where they are asked for.
    games: Option<GameRows>,
}

impl Side {
    /// Reads a results folder or a `cells.csv`; also its rows of single games, where asked.
    ///
    /// # Errors
    /// Names the file and what is wrong in it.
    pub fn read(path: &Path, with_games: bool) -> Result<Self, String> {
        let (folder, file) = if path.is_dir() {
            (path.to_owned(), path.join("cells.csv"))
        } else {
            (path.parent().unwrap_or(Path::new("")).to_owned(), path.to_owned())
        };
        let cells = Cells::read_cells(&file)?;
        let games = with_games.then(|| GameRows::of_folder(&folder)).transpose()?;
        Ok(Self { cells, folder, games })
    }

    /// The rows of `cells.csv`.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// What plays the cell of a row again.
    fn job(&self, row: &Record<'_>) -> Result<Box<dyn Job>, String> {
        let path = self.folder.join("experiment.toml");
        let wrong = |error: String| format!("--paired: {}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let overrides = Overrides { seed: row.count("seed"), unpublished: true, ..Overrides::default() };
        let plan = Plan::of_text(&text, overrides).map_err(wrong)?;
        let cell = plan.find(row.get("cell").unwrap_or_default()).map_err(wrong)?;
        cell.check_single_games("--paired")?;
        cell.job(plan.seed, KernelChoice::Auto).map_err(|error| wrong(error.to_string()))
    }
}
