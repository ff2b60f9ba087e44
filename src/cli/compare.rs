//! `tilelab compare`: two results, cell by cell.

use super::input_error;
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::{Overrides, Plan};
use crate::report::cells::{Cells, Record};
use crate::report::comparison::{Analysis, Pair, PairSums, adjust, to_csv, to_markdown, world};
use crate::report::text::plain;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compare two results cell by cell: differences with interval and significance
///
/// Cells are matched by their key, else by game and rules where the players differ. Totals are
/// compared as independent samples (Newcombe's interval and Fisher's exact test for rates, Welch's
/// for mean move counts); where two players met the same random worlds, --paired plays those games
/// again and compares them in pairs (McNemar's exact test, Student's t). p-values are adjusted for
/// all cells (Holm).
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab compare results/random results/expectimax --paired 10000")]
pub struct Args {
    /// A results folder, or a cells.csv
    a: PathBuf,
    /// Another one; differences are B less A
    b: PathBuf,
    /// Write CSV instead of Markdown
    #[arg(long)]
    csv: bool,
    /// Exit with 1 when any cell differs significantly, or is in one of the results only
    #[arg(long)]
    fail_on_difference: bool,
    /// Play up to N games of each pair of cells with common worlds again, in pairs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    paired: Option<u64>,
    /// Confidence level of the intervals; a difference counts when its adjusted p-value is at most
    /// one minus this
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = level)]
    confidence: f64,
}

fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| "write a number between 0 and 1, such as 0.95".to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let a = Side::read(&args.a)?;
    let b = Side::read(&args.b)?;
    let matched = Matched::of(&a.cells, &b.cells);
    if matched.pairs.is_empty() {
        return Err(input_error(format!(
            "{} and {} have no cell in common: neither cell keys nor game and rules agree",
            args.a.display(),
            args.b.display()
        )));
    }
    let mut pairs = Vec::new();
    for (row_a, row_b) in &matched.pairs {
        let mut pair = Pair::new(*row_a, *row_b, None, args.confidence);
        if let (Some(most), Analysis::UnpairedThoughPairable) = (args.paired, pair.analysis)
            && row_a.get("cell") != row_b.get("cell")
        {
            let sums = play_pairs(a.job(row_a)?.as_ref(), b.job(row_b)?.as_ref(), most);
            pair = Pair::new(*row_a, *row_b, Some(&sums), args.confidence);
        }
        pairs.push(pair);
    }
    adjust(&mut pairs);
    let alpha = 1.0 - args.confidence;
    let mut output = std::io::stdout().lock();
    if args.csv {
        output.write_all(&to_csv(&pairs, alpha))?;
    } else {
        let name_a = args.a.display().to_string();
        let name_b = args.b.display().to_string();
        writeln!(output, "A: {}  \nB: {}\n", plain(&name_a), plain(&name_b))?;
        writeln!(output, "{}", to_markdown(&pairs, alpha))?;
        writeln!(output, "{}", notes(&pairs, args.confidence))?;
    }
    let differing = pairs.iter().filter(|pair| pair.differs(alpha)).count();
    let single = [("A", &matched.only_a), ("B", &matched.only_b)];
    for (name, rows) in single {
        for row in rows {
            eprintln!("only in {name}: {}", plain(row.get("cell").unwrap_or_default()));
        }
    }
    let alone: usize = single.iter().map(|(_, rows)| rows.len()).sum();
    eprintln!("{} pairs of cells, {differing} differ; {alone} cells are in one of the results only", pairs.len());
    Ok(ExitCode::from(u8::from(args.fail_on_difference && differing + alone > 0)))
}

/// What the figures are, below the Markdown table.
fn notes(pairs: &[Pair<'_>], confidence: f64) -> String {
    let mut text = format!(
        "Differences are B less A, each with its {} % interval: Newcombe's (rates) and Welch's (mean moves) for unpaired cells, \
         Student's over pairs. p-values (Fisher's exact, Welch's; in pairs McNemar's exact, Student's) are adjusted for all {} \
         comparisons by Holm's method.",
        (confidence * 1e8).round() / 1e6,
        pairs.iter().map(|pair| usize::from(pair.rates.is_some()) + usize::from(pair.moves.is_some())).sum::<usize>()
    );
    if pairs.iter().any(|pair| pair.analysis == Analysis::UnpairedThoughPairable) {
        text.push_str(
            " Cells that could be paired met common random worlds, but totals do not tell which games both won: their intervals treat \
             them as independent and are as a rule too wide. `--paired N` plays N games of each again in pairs.",
        );
    }
    text
}

/// One of the two results.
struct Side {
    cells: Cells,
    folder: PathBuf,
}

impl Side {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let (folder, file) = if path.is_dir() {
            (path.to_owned(), path.join("cells.csv"))
        } else {
            (path.parent().unwrap_or(Path::new("")).to_owned(), path.to_owned())
        };
        Ok(Self { cells: Cells::read_cells(&file).map_err(input_error)?, folder })
    }

    /// What plays the cell of a row again.
    fn job(&self, row: &Record<'_>) -> anyhow::Result<Box<dyn Job>> {
        let path = self.folder.join("experiment.toml");
        let wrong = |error: String| input_error(format!("--paired: {}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let overrides = Overrides { seed: row.count("seed"), unpublished: true, ..Overrides::default() };
        let plan = Plan::of_text(&text, overrides).map_err(wrong)?;
        let cell = plan.find(row.get("cell").unwrap_or_default()).map_err(wrong)?;
        cell.job(plan.seed, KernelChoice::Auto).map_err(|error| wrong(error.to_string()))
    }
}

/// Plays games 0 to `games` of both cells on all cores.
fn play_pairs(a: &dyn Job, b: &dyn Job, games: u64) -> PairSums {
    const PORTION: u64 = 64;
    let next = AtomicU64::new(0);
    let work = || {
        let mut sums = PairSums::default();
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            if start >= games {
                return sums;
            }
            sums.add(&pairs_of(a, b, start..games.min(start + PORTION)));
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

fn pairs_of(a: &dyn Job, b: &dyn Job, games: Range<u64>) -> PairSums {
    let mut tally_a = Tally::new(a.measures());
    let mut tally_b = Tally::new(b.measures());
    let mut sums = PairSums::default();
    // What one game adds to a tally is its outcome.
    let one = |job: &dyn Job, tally: &mut Tally, game: u64| {
        let wins = tally.wins;
        let moves = tally.moves_sum;
        job.play(game..game + 1, tally);
        (tally.wins > wins, tally.moves_sum - moves)
    };
    for game in games {
        let (won_a, moves_a) = one(a, &mut tally_a, game);
        let (won_b, moves_b) = one(b, &mut tally_b, game);
        sums.games += 1;
        sums.only_a += u64::from(won_a && !won_b);
        sums.only_b += u64::from(won_b && !won_a);
        sums.moves += moves_b as i128 - moves_a as i128;
        sums.moves_sq += moves_a.abs_diff(moves_b).pow(2);
    }
    sums
}

/// Which rows of the two results belong together.
struct Matched<'a> {
    pairs: Vec<(Record<'a>, Record<'a>)>,
    only_a: Vec<Record<'a>>,
    only_b: Vec<Record<'a>>,
}

impl<'a> Matched<'a> {
    /// Matches rows by table and cell, then by cell, then by game and rules where each side has one
    /// such row left.
    fn of(a: &'a Cells, b: &'a Cells) -> Self {
        let mut left_a: Vec<_> = a.records().map(Some).collect();
        let mut left_b: Vec<_> = b.records().map(Some).collect();
        let mut pairs: Vec<(usize, Record<'a>, Record<'a>)> = Vec::new();
        type Key = fn(&Record<'_>) -> Option<String>;
        let keys: [Key; 4] = [
            |row| Some(format!("{}\n{}", row.get("table")?, row.get("cell")?)),
            |row| row.get("cell").map(str::to_owned),
            |row| Some(format!("{}\n{}", row.get("table")?, world(row)?)),
            |row| world(row).map(str::to_owned),
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
