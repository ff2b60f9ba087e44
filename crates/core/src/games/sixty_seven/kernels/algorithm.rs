//! Which algorithm plays whole games: the faster one, as measured.

use super::slices;
use super::spec::Spec;
use crate::games::sixty_seven::Runs;

/// How a kernel plays whole games. Both play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A word holds the cells of one game.
    Planes,
    /// A register holds one cell of many games.
    Slices,
}

/// `kernel,rules,size,tiles,planes,slices`: the nanoseconds of a turn, or its instructions where
/// only an emulator was to be had. `benches/algorithms.py` measures it and writes the file.
pub(super) const MEASURED: &str = include_str!("algorithms.csv");

/// What a turn takes on planes and on slices, from the row with the kernel, the rule, the next
/// longer side, and the next smaller number of tiles; `None` where slices do not fit or nothing was
/// measured.
pub(super) fn times(rows: &str, kernel: &str, spec: &Spec) -> Option<[f64; 2]> {
    // Where runs merge, gaps were measured closed only.
    let rule = match (spec.collapse.runs, spec.collapse.blanks_separate) {
        (Runs::Stay, true) => "original",
        (Runs::Stay, false) => "gapless",
        (Runs::Halve, _) => "merge-pairs",
        (Runs::One, _) => "merge-runs",
    };
    let side = spec.rows.max(spec.cols);
    let wanted = format!("{kernel},{rule},");
    let fitting = rows.lines().filter_map(|row| {
        let fields: Vec<&str> = row.strip_prefix(&wanted)?.split(',').collect();
        let [size, tiles, planes, slices] = fields[..] else {
            panic!("{row}: six fields");
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let (_, longer) = size.split_once('x').expect("rows x columns");
        let longer = number(longer) as usize;
        let tiles = number(tiles) as usize;
        let fits = longer >= side && tiles <= spec.tiles;
        fits.then(|| (longer, usize::MAX - tiles, [planes, slices].map(number)))
    });
    let nearest = fitting.min_by_key(|&(side, tiles, _)| (side, tiles));
    nearest
        .map(|(.., times)| times)
        .filter(|_| slices::fits(spec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::SixtySeven;
    use crate::games::sixty_seven::kernels::KERNELS;

    #[test]
    fn the_nearest_row_decides() {
        let rows = "kernel,rules,size,tiles,planes,slices\n\
                    a,original,5x5,1,10,20\n\
                    a,original,6x7,1,10,30\n\
                    a,original,6x7,4,10,40\n\
                    a,gapless,6x7,1,10,50\n\
                    b,original,6x7,1,10,60\n";
        for (side, tiles, expected) in [
            (3, 1, Some([10.0, 20.0])),
            (5, 9, Some([10.0, 20.0])),
            (6, 3, Some([10.0, 30.0])),
            (7, 4, Some([10.0, 40.0])),
            (7, 40, Some([10.0, 40.0])),
            (8, 1, None),
        ] {
            let mut game = SixtySeven::new(side, 5);
            game.tiles_per_turn = tiles;
            let spec = Spec::new(&game).unwrap();
            assert_eq!(times(rows, "a", &spec), expected, "{side} {tiles}");
        }
    }

    #[test]
    fn the_measured_table_has_every_kernel_and_rule() {
        for choice in KERNELS.iter().map(|entry| entry.choice) {
            for name in ["original", "gapless", "merge-pairs", "merge-runs"] {
                let mut game = SixtySeven::new(6, 7);
                game.collapse = crate::games::sixty_seven::Collapse::preset(name);
                let spec = Spec::new(&game).unwrap();
                let times = times(MEASURED, choice.name(), &spec);
                let are_times = times.is_some_and(|[planes, slices]| planes.min(slices) > 0.0);
                assert!(are_times, "{choice:?} {name}");
            }
        }
    }
}
