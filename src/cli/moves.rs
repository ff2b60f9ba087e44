//! `tilelab move`: answers positions, one JSON line each.

use super::set;
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// Answer positions: one JSON line in, one JSON line out
///
/// For 67! a line is {"board":[["1","+","_"],["2","_","3"]],"move":"left"}; without "move" only the legal directions and
/// whether the board is won are answered. A bad line is answered {"error":"…"} and the exit code becomes 2; the other lines are
/// still answered.
#[derive(clap::Args, Debug)]
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

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = set::game(&args.game)?;
    let params = set::params(game, &args.settings)?;
    let mut output = std::io::stdout().lock();
    let mut all_good = true;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = serde_json::from_slice(&line)
            .map_err(|error| format!("no JSON: {error}"))
            .and_then(|request| (game.answer)(&params, &request, game.players));
        all_good &= answer.is_ok();
        let answer = answer.unwrap_or_else(|error| serde_json::json!({"error": error}));
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(ExitCode::from(if all_good { 0 } else { 2 }))
}
