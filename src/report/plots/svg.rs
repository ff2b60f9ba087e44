//! A drawing being written: shapes, text, the theme.

use std::fmt::Write;

/// How many series have a look of their own before the looks repeat.
pub const SERIES_LOOKS: usize = 7;

/// Colours as custom properties: ink, muted ink, grid and paper, and the series.
///
/// The series colours are those of M. Okabe and K. Ito, *Color Universal Design* (2008); yellow is too faint on white and blue too dark
/// on black, so each scheme leaves one of them out.
const STYLE: &str = "\
svg{--paper:#fff;--ink:#1b1b1b;--muted:#5c5c5c;--grid:#e3e3e3;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#e69f00;\
--c5:#56b4e9;--c6:#1b1b1b}
@media(prefers-color-scheme:dark){svg{--paper:#16181d;--ink:#ececec;--muted:#a9adb5;--grid:#33373f;--c0:#56b4e9;--c1:#e8752a;\
--c2:#1fb58a;--c3:#d891b8;--c4:#e69f00;--c5:#f0e442;--c6:#ececec}}
text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:var(--ink)}
.title{font-size:16px;font-weight:600}.note,.tick{fill:var(--muted)}.tick{font-size:11px}.small{font-size:11px}
.paper{fill:var(--paper)}.grid{stroke:var(--grid);fill:none}.axis{stroke:var(--muted);fill:none}.mark{stroke:var(--paper);stroke-width:1}\
.line{fill:none;stroke-width:1.75;stroke-linejoin:round}.band{opacity:.18;stroke:none}.bar{fill:none;stroke-width:1.5}";

/// The size at which a title is measured: it is drawn at 16 px, but bold letters of wide system fonts take a fifth more.
const TITLE_WIDTH_FONT: f64 = 19.5;

/// A drawing of fixed size.
pub struct Canvas {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// Where text stands relative to its position.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Text with the characters that mean something in XML replaced.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The width that text takes, roughly, in pixels: system fonts differ, so a little is added.
pub fn text_width(text: &str, font_size: f64) -> f64 {
    text.chars().count() as f64 * font_size * 0.56 + 2.0
}

/// Text shortened to fit a width.
pub fn fit(text: &str, font_size: f64, width: f64) -> String {
    if text_width(text, font_size) <= width {
        return text.to_owned();
    }
    let keep = ((width - 2.0) / (font_size * 0.56) - 1.0).max(1.0) as usize;
    text.chars().take(keep).chain(['…']).collect()
}

/// A coordinate, to a tenth of a pixel.
pub fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

impl Canvas {
    /// An empty drawing with a title, which is drawn and also announced to screen readers.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut canvas = Self { width, height, title: title.to_owned(), body: String::new() };
        canvas.text(16.0, 26.0, "title", Anchor::Start, &fit(title, TITLE_WIDTH_FONT, width - 32.0));
        canvas
    }

    /// Adds text; `class` chooses its look.
    pub fn text(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" class=\"{class}\"{anchor}>{}</text>",
            px(x),
            px(y),
            escape(text)
        );
    }

    /// Adds text that reads upwards, centred on its position.
    pub fn text_upwards(&mut self, x: f64, y: f64, text: &str) {
        let (x, y) = (px(x), px(y));
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">{}</text>",
            escape(text)
        );
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        let _ = writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>");
    }

    /// Adds a path through points, closed or not.
    pub fn path(&mut self, points: &[(f64, f64)], closed: bool, attributes: &str) {
        let steps: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", px(*x), px(*y))).collect();
        let end = if closed { "Z" } else { "" };
        let _ = writeln!(self.body, "<path d=\"M{}{end}\" {attributes}/>", steps.join("L"));
    }

    /// Adds the mark of a series (circle, square, diamond, triangle, …) with a text shown on hovering.
    pub fn mark(&mut self, series: usize, (x, y): (f64, f64), hollow: bool, hover: &str) {
        let r = 4.0;
        let shape = match series % SERIES_LOOKS {
            0 => format!("<circle cx=\"{}\" cy=\"{}\" r=\"{r}\"", px(x), px(y)),
            look => {
                let corners: &[(f64, f64)] = match look {
                    1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
                    2 => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
                    3 => &[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
                    4 => &[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)],
                    5 => &[
                        (-1.2, -0.5),
                        (-0.5, -0.5),
                        (-0.5, -1.2),
                        (0.5, -1.2),
                        (0.5, -0.5),
                        (1.2, -0.5),
                        (1.2, 0.5),
                        (0.5, 0.5),
                        (0.5, 1.2),
                        (-0.5, 1.2),
                        (-0.5, 0.5),
                        (-1.2, 0.5),
                    ],
                    _ => &[(-1.3, 0.0), (-0.65, -1.1), (0.65, -1.1), (1.3, 0.0), (0.65, 1.1), (-0.65, 1.1)],
                };
                let steps: Vec<String> =
                    corners.iter().map(|(dx, dy)| format!("{} {}", px(x + dx * r), px(y + dy * r))).collect();
                format!("<path d=\"M{}Z\"", steps.join("L"))
            }
        };
        let colour = colour(series);
        let look = if hollow {
            format!("fill=\"var(--paper)\" stroke=\"{colour}\" stroke-width=\"1.5\"")
        } else {
            format!("class=\"mark\" fill=\"{colour}\"")
        };
        let end = match shape.split_once(' ') {
            Some((element, _)) => element.trim_start_matches('<').to_owned(),
            None => unreachable!("every shape has attributes"),
        };
        let _ = writeln!(self.body, "{shape} {look}><title>{}</title></{end}>", escape(hover));
    }

    /// The finished file.
    pub fn finish(self) -> String {
        let (w, h) = (px(self.width), px(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"{w}\" height=\"{h}\" rx=\"6\"/>\n{}</svg>\n",
            escape(&self.title),
            self.body
        )
    }
}

/// The colour of a series.
pub fn colour(series: usize) -> String {
    format!("var(--c{})", series % SERIES_LOOKS)
}

/// How the lines of a series are broken: the second round of looks is dashed, the third dotted.
pub fn dashes(series: usize) -> &'static str {
    match series / SERIES_LOOKS {
        0 => "",
        1 => " stroke-dasharray=\"6 3\"",
        _ => " stroke-dasharray=\"2 3\"",
    }
}

/// Positions for labels that want to stand at `wanted`, moved apart to at least `gap` and kept between `top` and `bottom`.
pub fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut placed = vec![0.0; wanted.len()];
    let mut next = top;
    for &index in &order {
        placed[index] = wanted[index].max(next);
        next = placed[index] + gap;
    }
    let mut limit = bottom;
    for &index in order.iter().rev() {
        placed[index] = f64::min(placed[index], limit);
        limit = placed[index] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_and_stay_inside() {
        assert_eq!(spread(&[50.0, 52.0, 51.0], 14.0, 0.0, 100.0), [50.0, 78.0, 64.0]);
        assert_eq!(spread(&[98.0, 99.0], 14.0, 0.0, 100.0), [86.0, 100.0]);
    }

    #[test]
    fn text_is_escaped_and_shortened() {
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
        assert_eq!(fit("short", 12.0, 100.0), "short");
        assert!(fit("a very long label indeed", 12.0, 60.0).ends_with('…'));
    }
}
