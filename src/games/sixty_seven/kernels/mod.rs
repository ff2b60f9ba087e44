//! The fast shift to play 67!: many games in lock-step on planes of bits.
//!
//! One algorithm (`lockstep`, `turn`, `operation`, `layout`, `streams`) is written once over the vector operations of an instruction set (`isa`) and
//! compiled for each: `portable` (plain Rust), `bmi2` (AVX2 and BMI2) and `avx512`. All follow the draw protocol of the game word by
//! word, so that every game ends exactly as the reference plays it, whatever the kernel, the batch and the thread.
//!
//! # Numbers
//! A number tile holds a value modulo the prime p = 2⁶¹ − 1. `+`, `-` and `*` commute with taking remainders, so every residue is right
//! however large the true number has become; nothing wraps or saturates. What the rules ask of numbers is asked of residues:
//!
//! * *Is it the target?* Targets lie within ± 2⁶⁰ and no other number within ± 2⁶⁰ has the same residue. A larger number x is mistaken for
//!   the target t when p divides x − t. Large numbers arise as sums and products of thousands of random digits, nothing of
//!   which is related to p, so x mod p is as good as uniform and this happens with a probability of about 2⁻⁶¹ per tile larger than p.
//!   In 10¹² games with a hundred such tiles each it is expected 4 · 10⁻⁵ times. The smallest number that can be mistaken, t + p, is
//!   no small coincidence of the digits either; powers of 2 never become 0, since p is odd.
//! * *Does it exceed the limit?* Limits go up to 2³⁰, and a game ends with the first number beyond its limit. Both operands of
//!   every operation lie within it, so that results lie within ± 2⁶⁰, where residues tell all numbers apart. Such games are exact.
//!
//! # Which games fit
//! Boards up to 16 × 16 with the targets and limits above; a target that appears as a digit, or a limit below the largest digit,
//! could end a game without an operation, which the kernels do not look for. [`Kernel::new`] says why a game does not fit.

// Loops over the words of planes walk several planes by one index.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod ended;
mod entry;
mod isa;
mod kernel;
mod lane_isa;
mod layout;
mod lockstep;
mod operation;
mod plane;
mod portable;
mod single;
mod spec;
mod start;
mod streams;
mod turn;

pub use ended::{End, Ended, EndedLanes};
pub use kernel::{KERNELS, Kernel};
