//! Figures of rows as text, and what is said of rows and of their files.

use super::cells::{Cells, Record};
use super::schema::INTERVAL;

/// Whether nothing is left to chance in a cell: its interval is the point.
pub fn is_certain(row: &Record<'_>) -> bool {
    let bounds = row.numbers(["win_pct_lo", "win_pct_hi"]);
    bounds.is_some_and(|[lo, hi]| lo == hi)
}

/// Whether a stopping rule chose the number of games of a cell.
pub fn is_stopped(row: &Record<'_>) -> bool {
    matches!(row.get("stopped"), Some("precision" | "max-games"))
}

/// The different values, in order of appearance.
pub fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

impl Cells {
    /// The titles of the tables, in order.
    pub fn titles(&self) -> Vec<&str> {
        distinct(self.records().map(|record| record.key().0))
    }

    /// The name of the interval that win rates of independent games have, for people.
    pub fn interval_name(&self) -> &'static str {
        let mut records = self.records();
        if records.any(|record| record.get(INTERVAL.name) == Some("mid-p")) {
            "mid-p"
        } else {
            "Clopper–Pearson"
        }
    }

    /// The confidence level in percent, for people.
    pub fn confidence_text(&self) -> String {
        let level = self
            .records()
            .find_map(|record| record.number("confidence"));
        level.map_or_else(String::new, |level| {
            format!("{} %", (level * 1e8).round() / 1e6)
        })
    }
}

/// Decimals that show a spread above 0 to two significant digits.
pub fn decimals(spread: f64) -> usize {
    if spread <= 0.0 {
        2
    } else {
        (1.0 - spread.log10().floor()).clamp(0.0, 15.0) as usize
    }
}

/// A figure with its interval, to the precision of the interval; only what is 0 is written as 0.
pub fn with_interval(value: f64, lo: f64, hi: f64) -> String {
    let digits = digits(value, lo, hi);
    format!("{value:.digits$} {}", brackets(value, lo, hi))
}

/// The interval of [`with_interval`] without the figure.
pub fn brackets(value: f64, lo: f64, hi: f64) -> String {
    let digits = digits(value, lo, hi);
    format!("[{lo:.digits$}, {hi:.digits$}]")
}

fn digits(value: f64, lo: f64, hi: f64) -> usize {
    let seen = |number: f64| {
        if number == 0.0 {
            0
        } else {
            (-number.abs().log10().floor()).clamp(0.0, 15.0) as usize
        }
    };
    decimals((hi - lo) / 2.0).max(seen(value)).max(seen(lo))
}

/// A mean with Student's interval; alone where it has no error.
pub fn mean_with_interval(row: &Record<'_>, name: &str) -> String {
    let Some(mean) = row.number(name) else {
        return "–".to_owned();
    };
    let Some(estimate) = row.mean(name).filter(|estimate| estimate.se > 0.0) else {
        return significant(mean, 6);
    };
    let interval = estimate.interval(row.number("confidence").unwrap_or(0.95));
    with_interval(mean, interval.lo, interval.hi)
}

/// A number to `digits` significant digits, without trailing zeros.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = usize::try_from(digits - 1).unwrap_or(0);
    let rounded: f64 = format!("{value:.digits$e}")
        .parse()
        .expect("a number in scientific form reads back");
    rounded.to_string()
}

/// A p-value; below the smallest normal number floating point has lost the figure.
pub fn p_text(p: f64) -> String {
    match p {
        _ if p < 1e-300 => "< 1e-300".to_owned(),
        _ if p < 0.001 => format!("{p:.0e}"),
        _ => format!("{p:.3}"),
    }
}

/// Where the intervals of win rates are not the plain ones.
pub fn exceptions<'a>(
    rows: impl Iterator<Item = Record<'a>>,
) -> impl Iterator<Item = &'static str> {
    let mut stopped = false;
    let mut certain = false;
    for row in rows {
        certain |= is_certain(&row);
        stopped |= !is_certain(&row) && is_stopped(&row);
    }
    let texts = [
        stopped.then_some("corrected for repeated examination in cells with a stopping rule"),
        certain.then_some("without an interval where nothing is left to chance"),
    ];
    texts.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zero_is_written_as_zero() {
        for (value, lo, hi, text) in [
            (0.00037, 0.00034, 0.0004, "0.000370 [0.000340, 0.000400]"),
            (
                0.0001,
                0.000_002_5,
                0.000_557,
                "0.000100 [0.000003, 0.000557]",
            ),
            (1.0, 0.025_3, 5.446, "1.00 [0.03, 5.45]"),
            (0.0, 0.0, 3.6217, "0.0 [0.0, 3.6]"),
            (27.07, 26.98, 27.16, "27.070 [26.980, 27.160]"),
        ] {
            assert_eq!(with_interval(value, lo, hi), text);
        }
        for (row, text) in [
            ("100,,20,0.04,0.95", "20.000 [19.921, 20.079]"),
            ("100,,20,0.04,0.99", "20.00 [19.89, 20.11]"),
            ("1600,100,0.04,0.0004,0.95", "0.04000 [0.03921, 0.04079]"),
            ("3,,20,1,0.95", "20.0 [15.7, 24.3]"),
            ("100,,3,0,0.95", "3"),
            ("1,,3,,0.95", "3"),
            ("0,,,,0.95", "–"),
        ] {
            let row = format!("games,trajectories,moves_mean,moves_mean_se,confidence\n{row}\n");
            let cells = Cells::parse("x.csv", row.as_bytes(), &[]).unwrap();
            assert_eq!(mean_with_interval(&cells.record(0), "moves_mean"), text);
        }
    }
}
