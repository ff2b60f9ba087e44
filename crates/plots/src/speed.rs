//! Nanoseconds a turn by kernel, from what `tilelab bench --json` prints.

use super::Plot;
use super::curve::x_grid;
use super::scale::{Scale, number_text};
use super::svg::{Canvas, GRID, MARGIN, TEXT, WIDTH, fit, text_width};
use serde_json::{Map, Value};
use tilelab_cells::figures::distinct;

/// The field that names the kernel, and the one that is drawn.
const KERNEL: &str = "kernel";
const FIGURE: &str = "ns_per_turn";
const ROW: f64 = 24.0;

/// One measurement.
struct Speed {
    case: String,
    kernel: String,
    ns_per_turn: f64,
}

/// Draws the measurements of a benchmark: one row a case, one mark a kernel.
///
/// `json` is an array of objects, or an object that holds one such array, each with `kernel` and
/// `ns_per_turn`; the other text fields, and whole numbers that describe the case (such as
/// `tiles_per_turn`), name the case where they differ.
///
/// # Errors
/// Says what is missing.
pub fn speed_plot(json: &str) -> Result<Plot, String> {
    let value: Value = serde_json::from_str(json)
        .map_err(|error| format!("the benchmark is not JSON: {error}"))?;
    let rows = match &value {
        Value::Array(rows) => Some(rows),
        Value::Object(fields) => fields
            .values()
            .filter_map(Value::as_array)
            .find(|rows| rows.iter().all(Value::is_object)),
        _ => None,
    };
    let rows: Vec<&Map<String, Value>> = rows
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let speeds = speeds(&rows);
    if speeds.is_empty() {
        return Err(format!(
            "the benchmark has no rows with {KERNEL} and {FIGURE}"
        ));
    }
    let title = "Speed by kernel".to_owned();
    Ok(Plot {
        file: "speed_by_kernel.svg".into(),
        svg: draw(&title, &speeds),
        title,
    })
}

/// The measurements with the names of their cases.
fn speeds(rows: &[&Map<String, Value>]) -> Vec<Speed> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() => Some(number.to_string()),
        _ => None,
    };
    // Measured figures are not part of the name, even where they come out whole.
    const MEASURED: [&str; 9] = [
        "_per_s",
        "_per_turn",
        "ratio",
        "games",
        "lanes",
        "turns",
        "threads",
        "seconds",
        "_ns",
    ];
    let is_measured = |name: &str| MEASURED.iter().any(|part| name.contains(part));
    let describes = |name: &str| name != KERNEL && (name == "tiles_per_turn" || !is_measured(name));
    let varies = |name: &str| rows.iter().any(|row| row.get(name) != rows[0].get(name));
    rows.iter()
        .filter_map(|row| {
            let case: Vec<String> = row
                .iter()
                .filter(|(name, _)| describes(name) && (varies(name) || name.as_str() == "case"))
                .filter_map(|(name, value)| {
                    let words = text(value)?;
                    Some(if value.is_number() {
                        format!("{name} {words}")
                    } else {
                        words
                    })
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

fn draw(title: &str, speeds: &[Speed]) -> String {
    let cases = distinct(speeds.iter().map(|speed| speed.case.as_str()));
    let kernels = distinct(speeds.iter().map(|speed| speed.kernel.as_str()));
    let labels = cases
        .iter()
        .map(|case| text_width(case, TEXT))
        .fold(20.0, f64::max)
        .min(210.0);
    let left = MARGIN + labels + 10.0;
    let right = WIDTH - MARGIN - 12.0;
    let mut canvas = Canvas::new(title);
    let top = canvas.legend(canvas.top() + 4.0, &kernels);
    let bottom = top + ROW * cases.len() as f64;
    let figures = speeds.iter().map(|speed| speed.ns_per_turn);
    let lo = figures.clone().fold(f64::INFINITY, f64::min);
    let hi = figures.fold(0.0, f64::max);
    let x = Scale::log(lo * 0.8, hi * 1.2, left, right);
    x_grid(
        &mut canvas,
        &x,
        [top - 4.0, bottom],
        "ns a turn and thread (log scale)",
    );
    for (index, case) in cases.iter().enumerate() {
        let y = top + ROW * (index as f64 + 0.5);
        canvas.line((left, y), (right, y), GRID);
        canvas.text_end("", (left - 8.0, y + 4.0), &fit(case, TEXT, labels));
        for speed in speeds.iter().filter(|speed| speed.case == *case) {
            let series = kernels
                .iter()
                .position(|kernel| *kernel == speed.kernel)
                .unwrap_or(0);
            let hover = format!(
                "{} {}: {} ns a turn",
                speed.kernel,
                case,
                number_text(speed.ns_per_turn)
            );
            canvas.mark(series, (x.at(speed.ns_per_turn), y), &hover);
        }
    }
    canvas.finish(bottom + 52.0)
}
