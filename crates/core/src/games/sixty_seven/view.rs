//! Display of 67! for players and spectators.

use super::board::Board;
use super::line::Tile;
use super::weighted::Weighted;
use super::{Direction, Runs, SixtySeven};
use crate::game::GameResult;
use crate::game::view::{BoardView, Cell, Slide, Tone};
use num_bigint::BigInt;

/// Board, round and best number.
pub fn view(game: &SixtySeven, board: &Board, round: u64) -> BoardView {
    let cell = |tile: &Tile| {
        let mut cell = Cell::new(tile.to_string());
        if matches!(tile, Tile::Number(number) if game.wins(number)) {
            cell.tone = Tone::Goal;
        }
        cell
    };
    let cells = board
        .tiles()
        .chunks(board.cols())
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let best =
        best(board, &game.target.into()).map_or("none".to_owned(), |number| number.to_string());
    let facts = vec![
        ("round".to_owned(), round.to_string()),
        ("best".to_owned(), best),
    ];
    BoardView { cells, facts }
}

/// The rules, for display to people.
pub fn rules(game: &SixtySeven) -> String {
    let operators = spoken(&game.operators, |operator| operator.symbol().to_string());
    let numbers = spoken(&game.numbers, i64::to_string);
    let numbers = if game.numbers.tiles().all(|number| (0..=9).contains(number)) {
        format!("digits ({numbers})")
    } else {
        format!("numbers ({numbers})")
    };
    let meet = if game.collapse.blanks_separate {
        "Before that, a number, an operator and a number on neighbouring cells of a line become one number: 6 + 7 becomes 13."
    } else {
        "A number, an operator and a number that come together in a line become one number: 6 + 7 becomes 13."
    };
    let runs = match game.collapse.runs {
        Runs::Stay => "",
        Runs::Halve => "Of equal operators in a row, half remain. ",
        Runs::One => "Of equal operators in a row, one remains. ",
    };
    let mut text = format!(
        "Make a tile of {exactly}{target}.\n\
         Each round up to {tiles} new tiles appear on empty cells: {numbers}, or operators ({operators}). Then you choose a direction, and \
         all tiles slide that way. {meet} {runs}Numbers are read from left to right and from top to bottom, whichever way the tiles \
         slide.\n\
         You win when a tile shows {target}, and lose when no direction changes the board.\n",
        exactly = if game.goal.is_none() { "exactly " } else { "" },
        target = game.goal_text(),
        tiles = game.tiles_per_turn,
    );
    if let Some(limit) = game.value_limit {
        text.push_str(&format!(
            "You also lose when a number is below -{limit} or above {limit}.\n"
        ));
    }
    if let Some(rounds) = game.max_rounds {
        text.push_str(&format!("You also lose after {rounds} rounds.\n"));
    }
    text
}

/// Tiles with their chances where these differ.
fn spoken<T>(tiles: &Weighted<T>, name: impl Fn(&T) -> String) -> String {
    let of = |(tile, weight): &(T, u64)| {
        let share = 100.0 * *weight as f64 / tiles.total() as f64;
        if tiles.is_equal() {
            name(tile)
        } else {
            format!("{} {share:.0} %", name(tile))
        }
    };
    let separator = if tiles.is_equal() { " " } else { ", " };
    tiles
        .entries()
        .iter()
        .map(of)
        .collect::<Vec<_>>()
        .join(separator)
}

/// Why a finished game is over.
pub fn why_over(
    game: &SixtySeven,
    result: Option<GameResult>,
    board: &Board,
    round: u64,
) -> String {
    if result == Some(GameResult::Won) {
        format!("a tile shows {}", game.goal_text())
    } else if let Some(limit) = game.value_limit.filter(|&limit| board.exceeds(limit)) {
        format!("a number is beyond {limit}")
    } else if board.legal(game.collapse).next().is_none() {
        "no direction changes the board".to_owned()
    } else {
        format!("{} rounds were played", round)
    }
}

/// The number nearest to the target, the larger one of two equally near.
fn best(board: &Board, target: &BigInt) -> Option<BigInt> {
    let numbers = board.tiles().iter().filter_map(|tile| match tile {
        Tile::Number(number) => Some(number.to_big().into_owned()),
        Tile::Blank | Tile::Operator(_) => None,
    });
    numbers.min_by_key(|number| ((number - target).magnitude().clone(), number < target))
}

/// Where a move in this direction takes each tile.
///
/// Each number is first replaced by a different one of about 10³⁰. The rules do not look at values,
/// so the same operations collapse; sums, differences and products of two such numbers are near
/// 2·10³⁰, 0 and 10⁶⁰, so every number that is still one of them has only slid. Tiles keep their
/// order along a line: read from the edge moved towards, a number that has slid comes from the next
/// tile, another one from the next number, what follows it, and the number behind that, and an
/// operator from as many of its run as became one.
pub fn slides(game: &SixtySeven, before: &Board, direction: Direction) -> Vec<Slide> {
    let base = BigInt::from(10).pow(30);
    let mut tagged = before.clone();
    for (cell, tile) in before.tiles().iter().enumerate() {
        if matches!(tile, Tile::Number(_)) {
            tagged.put(cell, Tile::number(&base + BigInt::from(cell)));
        }
    }
    let tags = base.clone()..&base + BigInt::from(before.tiles().len());
    let after = tagged.moved(game.collapse, direction);
    let mut slides = Vec::new();
    for line in direction.lines(before.rows(), before.cols()) {
        let tiles = |board: &Board| -> Vec<((usize, usize), Tile)> {
            line.iter()
                .map(|&(row, col)| ((row, col), board.tiles()[row * board.cols() + col].clone()))
                .filter(|(_, tile)| !tile.is_blank())
                .collect()
        };
        let tiles_before = tiles(&tagged);
        let mut sources = tiles_before.as_slice();
        for (to, tile) in tiles(&after) {
            let count = match &tile {
                Tile::Number(number) if !tags.contains(&*number.to_big()) => {
                    let operators = sources[1..]
                        .iter()
                        .take_while(|(_, tile)| matches!(tile, Tile::Operator(_)));
                    operators.count() + 2
                }
                Tile::Operator(_) => {
                    let next_to = |a: (usize, usize), b: (usize, usize)| {
                        a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1
                    };
                    let mut pairs = sources.windows(2);
                    let run = pairs.position(|pair| {
                        pair[1].1 != tile
                            || game.collapse.blanks_separate && !next_to(pair[0].0, pair[1].0)
                    });
                    let run = run.map_or(sources.len(), |place| place + 1);
                    match game.collapse.runs {
                        Runs::Stay => 1,
                        Runs::Halve => run.min(2),
                        Runs::One => run,
                    }
                }
                _ => 1,
            };
            let (group, rest) = sources.split_at(count);
            slides.extend(group.iter().map(|&(from, _)| Slide { from, to }));
            sources = rest;
        }
    }
    slides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::boards::start_on;
    use crate::games::sixty_seven::PARAMS;
    use crate::params::{Params, Value as Param};

    /// Checks where the tiles of a line go: `columns` has the column of each tile after the move.
    fn check(rules: &str, line: &str, direction: Direction, columns: &[usize]) {
        let tiles: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut params = Params::parse(PARAMS, &format!("rules={rules} rows=1")).unwrap();
        params.set("cols", Param::Int(tiles.len() as i64));
        let game = SixtySeven::from_params(&params);
        let board = start_on(&game, &[tiles]).unwrap().board;
        let mut found = slides(&game, &board, direction);
        found.sort_by_key(|slide| slide.from);
        let found: Vec<usize> = found.iter().map(|slide| slide.to.1).collect();
        assert_eq!(found, columns, "{rules}: {line} {direction}");
    }

    #[test]
    fn each_tile_is_followed_to_its_cell() {
        use Direction::{Left, Right};
        check("original", "1 + 2 + 3", Left, &[0, 0, 0, 1, 2]);
        check("original", "1 + 2 + 3", Right, &[2, 3, 4, 4, 4]);
        check("original", "_ 7 _ 5 - 5", Left, &[0, 1, 1, 1]);
        check("original", "2 * 3 4 * 5", Left, &[0, 0, 0, 1, 1, 1]);
        check("original", "_ 7 7 _", Left, &[0, 1]);
        // The result is equal to a tile that was there before.
        check("original", "5 + 0 5", Left, &[0, 0, 0, 1]);
        check("gapless", "8 + _ 0", Left, &[0, 0, 0]);
        check("gapless", "+ + + 1", Left, &[0, 1, 2, 3]);
        check("merge-pairs", "+ + + 1 _", Left, &[0, 0, 1, 2]);
        check("merge-runs", "+ + - 1 _", Right, &[2, 2, 3, 4]);
        check("merge-runs", "1 + + 2 + +", Right, &[4, 4, 4, 4, 5, 5]);
        let kept = "original equal_operators=runs";
        check(kept, "+ + _ + _ 1", Left, &[0, 0, 1, 2]);
        check(kept, "1 + + 2 _ +", Right, &[4, 4, 4, 4, 5]);
    }

    #[test]
    fn best_is_nearest_to_the_target() {
        let rows = |text: &str| vec![text.split(' ').map(str::to_owned).collect::<Vec<_>>()];
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Param::Int(1));
        params.set("cols", Param::Int(4));
        let game = SixtySeven::from_params(&params);
        for (line, expected) in [
            ("66 + 68 9", "68"),
            ("_ + _ _", "none"),
            ("-66 70 _ 100", "70"),
        ] {
            let board = start_on(&game, &rows(line)).unwrap().board;
            assert_eq!(view(&game, &board, 0).facts[1].1, expected, "{line}");
        }
        assert!(
            start_on(&game, &rows("67 _ _ _"))
                .unwrap_err()
                .to_string()
                .contains("67 already")
        );
        assert!(
            start_on(&game, &rows("6 _ _"))
                .unwrap_err()
                .to_string()
                .contains("1 × 3")
        );
        assert!(
            start_on(&game, &rows("6 _ x _"))
                .unwrap_err()
                .to_string()
                .contains("column 3")
        );
    }
}
