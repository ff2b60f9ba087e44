//! 67! for the recursion. Lines are collapsed by the reference engine.

use super::board::{
    BLANK, BoardRules, CELLS_MAX, Cells, Code, HUGE, NUMBER_MAX, OPERATOR, Shape, Symmetry,
};
use super::engine::End;
use tilelab_games::games::sixty_seven::line::Tile;
use tilelab_games::games::sixty_seven::reference::collapse;
use tilelab_games::games::sixty_seven::{Goal, Operator, SixtySeven};

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

impl BoardRules for SixtySeven {
    /// The smaller of two bounds: all fillings of the board, where numbers are bounded, and all
    /// boards that `max_rounds` rounds can make, where rounds are.
    fn boards_bound(&self) -> f64 {
        let kinds = (self.numbers.tiles().len() + self.operators.tiles().len()) as f64;
        // In lines of fewer than three cells nothing is computed, so the board has only new numbers
        // and those of the start.
        let numbers = match self.value_limit {
            _ if self.rows < 3 && self.cols < 3 => {
                let from_start = self.start.as_ref().map_or(0, |_| self.cells());
                Some((self.numbers.tiles().len() + from_start) as f64)
            }
            Some(limit) if limit <= NUMBER_MAX => Some(2.0 * limit as f64 + 1.0),
            _ => None,
        };
        let cells = self.cells() as f64;
        let fillings = numbers.map_or(f64::INFINITY, |numbers| {
            (numbers + self.operators.tiles().len() as f64 + 1.0).powf(cells)
        });
        let deals = (kinds * cells).powf(self.words_per_round() as f64);
        let rounds = self.max_rounds.map_or(f64::INFINITY, |rounds| {
            (4.0 * deals).powf(rounds as f64) / 4.0
        });
        fillings.min(rounds)
    }

    /// Operands stay in reading order, so a mirror image changes what `-` computes and nothing
    /// else. Reversing the rows is a symmetry where there is no `-`, or where columns are too short
    /// for an operation; the columns likewise. Then a line read backwards and moved towards its
    /// other end gives the result read backwards: both scans start at the edge moved towards.
    fn shape(&self) -> Shape {
        let commutes = self
            .operators
            .tiles()
            .all(|operator| *operator != Operator::Minus);
        let symmetry = Symmetry {
            flip_rows: commutes || self.rows < 3,
            flip_cols: commutes || self.cols < 3,
        };
        Shape::new(self.rows, self.cols, symmetry)
    }

    fn start(&self) -> (Cells, usize) {
        let mut cells = [BLANK; CELLS_MAX];
        let tiles = self.start.iter().flat_map(|board| board.tiles());
        for (cell, tile) in cells.iter_mut().zip(tiles) {
            *cell = code(tile);
        }
        (cells, self.words_per_round())
    }

    fn spawns(&self) -> usize {
        self.words_per_round()
    }

    fn tiles(&self) -> Vec<(Code, f64)> {
        self.new_tiles()
            .into_iter()
            .map(|(tile, share)| (code(&tile), share))
            .collect()
    }

    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code> {
        let line: Vec<Tile> = line.iter().map(|&code| tile(code)).collect();
        collapse(self.collapse, &line, towards_end)
            .iter()
            .map(code)
            .collect()
    }

    fn rounds_max(&self) -> Option<u64> {
        self.max_rounds
    }

    fn after_move(&self, board: &[Code], made: u64) -> Option<End> {
        let numbers = || board.iter().copied().filter(|&code| code > HUGE);
        let has_huge = board.contains(&HUGE);
        let is_told = match &self.goal {
            None => self.target.unsigned_abs() <= NUMBER_MAX as u64,
            Some(Goal::AnyOf(numbers)) => numbers
                .iter()
                .map(|number| number.unsigned_abs())
                .all(|size| size <= NUMBER_MAX as u64),
            Some(Goal::AtLeast(_)) => false,
        };
        if has_huge && !is_told {
            return Some(End::UNRESOLVED);
        }
        if numbers().any(|number| self.wins(&i64::from(number).into())) {
            return Some(End::WON);
        }
        if self
            .value_limit
            .is_some_and(|limit| numbers().any(|number| i64::from(number).abs() > limit))
        {
            return Some(End::LOST);
        }
        if has_huge {
            let is_beyond = self.value_limit.is_some_and(|limit| limit <= NUMBER_MAX);
            return Some(if is_beyond {
                End::LOST
            } else {
                End::UNRESOLVED
            });
        }
        self.max_rounds
            .is_some_and(|rounds| made >= rounds)
            .then_some(End::LOST)
    }

    fn stuck(&self, _board: &[Code]) -> End {
        End::LOST
    }
}
