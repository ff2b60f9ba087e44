//! `tilelab curve`: win rates and moves over a range of operator rates.

use super::{DONE, Ended, input_error};
use crate::curve::{Rates, read, to_csv, to_svg};
use crate::report::cells::Cells;
use crate::report::folder::lacking_in;
use crate::results::Folder;
use std::io::Write;
use std::path::PathBuf;
use tilelab_output::document::Document;

/// Show win rate and mean moves of 67! as curves over operator_rate, from games of a few rates
///
/// Games of cells with method = "counted" are weighted for rates that were not played. Cells that
/// differ only in operator_rate are pooled. Rates at which the weights rest on too few games are
/// refused.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab curve results/rates\n  \
        tilelab curve results/rates --from 0.46 --to 0.56 --step 0.005 --format svg > curve.svg")]
pub struct Args {
    /// A results folder, DIR/NAME of a run
    dir: PathBuf,
    /// The first operator rate [default: --step]
    #[arg(long, value_name = "RATE")]
    from: Option<f64>,
    /// The last operator_rate [default: 1 minus --step]
    #[arg(long, value_name = "RATE")]
    to: Option<f64>,
    /// The distance between neighbouring rates
    #[arg(long, default_value = "0.01")]
    step: f64,
    /// Format of the output [default: text on a terminal, else Markdown]
    #[arg(long)]
    format: Option<CurveFormat>,
}

#[derive(clap::ValueEnum, Clone)]
enum CurveFormat {
    Markdown,
    Csv,
    Svg,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let rates = Rates {
        from: args.from,
        to: args.to,
        step: args.step,
    };
    let curves = read(&Folder(args.dir.clone()), &rates).map_err(input_error)?;
    let cells = Cells::read_cells(&args.dir.join("cells.csv")).ok();
    if let Some(lacking) = cells.and_then(|cells| lacking_in(&args.dir, &cells)) {
        say!("{}: {lacking}", args.dir.display());
    }
    let mut output = std::io::stdout().lock();
    let mut document = Document::default();
    for curve in &curves {
        document.append(curve.document());
    }
    match args.format {
        Some(CurveFormat::Csv) => output.write_all(&to_csv(&curves))?,
        Some(CurveFormat::Svg) => output.write_all(to_svg(&curves).as_bytes())?,
        Some(CurveFormat::Markdown) => write!(output, "{document}")?,
        None => super::print(&document)?,
    }
    DONE
}
