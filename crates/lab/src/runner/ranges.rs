//! Sets of game indices as sorted, disjoint ranges.

use std::ops::Range;

/// A set of game indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<Range<u64>>);

/// Ranges of which no two share an index; some may be empty.
impl FromIterator<Range<u64>> for Ranges {
    fn from_iter<T: IntoIterator<Item = Range<u64>>>(ranges: T) -> Self {
        let mut set = Self::default();
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        ranges.for_each(|range| set.insert(range));
        set
    }
}

impl Ranges {
    /// The set of these ranges, which must be ascending, disjoint and not empty.
    pub fn from_sorted(ranges: &[(u64, u64)]) -> Option<Self> {
        let ascending = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let proper = ranges.iter().all(|(start, end)| start < end);
        (ascending && proper).then(|| ranges.iter().map(|&(start, end)| start..end).collect())
    }

    /// The ranges as pairs of start and end.
    pub fn pairs(&self) -> Vec<(u64, u64)> {
        self.0
            .iter()
            .map(|range| (range.start, range.end))
            .collect()
    }

    /// Adds a range that shares no index with the set.
    pub fn insert(&mut self, range: Range<u64>) {
        let at = self.0.partition_point(|known| known.start < range.start);
        self.0.insert(at, range);
        // A batch touches at most its two neighbours.
        for left in [at, at.saturating_sub(1)] {
            if left + 1 < self.0.len() && self.0[left].end >= self.0[left + 1].start {
                self.0[left].end = self.0[left].end.max(self.0[left + 1].end);
                self.0.remove(left + 1);
            }
        }
    }

    /// The first index.
    pub fn first(&self) -> Option<u64> {
        self.0.first().map(|range| range.start)
    }

    /// Takes the first indices out, at most `most` of them and without a gap; `None` when there are
    /// none to take.
    pub fn take(&mut self, most: u64) -> Option<Range<u64>> {
        let first = self.0.first_mut().filter(|_| most > 0)?;
        let taken = first.start..first.end.min(first.start.saturating_add(most));
        first.start = taken.end;
        if first.is_empty() {
            self.0.remove(0);
        }
        Some(taken)
    }

    /// The indices of `whole` that are not in the set.
    fn missing_from(&self, whole: Range<u64>) -> Self {
        let mut missing = Vec::new();
        let mut start = whole.start;
        for range in &self.0 {
            if start < range.start.min(whole.end) {
                missing.push(start..range.start.min(whole.end));
            }
            start = start.max(range.end);
        }
        if start < whole.end {
            missing.push(start..whole.end);
        }
        Self(missing)
    }

    /// The indices of the set that are not in another.
    pub fn without(&self, other: &Self) -> Self {
        let ranges = self.iter();
        Self(
            ranges
                .flat_map(|range| other.missing_from(range).0)
                .collect(),
        )
    }

    /// The indices of the set that lie in `whole`.
    pub fn within(&self, whole: &Range<u64>) -> Self {
        let ranges = self.0.iter();
        ranges
            .map(|range| range.start.max(whole.start)..range.end.min(whole.end))
            .collect()
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.0.iter().cloned()
    }

    /// Number of indices.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_when_they_touch() {
        let mut set = Ranges::default();
        for range in [0..5, 5..7, 10..20, 30..40, 20..30, 50..60, 40..50, 7..10] {
            set.insert(range);
        }
        assert_eq!(set.pairs(), [(0, 60)]);
    }

    #[test]
    fn what_is_missing_is_the_complement() {
        let set = Ranges::from_sorted(&[(5, 10), (20, 30)]).unwrap();
        let mut missing = set.missing_from(0..40);
        assert_eq!(missing.pairs(), [(0, 5), (10, 20), (30, 40)]);
        assert_eq!((missing.take(3), missing.take(3)), (Some(0..3), Some(3..5)));
        assert_eq!(missing.count(), 20);
        assert_eq!((missing.first(), missing.take(0)), (Some(10), None));
        assert_eq!(set.missing_from(7..25).pairs(), [(10, 20)]);
        assert_eq!(set.missing_from(0..4).pairs(), [(0, 4)]);
        assert_eq!(Ranges::from_sorted(&[(5, 10), (10, 30)]), None);
        let other = Ranges::from_sorted(&[(0, 6), (8, 22), (29, 40)]).unwrap();
        assert_eq!(set.without(&other).pairs(), [(6, 8), (22, 29)]);
        assert_eq!(set.without(&set), Ranges::default());
        assert_eq!(set.within(&(7..25)).pairs(), [(7, 10), (20, 25)]);
        assert!(set.within(&(10..20)).is_empty());
    }
}
