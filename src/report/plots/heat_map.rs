//! Win rates over two parameters that form a grid, such as size and operator rate.

use super::grid::{self, Key, Panel, SEQUENTIAL, Tile};
use super::scale::{Scale, number_text, range_text};
use super::{Plot, file_stem};
use crate::report::cells::Cells;
use crate::report::factors::Factor;
use crate::report::markdown::significant;

/// More panels than this make a file too large to look at.
const PANELS_MAX: usize = 16;
/// A grid has at least this share of its cells.
const FILLED_MIN: f64 = 0.75;

/// One heat map for every two numeric parameters (or sizes) that form a grid, with a panel for each
/// combination of the other parameters.
#[must_use]
pub fn heat_maps(cells: &Cells) -> Vec<Plot> {
    let factors = cells.factors();
    let ordered: Vec<usize> = (0..factors.len()).filter(|&index| factors[index].ordered).collect();
    let mut plots = Vec::new();
    for (at, &first) in ordered.iter().enumerate() {
        for &second in &ordered[at + 1..] {
            // Sizes stand at the side; else the parameter with fewer values does.
            let is_side = |index: usize| factors[index].name.starts_with("size");
            let fewer = factors[first].values.len() <= factors[second].values.len();
            let first_down = is_side(first) || (!is_side(second) && fewer);
            let pair = if first_down { [first, second] } else { [second, first] };
            plots.extend(heat_map(cells, &factors, pair));
        }
    }
    plots
}

fn heat_map(cells: &Cells, factors: &[Factor], [down, across]: [usize; 2]) -> Option<Plot> {
    let others: Vec<&Factor> =
        factors.iter().enumerate().filter(|(at, _)| ![down, across].contains(at)).map(|(_, factor)| factor).collect();
    let grids = grids(cells, &factors[down], &factors[across], &others);
    let first = grids.first()?;
    let rates: Vec<f64> =
        grids.iter().flat_map(|grid| &grid.rows).filter_map(|&row| cells.number(row, "win_pct")).collect();
    let colours = Colours::new(&rates);
    // Only what differs between the panels names them.
    let varying: Vec<&Factor> = others
        .into_iter()
        .filter(|factor| grids.iter().any(|grid| factor.of_row[grid.rows[0]] != factor.of_row[first.rows[0]]))
        .collect();
    let drawn = &grids[..grids.len().min(PANELS_MAX)];
    let panels: Vec<Panel> =
        drawn.iter().map(|grid| panel(cells, grid, &factors[down], &factors[across], &varying, &colours)).collect();
    let mut notes = Vec::new();
    if grids.len() > drawn.len() {
        notes.push(format!("{} more panels are in report.html.", grids.len() - drawn.len()));
    }
    let down = &factors[down].name;
    let across = &factors[across].name;
    let title = format!("Win rate by {down} and {across}");
    let svg = grid::svg(&title, &colours.key(), &panels, &notes);
    Some(Plot { file: format!("heat_map_{}_{}.svg", file_stem(down), file_stem(across)), title, svg })
}

/// Cells that differ in two parameters only, with the values that occur.
struct Grid {
    rows: Vec<usize>,
    down: Vec<usize>,
    across: Vec<usize>,
}

/// The cells with a rate by the other parameters, where they form a grid of at least two by two.
fn grids(cells: &Cells, down: &Factor, across: &Factor, others: &[&Factor]) -> Vec<Grid> {
    let mut keys: Vec<Vec<Option<usize>>> = Vec::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for row in 0..cells.len() {
        if cells.number(row, "win_pct").is_none() || down.of_row[row].is_none() || across.of_row[row].is_none() {
            continue;
        }
        let key: Vec<Option<usize>> = others.iter().map(|factor| factor.of_row[row]).collect();
        let index = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[index].push(row);
    }
    let used = |factor: &Factor, rows: &[usize]| {
        let occurs = |value: &usize| rows.iter().any(|&row| factor.of_row[row] == Some(*value));
        (0..factor.values.len()).filter(occurs).collect::<Vec<usize>>()
    };
    let grids = groups.into_iter().map(|rows| Grid { down: used(down, &rows), across: used(across, &rows), rows });
    let is_grid = |grid: &Grid| {
        let all = (grid.down.len() * grid.across.len()) as f64;
        grid.down.len() > 1 && grid.across.len() > 1 && grid.rows.len() as f64 >= FILLED_MIN * all
    };
    let mut grids: Vec<Grid> = grids.filter(is_grid).collect();
    // All panels have the same columns, so that they can be compared downwards.
    let all: Vec<usize> = grids.iter().flat_map(|grid| grid.rows.iter().copied()).collect();
    let columns = used(across, &all);
    for grid in &mut grids {
        grid.across.clone_from(&columns);
    }
    grids
}

fn panel(cells: &Cells, grid: &Grid, down: &Factor, across: &Factor, varying: &[&Factor], colours: &Colours) -> Panel {
    let tile = |value: usize, column: usize| {
        let is_here = |row: &&usize| down.of_row[**row] == Some(value) && across.of_row[**row] == Some(column);
        let &row = grid.rows.iter().find(is_here)?;
        let rate = cells.number(row, "win_pct")?;
        let interval = match (cells.number(row, "win_pct_lo"), cells.number(row, "win_pct_hi")) {
            (Some(lo), Some(hi)) => range_text(lo, hi),
            _ => String::new(),
        };
        let hover = format!(
            "{}: {} % won{interval}, {} games",
            cells.label(row, &[down, across]),
            number_text(rate),
            cells.get(row, "games").unwrap_or("0")
        );
        Some(Tile { place: colours.place(rate), text: short(rate), hover })
    };
    let names = |factor: &Factor, used: &[usize]| used.iter().map(|&value| factor.values[value].clone()).collect();
    Panel {
        title: cells.label(grid.rows[0], varying),
        row_axis: down.name.clone(),
        col_axis: across.name.clone(),
        rows: names(down, &grid.down),
        cols: names(across, &grid.across),
        values: grid
            .down
            .iter()
            .map(|&value| grid.across.iter().map(|&column| tile(value, column)).collect())
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
    /// Logarithmic where rates differ by more than a factor of thirty. Rates of 0 have a colour of
    /// their own then.
    fn new(rates: &[f64]) -> Self {
        let most = rates.iter().copied().fold(0.0, f64::max);
        let least = rates.iter().copied().filter(|rate| *rate > 0.0).fold(f64::INFINITY, f64::min);
        if most > 30.0 * least {
            return Self { scale: Scale::log(least, most, 0.0, 1.0), has_zero: rates.contains(&0.0) };
        }
        let least = if least < 0.5 * most || rates.contains(&0.0) { 0.0 } else { least };
        Self { scale: Scale::linear(least.min(most), most, 0.0, 1.0), has_zero: false }
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
        let ticks = self.scale.ticks(0.16).into_iter().map(|tick| (self.scale.at(tick), number_text(tick)));
        Key { palette: &SEQUENTIAL, ticks: ticks.collect(), unit: unit + "." }
    }
}
