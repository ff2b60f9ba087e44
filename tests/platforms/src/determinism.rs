//! `cells.csv` depends on neither the number of threads nor the kernel.

use crate::cells_csv;
use crate::kernels::kernels;
use tilelab::KernelChoice;

const EXPERIMENT: &str = r#"
name = "determinism"
seed = 67
games = 20
[[table]]
title = "67!"
game = "sixty-seven"
rules = ["original", "gapless", "merge-runs"]
size = ["4x4", "6x7"]
max_rounds = 60
"#;

#[test]
fn cells_depend_on_neither_threads_nor_kernel() {
    let expected = cells_csv(EXPERIMENT, 1, KernelChoice::Reference).unwrap();
    assert_eq!(
        expected.iter().filter(|&&byte| byte == b'\n').count(),
        7,
        "a header and six cells"
    );
    for kernel in kernels() {
        for threads in [1, 2] {
            assert_eq!(
                cells_csv(EXPERIMENT, threads, kernel).unwrap(),
                expected,
                "{kernel:?}, {threads} threads"
            );
        }
    }
}
