//! The time that a thread has spent on a processor.
//!
//! Linux counts it in ticks of its scheduler, a few milliseconds: a single short batch may count as nothing, sums over many are right.

use std::time::{Duration, Instant};

/// Measures the work of one thread: its time on a processor where the system tells (Linux), else the time of the clock.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    begun: Instant,
    begun_on_processor: Option<Duration>,
}

impl Work {
    /// Begins to measure.
    #[must_use]
    pub fn begin() -> Self {
        Self { begun_on_processor: on_processor(), begun: Instant::now() }
    }

    /// The work of this thread since the beginning; it does not grow while others use the processor.
    #[must_use]
    pub fn done(&self) -> Duration {
        let clock = self.begun.elapsed();
        match (self.begun_on_processor, on_processor()) {
            (Some(begun), Some(now)) => now.saturating_sub(begun).min(clock),
            _ => clock,
        }
    }
}

/// The first number of `/proc/thread-self/schedstat`: nanoseconds on a processor.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_ascii_whitespace().next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_no_work() {
        let work = Work::begin();
        std::thread::sleep(Duration::from_millis(30));
        if on_processor().is_some() {
            assert!(work.done() < Duration::from_millis(25));
        }
        let mut word = 1_u64;
        while work.begun.elapsed() < Duration::from_millis(60) {
            word = std::hint::black_box(word.wrapping_mul(3));
        }
        assert!(work.done() > Duration::ZERO);
    }
}
