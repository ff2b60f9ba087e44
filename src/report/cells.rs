//! `cells.csv`: written from summaries, and read back as records ([`Cells`]).

mod reading;

pub use reading::{Cells, Record};

use super::schema::{
    ADDED, Column, ERROR, INTERVAL, LANES, LEADING, MATCHES, MEDIAN_UNBIASED, PLAYERS, RESULTS,
    SPLITTING, TESTS, TWO_PLAYERS, names,
};
use super::text::guarded;
use crate::stats::{Interval, RateInterval, Summary};
use std::collections::HashMap;

/// A row of `cells.csv` before it is text.
#[derive(Clone, Debug)]
pub struct Row {
    /// Title of the table.
    pub table: String,
    /// Key of the cell.
    pub cell: String,
    /// Name of the game.
    pub game: &'static str,
    /// Name and parameters of the players.
    pub player: String,
    /// Master seed.
    pub seed: u64,
    /// The main parameters of the game.
    pub main: Vec<(&'static str, String)>,
    /// The other parameters of the game.
    pub other: Vec<(&'static str, String)>,
    /// Games that share a trajectory, in games that can; 1 when none do.
    pub lanes: Option<u64>,
    /// How win rates are estimated, in games that have a choice.
    pub method: Option<String>,
    /// Whether two players sit at the game, or meet in a match.
    pub two_seats: bool,
    /// What decides the pairs of a match.
    pub matched: Option<MatchRow>,
    /// The names of the players.
    pub names: Vec<&'static str>,
    /// The parameters of the players, by the names of their columns.
    pub players: Vec<(String, String)>,
    /// Names of what the game reports besides result and moves, and whether it holds for these
    /// players.
    pub measures: Vec<(&'static str, bool)>,
    /// The interval of the win rate as a share, corrected for looking more than once; `None` for a
    /// failed cell.
    pub interval: Option<Interval>,
    /// Which interval win rates of independent games have.
    pub kind: RateInterval,
    /// The median-unbiased estimate of the win rate (a share), where a rule may have stopped the
    /// cell before its last game.
    pub median_unbiased: Option<f64>,
    /// Confidence level of the intervals.
    pub confidence: f64,
    /// Why the cell ended.
    pub stopped: &'static str,
    /// The figures; `None` for a failed cell.
    pub summary: Option<Summary>,
    /// Why the cell failed; empty where it did not.
    pub error: String,
}

/// What a row of a match adds.
#[derive(Clone, Copy, Debug)]
pub struct MatchRow {
    /// What decides pairs: `outcome`, or the name of a measure.
    pub decided_by: &'static str,
    /// The measure whose difference is reported.
    pub measure: &'static str,
    /// The interval of the share of points; `None` for a failed cell.
    pub points: Option<Interval>,
    /// Where the match has a sequential test.
    pub tested: Option<Tested>,
}

/// A sequential test and the mean it tested, in the unit of that mean.
#[derive(Clone, Copy, Debug)]
pub struct Tested {
    /// The mean against the first player.
    pub lower: f64,
    /// The mean for it.
    pub upper: f64,
    /// The median-unbiased estimate.
    pub estimate: f64,
    /// Its interval.
    pub interval: Interval,
}

/// Named fields in the order of the columns.
type Fields = Vec<(String, String)>;

/// The values of these columns.
fn named<const N: usize>(
    columns: &[Column; N],
    values: [String; N],
) -> impl Iterator<Item = (String, String)> {
    let names = columns.iter().map(|column| column.name.to_owned());
    names.zip(values)
}

impl Row {
    fn leading(&self) -> Fields {
        let values = [
            guarded(&self.table).into_owned(),
            self.cell.clone(),
            self.game.to_owned(),
            self.player.clone(),
            self.seed.to_string(),
        ];
        named(&LEADING, values).collect()
    }

    fn results(&self) -> Fields {
        let all = self.summary.as_ref();
        let interval = self.interval.map(|interval| interval.scaled(100.0));
        let values = [
            shown(all.map(|all| all.games)),
            shown(all.map(|all| all.wins)),
            text(all.and_then(|all| all.win_pct)),
            text(interval.map(|interval| interval.lo)),
            text(interval.map(|interval| interval.hi)),
            text(all.and_then(|all| all.moves_mean)),
            text(all.and_then(|all| all.moves_mean_se)),
            text(all.and_then(|all| all.moves_win_mean)),
            text(all.and_then(|all| all.moves_win_mean_se)),
            shown(all.and_then(|all| all.moves_p50)),
            shown(all.and_then(|all| all.moves_p90)),
            shown(all.and_then(|all| all.moves_p99)),
            shown(all.and_then(|all| all.moves_max)),
        ];
        named(&RESULTS, values).collect()
    }

    /// What the game adds, in a file that has games of these kinds.
    fn added(&self, kinds: Kinds) -> Fields {
        let all = self.summary.as_ref();
        let of_game = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
        let mut fields = Fields::new();
        if self.two_seats {
            let values = [
                shown(all.map(|all| all.draws)),
                shown(all.map(|all| all.losses)),
                text(all.and_then(|all| all.points_mean)),
                text(all.and_then(|all| all.points_mean_se)),
            ];
            fields.extend(named(&TWO_PLAYERS, values));
        }
        fields.extend(self.other.iter().map(of_game));
        for (column, name) in PLAYERS.iter().zip(&self.names) {
            fields.push((column.name.to_owned(), (*name).to_owned()));
        }
        fields.extend(self.players.iter().cloned());
        let lanes = all.and_then(|all| all.lanes);
        let splitting = all.and_then(|all| all.splitting.as_ref());
        let effective = match splitting {
            Some(splitting) => splitting.effective_games,
            None => lanes.and_then(|lanes| lanes.effective_games),
        };
        if kinds.shared {
            let values = [
                shown(self.lanes),
                shown(lanes.map(|lanes| lanes.trajectories)),
                text(lanes.and_then(|lanes| lanes.design_effect)),
                text(effective),
                text(lanes.and_then(|lanes| lanes.moves_design_effect)),
            ];
            fields.extend(named(&LANES, values));
        }
        if kinds.split {
            let values = [
                shown(self.method.as_ref()),
                shown(splitting.map(|splitting| splitting.replications)),
                shown(splitting.map(|splitting| splitting.levels_text())),
                text(effective),
            ];
            fields.extend(named(&SPLITTING, values));
        }
        if kinds.matched {
            let points = self.matched.and_then(|matched| matched.points);
            let values = [
                shown(self.matched.map(|matched| matched.decided_by)),
                shown(self.matched.map(|matched| matched.measure)),
                text(points.map(|interval| interval.lo)),
                text(points.map(|interval| interval.hi)),
            ];
            fields.extend(named(&MATCHES, values));
        }
        if kinds.tested {
            let tested = self.matched.and_then(|matched| matched.tested);
            let values = [
                text(tested.map(|tested| tested.lower)),
                text(tested.map(|tested| tested.upper)),
                text(tested.map(|tested| tested.estimate)),
                text(tested.map(|tested| tested.interval.lo)),
                text(tested.map(|tested| tested.interval.hi)),
            ];
            fields.extend(named(&TESTS, values));
        }
        let wilson = all.and_then(|all| all.win_pct_wilson);
        let moves_win = all.and_then(|all| all.moves_win_interval);
        let values = [
            self.stopped.to_owned(),
            text(wilson.map(|interval| interval.lo)),
            text(wilson.map(|interval| interval.hi)),
            text(moves_win.map(|interval| interval.lo)),
            text(moves_win.map(|interval| interval.hi)),
            self.confidence.to_string(),
        ];
        fields.extend(named(&ADDED, values));
        if let Some(rate) = self.median_unbiased {
            fields.push((MEDIAN_UNBIASED.name.to_owned(), decimal(100.0 * rate)));
        }
        if self.kind == RateInterval::MidP {
            fields.push((INTERVAL.name.to_owned(), "mid-p".to_owned()));
        }
        let measures = all.iter().flat_map(|all| &all.measures);
        for ((name, holds), measure) in self.measures.iter().zip(measures) {
            let text = |value: Option<f64>| text(value.filter(|_| *holds));
            fields.push((format!("{name}_mean"), text(measure.mean)));
            fields.push((format!("{name}_mean_se"), text(measure.mean_se)));
            for (level, pct) in &measure.ge_pct {
                fields.push((format!("{name}_ge_{level}_pct"), text(*pct)));
            }
        }
        fields
    }
}

/// What the games of a file are besides plain ones, which decides on columns.
#[derive(Clone, Copy)]
struct Kinds {
    /// Some share trajectories.
    shared: bool,
    /// Some are split.
    split: bool,
    /// Some are matches.
    matched: bool,
    /// Some have sequential tests.
    tested: bool,
}

impl Kinds {
    fn of(rows: &[&Row]) -> Self {
        let matches = || rows.iter().filter_map(|row| row.matched);
        let summaries = || rows.iter().filter_map(|row| row.summary.as_ref());
        Self {
            shared: rows.iter().any(|row| row.lanes > Some(1)),
            split: summaries().any(|summary| summary.splitting.is_some()),
            matched: matches().next().is_some(),
            tested: matches().any(|matched| matched.tested.is_some()),
        }
    }
}

/// A value as a field of the file; empty where undefined.
fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A number as a field of the file; empty where undefined.
fn text(value: Option<f64>) -> String {
    value.map(decimal).unwrap_or_default()
}

/// The shortest decimal of a number rounded to twelve significant digits: more would show the
/// rounding of floating point, as in 0.036000000000000004.
#[must_use]
pub fn decimal(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}")
        .parse()
        .expect("a number in scientific form reads back");
    // Negative zero is zero.
    (rounded + 0.0).to_string()
}

/// Writes `cells.csv`.
#[must_use]
pub fn to_csv(rows: &[&Row]) -> Vec<u8> {
    let kinds = Kinds::of(rows);
    let added: Vec<Fields> = rows.iter().map(|row| row.added(kinds)).collect();
    let mut columns = names(&LEADING).to_vec();
    let mut add = |name| {
        if !columns.contains(&name) {
            columns.push(name);
        }
    };
    rows.iter()
        .flat_map(|row| &row.main)
        .for_each(|(name, _)| add(name));
    names(&RESULTS).into_iter().for_each(&mut add);
    added.iter().flatten().for_each(|(name, _)| add(name));
    columns.push(ERROR.name);
    let places = columns.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, name)| (*name, at)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let whole = "memory takes every record";
    writer.write_record(&columns).expect(whole);
    for (row, added) in rows.iter().zip(&added) {
        let [leading, results] = [row.leading(), row.results()];
        let fields = leading.iter().chain(&results).chain(added);
        let fields = fields.map(|(name, value)| (name.as_str(), value.as_str()));
        let main = row.main.iter().map(|(name, value)| (*name, value.as_str()));
        let mut record = vec![""; columns.len()];
        for (name, value) in fields.chain(main).chain([(ERROR.name, row.error.as_str())]) {
            record[places[name]] = value;
        }
        writer.write_record(record).expect(whole);
    }
    writer.into_inner().expect(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_written_as_it_is_even_where_spreadsheets_see_a_formula() {
        let row = Row {
            table: "=1+1".to_owned(),
            cell: "@sum".to_owned(),
            game: "g",
            player: "p".to_owned(),
            seed: 1,
            main: vec![("operators", "+-".to_owned())],
            other: Vec::new(),
            lanes: None,
            method: None,
            two_seats: false,
            matched: None,
            names: vec!["p"],
            players: Vec::new(),
            measures: Vec::new(),
            interval: None,
            kind: RateInterval::ClopperPearson,
            median_unbiased: None,
            confidence: 0.95,
            stopped: "games",
            summary: None,
            error: String::new(),
        };
        let text = String::from_utf8(to_csv(&[&row])).unwrap();
        assert!(
            text.lines()
                .nth(1)
                .unwrap()
                .starts_with("=1+1,@sum,g,p,1,+-,"),
            "{text}"
        );
    }

    #[test]
    fn numbers_carry_no_noise() {
        for (value, text) in [
            (0.036_000_000_000_000_004, "0.036"),
            (1.0 / 3.0, "0.333333333333"),
            (200_000.0, "200000"),
            (1_234_567.891_234_567, "1234567.89123"),
            (2.5e-9, "0.0000000025"),
            (-0.0, "0"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }
}
