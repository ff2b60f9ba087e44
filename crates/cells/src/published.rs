//! `published.csv`: figures published elsewhere, beside the measured ones.

use super::cells::{Cells, Record};
use super::schema;
use std::collections::HashMap;
use std::path::Path;
use tilelab_stats::{fisher_mid_p, normal_two_sided_p};

/// The columns of `published.csv`.
pub const COLUMNS: [&str; 8] = schema::names(&schema::PUBLISHED);

/// The file `published.csv` of a results folder.
#[derive(Clone, Debug)]
pub struct Published {
    file: Cells,
    /// The row of each table and cell.
    rows: HashMap<(String, String), usize>,
}

/// The published figures of a cell compared with the measured ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Published rate in percent.
    pub win_pct: f64,
    /// Games behind the published rate.
    pub games: u64,
    /// Fisher's two-sided p-value for equal rates, with the mid-p.
    pub p_value: f64,
    /// Fisher's two-sided p-value for equal rates by the exact test.
    pub p_exact: f64,
    /// The published mean move count, where there is one.
    pub moves: Option<MeanComparison>,
    /// The published mean move count of won games, where there is one.
    pub moves_win: Option<MeanComparison>,
}

/// A published mean compared with the measured one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanComparison {
    /// The published mean.
    pub mean: f64,
    /// The two-sided p-value for equal means; `None` where the games are too few, or the two means
    /// do not count the same.
    pub p_value: Option<f64>,
}

/// Fewer games, published or measured, have no test of their mean: move counts are skew.
const MEAN_GAMES_MIN: f64 = 10.0;

impl Published {
    /// Reads the file; the last column may be missing.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::of(Cells::read(path, &COLUMNS[..COLUMNS.len() - 1])?)
    }

    /// The figures of a file that was read.
    ///
    /// # Errors
    /// As [`Published::read`].
    pub fn of(file: Cells) -> Result<Self, String> {
        file.check_fields(|name, field| {
            let column = schema::PUBLISHED.iter().find(|column| column.name == name);
            column.map_or(Ok(()), |column| column.check(field))
        })?;
        file.check_wins()?;
        let mut rows = HashMap::new();
        for (at, record) in file.records().enumerate() {
            rows.entry(record.owned_key()).or_insert(at);
        }
        Ok(Self { file, rows })
    }

    /// The published figures of a measured cell.
    pub fn figures(&self, row: &Record<'_>) -> Option<Record<'_>> {
        let at = self.rows.get(&row.owned_key())?;
        Some(self.file.record(*at))
    }

    /// The published wins and games of a measured cell, where there are games.
    pub fn wins(&self, row: &Record<'_>) -> Option<(u64, u64)> {
        let figures = self.figures(row)?;
        let games = figures.count("games").filter(|games| *games > 0)?;
        Some((figures.count("wins")?, games))
    }

    /// Compares the published figures of a cell with the measured ones.
    pub fn compare(&self, row: &Record<'_>) -> Option<Comparison> {
        let (wins, games) = self.wins(row)?;
        let figures = self.figures(row)?;
        let measured = row.effective_wins()?;
        let (p_value, p_exact) = match figures.get("win_pct") {
            Some(percent) => p_of_rounded(percent, (wins, games), measured),
            None => fisher_mid_p((wins, games), measured),
        };
        let mean = |name: &str, games: u64, measured: Option<Sample>| {
            let text = figures.get(name)?;
            let mean = text.parse().ok()?;
            let unit = unit(text);
            Some(MeanComparison {
                mean,
                p_value: measured.and_then(|sample| sample.p_value(mean, unit, games as f64)),
            })
        };
        let extra = figures.number("lost_extra");
        Some(Comparison {
            win_pct: wins as f64 * 100.0 / games as f64,
            games,
            p_value,
            p_exact,
            moves: mean(
                "moves_mean",
                games,
                extra.and_then(|extra| Sample::of_moves(row, extra)),
            ),
            moves_win: mean("moves_win_mean", wins, Sample::of_won_moves(row)),
        })
    }
}

/// The step of numbers that are written with as many decimals as this one.
pub fn unit(text: &str) -> f64 {
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX))
}

/// The most numbers of wins that are looked at.
const WINS_MOST: u64 = 21;

/// The p-values of a rate that is written in percent with few digits: the mean over the numbers of
/// wins that it may stand for, evenly spread where they are many.
fn p_of_rounded(percent: &str, (wins, games): (u64, u64), measured: (u64, u64)) -> (f64, f64) {
    let half = unit(percent) / 200.0 * games as f64;
    let rate = percent.parse::<f64>().unwrap_or_default() / 100.0;
    let least = (rate * games as f64 - half).max(0.0).ceil() as u64;
    let most = ((rate * games as f64 + half).floor() as u64).min(games);
    if least >= most {
        return fisher_mid_p((wins, games), measured);
    }
    let count = (most - least + 1).min(WINS_MOST);
    let step = (most - least) as f64 / (count - 1) as f64;
    let p_values = (0..count).map(|at| {
        let wins = least + (step * at as f64).round() as u64;
        fisher_mid_p((wins, games), measured)
    });
    let (mid, exact) = p_values.fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    (mid / count as f64, exact / count as f64)
}

/// A measured mean.
struct Sample {
    mean: f64,
    /// The squared standard error of the mean.
    error: f64,
    /// The variance of one game.
    variance: f64,
    games: f64,
}

impl Sample {
    /// The mean of moves after `extra` are added to each lost game.
    ///
    /// With M moves and W = 1 for a win, M + extra·(1 − W) has the variance
    /// var M + extra² p(1 − p) − 2 extra cov(M, W), where cov(M, W) = p (mean of won games − mean).
    fn of_moves(row: &Record<'_>, extra: f64) -> Option<Self> {
        let games = row.number("games")?;
        let rate = row.number("wins")? / games;
        let mean = row.number("moves_mean")?;
        let design = row.number("moves_design_effect").unwrap_or(1.0);
        let plain = row.number("moves_mean_se")?.powi(2) * games / design;
        let covariance = rate * (row.number("moves_win_mean").unwrap_or(mean) - mean);
        let variance =
            (plain + extra * extra * rate * (1.0 - rate) - 2.0 * extra * covariance).max(0.0);
        Some(Self {
            mean: mean + extra * (1.0 - rate),
            error: variance * design / games,
            variance,
            games,
        })
    }

    /// The mean of moves of won games.
    fn of_won_moves(row: &Record<'_>) -> Option<Self> {
        let games = row.number("wins")?;
        let error = row.number("moves_win_mean_se")?.powi(2);
        Some(Self {
            mean: row.number("moves_win_mean")?,
            error,
            variance: error * games,
            games,
        })
    }

    /// The two-sided p-value of the hypothesis that a mean over `games` other games has the same
    /// expectation.
    ///
    /// A published mean comes without its standard error; that of one game is taken from the
    /// measured games, which are many. It is rounded to a multiple of `unit`, which adds the
    /// variance unit²/12 of an even distribution. Normal approximation; `None` below ten games on a
    /// side.
    fn p_value(&self, mean: f64, unit: f64, games: f64) -> Option<f64> {
        let error = self.error + self.variance / games + unit.powi(2) / 12.0;
        let is_tested = games.min(self.games) >= MEAN_GAMES_MIN && error > 0.0;
        is_tested.then(|| normal_two_sided_p((mean - self.mean) / error.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_moves_are_compared_in_their_own_convention() {
        // 400 games: 100 won after 10 moves, 300 lost after 20; published with one more in lost
        // games.
        let mean = 17.5;
        let se = (100.0 * 300.0 / 400.0 * 100.0 / 399.0 / 400.0_f64).sqrt();
        let cells = format!(
            "table,cell,games,wins,moves_mean,moves_mean_se,moves_win_mean\nt,a,400,100,{mean},{se},10\n"
        );
        let cells = Cells::parse("c.csv", cells.as_bytes(), &[]).unwrap();
        let row = cells.record(0);
        let sample = Sample::of_moves(&row, 1.0).unwrap();
        // Won games count 10, lost ones 21: the distance between them grows from 10 to 11.
        assert!((sample.mean - 18.25).abs() < 1e-12);
        assert!(
            (sample.variance / (0.25 * 0.75 * 121.0) - 1.0).abs() < 3e-3,
            "{}",
            sample.variance
        );
        let published =
            "table,cell,games,wins,moves_mean,moves_win_mean,lost_extra\nt,a,100,25,18.25,,1\n";
        let published =
            Published::of(Cells::parse("p.csv", published.as_bytes(), &[]).unwrap()).unwrap();
        let found = published.compare(&row).unwrap();
        assert_eq!(
            found.moves,
            Some(MeanComparison {
                mean: 18.25,
                p_value: Some(1.0)
            })
        );
        assert_eq!((found.moves_win, found.p_exact), (None, 1.0));
        assert!(sample.p_value(25.0, 1.0, 100.0).unwrap() < 1e-6);
        assert!(sample.p_value(18.0, 1.0, 9.0).is_none());
    }

    /// 49 moves were published where 49.383 are measured: rounding alone explains as much.
    #[test]
    fn published_figures_are_rounded() {
        let sample = Sample {
            mean: 49.383,
            error: 1e-4,
            variance: 333.0,
            games: 1e6,
        };
        let p = |text: &str| sample.p_value(text.parse().unwrap(), unit(text), 1e4);
        assert!((p("49").unwrap() - 0.263).abs() < 2e-3, "{:?}", p("49"));
        assert!(
            (p("49.0000").unwrap() - 0.036).abs() < 1e-3,
            "{:?}",
            p("49.0000")
        );
        // 12 % of 10,000 games are 1,150 to 1,250 wins, 12.00 % are 1,200.
        let p = |percent: &str| p_of_rounded(percent, (1_200, 10_000), (125_000, 1_000_000)).0;
        assert_eq!(
            p("12.00"),
            fisher_mid_p((1_200, 10_000), (125_000, 1_000_000)).0
        );
        assert!(p("12") > p("12.00"), "{} {}", p("12"), p("12.00"));
    }
}
