//! The rules in the form that kernels use, and whether a kernel supports them.

use crate::games::sixty_seven::residue::residue;
use crate::games::sixty_seven::{Collapse, Runs, SixtySeven};
use crate::rng::CellSeeds;
use std::ops::Range;

/// The largest board side.
pub(super) const SIDE_MAX: usize = 16;
/// Value limits up to this keep all numbers below the prime.
const LIMIT_MAX: i64 = 1 << 30;
/// Targets lie within ± this, so that no other number below the prime has the target's residue.
const TARGET_MAX: u64 = 1 << 60;
/// In the table of tiles operators follow after this index.
pub(super) const OPERATORS_AT: u64 = 32;

/// How lines collapse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRule {
    /// Operations on adjacent cells, then slide.
    Original,
    /// Slide, then operations.
    Gapless,
    /// Slide, halve operator runs, then operations.
    Pairs,
    /// Slide, reduce operator runs to one, then operations.
    Runs,
}

/// Which games are played, from which streams, for how long.
#[derive(Clone, Debug)]
pub(super) struct Games {
    pub seeds: CellSeeds,
    pub range: Range<u64>,
    pub rounds_max: Option<u64>,
}

impl Games {
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
    pub line_rule: LineRule,
    /// Words drawn from the world stream each round.
    pub tiles: usize,
    /// Digits that appear; they open `table`.
    pub digits: u64,
    /// Digits × operators.
    pub kinds: u64,
    /// What draw j makes: entry j the digit, entry `OPERATORS_AT` + j the operator's number.
    pub table: [u8; 64],
    /// A tile is an operator when the remaining 63 bits of its word are below this.
    pub operator_threshold: u64,
    /// The residue that wins.
    pub target: u64,
    /// Whether a new tile can show it.
    pub target_is_digit: bool,
    /// Numbers beyond ± this lose.
    pub limit: Option<u64>,
    pub max_rounds: Option<u64>,
    /// Whether operators and digits that appear are counted.
    pub counted: bool,
    /// Whether this takes counting in each round: where runs merge, or with more than two tiles a
    /// round. In other games the last board tells the numbers.
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
        let line_rule = match game.collapse {
            Collapse {
                blanks_separate: true,
                runs: Runs::Stay,
            } => LineRule::Original,
            Collapse {
                blanks_separate: false,
                runs: Runs::Stay,
            } => LineRule::Gapless,
            Collapse {
                blanks_separate: false,
                runs: Runs::Halve,
            } => LineRule::Pairs,
            Collapse {
                blanks_separate: false,
                runs: Runs::One,
            } => LineRule::Runs,
            Collapse {
                blanks_separate: true,
                ..
            } => {
                return Err("runs are merged only where blanks do not separate".to_owned());
            }
        };
        if game.target.unsigned_abs() >= TARGET_MAX {
            return Err(format!(
                "targets lie between -2^60 and 2^60, not at {}",
                game.target
            ));
        }
        if let Some(limit) = game.value_limit {
            let largest = i64::from(*game.digits.last().expect("a digit set is not empty"));
            if !(largest..=LIMIT_MAX).contains(&limit) {
                return Err(format!(
                    "value_limit lies between the largest digit and 2^30, not at {limit}"
                ));
            }
        }
        let mut table = [0; 64];
        for (j, entry) in table[..game.digits.len() * game.operators.len()]
            .iter_mut()
            .enumerate()
        {
            *entry = game.digits[j % game.digits.len()];
        }
        for j in 0..game.digits.len() * game.operators.len() {
            table[OPERATORS_AT as usize + j] = game.operators[j / game.digits.len()] as u8;
        }
        let tells = matches!(line_rule, LineRule::Original | LineRule::Gapless)
            && game.words_per_round() <= 2;
        Ok(Self {
            rows: game.rows,
            cols: game.cols,
            line_rule,
            tiles: game.words_per_round(),
            digits: game.digits.len() as u64,
            kinds: (game.digits.len() * game.operators.len()) as u64,
            table,
            operator_threshold: game.operator_rate.threshold(),
            target: residue(game.target),
            target_is_digit: game.target_is_digit(),
            limit: game.value_limit.map(|limit| limit as u64),
            max_rounds: game.max_rounds,
            counted: game.counted,
            counts_each_round: game.counted && !tells,
        })
    }

    /// The same rules with another limit of values.
    ///
    /// # Panics
    /// Panics if the limit lies below a digit that appears or above 2³⁰.
    pub(super) fn with_limit(&self, limit: Option<u64>) -> Self {
        let largest = self.table[..self.kinds as usize]
            .iter()
            .max()
            .copied()
            .unwrap_or_default();
        let accepted = u64::from(largest)..=LIMIT_MAX.unsigned_abs();
        assert!(
            limit.is_none_or(|limit| accepted.contains(&limit)),
            "no kernel has the limit {limit:?}"
        );
        Self {
            limit,
            ..self.clone()
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.rows * self.cols
    }
}
