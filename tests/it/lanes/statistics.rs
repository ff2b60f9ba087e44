//! What lanes say of win rates and means: the same as ordinary games, with intervals that cover.

use crate::effort::times;
use crate::kernels::{game, seeds};
use std::ops::Range;
use tilelab::game::{KernelChoice, Tally, Trajectory};
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::lanes::LANES;
use tilelab::rng::CellSeeds;
use tilelab::stats::{ClusterSums, Rule, StopReason, Summary, Units, Wins, wilson};

fn kernel(game: &SixtySeven) -> Kernel {
    Kernel::new(KernelChoice::Auto, game).expect("a kernel fits")
}

fn play(kernel: &Kernel, seeds: CellSeeds, games: u64) -> Tally {
    let mut tally = Tally::new(&[]);
    kernel.play(seeds, 0..games, &mut |ended| tally.add(&ended.outcome()));
    tally
}

/// Plays trajectories and adds each to the tally that `cell` names for it.
fn play_lanes(kernel: &Kernel, seeds: CellSeeds, trajectories: Range<u64>, cells: &mut [Tally]) {
    let first = trajectories.start;
    let per_cell = (trajectories.end - trajectories.start) / cells.len() as u64;
    kernel.play_lanes(seeds, trajectories, &mut |ended| {
        let moves = ended.moves();
        let won: Vec<u64> = moves.won.into_iter().flatten().collect();
        let trajectory = Trajectory {
            won: &won,
            lost: (LANES - won.len()) as u64,
            moves_lost: moves.lost,
        };
        cells[((ended.trajectory - first) / per_cell) as usize].add_trajectory(&trajectory);
    });
}

const SETTINGS: [&str; 5] = [
    "rows=4 cols=4 rules=gapless",
    "rows=4 cols=5 rules=original target=12",
    "rows=5 cols=4 rules=merge-pairs tiles_per_turn=1",
    "rows=4 cols=4 rules=merge-runs operators=+- target=21",
    "rows=6 cols=7 rules=gapless tiles_per_turn=3 max_rounds=20",
];

#[test]
fn rates_and_means_agree_with_ordinary_games() {
    for (number, settings) in SETTINGS.into_iter().enumerate() {
        let kernel = kernel(&game(&format!("{settings} lanes=16")));
        let single = play(&kernel, seeds(1000 + number as u64), 200_000);
        let mut lanes = [Tally::new(&[])];
        play_lanes(&kernel, seeds(2000 + number as u64), 0..40_000, &mut lanes);
        let single = Summary::of(&single, 0.95);
        let lanes = Summary::of(&lanes[0], 0.95);
        assert_eq!(lanes.games, 640_000);
        // Half a Wilson interval at 95 % is 1.96 standard errors.
        let error = |summary: &Summary| Some(summary.win_pct_wilson?.half_width() / 1.96);
        for (what, (a, a_se), (b, b_se)) in [
            (
                "win rate",
                (single.win_pct, error(&single)),
                (lanes.win_pct, error(&lanes)),
            ),
            (
                "moves",
                (single.moves_mean, single.moves_mean_se),
                (lanes.moves_mean, lanes.moves_mean_se),
            ),
            (
                "moves of won games",
                (single.moves_win_mean, single.moves_win_mean_se),
                (lanes.moves_win_mean, lanes.moves_win_mean_se),
            ),
        ] {
            let a = a.unwrap();
            let b = b.unwrap();
            let z = (a - b) / f64::hypot(a_se.unwrap(), b_se.unwrap());
            println!("{settings}: {what} {a:.5} and {b:.5}, {z:+.2} standard errors");
            assert!(
                z.abs() < 4.0,
                "{settings}: {what} {a} and {b}, {z} standard errors"
            );
        }
        let effect = lanes.lanes.unwrap().design_effect.unwrap();
        println!("{settings}: design effect {effect:.3}");
        assert!(
            (0.97..8.0).contains(&effect),
            "{settings}: design effect {effect}"
        );
    }
}

/// Thousands of small cells: the share of 95 % intervals that contain the rate or mean of ordinary
/// games.
#[test]
fn intervals_of_lanes_cover() {
    let count = times(400) as usize;
    // Three standard errors of a share of 95 %, or what is left to the approximation.
    let tolerance = (3.0 * (0.05 * 0.95 / count as f64).sqrt()).max(0.01);
    for (number, (settings, trajectories)) in [
        ("rows=4 cols=4 rules=gapless target=9 digits=12345678", 250),
        (
            "rows=3 cols=4 rules=merge-runs operators=+ target=10 tiles_per_turn=1 digits=12345",
            250,
        ),
        ("rows=3 cols=4 rules=original target=12 digits=123456", 300),
    ]
    .into_iter()
    .enumerate()
    {
        let kernel = kernel(&game(&format!("{settings} lanes=16")));
        let truth = Summary::of(&play(&kernel, seeds(3000 + number as u64), 1_000_000), 0.95);
        let mut cells = vec![Tally::new(&[]); count];
        play_lanes(
            &kernel,
            seeds(4000 + number as u64),
            0..(count * trajectories) as u64,
            &mut cells,
        );
        let rate = truth.win_pct.unwrap() / 100.0;
        let mean = truth.moves_mean.unwrap();
        let won_mean = truth.moves_win_mean.unwrap();
        let mut covered = 0;
        let mut naive = 0;
        let mut moves = 0;
        let mut won_moves = 0;
        for cell in &cells {
            assert_eq!(cell.games, (LANES * trajectories) as u64);
            let interval = ClusterSums::of_wins(cell)
                .unwrap()
                .rate_interval(0.95)
                .unwrap();
            covered += usize::from(interval.contains(rate));
            naive += usize::from(wilson(cell.wins, cell.games, 0.95).contains(rate));
            let summary = Summary::of(cell, 0.95);
            let within = |found: Option<f64>, se: Option<f64>, truth: f64| {
                usize::from((found.unwrap() - truth).abs() <= 1.97 * se.unwrap())
            };
            moves += within(summary.moves_mean, summary.moves_mean_se, mean);
            won_moves += within(summary.moves_win_mean, summary.moves_win_mean_se, won_mean);
        }
        let share = |covered: usize| covered as f64 / count as f64;
        let is_near = |covered: usize| (share(covered) - 0.95).abs() <= tolerance;
        println!(
            "{settings}: rate {rate:.4}, covered {:.4} (as if independent {:.4}), mean moves {:.4}, of won games {:.4}",
            share(covered),
            share(naive),
            share(moves),
            share(won_moves)
        );
        assert!(is_near(covered), "{settings}: {} covered", share(covered));
        assert!(
            is_near(moves),
            "{settings}: {} of the mean moves covered",
            share(moves)
        );
        assert!(
            is_near(won_moves) || (0.93..0.95).contains(&share(won_moves)),
            "{settings}: {} of won games covered",
            share(won_moves)
        );
        assert!(
            naive < covered,
            "{settings}: lanes are correlated, {naive} and {covered}"
        );
    }
}

/// Cells that stop at a wanted precision, looked at more than once: the interval reported is the
/// cluster-robust one, and covers.
#[test]
fn adaptive_intervals_of_lanes_cover() {
    let cells = times(250);
    let game = game(
        "rows=3 cols=4 rules=merge-runs operators=+ target=10 tiles_per_turn=1 digits=12345 lanes=16",
    );
    let kernel = kernel(&game);
    let truth = play(&kernel, seeds(5000), 500_000);
    let rate = truth.wins as f64 / truth.games as f64;
    let rule = Rule::of(
        Units::Trajectories(LANES as u64),
        Some(0.0091),
        None,
        1_600_000,
        0.95,
    )
    .unwrap();
    assert!(
        rule.looks().all(|games| games % LANES as u64 == 0)
            && rule.looks().next() == Some(1024 * LANES as u64)
    );
    let mut covered = 0;
    let mut looks_used = [0; 8];
    for number in 0..cells {
        let mut tally = [Tally::new(&[])];
        let mut from = 0;
        for (look, games) in rule.looks().enumerate() {
            let to = games / LANES as u64;
            play_lanes(&kernel, seeds(6000 + number), from..to, &mut tally);
            from = to;
            if let Some(reason) = rule.decide(look, &Wins::of(&tally[0])) {
                let interval = rule.interval(&Wins::of(&tally[0]));
                assert_eq!(reason, StopReason::Precision);
                assert!(interval.half_width() <= 0.0091);
                covered += usize::from(interval.contains(rate));
                looks_used[look] += 1;
                break;
            }
        }
    }
    println!("rate {rate:.4}: {covered} of {cells} covered, stopped at looks {looks_used:?}");
    assert!(
        looks_used.iter().filter(|&&cells| cells > 0).count() > 1,
        "{looks_used:?}"
    );
    let least = 0.95 - 3.0 * (0.05 * 0.95 / cells as f64).sqrt();
    assert!(
        covered as f64 >= least * cells as f64,
        "{covered} of {cells} covered"
    );
}
