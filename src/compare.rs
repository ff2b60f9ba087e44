//! Two results, or the cells of one, compared: which cells belong together, and their games in
//! pairs.
//!
//! ```no_run
//! use tilelab::compare::{Options, Side, compare};
//! use tilelab::report::comparison::to_markdown;
//!
//! let options = Options { paired: Some(None), ..Options::default() };
//! let results = Side::read("results/players".as_ref(), options.paired.is_some())?;
//! let matched = results.by("player", Some("random"))?;
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
    /// Whether the options can be followed.
    ///
    /// # Errors
    /// Names the option, its value and what is accepted.
    pub fn check(&self) -> Result<(), String> {
        let shares = [("confidence", Some(self.confidence)), ("margin", self.margin)];
        for (name, value) in shares.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !(value > 0.0 && value < 1.0) {
                return Err(format!("{name}={value}: accepted: a number between 0 and 1, such as 0.95"));
            }
        }
        match self.paired.flatten() {
            Some(games @ ..2) => Err(format!("paired={games}: accepted: a whole number from 2")),
            _ => Ok(()),
        }
    }

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
/// Names the option that cannot be followed or the file that cannot be read, or says what cannot be
/// played again.
pub fn compare<'a>(a: &Side, b: &Side, matched: &Matched<'a>, options: &Options) -> Result<Vec<Pair<'a>>, String> {
    options.check()?;
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
    path: PathBuf,
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
        Ok(Self { cells, folder, path: path.to_owned(), games })
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
        Matched::within(&self.cells, column, baseline).map_err(|error| format!("{}: {error}", self.path.display()))
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
