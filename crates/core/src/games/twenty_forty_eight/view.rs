//! Display of 2048 boards.

use super::TwentyFortyEight;
use super::board::Board;
use crate::game::view::{BoardView, Cell, Slide, Tone};
use crate::games::direction::Direction;

/// Board, points, merge score and largest tile.
pub fn view(game: &TwentyFortyEight, board: &Board, merge_score: u64) -> BoardView {
    let cell = |&tile: &u64| {
        let mut cell = Cell::new(if tile == 0 {
            String::new()
        } else {
            tile.to_string()
        });
        if tile >= game.goal {
            cell.tone = Tone::Goal;
        }
        cell
    };
    let cells = board
        .tiles()
        .chunks(board.cols())
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let facts = [
        ("points", board.points()),
        ("score", merge_score),
        ("largest", board.largest()),
    ];
    BoardView {
        cells,
        facts: facts
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .to_vec(),
    }
}

/// The rules, for display to people.
pub fn rules(game: &TwentyFortyEight) -> String {
    let mut text = format!(
        "Make a tile of at least {}.\n\
         Choose a direction and all tiles slide that way. Two equal tiles that meet become one tile of twice the number. After \
         each move a 2 or a 4 appears on an empty cell.\n\
         The game goes on until no direction changes the board. You win if the largest tile is then at least {}.\n",
        game.goal, game.goal,
    );
    if let Some(moves) = game.max_moves {
        text.push_str(&format!("The game also ends after {moves} moves.\n"));
    }
    text
}

/// Why a finished game is over.
pub fn why_over(board: &Board, moves: u64) -> String {
    let largest = board.largest();
    let why = if board.legal().next().is_none() {
        "no direction changes the board".to_owned()
    } else {
        format!("{moves} moves were made")
    };
    format!("{why}, the largest tile is {largest}")
}

/// Where a swipe takes each tile.
///
/// Seen from the edge swiped towards, the tiles after the swipe are those before it in order, a
/// merged one taking the place of two. Tiles are positive, so one that is not its next predecessor
/// is twice that one.
pub fn slides(before: &Board, direction: Direction, after: &Board) -> Vec<Slide> {
    let mut slides = Vec::new();
    for line in direction.lines(before.rows(), before.cols()) {
        let tile =
            |board: &Board, (row, col): (usize, usize)| board.tiles()[row * board.cols() + col];
        let mut sources = line.iter().filter(|&&cell| tile(before, cell) != 0);
        for &to in &line {
            let Some(&from) = sources.next() else { break };
            slides.push(Slide { from, to });
            if tile(after, to) != tile(before, from) {
                let second = sources.next().expect("two tiles merge");
                slides.push(Slide { from: *second, to });
            }
        }
    }
    slides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tile_is_followed_to_its_cell() {
        use Direction::{Down, Left, Right, Up};
        for (before, direction, expected) in [
            ("2,2,2,2", Left, &[(0, 0), (0, 0), (0, 1), (0, 1)][..]),
            ("2,2,2,2", Right, &[(0, 2), (0, 2), (0, 3), (0, 3)]),
            ("4,2,2,0", Left, &[(0, 0), (0, 1), (0, 1)]),
            ("0,2,0,4", Left, &[(0, 0), (0, 1)]),
            ("2,4/2,0/4,4", Up, &[(0, 0), (0, 1), (0, 0), (1, 0), (0, 1)]),
            (
                "2,4/2,0/4,4",
                Down,
                &[(1, 0), (2, 1), (1, 0), (2, 0), (2, 1)],
            ),
        ] {
            let board = Board::parse(before).unwrap();
            let mut after = board.clone();
            after.slide(direction).unwrap();
            let mut found = slides(&board, direction, &after);
            found.sort_by_key(|slide| slide.from);
            let found: Vec<(usize, usize)> = found.iter().map(|slide| slide.to).collect();
            assert_eq!(found, expected, "{before} {direction}");
        }
    }
}
