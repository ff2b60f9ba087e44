//! The page of a results folder on a loopback address, while a run goes on.
//!
//! Other pages in the same browser can send requests to this address. So no request changes
//! anything, no header lets another page read an answer, and only requests to a name of this
//! machine are answered: a page whose own name was pointed at this address (DNS rebinding) sends
//! that name.

use super::progress::{duration_text, grouped};
use crate::report::folder::Results;
use crate::results::Folder;
use crate::results::live::Live;
use anyhow::Context;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use tilelab_output::files;
use tiny_http::{Header, Method, Request, Response};

/// How often a browser loads the page again while the run goes on [seconds].
const REFRESH_S: u32 = 5;
/// How long the page of a run that has ended is kept for the browser.
const LAST: Duration = Duration::from_secs(2 * REFRESH_S as u64);
const POLL: Duration = Duration::from_millis(100);

/// Headers of every answer: nothing is stored, embedded, loaded from elsewhere, or read by other
/// pages.
const HEADERS: [(&str, &str); 6] = [
    ("Cache-Control", "no-store"),
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
];

/// What the server and the run share.
struct Shared {
    folder: Mutex<PathBuf>,
    is_ended: AtomicBool,
    /// Whether the page of the finished run was loaded.
    is_loaded: AtomicBool,
}

/// A server of one page.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves the page of a folder; with port 0 at one that is free.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn start(folder: &Path, port: u16) -> anyhow::Result<Self> {
        let server = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port))
            .map_err(anyhow::Error::from_boxed)
            .with_context(|| format!("port {port} of 127.0.0.1 cannot be used"))?;
        let port = server.server_addr().to_ip().map_or(port, |at| at.port());
        let shared = Arc::new(Shared {
            folder: Mutex::new(folder.to_owned()),
            is_ended: AtomicBool::new(false),
            is_loaded: AtomicBool::new(false),
        });
        let thread = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || serve(&server, port, &shared)
        });
        Ok(Self {
            port,
            shared,
            thread: Some(thread),
        })
    }

    /// Where the page is.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves the page of another folder from now on.
    pub fn show(&self, folder: &Path) {
        let mut shown = self.shared.folder.lock();
        let shown = shown.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut());
        folder.clone_into(shown);
        self.shared.is_loaded.store(false, Ordering::Relaxed);
    }

    /// Waits until a browser has loaded the page of the finished run, for some seconds at most.
    pub fn wait(&self, interrupted: &AtomicBool) {
        let begun = Instant::now();
        let is_over =
            || self.shared.is_loaded.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
        while begun.elapsed() < LAST && !is_over() {
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Opens an address in the user's browser. Where there is none, the printed address is enough.
pub fn open(address: &str) {
    let browser = std::env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    let mut command = match browser {
        Some(browser) => Command::new(browser),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    let quiet = command.arg(address).stdin(Stdio::null());
    drop(quiet.stdout(Stdio::null()).stderr(Stdio::null()).spawn());
}

fn serve(server: &tiny_http::Server, port: u16, shared: &Shared) {
    let mut made = Made::default();
    while !shared.is_ended.load(Ordering::Relaxed) {
        if let Ok(Some(request)) = server.recv_timeout(POLL) {
            let folder = shared.folder.lock();
            let folder = folder.unwrap_or_else(PoisonError::into_inner).clone();
            let answer = answer(&request, port, &mut || made.page(&Folder(folder.clone())));
            if answer.status == 200 && answer.refresh_s.is_none() {
                shared.is_loaded.store(true, Ordering::Relaxed);
            }
            drop(request.respond(answer.response()));
        }
    }
}

/// An answer to a request.
struct Answer {
    status: u16,
    body: String,
    refresh_s: Option<u32>,
}

impl Answer {
    fn refusal(status: u16, body: &str) -> Self {
        Self {
            status,
            body: body.to_owned(),
            refresh_s: None,
        }
    }

    fn response(self) -> Response<std::io::Cursor<Vec<u8>>> {
        let header = |name: &str, value: &str| {
            Header::from_bytes(name, value).expect("the headers are plain text")
        };
        let kind = if self.status == 200 { "html" } else { "plain" };
        let mut response = Response::from_string(self.body)
            .with_status_code(self.status)
            .with_chunked_threshold(usize::MAX)
            .with_header(header(
                "Content-Type",
                &format!("text/{kind}; charset=utf-8"),
            ));
        for (name, value) in HEADERS {
            response.add_header(header(name, value));
        }
        if let Some(seconds) = self.refresh_s {
            response.add_header(header("Refresh", &seconds.to_string()));
        }
        response
    }
}

fn answer(request: &Request, port: u16, page: &mut dyn FnMut() -> Answer) -> Answer {
    let host = request
        .headers()
        .iter()
        .find(|header| header.field.equiv("Host"));
    let host = host.map_or("", |header| header.value.as_str());
    let is_ours = ["127.0.0.1", "localhost"]
        .iter()
        .any(|name| host == format!("{name}:{port}") || port == 80 && host == *name);
    match (is_ours, request.method(), request.url()) {
        (false, ..) => Answer::refusal(
            403,
            "This address answers to 127.0.0.1 and localhost only.\n",
        ),
        (_, Method::Get | Method::Head, "/") => page(),
        (_, Method::Get | Method::Head, _) => Answer::refusal(404, "There is one page here: /\n"),
        _ => Answer::refusal(405, "Nothing here can be changed.\n"),
    }
}

/// The page that was made last, and of which `cells.csv`.
#[derive(Default)]
struct Made {
    of: Option<(PathBuf, SystemTime)>,
    page: String,
}

impl Made {
    /// The page of a folder: the same bytes as `report.html` made from its files now.
    fn page(&mut self, folder: &Folder) -> Answer {
        let live = Live::of(folder);
        let cells = files::metadata(folder.0.join("cells.csv"));
        let of = cells
            .ok()
            .and_then(|found| found.modified)
            .map(|changed| (folder.0.clone(), changed));
        if of.is_none() || of != self.of {
            let results = Results::open(&folder.0).ok();
            let results = results.filter(|results| results.cells.len() > 0);
            let Some(results) = results else {
                // Also while files of different moments lie there: between two replacements.
                return Answer {
                    status: 200,
                    body: empty(live.as_ref()),
                    refresh_s: Some(1),
                };
            };
            self.page = results.page();
            self.of = of;
        }
        Answer {
            status: 200,
            body: self.page.clone(),
            refresh_s: live.map(|_| REFRESH_S),
        }
    }
}

/// What is served before the first cell has ended.
fn empty(live: Option<&Live>) -> String {
    let far = live.map_or(String::new(), |live| {
        let left = live.seconds_left.map_or(String::new(), |left| {
            format!(", {} left", duration_text(left))
        });
        let [games, games_max] = [live.games, live.games_max].map(grouped);
        format!(" {games} of {games_max} games are played{left}.")
    });
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>tilelab</title>\n<p>No cell has ended yet.{far}</p>\n</html>\n"
    )
}
