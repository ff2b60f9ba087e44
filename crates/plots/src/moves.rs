//! How long games last: one row a cell, with the distribution of its move counts where it is known.

use super::Plot;
use super::curve::{RowNames, x_grid};
use super::scale::{Scale, between, number_text};
use super::svg::{Canvas, MARGIN, RIGHT};
use tilelab_cells::cells::{Cells, Record};
use tilelab_cells::distributions::{Bin, Distributions, quantile_interval};
use tilelab_cells::labels;

/// Rows beyond this are left to the report page.
const CELLS_MAX: usize = 40;
/// Height of a row, and of the ridge in it.
const ROW: f64 = 40.0;
const RIDGE: f64 = 34.0;
/// Bins across the frame.
const BINS: f64 = 104.0;

/// What is drawn of one cell.
struct MovesRow {
    label: String,
    /// The moves within which 50, 90, 99 and 100 % of the games end.
    ends: [f64; 4],
    games: String,
    /// Where the median and the 90 % quantile lie, as text: of cells whose games do not share
    /// trajectories, where the distribution is known.
    intervals: [String; 2],
    /// Ascending; empty where only the quantiles are known.
    bins: Vec<Bin>,
}

/// One plot a table: the move counts of its cells, from `cells.csv` and, for the ridges,
/// `distributions.csv`.
pub fn moves_plots(data: &Cells, distributions: Option<&Distributions>) -> Vec<Plot> {
    let tables = data.titles();
    let plot = |(index, table): (usize, &&str)| {
        let rows = rows_of(data, table, distributions);
        let title = match *table {
            "" => "Moves a game".to_owned(),
            table => format!("Moves a game: {table}"),
        };
        let file = match tables.len() {
            1 => "moves.svg".to_owned(),
            _ => format!("moves_{}.svg", index + 1),
        };
        let svg = (!rows.is_empty()).then(|| draw(&title, &rows))?;
        Some(Plot { file, title, svg })
    };
    tables.iter().enumerate().filter_map(plot).collect()
}

fn rows_of(data: &Cells, table: &str, distributions: Option<&Distributions>) -> Vec<MovesRow> {
    let members = || data.records().filter(|row| row.key().0 == table);
    let labels = labels::distinct(
        &members()
            .map(|row| labels::parameters(&row))
            .collect::<Vec<_>>(),
    );
    let row = |(row, label): (Record<'_>, String)| {
        let bins = distributions.map_or(&[][..], |known| known.of_record(&row));
        let is_shared = row.get("trajectories").is_some();
        let confidence = row.number("confidence").filter(|_| !is_shared);
        Some(MovesRow {
            label: if label.is_empty() {
                row.get("player").unwrap_or("").to_owned()
            } else {
                label
            },
            ends: row.numbers(["moves_p50", "moves_p90", "moves_p99", "moves_max"])?,
            games: row.get("games").unwrap_or("0").to_owned(),
            intervals: [0.5, 0.9].map(|order| {
                let found =
                    confidence.and_then(|confidence| quantile_interval(bins, order, confidence));
                found.map_or_else(String::new, |[lo, hi]| format!(" [{lo}, {hi}]"))
            }),
            bins: bins.to_vec(),
        })
    };
    members().zip(labels).filter_map(row).collect()
}

fn draw(title: &str, all: &[MovesRow]) -> String {
    let left_out = all.len().saturating_sub(CELLS_MAX);
    let rows = &all[..all.len() - left_out];
    let names: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let names = RowNames::new(&names);
    let left = MARGIN + names.width;
    let ridges = rows.iter().any(|row| !row.bins.is_empty());
    let mut canvas = Canvas::new(title);
    let top = canvas.top + if ridges { RIDGE - 16.0 } else { 0.0 };
    let bottom = top + ROW * rows.len() as f64;
    let x = x_scale(rows, left);
    let unit = if x.is_log() {
        "moves a game (log scale)"
    } else {
        "moves a game"
    };
    x_grid(&mut canvas, &x, [top - 6.0, bottom], unit);
    for (index, row) in rows.iter().enumerate() {
        let base = top + ROW * index as f64 + ROW * 0.62;
        names.draw(&mut canvas, index, base);
        draw_row(&mut canvas, &x, row, base);
    }
    let mut notes = vec![
        "Circle: half of the games are over; bar: 90 %; thin line: 99 %; hollow: the longest game."
            .to_owned(),
    ];
    if ridges {
        notes.push(
            "Curves: how the games are distributed over the axis, each scaled to the same height."
                .to_owned(),
        );
    }
    if rows.iter().any(|row| !row.intervals[0].is_empty()) {
        notes.push("In brackets, at a mark: the interval between order statistics.".to_owned());
    }
    if left_out > 0 {
        notes.push(format!(
            "Left out: {left_out} more cells, which are in report.html."
        ));
    }
    canvas.finish(bottom + 60.0, &notes)
}

fn x_scale(rows: &[MovesRow], left: f64) -> Scale {
    // In a damaged file, quantiles may lie outside the bins, and in any order.
    let ends = || rows.iter().flat_map(|row| row.ends);
    let shortest = |row: &MovesRow| {
        let first = row.bins.first();
        first.map_or(row.ends[0] * 0.5, |bin| bin.lower as f64 - 0.5)
    };
    let starts = rows.iter().map(shortest);
    let lo = starts.chain(ends()).fold(f64::INFINITY, f64::min);
    let last = rows.iter().filter_map(|row| row.bins.last());
    let last = last.map(|bin| bin.upper as f64);
    let hi = last.chain(ends()).fold(1.0, f64::max);
    // Games without a move have no place on a logarithmic scale.
    if lo >= 0.5 && hi / lo >= 12.0 {
        Scale::log(lo, (hi * 1.05).max(hi + 0.5), left, RIGHT)
    } else {
        // The last count reaches half a move further.
        Scale::linear(if lo < 0.5 * hi { 0.0 } else { lo }, hi + 0.5, left, RIGHT)
    }
}

fn draw_row(canvas: &mut Canvas, x: &Scale, row: &MovesRow, base: f64) {
    let outline = ridge(x, row, base);
    if !outline.is_empty() {
        canvas.path(&outline, true, "class=\"f0\" opacity=\".3\"");
        let curve = &outline[1..outline.len() - 1];
        let look = "class=\"line s0\" style=\"stroke-width:1.1\"";
        canvas.path(curve, false, look);
    }
    let places = row.ends.map(|value| x.at(value));
    let axis = if outline.is_empty() { base } else { base + 5.0 };
    for (ends, width) in places.windows(2).zip(["4", "1.5"]) {
        let look = format!("class=\"s0\" stroke-width=\"{width}\"");
        canvas.line((ends[0], axis), (ends[1], axis), &look);
    }
    let [p50, p90, p99, max] = row.ends.map(number_text);
    let [of_half, of_most] = &row.intervals;
    let text = format!(
        "{}: half of {} games end within {p50}{of_half} moves, 90 % within {p90}{of_most}, 99 % within {p99}, all within {max}",
        row.label, row.games
    );
    canvas.hollow_mark(0, (places[3], axis), &text);
    canvas.mark(0, (places[0], axis), &text);
}

/// The outline of a row's density, from the base up and back; empty where no counts are known.
///
/// The frame has about a hundred bins, none narrower than one move. A bin's height is games per
/// width on the axis, so a logarithmic axis shows the density of the logarithm, without gaps
/// between small whole numbers.
fn ridge(x: &Scale, row: &MovesRow, base: f64) -> Vec<(f64, f64)> {
    let Some(last) = row.bins.last().map(|bin| bin.upper as f64) else {
        return Vec::new();
    };
    let first = row.bins[0].lower as f64;
    // No game has fewer than 0 moves.
    let mut edges = vec![(first - 0.5).max(0.0)];
    for bin in 1..=BINS as usize {
        // The value at this share of the way from the first count to the last, on the axis.
        let value = between([first, last], x.is_log(), bin as f64 / BINS);
        let edge = value.floor() + 0.5;
        if edge > edges[edges.len() - 1] {
            edges.push(edge);
        }
    }
    let mut heights = vec![0.0; edges.len() - 1];
    for bin in &row.bins {
        // The games of a bin of the file are spread evenly over its counts, which may lie in
        // several bins of the frame.
        let from = bin.lower as f64 - 0.5;
        let to = bin.upper as f64 + 0.5;
        let games = bin.games as f64;
        let mut at = edges
            .partition_point(|edge| *edge <= from)
            .clamp(1, heights.len())
            - 1;
        while at < heights.len() && edges[at] < to {
            let covered = (to.min(edges[at + 1]) - from.max(edges[at])) / (to - from);
            heights[at] +=
                covered.max(0.0) * games / (x.at(edges[at + 1]) - x.at(edges[at])).max(0.5);
            at += 1;
        }
    }
    let peak = heights.iter().copied().fold(0.0, f64::max);
    let mut outline = vec![(x.at(edges[0]), base)];
    for (bin, height) in heights.iter().enumerate() {
        let y = base - height / peak * RIDGE;
        outline.push((x.at(edges[bin]), y));
        outline.push((x.at(edges[bin + 1]), y));
    }
    outline.push((x.at(edges[edges.len() - 1]), base));
    outline
}
