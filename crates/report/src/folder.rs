//! The files of a results folder, read and checked together, and what is rebuilt from them.

use super::cells::Cells;
use super::distributions::Distributions;
use super::html::{Page, page};
use super::markdown;
use super::published::Published;
use super::schema;
use super::times::Times;
use crate::plots::{Plot, heat_maps, moves_plots, time_plot, win_rate_plots};
use std::path::Path;
use tilelab_output::document::Document;
use tilelab_output::files::{self, NOTE_BYTES_MAX, TEXT_BYTES_MAX};

/// The name of a folder behind links and dots; `None` for the root, which has none.
///
/// # Errors
/// When the path cannot be resolved.
pub fn name(folder: &Path) -> Result<Option<String>, String> {
    let whole = files::canonicalize(folder)
        .map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    Ok(whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned()))
}

/// What a results folder holds, apart from the saved state.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder's name, which is the experiment's.
    pub name: String,
    /// `cells.csv`.
    pub cells: Cells,
    /// `distributions.csv`, if there is one.
    pub distributions: Option<Distributions>,
    /// `published.csv`, if there is one.
    pub published: Option<Published>,
    /// `times.csv`, if there is one.
    pub times: Option<Times>,
    /// The text of `experiment.toml`, if it was kept.
    pub experiment: Option<String>,
    /// The text of `machine.txt`: lines `key: value`, if there is one.
    pub machine: Option<String>,
}

impl Results {
    /// Opens a results folder: reads and checks its files.
    ///
    /// ```no_run
    /// let results = tilelab_report::folder::Results::open("results/readme".as_ref())?;
    /// println!("{}", results.tables());
    /// for row in results.cells.records() {
    ///     println!("{:?} {:?}", row.get("cell"), row.number("win_pct"));
    /// }
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let existing = |name: &str| {
            let path = folder.join(name);
            match files::exists(&path) {
                Ok(exists) => Ok(exists.then_some(path)),
                Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
            }
        };
        let text = |name: &str, bytes_max| files::read_text(folder.join(name), bytes_max).ok();
        // Times are optional: a damaged file counts as missing.
        let times = |path| {
            Some(Times::new(
                &Cells::read(path, &schema::names(&schema::TIMES)).ok()?,
            ))
        };
        Ok(Self {
            name: name(folder)?.unwrap_or_else(|| "results".to_owned()),
            cells: Cells::read_cells(&folder.join("cells.csv"))?,
            distributions: existing("distributions.csv")?
                .map(|path| Distributions::read(&path))
                .transpose()?,
            published: existing("published.csv")?
                .map(|path| Published::read(&path))
                .transpose()?,
            times: existing("times.csv")?.as_deref().and_then(times),
            experiment: text("experiment.toml", TEXT_BYTES_MAX),
            machine: text("machine.txt", NOTE_BYTES_MAX),
        })
    }

    /// The tables as Markdown, with nothing that depends on the machine.
    #[must_use]
    pub fn tables(&self) -> String {
        self.document().to_string()
    }

    /// The tables, for Markdown or a terminal.
    #[must_use]
    pub fn document(&self) -> Document {
        markdown::document(&self.cells, self.published.as_ref(), None)
    }

    /// The tables as an author would paste them: with short names of columns, and what all rows
    /// have in common above them.
    #[must_use]
    pub fn short_document(&self) -> Document {
        markdown::short_document(&self.cells, self.published.as_ref())
    }

    /// The tables with the time of a move; `None` where no cell's moves take noticeable time.
    #[must_use]
    pub fn timed_tables(&self) -> Option<String> {
        let times = self.noticeable_times()?;
        let timed = markdown::document(&self.cells, self.published.as_ref(), Some(times));
        Some(timed.to_string())
    }

    /// The plots.
    #[must_use]
    pub fn plots(&self) -> Vec<Plot> {
        let mut plots = win_rate_plots(&self.cells);
        plots.extend(heat_maps(&self.cells));
        plots.extend(moves_plots(&self.cells, self.distributions.as_ref()));
        plots.extend(
            self.noticeable_times()
                .and_then(|times| time_plot(&self.cells, times)),
        );
        plots
    }

    /// The times, where some cell's moves take noticeable time.
    fn noticeable_times(&self) -> Option<&Times> {
        let rows: Vec<_> = self.cells.records().collect();
        self.times
            .as_ref()
            .filter(|times| times.are_noticeable(&rows))
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        page(&Page {
            name: &self.name,
            cells: &self.cells,
            distributions: self.distributions.as_ref(),
            published: self.published.as_ref(),
            experiment: self.experiment.as_deref(),
            machine: self.machine.as_deref(),
        })
    }
}
