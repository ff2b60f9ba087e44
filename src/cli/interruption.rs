//! Signals that ask the program to end: the first asks a run to save and end, one that comes later
//! ends it at once. However it ends, the programs that play end with it.

#[cfg(unix)]
use crate::external;
use anyhow::{Context, Result};
#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(not(unix))]
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::{iterator::Signals, low_level};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(unix)]
use std::sync::atomic::Ordering;
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::{Duration, Instant};

/// The signals that ask the program to end; SIGHUP only where there is one.
#[cfg(unix)]
pub const SIGNALS: &[i32] = &[SIGINT, SIGTERM, SIGHUP];
/// The signals that ask the program to end; SIGHUP only where there is one.
#[cfg(not(unix))]
pub const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// What an error of the system means here.
const REFUSED: &str = "signals cannot be handled";

/// The exit code of an interrupted run.
pub const EXIT_CODE: u8 = 130;

/// How long a signal counts as the one before: wrappers such as `timeout` send theirs to the
/// process and to its group.
#[cfg(unix)]
const SAME: Duration = Duration::from_millis(500);

/// A flag that the first signal sets; at a later one the process ends with [`EXIT_CODE`], and the
/// state of the last save stays.
///
/// A SIGHUP that the parent process has asked to ignore stays ignored: so `nohup tilelab run …`
/// goes on after the terminal is gone.
///
/// # Errors
/// When the system does not take the handlers.
pub fn flag() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        let first = Arc::clone(&interrupted);
        let mut asked = None;
        watch(move |_| {
            first.store(true, Ordering::Relaxed);
            let asked = asked.get_or_insert_with(Instant::now);
            if asked.elapsed() > SAME {
                external::end_all();
                low_level::exit(EXIT_CODE.into());
            }
        })?;
    }
    #[cfg(not(unix))]
    for &signal in SIGNALS {
        // In this order: the shutdown looks at the flag as earlier signals have left it.
        let shut_down = flag::register_conditional_shutdown;
        shut_down(signal, EXIT_CODE.into(), Arc::clone(&interrupted)).context(REFUSED)?;
        flag::register(signal, Arc::clone(&interrupted)).context(REFUSED)?;
    }
    Ok(interrupted)
}

/// Has a signal end the programs that play before it ends this one: for verbs that have nothing to
/// save.
///
/// # Errors
/// When the system does not take the handlers, or has no thread for them.
#[cfg(unix)]
pub fn end_programs() -> Result<()> {
    watch(|signal| {
        external::end_all();
        // Ends this process as if the signal had not been handled.
        drop(low_level::emulate_default_handler(signal));
    })
}

/// Nothing: programs end with what they read.
#[cfg(not(unix))]
pub const fn end_programs() -> Result<()> {
    Ok(())
}

/// Calls a function at each signal, on a thread of its own.
#[cfg(unix)]
fn watch(mut handle: impl FnMut(i32) + Send + 'static) -> Result<()> {
    let watched = SIGNALS
        .iter()
        .filter(|signal| !is_ignored_hang_up(**signal));
    let mut signals = Signals::new(watched).context(REFUSED)?;
    let watcher = thread::Builder::new()
        .name("signals".into())
        .spawn(move || signals.forever().for_each(&mut handle));
    watcher.map(drop).context(REFUSED)
}

/// Whether this is SIGHUP and the process was started with it ignored, as far as the system tells.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the system wrote it, and it has no length"
)]
fn is_ignored_hang_up(signal: i32) -> bool {
    if signal != SIGHUP {
        return false;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
