//! Heat maps as SVG: panels of cells in a diverging palette, with the numbers written into the cells.
//!
//! The palette runs from purple (below zero) over a neutral middle to orange (above zero): PuOr of ColorBrewer, which is told apart
//! with all common kinds of colour blindness. The texts take the colour of the page (`prefers-color-scheme`), those in
//! cells black or white by the cell's lightness, so the map reads on light and on dark ground.

use std::fmt::Write as _;

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Beside it, for the rows.
    pub row_axis: String,
    /// Below it, for the columns.
    pub col_axis: String,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns.
    pub cols: Vec<String>,
    /// Row by row; `None` where there is no value.
    pub values: Vec<Vec<Option<f64>>>,
}

/// The side of a cell in pixels.
const CELL: usize = 56;
/// Room left of the cells, above and below them.
const LEFT: usize = 84;
const TOP: usize = 40;
const BOTTOM: usize = 56;

/// PuOr of ColorBrewer (C. Brewer, 2003) with 11 classes, from its purple end to its orange end.
const PALETTE: [[u8; 3]; 11] = [
    [45, 0, 75],
    [84, 39, 136],
    [128, 115, 172],
    [178, 171, 210],
    [216, 218, 235],
    [247, 247, 247],
    [254, 224, 182],
    [253, 184, 99],
    [224, 130, 20],
    [179, 88, 6],
    [127, 59, 8],
];

/// The colour of a value from −1 to 1, between the classes of the palette.
fn colour(value: f64) -> [u8; 3] {
    let place = (value.clamp(-1.0, 1.0) + 1.0) * 5.0;
    let low = (place.floor() as usize).min(9);
    let part = place - low as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(PALETTE[low][channel]), f64::from(PALETTE[low + 1][channel]));
        (from + (to - from) * part).round() as u8
    })
}

/// Black or white, whichever stands out more (relative luminance of WCAG 2, without its gamma).
fn ink([red, green, blue]: [u8; 3]) -> &'static str {
    let luminance = 0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue);
    if luminance > 127.0 { "#000" } else { "#fff" }
}

/// Panels in rows of three, under one title and one scale; `unit` names what the numbers count.
#[must_use]
pub fn svg(title: &str, unit: &str, panels: &[Panel]) -> String {
    let values = panels.iter().flat_map(|panel| panel.values.iter().flatten().flatten());
    let most = values.fold(1.0_f64, |most, value| most.max(value.abs()));
    let width = panels.iter().map(|panel| LEFT + panel.cols.len() * CELL + 24).max().unwrap_or(LEFT).max(260);
    let height = panels.iter().map(|panel| TOP + panel.rows.len() * CELL + BOTTOM).max().unwrap_or(TOP);
    let across = panels.len().clamp(1, 3);
    let (whole, deep) = ((across * width).max(360), 44 + panels.len().div_ceil(across) * height + 60);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {deep}\" width=\"{whole}\" height=\"{deep}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{}</title>\n\
         <style>.t{{fill:#222}}@media (prefers-color-scheme: dark){{.t{{fill:#ddd}}}}</style>\n\
         <text class=\"t\" x=\"12\" y=\"24\" font-size=\"16\">{}</text>\n",
        escape(title),
        escape(title)
    );
    for (number, panel) in panels.iter().enumerate() {
        write_panel(&mut text, panel, (number % across) * width, 44 + (number / across) * height, most);
    }
    write_scale(&mut text, unit, deep - 48, most);
    text.push_str("</svg>\n");
    text
}

fn write_panel(text: &mut String, panel: &Panel, left: usize, top: usize, most: f64) {
    let (rows, cols) = (panel.rows.len(), panel.cols.len());
    let (x0, y0) = (left + LEFT, top + TOP);
    let mut label = |x: usize, y: usize, anchor: &str, more: &str, words: &str| {
        let words = escape(words);
        writeln!(text, "<text class=\"t\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{more}>{words}</text>")
            .expect("text takes every line");
    };
    label(left + 12, top + 18, "start", " font-weight=\"bold\"", &shortened(&panel.title, LEFT + cols * CELL));
    label(x0 + cols * CELL / 2, y0 + rows * CELL + 38, "middle", "", &panel.col_axis);
    let (axis_x, axis_y) = (left + 20, y0 + rows * CELL / 2);
    label(axis_x, axis_y, "middle", &format!(" transform=\"rotate(-90 {axis_x} {axis_y})\""), &panel.row_axis);
    for (row, name) in panel.rows.iter().enumerate() {
        label(x0 - 8, y0 + row * CELL + CELL / 2 + 5, "end", "", name);
    }
    for (col, name) in panel.cols.iter().enumerate() {
        label(x0 + col * CELL + CELL / 2, y0 + rows * CELL + 18, "middle", "", name);
    }
    for (row, values) in panel.values.iter().enumerate() {
        for (col, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let (x, y) = (x0 + col * CELL, y0 + row * CELL);
            let fill = colour(value / most);
            let [red, green, blue] = fill;
            writeln!(
                text,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{value:+.0}</text>",
                x + CELL / 2,
                y + CELL / 2 + 5,
                ink(fill),
                side = CELL - 2,
            )
            .expect("text takes every line");
        }
    }
}

/// The title shortened to this many pixels; bold letters take about eight.
fn shortened(title: &str, width: usize) -> String {
    let most = (width.max(260) - 12) / 8;
    if title.chars().count() <= most {
        return title.to_owned();
    }
    title.chars().take(most - 1).chain(['…']).collect()
}

fn write_scale(text: &mut String, unit: &str, top: usize, most: f64) {
    const STEPS: usize = 41;
    for step in 0..STEPS {
        let [red, green, blue] = colour(2.0 * step as f64 / (STEPS - 1) as f64 - 1.0);
        let x = 84 + step * 5;
        writeln!(
            text,
            "<rect x=\"{x}\" y=\"{top}\" width=\"5\" height=\"12\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
        )
        .expect("text takes every line");
    }
    let places =
        [(84, format!("{:+.0}", -most)), (84 + STEPS * 5 / 2, "0".into()), (84 + STEPS * 5, format!("{most:+.0}"))];
    for (x, words) in places {
        writeln!(text, "<text class=\"t\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{words}</text>", top + 28)
            .expect("text takes every line");
    }
    writeln!(text, "<text class=\"t\" x=\"12\" y=\"{}\">{}</text>", top + 44, escape(unit))
        .expect("text takes every line");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_meet_the_palette_at_its_classes() {
        for (class, expected) in PALETTE.iter().enumerate() {
            assert_eq!(colour(class as f64 / 5.0 - 1.0), *expected, "class {class}");
        }
        assert_eq!((colour(-7.0), colour(7.0)), (PALETTE[0], PALETTE[10]));
        assert_eq!((ink(PALETTE[0]), ink(PALETTE[5])), ("#fff", "#000"));
    }

    #[test]
    fn every_value_stands_in_its_cell() {
        let panel = Panel {
            title: "a < b".into(),
            row_axis: "rows".into(),
            col_axis: "cols".into(),
            rows: vec!["1,6".into(), "2,5".into()],
            cols: vec!["1,6".into(), "2,5".into()],
            values: vec![vec![None, Some(-120.0)], vec![Some(60.0), None]],
        };
        let svg = svg("title", "coins", &[panel]);
        for words in ["a &lt; b", ">-120<", ">+60<", "#2d004b", "coins", "prefers-color-scheme: dark"] {
            assert!(svg.contains(words), "{words} is not in {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 2 + 41);
    }
}
