//! `standings.csv`: the players of matches of three or more, and every two of them.

use crate::matches::half_points_max;
use crate::plan::{Cell, Plan};
use crate::report::cells::{csv_of, number, shown};
use crate::report::schema::{STANDINGS, names};
use crate::stats::{Interval, Ranged, Standings, Stratum};
use tilelab_core::catalog::PlayerSpec;
use tilelab_core::tally::{BlockTally, add_counts};
use tilelab_output::text::guarded;

/// The blocks of a match of three or more players.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The place of its table in the plan.
    pub table: usize,
    /// The match.
    pub cell: &'a Cell,
    /// Its blocks, at least one.
    pub sums: BlockTally,
    /// Whether there will be no more.
    pub has_ended: bool,
}

/// The text of the file; `None` without a match. The cells of a table with the same players that
/// have ended are shown together, then all one by one.
pub fn csv(plan: &Plan, known: &[Known<'_>]) -> Option<Vec<u8>> {
    if known.is_empty() {
        return None;
    }
    let mut records = Vec::new();
    let is_with = |one: &Known<'_>, other: &Known<'_>| {
        one.table == other.table && one.cell.players_key() == other.cell.players_key()
    };
    for group in known.chunk_by(is_with) {
        let first = group[0].cell;
        let title = guarded(&plan.titles[group[0].table]);
        let alone = group.iter().map(|one| (one.cell.key(), vec![one]));
        let ended: Vec<&Known<'_>> = group.iter().filter(|one| one.has_ended).collect();
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
                    let names = [title.to_string(), key.clone()];
                    records.push(names.into_iter().chain(fields));
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
) -> Vec<Vec<String>> {
    let labels: Vec<String> = cell.players.iter().map(PlayerSpec::label).collect();
    let meetings = if cell.game.seats == 2 {
        labels.len() as f64 - 1.0
    } else {
        1.0
    };
    let ranged = |ranged: Option<Ranged>| {
        let fields = |Ranged { value, interval }| [value, interval.lo, interval.hi];
        optional(ranged.map(fields))
    };
    let blocks = standings.blocks.to_string();
    let counts = |results: [u64; 3]| results.map(|count| count.to_string());
    let players = standings
        .players
        .iter()
        .zip(&labels)
        .enumerate()
        .map(|(at, (player, label))| {
            let names = [label.clone(), String::new(), blocks.clone()];
            [
                &names[..],
                &counts(player.results),
                &ranged(Some(player.points)),
                &optional(None),
                &ranged(player.elo),
                &[number(player.value.map(|value| value / meetings))],
                &optional(None),
                &[player.is_rough.to_string(), confidence.to_string()],
                &forfeits[at].map(|count| count.to_string()),
            ]
            .concat()
        });
    let leads = standings.leads.iter().map(|lead| {
        let [first, second] = lead.players.map(|at| labels[at].clone());
        let names = [first, second, blocks.clone()];
        let interval = lead.difference.and_then(|(_, interval)| interval);
        let ends = |end: fn(Interval) -> f64| number(interval.map(end));
        let difference = [
            number(lead.difference.map(|(value, _)| value)),
            ends(|interval| interval.lo),
            ends(|interval| interval.hi),
        ];
        [
            &names[..],
            &counts(lead.results),
            &ranged(lead.share),
            &ranged(Some(lead.points)),
            &ranged(lead.elo),
            &[String::new()],
            &difference,
            &[shown(None::<bool>), confidence.to_string()],
            &<[String; 4]>::default(),
        ]
        .concat()
    });
    players.chain(leads).collect()
}

/// Three numbers as fields; empty where undefined.
fn optional(numbers: Option<[f64; 3]>) -> [String; 3] {
    numbers.map_or_else(Default::default, |numbers| {
        numbers.map(|value| number(Some(value)))
    })
}
