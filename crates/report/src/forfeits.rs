//! Games that players did not finish, from the rows of `cells.csv`.

use super::cells::{Cells, Record};
use super::schema::{FORFEITS, OPPONENT_FORFEITS};
use super::standings::has_blocks;
use std::fmt;
use tilelab_games::catalog;
use tilelab_games::tally::{Forfeit, add_counts};
use tilelab_output::document::Document;
use tilelab_output::numbers::grouped;
use tilelab_output::table::{Align, Table};

/// The forfeits of one player in several rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeited<'a> {
    /// The player as labels write it.
    pub player: &'a str,
    /// The games of the rows that it played.
    pub games: u64,
    /// The games that the player did not finish, by cause.
    pub by: [u64; 4],
}

/// The players of these rows with a forfeit, in order of appearance; those of matches of three or
/// more are in `standings.csv`.
pub fn of_rows<'a>(rows: &[Record<'a>], standings: Option<&'a Cells>) -> Vec<Forfeited<'a>> {
    let mut found: Vec<Forfeited<'a>> = Vec::new();
    for row in rows {
        let Some(games) = row.count(FORFEITS[0].name).and(row.count("games")) else {
            continue;
        };
        let is_match = row.get("match").is_some();
        let game = row.get("game").and_then(catalog::game);
        let players: Vec<_> = row.players().collect();
        let games_each = match game.filter(|_| is_match).map_or(1, |game| game.seats) {
            1 => games,
            // With both seatings of every two players.
            _ => games * 2 * (players.len() as u64 - 1),
        };
        let of_cell: Vec<_> = standings
            .iter()
            .flat_map(|all| all.records())
            .filter(|known| known.get("cell") == row.get("cell") && known.get("opponent").is_none())
            .collect();
        for (at, player) in players.into_iter().enumerate() {
            let (from, columns) = match (has_blocks(row), at) {
                (true, _) => match of_cell.get(at) {
                    Some(known) => (known, FORFEITS),
                    None => continue,
                },
                (false, 0) => (row, FORFEITS),
                _ => (row, OPPONENT_FORFEITS),
            };
            let by = [0, 1, 2, 3].map(|at| from.count(columns[1 + at].name).unwrap_or_default());
            match found.iter_mut().find(|known| known.player == player) {
                Some(known) => {
                    known.games += games_each;
                    add_counts(std::slice::from_mut(&mut known.by), &[by]);
                }
                None => found.push(Forfeited {
                    player,
                    games: games_each,
                    by,
                }),
            }
        }
    }
    found.retain(|player| player.by != [0; 4]);
    found
}

/// What the causes are called.
fn causes() -> [String; 4] {
    Forfeit::ALL.map(|cause| cause.name().replace('_', " "))
}

/// Whether a player forfeited every game, or pair, of a row.
pub fn are_all(row: &Record<'_>) -> bool {
    let forfeited = row.count(FORFEITS[0].name).filter(|count| *count > 0);
    forfeited.is_some() && forfeited == row.count("games")
}

impl fmt::Display for Forfeited<'_> {
    /// Writes a sentence such as `sh a.sh did not finish 6 of 60 games (5 crash, 1 timeout)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes: Vec<String> = causes()
            .into_iter()
            .zip(self.by)
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| format!("{} {cause}", grouped(count)))
            .collect();
        let count = grouped(self.by.iter().sum());
        let games = grouped(self.games);
        write!(
            f,
            "{} did not finish {count} of {games} games ({})",
            self.player,
            causes.join(", ")
        )
    }
}

/// Adds who did not finish games, where somebody did not.
pub(super) fn add(document: &mut Document, rows: &[Record<'_>], standings: Option<&Cells>) {
    let found = of_rows(rows, standings);
    if found.is_empty() {
        return;
    }
    let numbers = ["games", "forfeits"]
        .map(str::to_owned)
        .into_iter()
        .chain(causes())
        .map(|name| (name, Align::Right));
    let player = ("player".to_owned(), Align::Left);
    let mut table = Table::new([player].into_iter().chain(numbers));
    for player in &found {
        let counts = [player.games, player.by.iter().sum()];
        let counts = counts.iter().chain(&player.by).map(u64::to_string);
        table.row(std::iter::once(player.player.to_owned()).chain(counts));
    }
    document.table(table);
    let sum = |name: &str| rows.iter().filter_map(|row| row.count(name)).sum::<u64>();
    let unit = if rows.iter().any(has_blocks) {
        "starts"
    } else if rows.iter().any(|row| row.get("match").is_some()) {
        "pairs"
    } else {
        "games"
    };
    let void = match sum(OPPONENT_FORFEITS[0].name) {
        _ if unit == "starts" => {
            " A meeting that both forfeited gives nobody a point, and no Elo is computed."
                .to_owned()
        }
        0 => String::new(),
        void => format!(
            " {} {unit} that both forfeited count for neither.",
            grouped(void)
        ),
    };
    document.text(&format!(
        "Forfeits: who does not finish a game loses it. Means leave out the moves and measures of the {} of {} {unit} with a forfeit.{void}",
        grouped(sum(FORFEITS[0].name)),
        grouped(sum("games")),
    ));
}
