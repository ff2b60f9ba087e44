//! Learning curves, from the file that `tilelab learn` writes beside the weights.

use super::Plot;
use super::curve::{Mark, draw_curve, draw_frame};
use super::lines::{Groups, LINES_MAX};
use super::scale::{Scale, Span, number_text};
use super::svg::{Canvas, MARGIN, RIGHT};
use serde::Deserialize;

/// More bands than this hide each other; bars stand in their place.
const BANDS_MAX: usize = 3;
/// Space left of the frame, and its height.
const LEFT: f64 = MARGIN + 66.0;
const HEIGHT: f64 = 270.0;

/// What is drawn of a row.
#[derive(Deserialize)]
struct LearningRow {
    rules: String,
    games: f64,
    test_games: u64,
    test_win_pct: f64,
    test_win_pct_lo: f64,
    test_win_pct_hi: f64,
    test_score_mean: Option<f64>,
    test_score_mean_lo: Option<f64>,
    test_score_mean_hi: Option<f64>,
    confidence: f64,
}

impl LearningRow {
    /// The mean score, where there is one and it is wanted, else the win rate.
    fn span(&self, scored: bool) -> Span {
        match *self {
            Self {
                test_score_mean: Some(value),
                test_score_mean_lo: Some(lo),
                test_score_mean_hi: Some(hi),
                ..
            } if scored => Span { value, lo, hi },
            _ => Span {
                value: self.test_win_pct,
                lo: self.test_win_pct_lo,
                hi: self.test_win_pct_hi,
            },
        }
    }
}

/// Draws the curves of all sets of rules: the mean score where all games have scores, else the win
/// rate, of the games that were played without learning.
///
/// # Errors
/// Names the row that has another form.
pub fn learning_plot(csv: &[u8]) -> Result<Plot, String> {
    let read: Result<Vec<LearningRow>, csv::Error> =
        csv::Reader::from_reader(csv).deserialize().collect();
    let rows = read.map_err(|error| error.to_string())?;
    let scored = !rows.is_empty() && rows.iter().all(|row| row.test_score_mean.is_some());
    let mut of_rules: Groups<&str, Vec<&LearningRow>> = Groups::default();
    for row in &rows {
        of_rules.of(&row.rules).push(row);
    }
    let mut lines = of_rules.entries;
    let left_out = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    let confidence = rows.first().map_or(0.95, |row| row.confidence);
    let title = "Learning curve".to_owned();
    let svg = draw(&title, &lines, scored, confidence, left_out);
    Ok(Plot {
        file: "learning_curve.svg".to_owned(),
        title,
        svg,
    })
}

fn draw(
    title: &str,
    lines: &[(&str, Vec<&LearningRow>)],
    scored: bool,
    confidence: f64,
    left_out: usize,
) -> String {
    let mut canvas = Canvas::new(title);
    let above = canvas.top + 4.0;
    let bottom = above + HEIGHT;
    let rows = || lines.iter().flat_map(|(_, rows)| rows);
    let most = rows().map(|row| row.games).fold(1.0, f64::max);
    let spans: Vec<Span> = rows().map(|row| row.span(scored)).collect();
    let x = Scale::exact(0.0, most, LEFT, RIGHT);
    let y = Scale::holding(&spans, false, f64::INFINITY, bottom, above);
    let y_name = if scored { "mean score" } else { "games won, %" };
    draw_frame(&mut canvas, (&x, &y), 80.0, ["games learned", y_name]);
    let banded = lines.len() <= BANDS_MAX;
    let (labels, throughout) = labels(lines);
    for (series, ((_, rows), label)) in lines.iter().zip(&labels).enumerate() {
        let mark = |row: &&LearningRow| {
            let span = row.span(scored);
            let hover = format!(
                "{label} after {} games: {}, {} games",
                number_text(row.games),
                span.text(""),
                row.test_games
            );
            Mark::new((&x, &y), row.games, span, hover)
        };
        let marks: Vec<Mark> = rows.iter().map(mark).collect();
        draw_curve(&mut canvas, series, &marks, banded);
    }
    let shape = if banded { "Bands" } else { "Bars" };
    let method = if scored {
        "Student's t"
    } else {
        "Clopper–Pearson"
    };
    let level = number_text(100.0 * confidence);
    let mut notes = vec![format!(
        "Test games, without learning. {shape}: {level} % intervals ({method})."
    )];
    if !throughout.is_empty() {
        notes.push(format!("Throughout: {throughout}."));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} more sets of rules are in the table."));
    }
    canvas.finish_below(bottom + 62.0, &labels, &notes)
}

/// What distinguishes the sets of rules, and what they have in common.
fn labels(lines: &[(&str, Vec<&LearningRow>)]) -> (Vec<String>, String) {
    let parts = |rules: &str| {
        let parts = rules.split(['/', ',']);
        parts.map(|part| part.replace('=', " ")).collect()
    };
    let all: Vec<Vec<String>> = lines.iter().map(|(rules, _)| parts(rules)).collect();
    let joined = |parts: &[String], common: bool| {
        let is_common = |part: &&String| all.iter().all(|other| other.contains(part));
        let parts = parts.iter().filter(|part| is_common(part) == common);
        parts.cloned().collect::<Vec<_>>().join(", ")
    };
    let labels = all.iter().map(|parts| joined(parts, false)).collect();
    let first = all.first().map_or(&[][..], Vec::as_slice);
    (labels, joined(first, true))
}
