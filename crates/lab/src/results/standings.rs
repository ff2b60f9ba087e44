//! `standings.csv`: the players of matches of three or more, and every two of them.

use crate::matches::half_points_max;
use crate::plan::{Cell, Plan};
use crate::report::cells::{csv_of, ends, number};
use crate::report::schema::{STANDINGS, names};
use crate::stats::{Interval, Ranged, Standings, Stratum};
use serde::Serialize;
use tilelab_games::tally::{BlockTally, add_counts};
use tilelab_output::text::guarded;

/// The blocks of a match of three or more players.
pub struct MatchBlocks<'a> {
    /// The place of the match's table in the plan.
    pub table: usize,
    /// The match.
    pub cell: &'a Cell,
    /// The blocks of the match, at least one.
    pub sums: BlockTally,
    /// Whether there will be no more blocks.
    pub has_ended: bool,
}

/// The text of the file; `None` without a match. The cells of a table with the same players that
/// have ended are shown together, then all one by one.
pub fn csv(plan: &Plan, known: &[MatchBlocks<'_>]) -> Option<Vec<u8>> {
    if known.is_empty() {
        return None;
    }
    let mut records = Vec::new();
    let is_with = |one: &MatchBlocks<'_>, other: &MatchBlocks<'_>| {
        one.table == other.table && one.cell.players_key() == other.cell.players_key()
    };
    for group in known.chunk_by(is_with) {
        let first = group[0].cell;
        let title = guarded(&plan.titles[group[0].table]);
        let alone = group.iter().map(|one| (one.cell.key(), vec![one]));
        let ended: Vec<&MatchBlocks<'_>> = group.iter().filter(|one| one.has_ended).collect();
        let together = (ended.len() > 1).then_some((String::new(), ended));
        for (key, cells) in together.into_iter().chain(alone) {
            let strata: Vec<Stratum<'_>> = cells
                .iter()
                .map(|one| Stratum {
                    sums: &one.sums,
                    has_chance: one.cell.has_chance(),
                })
                .collect();
            let most = half_points_max(first.game);
            if let Some(standings) = Standings::new(&strata, most, plan.confidence) {
                let mut forfeits = vec![[0; 4]; first.players.len()];
                for cell in &cells {
                    add_counts(&mut forfeits, &cell.sums.forfeits);
                }
                for fields in rows(first, &standings, &forfeits, plan.confidence) {
                    records.push((title.clone(), key.clone(), fields));
                }
            }
        }
    }
    Some(csv_of(names(&STANDINGS), records))
}

/// The rows of one match without table and cell: the players, then every two.
fn rows(
    cell: &Cell,
    standings: &Standings,
    forfeits: &[[u64; 4]],
    confidence: f64,
) -> Vec<impl Serialize + use<>> {
    let labels = cell.player_labels();
    let meetings = if cell.game.seats == 2 {
        labels.len() as f64 - 1.0
    } else {
        1.0
    };
    let blocks = standings.blocks;
    let none = || figure(None, None);
    let all = standings.players.iter().zip(&labels).zip(forfeits);
    let players = all.map(|((player, label), forfeits)| {
        (
            [label.clone(), String::new()],
            blocks,
            player.results,
            ranged(Some(player.points)),
            none(),
            ranged(player.elo),
            number(player.value.map(|value| value / meetings)),
            none(),
            Some(player.is_rough),
            confidence.to_string(),
            forfeits.map(Some),
        )
    });
    let leads = standings.leads.iter().map(|lead| {
        let difference = lead.difference;
        (
            lead.players.map(|at| labels[at].clone()),
            blocks,
            lead.results,
            ranged(lead.share),
            ranged(Some(lead.points)),
            ranged(lead.elo),
            String::new(),
            figure(
                difference.map(|(value, _)| value),
                difference.and_then(|(_, interval)| interval),
            ),
            None,
            confidence.to_string(),
            [None; 4],
        )
    });
    players.chain(leads).collect()
}

/// A figure and the ends of its interval as fields; empty where undefined.
fn figure(value: Option<f64>, interval: Option<Interval>) -> [String; 3] {
    let [lo, hi] = ends(interval);
    [number(value), lo, hi]
}

fn ranged(ranged: Option<Ranged>) -> [String; 3] {
    figure(
        ranged.map(|ranged| ranged.value),
        ranged.map(|ranged| ranged.interval),
    )
}
