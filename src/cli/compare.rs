//! `tilelab compare`: two results, cell by cell.

use super::experiments::Programs;
use super::{Ended, columns, input_error, interruption, set, start_threads};
use crate::compare::{ComparisonOptions, Side, compare};
use crate::report::comparison::{document, notes, to_csv};
use crate::report::labels;
use crate::text::counted;
use std::io::Write;
use std::ops::Bound;
use std::path::PathBuf;
use std::process::ExitCode;
use tilelab_output::document::Document;
use tilelab_output::text::plain;

/// Compare two results cell by cell: differences with interval and significance
///
/// Cells are matched by their key, else by game and rules, where players, lanes or method differ.
/// Totals are compared as independent samples (Newcombe's interval and Fisher's mid-p test for
/// rates, Welch's for means). Cells of the same rules, or of rules that differ only in parameters
/// listed in `common`, met the same random numbers: --paired compares their games in pairs (Tango's
/// interval, McNemar's mid-p test, Student's t). p-values are adjusted for all cells (Holm).
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab compare results/random results/expectimax --paired=10000\n  \
        tilelab compare results/rates --by operator_rate --paired\n  \
        tilelab compare results/twenty-forty-eight --by player --measure merge_score")]
pub struct Args {
    /// A results folder, or a cells.csv
    a: PathBuf,
    /// Another results folder or cells.csv; differences are B minus A
    #[arg(conflicts_with = "by")]
    b: Option<PathBuf>,
    /// Compare the cells of one result that differ only in this column of cells.csv, such as player
    /// or operator_rate
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// The value of that column that the others are compared with [default: that of the first cell]
    #[arg(long, value_name = "VALUE", requires = "by")]
    baseline: Option<String>,
    /// Format of the output [default: text on a terminal, else Markdown]
    #[arg(long)]
    format: Option<ComparisonFormat>,
    /// Exit with 1 when any cell differs significantly, or is in one of the results only
    #[arg(long)]
    fail_on_difference: bool,
    /// Compare cells that met the same random numbers in pairs of games: the first N, or all that
    /// both have. The games are played again
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = clap::value_parser!(u64).range(2..))]
    paired: Option<Option<u64>>,
    /// With --paired: compare cells that cannot be paired as independent samples instead of failing
    #[arg(long, requires = "paired")]
    unpaired_ok: bool,
    #[command(flatten)]
    programs: Programs,
    /// Also test whether the win rates are equivalent: differ by less than this margin, a share
    /// such as 0.001
    #[arg(long, value_name = "X", value_parser = level)]
    margin: Option<f64>,
    /// Also compare the means of this measure, one that the games report besides result and moves,
    /// such as merge_score of 2048 (its mean is a column of cells.csv)
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
    /// Confidence level of the intervals; a difference is significant when its adjusted p-value is
    /// at most one minus this
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = level)]
    confidence: f64,
}

/// The most cells of one of the results that are named.
const ALONE_SHOWN: usize = 10;

#[derive(clap::ValueEnum, Clone, PartialEq)]
enum ComparisonFormat {
    Text,
    Markdown,
    Csv,
}

fn level(text: &str) -> Result<f64, String> {
    let between = (Bound::Excluded(0.0), Bound::Excluded(1.0));
    set::number(
        text,
        between,
        "write a number between 0 and 1, such as 0.95",
    )
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let options = ComparisonOptions {
        paired: args.paired,
        unpaired_ok: args.unpaired_ok,
        margin: args.margin,
        measure: args.measure.clone(),
        confidence: args.confidence,
    };
    let alpha = options.alpha();
    if args.b.is_none() && args.by.is_none() {
        refuse!(
            "B: missing; give the results to compare A with, or --by COLUMN, such as --by player, to compare cells of A with each other"
        );
    }
    let programs = args.programs.allowed();
    let read = |path: &PathBuf| {
        let mut side = Side::read(path).map_err(input_error)?;
        side.programs.clone_from(&programs);
        anyhow::Ok(side)
    };
    let a = read(&args.a)?;
    let other = args.b.as_ref().map(read).transpose()?;
    let b = other.as_ref().unwrap_or(&a);
    let path_b = args.b.as_ref().unwrap_or(&args.a);
    let matched = match &args.by {
        Some(by) => a.by(by, args.baseline.as_deref()),
        None => a.with(b),
    };
    let matched = matched.map_err(input_error)?;
    interruption::end_programs()?;
    start_threads()?;
    let pairs = compare(&a, b, &matched, &options).map_err(input_error)?;
    for (name, side) in [("A", Some(&a)), ("B", other.as_ref())] {
        if let Some(lacking) = side.and_then(|side| side.lacking.as_ref()) {
            say!("{name}: {lacking}");
        }
    }
    let mut output = std::io::stdout().lock();
    if args.format == Some(ComparisonFormat::Csv) {
        output.write_all(&to_csv(&pairs, &options))?;
    } else {
        let mut whole = Document::default();
        whole.lines([
            format!("A: {}", args.a.display()),
            format!("B: {}", path_b.display()),
        ]);
        whole.append(document(&pairs, &options));
        whole.text(&notes(&pairs, &options));
        match args.format {
            Some(ComparisonFormat::Markdown) => write!(output, "{whole}")?,
            Some(_) => write!(output, "{}", whole.to_terminal(columns().unwrap_or(100)))?,
            None => super::print(&whole)?,
        }
    }
    let differing = pairs.iter().filter(|pair| pair.differs(alpha)).count();
    let single = [("A", &matched.only_a), ("B", &matched.only_b)];
    // Labelled together, so that a cell of A is called as the same cell of B would be.
    let alone: Vec<_> = single
        .into_iter()
        .flat_map(|(name, rows)| rows.iter().map(move |row| (name, *row)))
        .collect();
    let paired = matched.pairs.iter().map(|(a, _)| *a);
    let all: Vec<_> = alone.iter().map(|(_, row)| *row).chain(paired).collect();
    let labels = labels::of_rows(&all);
    let keys = all.iter().map(|row| row.get("cell").unwrap_or_default());
    let named: Vec<_> = labels.iter().map(String::as_str).zip(keys).collect();
    for ((name, _), (label, key)) in alone.iter().zip(&named).take(ALONE_SHOWN) {
        let is_clear = |other: &(&str, &str)| other.0 != *label || other.1 == *key;
        let is_label = !label.is_empty() && named.iter().all(is_clear);
        say!(
            "only in {name}: {}",
            plain(if is_label { label } else { key })
        );
    }
    let alone = alone.len();
    if alone > ALONE_SHOWN {
        let [a, b] = [matched.only_a.len(), matched.only_b.len()];
        say!(
            "only in A: {a} cells, only in B: {b}; {} more than those named",
            alone - ALONE_SHOWN
        );
    }
    let pairs = counted(pairs.len(), ["pair of cells", "pairs of cells"]);
    let differ = counted(differing, ["differs", "differ"]);
    let single = counted(alone, ["cell is", "cells are"]);
    say!("{pairs}, {differ}; {single} in one of the results only");
    Ok(ExitCode::from(u8::from(
        args.fail_on_difference && differing + alone > 0,
    )))
}
