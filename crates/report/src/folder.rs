//! The files of a results folder, read and checked together, and what is rebuilt from them.

use super::cells::Cells;
use super::distributions::Distributions;
use super::markdown::{self, Sources};
use super::published::Published;
use super::schema::{self, CELLS_PLANNED};
use super::times::Times;
use crate::plots::{Plot, heat_maps, moves_plots, time_plot, win_rate_plots};
use std::path::Path;
use tilelab_output::document::Document;
use tilelab_output::files::{self, NOTE_BYTES_MAX, TEXT_BYTES_MAX};
use tilelab_output::numbers::grouped;

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

/// The file that is there while cells have not ended, with what they have.
pub const UNFINISHED: &str = "unfinished.csv";

/// What a results folder holds, apart from the saved state.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder's name, which is the experiment's.
    pub name: String,
    /// `cells.csv`.
    pub cells: Cells,
    /// `unfinished.csv`, if there is one.
    pub unfinished: Option<Cells>,
    /// `distributions.csv`, if there is one.
    pub distributions: Option<Distributions>,
    /// `standings.csv`, if there is one.
    pub standings: Option<Cells>,
    /// `published.csv`, if there is one.
    pub published: Option<Published>,
    /// `times.csv`, if there is one.
    pub times: Option<Times>,
    /// The text of `experiment.toml`, if it was kept.
    pub experiment: Option<String>,
    /// The text of `machine.txt`: lines `key: value`, if there is one.
    pub machine: Option<String>,
}

/// Reads a file of a folder, if there is one.
fn existing<T>(
    folder: &Path,
    name: &str,
    read: impl Fn(&Path) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let path = folder.join(name);
    match files::exists(&path) {
        Ok(true) => read(&path).map(Some),
        Ok(false) => Ok(None),
        Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
    }
}

/// Reads a `standings.csv` and checks its fields.
fn standings(path: &Path) -> Result<Cells, String> {
    let standings = Cells::read(path, &schema::names(&schema::STANDINGS))?;
    let column = |name: &str| schema::STANDINGS.iter().find(|column| column.name == name);
    standings
        .check_fields(|name, field| column(name).map_or(Ok(()), |column| column.check(field)))?;
    Ok(standings)
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
        let text = |name: &str, bytes_max| files::read_text(folder.join(name), bytes_max).ok();
        // Times are optional: a damaged file counts as missing.
        let times = |path: &Path| {
            let times = Cells::read(path, &schema::names(&schema::TIMES));
            Ok(times.ok().map(|times| Times::new(&times)))
        };
        Ok(Self {
            name: name(folder)?.unwrap_or_else(|| "results".to_owned()),
            cells: Cells::read_cells(&folder.join("cells.csv"))?,
            unfinished: existing(folder, UNFINISHED, Cells::read_cells)?,
            distributions: existing(folder, "distributions.csv", Distributions::read)?,
            standings: existing(folder, "standings.csv", standings)?,
            published: existing(folder, "published.csv", Published::read)?,
            times: existing(folder, "times.csv", times)?.flatten(),
            experiment: text("experiment.toml", TEXT_BYTES_MAX),
            machine: text("machine.txt", NOTE_BYTES_MAX),
        })
    }

    /// What the results lack, for people; `None` where every cell has a result.
    pub fn lacking(&self) -> Option<String> {
        lacking(self.unfinished.as_ref(), &self.cells)
    }

    /// A document of the tables, after what the results lack and before what the cells have that
    /// have not ended.
    fn whole(&self, times: Option<&Times>, is_short: bool) -> Document {
        let mut whole = Document::default();
        if let Some(lacking) = self.lacking() {
            whole.text(&lacking);
        }
        let standings = self.standings.as_ref();
        let beside = Sources {
            published: self.published.as_ref(),
            times,
            standings,
        };
        whole.append(markdown::document(&self.cells, beside, is_short));
        let unfinished = self.unfinished.as_ref();
        if let Some(tables) = unfinished.and_then(|cells| so_far(cells, standings, is_short)) {
            whole.text("So far, of cells that have not ended:");
            whole.append(tables);
        }
        whole
    }

    /// The tables as Markdown, with nothing that depends on the machine.
    pub fn tables(&self) -> String {
        self.document().to_string()
    }

    /// The tables, for Markdown or a terminal.
    pub fn document(&self) -> Document {
        self.whole(None, false)
    }

    /// The tables as an author would paste them: with short names of columns, and what all rows
    /// have in common above them.
    pub fn short_document(&self) -> Document {
        self.whole(None, true)
    }

    /// The tables with the time of a move; `None` where no cell's moves take noticeable time.
    pub fn timed_tables(&self) -> Option<String> {
        let times = self.noticeable_times()?;
        Some(self.whole(Some(times), false).to_string())
    }

    /// The plots.
    pub fn plots(&self) -> Vec<Plot> {
        let mut plots = win_rate_plots(&self.cells, &[]);
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
}

/// What the results of a folder lack with these cells, for people.
pub fn lacking_in(folder: &Path, cells: &Cells) -> Option<String> {
    let unfinished = Cells::read_cells(&folder.join(UNFINISHED)).ok();
    lacking(unfinished.as_ref(), cells)
}

fn lacking(unfinished: Option<&Cells>, cells: &Cells) -> Option<String> {
    let failed = cells.records().filter(|row| row.get("error").is_some());
    lacking_of(unfinished, cells.len(), failed.count())
}

/// What results lack of which `ended` cells have ended, `failed` of them without a result.
fn lacking_of(unfinished: Option<&Cells>, ended: usize, failed: usize) -> Option<String> {
    let count = |count: usize| grouped(count as u64);
    let planned = unfinished
        .and_then(|cells| cells.record(0).count(CELLS_PLANNED.name))
        .map_or(ended, |planned| planned as usize)
        .max(ended);
    let of = format!(
        "of {} {}",
        count(planned),
        if planned == 1 { "cell" } else { "cells" }
    );
    let failed = (failed > 0).then(|| format!("{} {of} failed", count(failed)));
    let text: Vec<String> = unfinished
        .map(|_| format!("unfinished: {} {of} have ended", count(ended)))
        .into_iter()
        .chain(failed)
        .collect();
    (!text.is_empty()).then(|| text.join("; "))
}

/// The tables of the cells that have games but have not ended.
fn so_far(unfinished: &Cells, standings: Option<&Cells>, is_short: bool) -> Option<Document> {
    let cells = unfinished.only(|row| row.count("games") > Some(0))?;
    let beside = Sources {
        standings,
        ..Sources::default()
    };
    Some(markdown::document(&cells, beside, is_short))
}

/// The tables of a folder in which no cell has ended yet; `None` where there is nothing to show.
///
/// # Errors
/// As [`Results::open`].
pub fn begun(folder: &Path) -> Result<Option<Document>, String> {
    let unfinished = Cells::read_cells(&folder.join(UNFINISHED))?;
    let standings = standings(&folder.join("standings.csv")).ok();
    Ok(
        so_far(&unfinished, standings.as_ref(), false).map(|tables| {
            let mut document = Document::default();
            if let Some(lacking) = lacking_of(Some(&unfinished), 0, 0) {
                document.text(&lacking);
            }
            document.append(tables);
            document
        }),
    )
}
