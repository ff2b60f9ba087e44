//! The data dictionary: every column of every file that a command writes, from the code that writes
//! them.

use crate::external::{self, COMMAND};
use crate::matches::{DIFFERENCE_AT, block_measures};
use std::fmt::Write;
use tilelab_cells::schema::{
    self, ADDED, Column, DISTRIBUTIONS, ERROR, INTERVAL, Kind, LEADING, MEDIAN_UNBIASED,
    PLAYER_PREFIXES, PLAYERS, PUBLISHED, RESULTS, TIMES, TWO_PLAYERS, bound,
};
use tilelab_games::catalog::{self, GameEntry, LANES, METHOD};
use tilelab_games::game::{Measure, MeasureKind};
use tilelab_games::params::{self, ParamSpec};
use tilelab_output::table::{Align, Table};

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnEntry {
    /// The name in the header.
    pub name: String,
    /// The rows that have the column: all where empty, else those of a game or player.
    pub of: String,
    /// The type of the column's fields.
    pub kind: Kind,
    /// The unit of the column's numbers; empty where they have none.
    pub unit: &'static str,
    /// The values that the column takes, for people; empty for text of any form.
    pub range: String,
    /// What the column holds.
    pub help: String,
}

impl ColumnEntry {
    fn parameter(spec: &ParamSpec, prefix: &str, of: &str) -> Self {
        Self {
            name: format!("{prefix}{}", spec.name),
            of: of.to_owned(),
            kind: match spec.kind {
                params::Kind::Bool => Kind::Flag,
                params::Kind::Int { .. } => Kind::Integer,
                params::Kind::Float { .. } => Kind::Number,
                params::Kind::Choice(_) | params::Kind::Text { .. } => Kind::Text,
            },
            unit: "",
            range: spec.accepts(),
            help: spec.help.to_owned(),
        }
    }
}

fn known(columns: &[Column], of: &str) -> Vec<ColumnEntry> {
    let known = |column: &Column| ColumnEntry {
        name: column.name.to_owned(),
        of: of.to_owned(),
        kind: column.kind,
        unit: column.unit,
        range: match column.kind {
            Kind::Text | Kind::Flag => String::new(),
            _ => column.range.map(bound).join(" to "),
        },
        help: column.help.to_owned(),
    };
    columns.iter().map(known).collect()
}

/// The type of the column of a parameter of a game with this name, or of a player; `None` where no
/// parameter has it, text where they disagree. `is_in_file` says which games count.
pub fn kind_of_parameter(name: &str, is_in_file: impl Fn(&str) -> bool) -> Option<Kind> {
    let games = catalog::games().filter(|game| is_in_file(game.name));
    let entries = games.flat_map(|game| {
        let params = game.params.iter();
        let of_game = params.map(|spec| ColumnEntry::parameter(spec, "", game.name));
        of_game.chain(players(game))
    });
    let mut kinds = entries
        .filter(|entry| entry.name == name)
        .map(|entry| entry.kind);
    let first = kinds.next()?;
    Some(if kinds.all(|kind| kind == first) {
        first
    } else {
        Kind::Text
    })
}

/// The columns of the parameters of a game's players.
fn players(game: &GameEntry) -> Vec<ColumnEntry> {
    let mut entries = Vec::new();
    for prefix in PLAYER_PREFIXES {
        for player in game.players {
            let of = format!("{}, {}", game.name, player.name);
            let of_player = |spec| ColumnEntry::parameter(spec, prefix, &of);
            entries.extend(player.params.iter().map(of_player));
        }
    }
    entries
}

/// The measures of games and pairs, and the rows that have them.
fn of_measures() -> impl Iterator<Item = (&'static str, &'static Measure)> {
    let of_games =
        catalog::games().flat_map(|game| game.measures.iter().map(|measure| (game.name, measure)));
    let two = catalog::games()
        .find(|game| game.seats == 2)
        .expect("a two-player game");
    let measures = block_measures(two, 2).iter().enumerate();
    of_games.chain(measures.map(|(at, measure)| {
        let of = if at > DIFFERENCE_AT {
            "matches of two-player games"
        } else {
            "matches"
        };
        (of, measure)
    }))
}

/// The columns of the measures of all games.
fn measures() -> Vec<ColumnEntry> {
    let mut entries = Vec::new();
    for (of, measure) in of_measures() {
        let mut add = |name: &str, unit: &'static str, range: &str, help: String| {
            entries.push(ColumnEntry {
                name: format!("{}_{name}", measure.name),
                of: of.to_owned(),
                kind: Kind::Number,
                unit,
                range: range.to_owned(),
                help,
            });
        };
        let mean = format!("mean over the games: {}", measure.help);
        add("mean", measure.unit, "", mean);
        let error = format!("standard error of `{}_mean`", measure.name);
        add("mean_se", measure.unit, "0 up", error);
        let MeasureKind::Levels(levels) = measure.kind else {
            continue;
        };
        for level in levels {
            let help = format!(
                "percentage of games in which this is at least {level}: {}",
                measure.help
            );
            add(&format!("ge_{level}_pct"), "%", "0 to 100", help);
        }
    }
    entries
}

/// The columns of a `cells.csv` that has all games with all players.
pub fn cells() -> Vec<ColumnEntry> {
    // Lanes and the method have a column among those that describe them.
    let parameters = |main: bool| {
        let of_games = catalog::games().flat_map(move |game| {
            let is_apart = |spec: &ParamSpec| [LANES, METHOD].contains(&spec.name);
            let specs = game.params.iter();
            let specs = specs.filter(move |spec| spec.main == main && !is_apart(spec));
            specs.map(|spec| ColumnEntry::parameter(spec, "", game.name))
        });
        of_games.collect()
    };
    let of_commands = PLAYER_PREFIXES.iter().flat_map(|prefix| {
        let params = external::ENTRY.params.iter();
        params.map(|spec| ColumnEntry::parameter(spec, prefix, COMMAND))
    });
    let for_two = "two-player games and matches";
    let parts = [
        known(&LEADING, ""),
        parameters(true),
        known(&RESULTS, ""),
        known(&TWO_PLAYERS, for_two),
        parameters(false),
        known(&PLAYERS[..1], ""),
        known(&PLAYERS[1..], for_two),
        catalog::games().flat_map(players).collect(),
        of_commands.collect(),
        known(&schema::LANES, "value lanes"),
        known(&schema::SPLITTING, "splitting"),
        known(&schema::MATCHES, "matches"),
        known(&schema::TESTS, "sequential tests"),
        known(&ADDED, ""),
        known(&[MEDIAN_UNBIASED], "stopping rules"),
        known(&[INTERVAL], "interval = mid-p"),
        known(&schema::FORFEITS, COMMAND),
        known(&schema::OPPONENT_FORFEITS, "command, with two players"),
        measures(),
        known(&[ERROR], ""),
    ];
    parts.concat()
}

/// The files of every results folder that hold tables, with their columns.
pub fn files() -> Vec<(&'static str, Vec<ColumnEntry>)> {
    vec![
        ("cells.csv", cells()),
        ("distributions.csv", known(&DISTRIBUTIONS, "")),
        ("standings.csv", known(&schema::STANDINGS, "")),
        ("published.csv", known(&PUBLISHED, "")),
        ("times.csv", known(&TIMES, "")),
    ]
}

/// The columns of a `games.parquet` or `games.csv` of all games, with positions.
pub fn games() -> Vec<ColumnEntry> {
    let mut entries = known(&schema::GAME_ROWS, "");
    entries.extend(of_measures().map(|(of, measure)| ColumnEntry {
        name: measure.name.to_owned(),
        of: of.to_owned(),
        kind: Kind::Integer,
        unit: measure.unit,
        range: String::new(),
        help: measure.help.to_owned(),
    }));
    entries.extend(known(&[schema::FORFEIT], COMMAND));
    entries.extend(known(&[schema::POSITION], ""));
    entries
}

/// The tables that are no part of a results folder, with their columns.
pub fn other_files() -> Vec<(&'static str, Vec<ColumnEntry>)> {
    vec![
        ("tilelab solve calculator --csv", known(&schema::LEVELS, "")),
        ("tilelab exact --json", known(&schema::EXACT, "")),
        (
            "tilelab compare --format csv",
            known(&schema::COMPARISON, ""),
        ),
        ("tilelab curve --format csv", known(&schema::CURVE, "")),
        (
            "the learning curve of tilelab learn",
            known(&schema::LEARNING, ""),
        ),
    ]
}

/// The dictionary as Markdown, a table for each file.
pub fn markdown() -> String {
    let mut text = String::new();
    let open = (
        "unfinished.csv, beside the columns of cells.csv",
        known(&[schema::CELLS_PLANNED], ""),
    );
    let single = ("games.parquet and games.csv", games());
    for (file, entries) in files()
        .into_iter()
        .chain([open, single])
        .chain(other_files())
    {
        let _ = writeln!(text, "### {file}\n");
        let columns = ["column", "rows", "type", "unit", "range", "meaning"];
        let mut table = Table::new(columns.map(|name| (name, Align::Left)));
        for entry in merged(entries) {
            let of = if entry.of.is_empty() {
                "all"
            } else {
                &entry.of
            };
            let name = format!("`{}`", entry.name);
            let kind = entry.kind.name();
            table.row([&name, of, kind, entry.unit, &entry.range, &entry.help]);
        }
        let _ = writeln!(text, "{table}");
    }
    text.trim_end().to_owned() + "\n"
}

/// Entries that differ only in the rows that have them, joined in the place of the first.
fn merged(entries: Vec<ColumnEntry>) -> Vec<ColumnEntry> {
    let mut merged: Vec<ColumnEntry> = Vec::new();
    for entry in entries {
        let same = |known: &&mut ColumnEntry| {
            (&known.name, known.kind, &known.range, &known.help)
                == (&entry.name, entry.kind, &entry.range, &entry.help)
        };
        match merged.iter_mut().find(same) {
            Some(known) => known.of = format!("{}; {}", known.of, entry.of),
            None => merged.push(entry),
        }
    }
    merged
}
