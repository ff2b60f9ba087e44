//! How often each interval of the program covers the truth: `cargo run --release --example
//! coverage`.
//!
//! One row for each interval and case: the nominal level, the measured coverage, and the repeated
//! experiments behind it (`exact` where the coverage is computed from the binomial distribution).
//! For tests, the rows are the shares of rejected true hypotheses. For splitting, replications
//! are drawn with repetition from those of a large run, whose win rate is the truth. An argument
//! sets the number of repetitions, 20,000 when left out; cases that take long have a fifth or a
//! tenth of them.

#[path = "coverage/rules.rs"]
mod rules;

use rules::{Given, RULES};
use std::time::Instant;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::splitting::{Splitting, WavePlayer};
use tilelab::players::random::Random;
use tilelab::rng::{Rng, SeedableRng, Stream};
use tilelab::stats::{
    ClusterSums, Interval, Moments, Rule, SplittingSums, WON_MIN, clopper_pearson, equivalence_p, fisher_mid_p,
    newcombe, paired_equivalence_p, quantile_ranks, tango, welch, wilson,
};
use tilelab::{Cell, GameResult, KernelChoice, Outcome, Tally};

const CONFIDENCE: f64 = 0.95;

fn uniform(stream: &mut Stream) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Wins of so many games, by the gaps between them.
fn wins(games: u64, rate: f64, stream: &mut Stream) -> u64 {
    if rate <= 0.0 {
        return 0;
    }
    let mut wins = 0;
    let mut at = 0.0;
    loop {
        at += 1.0 + (uniform(stream).max(1e-300).ln() / (-rate).ln_1p()).floor();
        if at > games as f64 {
            return wins;
        }
        wins += 1;
    }
}

fn print_row(what: &str, case: &str, nominal: f64, measured: f64, repetitions: &str) {
    println!("| {what} | {case} | {:.1} | {:.2} | {repetitions} |", 100.0 * nominal, 100.0 * measured);
}

fn row(interval: &str, case: &str, coverage: f64, repetitions: &str) {
    print_row(interval, case, CONFIDENCE, coverage, repetitions);
}

/// The share of experiments whose interval covers.
fn share(repetitions: u64, mut covers: impl FnMut() -> bool) -> f64 {
    (0..repetitions).filter(|_| covers()).count() as f64 / repetitions as f64
}

/// The probabilities of 0 to `games` wins.
fn binomial(games: u64, rate: f64) -> Vec<f64> {
    let next = |(wins, probability): &(u64, f64)| {
        let ratio = (games - wins) as f64 / (*wins as f64 + 1.0) * rate / (1.0 - rate);
        Some((wins + 1, probability * ratio))
    };
    let all = std::iter::successors(Some((0, (1.0 - rate).powi(games as i32))), next);
    all.take(games as usize + 1).map(|(_, probability)| probability).collect()
}

/// The coverage of an interval for a rate, from the binomial distribution.
fn binomial_coverage(games: u64, rate: f64, interval: impl Fn(u64) -> Interval) -> f64 {
    let covers = |(wins, probability): (u64, f64)| if interval(wins).contains(rate) { probability } else { 0.0 };
    (0..).zip(binomial(games, rate)).map(covers).sum()
}

/// One rate from a fixed number of games.
fn rates() {
    for (games, rate) in [(100, 0.3), (1_000, 0.003), (1_000, 0.05)] {
        let case = format!("{games} games, rate {rate}");
        let exact = binomial_coverage(games, rate, |wins| clopper_pearson(wins, games, CONFIDENCE));
        row("Clopper–Pearson", &case, exact, "exact");
        row("Wilson", &case, binomial_coverage(games, rate, |wins| wilson(wins, games, CONFIDENCE)), "exact");
    }
}

fn rule_text((half_width, relative, max_games): Given) -> String {
    let wanted = |name: &str, width: Option<f64>| width.map(|width| format!("{name} {width}"));
    let widths = [wanted("half_width", half_width), wanted("relative", relative)];
    format!("{}, at most {max_games}", widths.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Cells that stop at a precision: the lowest and the mean coverage over rates. Returns how long
/// the calibration of each rule took [seconds].
fn stopping() -> Vec<f64> {
    // Evenly spread on a logarithmic scale.
    let rates: Vec<f64> = (0..60).map(|step| 1e-5 * 9e4f64.powf(f64::from(step) / 59.0)).collect();
    let mut seconds = Vec::new();
    for given in RULES {
        let (half_width, relative, max_games) = given;
        let begun = Instant::now();
        let rule = Rule::new(half_width, relative, max_games, CONFIDENCE).expect("the rule is valid");
        seconds.push(begun.elapsed().as_secs_f64());
        let all: Vec<f64> = rates.iter().map(|&rate| rule.coverage(rate)).collect();
        let lowest = all.iter().copied().fold(1.0, f64::min);
        row("stopped by a rule, lowest of 60 rates", &rule_text(given), lowest, "exact");
    }
    seconds
}

/// Wins of trajectories of 16 games: half of the trajectories cannot win, the others win twice as
/// often.
fn add_trajectories(sums: &mut ClusterSums, clusters: u64, rate: f64, stream: &mut Stream) {
    // Trajectories without a win are not drawn one by one.
    let winning = 1.0 - (1.0 - 2.0 * rate).powi(16);
    for _ in 0..wins(clusters, winning / 2.0, stream) {
        let total = loop {
            let total = wins(16, 2.0 * rate, stream);
            if total > 0 {
                break total;
            }
        };
        sums.sum += i128::from(total);
        sums.sum_sq += u128::from(total * total);
    }
    sums.clusters += clusters;
}

/// Value lanes, for fixed numbers of games and under stopping rules.
fn lanes(repetitions: u64, stream: &mut Stream) {
    let none = ClusterSums { clusters: 0, size: 16, sum: 0, sum_sq: 0 };
    for (clusters, rate) in [(300, 0.12), (800, 0.01), (800, 0.001), (3_000, 0.0003)] {
        let coverage = share(repetitions, || {
            let mut sums = none;
            add_trajectories(&mut sums, clusters, rate, stream);
            sums.rate_interval(CONFIDENCE).is_some_and(|found| found.contains(rate))
        });
        let case = format!("{clusters} trajectories, rate {rate}");
        row("value lanes", &case, coverage, &repetitions.to_string());
    }
    let repetitions = repetitions / 2;
    for (given, rate) in [
        ((Some(0.01), None, 1 << 20), 0.05),
        ((Some(0.001), None, 1 << 20), 0.0005),
        ((None, Some(0.5), 1 << 20), 0.001),
        ((None, Some(0.1), 1 << 20), 0.02),
        ((None, Some(0.1), 1 << 20), 0.2),
    ] {
        let (half_width, relative, max_games) = given;
        let rule = Rule::of_lanes(half_width, relative, max_games, CONFIDENCE, 16).expect("the rule is valid");
        let coverage = share(repetitions, || {
            let mut sums = none;
            for (look, games) in rule.looks().enumerate() {
                let more = games / 16 - sums.clusters;
                add_trajectories(&mut sums, more, rate, stream);
                if rule.decide_lanes(look, &sums).is_some() {
                    break;
                }
            }
            rule.lanes_interval(&sums).contains(rate)
        });
        let case = format!("{}, rate {rate}", rule_text(given));
        row("value lanes, stopped by a rule", &case, coverage, &repetitions.to_string());
    }
}

/// The weighted wins of a cell's replications, by which others are drawn with repetition.
struct Replications {
    splitting: Splitting,
    wins: Vec<u64>,
    rate: f64,
}

impl Replications {
    fn play(settings: &str, seed: u64, replications: u64) -> Self {
        let cell = Cell::parse(&format!("sixty-seven {settings}")).expect("the settings are valid");
        let game = SixtySeven::from_params(&cell.params);
        let kernel = Kernel::new(KernelChoice::Auto, &game).expect("a kernel plays these rules");
        let mut engine = WavePlayer { game: &game, kernel: Some(&kernel), player: Random };
        let splitting = Splitting::by_pilot(&mut engine, cell.seeds(seed));
        let mut wins = Vec::new();
        splitting.play(&mut engine, cell.seeds(seed), 0..replications, &mut |_, played| wins.push(played.wins));
        let rate = wins.iter().sum::<u64>() as f64 / replications as f64 / splitting.product(0) as f64;
        Self { splitting, wins, rate }
    }

    /// Adds drawn replications to a tally.
    fn add(&self, tally: &mut Tally, replications: u64, stream: &mut Stream) {
        for _ in 0..replications {
            let wins = self.wins[(stream.next_u64() % self.wins.len() as u64) as usize];
            let result = if wins > 0 { GameResult::Won } else { GameResult::Lost };
            tally.add_replication(&Outcome::new(result, 0), self.splitting.levels(), wins);
        }
    }
}

/// Splitting, for fixed numbers of replications and under stopping rules.
fn splitting(repetitions: u64, stream: &mut Stream) {
    let repeated = repetitions.to_string();
    // Each seed has a pilot run and so levels of its own.
    let cells = [("6×7", 300_000), ("5×5", 1_000_000)];
    for (size, replications, seed) in cells.iter().flat_map(|&(size, most)| [67, 1, 2].map(|seed| (size, most, seed))) {
        let settings = format!("size={} operators=+-", size.replace('×', "x"));
        let cell = Replications::play(&settings, seed, replications);
        let name = format!("{size}, `+-`, seed {seed}");
        for sample in [1_000, 4_000, 16_000] {
            let coverage = share(repetitions, || {
                let mut tally = Tally::new(&[]);
                cell.add(&mut tally, sample, stream);
                let interval = SplittingSums::of(&tally).and_then(|sums| sums.interval(CONFIDENCE));
                interval.is_some_and(|found| found.contains(cell.rate))
            });
            row("splitting", &format!("{name}, {sample} replications"), coverage, &repeated);
        }
        for relative in [0.5, 0.2] {
            let given = (None, Some(relative), 1 << 20);
            let rule = Rule::of_replications(given.0, given.1, given.2, CONFIDENCE).expect("the rule is valid");
            let coverage = share(repetitions, || {
                let mut tally = Tally::new(&[]);
                for (look, replications) in rule.looks().enumerate() {
                    let more = replications - tally.games;
                    cell.add(&mut tally, more, stream);
                    if rule.decide_of(look, &tally).is_some() {
                        break;
                    }
                }
                rule.interval_of(&tally).contains(cell.rate)
            });
            row("splitting, stopped by a rule", &format!("{name}, {}", rule_text(given)), coverage, &repeated);
        }
    }
}

/// Differences of two rates, apart and over pairs.
fn differences(repetitions: u64, stream: &mut Stream) {
    let repeated = repetitions.to_string();
    for (a, b) in [((300, 0.05), (300, 0.08)), ((2_000, 0.005), (1_000, 0.005))] {
        let coverage = share(repetitions, || {
            let wins_a = wins(a.0, a.1, stream);
            let wins_b = wins(b.0, b.1, stream);
            newcombe((wins_a, a.0), (wins_b, b.0), CONFIDENCE).is_some_and(|found| found.contains(a.1 - b.1))
        });
        let case = format!("{} of {} and {} of {}", a.1, a.0, b.1, b.0);
        row("Newcombe, difference of rates", &case, coverage, &repeated);
    }
    for (pairs, only_a, only_b) in [(100, 0.01, 0.03), (500, 0.004, 0.006), (500, 0.05, 0.08), (2_000, 0.001, 0.001)] {
        let coverage = share(repetitions, || {
            let discordant = wins(pairs, only_a + only_b, stream);
            let of_a = wins(discordant, only_a / (only_a + only_b), stream);
            tango(of_a, discordant - of_a, pairs, CONFIDENCE).is_some_and(|found| found.contains(only_b - only_a))
        });
        let case = format!("{pairs} pairs, {only_a} won by A only, {only_b} by B only");
        row("Tango, difference over pairs", &case, coverage, &repeated);
    }
}

/// Moves of a game: geometric, with mean 20.
fn moves(n: u64, stream: &mut Stream) -> Moments {
    let mut moments = Moments { n, sum: 0, sum_sq: 0 };
    for _ in 0..n {
        let one = 1 + (uniform(stream).max(1e-300).ln() / 0.95f64.ln()) as u64;
        moments.sum += i128::from(one);
        moments.sum_sq += u128::from(one * one);
    }
    moments
}

/// Means, their differences, and quantiles.
fn means(repetitions: u64, stream: &mut Stream) {
    let repeated = repetitions.to_string();
    for n in [10, 100, 1_000] {
        let coverage = share(repetitions, || {
            moves(n, stream).estimate().is_some_and(|found| found.interval(CONFIDENCE).contains(20.0))
        });
        row("mean, Student's t", &format!("{n} geometric numbers"), coverage, &repeated);
    }
    for rate in [0.01, 0.02, 0.1] {
        let mut shown = 0_u64;
        let covered = (0..repetitions).filter(|_| {
            let won = wins(1_000, rate, stream);
            let found = (won as f64 >= WON_MIN).then(|| moves(won, stream).estimate()).flatten();
            shown += u64::from(found.is_some());
            found.is_some_and(|found| found.interval(CONFIDENCE).contains(20.0))
        });
        let covered = covered.count() as f64;
        let case = format!("1000 games, rate {rate}, {WON_MIN} wins at least");
        row("mean moves of won games", &case, covered / shown as f64, &shown.to_string());
    }
    for n in [100, 1_000] {
        let coverage = share(repetitions, || {
            let a = moves(n, stream).estimate();
            let b = moves(2 * n, stream).estimate();
            a.zip(b).is_some_and(|(a, b)| welch(&a, &b, CONFIDENCE).interval.contains(0.0))
        });
        row("difference of means, Welch", &format!("{n} and {}", 2 * n), coverage, &repeated);
    }
    for q in [0.5, 0.9] {
        let n = 1_000;
        let (lower, upper) = quantile_ranks(n, q, CONFIDENCE).expect("the ranks exist");
        let coverage = share(repetitions, || {
            let mut values: Vec<u64> = (0..n).map(|_| stream.next_u64()).collect();
            values.sort_unstable();
            let quantile = (q * 2f64.powi(64)) as u64;
            (values[lower as usize - 1]..=values[upper as usize - 1]).contains(&quantile)
        });
        row("quantile by ranks", &format!("{n} numbers, order {q}"), coverage, &repeated);
    }
}

/// How often tests reject a true hypothesis at their level.
fn tests(repetitions: u64, stream: &mut Stream) {
    for (games, rate) in [(100, 0.1), (500, 0.01), (500, 0.05)] {
        let probabilities = binomial(games, rate);
        let mut mid = 0.0;
        let mut exact = 0.0;
        let likely = |wins: &usize| probabilities[*wins] > 1e-7;
        for a in (0..=games as usize).filter(likely) {
            for b in (0..=games as usize).filter(likely) {
                let (p_mid, p_exact) = fisher_mid_p((a as u64, games), (b as u64, games));
                let probability = probabilities[a] * probabilities[b];
                mid += if p_mid <= 0.05 { probability } else { 0.0 };
                exact += if p_exact <= 0.05 { probability } else { 0.0 };
            }
        }
        let case = format!("twice {games} games, rate {rate}");
        print_row("rejected by Fisher's test, mid-p", &case, 0.05, mid, "exact");
        print_row("rejected by Fisher's test, exact p", &case, 0.05, exact, "exact");
    }
    let repeated = repetitions.to_string();
    // Rates that differ by exactly the margin are not equivalent.
    let size = share(repetitions, || {
        let a = wins(5_000, 0.05, stream);
        let b = wins(5_000, 0.07, stream);
        equivalence_p((a, 5_000), (b, 5_000), 0.02).is_some_and(|p| p <= 0.05)
    });
    print_row("called equivalent, unpaired", "0.05 and 0.07 of 5000, margin 0.02", 0.05, size, &repeated);
    let size = share(repetitions, || {
        let discordant = wins(2_000, 0.06, stream);
        let of_a = wins(discordant, 1.0 / 3.0, stream);
        paired_equivalence_p(of_a, discordant - of_a, 2_000, 0.02).is_some_and(|p| p <= 0.05)
    });
    let case = "2000 pairs, 0.02 won by A only, 0.04 by B only, margin 0.02";
    print_row("called equivalent over pairs", case, 0.05, size, &repeated);
}

fn main() {
    let repetitions = std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of repetitions"));
    let mut stream = Stream::seed_from_u64(67);
    println!("| interval or test | case | nominal % | measured % | repetitions |");
    println!("| --- | --- | ---: | ---: | ---: |");
    rates();
    let seconds = stopping();
    lanes(repetitions / 5, &mut stream);
    splitting(repetitions / 10, &mut stream);
    differences(repetitions, &mut stream);
    means(repetitions / 5, &mut stream);
    tests(repetitions, &mut stream);
    let most = seconds.iter().copied().fold(0.0, f64::max);
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
    eprintln!("calibration of a rule: {mean:.3} s on average, {most:.3} s at most");
}
