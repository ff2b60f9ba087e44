//! Games that a player from outside did not finish.

use super::{GameResult, MeasureKind, Outcome, Tally};
use serde::{Deserialize, Serialize};

/// Why a player did not finish a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeit {
    /// The player's program ended.
    Crash,
    /// The player did not answer in time.
    Timeout,
    /// The player chose a move that is not legal.
    Illegal,
    /// What the player wrote is no answer.
    NoAnswer,
}

impl Forfeit {
    /// All causes, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Crash, Self::Timeout, Self::Illegal, Self::NoAnswer];

    /// The name of the cause in columns.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Illegal => "illegal",
            Self::NoAnswer => "no_answer",
        }
    }
}

/// The forfeits of a game, or of both games of a pair: how many each of two players has, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forfeits([[u8; 4]; 2]);

impl Forfeits {
    /// No forfeits.
    pub const NONE: Self = Self([[0; 4]; 2]);

    /// One forfeit, by the player of a seat.
    pub fn of(player: usize, cause: Forfeit) -> Self {
        let mut forfeits = Self::NONE;
        forfeits.0[player][cause as usize] = 1;
        forfeits
    }

    /// Whether all players finished.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether a player has a forfeit.
    pub fn has(self, player: usize) -> bool {
        self.0[player] != [0; 4]
    }

    /// The first cause: that of a single game.
    pub fn cause(self) -> Option<Forfeit> {
        let at = self.0.as_flattened().iter().position(|&count| count > 0)?;
        Some(Forfeit::ALL[at % Forfeit::ALL.len()])
    }

    /// Whether both players have a forfeit: the pair counts for neither.
    pub fn is_void(self) -> bool {
        self.has(0) && self.has(1)
    }

    /// The forfeits of a player by cause.
    pub const fn by_cause(self, player: usize) -> [u8; 4] {
        self.0[player]
    }

    /// These forfeits with the players exchanged.
    pub const fn exchanged(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    /// The sum of these forfeits and `other`.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(
            [0, 1].map(|player| {
                [0, 1, 2, 3].map(|cause| self.0[player][cause] + other.0[player][cause])
            }),
        )
    }

    /// The forfeits of at most two games as a number below 81, which is 0 where there are none.
    ///
    /// # Panics
    /// When there are more than two.
    pub fn code(self) -> u8 {
        let counts = (1..).zip(self.0.as_flattened());
        let each = counts.flat_map(|(kind, &count)| std::iter::repeat_n(kind, count.into()));
        let mut kinds = each.fuse();
        let code = 9 * kinds.next().unwrap_or(0) + kinds.next().unwrap_or(0);
        assert_eq!(kinds.next(), None, "a pair has two games");
        code
    }

    /// The forfeits with a code; `None` for other numbers.
    pub fn decoded(code: u8) -> Option<Self> {
        let mut forfeits = Self::NONE;
        for kind in [code / 9, code % 9] {
            if let Some(at) = kind.checked_sub(1) {
                *forfeits.0.as_flattened_mut().get_mut(usize::from(at))? += 1;
            }
        }
        (forfeits.code() == code).then_some(forfeits)
    }
}

/// Sums over games, or pairs of games, with a forfeit. They are among the games of a [`Tally`] and
/// its wins and draws, but their moves and measures enter no sum: such a game was cut short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForfeitTally {
    /// Games, or pairs, with a forfeit.
    pub games: u64,
    /// How many of these games, or pairs, seat 0 won.
    pub wins: u64,
    /// Pairs in which both players have a forfeit: neither won, drawn nor lost.
    pub void: u64,
    /// Forfeited games of each player by cause, in the order of [`Forfeit::ALL`].
    pub by: [[u64; 4]; 2],
}

/// Adds numbers of forfeits, those of each player by cause.
pub fn add_counts(sums: &mut [[u64; 4]], more: &[[u64; 4]]) {
    for (sum, more) in sums.as_flattened_mut().iter_mut().zip(more.as_flattened()) {
        *sum += more;
    }
}

impl ForfeitTally {
    /// Forfeited games of a player.
    pub fn of_player(&self, player: usize) -> u64 {
        self.by[player].iter().sum()
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.void += other.void;
        add_counts(&mut self.by, &other.by);
    }

    /// Whether these can be among `games` games with `wins` wins and `draws` draws.
    pub(super) fn check(&self, games: u64, wins: u64, draws: u64) -> Result<(), String> {
        let sum = |counts: &[u64]| {
            counts
                .iter()
                .fold(0_u64, |sum, &one| sum.saturating_add(one))
        };
        let all = sum(self.by.as_flattened());
        let of_results = sum(&[wins, draws, self.void]);
        let most = self.games.saturating_mul(2);
        let are_possible = (self.games..=most).contains(&all)
            && self.games > 0
            && self.games <= games
            && self.void.saturating_add(self.wins) <= self.games
            && self.wins <= wins
            && of_results <= games;
        if are_possible {
            return Ok(());
        }
        Err(format!(
            "{all} forfeits in {} of {games} games, with {} wins and {} for neither, contradict each other",
            self.games, self.wins, self.void
        ))
    }
}

impl Tally {
    /// Adds a game that a player did not finish: its result and what it is worth, no other number.
    #[cold]
    pub(super) fn add_forfeited(&mut self, outcome: &Outcome) {
        let forfeits = outcome.forfeits;
        let is_void = forfeits.is_void();
        let sums = self.forfeits.get_or_insert_default();
        sums.games += 1;
        sums.void += u64::from(is_void);
        add_counts(
            &mut sums.by,
            &forfeits.0.map(|counts| counts.map(u64::from)),
        );
        self.games += 1;
        if is_void {
            return;
        }
        match outcome.result {
            GameResult::Won => {
                self.wins += 1;
                sums.wins += 1;
            }
            GameResult::Drawn => self.draws += 1,
            GameResult::Lost => {}
        }
        let tallies = self.measures.iter_mut().zip(&self.kinds);
        for ((tally, kind), &value) in tallies.zip(&outcome.measures) {
            if *kind == MeasureKind::Points {
                tally.add(value, *kind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Measure;

    #[test]
    fn codes_stand_for_the_forfeits_of_two_games() {
        let kinds: Vec<Forfeits> = [0, 1]
            .iter()
            .flat_map(|&player| Forfeit::ALL.map(|cause| Forfeits::of(player, cause)))
            .chain([Forfeits::NONE])
            .collect();
        for first in &kinds {
            for second in &kinds {
                let both = first.plus(*second);
                let causes = [first.cause(), second.cause()];
                assert!(both.cause().is_none() || causes.contains(&both.cause()));
                assert!(both.code() < 81);
                assert_eq!(Forfeits::decoded(both.code()), Some(both));
            }
        }
        let known = (0..=u8::MAX).filter_map(Forfeits::decoded);
        assert_eq!(known.count(), 1 + 8 + 36);
    }

    #[test]
    fn forfeited_games_enter_no_mean() {
        let measure = |kind| Measure {
            name: "",
            kind,
            unit: "",
            help: "",
        };
        let measures = [measure(MeasureKind::Points), measure(MeasureKind::Mean)];
        let mut tally = Tally::new(&measures);
        let mut outcome = Outcome::new(GameResult::Won, 10);
        outcome.measures[..2].copy_from_slice(&[2, 7]);
        tally.add(&outcome);
        outcome.forfeits = Forfeits::of(1, Forfeit::Timeout);
        tally.add(&outcome);
        outcome.forfeits = outcome.forfeits.plus(Forfeits::of(0, Forfeit::Crash));
        tally.add(&outcome);
        let mut merged = Tally::new(&measures);
        merged.merge(&tally);
        assert_eq!(merged, tally);
        assert_eq!((tally.games, tally.wins, tally.losses()), (3, 2, 0));
        assert_eq!((tally.finished(), tally.finished_wins()), (1, 1));
        assert_eq!((tally.moves_sum, tally.moves_win_sum), (10, 10));
        assert_eq!((tally.measures[0].sum, tally.measures[1].sum), (4, 7));
        assert_eq!(tally.measures[0].counts[&2], 2);
        let sums = tally.forfeits().unwrap();
        assert_eq!(sums.by, [[1, 0, 0, 0], [0, 2, 0, 0]]);
        assert_eq!((sums.games, sums.wins, sums.void), (2, 1, 1));
        let text = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(read.checked(&measures).unwrap(), tally);
        for (from, to) in [("\"void\":1", "\"void\":3"), ("\"games\":2", "\"games\":4")] {
            let read: Tally = serde_json::from_str(&text.replace(from, to)).unwrap();
            let error = read.checked(&measures).unwrap_err();
            assert!(error.contains("forfeits"), "{error}");
        }
    }
}
