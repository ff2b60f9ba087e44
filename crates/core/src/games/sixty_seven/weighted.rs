//! Tiles that appear with whole weights, and their text form.
//!
//! As text, tiles are separated by `;`, each followed by `:` and its weight unless that is 1:
//! `+:3;-:2;*`. The canonical form is in order, without tiles of weight 0, and its weights have no
//! common divisor.

use crate::text::join;

/// The largest weight.
pub const WEIGHT_MAX: u64 = 1000;

/// Tiles of one kind with their weights, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted<T> {
    entries: Vec<(T, u64)>,
    total: u64,
}

impl<T: Ord> Weighted<T> {
    /// These tiles by their weights, in ascending order; `None` if a tile is repeated, a weight is
    /// above [`WEIGHT_MAX`], or no tile has a weight above 0.
    fn new(mut entries: Vec<(T, u64)>) -> Option<Self> {
        entries.sort_unstable();
        let fits = entries.is_sorted_by(|a, b| a.0 < b.0)
            && entries.iter().all(|(_, weight)| *weight <= WEIGHT_MAX);
        entries.retain(|(_, weight)| *weight > 0);
        let weights = entries.iter().map(|(_, weight)| *weight);
        let divisor = weights.reduce(common_divisor).filter(|_| fits)?;
        entries
            .iter_mut()
            .for_each(|(_, weight)| *weight /= divisor);
        let total = entries.iter().map(|(_, weight)| weight).sum();
        Some(Self { entries, total })
    }

    /// Tiles that are equally likely.
    ///
    /// # Panics
    /// Panics if there is none, or a tile is repeated.
    pub fn equal(tiles: impl IntoIterator<Item = T>) -> Self {
        let entries = tiles.into_iter().map(|tile| (tile, 1)).collect();
        Self::new(entries).expect("different tiles")
    }

    /// Reads tiles in the text form; `None` if it is not one.
    pub(super) fn parse(text: &str, tile: impl Fn(&str) -> Option<T>) -> Option<Self> {
        let entry = |text: &str| {
            let (name, weight) = text.trim().split_once(':').unwrap_or((text.trim(), "1"));
            Some((tile(name.trim_end())?, weight.trim_start().parse().ok()?))
        };
        Self::new(text.split(';').map(entry).collect::<Option<_>>()?)
    }

    /// The text form, of tiles with these names.
    pub(super) fn text<N: ToString>(&self, name: impl Fn(&T) -> N) -> String {
        let of = |(tile, weight): &(T, u64)| match weight {
            1 => name(tile).to_string(),
            weight => format!("{}:{weight}", name(tile).to_string()),
        };
        join(self.entries.iter().map(of), ";")
    }
}

/// The greatest one, by Euclid.
fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl<T> Weighted<T> {
    /// The sum of the weights.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Whether all tiles are equally likely.
    pub const fn is_equal(&self) -> bool {
        self.total == self.entries.len() as u64
    }

    /// The place of the tile that a number below [`Weighted::total`] draws.
    #[inline]
    pub fn place(&self, number: u64) -> usize {
        if self.is_equal() {
            return number as usize;
        }
        let mut left = number;
        let below = |(_, weight): &(T, u64)| {
            let is_below = left < *weight;
            left = left.wrapping_sub(*weight);
            is_below
        };
        let place = self.entries.iter().position(below);
        place.expect("a number below the total")
    }

    /// The tiles, in ascending order.
    pub fn tiles(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator + Clone {
        self.entries.iter().map(|(tile, _)| tile)
    }

    /// The tiles with their weights.
    pub fn entries(&self) -> &[(T, u64)] {
        &self.entries
    }

    /// The tile at a place.
    ///
    /// # Panics
    /// Panics if there is none.
    #[inline]
    pub fn at(&self, place: usize) -> &T {
        &self.entries[place].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_canonical() {
        for (text, canonical) in [
            ("3:4;1:2", Some("1;3:2")),
            (" 7 : 0 ;-5", Some("-5")),
            ("1:1000;2", Some("1:1000;2")),
            ("1:1001", None),
            ("1;1", None),
            ("1;1:0", None),
            ("1:0", None),
            ("", None),
            ("1;;2", None),
            ("1:-1", None),
        ] {
            let read = Weighted::<i64>::parse(text, |name| name.parse().ok());
            let read = read.map(|tiles| tiles.text(|tile| *tile));
            assert_eq!(read.as_deref(), canonical, "{text}");
        }
    }

    #[test]
    fn tiles_are_drawn_by_their_weights() {
        let tiles = Weighted::parse("1:3;2;9:2", |name| name.parse::<i64>().ok()).unwrap();
        let drawn: Vec<usize> = (0..tiles.total())
            .map(|number| tiles.place(number))
            .collect();
        assert_eq!(drawn, [0, 0, 0, 1, 2, 2]);
        assert_eq!(Weighted::equal([4, 2]).place(1), 1);
    }
}
