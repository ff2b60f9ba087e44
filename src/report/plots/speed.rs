//! Nanoseconds a turn by kernel, from what `tilelab bench --json` prints.

use super::Plot;
use super::scale::{Scale, number_text};
use super::svg::{Anchor, Canvas, fit, text_width};
use serde_json::{Map, Value};

/// The field that names the kernel, and the one that is drawn.
const KERNEL: &str = "kernel";
const FIGURE: &str = "ns_per_turn";
const FRAME_WIDTH: f64 = 480.0;
const ROW: f64 = 24.0;

/// One measurement.
struct Speed {
    case: String,
    kernel: String,
    ns_per_turn: f64,
}

/// Draws the measurements of a benchmark: one row a case, one mark a kernel.
///
/// `json` is an array of objects, or an object that holds one such array, each with `kernel` and `ns_per_turn`; the other text fields, and
/// whole numbers that describe the case (such as `tiles_per_turn`), name the case where they differ.
///
/// # Errors
/// Says what is missing.
pub fn speed_plot(json: &str) -> Result<Plot, String> {
    let value: Value = serde_json::from_str(json).map_err(|error| format!("the benchmark is no JSON: {error}"))?;
    let rows = match &value {
        Value::Array(rows) => Some(rows),
        Value::Object(fields) => {
            fields.values().filter_map(Value::as_array).find(|rows| rows.iter().all(Value::is_object))
        }
        _ => None,
    };
    let rows: Vec<&Map<String, Value>> = rows.into_iter().flatten().filter_map(Value::as_object).collect();
    let speeds = speeds(&rows);
    if speeds.is_empty() {
        return Err(format!("the benchmark has no rows with {KERNEL} and {FIGURE}"));
    }
    let title = "Speed by kernel".to_owned();
    Ok(Plot { file: "speed_by_kernel.svg".into(), svg: draw(&title, &speeds), title })
}

/// The measurements with the names of their cases.
fn speeds(rows: &[&Map<String, Value>]) -> Vec<Speed> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() => Some(number.to_string()),
        _ => None,
    };
    // Measured figures are no part of the name, even where they come out whole.
    let describes = |name: &str| {
        name != KERNEL
            && !["_per_s", "_per_turn", "ratio", "games", "lanes", "turns", "threads", "seconds", "_ns"]
                .iter()
                .any(|part| name.contains(part) && name != "tiles_per_turn")
    };
    let varies = |name: &str| rows.iter().any(|row| row.get(name) != rows[0].get(name));
    rows.iter()
        .filter_map(|row| {
            let case: Vec<String> = row
                .iter()
                .filter(|(name, _)| describes(name) && (varies(name) || name.as_str() == "case"))
                .filter_map(|(name, value)| {
                    let words = text(value)?;
                    Some(if value.is_number() { format!("{name} {words}") } else { words })
                })
                .collect();
            Some(Speed {
                case: case.join(", "),
                kernel: row.get(KERNEL)?.as_str()?.to_owned(),
                ns_per_turn: row.get(FIGURE)?.as_f64().filter(|figure| *figure > 0.0)?,
            })
        })
        .collect()
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn draw(title: &str, speeds: &[Speed]) -> String {
    let (cases, kernels) = (distinct(speeds.iter().map(|s| &s.case)), distinct(speeds.iter().map(|s| &s.kernel)));
    let labels = cases.iter().map(|case| text_width(case, 12.0)).fold(20.0, f64::max).min(320.0);
    let (left, top) = (22.0 + labels, 76.0);
    let bottom = top + ROW * cases.len() as f64;
    let (width, height) = (left + FRAME_WIDTH + 40.0, bottom + 66.0);
    let mut canvas = Canvas::new(width, height, title);
    let figures = speeds.iter().map(|speed| speed.ns_per_turn);
    let (lo, hi) = (figures.clone().fold(f64::INFINITY, f64::min), figures.fold(0.0, f64::max));
    let x = Scale::log(lo * 0.8, hi * 1.2, left, left + FRAME_WIDTH);
    let mut at = 22.0;
    for (series, kernel) in kernels.iter().enumerate() {
        canvas.mark(series, (at, 50.0), false, kernel);
        canvas.text(at + 9.0, 54.0, "", Anchor::Start, kernel);
        at += text_width(kernel, 12.0) + 32.0;
    }
    for tick in x.ticks(60.0) {
        canvas.line((x.at(tick), top - 4.0), (x.at(tick), bottom), "class=\"grid\"");
        canvas.text(x.at(tick), bottom + 16.0, "tick", Anchor::Middle, &number_text(tick));
    }
    for (index, case) in cases.iter().enumerate() {
        let y = top + ROW * (index as f64 + 0.5);
        canvas.line((left, y), (left + FRAME_WIDTH, y), "class=\"grid\"");
        canvas.text(left - 10.0, y + 4.0, "", Anchor::End, &fit(case, 12.0, labels));
        for speed in speeds.iter().filter(|speed| &speed.case == *case) {
            let series = kernels.iter().position(|kernel| **kernel == speed.kernel).unwrap_or(0);
            let hover = format!("{} {}: {} ns a turn", speed.kernel, case, number_text(speed.ns_per_turn));
            canvas.mark(series, (x.at(speed.ns_per_turn), y), false, &hover);
        }
    }
    canvas.text(
        left + FRAME_WIDTH / 2.0,
        bottom + 36.0,
        "",
        Anchor::Middle,
        "ns a turn and thread (log scale); left is faster",
    );
    canvas.finish()
}
