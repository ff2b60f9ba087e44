//! `tilelab compare`: two results, cell by cell.

use super::input_error;
use crate::game::{GameResult, Job, KernelChoice, Outcome, Tally};
use crate::plan::{Overrides, Plan};
use crate::report::cells::{Cells, Record};
use crate::report::comparison::{
    Analysis, Pair, PairSums, WonAndMoves, adjust, plain_rules, rules, to_csv, to_markdown, to_text,
};
use crate::report::game_rows::GameRows;
use crate::report::markdown::distinct;
use crate::report::schema;
use crate::report::text::plain;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compare two results cell by cell: differences with interval and significance
///
/// Cells are matched by their key, else by game and rules where the players differ, or lanes and
/// method. Totals are
/// compared as independent samples (Newcombe's interval and Fisher's mid-p test for rates, Welch's
/// for mean move counts). Cells of the same rules, or of rules that differ in common parameters,
/// met the same random numbers: --paired compares their games in pairs (Tango's interval, McNemar's
/// exact test, Student's t). p-values are adjusted for all cells (Holm).
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
        tilelab compare results/random results/expectimax --paired 10000\n  \
        tilelab compare results/rates --by operator_rate --paired")]
pub struct Args {
    /// A results folder, or a cells.csv
    a: PathBuf,
    /// Another one; differences are B less A
    #[arg(required_unless_present = "by", conflicts_with = "by")]
    b: Option<PathBuf>,
    /// Compare the cells of one result that differ in this column of cells.csv only, such as player
    /// or operator_rate
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// The value of that column that the others are compared with [default: that of the first cell]
    #[arg(long, value_name = "VALUE", requires = "by")]
    baseline: Option<String>,
    /// How to write: lines for a terminal, a Markdown table, or CSV
    #[arg(long, default_value = "text")]
    format: Format,
    /// Exit with 1 when any cell differs significantly, or is in one of the results only
    #[arg(long)]
    fail_on_difference: bool,
    /// Compare cells that met the same random numbers in pairs of games: the first N, or all that
    /// both have. Games come from games.parquet or games.csv (run --per-game) or are played again
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = clap::value_parser!(u64).range(2..))]
    paired: Option<Option<u64>>,
    /// Also test whether the win rates are the same but for this margin: a share, such as 0.001
    #[arg(long, value_name = "X", value_parser = level)]
    margin: Option<f64>,
    /// Confidence level of the intervals; a difference counts when its adjusted p-value is at most
    /// one minus this
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = level)]
    confidence: f64,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Markdown,
    Csv,
}

fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| "write a number between 0 and 1, such as 0.95".to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let a = Side::read(&args.a, args.paired.is_some())?;
    let path_b = args.b.as_ref().unwrap_or(&args.a);
    let b = Side::read(path_b, args.paired.is_some())?;
    let matched = match &args.by {
        Some(by) => {
            let file = args.a.display();
            let baseline = args.baseline.as_deref();
            within(&a.cells, by, baseline).map_err(|error| input_error(format!("{file}: {error}")))?
        }
        None => Matched::of(&a.cells, &b.cells),
    };
    if matched.pairs.is_empty() {
        return Err(input_error(format!(
            "{} and {} have no cell in common: neither cell keys nor game and rules agree",
            args.a.display(),
            path_b.display()
        )));
    }
    let mut pairs = Vec::new();
    for (row_a, row_b) in &matched.pairs {
        let mut pair = Pair::new(*row_a, *row_b, None, args.confidence, args.margin);
        if let (Some(most), Analysis::UnpairedThoughPairable) = (args.paired, pair.analysis)
            && row_a.get("cell") != row_b.get("cell")
        {
            let sums = match stored_pairs((&a, row_a), (&b, row_b), most)? {
                Some(sums) => sums,
                None => played_pairs((&a, row_a), (&b, row_b), most)?,
            };
            pair = Pair::new(*row_a, *row_b, Some(&sums), args.confidence, args.margin);
        }
        pairs.push(pair);
    }
    adjust(&mut pairs);
    let alpha = 1.0 - args.confidence;
    let mut output = std::io::stdout().lock();
    let name_a = args.a.display().to_string();
    let name_b = path_b.display().to_string();
    // Two blanks break a line in Markdown.
    let end = if args.format == Format::Markdown { "  " } else { "" };
    let head = format!("A: {}{end}\nB: {}\n", plain(&name_a), plain(&name_b));
    let notes = notes(&pairs, args.confidence);
    match args.format {
        Format::Csv => output.write_all(&to_csv(&pairs, alpha))?,
        Format::Markdown => writeln!(output, "{head}\n{}\n{notes}", to_markdown(&pairs, alpha))?,
        Format::Text => writeln!(output, "{head}\n{}{}", to_text(&pairs, alpha), wrapped(&notes))?,
    }
    let differing = pairs.iter().filter(|pair| pair.differs(alpha)).count();
    let single = [("A", &matched.only_a), ("B", &matched.only_b)];
    for (name, rows) in single {
        for row in rows {
            say!("only in {name}: {}", plain(row.get("cell").unwrap_or_default()));
        }
    }
    let alone: usize = single.iter().map(|(_, rows)| rows.len()).sum();
    say!("{} pairs of cells, {differing} differ; {alone} cells are in one of the results only", pairs.len());
    Ok(ExitCode::from(u8::from(args.fail_on_difference && differing + alone > 0)))
}

/// The text in lines of at most 100 columns.
fn wrapped(text: &str) -> String {
    const COLUMNS: usize = 100;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= COLUMNS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

/// The cells of one result that differ from a cell with the baseline's value in this column only.
///
/// Players are compared as a whole, with their parameters: by `player`, a row counts as the
/// baseline with the label or the plain name of its first player.
///
/// # Errors
/// Says that there is no such column or value, and what there is.
fn within<'a>(cells: &'a Cells, by: &str, baseline: Option<&str>) -> Result<Matched<'a>, String> {
    let mut known = cells.parameters();
    known.extend(cells.columns().filter(|name| schema::is_of_player(name)));
    if !known.contains(&by) {
        return Err(format!("--by {by}: no such parameter; accepted: {}", known.join(", ")));
    }
    // The column `player` is the label of both; the first player's is before the slash.
    let of_first = |row: &Record<'a>| row.get("player").map(|label| label.split(" / ").next().unwrap_or(label));
    let value = |row: &Record<'a>| if by == "player" { of_first(row) } else { row.get(by) };
    let Some(baseline) = baseline.or_else(|| cells.records().find_map(|row| value(&row))) else {
        return Err(format!("--by {by}: no cell has a value of it"));
    };
    let is_baseline =
        |row: &Record<'a>| value(row) == Some(baseline) || by == "player" && row.get("player_name") == Some(baseline);
    let varies = |name: &str| match by {
        // The players' own columns go with the player.
        "player" => name == "player" || name.starts_with("player_"),
        _ => name == by || schema::is_of_player(by) && name == "player",
    };
    let others: Vec<&str> = known.iter().copied().filter(|name| !varies(name)).collect();
    let goes_with = |a: &Record<'_>, b: &Record<'_>| others.iter().all(|name| a.get(name) == b.get(name));
    let bases: Vec<Record<'a>> = cells.records().filter(is_baseline).collect();
    if bases.is_empty() {
        let rows: Vec<Record<'a>> = cells.records().collect();
        let values = distinct(rows.iter().filter_map(value));
        return Err(format!("--baseline {baseline}: no cell has it as {by}; accepted: {}", values.join(", ")));
    }
    let rest = cells.records().filter(|row| !is_baseline(row));
    let pairs: Vec<_> = rest.filter_map(|b| Some((*bases.iter().find(|a| goes_with(a, &b))?, b))).collect();
    if pairs.is_empty() {
        return Err(format!("--by {by}: no cell differs from one with {by} = {baseline} in nothing else"));
    }
    Ok(Matched { pairs, only_a: Vec::new(), only_b: Vec::new() })
}

/// What the figures are, below the Markdown table.
fn notes(pairs: &[Pair<'_>], confidence: f64) -> String {
    let mut text = format!(
        "Differences are B less A, each with its {} % interval: Newcombe's (rates) and Welch's (mean moves) for unpaired cells, \
         Tango's (rates) and Student's (mean moves) over pairs. p-values (Fisher's mid-p, Welch's; in pairs McNemar's exact, Student's) are adjusted for all {} \
         comparisons by Holm's method.",
        (confidence * 1e8).round() / 1e6,
        pairs.iter().map(|pair| usize::from(pair.rates.is_some()) + usize::from(pair.moves.is_some())).sum::<usize>()
    );
    if pairs.iter().any(|pair| pair.equivalence.is_some()) {
        text.push_str(
            " Equivalence: two one-sided tests (Schuirmann's z tests for unpaired cells, Tango's score tests over pairs), their p-values \
             adjusted by Holm's method apart from the others; none where two unpaired cells have no variance.",
        );
    }
    if pairs.iter().any(|pair| pair.analysis == Analysis::Nested) {
        text.push_str(
            " Nested results have the games of the shorter run in common: they cannot confirm each other, and their intervals, which treat them as \
             independent, are too wide.",
        );
    }
    if pairs.iter().any(|pair| pair.analysis == Analysis::UnpairedThoughPairable) {
        text.push_str(
            " Cells that could be paired met common random worlds, but totals do not tell which games both won: their intervals treat \
             them as independent and are as a rule too wide. `--paired` compares their games in pairs.",
        );
    }
    text
}

/// One of the two results.
struct Side {
    cells: Cells,
    folder: PathBuf,
    /// The rows of single games, where `--paired` asks for them.
    games: Option<GameRows>,
}

impl Side {
    fn read(path: &Path, with_games: bool) -> anyhow::Result<Self> {
        let (folder, file) = if path.is_dir() {
            (path.to_owned(), path.join("cells.csv"))
        } else {
            (path.parent().unwrap_or(Path::new("")).to_owned(), path.to_owned())
        };
        let cells = Cells::read_cells(&file).map_err(input_error)?;
        let games = with_games.then(|| GameRows::of_folder(&folder)).transpose().map_err(input_error)?;
        Ok(Self { cells, folder, games })
    }

    /// What plays the cell of a row again.
    fn job(&self, row: &Record<'_>) -> anyhow::Result<Box<dyn Job>> {
        let path = self.folder.join("experiment.toml");
        let wrong = |error: String| input_error(format!("--paired: {}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let overrides = Overrides { seed: row.count("seed"), unpublished: true, ..Overrides::default() };
        let plan = Plan::of_text(&text, overrides).map_err(wrong)?;
        let cell = plan.find(row.get("cell").unwrap_or_default()).map_err(wrong)?;
        cell.check_single_games("--paired").map_err(input_error)?;
        cell.job(plan.seed, KernelChoice::Auto).map_err(|error| wrong(error.to_string()))
    }
}

/// The pairs of games, from rows that a run has written; `None` where one of the two has none.
fn stored_pairs(
    (a, row_a): (&Side, &Record<'_>),
    (b, row_b): (&Side, &Record<'_>),
    most: Option<u64>,
) -> anyhow::Result<Option<PairSums>> {
    let (Some(games_a), Some(games_b)) = (&a.games, &b.games) else { return Ok(None) };
    let rows_a = games_a.of(row_a).map_err(input_error)?;
    let rows_b = games_b.of(row_b).map_err(input_error)?;
    let (Some(rows_a), Some(rows_b)) = (rows_a, rows_b) else { return Ok(None) };
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let mut sums = PairSums::default();
    for (a, b) in rows_a.zip(rows_b).take(most) {
        sums.add_pair(a.map_err(input_error)?, b.map_err(input_error)?);
    }
    Ok(Some(sums))
}

/// The pairs of games, played again on all cores.
fn played_pairs(
    (a, row_a): (&Side, &Record<'_>),
    (b, row_b): (&Side, &Record<'_>),
    most: Option<u64>,
) -> anyhow::Result<PairSums> {
    let both = row_a.count("games").min(row_b.count("games")).unwrap_or_default();
    let a = a.job(row_a)?;
    let b = b.job(row_b)?;
    Ok(play_pairs(a.as_ref(), b.as_ref(), most.unwrap_or(both)))
}

/// Plays games 0 to `games` of both cells on all cores.
fn play_pairs(a: &dyn Job, b: &dyn Job, games: u64) -> PairSums {
    // Kernels play many games at a time.
    let portion = a.batch_games().min(b.batch_games()).max(8);
    let next = AtomicU64::new(0);
    let work = || {
        let mut sums = PairSums::default();
        loop {
            let start = next.fetch_add(portion, Ordering::Relaxed);
            if start >= games {
                return sums;
            }
            let range = start..games.min(start + portion);
            for (a, b) in outcomes(a, range.clone()).into_iter().zip(outcomes(b, range)) {
                sums.add_pair(a, b);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut total = PairSums::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            total.add(&worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    total
}

/// Plays some games of a cell.
fn outcomes(job: &dyn Job, games: Range<u64>) -> Vec<WonAndMoves> {
    let mut outcomes = vec![(false, 0); (games.end - games.start) as usize];
    let mut put = |game: u64, outcome: &Outcome| {
        outcomes[(game - games.start) as usize] = (outcome.result == GameResult::Won, outcome.moves);
    };
    job.play_each(games.clone(), &mut Tally::new(job.measures()), Some(&mut put));
    outcomes
}

/// Which rows of the two results belong together.
struct Matched<'a> {
    pairs: Vec<(Record<'a>, Record<'a>)>,
    only_a: Vec<Record<'a>>,
    only_b: Vec<Record<'a>>,
}

impl<'a> Matched<'a> {
    /// Matches rows by table and cell, then by cell, then by game and rules where each side has one
    /// such row left, at last without regard to value lanes and splitting.
    fn of(a: &'a Cells, b: &'a Cells) -> Self {
        let mut left_a: Vec<_> = a.records().map(Some).collect();
        let mut left_b: Vec<_> = b.records().map(Some).collect();
        let mut pairs: Vec<(usize, Record<'a>, Record<'a>)> = Vec::new();
        type Key = fn(&Record<'_>) -> Option<String>;
        let keys: [Key; 5] = [
            |row| Some(format!("{}\n{}", row.get("table")?, row.get("cell")?)),
            |row| row.get("cell").map(str::to_owned),
            |row| Some(format!("{}\n{}", row.get("table")?, rules(row)?)),
            |row| rules(row).map(str::to_owned),
            plain_rules,
        ];
        for key in keys {
            let index = |rows: &[Option<Record<'a>>]| {
                let mut places = std::collections::HashMap::<String, Vec<usize>>::new();
                for (at, row) in rows.iter().enumerate() {
                    if let Some(key) = row.as_ref().and_then(key) {
                        places.entry(key).or_default().push(at);
                    }
                }
                places
            };
            let places_a = index(&left_a);
            let places_b = index(&left_b);
            for (key, at_a) in &places_a {
                if let ([at_a], Some([at_b])) = (at_a.as_slice(), places_b.get(key).map(Vec::as_slice))
                    && let (Some(row_a), Some(row_b)) = (left_a[*at_a].take(), left_b[*at_b].take())
                {
                    pairs.push((*at_a, row_a, row_b));
                }
            }
        }
        pairs.sort_by_key(|(at, _, _)| *at);
        Self {
            pairs: pairs.into_iter().map(|(_, a, b)| (a, b)).collect(),
            only_a: left_a.into_iter().flatten().collect(),
            only_b: left_b.into_iter().flatten().collect(),
        }
    }
}
