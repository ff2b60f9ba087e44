//! The columns of tables that are no part of a results folder: those of `tournament`, `match`,
//! `solve`, `exact`, `compare` and `learn`.

use super::schema::{Column, GAMES_MAX, Kind, NOT_NEGATIVE, NUMBER_MAX, PERCENT, SHARE, count, games, number, text};

const SIGNED: [f64; 2] = [-NUMBER_MAX, NUMBER_MAX];
/// 0 and 1, as the columns of a table of two players are numbered.
const SEAT: [f64; 2] = [0.0, 1.0];

/// A column of whole numbers of either sign.
const fn integer(name: &'static str, unit: &'static str, range: [f64; 2], help: &'static str) -> Column {
    Column { name, kind: Kind::Integer, unit, help, range }
}

/// A column of counts up to a bound.
const fn small(name: &'static str, range: [f64; 2], help: &'static str) -> Column {
    Column { name, kind: Kind::Count, unit: "", help, range }
}

/// Both players of a game of a series or tournament.
pub const PLAYERS: [Column; 2] = [
    text("player0", "player 0, `name` or `name(key=value,…)`; its columns end in 0, whoever begins"),
    text("player1", "player 1 likewise"),
];

const WINNER: Column = text("winner", "who won: `0` (player 0), `1` (player 1) or `draw`");

/// What a game of Offset adds.
pub const OFFSET: [Column; 8] = [
    small("d", [5.0, 61.0], "the sum p + q of both players' pairs"),
    small("p0", [1.0, 60.0], "first number of the pair of player 0"),
    small("q0", [1.0, 60.0], "second number of the pair of player 0"),
    small("p1", [1.0, 60.0], "first number of the pair of player 1"),
    small("q1", [1.0, 60.0], "second number of the pair of player 1"),
    WINNER,
    integer("score0", "coins", SIGNED, "final score of player 0"),
    integer("score1", "coins", SIGNED, "final score of player 1"),
];

/// What a game of the multiplication game adds in a series.
pub const ZERO_SUM_SERIES: [Column; 8] = [
    small("start", [8.0, 18.0], "the number at the start"),
    small("beginner", SEAT, "who multiplied first: player 0 or 1"),
    WINNER,
    integer("score0", "points", SIGNED, "final score of player 0"),
    integer("score1", "points", SIGNED, "final score of player 1"),
    count("moves", "moves", "moves made"),
    count("nodes0", "", "positions that player 0 visited"),
    count("nodes1", "", "positions that player 1 visited"),
];

/// What a game of the multiplication game adds in a tournament.
pub const ZERO_SUM_TOURNAMENT: [Column; 7] = {
    let [start, beginner, _, score0, score1, moves, nodes0, nodes1] = ZERO_SUM_SERIES;
    [start, beginner, score0, score1, moves, nodes0, nodes1]
};

/// The cross table of a tournament: a row for each pair of players.
pub const CROSS: [Column; 10] = [
    text("player", "the player whose view the row is, `name` or `name(key=value,…)`"),
    text("opponent", "whom it met"),
    games("games", "games of the two"),
    games("wins", "games that `player` won"),
    games("draws", "games drawn"),
    games("losses", "games that `player` lost"),
    count("units", "", "boards, each with both seatings: what the interval counts"),
    number("difference_mean", "coins or points", SIGNED, "mean score of `player` less that of `opponent`"),
    number("difference_lo", "coins or points", SIGNED, "lower end of its interval: Student's t over the units"),
    number("difference_hi", "coins or points", SIGNED, "its upper end"),
];

/// The history of the multiplication game: a row for each game of `match --history`.
pub const HISTORY: [Column; 8] = [
    text("result", "how the game ended for player 0: `won`, `drawn` or `lost`"),
    small("start", [8.0, 18.0], "the number at the start"),
    count("nodes", "", "positions that player 0 visited"),
    number("move_ms", "ms", NOT_NEGATIVE, "mean time of player 0 for a move"),
    text("algorithm", "player 0, `name` or `name(key=value,…)`"),
    text("opponent", "player 1 likewise"),
    small("beginner", SEAT, "who multiplied first: player 0 or 1"),
    text("time", "when the game ended, UTC, as in 2026-11-21T05:00:00Z"),
];

/// A level of Calculator and its solutions.
pub const LEVELS: [Column; 11] = [
    count("level", "", "number of the level"),
    integer("start", "", SIGNED, "first display"),
    integer("goal", "", SIGNED, "the display to reach"),
    count("moves", "moves", "how many moves may be spent"),
    text("buttons", "the buttons, separated by blanks"),
    text("portal", "the digit positions of the portal, counted from the right; empty without one"),
    text("solutions", "`none`, `some`, or with `--all` how many there are"),
    count("states", "", "positions that the search visited"),
    number("ms", "ms", NOT_NEGATIVE, "time of the search"),
    number(
        "random_win_pct",
        "%",
        PERCENT,
        "exact share of games in percent that the random player wins (only with `--chance`)",
    ),
    text("solution", "a solution with the fewest moves, or `cannot be solved`"),
];

/// The answer of `exact`.
pub const EXACT: [Column; 11] = [
    text("cell", "key of the cell"),
    number("win_pct", "%", PERCENT, "won games in percent; empty where the limit of boards was reached"),
    number(
        "win_pct_lo",
        "%",
        PERCENT,
        "at least so many percent are won; `win_pct` but for rounding where nothing was cut off",
    ),
    number("win_pct_hi", "%", PERCENT, "at most so many percent are won"),
    number("unresolved_pct", "%", PERCENT, "games in percent that were not followed to their end"),
    number("moves_mean", "moves", NOT_NEGATIVE, "mean number of moves of the games that were"),
    number("moves_sd", "moves", NOT_NEGATIVE, "its standard deviation over games"),
    number("moves_win_mean", "moves", NOT_NEGATIVE, "mean number of moves of won games"),
    number("moves_win_sd", "moves", NOT_NEGATIVE, "its standard deviation over won games"),
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
    text("analysis", "how the cells are compared, as the notes under the table explain it"),
    games("games_a", "games of cell A"),
    games("games_b", "games of cell B"),
    games("games_paired", "pairs of games; empty where games are not paired"),
    number("win_pct_a", "%", PERCENT, "won games of A in percent; with pairs, of those in pairs"),
    number("win_pct_b", "%", PERCENT, "the same of B"),
    number("win_pct_diff", "percentage points", [-100.0, 100.0], "their difference"),
    number("win_pct_diff_lo", "percentage points", [-100.0, 100.0], "lower end of its interval"),
    number("win_pct_diff_hi", "percentage points", [-100.0, 100.0], "its upper end"),
    number("win_pct_p", "", SHARE, "p-value of the hypothesis that the rates are the same"),
    number("win_pct_p_exact", "", SHARE, "the same by an exact test, where there is one"),
    number("win_pct_p_holm", "", SHARE, "p-value after Holm's correction for the number of differences"),
    number(
        "win_pct_gain",
        "",
        [0.0, GAMES_MAX],
        "how many times as many games apart would give the same precision; only with pairs",
    ),
    number("moves_mean_a", "moves", NOT_NEGATIVE, "mean number of moves of A; with pairs, of the games in pairs"),
    number("moves_mean_b", "moves", NOT_NEGATIVE, "the same of B"),
    number("moves_mean_diff", "moves", SIGNED, "their difference"),
    number("moves_mean_diff_lo", "moves", SIGNED, "lower end of its interval"),
    number("moves_mean_diff_hi", "moves", SIGNED, "its upper end"),
    number("moves_mean_p", "", SHARE, "p-value of the hypothesis that the means are the same"),
    number("moves_mean_p_exact", "", SHARE, "empty: means have no exact test"),
    number("moves_mean_p_holm", "", SHARE, "p-value after Holm's correction for the number of differences"),
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
    number("equivalence_p_holm", "", SHARE, "the same after Holm's correction"),
    text("measure", "the measure that is compared; empty without `--measure` and where a cell has none"),
    number("measure_mean_a", "", SIGNED, "its mean over the games of A; with pairs, over those in pairs"),
    number("measure_mean_b", "", SIGNED, "the same of B"),
    number("measure_mean_diff", "", SIGNED, "their difference"),
    number("measure_mean_diff_lo", "", SIGNED, "lower end of its interval"),
    number("measure_mean_diff_hi", "", SIGNED, "its upper end"),
    number("measure_mean_p", "", SHARE, "p-value of the hypothesis that the means are the same"),
    number("measure_mean_p_exact", "", SHARE, "empty: means have no exact test"),
    number("measure_mean_p_holm", "", SHARE, "p-value after Holm's correction for the number of differences"),
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
    number("learned_win_pct", "%", PERCENT, "of these, won games in percent, as the learning player plays"),
    number("learned_win_pct_lo", "%", PERCENT, "lower end of its interval: Clopper–Pearson's"),
    number("learned_win_pct_hi", "%", PERCENT, "its upper end"),
    games("test_games", "games played without learning after that; the same ones in each row of a set"),
    number("test_win_pct", "%", PERCENT, "of these, won games in percent"),
    number("test_win_pct_lo", "%", PERCENT, "lower end of its interval: Clopper–Pearson's"),
    number("test_win_pct_hi", "%", PERCENT, "its upper end"),
    number("test_score_mean", "points", SIGNED, "mean score of these games; empty in games without scores"),
    number("test_score_mean_lo", "points", SIGNED, "lower end of its interval: Student's t over the games"),
    number("test_score_mean_hi", "points", SIGNED, "its upper end"),
    number("confidence", "", [0.5, 0.999_999], "confidence level of the intervals"),
    number("seconds", "s", NOT_NEGATIVE, "time of learning so far, on one thread, without the games played to test"),
];
