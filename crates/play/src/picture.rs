//! The screen as an SVG picture.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// A character's width and height, in pixels.
const CELL: (f64, f64) = (9.0, 19.0);
/// Where a character's baseline lies below its upper edge.
const BASELINE: f64 = 14.0;
/// The margin around the screen.
const MARGIN: f64 = 12.0;
/// The terminal's own background and ink.
const PAPER: &str = "#16181d";
const INK: &str = "#d8dae0";

/// The sixteen first colours of the xterm palette.
const SIXTEEN: [u32; 16] = [
    0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5,
    0x7f_7f7f, 0xff_0000, 0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
];

/// The screen drawn in a fixed-pitch font, in the colours of the xterm palette.
pub fn svg(screen: &Buffer) -> String {
    let area = screen.area;
    let whole_width = f64::from(area.width) * CELL.0 + 2.0 * MARGIN;
    let whole_height = f64::from(area.height) * CELL.1 + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole_width}\" height=\"{whole_height}\" \
         viewBox=\"0 0 {whole_width} {whole_height}\">\n\
         <style>text{{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for row in 0..area.height {
        let cells = &screen.content[usize::from(row) * usize::from(area.width)..]
            [..usize::from(area.width)];
        let top = MARGIN + f64::from(row) * CELL.1;
        let mut column = 0;
        // Runs of one style are one rectangle and one text, stretched to the columns that it takes.
        for run in cells.chunk_by(|a, b| look(a) == look(b)) {
            let (ink, paper, bold) = look(&run[0]);
            let left = MARGIN + column as f64 * CELL.0;
            let wide = run.len() as f64 * CELL.0;
            column += run.len();
            if let Some(paper) = paper {
                out += &format!(
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{}\" fill=\"{paper}\"/>\n",
                    CELL.1
                );
            }
            let text: String = run.iter().map(Cell::symbol).collect();
            if text.trim().is_empty() {
                continue;
            }
            let text = text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            let weight = if bold { " font-weight=\"700\"" } else { "" };
            out += &format!(
                "<text x=\"{left}\" y=\"{}\" fill=\"{ink}\" textLength=\"{wide}\"{weight}>{text}</text>\n",
                top + BASELINE
            );
        }
    }
    out + "</svg>\n"
}

/// Ink, background unless it is the terminal's own, and whether it is bold.
fn look(cell: &Cell) -> (String, Option<String>, bool) {
    let mut ink = css(cell.fg);
    let mut paper = css(cell.bg);
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut ink, &mut paper);
        ink.get_or_insert_with(|| PAPER.into());
        paper.get_or_insert_with(|| INK.into());
    }
    let dim = cell.modifier.contains(Modifier::DIM);
    let ink = ink.unwrap_or_else(|| if dim { "#8b8f99".into() } else { INK.into() });
    (ink, paper, cell.modifier.contains(Modifier::BOLD))
}

/// The colours with names, in the order of the palette.
#[rustfmt::skip]
const NAMED: [Color; 16] = {
    use Color::{
        Black, Blue, Cyan, DarkGray, Gray, Green, LightBlue, LightCyan, LightGreen, LightMagenta,
        LightRed, LightYellow, Magenta, Red, White, Yellow,
    };
    [
        Black, Red, Green, Yellow, Blue, Magenta, Cyan, Gray, DarkGray, LightRed, LightGreen,
        LightYellow, LightBlue, LightMagenta, LightCyan, White,
    ]
};

/// A colour as CSS writes it; `None` is the terminal's own.
fn css(color: Color) -> Option<String> {
    let number = match color {
        Color::Rgb(red, green, blue) => return Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Indexed(number) => number,
        // The terminal's own has no place.
        named => NAMED.iter().position(|known| *known == named)? as u8,
    };
    let rgb = match number {
        0..=15 => SIXTEEN[usize::from(number)],
        // A cube of six levels a colour, then 24 greys.
        16..=231 => {
            let level = |step: u8| {
                if step == 0 {
                    0
                } else {
                    55 + 40 * u32::from(step)
                }
            };
            let step = number - 16;
            level(step / 36) << 16 | level(step / 6 % 6) << 8 | level(step % 6)
        }
        232..=255 => 0x01_0101 * (8 + 10 * u32::from(number - 232)),
    };
    Some(format!("#{rgb:06x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn runs_of_one_style_are_drawn_once_and_escaped() {
        let mut screen = Buffer::empty(Rect::new(0, 0, 8, 2));
        screen.set_string(0, 0, "a<b", Style::new());
        screen.set_string(
            3,
            0,
            "67",
            Style::new().bg(Color::Indexed(46)).fg(Color::Indexed(16)),
        );
        let picture = svg(&screen);
        assert!(
            picture.contains(">a&lt;b</text>") && picture.contains("fill=\"#00ff00\"/>"),
            "{picture}"
        );
        assert!(
            picture.contains("fill=\"#000000\" textLength=\"18\">67</text>"),
            "{picture}"
        );
        assert_eq!(
            picture.matches("<text ").count(),
            2,
            "blank cells need no text: {picture}"
        );
    }

    #[test]
    fn palette_is_xterms() {
        let palette = [
            (231, "#ffffff"),
            (16, "#000000"),
            (209, "#ff875f"),
            (240, "#585858"),
            (255, "#eeeeee"),
        ];
        for (number, expected) in palette {
            assert_eq!(css(Color::Indexed(number)).as_deref(), Some(expected));
        }
    }
}
