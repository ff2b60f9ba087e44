//! Single lines: both engines on every short line and on the lines of
//! tests/data/sixty_seven_lines.csv.

use crate::effort::times;
use crate::kernels::{RULES, game};
use tilelab::game::KernelChoice;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::line::Tile;
use tilelab::games::sixty_seven::packed::{PackedBoard, PackedTile};
use tilelab::games::sixty_seven::reference::{TileBoard, collapse};
use tilelab::games::sixty_seven::{Direction, SixtySeven};

const ALPHABET: [&str; 6] = ["_", "3", "67", "+", "-", "*"];

/// Every line of this length over [`ALPHABET`].
fn all_lines(length: usize) -> Vec<Vec<Tile>> {
    let tiles = ALPHABET.map(|text| Tile::parse(text).unwrap());
    (0..ALPHABET.len().pow(length as u32))
        .map(|number| {
            (0..length)
                .map(|at| tiles[number / ALPHABET.len().pow(at as u32) % ALPHABET.len()].clone())
                .collect()
        })
        .collect()
}

/// Lines as the rows, or the columns, of one packed board.
pub fn packed(lines: &[Vec<Tile>], as_rows: bool) -> PackedBoard {
    let (rows, cols) = if as_rows {
        (lines.len(), lines[0].len())
    } else {
        (lines[0].len(), lines.len())
    };
    let mut board = PackedBoard::blank(rows, cols);
    for (l, line) in lines.iter().enumerate() {
        for (at, tile) in line.iter().enumerate() {
            board.put(
                if as_rows {
                    l * cols + at
                } else {
                    at * cols + l
                },
                PackedTile::pack(tile),
            );
        }
    }
    board
}

/// The direction that moves rows or columns towards their start or end.
pub const fn direction(as_rows: bool, towards_end: bool) -> Direction {
    match (as_rows, towards_end) {
        (true, false) => Direction::Left,
        (true, true) => Direction::Right,
        (false, false) => Direction::Up,
        (false, true) => Direction::Down,
    }
}

fn sized(rules: &str, board: &PackedBoard) -> SixtySeven {
    game(&format!(
        "rules={rules} rows={} cols={}",
        board.rows(),
        board.cols()
    ))
}

/// The kernel on all lines of one length, eight at a time, against the reference one by one.
fn check_moves(rules: &str, length: usize) {
    let lines = all_lines(length);
    let shape = packed(&lines[..8.min(lines.len())], true);
    for towards_end in [false, true] {
        let rule = sized(rules, &shape).collapse;
        let expected: Vec<_> = lines
            .iter()
            .map(|line| collapse(rule, line, towards_end))
            .collect();
        for as_rows in [true, false] {
            let mut sizes: Vec<(usize, Kernel)> = Vec::new();
            for (lines, expected) in lines.chunks(8).zip(expected.chunks(8)) {
                let mut board = packed(lines, as_rows);
                if sizes.last().is_none_or(|(count, _)| *count != lines.len()) {
                    sizes.push((
                        lines.len(),
                        Kernel::new(KernelChoice::Portable, &sized(rules, &board)).unwrap(),
                    ));
                }
                sizes
                    .last()
                    .unwrap()
                    .1
                    .advance(&mut board, direction(as_rows, towards_end));
                assert_eq!(
                    board,
                    packed(expected, as_rows),
                    "{rules}, rows: {as_rows}, to the end: {towards_end}"
                );
            }
        }
    }
}

/// The kernel's legal directions for each line alone, against whether the reference changes it.
fn check_legal(rules: &str, length: usize) {
    let rule = sized_rule(rules);
    let mut kernels = [None, None];
    for line in all_lines(length) {
        let changes = [false, true].map(|towards_end| collapse(rule, &line, towards_end) != line);
        for (as_rows, kernel) in [true, false].into_iter().zip(&mut kernels) {
            let board = packed(std::slice::from_ref(&line), as_rows);
            let kernel = kernel.get_or_insert_with(|| {
                Kernel::new(KernelChoice::Portable, &sized(rules, &board)).unwrap()
            });
            // A line across is single cells, which do not move.
            let expected = u8::from(changes[0]) << direction(as_rows, false) as u8
                | u8::from(changes[1]) << direction(as_rows, true) as u8;
            assert_eq!(
                kernel.legal(&board),
                expected,
                "{rules}, rows: {as_rows}: {}",
                line_text(&line)
            );
        }
    }
}

fn sized_rule(rules: &str) -> tilelab::games::sixty_seven::Collapse {
    game(&format!("rules={rules}")).collapse
}

/// The longest lines; in longer runs of the tests those of 7, which have six times as many.
fn longest() -> usize {
    5 + times(1).min(2) as usize
}

#[test]
fn every_short_line_moves_as_the_reference_says() {
    for rules in RULES {
        (1..=longest()).for_each(|length| check_moves(rules, length));
    }
}

#[test]
fn every_short_line_is_legal_where_the_reference_changes_it() {
    for rules in RULES {
        (1..=longest()).for_each(|length| check_legal(rules, length));
    }
}

/// Tiles separated by spaces.
pub fn line_text(line: &[Tile]) -> String {
    let tiles: Vec<String> = line.iter().map(Tile::to_string).collect();
    tiles.join(" ")
}

/// Rules, whether towards the end, line and result of each row of the file.
pub fn published_lines() -> Vec<(String, bool, Vec<Tile>, Vec<Tile>)> {
    let mut reader =
        csv::Reader::from_reader(include_bytes!("../../data/sixty_seven_lines.csv").as_slice());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let line = |at: usize| {
            record[at]
                .split(' ')
                .map(|tile| Tile::parse(tile).unwrap())
                .collect()
        };
        (
            record[0].to_owned(),
            &record[1] == "right",
            line(2),
            line(3),
        )
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 960);
    rows
}

#[test]
fn the_published_lines_come_out_of_both_engines() {
    for (rules, towards_end, line, result) in published_lines() {
        let case = format!("{rules}, to the end: {towards_end}: {}", line_text(&line));
        for as_rows in [true, false] {
            let direction = direction(as_rows, towards_end);
            let before = packed(std::slice::from_ref(&line), as_rows);
            let after = packed(std::slice::from_ref(&result), as_rows);
            let mut board = before.clone();
            Kernel::new(KernelChoice::Portable, &sized(&rules, &board))
                .unwrap()
                .advance(&mut board, direction);
            assert_eq!(board, after, "{case}");
            let moved: TileBoard = before.unpack().moved(sized_rule(&rules), direction);
            assert_eq!(moved, after.unpack(), "{case}");
        }
    }
}
