//! The allocator of these tests: it counts, and fails where a test asks for it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

thread_local! {
    /// Of this thread alone: the test harness allocates in its own when it likes.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Where no allocation is to fail.
const NEVER: u64 = u64::MAX;

/// Allocations of all threads until one fails.
static LEFT: AtomicU64 = AtomicU64::new(NEVER);

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
