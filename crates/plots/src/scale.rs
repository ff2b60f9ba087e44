//! From values to pixels, and where ticks stand: the one place that makes scales, ticks and their
//! labels, for the files, the report and the page.

use serde::Serialize;
use tilelab_cells::cells::Record;
use tilelab_cells::figures::significant;

/// Height of the strip below a logarithmic scale in which values of 0 stand.
const ZEROS: f64 = 22.0;
/// How far from the edge of the frame they stand in it, as a share.
const ZERO_AT: f64 = 0.35;
/// More characters make a number of a tick too wide.
const TICK_MAX: usize = 9;

/// The length of an axis of the report, whose size is known to the browser alone.
pub const PAGE: f64 = 320.0;
/// How far apart the ticks of such an axis are at least.
pub const PAGE_APART: f64 = 44.0;

/// A scale from values to pixels.
#[derive(Clone, Debug)]
pub struct Scale {
    lo: f64,
    hi: f64,
    log: bool,
    from: f64,
    to: f64,
    /// The edge of the frame: beyond `from` where values of 0 have a strip of their own.
    foot: f64,
}

/// A figure with its interval, which may be the figure alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The figure.
    pub value: f64,
    /// The lower end of the interval.
    pub lo: f64,
    /// The upper end of the interval.
    pub hi: f64,
}

/// The columns of a win rate with its interval.
pub const WIN_RATE: [&str; 3] = ["win_pct", "win_pct_lo", "win_pct_hi"];

/// A scale without a place on a screen: what it spans, and its ticks with their labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// The lowest value of the axis.
    pub lo: f64,
    /// The highest value of the axis.
    pub hi: f64,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Round values with their labels.
    pub ticks: Vec<(f64, String)>,
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

/// Whether figures can only be told apart on a logarithmic scale, on which most of them have a
/// place.
pub fn suits_log(figures: impl Iterator<Item = f64> + Clone) -> bool {
    let positive = figures.clone().filter(|figure| *figure > 0.0);
    let [least, most] = ends(positive.clone());
    most >= 100.0 * least && positive.count() * 2 >= figures.count()
}

/// The least and the largest of some values; the wrong way round where there is none.
pub fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold(
        [f64::INFINITY, f64::NEG_INFINITY],
        |[least, most], value| [least.min(value), most.max(value)],
    )
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

/// The value at a share of the way from one to another, on an axis that may be logarithmic.
pub fn between([lo, hi]: [f64; 2], log: bool, share: f64) -> f64 {
    if log {
        lo * (hi / lo).powf(share)
    } else {
        lo + (hi - lo) * share
    }
}

/// The upper end of a linear scale: `hi`, or for nothing but `lo` one above it; beyond 2⁵³,
/// `lo` + 1 is `lo`.
fn above(lo: f64, hi: f64) -> f64 {
    if hi > lo {
        hi
    } else if lo.abs() < 1e15 {
        lo + 1.0
    } else {
        lo + lo.abs()
    }
}

/// Ready axes for figures of which any may be shown: one that holds all of them, and narrower ones
/// for `parts` of them, which are indexes; linear ones, and where no figure is below 0 logarithmic
/// ones too. `None` stands for a figure that is not known.
pub fn axes<'a>(
    spans: &[Option<Span>],
    most: f64,
    parts: impl Iterator<Item = Vec<usize>> + 'a,
) -> Vec<Axis> {
    let mut found: Vec<Axis> = Vec::new();
    let is_positive = spans.iter().flatten().all(|span| span.value >= 0.0);
    for part in std::iter::once((0..spans.len()).collect()).chain(parts) {
        let part: Vec<Span> = part.iter().filter_map(|&at| spans[at]).collect();
        let has_log = is_positive && part.iter().any(|span| span.value > 0.0);
        for log in [Some(false), has_log.then_some(true)].into_iter().flatten() {
            let axis = Scale::holding(&part, log, most, 0.0, PAGE).axis(PAGE_APART);
            if !part.is_empty() && !found.contains(&axis) {
                found.push(axis);
            }
        }
    }
    found
}

impl Span {
    /// A figure with its interval from three fields of a row; `None` where one of them is missing.
    pub fn of(row: &Record<'_>, names: [&str; 3]) -> Option<Self> {
        let [value, lo, hi] = row.numbers(names)?;
        Some(Self { value, lo, hi })
    }

    /// The figure, then `unit`, then the interval where it is not a point.
    pub fn text(&self, unit: &str) -> String {
        let [value, lo, hi] = [self.value, self.lo, self.hi].map(number_text);
        if self.lo < self.hi {
            format!("{value}{unit} ({lo}–{hi})")
        } else {
            value + unit
        }
    }

    /// A figure without an interval.
    pub const fn point(value: f64) -> Self {
        Self {
            value,
            lo: value,
            hi: value,
        }
    }
}

impl Scale {
    fn new([lo, hi]: [f64; 2], log: bool, from: f64, to: f64) -> Self {
        Self {
            lo,
            hi,
            log,
            from,
            to,
            foot: from,
        }
    }

    /// A linear scale whose ends are round numbers at or beyond `lo` and `hi`.
    pub fn linear(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        let hi = above(lo, hi);
        let step = round_step(hi - lo, 5.0);
        // Rounding may leave an end a little inside.
        let ends = [
            ((lo / step).floor() * step).min(lo),
            ((hi / step).ceil() * step).max(hi),
        ];
        Self::new(ends, false, from, to)
    }

    /// A linear scale from exactly `lo` to exactly `hi`.
    pub fn exact(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        Self::new([lo, above(lo, hi)], false, from, to)
    }

    /// A logarithmic scale from `lo` to `hi`, both above 0.
    pub fn log(lo: f64, hi: f64, from: f64, to: f64) -> Self {
        let hi = if hi > lo { hi } else { lo * 10.0 };
        Self::new([lo, hi], true, from, to)
    }

    /// The scale of figures that are at most `most`, which holds all of them and their intervals: a
    /// linear one, from 0 where that costs little, or if `log` and there is a figure above 0 a
    /// logarithmic one. On that, figures of 0 stand in a strip, and intervals may reach down to 0.
    /// The width of the strip is in pixels, and so are `from` and `to` where a figure may be 0.
    pub fn holding(spans: &[Span], log: bool, most: f64, from: f64, to: f64) -> Self {
        let figures = || spans.iter().flat_map(|span| [span.value, span.lo, span.hi]);
        let [least, highest] = ends(figures());
        let [lowest, _] = ends(figures().filter(|figure| *figure > 0.0));
        if log && lowest <= highest {
            let mut scale = Self::log(
                lowest * 0.8,
                (highest * 1.15).min(most).max(highest),
                from,
                to,
            );
            if spans.iter().any(|span| span.value <= 0.0) {
                scale.from += ZEROS * (to - from).signum();
            }
            return scale;
        }
        if spans.is_empty() {
            return Self::linear(0.0, 1.0, from, to);
        }
        let from_zero = least >= 0.0 && least < 0.4 * highest;
        Self::linear(if from_zero { 0.0 } else { least }, highest, from, to)
    }

    /// Whether the scale is logarithmic.
    pub const fn is_log(&self) -> bool {
        self.log
    }

    /// The pixels of the edges of the scale's frame, the lower one first.
    pub const fn ends(&self) -> [f64; 2] {
        [self.foot, self.to]
    }

    /// The pixel of the scale's lowest value, where values of 0 have a strip beyond it.
    pub fn zeros_edge(&self) -> Option<f64> {
        (self.from != self.foot).then_some(self.from)
    }

    /// Whether a value has a place on the scale.
    pub fn holds(&self, value: f64) -> bool {
        let slack = if self.log { self.lo } else { self.hi - self.lo };
        (self.lo - 1e-8 * slack..=self.hi + 1e-8 * (self.hi - self.lo)).contains(&value)
            || self.zeros_edge().is_some() && value == 0.0
    }

    /// The pixel of a value, which the scale holds: nothing is moved to an end.
    pub fn at(&self, value: f64) -> f64 {
        debug_assert!(self.holds(value), "{value} is outside {self:?}");
        if self.log && value == 0.0 {
            return self.foot + (self.from - self.foot) * ZERO_AT;
        }
        let share = if self.log {
            (value / self.lo).ln() / (self.hi / self.lo).ln()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        self.from + share * (self.to - self.from)
    }

    /// The pixel of the lower end of an interval; the edge of the frame where it reaches down to 0
    /// and the scale does not.
    pub fn at_lower_end(&self, lo: f64) -> f64 {
        if self.log && lo <= 0.0 {
            self.foot
        } else {
            self.at(lo)
        }
    }

    /// The axis of the scale: what it spans, with ticks at most about one every `apart` pixels.
    pub fn axis(&self, apart: f64) -> Axis {
        Axis {
            lo: self.lo,
            hi: self.hi,
            log: self.log,
            ticks: self.ticks(apart),
        }
    }

    /// Round values to mark, at most about one every `apart` pixels, with their labels.
    pub fn ticks(&self, apart: f64) -> Vec<(f64, String)> {
        let values = self.round_values(apart);
        let step = values.windows(2).map(|pair| pair[1] - pair[0]);
        let step = step.fold(f64::INFINITY, f64::min);
        let mut labels: Vec<String> = values.iter().map(|value| number_text(*value)).collect();
        // Numbers for people may have too few digits to tell close ticks apart.
        if labels.windows(2).any(|pair| pair[0] == pair[1]) {
            let digits = (-step.log10().floor()).clamp(0.0, 17.0) as usize;
            let exact = |value: &f64| format!("{value:.digits$}");
            labels = values.iter().map(exact).collect();
        }
        for (label, value) in labels.iter_mut().zip(&values) {
            if label.chars().count() > TICK_MAX {
                let powers = format!("{value:e}");
                if powers.len() < label.len() {
                    *label = powers;
                }
            }
        }
        values.into_iter().zip(labels).collect()
    }

    fn round_values(&self, apart: f64) -> Vec<f64> {
        let fitting = ((self.to - self.from).abs() / apart).max(2.0);
        let evenly = || -> Vec<f64> {
            let step = round_step(self.hi - self.lo, fitting);
            let first = (self.lo / step - 1e-9).ceil() as i64;
            let last = (self.hi / step + 1e-9).floor() as i64;
            let tick = |i| (i as f64 * step).max(self.lo).min(self.hi);
            (first..=last).map(tick).collect()
        };
        if !self.log {
            return evenly();
        }
        let decades = (self.hi / self.lo).log10();
        let every = (decades / fitting).ceil().max(1.0) as usize;
        let ticks = |digits: &[f64]| -> Vec<f64> {
            (self.lo.log10().floor() as i32..=self.hi.log10().ceil() as i32)
                .step_by(every)
                .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
                .filter(|tick| (self.lo * (1.0 - 1e-9)..=self.hi * (1.0 + 1e-9)).contains(tick))
                .collect()
        };
        let powers = ticks(&[1.0]);
        // Two ticks do not show that a scale is logarithmic.
        if decades * 3.0 > fitting && (powers.len() >= 3 || every > 1) {
            return powers;
        }
        let found = ticks(&[1.0, 2.0, 5.0]);
        if found.len() >= 2 { found } else { evenly() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round_and_inside() {
        for (scale, apart, expected) in [
            (Scale::linear(3.0, 17.0, 0.0, 400.0), 60.0, "0 5 10 15 20"),
            (Scale::log(0.02, 30.0, 0.0, 400.0), 60.0, "0.1 1 10"),
            (Scale::log(3.0, 60.0, 0.0, 400.0), 60.0, "5 10 20 50"),
            (Scale::log(2.0, 100.0, 0.0, 100.0), 60.0, "2 5 10 20 50 100"),
            // No power of ten, and none of its halves and fifths, is between.
            (Scale::log(2.1, 4.5, 0.0, 400.0), 100.0, "3 4"),
            // Numbers for people have one decimal here.
            (
                Scale::exact(200.0, 200.1, 0.0, 400.0),
                150.0,
                "200.00 200.05 200.10",
            ),
        ] {
            let ticks = scale.ticks(apart);
            let labels: Vec<&str> = ticks.iter().map(|(_, label)| label.as_str()).collect();
            assert_eq!(labels.join(" "), expected, "{scale:?}");
        }
    }

    #[test]
    fn values_land_where_they_belong() {
        let scale = Scale::log(0.01, 100.0, 400.0, 0.0);
        assert!((scale.at(1.0) - 200.0).abs() < 1e-9);
        assert!(!scale.holds(0.0) && !scale.holds(101.0) && !scale.holds(0.009));
        assert_eq!(scale.at_lower_end(0.0), 400.0);
        assert_eq!(Scale::exact(0.0, 10.0, 0.0, 100.0).at(2.5), 25.0);
        // The last round value is beyond the end by a rounding.
        let scale = Scale::linear(-391.799_098_256_951_4, -391.799_088_056_719, 20.0, 300.0);
        let mut ticks = scale.ticks(36.0).into_iter();
        assert!(ticks.all(|(tick, _)| (scale.lo..=scale.hi).contains(&tick)));
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

    /// Figures of every magnitude with intervals of every width, some of them 0.
    fn spans() -> impl Strategy<Value = Vec<Span>> {
        let magnitude = prop_oneof![
            Just(0.0),
            (-6.0..6.0f64).prop_map(|power| 10f64.powf(power))
        ];
        let width = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64];
        let span = (magnitude, width.clone(), width).prop_map(|(value, below, above)| Span {
            value,
            lo: value * (1.0 - below),
            hi: value + above * value.max(1e-3),
        });
        proptest::collection::vec(span, 1..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        /// The old scales ended at the last tick below the data, or at a thirtieth of a rate.
        #[test]
        fn no_figure_and_no_interval_is_outside_its_scale(
            spans in spans(),
            shift in prop_oneof![Just(0.0), -1e3..1e3f64],
            log: bool,
            turned: bool,
        ) {
            let shift = if log { 0.0 } else { shift };
            let spans: Vec<Span> = spans
                .iter()
                .map(|span| Span {
                    value: span.value + shift,
                    lo: span.lo + shift,
                    hi: span.hi + shift,
                })
                .collect();
            let [from, to] = if turned { [300.0, 20.0] } else { [20.0, 300.0] };
            let scale = Scale::holding(&spans, log, f64::INFINITY, from, to);
            let inside = |pixel: f64| (20.0 - 1e-6..=300.0 + 1e-6).contains(&pixel);
            let mut places: Vec<(f64, f64)> = Vec::new();
            for span in &spans {
                let ends = [scale.at_lower_end(span.lo), scale.at(span.value), scale.at(span.hi)];
                prop_assert!(ends.iter().all(|pixel| inside(*pixel)), "{span:?} {scale:?}");
                places.extend([(span.value, ends[1]), (span.hi, ends[2])]);
            }
            // What is apart stands apart, and in order: an end that takes in what is beyond it
            // would put different values into one place.
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in places.windows(2) {
                let [(a, at_a), (b, at_b)] = [pair[0], pair[1]];
                let apart = (at_b - at_a) * (to - from).signum();
                prop_assert!(apart >= -1e-6, "{a} {b} {scale:?}");
                let part = if scale.is_log() { (b - a) / b.max(f64::MIN_POSITIVE) } else { (b - a) / (scale.hi - scale.lo) };
                prop_assert!(part < 1e-6 || apart > 0.0, "{a} {b} {scale:?}");
            }
            let ticks = scale.ticks(36.0);
            prop_assert!(ticks.len() >= 2, "{ticks:?} {scale:?}");
            prop_assert!(ticks.iter().all(|(at, _)| inside(scale.at(*at))), "{ticks:?}");
            for pair in ticks.windows(2) {
                prop_assert!(pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1, "{ticks:?}");
            }
        }
    }
}
