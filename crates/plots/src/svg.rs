//! A drawing being written: shapes, text, colours. The one canvas of all plots.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tilelab_output::text::plain;

/// How many series have a colour and a shape of their own; beyond, the marks are hollow and the
/// lines dashed.
pub const SERIES_LOOKS: usize = 7;
/// The width of every plot. Shown 500 px wide, its text is still at least 11 px high.
pub const WIDTH: f64 = 540.0;
/// Space left of the first and right of the last thing drawn.
pub const MARGIN: f64 = 14.0;
/// The width between the margins.
pub const INNER: f64 = WIDTH - 2.0 * MARGIN;
/// Where frames end: the number of their last tick reaches further.
pub const RIGHT: f64 = WIDTH - MARGIN - 12.0;
/// The size of text, and of ticks and notes.
pub const TEXT: f64 = 13.0;
pub const SMALL: f64 = 12.0;

/// Colours by name. Those of the series are M. Okabe and K. Ito's, *Color Universal Design* (2008);
/// yellow is too faint on white and blue too dark on black, so each scheme leaves one of them out.
type Theme = [(&'static str, &'static str); SERIES_LOOKS + 4];
#[rustfmt::skip]
const LIGHT: Theme = [
    ("c0", "#0072b2"), ("c1", "#d55e00"), ("c2", "#009e73"), ("c3", "#cc79a7"),
    ("c4", "#e69f00"), ("c5", "#56b4e9"), ("c6", "#1b1b1b"),
    ("grid", "#e3e3e3"), ("ink", "#1b1b1b"), ("muted", "#5c5c5c"), ("paper", "#ffffff"),
];
#[rustfmt::skip]
const DARK: Theme = [
    ("c0", "#56b4e9"), ("c1", "#e8752a"), ("c2", "#1fb58a"), ("c3", "#d891b8"),
    ("c4", "#e69f00"), ("c5", "#f0e442"), ("c6", "#ececec"),
    ("grid", "#33373f"), ("ink", "#ececec"), ("muted", "#a9adb5"), ("paper", "#16181d"),
];

/// Plain colours, not custom properties: those are black in programs that are not browsers.
fn css(theme: Theme) -> String {
    let [.., (_, grid), (_, ink), (_, muted), (_, paper)] = theme;
    let mut css = format!(
        "text{{fill:{ink}}}.note,.tick{{fill:{muted}}}.paper,.hollow{{fill:{paper}}}.grid{{stroke:{grid}}}\
         .axis{{stroke:{muted}}}.mark{{stroke:{paper}}}.zero{{fill:{grid}}}"
    );
    for (index, (_, colour)) in theme[..SERIES_LOOKS].iter().enumerate() {
        css += &format!(".f{index}{{fill:{colour}}}.s{index}{{stroke:{colour}}}");
    }
    css
}

/// The colours of the light scheme by name, for pictures of the page.
pub fn light_colours() -> BTreeMap<&'static str, &'static str> {
    LIGHT.into()
}

/// The colours of both schemes for the page, as custom properties. Paper is light.
pub fn page_colours() -> String {
    let [light, dark] = [LIGHT, DARK].map(|theme| {
        let properties = theme.map(|(name, colour)| format!("--{name}:{colour}"));
        properties.join(";")
    });
    format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
}

const SHAPES: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px}\
.title{font-size:16px;font-weight:600}.note,.tick{font-size:12px}.bold{font-weight:600}\
.grid,.axis,.line,.bar{fill:none}.mark{stroke-width:1}.hollow{stroke-width:1.5}\
.line{stroke-width:1.75;stroke-linejoin:round}.band{opacity:.18;stroke:none}.bar{stroke-width:1.5}";

/// The size at which a title is measured: it is drawn at 16 px, but bold letters of wide system
/// fonts take a fifth more.
const TITLE_WIDTH_FONT: f64 = 18.5;

/// The corners of the mark of each series, in radii of the circle that is the first.
#[rustfmt::skip]
const CORNERS: [&[(f64, f64)]; SERIES_LOOKS] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
    &[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
    &[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)],
    &[(-1.2, -0.5), (-0.5, -0.5), (-0.5, -1.2), (0.5, -1.2), (0.5, -0.5), (1.2, -0.5),
      (1.2, 0.5), (0.5, 0.5), (0.5, 1.2), (-0.5, 1.2), (-0.5, 0.5), (-1.2, 0.5)],
    &[(-1.3, 0.0), (-0.65, -1.1), (0.65, -1.1), (1.3, 0.0), (0.65, 1.1), (-0.65, 1.1)],
];

/// A drawing of fixed width that grows downwards.
pub struct Canvas {
    title: String,
    body: String,
    /// The y coordinate below the title.
    pub top: f64,
}

/// What draws a line of a grid, and one of an axis.
pub const GRID: &str = "class=\"grid\"";
pub const AXIS: &str = "class=\"axis\"";
const MIDDLE: &str = " text-anchor=\"middle\"";

/// Text for an XML file: markup characters as entities, and characters that XML forbids as escapes.
pub fn escape(text: &str) -> String {
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Text cut into lines of at most this width, between words where possible.
pub fn wrap(text: &str, font_size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines
            .last_mut()
            .filter(|line| text_width(&format!("{line} {word}"), font_size) <= width)
        {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(fit(word, font_size, width)),
        }
    }
    lines
}

/// The width of a character, in sizes of the font: of a font with wide digits.
const CHAR_WIDTH: f64 = 0.6;

/// The width that text takes, roughly, in pixels: system fonts differ, so a little is added.
pub fn text_width(text: &str, font_size: f64) -> f64 {
    text.chars().count() as f64 * font_size * CHAR_WIDTH + 2.0
}

/// Text shortened to fit a width.
pub fn fit(text: &str, font_size: f64, width: f64) -> String {
    if text_width(text, font_size) <= width {
        return text.to_owned();
    }
    let keep = ((width - 2.0) / (font_size * CHAR_WIDTH) - 1.0).max(1.0) as usize;
    text.chars().take(keep).chain(['…']).collect()
}

/// Texts shortened to fit a width, so that those that differ still do: where a cut at the end makes
/// two the same, all are cut in the middle, and numbered as a last resort.
pub fn fit_all(texts: &[&str], font_size: f64, width: f64) -> Vec<String> {
    let different = texts.iter().collect::<BTreeSet<_>>().len();
    let is_distinct = |fitted: &[String]| fitted.iter().collect::<BTreeSet<_>>().len() == different;
    let cut_at_end: Vec<String> = texts
        .iter()
        .map(|text| fit(text, font_size, width))
        .collect();
    if is_distinct(&cut_at_end) {
        return cut_at_end;
    }
    let middle = |text: &&str| {
        let keep = fit(text, font_size, width).chars().count() - 1;
        let length = text.chars().count();
        if keep + 1 == length {
            return (*text).to_owned();
        }
        let head: String = text.chars().take(keep / 2).collect();
        let tail: String = text.chars().skip(length - keep.div_ceil(2)).collect();
        format!("{head}…{tail}")
    };
    let cut_in_middle: Vec<String> = texts.iter().map(middle).collect();
    if is_distinct(&cut_in_middle) {
        return cut_in_middle;
    }
    let numbers = cut_at_end.iter().zip(1..);
    numbers
        .map(|(text, number)| format!("{number}: {}", fit(text, font_size, width - 25.0)))
        .collect()
}

/// A coordinate, to a tenth of a pixel.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// The steps of a path through points.
fn steps(points: impl Iterator<Item = (f64, f64)>) -> String {
    let steps: Vec<String> = points
        .map(|(x, y)| format!("{} {}", px(x), px(y)))
        .collect();
    steps.join("L")
}

impl Canvas {
    /// A drawing with a title, which is drawn and also announced to screen readers.
    pub fn new(title: &str) -> Self {
        let mut canvas = Self {
            title: title.to_owned(),
            body: String::new(),
            top: 26.0,
        };
        for line in wrap(title, TITLE_WIDTH_FONT, INNER) {
            canvas.text("title", (MARGIN, canvas.top), &line);
            canvas.top += 20.0;
        }
        canvas
    }

    /// Adds notes from `y` down, each wrapped to the width; returns the y coordinate below them.
    pub fn notes(&mut self, mut y: f64, notes: impl IntoIterator<Item: AsRef<str>>) -> f64 {
        for note in notes {
            for line in wrap(note.as_ref(), SMALL, INNER) {
                self.text("note", (MARGIN, y), &line);
                y += 16.0;
            }
        }
        y
    }

    /// Adds the marks of series with their labels from `y` down, in lines; returns the y coordinate
    /// below them.
    fn legend(&mut self, mut y: f64, labels: &[impl AsRef<str>]) -> f64 {
        if labels.iter().all(|label| label.as_ref().is_empty()) {
            return y;
        }
        let mut x = MARGIN;
        for (series, label) in labels.iter().enumerate() {
            let label = fit(label.as_ref(), TEXT, INNER - 18.0);
            let width = 18.0 + text_width(&label, TEXT);
            if x > MARGIN && x + width > WIDTH - MARGIN {
                x = MARGIN;
                y += 20.0;
            }
            self.mark(series, (x + 5.0, y - 4.0), &label);
            self.text("", (x + 15.0, y), &label);
            x += width + 14.0;
        }
        y + 22.0
    }

    /// Adds a rectangle.
    pub fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        attributes: &str,
        hover: &str,
    ) {
        let [x, y, width, height] = [x, y, width, height].map(px);
        let hover = match hover {
            "" => String::new(),
            hover => format!("<title>{}</title>", escape(hover)),
        };
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}>{hover}</rect>"
        );
    }

    /// Adds text that starts at a place; `class` chooses its look.
    pub fn text(&mut self, class: &str, place: (f64, f64), text: &str) {
        self.anchored(place, &format!(" class=\"{class}\""), text);
    }

    /// Adds text that is centred on a place.
    pub fn text_middle(&mut self, class: &str, place: (f64, f64), text: &str) {
        self.anchored(place, &format!(" class=\"{class}\"{MIDDLE}"), text);
    }

    /// Adds the text of a tick or a row that ends at a place.
    pub fn text_end(&mut self, place: (f64, f64), text: &str) {
        self.anchored(place, " class=\"tick\" text-anchor=\"end\"", text);
    }

    /// Adds centred text of a colour that both schemes share.
    pub fn text_in(&mut self, place: (f64, f64), colour: &str, text: &str) {
        let attributes = format!(" class=\"tick\"{MIDDLE} style=\"fill:{colour}\"");
        self.anchored(place, &attributes, text);
    }

    /// Adds the name of a y axis at the left margin: text that reads upwards, centred on `y`.
    pub fn text_upwards(&mut self, y: f64, text: &str) {
        let x = MARGIN + 10.0;
        let turned = format!("{MIDDLE} transform=\"rotate(-90 {} {})\"", px(x), px(y));
        self.anchored((x, y), &turned, text);
    }

    fn anchored(&mut self, (x, y): (f64, f64), attributes: &str, text: &str) {
        let [x, y] = [x, y].map(px);
        let text = escape(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\"{attributes}>{text}</text>"
        );
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(px);
        let _ = writeln!(
            self.body,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>"
        );
    }

    /// Adds a path through points, closed or not.
    pub fn path(&mut self, points: &[(f64, f64)], closed: bool, attributes: &str) {
        let steps = steps(points.iter().copied());
        let end = if closed { "Z" } else { "" };
        let _ = writeln!(self.body, "<path d=\"M{steps}{end}\" {attributes}/>");
    }

    /// Adds the mark of a series (circle, square, diamond, triangle, …) with a text shown on
    /// hovering.
    pub fn mark(&mut self, series: usize, place: (f64, f64), hover: &str) {
        self.shape(series, place, series >= SERIES_LOOKS, hover);
    }

    /// Adds the mark of a series, drawn as an outline.
    pub fn hollow_mark(&mut self, series: usize, place: (f64, f64), hover: &str) {
        self.shape(series, place, true, hover);
    }

    fn shape(&mut self, series: usize, (x, y): (f64, f64), hollow: bool, hover: &str) {
        const R: f64 = 4.0;
        let colour = series % SERIES_LOOKS;
        let [element, shape] = match CORNERS[colour] {
            [] => [
                "circle",
                &format!("cx=\"{}\" cy=\"{}\" r=\"{R}\"", px(x), px(y)),
            ],
            corners => {
                let steps = steps(corners.iter().map(|(dx, dy)| (x + dx * R, y + dy * R)));
                ["path", &format!("d=\"M{steps}Z\"")]
            }
        };
        let look = if hollow { "hollow s" } else { "mark f" };
        let hover = escape(hover);
        let _ = writeln!(
            self.body,
            "<{element} {shape} class=\"{look}{colour}\"><title>{hover}</title></{element}>"
        );
    }

    /// The finished file, with a legend at `y` and notes below it.
    pub fn finish_below(mut self, y: f64, labels: &[impl AsRef<str>], notes: &[String]) -> String {
        let y = self.legend(y, labels);
        self.finish(y + 2.0, notes)
    }

    /// The finished file, with notes from `y` down.
    pub fn finish(mut self, y: f64, notes: &[String]) -> String {
        let width = px(WIDTH);
        let height = px(self.notes(y, notes));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
             <style>{SHAPES}\n{}\n@media screen and (prefers-color-scheme:dark){{{}}}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n{}</svg>\n",
            escape(&self.title),
            css(LIGHT),
            css(DARK),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_shortened() {
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
        assert_eq!(escape("a\u{1}b\n"), "a\\u{1}b\\n");
        assert_eq!(wrap("one two three", 12.0, 60.0), ["one two", "three"]);
        assert_eq!(fit("short", 12.0, 100.0), "short");
        assert!(fit("a very long label indeed", 12.0, 60.0).ends_with('…'));
    }

    #[test]
    fn shortened_labels_stay_distinct() {
        let distinct = |texts: &[&str], width: f64| {
            let fitted = fit_all(texts, 12.0, width);
            assert_eq!(
                fitted.iter().collect::<BTreeSet<_>>().len(),
                texts.len(),
                "{fitted:?}"
            );
            assert!(
                fitted.iter().all(|text| text_width(text, 12.0) <= width),
                "{fitted:?}"
            );
            fitted
        };
        let players = [
            "monte-carlo(playouts=20)",
            "monte-carlo(playouts=2000)",
            "random",
        ];
        assert_eq!(distinct(&players, 200.0), players);
        assert_eq!(distinct(&players, 90.0)[0], "monte…ts=20)");
        distinct(&["aaaaaaaaaa1aaaaaaaaaa", "aaaaaaaaaa2aaaaaaaaaa"], 60.0);
    }

    #[test]
    fn colours_are_plain_and_dark_pages_have_their_own() {
        let mut canvas = Canvas::new("t");
        canvas.mark(0, (1.0, 2.0), "x");
        canvas.mark(SERIES_LOOKS, (1.0, 2.0), "y");
        let svg = canvas.finish(50.0, &[]);
        assert!(!svg.contains("var("), "{svg}");
        assert!(
            svg.contains(".f0{fill:#0072b2}")
                && svg.contains("screen and (prefers-color-scheme:dark){"),
            "{svg}"
        );
        assert!(
            svg.contains("class=\"mark f0\"") && svg.contains("class=\"hollow s0\""),
            "{svg}"
        );
    }
}
