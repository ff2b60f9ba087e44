//! Curves with intervals in a frame with two axes.

use super::scale::{Scale, Span};
use super::svg::{AXIS, Canvas, GRID, MARGIN, SERIES_LOOKS, SMALL, fit_all, text_width, wrap};

/// A point of a curve, in pixels, with what is said of it.
pub struct Mark {
    pub x: f64,
    pub y: f64,
    /// The upper and the lower end of its interval.
    pub ends: [f64; 2],
    pub hover: String,
}

impl Mark {
    /// A figure at a place of an x axis.
    pub fn new((x, y): (&Scale, &Scale), place: f64, span: Span, hover: String) -> Self {
        Self {
            x: x.at(place),
            y: y.at(span.value),
            ends: [y.at(span.hi), y.at_lower_end(span.lo)],
            hover,
        }
    }
}

/// What draws the edge of the strip in which values of 0 stand.
const DASHED: &str = "class=\"axis\" stroke-dasharray=\"2 3\"";

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
    for (tick, label) in x.ticks(apart) {
        let at = x.at(tick);
        canvas.line((at, bottom), (at, bottom + 4.0), AXIS);
        canvas.text_middle("tick", (at, bottom + 17.0), &label);
    }
    canvas.text_upwards(above + (bottom - above) / 2.0, y_name);
    canvas.text_middle("", (f64::midpoint(left, right), bottom + 36.0), x_name);
}

/// Draws a line with its number at round values of a y axis, and the x axis at its foot.
pub fn y_grid(canvas: &mut Canvas, y: &Scale, [left, right]: [f64; 2]) {
    for (tick, label) in y.ticks(36.0) {
        let at = y.at(tick);
        canvas.line((left, at), (right, at), GRID);
        canvas.text_end((left - 6.0, at + 4.0), &label);
    }
    if let Some(edge) = y.zeros_edge() {
        canvas.line((left, edge), (right, edge), DASHED);
        canvas.text_end((left - 6.0, y.at(0.0) + 4.0), "0");
    }
    let [foot, _] = y.ends();
    canvas.line((left, foot), (right, foot), AXIS);
}

/// Draws a line with its number at round values of an x axis that has rows above it, and its name.
pub fn x_grid(canvas: &mut Canvas, x: &Scale, [top, bottom]: [f64; 2], name: &str) {
    let [left, right] = x.ends();
    for (tick, label) in x.ticks(60.0) {
        let at = x.at(tick);
        canvas.line((at, top), (at, bottom), GRID);
        canvas.text_middle("tick", (at, bottom + 16.0), &label);
    }
    canvas.line((left, top), (left, bottom), AXIS);
    if let Some(edge) = x.zeros_edge() {
        canvas.line((edge, top), (edge, bottom), DASHED);
        canvas.text_middle("tick", (x.at(0.0), bottom + 16.0), "0");
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
    let look = format!("class=\"band f{}\"", series % SERIES_LOOKS);
    canvas.path(&outline, true, &look);
}

/// Draws the intervals as bars.
pub fn draw_bars(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    for mark in marks {
        draw_bar(canvas, series, &mark.ends.map(|end| (mark.x, end)));
    }
}

/// Draws the path of one interval.
pub fn draw_bar(canvas: &mut Canvas, series: usize, path: &[(f64, f64)]) {
    let look = format!("class=\"bar s{}\"", series % SERIES_LOOKS);
    canvas.path(path, false, &look);
}

/// Joins the points, by dashes where marks are hollow.
pub fn draw_line(canvas: &mut Canvas, series: usize, marks: &[Mark]) {
    let centre: Vec<(f64, f64)> = marks.iter().map(|mark| (mark.x, mark.y)).collect();
    let dashes = if series < SERIES_LOOKS {
        ""
    } else {
        " stroke-dasharray=\"6 3\""
    };
    let look = format!("class=\"line s{}\"{dashes}", series % SERIES_LOOKS);
    canvas.path(&centre, false, &look);
}

/// The widest line of a row's name.
const NAME_MAX: f64 = 180.0;
/// The height of a line of a row's name.
const NAME_LINE: f64 = 14.0;

/// The names of rows, each on one or two lines beside them.
pub struct RowNames {
    lines: Vec<Vec<String>>,
    /// The width of the names, with the space to the right.
    pub width: f64,
}

impl RowNames {
    pub fn new(names: &[&str]) -> Self {
        // A line may end between parameters, too.
        let spaced = |name: &&str| {
            if text_width(name, SMALL) > NAME_MAX {
                name.replace(',', ", ").replace(",  ", ", ")
            } else {
                (*name).to_owned()
            }
        };
        let names: Vec<String> = names.iter().map(spaced).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = fit_all(&names, SMALL, 2.0 * NAME_MAX - 60.0);
        let lines: Vec<Vec<String>> = names
            .iter()
            .map(|name| wrap(name, SMALL, NAME_MAX))
            .collect();
        let widths = lines.iter().flatten().map(|line| text_width(line, SMALL));
        Self {
            width: widths.fold(40.0, f64::max) + 10.0,
            lines,
        }
    }

    /// The height that the name with the most lines takes.
    pub fn height(&self) -> f64 {
        let lines = self.lines.iter().map(Vec::len).max().unwrap_or(1);
        NAME_LINE * lines as f64 + 6.0
    }

    /// Draws the name of a row, centred on a y coordinate.
    pub fn draw(&self, canvas: &mut Canvas, row: usize, middle: f64) {
        let lines = &self.lines[row];
        let first = middle + 4.0 - NAME_LINE / 2.0 * (lines.len() as f64 - 1.0);
        for (line, text) in lines.iter().enumerate() {
            let place = (MARGIN + self.width - 8.0, first + NAME_LINE * line as f64);
            canvas.text_end(place, text);
        }
    }
}
