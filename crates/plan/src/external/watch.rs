//! Ends what programs leave behind: processes that have left the group of their program, and all of
//! them where SIGKILL ends this process.
//!
//! The environment in which a program begins has a mark, which what it starts inherits. A shell
//! that outlives this process ends whatever has the mark of a program that has ended.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use tilelab_output::locked;

/// The variable with the mark.
const VARIABLE: &str = "TILELAB_PROGRAM";

/// The shell, once there is a program.
static SHELL: Mutex<Option<Shell>> = Mutex::new(None);

struct Shell {
    /// The process that the shell watches.
    watched: u32,
    /// The beginning of all marks.
    mark: String,
    /// Programs that were marked.
    marked: u64,
    /// The marks of programs that have ended.
    ended: ChildStdin,
    /// An empty line for each program that has ended, when nothing of it is left.
    done: BufReader<ChildStdout>,
}

impl Shell {
    fn start() -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        let watched = std::process::id();
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mark = format!("{watched}.{}.", now.as_nanos());
        let mut command = Command::new("sh");
        command
            .args(["-c", include_str!("watch.sh"), "tilelab-watch", &mark])
            .current_dir("/")
            // Who ends this process as a program's child does not end its watch before its work.
            .env_remove(VARIABLE)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let done = child.stdout.take().expect("standard output is piped");
        Ok(Self {
            watched,
            mark,
            marked: 0,
            ended: child.stdin.take().expect("standard input is piped"),
            done: BufReader::new(done),
        })
    }
}

/// Marks a program that is to be started; its number.
///
/// # Errors
/// Where no shell can be started.
pub fn mark(program: &mut Command) -> io::Result<u64> {
    let mut known = locked(&SHELL);
    // The shell of a process from which this one was forked watches that process.
    let shell = known.take();
    let shell = shell.filter(|shell| shell.watched == std::process::id());
    let shell = known.insert(shell.map_or_else(Shell::start, Ok)?);
    shell.marked += 1;
    program.env(VARIABLE, format!("{}{}.", shell.mark, shell.marked));
    Ok(shell.marked)
}

/// Ends what a program has left behind.
pub fn end(number: u64) {
    if let Some(shell) = locked(&SHELL).as_mut() {
        // A shell that somebody has ended ends nothing.
        let asked = writeln!(shell.ended, "{}{number}.", shell.mark);
        let _ = asked.and_then(|()| shell.done.read_line(&mut String::new()));
    }
}
