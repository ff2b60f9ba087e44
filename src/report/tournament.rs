//! The heat map of an Offset tournament, from its games.

use super::plots::grid::{self, DIVERGING, Key, Panel, Tile};
use serde::Deserialize;

/// A line of `games.csv`. Both players keep their column, whoever begins.
#[derive(Debug, Deserialize)]
struct Game {
    player0: String,
    player1: String,
    d: u32,
    p0: u32,
    q0: u32,
    p1: u32,
    q1: u32,
    score0: i64,
    score1: i64,
}

/// Draws the mean score difference of every pairing by the pairs that both have, from the bytes of
/// a tournament's `games.csv`.
///
/// # Errors
/// Names the line that is not a game of a tournament.
pub fn heat_map(games: &[u8]) -> Result<String, String> {
    let read: Result<Vec<Game>, csv::Error> = csv::Reader::from_reader(games).deserialize().collect();
    let games = read.map_err(|error| error.to_string())?;
    let d = games.first().ok_or("no games")?.d;
    if let Some(other) = games.iter().find(|game| game.d != d) {
        return Err(format!("games of d = {d} and of d = {}; one tournament has one d", other.d));
    }
    let mut pairs: Vec<(u32, u32)> = games.iter().flat_map(|game| [(game.p0, game.q0), (game.p1, game.q1)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut pairings: Vec<[&str; 2]> = Vec::new();
    for game in &games {
        let players = [game.player0.as_str(), game.player1.as_str()];
        if !pairings.contains(&players) {
            pairings.push(players);
        }
    }
    let means: Vec<Means> = pairings.iter().map(|&players| means(players, &pairs, &games)).collect();
    let most = means.iter().flatten().flatten().flatten().fold(1.0_f64, |most, mean| most.max(mean.abs()));
    let panels: Vec<Panel> = pairings
        .iter()
        .zip(&means)
        .map(|(&players, means)| panel(players.map(|player| short(player, &pairings)), &pairs, means, most))
        .collect();
    let ticks = [(0.0, -most), (0.5, 0.0), (1.0, most)];
    let key = Key {
        palette: &DIVERGING,
        ticks: ticks.map(|(place, value)| (place, format!("{value:+.0}"))).to_vec(),
        unit: "Mean score difference in coins: above 0 the player of the rows has more.".to_owned(),
    };
    Ok(grid::svg(&format!("Offset, d = {d}: score difference by pair"), &key, &panels, &[]))
}

/// The mean score differences by the pair of the first player and that of the second.
type Means = Vec<Vec<Option<f64>>>;

fn means(players: [&str; 2], pairs: &[(u32, u32)], games: &[Game]) -> Means {
    let mut sums = vec![vec![(0_i64, 0_i64); pairs.len()]; pairs.len()];
    let place = |pair| pairs.iter().position(|&known| known == pair).expect("all pairs are collected");
    for game in games.iter().filter(|game| [game.player0.as_str(), game.player1.as_str()] == players) {
        let (sum, games) = &mut sums[place((game.p0, game.q0))][place((game.p1, game.q1))];
        *sum = sum.saturating_add(game.score0).saturating_sub(game.score1);
        *games += 1;
    }
    let mean = |(sum, games): (i64, i64)| (games > 0).then(|| sum as f64 / games as f64);
    sums.into_iter().map(|row| row.into_iter().map(mean).collect()).collect()
}

/// Rows are the pairs of the first player, columns those of the second; `most` is the end of the
/// colours.
fn panel([first, second]: [&str; 2], pairs: &[(u32, u32)], means: &Means, most: f64) -> Panel {
    let names: Vec<String> = pairs.iter().map(|(p, q)| format!("({p},{q})")).collect();
    let tile = |mean: &Option<f64>| {
        let mean = (*mean)?;
        let text = format!("{mean:+.0}");
        Some(Tile { place: Some(f64::midpoint(mean / most, 1.0)), hover: format!("{mean:+.1} coins"), text })
    };
    Panel {
        title: format!("{first} against {second}"),
        row_axis: format!("pair of {first}"),
        col_axis: format!("pair of {second}"),
        rows: names.clone(),
        cols: names,
        values: means.iter().map(|row| row.iter().map(tile).collect()).collect(),
    }
}

/// A player's name without its parameters, unless another one has the same.
fn short<'a>(player: &'a str, pairings: &[[&str; 2]]) -> &'a str {
    let name = |player: &'a str| player.split('(').next().unwrap_or(player);
    let is_alone =
        pairings.iter().flatten().all(|other| *other == player || other.split('(').next() != Some(name(player)));
    if is_alone { name(player) } else { player }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "player0,player1,d,p0,q0,p1,q1,winner,score0,score1\n\
        random,\"alpha-beta(depth=2)\",5,1,4,2,3,1,10,30\n\
        random,\"alpha-beta(depth=2)\",5,1,4,2,3,1,20,30\n\
        random,\"alpha-beta(depth=2)\",5,2,3,1,4,0,30,10\n";

    #[test]
    fn differences_are_means_over_both_seatings() {
        let picture = heat_map(GAMES.as_bytes()).unwrap();
        assert!(picture.contains(">-15</text>") && picture.contains(">+20</text>"), "{picture}");
        assert!(picture.contains("random against alpha-beta<"), "{picture}");
    }

    #[test]
    fn namesakes_keep_their_parameters() {
        let more = format!("{GAMES}random,alpha-beta(depth=3),5,1,4,2,3,1,10,30\n");
        assert!(heat_map(more.as_bytes()).unwrap().contains("pair of alpha-beta(depth=3)"));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(heat_map(b"a,b\n1,2\n").is_err());
        assert!(heat_map(b"").is_err());
        let mixed = format!("{GAMES}random,greedy,7,1,6,2,5,1,10,30\n");
        assert!(heat_map(mixed.as_bytes()).unwrap_err().contains("d = 7"));
    }
}
