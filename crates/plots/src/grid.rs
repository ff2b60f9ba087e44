//! Heat maps: panels of coloured cells with their numbers, and the key of the colours.

use super::svg::{AXIS, Canvas, MARGIN, SMALL, TEXT, WIDTH, fit, text_width};

/// One panel.
pub struct GridPanel {
    /// The title, which stands above the panel.
    pub title: String,
    /// What the rows are.
    pub row_axis: String,
    /// What the columns are.
    pub col_axis: String,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns.
    pub cols: Vec<String>,
    /// Row by row; `None` where there is no value.
    pub values: Vec<Vec<Option<Tile>>>,
}

/// One coloured cell.
pub struct Tile {
    /// The place of the colour on the palette, from 0 to 1; `None` for a value that the scale does
    /// not have, such as 0 on a logarithmic one.
    pub place: Option<f64>,
    /// The number written into the cell.
    pub text: String,
    /// What is shown on hovering.
    pub hover: String,
}

/// What the colours say.
pub struct Key {
    /// Places on the palette with their numbers.
    pub ticks: Vec<(f64, String)>,
    /// What the numbers are.
    pub unit: String,
}

/// Viridis (S. van der Walt and N. Smith, 2015) in 9 steps from dark to bright: for rates. Its
/// lightness rises evenly, so it also works in grey.
#[rustfmt::skip]
const SEQUENTIAL: [[u8; 3]; 9] = [
    [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142],
    [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50],
    [253, 231, 37],
];

/// The colour at a place from 0 to 1, between the steps.
fn colour(place: f64) -> [u8; 3] {
    let last = SEQUENTIAL.len() - 1;
    let place = place.clamp(0.0, 1.0) * last as f64;
    let low = (place.floor() as usize).min(last - 1);
    let part = place - low as f64;
    std::array::from_fn(|channel| {
        let from = f64::from(SEQUENTIAL[low][channel]);
        let to = f64::from(SEQUENTIAL[low + 1][channel]);
        (from + (to - from) * part).round() as u8
    })
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The relative luminance of a colour (WCAG 2).
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let channel = f64::from(channel) / 255.0;
        match channel {
            ..=0.04045 => channel / 12.92,
            _ => ((channel + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Black or white, whichever has more contrast (WCAG 2): at least 4.5 to 1.
fn ink(colour: [u8; 3]) -> &'static str {
    let luminance = luminance(colour) + 0.05;
    if luminance / 0.05 > 1.05 / luminance {
        "#000"
    } else {
        "#fff"
    }
}

/// Evenly spaced colours of the sequential palette with the ink of text on them, for the report.
pub fn shades() -> Vec<[String; 2]> {
    const STEPS: u32 = 64;
    let shade = |step| {
        let colour = colour(f64::from(step) / f64::from(STEPS - 1));
        [hex(colour), ink(colour).to_owned()]
    };
    (0..STEPS).map(shade).collect()
}

/// Height of a title, and of the name of the rows below it.
const TITLE: f64 = 18.0;
const ROW_AXIS: f64 = 22.0;
const ROW: f64 = 26.0;
const CELL_MAX: f64 = 56.0;
const CELL_MIN: f64 = 3.0;
/// The width from which two panels stand side by side.
const HALF: f64 = (WIDTH - MARGIN) / 2.0;

/// The measures of a panel.
struct Layout {
    /// Width of the row names.
    left: f64,
    /// Height of the title; 0 without one.
    title: f64,
    /// Width of a cell.
    cell: f64,
    width: f64,
    height: f64,
}

impl Layout {
    fn new(panel: &GridPanel, width: f64) -> Self {
        let names = panel.rows.iter().map(|name| text_width(name, SMALL));
        let left = names.fold(0.0, f64::max).min(width * 0.35) + 14.0;
        let cell = ((width - left - MARGIN) / panel.cols.len() as f64).clamp(CELL_MIN, CELL_MAX);
        let title = if panel.title.is_empty() { 0.0 } else { TITLE };
        let height = title + ROW_AXIS + ROW * panel.rows.len() as f64 + 46.0;
        Self {
            left,
            title,
            cell,
            width,
            height,
        }
    }

    /// Whether numbers fit the cells.
    fn numbers_fit(&self, panel: &GridPanel) -> bool {
        let mut tiles = panel.values.iter().flatten().flatten();
        tiles.all(|tile| text_width(&tile.text, SMALL) <= self.cell)
    }
}

/// Draws panels under one title, with the key and notes below.
pub fn svg(title: &str, key: &Key, panels: &[GridPanel], notes: &[String]) -> String {
    let mut canvas = Canvas::new(title);
    let fits = |panel: &GridPanel| Layout::new(panel, HALF).numbers_fit(panel);
    let halves = panels.len() > 1 && panels.iter().all(fits);
    let width = if halves { HALF } else { WIDTH - MARGIN };
    let across = if halves { 2 } else { 1 };
    let mut y = canvas.top - 6.0;
    for line in panels.chunks(across) {
        let layouts: Vec<Layout> = line.iter().map(|panel| Layout::new(panel, width)).collect();
        for (at, (panel, layout)) in line.iter().zip(&layouts).enumerate() {
            let corner = (MARGIN + width * at as f64, y);
            draw_panel(&mut canvas, panel, layout, corner);
        }
        y += layouts
            .iter()
            .map(|layout| layout.height)
            .fold(0.0, f64::max);
    }
    let below = draw_key(&mut canvas, key, y + 6.0);
    canvas.finish(below, notes)
}

fn draw_panel(canvas: &mut Canvas, panel: &GridPanel, layout: &Layout, (x, y): (f64, f64)) {
    let left = x + layout.left;
    let top = y + layout.title + ROW_AXIS;
    let bottom = top + ROW * panel.rows.len() as f64;
    let right = left + layout.cell * panel.cols.len() as f64;
    let title = fit(&panel.title, TEXT * 1.08, layout.width - 8.0);
    canvas.text("bold", (x, y + 14.0), &title);
    let row_axis = format!("{} \u{2193}", panel.row_axis);
    canvas.text(
        "note",
        (x, top - 7.0),
        &fit(&row_axis, SMALL, layout.width - 8.0),
    );
    let middle = f64::midpoint(left, right).max(left + 40.0);
    canvas.text_middle(
        "",
        (middle, bottom + 34.0),
        &fit(&panel.col_axis, TEXT, layout.width),
    );
    for (row, name) in panel.rows.iter().enumerate() {
        let at = top + ROW * (row as f64 + 0.5) + 4.0;
        canvas.text_end((left - 6.0, at), &fit(name, SMALL, layout.left - 8.0));
    }
    // Names that would touch the one before are left out.
    let mut free_from = f64::NEG_INFINITY;
    for (col, name) in panel.cols.iter().enumerate() {
        let at = left + layout.cell * (col as f64 + 0.5);
        // A number close to 0 may have hundreds of digits.
        let name = &fit(name, SMALL, WIDTH / 2.0);
        let half = text_width(name, SMALL) / 2.0;
        if at - half >= free_from {
            canvas.text_middle("tick", (at, bottom + 16.0), name);
            free_from = at + half + 3.0;
        }
    }
    let numbered = layout.numbers_fit(panel);
    for (row, tiles) in panel.values.iter().enumerate() {
        for (col, tile) in tiles.iter().enumerate() {
            let Some(tile) = tile else { continue };
            let corner = (left + layout.cell * col as f64, top + ROW * row as f64);
            let gap = if layout.cell > 10.0 { 1.5 } else { 0.0 };
            let fill = tile.place.map(colour);
            let look = fill.map_or("class=\"zero\"".to_owned(), |fill| {
                format!("fill=\"{}\"", hex(fill))
            });
            canvas.rect(corner, (layout.cell - gap, ROW - gap), &look, &tile.hover);
            if !numbered {
                continue;
            }
            let middle = (corner.0 + layout.cell / 2.0, corner.1 + ROW / 2.0 + 4.0);
            match fill {
                Some(fill) => canvas.text_in(middle, ink(fill), &tile.text),
                None => canvas.text_middle("tick", middle, &tile.text),
            }
        }
    }
}

/// Draws the colours with their numbers; returns the y coordinate below.
fn draw_key(canvas: &mut Canvas, key: &Key, y: f64) -> f64 {
    const STEPS: usize = 60;
    const LENGTH: f64 = 300.0;
    let step = LENGTH / STEPS as f64;
    let left = MARGIN + 16.0;
    for index in 0..STEPS {
        let fill = hex(colour(index as f64 / (STEPS - 1) as f64));
        let corner = (left + step * index as f64, y);
        canvas.rect(corner, (step + 0.3, 12.0), &format!("fill=\"{fill}\""), "");
    }
    for (place, text) in &key.ticks {
        let at = left + place * LENGTH;
        canvas.line((at, y + 12.0), (at, y + 15.0), AXIS);
        canvas.text_middle("tick", (at, y + 27.0), text);
    }
    canvas.notes(y + 48.0, [&key.unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_meet_the_palette_at_its_steps() {
        for (step, expected) in SEQUENTIAL.iter().enumerate() {
            let place = step as f64 / (SEQUENTIAL.len() - 1) as f64;
            assert_eq!(colour(place), *expected, "step {step}");
        }
        assert_eq!(colour(-7.0), SEQUENTIAL[0]);
        assert_eq!(colour(7.0), SEQUENTIAL[8]);
        assert_eq!((ink(SEQUENTIAL[0]), ink(SEQUENTIAL[8])), ("#fff", "#000"));
    }

    /// 131 of the 990 numbers of the atlas had less.
    #[test]
    fn numbers_can_be_read_on_every_colour() {
        for step in 0..=1000 {
            let colour = colour(f64::from(step) / 1000.0);
            let ink = if ink(colour) == "#000" { 0.0 } else { 1.0 };
            let [more, less] = [f64::max, f64::min].map(|of| of(ink, luminance(colour)) + 0.05);
            assert!(more / less >= 4.5, "{colour:?}: {}", more / less);
        }
    }

    #[test]
    fn every_value_stands_in_its_cell() {
        let tile = |place, text: &str| {
            Some(Tile {
                place,
                text: text.into(),
                hover: "h".into(),
            })
        };
        let panel = GridPanel {
            title: "a < b".into(),
            row_axis: "rows".into(),
            col_axis: "cols".into(),
            rows: vec!["1,6".into(), "2,5".into()],
            cols: vec!["1,6".into(), "2,5".into()],
            values: vec![
                vec![None, tile(Some(0.0), "-120")],
                vec![tile(None, "0"), None],
            ],
        };
        let key = Key {
            ticks: vec![(0.0, "-120".into())],
            unit: "coins".into(),
        };
        let svg = svg("title", &key, &[panel], &[]);
        for words in [
            "a &lt; b",
            ">-120<",
            ">0<",
            "#440154",
            "class=\"zero\"",
            "coins",
            "(prefers-color-scheme:dark)",
        ] {
            assert!(svg.contains(words), "{words} is not in {svg}");
        }
        assert_eq!(svg.matches("<title>h</title></rect>").count(), 2);
    }
}
