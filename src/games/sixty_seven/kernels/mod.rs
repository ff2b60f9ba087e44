//! The fast way to play 67!: many games in lock-step on planes of bits.
//!
//! One algorithm (`lockstep`, `turn`, `triple`, `layout`, `streams`) is written once over the vector operations of an instruction set (`isa`) and
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
//!   every triple lie within it, so that results lie within ± 2⁶⁰, where residues tell all numbers apart. Such games are exact.
//!
//! # Which games fit
//! Boards up to 16 × 16 with the targets and limits above; a target that appears as a digit, or a limit below the largest digit,
//! could end a game without a triple, which the kernels do not look for. [`Kernel::new`] says why a game does not fit.

// Loops over the words of planes walk several planes by one index.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod isa;
mod layout;
mod lockstep;
mod portable;
pub(crate) mod residue;
mod spec;
mod start;
mod streams;
mod triple;
mod turn;

pub(super) use residue::{PRIME, nearest};

use super::lanes::{LANES, LaneMoves};
use super::packed::PackedBoard;
use super::{Direction, SixtySeven};
use crate::game::{GameResult, KernelChoice, KernelEntry, Outcome};
use crate::rng::CellSeeds;
use layout::Layout;
use portable::Portable;
use spec::Spec;
use start::Start;
use std::ops::Range;
use turn::Planes;

/// How a game or playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A tile is the target.
    Won,
    /// No direction was legal.
    Blocked,
    /// A number was beyond the limit.
    Exceeded,
    /// The last round was played.
    OutOfRounds,
}

/// An ended game or playout.
pub struct Ended<'a> {
    /// Its index.
    pub game: u64,
    /// Why it ended.
    pub end: End,
    /// Rounds begun; for a playout, since its start.
    pub rounds: u64,
    board: &'a dyn Fn() -> PackedBoard,
}

impl Ended<'_> {
    /// The outcome by the rules, for a whole game.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self.end {
            End::Won => Outcome::new(GameResult::Won, self.rounds),
            End::Blocked | End::Exceeded => Outcome::new(GameResult::Lost, self.rounds),
            End::OutOfRounds => Outcome::new(GameResult::Lost, self.rounds + 1),
        }
    }

    /// The last board.
    #[must_use]
    pub fn board(&self) -> PackedBoard {
        (self.board)()
    }
}

/// An ended trajectory with all its value lanes.
pub struct EndedLanes<'a> {
    /// Its index.
    pub trajectory: u64,
    /// Why it ended: [`End::Won`] only when every lane had won.
    pub end: End,
    /// Rounds begun.
    pub rounds: u64,
    won: u32,
    rounds_won: &'a [u64; LANES],
}

impl EndedLanes<'_> {
    /// The move counts of the lanes that won, and of those that lost.
    #[must_use]
    pub fn moves(&self) -> LaneMoves {
        let rounds = |lane| (self.won >> lane & 1 == 1).then_some(self.rounds_won[lane]);
        let lost = if self.end == End::OutOfRounds { self.rounds + 1 } else { self.rounds };
        LaneMoves { won: std::array::from_fn(rounds), lost }
    }
}

/// Which games a kernel plays, from which streams, for how long.
#[derive(Clone, Debug)]
struct Playing {
    seeds: CellSeeds,
    games: Range<u64>,
    rounds_max: Option<u64>,
}

impl Playing {
    /// How many games these are.
    fn count(&self) -> u64 {
        self.games.end.saturating_sub(self.games.start)
    }
}

/// The kernels, slowest first.
pub const KERNELS: &[KernelEntry] = &[
    KernelEntry {
        choice: KernelChoice::Portable,
        summary: "planes of bits in 64-bit words, one game at a time",
        needs: "nothing",
        available: || true,
    },
    KernelEntry {
        choice: KernelChoice::Bmi2,
        summary: "planes of bits in vectors of 4 games",
        needs: "x86-64 with AVX2, BMI1, BMI2, POPCNT",
        available: || Engine::new(KernelChoice::Bmi2).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx512,
        summary: "planes of bits in vectors of 8 games",
        needs: "x86-64 with AVX-512 F, BW, DQ, VL, VBMI, VBMI2, BITALG, VPOPCNTDQ, GFNI, BMI1, BMI2, POPCNT",
        available: || Engine::new(KernelChoice::Avx512).is_some(),
    },
];

#[derive(Clone, Copy, Debug)]
enum Engine {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Bmi2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Engine {
    /// The engine of a kernel, where the machine has what it needs.
    fn new(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Bmi2 => avx2::Avx2::new().map(Self::Bmi2),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx512 => avx512::Avx512::new().map(Self::Avx512),
            _ => None,
        }
    }
}

/// The words that a board's planes take, and the longest line.
#[derive(Clone, Debug)]
enum Shape {
    /// Up to 8 × 8.
    Short(Box<Layout<1>>),
    /// Up to 64 cells.
    One(Box<Layout<1>>),
    /// Up to 128 cells.
    Two(Box<Layout<2>>),
    /// Up to 256 cells.
    Four(Box<Layout<4>>),
}

impl Shape {
    fn new(rows: usize, cols: usize) -> Self {
        match rows * cols {
            _ if rows.max(cols) <= 8 => Self::Short(Box::new(Layout::new(rows, cols))),
            ..=64 => Self::One(Box::new(Layout::new(rows, cols))),
            65..=128 => Self::Two(Box::new(Layout::new(rows, cols))),
            _ => Self::Four(Box::new(Layout::new(rows, cols))),
        }
    }
}

/// Calls a function that is generic over words, log₂ of the longest line, and bits of a handle with those of the shape.
macro_rules! with_shape {
    ($shape:expr, $layout:ident => $call:ident($($argument:expr),*)) => {
        match $shape {
            Shape::Short($layout) => $call::<1, 3, 6>($($argument),*),
            Shape::One($layout) => $call::<1, 4, 6>($($argument),*),
            Shape::Two($layout) => $call::<2, 4, 7>($($argument),*),
            Shape::Four($layout) => $call::<4, 4, 8>($($argument),*),
        }
    };
}

/// A fast engine for one set of rules.
#[derive(Clone, Debug)]
pub struct Kernel {
    engine: Engine,
    choice: KernelChoice,
    spec: Spec,
    shape: Shape,
}

impl Kernel {
    /// The kernel of this choice for these rules; `auto` takes the fastest that the machine has.
    ///
    /// # Errors
    /// Says why the rules do not fit or what the machine lacks.
    pub fn new(choice: KernelChoice, game: &SixtySeven) -> Result<Self, String> {
        let spec = Spec::new(game)?;
        let choice = match choice {
            KernelChoice::Auto => {
                KERNELS.iter().rfind(|entry| (entry.available)()).map_or(choice, |entry| entry.choice)
            }
            named => named,
        };
        let entry = KERNELS.iter().find(|entry| entry.choice == choice).ok_or("the reference is no kernel")?;
        let missing = || format!("this machine lacks what it needs ({})", entry.needs);
        let engine = Engine::new(choice).ok_or_else(missing)?;
        Ok(Self { engine, choice, shape: Shape::new(spec.rows, spec.cols), spec })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.choice.name()
    }

    /// Cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.spec.cells()
    }

    /// Plays whole games with the random player and reports each as it ends, in no particular order.
    ///
    /// Allocates a fixed amount at the start and nothing after.
    pub fn play(&self, seeds: CellSeeds, games: Range<u64>, report: &mut dyn FnMut(&Ended<'_>)) {
        self.run(None, Playing { seeds, games, rounds_max: self.spec.max_rounds }, report);
    }

    /// Plays whole trajectories with [`LANES`] value lanes each with the random player and reports each as it ends, in no particular
    /// order; see [`super::lanes`].
    ///
    /// # Panics
    /// When the rules limit values, which then decide when a game ends.
    pub fn play_lanes(&self, seeds: CellSeeds, trajectories: Range<u64>, report: &mut dyn FnMut(&EndedLanes<'_>)) {
        assert_eq!(self.spec.limit, None, "lanes share when they end");
        let playing = Playing { seeds, games: trajectories, rounds_max: self.spec.max_rounds };
        with_shape!(&self.shape, layout => run_lanes_on(self.engine, layout, &self.spec, playing, report));
    }

    /// Plays on at random from one board until each playout has ended or `rounds_max` further rounds were played
    /// ([`End::OutOfRounds`]), and reports each as it ends, in no particular order.
    ///
    /// The board is one after a move: each playout begins by dealing. Playout number i draws from the streams of game i of `seeds`. A
    /// round limit of the rules is the caller's to count: pass what is left of it if that is less.
    ///
    /// # Panics
    /// When the board has another size, or shows the target or a number beyond the limit, so that the game is over; or when
    /// `rounds_max` is 0.
    pub fn playouts(
        &self,
        board: &PackedBoard,
        seeds: CellSeeds,
        playouts: Range<u64>,
        rounds_max: u64,
        report: &mut dyn FnMut(&Ended<'_>),
    ) {
        assert!(rounds_max > 0, "a playout plays at least one round");
        assert_eq!(self.verdict(board), None, "the game is over");
        self.run(Some(board), Playing { seeds, games: playouts, rounds_max: Some(rounds_max) }, report);
    }

    /// The legal directions of a board, bit d for direction number d of [`Direction::ALL`].
    ///
    /// # Panics
    /// When the board has another size.
    #[must_use]
    pub fn legal(&self, board: &PackedBoard) -> u8 {
        self.check_size(board);
        with_shape!(&self.shape, layout => legal_on(layout, &self.spec, board))
    }

    /// Moves all tiles of a board and collapses its lines; returns whether that won the game or exceeded the limit.
    ///
    /// # Panics
    /// When the board has another size.
    pub fn advance(&self, board: &mut PackedBoard, direction: Direction) -> Option<End> {
        self.check_size(board);
        *board = with_shape!(&self.shape, layout => advance_on(layout, &self.spec, board, direction));
        self.verdict(board)
    }

    /// Whether a board is won or beyond the limit.
    #[must_use]
    pub fn verdict(&self, board: &PackedBoard) -> Option<End> {
        self.check_size(board);
        let mut residues = board.tiles().iter().filter_map(|tile| tile.residue());
        if residues.clone().any(|residue| residue == self.spec.target) {
            return Some(End::Won);
        }
        let limit = self.spec.limit?;
        residues.any(|value| residue::exceeds(value, limit)).then_some(End::Exceeded)
    }

    fn check_size(&self, board: &PackedBoard) {
        assert_eq!((board.rows(), board.cols()), (self.spec.rows, self.spec.cols), "the board has another size");
    }

    fn run(&self, board: Option<&PackedBoard>, playing: Playing, report: &mut dyn FnMut(&Ended<'_>)) {
        with_shape!(&self.shape, layout => run_on(self.engine, layout, &self.spec, board, playing, report));
    }
}

fn run_on<const W: usize, const R: usize, const H: usize>(
    engine: Engine,
    layout: &Layout<W>,
    spec: &Spec,
    board: Option<&PackedBoard>,
    playing: Playing,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    let start = &board.map_or_else(Start::<W, H>::blank, |board| Start::new(layout, board));
    match engine {
        Engine::Portable(isa) => lockstep::run::<Portable, W, R, H>(isa, layout, spec, start, playing, report),
        #[cfg(target_arch = "x86_64")]
        Engine::Bmi2(isa) => isa.run::<W, R, H>(layout, spec, start, playing, report),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512(isa) => isa.run::<W, R, H>(layout, spec, start, playing, report),
    }
}

fn run_lanes_on<const W: usize, const R: usize, const H: usize>(
    engine: Engine,
    layout: &Layout<W>,
    spec: &Spec,
    playing: Playing,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    match engine {
        Engine::Portable(isa) => lockstep::lanes::run::<Portable, W, R, H>(isa, layout, spec, playing, report),
        #[cfg(target_arch = "x86_64")]
        Engine::Bmi2(isa) => isa.run_lanes::<W, R, H>(layout, spec, playing, report),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512(isa) => isa.run_lanes::<W, R, H>(layout, spec, playing, report),
    }
}

fn legal_on<const W: usize, const R: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
) -> u8 {
    let start = Start::<W, H>::new(layout, board);
    let planes =
        Planes::<Portable, W, H> { occupied: start.occupied, operators: start.operators, handles: start.handles };
    lockstep::group::legal(Portable, &planes, &layout.axes::<Portable, R>(Portable), spec.rule) as u8
}

fn advance_on<const W: usize, const R: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
    direction: Direction,
) -> PackedBoard {
    let mut start = Start::<W, H>::new(layout, board);
    let mut planes =
        Planes::<Portable, W, H> { occupied: start.occupied, operators: start.operators, handles: start.handles };
    let way = layout.way::<Portable, R>(Portable, direction as u64);
    let (starts, handles) = planes.advance::<R>(Portable, &layout.board, &way, spec.rule, &mut ());
    let stride = layout.strides[direction as usize];
    for at in (0..64 * W).filter(|&at| starts[at / 64] >> (at % 64) & 1 == 1) {
        let handle = |steps: i64| {
            let at = (at as i64 + steps * stride) as usize;
            handles.iter().enumerate().fold(0, |sum, (b, plane)| sum | ((plane[at / 64] >> (at % 64) & 1) << b))
        };
        let (a, b) = (handle(0) as usize, handle(2) as usize);
        let (near, far) = (start.values[a], start.values[b]);
        let (first, second) = if direction.towards_end() { (far, near) } else { (near, far) };
        start.values[a] = residue::combine(first, handle(1) & 3, second);
    }
    (start.occupied, start.operators, start.handles) = (planes.occupied, planes.operators, planes.handles);
    start.board(layout, board.rows(), board.cols())
}
