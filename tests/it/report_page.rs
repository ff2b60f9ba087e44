//! The report page in a real browser: sorting, filtering, axis choice, hovering; and the SVG files
//! it stands beside.

use crate::common::{
    committed_cells, folder, refused, skipped, stdout, succeeded, text, tilelab, write,
};
use crate::effort::times;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::path::Path;
use std::process::Command;

const EXPERIMENT: &str = r#"
name = "page"
seed = 5
games = 400

[[table]]
title = "Small boards & <marks>"
game = "sixty-seven"
player = "random"
rules = ["original", "gapless", "merge-runs"]
size = ["3x3", "4x4", "4x5"]
operators = "+-*"
operator_rate = [0.3, 0.4, 0.5]
tiles_per_turn = 2

[[table]]
title = "More tiles"
game = "sixty-seven"
player = "random"
rules = "gapless"
size = ["4x4", "5x5"]
operators = "+-*"
tiles_per_turn = [2, 3]
"#;

/// A Chromium of this machine.
fn chromium() -> Option<&'static str> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    names.into_iter().find(|name| {
        Command::new(name)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    })
}

fn run_experiment(out: &Path) -> std::path::PathBuf {
    let experiment = write(out, "page.toml", EXPERIMENT);
    let output = tilelab(&[
        "run",
        experiment.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--quiet",
    ]);
    succeeded(&output);
    out.join("page")
}

fn svg_files(folder: &Path) -> serde_json::Map<String, serde_json::Value> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "svg"))
        .collect();
    paths.sort();
    let pair = |path: &std::path::PathBuf| {
        (
            path.file_name().unwrap().to_string_lossy().into_owned(),
            std::fs::read_to_string(path).unwrap().into(),
        )
    };
    paths.iter().map(pair).collect()
}

#[test]
fn the_page_works_in_a_browser() {
    let out = folder();
    drive(&run_experiment(out.path()), "gapless 4x4", 43);
}

/// The page of the README's experiment, as its run writes it, but with fewer games.
#[test]
fn the_page_of_the_readme_works_in_a_browser() {
    let out = folder();
    let path = out.path().to_str().unwrap();
    let output = tilelab(&[
        "run",
        "experiments/readme.toml",
        "--games",
        "2000",
        "--out",
        path,
        "--quiet",
    ]);
    succeeded(&output);
    drive(&out.path().join("readme"), "gapless 6x7", 60);
}

/// Uses a results folder's page in a browser; `search` are words that find some gapless cells only.
fn drive(results: &Path, search: &str, checks_min: usize) {
    let Some(browser) = chromium() else {
        skipped("chromium", "not installed: the report page was not driven");
        return;
    };
    let name = results.file_name().unwrap().to_str().unwrap();
    let plots = serde_json::Value::Object(svg_files(results))
        .to_string()
        .replace('<', "\\u003c");
    let given = format!(
        "window.testPlots = {plots}; window.testName = {name:?}; window.testSearch = {search:?};"
    );
    let script = include_str!("../data/report_page_test.js");
    let result = browse(browser, results, &given, script);
    assert!(
        result["passed"].as_array().unwrap().len() >= checks_min,
        "{result:#}"
    );
}

/// Opens the page of a results folder with a script before its own and one after; returns what the
/// latter leaves.
fn browse(browser: &str, results: &Path, before: &str, after: &str) -> serde_json::Value {
    let out = folder();
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    let collect = format!(
        "<script>window.testErrors = []; \
         addEventListener('error', (event) => testErrors.push(event.message)); {before}</script></head>"
    );
    let (head, tail) = page.rsplit_once("</body>").unwrap();
    let page = format!(
        "{}<script>{after}</script></body>{tail}",
        head.replacen("</head>", &collect, 1)
    );
    let path = write(out.path(), "driven.html", &page);
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--enable-logging=stderr",
            "--window-size=1280,1600",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            out.path().join("profile").display()
        ))
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = messages
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert!(
        console.is_empty(),
        "the browser's console says: {console:#?}"
    );
    let marker = "<pre id=\"test-result\">";
    let start = dom
        .find(marker)
        .unwrap_or_else(|| panic!("the test script did not end: {messages}"))
        + marker.len();
    let result = dom[start..]
        .split("</pre>")
        .next()
        .unwrap()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let result: serde_json::Value = serde_json::from_str(&result).expect("the result is JSON");
    assert_eq!(result["failed"].as_array().unwrap().len(), 0, "{result:#}");
    result
}

/// A page of random figures: rates and intervals of every magnitude and width, with 0 and 100 %.
#[test]
fn no_mark_of_the_page_is_outside_its_frame() {
    let Some(browser) = chromium() else {
        skipped(
            "chromium",
            "not installed: the frames of the page were not tried",
        );
        return;
    };
    let out = folder();
    let results = out.path().join("random");
    std::fs::create_dir(&results).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(57);
    let mut cells = "table,cell,game,player,seed,rules,operator_rate,games,wins,win_pct,win_pct_lo,win_pct_hi,\
                     moves_mean,moves_mean_se,moves_win_mean,moves_win_mean_se,moves_p50,moves_p90,moves_p99,\
                     moves_max,estimate,estimate_lo,estimate_hi,confidence,error\n"
        .to_owned();
    // In groups of different magnitude, so that filters and lines have different axes.
    for cell in 0..1500 {
        let [rules, rate] = [cell / 6 % 50, cell % 6];
        let magnitude = 10f64.powf(f64::from(rules % 9) - 6.0);
        let mut share = || match random.next_u64() % 5 {
            0 => 0.0,
            1 => 1.0,
            _ => random.next_u64() as f64 / 2f64.powi(64),
        };
        let value = 100.0 * share() * magnitude.min(1.0);
        let [lo, hi] = [value * share(), value + share() * (100.0 - value)];
        let mean = magnitude * share();
        let error = mean * 3.0 * share();
        let signed = mean - 0.5 * magnitude;
        let [least, most] = [signed - magnitude * share(), signed + magnitude * share()];
        let player = cell / 300;
        let failure = if cell % 500 == 7 { "broke" } else { "" };
        cells += &format!(
            "T,c{cell},g,p{player},1,r{rules},0.{rate},10,1,{value},{lo},{hi},{mean},{error},,,,,,,\
             {signed},{least},{most},0.95,{failure}\n"
        );
    }
    std::fs::write(results.join("cells.csv"), cells).unwrap();
    succeeded(&tilelab(&["report", text(&results)]));
    let script = include_str!("../data/report_frames_test.js");
    let result = browse(browser, &results, "", script);
    let seen = ["marks", "intervals"].map(|name| result[name].as_u64().unwrap());
    assert!(seen.iter().all(|seen| *seen > 2000), "{result:#}");
    println!("{seen:?} marks and intervals on the page");
    // What failed is said in the head, with the reasons.
    let lacking = result["lacking"].as_str().unwrap();
    assert!(
        lacking.starts_with("3 of 1,500 cells failed") && lacking.matches(": broke").count() == 3,
        "{lacking}"
    );
}

/// The first 799 cells of the largest results of the project, in longer runs of the tests all
/// 9,245: the page opens, answers every filter, and shows all rows in every order. The times are
/// printed; a busy machine fails no test.
#[test]
fn the_page_of_the_atlas_opens_and_filters() {
    let Some(browser) = chromium() else {
        skipped("chromium", "not installed: the report page was not tried");
        return;
    };
    let out = folder();
    let results = out.path().join("atlas");
    std::fs::create_dir(&results).unwrap();
    let cells = String::from_utf8(committed_cells(Path::new("results/atlas")).unwrap()).unwrap();
    let mut lines: Vec<&str> = cells.split_inclusive('\n').collect();
    // With all rows the browser takes half a minute.
    lines.truncate(lines.len().min(times(800) as usize));
    std::fs::write(results.join("cells.csv"), lines.concat()).unwrap();
    let rows = lines.len() as u64;
    succeeded(&tilelab(&["report", text(&results)]));
    let script = include_str!("../data/report_speed_test.js");
    let result = browse(browser, &results, "", script);
    // Only rows near those in sight are elements, but every row is there to scroll to and on paper.
    assert!(result["rows"].as_u64().unwrap() < 200, "{result:#}");
    let [middle, last, first] = [0, 1, 2].map(|at| result["ends"][at].as_u64().unwrap());
    assert!(
        first < 100 && middle.abs_diff(rows / 2) < rows / 20,
        "{result:#}"
    );
    assert!((rows - 46..=rows).contains(&last), "{result:#}");
    assert_eq!(result["printed"], rows - 1, "{result:#}");
    assert_eq!(result["told"], rows.to_string(), "{result:#}");
    assert!(
        result["sorted"].as_object().unwrap().len() > 20,
        "{result:#}"
    );
    assert!(
        result["filters"].as_object().unwrap().len() > 20,
        "{result:#}"
    );
    println!("usable after, and filters in ms: {result:#}");
}

/// A page that can be sent by mail: the README's experiment. With all its games it has 183 kB.
#[test]
fn the_page_of_the_readme_is_small() {
    let out = folder();
    let experiment = "experiments/readme.toml";
    succeeded(&tilelab(&[
        "run",
        experiment,
        "--games",
        "500",
        "--out",
        text(out.path()),
    ]));
    let size = std::fs::metadata(out.path().join("readme/report.html"))
        .unwrap()
        .len();
    assert!(size <= 250_000, "{size} bytes");
}

#[test]
fn plots_and_page_are_rebuilt_from_the_files_alone() {
    let out = folder();
    let results = run_experiment(out.path());
    let plots = svg_files(&results);
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    let names: Vec<&String> = plots.keys().collect();
    assert_eq!(
        names,
        [
            "heat_map_size_operator_rate.svg",
            "heat_map_size_tiles_per_turn.svg",
            "heat_map_tiles_per_turn_operator_rate.svg",
            "moves_1.svg",
            "moves_2.svg",
            "win_rate_by_operator_rate.svg",
            "win_rate_by_rules.svg",
            "win_rate_by_size.svg",
            "win_rate_by_tiles_per_turn.svg"
        ]
    );
    for name in names {
        std::fs::remove_file(results.join(name)).unwrap();
    }
    std::fs::remove_file(results.join("report.html")).unwrap();
    let output = tilelab(&["report", results.to_str().unwrap()]);
    succeeded(&output);
    assert_eq!(svg_files(&results), plots);
    assert_eq!(
        std::fs::read_to_string(results.join("report.html")).unwrap(),
        page
    );
}

/// Files of the folder that a person has edited wrongly: one message, exit code 2, and nothing is
/// written.
#[test]
fn wrong_files_of_the_folder_are_refused_before_anything_is_written() {
    let out = folder();
    let results = run_experiment(out.path());
    let read = |name: &str| std::fs::read_to_string(results.join(name)).unwrap();
    let cells = read("cells.csv");
    let key = csv::Reader::from_reader(cells.as_bytes())
        .records()
        .next()
        .unwrap()
        .unwrap();
    let row = |fields: &str| format!("\"{}\",\"{}\",{fields}\n", &key[0], &key[1]);
    std::fs::remove_file(results.join("table.md")).unwrap();
    let distributions = read("distributions.csv");
    for (file, content, words) in [
        (
            "distributions.csv",
            format!(
                "table,cell,lower,upper,games,wins\n{}{}",
                row("5,5,1,0"),
                row("3,3,1,0")
            ),
            &["distributions.csv: line 3: lower = \"3\" is out of order"][..],
        ),
        (
            "distributions.csv",
            "a,b\n1,2\n".to_owned(),
            &["distributions.csv: the column table is missing"],
        ),
        (
            "published.csv",
            format!(
                "table,cell,games,wins,moves_mean,moves_win_mean,lost_extra\n{}",
                row("10,11,,,")
            ),
            &["published.csv: line 2: wins = \"11\" exceeds the 10 games played"],
        ),
    ] {
        std::fs::write(results.join(file), content).unwrap();
        refused(&tilelab(&["report", text(&results)]), words);
        assert!(!results.join("table.md").exists());
        let _ = std::fs::remove_file(results.join("published.csv"));
        std::fs::write(results.join("distributions.csv"), &distributions).unwrap();
    }
    succeeded(&tilelab(&["report", text(&results)]));
}

#[test]
fn a_title_cannot_end_the_tables_of_a_readme() {
    let out = folder();
    let results = run_experiment(out.path());
    let cells = results.join("cells.csv");
    let title = "More tiles\n<!-- tilelab:page:end -->";
    let changed = std::fs::read_to_string(&cells)
        .unwrap()
        .replace("More tiles", &format!("\"{title}\""));
    std::fs::write(&cells, changed).unwrap();
    let before = "<!-- tilelab:page:begin -->\n<!-- tilelab:page:end -->\n";
    let readme = write(out.path(), "README.md", before);
    let report = ["report", text(&results), "--readme", text(&readme)];
    succeeded(&tilelab(&report));
    let once = std::fs::read_to_string(&readme).unwrap();
    assert_eq!(once.matches("<!-- tilelab:page:end -->").count(), 1);
    assert!(once.contains("&lt;!-- tilelab:page:end -->"), "{once}");
    succeeded(&tilelab(&report));
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), once);
}

#[test]
fn two_parameters_are_printed_as_a_cross_table() {
    let out = folder();
    let results = run_experiment(out.path());
    let output = tilelab(&["report", text(&results), "--pivot", "size,operator_rate"]);
    succeeded(&output);
    let printed = stdout(&output);
    assert!(
        printed.contains("### Small boards & &lt;marks> (merge-runs"),
        "{printed}"
    );
    assert!(
        printed.contains(
            "\n\nWin %\n\n| size \\ operator_rate | 0.3 | 0.4 | 0.5 |\n| ---: | ---: | ---: | ---: |\n| 3x3 | "
        ),
        "{printed}"
    );
    refused(
        &tilelab(&["report", text(&results), "--pivot", "size,seed"]),
        &["--pivot", "seed does not vary"],
    );
    refused(
        &tilelab(&["report", text(&results), "--pivot", "size"]),
        &["--pivot", "comma"],
    );
}
