//! Curves with intervals in a frame with two axes.

use super::scale::{Scale, number_text};
use super::svg::{AXIS, Canvas, GRID, MARGIN, dashes, fill, stroke};

/// A point of a curve, in pixels, with what is said of it.
pub struct Mark {
    pub x: f64,
    pub y: f64,
    /// The upper and the lower end of its interval.
    pub ends: [f64; 2],
    pub hover: String,
}

/// Draws the frame that two scales span: a grid with its numbers, the names of the axes, and ticks
/// of the x axis at most about one every `apart` pixels.
pub fn draw_frame(
    canvas: &mut Canvas,
    (x, y): (&Scale, &Scale),
    apart: f64,
    [x_name, y_name]: [&str; 2],
) {
    let [left, right] = x.ends();
    let [bottom, above] = y.ends();
    y_grid(canvas, y, [left, right]);
    canvas.line((left, bottom), (right, bottom), AXIS);
    for tick in x.ticks(apart) {
        let at = x.at(tick);
        canvas.line((at, bottom), (at, bottom + 4.0), AXIS);
        canvas.text_middle("tick", (at, bottom + 17.0), &number_text(tick));
    }
    canvas.text_upwards(MARGIN + 10.0, above + (bottom - above) / 2.0, y_name);
    canvas.text_middle("", (f64::midpoint(left, right), bottom + 36.0), x_name);
}

/// Draws a line with its number at round values of a y axis.
pub fn y_grid(canvas: &mut Canvas, y: &Scale, [left, right]: [f64; 2]) {
    for tick in y.ticks(36.0) {
        let at = y.at(tick);
        canvas.line((left, at), (right, at), GRID);
        canvas.text_end("tick", (left - 6.0, at + 4.0), &number_text(tick));
    }
}

/// Draws a line with its number at round values of an x axis that has rows above it, and its name.
pub fn x_grid(canvas: &mut Canvas, x: &Scale, [top, bottom]: [f64; 2], name: &str) {
    let [left, right] = x.ends();
    for tick in x.ticks(60.0) {
        let at = x.at(tick);
        canvas.line((at, top), (at, bottom), GRID);
        canvas.text_middle("tick", (at, bottom + 16.0), &number_text(tick));
    }
    canvas.text_middle("", (f64::midpoint(left, right), bottom + 36.0), name);
}

/// Draws a curve with its intervals: as a band, or as a bar for each point.
pub fn draw_curve(canvas: &mut Canvas, series: usize, marks: &[Mark], banded: bool) {
    if banded {
        draw_band(canvas, series, marks);
    } else {
        draw_bars(canvas, series, marks);
    }
    draw_line(canvas, series, marks);
    for mark in marks {
        canvas.mark(series, (mark.x, mark.y), &mark.hover);
    }
}

/// Draws the intervals as a band.
pub fn draw_band(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    let upper = marks.iter().map(|mark| (mark.x, mark.ends[0]));
    let lower = marks.iter().rev().map(|mark| (mark.x, mark.ends[1]));
    let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
    canvas.path(&outline, true, &format!("class=\"band {}\"", fill(series)));
}

/// Draws the intervals as bars.
pub fn draw_bars(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    for mark in marks {
        let [upper, lower] = mark.ends;
        let bar = [(mark.x, upper), (mark.x, lower)];
        canvas.path(&bar, false, &format!("class=\"bar {}\"", stroke(series)));
    }
}

/// Joins the points.
pub fn draw_line(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    let centre: Vec<(f64, f64)> = marks.iter().map(|mark| (mark.x, mark.y)).collect();
    let look = format!("class=\"line {}\"{}", stroke(series), dashes(series));
    canvas.path(&centre, false, &look);
}
