//! The allocator of these tests: it counts, and fails where a test asks for it or memory is to be
//! limited.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};

struct Counting;

thread_local! {
    /// Allocations of this thread alone: the test harness allocates in its own when it likes.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Where no allocation is to fail.
const NEVER: u64 = u64::MAX;

/// Allocations of all threads until one fails.
static LEFT: AtomicU64 = AtomicU64::new(NEVER);

/// Whether bytes are counted. Tests beside each other would wait for the counters.
static IS_LIMITED: AtomicBool = AtomicBool::new(false);
/// Bytes of all threads that were allocated and not freed since then, the most there were, and the
/// most there may be.
static HELD: AtomicIsize = AtomicIsize::new(0);
static HELD_MOST: AtomicIsize = AtomicIsize::new(0);
static HELD_MAX: AtomicIsize = AtomicIsize::new(isize::MAX);

/// Whether `bytes` more bytes may be held.
fn holds(bytes: usize) -> bool {
    if !IS_LIMITED.load(Ordering::Relaxed) {
        return true;
    }
    let bytes = bytes.cast_signed();
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    HELD_MOST.fetch_max(held, Ordering::Relaxed);
    if held > HELD_MAX.load(Ordering::Relaxed) {
        HELD.fetch_sub(bytes, Ordering::Relaxed);
        return false;
    }
    true
}

#[allow(unsafe_code)]
// SAFETY: every call is passed on unchanged to the system's allocator, or fails as an allocator
// may; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        if LEFT.load(Ordering::Relaxed) != NEVER && LEFT.fetch_sub(1, Ordering::Relaxed) == 1 {
            LEFT.store(NEVER, Ordering::Relaxed);
            return std::ptr::null_mut();
        }
        if !holds(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if IS_LIMITED.load(Ordering::Relaxed) {
            HELD.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        }
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Calls a function in which the allocation with this number (from 1) of any thread fails; returns
/// what it does, and how many allocations it made where none failed.
pub fn failing<T>(number: u64, call: impl FnOnce() -> T) -> (T, u64) {
    LEFT.store(number, Ordering::Relaxed);
    let value = call();
    let left = LEFT.swap(NEVER, Ordering::Relaxed);
    (value, number.saturating_sub(left))
}

/// The most bytes that a function holds of those that all threads allocate from now on.
pub fn held(call: impl FnOnce()) -> usize {
    IS_LIMITED.store(true, Ordering::Relaxed);
    let before = HELD.load(Ordering::Relaxed);
    HELD_MOST.store(before, Ordering::Relaxed);
    call();
    (HELD_MOST.load(Ordering::Relaxed) - before).cast_unsigned()
}

/// From now on, allocations fail that would make all threads hold `bytes` more bytes than now.
pub fn limit(bytes: usize) {
    let held = HELD.load(Ordering::Relaxed);
    HELD_MAX.store(held + bytes.cast_signed(), Ordering::Relaxed);
}
