//! Value lanes: every kernel of this machine against the reference of lanes, and that reference
//! against the rules.

use crate::effort::times;
use crate::kernels::{game, kernels, seeds};
use std::collections::BTreeMap;
use std::ops::Range;
use tilelab::game::{Game, KernelChoice};
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::lanes::{LANES, LaneMoves, play_trajectory};
use tilelab::rng::{CellSeeds, Draw, SeedableRng, Stream};

/// `bounded` limits values, so it has no lanes.
const RULES: [&str; 6] = [
    "original",
    "gapless",
    "merge-pairs",
    "merge-runs",
    "original equal_operators=pairs",
    "merge-runs gaps=keep",
];

fn batch(
    choice: KernelChoice,
    game: &SixtySeven,
    seeds: CellSeeds,
    trajectories: Range<u64>,
) -> BTreeMap<u64, LaneMoves> {
    let kernel = Kernel::new(choice, game).unwrap_or_else(|reason| panic!("{game:?}: {reason}"));
    let mut ended = BTreeMap::new();
    kernel.play_lanes(seeds, trajectories.clone(), &mut |end| {
        assert!(
            ended.insert(end.trajectory, end.moves()).is_none(),
            "{} is reported twice",
            end.trajectory
        );
    });
    assert!(
        ended.keys().copied().eq(trajectories),
        "every trajectory of the batch is reported"
    );
    ended
}

/// Every kernel plays these trajectories as the reference does: each lane with the same result and
/// move count. Returns the wins.
fn check_lanes(game: &SixtySeven, seeds: CellSeeds, trajectories: Range<u64>) -> usize {
    let play = |number| play_trajectory(game, seeds, number, None).moves;
    let expected: BTreeMap<u64, LaneMoves> = trajectories
        .clone()
        .map(|number| (number, play(number)))
        .collect();
    for choice in kernels() {
        let played = batch(choice, game, seeds, trajectories.clone());
        for (number, moves) in &expected {
            assert_eq!(
                played[number], *moves,
                "{choice:?}, trajectory {number} of {game:?}"
            );
        }
    }
    expected
        .values()
        .map(|moves| moves.won.iter().flatten().count())
        .sum()
}

#[test]
fn lanes_equal_their_reference() {
    let mut wins = 0;
    for rules in RULES {
        for (rows, cols, trajectories) in [
            (1, 1, 3),
            (1, 9, 40),
            (4, 4, 60),
            (6, 7, 12),
            (8, 8, 2),
            (9, 10, 1),
        ] {
            for more in [
                "",
                "operator_rate=0.3 tiles_per_turn=3 operators=* target=12",
                "operators=+- tiles_per_turn=1 target=-5",
                // 9⁹, which fits in 32 bits, and 9¹⁰, which does not.
                "digits=9 operators=* target=387420489",
                "digits=9 operators=* target=3486784401",
            ] {
                let game = game(&format!(
                    "rules={rules} rows={rows} cols={cols} {more} lanes=16"
                ));
                wins += check_lanes(&game, seeds(rows * cols), 7..7 + times(trajectories));
            }
        }
    }
    assert!(wins > 300, "{wins} wins are too few to say much");
}

fn random_settings(stream: &mut Stream) -> String {
    let mut draw = Draw::next(stream);
    let side = [4, 7, 16][draw.below(3) as usize];
    let rows = 1 + draw.below(side);
    let cols = 1 + draw.below(side);
    let rate = [0.0, 0.1, 0.5, 0.5, 0.67, 0.9, 1.0][draw.below(7) as usize];
    let mut settings = format!(
        "rows={rows} cols={cols} lanes=16 rules={}",
        RULES[draw.below(6) as usize]
    );
    let mut draw = Draw::next(stream);
    settings += &format!(
        " operators={}",
        ["+-*", "+-", "+*", "-*", "+", "-", "*", "+:3;*:40"][draw.below(8) as usize]
    );
    settings += &format!(
        " digits={}",
        ["0123456789", "13579", "0", "12"][draw.below(4) as usize]
    );
    settings += &format!(" tiles_per_turn={}", 1 + draw.below(8));
    settings += &format!(
        " operator_rate={rate} target={}",
        [67, 10, -3, 1_000_000][draw.below(4) as usize]
    );
    // Where runs merge and nearly all tiles are operators, games without a limit may never end.
    let limits = [" max_rounds=1", " max_rounds=40", " max_rounds=25", ""];
    settings
        + limits[if rate < 0.9 {
            draw.below(4) as usize
        } else {
            1
        }]
}

#[test]
fn lanes_over_random_parameters_equal_their_reference() {
    let mut stream = Stream::seed_from_u64(16);
    for number in 0..times(80) {
        check_lanes(&game(&random_settings(&mut stream)), seeds(number), 0..3);
    }
}

/// Each lane of a trajectory is a game by the rules: its own board has the legal moves of the
/// others, moves as it should, and ends when it should.
#[test]
fn every_lane_is_a_game_by_the_rules() {
    for (number, settings) in [
        "rows=4 cols=4 digits=67890",
        "rows=5 cols=4 rules=gapless operators=*",
        "target=7 digits=078",
    ]
    .into_iter()
    .chain([
        "rows=4 cols=5 rules=merge-pairs max_rounds=9",
        "rules=merge-runs tiles_per_turn=3",
    ])
    .enumerate()
    {
        let game = game(&format!("{settings} lanes=16"));
        let seeds = seeds(number as u64);
        let whole = play_trajectory(&game, seeds, 5, None);
        for lane in 0..LANES {
            let mut turns = 0;
            let mut ended = None;
            let mut last = None;
            let mut watch = |turn: &tilelab::game::Turn<'_, SixtySeven>| {
                turns += 1;
                assert_eq!(
                    (turn.number, ended),
                    (turns, None),
                    "{settings}, lane {lane}"
                );
                let mut legal = Vec::new();
                game.legal(turn.dealt, &mut legal);
                assert_eq!(turn.legal, legal);
                if let Some((chosen, after)) = turn.played {
                    let mut state = turn.dealt.clone();
                    game.play(&mut state, chosen);
                    assert_eq!(
                        (&state.board, state.ended),
                        (&after.board, after.ended),
                        "{settings}, lane {lane}"
                    );
                }
                last = Some(
                    turn.played
                        .map_or(turn.dealt, |(_, after)| after)
                        .board
                        .clone(),
                );
                ended = turn.outcome;
            };
            let moves = play_trajectory(&game, seeds, 5, Some((lane, &mut watch))).moves;
            assert_eq!(moves, whole.moves);
            assert_eq!(
                ended,
                Some(whole.moves.outcome(lane)),
                "{settings}, lane {lane}"
            );
            assert_eq!(
                last.as_ref(),
                Some(&whole.last[lane].board),
                "{settings}, lane {lane}"
            );
        }
    }
}

/// Batches, and so threads and interruptions, do not show in what is played.
#[test]
fn batches_do_not_matter() {
    let game = game("rules=gapless rows=6 cols=7 lanes=16");
    for choice in kernels() {
        let whole = batch(choice, &game, seeds(3), 0..300);
        for range in [0..1, 1..2, 17..130, 130..300] {
            for (number, moves) in batch(choice, &game, seeds(3), range) {
                assert_eq!(moves, whole[&number], "{choice:?}, trajectory {number}");
            }
        }
    }
}
