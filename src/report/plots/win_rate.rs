//! Win rate with its interval against a swept parameter, one line for every combination of the
//! others.

use super::scale::{Scale, number_text, range_text};
use super::svg::{Anchor, Canvas, MARGIN, SERIES_LOOKS, SMALL, TEXT, WIDTH, dashes, fill, fit, stroke, text_width};
use super::{Plot, file_stem};
use crate::report::cells::Cells;
use crate::report::factors::Factor;
use crate::report::markdown::exceptions;

/// More lines than this cannot be told apart.
const LINES_MAX: usize = 2 * SERIES_LOOKS;
/// More panels than this make a file too large to look at.
const PANELS_MAX: usize = 12;
/// Space left of a frame for the numbers of the y axis, and the axis' name in a single frame.
const Y_AXIS: f64 = 40.0;
const Y_NAME: f64 = 20.0;
/// Height of the strip below a logarithmic axis in which rates of 0 stand.
const ZEROS: f64 = 22.0;

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
    /// The index of its label, which chooses its colour and shape in every panel.
    series: usize,
    points: Vec<Point>,
}

/// Lines that share a frame.
struct Panel {
    title: String,
    lines: Vec<Line>,
}

/// All panels of a plot.
struct Panels {
    panels: Vec<Panel>,
    /// The label of each series.
    labels: Vec<String>,
    /// Lines that are not drawn.
    left_out: usize,
}

/// One plot for every parameter that was swept: a line needs two cells that differ in nothing else.
#[must_use]
pub fn win_rate_plots(data: &Cells) -> Vec<Plot> {
    let factors = data.factors();
    (0..factors.len()).filter_map(|swept| win_rate_plot(data, &factors, swept)).collect()
}

fn win_rate_plot(data: &Cells, factors: &[Factor], swept: usize) -> Option<Plot> {
    let x = &factors[swept];
    let others: Vec<&Factor> = factors.iter().enumerate().filter(|(i, _)| *i != swept).map(|(_, f)| f).collect();
    let groups = groups(data, x, &others);
    let found = panels(data, groups, &others)?;
    let title = format!("Win rate by {}", x.name);
    let note = note(data, factors, found.left_out);
    let svg = Frame::new(x, &found).draw(&title, &note, data);
    Some(Plot { file: format!("win_rate_by_{}.svg", file_stem(&x.name)), title, svg })
}

/// The cells with a rate, grouped by their values of all other factors; groups of one cell are left
/// out.
fn groups(data: &Cells, x: &Factor, others: &[&Factor]) -> Vec<Vec<Point>> {
    let mut keys: Vec<Vec<Option<usize>>> = Vec::new();
    let mut groups: Vec<Vec<Point>> = Vec::new();
    for row in 0..data.len() {
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

/// Shares the lines among panels where one frame would be crowded.
fn panels(data: &Cells, groups: Vec<Vec<Point>>, others: &[&Factor]) -> Option<Panels> {
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
    let mut found = Panels { panels: Vec::new(), labels: Vec::new(), left_out: 0 };
    for points in groups {
        let row = points[0].row;
        let title = by.map_or_else(String::new, |factor| data.label(row, &[factor]));
        let label = data.label(row, &labelled);
        let panel = found.panels.iter().position(|panel| panel.title == title);
        let series = found.labels.iter().position(|known| *known == label);
        let no_panel_left = panel.is_none() && found.panels.len() >= PANELS_MAX;
        let no_series_left = series.is_none() && found.labels.len() >= LINES_MAX;
        if no_panel_left || no_series_left {
            found.left_out += 1;
            continue;
        }
        let series = series.unwrap_or_else(|| {
            found.labels.push(label);
            found.labels.len() - 1
        });
        let panel = panel.unwrap_or_else(|| {
            found.panels.push(Panel { title, lines: Vec::new() });
            found.panels.len() - 1
        });
        found.panels[panel].lines.push(Line { series, points });
    }
    Some(found)
}

/// What holds for the whole plot: the interval, the fixed parameters, what is missing.
fn note(data: &Cells, factors: &[Factor], left_out: usize) -> Vec<String> {
    let level =
        data.number(0, "confidence").map_or_else(String::new, |level| format!("{} % ", number_text(level * 100.0)));
    let lanes = (0..data.len()).any(|row| data.get(row, "trajectories").is_some());
    let mut first = format!("Bars and bands: {level}Clopper–Pearson interval");
    if lanes {
        first += ", on effective counts where games share a trajectory";
    }
    exceptions(data.records()).for_each(|words| first += &format!(", {words}"));
    first.push('.');
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
            let same = (1..data.len()).all(|row| data.get(row, name) == Some(value));
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
    labels: &'a [String],
    /// Share of the frame's width at which each value of the swept factor stands.
    places: Vec<f64>,
    /// Whether the swept factor is drawn to scale.
    to_scale: bool,
    y_lo: f64,
    y_hi: f64,
    y_log: bool,
    /// Whether rates of 0 stand in a strip of their own, below a logarithmic axis.
    zeros: bool,
    width: f64,
    height: f64,
    /// Extra height for a second line of tick labels: categories that would touch stand on two
    /// lines.
    second_line: f64,
}

impl<'a> Frame<'a> {
    fn new(x: &'a Factor, found: &'a Panels) -> Self {
        let panels = &found.panels;
        let points: Vec<&Point> = panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points).collect();
        let highest = points.iter().map(|point| point.hi).fold(0.0, f64::max);
        let lowest = points.iter().map(|point| point.lo).fold(100.0, f64::min);
        let least_rate = points.iter().map(|point| point.rate).filter(|rate| *rate > 0.0).fold(100.0, f64::min);
        let highest_rate = points.iter().map(|point| point.rate).fold(0.0, f64::max);
        let zeros = points.iter().filter(|point| point.rate == 0.0).count();
        // Rates of very different magnitude can only be told apart on a logarithmic scale.
        let y_log = least_rate < 3.0 && highest_rate / least_rate > 30.0 && zeros * 2 <= points.len();
        let (y_lo, y_hi) = if y_log {
            let above_zero = points.iter().map(|point| point.lo).filter(|lo| *lo > 0.0).fold(least_rate, f64::min);
            (above_zero.max(least_rate / 30.0) * 0.8, (highest * 1.15).min(100.0))
        } else {
            (if lowest < 0.4 * highest { 0.0 } else { lowest }, highest)
        };
        let numbers: Option<Vec<f64>> =
            x.numeric.then(|| x.values.iter().filter_map(|value| value.parse().ok()).collect());
        let count = x.values.len() as f64;
        let places = match &numbers {
            Some(numbers) => {
                let lo = numbers[0];
                let hi = numbers[numbers.len() - 1];
                let wide = lo > 0.0 && hi / lo >= 16.0 && numbers.len() > 3;
                let scale = if wide { Scale::log(lo, hi, 0.05, 0.95) } else { Scale::exact(lo, hi, 0.05, 0.95) };
                numbers.iter().map(|&number| scale.at(number)).collect()
            }
            None => (0..x.values.len()).map(|i| (i as f64 + 0.5) / count).collect(),
        };
        let single = panels.len() == 1;
        let across = if single { 1.0 } else { 2.0 };
        let outside = if single { Y_NAME } else { 0.0 };
        Self {
            x,
            panels,
            labels: &found.labels,
            places,
            to_scale: numbers.is_some(),
            y_lo,
            y_hi,
            y_log,
            zeros: y_log && zeros > 0,
            width: (WIDTH - 2.0 * MARGIN - outside) / across - Y_AXIS - if single { 0.0 } else { 8.0 },
            height: if single { 270.0 } else { 160.0 },
            second_line: 0.0,
        }
        .with_tick_lines()
    }

    fn with_tick_lines(mut self) -> Self {
        let slot = self.width / self.places.len() as f64;
        let widest = self.x.values.iter().map(|value| text_width(value, SMALL)).fold(0.0, f64::max);
        if !self.to_scale && widest + 4.0 > slot {
            self.second_line = 15.0;
        }
        self
    }

    fn draw(&self, title: &str, note: &[String], data: &Cells) -> String {
        let mut canvas = Canvas::new(title);
        let y_name = if self.y_log { "games won, % (log scale)" } else { "games won, %" };
        let x_name = if self.x.name == "size" { "size (rows x columns)" } else { &self.x.name };
        let mut y = canvas.top();
        if let [panel] = self.panels {
            let left = MARGIN + Y_NAME + Y_AXIS;
            canvas.text_upwards(MARGIN + 10.0, y + self.height / 2.0, y_name);
            self.draw_panel(&mut canvas, (left, y), panel, data);
            let name = fit(x_name, TEXT, self.width);
            canvas.text(left + self.width / 2.0, y + self.height + 38.0 + self.second_line, "", Anchor::Middle, &name);
            y += self.height + 62.0 + self.second_line;
        } else {
            canvas.text(
                MARGIN,
                y,
                "",
                Anchor::Start,
                &fit(&format!("{y_name}, by {x_name}"), TEXT, WIDTH - 2.0 * MARGIN),
            );
            y += 8.0;
            for pair in self.panels.chunks(2) {
                for (at, panel) in pair.iter().enumerate() {
                    let left = MARGIN + Y_AXIS + (WIDTH - 2.0 * MARGIN + 8.0) / 2.0 * at as f64;
                    canvas.text(left, y + 18.0, "bold", Anchor::Start, &fit(&panel.title, TEXT * 1.08, self.width));
                    self.draw_panel(&mut canvas, (left, y + 28.0), panel, data);
                }
                y += 28.0 + self.height + 28.0 + self.second_line;
            }
            y += 16.0;
        }
        let labels: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        y = canvas.legend(y, &labels);
        y = canvas.notes(y + 2.0, note);
        canvas.finish(y)
    }

    fn y_scale(&self, above: f64) -> Scale {
        let from = above + self.height - if self.zeros { ZEROS } else { 0.0 };
        if self.y_log {
            Scale::log(self.y_lo, self.y_hi, from, above)
        } else {
            Scale::linear(self.y_lo, self.y_hi, from, above)
        }
    }

    /// The pixel of a rate: on the scale, or in the strip of zeros.
    fn y_of(&self, y: &Scale, above: f64, rate: f64) -> f64 {
        if self.zeros && rate == 0.0 { above + self.height - ZEROS * 0.35 } else { y.at(rate) }
    }

    fn draw_panel(&self, canvas: &mut Canvas, (left, above): (f64, f64), panel: &Panel, data: &Cells) {
        let y = self.y_scale(above);
        for tick in y.ticks(36.0) {
            canvas.line((left, y.at(tick)), (left + self.width, y.at(tick)), "class=\"grid\"");
            canvas.text(left - 6.0, y.at(tick) + 4.0, "tick", Anchor::End, &number_text(tick));
        }
        let bottom = above + self.height;
        canvas.line((left, bottom), (left + self.width, bottom), "class=\"axis\"");
        if self.zeros {
            let floor = y.at(self.y_lo);
            canvas.line((left, floor), (left + self.width, floor), "class=\"axis\" stroke-dasharray=\"2 3\"");
            canvas.text(left - 6.0, bottom, "tick", Anchor::End, "0");
        }
        self.draw_ticks(canvas, left, bottom);
        for (index, line) in panel.lines.iter().enumerate() {
            let aside = self.dodge(index, panel.lines.len());
            let x_of = |point: &Point| left + self.places[point.x] * self.width + aside;
            self.draw_line(canvas, &y, above, line, panel.lines.len(), &x_of, data);
        }
    }

    /// Marks the values of the swept factor; on a scale, labels that would touch the one before are
    /// left out.
    fn draw_ticks(&self, canvas: &mut Canvas, left: f64, bottom: f64) {
        let slot = self.width / self.places.len() as f64;
        let mut free_from = f64::NEG_INFINITY;
        for (index, (value, place)) in self.x.values.iter().zip(&self.places).enumerate() {
            let at = left + place * self.width;
            let is_second = self.second_line > 0.0 && index % 2 == 1;
            let drop = if is_second { self.second_line } else { 0.0 };
            canvas.line((at, bottom), (at, bottom + 4.0 + drop), "class=\"axis\"");
            let inside = 2.0 * f64::min(at - 2.0, WIDTH - 2.0 - at);
            let lines = if self.second_line > 0.0 { 2.0 } else { 1.0 };
            let space = if self.to_scale { inside } else { inside.min(slot * lines - 4.0) };
            let label = fit(value, SMALL, space);
            let half = text_width(&label, SMALL) / 2.0;
            if !self.to_scale || at - half >= free_from {
                canvas.text(at, bottom + 17.0 + drop, "tick", Anchor::Middle, &label);
                free_from = at + half + 4.0;
            }
        }
    }

    /// Whether intervals are bands: on a scale, for few lines; many bands would hide each other.
    fn banded(&self, lines: usize) -> bool {
        self.to_scale && self.places.len() > 4 && lines <= 3 && !self.zeros
    }

    /// How far a line is moved aside so that the bars of several do not cover each other; on a
    /// scale only by a little.
    fn dodge(&self, line: usize, lines: usize) -> f64 {
        if self.banded(lines) {
            return 0.0;
        }
        let space = self.width / self.places.len() as f64 * 0.6;
        let apart = f64::min(if self.to_scale { 4.0 } else { 9.0 }, space / lines as f64);
        (line as f64 - (lines as f64 - 1.0) / 2.0) * apart
    }

    #[allow(clippy::too_many_arguments)]
    fn draw_line(
        &self,
        canvas: &mut Canvas,
        y: &Scale,
        above: f64,
        line: &Line,
        lines: usize,
        x_of: &dyn Fn(&Point) -> f64,
        data: &Cells,
    ) {
        let series = line.series;
        if self.banded(lines) {
            let upper = line.points.iter().map(|point| (x_of(point), y.at(point.hi)));
            let lower = line.points.iter().rev().map(|point| (x_of(point), y.at(point.lo)));
            let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
            canvas.path(&outline, true, &format!("class=\"band {}\"", fill(series)));
        }
        // A line says that values between its points exist: categories are not joined, nor is a
        // rate to the strip of zeros.
        if self.x.ordered {
            for part in line.points.split(|point| self.zeros && point.rate == 0.0).filter(|part| part.len() > 1) {
                let centre: Vec<(f64, f64)> = part.iter().map(|point| (x_of(point), y.at(point.rate))).collect();
                canvas.path(&centre, false, &format!("class=\"line {}\"{}", stroke(series), dashes(series)));
            }
        }
        for point in &line.points {
            let at = x_of(point);
            let hi = y.at(point.hi);
            let lo = y.at(point.lo);
            let bar = [(at - 3.0, hi), (at + 3.0, hi), (at, hi), (at, lo), (at - 3.0, lo), (at + 3.0, lo)];
            // An interval that reaches down to 0 has no end on a logarithmic scale.
            let drawn = if self.y_log && point.lo <= 0.0 { &bar[..4] } else { &bar[..] };
            canvas.path(drawn, false, &format!("class=\"bar {}\"", stroke(series)));
        }
        for point in &line.points {
            let place = (x_of(point), self.y_of(y, above, point.rate));
            canvas.mark(series, place, &self.hover(line, point, data));
        }
    }

    fn hover(&self, line: &Line, point: &Point, data: &Cells) -> String {
        let games = data.get(point.row, "games").unwrap_or("0");
        let label = &self.labels[line.series];
        let label = if label.is_empty() { String::new() } else { format!("{label}, ") };
        format!(
            "{label}{} {}: {} % won{}, {games} games",
            self.x.name,
            self.x.values[point.x],
            number_text(point.rate),
            range_text(point.lo, point.hi)
        )
    }
}
