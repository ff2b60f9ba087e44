//! Win rate with its interval against a swept parameter, one line for every combination of the
//! others.

use super::curve::{Mark, draw_band, draw_line, y_grid};
use super::lines::{Line, Lines, Panel};
use super::scale::{Scale, number_text, range_text, suits_log};
use super::svg::{AXIS, Canvas, MARGIN, SMALL, TEXT, WIDTH, fit, stroke, text_width};
use super::{Plot, file_stem};
use tilelab_cells::cells::Cells;
use tilelab_cells::figures::exceptions;
use tilelab_cells::labels::{self, Factor};

/// Space left of a frame for the numbers of the y axis, and the axis' name in a single frame.
const Y_AXIS: f64 = 40.0;
const Y_NAME: f64 = 20.0;
/// Height of the strip below a logarithmic axis in which rates of 0 stand.
const ZEROS: f64 = 22.0;
/// Height of a line of tick labels, and how many lines there may be.
const TICK_LINE: f64 = 15.0;
const TICK_LINES_MAX: f64 = 2.0;

/// One measured rate.
#[derive(Clone, Copy)]
struct Point {
    x: usize,
    rate: f64,
    lo: f64,
    hi: f64,
    row: usize,
}

/// One plot for every parameter that was swept: a line needs two cells that differ in nothing else.
#[must_use]
pub fn win_rate_plots(data: &Cells) -> Vec<Plot> {
    let factors = data.factors();
    (0..factors.len())
        .filter_map(|swept| win_rate_plot(data, &factors, swept))
        .collect()
}

fn win_rate_plot(data: &Cells, factors: &[Factor], swept: usize) -> Option<Plot> {
    let x = &factors[swept];
    let mut lines = Lines::of(data, factors, swept)?;
    let in_lines = lines.rows();
    let left_out = lines.cut();
    let title = format!("Win rate by {}", x.name);
    let mut note = note(data, factors, left_out);
    let with_rate = (0..data.len()).filter(|&row| data.number(row, "win_pct").is_some());
    let alone = with_rate.count() - in_lines;
    if alone > 0 {
        let s = if alone == 1 { "" } else { "s" };
        note.push(format!(
            "Left out: {alone} cell{s} without another that differs in {} only.",
            x.name
        ));
    }
    let svg = Frame::new(x, &lines, data).draw(&title, &note);
    Some(Plot {
        file: format!("win_rate_by_{}.svg", file_stem(&x.name)),
        title,
        svg,
    })
}

fn points(data: &Cells, x: &Factor, line: &Line) -> Vec<Point> {
    let point = |&row: &usize| {
        Some(Point {
            x: x.of_row[row]?,
            rate: data.number(row, "win_pct")?,
            lo: data.number(row, "win_pct_lo")?,
            hi: data.number(row, "win_pct_hi")?,
            row,
        })
    };
    line.rows.iter().filter_map(point).collect()
}

/// What the intervals of win rates are.
pub fn interval_note(data: &Cells) -> String {
    let level = data
        .number(0, "confidence")
        .map_or_else(String::new, |level| {
            format!("{} % ", number_text(level * 100.0))
        });
    let lanes = (0..data.len()).any(|row| data.get(row, "trajectories").is_some());
    let mut note = format!("{level}{} interval", data.interval_name());
    if lanes {
        note += ", on effective counts where games share a trajectory";
    }
    exceptions(data.records()).for_each(|words| note += &format!(", {words}"));
    note + "."
}

/// What holds for the whole plot: the interval, the fixed parameters, what is missing.
fn note(data: &Cells, factors: &[Factor], left_out: usize) -> Vec<String> {
    let mut first = format!("Bars and bands: {}", interval_note(data));
    if left_out > 0 {
        first += &format!(
            " Left out: {left_out} more lines, which are in report.html; those shown are spread over all."
        );
    }
    let names: Vec<&str> = factors
        .iter()
        .flat_map(|factor| factor.name.split(", "))
        .collect();
    let sized = names.contains(&"size");
    let fixed = |name: &str| {
        let is_factor = names.contains(&name) || sized && ["rows", "cols"].contains(&name);
        let value = data.get(0, name).filter(|_| !is_factor)?;
        let is_same = (1..data.len()).all(|row| data.get(row, name) == Some(value));
        is_same.then(|| match name {
            "game" | "player" => value.to_owned(),
            _ => format!("{name} {value}"),
        })
    };
    let fixed: Vec<String> = data
        .parameters()
        .into_iter()
        .filter_map(fixed)
        .take(6)
        .collect();
    if fixed.is_empty() {
        return vec![first];
    }
    vec![first, format!("Throughout: {}.", fixed.join(", "))]
}

/// The common measures of all panels of a plot.
struct Frame<'a> {
    x: &'a Factor,
    lines: &'a Lines,
    data: &'a Cells,
    labels: Vec<String>,
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
    /// The labels of the values of the swept factor: the values, or their numbers where
    /// they are too long.
    ticks: Vec<String>,
    /// Lines of tick labels: categories that would touch stand on two.
    tick_lines: f64,
}

impl<'a> Frame<'a> {
    fn new(x: &'a Factor, lines: &'a Lines, data: &'a Cells) -> Self {
        let all = lines.panels.iter().flat_map(|panel| &panel.lines);
        let points: Vec<Point> = all.flat_map(|line| points(data, x, line)).collect();
        let highest = points.iter().map(|point| point.hi).fold(0.0, f64::max);
        let lowest = points.iter().map(|point| point.lo).fold(100.0, f64::min);
        let rates = || points.iter().map(|point| point.rate);
        let least_rate = rates().filter(|rate| *rate > 0.0).fold(100.0, f64::min);
        let highest_rate = rates().fold(0.0, f64::max);
        let zeros = rates().filter(|rate| *rate == 0.0).count();
        // Rates of very different magnitude can only be told apart on a logarithmic scale.
        let y_log = suits_log(least_rate, highest_rate) && zeros * 2 <= points.len();
        let lows = points.iter().map(|point| point.lo).filter(|lo| *lo > 0.0);
        let (y_lo, y_hi) = match y_log {
            true => {
                let least = lows.fold(least_rate, f64::min).max(least_rate / 30.0);
                (least * 0.8, (highest * 1.15).min(100.0))
            }
            false if lowest < 0.4 * highest => (0.0, highest),
            false => (lowest, highest),
        };
        let axis = &lines.axis;
        let [first, last] = [axis.at[0], axis.at[axis.at.len() - 1]];
        let scale = match (axis.numeric, axis.log) {
            (true, true) => Scale::log(first, last, 0.05, 0.95),
            (true, false) => Scale::exact(first, last, 0.05, 0.95),
            (false, _) => Scale::exact(-0.5, last + 0.5, 0.0, 1.0),
        };
        let places: Vec<f64> = axis.at.iter().map(|&at| scale.at(at)).collect();
        let [width, height] = match lines.panels.len() {
            1 => [WIDTH - 2.0 * MARGIN - Y_NAME - Y_AXIS, 270.0],
            _ => [(WIDTH - 2.0 * MARGIN) / 2.0 - Y_AXIS - 8.0, 160.0],
        };
        let mut frame = Self {
            x,
            lines,
            data,
            labels: (lines.labels.iter())
                .map(|parts| labels::joined(parts))
                .collect(),
            places,
            to_scale: axis.numeric,
            y_lo,
            y_hi,
            y_log,
            zeros: y_log && zeros > 0,
            width,
            height,
            ticks: x.values.clone(),
            tick_lines: 1.0,
        };
        if !frame.to_scale {
            let widest = x.values.iter().map(|value| text_width(value, SMALL));
            let slot = width / frame.places.len() as f64;
            frame.tick_lines = ((widest.fold(0.0, f64::max) + 4.0) / slot).ceil().max(1.0);
        }
        if frame.tick_lines > TICK_LINES_MAX {
            frame.ticks = (1..=frame.ticks.len()).map(|n| n.to_string()).collect();
            frame.tick_lines = 1.0;
        }
        frame
    }

    /// What the numbers at the axis stand for, where they are not the values themselves.
    fn key(&self) -> Option<String> {
        let pairs = self.ticks.iter().zip(&self.x.values);
        let named: Vec<String> = pairs
            .filter(|(tick, value)| tick != value)
            .map(|(tick, value)| format!("{tick} {value}"))
            .collect();
        (!named.is_empty()).then(|| format!("{}: {}.", self.x.name, named.join("; ")))
    }

    /// The height of the tick labels beyond their first line.
    fn tick_height(&self) -> f64 {
        TICK_LINE * (self.tick_lines - 1.0)
    }

    fn draw(&self, title: &str, note: &[String]) -> String {
        let mut canvas = Canvas::new(title);
        let y_name = match self.y_log {
            true => "games won, % (log scale)",
            false => "games won, %",
        };
        let x_name = &self.lines.axis.title;
        let mut y = canvas.top();
        if let [panel] = &self.lines.panels[..] {
            let left = MARGIN + Y_NAME + Y_AXIS;
            canvas.text_upwards(MARGIN + 10.0, y + self.height / 2.0, y_name);
            self.draw_panel(&mut canvas, (left, y), panel);
            y += self.height + self.tick_height();
            let name = fit(x_name, TEXT, self.width);
            canvas.text_middle("", (left + self.width / 2.0, y + 38.0), &name);
            y += 62.0;
        } else {
            let names = format!("{y_name}, by {x_name}");
            canvas.text("", (MARGIN, y), &fit(&names, TEXT, WIDTH - 2.0 * MARGIN));
            y += 8.0;
            for pair in self.lines.panels.chunks(2) {
                for (at, panel) in pair.iter().enumerate() {
                    let left = MARGIN + Y_AXIS + (WIDTH - 2.0 * MARGIN + 8.0) / 2.0 * at as f64;
                    let title = fit(&panel.title, TEXT * 1.08, self.width);
                    canvas.text("bold", (left, y + 18.0), &title);
                    self.draw_panel(&mut canvas, (left, y + 28.0), panel);
                }
                y += 28.0 + self.height + 28.0 + self.tick_height();
            }
            y += 16.0;
        }
        let labels: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        y = canvas.legend(y, &labels);
        let notes: Vec<String> = self.key().into_iter().chain(note.iter().cloned()).collect();
        y = canvas.notes(y + 2.0, &notes);
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
        if self.zeros && rate == 0.0 {
            above + self.height - ZEROS * 0.35
        } else {
            y.at(rate)
        }
    }

    fn draw_panel(&self, canvas: &mut Canvas, (left, above): (f64, f64), panel: &Panel) {
        let y = self.y_scale(above);
        let right = left + self.width;
        let bottom = above + self.height;
        y_grid(canvas, &y, [left, right]);
        canvas.line((left, bottom), (right, bottom), AXIS);
        if self.zeros {
            let floor = y.at(self.y_lo);
            let dashed = format!("{AXIS} stroke-dasharray=\"2 3\"");
            canvas.line((left, floor), (right, floor), &dashed);
            canvas.text_end("tick", (left - 6.0, bottom), "0");
        }
        self.draw_ticks(canvas, left, bottom);
        for (index, line) in panel.lines.iter().enumerate() {
            let from = left + self.dodge(index, panel.lines.len());
            self.draw_line(canvas, (&y, above), line, panel.lines.len(), from);
        }
    }

    /// Marks the values of the swept factor; on a scale, labels that would touch the one before are
    /// left out.
    fn draw_ticks(&self, canvas: &mut Canvas, left: f64, bottom: f64) {
        let mut free_from = f64::NEG_INFINITY;
        for (index, (label, place)) in self.ticks.iter().zip(&self.places).enumerate() {
            let at = left + place * self.width;
            let drop = TICK_LINE * (index % self.tick_lines as usize) as f64;
            canvas.line((at, bottom), (at, bottom + 4.0 + drop), AXIS);
            // A number close to 0 may have hundreds of digits.
            let label = &fit(label, SMALL, WIDTH / 2.0);
            let half = text_width(label, SMALL) / 2.0;
            // The outermost labels stay on the plot.
            let at = at.clamp(half + 2.0, WIDTH - half - 2.0);
            if !self.to_scale || at - half >= free_from {
                canvas.text_middle("tick", (at, bottom + 17.0 + drop), label);
                free_from = at + half + 4.0;
            }
        }
    }

    /// Whether intervals are bands: on a scale, for few lines; many bands would hide each other.
    fn banded(&self, lines: usize) -> bool {
        self.to_scale && self.places.len() > 4 && lines <= 3 && !self.zeros
    }

    /// How far a line is moved aside so that the bars of several do not cover each other: among
    /// categories only; numbers and sizes stand at their place.
    fn dodge(&self, line: usize, lines: usize) -> f64 {
        if self.x.ordered {
            return 0.0;
        }
        let space = self.width / self.places.len() as f64 * 0.6;
        let apart = f64::min(9.0, space / lines as f64);
        (line as f64 - (lines as f64 - 1.0) / 2.0) * apart
    }

    /// Draws one of the `lines` of a panel; its places count from the pixel `from`.
    fn draw_line(
        &self,
        canvas: &mut Canvas,
        (y, above): (&Scale, f64),
        line: &Line,
        lines: usize,
        from: f64,
    ) {
        let series = line.label;
        let points = points(self.data, self.x, line);
        let mark = |point: &Point| Mark {
            x: from + self.places[point.x] * self.width,
            y: self.y_of(y, above, point.rate),
            ends: [y.at(point.hi), y.at(point.lo)],
            hover: self.hover(series, point),
        };
        let marks: Vec<Mark> = points.iter().map(mark).collect();
        if self.banded(lines) {
            draw_band(canvas, series, &marks);
        }
        // A line says that values between its points exist: categories are not joined, nor is a
        // rate to the strip of zeros.
        if self.x.ordered {
            let parts = points.split(|point| self.zeros && point.rate == 0.0);
            for part in parts.filter(|part| part.len() > 1) {
                draw_line(canvas, series, &part.iter().map(mark).collect::<Vec<_>>());
            }
        }
        for (
            point,
            Mark {
                x, ends: [hi, lo], ..
            },
        ) in points.iter().zip(&marks)
        {
            let [before, after] = [x - 3.0, x + 3.0];
            let bar = [
                (before, *hi),
                (after, *hi),
                (*x, *hi),
                (*x, *lo),
                (before, *lo),
                (after, *lo),
            ];
            // An interval that reaches down to 0 has no end on a logarithmic scale.
            let ends = if self.y_log && point.lo <= 0.0 { 4 } else { 6 };
            canvas.path(
                &bar[..ends],
                false,
                &format!("class=\"bar {}\"", stroke(series)),
            );
        }
        for mark in &marks {
            canvas.mark(series, (mark.x, mark.y), &mark.hover);
        }
    }

    fn hover(&self, series: usize, point: &Point) -> String {
        let games = self.data.get(point.row, "games").unwrap_or("0");
        let label = match self.labels[series].as_str() {
            "" => String::new(),
            label => format!("{label}, "),
        };
        format!(
            "{label}{} {}: {} % won{}, {games} games",
            self.x.name,
            self.x.values[point.x],
            number_text(point.rate),
            range_text(point.lo, point.hi)
        )
    }
}
