//! Win rate against the time of a move, where players of one game differ in both.

use super::Plot;
use super::curve::{Mark, draw_curve, draw_frame};
use super::lines::{Groups, LINES_MAX};
use super::scale::{Scale, Span, WIN_RATE, ends, number_text};
use super::svg::{Canvas, MARGIN, RIGHT};
use tilelab_cells::cells::{Cells, Record};
use tilelab_cells::figures::distinct;
use tilelab_cells::times::Times;

/// Fewer points than this say little of a game.
const POINTS_MIN: usize = 4;
/// More games than this make a file too large to look at.
const FRAMES_MAX: usize = 12;
/// Space left of a frame, its height, and the space below it.
const LEFT: f64 = MARGIN + 60.0;
const HEIGHT: f64 = 240.0;
const BELOW: f64 = 56.0;

/// A player's settings in a game.
struct TimePoint {
    ms: f64,
    rate: Span,
    label: String,
}

/// The settings of each player of a game.
type Players = Groups<String, Vec<TimePoint>>;

/// One plot with a frame for each game that several settings of players played; `None` where no
/// game has enough of them with known times.
pub fn time_plot(cells: &Cells, times: &Times) -> Option<Plot> {
    let mut games: Groups<String, Players> = Groups::default();
    let names = named(cells);
    for row in cells.records() {
        if let Some((game, player, point)) = point(&row, times, &names) {
            let known = games.of(game).of(player);
            if known.iter().all(|known| known.label != point.label) {
                known.push(point);
            }
        }
    }
    let mut frames = games.entries;
    frames
        .retain(|(_, players)| players.entries.len() > 1 && points(players).count() >= POINTS_MIN);
    if frames.is_empty() {
        return None;
    }
    let left_out = frames.len().saturating_sub(FRAMES_MAX);
    frames.truncate(FRAMES_MAX);
    for (_, points) in frames
        .iter_mut()
        .flat_map(|(_, players)| &mut players.entries)
    {
        points.sort_by(|a, b| a.ms.total_cmp(&b.ms));
    }
    let confidence = cells
        .records()
        .find_map(|row| row.number("confidence"))
        .unwrap_or(0.95);
    let intervals = format!(
        "{} % intervals ({})",
        number_text(100.0 * confidence),
        cells.interval_name()
    );
    let title = "Win rate by the time of a move".to_owned();
    let svg = draw(&title, &frames, &intervals, left_out);
    Some(Plot {
        file: "win_rate_by_time.svg".to_owned(),
        title,
        svg,
    })
}

/// Game, player and point of a cell that one player played.
fn point(row: &Record<'_>, times: &Times, names: &[&str]) -> Option<(String, String, TimePoint)> {
    if row.get("opponent").is_some() {
        return None;
    }
    let player = row.get("player_name")?.to_owned();
    let point = TimePoint {
        // A time of 0 has no place on a logarithmic scale.
        ms: times.ms_per_move(row).filter(|ms| *ms > 0.0)?,
        rate: Span::of(row, WIN_RATE)?,
        label: row.get("player")?.to_owned(),
    };
    let rules = names
        .iter()
        .filter_map(|name| Some(format!("{name} {}", row.get(name)?)));
    let game = [row.get("game")?.to_owned()].into_iter().chain(rules);
    Some((game.collect::<Vec<_>>().join(", "), player, point))
}

/// The parameters that a frame names: the main ones, which stand before the results, and others
/// that vary.
fn named(cells: &Cells) -> Vec<&str> {
    let results = cells.columns().position(|name| name == "games");
    let mains: Vec<&str> = cells.columns().take(results.unwrap_or_default()).collect();
    let varies = |name: &str| {
        let mut values = cells.records().filter_map(|row| row.get(name));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let mut names = cells.parameters();
    names.retain(|name| {
        !["game", "player"].contains(name) && (mains.contains(name) || varies(name))
    });
    names
}

fn points(players: &Players) -> impl Iterator<Item = &TimePoint> {
    players.entries.iter().flat_map(|(_, points)| points)
}

fn draw(title: &str, frames: &[(String, Players)], intervals: &str, left_out: usize) -> String {
    let mut canvas = Canvas::new(title);
    let of_frames = frames.iter().flat_map(|(_, players)| &players.entries);
    let mut series = distinct(of_frames.map(|(player, _)| player.as_str()));
    series.truncate(LINES_MAX);
    let all = frames.iter().flat_map(|(_, players)| points(players));
    let [least, most] = ends(all.map(|point| point.ms));
    let x = Scale::log(least / 1.3, most * 1.3, LEFT, RIGHT);
    let mut above = canvas.top + 4.0;
    for (game, players) in frames {
        above = canvas.notes(above + 8.0, [game]) - 6.0;
        let bottom = above + HEIGHT;
        let y = Scale::exact(0.0, 100.0, bottom, above);
        draw_frame(
            &mut canvas,
            (&x, &y),
            60.0,
            ["milliseconds a move", "games won, %"],
        );
        for (player, points) in &players.entries {
            if let Some(series) = series.iter().position(|known| known == player) {
                draw_line(&mut canvas, series, points, (&x, &y));
            }
        }
        above = bottom + BELOW;
    }
    let mut notes = vec![format!(
        "Bars: {intervals}. Lines join one player's settings. Time of one thread on the machine that played."
    )];
    if left_out > 0 {
        notes.push(format!("{left_out} more games are in the table."));
    }
    canvas.finish_below(above + 8.0, &series, &notes)
}

fn draw_line(canvas: &mut Canvas, series: usize, points: &[TimePoint], scales: (&Scale, &Scale)) {
    let mark = |TimePoint { ms, rate, label }: &TimePoint| {
        let hover = format!("{label}: {}, {} ms a move", rate.text(""), number_text(*ms));
        Mark::new(scales, *ms, *rate, hover)
    };
    let marks: Vec<Mark> = points.iter().map(mark).collect();
    draw_curve(canvas, series, &marks, false);
}
