//! `cells.csv`: written from summaries, read back as records.

use super::schema::{
    ADDED, Column, ERROR, INTERVAL, LANES, LEADING, MATCHES, MEDIAN_UNBIASED, PLAYERS, RESULTS,
    SPLITTING, TESTS, TWO_PLAYERS, names,
};
use super::text::{guarded, unguarded};
use crate::files;
use crate::stats::{Interval, RateInterval, Summary};
use std::collections::HashMap;
use std::path::Path;

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

/// A CSV file of results, read back: the one reader of all files of a results folder.
#[derive(Clone, Debug)]
pub struct Cells {
    file: String,
    header: csv::StringRecord,
    records: Vec<csv::StringRecord>,
}

/// One row of a file.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
}

impl<'a> Record<'a> {
    /// A row of a file with these columns.
    pub(super) const fn new(header: &'a csv::StringRecord, record: &'a csv::StringRecord) -> Self {
        Self { header, record }
    }

    /// The names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.header.iter()
    }

    /// The fields in the order of the columns; empty where undefined.
    pub fn fields(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.record.iter().map(unguarded)
    }

    /// A field; `None` when there is no such column or it is empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let mut names = self.header.as_byte_record().iter();
        let at = names.position(|known| known == name.as_bytes())?;
        self.record
            .get(at)
            .filter(|field| !field.is_empty())
            .map(unguarded)
    }

    /// A field as a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    /// A field as a count.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Title of the table and key of the cell, which name a row in every file.
    #[must_use]
    pub fn key(&self) -> (&'a str, &'a str) {
        (
            self.get("table").unwrap_or_default(),
            self.get("cell").unwrap_or_default(),
        )
    }

    /// The line of the file that the row starts on.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// The win rate as a share: weighted, where games are split.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        if self.get("replications").is_some() {
            return Some(self.number("win_pct")? / 100.0);
        }
        Some(self.count("wins")? as f64 / self.count("games")? as f64)
    }

    /// Wins and games; where games share trajectories or are split, of as many independent games as
    /// give the same precision.
    #[must_use]
    pub fn effective_wins(&self) -> Option<(u64, u64)> {
        let wins = self.count("wins")?;
        let games = self.count("games")?;
        let Some(effective) = self.number("effective_games").filter(|_| games > 0) else {
            return Some((wins, games));
        };
        let effective_games = effective.round() as u64;
        let rate = self.rate()?;
        // Rounding must not leave more wins than games.
        let effective_wins = ((rate * effective).round() as u64).min(effective_games);
        Some((effective_wins, effective_games))
    }
}

/// The most bytes of a CSV file that are read: a million cells take about half of it.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// For the message about a `cells.csv` that is not there: the results folders beside it, as in the
/// folder that `--out` names.
fn results_below(path: &Path) -> String {
    let entries = path.parent().map(files::read_dir);
    let (Ok(false), Some(Ok(entries))) = (files::exists(path), entries) else {
        return String::new();
    };
    let folders = entries.flatten().map(|entry| entry.path());
    let mut results: Vec<String> = folders
        .filter(|folder| matches!(files::exists(folder.join("cells.csv")), Ok(true)))
        .map(|folder| folder.display().to_string())
        .collect();
    if results.is_empty() {
        return String::new();
    }
    results.sort_unstable();
    results.truncate(5);
    format!("; results are in {}", results.join(", "))
}

impl Cells {
    /// Reads a CSV file that has at least these columns.
    ///
    /// # Errors
    /// Names the file and says what is wrong with it.
    pub fn read(path: &Path, needed: &[&str]) -> Result<Self, String> {
        let file = path.display().to_string();
        let text = files::read_regular(path, FILE_BYTES_MAX)
            .map_err(|error| format!("{file}: {error}"))?;
        Self::parse(&file, text.as_bytes(), needed)
    }

    /// Reads the bytes of a CSV file that has at least these columns; `file` names it in messages.
    ///
    /// # Errors
    /// As [`Cells::read`].
    pub fn parse(file: &str, bytes: &[u8], needed: &[&str]) -> Result<Self, String> {
        let wrong = |message: String| format!("{file}: {message}");
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .clone();
        for name in needed {
            if !header.iter().any(|known| known == *name) {
                return Err(wrong(format!(
                    "the column {name} is missing; is this a file that tilelab wrote?"
                )));
            }
        }
        let records: Vec<_> = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(|error| wrong(error.to_string()))?;
        if records.is_empty() {
            return Err(wrong("has no rows".to_owned()));
        }
        Ok(Self {
            file: file.to_owned(),
            header,
            records,
        })
    }

    /// Reads a `cells.csv` and checks its figures: every one is of its column's type and range, and
    /// no cell has more wins, draws and losses than games.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn read_cells(path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let text = files::read_regular(path, FILE_BYTES_MAX)
            .map_err(|error| format!("{file}: {error}{}", results_below(path)))?;
        Self::parse_cells(&file, text.as_bytes())
    }

    /// Reads the bytes of a `cells.csv`; `file` names it in messages.
    ///
    /// # Errors
    /// As [`Cells::read_cells`].
    pub fn parse_cells(file: &str, bytes: &[u8]) -> Result<Self, String> {
        let needed: Vec<&str> = LEADING
            .iter()
            .chain(&RESULTS)
            .chain([&ERROR])
            .map(|column| column.name)
            .collect();
        let cells = Self::parse(file, bytes, &needed)?;
        cells.check_fields(super::schema::check)?;
        cells.check_wins()?;
        Ok(cells)
    }

    /// Checks every field that is not empty with `check`, which is given the column and the field.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value, and says what it has to be.
    pub fn check_fields(
        &self,
        check: impl Fn(&str, &str) -> Result<(), String>,
    ) -> Result<(), String> {
        for record in self.records() {
            let filled = record
                .header()
                .zip(record.fields())
                .filter(|(_, field)| !field.is_empty());
            for (name, field) in filled {
                check(name, field)
                    .map_err(|expected| self.wrong(&record, name, &format!("is not {expected}")))?;
            }
        }
        Ok(())
    }

    /// Checks that no row has more wins, draws and losses than games.
    ///
    /// # Errors
    /// As [`Cells::check_fields`].
    pub fn check_wins(&self) -> Result<(), String> {
        for record in self.records() {
            let Some(games) = record.count("games") else {
                continue;
            };
            let mut ended = 0;
            for name in ["wins", "draws", "losses"] {
                ended += record.count(name).unwrap_or(0);
                if ended > games {
                    return Err(self.wrong(
                        &record,
                        name,
                        &format!("exceeds the {games} games played"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The message for a wrong field.
    #[must_use]
    pub fn wrong(&self, record: &Record<'_>, name: &str, what: &str) -> String {
        let value = record.get(name).unwrap_or_default();
        format!(
            "{}: line {}: {name} = {value:?} {what}",
            self.file,
            record.line()
        )
    }

    /// How many rows there are: at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }

    /// The rows.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.records.iter().map(|record| Record {
            header: &self.header,
            record,
        })
    }

    /// The row at an index below [`Cells::len`].
    #[must_use]
    pub fn record(&self, row: usize) -> Record<'_> {
        Record {
            header: &self.header,
            record: &self.records[row],
        }
    }

    /// A field of the row at an index; `None` when there is no such column or it is empty.
    #[must_use]
    pub fn get(&self, row: usize, name: &str) -> Option<&str> {
        self.record(row).get(name)
    }

    /// A field of the row at an index as a number.
    #[must_use]
    pub fn number(&self, row: usize, name: &str) -> Option<f64> {
        self.record(row).number(name)
    }

    /// The titles of the tables, in order.
    #[must_use]
    pub fn titles(&self) -> Vec<&str> {
        let mut titles = Vec::new();
        for title in self
            .records()
            .map(|record| record.get("table").unwrap_or_default())
        {
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles
    }

    /// The name of the interval that win rates of independent games have, for people.
    #[must_use]
    pub fn interval_name(&self) -> &'static str {
        let is_mid_p = |record: Record<'_>| record.get(INTERVAL.name) == Some("mid-p");
        if self.records().any(is_mid_p) {
            "mid-p"
        } else {
            "Clopper–Pearson"
        }
    }

    /// The confidence level in percent, for people.
    #[must_use]
    pub fn confidence_text(&self) -> String {
        let level = self
            .records()
            .find_map(|record| record.number("confidence"));
        level.map_or_else(String::new, |level| {
            format!("{} %", (level * 1e8).round() / 1e6)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(header: &str, row: &str) -> Result<(), String> {
        let cells = Cells::parse("x.csv", format!("{header}\n{row}\n").as_bytes(), &[]).unwrap();
        cells.check_fields(super::super::schema::check)?;
        cells.check_wins()
    }

    #[test]
    fn wrong_figures_are_named_with_line_column_and_value() {
        for (header, row, message) in [
            (
                "games,wins",
                "5,6",
                "x.csv: line 2: wins = \"6\" exceeds the 5 games played",
            ),
            (
                "games,wins,draws,losses",
                "5,2,2,2",
                "losses = \"2\" exceeds",
            ),
            (
                "games,wins",
                "9223372036854775808,1",
                "games = \"9223372036854775808\" is not a count from 0 to 2^62",
            ),
            (
                "moves_mean_se",
                "NaN",
                "moves_mean_se = \"NaN\" is not a finite number",
            ),
            (
                "moves_mean",
                "1e308",
                "moves_mean = \"1e308\" is not a finite number from 0 to 2^64",
            ),
            (
                "score_mean_se",
                "inf",
                "score_mean_se = \"inf\" is not a finite number",
            ),
            (
                "win_pct",
                "101",
                "win_pct = \"101\" is not a finite number from 0 to 100",
            ),
            ("effective_games", "-1", "effective_games = \"-1\""),
            (
                "confidence",
                "00",
                "confidence = \"00\" is not a finite number from 0.5 to 0.999999",
            ),
        ] {
            let error = checked(header, row).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(
            checked(
                "games,wins,draws,losses,target,moves_mean",
                "5,1,2,2,any text,"
            ),
            Ok(())
        );
    }

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

    #[test]
    fn effective_wins_never_exceed_effective_games() {
        let text = b"games,wins,effective_games\n3,3,2.4999999999999996\n";
        let (wins, games) = Cells::parse("x.csv", text, &[])
            .unwrap()
            .record(0)
            .effective_wins()
            .unwrap();
        assert!(wins <= games, "{wins} of {games}");
    }
}
