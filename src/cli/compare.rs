//! `tilelab compare`: two results, cell by cell.

use super::input_error;
use crate::compare::{Options, Side, compare};
use crate::report::comparison::{notes, to_csv, to_markdown, to_text};
use crate::report::text::plain;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare two results cell by cell: differences with interval and significance
///
/// Cells are matched by their key, else by game and rules where the players differ, or lanes and
/// method. Totals are compared as independent samples (Newcombe's interval and Fisher's mid-p test
/// for rates, Welch's for means). Cells of the same rules, or of rules that differ in common
/// parameters, met the same random numbers: --paired compares their games in pairs (Tango's
/// interval, McNemar's mid-p test, Student's t). p-values are adjusted for all cells (Holm).
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
        tilelab compare results/random results/expectimax --paired 10000\n  \
        tilelab compare results/rates --by operator_rate --paired\n  \
        tilelab compare results/twenty-forty-eight --by player --measure merge_score")]
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
    /// With --paired: compare cells that cannot be paired as independent samples instead of failing
    #[arg(long, requires = "paired")]
    unpaired_ok: bool,
    /// Also test whether the win rates are the same but for this margin: a share, such as 0.001
    #[arg(long, value_name = "X", value_parser = level)]
    margin: Option<f64>,
    /// Also compare the means of this measure, one that the games report besides result and moves,
    /// such as merge_score of 2048 (its mean is a column of cells.csv)
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
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
    let level = text
        .parse()
        .ok()
        .filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| "write a number between 0 and 1, such as 0.95".to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = Options {
        paired: args.paired,
        unpaired_ok: args.unpaired_ok,
        margin: args.margin,
        measure: args.measure.clone(),
        confidence: args.confidence,
    };
    let alpha = options.alpha();
    let read = |path: &PathBuf| Side::read(path, args.paired.is_some()).map_err(input_error);
    let a = read(&args.a)?;
    let other = args.b.as_ref().map(read).transpose()?;
    let b = other.as_ref().unwrap_or(&a);
    let path_b = args.b.as_ref().unwrap_or(&args.a);
    let matched = match &args.by {
        Some(by) => a.by(by, args.baseline.as_deref()),
        None => a.with(b),
    };
    let matched = matched.map_err(input_error)?;
    let pairs = compare(&a, b, &matched, &options).map_err(input_error)?;
    let mut output = std::io::stdout().lock();
    let name_a = args.a.display().to_string();
    let name_b = path_b.display().to_string();
    // Two blanks break a line in Markdown.
    let end = if args.format == Format::Markdown {
        "  "
    } else {
        ""
    };
    let head = format!("A: {}{end}\nB: {}\n", plain(&name_a), plain(&name_b));
    let notes = notes(&pairs, &options);
    match args.format {
        Format::Csv => output.write_all(&to_csv(&pairs, &options))?,
        Format::Markdown => writeln!(output, "{head}\n{}\n{notes}", to_markdown(&pairs, &options))?,
        Format::Text => writeln!(
            output,
            "{head}\n{}{}",
            to_text(&pairs, &options),
            wrapped(&notes)
        )?,
    }
    let differing = pairs.iter().filter(|pair| pair.differs(alpha)).count();
    let single = [("A", &matched.only_a), ("B", &matched.only_b)];
    for (name, rows) in single {
        for row in rows {
            say!(
                "only in {name}: {}",
                plain(row.get("cell").unwrap_or_default())
            );
        }
    }
    let alone: usize = single.iter().map(|(_, rows)| rows.len()).sum();
    say!(
        "{} pairs of cells, {differing} differ; {alone} cells are in one of the results only",
        pairs.len()
    );
    Ok(ExitCode::from(u8::from(
        args.fail_on_difference && differing + alone > 0,
    )))
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
