//! `tilelab replay`: games of a run again, move by move.

use super::{experiments, input_error, replay_offset};
use crate::game::batches::transcripts;
use crate::game::given::{Reached, listed};
use crate::game::{Job, KernelChoice};
use crate::games::offset;
use crate::json::Json;
use crate::plan::Overrides;
use crate::results::replay::plan_of_cell;
use crate::text;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Play games of an experiment again and show every move
///
/// --game A..B writes the transcripts of games A to B - 1 as JSON lines, one a turn, each with the
/// number of its game as game_index; they are played on all threads.
///
/// --moves plays one game with the moves of a file in place of the player's: an agent's game, which
/// meets the same deals. Moves are named as in transcripts, with white space between them.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: tilelab replay experiments/readme.toml --cell \"$(tilelab check --no-forecast experiments/readme.toml | head -1 | cut -d' ' -f1)\" --game 0..100 > games.jsonl"
)]
pub struct Args {
    /// The experiment file, or the folder of its results; with --log the game, offset
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// The key of a cell (the column `cell` of cells.csv), or parts that only one cell has, such as
    /// gapless,6x7
    #[arg(long, value_name = "KEY", required_unless_present = "log")]
    cell: Option<String>,
    /// Which game of the cell, from 0, or A..B for many
    #[arg(long, value_name = "I|A..B", required_unless_present = "log", value_parser = games)]
    game: Option<Games>,
    #[command(flatten)]
    log: replay_offset::Args,
    /// The master seed of the run, when it was not the file's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The value lanes of the run, when they were not the file's
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// Play the moves of this file, - for standard input, in place of the player's
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    moves: Option<PathBuf>,
    /// Accept --moves that stop before the end of the game
    #[arg(long, requires = "moves")]
    unfinished: bool,
    /// One JSON line a turn
    #[arg(long)]
    json: bool,
    /// One line a move of a game of Offset, as --log reads them
    #[arg(long, conflicts_with_all = ["json", "log", "moves"])]
    as_log: bool,
}

/// The most bytes of a file of moves that are read.
const MOVES_BYTES_MAX: u64 = 256 << 20;

/// Which games are wanted.
#[derive(Clone, Debug)]
enum Games {
    One(u64),
    Many(Range<u64>),
}

fn games(text: &str) -> Result<Games, String> {
    let read = text::count;
    let games = match text.split_once("..") {
        None => read(text).map(Games::One),
        Some((from, to)) => read(from)
            .zip(read(to))
            .map(|(from, to)| Games::Many(from..to)),
    };
    let is_empty = |games: &Games| matches!(games, Games::Many(range) if range.is_empty());
    let accepted =
        "accepted: the number of a game from 0, or A..B with A below B for games A to B - 1";
    games
        .filter(|games| !is_empty(games))
        .ok_or_else(|| accepted.to_owned())
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(log) = &args.log.log {
        return replay_offset::run(&args.file, log, &args.log, args.json);
    }
    let (Some(key), Some(games)) = (&args.cell, &args.game) else {
        unreachable!("required without --log")
    };
    let overrides = Overrides {
        seed: args.seed,
        lanes: args.lanes,
        ..Overrides::default()
    };
    let plan = if args.file.is_dir() {
        plan_of_cell(&args.file, key, overrides).map_err(input_error)?
    } else {
        experiments::plans(std::slice::from_ref(&args.file), &overrides)?.remove(0)
    };
    let cell = plan.find(key).map_err(input_error)?;
    cell.check_single_games("replay").map_err(input_error)?;
    if args.as_log && (cell.game.name != offset::NAME || cell.matched.is_some()) {
        return Err(input_error(format!(
            "--as-log: the cell {} has no single games of Offset",
            cell.key()
        )));
    }
    let job = cell
        .job(plan.seed, KernelChoice::Reference)
        .map_err(|error| input_error(error.to_string()))?;
    if let (Some(file), Games::Many(_)) = (&args.moves, games) {
        return Err(input_error(format!(
            "{}: moves of one game; give --game one number",
            file.display()
        )));
    }
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let game = match games {
        Games::One(game) => *game,
        Games::Many(range) => {
            transcripts(job.as_ref(), range.clone(), &mut |lines| {
                output.write_all(lines)
            })?;
            output.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    if let Some(file) = &args.moves {
        return replay_moves(args, file, job.as_ref(), game, &mut output);
    }
    let mut written = Ok(());
    let outcome = job.replay(game, &mut |line| {
        if written.is_ok() {
            written = if args.json {
                writeln!(output, "{line}")
            } else if args.as_log {
                replay_offset::write_log(&mut output, &line)
            } else {
                write_turn(&mut output, &line)
            };
        }
    });
    written?;
    if !args.json && !args.as_log {
        writeln!(output, "{:?} after {} moves", outcome.result, outcome.moves)?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Shows a game with the moves of a file; nothing is written when the game does not take them.
fn replay_moves(
    args: &Args,
    file: &Path,
    job: &dyn Job,
    game: u64,
    output: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let is_input = file == Path::new("-");
    let name = if is_input {
        "standard input".into()
    } else {
        file.display().to_string()
    };
    let wrong = |error: String| input_error(format!("{name}: {error}"));
    // Pipes are read, too, so that shells can write `--moves <(…)`.
    let text = if is_input {
        text::read_from(std::io::stdin().lock(), MOVES_BYTES_MAX)
    } else {
        text::read(file, MOVES_BYTES_MAX)
    };
    let text = text.map_err(wrong)?;
    let moves: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let mut lines = Vec::new();
    let reached = job.replay_given(game, &moves, &mut |line| lines.push(line));
    let reached = reached.map_err(|error| wrong(error.to_string()))?;
    if let (Reached::Open { legal }, false) = (&reached, args.unfinished) {
        let count = moves.len();
        let legal = listed(legal);
        return Err(wrong(format!(
            "{count} moves, and game {game} goes on after them (legal: {legal}); add the others, or --unfinished"
        )));
    }
    for line in &lines {
        if args.json {
            writeln!(output, "{line}")?;
        } else {
            write_turn(output, line)?;
        }
    }
    if !args.json {
        match reached {
            Reached::End(outcome) => {
                writeln!(output, "{:?} after {} moves", outcome.result, outcome.moves)?
            }
            Reached::Open { .. } => writeln!(output, "Unfinished after {} moves", moves.len())?,
        }
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A transcript line for people: boards as grids, everything else as `key: value`.
fn write_turn(output: &mut impl Write, line: &Json) -> std::io::Result<()> {
    for (key, value) in line.as_object().into_iter().flatten() {
        let rows: Option<Vec<Vec<String>>> = value.as_array().and_then(|rows| {
            rows.iter()
                .map(|row| Some(row.as_array()?.iter().map(plain).collect()))
                .collect::<Option<_>>()
        });
        match rows.filter(|rows| !rows.is_empty()) {
            Some(rows) => {
                writeln!(output, "{key}:")?;
                let width = rows
                    .iter()
                    .flatten()
                    .map(|tile| tile.chars().count())
                    .max()
                    .unwrap_or(1);
                for row in rows {
                    let tiles: Vec<String> =
                        row.iter().map(|tile| format!("{tile:>width$}")).collect();
                    writeln!(output, "  {}", tiles.join(" "))?;
                }
            }
            None if *value == Json::Null => {}
            None => writeln!(output, "{key}: {}", plain(value))?,
        }
    }
    writeln!(output)
}

fn plain(value: &Json) -> String {
    match value {
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Json::Object(fields) => fields
            .iter()
            .map(|(key, value)| format!("{key} {}", plain(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.plain(),
    }
}
