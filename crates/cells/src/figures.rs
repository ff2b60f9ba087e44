//! Figures of rows as text, and what is said of them.

use super::cells::Record;

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

/// A number to this many significant digits, without trailing zeros.
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
        stopped.then_some("corrected for repeated looks in cells with a stopping rule"),
        certain.then_some("without an interval where nothing is left to chance"),
    ];
    texts.into_iter().flatten()
}
