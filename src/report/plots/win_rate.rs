//! Win rate with its interval against a swept parameter, one line for every combination of the others.

use super::scale::{Scale, number_text};
use super::svg::{Anchor, Canvas, SERIES_LOOKS, colour, dashes, fit, spread, text_width};
use super::{Plot, file_stem};
use crate::report::dataset::{Dataset, Factor};

/// More lines than this in one panel cannot be told apart.
const LINES_MAX: usize = 2 * SERIES_LOOKS;
/// More panels than this make a file too large to look at.
const PANELS_MAX: usize = 12;
const PANEL_WIDTH: f64 = 420.0;
const PANEL_HEIGHT: f64 = 300.0;
/// Room for the labels at the line ends.
const LABELS_MAX: f64 = 400.0;
const LABELS_MIN: f64 = 120.0;

/// One measured rate.
#[derive(Clone, Copy)]
struct Point {
    x: usize,
    rate: f64,
    lo: f64,
    hi: f64,
    row: usize,
}

/// Cells that differ in the swept parameter only.
struct Line {
    label: String,
    points: Vec<Point>,
}

/// Lines that share a frame.
struct Panel {
    title: String,
    lines: Vec<Line>,
}

/// One plot for every parameter that was swept: a line needs two cells that differ in nothing else.
#[must_use]
pub fn win_rate_plots(data: &Dataset) -> Vec<Plot> {
    let factors = data.factors();
    (0..factors.len()).filter_map(|swept| win_rate_plot(data, &factors, swept)).collect()
}

fn win_rate_plot(data: &Dataset, factors: &[Factor], swept: usize) -> Option<Plot> {
    let x = &factors[swept];
    let others: Vec<&Factor> = factors.iter().enumerate().filter(|(i, _)| *i != swept).map(|(_, f)| f).collect();
    let groups = groups(data, x, &others);
    let (panels, left_out) = panels(data, groups, &others)?;
    let title = format!("Win rate by {}", x.name);
    let note = note(data, factors, left_out);
    let svg = Frame::new(x, &panels).draw(&title, &note, data);
    Some(Plot { file: format!("win_rate_by_{}.svg", file_stem(&x.name)), title, svg })
}

/// The cells with a rate, grouped by their values of all other factors; groups that are no sweep are left out.
fn groups(data: &Dataset, x: &Factor, others: &[&Factor]) -> Vec<Vec<Point>> {
    let mut keys: Vec<Vec<Option<usize>>> = Vec::new();
    let mut groups: Vec<Vec<Point>> = Vec::new();
    for row in 0..data.rows.len() {
        let figures = ["win_pct", "win_pct_lo", "win_pct_hi"].map(|name| data.number(row, name));
        let (Some(at), [Some(rate), Some(lo), Some(hi)]) = (x.of_row[row], figures) else { continue };
        let key: Vec<Option<usize>> = others.iter().map(|factor| factor.of_row[row]).collect();
        let index = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            groups.push(Vec::new());
            groups.len() - 1
        });
        if groups[index].iter().all(|point| point.x != at) {
            groups[index].push(Point { x: at, rate, lo, hi, row });
        }
    }
    groups.retain(|points| points.len() > 1);
    for points in &mut groups {
        points.sort_by_key(|point| point.x);
    }
    groups
}

/// Shares the lines among panels where one frame would be crowded; also tells how many lines found no place.
fn panels(data: &Dataset, groups: Vec<Vec<Point>>, others: &[&Factor]) -> Option<(Vec<Panel>, usize)> {
    let first_rows: Vec<usize> = groups.iter().map(|points| points[0].row).collect();
    let first = *first_rows.first()?;
    let varies = |factor: &&Factor| first_rows.iter().any(|&row| factor.of_row[row] != factor.of_row[first]);
    let varying: Vec<&Factor> = others.iter().copied().filter(varies).collect();
    // The most lines that would share a panel if each value of the factor had its own.
    let crowd = |factor: &Factor| {
        let mut lines = vec![0; factor.values.len() + 1];
        first_rows.iter().for_each(|&row| lines[factor.of_row[row].map_or(0, |value| value + 1)] += 1);
        lines.into_iter().max().unwrap_or(0)
    };
    let by = match groups.len() > SERIES_LOOKS {
        true => varying.iter().copied().min_by_key(|factor| (crowd(factor).max(SERIES_LOOKS), factor.values.len())),
        false => None,
    };
    let labelled: Vec<&Factor> = varying.into_iter().filter(|factor| by != Some(*factor)).collect();
    let (mut panels, mut left_out) = (Vec::<Panel>::new(), 0);
    for points in groups {
        let row = points[0].row;
        let title = by.map_or_else(String::new, |factor| data.label(row, &[factor]));
        let index = panels.iter().position(|panel| panel.title == title).unwrap_or_else(|| {
            panels.push(Panel { title, lines: Vec::new() });
            panels.len() - 1
        });
        if index >= PANELS_MAX || panels[index].lines.len() >= LINES_MAX {
            left_out += 1;
            continue;
        }
        panels[index].lines.push(Line { label: data.label(row, &labelled), points });
    }
    panels.truncate(PANELS_MAX);
    Some((panels, left_out))
}

/// What holds for the whole plot: the interval, the fixed parameters, what is missing.
fn note(data: &Dataset, factors: &[Factor], left_out: usize) -> Vec<String> {
    let level =
        data.number(0, "confidence").map_or_else(String::new, |level| format!("{} % ", number_text(level * 100.0)));
    let lanes = (0..data.rows.len()).any(|row| data.get(row, "trajectories").is_some());
    let robust = if lanes { ", cluster-robust where games share a trajectory" } else { "" };
    let mut first = format!("Bars and bands: {level}Clopper–Pearson interval{robust}.");
    if left_out > 0 {
        first += &format!(" {left_out} more lines are in report.html.");
    }
    let names: Vec<&str> = factors.iter().flat_map(|factor| factor.name.split(", ")).collect();
    let sized = names.contains(&"size");
    let fixed: Vec<String> = data
        .parameters()
        .into_iter()
        .filter(|name| !names.contains(name))
        .filter(|name| !sized || !["rows", "cols"].contains(name))
        .filter_map(|name| {
            let value = data.get(0, name)?;
            let same = (1..data.rows.len()).all(|row| data.get(row, name) == Some(value));
            same.then(|| if ["game", "player"].contains(&name) { value.to_owned() } else { format!("{name} {value}") })
        })
        .take(6)
        .collect();
    if fixed.is_empty() { vec![first] } else { vec![first, format!("Throughout: {}.", fixed.join(", "))] }
}

/// The common measures of all panels of a plot.
struct Frame<'a> {
    x: &'a Factor,
    panels: &'a [Panel],
    /// Share of the frame's width at which each value of the swept factor stands.
    places: Vec<f64>,
    /// Whether the swept factor is drawn to scale.
    to_scale: bool,
    y_lo: f64,
    y_hi: f64,
    y_log: bool,
    labels_width: f64,
}

impl<'a> Frame<'a> {
    fn new(x: &'a Factor, panels: &'a [Panel]) -> Self {
        let points: Vec<&Point> = panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points).collect();
        let highest = points.iter().map(|point| point.hi).fold(0.0, f64::max);
        let lowest = points.iter().map(|point| point.lo).fold(100.0, f64::min);
        let least_rate = points.iter().map(|point| point.rate).filter(|rate| *rate > 0.0).fold(100.0, f64::min);
        let highest_rate = points.iter().map(|point| point.rate).fold(0.0, f64::max);
        let zeros = points.iter().filter(|point| point.rate == 0.0).count();
        // Rates of very different magnitude are told apart on a logarithmic scale only; it has no place for rates of 0, though.
        let y_log = least_rate < 3.0 && highest_rate / least_rate > 30.0 && zeros * 8 <= points.len();
        let (y_lo, y_hi) = match y_log {
            true => {
                let above_zero = points.iter().map(|point| point.lo).filter(|lo| *lo > 0.0).fold(least_rate, f64::min);
                (above_zero.max(least_rate / 30.0) * 0.8, (highest * 1.15).min(100.0))
            }
            false => (if lowest < 0.4 * highest { 0.0 } else { lowest }, highest),
        };
        let longest =
            panels.iter().flat_map(|panel| &panel.lines).map(|line| text_width(&line.label, 12.0)).fold(0.0, f64::max);
        let numbers: Option<Vec<f64>> =
            x.numeric.then(|| x.values.iter().filter_map(|value| value.parse().ok()).collect());
        let count = x.values.len() as f64;
        let even = (0..x.values.len()).map(|i| (i as f64 + 0.5) / count).collect();
        let (places, to_scale) = match numbers {
            Some(numbers) => {
                let (lo, hi) = (numbers[0], numbers[numbers.len() - 1]);
                let wide = lo > 0.0 && hi / lo >= 16.0 && numbers.len() > 3;
                let scale = if wide { Scale::log(lo, hi, 0.03, 0.97) } else { Scale::exact(lo, hi, 0.03, 0.97) };
                (numbers.iter().map(|&number| scale.at(number)).collect(), true)
            }
            None => (even, false),
        };
        let labels_width = (longest + 26.0).clamp(LABELS_MIN, LABELS_MAX);
        Self { x, panels, places, to_scale, y_lo, y_hi, y_log, labels_width }
    }

    fn draw(&self, title: &str, note: &[String], data: &Dataset) -> String {
        let columns = if self.panels.len() == 1 { 1 } else { 2 };
        let rows = self.panels.len().div_ceil(columns);
        let panel_title = if self.panels.len() > 1 { 26.0 } else { 6.0 };
        let cell = (58.0 + PANEL_WIDTH + self.labels_width, panel_title + PANEL_HEIGHT + 52.0);
        let top = 38.0;
        let width = 12.0 + cell.0 * columns as f64;
        let height = top + cell.1 * rows as f64 + 18.0 * note.len() as f64 + 8.0;
        let mut canvas = Canvas::new(width, height, title);
        for (index, panel) in self.panels.iter().enumerate() {
            let left = 12.0 + cell.0 * (index % columns) as f64 + 58.0;
            let above = top + cell.1 * (index / columns) as f64 + panel_title;
            if !panel.title.is_empty() {
                canvas.text(left, above - 9.0, "", Anchor::Start, &fit(&panel.title, 12.0, PANEL_WIDTH));
            }
            self.draw_axes(&mut canvas, left, above);
            self.draw_lines(&mut canvas, left, above, panel, data);
        }
        for (index, line) in note.iter().enumerate() {
            let y = height - 10.0 - 18.0 * (note.len() - 1 - index) as f64;
            canvas.text(16.0, y, "note small", Anchor::Start, &fit(line, 11.0, width - 32.0));
        }
        canvas.finish()
    }

    fn y_scale(&self, above: f64) -> Scale {
        let (from, to) = (above + PANEL_HEIGHT, above);
        if self.y_log {
            Scale::log(self.y_lo, self.y_hi, from, to)
        } else {
            Scale::linear(self.y_lo, self.y_hi, from, to)
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, left: f64, above: f64) {
        let y = self.y_scale(above);
        for tick in y.ticks(45.0) {
            canvas.line((left, y.at(tick)), (left + PANEL_WIDTH, y.at(tick)), "class=\"grid\"");
            canvas.text(left - 8.0, y.at(tick) + 4.0, "tick", Anchor::End, &number_text(tick));
        }
        let bottom = above + PANEL_HEIGHT;
        canvas.line((left, bottom), (left + PANEL_WIDTH, bottom), "class=\"axis\"");
        let scale_name = if self.y_log { "games won, % (log scale)" } else { "games won, %" };
        canvas.text_upwards(left - 44.0, above + PANEL_HEIGHT / 2.0, scale_name);
        // Tick labels that would touch the one before are left out.
        let mut free_from = f64::NEG_INFINITY;
        for (value, place) in self.x.values.iter().zip(&self.places) {
            let at = left + place * PANEL_WIDTH;
            canvas.line((at, bottom), (at, bottom + 4.0), "class=\"axis\"");
            let half = text_width(value, 11.0) / 2.0;
            if at - half >= free_from {
                canvas.text(at, bottom + 17.0, "tick", Anchor::Middle, value);
                free_from = at + half + 4.0;
            }
        }
        let name = if self.x.name == "size" { "size (rows x columns)" } else { &self.x.name };
        canvas.text(left + PANEL_WIDTH / 2.0, bottom + 36.0, "", Anchor::Middle, name);
    }

    /// Whether intervals are bands: on a scale, for few lines; many bands would hide each other.
    fn banded(&self, lines: usize) -> bool {
        self.to_scale && self.places.len() > 4 && lines <= 3
    }

    /// How far a line is moved aside so that the bars of several do not cover each other; on a scale only by a little.
    fn dodge(&self, line: usize, lines: usize) -> f64 {
        if self.banded(lines) {
            return 0.0;
        }
        let room = PANEL_WIDTH / self.places.len() as f64 * 0.5;
        let apart = f64::min(if self.to_scale { 4.0 } else { 9.0 }, room / lines as f64);
        (line as f64 - (lines as f64 - 1.0) / 2.0) * apart
    }

    fn draw_lines(&self, canvas: &mut Canvas, left: f64, above: f64, panel: &Panel, data: &Dataset) {
        let y = self.y_scale(above);
        let mut ends = Vec::new();
        for (series, line) in panel.lines.iter().enumerate() {
            let x_of =
                |point: &Point| left + self.places[point.x] * PANEL_WIDTH + self.dodge(series, panel.lines.len());
            let colour = colour(series);
            if self.banded(panel.lines.len()) {
                let upper = line.points.iter().map(|point| (x_of(point), y.at(point.hi)));
                let lower = line.points.iter().rev().map(|point| (x_of(point), y.at(point.lo)));
                let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
                canvas.path(&outline, true, &format!("class=\"band\" fill=\"{colour}\""));
            }
            let centre: Vec<(f64, f64)> = line.points.iter().map(|point| (x_of(point), y.at(point.rate))).collect();
            canvas.path(&centre, false, &format!("class=\"line\" stroke=\"{colour}\"{}", dashes(series)));
            for point in &line.points {
                let at = x_of(point);
                let (lo, hi) = (y.at(point.lo), y.at(point.hi));
                let bar = [(at - 3.0, hi), (at + 3.0, hi), (at, hi), (at, lo), (at - 3.0, lo), (at + 3.0, lo)];
                canvas.path(&bar, false, &format!("class=\"bar\" stroke=\"{colour}\""));
            }
            for point in &line.points {
                let hover = self.hover(line, point, data);
                // On a logarithmic scale no win has no place; a hollow mark at the foot stands for it.
                let hollow = self.y_log && point.rate < y.lo();
                canvas.mark(series, (x_of(point), y.at(point.rate)), hollow, &hover);
            }
            ends.push(centre[centre.len() - 1]);
        }
        self.draw_labels(canvas, left, above, panel, &ends);
    }

    fn draw_labels(&self, canvas: &mut Canvas, left: f64, above: f64, panel: &Panel, ends: &[(f64, f64)]) {
        let wanted: Vec<f64> = ends.iter().map(|(_, y)| *y).collect();
        let placed = spread(&wanted, 16.0, above + 4.0, above + PANEL_HEIGHT - 4.0);
        for (series, line) in panel.lines.iter().enumerate() {
            if line.label.is_empty() {
                continue;
            }
            let at = left + PANEL_WIDTH + 14.0;
            let (end, y) = (ends[series], placed[series]);
            // A line that ends far from its label needs no leader: it would look like more of the line.
            if left + PANEL_WIDTH - end.0 < PANEL_WIDTH / self.places.len() as f64 {
                let leader = [(end.0 + 6.0, end.1), (left + PANEL_WIDTH, end.1), (at - 6.0, y)];
                canvas.path(&leader, false, &format!("fill=\"none\" stroke=\"{}\" opacity=\".45\"", colour(series)));
            }
            canvas.mark(series, (at, y), false, &line.label);
            canvas.text(at + 9.0, y + 4.0, "", Anchor::Start, &fit(&line.label, 12.0, self.labels_width - 24.0));
        }
    }

    fn hover(&self, line: &Line, point: &Point, data: &Dataset) -> String {
        let games = data.get(point.row, "games").unwrap_or("0");
        let label = if line.label.is_empty() { String::new() } else { format!("{}, ", line.label) };
        format!(
            "{label}{} {}: {} % won ({}–{}), {games} games",
            self.x.name,
            self.x.values[point.x],
            number_text(point.rate),
            number_text(point.lo),
            number_text(point.hi)
        )
    }
}
