//! The strongest player of 67!: looks ahead several rounds with a learned network.
//!
//! Directions are compared on the same sampled tiles, batch by batch. After each batch a direction
//! is dropped if it is behind the best one by more than [`MARGIN`] standard errors of their paired
//! difference, so that clear choices cost one batch and close ones all samples:
//!
//! 1. One round deep, `near` samples: the value of a sample is 1 if a direction wins, 0 if none is
//!    legal, else the win probability ([`super::network`]) of the best board after a direction.
//! 2. Two rounds deep, `far` samples, each followed by every direction and `replies` further
//!    samples, of which the best mean counts; only for the remaining directions within [`GAP`] of
//!    the best.
//!
//! Ties go to the first of up, down, left, right. Values of single lines are cached between
//! choices, which affects only the time.
//!
//! Draw protocol (player stream): one word per choice, the seed of the samples; none if only one
//! direction is legal or a direction wins.

use super::lines::{self, Lines, Moves};
use super::network::{Network, chance};
use super::networks;
use super::tokens::{SIDE_MAX, TokenBoard, WINS, goes_on, made, wins};
use crate::game::registry::NamedPlayer;
use crate::game::{MoveValues, Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock};
use crate::players::weights::{WEIGHTS, WEIGHTS_PARAM, Weights, of_params};
use crate::rng::{GOLDEN, Rng, SeedableRng, Stream, mix};
use std::sync::Arc;

/// Standard errors that a direction may lie behind.
pub const MARGIN: f32 = 2.5;
/// How far a direction may lie behind the best to be looked at two rounds deep.
pub const GAP: f32 = 0.03;
/// In the second round, moves whose odds are worse than the best by a factor of more than e to this
/// are left out.
const HOPELESS: f32 = 2.0;
/// Samples in a batch of each step.
const NEAR_BATCH: u64 = 32;
const FAR_BATCH: u64 = 16;

/// Looks ahead with a learned network.
pub struct Planner {
    near: u64,
    far: u64,
    replies: u64,
    clock: Clock,
    searches: Searches,
}

/// What a player searches with: the weights of its parameters, or the built-in ones.
pub(super) struct Searches {
    weights: Option<Arc<Weights>>,
    search: Option<Search>,
}

impl Searches {
    /// With the weights that the parameters name.
    pub fn new(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            weights: of_params(params)?,
            search: None,
        })
    }

    /// The search for a game, made where another game was played before.
    pub fn of(&mut self, game: &SixtySeven) -> &mut Search {
        if self
            .search
            .as_ref()
            .is_none_or(|search| search.network.tokens.game != *game)
        {
            let network = self.network(game).unwrap_or_else(|error| panic!("{error}"));
            let lines = Lines::new(lines::SLOTS);
            self.search = Some(Search { network, lines });
        }
        self.search.as_mut().expect("made above")
    }

    /// The network for a game: of the file of weights, or built in.
    pub fn network(&self, game: &SixtySeven) -> Result<Arc<Network>, ParamError> {
        match &self.weights {
            Some(weights) => Ok(Network::read(weights, game)?),
            None => networks::nearest(game).map_err(|error| ParamError::new(WEIGHTS, error)),
        }
    }
}

/// What a search works with, for the game that was played last.
pub(super) struct Search {
    network: Arc<Network>,
    lines: Lines,
}

/// A direction that is still compared.
pub(super) struct Contender {
    pub direction: Direction,
    pub after: TokenBoard,
    pub mean: f32,
    /// By sample of this step.
    values: Vec<f32>,
}

impl Search {
    /// The logarithm of the odds of winning from a board after a move.
    #[inline]
    pub fn odds(&mut self, after: &TokenBoard) -> f32 {
        self.lines.odds(&self.network, after)
    }

    /// The directions that go on, each with the odds of the network as its mean; or the direction
    /// that wins, or the only legal one.
    pub fn contenders(
        &mut self,
        state: &State,
        legal: &[Direction],
    ) -> Result<Vec<Contender>, Direction> {
        let tokens = &self.network.tokens;
        let moves = self.lines.moves_of(tokens, &state.board);
        let flags = moves.flags();
        let wins = |&&direction: &&Direction| made(flags, direction) & WINS != 0;
        if let Some(&winning) = legal.iter().find(wins) {
            return Err(winning);
        }
        if let &[only] = legal {
            return Err(only);
        }
        let open = legal.iter().filter(|&&direction| goes_on(flags, direction));
        let open = open.map(|&direction| {
            let after = moves.after(direction);
            Contender {
                direction,
                after,
                mean: self.odds(&after),
                values: Vec::new(),
            }
        });
        Ok(open.collect())
    }

    /// The chance of winning of each move: 1 if it wins, 0 if it ends the game otherwise, else what
    /// `chance` gives the board after it.
    pub fn chances(
        &mut self,
        state: &State,
        legal: &[Direction],
        mut chance: impl FnMut(&mut Self, &TokenBoard) -> f32,
    ) -> Vec<Option<f64>> {
        let tokens = &self.network.tokens;
        let moves = self.lines.moves_of(tokens, &state.board);
        let flags = moves.flags();
        let mut of = |direction: Direction| {
            if made(flags, direction) & WINS != 0 {
                return 1.0;
            }
            if !goes_on(flags, direction) {
                return 0.0;
            }
            f64::from(chance(self, &moves.after(direction)))
        };
        legal.iter().map(|&direction| Some(of(direction))).collect()
    }

    /// The mean value of `samples` samples of what follows a board, `rounds` deep, with as many
    /// replies.
    pub fn mean(&mut self, after: &TokenBoard, rounds: u32, samples: u64, seed: u64) -> f32 {
        let known = self.lines.moves(&self.network.tokens, after);
        let sum: f32 = (0..samples)
            .map(|at| self.sample(after, &known, rounds, samples, &mut sample_stream(seed, at)))
            .sum();
        sum / samples as f32
    }

    /// The value of one sample of what follows a board after a move, `rounds` deep.
    fn sample(
        &mut self,
        after: &TokenBoard,
        known: &Moves,
        rounds: u32,
        replies: u64,
        stream: &mut Stream,
    ) -> f32 {
        let mut rows = *after;
        let tokens = &self.network.tokens;
        tokens.deal(&mut rows, stream);
        let moves = self.lines.moves_after(tokens, after, known, &rows);
        let flags = moves.flags();
        if wins(flags) {
            return 1.0;
        }
        let mut options = [(0.0, [0; SIDE_MAX]); 4];
        let mut count = 0;
        let mut best = f32::MIN;
        for direction in Direction::ALL
            .into_iter()
            .filter(|&direction| goes_on(flags, direction))
        {
            let board = moves.after(direction);
            let odds = self.odds(&board);
            options[count] = (odds, board);
            count += 1;
            best = best.max(odds);
        }
        if count == 0 {
            return 0.0;
        }
        if rounds == 1 {
            return chance(best);
        }
        let seed = stream.next_u64();
        let mut value = 0.0_f32;
        for (_, board) in options[..count]
            .iter()
            .filter(|(odds, _)| *odds >= best - HOPELESS)
        {
            value = value.max(self.mean(board, rounds - 1, replies, seed));
        }
        value
    }

    /// Compares directions on up to `most` samples, in batches, until one is left or `stop` says
    /// so.
    fn race(&mut self, contenders: &mut Vec<Contender>, step: &Step, stop: impl Fn() -> bool) {
        contenders
            .iter_mut()
            .for_each(|contender| contender.values.clear());
        let mut begun = 0;
        while begun < step.most && contenders.len() > 1 && !stop() {
            let samples = begun..(begun + step.batch).min(step.most);
            for contender in contenders.iter_mut() {
                let known = self.lines.moves(&self.network.tokens, &contender.after);
                for sample in samples.clone() {
                    let stream = &mut sample_stream(step.seed, sample);
                    let value =
                        self.sample(&contender.after, &known, step.rounds, step.replies, stream);
                    contender.values.push(value);
                }
                contender.mean =
                    contender.values.iter().sum::<f32>() / contender.values.len() as f32;
            }
            begun = samples.end;
            drop_clear_losers(contenders);
        }
    }
}

/// How directions are compared.
struct Step {
    rounds: u32,
    most: u64,
    batch: u64,
    replies: u64,
    seed: u64,
}

fn sample_stream(seed: u64, sample: u64) -> Stream {
    Stream::seed_from_u64(seed.wrapping_add(sample.wrapping_mul(GOLDEN)))
}

/// The direction with the highest mean, the first of equals; the first legal one if none goes on.
pub(super) fn choice(open: &[Contender], legal: &[Direction]) -> Direction {
    open.get(best(open))
        .map_or(legal[0], |contender| contender.direction)
}

/// The place of the best direction, the first of equals.
fn best(open: &[Contender]) -> usize {
    (1..open.len()).fold(0, |best, place| {
        if open[place].mean > open[best].mean {
            place
        } else {
            best
        }
    })
}

fn drop_clear_losers(open: &mut Vec<Contender>) {
    let leader = open[best(open)].values.clone();
    let leads_by = |contender: &Contender| {
        let n = leader.len() as f32;
        let differences = leader
            .iter()
            .zip(&contender.values)
            .map(|(lead, value)| lead - value);
        let mean = differences.clone().sum::<f32>() / n;
        let squares: f32 = differences
            .map(|difference| (difference - mean) * (difference - mean))
            .sum();
        mean > 0.0 && n > 1.0 && mean > MARGIN * (squares / (n * (n - 1.0))).sqrt()
    };
    open.retain(|contender| !leads_by(contender));
}

impl Player<SixtySeven> for Planner {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        let search = self.searches.of(game);
        let mut open = match search.contenders(state, legal) {
            Ok(open) => open,
            Err(decided) => return decided,
        };
        let seed = stream.next_u64();
        self.clock.start();
        let clock = &self.clock;
        let most = |count: u64| {
            if clock.is_set() && count > 0 {
                u64::MAX
            } else {
                count
            }
        };
        let first = Step {
            rounds: 1,
            most: most(self.near),
            batch: NEAR_BATCH,
            replies: 0,
            seed: mix(seed),
        };
        search.race(&mut open, &first, || clock.has_passed(0.25));
        if self.far > 0 && open.len() > 1 {
            if self.near > 0 {
                let bar = open[best(&open)].mean - GAP;
                open.retain(|contender| contender.mean >= bar);
            }
            let second = Step {
                rounds: 2,
                most: most(self.far),
                batch: FAR_BATCH,
                replies: self.replies,
                seed: mix(!seed),
            };
            search.race(&mut open, &second, || clock.has_passed(1.0));
        }
        choice(&open, legal)
    }

    /// The chances of winning of the first step, over all of its samples for every move; those of
    /// the network where there is none. The second step looks at close moves only, so its values
    /// cannot be compared.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> MoveValues {
        let seed = mix(stream.clone().next_u64());
        let search = self.searches.of(game);
        Some(search.chances(state, legal, |search, after| {
            if self.near == 0 {
                return chance(search.odds(after));
            }
            search.mean(after, 1, self.near, seed)
        }))
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Planner {
    const NAME: &'static str = "planner";
    const SUMMARY: &'static str =
        "looks one round ahead with a learned network, and two where the choice is close";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("near", 0..=1 << 20, Some(128))
            .main("most samples per direction, one round deep"),
        ParamSpec::int("far", 0..=1 << 20, Some(32))
            .main("most samples per direction, two rounds deep"),
        ParamSpec::int("replies", 1..=1 << 20, Some(16))
            .main("samples after each own move of the second round"),
        WEIGHTS_PARAM,
        BUDGET_PARAM,
    ];

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            near: params.count("near"),
            far: params.count("far"),
            replies: params.count("replies"),
            clock: Clock::of(params),
            searches: Searches::new(params)?,
        })
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, SIDE_MAX)
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.searches.network(game).map(drop)
    }
}
