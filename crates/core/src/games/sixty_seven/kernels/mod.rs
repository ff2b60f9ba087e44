//! The fast way to play 67!: many games in lock-step on planes of bits.
//!
//! Two algorithms are written once over the vectors of an instruction set and compiled for each:
//! `portable` (plain Rust, on x86-64 with SSE2), `neon` (64-bit ARM), `simd128` (WebAssembly),
//! `avx2` (AVX2 and BMI2) and `avx512`. *Slices* (`slices`) keep one cell of many games in a
//! register. *Planes* (`lockstep`, `turn`, `operation`, `layout`, over `isa`) keep the cells of one
//! game in a word; they also step given moves and play value lanes. A measured table (`algorithm`)
//! says which of the two plays whole games and playouts. All follow the draw protocol of the game
//! word by word, so every game ends exactly as in the reference, for any kernel, batch and thread.
//! `docs/kernels.md` describes the algorithm and its development.
//!
//! # Numbers
//! A number tile holds a value modulo the prime p = 2⁶¹ − 1. `+`, `-` and `*` commute with taking
//! remainders, so every residue is right for true numbers of any size; nothing wraps or saturates.
//! The rules ask two questions about numbers, and residues answer both:
//!
//! * *Is it the target?* Targets lie within ± 2⁶⁰, and no other number within ± 2⁶⁰ has the same
//!   residue. A larger number x is mistaken for the target t when p divides x − t. Large numbers
//!   are sums and products of thousands of random digits, which are unrelated to p, so x mod p is
//!   nearly uniform, and a mistake has a probability of about 2⁻⁶¹ per tile larger than p: in 10¹²
//!   games with a hundred such tiles each, 4 · 10⁻⁵ mistakes are expected. No small coincidence of
//!   digits reaches even the smallest mistakable number, t + p. Powers of 2 never become 0, since p
//!   is odd.
//! * *Does it exceed the limit?* Limits go up to 2³⁰, and a game ends with the first number beyond
//!   its limit. Both operands of every operation lie within it, so results lie within ± 2⁶⁰, where
//!   residues distinguish all numbers. Such games are exact.
//!
//! # Which games fit
//! Boards up to 16 × 16 with the targets and limits above. A target that appears as a digit, or a
//! limit below the largest digit, could end a game without an operation; the kernels do not check
//! for that. [`Kernel::new`] returns the reason why a game is not supported.

// Loops over the words of planes index several planes by one counter.
#![allow(clippy::needless_range_loop)]

mod algorithm;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod ended;
mod isa;
mod kernel;
mod lane_isa;
mod layout;
mod lockstep;
#[cfg(target_arch = "aarch64")]
mod neon;
mod numbers;
mod operation;
mod planar;
mod plane;
mod portable;
mod queued;
mod single;
mod slices;
mod spec;
mod stepping;
mod streams;
mod turn;

/// Boards with more cells are not played by slices.
pub(super) const SLICED_CELLS: usize = slices::SIDE_MAX * slices::SIDE_MAX;

pub use algorithm::Algorithm;
pub use ended::{End, Ended, EndedLanes, Start};
pub use kernel::{KERNELS, Kernel};
