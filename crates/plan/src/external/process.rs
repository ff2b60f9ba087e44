//! The processes of programs that play: each is the leader of a process group of its own, and the
//! group ends as a whole. On Linux a shell ends what has left the group, too.

#[cfg(target_os = "linux")]
use super::watch;
use super::{LINE_BYTES_MAX, Lost};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use tilelab_games::game::Forfeit;
use tilelab_output::locked;

/// Elsewhere nothing finds the processes that have left a group.
#[cfg(not(target_os = "linux"))]
mod watch {
    pub fn mark(_program: &mut std::process::Command) -> std::io::Result<u64> {
        Ok(0)
    }

    pub const fn end(_number: u64) {}
}

/// The programs that run.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    groups: BTreeSet::new(),
    is_over: false,
});

struct Running {
    /// The process that leads each group.
    groups: BTreeSet<u32>,
    /// Whether this process is about to end, so that nothing is started any more.
    is_over: bool,
}

/// Ends all programs that play, with the processes that they have started, and lets none start any
/// more: for a process that is about to end.
pub fn end_all() {
    let mut running = locked(&RUNNING);
    running.is_over = true;
    running.groups.iter().for_each(|leader| end_group(*leader));
}

/// Ends a group. Its leader has not been waited for, so its number is that of no other group.
#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // Nothing is left of a group that has ended by itself.
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

#[cfg(not(unix))]
const fn end_group(_leader: u32) {}

/// Programs of which processes wait for a game, at most: of more, those that waited longest end.
const WAITING_MAX: usize = 16;

/// Leave to start programs, with the processes that wait for a game; all clones share them, and the
/// last one ends them.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Mutex<Waiting>>);

/// The processes of each program, the one that was asked last at the end.
type Waiting = Vec<(String, Vec<Process>)>;

impl Programs {
    /// A process of a program: one that waits, or a new one.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn process(&self, words: &str) -> Result<Process, String> {
        let mut waiting = locked(&self.0);
        let mut of_program = waiting.iter_mut().filter(|(known, _)| known == words);
        let process = of_program.find_map(|(_, processes)| processes.pop());
        drop(waiting);
        let process = process.filter(|process| process.parent == std::process::id());
        process.map_or_else(|| Process::start(words), Ok)
    }

    /// Lets a process wait for the next game.
    pub(super) fn give_back(&self, words: &str, process: Process) {
        let mut waiting = locked(&self.0);
        let at = waiting.iter().position(|(known, _)| known == words);
        let mut program =
            at.map_or_else(|| (words.to_owned(), Vec::new()), |at| waiting.remove(at));
        program.1.push(process);
        waiting.push(program);
        let ended = (waiting.len() > WAITING_MAX).then(|| waiting.remove(0));
        drop(waiting);
        drop(ended);
    }
}

/// A running program; dropped, it is ended with all that it has started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// The process that has started it, which may have been forked since.
    parent: u32,
    /// The number of the program among those that were started.
    number: u64,
    /// Lines for the program's standard input.
    pub requests: Sender<String>,
    /// Lines of the program's standard output, or why there are no more.
    pub answers: Receiver<Result<Vec<u8>, Lost>>,
    /// The last line on the program's standard error.
    pub complaint: Arc<Mutex<String>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.parent != std::process::id() {
            return;
        }
        end_group(self.child.id());
        let _ = self.child.kill();
        let mut running = locked(&RUNNING);
        running.groups.remove(&self.child.id());
        // Only then may the system give its number to another process.
        let _ = self.child.wait();
        drop(running);
        watch::end(self.number);
    }
}

impl Process {
    /// Starts a program, whose words are separated by blanks.
    ///
    /// # Errors
    /// When it cannot be started, or there is no thread for one of its pipes.
    pub fn start(words: &str) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{words}: cannot be started: {error}");
        let mut split = words.split(' ');
        let mut command = Command::new(split.next().unwrap_or_default());
        command
            .args(split)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Ctrl-C is for tilelab, which ends its players when their games are saved.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut running = locked(&RUNNING);
        if running.is_over {
            return Err(failed(io::ErrorKind::Interrupted.into()));
        }
        let number = watch::mark(&mut command).map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        running.groups.insert(child.id());
        drop(running);
        let mut stdin = child.stdin.take().expect("standard input is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        let (requests, lines) = channel::<String>();
        let (sender, answers) = sync_channel(1);
        let complaint = Arc::new(Mutex::new(String::new()));
        let last = Arc::clone(&complaint);
        // From here on, whatever fails ends the child.
        let process = Self {
            child,
            parent: std::process::id(),
            number,
            requests,
            answers,
            complaint,
        };
        // Each pipe has a thread: a command may fill one while it does not read another.
        begin(move || {
            for line in lines {
                if stdin.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        })
        .map_err(failed)?;
        begin(move || {
            let mut output = BufReader::new(stdout);
            loop {
                let answer = answer(&mut output);
                let is_last = answer.is_err();
                if sender.send(answer).is_err() || is_last {
                    return;
                }
            }
        })
        .map_err(failed)?;
        begin(move || keep_last(stderr, &last)).map_err(failed)?;
        Ok(process)
    }
}

/// Begins a thread, which ends by itself.
fn begin(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// The next line of an output.
fn answer(output: &mut impl BufRead) -> Result<Vec<u8>, Lost> {
    let mut line = Vec::new();
    let read = output.take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
    match read {
        Ok(0) => Err((Forfeit::Crash, "it has ended".to_owned())),
        Ok(_) if line.len() as u64 > LINE_BYTES_MAX => {
            let reason = format!("an answer of more than {LINE_BYTES_MAX} bytes");
            Err((Forfeit::NoAnswer, reason))
        }
        Ok(_) => Ok(line),
        Err(error) => Err((Forfeit::Crash, error.to_string())),
    }
}

/// Reads an output to its end, and keeps the last line.
fn keep_last(output: impl Read, last: &Mutex<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output
        .by_ref()
        .take(LINE_BYTES_MAX)
        .read_until(b'\n', &mut line)
        .is_ok_and(|bytes| bytes > 0)
    {
        let text = super::shown(&line);
        if !text.is_empty() {
            *locked(last) = text;
        }
        line.clear();
    }
}
