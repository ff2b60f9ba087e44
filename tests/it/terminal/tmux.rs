//! A terminal of its own for a program (tmux).
//!
//! Where tmux is not installed nothing can be checked; each test says so.

use crate::common::folder;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// After this long nothing more is expected to appear.
pub const HANG: Duration = Duration::from_secs(120);

/// A shell script in a tmux terminal that runs a command and notes the terminal's settings before
/// and after.
pub struct Terminal {
    socket: String,
    folder: tempfile::TempDir,
}

impl Terminal {
    /// Runs `program` with `arguments` in a terminal of 80×24; `None`, with a message, where tmux
    /// is missing.
    pub fn run(name: &str, environment: &str, program: &str, arguments: &[&str]) -> Option<Self> {
        Self::run_after(":", (80, 24), name, environment, program, arguments)
    }

    /// Runs the binary in a terminal of this size (columns, lines).
    pub fn sized(size: (u16, u16), name: &str, arguments: &[&str]) -> Option<Self> {
        let program = env!("CARGO_BIN_EXE_tilelab");
        Self::run_after(":", size, name, "TERM=xterm-256color", program, arguments)
    }

    /// Runs `program` as `run` does, after the shell was told what to do when the terminal is
    /// closed: `:` is nothing, `''` makes the program ignore the signal as well.
    pub fn run_after(
        on_hangup: &str,
        (columns, lines): (u16, u16),
        name: &str,
        environment: &str,
        program: &str,
        arguments: &[&str],
    ) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            crate::common::skipped("tmux", "not installed: the full screen was not checked");
            return None;
        }
        let folder = folder();
        let quoted: Vec<String> = arguments
            .iter()
            .map(|argument| format!("'{argument}'"))
            .collect();
        let script = format!(
            "cd '{folder}'\nstty -a >before\ntrap {on_hangup} HUP\n\
             (echo $(exec sh -c 'echo $PPID') >pid; exec env {environment} '{program}' {})\n\
             status=$?\necho $status >status\necho \"exit code $status\"\nstty -a >after\necho done >done\ntest -t 0 && sleep 60\n",
            quoted.join(" "),
            folder = folder.path().display(),
        );
        std::fs::write(folder.path().join("script"), script).unwrap();
        let terminal = Self {
            socket: format!("tilelab-{name}-{}", std::process::id()),
            folder,
        };
        let script = terminal.file("script");
        let script = script.to_str().unwrap();
        terminal.tmux(&[
            "-u",
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            &lines.to_string(),
            "sh",
            script,
        ]);
        Some(terminal)
    }

    /// Runs the binary.
    pub fn tilelab(name: &str, arguments: &[&str]) -> Option<Self> {
        Self::run(
            name,
            "TERM=xterm-256color",
            env!("CARGO_BIN_EXE_tilelab"),
            arguments,
        )
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.socket])
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "tmux {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn picture(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    pub fn resize(&self, width: &str, height: &str) {
        self.tmux(&["resize-window", "-x", width, "-y", height]);
    }

    /// Waits until the picture is as wanted.
    pub fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let picture = self.picture();
            if wanted(&picture) {
                return picture;
            }
            assert!(
                begun.elapsed() < HANG,
                "waited for {what}; the screen:\n{picture}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn shows(&self, text: &str) -> String {
        self.shows_all(&[text])
    }

    /// Waits until the picture has all these texts. A picture may be taken while the screen is
    /// drawn, from its top to its bottom: what else is wanted of it is waited for as well.
    pub fn shows_all(&self, texts: &[&str]) -> String {
        self.until(&texts.join(", "), |picture| {
            texts.iter().all(|text| picture.contains(text))
        })
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.read("pid").trim().to_owned();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success(), "kill {signal} {pid}");
    }

    /// Waits for the end and looks that the terminal is as it was: settings, screen, cursor.
    pub fn ended(&self, exit_code: i32) -> String {
        self.until("the end", |_| self.file("done").exists());
        let picture = self.shows(&format!("exit code {exit_code}"));
        let settings = |name: &str| {
            let text = self.read(name);
            assert!(
                text.contains("icanon") && text.contains("echo"),
                "{name}: {text}"
            );
            // The size is on the first line, and is not ours to put back.
            text.split_once(';')
                .unwrap()
                .1
                .split("columns")
                .nth(1)
                .unwrap()
                .split_once(';')
                .unwrap()
                .1
                .to_owned()
        };
        assert_eq!(
            settings("before"),
            settings("after"),
            "stty -a before and after"
        );
        assert!(
            !self.read("after").contains("-icanon"),
            "raw mode was left on"
        );
        let flags = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(flags.trim(), "0 1", "alternate screen off, cursor on");
        picture
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux")
            .args(["-L", &self.socket, "kill-server"])
            .output();
    }
}
