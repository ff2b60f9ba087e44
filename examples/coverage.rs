//! How often each interval of the program covers the truth: `cargo run --release --example
//! coverage`.
//!
//! One row for each interval and case: the nominal level, the measured coverage, and the repeated
//! experiments behind it (`exact` where the coverage is computed from the binomial distribution).
//! An argument sets the number of repetitions, 20,000 when left out.

use tilelab::rng::{Rng, SeedableRng, Stream};
use tilelab::stats::{ClusterSums, Interval, Moments, Rule, clopper_pearson, newcombe, quantile_ranks, welch, wilson};

const CONFIDENCE: f64 = 0.95;

fn uniform(stream: &mut Stream) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Wins of so many games, drawn game by game.
fn wins(games: u64, rate: f64, stream: &mut Stream) -> u64 {
    (0..games).filter(|_| uniform(stream) < rate).count() as u64
}

fn row(interval: &str, case: &str, coverage: f64, repetitions: &str) {
    println!("| {interval} | {case} | {:.1} | {:.2} | {repetitions} |", 100.0 * CONFIDENCE, 100.0 * coverage);
}

/// The share of experiments whose interval covers.
fn share(repetitions: u64, mut covers: impl FnMut() -> bool) -> f64 {
    (0..repetitions).filter(|_| covers()).count() as f64 / repetitions as f64
}

/// The coverage of an interval for a rate, from the binomial distribution.
fn binomial_coverage(games: u64, rate: f64, interval: impl Fn(u64) -> Interval) -> f64 {
    let mut probability = (1.0 - rate).powi(games as i32);
    let mut coverage = 0.0;
    for wins in 0..=games {
        coverage += if interval(wins).contains(rate) { probability } else { 0.0 };
        probability *= (games - wins) as f64 / (wins as f64 + 1.0) * rate / (1.0 - rate);
    }
    coverage
}

fn main() {
    let repetitions = std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of repetitions"));
    let repeated = repetitions.to_string();
    let mut stream = Stream::seed_from_u64(67);
    println!("| interval | case | nominal % | measured % | repetitions |");
    println!("| --- | --- | ---: | ---: | ---: |");

    for (games, rate) in [(100, 0.3), (1_000, 0.003), (1_000, 0.05)] {
        let case = format!("{games} games, rate {rate}");
        let exact = binomial_coverage(games, rate, |wins| clopper_pearson(wins, games, CONFIDENCE));
        row("Clopper–Pearson", &case, exact, "exact");
        row("Wilson", &case, binomial_coverage(games, rate, |wins| wilson(wins, games, CONFIDENCE)), "exact");
    }
    for (half_width, relative, max_games, rate) in [
        (Some(0.01), None, 10_000_000, 0.2707),
        (Some(0.001), None, 10_000_000, 0.0003),
        (None, Some(0.1), 10_000_000, 0.01),
        (Some(0.002), Some(0.5), 10_000_000, 0.05),
    ] {
        let rule = Rule::new(half_width, relative, max_games, CONFIDENCE).expect("the rule is valid");
        let wanted = |name: &str, width: Option<f64>| width.map(|width| format!("{name} {width}"));
        let widths = [wanted("half_width", half_width), wanted("relative", relative)];
        let case = format!("{}, rate {rate}", widths.into_iter().flatten().collect::<Vec<_>>().join(", "));
        row("stopped by a rule", &case, rule.coverage(rate), "exact");
    }
    for (a, b) in [((300, 0.05), (300, 0.08)), ((2_000, 0.005), (1_000, 0.005))] {
        let coverage = share(repetitions, || {
            let wins_a = wins(a.0, a.1, &mut stream);
            let wins_b = wins(b.0, b.1, &mut stream);
            newcombe((wins_a, a.0), (wins_b, b.0), CONFIDENCE).is_some_and(|found| found.contains(a.1 - b.1))
        });
        row(
            "Newcombe, difference of rates",
            &format!("{} of {} and {} of {}", a.1, a.0, b.1, b.0),
            coverage,
            &repeated,
        );
    }
    for (clusters, rate) in [(300, 0.12), (800, 0.01)] {
        let mut covers = || {
            let mut sums = ClusterSums { clusters, size: 16, sum: 0, sum_sq: 0 };
            for _ in 0..clusters {
                // Half of the trajectories cannot win; the others win twice as often.
                let own_rate = if uniform(&mut stream) < 0.5 { 2.0 * rate } else { 0.0 };
                let total = wins(16, own_rate, &mut stream);
                sums.sum += i128::from(total);
                sums.sum_sq += u128::from(total * total);
            }
            sums.rate_interval(CONFIDENCE).is_some_and(|found| found.contains(rate))
        };
        let coverage = share(repetitions / 10, &mut covers);
        row("value lanes", &format!("{clusters} trajectories, rate {rate}"), coverage, &(repetitions / 10).to_string());
    }
    // Moves of a game: geometric, with mean 20.
    let moves = |stream: &mut Stream| 1 + (uniform(stream).max(1e-300).ln() / 0.95f64.ln()) as u64;
    let sample = |n: u64, stream: &mut Stream| {
        let mut moments = Moments { n, sum: 0, sum_sq: 0 };
        for _ in 0..n {
            let one = moves(stream);
            moments.sum += i128::from(one);
            moments.sum_sq += u128::from(one * one);
        }
        moments
    };
    for n in [10, 100, 1_000] {
        let coverage = share(repetitions / 10, || {
            sample(n, &mut stream).estimate().is_some_and(|found| found.interval(CONFIDENCE).contains(20.0))
        });
        row("mean, Student's t", &format!("{n} geometric numbers"), coverage, &(repetitions / 10).to_string());
    }
    for n in [100, 1_000] {
        let coverage = share(repetitions / 10, || {
            let a = sample(n, &mut stream).estimate();
            let b = sample(2 * n, &mut stream).estimate();
            a.zip(b).is_some_and(|(a, b)| welch(&a, &b, CONFIDENCE).interval.contains(0.0))
        });
        row("difference of means, Welch", &format!("{n} and {}", 2 * n), coverage, &(repetitions / 10).to_string());
    }
    for q in [0.5, 0.9] {
        let n = 1_000;
        let (lower, upper) = quantile_ranks(n, q, CONFIDENCE).expect("the ranks exist");
        let coverage = share(repetitions / 10, || {
            let mut values: Vec<u64> = (0..n).map(|_| stream.next_u64()).collect();
            values.sort_unstable();
            let quantile = (q * 2f64.powi(64)) as u64;
            (values[lower as usize - 1]..=values[upper as usize - 1]).contains(&quantile)
        });
        row("quantile by ranks", &format!("{n} numbers, order {q}"), coverage, &(repetitions / 10).to_string());
    }
}
