//! Win rate with its interval against a swept parameter, one line for every combination of the
//! others.

use super::curve::{Mark, RowNames, draw_band, draw_bar, draw_line, x_grid, y_grid};
use super::lines::{self, Line, LinePanel, Lines};
use super::scale::{Scale, Span, WIN_RATE, number_text, suits_log};
use super::svg::{AXIS, Canvas, INNER, MARGIN, RIGHT, SMALL, TEXT, WIDTH, fit, text_width};
use super::{Plot, file_stem};
use tilelab_cells::cells::Cells;
use tilelab_cells::figures::exceptions;
use tilelab_cells::labels::{self, Factor, SIZE};

/// Space left of a frame for the numbers of the y axis, and the axis' name in a single frame.
const Y_AXIS: f64 = 40.0;
const Y_NAME: f64 = 20.0;
/// Height of the mark of a line in a row of a plot of categories, and the least of a row.
const LINE_ROW: f64 = 9.0;
const ROW: f64 = 24.0;
/// Rows of a panel beyond this are left to the report page.
const ROWS_MAX: usize = 60;

/// One measured rate.
#[derive(Clone, Copy)]
struct WinRatePoint {
    x: usize,
    span: Span,
    row: usize,
}

/// One plot for every parameter that was swept: a line needs two cells that differ in nothing else.
/// `source` says where the data are from, in files that stand alone.
pub fn win_rate_plots(data: &Cells, source: &[String]) -> Vec<Plot> {
    let factors = data.factors();
    (0..factors.len())
        .filter_map(|swept| win_rate_plot(data, &factors, swept, source))
        .collect()
}

fn win_rate_plot(
    data: &Cells,
    factors: &[Factor],
    swept: usize,
    source: &[String],
) -> Option<Plot> {
    let x = &factors[swept];
    let mut lines = Lines::of(data, factors, swept)?;
    let in_lines = lines.rows();
    let left_out = lines.cut();
    let title = format!("Win rate by {}", x.name);
    let mut note = note(data, factors, left_out);
    let why = format!("without another that differs in {} only", x.name);
    note.extend(lines::left_out(data, in_lines, ["cell", "cells"], &why));
    note.extend_from_slice(source);
    let svg = Frame::new(x, &lines, data).draw(&title, note);
    Some(Plot {
        file: format!("win_rate_by_{}.svg", file_stem(&x.name)),
        title,
        svg,
    })
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
    let mut names = factors.iter().flat_map(|factor| factor.name.split(", "));
    let sized = names.any(|name| name == "size");
    let fixed = |name: &str| {
        let is_in_size = sized && SIZE.contains(&name);
        let value = data.get(0, name).filter(|_| !is_in_size)?;
        let is_same = data.records().all(|row| row.get(name) == Some(value));
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
    spans: Vec<Span>,
    log: bool,
    width: f64,
    height: f64,
}

impl<'a> Frame<'a> {
    fn new(x: &'a Factor, lines: &'a Lines, data: &'a Cells) -> Self {
        let all = lines.panels.iter().flat_map(|panel| &panel.lines);
        let rows = all.flat_map(|line| &line.rows);
        let spans = rows.filter_map(|&row| Span::of(&data.record(row), WIN_RATE));
        let spans: Vec<Span> = spans.collect();
        let [width, height] = match lines.panels.len() {
            1 => [INNER - Y_NAME - Y_AXIS, 270.0],
            _ => [INNER / 2.0 - Y_AXIS - 8.0, 160.0],
        };
        Self {
            x,
            lines,
            data,
            labels: (lines.labels.iter())
                .map(|parts| labels::joined(parts))
                .collect(),
            log: suits_log(spans.iter().map(|span| span.value)),
            spans,
            width,
            height,
        }
    }

    fn points(&self, line: &Line) -> Vec<WinRatePoint> {
        let point = |&row: &usize| {
            Some(WinRatePoint {
                x: self.x.of_row[row]?,
                span: Span::of(&self.data.record(row), WIN_RATE)?,
                row,
            })
        };
        line.rows.iter().filter_map(point).collect()
    }

    /// The scale of rates, from one pixel to another.
    fn scale(&self, from: f64, to: f64) -> Scale {
        Scale::holding(&self.spans, self.log, 100.0, from, to)
    }

    fn draw(&self, title: &str, mut note: Vec<String>) -> String {
        let mut canvas = Canvas::new(title);
        let y_name = if self.log {
            "games won, % (log scale)"
        } else {
            "games won, %"
        };
        let mut y = canvas.top;
        if !self.x.ordered {
            y = self.draw_rows(&mut canvas, y, y_name, &mut note);
        } else if let [panel] = &self.lines.panels[..] {
            let left = MARGIN + Y_NAME + Y_AXIS;
            canvas.text_upwards(y + self.height / 2.0, y_name);
            let below = self.draw_panel(&mut canvas, (left, y), panel);
            let name = fit(&self.lines.axis.title, TEXT, self.width);
            canvas.text_middle("", (left + self.width / 2.0, below + 21.0), &name);
            y = below + 45.0;
        } else {
            let names = format!("{y_name}, by {}", self.lines.axis.title);
            canvas.text("", (MARGIN, y), &fit(&names, TEXT, INNER));
            y += 8.0;
            for pair in self.lines.panels.chunks(2) {
                let mut below = y;
                for (at, panel) in pair.iter().enumerate() {
                    let left = MARGIN + Y_AXIS + (INNER + 8.0) / 2.0 * at as f64;
                    let title = fit(&panel.title, TEXT * 1.08, self.width);
                    canvas.text("bold", (left, y + 18.0), &title);
                    below = self.draw_panel(&mut canvas, (left, y + 28.0), panel);
                }
                y = below + 11.0;
            }
            y += 16.0;
        }
        canvas.finish_below(y, &self.labels, &note)
    }

    /// Draws categories as rows with their names, the best first, and their rates along the foot;
    /// returns the y coordinate below.
    fn draw_rows(&self, canvas: &mut Canvas, y: f64, x_name: &str, note: &mut Vec<String>) -> f64 {
        let panels = &self.lines.panels;
        let lines = panels.iter().flat_map(|panel| &panel.lines);
        let mut sums = vec![(0.0, 0.0); self.x.values.len()];
        for point in lines.flat_map(|line| self.points(line)) {
            sums[point.x].0 += point.span.value;
            sums[point.x].1 += 1.0;
        }
        let mut order: Vec<usize> = (0..sums.len()).filter(|&x| sums[x].1 > 0.0).collect();
        let mean = |x: &usize| sums[*x].0 / sums[*x].1;
        order.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        let left_out = order.len().saturating_sub(ROWS_MAX);
        order.truncate(ROWS_MAX);
        if left_out > 0 {
            note.push(format!(
                "Left out: {left_out} more rows, which are in report.html."
            ));
        }
        let names: Vec<&str> = order.iter().map(|&x| self.x.values[x].as_str()).collect();
        let names = RowNames::new(&names);
        let scale = self.scale(MARGIN + names.width, RIGHT);
        let mut y = y;
        for panel in panels {
            if !panel.title.is_empty() {
                let title = fit(&panel.title, TEXT * 1.08, INNER);
                canvas.text("bold", (MARGIN, y + 10.0), &title);
                y += 20.0;
            }
            let lines = panel.lines.len() as f64;
            let height = (LINE_ROW * lines + 8.0).max(ROW).max(names.height());
            let bottom = y + height * order.len() as f64;
            x_grid(canvas, &scale, [y, bottom], x_name);
            for (row, _) in order.iter().enumerate() {
                names.draw(canvas, row, y + height * (row as f64 + 0.5));
            }
            for (index, line) in panel.lines.iter().enumerate() {
                let dodge = LINE_ROW * (index as f64 - (lines - 1.0) / 2.0);
                for point in self.points(line) {
                    let Some(row) = order.iter().position(|&x| x == point.x) else {
                        continue;
                    };
                    let at = y + height * (row as f64 + 0.5) + dodge;
                    let Span { value, lo, hi } = point.span;
                    let bar = [scale.at_lower_end(lo), scale.at(hi)].map(|x| (x, at));
                    draw_bar(canvas, line.label, &bar);
                    let hover = self.hover(line.label, &point);
                    canvas.mark(line.label, (scale.at(value), at), &hover);
                }
            }
            y = bottom + 56.0;
        }
        y
    }

    /// Draws the lines of a panel; returns the y coordinate below the labels of its axis.
    fn draw_panel(&self, canvas: &mut Canvas, (left, above): (f64, f64), panel: &LinePanel) -> f64 {
        let bottom = above + self.height;
        let x = Scale::exact(0.0, 1.0, left, left + self.width);
        let y = self.scale(bottom, above);
        y_grid(canvas, &y, x.ends());
        self.draw_ticks(canvas, &x, bottom);
        for line in &panel.lines {
            self.draw_line(canvas, (&x, &y), line, panel.lines.len());
        }
        bottom + 17.0
    }

    /// Marks the values of the swept factor; labels that would touch the one before are left out,
    /// the last one never.
    fn draw_ticks(&self, canvas: &mut Canvas, x: &Scale, bottom: f64) {
        const APART: f64 = 6.0;
        let ticks = self.x.values.iter().zip(&self.lines.axis.places);
        let ticks: Vec<(f64, f64, String)> = ticks
            .map(|(label, place)| {
                let at = x.at(*place);
                canvas.line((at, bottom), (at, bottom + 4.0), AXIS);
                // A number close to 0 may have hundreds of digits.
                let label = fit(label, SMALL, WIDTH / 2.0);
                let half = text_width(&label, SMALL) / 2.0;
                // The outermost labels stay on the plot.
                (at.clamp(half + 2.0, WIDTH - half - 2.0), half, label)
            })
            .collect();
        let last = ticks.len() - 1;
        let last_from = ticks[last].0 - ticks[last].1 - APART;
        let mut free_from = f64::NEG_INFINITY;
        for (index, (at, half, label)) in ticks.iter().enumerate() {
            if index == last || at - half >= free_from && at + half <= last_from {
                canvas.text_middle("tick", (*at, bottom + 17.0), label);
                free_from = at + half + APART;
            }
        }
    }

    /// Draws one of the `lines` lines of a panel.
    fn draw_line(&self, canvas: &mut Canvas, (x, y): (&Scale, &Scale), line: &Line, lines: usize) {
        let series = line.label;
        let points = self.points(line);
        let places = &self.lines.axis.places;
        let mark = |point: &WinRatePoint| {
            let hover = self.hover(series, point);
            Mark::new((x, y), places[point.x], point.span, hover)
        };
        let marks: Vec<Mark> = points.iter().map(mark).collect();
        let zeros = y.zeros_edge().is_some();
        // Many bands would hide each other.
        if self.lines.axis.to_scale && places.len() > 4 && lines <= 3 && !zeros {
            draw_band(canvas, series, &marks);
        }
        // A line says that values between its points exist: it does not lead to the strip of zeros.
        let parts = points.split(|point| zeros && point.span.value == 0.0);
        for part in parts.filter(|part| part.len() > 1) {
            draw_line(canvas, series, &part.iter().map(mark).collect::<Vec<_>>());
        }
        for (point, mark) in points.iter().zip(&marks) {
            let [before, at, after] = [-3.0, 0.0, 3.0].map(|by| mark.x + by);
            let [hi, lo] = mark.ends;
            let bar = [
                (before, hi),
                (after, hi),
                (at, hi),
                (at, lo),
                (before, lo),
                (after, lo),
            ];
            // An interval that reaches down to 0 has no end on a logarithmic scale.
            let has_no_end = self.log && point.span.lo <= 0.0;
            let drawn = if has_no_end { &bar[..4] } else { &bar };
            draw_bar(canvas, series, drawn);
        }
        for mark in &marks {
            canvas.mark(series, (mark.x, mark.y), &mark.hover);
        }
    }

    fn hover(&self, series: usize, point: &WinRatePoint) -> String {
        let games = self.data.get(point.row, "games").unwrap_or("0");
        let label = match self.labels[series].as_str() {
            "" => String::new(),
            label => format!("{label}, "),
        };
        format!(
            "{label}{} {}: {}, {games} games",
            self.x.name,
            self.x.values[point.x],
            point.span.text(" % won")
        )
    }
}
