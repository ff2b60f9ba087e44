//! A signed figure by two labels, as colours and numbers.

use super::scale::number_text;
use super::svg::{Anchor, Canvas, fit, text_width};
use super::{Plot, file_stem};

/// What a heat map shows.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The plot's title; its file is named after it.
    pub title: String,
    /// What the figures are, with their unit.
    pub figure: String,
    /// What the columns are, and their names from left to right.
    pub columns: (String, Vec<String>),
    /// What the rows are, and their names from top to bottom.
    pub rows: (String, Vec<String>),
    /// The figures, row by row; `None` leaves a place empty.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Draws a heat map: blue below 0, vermillion above, paler towards 0, so that either sign is told apart by colour-blind people; the
/// numbers stand in the squares where there is room.
///
/// # Panics
/// When the values do not have the shape of the labels.
#[must_use]
pub fn heat_map(map: &HeatMap) -> Plot {
    let (rows, columns) = (&map.rows.1, &map.columns.1);
    assert!(map.values.len() == rows.len() && map.values.iter().all(|row| row.len() == columns.len()), "shape");
    let side = (640.0 / columns.len().max(1) as f64).clamp(16.0, 54.0);
    let longest = |names: &[String]| names.iter().map(|name| text_width(name, 11.0)).fold(0.0, f64::max).min(160.0);
    let (left, upright) = (longest(rows) + 46.0, longest(columns) > side - 4.0);
    let top = 48.0;
    let (wide, high) = (side * columns.len() as f64, side * rows.len() as f64);
    let below = if upright { longest(columns) + 14.0 } else { 20.0 };
    let width = (left + wide + 24.0).max(420.0);
    let height = top + high + below + 62.0;
    let mut canvas = Canvas::new(width, height, &map.title);
    let reach =
        map.values.iter().flatten().flatten().map(|value| value.abs()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for (i, row) in map.values.iter().enumerate() {
        let y = top + side * i as f64;
        canvas.text(left - 8.0, y + side / 2.0 + 4.0, "tick", Anchor::End, &fit(&rows[i], 11.0, 160.0));
        for (j, value) in row.iter().enumerate() {
            let Some(value) = *value else { continue };
            let x = left + side * j as f64;
            let colour = if value < 0.0 { "#0072b2" } else { "#d55e00" };
            let strength = 0.06 + 0.86 * (value.abs() / reach);
            let hover = format!("{} against {}: {}", rows[i], columns[j], number_text(value));
            let attributes = format!("fill=\"{colour}\" fill-opacity=\"{strength:.3}\" class=\"mark\"");
            canvas.rect((x, y), (side, side), &attributes, &hover);
            let text = number_text((value * 100.0).round() / 100.0);
            if text_width(&text, 11.0) <= side - 2.0 {
                // Dark squares take white text whatever the page.
                let class = if strength > 0.55 { "small\" style=\"fill:#fff" } else { "small" };
                canvas.text(x + side / 2.0, y + side / 2.0 + 4.0, class, Anchor::Middle, &text);
            }
        }
    }
    for (j, name) in columns.iter().enumerate() {
        let x = left + side * (j as f64 + 0.5);
        if upright {
            let short = fit(name, 11.0, 160.0);
            canvas.text_upwards(x + 4.0, top + high + 6.0 + text_width(&short, 12.0) / 2.0, &short);
        } else {
            canvas.text(x, top + high + 16.0, "tick", Anchor::Middle, name);
        }
    }
    canvas.text(left + wide / 2.0, top + high + below + 16.0, "", Anchor::Middle, &map.columns.0);
    canvas.text_upwards(22.0, top + high / 2.0, &map.rows.0);
    let note = format!("{}: vermillion above 0, blue below, full colour at ±{}.", map.figure, number_text(reach));
    canvas.text(16.0, height - 12.0, "note small", Anchor::Start, &fit(&note, 11.0, width - 24.0));
    Plot { file: format!("{}.svg", file_stem(&map.title)), title: map.title.clone(), svg: canvas.finish() }
}
