//! `tilelab sample-size`.

use crate::common::{
    folder, python_for, refused, run_python, stderr, stdout, succeeded, tilelab, write,
};
use crate::effort::times;
use std::time::Duration;
use tilelab::plan::{Overrides, Plan};
use tilelab::sample_size::{Pilot, Wanted, differing};
use tilelab::stats::power::{Width, games_for_width};
use tilelab::stats::{
    ClusterSums, Limits, RateInterval, clopper_pearson, equivalence_p, fisher_mid_p, mcnemar_mid_p,
    wilson,
};
use tilelab::{Cell, KernelChoice, play_games};

#[test]
fn games_are_planned_without_playing() {
    let output = tilelab(&[
        "sample-size",
        "--rate",
        "0.01",
        "--detect",
        "0.001",
        "--power",
        "0.9",
        "--half-width",
        "0.001",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(
        text.contains(
            "half-width 0.001:\n  41,407 games fixed beforehand; with a stopping rule 90 % of the \
             runs need at most 49,152; the mean is 50,096, since a few need many more\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("difference 0.001, for each of two cells: 218,337 independent games"),
        "{text}"
    );
}

#[test]
fn a_game_brings_its_rate_and_a_forecast() {
    let output = tilelab(&[
        "sample-size",
        "--game",
        "sixty-seven",
        "--set",
        "size=4x4",
        "--set",
        "target=9",
        "--relative",
        "0.5",
        "--rate",
        "0.01",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(
        text.contains("plain games: ")
            && text.contains("16 value lanes: ")
            && text.contains("soonest"),
        "{text}"
    );
    let output = tilelab(&[
        "sample-size",
        "--game",
        "twenty-forty-eight",
        "--set",
        "size=2x2",
        "--set",
        "goal=16",
        "--equivalence",
        "0.01",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(
        text.contains("rate 0.1") && text.contains("plain games: ") && !text.contains("lanes"),
        "{text}"
    );
}

/// Pairs: with the share of pairs that differ given, and measured against another player.
#[test]
fn paired_comparisons_are_planned() {
    let output = tilelab(&[
        "sample-size",
        "--rate",
        "0.3",
        "--detect",
        "0.1",
        "--equivalence",
        "0.1",
        "--differing",
        "0.2",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(
        text.contains("difference 0.1: 206 pairs of games"),
        "{text}"
    );
    assert!(
        text.contains("equivalence within 0.1: 217 pairs of games"),
        "{text}"
    );
    let measured = tilelab(&[
        "sample-size",
        "--game",
        "67",
        "--set",
        "size=3x3",
        "--set",
        "target=9",
        "--against",
        "cycle",
        "--detect",
        "0.01",
    ]);
    succeeded(&measured);
    assert!(
        stderr(&measured).contains("only one player wins"),
        "{}",
        stderr(&measured)
    );
    assert!(
        stdout(&measured).contains("difference 0.01: "),
        "{}",
        stdout(&measured)
    );
}

/// Where a second of plain games has two wins at most, splitting knows the rate; it is shown with
/// its interval.
#[test]
fn rare_wins_are_planned_from_splitting() {
    let settings = ["--set", "size=4x4", "--set", "operators=+-"];
    let verb = ["sample-size", "--game", "67", "--relative", "0.1"];
    let output = tilelab(&[&verb[..], &settings].concat());
    succeeded(&output);
    let text = stdout(&output);
    let line = text.lines().next().unwrap();
    // About 0.00000016. On a busy machine the pilot has few replications.
    let rate = line.strip_prefix("rate ").unwrap().split(' ').next();
    let rate: f64 = rate.unwrap().parse().unwrap();
    assert!(
        (3e-8..8e-7).contains(&rate) && line.contains(" [0.000000"),
        "{text}"
    );
    assert!(line.contains(" replications), confidence 0.95"), "{text}");
}

#[test]
fn plans_without_a_question_or_a_rate_are_refused() {
    refused(
        &tilelab(&["sample-size", "--rate", "0.1"]),
        &["--half-width", "--equivalence"],
    );
    refused(
        &tilelab(&["sample-size", "--relative", "0.1"]),
        &["--rate", "without --game"],
    );
    refused(
        &tilelab(&["sample-size", "--rate", "1.5", "--relative", "0.1"]),
        &["--rate", "between 0 and 1"],
    );
    refused(
        &tilelab(&["sample-size", "--rate", "0.5", "--detect", "0.6"]),
        &["--detect 0.6", "below 0.5"],
    );
    let paired = [
        "sample-size",
        "--rate",
        "0.5",
        "--detect",
        "0.2",
        "--differing",
        "0.1",
    ];
    refused(
        &tilelab(&paired),
        &["--detect 0.2", "wins 0.1 of the pairs", "below 0.1"],
    );
    refused(
        &tilelab(&[
            "sample-size",
            "--game",
            "sixty-seven",
            "--set",
            "size=2x2",
            // One pilot in place of three.
            "--set",
            "lanes=16",
            "--relative",
            "0.1",
        ]),
        &["none of", "games were won", "give the rate"],
    );
}

/// Endless games and extreme numbers are refused, and numbers of games that
/// nobody can play are called so.
#[test]
fn long_games_and_extreme_numbers_come_to_an_end() {
    let plan = |game: &[&str], numbers: &[&str]| {
        let verb = ["sample-size", "--half-width", "0.1"];
        tilelab(&[&verb[..], game, numbers].concat())
    };
    let played = plan(&["--game", "67", "--set", "target=9"], &[]);
    succeeded(&played);
    let said = stdout(&played);
    assert!(said.contains(" games), confidence 0.95"), "{said}");
    // Without numbers and on so much room no game ends, however few a pilot has time for.
    let endless = "--game 67 --set rules=merge-runs --set size=8x8 --set operator_rate=1";
    let endless: Vec<&str> = endless.split(' ').collect();
    refused(
        &plan(&endless, &["--rate", "0.5"]),
        &["max_rounds: some games take more than"],
    );
    // Cells whose games do not end cannot be measured in pairs either.
    let text = "name = \"a\"\nseed = 1\ngames = 1\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n\
        rules = \"merge-runs\"\nsize = \"8x8\"\noperator_rate = 1\n";
    let cells = Plan::of_text(text, Overrides::default()).unwrap().cells;
    let why = differing(&cells[0], &cells[0], Duration::ZERO).unwrap_err();
    assert!(why.contains("some games take more than"), "{why}");
    let limited = [&endless[..], &["--set", "max_rounds=100"]].concat();
    let limited = plan(&limited, &["--rate", "0.5"]);
    succeeded(&limited);
    assert!(
        !stdout(&limited).contains("splitting"),
        "no replication won"
    );
    for (option, number) in [
        ("--relative", "5e-324"),
        ("--relative", "1e300"),
        ("--rate", "1e-300"),
        ("--rate", "0.99999999999999"),
        ("--power", "1e-10"),
        ("--confidence", "0.9999999999"),
        ("--detect", "5e-324"),
        ("--equivalence", "5e-324"),
        ("--half-width", "0.5"),
        ("--differing", "NaN"),
    ] {
        let numbers = ["sample-size", option, number];
        refused(&tilelab(&numbers), &[option, "must lie between"]);
    }
    let most = ["--rate", "1e-9", "--relative", "1e-9", "--detect", "1e-9"];
    let most = [&most[..], &["--equivalence", "1e-9"]].concat();
    let output = plan(&[], &most);
    succeeded(&output);
    let said = stdout(&output);
    assert!(
        said.contains("more than 1.1e12 games fixed beforehand"),
        "{said}"
    );
    assert!(!said.contains("inf") && !said.contains("NaN"), "{said}");
}

/// One figure: what it is, what it is computed from, and what statsmodels 0.15 (scipy 1.17 for
/// Fisher's test) says.
type Recorded = (&'static str, &'static [f64], f64);

const RECORDED: [Recorded; 12] = [
    (
        "games for a difference",
        &[0.01, 0.001, 0.95, 0.9],
        218_337.0,
    ),
    ("games for a difference", &[0.12, 0.01, 0.95, 0.8], 17_169.0),
    (
        "Clopper–Pearson, lower",
        &[3.0, 1000.0, 0.95],
        0.000_619_099_931_649_6,
    ),
    (
        "Clopper–Pearson, upper",
        &[3.0, 1000.0, 0.95],
        0.008_742_023_238_478_3,
    ),
    (
        "Wilson, lower",
        &[3.0, 1000.0, 0.95],
        0.001_020_783_881_138_6,
    ),
    (
        "Wilson, upper",
        &[3.0, 1000.0, 0.95],
        0.008_783_014_053_503_2,
    ),
    (
        "Newcombe, lower",
        &[30.0, 1000.0, 45.0, 1000.0],
        -0.032_172_862_833_855_3,
    ),
    (
        "Newcombe, upper",
        &[30.0, 1000.0, 45.0, 1000.0],
        0.001_786_491_306_577_3,
    ),
    (
        "equivalence, p",
        &[480.0, 4000.0, 500.0, 4200.0, 0.02],
        0.003_935_318_646_450_7,
    ),
    (
        "equivalence, p",
        &[100.0, 1000.0, 110.0, 1000.0, 0.03],
        0.072_277_323_4,
    ),
    ("McNemar, exact p", &[8.0, 20.0], 0.035_698_138_177_394_9),
    (
        "Fisher, exact p",
        &[30.0, 1000.0, 45.0, 1000.0],
        0.098_801_839_533_069_2,
    ),
];

/// The figure that this program computes; the plans are those that `tilelab sample-size` prints.
fn ours(what: &str, from: &[f64]) -> f64 {
    let count = |at: usize| from[at] as u64;
    let pair = |at: usize| (count(at), count(at + 1));
    let newcombe = |a: (u64, u64), b: (u64, u64)| {
        let [a, b] = [a, b].map(|(wins, games)| Limits::counted(wins, games).unwrap());
        a.difference(&b, 0.95).interval
    };
    let planned = |options: &[(&str, f64)]| {
        let mut arguments = vec!["sample-size".to_owned()];
        arguments.extend(
            options
                .iter()
                .flat_map(|(name, value)| [format!("--{name}"), value.to_string()]),
        );
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = tilelab(&arguments);
        succeeded(&output);
        let line = stdout(&output).lines().nth(1).unwrap().to_owned();
        let games = line
            .rsplit(": ")
            .next()
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .replace(',', "");
        games.parse().unwrap()
    };
    match what {
        "games for a difference" => planned(&[
            ("rate", from[0]),
            ("detect", from[1]),
            ("confidence", from[2]),
            ("power", from[3]),
        ]),
        "Clopper–Pearson, lower" => clopper_pearson(count(0), count(1), from[2]).lo,
        "Clopper–Pearson, upper" => clopper_pearson(count(0), count(1), from[2]).hi,
        "Wilson, lower" => wilson(count(0), count(1), from[2]).lo,
        "Wilson, upper" => wilson(count(0), count(1), from[2]).hi,
        "Newcombe, lower" => newcombe(pair(0), pair(2)).lo,
        "Newcombe, upper" => newcombe(pair(0), pair(2)).hi,
        "equivalence, p" => equivalence_p(pair(0), pair(2), from[4]).unwrap(),
        "McNemar, exact p" => mcnemar_mid_p(count(0), count(1)).1,
        "Fisher, exact p" => fisher_mid_p(pair(0), pair(2)).1,
        _ => panic!("{what}"),
    }
}

#[test]
fn figures_are_those_recorded_from_statsmodels() {
    for (what, from, recorded) in RECORDED {
        let ours = ours(what, from);
        assert!(
            (ours - recorded).abs() <= 1e-9 * recorded.abs().max(0.01),
            "{what} {from:?}: {ours}, not {recorded}"
        );
    }
}

/// The recorded figures are computed again by statsmodels itself, where it is installed.
#[test]
fn figures_are_those_of_statsmodels() {
    const SCRIPT: &str = "
import csv, math, sys
from scipy.stats import fisher_exact
from statsmodels.stats import proportion as p
from statsmodels.stats.contingency_tables import mcnemar
figures = {
    'games for a difference': lambda r, d, c, q: math.ceil(p.samplesize_proportions_2indep_onetail(d, r, q, alpha=1 - c)),
    'Clopper–Pearson, lower': lambda k, n, c: p.proportion_confint(k, n, 1 - c, 'beta')[0],
    'Clopper–Pearson, upper': lambda k, n, c: p.proportion_confint(k, n, 1 - c, 'beta')[1],
    'Wilson, lower': lambda k, n, c: p.proportion_confint(k, n, 1 - c, 'wilson')[0],
    'Wilson, upper': lambda k, n, c: p.proportion_confint(k, n, 1 - c, 'wilson')[1],
    'Newcombe, lower': lambda a, m, b, n: p.confint_proportions_2indep(a, m, b, n, 'newcomb', 'diff')[0],
    'Newcombe, upper': lambda a, m, b, n: p.confint_proportions_2indep(a, m, b, n, 'newcomb', 'diff')[1],
    'equivalence, p': lambda a, m, b, n, d: p.tost_proportions_2indep(a, m, b, n, -d, d, 'wald').pvalue,
    'McNemar, exact p': lambda a, b: mcnemar([[0, a], [b, 0]], exact=True).pvalue,
    'Fisher, exact p': lambda a, m, b, n: fisher_exact([[int(a), int(m - a)], [int(b), int(n - b)]]).pvalue,
}
for what, recorded, *numbers in csv.reader(open(sys.argv[1], encoding='utf-8')):
    found = float(figures[what](*map(float, numbers)))
    assert math.isclose(found, float(recorded), rel_tol=1e-7), (what, numbers, found, recorded)
";
    let Some(python) = python_for("statsmodels", "scipy, statsmodels") else {
        return;
    };
    let folder = folder();
    let rows = RECORDED.map(|(what, from, recorded)| {
        let from: Vec<String> = from.iter().map(f64::to_string).collect();
        format!("\"{what}\",{recorded},{}\n", from.join(","))
    });
    run_python(
        &python,
        SCRIPT,
        &[&write(folder.path(), "recorded.csv", &rows.concat())],
    );
}

/// Games planned from a pilot of value lanes have the wanted width in the share of runs asked for,
/// over pilots and runs. Independent games times the design effect have it in fewer.
#[test]
fn planned_lanes_reach_the_width() {
    const RUNS: u64 = 20;
    const CASES: [(&str, Width); 4] = [
        ("size=3x3 target=9", Width::Relative(0.05)),
        ("size=3x3 target=10", Width::Half(0.03)),
        ("size=3x3 target=21", Width::Relative(0.2)),
        ("size=4x4 target=21 operators=+-", Width::Relative(0.1)),
    ];
    let pilots = times(6);
    let wanted = Wanted {
        power: 0.9,
        confidence: 0.95,
        interval: RateInterval::ClopperPearson,
    };
    let mut means = [0.0; 2];
    for (settings, width) in CASES {
        let mut reached = [0; 2];
        for pilot in 0..pilots {
            // A limit that no game comes to makes cells, and so pilots, of their own.
            let limit = 1_000_000 + pilot;
            let cell = format!("sixty-seven {settings} lanes=16 max_rounds={limit}");
            let cell = Cell::parse(&cell).unwrap();
            let measured = Pilot::measure(&cell, Duration::from_secs(20), false).unwrap();
            let pilot = &measured[0];
            let planned = pilot.fixed(pilot.rate, width, &wanted);
            let independent = games_for_width(pilot.rate, width, 0.95, wanted.interval, 0.9);
            let job = cell.job(67, KernelChoice::Auto).unwrap();
            let plans = [planned, independent * pilot.design_effect];
            for (plan, reached) in plans.into_iter().zip(&mut reached) {
                let games = (plan as u64).next_multiple_of(16);
                let has_width = |run: &u64| {
                    let tally = play_games(job.as_ref(), run * games..(run + 1) * games);
                    let sums = ClusterSums::of_wins(&tally).unwrap();
                    let half_width = sums.rate_interval(0.95).unwrap().half_width();
                    half_width
                        <= match width {
                            Width::Half(half) => half,
                            Width::Relative(relative) => relative * sums.mean().unwrap(),
                        }
                };
                *reached += (0..RUNS).filter(has_width).count();
            }
        }
        let shares = reached.map(|runs| runs as f64 / (pilots * RUNS) as f64);
        println!("{settings}, {width:?}: {shares:.3?} of the runs");
        for (mean, share) in means.iter_mut().zip(shares) {
            *mean += share / CASES.len() as f64;
        }
    }
    println!("planned and by the design effect alone: {means:.3?}");
    assert!((0.86..0.97).contains(&means[0]), "{means:?}");
}
