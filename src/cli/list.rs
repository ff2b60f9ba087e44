//! `tilelab list`: what there is.

use super::{DONE, Ended, join};
use crate::catalog::{self, GameEntry, PlayerEntry};
use crate::params::{ParamSpec, Value};
use std::fmt::Write;

/// List games, players and kernels with every parameter, its default and its range
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tilelab list games\n  tilelab list players 67")]
pub struct Args {
    /// What to list; everything when left out
    what: Option<ListKind>,
    /// Only what belongs to this game
    game: Option<String>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq)]
enum ListKind {
    Games,
    Players,
    Kernels,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let mut output = String::new();
    let wanted = |what| args.what.is_none_or(|wanted| wanted == what);
    let only = args.game.as_deref().map(super::set::game).transpose()?;
    let games: Vec<_> = catalog::games()
        .filter(|game| only.is_none_or(|only| only.name == game.name))
        .collect();
    if wanted(ListKind::Games) {
        for game in &games {
            writeln!(output, "game {}: {}", game.name, game.summary)?;
            let players = join(game.players.iter().map(|player| player.name), ", ");
            if !game.aliases.is_empty() {
                writeln!(output, "  other names: {}", game.aliases.join(", "))?;
            }
            writeln!(output, "  players: {players}")?;
            write_params(&mut output, game.params)?;
        }
    }
    if wanted(ListKind::Players) {
        let mut seen: Vec<&PlayerEntry> = Vec::new();
        for player in games.iter().flat_map(|game| game.players) {
            // Players of different games may share a name; those that are documented alike are
            // listed once.
            if seen.iter().any(|known| is_same(known, player)) {
                continue;
            }
            seen.push(player);
            let plays = |game: &&GameEntry| {
                game.player(player.name)
                    .is_some_and(|known| is_same(known, player))
            };
            let games = catalog::games().filter(plays).map(|game| game.name);
            writeln!(
                output,
                "player {}: {} (plays {})",
                player.name,
                player.summary,
                join(games, ", ")
            )?;
            write_params(&mut output, player.params)?;
        }
    }
    if wanted(ListKind::Kernels) {
        for game in &games {
            for kernel in game.kernels {
                let here = if (kernel.available)() {
                    "available here"
                } else {
                    "not on this machine"
                };
                let name = kernel.choice.name();
                let summary = kernel.summary;
                writeln!(
                    output,
                    "kernel {name} of {}: {summary} (needs {}; {here})",
                    game.name, kernel.needs
                )?;
            }
        }
        writeln!(
            output,
            "kernel reference of every game: the plain rules in the generic loop (needs nothing; available here)"
        )?;
        writeln!(
            output,
            "kernel auto of every game: the fastest that fits rules, size and machine"
        )?;
    }
    super::print_lines(&output)?;
    DONE
}

/// Whether two entries say the same.
fn is_same(a: &PlayerEntry, b: &PlayerEntry) -> bool {
    let params = |player: &PlayerEntry| {
        player
            .params
            .iter()
            .map(|spec| (spec.name, spec.accepts(), spec.default_value(), spec.help))
            .collect::<Vec<_>>()
    };
    (a.name, a.summary) == (b.name, b.summary) && params(a) == params(b)
}

fn write_params(output: &mut String, params: &[ParamSpec]) -> std::fmt::Result {
    for spec in params {
        let default = match spec.default_value() {
            None => "required".to_owned(),
            Some(Value::Unset) => "unset".to_owned(),
            Some(value) => format!("default {value}"),
        };
        let ParamSpec { name, help, .. } = spec;
        let accepted = spec.accepts();
        writeln!(output, "  {name} [{accepted}; {default}]\n      {help}")?;
    }
    Ok(())
}
