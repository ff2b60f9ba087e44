//! Charts of win rates as SVG: curves with bands, and rows of intervals. The page's style sheet has
//! their colours, so that they follow its theme.

// Rows of intervals are for experiments.
#![cfg_attr(not(feature = "lab"), allow(dead_code))]

use std::fmt::Write;
use tilelab::output::numbers::fit;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 52.0;
/// The height of a row of intervals, and the space beside it.
const ROW: f64 = 38.0;
const MARGIN: f64 = 30.0;
/// Curves and classes of colours.
pub const COLOURS: usize = 6;
/// Points of a curve that are drawn as dots, too.
const DOTS_MAX: usize = 60;
/// Characters of a name that fit on a row.
const NAME_MAX: usize = 80;

/// A win rate in percent, with its interval where there is one.
#[derive(Clone, Copy)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub ends: Option<(f64, f64)>,
}

/// Curves with bands over a number.
pub struct Curves<'a> {
    /// What the chart shows, for people who do not see it.
    pub label: String,
    pub x_label: String,
    pub series: &'a [Vec<Point>],
    /// Numbers of points of the first curve that are marked.
    pub marked: &'a [usize],
    /// A place on the x axis with a line.
    pub here: Option<f64>,
    /// The end of the y axis, if not just beyond the points.
    pub y_max: Option<f64>,
}

impl Curves<'_> {
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flatten();
        let least = points().map(|point| point.x).fold(f64::INFINITY, f64::min);
        let most = points()
            .map(|point| point.x)
            .fold(f64::NEG_INFINITY, f64::max);
        let spread = if most > least { 0.0 } else { 0.5 };
        let least = least - spread;
        let most = most + spread;
        let high = self.y_max.unwrap_or_else(|| top(points().copied()));
        let x = |value: f64| LEFT + (value - least) / (most - least) * (RIGHT - LEFT);
        let y = |value: f64| BOTTOM - value.min(high) / high * (BOTTOM - TOP);
        let mut body = String::new();
        for value in ticks(0.0, high, 5) {
            line(&mut body, "grid", (LEFT, y(value)), (RIGHT, y(value)));
            text(
                &mut body,
                "tick",
                (LEFT - 6.0, y(value) + 4.0),
                "end",
                &format!("{value} %"),
            );
        }
        for value in ticks(least, most, 8) {
            text(
                &mut body,
                "tick",
                (x(value), BOTTOM + 20.0),
                "middle",
                &value.to_string(),
            );
        }
        if let Some(here) = self.here {
            line(&mut body, "here", (x(here), TOP), (x(here), BOTTOM));
        }
        for (number, own) in self.series.iter().enumerate() {
            let colour = number % COLOURS;
            let known = own.iter().filter_map(|point| Some((point.x, point.ends?)));
            let upper = known.clone().map(|(at, (_, hi))| (x(at), y(hi)));
            let lower = known.rev().map(|(at, (lo, _))| (x(at), y(lo)));
            shape(
                &mut body,
                "polygon",
                &format!("band colour-{colour}"),
                upper.chain(lower),
            );
            let line = own.iter().map(|point| (x(point.x), y(point.y)));
            shape(
                &mut body,
                "polyline",
                &format!("curve colour-{colour}"),
                line.clone(),
            );
            for place in line.filter(|_| own.len() <= DOTS_MAX) {
                circle(&mut body, &format!("dot colour-{colour}"), place, 3.0);
            }
        }
        let first = self.series.first();
        for point in self.marked.iter().filter_map(|&at| first?.get(at)) {
            circle(&mut body, "mark", (x(point.x), y(point.y)), 7.0);
        }
        let middle = (f64::midpoint(LEFT, RIGHT), HEIGHT - 8.0);
        text(&mut body, "axis-title", middle, "middle", &self.x_label);
        frame(&self.label, HEIGHT, &body)
    }
}

/// A row for each name: its rate as a dot on its interval, below the name.
pub fn intervals(label: &str, rows: &[(String, Option<Point>)]) -> String {
    let bottom = ROW.mul_add(rows.len() as f64, TOP);
    // All of every interval is seen.
    let ends = rows.iter().filter_map(|(_, point)| *point);
    let high = top(ends.map(|point| Point {
        y: point.ends.map_or(point.y, |(_, hi)| hi),
        ..point
    }));
    let x = |value: f64| MARGIN + value.min(high) / high * (WIDTH - 2.0 * MARGIN);
    let mut body = String::new();
    for value in ticks(0.0, high, 5) {
        line(&mut body, "grid", (x(value), TOP), (x(value), bottom));
        text(
            &mut body,
            "tick",
            (x(value), bottom + 18.0),
            "middle",
            &format!("{value} %"),
        );
    }
    for (at, (name, point)) in rows.iter().enumerate() {
        let y = ROW.mul_add((at + 1) as f64, TOP) - 8.0;
        text(
            &mut body,
            "tick",
            (MARGIN, y - 10.0),
            "start",
            &fit(name, NAME_MAX),
        );
        if let Some(point) = point {
            let (lo, hi) = point.ends.unwrap_or((point.y, point.y));
            line(&mut body, "interval", (x(lo), y), (x(hi), y));
            circle(&mut body, "dot colour-0", (x(point.y), y), 4.0);
        }
    }
    frame(label, bottom + 28.0, &body)
}

/// Round numbers between two, about `count` of them.
fn ticks(from: f64, to: f64, count: u32) -> Vec<f64> {
    let rough = (to - from) / f64::from(count);
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    let round = |at: i64| (at as f64 * step * 1e9).round() / 1e9;
    (first..=last).map(round).collect()
}

/// The largest value that an axis of percents needs.
fn top(points: impl Iterator<Item = Point>) -> f64 {
    let highest = |point: Point| {
        let hi = point.ends.map_or(point.y, |(_, hi)| hi);
        hi.min(2.0f64.mul_add(point.y, 1.0))
    };
    let most = points.map(highest).fold(0.1, f64::max);
    ticks(0.0, 1.3 * most, 5)
        .last()
        .map_or(100.0, |last| last.min(100.0))
}

/// The whole drawing, in the namespace of SVG.
fn frame(label: &str, height: f64, body: &str) -> String {
    let label = escaped(label);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" \
         viewBox=\"0 0 {WIDTH} {height}\" aria-label=\"{label}\">{body}</svg>"
    )
}

fn line(body: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = write!(
        body,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn circle(body: &mut String, class: &str, (x, y): (f64, f64), r: f64) {
    let _ = write!(
        body,
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"/>"
    );
}

fn shape(body: &mut String, name: &str, class: &str, places: impl Iterator<Item = (f64, f64)>) {
    let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(
        body,
        "<{name} class=\"{class}\" points=\"{}\"/>",
        places.join(" ")
    );
}

fn text(body: &mut String, class: &str, (x, y): (f64, f64), anchor: &str, content: &str) {
    let content = escaped(content);
    let _ = write!(
        body,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"
    );
}

/// Text in markup; characters that XML forbids are left out.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
