//! Sample sizes: how many games a precision, a difference or an equivalence needs.
//!
//! A precision is planned for the interval that will be reported, and for the method that will be
//! used: games fixed beforehand or a stopping rule, and plain games, value lanes or splitting. A
//! number of games reaches a width with some probability only, so that probability is part of the
//! question.

use crate::catalog::{LANES, METHOD, SPLITTING};
use crate::compare::play_pairs;
use crate::game::batches::play_games;
use crate::game::registry::Setup;
use crate::game::{Job, KernelChoice};
use crate::params::Value;
use crate::plan::Cell;
use crate::runner::portions;
use crate::stats::power::{self, GAMES_MOST, Width};
use crate::stats::{ClusterSums, Interval, RateInterval, Rule, Units, Wins, normal_upper_quantile};
use std::time::{Duration, Instant};

/// The parameter that ends long games, and the most rounds that a game of a pilot may take.
const ROUNDS: &str = "max_rounds";
const ROUNDS_MAX: u64 = 1 << 20;
/// A pilot ends when `PILOT_WINS` games are won, or pairs differ: the share is known to 1 %.
const PILOT_WINS: u64 = 10_000;
/// Games that splitting plays before its first replication, at least.
const SPLITTING_PILOT: f64 = 1024.0;
/// The longest time of these games.
const SPLITTING_PILOT_MAX: Duration = Duration::from_secs(5);

/// Blocks of trajectories from which the spread of widths is estimated, to 9 %.
const BLOCKS: u64 = 64;
/// How often a plan is corrected by the spread of widths of as many games.
const ROUNDS_OF_PLAN: u32 = 20;

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

/// Games (replications, for splitting) that reach a width; infinite beyond [`GAMES_MOST`].
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
    wins: Wins,
    /// Sums over blocks of trajectories.
    blocks: Vec<ClusterSums>,
}

/// Plain games, of which nothing is known but that they are independent.
///
/// # Panics
/// When `rate`, a probability or the width is out of range.
pub fn precision(rate: f64, width: Width, wanted: &Wanted) -> PrecisionSize {
    let rule = rule(Units::Games(wanted.interval), width, wanted);
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

/// The rule that stops at a width.
fn rule(units: Units, width: Width, wanted: &Wanted) -> Rule {
    let (half_width, relative) = width.criteria();
    Rule::of(units, half_width, relative, GAMES_MOST, wanted.confidence)
        .expect("the width and the confidence are in range")
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
    /// Measures a cell by playing it for `time` at most, and with value lanes and by splitting,
    /// where the game has them, `alternatives` asks for it and games are short enough. The games
    /// are those of the seed 0, from the first on.
    ///
    /// # Errors
    /// Says why the cell cannot be played, or that a game takes too many rounds.
    pub fn measure(cell: &Cell, time: Duration, alternatives: bool) -> Result<Vec<Self>, String> {
        let plain = job(cell)?;
        let mut all = vec![Self::play(cell, plain.as_ref(), time)?];
        for (key, value) in [
            (LANES, Value::Int(16)),
            (METHOD, Value::Text(SPLITTING.to_owned())),
        ] {
            if !alternatives || cell.game.param(key).is_none() {
                continue;
            }
            let mut params = cell.params.clone();
            params.set(key, value);
            let pilot = SPLITTING_PILOT * all[0].seconds_per_game;
            if key == METHOD && pilot > SPLITTING_PILOT_MAX.as_secs_f64() {
                continue;
            }
            // Rules or players that have no lanes, or are not split, are planned without them.
            if (cell.game.complete)(&mut params).is_ok()
                && let other = Cell::of(cell.game, params, cell.players.clone())
                && let Ok(job) = job(&other)
            {
                let played = Self::play(&other, job.as_ref(), time)?;
                // Without a win nothing is known about the spread of replications.
                if key != METHOD || played.rate > 0.0 {
                    all.push(played);
                }
            }
        }
        Ok(all)
    }

    /// Plays games for about `time` at most, and until [`PILOT_WINS`] are won.
    fn play(cell: &Cell, job: &dyn Job, time: Duration) -> Result<Self, String> {
        // Trajectories are played twice, the second time in blocks.
        let time = time / job.sampling().lanes().min(2) as u32;
        let (tally, pace) = portions::play(job, PILOT_WINS, time);
        let games = tally.games;
        let wins = Wins::of(&tally);
        let all = Self {
            name: "plain games".to_owned(),
            unit: "games",
            rate: wins.rate(),
            games,
            design_effect: 1.0,
            seconds_per_game: pace.seconds_per_game(),
            wins,
            blocks: Vec::new(),
        };
        if let Wins::Replications(sums) = wins {
            let effective = sums.effective_games();
            return Ok(Self {
                name: SPLITTING.to_owned(),
                unit: "replications",
                design_effect: effective.map_or(1.0, |effective| games as f64 / effective),
                ..all
            });
        }
        check_ended(cell, tally.moves_max)?;
        Ok(match wins {
            Wins::Trajectories(sums) => Self {
                name: format!("{} value lanes", sums.size),
                design_effect: sums.design_effect().map_or(1.0, |effect| effect.max(1.0)),
                blocks: blocks(job, &sums),
                ..all
            },
            Wins::Games(..) | Wins::Replications(_) => all,
        })
    }

    /// The interval of the win rate of the games played.
    pub fn interval(&self, wanted: &Wanted) -> Interval {
        self.wins.interval(wanted.interval, wanted.confidence)
    }

    /// How many times as wide as half of all intervals those are that a share `power` of them does
    /// not exceed, of `games` games in trajectories. The effect of sharing is that of a pilot.
    fn wider(&self, lanes: u64, width: Width, games: f64, wanted: &Wanted) -> f64 {
        let is_relative = width.criteria().1.is_some();
        let each = ClusterSums::width_variance(&self.blocks, is_relative).unwrap_or_default();
        let of_run = each * lanes as f64 / games;
        let spread = (of_run + each * lanes as f64 / self.games as f64).sqrt();
        (normal_upper_quantile(1.0 - wanted.power) * spread).exp()
    }

    /// Games, or replications, fixed beforehand, for a width at this win rate.
    ///
    /// # Panics
    /// As [`precision`].
    pub fn fixed(&self, rate: f64, width: Width, wanted: &Wanted) -> f64 {
        let confidence = wanted.confidence;
        let games = |kind, power| power::games_for_width(rate, width, confidence, kind, power);
        match self.wins {
            Wins::Games(..) => games(wanted.interval, wanted.power),
            Wins::Trajectories(ClusterSums { size: lanes, .. }) => {
                let kind = RateInterval::ClopperPearson;
                // Where wins are few, their spread is better known than that of trajectories.
                let least = games(kind, wanted.power) * self.design_effect;
                let median = games(kind, 0.5) * self.design_effect;
                (0..ROUNDS_OF_PLAN).fold(least, |fixed, _| {
                    let wider = self.wider(lanes, width, fixed, wanted);
                    least.max(median * wider.powi(2))
                })
            }
            Wins::Replications(sums) => {
                let fixed = sums.replications_for_width(width, confidence, wanted.power);
                fixed.unwrap_or(f64::INFINITY)
            }
        }
    }

    /// Games, or replications, for a width at this win rate.
    ///
    /// # Panics
    /// As [`precision`].
    pub fn precision(&self, rate: f64, width: Width, wanted: &Wanted) -> PrecisionSize {
        let stopped = match self.wins {
            Wins::Games(..) => return precision(rate, width, wanted),
            Wins::Trajectories(ClusterSums { size: lanes, .. }) => {
                let wider = self.wider(lanes, width, f64::INFINITY, wanted);
                let rule = rule(Units::Trajectories(lanes), width, wanted);
                let stops = |effect: f64| stopped(&rule.stops(rate, effect), wanted.power);
                PrecisionSize {
                    stopped_most: stops(self.design_effect * wider.powi(2)).stopped_most,
                    ..stops(self.design_effect)
                }
            }
            Wins::Replications(sums) => {
                let rule = rule(Units::Replications, width, wanted);
                let z = |power: f64| normal_upper_quantile(1.0 - power);
                let stop = |power: f64| {
                    let stops = |&look: &u64| {
                        let wider = 1.0 + z(power) * sums.width_error(look);
                        rule.would_stop(&Wins::Replications(sums.grown(look)), wider)
                    };
                    let first = rule.looks().find(stops);
                    first.map_or(f64::INFINITY, |look| look as f64)
                };
                PrecisionSize {
                    fixed: f64::NAN,
                    // Looks are far apart, so nearly all runs stop at the same one.
                    stopped_mean: stop(0.5),
                    stopped_most: stop(wanted.power),
                }
            }
        };
        PrecisionSize {
            fixed: self.fixed(rate, width, wanted),
            ..stopped
        }
    }
}

/// Sums over blocks of the trajectories of a pilot.
fn blocks(job: &dyn Job, pilot: &ClusterSums) -> Vec<ClusterSums> {
    let all = pilot.clusters * pilot.size;
    let each = pilot.clusters.div_ceil(BLOCKS) * pilot.size;
    let block = |first: u64| {
        let tally = play_games(job, first..(first + each).min(all));
        ClusterSums::of_wins(&tally).expect("the games share trajectories")
    };
    (0..pilot.clusters.div_ceil(each / pilot.size))
        .map(|number| block(number * each))
        .collect()
}

/// Plays the games of a cell. Where the rules have no limit of rounds, they end after
/// [`ROUNDS_MAX`]: some rules have games of millions.
fn job(cell: &Cell) -> Result<Box<dyn Job>, String> {
    let mut params = cell.params.clone();
    if has_endless_games(cell) {
        params.set(ROUNDS, Value::Int(ROUNDS_MAX.cast_signed()));
    }
    let setup = cell.setup(0, KernelChoice::Auto);
    setup
        .and_then(|setup| {
            cell.game.build(&Setup {
                params: &params,
                ..setup
            })
        })
        .map_err(|error| error.to_string())
}

fn has_endless_games(cell: &Cell) -> bool {
    cell.game.param(ROUNDS).is_some() && *cell.params.get(ROUNDS) == Value::Unset
}

/// Refuses a game that was cut short, as its end is not known.
fn check_ended(cell: &Cell, moves_max: u64) -> Result<(), String> {
    if moves_max < ROUNDS_MAX || !has_endless_games(cell) {
        return Ok(());
    }
    Err(format!(
        "{ROUNDS}: some games take more than {ROUNDS_MAX} rounds, the most that is tried; set {ROUNDS}, or give the \
         rate without a game"
    ))
}

/// The share of pairs that only one of two cells wins, over games played for about `time` at most,
/// and the pairs; `None` where no pair differs.
///
/// # Errors
/// Says why a cell cannot be played to the ends of its games.
pub fn differing(a: &Cell, b: &Cell, time: Duration) -> Result<Option<(f64, u64)>, String> {
    let jobs = [job(a)?, job(b)?];
    let begun = Instant::now();
    let mut games = 8;
    loop {
        let sums = play_pairs(jobs[0].as_ref(), jobs[1].as_ref(), None, games);
        check_ended(a, sums.moves_max)?;
        check_ended(b, sums.moves_max)?;
        let differing = sums.only_a + sums.only_b;
        if begun.elapsed() >= time || differing >= PILOT_WINS {
            let share = differing as f64 / sums.games as f64;
            return Ok((differing > 0).then_some((share, sums.games)));
        }
        games *= 2;
    }
}
