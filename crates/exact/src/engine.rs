//! The recursion of random play: the probability of every state, carried forward until all games
//! have ended.
//!
//! States are handled level by level. Where the rules count rounds, the level is the number of
//! moves made. Where they do not (2048 without `max_moves`), it is the sum of the tiles: each spawn
//! raises it, so no board is met again, and boards that take different numbers of moves are kept
//! once. Beside its probability a state carries the first two moments of the moves made so far.
//!
//! A map adds up what leads to the same state. Its contents are sorted by state before they go on,
//! so that the rules alone decide in which order numbers are added, and every run gives the
//! same bits.

use super::{Exact, HashMap, Limits, Moves};
use std::collections::BTreeMap;
use std::hash::Hash;
use tilelab_games::game::GameResult;

/// Games whose remaining probability is below this count as ended.
const NEGLIGIBLE: f64 = 1e-17;

/// How a game ends.
pub struct End {
    /// The result; `None` where the game cannot be followed.
    pub result: Option<GameResult>,
    /// The game's own count of moves; `None` for the moves made.
    pub moves: Option<u64>,
    /// The lowest and the highest value under best play.
    pub worth: [f64; 2],
}

impl End {
    /// Won with the moves made.
    pub const WON: Self = Self::of(Some(GameResult::Won), [1.0; 2]);
    /// Lost with the moves made.
    pub const LOST: Self = Self::of(Some(GameResult::Lost), [0.0; 2]);
    /// The game cannot be followed, such as where a number is too large.
    pub const UNRESOLVED: Self = Self::of(None, [0.0, 1.0]);

    const fn of(result: Option<GameResult>, worth: [f64; 2]) -> Self {
        Self {
            result,
            moves: None,
            worth,
        }
    }
}

/// The states of a game for both recursions.
pub trait Rules {
    /// A state, the same for all that have the same future.
    type State: Clone + Ord + Hash;
    /// The state in which games begin.
    fn start(&self) -> Self::State;
    /// Chances before the next move.
    fn pending(&self, state: &Self::State) -> u8;
    /// What the next chance makes of a state, with probabilities; `None` if that is not known.
    fn chances(&mut self, state: &Self::State) -> Option<Vec<(Self::State, f64)>>;
    /// What each legal move makes of a state, or how the game has ended; `made` moves will have
    /// been made where rounds are counted.
    fn moves(
        &mut self,
        state: &Self::State,
        made: u64,
    ) -> Result<Vec<Result<Self::State, End>>, End>;
    /// Whether the seat to move wants the lowest value.
    fn is_against(&self, _state: &Self::State) -> bool {
        false
    }
    /// The lowest and the highest value that a game can have.
    fn range(&self) -> [f64; 2] {
        [0.0, 1.0]
    }
    /// Whether levels are numbers of moves.
    fn counts_rounds(&self) -> bool {
        true
    }
    /// The level of a state where levels are not numbers of moves.
    fn level(&self, _state: &Self::State) -> u64 {
        0
    }
    /// The rounds after which a game ends, if that is not a part of its states.
    fn rounds_max(&self) -> Option<u64> {
        None
    }
    /// How a game ends after these rounds.
    fn after_rounds(&self, _state: &Self::State) -> End {
        End::UNRESOLVED
    }
    /// States that are never given up.
    fn held(&self) -> usize {
        0
    }
}

impl Moves {
    fn scaled(self, factor: f64) -> Self {
        Self {
            probability: self.probability * factor,
            sum: self.sum * factor,
            squares: self.squares * factor,
        }
    }

    /// The moments after `more` further moves.
    fn moved(self, more: f64) -> Self {
        let sum = self.sum + more * self.probability;
        let squares = self.squares + 2.0 * more * self.sum + more * more * self.probability;
        Self {
            sum,
            squares,
            ..self
        }
    }

    fn add(&mut self, other: Self) {
        self.probability += other.probability;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn certain(probability: f64) -> Self {
        Self {
            probability,
            ..Self::default()
        }
    }
}

/// States that are being added up, with the moments of the moves made.
type Sums<S> = HashMap<S, Moves>;

/// The states in their order.
fn sorted<S: Ord>(sums: Sums<S>) -> Vec<(S, Moves)> {
    let mut states: Vec<_> = sums.into_iter().collect();
    states.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    states
}

/// More states than are allowed, or one whose chances are not known.
pub struct Stop;

struct Solver<R> {
    rules: R,
    limits: Limits,
    exact: Exact,
}

/// Computes the figures of a game under random play.
pub fn solve<R: Rules>(rules: R, limits: Limits) -> Exact {
    let mut engine = Solver {
        rules,
        limits,
        exact: Exact::default(),
    };
    engine.exact.is_cut = engine.run().is_err();
    let exact = &mut engine.exact;
    exact.unresolved = (1.0 - exact.won - exact.lost - exact.drawn).max(0.0);
    engine.exact
}

impl<R: Rules> Solver<R> {
    fn run(&mut self) -> Result<(), Stop> {
        let mut levels: BTreeMap<_, Sums<_>> = BTreeMap::new();
        let boards = Sums::from_iter([(self.rules.start(), Moves::certain(1.0))]);
        let dealt = self.dealt(boards)?;
        self.file(dealt, 0, &mut levels);
        while let Some((level, boards)) = levels.pop_first() {
            let boards = sorted(boards);
            let made = level + 1;
            let held = boards.len() + levels.values().map(Sums::len).sum::<usize>();
            let held = held.max(self.rules.held());
            self.exact.boards += boards.len() as u64;
            self.exact.boards_peak = self.exact.boards_peak.max(held);
            self.check(held)?;
            if self.rules.counts_rounds() {
                let alive: f64 = boards.iter().map(|(_, mass)| mass.probability).sum();
                if alive < NEGLIGIBLE {
                    break;
                }
                if made > self.limits.rounds_max {
                    return Err(Stop);
                }
            }
            let moved = self.moved(&boards, made)?;
            let dealt = self.dealt(moved)?;
            self.file(dealt, made, &mut levels);
        }
        Ok(())
    }

    fn check(&self, held: usize) -> Result<(), Stop> {
        if held.max(self.rules.held()) > self.limits.boards_max {
            return Err(Stop);
        }
        Ok(())
    }

    /// Puts states that wait for a move with those of their level; `made` moves were made where
    /// rounds are counted.
    fn file(&self, boards: Sums<R::State>, made: u64, levels: &mut BTreeMap<u64, Sums<R::State>>) {
        // Each state is met once here, so that its order among them does not matter.
        for (state, mass) in boards {
            let level = if self.rules.counts_rounds() {
                made
            } else {
                self.rules.level(&state)
            };
            levels
                .entry(level)
                .or_default()
                .entry(state)
                .or_default()
                .add(mass);
        }
    }

    /// The states after one move by the random player; games that end are counted.
    fn moved(&mut self, boards: &[(R::State, Moves)], made: u64) -> Result<Sums<R::State>, Stop> {
        let mut moved = Sums::default();
        for (state, mass) in boards {
            let after = match self.rules.moves(state, made) {
                Ok(after) => after,
                Err(end) => {
                    self.end(end, *mass);
                    continue;
                }
            };
            let share = mass.scaled(1.0 / after.len() as f64).moved(1.0);
            for after in after {
                match after {
                    Ok(state) => moved.entry(state).or_default().add(share),
                    Err(end) => self.end(end, share),
                }
            }
            self.check(moved.len())?;
        }
        Ok(moved)
    }

    /// The states after all chances before the next move.
    fn dealt(&mut self, mut boards: Sums<R::State>) -> Result<Sums<R::State>, Stop> {
        while boards.keys().any(|state| self.rules.pending(state) > 0) {
            let mut dealt = Sums::default();
            for (state, mass) in sorted(boards) {
                if self.rules.pending(&state) == 0 {
                    dealt.entry(state).or_default().add(mass);
                    continue;
                }
                for (state, probability) in self.rules.chances(&state).ok_or(Stop)? {
                    dealt
                        .entry(state)
                        .or_default()
                        .add(mass.scaled(probability));
                }
                self.check(dealt.len())?;
            }
            boards = dealt;
        }
        Ok(boards)
    }

    fn end(&mut self, end: End, mass: Moves) {
        let Some(result) = end.result else {
            return;
        };
        let own = |moves| Moves::certain(mass.probability).moved(moves as f64);
        let mass = end.moves.map_or(mass, own);
        self.exact.moves.add(mass);
        match result {
            GameResult::Won => {
                self.exact.won += mass.probability;
                self.exact.moves_win.add(mass);
            }
            GameResult::Lost => self.exact.lost += mass.probability,
            GameResult::Drawn => self.exact.drawn += mass.probability,
        }
    }
}
