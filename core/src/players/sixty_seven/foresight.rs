//! A strong player of 67!: looks ahead over sampled tiles and spends its samples on close choices.
//!
//! Directions are compared on the same deals, batch by batch. After each batch a direction is
//! dropped if it is behind the best one by more than `margin` standard errors of their paired
//! difference, so that clear choices cost one batch and close ones the whole budget:
//!
//! 1. One round deep, up to `samples` deals: the value of a deal is 1 if a direction wins at once,
//!    0 if none is legal, else the best evaluation ([`super::evaluation`]) after a direction.
//! 2. Two rounds deep, up to `deep` deals, each followed by each direction and [`REPLIES`] further
//!    deals, among the remaining directions.
//! 3. Up to `playouts` random games of `horizon` rounds, on the kernels, among the remaining
//!    directions: 1 if won, 0 if lost, else the evaluation of the board at the horizon.
//!
//! The choice is by the mean of step 2 (of step 1 if `deep` is 0) plus that of step 3. Ties go to
//! the first of up, down, left, right. With `budget_ms` the steps continue, batch by batch, for a
//! fifth, two fifths and two fifths of the time.
//!
//! Draw protocol (player stream): one word per choice, the seed of the deals; none if only one
//! direction is legal or a direction wins.

use super::field::Position;
use super::{EvaluatorCache, PlayoutKernel};
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::kernels::End;
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, budget};
use crate::rng::{CellSeeds, Rng, Stream, mix};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("samples", 1..=1 << 20, Some(256))
        .main("deals a direction one round deep, at most"),
    ParamSpec::int("deep", 0..=1 << 20, Some(40))
        .main("deals a direction two rounds deep, at most"),
    ParamSpec::int("playouts", 0..=1 << 24, Some(3000)).main("random games a direction, at most"),
    ParamSpec::int("horizon", 1..=1 << 24, Some(20))
        .main("rounds after which a random game is given to the evaluation"),
    ParamSpec::float("margin", 0.0..=100.0, 2.5)
        .help("a direction is dropped when it lies behind by more standard errors than this"),
    BUDGET_PARAM,
];
/// Deals behind each own move of the second step.
pub const REPLIES: u64 = 12;

/// Looks ahead adaptively.
pub struct Foresight {
    samples: u64,
    deep: u64,
    playouts: u64,
    horizon: u64,
    margin: f64,
    budget: Option<Duration>,
    evaluators: EvaluatorCache,
    kernel: PlayoutKernel,
}

/// Deals, or playouts, in a batch of each step.
const NEAR_BATCH: u64 = 32;
const FAR_BATCH: u64 = 8;
const PLAYOUTS_BATCH: u64 = 256;

/// The directions that are still compared.
struct Contest {
    margin: f64,
    open: Vec<Contender>,
}

struct Contender {
    direction: Direction,
    after: Position,
    /// What the steps before this one found.
    known: f64,
    /// By deal or playout of this step.
    values: Vec<f32>,
}

impl Contender {
    fn mean(&self) -> f64 {
        self.values
            .iter()
            .map(|&value| f64::from(value))
            .sum::<f64>()
            / self.values.len().max(1) as f64
    }
}

impl Contest {
    /// Begins a step: what was found so far is known, or forgotten.
    fn begin(&mut self, is_known: bool) {
        for contender in &mut self.open {
            contender.known = if is_known { contender.mean() } else { 0.0 };
            contender.values.clear();
        }
    }

    /// Looks at deals up to number `most`, in batches, until one direction is left or `stop` says
    /// so; `look` adds the values of some deals.
    fn hold(
        &mut self,
        batch: u64,
        most: u64,
        stop: impl Fn() -> bool,
        mut look: impl FnMut(&Contender, Range<u64>) -> Vec<f32>,
    ) {
        let mut begun = 0;
        while begun < most && self.open.len() > 1 && !stop() {
            let deals = begun..(begun + batch).min(most);
            for contender in &mut self.open {
                let values = look(contender, deals.clone());
                contender.values.extend(values);
            }
            begun = deals.end;
            self.drop_clear_losers();
        }
    }

    fn drop_clear_losers(&mut self) {
        let best = self.best();
        let leader = self.open[best].values.clone();
        let margin = self.margin;
        let mut place = 0;
        self.open.retain(|contender| {
            place += 1;
            place - 1 == best || !is_behind(&contender.values, &leader, margin)
        });
    }

    /// The place of the best direction.
    fn best(&self) -> usize {
        let mut best = (0, f64::MIN);
        for (place, contender) in self.open.iter().enumerate() {
            let value = contender.known + contender.mean();
            if value > best.1 {
                best = (place, value);
            }
        }
        best.0
    }
}

/// Whether values lie behind a leader's on the same deals by more than `margin` standard errors of
/// the difference.
fn is_behind(values: &[f32], leader: &[f32], margin: f64) -> bool {
    let n = values.len() as f64;
    let mut sum = 0.0;
    let mut squares = 0.0;
    for (&value, &lead) in values.iter().zip(leader) {
        let difference = f64::from(lead) - f64::from(value);
        sum += difference;
        squares += difference * difference;
    }
    let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0).max(1.0);
    sum > 0.0 && n > 1.0 && sum > margin * (variance * n).sqrt()
}

impl Player<SixtySeven> for Foresight {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        let evaluator = self.evaluators.of(game);
        let open = match evaluator.choices(&evaluator.field.position(&state.board), legal) {
            Ok(open) => open,
            Err(only) => return only,
        };
        let contender = |(direction, after)| Contender {
            direction,
            after,
            known: 0.0,
            values: Vec::new(),
        };
        let mut contest = Contest {
            margin: self.margin,
            open: open.into_iter().map(contender).collect(),
        };
        let seed = stream.next_u64();
        // Without a budget, nobody looks at a clock; WebAssembly has none.
        let timed = self.budget.map(|budget| (Instant::now(), budget));
        // With a budget, as many as there is time for.
        let most = |count: u64| {
            if timed.is_some() && count > 0 {
                u64::MAX
            } else {
                count
            }
        };
        let stop = |fifths: u32| {
            move || timed.is_some_and(|(begun, budget)| begun.elapsed() * 5 > budget * fifths)
        };
        let deals = |rounds: u32| {
            let seed = mix(seed ^ u64::from(rounds));
            move |contender: &Contender, deals: Range<u64>| {
                deals
                    .map(|deal| {
                        evaluator.sampled_value(&contender.after, rounds, REPLIES, seed, deal)
                    })
                    .collect()
            }
        };
        contest.hold(NEAR_BATCH, most(self.samples), stop(1), deals(1));
        if self.deep > 0 && contest.open.len() > 1 {
            contest.begin(false);
            contest.hold(FAR_BATCH, most(self.deep), stop(3), deals(2));
        }
        let left = game
            .max_rounds
            .map_or(u64::MAX, |most| most.saturating_sub(state.round));
        let horizon = self.horizon.min(left);
        if self.playouts > 0 && horizon > 0 && contest.open.len() > 1 {
            let kernel = self.kernel.of(game);
            let board = PackedBoard::pack(&state.board);
            let seeds = CellSeeds {
                world: mix(seed),
                player: mix(!seed),
            };
            contest.begin(true);
            contest.hold(
                PLAYOUTS_BATCH,
                most(self.playouts),
                stop(5),
                |contender, playouts| {
                    let mut after = board.clone();
                    kernel.advance(&mut after, contender.direction);
                    let mut values = vec![0.0; (playouts.end - playouts.start) as usize];
                    kernel.playouts(&after, seeds, playouts.clone(), horizon, &mut |ended| {
                        values[(ended.game - playouts.start) as usize] = match ended.end {
                            End::Won => 1.0,
                            End::OutOfRounds => evaluator
                                .evaluation
                                .chance(&evaluator.field, &evaluator.field.packed(&ended.board())),
                            End::Blocked | End::Exceeded => 0.0,
                        };
                    });
                    values
                },
            );
        }
        contest.open[contest.best()].direction
    }

    /// The chances of winning of its first step, over all of that step's deals for every move. The
    /// steps that follow look at close moves only, so their values cannot be compared.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let evaluator = self.evaluators.of(game);
        let seed = mix(stream.clone().next_u64() ^ 1);
        let samples = self.samples;
        Some(evaluator.values(state, legal, |after| match samples {
            0 => evaluator.evaluation.chance(&evaluator.field, after).into(),
            _ => {
                let value =
                    |deal| f64::from(evaluator.sampled_value(after, 1, REPLIES, seed, deal));
                (0..samples).map(value).sum::<f64>() / samples as f64
            }
        }))
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Foresight {
    const NAME: &'static str = "foresight";
    const SUMMARY: &'static str = "compares its moves on the same sampled tiles, one and two rounds deep and in playouts, as long as the choice is close";
    const PARAMS: &'static [ParamSpec] = PARAMS;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let int = |name| params.int(name).expect("a parameter with a default") as u64;
        Ok(Self {
            samples: int("samples"),
            deep: int("deep"),
            playouts: int("playouts"),
            horizon: int("horizon"),
            margin: params.float("margin").expect("a parameter with a default"),
            budget: budget(params),
            evaluators: EvaluatorCache::default(),
            kernel: PlayoutKernel::default(),
        })
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, super::field::SIDE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_losers_are_behind() {
        let leader = [0.5, 0.6, 0.4, 0.5];
        assert!(is_behind(&[0.3, 0.41, 0.19, 0.3], &leader, 2.5));
        assert!(!is_behind(&[0.3, 0.9, 0.1, 0.6], &leader, 2.5));
        assert!(!is_behind(&leader, &leader, 0.0), "equals stay");
        assert!(
            is_behind(&[0.4, 0.5, 0.3, 0.4], &leader, 2.5),
            "always behind by the same"
        );
        assert!(!is_behind(&[0.3], &[0.5], 2.5), "one deal tells nothing");
    }
}
