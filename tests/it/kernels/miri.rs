//! A few short games on every kernel, small enough for Miri, which watches for undefined behaviour:
//!
//! ```sh
//! rustup component add --toolchain nightly miri rust-src
//! cargo +nightly miri test --test it kernels::miri
//! RUSTFLAGS="-C target-feature=+avx2,+bmi1,+bmi2,+popcnt" cargo +nightly miri test --test it
//! kernels::miri
//! ```
//!
//! The first command plays the portable kernel, the second `avx2` too. Miri does not know all
//! instructions of `avx512`. Without Miri this is a quick test of what the machine has.

use crate::kernels::{engines, game, kernels, reference, seeds};
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::lanes::play_trajectory;
use tilelab::games::sixty_seven::packed::PackedBoard;

/// Boards of one, two and four words, every way to collapse; few rounds, since Miri takes about a
/// thousand times as long.
const SETTINGS: [&str; 5] = [
    "rows=2 cols=3 rules=original target=12 max_rounds=4",
    "rows=3 cols=3 rules=merge-pairs operator_rate=0.67 max_rounds=4",
    "rows=1 cols=9 rules=gapless operators=* max_rounds=4",
    "rows=5 cols=13 rules=merge-runs tiles_per_turn=20 max_rounds=2",
    "rows=13 cols=10 rules=gapless tiles_per_turn=30 max_rounds=1",
];

#[test]
fn games_and_last_boards() {
    for settings in SETTINGS {
        let game = game(settings);
        let expected: Vec<_> = (0..2)
            .map(|index| reference(&game, seeds(1), index))
            .collect();
        for kernel in engines(&game) {
            let mut ended = 0;
            kernel.play(seeds(1), 0..2, &mut |end| {
                assert_eq!(
                    (end.outcome(), end.board()),
                    expected[end.game as usize],
                    "{kernel:?}"
                );
                ended += 1;
            });
            assert_eq!(ended, 2);
        }
    }
}

#[test]
fn lanes() {
    for settings in SETTINGS {
        let game = game(settings);
        let expected = play_trajectory(&game, seeds(2), 0, None).moves;
        for choice in kernels() {
            let mut ended = Vec::new();
            Kernel::new(choice, &game)
                .unwrap()
                .play_lanes(seeds(2), 0..1, &mut |end| ended.push(end.moves()));
            assert_eq!(ended, [expected], "{choice:?}, {settings}");
        }
    }
}

#[test]
fn single_moves_and_playouts() {
    let game = game("rows=3 cols=4 rules=gapless max_rounds=3");
    let (_, board) = reference(&game, seeds(3), 0);
    let blank = PackedBoard::blank(3, 4);
    for choice in kernels() {
        let kernel = Kernel::new(choice, &game).unwrap();
        assert_eq!(kernel.legal(&blank), 0);
        let _ = kernel.legal(&board);
        let mut ended = 0;
        kernel.playouts(&blank, seeds(4), 0..2, 2, &mut |_| ended += 1);
        assert_eq!(ended, 2);
    }
}
