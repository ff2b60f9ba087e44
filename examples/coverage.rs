//! How often each interval of the program covers the truth, measured with games that are played:
//! `cargo run --release --example coverage`.
//!
//! Each case plays one cell again and again, each sample with games of its own, and counts the
//! samples whose interval lies below the truth, above it, or holds it. The truth is that of many
//! more games of the same cell with another seed. Stopping rules and tests of rates are computed
//! from the binomial distribution instead (`exact`). An argument sets the number of samples, 2,000
//! when left out; `standings` or `tests` before it leaves out all but matches or sequential tests
//! of measures, and a number behind it all matches but that. Of sequential tests, "covered" are
//! those that were not wrong.

#[path = "coverage/rules.rs"]
mod rules;

use rules::{Given, RULES};
use tilelab::compare::play_pairs;
use tilelab::game::Job;
use tilelab::matches::{HALF_POINTS_AT, half_points_max};
use tilelab::stats::{
    ClusterSums, Estimate, Interval, Limits, Moments, PairPoints, Ranged, RateInterval, Rule,
    Sample, Seen, Shape, SplittingSums, Sprt, Standing, Standings, StopReason, Stratum, Summary,
    Units, Wins, clopper_pearson, elo_of_share, fisher_mid_p, mcnemar_mid_p, mid_p, quantile_ranks,
    rate_difference, welch, wilson,
};
use tilelab::tally::Powers;
use tilelab::{Cell, KernelChoice, Overrides, Plan, Tally};

const CONFIDENCE: f64 = 0.95;
/// Games behind a truth, as a multiple of those of a sample.
const TRUTH: u64 = 1_000;

fn job(cell: &str, seed: u64) -> Box<dyn Job> {
    let cell = Cell::parse(cell).expect("the cell is valid");
    cell.job(seed, KernelChoice::Auto)
        .expect("the cell can be played")
}

/// Samples of a cell, each of `games` games of its own.
struct Samples {
    job: Box<dyn Job>,
    games: u64,
    next: u64,
}

impl Samples {
    fn new(cell: &str, games: u64) -> Self {
        Self {
            job: job(cell, 67),
            games,
            next: 0,
        }
    }

    /// The next games, added to a tally.
    fn add(&mut self, games: u64, tally: &mut Tally) {
        self.job.play(self.next..self.next + games, tally, None);
        self.next += games;
    }

    fn draw(&mut self) -> Tally {
        let mut tally = Tally::new(self.job.measures());
        self.add(self.games, &mut tally);
        tally
    }
}

/// Many games of a cell with another seed.
fn truth(cell: &str, games: u64) -> Tally {
    let job = job(cell, 1);
    let mut tally = Tally::new(job.measures());
    let mut next = 0;
    while next < games {
        let batch = job.batch_games().max(1).min(games - next);
        job.play(next..next + batch, &mut tally, None);
        next += batch;
    }
    tally
}

fn rate(tally: &Tally) -> f64 {
    match SplittingSums::of(tally) {
        Some(sums) => sums.rate().expect("there are replications"),
        None => tally.wins as f64 / tally.games as f64,
    }
}

/// Where the truth lay.
#[derive(Clone, Copy, Debug, Default)]
struct Tails {
    below: u64,
    above: u64,
    shown: u64,
}

impl Tails {
    fn add(&mut self, interval: Option<Interval>, truth: f64) {
        let Some(interval) = interval else { return };
        self.shown += 1;
        self.below += u64::from(truth < interval.lo);
        self.above += u64::from(truth > interval.hi);
    }

    fn print(&self, interval: &str, estimand: &str, case: &str) {
        let percent = |count: u64| 100.0 * count as f64 / self.shown.max(1) as f64;
        println!(
            "| {interval} | {estimand} | {case} | {:.1} | {:.1} | {:.1} | {} |",
            percent(self.shown - self.below - self.above),
            percent(self.below),
            percent(self.above),
            self.shown
        );
    }
}

fn print_exact(what: &str, estimand: &str, case: &str, percent: f64) {
    println!(
        "| {what} | {estimand} | {case} | {:.1} | | | exact |",
        100.0 * percent
    );
}

/// The mean of a game's moves.
fn moves(tally: &Tally) -> Estimate {
    let estimate = match ClusterSums::of_moves(tally) {
        Some(sums) => sums.estimate(),
        None => Moments::of_unsigned(tally.games, tally.moves_sum, tally.moves_sum_sq).estimate(),
    };
    estimate.expect("there are games")
}

/// Rates, moves, won moves, quantiles and differences of plain games.
fn plain(cell: &str, games: u64, samples: u64) {
    let all = truth(cell, TRUTH * games);
    let rate = rate(&all);
    let won = all.moves_win_sum as f64 / all.wins as f64;
    let mean = all.moves_sum as f64 / all.games as f64;
    let quantiles = [0.5, 0.9].map(|q| all.moves_quantile(q).expect("there are games") as f64);
    let case = format!("{cell}, {games} games, {:.0} won", rate * games as f64);
    let mut sample = Samples::new(cell, games);
    let mut tails = [Tails::default(); 9];
    let mut before: Option<Tally> = None;
    for _ in 0..samples {
        let tally = sample.draw();
        let counts = (tally.wins, tally.games);
        let summary = Summary::of(&tally, CONFIDENCE);
        let share = |interval: Option<Interval>| interval.map(|found| found.scaled(0.01));
        tails[0].add(share(summary.win_pct_exact), rate);
        tails[1].add(share(summary.win_pct_wilson), rate);
        tails[2].add(Some(mid_p(counts.0, counts.1, CONFIDENCE)), rate);
        tails[3].add(summary.moves_win_interval, won);
        let estimate = moves(&tally);
        tails[4].add(Some(estimate.interval(CONFIDENCE)), mean);
        tails[5].add(quantile_interval(&tally, 0.5), quantiles[0]);
        tails[6].add(quantile_interval(&tally, 0.9), quantiles[1]);
        if let Some(other) = before.take() {
            let found = rate_difference(counts, (other.wins, other.games), CONFIDENCE);
            tails[7].add(found.map(|found| found.interval), 0.0);
            let found = welch(&estimate, &moves(&other), CONFIDENCE);
            tails[8].add(Some(found.interval), 0.0);
        } else {
            before = Some(tally);
        }
    }
    for (tails, (interval, estimand)) in tails.iter().zip([
        ("Clopper–Pearson", "win rate"),
        ("Wilson", "win rate"),
        ("mid-p", "win rate"),
        ("Hall", "mean moves of won games"),
        ("Student", "mean moves"),
        ("order statistics", "median of moves"),
        ("order statistics", "90 % quantile of moves"),
        ("Newcombe, with Fisher's mid-p", "difference of win rates"),
        ("Welch", "difference of mean moves"),
    ]) {
        tails.print(interval, estimand, &case);
    }
}

/// The moves between which a quantile lies, from the order statistics.
fn quantile_interval(tally: &Tally, q: f64) -> Option<Interval> {
    let (lower, upper) = quantile_ranks(tally.games, q, CONFIDENCE)?;
    let at = |rank: u64| {
        let mut games = 0;
        let mut all = tally.moves_distribution();
        all.find(|(_, count)| {
            games += count;
            games >= rank
        })
    };
    Some(Interval {
        lo: at(lower)?.0 as f64,
        hi: at(upper)?.0 as f64,
    })
}

/// Prints the coverage of value lanes.
fn lanes(cell: &str, trajectories: u64, samples: u64) {
    let all = truth(cell, TRUTH * 16 * trajectories);
    let rate = rate(&all);
    let won = all.moves_win_sum as f64 / all.wins as f64;
    let mean = all.moves_sum as f64 / all.games as f64;
    let case = format!(
        "{cell} lanes=16, {trajectories} trajectories, {:.0} won",
        rate * 16.0 * trajectories as f64
    );
    let mut sample = Samples::new(&format!("{cell} lanes=16"), 16 * trajectories);
    let mut tails = [Tails::default(); 6];
    let mut before: Option<((u64, u64), Estimate)> = None;
    for _ in 0..samples {
        let tally = sample.draw();
        let sums = ClusterSums::of_wins(&tally).expect("the games share trajectories");
        tails[0].add(sums.rate_interval(CONFIDENCE), rate);
        tails[1].add(sums.wilson_interval(CONFIDENCE), rate);
        tails[2].add(Summary::of(&tally, CONFIDENCE).moves_win_interval, won);
        let effective = sums.effective_games().unwrap_or_default().round();
        let counts = (
            (tally.wins as f64 / tally.games as f64 * effective).round() as u64,
            effective as u64,
        );
        let estimate = moves(&tally);
        tails[3].add(Some(estimate.interval(CONFIDENCE)), mean);
        if let Some((other, moves)) = before.take() {
            let found = rate_difference(counts, other, CONFIDENCE);
            tails[4].add(found.map(|found| found.interval), 0.0);
            let found = welch(&estimate, &moves, CONFIDENCE);
            tails[5].add(Some(found.interval), 0.0);
        } else {
            before = Some((counts, estimate));
        }
    }
    for (tails, (interval, estimand)) in tails.iter().zip([
        ("Clopper–Pearson on effective counts", "win rate"),
        ("Wilson with effective games", "win rate"),
        ("Hall, cluster-robust", "mean moves of won games"),
        ("Student, cluster-robust", "mean moves"),
        ("Newcombe on effective counts", "difference of win rates"),
        ("Welch, cluster-robust", "difference of mean moves"),
    ]) {
        tails.print(interval, estimand, &case);
    }
}

/// Splitting: one pilot run, and samples of its replications.
fn splitting(cell: &str, replications: u64, samples: u64) {
    let cell = format!("{cell} method=splitting");
    let mut sample = Samples::new(&cell, replications);
    // The levels are those of the samples: the estimate is unbiased whatever they are, and what is
    // measured is the interval.
    let mut all = Tally::new(sample.job.measures());
    let drawn: Vec<Tally> = (0..samples).map(|_| sample.draw()).collect();
    drawn.iter().for_each(|tally| all.merge(tally));
    let truth = rate(&all);
    let won = all.wins as f64 / samples as f64;
    let case = format!("{cell}, {replications} replications, {won:.0} won");
    let mut tails = [Tails::default(); 2];
    let sums = |tally: &Tally| SplittingSums::of(tally).expect("the games are split");
    for tally in &drawn {
        tails[0].add(sums(tally).interval(CONFIDENCE), truth);
    }
    let limits = |tally: &Tally| {
        Some(Limits::of_interval(
            rate(tally),
            sums(tally).interval(CONFIDENCE)?,
            CONFIDENCE,
        ))
    };
    for pair in drawn.chunks_exact(2) {
        let found = limits(&pair[0]).zip(limits(&pair[1]));
        tails[1].add(
            found.map(|(a, b)| a.difference(&b, CONFIDENCE).interval),
            0.0,
        );
    }
    tails[0].print("Hall", "win rate", &case);
    tails[1].print("from both limits", "difference of win rates", &case);
}

/// Pairs of games that met the same random numbers.
fn pairs(a: &str, b: &str, games: u64, samples: u64) {
    let sums = |seed: u64, games: u64| {
        play_pairs(job(a, seed).as_ref(), job(b, seed).as_ref(), None, games)
    };
    let all = sums(1, TRUTH * games);
    let value = |a: u64, b: u64, games: u64| (b as f64 - a as f64) / games as f64;
    let truth = value(all.only_a, all.only_b, all.games);
    let mean = (all.moves.of[1] - all.moves.of[0]) as f64 / all.games as f64;
    let mut tails = [Tails::default(); 2];
    let mut disagreed = 0;
    for seed in 0..samples {
        let sums = sums(1_000 + seed, games);
        let found = sums.rates(CONFIDENCE).expect("there are pairs");
        disagreed += u64::from(found.interval.contains(0.0) == (found.p_value <= 1.0 - CONFIDENCE));
        tails[0].add(Some(found.interval), truth);
        let found = sums
            .moves
            .difference(sums.games, CONFIDENCE)
            .map(|found| found.interval);
        tails[1].add(found, mean);
    }
    assert_eq!(disagreed, 0, "interval and test agree");
    let differing = (all.only_a + all.only_b) as f64 / TRUTH as f64;
    let case = format!("{a} and {b}, {games} pairs, {differing:.0} differ");
    tails[0].print(
        "Tango, with McNemar's mid-p",
        "difference of win rates",
        &case,
    );
    tails[1].print("Student, of pairs", "difference of mean moves", &case);
}

/// A cell that stops at a precision, in plain games or replications.
fn stopped(cell: &str, (half_width, relative): (Option<f64>, Option<f64>), samples: u64) {
    const MOST: u64 = 1 << 20;
    let all = truth(cell, (5_000 * samples).min(4_000_000));
    let truth = rate(&all);
    let is_split = SplittingSums::of(&all).is_some();
    let (units, name) = if is_split {
        (Units::Replications, "Hall, corrected")
    } else {
        let units = Units::Games(RateInterval::ClopperPearson);
        (units, "Clopper–Pearson, corrected")
    };
    let rule = Rule::of(units, half_width, relative, MOST, CONFIDENCE).expect("the rule is valid");
    let mut sample = Samples::new(cell, 0);
    let mut tails = Tails::default();
    let mut median = Tails::default();
    let mut differences = Tails::default();
    let mut before: Option<Limits> = None;
    let mut won = 0;
    for _ in 0..samples {
        let mut tally = Tally::new(sample.job.measures());
        for (look, at) in rule.looks().enumerate() {
            sample.add(at - tally.games, &mut tally);
            if rule.decide(look, &Wins::of(&tally)).is_some() {
                break;
            }
        }
        won += tally.wins;
        let interval = rule.interval(&Wins::of(&tally));
        tails.add(Some(interval), truth);
        if !is_split {
            let estimate = rule.median_unbiased(tally.wins, tally.games);
            median.add(
                Some(Interval {
                    lo: estimate,
                    hi: estimate,
                }),
                truth,
            );
        }
        let limits = Limits::of_interval(rate(&tally), interval, CONFIDENCE);
        match before.take() {
            Some(other) => {
                let found = limits.difference(&other, CONFIDENCE);
                differences.add(Some(found.interval), 0.0);
            }
            None => before = Some(limits),
        }
    }
    let wanted = |name: &str, width: Option<f64>| width.map(|width| format!("{name} = {width}"));
    let text = wanted("half_width", half_width)
        .or(wanted("relative", relative))
        .unwrap_or_default();
    let case = format!("{cell}, {text}, {:.0} won", won as f64 / samples as f64);
    tails.print(name, "win rate after stopping", &case);
    if !is_split {
        median.print(
            "median-unbiased estimate, as a point",
            "win rate after stopping",
            &case,
        );
    }
    differences.print(
        "from both limits",
        "difference of win rates after stopping",
        &case,
    );
}

/// A measure that a game reports besides.
fn measure(cell: &str, games: u64, samples: u64) {
    let moments = |tally: &Tally| {
        let measure = &tally.measures[1];
        Moments {
            n: tally.games,
            sum: measure.sum,
            sum_sq: measure.sum_sq,
        }
    };
    let mean = moments(&truth(cell, TRUTH / 4 * games))
        .mean()
        .expect("there are games");
    let mut sample = Samples::new(cell, games);
    let mut tails = [Tails::default(); 2];
    let mut before: Option<Estimate> = None;
    for _ in 0..samples {
        let estimate = moments(&sample.draw()).estimate();
        let estimate = estimate.expect("there are games");
        tails[0].add(Some(estimate.interval(CONFIDENCE)), mean);
        match before.take() {
            Some(other) => tails[1].add(Some(welch(&estimate, &other, CONFIDENCE).interval), 0.0),
            None => before = Some(estimate),
        }
    }
    let case = format!("{cell}, {games} games");
    tails[0].print("Student", "mean of a measure", &case);
    tails[1].print("Welch", "difference of means of a measure", &case);
}

fn rule_text((half_width, relative, max_games): Given) -> String {
    let wanted = |name: &str, width: Option<f64>| width.map(|width| format!("{name} {width}"));
    let widths = [
        wanted("half_width", half_width),
        wanted("relative", relative),
    ];
    format!(
        "{}, at most {max_games}",
        widths.into_iter().flatten().collect::<Vec<_>>().join(", ")
    )
}

/// Stopping rules: the lowest coverage over 60 rates from 0.00001 to 0.9.
fn rules() {
    let rates = (0..60).map(|step| 1e-5 * 9e4f64.powf(f64::from(step) / 59.0));
    let rates: Vec<f64> = rates.collect();
    for given in RULES {
        let (half_width, relative, max_games) = given;
        let rule =
            Rule::new(half_width, relative, max_games, CONFIDENCE).expect("the rule is valid");
        let lowest = rates
            .iter()
            .map(|&rate| rule.coverage(rate))
            .fold(1.0, f64::min);
        print_exact(
            "Clopper–Pearson, corrected",
            "win rate after stopping, lowest of 60",
            &rule_text(given),
            lowest,
        );
    }
}

/// The probabilities of 0 to `games` wins.
fn binomial(games: u64, rate: f64) -> Vec<f64> {
    let next = |(wins, probability): &(u64, f64)| {
        let ratio = (games - wins) as f64 / (*wins as f64 + 1.0) * rate / (1.0 - rate);
        Some((wins + 1, probability * ratio))
    };
    let all = std::iter::successors(Some((0, (1.0 - rate).powi(games as i32))), next);
    all.take(games as usize + 1)
        .map(|(_, probability)| probability)
        .collect()
}

/// Coverage at rates for which from half to twice as many games are won: the mean, since that at
/// one rate depends on where it lies between two counts.
fn rates() {
    const RATES: u32 = 200;
    for (games, won) in [(300, 2), (1_000, 8), (2_600, 20), (8_000, 60)] {
        let rates = (0..=RATES).map(|step| {
            let ratio = 0.5 * 4f64.powf(f64::from(step) / f64::from(RATES));
            ratio * won as f64 / games as f64
        });
        let rates: Vec<f64> = rates.collect();
        let methods = [clopper_pearson, wilson, mid_p];
        for (name, method) in ["Clopper–Pearson", "Wilson", "mid-p"].iter().zip(methods) {
            let most = 5 * won + 20;
            let intervals: Vec<Interval> = (0..=most)
                .map(|wins| method(wins, games, CONFIDENCE))
                .collect();
            let covered = |rate: f64| {
                let probabilities = binomial(games, rate).into_iter().zip(&intervals);
                let holds = probabilities.filter(|(_, interval)| interval.contains(rate));
                holds.map(|(probability, _)| probability).sum::<f64>()
            };
            let mean = rates.iter().map(|&rate| covered(rate)).sum::<f64>() / rates.len() as f64;
            print_exact(
                name,
                "win rate, mean over rates",
                &format!("{games} games, {} to {} won on average", won / 2, 2 * won),
                mean,
            );
        }
    }
}

/// How often tests accept a true hypothesis at their level of 5 %.
fn tests() {
    for (games, rate) in [(100, 0.1), (500, 0.01), (500, 0.05)] {
        let probabilities = binomial(games, rate);
        let mut accepted = [0.0, 0.0];
        let likely = |wins: &usize| probabilities[*wins] > 1e-7;
        for a in (0..=games as usize).filter(likely) {
            for b in (0..=games as usize).filter(likely) {
                let (mid, exact) = fisher_mid_p((a as u64, games), (b as u64, games));
                for (sum, p) in accepted.iter_mut().zip([mid, exact]) {
                    *sum += if p > 0.05 {
                        probabilities[a] * probabilities[b]
                    } else {
                        0.0
                    };
                }
            }
        }
        let case = format!("twice {games} games, rate {rate}");
        print_exact("Fisher's mid-p", "no difference", &case, accepted[0]);
        print_exact("Fisher's exact p", "no difference", &case, accepted[1]);
    }
    for differing in [15u64, 40] {
        let accepted = |p: fn((f64, f64)) -> f64| {
            let all = binomial(1_000, differing as f64 / 1_000.0)
                .into_iter()
                .enumerate();
            all.filter(|(_, share)| *share > 1e-12)
                .map(|(pairs, share)| {
                    let half = binomial(pairs as u64, 0.5).into_iter().enumerate();
                    let kept = half
                        .filter(|(a, _)| p(mcnemar_mid_p(*a as u64, (pairs - a) as u64)) > 0.05);
                    share * kept.map(|(_, probability)| probability).sum::<f64>()
                })
                .sum::<f64>()
        };
        let case = format!("1000 pairs, {differing} differ on average");
        print_exact("McNemar's mid-p", "no difference", &case, accepted(|p| p.0));
        print_exact(
            "McNemar's exact p",
            "no difference",
            &case,
            accepted(|p| p.1),
        );
    }
}

/// Starts of the samples whose standings are looked at.
const STARTS: [u64; 4] = [20, 50, 100, 200];
/// Starts that are played together; samples are made of these.
const TOGETHER: u64 = 10;

/// What standings say of players and of every two: intervals with their estimates.
type Said = [Vec<Option<Ranged>>; 6];

/// The standings of a tally.
fn said(tally: &Tally, most: i64) -> Said {
    let Some(sums) = tally.blocks() else {
        let points = PairPoints::new(&tally.measures[HALF_POINTS_AT].counts, most);
        let value = points.mean().expect("there are pairs");
        let interval = points.interval(CONFIDENCE).expect("there are pairs");
        let [lo, hi] = [interval.lo, interval.hi].map(elo_of_share);
        let of_elo = Ranged {
            value: elo_of_share(value),
            interval: Interval { lo, hi },
        };
        let share = Ranged { value, interval };
        let mut said = Said::default();
        said[4].push(Some(share));
        said[5].push(of_elo.value.is_finite().then_some(of_elo));
        return said;
    };
    let has_chance = true;
    let stratum = [Stratum { sums, has_chance }];
    let found = Standings::new(&stratum, most, CONFIDENCE).expect("there are blocks");
    let players = found.players.iter();
    let points = |is_rough: bool| {
        let players = players.clone();
        let of = |player: &Standing| (player.is_rough == is_rough).then_some(player.points);
        players.map(of).collect()
    };
    [
        points(false),
        points(true),
        players.clone().map(|player| player.elo).collect(),
        found.leads.iter().map(|lead| Some(lead.points)).collect(),
        found.leads.iter().map(|lead| lead.share).collect(),
        found.leads.iter().map(|lead| lead.elo).collect(),
    ]
}

/// The standings of the first players of a match, in `samples` samples of 200 starts, and in
/// smaller samples of the same starts.
fn standings(rules: &str, players: &[&str], count: usize, samples: u64) {
    let players = players[..count].iter().map(|player| format!("{player:?}"));
    let players: Vec<String> = players.collect();
    let text = format!(
        "name = \"m\"\nseed = 67\n[[table]]\ntitle = \"t\"\n{rules}\nmatch = [{}]\n",
        players.join(", ")
    );
    let plan = Plan::parse(&text, Overrides::default()).expect("the match is valid");
    let cell = &plan.cells[0];
    let most = half_points_max(cell.game);
    let job = cell
        .job(plan.seed, KernelChoice::Auto)
        .expect("the match can be played");
    let all = samples * STARTS[STARTS.len() - 1];
    let truth = tilelab::play_games(job.as_ref(), all..5 * all);
    let mut truths = said(&truth, most);
    // Which players are marked in a sample is no matter of the truth.
    truths[1] = truths[0].clone();
    let played: Vec<Tally> = (0..all / TOGETHER)
        .map(|at| tilelab::play_games(job.as_ref(), at * TOGETHER..(at + 1) * TOGETHER))
        .collect();
    for starts in STARTS {
        let mut tails = [Tails::default(); 6];
        for sample in played.chunks_exact((starts / TOGETHER) as usize) {
            let mut tally = Tally::new(job.measures());
            sample.iter().for_each(|some| tally.merge(some));
            for ((tails, found), truth) in tails.iter_mut().zip(said(&tally, most)).zip(&truths) {
                for (found, truth) in found.into_iter().zip(truth) {
                    if let (Some(found), Some(truth)) = (found, truth) {
                        tails.add(Some(found.interval), truth.value);
                    }
                }
            }
        }
        let case = format!(
            "{}, {count} players, {starts} starts",
            rules.replace('\n', ", ").replace('"', "")
        );
        for (tails, estimand) in tails.iter().zip([
            "points of a player",
            "points of a player, marked",
            "Elo",
            "difference of points",
            "points in meetings of two",
            "difference of Elo",
        ]) {
            if tails.shown > 0 {
                tails.print("blocks", estimand, &case);
            }
        }
    }
}

/// Matches in one-player and two-player games: all, or that of this number from 1.
fn matches(samples: u64, chosen: Option<usize>) {
    let orders = [
        "u", "ud", "lr", "drul", "udlr", "l", "uuld", "ulu", "d", "r", "ur", "dl", "rrd", "llu",
        "udl", "rul", "urdl", "dlur",
    ];
    let mut cycles = vec!["random".to_owned(), "cycle".to_owned()];
    cycles.extend(orders.map(|order| format!("cycle(order={order})")));
    let cycles: Vec<&str> = cycles.iter().map(String::as_str).collect();
    let small = "game = \"67\"\nsize = \"4x4\"\nmeasure = \"moves\"";
    let smaller = "game = \"67\"\nsize = \"3x3\"\nmeasure = \"moves\"";
    let outcome = "game = \"67\"\nsize = \"3x3\"\ntarget = 9";
    let zero_sum = "game = \"zero-sum\"\nopening = 4";
    let searchers = ["random", "greedy", "minimax(depth=1)", "minimax(depth=2)"];
    let offset = "game = \"offset\"\nside = 5\nd = 5";
    let cases: [(&str, &[&str], usize); 9] = [
        (small, &cycles, 2),
        (small, &cycles, 3),
        (small, &cycles, 6),
        (small, &cycles, 10),
        (smaller, &cycles, 20),
        (outcome, &cycles, 6),
        (zero_sum, &searchers, 2),
        (zero_sum, &searchers, 4),
        (offset, &["random", "greedy", "mobility"], 3),
    ];
    for ((rules, players, count), number) in cases.into_iter().zip(1..) {
        if chosen.is_none_or(|chosen| chosen == number) {
            standings(rules, players, count, samples);
        }
    }
}

/// The mean of what a game reports, tested in pairs until it is decided: how often the sequential
/// test of a measure is wrong at each end. Pairs are drawn from some that were played.
fn tested(first: &str, second: &str, samples: u64) {
    const PLAYED: u64 = 20_000;
    let mut jobs = [first, second].map(|cell| Samples::new(cell, 1));
    let mut moves = || {
        let [first, second] = jobs.each_mut().map(|sample| sample.draw().moves_sum as i64);
        first - second
    };
    let differences: Vec<i64> = (0..PLAYED).map(|_| moves()).collect();
    let n = PLAYED as f64;
    let mean = differences.iter().sum::<i64>() as f64 / n;
    let squares = differences
        .iter()
        .map(|&value| (value as f64 - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    for distance in [0.1, 0.2] {
        for (end, offset, wrong) in [
            ("low", 0.0, StopReason::Upper),
            ("high", -distance * deviation, StopReason::Lower),
        ] {
            let lower = mean + offset;
            let upper = lower + distance * deviation;
            let test = Sprt::of_measure(lower, upper, 0.05, 0.05, 1 << 20).expect("a valid test");
            let mut stream = 67_u64;
            let mut draw = || {
                stream = tilelab::rng::mix(stream.wrapping_add(1));
                differences[(stream % PLAYED) as usize]
            };
            let mut errors = Tails::default();
            for _ in 0..samples {
                let decided = decided(&test, &mut draw);
                errors.shown += 1;
                errors.above += u64::from(decided == wrong);
            }
            let case = format!("{first} against {second}, {distance} standard deviations");
            errors.print("sequential test", &format!("mean difference, {end}"), &case);
        }
    }
}

/// How a test of a measure ends whose pairs have these differences.
fn decided(test: &Sprt, draw: &mut impl FnMut() -> i64) -> StopReason {
    let mut moments = Moments::default();
    let mut powers = Powers::default();
    for (look, end) in test.looks().enumerate() {
        while moments.n < end {
            let value = i128::from(draw());
            moments.n += 1;
            moments.sum += value;
            moments.sum_sq += value.unsigned_abs().pow(2);
            powers.cubed += value.pow(3);
            powers.fourth += value.unsigned_abs().pow(4);
        }
        let sample = Sample {
            pairs: moments.n,
            mean: moments.mean().expect("there are pairs"),
            variance: moments.variance().expect("there are pairs"),
            seen: Seen::Shape(Shape::of_powers(&moments, powers)),
        };
        if let Some(reason) = test.decide(look, &sample) {
            return reason;
        }
    }
    unreachable!("the last look ends the test")
}

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let only = arguments.next_if(|text| text == "standings" || text == "tests");
    let samples = arguments
        .next()
        .map_or(2_000, |text| text.parse().expect("a number of samples"));
    println!(
        "| interval or test | estimand | case | covered % | truth below % | truth above % | samples |"
    );
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: |");
    if only.as_deref() != Some("tests") {
        let chosen = arguments.next();
        let chosen = chosen.map(|text| text.parse().expect("the number of a match"));
        matches(samples / 10, chosen);
    }
    if only.as_deref() != Some("standings") {
        tested(
            "sixty-seven rules=merge-runs size=5x5 operator_rate=0.72 player=random",
            "sixty-seven rules=merge-runs size=5x5 operator_rate=0.72 player=cycle(order=l)",
            2 * samples,
        );
    }
    if only.is_some() {
        return;
    }
    // 2, 8, 20 and 60 won games on average.
    for games in [300, 1_000, 2_600, 8_000] {
        plain("sixty-seven size=3x3 target=21", games, samples);
    }
    plain("sixty-seven size=3x3 target=9", 1_000, samples);
    lanes("sixty-seven size=3x3 target=9", 50, samples);
    lanes("sixty-seven size=3x3 target=9", 300, samples);
    splitting("sixty-seven size=4x4 operators=+-", 400, samples / 2);
    splitting("sixty-seven size=4x4 operators=+-", 4_000, samples / 2);
    splitting("sixty-seven size=5x5 operators=+-", 2_000, samples / 4);
    pairs(
        "sixty-seven size=3x3 target=9 operator_rate=0.5 player=random",
        "sixty-seven size=3x3 target=9 operator_rate=0.5 player=cycle",
        300,
        samples,
    );
    stopped("sixty-seven size=3x3 target=21", (None, Some(0.9)), samples);
    stopped("sixty-seven size=3x3 target=21", (None, Some(0.3)), samples);
    stopped(
        "sixty-seven size=3x3 target=21",
        (Some(0.004), None),
        samples,
    );
    stopped(
        "sixty-seven size=4x4 operators=+- method=splitting",
        (None, Some(0.5)),
        samples / 8,
    );
    stopped(
        "sixty-seven size=5x5 operators=+- method=splitting",
        (None, Some(0.5)),
        samples / 8,
    );
    measure("twenty-forty-eight size=3x3", 50, samples);
    rates();
    rules();
    tests();
}
