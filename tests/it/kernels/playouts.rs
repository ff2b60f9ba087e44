//! Playouts from one board, and moves on packed boards, against the reference.

use crate::kernels::{RULES, engines, game, kernels, seeds};
use std::collections::BTreeMap;
use tilelab::game::{Game, GameResult, KernelChoice, Player};
use tilelab::games::sixty_seven::kernels::{End, Kernel};
use tilelab::games::sixty_seven::packed::PackedBoard;
use tilelab::games::sixty_seven::reference::{State, TileBoard};
use tilelab::games::sixty_seven::{Direction, SixtySeven};
use tilelab::players::random::Random;
use tilelab::rng::CellSeeds;

/// The board of game `index` after `rounds` moves; `None` where the game ends before.
fn board_after(game: &SixtySeven, index: u64, rounds: u64) -> Option<TileBoard> {
    let mut world = seeds(5).world_stream(index);
    let mut stream = seeds(5).player_stream(index);
    let mut state = game.start(&mut world);
    let mut moves = Vec::new();
    for _ in 0..rounds {
        game.deal(&mut state, &mut world);
        moves.clear();
        game.legal(&state, &mut moves);
        if game.outcome(&state).is_some() {
            return None;
        }
        let chosen = Random.choose(game, &state, &moves, &mut stream);
        game.play(&mut state, chosen);
        if game.outcome(&state).is_some() {
            return None;
        }
    }
    Some(state.board)
}

/// One playout through the plain rules: how it ended, its rounds, its last board.
fn reference(
    game: &SixtySeven,
    board: &TileBoard,
    seeds: CellSeeds,
    index: u64,
    rounds_max: u64,
) -> (End, u64, PackedBoard) {
    let mut world = seeds.world_stream(index);
    let mut stream = seeds.player_stream(index);
    let mut state = State {
        board: board.clone(),
        round: 0,
        ended: None,
        spawned: [0; 2],
    };
    let mut moves = Vec::new();
    let ended = |state: &State, end| (end, state.round, PackedBoard::pack(&state.board));
    loop {
        game.deal(&mut state, &mut world);
        if game.outcome(&state).is_some() {
            return ended(&state, End::Blocked);
        }
        moves.clear();
        game.legal(&state, &mut moves);
        let chosen = Random.choose(game, &state, &moves, &mut stream);
        game.play(&mut state, chosen);
        match game.outcome(&state).map(|outcome| outcome.result) {
            Some(GameResult::Won) => return ended(&state, End::Won),
            Some(_) => return ended(&state, End::Exceeded),
            None if state.round >= rounds_max => return ended(&state, End::OutOfRounds),
            None => {}
        }
    }
}

#[test]
fn playouts_equal_the_reference() {
    for rules in RULES {
        for (size, rounds) in [
            ("rows=6 cols=7", 12),
            ("rows=3 cols=3", 3),
            ("rows=9 cols=10", 30),
            ("rows=12 cols=13", 40),
        ] {
            // The limit of rounds is the playout's own here.
            let game = game(&format!("rules={rules} {size} max_rounds=1000000"));
            let board = (0..100)
                .find_map(|index| board_after(&game, index, rounds))
                .expect("some game lasts so long");
            for (rounds_max, playouts) in [(1, 20..30), (6, 0..20), (50, 7..12)] {
                for choice in kernels() {
                    let kernel = Kernel::new(choice, &game).unwrap();
                    let mut seen = 0;
                    kernel.playouts(
                        &PackedBoard::pack(&board),
                        seeds(9),
                        playouts.clone(),
                        rounds_max,
                        &mut |ended| {
                            let expected =
                                reference(&game, &board, seeds(9), ended.game, rounds_max);
                            assert_eq!(
                                (ended.end, ended.rounds, ended.board()),
                                expected,
                                "{choice:?} {game:?}"
                            );
                            seen += 1;
                        },
                    );
                    assert_eq!(seen, playouts.end - playouts.start);
                }
            }
        }
    }
}

/// Playouts from several boards together are those from each alone: with more than fill a register,
/// with boards that share a word of it, and whichever algorithm begins.
#[test]
fn playouts_from_several_boards_are_those_from_each() {
    for (settings, each, rounds_max) in [
        ("rules=gapless", 64, 12),
        ("rules=merge-runs rows=8 cols=5 tiles_per_turn=3", 50, 20),
        ("rules=original rows=4 cols=9 value_limit=700", 150, 9),
        ("rules=merge-pairs rows=4 cols=4", 100, u64::MAX),
    ] {
        let game = game(settings);
        let boards: Vec<PackedBoard> = (0..200)
            .filter_map(|index| board_after(&game, index, 4 + index % 5))
            .map(|board| PackedBoard::pack(&board))
            .take(5)
            .collect();
        assert_eq!(boards.len(), 5, "{settings}");
        let counted = |kernel: &Kernel, boards: &[PackedBoard]| {
            let mut ends = vec![BTreeMap::new(); boards.len()];
            kernel.playouts_from(
                boards,
                seeds(9),
                7..7 + each,
                rounds_max,
                &mut |at, ended| {
                    let end = (ended.end, ended.rounds, ended.board());
                    assert_eq!(ends[at].insert(ended.game, end), None);
                },
            );
            ends
        };
        let engines = engines(&game);
        let alone = boards.iter().map(std::slice::from_ref);
        let expected: Vec<_> = alone
            .flat_map(|board| counted(&engines[1], board))
            .collect();
        assert!(expected.iter().all(|ends| ends.len() as u64 == each));
        for kernel in &engines {
            assert!(counted(kernel, &boards) == expected, "{kernel:?}");
        }
    }
}

#[test]
fn packed_boards_move_as_boards_do() {
    for rules in RULES {
        for size in [
            "rows=6 cols=7",
            "rows=2 cols=16",
            "rows=11 cols=11",
            "rows=16 cols=16",
        ] {
            let game = game(&format!("rules={rules} {size}"));
            let kernel = Kernel::new(KernelChoice::Portable, &game).unwrap();
            for index in 0..30 {
                let Some(board) = board_after(&game, index, index) else {
                    continue;
                };
                let legal = board
                    .legal(game.collapse)
                    .fold(0, |mask, direction| mask | 1 << direction as u8);
                let packed = PackedBoard::pack(&board);
                assert_eq!(kernel.legal(&packed), legal, "{board:?}");
                assert_eq!(kernel.verdict(&packed), None);
                for direction in Direction::ALL {
                    let mut moved = packed.clone();
                    let expected = board.moved(game.collapse, direction);
                    let verdict = kernel.advance(&mut moved, direction);
                    assert_eq!(moved, PackedBoard::pack(&expected), "{direction} {board:?}");
                    assert_eq!(verdict == Some(End::Won), game.is_won(&expected));
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "the game is over")]
fn playouts_from_a_won_board_are_refused() {
    let game = game("rows=1 cols=3");
    let board = TileBoard::from_json(&[["67", "_", "_"]].into()).unwrap();
    let kernel = Kernel::new(KernelChoice::Portable, &game).unwrap();
    kernel.playouts(&PackedBoard::pack(&board), seeds(1), 0..1, 1, &mut |_| {});
}
