//! `tilelab replay offset --log FILE`: a match log of Offset, checked move by move.

use super::{DONE, Ended, wrong};
use crate::games::offset::{self, log};
use crate::json::{Json, json};
use anyhow::Context as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// What a log is replayed with.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// A match log of Offset, replayed in place of an experiment's game
    #[arg(long, value_name = "FILE", requires = "pairs", conflicts_with_all = ["cell", "game", "seed"])]
    pub log: Option<PathBuf>,
    /// The pairs of both players of the log, p0,q0:p1,q1
    #[arg(long, requires = "log")]
    pairs: Option<String>,
    /// Cells along a side of the log's board
    #[arg(long, value_name = "N", default_value_t = offset::SIDE as u64, requires = "log",
          value_parser = clap::value_parser!(u64).range(offset::SIDE_MIN as u64..=offset::SIDE as u64))]
    side: u64,
}

/// Writes the move of a transcript's line as a line of a log.
pub fn write_log(output: &mut impl Write, turn: &Json) -> std::io::Result<()> {
    let place = |at: usize| format!("({}, {})", turn["move"][at][0], turn["move"][at][1]);
    if turn["move"] == Json::Null {
        return Ok(());
    }
    writeln!(
        output,
        "({}, true, {}, {}, {})",
        turn["seat"],
        place(0),
        place(1),
        turn["value"]
    )
}

/// Replays a log. The last line is the result; `winner` is null for a draw and where the log stops
/// before the end.
pub fn run(game: &Path, file: &Path, args: &Args, json: bool) -> Ended {
    if game != Path::new(offset::NAME) {
        refuse!(
            "{}: --log replays games of offset only; write offset",
            game.display()
        );
    }
    let pairs = args.pairs.as_deref().unwrap_or_default();
    let pairs = offset::parse_pairs(pairs).map_err(wrong("--pairs"))?;
    let shown = file.display();
    let text = files::read_named(file, TEXT_BYTES_MAX).map_err(wrong(&shown))?;
    let mut lines = Vec::new();
    let replayed = log::replay(&text, pairs, args.side as usize, |entry, scores| {
        if json {
            let from = offset::place(entry.chosen.source);
        let to = offset::place(entry.chosen.target);
            let line = json!({
                "move": lines.len() + 1, "player": entry.player, "from": from, "to": to, "value": entry.value, "scores": scores,
            });
            lines.push(line.to_string());
        } else {
            lines.push(format!("{} {}:{}", entry.line(), scores[0], scores[1]));
        }
    })
    .map_err(wrong(&shown))?;
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for line in lines {
        writeln!(output, "{line}")?;
    }
    let winner = replayed.winner().filter(|_| replayed.is_over());
    let [first, second] = replayed.scores;
    let moves = replayed.moves;
    let mut last = json!({"scores": replayed.scores, "winner": winner, "moves": moves});
    if !replayed.is_over() {
        last["finished"] = false.into();
        let [first, second] = replayed.left;
        say!(
            "{shown}: the log stops before the end: player 0 has {first} moves, player 1 {second}"
        );
    }
    if json {
        writeln!(output, "{last}")?;
    } else {
        let winner = match winner {
            Some(winner) => format!("player {winner} wins"),
            None if replayed.is_over() => "a draw".to_owned(),
            None => "not finished".to_owned(),
        };
        writeln!(output, "{winner}, {first}:{second} after {moves} moves")?;
    }
    output.flush().context("standard output")?;
    DONE
}
