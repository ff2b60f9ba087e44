//! The time that a thread has spent on a processor.
//!
//! Read from the thread's own clock (`CLOCK_THREAD_CPUTIME_ID`), which is exact to the microsecond;
//! `/proc/thread-self/schedstat` would count in ticks of the scheduler, longer than a short batch.

use std::time::{Duration, Instant};

/// Bare WebAssembly has no clock.
const HAS_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The time since a start; always zero where there is no clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    begun: Option<Instant>,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Self {
            begun: HAS_CLOCK.then(Instant::now),
        }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }
}

/// Measures the work of one thread: its time on a processor where the system tells (Linux), else
/// the time of the clock.
#[derive(Clone, Copy, Debug)]
pub struct WorkClock {
    begun: Stopwatch,
    begun_on_processor: Option<Duration>,
}

impl WorkClock {
    /// Begins to measure.
    pub fn begin() -> Self {
        Self {
            begun_on_processor: on_processor(),
            begun: Stopwatch::start(),
        }
    }

    /// The work of this thread since the beginning; it does not grow while others use the
    /// processor.
    pub fn done(&self) -> Duration {
        let clock = self.begun.elapsed();
        match (self.begun_on_processor, on_processor()) {
            (Some(begun), Some(now)) => now.saturating_sub(begun).min(clock),
            _ => clock,
        }
    }
}

#[cfg(target_os = "linux")]
fn on_processor() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
}

#[cfg(not(target_os = "linux"))]
fn on_processor() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_no_work() {
        let work = WorkClock::begin();
        std::thread::sleep(Duration::from_millis(30));
        if on_processor().is_some() {
            assert!(work.done() < Duration::from_millis(25));
        }
        // Many short pieces count as much as one that lasts as long.
        let work = WorkClock::begin();
        let mut word = 1_u64;
        let mut pieces = Duration::ZERO;
        while work.begun.elapsed() < Duration::from_millis(30) {
            let piece = WorkClock::begin();
            for _ in 0..100_000 {
                word = std::hint::black_box(word.wrapping_mul(3));
            }
            pieces += piece.done();
        }
        let whole = work.done();
        assert!(
            pieces <= whole && pieces * 2 > whole,
            "{pieces:?} of {whole:?}"
        );
    }
}
