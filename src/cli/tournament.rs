//! `tilelab tournament`: every player against every other, with a cross table and a heat map.

use super::{input_error, machine, require_folder, set};
use crate::catalog::PlayerSpec;
use crate::contest::tournament::Options;
use crate::contest::{CONTESTS, ContestError};
use crate::experiment::CONFIDENCE;
use crate::games::offset;
use crate::params::{Params, Value};
use crate::report::atomic;
use anyhow::Context as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Let every player meet every other on all boards with both seatings
///
/// Offset is played over all pairs of d, the multiplication game over all start numbers. Prints the
/// cross table; with --out also writes games.csv, cross.csv, cross.md, machine.txt and, for Offset,
/// heat_map.svg. With --exact (multiplication game) prints the value of every start number for both
/// beginners under best play; --out writes them to exact.md.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  tilelab tournament --d 7 random greedy mobility 'alpha-beta(depth=16,budget_ms=50)' --out results/offset-d7\n  tilelab tournament --game zero-sum --exact"
)]
pub struct Args {
    /// The players, each a name or name(key=value,…); at least two
    #[arg(value_name = "PLAYER")]
    players: Vec<String>,
    /// The game: offset or zero-sum
    #[arg(long, value_name = "G", default_value = offset::NAME)]
    game: String,
    /// Offset: the sum of both pairs
    #[arg(long, value_name = "D", default_value_t = 7, value_parser = clap::value_parser!(i64).range(offset::D_MIN..=offset::D_MAX))]
    d: i64,
    /// Offset: cells along a side of the board
    #[arg(long, value_name = "N", default_value_t = offset::SIDE as u64,
          value_parser = clap::value_parser!(u64).range(offset::SIDE_MIN as u64..=offset::SIDE as u64))]
    side: u64,
    /// How often each game is played, with other draws
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::set::count)]
    rounds: u64,
    /// The master seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Confidence of the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95)]
    confidence: f64,
    /// How many games are played at once; players with a time budget need a core each
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Write tables and heat map into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Multiplication game: print its exact values instead
    #[arg(long, conflicts_with_all = ["players", "d", "side"])]
    exact: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (game, contest) = set::contest(&args.game)?;
    if args.exact {
        let table = contest.exact_table.ok_or_else(|| {
            let small: Vec<&str> =
                CONTESTS.iter().filter(|contest| contest.exact_table.is_some()).map(|contest| contest.game).collect();
            let small = small.join(", ");
            input_error(format!("--exact: only {small} is small enough; add --game {small}"))
        })?;
        return print_exact(args, contest.game, &table());
    }
    if !CONFIDENCE.contains(&args.confidence) {
        let (lowest, highest) = CONFIDENCE.into_inner();
        let given = args.confidence;
        return Err(input_error(format!("--confidence {given}: not accepted; a number from {lowest} to {highest}")));
    }
    if args.players.len() < 2 {
        let known: Vec<&str> = game.players.iter().map(|player| player.name).collect();
        return Err(input_error(format!("PLAYER: name at least two players; accepted: {}", known.join(", "))));
    }
    let players: Vec<PlayerSpec> =
        args.players.iter().map(|text| set::player(game, "PLAYER", text)).collect::<Result<_, _>>()?;
    let mut labels: Vec<String> = players.iter().map(PlayerSpec::label).collect();
    labels.sort_unstable();
    if let Some(twice) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(input_error(format!("PLAYER {}: named twice; name each player once", twice[0])));
    }
    if let Some(out) = &args.out {
        require_folder("--out", out)?;
    }
    let options =
        Options { rounds: args.rounds, seed: args.seed, confidence: args.confidence, threads: args.threads as usize };
    let mut params = Params::defaults(game.params);
    for (name, value) in [("d", args.d), ("side", args.side as i64)] {
        if game.params.iter().any(|spec| spec.name == name) {
            params.set(name, Value::Int(value));
        }
    }
    let played = (contest.tournament)(&params, &players, &options);
    let played = played.map_err(|error| match error {
        ContestError::Player(error) => input_error(error.to_string()),
        error @ ContestError::Threads { .. } => error.into(),
    })?;
    if let Some(out) = &args.out {
        write_file(&out.join("games.csv"), &played.games_csv)?;
        let picture =
            (contest.picture)(&played.games_csv).map_err(|error| anyhow::anyhow!("{}: {error}", out.display()))?;
        if let Some(picture) = picture {
            write_file(&out.join("heat_map.svg"), picture.as_bytes())?;
        }
        write_file(&out.join("cross.csv"), &played.cross.csv())?;
        write_file(&out.join("cross.md"), played.cross.markdown().as_bytes())?;
        write_file(&out.join("machine.txt"), machine::facts(args.threads as usize).as_bytes())?;
    }
    std::io::stdout().lock().write_all(played.cross.markdown().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn write_file(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    atomic::write(path, content).with_context(|| format!("{}", path.display()))
}

/// Prints the exact values of a game as a Markdown table; with --out also writes them to exact.md.
fn print_exact(args: &Args, game: &str, table: &str) -> anyhow::Result<ExitCode> {
    if let Some(out) = &args.out {
        require_folder("--out", out)?;
        let text = format!("<!-- made by `tilelab tournament --game {game} --exact`; do not edit -->\n{table}");
        write_file(&out.join("exact.md"), text.as_bytes())?;
    }
    std::io::stdout().lock().write_all(table.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
