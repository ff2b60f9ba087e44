//! SIGINT, SIGTERM and SIGHUP: the first asks a run to save and end, a second one ends it at once.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && is_ignored(signal) {
            continue;
        }
        // In this order: the shutdown looks at the flag as earlier signals have left it.
        flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// Whether the process was started with this signal ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
