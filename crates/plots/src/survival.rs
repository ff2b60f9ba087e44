//! The share of games that last longer than each number of moves, for the page.

use super::scale::{Axis, PAGE, PAGE_APART, Scale, between};
use serde::Serialize;
use std::collections::BTreeSet;
use tilelab_cells::cells::Cells;
use tilelab_cells::distributions::{Bin, Distributions};
use tilelab_stats::wilson;

/// Move counts of a curve: more cannot be told apart on a screen.
const POINTS: usize = 160;

/// The curves of all cells, over the same move counts.
#[derive(Clone, Debug, Serialize)]
pub struct Curves {
    /// Ascending move counts.
    pub moves: Vec<u64>,
    /// Axes of moves, each of which holds some of the curves, the first all of them.
    pub axes: Vec<Axis>,
    /// The axis of the share that is left, in percent.
    pub share: Axis,
    /// The curves.
    pub cells: Vec<Curve>,
}

/// The curve of a cell.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// The cell.
    pub row: usize,
    /// The games that last longer than each move count, in percent; ends at the first 0.
    pub longer: Vec<f64>,
    /// The lower end of Wilson's interval of each share, in percent; empty where games share a
    /// trajectory.
    pub lo: Vec<f64>,
    /// The upper end of Wilson's interval of each share, in percent; empty where games share a
    /// trajectory.
    pub hi: Vec<f64>,
}

/// The curves of all cells with a distribution.
pub fn curves(cells: &Cells, distributions: &Distributions) -> Curves {
    let of_rows = cells.records().map(|row| distributions.of_record(&row));
    let known: Vec<(usize, &[Bin])> = of_rows
        .enumerate()
        .filter(|(_, bins)| !bins.is_empty())
        .collect();
    let bins = || known.iter().flat_map(|(_, bins)| *bins);
    let least = bins().map(|bin| bin.lower).min().unwrap_or(0);
    let most = bins().map(|bin| bin.upper).max().unwrap_or(0);
    let log = least >= 1 && most > 12 * least;
    let place = |point: usize| {
        let share = point as f64 / (POINTS - 1) as f64;
        between([least, most].map(|moves| moves as f64), log, share).round() as u64
    };
    // Before the first game ends, all of them last.
    let mut moves: Vec<u64> = (0..POINTS).map(place).collect();
    moves.insert(0, if log { least } else { least.saturating_sub(1) });
    moves.dedup();
    let curve = |(row, bins): (usize, &[Bin])| curve(cells, row, bins, &moves);
    let cells: Vec<Curve> = known.into_iter().map(curve).collect();
    // From the first count to the last that is drawn, and no further.
    let axis = |&last: &usize| {
        let [lo, hi] = [moves[0], moves[last]].map(|moves| moves as f64);
        let scale = if log { Scale::log } else { Scale::exact };
        scale(lo, hi, 0.0, PAGE).axis(PAGE_APART)
    };
    let lasts: BTreeSet<usize> = cells.iter().map(|curve| curve.longer.len() - 1).collect();
    let axes: Vec<Axis> = lasts.iter().rev().map(axis).collect();
    Curves {
        cells,
        axes,
        share: Scale::exact(0.0, 100.0, 0.0, PAGE).axis(PAGE_APART),
        moves,
    }
}

fn curve(cells: &Cells, row: usize, bins: &[Bin], moves: &[u64]) -> Curve {
    let all: u64 = bins.iter().map(|bin| bin.games).sum();
    let longer = moves.iter().map(|&moves| games_longer(bins, moves));
    let mut counts: Vec<u64> = longer.collect();
    let end = counts.iter().position(|count| *count == 0);
    counts.truncate(end.map_or(counts.len(), |end| end + 1));
    let is_shared = cells.get(row, "trajectories").is_some();
    let confidence = cells.number(row, "confidence").filter(|_| !is_shared);
    let bound = |&count: &u64| confidence.map(|confidence| wilson(count, all, confidence));
    let bounds: Vec<_> = counts.iter().filter_map(bound).collect();
    let longer = counts.iter().map(|&count| count as f64 / all as f64);
    Curve {
        row,
        longer: longer.map(percent).collect(),
        lo: bounds.iter().map(|bounds| percent(bounds.lo)).collect(),
        hi: bounds.iter().map(|bounds| percent(bounds.hi)).collect(),
    }
}

/// The games with more moves than this; those of a bin are spread evenly over its counts.
fn games_longer(bins: &[Bin], moves: u64) -> u64 {
    let later = |bin: &Bin| {
        if moves < bin.lower {
            return bin.games;
        }
        let width = (bin.upper - bin.lower + 1) as f64;
        let left = bin.upper.saturating_sub(moves) as f64;
        (bin.games as f64 * left / width).round() as u64
    };
    bins.iter().map(later).sum()
}

/// A share in percent to a thousandth: finer than a pixel.
fn percent(share: f64) -> f64 {
    (share * 100_000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls_from_all_games_to_none() {
        let cells = Cells::parse("x.csv", b"table,cell,confidence\nt,a,0.95\nt,b,0.95\n", &[]);
        let text = "table,cell,lower,upper,games,wins\n\
                    t,a,3,3,10,1\nt,a,20,20,50,0\nt,a,1024,1031,40,5\nt,b,20,20,7,0\n";
        let known = Distributions::parse("d.csv", text.as_bytes()).unwrap();
        let found = curves(&cells.unwrap(), &known);
        let ends: Vec<[f64; 2]> = found.axes.iter().map(|axis| [axis.lo, axis.hi]).collect();
        assert!(found.axes[0].log && found.moves.len() <= POINTS + 1);
        // Not to the next power of ten.
        assert_eq!(ends, [[3.0, 1031.0], [3.0, 20.0]]);
        assert_eq!(
            (found.moves[0], found.moves[found.moves.len() - 1]),
            (3, 1031)
        );
        let [a, b] = &found.cells[..] else {
            panic!("two curves: {found:?}")
        };
        assert_eq!((a.longer[0], a.longer[a.longer.len() - 1]), (90.0, 0.0));
        let at = found.moves.iter().position(|moves| *moves >= 20).unwrap();
        assert_eq!(
            (a.longer[at], b.longer[at - 1], b.longer[at]),
            (40.0, 100.0, 0.0)
        );
        assert_eq!(b.longer.len(), at + 1);
        for (share, (lo, hi)) in a.longer.iter().zip(a.lo.iter().zip(&a.hi)) {
            assert!(lo <= share && share <= hi);
        }
        let bin = |lower, upper, games| Bin {
            lower,
            upper,
            games,
            wins: 0,
        };
        assert_eq!(games_longer(&[bin(1024, 1031, 40)], 1027), 20);
    }
}
