//! A batch allocates a fixed amount, however many games and turns it plays.

use crate::kernels::{game, kernels, seeds};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tilelab::game::Tally;
use tilelab::games::sixty_seven::kernels::Kernel;

struct Counting;

thread_local! {
    /// Of this thread alone: the test harness allocates in its own when it likes.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code)]
// SAFETY: every call is passed on unchanged to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and turns of a batch.
fn batch(kernel: &Kernel, games: u64) -> (u64, u64) {
    let mut tally = Tally::new(&[]);
    // The histogram grows when it first meets a large count.
    kernel.play(seeds(1), 0..games, &mut |ended| tally.add(&ended.outcome()));
    let before = ALLOCATIONS.get();
    let mut turns = 0;
    kernel.play(seeds(1), 0..games, &mut |ended| {
        turns += ended.rounds;
        tally.add(&ended.outcome());
    });
    (ALLOCATIONS.get() - before, turns)
}

#[test]
fn batches_allocate_nothing_per_game_or_turn() {
    for choice in kernels() {
        for settings in [
            "rules=gapless",
            "rules=bounded rows=10 cols=10",
            "rules=original rows=16 cols=16 tiles_per_turn=8",
        ] {
            let kernel = Kernel::new(choice, &game(settings)).unwrap();
            let (few, few_turns) = batch(&kernel, 100);
            let (many, many_turns) = batch(&kernel, 400);
            assert!(
                many_turns > 3 * few_turns,
                "{few_turns} and {many_turns} turns"
            );
            assert_eq!(
                few, many,
                "{choice:?}: allocations of 100 and of 400 games of {settings}"
            );
            assert!(many < 20, "{choice:?}: {many} allocations");
        }
    }
}
