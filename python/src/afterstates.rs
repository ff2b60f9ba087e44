//! Boards after each move, before the next deal: what search and learning look at.

use crate::boards::BoardArrays;
use crate::errors::wrong_input;
use crate::players::cell_of;
use crate::pool::shared;
use numpy::ndarray::ArrayView2;
use numpy::{IntoPyArray, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray3};
use pyo3::prelude::*;
use rayon::prelude::*;
use tilelab::KernelChoice;
use tilelab::game::boards::{check, state_on};
use tilelab::game::stepping::kind;
use tilelab::game::{PositionError, Positions, Tiles};
use tilelab::games::sixty_seven::kernels::{End, Kernel};
use tilelab::games::sixty_seven::line::Tile;
use tilelab::games::sixty_seven::packed::{PackedBoard, PackedTile};
use tilelab::games::sixty_seven::{self, Direction, Operator, SixtySeven, reference};
use tilelab::games::twenty_forty_eight::{self, TwentyFortyEight};

/// Residues stand for numbers below 2⁶⁰, which no product on a line exceeds whose factors have
/// fewer bits together.
const BITS_MAX: f64 = 59.0;
/// Boards that a thread takes at a time.
const BATCH: usize = 256;

/// The boards after the four moves of one board, one after another; boards of moves that are not
/// legal stay as they are.
struct Four<'a> {
    kinds: &'a mut [u8],
    numbers: &'a mut [f64],
    legal: &'a mut [i8],
    won: &'a mut [bool],
    scores: &'a mut [f64],
}

/// The boards after each move, of N boards: kinds and numbers of shape (N, 4, rows, cols), and of
/// shape (N, 4) the legal moves, whether the move wins at once, and the points that it scores.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple of arrays")]
pub fn afterstates<'py>(
    py: Python<'py>,
    game: &str,
    settings: Vec<String>,
    kinds: PyReadonlyArray3<'py, u8>,
    numbers: PyReadonlyArray3<'py, f64>,
) -> PyResult<(
    Bound<'py, PyArrayDyn<u8>>,
    Bound<'py, PyArrayDyn<f64>>,
    Bound<'py, PyArray2<i8>>,
    Bound<'py, PyArray2<bool>>,
    Bound<'py, PyArray2<f64>>,
)> {
    let cell = cell_of(game, &settings, &[])?;
    let given = BoardArrays::new(&cell, &kinds, &numbers)?;
    let count = given.count;
    let (rows, cols) = given.shape;
    let cells = rows * cols;
    let mut all_kinds = vec![0; 4 * count * cells];
    let mut all_numbers = vec![0.0; 4 * count * cells];
    let mut all_legal = vec![0; 4 * count];
    let mut all_won = vec![false; 4 * count];
    let mut all_scores = vec![0.0; 4 * count];
    let rules = match cell.game.name {
        sixty_seven::NAME => {
            let game = SixtySeven::from_params(&cell.params);
            let kernel = Kernel::new(KernelChoice::Auto, &game).map_err(wrong_input)?;
            Rules::SixtySeven(Box::new(game), Box::new(kernel))
        }
        twenty_forty_eight::NAME => {
            Rules::TwentyFortyEight(TwentyFortyEight::from_params(&cell.params))
        }
        other => {
            return Err(wrong_input(format!(
                "game={other}: accepted: sixty-seven, twenty-forty-eight"
            )));
        }
    };
    let find = |number: usize, four: Four<'_>| {
        let tiles = given.boards().get(number);
        let found = rules.four((rows, cols), tiles, four);
        found.map_err(|error| wrong_input(format!("board {number}: {error}")))
    };
    py.detach(|| {
        shared()?.install(|| {
            let four = (
                all_kinds.par_chunks_exact_mut(4 * cells),
                all_numbers.par_chunks_exact_mut(4 * cells),
                all_legal.par_chunks_exact_mut(4),
                all_won.par_chunks_exact_mut(4),
                all_scores.par_chunks_exact_mut(4),
            );
            four.into_par_iter()
                .enumerate()
                .with_min_len(BATCH)
                .try_for_each(|(number, (kinds, numbers, legal, won, scores))| {
                    let four = Four {
                        kinds,
                        numbers,
                        legal,
                        won,
                        scores,
                    };
                    find(number, four)
                })
        })
    })?;
    let boards = vec![count, 4, rows, cols];
    Ok((
        all_kinds.into_pyarray(py).reshape(boards.clone())?,
        all_numbers.into_pyarray(py).reshape(boards)?,
        all_legal.into_pyarray(py).reshape([count, 4])?,
        all_won.into_pyarray(py).reshape([count, 4])?,
        all_scores.into_pyarray(py).reshape([count, 4])?,
    ))
}

enum Rules {
    SixtySeven(Box<SixtySeven>, Box<Kernel>),
    TwentyFortyEight(TwentyFortyEight),
}

impl Rules {
    fn four(
        &self,
        shape: (usize, usize),
        tiles: Tiles<'_>,
        out: Four<'_>,
    ) -> Result<(), PositionError> {
        match self {
            Self::SixtySeven(game, kernel) => {
                check(shape, tiles)?;
                let kinds = ArrayView2::from_shape(shape, tiles.0).expect("the board's shape");
                let numbers = ArrayView2::from_shape(shape, tiles.1).expect("the board's shape");
                if lines_fit(&kinds, &numbers) {
                    by_kernel(game, kernel, tiles, out);
                } else {
                    by_reference(game, game.on_board(tiles)?, out);
                }
            }
            Self::TwentyFortyEight(game) => {
                let board = state_on(game, shape, tiles)?.board;
                let cells = board.tiles().len();
                for (place, direction) in Direction::ALL.into_iter().enumerate() {
                    let mut after = board.clone();
                    if let Some(score) = after.slide(direction) {
                        out.legal[place] = 1;
                        out.scores[place] = score as f64;
                    }
                    let range = place * cells..(place + 1) * cells;
                    let cells = out.kinds[range.clone()]
                        .iter_mut()
                        .zip(&mut out.numbers[range]);
                    for ((kind, number), &tile) in cells.zip(after.tiles()) {
                        *kind = u8::from(tile != 0) * kind::NUMBER;
                        *number = tile as f64;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether residues hold every number that a move can make: sums and products of a line's numbers.
fn lines_fit(kinds: &ArrayView2<'_, u8>, numbers: &ArrayView2<'_, f64>) -> bool {
    let bits = |kind: u8, number: f64| match kind {
        kind::NUMBER => 1.0 + (number.abs() + 1.0).log2(),
        _ => 0.0,
    };
    let small = numbers.iter().all(|number| number.abs() < 63.0);
    let longest = kinds.nrows().max(kinds.ncols()) as f64;
    // Numbers below 63 have 7 bits with the one that is added; this saves the logarithms.
    if small && 7.0 * (longest + 1.0) / 2.0 < BITS_MAX {
        return true;
    }
    let fits = |line: f64| line < BITS_MAX;
    let sums = |kinds: ArrayView2<'_, u8>, numbers: ArrayView2<'_, f64>| {
        kinds
            .rows()
            .into_iter()
            .zip(numbers.rows())
            .all(|(kinds, numbers)| {
                fits(
                    kinds
                        .iter()
                        .zip(numbers)
                        .map(|(&kind, &number)| bits(kind, number))
                        .sum(),
                )
            })
    };
    sums(kinds.view(), numbers.view()) && sums(kinds.t(), numbers.t())
}

fn by_kernel(game: &SixtySeven, kernel: &Kernel, (kinds, numbers): Tiles<'_>, out: Four<'_>) {
    let operators = Operator::ALL.map(|operator| PackedTile::pack(&Tile::Operator(operator)));
    let mut board = PackedBoard::blank(game.rows, game.cols);
    for (cell, (&kind, &number)) in kinds.iter().zip(numbers).enumerate() {
        match kind {
            kind::BLANK => {}
            kind::NUMBER => board.put(
                cell,
                PackedTile::of((number as i64).rem_euclid(PRIME) as u64),
            ),
            operator => board.put(cell, operators[usize::from(operator - kind::PLUS)]),
        }
    }
    let legal = kernel.legal(&board);
    for (place, direction) in Direction::ALL.into_iter().enumerate() {
        let mut after = board.clone();
        if legal >> direction as u8 & 1 == 1 {
            out.legal[place] = 1;
            out.won[place] = kernel.advance(&mut after, direction) == Some(End::Won);
        }
        let range = place * after.tiles().len()..(place + 1) * after.tiles().len();
        let cells = out.kinds[range.clone()]
            .iter_mut()
            .zip(&mut out.numbers[range]);
        for ((kind, number), tile) in cells.zip(after.tiles()) {
            if let Some(residue) = tile.residue() {
                let residue = residue.cast_signed();
                *kind = kind::NUMBER;
                *number = if residue > PRIME / 2 {
                    residue - PRIME
                } else {
                    residue
                } as f64;
            } else if let Some(place) = operators.iter().position(|operator| operator == tile) {
                *kind = kind::PLUS + place as u8;
            }
        }
    }
}

/// The prime of packed boards.
const PRIME: i64 = (1 << 61) - 1;

fn by_reference(game: &SixtySeven, state: reference::State, out: Four<'_>) {
    let board = &state.board;
    for (place, direction) in Direction::ALL.into_iter().enumerate() {
        let after = board.moved(game.collapse, direction);
        if after != *board {
            out.legal[place] = 1;
            out.won[place] = game.is_won(&after);
        }
        let range = place * after.tiles().len()..(place + 1) * after.tiles().len();
        let state = reference::State {
            board: after,
            ..state
        };
        game.read(
            &state,
            &mut out.kinds[range.clone()],
            &mut out.numbers[range],
        );
    }
}
