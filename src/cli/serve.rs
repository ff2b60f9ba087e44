//! The page of a results folder on a loopback address, while a run goes on.
//!
//! Other pages in the same browser can send requests to this address. So no request changes
//! anything, no header lets another page read an answer, and only requests to a name of this
//! machine are answered: a page whose own name was pointed at this address (DNS rebinding) sends
//! that name.
//!
//! Whoever can connect may also send slowly, not read, or not end. So few connections are served at
//! a time, each for one request, with a limit for its headers and for its time.

use super::progress::{duration_text, grouped};
use crate::report::folder::Results;
use crate::results::Folder;
use crate::results::live::Live;
use anyhow::Context;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tilelab_output::{files, locked};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// How often a browser loads the page again while the run goes on [seconds].
const REFRESH_S: u32 = 5;
/// How long the page of a run that has ended is kept for the browser.
const LAST: Duration = Duration::from_secs(2 * REFRESH_S as u64);
const POLL: Duration = Duration::from_millis(100);
/// Connections that are served at a time; others wait. Browsers open six.
const CONNECTIONS_MAX: usize = 8;
/// Bytes and number of the headers of a request.
const HEADER_BYTES_MAX: usize = 16 << 10;
const HEADERS_MAX: usize = 64;
/// How long a client may take to send its headers, and until it has read the answer.
const HEADER_TIME: Duration = Duration::from_secs(5);
const CONNECTION_TIME: Duration = Duration::from_secs(20);
/// How long the end waits for answers that are being sent.
const END_TIME: Duration = Duration::from_millis(500);

/// Headers of every answer: nothing is stored, embedded, loaded from elsewhere, or read by other
/// pages.
const HEADERS: [(&str, &str); 6] = [
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// What the server and the run share.
struct Shared {
    folder: Mutex<PathBuf>,
    made: Mutex<Made>,
    /// Whether the page of the finished run was loaded.
    is_loaded: AtomicBool,
}

/// A server of one page.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
    /// Ends the server when it is dropped.
    end: Option<oneshot::Sender<()>>,
    /// Closed when the server has ended.
    ended: Receiver<()>,
}

impl Server {
    /// Serves the page of a folder; with port 0 at one that is free.
    ///
    /// # Errors
    /// When the port is taken, or the system has no thread left.
    pub fn start(folder: &Path, port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .with_context(|| format!("port {port} of 127.0.0.1 cannot be used"))?;
        let port = listener.local_addr().map_or(port, |at| at.port());
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .context("no server can be started")?;
        let shared = Arc::new(Shared {
            folder: Mutex::new(folder.to_owned()),
            made: Mutex::default(),
            is_loaded: AtomicBool::new(false),
        });
        let (end, is_over) = oneshot::channel();
        let (ending, ended) = sync_channel(0);
        let serving = Arc::clone(&shared);
        let run = move || {
            serve(&runtime, listener, port, serving, is_over);
            drop((runtime, ending));
        };
        let thread = std::thread::Builder::new().name("server".into());
        thread
            .spawn(run)
            .context("the system has no thread for a server")?;
        Ok(Self {
            port,
            shared,
            end: Some(end),
            ended,
        })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves the page of another folder from now on.
    pub fn show(&self, folder: &Path) {
        folder.clone_into(&mut locked(&self.shared.folder));
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
        drop(self.end.take());
        // A page of many cells takes longer; the process ends without it.
        let _ = self.ended.recv_timeout(2 * END_TIME);
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

/// Serves until `is_over` is told or forgotten.
fn serve(
    runtime: &Runtime,
    listener: TcpListener,
    port: u16,
    shared: Arc<Shared>,
    is_over: oneshot::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let all = Arc::clone(&places);
    let accepting = runtime.spawn(async move {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            let Ok((stream, _)) = listener.accept().await else {
                // No descriptor is left, until a connection has ended.
                sleep(POLL).await;
                continue;
            };
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let answer = answer(&request, port, &shared);
                    async { Ok::<_, Infallible>(answer) }
                });
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEADER_TIME)
                    .max_buf_size(HEADER_BYTES_MAX)
                    .max_headers(HEADERS_MAX)
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(stream), service);
                // Whatever a client does wrong is its own loss.
                let _ = timeout(CONNECTION_TIME, connection).await;
                drop(place);
            });
        }
    });
    runtime.block_on(async {
        let _ = is_over.await;
        accepting.abort();
        // The last page is still on its way.
        let _ = timeout(END_TIME, all.acquire_many(CONNECTIONS_MAX as u32)).await;
    });
}

/// An answer to a request.
fn response(
    status: StatusCode,
    body: impl Into<Bytes>,
    refresh_s: Option<u32>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let kind = match status {
        StatusCode::OK => "text/html; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(seconds) = refresh_s {
        headers.insert(header::REFRESH, seconds.into());
    }
    response
}

fn answer(request: &Request<Incoming>, port: u16, shared: &Shared) -> Response<Full<Bytes>> {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let is_ours = ["127.0.0.1", "localhost"]
        .iter()
        .any(|name| host == format!("{name}:{port}") || port == 80 && host == *name);
    let is_page = *request.uri() == "/";
    let (status, refusal) = match *request.method() {
        _ if !is_ours => (
            StatusCode::FORBIDDEN,
            "This address answers to 127.0.0.1 and localhost only.\n",
        ),
        Method::GET | Method::HEAD if is_page => {
            let folder = locked(&shared.folder).clone();
            let (page, refresh_s) = locked(&shared.made).page(&Folder(folder));
            if refresh_s.is_none() {
                shared.is_loaded.store(true, Ordering::Relaxed);
            }
            return response(StatusCode::OK, page, refresh_s);
        }
        Method::GET | Method::HEAD => (StatusCode::NOT_FOUND, "There is one page here: /\n"),
        _ => (
            StatusCode::METHOD_NOT_ALLOWED,
            "Nothing here can be changed.\n",
        ),
    };
    response(status, refusal, None)
}

/// The page that was made last, and of which `cells.csv`.
#[derive(Default)]
struct Made {
    of: Option<(PathBuf, SystemTime)>,
    page: Bytes,
}

impl Made {
    /// The page of a folder: the same bytes as `report.html` made from its files now; and after how
    /// many seconds there may be another one.
    fn page(&mut self, folder: &Folder) -> (Bytes, Option<u32>) {
        let live = Live::of(folder);
        let cells = files::metadata(folder.0.join("cells.csv"));
        let changed = cells.ok().and_then(|found| found.modified);
        let of = changed.map(|changed| (folder.0.clone(), changed));
        if of.is_none() || of != self.of {
            let results = Results::open(&folder.0)
                .ok()
                .filter(|results| results.cells.len() > 0);
            let Some(results) = results else {
                // There are no rows yet, or files of different moments lie there: between two
                // replacements.
                return (empty(live.as_ref()).into(), Some(1));
            };
            self.page = results.page().into();
            self.of = of;
        }
        (self.page.clone(), live.map(|_| REFRESH_S))
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
