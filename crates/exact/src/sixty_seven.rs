//! 67! for the recursion. Lines are collapsed by the reference engine.

use super::board::{
    BLANK, BoardRules, CELLS_MAX, Cells, Code, HUGE, NUMBER_MAX, OPERATOR, Shape, Symmetry,
};
use super::engine::End;
use tilelab_core::games::sixty_seven::line::Tile;
use tilelab_core::games::sixty_seven::reference::collapse;
use tilelab_core::games::sixty_seven::{Goal, Operator, SixtySeven};

/// The rules of 67!.
pub struct Rules {
    game: SixtySeven,
}

impl Rules {
    /// The rules of a game on at most [`CELLS_MAX`] cells.
    pub fn new(game: SixtySeven) -> Self {
        Self { game }
    }
}

fn code(tile: &Tile) -> Code {
    match tile {
        Tile::Blank => BLANK,
        Tile::Operator(operator) => OPERATOR + *operator as Code,
        Tile::Number(number) => match number.to_i64() {
            Some(number) if number.abs() <= NUMBER_MAX => number as Code,
            _ => HUGE,
        },
    }
}

fn tile(code: Code) -> Tile {
    match code {
        BLANK => Tile::Blank,
        _ if code < HUGE => Tile::Operator(Operator::ALL[(code - OPERATOR) as usize]),
        number => Tile::number(number),
    }
}

impl BoardRules for Rules {
    /// The smaller of two bounds: all fillings of the board, where numbers are bounded, and all
    /// boards that so many rounds can make, where rounds are.
    fn boards_bound(&self) -> f64 {
        let game = &self.game;
        let kinds = (game.numbers.tiles().len() + game.operators.tiles().len()) as f64;
        // In lines of fewer than three cells nothing is computed, so the board has only new numbers
        // and those of the start.
        let numbers = match game.value_limit {
            _ if game.rows < 3 && game.cols < 3 => {
                let from_start = game.start.as_ref().map_or(0, |_| game.cells());
                Some((game.numbers.tiles().len() + from_start) as f64)
            }
            Some(limit) if limit <= NUMBER_MAX => Some(2.0 * limit as f64 + 1.0),
            _ => None,
        };
        let cells = game.cells() as f64;
        let fillings = numbers.map_or(f64::INFINITY, |numbers| {
            (numbers + game.operators.tiles().len() as f64 + 1.0).powf(cells)
        });
        let deals = (kinds * cells).powf(game.words_per_round() as f64);
        let rounds = game.max_rounds.map_or(f64::INFINITY, |rounds| {
            (4.0 * deals).powf(rounds as f64) / 4.0
        });
        fillings.min(rounds)
    }

    /// Operands stay in reading order, so a mirror image changes what `-` computes and nothing
    /// else. Reversing the rows is a symmetry where there is no `-`, or where columns are too short
    /// for an operation; the columns likewise. Then a line read backwards and moved towards its
    /// other end gives the result read backwards: both scans start at the edge moved towards.
    fn shape(&self) -> Shape {
        let game = &self.game;
        let commutes = game
            .operators
            .tiles()
            .all(|operator| *operator != Operator::Minus);
        let symmetry = Symmetry {
            flip_rows: commutes || game.rows < 3,
            flip_cols: commutes || game.cols < 3,
        };
        Shape::new(game.rows, game.cols, symmetry)
    }

    fn start(&self) -> (Cells, usize) {
        let mut cells = [BLANK; CELLS_MAX];
        for (cell, tile) in cells
            .iter_mut()
            .zip(self.game.start.iter().flat_map(|board| board.tiles()))
        {
            *cell = code(tile);
        }
        (cells, self.game.words_per_round())
    }

    fn spawns(&self) -> usize {
        self.game.words_per_round()
    }

    fn tiles(&self) -> Vec<(Code, f64)> {
        let tiles = self.game.new_tiles().into_iter();
        tiles.map(|(tile, share)| (code(&tile), share)).collect()
    }

    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code> {
        let line: Vec<Tile> = line.iter().map(|&code| tile(code)).collect();
        collapse(self.game.collapse, &line, towards_end)
            .iter()
            .map(code)
            .collect()
    }

    fn counts_rounds(&self) -> bool {
        true
    }

    fn rounds_max(&self) -> Option<u64> {
        self.game.max_rounds
    }

    fn after_move(&self, board: &[Code], made: u64) -> Option<End> {
        let game = &self.game;
        let numbers = || board.iter().copied().filter(|&code| code > HUGE);
        let has_huge = board.contains(&HUGE);
        let is_told = match &game.goal {
            None => game.target.unsigned_abs() <= NUMBER_MAX as u64,
            Some(Goal::AnyOf(numbers)) => {
                let mut sizes = numbers.iter().map(|number| number.unsigned_abs());
                sizes.all(|size| size <= NUMBER_MAX as u64)
            }
            Some(Goal::AtLeast(_)) => false,
        };
        if has_huge && !is_told {
            return Some(End::UNRESOLVED);
        }
        if numbers().any(|number| game.wins(&i64::from(number).into())) {
            return Some(End::WON);
        }
        if game
            .value_limit
            .is_some_and(|limit| numbers().any(|number| i64::from(number).abs() > limit))
        {
            return Some(End::LOST);
        }
        if has_huge {
            let is_beyond = game.value_limit.is_some_and(|limit| limit <= NUMBER_MAX);
            return Some(if is_beyond {
                End::LOST
            } else {
                End::UNRESOLVED
            });
        }
        game.max_rounds
            .is_some_and(|rounds| made >= rounds)
            .then_some(End::LOST)
    }

    fn stuck(&self, _board: &[Code]) -> End {
        End::LOST
    }
}
