//! The rules in the form that kernels use, and whether a kernel supports them.

use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::residue::{nearest, residue};
use crate::games::sixty_seven::{Collapse, Runs, SixtySeven};
use crate::rng::CellSeeds;
use std::ops::Range;

/// The largest board side.
pub(super) const SIDE_MAX: usize = 16;
/// Value limits up to this keep all numbers below the prime.
const LIMIT_MAX: i64 = 1 << 30;
/// Targets lie within ± this, so that no other number below the prime has the target's residue.
const TARGET_MAX: u64 = 1 << 60;
/// Where operators begin in a [`Spec::table`] of all draws.
const OPERATORS_AT: u64 = 32;

/// Which games are played, from which streams, for how long.
#[derive(Clone, Debug)]
pub(super) struct GameRange {
    pub seeds: CellSeeds,
    pub range: Range<u64>,
    pub rounds_max: Option<u64>,
}

impl GameRange {
    /// How many these are.
    pub(super) fn count(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }
}

/// The rules in the form in which the kernels use them.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub rows: usize,
    pub cols: usize,
    pub collapse: Collapse,
    /// Words drawn from the world stream each round.
    pub tiles: usize,
    /// The residues of the numbers that appear.
    pub numbers: Vec<u64>,
    /// The numbers of the operators that appear.
    pub operators: Vec<u8>,
    /// The sums of the weights of numbers and of operators.
    pub totals: [u64; 2],
    /// The last draws of each number, and then of each operator but the last one, where the draws
    /// of operators follow those of numbers.
    pub bounds: Vec<u64>,
    /// What draws make: numbers, and from entry `operators_at` on the numbers of operators. Where
    /// [`Spec::is_tabled`], draw j below the product of both sums has an entry in each part; else
    /// each number and each operator has one.
    pub table: [u8; 64],
    pub operators_at: u64,
    /// Whether the table has the places of numbers in `numbers`, since not all fit its bytes.
    pub has_places: bool,
    /// A tile is an operator when the remaining 63 bits of its word are below this.
    pub operator_threshold: u64,
    /// The residue that wins.
    pub target: u64,
    /// Whether a new tile can show it.
    pub target_is_new: bool,
    /// Numbers beyond ± this lose.
    pub limit: Option<u64>,
    pub max_rounds: Option<u64>,
    /// The board on which whole games begin, where it is not blank.
    pub start: Option<PackedBoard>,
    /// Whether operators and digits that appear are counted.
    pub counted: bool,
    /// Whether this takes counting in each round: where runs merge, with more than two tiles a
    /// round, or from a start board. In other games the last board tells the numbers.
    pub counts_each_round: bool,
}

impl Spec {
    /// The spec of a game.
    ///
    /// # Errors
    /// Returns the reason if no kernel supports the game.
    pub(super) fn new(game: &SixtySeven) -> Result<Self, String> {
        if game.rows > SIDE_MAX || game.cols > SIDE_MAX {
            let rows = game.rows;
            let cols = game.cols;
            return Err(format!(
                "boards go up to {SIDE_MAX} × {SIDE_MAX}, not {rows} × {cols}"
            ));
        }
        if let Some(goal) = &game.goal {
            return Err(format!("a single target is played for, not goal = {goal}"));
        }
        if game.target.unsigned_abs() >= TARGET_MAX {
            return Err(format!(
                "targets lie between -2^60 and 2^60, not at {}",
                game.target
            ));
        }
        if let Some(limit) = game.value_limit {
            let largest = game.largest_new().cast_signed();
            if !(largest..=LIMIT_MAX).contains(&limit) {
                return Err(format!(
                    "value_limit lies between the largest number that appears and 2^30, not at {limit}"
                ));
            }
        }
        let totals = [game.numbers.total(), game.operators.total()];
        let has_places = game
            .numbers
            .tiles()
            .any(|number| u8::try_from(*number).is_err());
        let number = |place: usize| {
            if has_places {
                place as u8
            } else {
                *game.numbers.at(place) as u8
            }
        };
        let operator = |place: usize| *game.operators.at(place) as u8;
        let [numbers, operators] = [game.numbers.tiles().len(), game.operators.tiles().len()];
        let kinds = totals[0] * totals[1];
        let mut table = [0; 64];
        let mut operators_at = OPERATORS_AT;
        if kinds <= OPERATORS_AT {
            for j in 0..kinds {
                let [of_number, of_operator] = [j % totals[0], j / totals[0]];
                table[j as usize] = number(game.numbers.place(of_number));
                table[(OPERATORS_AT + j) as usize] = operator(game.operators.place(of_operator));
            }
        } else {
            operators_at = numbers as u64;
            let contents = (0..numbers).map(number).chain((0..operators).map(operator));
            table
                .iter_mut()
                .zip(contents)
                .for_each(|(entry, content)| *entry = content);
        }
        let weights = game.numbers.entries().iter().map(|(_, weight)| *weight);
        let weights = weights.chain(game.operators.entries().iter().map(|(_, weight)| *weight));
        let ends = weights.scan(0, |end, weight| {
            *end += weight;
            Some(*end - 1)
        });
        let bounds = ends.take(numbers + operators - 1).collect();
        let tells =
            game.collapse.runs == Runs::Stay && game.words_per_round() <= 2 && game.start.is_none();
        Ok(Self {
            rows: game.rows,
            cols: game.cols,
            collapse: game.collapse,
            tiles: game.words_per_round(),
            numbers: game
                .numbers
                .tiles()
                .map(|number| residue(*number))
                .collect(),
            operators: (0..operators).map(operator).collect(),
            totals,
            bounds,
            table,
            operators_at,
            has_places,
            operator_threshold: game.operator_rate.threshold(),
            target: residue(game.target),
            target_is_new: game.target_is_new(),
            limit: game.value_limit.map(|limit| limit as u64),
            max_rounds: game.max_rounds,
            start: game.start.as_ref().map(PackedBoard::pack),
            counted: game.counted,
            counts_each_round: game.counted && !tells,
        })
    }

    /// These rules with another limit of values.
    ///
    /// # Panics
    /// Panics if the limit lies below a number that appears or above 2³⁰.
    pub(super) fn with_limit(&self, limit: Option<u64>) -> Self {
        let sizes = self
            .numbers
            .iter()
            .map(|number| nearest(*number).unsigned_abs());
        let accepted = sizes.max().unwrap_or_default()..=LIMIT_MAX.unsigned_abs();
        assert!(
            limit.is_none_or(|limit| accepted.contains(&limit)),
            "no kernel has the limit {limit:?}"
        );
        Self {
            limit,
            ..self.clone()
        }
    }

    /// Whether the table has all draws.
    #[inline(always)]
    pub(super) const fn is_tabled(&self) -> bool {
        self.operators_at == OPERATORS_AT
    }

    /// Whether all numbers and all operators are equally likely.
    pub(super) const fn is_equal(&self) -> bool {
        self.totals[0] == self.numbers.len() as u64 && self.totals[1] == self.operators.len() as u64
    }

    /// Where the tiles of a vector stand among those of all vectors of a batch.
    #[inline(always)]
    pub(super) const fn tiles_of(&self, group: usize) -> Range<usize> {
        group * self.tiles..(group + 1) * self.tiles
    }

    pub(super) fn cells(&self) -> usize {
        self.rows * self.cols
    }
}
