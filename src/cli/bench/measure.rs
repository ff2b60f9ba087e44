//! How fast the kernels and players of a game play, measured side by side on one thread.
//!
//! All play the same games. They take turns, so that a busy machine slows all alike, and the median
//! of the repetitions counts. Time is that of the thread on a processor, which does not grow while
//! others use it.

use crate::catalog::{GameEntry, PlayerSpec, Setup};
use crate::game::{Job, KernelChoice, Tally};
use crate::params::{ParamError, Params, did_you_mean};
use crate::plan;
use crate::rng::CellSeeds;
use crate::runner::clock::WorkClock;
use crate::stats::ClusterSums;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Parameters of a game to measure at.
pub struct Case {
    /// The settings, as `key=value key=value`.
    pub name: String,
    /// The parameters.
    pub params: Params,
}

/// What was measured of one kernel on one case.
#[derive(Serialize)]
pub struct Measured {
    /// The game's name.
    pub game: &'static str,
    /// The settings of the case.
    pub case: String,
    /// The kernel that played.
    pub kernel: &'static str,
    /// The players.
    pub player: String,
    /// Games of a repetition.
    pub games: u64,
    /// The turns of these games.
    pub turns: u64,
    /// The median of the repetitions, in ns on a processor.
    pub ns_per_turn: f64,
    /// The fastest repetition, in ns on a processor.
    pub ns_per_turn_min: f64,
    /// The median of the repetitions by the clock, in ns.
    pub wall_ns_per_turn: f64,
    /// Turns a second, by the median.
    pub turns_per_s: f64,
    /// Games a second, by the median.
    pub games_per_s: f64,
    /// Games that share a trajectory.
    pub lanes: u64,
    /// How many times the variance of the win rate that of independent games is, in the measured
    /// games; absent without lanes.
    pub design_effect: Option<f64>,
    /// `ns_per_turn` times the design effect (at least 1): what a turn of an independent game would
    /// have to cost for the same precision.
    pub effective_ns_per_turn: f64,
    /// The reference's time over this kernel's; absent when the reference was not measured.
    pub times_reference: Option<f64>,
}

/// A kernel or a player at work on a case.
struct Runner {
    job: Box<dyn Job>,
    player: String,
    games: u64,
    turns: u64,
    design_effect: Option<f64>,
    ns_per_turn: Vec<f64>,
    wall_ns_per_turn: Vec<f64>,
}

impl Runner {
    /// Chooses how many games take about `target` of time: one where a player takes longer.
    fn new(job: Box<dyn Job>, player: String, target: Duration) -> Self {
        let mut games = job.sampling().lanes();
        loop {
            let ([time, _], _) = play(job.as_ref(), games);
            if time * 2 > target {
                return Self {
                    job,
                    player,
                    games,
                    turns: 0,
                    design_effect: None,
                    ns_per_turn: Vec::new(),
                    wall_ns_per_turn: Vec::new(),
                };
            }
            games *= if time * 8 < target { 4 } else { 2 };
        }
    }

    fn measure(&mut self) {
        let (times, tally) = play(self.job.as_ref(), self.games);
        let turns = u64::try_from(tally.moves_sum).expect("a short run has few turns");
        self.turns = turns;
        self.design_effect = ClusterSums::of_wins(&tally).and_then(|sums| sums.design_effect());
        let [work, wall] = times.map(|time| time.as_nanos() as f64 / turns as f64);
        self.ns_per_turn.push(work);
        self.wall_ns_per_turn.push(wall);
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Plays the first games of a job; returns the time on a processor and by the clock, and the games.
fn play(job: &dyn Job, games: u64) -> ([Duration; 2], Tally) {
    let mut tally = Tally::new(job.measures());
    let begun = Instant::now();
    let work = WorkClock::begin();
    let mut from = 0;
    while from < games {
        let to = games.min(from + job.batch_games());
        job.play(from..to, &mut tally, None);
        from = to;
    }
    ([work.done(), begun.elapsed()], tally)
}

/// The kernels of a game that this machine has, slowest first; where some are named, only those.
///
/// # Errors
/// Names the kernel that is not there, and those that are.
pub fn kernels(game: &GameEntry, named: &[String]) -> Result<Vec<KernelChoice>, String> {
    let mut known = vec![KernelChoice::Reference];
    known.extend(
        game.kernels
            .iter()
            .filter(|kernel| (kernel.available)())
            .map(|kernel| kernel.choice),
    );
    let names: Vec<_> = known.iter().map(|kernel| kernel.name()).collect();
    for name in named {
        if !names.contains(&name.as_str()) {
            let has = names.join(", ");
            return Err(format!(
                "{name}: not there; this machine has: {has}{}",
                did_you_mean(name, &names)
            ));
        }
    }
    known.retain(|kernel| named.is_empty() || named.iter().any(|name| name == kernel.name()));
    Ok(known)
}

/// All combinations of `key=a,b` settings, the last key fastest; those that the game brings where
/// there are none.
///
/// # Errors
/// Names the setting that the game cannot take.
pub fn cases(game: &GameEntry, settings: &[String]) -> Result<Vec<Case>, String> {
    let own: Vec<String> = game
        .bench
        .iter()
        .map(|&setting| setting.to_owned())
        .collect();
    let mut cases = vec![Vec::new()];
    for setting in if settings.is_empty() { &own } else { settings } {
        let (key, values) = setting
            .split_once('=')
            .ok_or_else(|| format!("{setting}: write key=value or key=value,value"))?;
        cases = cases
            .iter()
            .flat_map(|case: &Vec<String>| {
                values
                    .split(',')
                    .map(move |value| [case.as_slice(), &[format!("{key}={value}")]].concat())
            })
            .collect();
    }
    cases
        .into_iter()
        .map(|settings| {
            let params = plan::params(game, &settings).map_err(|error| error.to_string())?;
            Ok(Case {
                name: settings.join(" "),
                params,
            })
        })
        .collect()
}

/// Measures one case: the game's first player by every kernel, and these players, in `repeats`
/// repetitions of about `time`.
///
/// # Errors
/// Names the parameter that the game or a kernel cannot take.
///
/// # Panics
/// When there are no repetitions.
pub fn measure(
    game: &'static GameEntry,
    case: &Case,
    kernels: &[KernelChoice],
    players: &[PlayerSpec],
    time: Duration,
    repeats: u64,
) -> Result<Vec<Measured>, ParamError> {
    let params = &case.params;
    let key = params.key(game.params);
    let job = |(player, kernel): (PlayerSpec, KernelChoice)| {
        let name = player.label();
        let job = game.build(&Setup {
            params,
            players: &vec![player; game.seats],
            seeds: CellSeeds::new(67, &key, &key),
            kernel,
        });
        job.map(|job| (job, name))
    };
    let first = || PlayerSpec::new(&game.players[0]);
    let by_kernels = kernels.iter().map(|&kernel| (first(), kernel));
    let others = players.iter().cloned();
    let all = by_kernels.chain(others.map(|player| (player, KernelChoice::Auto)));
    // All before the first game, which may take long.
    let jobs: Vec<_> = all.map(job).collect::<Result<_, _>>()?;
    let mut runners: Vec<_> = jobs
        .into_iter()
        .map(|(job, player)| Runner::new(job, player, time))
        .collect();
    for _ in 0..repeats {
        runners.iter_mut().for_each(Runner::measure);
    }
    let reference = kernels
        .iter()
        .position(|&kernel| kernel == KernelChoice::Reference)
        .map(|at| median(&mut runners[at].ns_per_turn));
    let lines = runners.iter_mut().map(|runner| {
        let ns_per_turn = median(&mut runner.ns_per_turn);
        Measured {
            game: game.name,
            case: case.name.clone(),
            kernel: runner.job.kernel(),
            player: std::mem::take(&mut runner.player),
            games: runner.games,
            turns: runner.turns,
            ns_per_turn,
            // Sorted by the median.
            ns_per_turn_min: runner.ns_per_turn[0],
            wall_ns_per_turn: median(&mut runner.wall_ns_per_turn),
            turns_per_s: 1e9 / ns_per_turn,
            games_per_s: 1e9 / ns_per_turn / (runner.turns as f64 / runner.games as f64),
            lanes: runner.job.sampling().lanes(),
            design_effect: runner.design_effect,
            effective_ns_per_turn: ns_per_turn
                * runner.design_effect.map_or(1.0, |effect| effect.max(1.0)),
            times_reference: reference.map(|reference| reference / ns_per_turn),
        }
    });
    Ok(lines.collect())
}
