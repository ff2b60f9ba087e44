//! Win rates over the operator rate, as `tilelab curve` estimates them.

use super::curve::{Mark, draw_band, draw_bars, draw_frame, draw_line};
use super::lines::LINES_MAX;
use super::scale::{Scale, Span, number_text};
use super::svg::{Canvas, MARGIN, RIGHT};
use tilelab_stats::Interval;

/// Space left of the frame, and its height.
const LEFT: f64 = MARGIN + 60.0;
const HEIGHT: f64 = 270.0;

/// A win rate in percent with its interval.
#[derive(Clone, Copy, Debug)]
pub struct RatePoint {
    /// The operator rate.
    pub rate: f64,
    /// The estimate.
    pub value: f64,
    /// The interval or band of the win rate.
    pub ends: Interval,
}

impl RatePoint {
    fn span(&self) -> Span {
        Span {
            value: self.value,
            lo: self.ends.lo,
            hi: self.ends.hi,
        }
    }
}

/// A curve with the cells that were played.
#[derive(Clone, Debug)]
pub struct RateCurve {
    /// What distinguishes the curve from others.
    pub label: String,
    /// The points of the curve with the band; `None` where the curve is interrupted.
    pub points: Vec<Option<RatePoint>>,
    /// The cells with their intervals.
    pub cells: Vec<RatePoint>,
}

/// Draws curves in one frame.
pub fn rate_plot(curves: &[RateCurve], confidence: f64) -> String {
    let left_out = curves.len().saturating_sub(LINES_MAX);
    let curves = &curves[..curves.len() - left_out];
    let mut canvas = Canvas::new("Win rate by operator rate");
    let above = canvas.top + 4.0;
    let bottom = above + HEIGHT;
    let all = || {
        let curves = curves.iter();
        curves.flat_map(|curve| curve.points.iter().flatten().chain(&curve.cells))
    };
    let least = all().map(|point| point.rate).fold(1.0, f64::min);
    let most = all().map(|point| point.rate).fold(0.0, f64::max);
    let spans: Vec<Span> = all().map(RatePoint::span).collect();
    let x = Scale::linear(least, most, LEFT, RIGHT);
    let y = Scale::holding(&spans, false, 100.0, bottom, above);
    draw_frame(
        &mut canvas,
        (&x, &y),
        60.0,
        ["operator_rate", "games won, %"],
    );
    for (series, curve) in curves.iter().enumerate() {
        draw(&mut canvas, series, curve, (&x, &y));
    }
    let labels: Vec<&str> = match curves {
        [_] => Vec::new(),
        _ => curves.iter().map(|curve| curve.label.as_str()).collect(),
    };
    let level = number_text(100.0 * confidence);
    let mut notes = vec![format!(
        "Line: all games, weighted for each rate; the band holds the whole curve with {level} %. Marks: the cells alone, \
         with {level} % intervals (Clopper–Pearson)."
    )];
    if let [one] = curves {
        notes.push(format!("Cell: {}.", one.label));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} more curves are in the table."));
    }
    canvas.finish_below(bottom + 60.0, &labels, &notes)
}

fn draw(canvas: &mut Canvas, series: usize, curve: &RateCurve, scales: (&Scale, &Scale)) {
    let mark = |point: &RatePoint| {
        let span = point.span();
        let hover = format!("{} at {}: {}", curve.label, point.rate, span.text(""));
        Mark::new(scales, point.rate, span, hover)
    };
    for run in curve.points.split(Option::is_none) {
        let marks: Vec<Mark> = run.iter().flatten().map(mark).collect();
        if !marks.is_empty() {
            draw_band(canvas, series, &marks);
            draw_line(canvas, series, &marks);
        }
    }
    let cells: Vec<Mark> = curve.cells.iter().map(mark).collect();
    draw_bars(canvas, series, &cells);
    for cell in &cells {
        canvas.mark(series, (cell.x, cell.y), &cell.hover);
    }
}
