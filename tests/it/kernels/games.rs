//! Whole games: every kernel of this machine against the reference.

use crate::effort::times;
use crate::kernels::{RULES, batch, check_games, engines, game, kernels, seeds};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tilelab::game::KernelChoice;
use tilelab::games::sixty_seven::job;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::rng::{Draw, SeedableRng, Stream};

const SIZES: [(usize, usize); 6] = [(1, 1), (1, 9), (4, 4), (6, 7), (9, 10), (16, 16)];

/// At most `PORTION` games are compared at a time, so that all cores have work.
const PORTION: u64 = 500;

/// `total` games of a preset, more of the small sizes, at several rates and numbers of tiles;
/// returns how many were played.
fn check_preset(rules: &str, total: u64) -> u64 {
    let mut portions = Vec::new();
    // Shares in percent; a game on 16 × 16 costs the reference as much as hundreds on 4 × 4.
    for ((rows, cols), share) in SIZES.into_iter().zip([30, 30, 30, 8, 1, 1]) {
        for (variant, more) in [
            "",
            "operator_rate=0.3 tiles_per_turn=3",
            "operators=+- tiles_per_turn=1",
        ]
        .iter()
        .enumerate()
        {
            let settings = format!("rules={rules} rows={rows} cols={cols} {more}");
            let games = 1000..1000 + (total * share).div_ceil(300);
            let starts = games.clone().step_by(PORTION as usize);
            let parts = starts.map(|start| start..(start + PORTION).min(games.end));
            portions.extend(parts.map(|part| (settings.clone(), variant as u64, part)));
        }
    }
    portions
        .into_par_iter()
        .map(|(settings, variant, games)| {
            check_games(&game(&settings), seeds(variant), games.clone());
            games.end - games.start
        })
        .sum()
}

#[test]
fn games_equal_the_reference() {
    for rules in RULES {
        let games = check_preset(rules, times(300));
        println!(
            "{rules}: {games} games equal under each of {:?}",
            kernels().collect::<Vec<_>>()
        );
    }
}

/// Numbers that appear: few and many draws, places of the table and numbers, more than slices take.
const NUMBERS: [&str; 9] = [
    "digits=0123456789",
    "digits=13579",
    "digits=0",
    "digits=12",
    "numbers=0;1:3;7:2",
    "numbers=0:100;1:30;2;3;4;5;6;7:20;8;9",
    "numbers=-999;-3:5;0;5:2;67",
    "numbers=1:999;2:1000;5;999",
    "numbers=-8;-7;-6;-5:9;-4;-3;-2;-1;0:3;1;2;3;4;5;6;991",
];

/// Settings drawn at random over all parameters that kernels take.
pub fn random_settings(stream: &mut Stream) -> String {
    let mut draw = Draw::next(stream);
    let side = [4, 8, 16][draw.below(3) as usize];
    let rows = 1 + draw.below(side);
    let cols = 1 + draw.below(side);
    let mut settings = format!("rows={rows} cols={cols}");
    let mut draw = Draw::next(stream);
    let rate = [0.0, 0.1, 0.5, 0.5, 0.67, 0.9, 1.0][draw.below(7) as usize];
    settings += &format!(
        " rules={} operator_rate={rate}",
        RULES[draw.below(7) as usize]
    );
    settings += &format!(
        " operators={}",
        [
            "+-*",
            "+-",
            "+*",
            "-*",
            "+",
            "-",
            "*",
            "+:3;-:2;*",
            "+;*:7",
            "-:999;*:1000"
        ][draw.below(10) as usize]
    );
    let numbers = NUMBERS[draw.below(NUMBERS.len() as u64) as usize];
    settings += &format!(" {numbers}");
    settings += &format!(
        " tiles_per_turn={}",
        [1, 2, 3, 4, 8, 300][draw.below(6) as usize]
    );
    settings += &format!(
        " target={}",
        [67, 10, -3, 1_000_000, 5, 0][draw.below(6) as usize]
    );
    // Without a limit games take long on large boards, and may never end where many operators
    // merge.
    let unlimited = if rows * cols <= 64 && !settings.contains("merge") {
        ""
    } else {
        " max_rounds=1000"
    };
    let limits = [
        " max_rounds=1",
        " max_rounds=40",
        " max_rounds=40",
        unlimited,
    ];
    settings += limits[if rate < 0.9 {
        draw.below(4) as usize
    } else {
        1
    }];
    let limit = if numbers.contains("99") {
        " value_limit=999"
    } else {
        " value_limit=9"
    };
    settings += ["", "", limit, " value_limit=1073741824"][draw.below(4) as usize];
    settings += ["", " method=counted"][draw.below(2) as usize];
    if draw.below(4) == 0 {
        settings += &format!(" start={}", random_start(rows, cols, stream));
    }
    settings
}

/// A board of at least one tile whose numbers neither win nor pass a limit of these tests.
fn random_start(rows: u64, cols: u64, stream: &mut Stream) -> String {
    let tile = |stream: &mut Stream| {
        const TILES: [&str; 10] = ["_", "_", "_", "_", "+", "-", "*", "3", "-7", "8"];
        TILES[Draw::next(stream).below(10) as usize]
    };
    let mut row = |_| {
        (0..cols)
            .map(|_| tile(stream))
            .collect::<Vec<_>>()
            .join(",")
    };
    let board: Vec<String> = (0..rows).map(&mut row).collect();
    let board = board.join("/");
    if board.contains(['+', '-', '*', '3', '8']) {
        board
    } else {
        board.replacen('_', "3", 1)
    }
}

#[test]
fn games_over_random_parameters_equal_the_reference() {
    // A few games of each choice of parameters.
    const EACH: u64 = 20;
    let mut stream = Stream::seed_from_u64(67);
    let choices = times(75);
    let settings: Vec<_> = (0..choices)
        .map(|number| (number, random_settings(&mut stream)))
        .collect();
    let done = AtomicU64::new(0);
    settings.par_iter().for_each(|(number, settings)| {
        check_games(&game(settings), seeds(*number), 0..EACH);
        let done = EACH * (1 + done.fetch_add(1, Ordering::Relaxed));
        if done.is_multiple_of(50_000) {
            println!("random parameters: {done} games equal so far");
        }
    });
    let games = choices * EACH;
    println!(
        "random parameters: {games} games equal under each of {:?}",
        kernels().collect::<Vec<_>>()
    );
}

/// The batch may begin and end anywhere: games are the same.
#[test]
fn games_do_not_depend_on_their_batch() {
    let game = game("rules=gapless");
    for kernel in engines(&game) {
        let whole = batch(&kernel, seeds(3), 0..500);
        for part in [0..1, 1..8, 8..9, 9..150, 150..500] {
            let alone = batch(&kernel, seeds(3), part.clone());
            assert!(whole.range(part).eq(alone.iter()), "{kernel:?}");
        }
        assert!(batch(&kernel, seeds(3), 7..7).is_empty());
    }
}

/// The last games of a batch of slices are handed over to planes in the middle of their streams,
/// with their counts and limits; more games than a batch has slots, so that slots are filled again.
#[test]
fn the_last_games_go_on_elsewhere() {
    for (number, settings) in [
        "rules=gapless",
        "rules=original rows=8 cols=3 tiles_per_turn=1 method=counted",
        "rules=merge-pairs rows=5 cols=5 tiles_per_turn=3 max_rounds=25 method=counted",
        "rules=bounded rows=4 cols=7 operators=-* digits=13579 method=counted",
        "rules=merge-runs rows=9 cols=10 tiles_per_turn=7 max_rounds=60 value_limit=5000",
        "rules=gapless rows=6 cols=6 target=7 operator_rate=0.4",
    ]
    .into_iter()
    .enumerate()
    {
        let game = game(settings);
        let seeds = seeds(number as u64);
        let engines = engines(&game);
        let expected = batch(&engines[1], seeds, 10..1010);
        for kernel in &engines {
            assert!(expected == batch(kernel, seeds, 10..1010), "{kernel:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    for (settings, reason) in [
        ("rows=17", "boards go up to 16 × 16"),
        ("cols=64", "boards go up to 16 × 16"),
        ("target=-1152921504606846976", "targets lie between"),
        ("target=9223372036854775807", "targets lie between"),
        ("value_limit=8", "value_limit lies between"),
        (
            "numbers=-5 value_limit=4",
            "value_limit lies between the largest number that appears",
        ),
        ("value_limit=1073741825", "value_limit lies between"),
    ] {
        let game = game(settings);
        for choice in kernels() {
            let refusal = Kernel::new(choice, &game).unwrap_err();
            assert!(refusal.contains(reason), "{settings}: {refusal}");
            let error = job::kernel(choice, &game, false).unwrap_err();
            assert_eq!(error.key, "kernel");
        }
        let (auto, why) = job::kernel(KernelChoice::Auto, &game, false).unwrap();
        let why = why.expect("auto falls back to the reference");
        assert!(auto.is_none(), "{settings}: {auto:?}");
        assert!(
            why.contains(reason) && why.contains("times slower"),
            "{why}"
        );
        assert!(matches!(
            job::kernel(KernelChoice::Reference, &game, false),
            Ok((None, None))
        ));
    }
    let digit = game("target=7");
    for choice in kernels() {
        assert!(matches!(
            job::kernel(choice, &digit, false),
            Ok((Some(_), None))
        ));
        let error = job::kernel(choice, &digit, true).unwrap_err();
        assert!(error.message.contains("with value lanes"), "{error}");
    }
    assert!(matches!(
        job::kernel(KernelChoice::Auto, &digit, true),
        Ok((None, Some(_)))
    ));
}

/// A new tile can show the target, unless it is used up before it counts; a game may be blocked
/// with the target on the board.
#[test]
fn targets_that_are_digits_are_played() {
    for (number, (settings, games)) in [
        ("rows=2 cols=2 target=0 digits=01", 100),
        ("rows=1 cols=5 target=7 operator_rate=0.4", 100),
        (
            "rows=5 cols=5 target=9 digits=1239 operator_rate=0.9 tiles_per_turn=1",
            100,
        ),
        ("rows=6 cols=7 target=1 tiles_per_turn=3", 100),
        ("rows=9 cols=10 target=2 operators=* operator_rate=0.99", 50),
        (
            "rows=4 cols=4 target=9 digits=9 operators=- value_limit=9 operator_rate=0.97",
            100,
        ),
        (
            "rows=16 cols=16 target=5 operator_rate=0.999 max_rounds=60",
            30,
        ),
        (
            "rows=4 cols=5 target=-40 numbers=-40:2;3:7 operator_rate=0.9",
            100,
        ),
        (
            "rows=9 cols=9 target=300 numbers=1;2;3;4;5;6;7;8;9;10;11;300 operator_rate=0.95",
            50,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        for rules in RULES {
            check_games(
                &game(&format!("{settings} rules={rules}")),
                seeds(number as u64),
                0..games,
            );
        }
    }
}
