//! From values to pixels, and where ticks stand.

use tilelab_cells::figures::significant;

/// A scale from values to pixels.
#[derive(Clone, Debug)]
pub struct Scale {
    lo: f64,
    hi: f64,
    log: bool,
    from: f64,
    to: f64,
}

/// An interval behind a figure; nothing where it is a point.
pub fn range_text(lo: f64, hi: f64) -> String {
    if lo < hi {
        format!(" ({}–{})", number_text(lo), number_text(hi))
    } else {
        String::new()
    }
}

/// A number for people: no more digits than needed, thousands apart by thin spaces, large powers of
/// ten in words of SI.
pub fn number_text(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 1e6 {
        let (scaled, unit) = if magnitude >= 1e9 {
            (value / 1e9, " G")
        } else {
            (value / 1e6, " M")
        };
        return format!("{}{unit}", (scaled * 1000.0).round() / 1000.0);
    }
    if magnitude >= 1e4 {
        let whole = value.round() as i64;
        return format!("{}\u{202f}{:03}", whole / 1000, (whole % 1000).abs());
    }
    if magnitude > 0.0 && magnitude < 1e-4 {
        return significant(value, 3);
    }
    let digits = if magnitude >= 100.0 {
        1
    } else if magnitude >= 1.0 {
        3
    } else {
        6
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether figures from `least` (above 0) to `most` can only be told apart on a logarithmic scale.
pub fn suits_log(least: f64, most: f64) -> bool {
    most >= 100.0 * least
}

/// The round step (1, 2 or 5 times a power of ten) that cuts `range` into about `count` parts.
fn round_step(range: f64, count: f64) -> f64 {
    let raw = range / count;
    let power = 10f64.powf(raw.log10().floor());
    power
        * [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|step| raw <= step * power * 1.0001)
            .unwrap_or(10.0)
}

/// The upper end of a scale for nothing but `lo`; beyond 2⁵³, `lo` + 1 is `lo`.
fn above(lo: f64) -> f64 {
    if lo.abs() < 1e15 {
        lo + 1.0
    } else {
        lo + lo.abs()
    }
}

impl Scale {
    /// A linear scale whose ends are round numbers at or beyond `lo` and `hi`.
    pub fn linear(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        let hi = if hi > lo { hi } else { above(lo) };
        let step = round_step(hi - lo, 5.0);
        Self {
            lo: (lo / step).floor() * step,
            hi: (hi / step).ceil() * step,
            log: false,
            from,
            to,
        }
    }

    /// A linear scale from exactly `lo` to exactly `hi`.
    pub fn exact(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        Self {
            lo,
            hi: if hi > lo { hi } else { above(lo) },
            log: false,
            from,
            to,
        }
    }

    /// A logarithmic scale from `lo` to `hi`, both above 0.
    pub fn log(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        Self {
            lo,
            hi: if hi > lo { hi } else { lo * 10.0 },
            log: true,
            from,
            to,
        }
    }

    /// Whether the scale is logarithmic.
    pub const fn is_log(&self) -> bool {
        self.log
    }

    /// The pixels of its lowest and its highest value.
    pub const fn ends(&self) -> [f64; 2] {
        [self.from, self.to]
    }

    /// The pixel of a value; values beyond the ends stand at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(self.lo).ln() - self.lo.ln()) / (self.hi.ln() - self.lo.ln())
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values to mark, at most about one every `apart` pixels.
    pub fn ticks(&self, apart: f64) -> Vec<f64> {
        let fitting = ((self.to - self.from).abs() / apart).max(2.0);
        if !self.log {
            let step = round_step(self.hi - self.lo, fitting);
            let first = (self.lo / step - 1e-9).ceil() as i64;
            let last = (self.hi / step + 1e-9).floor() as i64;
            return (first..=last).map(|i| i as f64 * step).collect();
        }
        let decades = (self.hi / self.lo).log10();
        let digits: &[f64] = if decades * 3.0 <= fitting {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let every = if decades > fitting {
            (decades / fitting).ceil() as usize
        } else {
            1
        };
        let ticks = |digits: &[f64]| -> Vec<f64> {
            (self.lo.log10().floor() as i32..=self.hi.log10().ceil() as i32)
                .step_by(every)
                .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
                .filter(|tick| (self.lo * 0.9999..=self.hi * 1.0001).contains(tick))
                .collect()
        };
        let found = ticks(digits);
        // Two ticks do not show that a scale is logarithmic.
        if found.len() < 3 && every == 1 {
            ticks(&[1.0, 2.0, 5.0])
        } else {
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            Scale::linear(3.0, 17.0, 0.0, 400.0).ticks(60.0),
            [0.0, 5.0, 10.0, 15.0, 20.0]
        );
        assert_eq!(
            Scale::log(0.02, 30.0, 0.0, 400.0).ticks(60.0),
            [0.1, 1.0, 10.0]
        );
        assert_eq!(
            Scale::log(3.0, 60.0, 0.0, 400.0).ticks(60.0),
            [5.0, 10.0, 20.0, 50.0]
        );
        assert_eq!(
            Scale::log(2.0, 100.0, 0.0, 100.0).ticks(60.0),
            [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        );
    }

    #[test]
    fn values_land_where_they_belong() {
        let scale = Scale::log(0.01, 100.0, 400.0, 0.0);
        assert!((scale.at(1.0) - 200.0).abs() < 1e-9);
        assert_eq!((scale.at(0.0), scale.at(1e9)), (400.0, 0.0));
        assert_eq!(Scale::exact(0.0, 10.0, 0.0, 100.0).at(2.5), 25.0);
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0003, "0.0003"),
            (3.7e-7, "0.00000037"),
            (12.5, "12.5"),
            (100.0, "100"),
            (12_345.6, "12\u{202f}346"),
            (2.5e6, "2.5 M"),
            (0.0, "0"),
        ] {
            assert_eq!(number_text(value), text);
        }
    }
}
