//! Flat Monte Carlo for 67!: random playouts from the board after each legal move, on the fast
//! kernels.
//!
//! A direction that wins at once is taken. Otherwise each direction gets `playouts` random games of
//! at most `horizon` rounds, the same tiles and the same random words for every direction; the
//! direction with the most wins is chosen. Ties go to the one with the most playouts alive at the
//! horizon, then to the one with the most rounds survived, then to the first of up, down, left,
//! right.
//!
//! With `budget_ms` it plays rounds of playouts, each as many as all before, for as long as the
//! next one fits into the time; `playouts` does not matter then.
//!
//! Draw protocol (player stream): one word per choice, the seed of the playouts' streams; none if
//! only one direction is legal or a direction wins.

use crate::game::registry::NamedPlayer;
use crate::game::{KernelChoice, Player, Scale};
use crate::games::sixty_seven::kernels::{End, Kernel};
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock, budget};
use crate::rng::{CellSeeds, Rng, Stream, mix};

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("playouts", 1..=1 << 24, Some(200)).main("random games a legal direction"),
    ParamSpec::int("horizon", 1..=1 << 24, Some(40))
        .main("rounds after which a playout ends undecided"),
    BUDGET_PARAM,
];
/// The longest side of a board that the kernels play.
pub const SIDE_MAX: usize = 16;

/// Playouts a direction of the first round with a budget.
const FIRST_ROUND: u64 = 16;

/// Counts of a direction's playouts, compared in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayoutCounts {
    /// Playouts won.
    pub wins: u64,
    /// Playouts alive at the horizon.
    pub alive: u64,
    /// Rounds of all playouts.
    pub rounds: u64,
}

/// Caches the kernel of the playouts.
#[derive(Default)]
struct PlayoutKernel(Option<(SixtySeven, Kernel)>);

impl PlayoutKernel {
    /// The kernel for this game.
    fn of(&mut self, game: &SixtySeven) -> &Kernel {
        if self.0.as_ref().is_none_or(|(known, _)| known != game) {
            self.0 = None;
        }
        let make = || {
            Kernel::new(KernelChoice::Auto, game)
                .expect("the catalog has checked that a kernel fits")
        };
        &self.0.get_or_insert_with(|| (game.clone(), make())).1
    }
}

/// Plays random games from each legal move.
pub struct MonteCarlo {
    playouts: u64,
    horizon: u64,
    kernel: PlayoutKernel,
    clock: Clock,
}

/// The counts of random playouts from each of these boards after a move.
pub fn count_playouts(
    kernel: &Kernel,
    boards: &[PackedBoard],
    seeds: CellSeeds,
    playouts: u64,
    horizon: u64,
) -> Vec<PlayoutCounts> {
    let mut counts = vec![PlayoutCounts::default(); boards.len()];
    kernel.playouts_from(boards, seeds, 0..playouts, horizon, &mut |board, ended| {
        let counts = &mut counts[board];
        counts.wins += u64::from(ended.end == End::Won);
        counts.alive += u64::from(ended.end == End::OutOfRounds);
        counts.rounds += ended.rounds;
    });
    counts
}

impl Player<SixtySeven> for MonteCarlo {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        let left = game
            .max_rounds
            .map_or(u64::MAX, |most| most.saturating_sub(state.round));
        let playouts = self.playouts;
        let horizon = self.horizon.min(left);
        let kernel = self.kernel.of(game);
        let board = PackedBoard::pack(&state.board);
        let mut open = Vec::with_capacity(4);
        let mut boards = Vec::with_capacity(4);
        for &direction in legal {
            let mut after = board.clone();
            match kernel.advance(&mut after, direction) {
                Some(End::Won) => return direction,
                Some(_) => {}
                None => {
                    open.push(direction);
                    boards.push(after);
                }
            }
        }
        // Where every move loses, or no round is left after this one, all moves are the same.
        if open.len() < 2 || horizon == 0 {
            return open.first().copied().unwrap_or(legal[0]);
        }
        self.clock.start();
        let mut counts = vec![PlayoutCounts::default(); open.len()];
        let mut each = if self.clock.is_set() {
            FIRST_ROUND
        } else {
            playouts
        };
        let mut played = 0;
        loop {
            let word = stream.next_u64();
            let seeds = CellSeeds {
                world: word,
                player: mix(word),
            };
            let rounds = count_playouts(kernel, &boards, seeds, each, horizon);
            for (sum, round) in counts.iter_mut().zip(rounds) {
                sum.wins += round.wins;
                sum.alive += round.alive;
                sum.rounds += round.rounds;
            }
            played += each;
            if !self.clock.is_set() || self.clock.has_passed(0.5) {
                break;
            }
            each = played;
        }
        let mut best = 0;
        for place in 1..open.len() {
            if counts[place] > counts[best] {
                best = place;
            }
        }
        open[best]
    }

    /// The share of playouts won. Less than one playout is added for those that are alive at the
    /// horizon and for rounds survived, so that the values order the moves as a choice does.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let left = game
            .max_rounds
            .map_or(u64::MAX, |most| most.saturating_sub(state.round));
        let playouts = self.playouts;
        let horizon = self.horizon.min(left);
        let word = stream.clone().next_u64();
        let seeds = CellSeeds {
            world: word,
            player: mix(word),
        };
        let kernel = self.kernel.of(game);
        let board = PackedBoard::pack(&state.board);
        let value = |direction: Direction| {
            let mut after = board.clone();
            match kernel.advance(&mut after, direction) {
                Some(End::Won) => 1.0,
                Some(_) => 0.0,
                None if horizon == 0 => 0.0,
                None => {
                    let after = std::slice::from_ref(&after);
                    let counts = count_playouts(kernel, after, seeds, playouts, horizon)[0];
                    let survived = counts.rounds as f64 / (playouts * horizon + 1) as f64;
                    let alive = (counts.alive as f64 + survived) / (playouts + 1) as f64;
                    ((counts.wins as f64 + alive) / playouts as f64).min(1.0)
                }
            }
        };
        Some(
            legal
                .iter()
                .map(|&direction| Some(value(direction)))
                .collect(),
        )
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for MonteCarlo {
    const NAME: &'static str = "monte-carlo";
    const SUMMARY: &'static str =
        "plays random games from each legal move on the kernels; most wins, then survival";
    const PARAMS: &'static [ParamSpec] = PARAMS;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let int = |name| params.int(name).expect("a parameter with a default") as u64;
        Ok(Self {
            playouts: int("playouts"),
            horizon: int("horizon"),
            kernel: PlayoutKernel::default(),
            clock: Clock::new(budget(params)),
        })
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, SIDE_MAX)
    }
}
