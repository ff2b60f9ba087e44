//! Curves with intervals in a frame with two axes.

use super::scale::{Scale, number_text};
use super::svg::{Anchor, Canvas, MARGIN, dashes, fill, stroke};

/// A point of a curve, in pixels, with what is said of it.
pub struct Mark {
    pub x: f64,
    pub y: f64,
    /// The upper and the lower end of its interval.
    pub ends: [f64; 2],
    pub hover: String,
}

/// Draws the frame that two scales span: a grid with its numbers, the name of the y axis, and ticks
/// of the x axis at most about one every `apart` pixels.
pub fn draw_frame(canvas: &mut Canvas, (x, y): (&Scale, &Scale), apart: f64, y_name: &str) {
    let [left, right] = x.ends();
    let [bottom, above] = y.ends();
    for tick in y.ticks(36.0) {
        canvas.line((left, y.at(tick)), (right, y.at(tick)), "class=\"grid\"");
        canvas.text(
            left - 6.0,
            y.at(tick) + 4.0,
            "tick",
            Anchor::End,
            &number_text(tick),
        );
    }
    canvas.line((left, bottom), (right, bottom), "class=\"axis\"");
    for tick in x.ticks(apart) {
        canvas.line(
            (x.at(tick), bottom),
            (x.at(tick), bottom + 4.0),
            "class=\"axis\"",
        );
        canvas.text(
            x.at(tick),
            bottom + 17.0,
            "tick",
            Anchor::Middle,
            &number_text(tick),
        );
    }
    canvas.text_upwards(MARGIN + 10.0, above + (bottom - above) / 2.0, y_name);
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
        canvas.path(
            &[(mark.x, upper), (mark.x, lower)],
            false,
            &format!("class=\"bar {}\"", stroke(series)),
        );
    }
}

/// Joins the points.
pub fn draw_line(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    let centre: Vec<(f64, f64)> = marks.iter().map(|mark| (mark.x, mark.y)).collect();
    canvas.path(
        &centre,
        false,
        &format!("class=\"line {}\"{}", stroke(series), dashes(series)),
    );
}
