//! `report --serve`, `run --open` and `status` of a run that plays.

use crate::common::{command, folder, play, succeeded, text, tilelab, write};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const HANG: Duration = Duration::from_secs(120);

/// A request, and the whole answer.
fn ask(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

fn get(port: u16, path: &str, host: &str) -> String {
    ask(
        port,
        &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
    )
}

/// Waits for the line with the address, and returns the port.
fn port(child: &mut Child) -> u16 {
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find(|line| line.as_ref().unwrap().contains("http://127.0.0.1:"));
    let line = line.unwrap().unwrap();
    // The rest is read, so that the program can go on writing.
    std::thread::spawn(move || lines.for_each(drop));
    let (_, rest) = line.split_once("127.0.0.1:").unwrap();
    rest.split_once('/').unwrap().0.parse().unwrap()
}

fn end(mut child: Child) {
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    child.wait().unwrap();
}

fn experiment(out: &Path, games: &str) -> std::path::PathBuf {
    let toml = format!(
        "name = \"served\"\nseed = 1\n[[table]]\ntitle = \"quick\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\ngames = 50\n\
         [[table]]\ntitle = \"slow\"\ngame = \"67\"\nsize = \"6x7\"\ngames = {games}\n"
    );
    write(out, "served.toml", &toml)
}

#[test]
fn the_served_page_is_the_file_and_only_this_machine_may_read_it() {
    let out = folder();
    let file = experiment(out.path(), "50");
    play(&file, out.path(), &[]);
    let results = out.path().join("served");
    let before = std::fs::read(results.join("cells.csv")).unwrap();
    let mut child = command(&["report", text(&results), "--serve"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let port = port(&mut child);
    let ours = format!("127.0.0.1:{port}");
    let answer = get(port, "/", &ours);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    assert!(head.starts_with("HTTP/1.1 200") && body == page, "{head}");
    let head = head.to_lowercase();
    for header in [
        "content-type: text/html; charset=utf-8",
        "content-security-policy: default-src 'none'",
        "cross-origin-resource-policy: same-origin",
        "x-frame-options: deny",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    // No other page may read it, and a finished result is not loaded again.
    assert!(
        !head.contains("access-control") && !head.contains("refresh:"),
        "{head}"
    );
    assert!(get(port, "/", &format!("localhost:{port}")).starts_with("HTTP/1.1 200"));
    // A page of another name that was pointed here, and requests that say no name.
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        "",
    ] {
        let answer = get(port, "/", host);
        assert!(
            answer.starts_with("HTTP/1.1 403") && !answer.contains("<html"),
            "{host}: {answer}"
        );
    }
    assert!(ask(port, "GET / HTTP/1.0\r\n\r\n").contains(" 403 "));
    for path in [
        "/cells.csv",
        "/.state",
        "/../served.toml",
        "//etc/passwd",
        "/?x=1",
    ] {
        assert!(get(port, path, &ours).starts_with("HTTP/1.1 404"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let request = format!(
            "{method} / HTTP/1.1\r\nHost: {ours}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        assert!(ask(port, &request).starts_with("HTTP/1.1 405"), "{method}");
    }
    assert_eq!(std::fs::read(results.join("cells.csv")).unwrap(), before);
    end(child);
    crate::common::refused(
        &tilelab(&["report", text(&out.path().join("nowhere")), "--serve"]),
        &["nowhere: is not a folder"],
    );
}

/// While a run plays: its page grows, and `status` knows it before anything was saved.
#[test]
fn a_run_is_watched_while_it_plays() {
    let out = folder();
    let file = experiment(out.path(), "\"200M\"");
    let results = out.path().join("served");
    let run = [
        "run",
        text(&file),
        "--out",
        text(out.path()),
        "--open",
        "--threads",
        "1",
        "--save-every",
        "1",
    ];
    let mut child = command(&run)
        .env("BROWSER", "true")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let port = port(&mut child);
    let ours = format!("127.0.0.1:{port}");
    let begun = Instant::now();
    let status = |arguments: &[&str]| {
        loop {
            let output = tilelab(&[&["status", text(&results)], arguments].concat());
            let shown = String::from_utf8(output.stdout).unwrap();
            if output.status.success() && shown.contains("left") {
                break shown;
            }
            assert!(begun.elapsed() < HANG);
        }
    };
    let shown = status(&[]);
    assert!(
        shown.contains("served, seed 1")
            && shown.contains("runs now: ")
            && shown.contains(" left after "),
        "{shown}"
    );
    let json: serde_json::Value = serde_json::from_str(&status(&["--json"])).unwrap();
    assert_eq!(
        (&json["name"], &json["live"]["cells"]),
        (&"served".into(), &3.into())
    );
    let page = loop {
        let answer = get(port, "/", &ours);
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.to_lowercase().contains("\r\nrefresh: "),
            "{answer}"
        );
        if !answer.contains("No cell has ended yet.") {
            break answer;
        }
        assert!(begun.elapsed() < HANG);
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(
        page.contains("id=\"data\"") && page.contains("quick"),
        "{}",
        &page[..600]
    );
    end(child);
    // The note goes with the run.
    assert!(!results.join(".live").exists());
    let after = succeeded_text(&["status", text(&results)]);
    assert!(!after.contains("runs now"), "{after}");
}

fn succeeded_text(arguments: &[&str]) -> String {
    let output = tilelab(arguments);
    succeeded(&output);
    String::from_utf8(output.stdout).unwrap()
}

/// One client that does not read has kept all others and Ctrl-C waiting; with few descriptors, many
/// have made the server deaf for good.
#[cfg(unix)]
#[test]
fn slow_clients_hold_up_neither_others_nor_the_end() {
    let out = folder();
    let file = experiment(out.path(), "50");
    play(&file, out.path(), &[]);
    let results = out.path().join("served");
    let binary = env!("CARGO_BIN_EXE_tilelab");
    let serve = format!(
        "ulimit -n 24; exec {binary} report {} --serve",
        text(&results)
    );
    let mut child = std::process::Command::new("sh")
        .args(["-c", &serve])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let port = port(&mut child);
    let ours = format!("127.0.0.1:{port}");
    let whole = format!("GET / HTTP/1.1\r\nHost: {ours}\r\n\r\n");
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20));
    let connect = |sent: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        // The server may have closed it before all is sent.
        stream
            .set_write_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let _ = stream.write_all(sent.as_bytes());
        stream
    };
    let begun = Instant::now();
    let clients: Vec<TcpStream> = ["", "GET / HT", &whole, &endless]
        .iter()
        .cycle()
        .take(28)
        .map(|sent| connect(sent))
        .collect();
    let answer = get(port, "/", &ours);
    assert!(
        answer.starts_with("HTTP/1.1 200"),
        "{}",
        &answer[..answer.len().min(200)]
    );
    assert!(begun.elapsed() < HANG / 2, "{:?}", begun.elapsed());
    drop(clients);
    let _stays = [connect(&whole), connect("GET"), connect("")];
    let begun = Instant::now();
    end(child);
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    // A line of a header without end is refused.
    let mut child = command(&["report", text(&results), "--serve"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let port = self::port(&mut child);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    let _ = stream.write_all(endless.as_bytes());
    let mut answer = [0; 12];
    let read = stream.read_exact(&mut answer);
    assert!(read.is_err() || &answer == b"HTTP/1.1 431", "{answer:?}");
    end(child);
}

/// A second request on a connection gets no answer, and who says nothing does not stay.
#[test]
fn a_connection_has_one_request_and_an_end() {
    let out = folder();
    let file = experiment(out.path(), "50");
    play(&file, out.path(), &[]);
    let results = out.path().join("served");
    let mut child = command(&["report", text(&results), "--serve"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let port = port(&mut child);
    let get = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    assert_eq!(ask(port, &get.repeat(2)).matches("HTTP/1.1 200").count(), 1);
    // One that says nothing, and one that does not end its request.
    let begun = Instant::now();
    let mut silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut slow = TcpStream::connect(("127.0.0.1", port)).unwrap();
    slow.write_all(get.split_once("\r\n").unwrap().0.as_bytes())
        .unwrap();
    for stream in [&mut silent, &mut slow] {
        stream.set_read_timeout(Some(HANG)).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"));
    }
    assert!(
        begun.elapsed() < Duration::from_secs(25),
        "{:?}",
        begun.elapsed()
    );
    end(child);
}
