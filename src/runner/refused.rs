//! Why a saved state is not continued.

/// Why a saved state is not continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The numbers of a cell cannot be true.
    #[error("{0}")]
    Contradiction(String),
    /// Results with more games would be lost.
    #[error("{}", fewer_text(.0))]
    Fewer(Vec<Fewer>),
    /// The games of a cell are divided otherwise among the shards now.
    #[error(
        "the cell {0} has games that belong to other shards now, since its stopping rule has changed; merge the shards \
         as they are, and go on without --shard"
    )]
    Divided(String),
}

/// A cell of which fewer games are asked for than a result has had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fewer {
    /// The key of the cell.
    pub cell: String,
    /// Games of the result.
    pub stored: u64,
    /// Games asked for.
    pub asked: u64,
    /// The next lower number of games of which a sum is kept, where there is one.
    pub below: Option<u64>,
}

fn fewer_text(cells: &[Fewer]) -> String {
    let Some(Fewer { cell, stored, asked, below }) = cells.first() else { return String::new() };
    let more = match cells.len() {
        1 => String::new(),
        count => format!(" (and {} more cells)", count - 1),
    };
    let below = below.map_or(String::new(), |below| format!("{below} or "));
    format!(
        "{stored} games of the cell {cell} are saved, and {asked} are asked for{more}; of these, the numbers that can be had \
         are {below}{stored} and more"
    )
}
