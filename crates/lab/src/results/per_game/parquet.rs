//! Rows of single games as Parquet.

use super::rows::{Rows, forfeit_text, has_forfeits, measures, places, result_text};
use crate::game::Outcome;
use crate::plan::Plan;
use crate::report::parquet::GROUP_ROWS;
use crate::report::parquet::{ByteArray, Column, Compression, Field, Values, Writer};
use crate::report::schema::{FORFEIT, GAME_ROWS, Kind, POSITION};
use std::io::{self, Write};

/// Bytes of positions after which a row group ends sooner.
const GROUP_BYTES: usize = 1 << 24;

/// Rows as Parquet.
pub(super) struct Parquet<'p, W: Write + Send> {
    plan: &'p Plan,
    /// `None` after the end.
    writer: Option<Writer<W>>,
    places: Vec<Vec<Option<usize>>>,
    with_forfeits: bool,
    with_positions: bool,
    group: Group,
    /// The entry of the last row, with its title and the key of its cell.
    entry: Option<(usize, ByteArray, ByteArray)>,
}

/// The rows of a row group.
#[derive(Default)]
struct Group {
    tables: Vec<ByteArray>,
    cells: Vec<ByteArray>,
    games: Vec<i64>,
    results: Vec<ByteArray>,
    moves: Vec<i64>,
    measures: Vec<Measure>,
    forfeits: Vec<ByteArray>,
    positions: Vec<ByteArray>,
    /// Of all positions.
    bytes: usize,
}

/// The values of a measure, and which rows have one.
#[derive(Default)]
struct Measure {
    values: Vec<i64>,
    defined: Vec<i16>,
}

impl<'p, W: Write + Send> Parquet<'p, W> {
    pub(super) fn new(plan: &'p Plan, with_positions: bool, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let field = |(name, kind, is_optional): (&str, Kind, bool)| Field {
            name: name.to_owned(),
            kind,
            is_optional,
        };
        let fixed = GAME_ROWS
            .iter()
            .map(|column| field((column.name, column.kind, false)));
        let added = names.iter().map(|name| field((name, Kind::Integer, true)));
        let with_forfeits = has_forfeits(plan);
        let forfeit = with_forfeits.then(|| field((FORFEIT.name, FORFEIT.kind, false)));
        let position = with_positions.then(|| field((POSITION.name, POSITION.kind, false)));
        let fields: Vec<Field> = fixed.chain(added).chain(forfeit).chain(position).collect();
        Ok(Self {
            plan,
            writer: Some(Writer::new(
                output,
                "games",
                &fields,
                Compression::UNCOMPRESSED,
            )?),
            places: places(plan, &names),
            with_forfeits,
            with_positions,
            group: Group::default(),
            entry: None,
        })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let group = std::mem::take(&mut self.group);
        if group.games.is_empty() {
            return Ok(());
        }
        let measure = |measure: Measure| Column {
            values: Values::Integers(measure.values),
            defined: Some(measure.defined),
        };
        let fixed = [
            Values::Texts(group.tables).into(),
            Values::Texts(group.cells).into(),
            Values::Integers(group.games).into(),
            Values::Texts(group.results).into(),
            Values::Integers(group.moves).into(),
        ];
        let forfeits = self
            .with_forfeits
            .then(|| Values::Texts(group.forfeits).into());
        let positions = self
            .with_positions
            .then(|| Values::Texts(group.positions).into());
        let columns: Vec<Column> = fixed
            .into_iter()
            .chain(group.measures.into_iter().map(measure))
            .chain(forfeits)
            .chain(positions)
            .collect();
        self.writer
            .as_mut()
            .expect("the file has not ended")
            .group(&columns)
    }
}

impl<W: Write + Send> Rows for Parquet<'_, W> {
    fn row(
        &mut self,
        entry: usize,
        game: u64,
        outcome: &Outcome,
        position: &str,
    ) -> io::Result<()> {
        if self.entry.as_ref().is_none_or(|(last, ..)| *last != entry) {
            let about = &self.plan.entries[entry];
            let title = ByteArray::from(self.plan.titles[about.table].as_str());
            let key = ByteArray::from(self.plan.cells[about.cell].key().into_bytes());
            self.entry = Some((entry, title, key));
        }
        let (_, title, key) = self.entry.as_ref().expect("it is set above");
        let group = &mut self.group;
        group.tables.push(title.clone());
        group.cells.push(key.clone());
        group.games.push(game.cast_signed());
        group.results.push(result_text(outcome).into());
        group.moves.push(outcome.moves.cast_signed());
        let places = &self.places[entry];
        group.measures.resize_with(places.len(), Measure::default);
        for (measure, place) in group.measures.iter_mut().zip(places) {
            measure
                .values
                .extend(place.map(|place| outcome.measures[place]));
            measure.defined.push(place.is_some().into());
        }
        if self.with_forfeits {
            let text = forfeit_text(outcome.forfeits);
            group.forfeits.push(text.into_bytes().into());
        }
        if self.with_positions {
            group.bytes += position.len();
            group.positions.push(position.into());
        }
        if group.games.len() == GROUP_ROWS || group.bytes >= GROUP_BYTES {
            return self.write_group();
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        self.writer.take().expect("a file ends once").finish()
    }
}
