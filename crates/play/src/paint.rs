//! How tiles are painted: colours by magnitude for terminals of 256 and of 16 colours, and marks
//! that are readable without any.

use super::app::BUTTON_KEYS;
use super::cursor::{Cursor, Place};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;
use tilelab_games::game::view::{BoardView, Cell, Mark, Tone};
use tilelab_output::numbers::fit;

/// How many colours there are to paint with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// None: `NO_COLOR` is set, or the terminal has none.
    Plain,
    /// The sixteen of every colour terminal, in the terminal's own shades.
    Sixteen,
    /// The 256 of the xterm palette.
    Full,
}

/// Tiles by bits of their magnitude: background and text of the 256-colour palette. Light and warm
/// for small numbers, over red and violet to deep blue; black or white text, whichever reads
/// better.
const NUMBERS: [(u8, u8); 14] = [
    (252, 16),
    (255, 16),
    (230, 16),
    (223, 16),
    (216, 16),
    (209, 16),
    (203, 16),
    (161, 231),
    (127, 231),
    (91, 231),
    (55, 231),
    (26, 231),
    (30, 231),
    (22, 231),
];
const NEGATIVES: [(u8, u8); 5] = [(195, 16), (153, 16), (117, 16), (74, 16), (31, 231)];

/// Replaces what is not ASCII by what looks like it, for a locale without UTF-8.
pub fn ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let alike = match cell.symbol() {
            symbol if symbol.is_ascii() => continue,
            "─" | "━" | "–" | "—" | "−" => "-",
            "│" | "┃" => "|",
            "┌" | "┐" | "└" | "┘" | "├" | "┤" | "┬" | "┴" | "┼" | "╭" | "╮" | "╰" | "╯" => {
                "+"
            }
            "×" => "x",
            "÷" => "/",
            "…" | "·" => ".",
            "←" => "<",
            "→" => ">",
            "↑" => "^",
            "↓" => "v",
            "█" => "#",
            _ => "?",
        };
        cell.set_symbol(alike);
    }
}

impl Palette {
    /// The palette that the environment asks for (<https://no-color.org>, `COLORTERM`, `TERM`).
    pub fn of_environment() -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        let term = variable("TERM");
        let colors = variable("COLORTERM");
        if !variable("NO_COLOR").is_empty() || term.starts_with("vt") {
            Self::Plain
        } else if !colors.is_empty() || term.contains("256color") || term.contains("direct") {
            Self::Full
        } else {
            Self::Sixteen
        }
    }

    /// The style of a tile.
    #[must_use]
    pub fn tile(self, tone: Tone) -> Style {
        match self {
            Self::Plain => plain_tile(tone),
            Self::Sixteen => sixteen_tile(tone),
            Self::Full => full_tile(tone),
        }
    }

    /// The style of good news.
    #[must_use]
    pub fn good(self) -> Style {
        self.tile(Tone::Goal).bold()
    }

    /// White on a colour of the 16 or of the 256; without colours, a modifier alone.
    fn white_on(self, plain: Modifier, sixteen: Color, full: u8) -> Style {
        match self {
            Self::Plain => Style::new().add_modifier(plain),
            Self::Sixteen => Style::new().white().bg(sixteen),
            Self::Full => indexed(full, 231),
        }
    }

    /// The style of a cell that the cursor is on.
    fn under_cursor(self) -> Style {
        self.white_on(Modifier::REVERSED, Color::Magenta, 163)
            .bold()
    }

    /// The style of the cell that was chosen first.
    fn chosen_first(self) -> Style {
        let plain = Modifier::REVERSED | Modifier::UNDERLINED;
        self.white_on(plain, Color::Red, 160)
    }

    /// The style of what matters less.
    pub fn dim(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Sixteen | Self::Full => Style::new().dim(),
        }
    }

    /// The style of a button: whether it can be pressed, and whether the cursor is on it.
    #[must_use]
    fn button(self, is_legal: bool, has_cursor: bool) -> Style {
        match self {
            _ if has_cursor => self.under_cursor(),
            Self::Plain if is_legal => Style::new().bold(),
            Self::Sixteen if is_legal => Style::new().black().on_gray(),
            Self::Full if is_legal => indexed(25, 231),
            _ => self.dim(),
        }
    }

    /// The style of bad news.
    #[must_use]
    pub fn bad(self) -> Style {
        self.white_on(Modifier::BOLD, Color::Red, 124).bold()
    }
}

/// Background and text of the 256-colour palette.
fn indexed(background: u8, text: u8) -> Style {
    Style::new()
        .bg(Color::Indexed(background))
        .fg(Color::Indexed(text))
}

fn plain_tile(tone: Tone) -> Style {
    match tone {
        Tone::Blank | Tone::Operator => Style::new(),
        Tone::Number(_) | Tone::Negative(_) | Tone::Owned(0) => Style::new().bold(),
        Tone::Owned(_) => Style::new().underlined(),
        Tone::Goal => Style::new().reversed(),
    }
}

fn sixteen_tile(tone: Tone) -> Style {
    use Color::{
        Black, Blue, Cyan, Gray, LightCyan, LightGreen, LightMagenta, LightRed, LightYellow, White,
        Yellow,
    };
    let (background, text) = match tone {
        Tone::Blank => return Style::new().dark_gray(),
        Tone::Number(0..=3) => (Gray, Black),
        Tone::Number(4..=5) => (LightYellow, Black),
        Tone::Number(6..=7) => (Yellow, Black),
        Tone::Number(8..=9) => (LightRed, Black),
        Tone::Number(10..=11) => (LightMagenta, Black),
        Tone::Number(_) => (Blue, White),
        Tone::Negative(_) => (Cyan, Black),
        Tone::Operator => return Style::new().bold(),
        Tone::Goal => (LightGreen, Black),
        Tone::Owned(0) => (LightCyan, Black),
        Tone::Owned(_) => (LightYellow, Black),
    };
    Style::new().bg(background).fg(text)
}

fn full_tile(tone: Tone) -> Style {
    let pick = |scale: &[(u8, u8)], step: u32| scale[(step as usize).min(scale.len() - 1)];
    let (background, text) = match tone {
        Tone::Blank => (236, 241),
        Tone::Number(bits) => pick(&NUMBERS, bits),
        Tone::Negative(bits) => pick(&NEGATIVES, bits.saturating_sub(1) / 2),
        Tone::Operator => (240, 231),
        Tone::Goal => (46, 16),
        Tone::Owned(0) => (80, 16),
        Tone::Owned(_) => (214, 16),
    };
    indexed(background, text)
}

/// The size of a tile in one direction, and the gap to the next.
type Size = (u16, u16);

/// The lines or columns that `count` tiles take.
fn length(count: usize, (size, gap): Size) -> u16 {
    count as u16 * (size + gap) - gap
}

/// The height and width of the largest tiles with which the whole board fits; of the smallest tiles
/// where none do.
fn sizes(look: &BoardView, area: Rect) -> [Size; 2] {
    let longest = super::text_width(look) as u16;
    let ideal = (longest + 2).clamp(6, 10);
    let width = (2..=ideal)
        .rev()
        .map(|width| (width, 1))
        .chain([(2, 0)])
        .find(|&size| length(look.cells[0].len(), size) <= area.width)
        .unwrap_or((longest.clamp(2, 4), 1));
    let heights = [(3, 1), (3, 0), (1, 1), (1, 0)];
    let height = heights
        .into_iter()
        .find(|&size| {
            (size.0 == 1 || width.0 >= 5) && length(look.cells.len(), size) <= area.height
        })
        .unwrap_or((1, 0));
    [height, width]
}

/// The part of `count` tiles that is shown where only `fitting` do, so that `focus` is among them.
fn window(count: usize, fitting: usize, focus: usize) -> Range<usize> {
    let fitting = fitting.clamp(1, count);
    let first = focus.saturating_sub(fitting / 2).min(count - fitting);
    first..first + fitting
}

/// The lines and columns that the numbers of columns and rows take.
const NUMBERS_HIGH: u16 = 1;
const NUMBERS_WIDE: u16 = 3;

/// The rows or the columns of tiles that fit on a screen.
struct Lane {
    size: u16,
    gap: u16,
    /// Where the first tile begins.
    begin: u16,
    shown: Range<usize>,
}

impl Lane {
    /// Tiles in the middle of `room` that begins at `from`: of `count` those around `focus`.
    fn new((size, gap): Size, count: usize, focus: usize, from: u16, room: u16) -> Self {
        let shown = window(count, usize::from((room + gap) / (size + gap)), focus);
        let taken = length(shown.len(), (size, gap));
        Self {
            size,
            gap,
            begin: from + room.saturating_sub(taken) / 2,
            shown,
        }
    }

    /// Where a tile begins that is shown.
    fn at(&self, tile: usize) -> u16 {
        self.begin + (tile - self.shown.start) as u16 * (self.size + self.gap)
    }
}

/// The rows and columns of a board in the middle of an area; `None` where there is nothing to draw.
fn layout(look: &BoardView, pointer: Option<&Pointer>, area: Rect) -> Option<[Lane; 2]> {
    if look.cells.first().is_none_or(Vec::is_empty) || area.is_empty() {
        return None;
    }
    let [height, width] = sizes(look, area);
    let rows = look.cells.len();
    let cols = look.cells[0].len();
    let (row, col) = pointer
        .map(|pointer| pointer.cursor.at)
        .or_else(|| focus(look))
        .unwrap_or((rows / 2, cols / 2));
    Some([
        Lane::new(height, rows, row, area.y, area.height),
        Lane::new(width, cols, col, area.x, area.width),
    ])
}

/// Writes the numbers of the rows and columns, from 0, beside and above them.
fn write_numbers([rows, cols]: &[Lane; 2], style: Style, buffer: &mut Buffer) {
    for row in rows.shown.clone() {
        let y = rows.at(row) + rows.size / 2;
        buffer.set_string(cols.begin - NUMBERS_WIDE, y, format!("{row:>2}"), style);
    }
    // Numbers of two digits would run into one another over columns that are two wide.
    let step = if cols.size < 3 { 5 } else { 1 };
    for col in cols.shown.clone().filter(|col| col % step == 0) {
        let number = col.to_string();
        let blank = cols.size.saturating_sub(number.len() as u16);
        let x = cols.at(col) + blank.div_ceil(2);
        buffer.set_string(x, rows.begin - NUMBERS_HIGH, number, style);
    }
}

/// The cursor on a board, and the cells that would complete a move with the one chosen first.
pub struct Pointer {
    /// The cursor.
    pub cursor: Cursor,
    /// The cells that complete a move.
    pub targets: Vec<Place>,
}

/// Draws a board into the middle of an area, with the numbers of its rows and columns where they
/// are asked for. Where it does not fit, draws the part around the cursor or the last move and
/// returns how much that is.
pub fn board(
    look: &BoardView,
    palette: Palette,
    mut area: Rect,
    is_numbered: bool,
    pointer: Option<&Pointer>,
    buffer: &mut Buffer,
) -> Option<String> {
    if is_numbered {
        area = Rect::new(
            area.x + NUMBERS_WIDE,
            area.y + NUMBERS_HIGH,
            area.width.saturating_sub(2 * NUMBERS_WIDE),
            area.height.saturating_sub(NUMBERS_HIGH),
        );
    }
    let lanes = layout(look, pointer, area)?;
    if is_numbered {
        write_numbers(&lanes, palette.dim(), buffer);
    }
    let [rows, cols] = lanes;
    for row in rows.shown.clone() {
        for col in cols.shown.clone() {
            let place =
                Rect::new(cols.at(col), rows.at(row), cols.size, rows.size).intersection(area);
            tile(&look.cells[row][col], palette, place, buffer);
            if let Some(style) = pointer.and_then(|pointer| pointed(pointer, palette, (row, col))) {
                buffer.set_style(place, style);
            }
        }
    }
    let shown = format!("{}x{}", rows.shown.len(), cols.shown.len());
    let whole = format!("{}x{}", look.cells.len(), look.cells[0].len());
    (shown != whole).then(|| format!("{shown} of {whole} cells"))
}

/// The style that the cursor gives to a cell.
fn pointed(pointer: &Pointer, palette: Palette, place: Place) -> Option<Style> {
    if pointer.cursor.at == place {
        Some(palette.under_cursor())
    } else if pointer.cursor.first == Some(place) {
        Some(palette.chosen_first())
    } else {
        pointer.targets.contains(&place).then(|| palette.good())
    }
}

/// Buttons with the keys that press them, as they are laid out on a screen.
pub struct Buttons<'a> {
    /// What stands on each button.
    pub names: &'a [String],
    /// Which buttons can be pressed.
    pub legal: &'a [String],
    /// The name of the button that was hinted at.
    pub hint: Option<&'a str>,
    /// The button that the cursor is on.
    pub cursor: Option<usize>,
}

impl Buttons<'_> {
    /// The width of a button: key, name and the blanks around them.
    fn width(&self) -> u16 {
        self.names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0) as u16
            + 5
    }

    /// How many buttons stand in a row: up to five, and as many as fit.
    fn columns(&self, width: u16) -> usize {
        usize::from((width + 2) / (self.width() + 2))
            .clamp(1, 5)
            .min(self.names.len().max(1))
    }

    /// The lines that all buttons take.
    pub fn height(&self, width: u16) -> u16 {
        (self.names.len().div_ceil(self.columns(width)) * 2).saturating_sub(1) as u16
    }

    /// Draws the buttons, or where not all fit, the rows around the cursor.
    pub fn draw(&self, palette: Palette, area: Rect, buffer: &mut Buffer) {
        if self.names.is_empty() || area.is_empty() {
            return;
        }
        let columns = self.columns(area.width);
        let cols = Lane::new((self.width(), 2), columns, 0, area.x, area.width);
        let count = self.names.len().div_ceil(columns);
        let focus = self.cursor.unwrap_or(0) / columns;
        let rows = Lane::new((1, 1), count, focus, area.y, area.height);
        for (button, name) in self.names.iter().enumerate() {
            let row = button / columns;
            if !rows.shown.contains(&row) {
                continue;
            }
            let x = cols.at(button % columns);
            let place = Rect::new(x, rows.at(row), cols.size, 1).intersection(area);
            let is_legal = self.legal.contains(name);
            let style = if self.hint == Some(name) {
                palette.good()
            } else {
                palette.button(is_legal, self.cursor == Some(button))
            };
            // Where there are enough keys.
            let key = BUTTON_KEYS
                .chars()
                .nth(button)
                .filter(|_| is_legal)
                .unwrap_or('·');
            buffer.set_style(place, style);
            buffer.set_stringn(
                place.x,
                place.y,
                format!(" {key} {name}"),
                usize::from(place.width),
                style,
            );
        }
    }
}

/// The first cell that the last move made, otherwise the first dealt one.
fn focus(look: &BoardView) -> Option<(usize, usize)> {
    let find = |mark| {
        look.cells.iter().enumerate().find_map(|(row, cells)| {
            let col = cells.iter().position(|cell| cell.mark == Some(mark))?;
            Some((row, col))
        })
    };
    find(Mark::Made).or_else(|| find(Mark::Dealt))
}

/// Draws one tile: made ones in brackets and bold, dealt ones between dots, where both fit.
fn tile(cell: &Cell, palette: Palette, place: Rect, buffer: &mut Buffer) {
    if place.is_empty() {
        return;
    }
    let mut style = palette.tile(cell.tone);
    let width = usize::from(place.width);
    let full = if cell.tone == Tone::Blank {
        "·"
    } else {
        cell.text.as_str()
    };
    if cell.mark == Some(Mark::Made) {
        style = style.bold().underlined();
    }
    let text = match cell.mark.filter(|_| width >= full.chars().count() + 2) {
        Some(Mark::Made) => format!("[{full}]"),
        Some(Mark::Dealt) if cell.tone != Tone::Blank => format!("·{full}·"),
        _ => fit(full, width),
    };
    buffer.set_style(place, style.not_underlined());
    let length = text.chars().count() as u16;
    let x = place.x + (place.width - length.min(place.width)).div_ceil(2);
    buffer.set_string(x, place.y + place.height / 2, text, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_their_focus() {
        for count in 1..40 {
            for fitting in 1..50 {
                for focus in 0..count {
                    let shown = window(count, fitting, focus);
                    assert!(
                        shown.contains(&focus)
                            && shown.end <= count
                            && shown.len() == fitting.min(count)
                    );
                }
            }
        }
    }

    fn look(rows: usize, cols: usize) -> BoardView {
        BoardView {
            cells: vec![vec![Cell::new("12"); cols]; rows],
            facts: Vec::new(),
        }
    }

    #[test]
    fn boards_of_any_size_are_drawn_into_any_area() {
        for (rows, cols) in [(1, 1), (4, 4), (6, 7), (32, 32), (64, 64)] {
            for (width, height) in [(0, 3), (1, 1), (40, 6), (80, 19), (200, 60)] {
                let area = Rect::new(3, 2, width, height);
                let mut buffer = Buffer::empty(Rect::new(0, 0, 210, 70));
                let look = look(rows, cols);
                let cropped = board(&look, Palette::Full, area, false, None, &mut buffer);
                if width >= 40 && rows <= 6 {
                    assert_eq!(cropped, None, "{rows}x{cols} in {width}x{height}");
                }
                for (x, y) in (0..210).flat_map(|x| (0..70).map(move |y| (x, y))) {
                    let inside = area.contains(ratatui::layout::Position { x, y });
                    assert!(
                        inside || buffer[(x, y)].symbol() == " ",
                        "{rows}x{cols}: drawn outside at {x},{y}"
                    );
                }
            }
        }
    }
}
