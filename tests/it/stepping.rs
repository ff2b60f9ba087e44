//! Games that are stepped together with given moves.

use crate::kernels::games::random_settings;
use crate::kernels::{RULES, kernels};
use std::collections::BTreeMap;
use tilelab::game::GameObserver;
use tilelab::game::stepping::{
    Autoreset, End, Finished, Illegal, StepError, Stepper, SteppingOptions, kind,
};
use tilelab::rng::{Draw, SeedableRng, Stream};
use tilelab::{Cell, GameResult, KernelChoice, Outcome};

fn stepper(cell: &str, slots: usize, kernel: KernelChoice, options: SteppingOptions) -> Stepper {
    let cell = Cell::parse(cell).unwrap_or_else(|error| panic!("{cell}: {error}"));
    cell.stepper(67, slots, kernel, options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Kinds and numbers of all boards.
fn boards(games: &Stepper) -> (Vec<u8>, Vec<f64>) {
    let (rows, cols) = games.shape();
    let cells = rows * cols;
    let mut kinds = vec![9; games.slots() * cells];
    let mut numbers = vec![-1.0; games.slots() * cells];
    let boards = kinds
        .chunks_exact_mut(cells)
        .zip(numbers.chunks_exact_mut(cells));
    for (slot, (kinds, numbers)) in boards.enumerate() {
        games.board(slot, kinds, numbers);
    }
    (kinds, numbers)
}

/// A legal move of this mask; 0 where none is.
fn choose(legal: u64, stream: &mut Stream) -> u8 {
    let mut rank = Draw::next(stream).below(u64::from(legal.count_ones().max(1)));
    let mut left = legal;
    while rank > 0 {
        left &= left - 1;
        rank -= 1;
    }
    (left.trailing_zeros() % 64) as u8
}

/// Two kernels step the same games with the same random moves, one in eight of them any number;
/// everything that can be read is the same after each step. Returns how many games ended, and the
/// largest number seen.
fn check_equal(
    cell: &str,
    slots: usize,
    steps: usize,
    one: KernelChoice,
    other: KernelChoice,
) -> (usize, f64) {
    let autoreset = [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ][steps % 3];
    let options = SteppingOptions {
        autoreset,
        illegal: Illegal::Ignore,
        first_game: 1000,
    };
    let mut stream = Stream::seed_from_u64(6);
    let mut ended = 0;
    let mut largest = 0.0_f64;
    let what = format!("{other:?}: {cell}, {slots} slots, {autoreset:?}");
    let mut one = stepper(cell, slots, one, options);
    let mut other = stepper(cell, slots, other, options);
    for step in 0..steps {
        assert_eq!(
            one.legal(),
            other.legal(),
            "{what}: legal moves before step {step}"
        );
        assert_eq!(
            boards(&one),
            boards(&other),
            "{what}: boards before step {step}"
        );
        assert_eq!(
            (one.games(), one.moves()),
            (other.games(), other.moves()),
            "{what}: step {step}"
        );
        let moves = one.legal().iter().map(|&legal| {
            let chosen = choose(legal, &mut stream);
            if Draw::next(&mut stream).below(8) == 0 {
                Draw::next(&mut stream).below(6) as u8
            } else {
                chosen
            }
        });
        let moves: Vec<u8> = moves.collect();
        largest = boards(&one)
            .1
            .into_iter()
            .fold(largest, |largest, number| largest.max(number.abs()));
        one.step(&moves).unwrap();
        other.step(&moves).unwrap();
        assert_eq!(one.ended(), other.ended(), "{what}: ends in step {step}");
        assert_eq!(
            one.finished(),
            other.finished(),
            "{what}: games ended in step {step}"
        );
        assert_eq!(
            one.final_boards(),
            other.final_boards(),
            "{what}: final boards in step {step}"
        );
        ended += one.finished().len();
        for slot in
            (0..slots).filter(|slot| autoreset == Autoreset::Disabled && (step + slot) % 5 == 0)
        {
            one.reset(slot);
            other.reset(slot);
        }
    }
    (ended, largest)
}

/// The random player's games of a cell, by index, from the job that the command line runs.
fn played(cell: &str, games: u64) -> BTreeMap<u64, Outcome> {
    let job = Cell::parse(cell)
        .unwrap()
        .job(67, KernelChoice::Reference)
        .unwrap();
    let mut outcomes = BTreeMap::new();
    let mut tally = tilelab::Tally::new(job.measures());
    let mut keep = |game, outcome: &Outcome, _: &str| {
        outcomes.insert(game, *outcome);
    };
    job.play(
        0..games,
        &mut tally,
        Some(GameObserver::outcomes(&mut keep)),
    );
    outcomes
}

/// Steps games with the moves that the random player makes, until the first `games` have ended.
fn stepped(
    cell: &str,
    slots: usize,
    kernel: KernelChoice,
    autoreset: Autoreset,
    games: u64,
) -> BTreeMap<u64, Outcome> {
    let seeds = Cell::parse(cell).unwrap().seeds(67);
    let mut all = stepper(
        cell,
        slots,
        kernel,
        SteppingOptions {
            autoreset,
            ..SteppingOptions::default()
        },
    );
    let mut players: BTreeMap<u64, Stream> = BTreeMap::new();
    let mut outcomes = BTreeMap::new();
    while outcomes.range(..games).count() < games as usize {
        let indices: Vec<u64> = all.games().to_vec();
        let choices = indices.iter().zip(all.legal()).map(|(&game, &legal)| {
            let player = players
                .entry(game)
                .or_insert_with(|| seeds.player_stream(game));
            if legal == 0 { 0 } else { choose(legal, player) }
        });
        let moves: Vec<u8> = choices.collect();
        all.step(&moves).unwrap();
        for &Finished {
            slot,
            game,
            end,
            outcome,
        } in all.finished()
        {
            assert_eq!(all.ended()[slot], Some(end));
            assert_eq!(
                game % slots as u64,
                slot as u64,
                "a slot plays every {slots}th game"
            );
            assert_eq!(
                outcomes.insert(game, outcome),
                None,
                "game {game} ends once"
            );
        }
        if autoreset == Autoreset::Disabled {
            for slot in 0..slots {
                if all.legal()[slot] == 0 && all.ended()[slot].is_none() {
                    all.reset(slot);
                }
            }
        }
    }
    outcomes.split_off(&games);
    outcomes
}

/// Cells whose games are short.
const CELLS: [&str; 9] = [
    "sixty-seven rules=original size=4x4",
    "sixty-seven rules=merge-pairs size=3x5",
    "sixty-seven rules=bounded size=4x3 value_limit=20",
    "sixty-seven rules=gapless size=1x17 max_rounds=9",
    "sixty-seven size=1x1",
    "twenty-forty-eight size=2x3",
    "twenty-forty-eight size=4x4 max_moves=30",
    "twenty-forty-eight start=2,4/4,2 size=2x2",
    "calculator level=42",
];

#[test]
fn stepped_games_are_those_of_the_command_line() {
    for cell in CELLS {
        let expected = played(cell, 40);
        for autoreset in [
            Autoreset::SameStep,
            Autoreset::NextStep,
            Autoreset::Disabled,
        ] {
            for slots in [1, 7] {
                let games = stepped(cell, slots, KernelChoice::Reference, autoreset, 40);
                assert_eq!(games, expected, "{cell}: {slots} slots, {autoreset:?}");
            }
        }
    }
}

/// A kernel against the reference.
fn check_kernels(cell: &str, slots: usize, steps: usize) -> (usize, f64) {
    let checked =
        kernels().map(|kernel| check_equal(cell, slots, steps, KernelChoice::Reference, kernel));
    checked.last().expect("portable is always there")
}

#[test]
fn kernels_step_as_the_reference_does() {
    let mut ended = 0;
    for rules in RULES {
        for (size, slots, steps) in [
            ("1x1", 3, 9),
            ("1x9", 5, 40),
            ("4x4", 70, 40),
            ("6x7", 9, 41),
            ("9x10", 5, 21),
            ("16x16", 3, 10),
        ] {
            let (games, _) = check_kernels(
                &format!("sixty-seven rules={rules} size={size}"),
                slots,
                steps,
            );
            ended += games;
        }
    }
    assert!(ended > 500, "{ended} games ended");
}

#[test]
fn kernels_step_random_rules_as_the_reference_does() {
    let mut stream = Stream::seed_from_u64(68);
    for number in 0..60 {
        let settings = random_settings(&mut stream);
        check_kernels(
            &format!("sixty-seven {settings}"),
            1 + number % 11,
            12 + number % 3,
        );
    }
}

/// Numbers beyond the words of 64 bits stay exact, and come back into them.
#[test]
fn numbers_are_exact_however_large() {
    // Operators in excess make long games with large products; differences bring numbers back.
    let cell = "sixty-seven rules=merge-runs size=6x7 operators=-* digits=789 operator_rate=0.7";
    let (_, largest) = check_kernels(cell, 4, 300);
    assert!(largest > 1e24, "{largest}");
}

#[test]
fn kernels_step_the_games_of_the_command_line() {
    let cell = "sixty-seven rules=gapless size=4x5";
    let expected = played(cell, 100);
    for kernel in kernels() {
        assert_eq!(
            stepped(cell, 40, kernel, Autoreset::SameStep, 100),
            expected,
            "{kernel:?}"
        );
    }
}

/// 2048 on packed boards, also where the tiles outgrow the packing.
#[test]
fn packed_boards_of_2048_are_stepped_as_the_reference_does() {
    let large = "start=32768,16384,8192,4096/2048,1024,512,256/128,64,0,0/0,0,0,0";
    let mut ended = 0;
    for (settings, slots, steps) in [
        ("", 9, 300),
        ("four_rate=0.5 goal=64", 9, 301),
        ("max_moves=40", 5, 302),
        (large, 12, 150),
        (&format!("{large} goal=65536 max_moves=60"), 12, 151),
        ("start=2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2", 2, 4),
        ("start=2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,4 four_rate=1", 2, 30),
    ] {
        let cell = format!("twenty-forty-eight {settings}");
        let (games, largest) = check_equal(
            &cell,
            slots,
            steps,
            KernelChoice::Reference,
            KernelChoice::Portable,
        );
        assert!(settings != large || largest >= 32_768.0);
        ended += games;
    }
    assert!(ended > 60, "{ended} games ended");
    for (settings, reason) in [
        ("size=3x3", "it plays boards of 4×4"),
        ("start=3,3,3,3/0,0,0,0/0,0,0,0/0,0,0,0", "powers"),
    ] {
        let cell = Cell::parse(&format!("twenty-forty-eight {settings}")).unwrap();
        let error = cell
            .stepper(1, 2, KernelChoice::Portable, SteppingOptions::default())
            .err()
            .unwrap();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(
            cell.stepper(1, 2, KernelChoice::Auto, SteppingOptions::default())
                .unwrap()
                .kernel(),
            "reference"
        );
    }
}

/// What no kernel fits is played by the reference.
#[test]
fn large_boards_are_stepped_by_the_reference() {
    let games = stepper(
        "sixty-seven size=3x40",
        2,
        KernelChoice::Auto,
        SteppingOptions::default(),
    );
    assert_eq!((games.kernel(), games.shape()), ("reference", (3, 40)));
    let error = Cell::parse("sixty-seven size=3x40").unwrap().stepper(
        1,
        2,
        KernelChoice::Portable,
        SteppingOptions::default(),
    );
    assert!(
        error
            .err()
            .unwrap()
            .to_string()
            .contains("boards go up to 16 × 16")
    );
}

#[test]
fn ended_games_are_replaced_when_asked() {
    // Every game lasts one round.
    let cell = "sixty-seven size=3x3 max_rounds=1";
    let mut same = stepper(cell, 2, KernelChoice::Auto, SteppingOptions::default());
    let move_of = |games: &Stepper| {
        games
            .legal()
            .iter()
            .map(|legal| legal.trailing_zeros() as u8 % 64)
            .collect()
    };
    let moves: Vec<u8> = move_of(&same);
    same.step(&moves).unwrap();
    assert_eq!(same.ended(), [Some(End::OutOfRounds); 2]);
    assert_eq!((same.games(), same.moves()), (&[2, 3][..], &[0, 0][..]));
    assert!(same.legal().iter().all(|&legal| legal != 0));
    assert_ne!(same.final_boards().0, boards(&same).0);

    let mut next = stepper(
        cell,
        2,
        KernelChoice::Auto,
        SteppingOptions {
            autoreset: Autoreset::NextStep,
            ..SteppingOptions::default()
        },
    );
    next.step(&moves).unwrap();
    assert_eq!(
        (next.games(), next.moves(), next.legal()),
        (&[0, 1][..], &[1, 1][..], &[0, 0][..])
    );
    assert_eq!(next.final_boards(), same.final_boards());
    assert_eq!(
        next.final_boards().1,
        boards(&next).1,
        "the slot shows the final board"
    );
    next.step(&[200, 200]).unwrap();
    assert_eq!((next.games(), next.ended()), (&[2, 3][..], &[None; 2][..]));
    assert_eq!((boards(&next), next.legal()), (boards(&same), same.legal()));

    let mut kept = stepper(
        cell,
        2,
        KernelChoice::Auto,
        SteppingOptions {
            autoreset: Autoreset::Disabled,
            ..SteppingOptions::default()
        },
    );
    kept.step(&moves).unwrap();
    assert_eq!(kept.ended(), [Some(End::OutOfRounds); 2]);
    for _ in 0..3 {
        kept.step(&[0, 0]).unwrap();
        assert_eq!(
            (kept.games(), kept.ended(), kept.finished()),
            (&[0, 1][..], &[None; 2][..], &[][..])
        );
    }
    kept.reset(1);
    assert_eq!((kept.games(), kept.legal()[0]), (&[0, 3][..], 0));
    assert_eq!(boards(&kept).1[9..], boards(&same).1[9..]);
}

#[test]
fn moves_that_are_not_legal_are_refused_or_ignored() {
    // On one row no tile moves up.
    let cell = "sixty-seven size=1x9 operator_rate=0";
    let first_game = 30;
    let mut games = stepper(
        cell,
        2,
        KernelChoice::Auto,
        SteppingOptions {
            first_game,
            ..SteppingOptions::default()
        },
    );
    let legal = u8::try_from(games.legal()[0].trailing_zeros()).unwrap();
    let before = boards(&games);
    let error = games.step(&[legal, 0]).unwrap_err().to_string();
    assert!(
        error.starts_with("slot 1 (game 31): move 0 (up) is not legal; legal: "),
        "{error}"
    );
    assert!(
        error.contains("3 (right)") || error.contains("2 (left)"),
        "{error}"
    );
    let error = games.step(&[77, legal]).unwrap_err().to_string();
    assert!(
        error.starts_with("slot 0 (game 30): move 77 is not legal"),
        "{error}"
    );
    assert_eq!(
        games.step(&[legal]),
        Err(StepError::Count { given: 1, slots: 2 })
    );
    assert_eq!(
        (boards(&games), games.moves()),
        (before, &[0, 0][..]),
        "nothing was changed"
    );

    let ignore = SteppingOptions {
        first_game,
        illegal: Illegal::Ignore,
        ..SteppingOptions::default()
    };
    let mut lenient = stepper(cell, 2, KernelChoice::Auto, ignore);
    for _ in 0..3 {
        lenient.step(&[0, 255]).unwrap();
        assert_eq!(
            (boards(&lenient), lenient.moves()),
            (boards(&games), &[0, 0][..])
        );
    }
    let moves: Vec<u8> = games
        .legal()
        .iter()
        .map(|legal| legal.trailing_zeros() as u8)
        .collect();
    games.step(&moves).unwrap();
    lenient.step(&moves).unwrap();
    assert_eq!(
        (boards(&lenient), lenient.legal()),
        (boards(&games), games.legal()),
        "nothing was drawn meanwhile"
    );
}

#[test]
fn what_cannot_be_stepped_is_refused() {
    for (cell, slots, reason) in [
        ("sixty-seven size=3x3", 0, "give at least 1"),
        ("sixty-seven size=3x3 lanes=16", 2, "leave the lanes out"),
        ("offset", 2, "offset is not stepped"),
        ("zero-sum", 2, "zero-sum is not stepped"),
    ] {
        let refused = Cell::parse(cell).unwrap().stepper(
            67,
            slots,
            KernelChoice::Auto,
            SteppingOptions::default(),
        );
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(reason), "{cell}: {error}");
    }
}

#[test]
fn boards_and_moves_of_calculator() {
    let entry = tilelab::plan::game("calculator").unwrap();
    let settings = ["start=1", "goal=12", "moves=4", "buttons=+1 Store"];
    let params = tilelab::plan::params(entry, settings).unwrap();
    let cell = Cell::of(
        entry,
        params,
        vec![tilelab::plan::player(entry, "random").unwrap()],
    );
    let mut games = cell
        .stepper(1, 1, KernelChoice::Auto, SteppingOptions::default())
        .unwrap();
    assert_eq!(games.move_names(), ["+1", "Store", "stored number"]);
    assert_eq!(games.legal(), [0b011]);
    assert_eq!(
        boards(&games),
        (
            vec![kind::NUMBER, kind::BLANK, 1, 1],
            vec![1.0, 0.0, 0.0, 4.0]
        )
    );
    for press in [0, 1] {
        games.step(&[press]).unwrap();
    }
    assert_eq!(boards(&games), (vec![1; 4], vec![2.0, 2.0, 0.0, 3.0]));
    for press in [2, 0, 0] {
        games.step(&[press]).unwrap();
    }
    let [last] = games.finished() else {
        panic!("the presses are spent")
    };
    assert_eq!(
        (last.end, last.outcome),
        (End::OutOfRounds, Outcome::new(GameResult::Lost, 4))
    );
    assert_eq!(games.final_boards().1, [24.0, 2.0, 0.0, 0.0]);
}
