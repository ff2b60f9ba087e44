//! The columns of `cells.csv`: the one description of what each holds.
//!
//! A file has the leading columns, the main parameters of its games, the result columns, and then
//! what games add; `error` is last. Numbers are plain, with a dot for decimals, and empty where
//! undefined. What a game adds is described by rule: parameters have the kind that the game gives
//! them, measures end in `_mean`, `_mean_se` (in the measure's own unit) or `_ge_LEVEL_pct`
//! (percent of the games). Exports in other formats carry this schema with its version.
//!
//! The files are for programs: text is written as it is, even where a spreadsheet takes it for a
//! formula (`operators` such as `+-`, or a title that starts with `=`). An added apostrophe would
//! change the value for every other reader. Import these columns as text into a spreadsheet.

/// The version of this schema; it changes when a column changes its meaning or goes.
pub const VERSION: u32 = 2;

/// A column: its name, its type and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in the header.
    pub name: &'static str,
    /// What its fields are.
    pub kind: Kind,
    /// The unit of its numbers; empty where they have none.
    pub unit: &'static str,
    /// What it holds.
    pub help: &'static str,
    /// The least and the largest number that a field may hold; not used for text and flags.
    pub range: [f64; 2],
}

/// 2⁶⁴: move counts are below it, so their means are too.
pub(super) const NUMBER_MAX: f64 = 18_446_744_073_709_551_616.0;
/// 2⁶²: twice as many games still fit the integers that the statistics use.
pub(super) const GAMES_MAX: f64 = 4_611_686_018_427_387_904.0;

/// The type of a column's fields; any field may also be empty (`null` in JSON and Parquet) where it
/// is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text; see [`super::text::guarded`].
    Text,
    /// A whole number from 0 to 2⁶⁴ − 1.
    Count,
    /// A whole number of 64 bits with sign.
    Integer,
    /// A 64-bit floating-point number; computed ones are written to twelve significant digits.
    Number,
    /// `true` or `false`.
    Flag,
}

impl Kind {
    /// The word in exported schemas.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "count",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Flag => "flag",
        }
    }

    /// What a field of this kind has to be, for messages.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "a count",
            Self::Integer => "an integer",
            Self::Number => "a finite number",
            Self::Flag => "true or false",
        }
    }
}

pub(super) const fn text(name: &'static str, help: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Text,
        unit: "",
        help,
        range: [-NUMBER_MAX, NUMBER_MAX],
    }
}

/// A column of numbers between two bounds.
pub(super) const fn number(
    name: &'static str,
    unit: &'static str,
    range: [f64; 2],
    help: &'static str,
) -> Column {
    Column {
        name,
        kind: Kind::Number,
        unit,
        help,
        range,
    }
}

/// A column of counts.
pub(super) const fn count(name: &'static str, unit: &'static str, help: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Count,
        unit,
        help,
        range: [0.0, NUMBER_MAX],
    }
}

/// A column that counts games.
pub(super) const fn games(name: &'static str, help: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Count,
        unit: "games",
        help,
        range: [0.0, GAMES_MAX],
    }
}

pub(super) const SHARE: [f64; 2] = [0.0, 1.0];
pub(super) const PERCENT: [f64; 2] = [0.0, 100.0];
pub(super) const NOT_NEGATIVE: [f64; 2] = [0.0, NUMBER_MAX];

/// Before the parameters.
pub const LEADING: [Column; 5] = [
    text("table", "title of the table"),
    text(
        "cell",
        "key of the cell, as `tilelab replay --cell` takes it",
    ),
    text("game", "name of the game"),
    text(
        "player",
        "name and parameters of the player, `name` or `name(key=value,…)`; two players joined by ` / `",
    ),
    count("seed", "", "master seed"),
];

/// After the parameters.
pub const RESULTS: [Column; 13] = [
    games(
        "games",
        "games played; where games share trajectories, every lane counts; with splitting, replications",
    ),
    games(
        "wins",
        "games won by the first player; with splitting, replications in which a game was won",
    ),
    number(
        "win_pct",
        "%",
        PERCENT,
        "won games in percent of the games played; with splitting, an estimate from weighted wins",
    ),
    number(
        "win_pct_lo",
        "%",
        PERCENT,
        "lower end of the interval of `win_pct`: Clopper–Pearson's; on effective counts (Korn–Graubard) where games share trajectories, Hall's where they are split, \
         corrected where a stopping rule looked more than once, `win_pct` itself where nothing is left to chance; corrected for stopping where a sequential test of it ended the match",
    ),
    number("win_pct_hi", "%", PERCENT, "its upper end"),
    number(
        "moves_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves made in a game (in 67!, published means count one more for a lost game)",
    ),
    number("moves_mean_se", "moves", NOT_NEGATIVE, "its standard error"),
    number(
        "moves_win_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves of won games",
    ),
    number(
        "moves_win_mean_se",
        "moves",
        NOT_NEGATIVE,
        "its standard error",
    ),
    count(
        "moves_p50",
        "moves",
        "median number of moves, to three significant digits",
    ),
    count(
        "moves_p90",
        "moves",
        "90 % of the games have at most this many moves, to three significant digits",
    ),
    count(
        "moves_p99",
        "moves",
        "99 % of the games have at most this many moves, to three significant digits",
    ),
    count("moves_max", "moves", "largest number of moves"),
];

/// Added when a game of the file has two players, or is a match; empty in the rows of games for
/// one.
pub const TWO_PLAYERS: [Column; 4] = [
    games("draws", "games drawn"),
    games("losses", "games lost by the first player"),
    number(
        "points_mean",
        "points",
        SHARE,
        "share of points of the first player: a win counts 1, a draw ½, a loss 0",
    ),
    number(
        "points_mean_se",
        "points",
        NOT_NEGATIVE,
        "its standard error",
    ),
];

/// The players' names: the second is there when a game of the file has two players, or is a match.
pub const PLAYERS: [Column; 2] = [
    text(
        "player_name",
        "name of the first player, without its parameters",
    ),
    text(
        "opponent",
        "name of the second player, without its parameters",
    ),
];

/// Before the names of parameters in the columns of the first and of the second player's
/// parameters.
pub const PLAYER_PREFIXES: [&str; 2] = ["player_", "opponent_"];

/// Added when games of the file share trajectories of kinds; all but the first are empty in the
/// rows of games that do not.
pub const LANES: [Column; 5] = [
    count(
        "lanes",
        "games",
        "games that share a trajectory of kinds, each with its own digits; 1 where each has its own",
    ),
    games(
        "trajectories",
        "trajectories played: `games` / `lanes`; what intervals and standard errors count",
    ),
    number(
        "design_effect",
        "",
        NOT_NEGATIVE,
        "how many times larger the variance of `win_pct` is than that of as many independent games",
    ),
    number(
        "effective_games",
        "games",
        [0.0, GAMES_MAX],
        "independent games that would give `win_pct` the same precision",
    ),
    number(
        "moves_design_effect",
        "",
        NOT_NEGATIVE,
        "how many times larger the variance of `moves_mean` is than that of as many independent games",
    ),
];

/// Added when win rates of the file are estimated by splitting; all but the first are empty in the
/// rows of other games. The last is that of [`LANES`].
pub const SPLITTING: [Column; 4] = [
    text(
        "method",
        "how the win rate is estimated: `plain` (won games), `splitting` (weighted wins of games that are split), or `counted` (plain, with tiles counted for `tilelab curve`)",
    ),
    count(
        "replications",
        "",
        "independent replications of splitting: `games`; what the interval counts",
    ),
    text(
        "levels",
        "where games are split: `value×factor` for each level; a game with a number of at least the value (plus or minus) goes on `factor` times",
    ),
    LANES[3],
];

/// Added when rows of the file are matches, whose unit is a pair of games: `games`, `wins`, `draws`
/// and `losses` count pairs then, and the share of points is that of single games; empty in other
/// rows.
pub const MATCHES: [Column; 4] = [
    text(
        "match",
        "what decides the pairs of a match: `outcome`, or the name of a measure",
    ),
    text(
        "measure",
        "the measure that `value` and `difference` are of",
    ),
    number(
        "points_lo",
        "points",
        SHARE,
        "lower end of the interval of `points_mean` in a match: Student's t over the pairs and one more, half won and half lost; `points_mean` \
         itself where nothing is left to chance",
    ),
    number("points_hi", "points", SHARE, "its upper end"),
];

/// Added when a match of the file has a sequential test; in the unit of the tested mean, which is
/// the share of points, or the mean difference of a pair where a measure decides.
pub const TESTS: [Column; 5] = [
    number(
        "test_lower",
        "",
        [-NUMBER_MAX, NUMBER_MAX],
        "the mean for which the sequential test of a match says `lower`: the share of points, or the mean difference where a measure decides",
    ),
    number(
        "test_upper",
        "",
        [-NUMBER_MAX, NUMBER_MAX],
        "the mean for which it says `upper`",
    ),
    number(
        "estimate",
        "",
        [-NUMBER_MAX, NUMBER_MAX],
        "median-unbiased estimate of the tested mean, corrected for stopping",
    ),
    number(
        "estimate_lo",
        "",
        [-NUMBER_MAX, NUMBER_MAX],
        "lower end of its interval, corrected for stopping",
    ),
    number(
        "estimate_hi",
        "",
        [-NUMBER_MAX, NUMBER_MAX],
        "its upper end",
    ),
];

/// Added to every file.
pub const ADDED: [Column; 6] = [
    text(
        "stopped",
        "why the cell ended: `games` (all played), `precision`, `max-games`, `lower` or `upper` (the verdict of a sequential test) or `failed`",
    ),
    number(
        "win_pct_wilson_lo",
        "%",
        PERCENT,
        "lower end of Wilson's score interval of `win_pct` (one look); with effective games where games share trajectories",
    ),
    number("win_pct_wilson_hi", "%", PERCENT, "its upper end"),
    number(
        "moves_win_mean_lo",
        "moves",
        [-NUMBER_MAX, NUMBER_MAX],
        "lower end of Hall's interval of `moves_win_mean`, for a skew mean; empty below 10 wins (where games share trajectories, fewer \
         than that: (Σw)² / Σw² over the wins w of each trajectory)",
    ),
    number("moves_win_mean_hi", "moves", NOT_NEGATIVE, "its upper end"),
    number(
        "confidence",
        "",
        [0.5, 0.999_999],
        "confidence level of the intervals",
    ),
];

/// Added where a stopping rule may have ended a cell before its last game.
pub const MEDIAN_UNBIASED: Column = number(
    "win_pct_median_unbiased",
    "%",
    PERCENT,
    "the win rate that is as likely to have led to more as to less than `win_pct`, which is biased where the wins decided when to stop; \
     empty where games share trajectories or are split",
);

/// Added where it is not Clopper and Pearson's.
pub const INTERVAL: Column = text(
    "interval",
    "the interval of `win_pct` where it is not Clopper–Pearson's: `mid-p`",
);

/// The last column.
pub const ERROR: Column = text("error", "why the cell failed; empty where it did not");

/// The columns of `published.csv`: figures published elsewhere for cells of `cells.csv`.
pub const PUBLISHED: [Column; 7] = [
    LEADING[0],
    LEADING[1],
    games("games", "games behind the published figure"),
    games("wins", "how many of them were won"),
    number(
        "moves_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves as published",
    ),
    number(
        "moves_win_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves of won games as published",
    ),
    count(
        "lost_extra",
        "moves",
        "how many moves the published mean counts in a lost game beyond those made: 1 in 67!, whose authors count the last, unplayable \
         round; `moves_mean` of `cells.csv` is compared after as much is added; empty where it cannot be",
    ),
];

/// The columns of `times.csv`.
pub const TIMES: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    games("games", "games that the time was measured on"),
    count("moves", "moves", "their moves"),
    number(
        "seconds",
        "s",
        NOT_NEGATIVE,
        "time of threads on a processor",
    ),
    number(
        "ms_per_move",
        "ms",
        NOT_NEGATIVE,
        "time that one thread takes for a move",
    ),
];

/// The columns of `distributions.csv`: one row for each bin of each cell that has a game.
pub const DISTRIBUTIONS: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    count("lower", "moves", "least number of moves of the bin"),
    count(
        "upper",
        "moves",
        "largest number of moves of the bin: `lower` itself below 1,024 moves, at most 0.8 % more beyond",
    ),
    games("games", "games with so many moves"),
    games("wins", "how many of them were won"),
];

/// Columns that the report page adds where figures published elsewhere are known.
pub const COMPARED: [Column; 2] = [
    number(
        "published_win_pct",
        "%",
        PERCENT,
        "won games in percent as published elsewhere",
    ),
    number(
        "published_p",
        "",
        SHARE,
        "p-value of the hypothesis that both rates are the same: Fisher's test with the mid-p",
    ),
];

/// The names of columns.
#[must_use]
pub const fn names<const N: usize>(columns: &[Column; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = columns[at].name;
        at += 1;
    }
    names
}

/// All columns of `cells.csv` that do not depend on the game.
pub fn columns() -> impl Iterator<Item = &'static Column> {
    let added = TWO_PLAYERS
        .iter()
        .chain(&PLAYERS)
        .chain(&LANES)
        .chain(SPLITTING.iter().take(3))
        .chain(&MATCHES)
        .chain(&TESTS)
        .chain(&ADDED)
        .chain([&MEDIAN_UNBIASED, &INTERVAL]);
    LEADING.iter().chain(&RESULTS).chain(added).chain([&ERROR])
}

/// The description of a column that every file may have; `None` for parameters and measures of
/// games.
#[must_use]
pub fn known(name: &str) -> Option<&'static Column> {
    columns().find(|column| column.name == name)
}

/// Whether a column holds what a game measured: a mean, its error, or a percentage.
#[must_use]
fn is_measure(name: &str) -> bool {
    ["_mean", "_mean_se", "_pct"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Whether a column describes a cell beyond its table, key and seed: the game, a player, a
/// parameter.
#[must_use]
pub fn is_parameter(name: &str) -> bool {
    ["game", "player", "lanes", "method", MATCHES[0].name].contains(&name)
        || !is_measure(name)
            && !is_of_player(name)
            && known(name)
                .or(COMPARED.iter().find(|column| column.name == name))
                .is_none()
}

/// Whether a column holds the name or a parameter of one player; the column `player` says all of
/// them.
#[must_use]
pub fn is_of_player(name: &str) -> bool {
    PLAYERS.iter().any(|column| column.name == name)
        || PLAYER_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !is_measure(name)
}

impl Column {
    /// Whether a field, not empty, is of this column's type and within its range.
    ///
    /// # Errors
    /// Says what the field has to be.
    pub fn check(&self, field: &str) -> Result<(), String> {
        let number = match self.kind {
            Kind::Text => return Ok(()),
            Kind::Flag => {
                return field
                    .parse::<bool>()
                    .map(drop)
                    .map_err(|_| self.kind.expected().to_owned());
            }
            Kind::Count => field.parse::<u64>().ok().map(|count| count as f64),
            Kind::Integer => field.parse::<i64>().ok().map(|count| count as f64),
            Kind::Number => field
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite()),
        };
        let number = number.ok_or_else(|| self.kind.expected().to_owned())?;
        let [least, most] = self.range;
        if number < least || number > most {
            return Err(format!(
                "{} from {} to {}",
                self.kind.expected(),
                bound(least),
                bound(most)
            ));
        }
        Ok(())
    }
}

/// A bound for people: large ones are powers of two.
#[must_use]
pub fn bound(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if value.abs() < 1e15 {
        value.to_string()
    } else {
        format!("{sign}2^{}", value.abs().log2())
    }
}

/// Checks a field of `cells.csv` by the name of its column; parameters of games are not checked.
///
/// # Errors
/// Says what the field has to be.
pub fn check(name: &str, field: &str) -> Result<(), String> {
    match known(name) {
        Some(column) => column.check(field),
        None if is_measure(name) => number("", "", [-NUMBER_MAX, NUMBER_MAX], "").check(field),
        None => Ok(()),
    }
}

/// The kind of a column, where `parameter` knows the kinds of the games' parameters.
#[must_use]
pub fn kind(name: &str, parameter: &dyn Fn(&str) -> Option<Kind>) -> Kind {
    let measure = || is_measure(name).then_some(Kind::Number);
    known(name)
        .map(|column| column.kind)
        .or_else(|| parameter(name))
        .or_else(measure)
        .unwrap_or(Kind::Text)
}
