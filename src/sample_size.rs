//! Sample sizes: how many games a precision, a difference or an equivalence needs.
//!
//! A precision is planned for the interval that will be reported, and for the method that will be
//! used: games fixed beforehand or a stopping rule, and plain games, value lanes or splitting. A
//! number of games reaches a width with some probability only, so that probability is part of the
//! question.

use crate::catalog::{LANES, METHOD, SPLITTING};
use crate::compare::play_pairs;
use crate::game::{Job, KernelChoice, Tally};
use crate::params::Value;
use crate::plan::Cell;
use crate::stats::power::{self, Width};
use crate::stats::{ClusterSums, RateInterval, Rule, SplittingSums};
use std::time::{Duration, Instant};

/// Beyond any number of games that can be played.
const GAMES_MOST: u64 = 1 << 40;

/// What is asked of every size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The probability that the width is reached, or that a test finds the difference.
    pub power: f64,
    /// The confidence of intervals; tests have the level 1 − confidence.
    pub confidence: f64,
    /// Which interval win rates of plain games have.
    pub interval: RateInterval,
}

/// Games (replications, for splitting) that reach a width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionSize {
    /// Fixed beforehand, enough with the probability that is asked.
    pub fixed: f64,
    /// With a stopping rule: on average.
    pub stopped_mean: f64,
    /// With a stopping rule: not exceeded with the probability that is asked.
    pub stopped_most: f64,
}

/// A way to play a cell, measured by a short run.
#[derive(Clone, Debug)]
pub struct Pilot {
    /// What the way is called.
    pub name: String,
    /// What is counted: games, or replications.
    pub unit: &'static str,
    /// The win rate of the games played.
    pub rate: f64,
    /// Games played, or replications.
    pub games: u64,
    /// Games, or replications, that are worth as much as one independent game.
    pub design_effect: f64,
    /// The processor time of one.
    pub seconds_per_game: f64,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Plain,
    Lanes(u64),
    Splitting(SplittingSums),
}

/// Plain games, of which nothing is known but that they are independent.
///
/// # Panics
/// When `rate`, a probability or the width is out of range.
#[must_use]
pub fn precision(rate: f64, width: Width, wanted: &Wanted) -> PrecisionSize {
    let (half_width, relative) = width.criteria();
    let rule = Rule::of_games(
        half_width,
        relative,
        GAMES_MOST,
        wanted.confidence,
        wanted.interval,
    )
    .expect("the width and the confidence are in range");
    let fixed = power::games_for_width(
        rate,
        width,
        wanted.confidence,
        wanted.interval,
        wanted.power,
    );
    PrecisionSize {
        fixed,
        ..stopped(&rule.stops(rate, 1.0), wanted.power)
    }
}

/// The mean and the quantile of where cells stop.
fn stopped(stops: &[(f64, f64)], probability: f64) -> PrecisionSize {
    let mut reached = 0.0;
    let most = stops.iter().find(|(_, share)| {
        reached += share;
        reached >= probability
    });
    PrecisionSize {
        fixed: f64::NAN,
        stopped_mean: stops.iter().map(|(games, share)| games * share).sum(),
        stopped_most: most.map_or(f64::INFINITY, |(games, _)| *games),
    }
}

impl Pilot {
    /// Measures a cell by playing it for so long, and with value lanes and by splitting, where the
    /// game has them and `alternatives` asks for it.
    ///
    /// # Errors
    /// Says why the cell cannot be played.
    pub fn measure(cell: &Cell, time: Duration, alternatives: bool) -> Result<Vec<Self>, String> {
        let job = |cell: &Cell| cell.job(0, KernelChoice::Auto);
        let plain = job(cell).map_err(|error| error.to_string())?;
        let mut all = vec![Self::play(plain.as_ref(), time)];
        for (key, value) in [
            (LANES, Value::Int(16)),
            (METHOD, Value::Text(SPLITTING.to_owned())),
        ] {
            if !alternatives || !cell.game.params.iter().any(|spec| spec.name == key) {
                continue;
            }
            let mut params = cell.params.clone();
            params.set(key, value);
            // Rules or players that have no lanes, or are not split, are planned without them.
            if (cell.game.complete)(&mut params).is_ok()
                && let Ok(job) = job(&Cell::of(cell.game, params, cell.players.clone()))
            {
                all.push(Self::play(job.as_ref(), time));
            }
        }
        Ok(all)
    }

    /// Plays whole batches for about so long.
    fn play(job: &dyn Job, time: Duration) -> Self {
        let mut tally = Tally::new(job.measures());
        let begun = Instant::now();
        while begun.elapsed() < time {
            let from = tally.games;
            job.play(from..from + job.batch_games(), &mut tally);
        }
        let games = tally.games;
        let plain = Self {
            name: "plain games".to_owned(),
            unit: "games",
            rate: tally.wins as f64 / games as f64,
            games,
            design_effect: 1.0,
            seconds_per_game: begun.elapsed().as_secs_f64() / games as f64,
            way: Way::Plain,
        };
        if let Some(sums) = SplittingSums::of(&tally) {
            let effective = sums.effective_games();
            return Self {
                name: SPLITTING.to_owned(),
                unit: "replications",
                rate: sums.rate().unwrap_or_default(),
                design_effect: effective.map_or(1.0, |effective| games as f64 / effective),
                way: Way::Splitting(sums),
                ..plain
            };
        }
        match ClusterSums::of_wins(&tally) {
            None => plain,
            Some(sums) => Self {
                name: format!("{} value lanes", sums.size),
                design_effect: sums.design_effect().map_or(1.0, |effect| effect.max(1.0)),
                way: Way::Lanes(sums.size),
                ..plain
            },
        }
    }

    /// Games, or replications, for a width at this win rate.
    ///
    /// # Panics
    /// As [`precision`].
    #[must_use]
    pub fn precision(&self, rate: f64, width: Width, wanted: &Wanted) -> PrecisionSize {
        let (half_width, relative) = width.criteria();
        let confidence = wanted.confidence;
        match self.way {
            Way::Plain => precision(rate, width, wanted),
            Way::Lanes(lanes) => {
                let kind = RateInterval::ClopperPearson;
                let fixed = power::games_for_width(rate, width, confidence, kind, wanted.power);
                let rule = Rule::of_lanes(half_width, relative, GAMES_MOST, confidence, lanes)
                    .expect("the width and the confidence are in range");
                PrecisionSize {
                    fixed: fixed * self.design_effect,
                    ..stopped(&rule.stops(rate, self.design_effect), wanted.power)
                }
            }
            Way::Splitting(sums) => {
                let rule = Rule::of_replications(half_width, relative, GAMES_MOST, confidence)
                    .expect("the width and the confidence are in range");
                let fixed = sums.replications_for_width(width, confidence, wanted.power);
                let stop = |power: f64| {
                    rule.looks()
                        .find(|&look| rule.would_stop_replications(&sums, look, power))
                        .map_or(f64::INFINITY, |look| look as f64)
                };
                PrecisionSize {
                    fixed: fixed.unwrap_or(f64::INFINITY),
                    // Looks are far apart, so nearly all runs stop at the same one.
                    stopped_mean: stop(0.5),
                    stopped_most: stop(wanted.power),
                }
            }
        }
    }
}

/// The share of pairs that only one of two cells wins, over games played for about so long, and the
/// pairs; `None` where no pair differs.
///
/// # Errors
/// Says why a cell cannot be played.
pub fn differing(a: &Cell, b: &Cell, time: Duration) -> Result<Option<(f64, u64)>, String> {
    let job = |cell: &Cell| {
        cell.job(0, KernelChoice::Auto)
            .map_err(|error| error.to_string())
    };
    let jobs = [job(a)?, job(b)?];
    let begun = Instant::now();
    let mut games = 256;
    loop {
        let sums = play_pairs(jobs[0].as_ref(), jobs[1].as_ref(), None, games);
        let differing = sums.only_a + sums.only_b;
        if begun.elapsed() >= time {
            let share = differing as f64 / sums.games as f64;
            return Ok((differing > 0).then_some((share, sums.games)));
        }
        games *= 2;
    }
}
