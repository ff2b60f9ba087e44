//! The columns of every file that tilelab writes, one on each line: name, unit, range and what it
//! holds.

use super::{Column, GAMES_MAX, Kind, NUMBER_MAX};

const SHARE: [f64; 2] = [0.0, 1.0];
const PERCENT: [f64; 2] = [0.0, 100.0];
const NOT_NEGATIVE: [f64; 2] = [0.0, NUMBER_MAX];
const SIGNED: [f64; 2] = [-NUMBER_MAX, NUMBER_MAX];

const fn column(name: &'static str, kind: Kind, unit: &'static str, range: [f64; 2], help: &'static str) -> Column {
    Column { name, kind, unit, help, range }
}

const fn text(name: &'static str, help: &'static str) -> Column {
    column(name, Kind::Text, "", SIGNED, help)
}

const fn flag(name: &'static str, help: &'static str) -> Column {
    column(name, Kind::Flag, "", SHARE, help)
}

const fn number(name: &'static str, unit: &'static str, range: [f64; 2], help: &'static str) -> Column {
    column(name, Kind::Number, unit, range, help)
}

const fn percent(name: &'static str, help: &'static str) -> Column {
    number(name, "%", PERCENT, help)
}

const fn share(name: &'static str, help: &'static str) -> Column {
    number(name, "", SHARE, help)
}

pub(super) const fn signed(name: &'static str, help: &'static str) -> Column {
    number(name, "", SIGNED, help)
}

const fn moves(name: &'static str, help: &'static str) -> Column {
    number(name, "moves", NOT_NEGATIVE, help)
}

const fn integer(name: &'static str, unit: &'static str, range: [f64; 2], help: &'static str) -> Column {
    column(name, Kind::Integer, unit, range, help)
}

const fn count(name: &'static str, unit: &'static str, help: &'static str) -> Column {
    column(name, Kind::Count, unit, NOT_NEGATIVE, help)
}

const fn games(name: &'static str, help: &'static str) -> Column {
    column(name, Kind::Count, "games", [0.0, GAMES_MAX], help)
}

const CONFIDENCE: Column = number("confidence", "", [0.5, 0.999_999], "confidence level of the intervals");

/// The columns before the parameters.
pub const LEADING: [Column; 5] = [
    text("table", "title of the table"),
    text("cell", "key of the cell, as `tilelab replay --cell` takes it"),
    text("game", "name of the game"),
    text("player", "name and parameters of the player, `name` or `name(key=value,…)`; players of one game or match joined by ` / `"),
    count("seed", "", "master seed"),
];

/// The columns after the parameters.
pub const RESULTS: [Column; 13] = [
    games("games", "games played; where games share trajectories, every lane counts; with splitting, replications"),
    games("wins", "games won by the first player; with splitting, replications in which a game was won"),
    percent("win_pct", "won games in percent of the games played; with splitting, an estimate from weighted wins"),
    percent("win_pct_lo", "lower end of the interval of `win_pct`: Clopper–Pearson's; on effective counts (Korn–Graubard) where games share trajectories, Hall's where they are split, corrected where a stopping rule examined the cell more than once, `win_pct` itself where nothing is left to chance; corrected for stopping where a sequential test of the win rate ended the match"),
    percent("win_pct_hi", "upper end of the interval of `win_pct`; see `win_pct_lo`"),
    moves("moves_mean", "mean number of moves made in a game (in 67!, published means count one more for a lost game)"),
    moves("moves_mean_se", "standard error of `moves_mean`"),
    moves("moves_win_mean", "mean number of moves of won games"),
    moves("moves_win_mean_se", "standard error of `moves_win_mean`"),
    count("moves_p50", "moves", "median number of moves, to three significant digits"),
    count("moves_p90", "moves", "90 % of the games have at most this many moves, to three significant digits"),
    count("moves_p99", "moves", "99 % of the games have at most this many moves, to three significant digits"),
    count("moves_max", "moves", "largest number of moves"),
];

/// Added when a game of the file has two players, or is a match; empty in the rows of games for
/// one.
pub const TWO_PLAYERS: [Column; 4] = [
    games("draws", "games drawn"),
    games("losses", "games lost by the first player"),
    number("points_mean", "points", SHARE, "share of points of the first player: a win counts 1, a draw ½, a loss 0"),
    number("points_mean_se", "points", NOT_NEGATIVE, "standard error of `points_mean`"),
];

/// The players' names: the second is there when a game of the file has two players, or is a match.
pub const PLAYERS: [Column; 2] = [
    text("player_name", "name of the first player, without its parameters"),
    text("opponent", "name of the second player, without its parameters"),
];

/// Added when games of the file share trajectories of kinds; all but the first are empty in the
/// rows of games that do not.
pub const LANES: [Column; 5] = [
    count("lanes", "games", "games that share one sequence of tiles (a trajectory) and differ in their digits; 1 where none do"),
    games("trajectories", "trajectories played: `games` / `lanes`; the sampling unit of intervals and standard errors"),
    number("design_effect", "", NOT_NEGATIVE, "variance of `win_pct` divided by its variance for as many independent games"),
    number("effective_games", "games", [0.0, GAMES_MAX], "independent games that would give `win_pct` the same precision"),
    number("moves_design_effect", "", NOT_NEGATIVE, "variance of `moves_mean` divided by its variance for as many independent games"),
];

/// Added when win rates of the file are estimated by splitting; all but the first are empty in the
/// rows of other games. The last is that of [`LANES`].
pub const SPLITTING: [Column; 4] = [
    text("method", "how the win rate is estimated: `plain` (won games), `splitting` (weighted wins of games that are split), or `counted` (plain games whose tiles are counted for `tilelab curve`)"),
    count("replications", "", "independent replications of splitting, as many as `games`; the sampling unit of the interval"),
    text("levels", "where games are split: `value×factor` for each level; a game whose level reaches the value (in 67!, the largest absolute value of its numbers) is continued `factor` times"),
    LANES[3],
];

/// Added when rows of the file are matches, whose unit is a start that all players play: `games`,
/// `wins`, `draws` and `losses` count starts then, by the points of the first player against all
/// others, and the share of points is that of single games; empty in other rows.
pub const MATCHES: [Column; 4] = [
    text("match", "what decides the pairs of a match: `outcome`, or the name of a measure"),
    text("measure", "the measure that `value` and `difference` are of"),
    number("points_lo", "points", SHARE, "lower end of the interval of `points_mean` in a match: Student's t over the pairs and two more, one like the best of them and one like the worst; `points_mean` itself where nothing is left to chance"),
    number("points_hi", "points", SHARE, "upper end of the interval of `points_mean`; see `points_lo`"),
];

/// Added when a match of the file has a sequential test; in the unit of the tested mean, which is
/// the share of points, or the mean difference of a pair where a measure decides.
pub const TESTS: [Column; 5] = [
    signed("test_lower", "the mean for which the sequential test of a match says `lower`: the share of points, or the mean difference where a measure decides"),
    signed("test_upper", "the mean for which the sequential test of a match says `upper`"),
    signed("estimate", "median-unbiased estimate of the tested mean, corrected for stopping"),
    signed("estimate_lo", "lower end of the interval of `estimate`, corrected for stopping"),
    signed("estimate_hi", "upper end of the interval of `estimate`, corrected for stopping"),
];

/// The columns added to every file.
pub const ADDED: [Column; 6] = [
    text("stopped", "why the cell ended: `games` (all played), `precision`, `max-games`, `lower` or `upper` (the verdict of a sequential test) or `failed`"),
    percent("win_pct_wilson_lo", "lower end of Wilson's score interval of `win_pct`, not corrected for stopping; with effective games where games share trajectories"),
    percent("win_pct_wilson_hi", "upper end of Wilson's score interval of `win_pct`; see `win_pct_wilson_lo`"),
    number("moves_win_mean_lo", "moves", SIGNED, "lower end of Hall's interval of `moves_win_mean`, for skewed data, which below 20 wins also spans Student's; empty below 10 wins (where games share trajectories, below 10 effective wins: (Σw)² / Σw² over the wins w of each trajectory)"),
    moves("moves_win_mean_hi", "upper end of Hall's interval of `moves_win_mean`; see `moves_win_mean_lo`"),
    CONFIDENCE,
];

/// Added where a stopping rule may have ended a cell before its last game.
pub const MEDIAN_UNBIASED: Column = percent("win_pct_median_unbiased", "median-unbiased estimate of the win rate: the rate for which results above and below the observed one are equally likely; `win_pct` is biased where the wins decided when to stop; empty where games share trajectories or are split");

/// Added where the interval of the win rate is not Clopper and Pearson's.
pub const INTERVAL: Column = text("interval", "the interval of `win_pct` where it is not Clopper–Pearson's: `mid-p`");

/// Added where the first player of a row is a program.
pub const FORFEITS: [Column; 5] = [
    games("forfeited", "games (in matches, starts) that a player did not finish: its program crashed, ran out of time, chose an illegal move or wrote no answer; who forfeits loses, and the means leave out the moves and measures of the game or start"),
    games("forfeits_crash", "games that the player (the first of two) forfeited because its program ended; for matches of three or more players in `standings.csv`"),
    games("forfeits_timeout", "games that the player (the first of two) forfeited because it did not answer in time"),
    games("forfeits_illegal", "games that the player (the first of two) forfeited because it chose an illegal move"),
    games("forfeits_no_answer", "games that the player (the first of two) forfeited because what it wrote was no answer"),
];

/// Added where rows with programs have two players.
pub const OPPONENT_FORFEITS: [Column; 5] = [
    games("forfeited_by_both", "pairs of a match that both players forfeited: they count for neither"),
    games("forfeits_crash_opponent", "games that the second player forfeited because its program ended"),
    games("forfeits_timeout_opponent", "games that the second player forfeited because it did not answer in time"),
    games("forfeits_illegal_opponent", "games that the second player forfeited because it chose an illegal move"),
    games("forfeits_no_answer_opponent", "games that the second player forfeited because what it wrote was no answer"),
];

/// The last column.
pub const ERROR: Column = text("error", "why the cell failed; empty where it did not");

/// The columns of `published.csv`: figures published elsewhere for cells of `cells.csv`.
pub const PUBLISHED: [Column; 8] = [
    LEADING[0],
    LEADING[1],
    games("games", "games behind the published figure"),
    games("wins", "how many of the published games were won"),
    moves("moves_mean", "mean number of moves as published, with its digits"),
    moves("moves_win_mean", "mean number of moves of won games as published"),
    count("lost_extra", "moves", "moves that the published mean counts in a lost game beyond those made: 1 in 67!, whose authors count the last, unplayable round; they are added to `moves_mean` of `cells.csv` before it is compared; empty where that is not possible"),
    percent("win_pct", "the win rate as published, with its digits; empty where the wins were counted"),
];

/// The columns of `standings.csv`: the players of matches of three or more, and every two of them.
pub const STANDINGS: [Column; 27] = [
    LEADING[0],
    text("cell", "key of the cell; empty in rows of all cells of the table, each of the same weight"),
    text("player", "name and parameters of the player"),
    text("opponent", "name and parameters of the opponent, in rows of two players; empty in rows of a player against all others"),
    count("blocks", "starts", "starts that all players played"),
    count("wins", "meetings", "meetings of two players on a start that the player won"),
    count("draws", "meetings", "meetings that were drawn"),
    count("losses", "meetings", "meetings that the player lost"),
    number("points_mean", "points", SHARE, "share of the points that the player took from the opponent, or from all others"),
    number("points_lo", "points", SHARE, "lower end of the interval of `points_mean`: Student's t over the starts and two more, one like the best of them and one like the worst; `points_mean` itself where nothing is left to chance"),
    number("points_hi", "points", SHARE, "upper end of the interval of `points_mean`; see `points_lo`"),
    number("lead_mean", "points", [-1.0, 1.0], "share of the points that the player took from all others, minus the opponent's share"),
    number("lead_lo", "points", [-1.0, 1.0], "lower end of the interval of `lead_mean`, from the covariance of both players' points over starts"),
    number("lead_hi", "points", [-1.0, 1.0], "upper end of the interval of `lead_mean`; see `lead_lo`"),
    number("elo", "Elo", SIGNED, "Elo points (Bradley–Terry) above the mean of the rated players, or above the opponent; empty for players that took all points or none from the rated players"),
    number("elo_lo", "Elo", SIGNED, "lower end of the interval of `elo`, from the covariance of the players' points over starts"),
    number("elo_hi", "Elo", SIGNED, "upper end of the interval of `elo`; see `elo_lo`"),
    signed("value_mean", "mean of the measure of the match for the player: per game, in two-player games per pair of games"),
    signed("difference_mean", "mean difference of the measure in the meetings with the opponent, the player's minus the opponent's"),
    signed("difference_lo", "lower end of the interval of `difference_mean`: Student's t over the starts"),
    signed("difference_hi", "upper end of the interval of `difference_mean`; see `difference_lo`"),
    flag("rough", "whether fewer than 10 starts ended in another way for the player than most, so that its intervals cover less than their level"),
    CONFIDENCE,
    FORFEITS[1],
    FORFEITS[2],
    FORFEITS[3],
    FORFEITS[4],
];

/// The columns of `tilelab curve --format csv`.
pub const CURVE: [Column; 27] = [
    text("cell", "key of the cells without their operator rate"),
    share("operator_rate", "the operator rate that the figures are for"),
    number("effective_games", "games", NOT_NEGATIVE, "effective sample size: (Σw)² / Σw² over the weights w of the games"),
    percent("win_pct", "won games in percent; empty where the weights rest on too few games"),
    number("win_pct_se", "%", NOT_NEGATIVE, "standard error of `win_pct`"),
    percent("win_pct_lo", "lower end of the interval of `win_pct` at this rate"),
    percent("win_pct_hi", "upper end of the interval of `win_pct` at this rate"),
    percent("win_pct_band_lo", "lower end of the band of `win_pct` that covers all points of the curve at once"),
    percent("win_pct_band_hi", "upper end of the band of `win_pct` that covers all points of the curve at once"),
    signed("win_pct_slope", "derivative of the win rate by the operator rate: percentage points per 0.01; empty where the weights rest on too few games"),
    number("win_pct_slope_se", "", NOT_NEGATIVE, "standard error of `win_pct_slope`"),
    signed("win_pct_slope_lo", "lower end of the interval of `win_pct_slope` at this rate"),
    signed("win_pct_slope_hi", "upper end of the interval of `win_pct_slope` at this rate"),
    signed("win_pct_slope_band_lo", "lower end of the band of `win_pct_slope` that covers all points of the curve at once"),
    signed("win_pct_slope_band_hi", "upper end of the band of `win_pct_slope` that covers all points of the curve at once"),
    moves("moves_mean", "mean number of moves; empty where the weights rest on too few games"),
    moves("moves_mean_se", "standard error of `moves_mean`"),
    moves("moves_mean_lo", "lower end of the interval of `moves_mean` at this rate"),
    moves("moves_mean_hi", "upper end of the interval of `moves_mean` at this rate"),
    moves("moves_mean_band_lo", "lower end of the band of `moves_mean` that covers all points of the curve at once"),
    moves("moves_mean_band_hi", "upper end of the band of `moves_mean` that covers all points of the curve at once"),
    moves("moves_win_mean", "mean number of moves of won games; empty where the weights rest on too few games"),
    moves("moves_win_mean_se", "standard error of `moves_win_mean`"),
    moves("moves_win_mean_lo", "lower end of the interval of `moves_win_mean` at this rate"),
    moves("moves_win_mean_hi", "upper end of the interval of `moves_win_mean` at this rate"),
    moves("moves_win_mean_band_lo", "lower end of the band of `moves_win_mean` that covers all points of the curve at once"),
    moves("moves_win_mean_band_hi", "upper end of the band of `moves_win_mean` that covers all points of the curve at once"),
];

/// Added to the columns of `cells.csv` in `unfinished.csv`, which is there while cells have not
/// ended: it has a row for each cell of which games were played, or an empty one of the first.
pub const CELLS_PLANNED: Column = count("cells_planned", "cells", "rows that `cells.csv` will have when all cells have ended");

/// The columns of `times.csv`.
pub const TIMES: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    games("games", "games timed"),
    count("moves", "moves", "moves of the timed games"),
    number("seconds", "s", NOT_NEGATIVE, "processor time of the threads"),
    number("ms_per_move", "ms", NOT_NEGATIVE, "processor time of one thread per move"),
];

/// The columns of `distributions.csv`: one row for each bin of each cell that has a game.
pub const DISTRIBUTIONS: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    count("lower", "moves", "least number of moves of the bin"),
    count("upper", "moves", "largest number of moves of the bin: `lower` itself below 1,024 moves, at most 0.8 % more beyond"),
    games("games", "games in the bin"),
    games("wins", "how many games of the bin were won"),
];

/// Columns that the report page adds where figures published elsewhere are known.
pub const COMPARED: [Column; 2] = [
    percent("published_win_pct", "won games in percent as published elsewhere"),
    share("published_p", "p-value of the hypothesis that both rates are the same: Fisher's test with the mid-p"),
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
    percent("random_win_pct", "exact share of games in percent that the random player wins (only with `--chance`)"),
    text("solution", "a solution with the fewest moves, or `cannot be solved`"),
];

/// The answer of `exact`.
pub const EXACT: [Column; 12] = [
    text("cell", "key of the cell"),
    percent("win_pct", "won games in percent; empty if the limit of boards was reached; best play of a two-player game has `score_pct` instead, where a draw is half a win"),
    percent("win_pct_lo", "lower bound of `win_pct`; equal to it up to rounding if all games were followed to their end"),
    percent("win_pct_hi", "upper bound of `win_pct`"),
    percent("drawn_pct", "drawn games in percent, as far as games were followed to their end"),
    percent("unresolved_pct", "percent of the games that were not followed to their end"),
    moves("moves_mean", "mean number of moves of the games that were followed to their end"),
    moves("moves_sd", "standard deviation of the number of moves of the games that were followed to their end"),
    moves("moves_win_mean", "mean number of moves of won games"),
    moves("moves_win_sd", "standard deviation of the number of moves of won games"),
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
    percent("win_pct_a", "won games of A in percent; with pairs, of the games in pairs"),
    percent("win_pct_b", "won games of B in percent; with pairs, of the games in pairs"),
    number("win_pct_diff", "percentage points", [-100.0, 100.0], "`win_pct_b` minus `win_pct_a`"),
    number("win_pct_diff_lo", "percentage points", [-100.0, 100.0], "lower end of the interval of `win_pct_diff`"),
    number("win_pct_diff_hi", "percentage points", [-100.0, 100.0], "upper end of the interval of `win_pct_diff`"),
    share("win_pct_p", "p-value of the hypothesis that the rates are the same"),
    share("win_pct_p_exact", "p-value of the hypothesis that the rates are the same, by an exact test, where there is one"),
    share("win_pct_p_holm", "`win_pct_p` after Holm's correction for the number of differences"),
    number("win_pct_gain", "", [0.0, GAMES_MAX], "number of unpaired games that give the same precision as one paired game; only with pairs"),
    moves("moves_mean_a", "mean number of moves of A; with pairs, of the games in pairs"),
    moves("moves_mean_b", "mean number of moves of B; with pairs, of the games in pairs"),
    number("moves_mean_diff", "moves", SIGNED, "`moves_mean_b` minus `moves_mean_a`"),
    number("moves_mean_diff_lo", "moves", SIGNED, "lower end of the interval of `moves_mean_diff`"),
    number("moves_mean_diff_hi", "moves", SIGNED, "upper end of the interval of `moves_mean_diff`"),
    share("moves_mean_p", "p-value of the hypothesis that the means are the same"),
    share("moves_mean_p_exact", "empty: means have no exact test"),
    share("moves_mean_p_holm", "`moves_mean_p` after Holm's correction for the number of differences"),
    number("moves_mean_gain", "", [0.0, GAMES_MAX], "number of unpaired games that give the same precision as one paired game; only with pairs"),
    flag("different", "whether a p-value after Holm's correction is at most one minus the confidence level"),
    share("equivalence_p", "p-value of the hypothesis that the rates differ by the margin or more (only with `--margin`)"),
    share("equivalence_p_holm", "`equivalence_p` after Holm's correction"),
    text("measure", "the measure that is compared; empty without `--measure` and where a cell has none"),
    signed("measure_mean_a", "mean of the measure over the games of A; with pairs, over those in pairs"),
    signed("measure_mean_b", "mean of the measure over the games of B; with pairs, over those in pairs"),
    signed("measure_mean_diff", "`measure_mean_b` minus `measure_mean_a`"),
    signed("measure_mean_diff_lo", "lower end of the interval of `measure_mean_diff`"),
    signed("measure_mean_diff_hi", "upper end of the interval of `measure_mean_diff`"),
    share("measure_mean_p", "p-value of the hypothesis that the means are the same"),
    share("measure_mean_p_exact", "empty: means have no exact test"),
    share("measure_mean_p_holm", "`measure_mean_p` after Holm's correction for the number of differences"),
    number("measure_mean_gain", "", [0.0, GAMES_MAX], "number of unpaired games that give the same precision as one paired game; only with pairs"),
];

/// The learning curves of `learn`: a row for each point of each set of rules.
pub const LEARNING: [Column; 17] = [
    text("rules", "game and rules, as the key of a cell has them"),
    count("seed", "", "master seed"),
    games("games", "games learned so far"),
    count("moves", "moves", "moves made in the games learned so far"),
    games("learned_games", "games learned since the row before"),
    percent("learned_win_pct", "won games in percent of `learned_games`, as the learning player plays"),
    percent("learned_win_pct_lo", "lower end of the interval of `learned_win_pct`: Clopper–Pearson's"),
    percent("learned_win_pct_hi", "upper end of the interval of `learned_win_pct`; see `learned_win_pct_lo`"),
    games("test_games", "test games played after these, without learning; the same ones in each row of a set of rules"),
    percent("test_win_pct", "won games in percent of `test_games`"),
    percent("test_win_pct_lo", "lower end of the interval of `test_win_pct`: Clopper–Pearson's"),
    percent("test_win_pct_hi", "upper end of the interval of `test_win_pct`; see `test_win_pct_lo`"),
    number("test_score_mean", "points", SIGNED, "mean score of the test games; empty in games without scores"),
    number("test_score_mean_lo", "points", SIGNED, "lower end of the interval of `test_score_mean`: Student's t over the games"),
    number("test_score_mean_hi", "points", SIGNED, "upper end of the interval of `test_score_mean`; see `test_score_mean_lo`"),
    CONFIDENCE,
    number("seconds", "s", NOT_NEGATIVE, "training time so far, on one thread, without the test games"),
];

/// `games.parquet` and `games.csv`, a row for every game: these columns, then the measures of the
/// games as whole numbers, empty where a game does not have them, then [`POSITION`] if asked for.
pub const GAME_ROWS: [Column; 5] = [
    LEADING[0],
    text("cell", "key of the cell"),
    count("game_index", "", "number of the game in its cell, from 0, as `tilelab replay --game` takes it"),
    text("outcome", "won, drawn or lost, seen from seat 0; void for a pair that both players forfeited"),
    count("moves", "moves", "moves made"),
];

/// Added to files with programs among the players.
pub const FORFEIT: Column = text("forfeit", "who did not finish the game and why, such as `player timeout` or `opponent crash`; in matches for both games, joined by `, `");

/// The last column of files with positions.
pub const POSITION: Column = text("position", "last position, as JSON (`--per-game=positions`)");
