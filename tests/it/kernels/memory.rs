//! A batch allocates a fixed amount, however many games and turns it plays.

use crate::allocator::allocations;
use crate::kernels::{engines, game, seeds};
use tilelab::game::Tally;
use tilelab::games::sixty_seven::kernels::Kernel;

/// Allocations and turns of a batch.
fn batch(kernel: &Kernel, games: u64) -> (u64, u64) {
    let mut tally = Tally::new(&[]);
    // The histogram grows when it first meets a large count.
    kernel.play(seeds(1), 0..games, &mut |ended| tally.add(&ended.outcome()));
    let before = allocations();
    let mut turns = 0;
    kernel.play(seeds(1), 0..games, &mut |ended| {
        turns += ended.rounds;
        tally.add(&ended.outcome());
    });
    (allocations() - before, turns)
}

#[test]
fn batches_allocate_nothing_per_game_or_turn() {
    for settings in [
        "rules=gapless",
        "rules=bounded rows=10 cols=10",
        "rules=original rows=16 cols=16 tiles_per_turn=8",
    ] {
        for kernel in engines(&game(settings)) {
            // Planes alone play fewer games than fill a register.
            let games = if settings.contains("16") { 100 } else { 300 };
            let (few, few_turns) = batch(&kernel, games);
            let (many, many_turns) = batch(&kernel, 4 * games);
            assert!(
                many_turns > 3 * few_turns,
                "{few_turns} and {many_turns} turns"
            );
            assert_eq!(
                few, many,
                "allocations of {games} and of four times as many games: {kernel:?}"
            );
            assert!(many < 24, "{many} allocations: {kernel:?}");
        }
    }
}
