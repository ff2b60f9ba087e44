//! Offset: searches against minimax on small boards; logs.

use crate::common::{folder, refused, searched, stdout, tilelab, write};
use tilelab::game::Game;
use tilelab::games::offset::{Offset, Pair, Walk, all_assignments, all_pairs, log};
use tilelab::players::two_player::alpha_beta::AlphaBeta;
use tilelab::players::two_player::exact::Exact;
use tilelab::players::two_player::minimax::Minimax;
use tilelab::rng::{Draw, SeedableRng, Stream};

fn pair(p: u8, q: u8) -> Pair {
    Pair::new(p, q).unwrap()
}

#[test]
fn there_are_as_many_pairs_as_the_rules_say() {
    assert_eq!(all_pairs(7), [pair(1, 6), pair(2, 5), pair(3, 4)]);
    assert_eq!(
        all_pairs(10),
        [pair(1, 9), pair(2, 8), pair(3, 7), pair(4, 6)]
    );
    assert_eq!(all_assignments(7).len(), 12);
    assert_eq!(all_assignments(10).len(), 24);
    assert_eq!(Pair::new(3, 3), None);
}

/// 4 × 31 × 26 combinations of (1, 6) and 4 × 29 × 28 of (3, 4), each with two targets.
#[test]
fn the_start_has_all_combinations() {
    let rules = Offset {
        side: 32,
        d: 7,
        pairs: Some([pair(1, 6), pair(3, 4)]),
        beginner: 0,
        opening: 0,
        walk: Walk::Drawn,
    };
    let board = rules.start(&mut Stream::seed_from_u64(0));
    assert_eq!(
        [board.mobility(0), board.mobility(1)],
        [2 * 4 * 31 * 26, 2 * 4 * 29 * 28]
    );
}

/// Positions of a random game on a small board.
fn positions(rules: &Offset, seed: u64) -> Vec<<Offset as Game>::State> {
    let mut stream = Stream::seed_from_u64(seed);
    let mut board = rules.start(&mut stream);
    let mut found = Vec::new();
    while rules.outcome(&board).is_none() {
        found.push(board.clone());
        let index = Draw::next(&mut stream).below(rules.legal_count(&board) as u64) as usize;
        let chosen = rules.nth_legal(&board, index);
        rules.play(&mut board, chosen);
    }
    found
}

#[test]
fn alpha_beta_is_minimax_on_small_boards_at_depths_up_to_4() {
    for (side, width, skip, step) in [(5, 0, 3, 1), (6, 0, 9, 2), (10, 7, 0, 8)] {
        let rules = Offset {
            side,
            d: 5,
            pairs: Some([pair(1, 4), pair(2, 3)]),
            beginner: 0,
            opening: 0,
            walk: Walk::Drawn,
        };
        for board in positions(&rules, 67).iter().skip(skip).step_by(step) {
            for depth in 1..=4 {
                let mut minimax = Minimax::new(depth, width, 0);
                let (chosen, nodes) = searched(&mut minimax, &rules, board);
                for table in [0, 6, 16] {
                    let mut alpha_beta = AlphaBeta::new(depth, width, table);
                    let (same, fewer) = searched(&mut alpha_beta, &rules, board);
                    assert_eq!(same, chosen, "side {side}, depth {depth}, table {table}");
                    assert!(table > 0 || fewer <= nodes);
                }
            }
        }
    }
}

/// Deep alpha-beta sees the end of the game: its moves keep the exact result.
#[test]
fn alpha_beta_keeps_the_exact_result_where_it_sees_the_end() {
    let rules = Offset {
        side: 5,
        d: 5,
        pairs: Some([pair(1, 4), pair(2, 3)]),
        beginner: 0,
        opening: 0,
        walk: Walk::Drawn,
    };
    let mut seen = 0;
    for seed in 0..10 {
        let positions = positions(&rules, seed);
        for board in positions.iter().rev().take(6) {
            let sign = if board.seat() == 0 { 1 } else { -1 };
            let value = Exact::default().margin(&rules, &mut board.clone());
            let mut after = board.clone();
            let (chosen, _) = searched(&mut AlphaBeta::new(24, 0, 12), &rules, board);
            rules.play(&mut after, chosen);
            assert_eq!(
                sign * Exact::default().margin(&rules, &mut after),
                sign * value
            );
            seen += 1;
        }
    }
    assert_eq!(seen, 60);
}

#[test]
fn logs_replay_to_the_same_scores() {
    for player in [
        "\"random\"",
        "\"mobility\"",
        "{ name = \"alpha-beta\", depth = 2, width = 4 }",
    ] {
        let folder = folder();
        let text = format!(
            "name = \"logged\"\nseed = 1\n[[table]]\ntitle = \"t\"\ngame = \"offset\"\nside = 10\npair0 = \"1,6\"\n\
             pair1 = \"3,4\"\nplayer = \"greedy\"\nopponent = {player}\n"
        );
        let file = write(folder.path(), "logged.toml", &text);
        let file = file.to_str().unwrap();
        let plan = tilelab::Plan::read(std::path::Path::new(file), Default::default()).unwrap();
        let cell = &plan.cells[0];
        let replay = |form: &str| {
            let output = tilelab(&["replay", file, "--cell", &cell.key(), "--game", "3", form]);
            assert_eq!(
                output.status.code(),
                Some(0),
                "{}",
                crate::common::stderr(&output)
            );
            stdout(&output)
        };
        let log = write(folder.path(), "match.log", &replay("--as-log"));
        let output = tilelab(&[
            "replay",
            "offset",
            "--log",
            log.to_str().unwrap(),
            "--pairs",
            "1,6:3,4",
            "--side",
            "10",
            "--json",
        ]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            crate::common::stderr(&output)
        );
        let turns = crate::common::turns(&replay("--json"));
        let last = turns.last().unwrap();
        let read = stdout(&output);
        let read: serde_json::Value = serde_json::from_str(read.lines().last().unwrap()).unwrap();
        assert_eq!(read["scores"], last["scores"]);
        assert_eq!(read["moves"], turns.len());
        assert!(!last["outcome"].is_null());
    }
}

/// The form of a line, and the same with capitals and without spaces.
#[test]
fn lines_are_read_and_written() {
    let entry = log::LogMove::parse("(0, true, (3, 4), (4, 10), 2)", 32).unwrap();
    assert_eq!(entry.line(), "(0, true, (3, 4), (4, 10), 2)");
    assert_eq!(
        log::LogMove::parse(" (0,True,(3,4),(4,10),2) ", 32),
        Ok(entry)
    );
}

#[test]
fn impossible_lines_are_named_with_number_and_reason() {
    let good = "(0, true, (0, 0), (1, 6), 2)\n(1, true, (5, 5), (8, 9), 2)\n";
    let cases = [
        (
            "(0, true, (0, 0), (1, 6), 2",
            "line 3",
            "not a line of a log",
        ),
        ("hello", "line 3", "not a line of a log"),
        ("(0, false, (2, 0), (3, 6), 2)", "line 3", "not true"),
        (
            "(2, true, (2, 0), (3, 6), 2)",
            "line 3",
            "players are 0 and 1",
        ),
        (
            "(1, true, (2, 0), (5, 4), 2)",
            "line 3",
            "the turn of player 0",
        ),
        (
            "(0, true, (32, 0), (3, 6), 2)",
            "line 3",
            "source (32, 0) is not on the board",
        ),
        (
            "(0, true, (2, 0), (3, -1), 2)",
            "line 3",
            "target (3, -1) is not on the board",
        ),
        (
            "(0, true, (2, 0), (5, 4), 2)",
            "line 3",
            "lie 3 and 4 apart",
        ),
        (
            "(0, true, (0, 0), (6, 1), 2)",
            "line 3",
            "the source (0, 0) is empty",
        ),
        (
            "(0, true, (6, 1), (0, 0), 2)",
            "line 3",
            "the target (0, 0) is empty",
        ),
        (
            "(0, true, (2, 0), (8, 1), 4)",
            "line 3",
            "has 2 coins, not 4",
        ),
        (
            "(0, true, (1, 6), (2, 0), 4)",
            "line 3",
            "2 and 1 coins; only equal piles",
        ),
        (
            "(0, true, (2, 0), (8, 1), 2)\n\n(0, true, (3, 0), (9, 1), 2)",
            "line 5",
            "the turn of player 1",
        ),
    ];
    for (line, number, reason) in cases {
        let folder = folder();
        let file = write(folder.path(), "bad.log", &format!("{good}{line}\n"));
        let output = tilelab(&[
            "replay",
            "offset",
            "--log",
            file.to_str().unwrap(),
            "--pairs",
            "1,6:3,4",
            "--json",
        ]);
        refused(&output, &["bad.log", number, reason]);
        assert!(stdout(&output).is_empty(), "{line}");
    }
}
