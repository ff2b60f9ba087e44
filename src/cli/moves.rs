//! `tilelab move`: answers positions, one JSON line each.

use super::{Ended, set};
use crate::json::json;
use crate::requests;
use std::io::{BufRead, Read, Write};
use std::process::ExitCode;

/// Answer positions: one JSON line in, one JSON line out
///
/// For 67! a line is {"board":[["1","+","_"],["2","_","3"]],"move":"left"}; without "move" only the
/// legal directions and whether the board is won are answered. A bad line is answered {"error":"…"}
/// and the exit code becomes 2; the other lines are still answered. A line holds at most 4194304
/// bytes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: echo '{\"board\":[[\"1\",\"+\",\"2\"]],\"move\":\"left\"}' | tilelab move --game sixty-seven --set rules=original"
)]
pub struct Args {
    /// The game (`tilelab list games`)
    #[arg(long, value_name = "G")]
    game: String,
    /// A parameter of the game (`tilelab list games`), such as rules=original; may be repeated
    #[arg(long = "set", value_name = "key=value")]
    settings: Vec<String>,
}

/// The longest line that is read, in bytes; the largest board with tiles of a thousand digits fits.
const LINE_BYTES_MAX: usize = 4 << 20;

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let game = set::game(&args.game)?;
    let params = set::params(game, &args.settings)?;
    let mut output = std::io::stdout().lock();
    let mut all_good = true;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while let Some(is_whole) = read_line(&mut input, &mut line)? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = if is_whole {
            requests::answer(game, &params, &line)
        } else {
            Err(format!(
                "a line of more than {LINE_BYTES_MAX} bytes, the most that is read"
            ))
        };
        all_good &= answer.is_ok();
        let answer = answer.unwrap_or_else(|error| json!({"error": error}));
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(ExitCode::from(if all_good { 0 } else { 2 }))
}

/// Reads the next line into `line`; `None` at the end of the input, `false` for a line that is too
/// long, of which the start is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
    line.clear();
    if input
        .by_ref()
        .take(LINE_BYTES_MAX as u64 + 1)
        .read_until(b'\n', line)?
        == 0
    {
        return Ok(None);
    }
    if line.ends_with(b"\n") || line.len() <= LINE_BYTES_MAX {
        return Ok(Some(true));
    }
    input.skip_until(b'\n')?;
    Ok(Some(false))
}
