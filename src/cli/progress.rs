//! Progress on standard error: bars on a terminal, a timed line elsewhere.

use crate::learn;
use crate::plan::Plan;
use crate::runner::pace::{CostGroups, seconds_left};
use crate::runner::progress::CellProgress;
use crate::runner::{Progress, RunnerOptions, Shard};
use crate::text::{counted, join};
use crate::tui::is_utf8;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;
use tilelab_output::locked;
pub use tilelab_output::numbers::{duration_text, grouped, scaled};
use tilelab_output::text::columns_of;

/// The most sequential tests that a line shows.
const TESTS_SHOWN: usize = 3;
/// Terminals of fewer columns show no bars beside the percentages.
const BAR_COLUMNS_MIN: usize = 100;
const SEPARATOR: &str = ", ";

/// Shows the progress of one run or training.
pub struct Display<'a> {
    plan: &'a Plan,
    /// The name of the plan, and which part of it is played.
    name: String,
    /// What a cell is called, and what several are.
    what: [&'static str; 2],
    /// What each cell is called.
    labels: Vec<String>,
    groups: CostGroups,
    threads: usize,
    /// The most time that the run may take.
    time: Option<Duration>,
    form: Form,
}

enum Form {
    Quiet,
    /// The bars of the run, of a table, and of a cell.
    Bars(MultiProgress, [ProgressBar; 3]),
    /// Where standard error is not a terminal: the time between two lines, and when the last was
    /// written.
    Lines {
        every: Duration,
        last: Mutex<Duration>,
    },
}

impl<'a> Display<'a> {
    /// A display of a run that fits standard error.
    pub fn new(plan: &'a Plan, options: &RunnerOptions, quiet: bool, line_every: Duration) -> Self {
        let RunnerOptions { shard, threads, .. } = *options;
        let mut display = Self::named(plan, threads, quiet, line_every);
        if shard != Shard::WHOLE {
            display.name += &format!(" (part {}/{})", shard.index, shard.count);
        }
        display
    }

    /// A display of a training, whose sets of rules are the cells of this plan.
    pub fn of_sets(
        sets: &'a Plan,
        options: &learn::LearnOptions,
        quiet: bool,
        line_every: Duration,
    ) -> Self {
        let threads = options.threads.min(sets.cells.len());
        Self {
            what: ["set of rules", "sets of rules"],
            time: options.time,
            ..Self::named(sets, threads, quiet, line_every)
        }
    }

    fn named(plan: &'a Plan, threads: usize, quiet: bool, line_every: Duration) -> Self {
        let form = if quiet {
            Form::Quiet
        } else if std::io::stderr().is_terminal() {
            let all = MultiProgress::new();
            let bars = [(); 3].map(|()| all.add(ProgressBar::new(1)));
            Form::Bars(all, bars)
        } else {
            Form::Lines {
                every: line_every,
                last: Mutex::new(Duration::ZERO),
            }
        };
        Self {
            plan,
            name: plan.name.clone(),
            what: ["cell", "cells"],
            labels: plan.labels(),
            groups: CostGroups::new(plan),
            threads,
            time: None,
            form,
        }
    }

    /// Says what begins, where no bars will show it.
    pub fn start(&self) {
        if let Form::Lines { every, .. } = &self.form {
            let name = &self.name;
            let cells = counted(self.labels.len(), self.what);
            let threads = counted(self.threads, ["thread", "threads"]);
            say!(
                "{name}: {cells} on {threads}; a line every {} s",
                every.as_secs_f64()
            );
        }
    }

    /// Shows how far the run is.
    pub fn show(&self, progress: &Progress<'_>) {
        match &self.form {
            Form::Quiet => {}
            Form::Bars(_, bars) => self.show_bars(progress, bars),
            Form::Lines { every, last } => {
                let mut last = locked(last);
                if progress.elapsed >= *last + *every {
                    *last = progress.elapsed;
                    say!("{}", self.line(progress));
                }
            }
        }
    }

    fn show_bars(&self, progress: &Progress<'_>, [total, table, cell]: &[ProgressBar; 3]) {
        let columns = super::columns_of(&std::io::stderr()).unwrap_or(80);
        let style = style(columns);
        let work = self.groups.work(progress.cells);
        let show = |bar: &ProgressBar, sums: &Sums, fields: &[Field]| {
            bar.set_style(style.clone());
            bar.set_length(1000);
            bar.set_position((1000.0 * sums.share.unwrap_or_default()) as u64);
            bar.set_message(fitting(fields, columns.saturating_sub(taken(columns))));
            bar.set_prefix(sums.time_left(progress.elapsed, self.time));
        };
        let sums = |wanted: &dyn Fn(usize) -> bool| {
            Sums::of(progress, work.as_deref(), self.threads, wanted)
        };
        let whole = sums(&|_| true);
        let [games, turns] = whole.rates(progress.elapsed, self.plan.unit());
        let fields = [(1, self.name.clone()), (0, games), (2, turns)];
        show(total, &whole, &fields);
        let is_played = |cell: &CellProgress| cell.games > 0 && !cell.done;
        let Some(current) = progress.cells.iter().position(is_played) else {
            return;
        };
        let Plan { cells, titles, .. } = self.plan;
        let number = cells[current].table;
        let table_of = format!("table {}/{}", number + 1, titles.len());
        show(
            table,
            &sums(&|index| cells[index].table == number),
            &[(0, table_of), (1, titles[number].clone())],
        );
        let cell_of = format!("{} {}/{}", self.what[0], current + 1, cells.len());
        let mut fields = vec![(2, cell_of), (5, self.labels[current].clone())];
        fields.extend(test_fields(&progress.cells[current]));
        show(cell, &sums(&|index| index == current), &fields);
    }

    fn line(&self, progress: &Progress<'_>) -> String {
        let work = self.groups.work(progress.cells);
        let sums = Sums::of(progress, work.as_deref(), self.threads, &|_| true);
        // Rounded down: what is not done is not 100 %.
        let percent = |share: f64| format!(", {:.1} %", (1000.0 * share).floor() / 10.0);
        let tests = progress
            .cells
            .iter()
            .filter(|cell| !cell.done)
            .map(test_fields)
            .filter(|fields| !fields.is_empty());
        let tests: String = tests
            .take(TESTS_SHOWN)
            .map(|fields| format!("; {}", fitting(&fields, usize::MAX)))
            .collect();
        let unit = self.plan.unit();
        format!(
            "{}: {}{}, {}/{} {}, {} {}, {}{tests}",
            self.name,
            sums.time_left(progress.elapsed, self.time),
            sums.share.map_or_else(String::new, percent),
            progress.cells.iter().filter(|cell| cell.done).count(),
            progress.cells.len(),
            self.what[1],
            sums.games,
            unit[1],
            sums.rates(progress.elapsed, unit).join(SEPARATOR)
        )
    }

    /// Writes a message without disturbing the bars.
    pub fn message(&self, text: &str) {
        match &self.form {
            Form::Bars(all, _) => all.suspend(|| say!("{text}")),
            _ => say!("{text}"),
        }
    }

    /// Takes the bars away.
    pub fn finish(&self) {
        if let Form::Bars(all, _) = &self.form {
            // A terminal that cannot be cleared any more needs no clearing.
            let _ = all.clear();
        }
    }
}

impl learn::LearnObserver for Display<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.show(progress);
    }

    fn point(&self, set: usize, point: &learn::LearningPoint) {
        let cell = &self.plan.cells[set];
        if point.games == cell.games && !matches!(self.form, Form::Quiet) {
            let figures = point.text(self.plan.confidence);
            self.message(&format!(
                "{}: {} learned; {figures}",
                cell.world_key(),
                games_text(point.games, 0, ["game", "games"])
            ));
        }
    }
}

/// The time left comes first; a terminal of few columns has no bar, but its percentage.
fn style(columns: usize) -> ProgressStyle {
    let bar = if columns < BAR_COLUMNS_MIN {
        ""
    } else {
        " {bar:16}"
    };
    let template = format!("{{prefix:>16}}{bar} {{percent:>3}} % {{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is well formed");
    if is_utf8() {
        style
    } else {
        style.progress_chars("#- ")
    }
}

/// The columns before the message of a [`style`].
const fn taken(columns: usize) -> usize {
    if columns < BAR_COLUMNS_MIN { 23 } else { 40 }
}

/// A part of a message and its rank: those of high ranks are left out first.
type Field = (u8, String);

/// The fields that fit into these columns together, in their order. A field is shown whole or not
/// at all, since a number that is cut is another number.
fn fitting(fields: &[Field], columns: usize) -> String {
    let mut ranked: Vec<usize> = (0..fields.len()).collect();
    ranked.sort_by_key(|at| fields[*at].0);
    let mut left = columns.saturating_add(SEPARATOR.len());
    ranked.retain(|at| {
        let wide = columns_of(&fields[*at].1) + SEPARATOR.len();
        let fits = wide <= left;
        left -= if fits { wide } else { 0 };
        fits
    });
    ranked.sort_unstable();
    join(ranked.iter().map(|at| fields[*at].1.as_str()), SEPARATOR)
}

/// Sums over some cells.
///
/// Wide, because thousands of cells may each be allowed more games than will ever be played.
#[derive(Default)]
struct Sums {
    games: u128,
    games_now: u128,
    turns_now: u128,
    /// Time left [s], once some work was measured.
    seconds_left: Option<f64>,
    /// The share of the work that is done, from 0 to 1, once it is known.
    share: Option<f64>,
}

impl Sums {
    fn of(
        progress: &Progress<'_>,
        work: Option<&[[f64; 2]]>,
        threads: usize,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Self {
        let mut sums = Self::default();
        let mut done = 0.0;
        let mut left = 0.0;
        let cells = progress.cells.iter().enumerate();
        for (index, cell) in cells.filter(|(index, _)| wanted(*index)) {
            sums.games += u128::from(cell.games);
            sums.games_now += u128::from(cell.games_now);
            sums.turns_now += u128::from(cell.turns_now);
            let work = work.map_or([0.0; 2], |work| work[index]);
            done += work[0];
            left += work[1];
        }
        // A test that was not looked at may take any time.
        if work.is_some() && left.is_finite() {
            sums.seconds_left = Some(seconds_left(left, progress.cells, threads));
            sums.share = Some(match done + left {
                0.0 => 0.0,
                all => done / all,
            });
        }
        sums
    }

    /// The time that is left, such as `1 min 02 s left`: by the work of each cell's games, not by
    /// their number.
    fn time_left(&self, elapsed: Duration, time: Option<Duration>) -> String {
        let most = time.map_or(f64::INFINITY, |time| {
            time.saturating_sub(elapsed).as_secs_f64()
        });
        left_text(self.seconds_left.map(|left| left.min(most)))
    }

    /// Speed of this run.
    fn rates(&self, elapsed: Duration, [_, unit]: [&str; 2]) -> [String; 2] {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        [(self.games_now, unit), (self.turns_now, "turns")]
            .map(|(count, unit)| format!("{} {unit}/s", scaled(count as f64 / seconds).trim_end()))
    }
}

/// How far the sequential test of a cell is; empty where it has none that was examined.
fn test_fields(cell: &CellProgress) -> Vec<Field> {
    let Some(test) = cell.test.filter(|_| !cell.done) else {
        return Vec::new();
    };
    let [lower, upper] = test.bounds;
    vec![
        (3, format!("test after {} pairs", grouped(test.pairs))),
        (6, format!("mean {:.4}", test.mean)),
        (0, format!("log-likelihood ratio {:.2}", test.log_ratio)),
        (1, format!("bounds {lower:.2} and {upper:.2}")),
        (
            4,
            format!("about {} pairs expected", grouped(test.pairs_expected)),
        ),
    ]
}

/// What is said of a run or a training that has all its games already.
pub const NOTHING_LEFT: &str = ", complete: nothing to play";

/// Games, or another unit, of a result and how many of them were played now: `12,345 games (45
/// new)`, or `12,345 games` where none were.
pub fn games_text(games: u64, new: u64, unit: [&str; 2]) -> String {
    let are_new = match new {
        0 => String::new(),
        _ if new == games => " (all new)".to_owned(),
        _ => format!(" ({} new)", grouped(new)),
    };
    let unit = unit[usize::from(games != 1)];
    format!("{} {unit}{are_new}", grouped(games))
}

/// The time left in seconds, such as `1 min 02 s left`.
pub fn left_text(seconds: Option<f64>) -> String {
    seconds.map_or("time left: ?".to_owned(), |seconds| {
        duration_text(seconds) + " left"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::Reached;

    fn check(fields: &[Field], columns: usize, expected: &str) {
        assert_eq!(fitting(fields, columns - taken(columns)), expected);
    }

    /// On each terminal the whole line fits, and each field is whole or missing.
    #[test]
    fn fields_are_whole_at_every_width() {
        let run = [
            (1, "an-experiment-of-mine".to_owned()),
            (0, "1.23 M games/s".to_owned()),
            (2, "12.34 M turns/s".to_owned()),
        ];
        check(&run, 40, "1.23 M games/s");
        check(&run, 60, "an-experiment-of-mine, 1.23 M games/s");
        check(
            &run,
            80,
            "an-experiment-of-mine, 1.23 M games/s, 12.34 M turns/s",
        );
        check(
            &run,
            120,
            "an-experiment-of-mine, 1.23 M games/s, 12.34 M turns/s",
        );
        let test = Reached {
            pairs: 12_000,
            mean: 0.5032,
            log_ratio: -1.204,
            bounds: [-2.944, 2.944],
            pairs_expected: 31_000,
        };
        let cell = CellProgress {
            test: Some(test),
            ..CellProgress::default()
        };
        let mut fields = vec![(2, "cell 1/4".to_owned()), (5, "gapless, 4x4".to_owned())];
        fields.extend(test_fields(&cell));
        check(&fields, 40, "cell 1/4");
        check(&fields, 60, "cell 1/4, log-likelihood ratio -1.20");
        check(
            &fields,
            80,
            "log-likelihood ratio -1.20, bounds -2.94 and 2.94",
        );
        check(
            &fields,
            120,
            "cell 1/4, gapless, 4x4, log-likelihood ratio -1.20, bounds -2.94 and 2.94",
        );
        for columns in 0..300 {
            let shown = fitting(&fields, columns);
            assert!(columns_of(&shown) <= columns, "{columns}: {shown}");
            let is_field = |text: &str| fields.iter().any(|(_, known)| known.contains(text));
            assert!(shown.split(SEPARATOR).all(is_field), "{columns}: {shown}");
        }
    }
}
