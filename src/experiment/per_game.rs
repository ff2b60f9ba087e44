//! The key `per_game`: whether and how rows of single games are written.

/// What the key accepts.
pub(super) const ACCEPTED: &str = "true, false, \"parquet\", \"csv\", \"positions\", \"csv-positions\"";

/// The format of the file with a row for every game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerGame {
    /// `games.parquet`.
    Parquet,
    /// `games.csv`.
    Csv,
    /// `games.parquet` with the last position of each game.
    Positions,
    /// `games.csv` with the last position of each game.
    CsvPositions,
}

impl PerGame {
    /// All formats with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("parquet", Self::Parquet),
        ("csv", Self::Csv),
        ("positions", Self::Positions),
        ("csv-positions", Self::CsvPositions),
    ];

    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).expect("every format has a name").0
    }

    /// Whether the file is CSV rather than Parquet.
    #[must_use]
    pub const fn is_csv(self) -> bool {
        matches!(self, Self::Csv | Self::CsvPositions)
    }

    /// Whether rows have the last position.
    #[must_use]
    pub const fn has_positions(self) -> bool {
        matches!(self, Self::Positions | Self::CsvPositions)
    }
}
