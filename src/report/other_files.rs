//! The columns of tables that are no part of a results folder: those of `solve`, `exact`, `compare`
//! and `learn`.

use super::schema::{
    Column, GAMES_MAX, Kind, NOT_NEGATIVE, NUMBER_MAX, PERCENT, SHARE, count, games, number, text,
};

const SIGNED: [f64; 2] = [-NUMBER_MAX, NUMBER_MAX];

/// A column of whole numbers of either sign.
const fn integer(
    name: &'static str,
    unit: &'static str,
    range: [f64; 2],
    help: &'static str,
) -> Column {
    Column {
        name,
        kind: Kind::Integer,
        unit,
        help,
        range,
    }
}

/// A level of Calculator and its solutions.
pub const LEVELS: [Column; 11] = [
    count("level", "", "number of the level"),
    integer("start", "", SIGNED, "first display"),
    integer("goal", "", SIGNED, "the display to reach"),
    count("moves", "moves", "how many moves may be spent"),
    text("buttons", "the buttons, separated by blanks"),
    text(
        "portal",
        "the digit positions of the portal, counted from the right; empty without one",
    ),
    text(
        "solutions",
        "`none`, `some`, or with `--all` how many there are",
    ),
    count("states", "", "positions that the search visited"),
    number("ms", "ms", NOT_NEGATIVE, "time of the search"),
    number(
        "random_win_pct",
        "%",
        PERCENT,
        "exact share of games in percent that the random player wins (only with `--chance`)",
    ),
    text(
        "solution",
        "a solution with the fewest moves, or `cannot be solved`",
    ),
];

/// The answer of `exact`.
pub const EXACT: [Column; 11] = [
    text("cell", "key of the cell"),
    number(
        "win_pct",
        "%",
        PERCENT,
        "won games in percent; empty where the limit of boards was reached",
    ),
    number(
        "win_pct_lo",
        "%",
        PERCENT,
        "at least so many percent are won; `win_pct` but for rounding where nothing was cut off",
    ),
    number(
        "win_pct_hi",
        "%",
        PERCENT,
        "at most so many percent are won",
    ),
    number(
        "unresolved_pct",
        "%",
        PERCENT,
        "games in percent that were not followed to their end",
    ),
    number(
        "moves_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves of the games that were",
    ),
    number(
        "moves_sd",
        "moves",
        NOT_NEGATIVE,
        "its standard deviation over games",
    ),
    number(
        "moves_win_mean",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves of won games",
    ),
    number(
        "moves_win_sd",
        "moves",
        NOT_NEGATIVE,
        "its standard deviation over won games",
    ),
    count("boards", "", "boards that were computed"),
    count("boards_peak", "", "most boards held at once"),
];

/// A comparison of two cells; differences are B less A.
pub const COMPARISON: [Column; 40] = [
    text("table", "title of the table of cell A"),
    text("cell_a", "key of cell A"),
    text("cell_b", "key of cell B"),
    count("seed_a", "", "master seed of cell A"),
    count("seed_b", "", "master seed of cell B"),
    text(
        "analysis",
        "how the cells are compared, as the notes under the table explain it",
    ),
    games("games_a", "games of cell A"),
    games("games_b", "games of cell B"),
    games(
        "games_paired",
        "pairs of games; empty where games are not paired",
    ),
    number(
        "win_pct_a",
        "%",
        PERCENT,
        "won games of A in percent; with pairs, of those in pairs",
    ),
    number("win_pct_b", "%", PERCENT, "the same of B"),
    number(
        "win_pct_diff",
        "percentage points",
        [-100.0, 100.0],
        "their difference",
    ),
    number(
        "win_pct_diff_lo",
        "percentage points",
        [-100.0, 100.0],
        "lower end of its interval",
    ),
    number(
        "win_pct_diff_hi",
        "percentage points",
        [-100.0, 100.0],
        "its upper end",
    ),
    number(
        "win_pct_p",
        "",
        SHARE,
        "p-value of the hypothesis that the rates are the same",
    ),
    number(
        "win_pct_p_exact",
        "",
        SHARE,
        "the same by an exact test, where there is one",
    ),
    number(
        "win_pct_p_holm",
        "",
        SHARE,
        "p-value after Holm's correction for the number of differences",
    ),
    number(
        "win_pct_gain",
        "",
        [0.0, GAMES_MAX],
        "how many times as many games apart would give the same precision; only with pairs",
    ),
    number(
        "moves_mean_a",
        "moves",
        NOT_NEGATIVE,
        "mean number of moves of A; with pairs, of the games in pairs",
    ),
    number("moves_mean_b", "moves", NOT_NEGATIVE, "the same of B"),
    number("moves_mean_diff", "moves", SIGNED, "their difference"),
    number(
        "moves_mean_diff_lo",
        "moves",
        SIGNED,
        "lower end of its interval",
    ),
    number("moves_mean_diff_hi", "moves", SIGNED, "its upper end"),
    number(
        "moves_mean_p",
        "",
        SHARE,
        "p-value of the hypothesis that the means are the same",
    ),
    number(
        "moves_mean_p_exact",
        "",
        SHARE,
        "empty: means have no exact test",
    ),
    number(
        "moves_mean_p_holm",
        "",
        SHARE,
        "p-value after Holm's correction for the number of differences",
    ),
    number(
        "moves_mean_gain",
        "",
        [0.0, GAMES_MAX],
        "how many times as many games apart would give the same precision; only with pairs",
    ),
    Column {
        name: "different",
        kind: Kind::Flag,
        unit: "",
        help: "whether a corrected p-value is at most one minus the confidence level",
        range: SHARE,
    },
    number(
        "equivalence_p",
        "",
        SHARE,
        "p-value of the hypothesis that the rates differ by the margin or more (only with `--margin`)",
    ),
    number(
        "equivalence_p_holm",
        "",
        SHARE,
        "the same after Holm's correction",
    ),
    text(
        "measure",
        "the measure that is compared; empty without `--measure` and where a cell has none",
    ),
    number(
        "measure_mean_a",
        "",
        SIGNED,
        "its mean over the games of A; with pairs, over those in pairs",
    ),
    number("measure_mean_b", "", SIGNED, "the same of B"),
    number("measure_mean_diff", "", SIGNED, "their difference"),
    number(
        "measure_mean_diff_lo",
        "",
        SIGNED,
        "lower end of its interval",
    ),
    number("measure_mean_diff_hi", "", SIGNED, "its upper end"),
    number(
        "measure_mean_p",
        "",
        SHARE,
        "p-value of the hypothesis that the means are the same",
    ),
    number(
        "measure_mean_p_exact",
        "",
        SHARE,
        "empty: means have no exact test",
    ),
    number(
        "measure_mean_p_holm",
        "",
        SHARE,
        "p-value after Holm's correction for the number of differences",
    ),
    number(
        "measure_mean_gain",
        "",
        [0.0, GAMES_MAX],
        "how many times as many games apart would give the same precision; only with pairs",
    ),
];

/// The learning curves of `learn`: a row for each point of each set of rules.
pub const LEARNING: [Column; 17] = [
    text("rules", "game and rules, as the key of a cell has them"),
    count("seed", "", "master seed"),
    games("games", "games learned so far"),
    count("moves", "moves", "moves made in them"),
    games("learned_games", "games learned since the row before"),
    number(
        "learned_win_pct",
        "%",
        PERCENT,
        "of these, won games in percent, as the learning player plays",
    ),
    number(
        "learned_win_pct_lo",
        "%",
        PERCENT,
        "lower end of its interval: Clopper–Pearson's",
    ),
    number("learned_win_pct_hi", "%", PERCENT, "its upper end"),
    games(
        "test_games",
        "games played without learning after that; the same ones in each row of a set",
    ),
    number(
        "test_win_pct",
        "%",
        PERCENT,
        "of these, won games in percent",
    ),
    number(
        "test_win_pct_lo",
        "%",
        PERCENT,
        "lower end of its interval: Clopper–Pearson's",
    ),
    number("test_win_pct_hi", "%", PERCENT, "its upper end"),
    number(
        "test_score_mean",
        "points",
        SIGNED,
        "mean score of these games; empty in games without scores",
    ),
    number(
        "test_score_mean_lo",
        "points",
        SIGNED,
        "lower end of its interval: Student's t over the games",
    ),
    number("test_score_mean_hi", "points", SIGNED, "its upper end"),
    number(
        "confidence",
        "",
        [0.5, 0.999_999],
        "confidence level of the intervals",
    ),
    number(
        "seconds",
        "s",
        NOT_NEGATIVE,
        "time of learning so far, on one thread, without the games played to test",
    ),
];
