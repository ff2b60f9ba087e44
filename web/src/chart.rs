//! Charts of win rates as SVG: curves with bands, and rows of intervals. The page's style sheet has
//! their colours, so that they follow its theme.

// Rows of intervals are for experiments.
#![cfg_attr(not(feature = "lab"), allow(dead_code))]

use std::fmt::Write;
use tilelab::output::numbers::fit;
use tilelab::report::plots::scale::{Scale, Span};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 52.0;
/// The height of a row of intervals, and the space beside it.
const ROW: f64 = 38.0;
const MARGIN: f64 = 30.0;
/// The height of a line of the legend.
const LEGEND_ROW: f64 = 24.0;
/// Curves and classes of colours.
pub const COLOURS: usize = 6;
/// How far apart ticks are at least.
const TICKS_APART: f64 = 44.0;
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

impl Point {
    fn span(&self) -> Span {
        let (lo, hi) = self.ends.unwrap_or((self.y, self.y));
        Span {
            value: self.y,
            lo,
            hi,
        }
    }
}

/// Curves with bands over a number.
pub struct Curves<'a> {
    /// What the chart shows, for people who do not see it.
    pub label: String,
    pub x_label: String,
    pub series: &'a [Vec<Point>],
    /// The names of the series, shown where there are several, and of those that are left out.
    pub names: &'a [String],
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
        let spans: Vec<Span> = points().map(Point::span).collect();
        let least = points().map(|point| point.x).fold(f64::INFINITY, f64::min);
        let most = points()
            .map(|point| point.x)
            .fold(f64::NEG_INFINITY, f64::max);
        let spread = if most > least { 0.0 } else { 0.5 };
        let x = Scale::exact(least - spread, most + spread, LEFT, RIGHT);
        let y = match self.y_max {
            Some(most) => Scale::exact(0.0, most, BOTTOM, TOP),
            None => Scale::holding(&spans, false, 100.0, BOTTOM, TOP),
        };
        let mut body = String::new();
        for (value, label) in y.ticks(TICKS_APART) {
            let at = y.at(value);
            line(&mut body, "grid", (LEFT, at), (RIGHT, at));
            let place = (LEFT - 6.0, at + 4.0);
            text(&mut body, "tick", place, "end", &format!("{label} %"));
        }
        for (value, label) in x.ticks(1.5 * TICKS_APART) {
            let place = (x.at(value), BOTTOM + 20.0);
            text(&mut body, "tick", place, "middle", &label);
        }
        let x = |value: f64| x.at(value);
        let y = |value: f64| y.at(value);
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
        let names = if self.names.len() > 1 {
            self.names
        } else {
            &[]
        };
        for (number, name) in names.iter().enumerate() {
            let y = LEGEND_ROW.mul_add(number as f64 + 0.5, HEIGHT);
            if number < self.series.len() {
                let class = format!("dot colour-{}", number % COLOURS);
                circle(&mut body, &class, (LEFT, y), 5.0);
            }
            let place = (LEFT + 12.0, y + 4.0);
            text(&mut body, "tick", place, "start", &fit(name, NAME_MAX));
        }
        let height = LEGEND_ROW.mul_add(names.len() as f64, HEIGHT);
        frame(&self.label, height, &body)
    }
}

/// A row for each name, the best first: its rate as a dot on its interval, below the name.
pub fn intervals(label: &str, rows: &[(String, Option<Point>)]) -> String {
    let bottom = ROW.mul_add(rows.len() as f64, TOP);
    let mut rows: Vec<_> = rows.iter().collect();
    let rate = |(_, point): &(String, Option<Point>)| point.map_or(-1.0, |point| point.y);
    rows.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    let points = rows.iter().filter_map(|(_, point)| point.as_ref());
    let spans: Vec<Span> = points.map(Point::span).collect();
    let x = Scale::holding(&spans, false, 100.0, MARGIN, WIDTH - MARGIN);
    let mut body = String::new();
    for (value, label) in x.ticks(1.5 * TICKS_APART) {
        let at = x.at(value);
        line(&mut body, "grid", (at, TOP), (at, bottom));
        let place = (at, bottom + 18.0);
        text(&mut body, "tick", place, "middle", &format!("{label} %"));
    }
    for (at, (name, point)) in rows.into_iter().enumerate() {
        let y = ROW.mul_add((at + 1) as f64, TOP) - 8.0;
        let place = (MARGIN, y - 10.0);
        text(&mut body, "tick", place, "start", &fit(name, NAME_MAX));
        if let Some(point) = point {
            let Span { value, lo, hi } = point.span();
            line(&mut body, "interval", (x.at(lo), y), (x.at(hi), y));
            circle(&mut body, "dot colour-0", (x.at(value), y), 4.0);
        }
    }
    frame(label, bottom + 28.0, &body)
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
