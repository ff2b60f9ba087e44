//! Signals that ask the program to end: the first asks a run to save and end, a second one ends it
//! at once.

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The signals that ask the program to end; SIGHUP only where there is one.
#[cfg(unix)]
pub const SIGNALS: &[i32] = &[SIGINT, SIGTERM, SIGHUP];
/// The signals that ask the program to end; SIGHUP only where there is one.
#[cfg(not(unix))]
pub const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// The exit code of an interrupted run.
pub const EXIT_CODE: u8 = 130;

/// A flag that the first signal sets; at the second the process ends with [`EXIT_CODE`], and the
/// state of the last save stays.
///
/// A SIGHUP that the parent process has asked to ignore stays ignored: so `nohup tilelab run …`
/// goes on after the terminal is gone.
///
/// # Errors
/// When the system does not take the handlers.
pub fn flag() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for &signal in SIGNALS {
        if is_ignored_hang_up(signal) {
            continue;
        }
        // In this order: the shutdown looks at the flag as earlier signals have left it.
        flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// Whether this is SIGHUP and the process was started with it ignored, as far as the system tells.
#[cfg(unix)]
fn is_ignored_hang_up(signal: i32) -> bool {
    if signal != SIGHUP {
        return false;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
const fn is_ignored_hang_up(_signal: i32) -> bool {
    false
}
