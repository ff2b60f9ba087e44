//! Win rates over two parameters that form a grid, such as size and operator rate.

use super::grid::{self, GridPanel, Key, Tile};
use super::lines::{groups, left_out, varying, without};
use super::scale::{Scale, Span, WIN_RATE, suits_log};
use super::{Plot, file_stem};
use serde::Serialize;
use std::collections::BTreeSet;
use tilelab_cells::cells::Cells;
use tilelab_cells::figures::significant;
use tilelab_cells::labels::{self, Factor};

/// More panels than this make a file too large to look at.
const PANELS_MAX: usize = 16;
/// A grid has at least this share of its cells.
const FILLED_MIN: f64 = 0.75;

/// A heat map: the cells that form grids of two factors.
#[derive(Clone, Debug, Serialize)]
pub struct Grids {
    /// The index of the factor whose values stand at the side.
    pub down: usize,
    /// The index of the factor along the foot.
    pub across: usize,
    /// One for each combination of the other factors.
    pub panels: Vec<GridCells>,
}

/// The cells of one panel.
#[derive(Clone, Debug, Serialize)]
pub struct GridCells {
    /// What the cells have in common, of what differs between panels.
    pub title: String,
    /// The cells.
    pub rows: Vec<usize>,
}

/// A heat map for every two numeric parameters (or sizes) that form a grid, with a panel for each
/// combination of the other parameters.
pub fn grids(cells: &Cells, factors: &[Factor]) -> Vec<Grids> {
    let ordered: Vec<usize> = (0..factors.len())
        .filter(|&index| factors[index].ordered)
        .collect();
    let mut found = Vec::new();
    for (at, &first) in ordered.iter().enumerate() {
        for &second in &ordered[at + 1..] {
            let mut pair = [first, second];
            // Sizes stand at the side; else the parameter with fewer values does.
            pair.sort_by_key(|&index| match &factors[index] {
                factor if factor.name.starts_with("size") => 0,
                factor => factor.values.len(),
            });
            found.extend(grid(cells, factors, pair));
        }
    }
    found
}

fn grid(cells: &Cells, factors: &[Factor], [down, across]: [usize; 2]) -> Option<Grids> {
    let others = without(factors, &[down, across]);
    let mut found = groups(cells, &[&factors[down], &factors[across]], &others);
    found.retain(|rows| {
        let [down, across] = [down, across].map(|factor| used(&factors[factor], rows).len());
        down > 1 && across > 1 && rows.len() as f64 >= FILLED_MIN * (down * across) as f64
    });
    let first_rows: Vec<usize> = found.iter().map(|rows| rows[0]).collect();
    // Only what differs between the panels names them.
    let varying = varying(&others, &first_rows);
    let panel = |rows: Vec<usize>| GridCells {
        title: labels::label(&varying, rows[0]),
        rows,
    };
    let panels: Vec<GridCells> = found.into_iter().map(panel).collect();
    (!panels.is_empty()).then_some(Grids {
        down,
        across,
        panels,
    })
}

/// The values of a factor that occur in these rows.
pub fn used(factor: &Factor, rows: &[usize]) -> Vec<usize> {
    let values: BTreeSet<usize> = rows.iter().filter_map(|&row| factor.of_row[row]).collect();
    values.into_iter().collect()
}

/// The heat maps as files.
pub fn heat_maps(cells: &Cells) -> Vec<Plot> {
    let factors = cells.factors();
    let grids = grids(cells, &factors);
    grids
        .iter()
        .map(|grids| heat_map(cells, &factors, grids))
        .collect()
}

fn heat_map(cells: &Cells, factors: &[Factor], grids: &Grids) -> Plot {
    let [down, across] = [grids.down, grids.across].map(|factor| &factors[factor]);
    let all = grids.panels.iter().flat_map(|panel| &panel.rows);
    let all: Vec<usize> = all.copied().collect();
    let rates: Vec<f64> = all
        .iter()
        .filter_map(|&row| cells.number(row, "win_pct"))
        .collect();
    let colours = Colours::new(&rates);
    // All panels have the same columns, so that they can be compared downwards.
    let columns = used(across, &all);
    let drawn = &grids.panels[..grids.panels.len().min(PANELS_MAX)];
    let panels: Vec<GridPanel> = drawn
        .iter()
        .map(|grid| panel(cells, grid, down, across, &columns, &colours))
        .collect();
    let mut notes = Vec::new();
    let more = grids.panels.len() - drawn.len();
    if more > 0 {
        notes.push(format!(
            "Left out: {more} more panels, which are in report.html."
        ));
    }
    let nouns = ["cell that is", "cells that are"];
    notes.extend(left_out(
        cells,
        all.len(),
        nouns,
        "in no grid of these two parameters",
    ));
    let down = &down.name;
    let across = &across.name;
    let title = format!("Win rate by {down} and {across}");
    let svg = grid::svg(&title, &colours.key(), &panels, &notes);
    Plot {
        file: format!("heat_map_{}_{}.svg", file_stem(down), file_stem(across)),
        title,
        svg,
    }
}

fn panel(
    cells: &Cells,
    grid: &GridCells,
    down: &Factor,
    across: &Factor,
    columns: &[usize],
    colours: &Colours,
) -> GridPanel {
    let tile = |value: usize, column: usize| {
        let is_here = |row: &&usize| {
            down.of_row[**row] == Some(value) && across.of_row[**row] == Some(column)
        };
        let &row = grid.rows.iter().find(is_here)?;
        let rate = cells.number(row, "win_pct")?;
        let span = Span::of(&cells.record(row), WIN_RATE).unwrap_or_else(|| Span::point(rate));
        let hover = format!(
            "{}: {}, {} games",
            labels::label(&[down, across], row),
            span.text(" % won"),
            cells.get(row, "games").unwrap_or("0")
        );
        Some(Tile {
            place: colours.place(rate),
            text: short(rate),
            hover,
        })
    };
    let names = |factor: &Factor, used: &[usize]| {
        used.iter()
            .map(|&value| factor.values[value].clone())
            .collect()
    };
    let lines = used(down, &grid.rows);
    GridPanel {
        title: grid.title.clone(),
        row_axis: down.name.clone(),
        col_axis: across.name.clone(),
        rows: names(down, &lines),
        cols: names(across, columns),
        values: lines
            .iter()
            .map(|&value| columns.iter().map(|&column| tile(value, column)).collect())
            .collect(),
    }
}

/// A rate to two significant digits.
fn short(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        _ if rate >= 10.0 => format!("{rate:.0}"),
        _ if rate >= 1.0 => format!("{rate:.1}"),
        _ if rate >= 0.1 => format!("{rate:.2}"),
        _ => significant(rate, 2),
    }
}

/// The scale of the colours.
struct Colours {
    scale: Scale,
    has_zero: bool,
}

impl Colours {
    /// Logarithmic where rates of different magnitude ask for it. Rates of 0 have a colour of
    /// their own then.
    fn new(rates: &[f64]) -> Self {
        let log = suits_log(rates.iter().copied());
        let placed = rates.iter().filter(|rate| !log || **rate > 0.0);
        let spans: Vec<Span> = placed.copied().map(Span::point).collect();
        Self {
            scale: Scale::holding(&spans, log, 100.0, 0.0, 1.0),
            has_zero: log && rates.contains(&0.0),
        }
    }

    fn place(&self, rate: f64) -> Option<f64> {
        (rate > 0.0 || !self.scale.is_log()).then(|| self.scale.at(rate))
    }

    fn key(&self) -> Key {
        let mut unit = "Games won, %".to_owned();
        if self.scale.is_log() {
            unit += " (log scale)";
        }
        if self.has_zero {
            unit += "; grey: no game won";
        }
        let ticks = self
            .scale
            .ticks(0.16)
            .into_iter()
            .map(|(tick, label)| (self.scale.at(tick), label));
        Key {
            ticks: ticks.collect(),
            unit: unit + ".",
        }
    }
}
