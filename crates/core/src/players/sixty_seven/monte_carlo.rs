//! Random games of the Monte Carlo player ([`crate::players::monte_carlo`]) of 67!, on the fast
//! kernels.
//!
//! They have at most `horizon` rounds. The direction with the most wins is chosen; ties go to the
//! one with the most playouts alive at the horizon, then to the one with the most rounds survived,
//! then to the first of up, down, left, right. Playouts end as the board does: what a direction
//! wins or loses at once is known.

use crate::game::KernelChoice;
use crate::games::sixty_seven::kernels::{End, Kernel};
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::BUDGET_PARAM;
use crate::players::monte_carlo::{self, Open, Playouts, seeds};
use crate::rng::{CellSeeds, Stream};

/// The parameters of the player.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("playouts", 1..=1 << 24, Some(200)).main("random games per legal direction"),
    ParamSpec::int("horizon", 1..=1 << 24, Some(40))
        .main("rounds after which a playout ends undecided"),
    BUDGET_PARAM,
];
/// The longest side of a board that the kernels play.
pub const SIDE_MAX: usize = 16;

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

/// Plays random games from each legal move.
pub type MonteCarlo = monte_carlo::MonteCarlo<Kernels>;

/// Random games of 67! on a kernel.
pub struct Kernels {
    horizon: u64,
    /// The rounds of a random game: the horizon, or those that are left.
    rounds: u64,
    kernel: PlayoutKernel,
    /// The boards after the open directions.
    boards: Vec<PackedBoard>,
}

impl Playouts<SixtySeven> for Kernels {
    const SUMMARY: &'static str = "plays random games from each legal move on the kernels; chooses the move with most wins, then with most games alive at the horizon";
    const PARAMS: &'static [ParamSpec] = PARAMS;
    const SEARCHES: bool = false;
    const ROUND_MIN: u64 = 16;
    type Sum = PlayoutCounts;

    fn new(params: &Params) -> Self {
        Self {
            horizon: params.count("horizon"),
            rounds: 0,
            kernel: PlayoutKernel::default(),
            boards: Vec::new(),
        }
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, "monte-carlo", SIDE_MAX)
    }

    fn open(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        values: &mut [Option<f64>],
    ) -> Open<Direction> {
        let left = game
            .max_rounds
            .map_or(u64::MAX, |most| most.saturating_sub(state.round));
        self.rounds = self.horizon.min(left);
        let kernel = self.kernel.of(game);
        let board = PackedBoard::pack(&state.board);
        let mut open = Vec::with_capacity(4);
        self.boards.clear();
        for (place, &direction) in legal.iter().enumerate() {
            let mut after = board.clone();
            let end = kernel.advance(&mut after, direction);
            // Where no round is left after this one, the first that goes on is as good as any.
            if end.is_none() && (self.rounds > 0 || open.is_empty()) {
                open.push((place as u32, direction));
                self.boards.push(after);
            }
            if end.is_some() || self.rounds == 0 {
                values[place] = Some(f64::from(end == Some(End::Won)));
            }
        }
        open
    }

    fn play(
        &mut self,
        game: &SixtySeven,
        _: &State,
        _: &[(u32, Direction)],
        stream: &mut Stream,
        playouts: u64,
        sums: &mut [PlayoutCounts],
    ) {
        let kernel = self.kernel.of(game);
        let seeds = seeds(stream);
        let counts = count_playouts(kernel, &self.boards, seeds, playouts, self.rounds);
        for (sum, counts) in sums.iter_mut().zip(counts) {
            sum.wins += counts.wins;
            sum.alive += counts.alive;
            sum.rounds += counts.rounds;
        }
    }

    /// The share of playouts won. Less than one playout is added for those that are alive at the
    /// horizon and for rounds survived, so that the values order the moves as a choice does.
    fn value(&self, sum: PlayoutCounts, playouts: u64) -> f64 {
        let survived = sum.rounds as f64 / (playouts * self.rounds + 1) as f64;
        let alive = (sum.alive as f64 + survived) / (playouts + 1) as f64;
        ((sum.wins as f64 + alive) / playouts as f64).min(1.0)
    }
}
