//! The kernels by name, and [`Kernel`], one of them set up for one set of rules.

use super::algorithm::{Algorithm, MEASURED, times};
use super::ended::{End, Ended, EndedLanes, Start, Starts};
use super::isa::Instructions;
use super::layout::Layout;
use super::lockstep::{self, Origin};
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::planar::PlanarBoard;
use super::portable::Portable;
use super::single::{advance_on, legal_on};
use super::slices;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::slices::Simd128;
use super::slices::bits::SliceIsa;
use super::spec::{GameRange, Spec};
use super::stepping::Blocks;
use crate::game::stepping::Table;
use crate::game::{KernelChoice, KernelEntry};
use crate::games::kernels::{AVX2_NEEDS, AVX512_NEEDS};
#[cfg(target_arch = "x86_64")]
use crate::games::kernels::{Avx2, Avx512};
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::residue;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::rng::CellSeeds;
#[cfg(test)]
use std::io::Write;
use std::ops::Range;

/// The kernels, slowest first.
pub const KERNELS: &[KernelEntry] = &[
    KernelEntry {
        choice: KernelChoice::Portable,
        summary: "plain instructions; on x86-64 those that every processor has",
        needs: "nothing",
        available: || true,
    },
    KernelEntry {
        choice: KernelChoice::Neon,
        summary: "vectors of 128 bits",
        needs: "64-bit ARM",
        available: || Engine::new(KernelChoice::Neon).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Simd128,
        summary: "vectors of 128 bits",
        needs: "WebAssembly, compiled with -C target-feature=+simd128",
        available: || Engine::new(KernelChoice::Simd128).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx2,
        summary: "vectors of 256 bits",
        needs: AVX2_NEEDS,
        available: || Engine::new(KernelChoice::Avx2).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx512,
        summary: "vectors of 512 bits, and of 256 bits with the same instructions",
        needs: AVX512_NEEDS,
        available: || Engine::new(KernelChoice::Avx512).is_some(),
    },
];

#[derive(Clone, Copy, Debug)]
pub(super) enum Engine {
    Portable(Portable),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(Simd128),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// An expression over the token by which an engine plays planes, compiled once for each type of
/// token. Planes of WebAssembly are plain Rust: with `simd128` they gained little, and slices play
/// most games there.
macro_rules! with_isa {
    ($engine:expr, $isa:ident => $body:expr) => {
        match $engine {
            Engine::Portable($isa) => $body,
            #[cfg(target_arch = "aarch64")]
            Engine::Neon($isa) => $body,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Engine::Simd128(_) => {
                let $isa = Portable;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512($isa) => $body,
        }
    };
}

/// An expression over the token by which an engine plays slices, compiled once for each type of
/// token.
macro_rules! with_slices {
    ($engine:expr, $isa:ident => $body:expr) => {
        match $engine {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Engine::Simd128($isa) => $body,
            engine => with_isa!(engine, $isa => $body),
        }
    };
}

impl Engine {
    /// The engine of a kernel, where the machine has what it needs.
    fn new(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "aarch64")]
            KernelChoice::Neon => Some(Self::Neon(Neon)),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            KernelChoice::Simd128 => Some(Self::Simd128(Simd128)),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx512 => Avx512::new().map(Self::Avx512),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(super) use with_isa;

/// The engines of this machine, for tests; prints which those are. The environment variable
/// `TILELAB_REQUIRE` names kernels that have to be here, separated by blanks.
#[cfg(test)]
pub(super) fn engines() -> Vec<Engine> {
    let required = std::env::var("TILELAB_REQUIRE").unwrap_or_default();
    let engine = |entry: &KernelEntry| {
        let name = entry.choice.name();
        let engine = Engine::new(entry.choice);
        let is_required = required.split(' ').any(|required| required == name);
        assert!(
            engine.is_some() || !is_required,
            "TILELAB_REQUIRE names {name}, which needs {}",
            entry.needs
        );
        engine
    };
    let engines: Vec<_> = KERNELS.iter().filter_map(engine).collect();
    let _ = writeln!(std::io::stderr(), "instruction sets tested: {engines:?}");
    engines
}

/// The words that a board's planes take, and the longest line. Without the feature `kernels`, which
/// is for size, all large boards take the words of the largest.
#[derive(Clone, Debug)]
enum Shape {
    /// Boards of up to 8 × 8 cells.
    Short(Box<Layout<1>>),
    /// Boards of up to 128 cells.
    #[cfg(feature = "kernels")]
    Two(Box<Layout<2>>),
    /// Boards of up to 256 cells.
    Four(Box<Layout<4>>),
}

impl Shape {
    fn new(rows: usize, cols: usize) -> Self {
        match rows * cols {
            _ if rows.max(cols) <= 8 => Self::Short(Box::new(Layout::new(rows, cols))),
            #[cfg(feature = "kernels")]
            ..=128 => Self::Two(Box::new(Layout::new(rows, cols))),
            _ => Self::Four(Box::new(Layout::new(rows, cols))),
        }
    }
}

/// Calls a function that is generic over words and bits of an index with those of the shape.
macro_rules! with_shape {
    ($shape:expr, $layout:ident => $call:ident($($argument:expr),*)) => {
        match $shape {
            Shape::Short($layout) => $call::<1, 6>($($argument),*),
            #[cfg(feature = "kernels")]
            Shape::Two($layout) => $call::<2, 7>($($argument),*),
            Shape::Four($layout) => $call::<4, 8>($($argument),*),
        }
    };
}

/// A fast engine for one set of rules.
#[derive(Clone, Debug)]
pub struct Kernel {
    engine: Engine,
    choice: KernelChoice,
    /// What a turn takes on planes and on slices; `None` where planes play everything.
    times: Option<[f64; 2]>,
    spec: Spec,
    shape: Shape,
}

impl Kernel {
    /// The kernel of this choice for these rules; `auto` takes the fastest that the machine has.
    ///
    /// # Errors
    /// Returns an error if the rules are not supported or the machine lacks the instructions.
    pub fn new(choice: KernelChoice, game: &SixtySeven) -> Result<Self, String> {
        let spec = Spec::new(game)?;
        let mut kernels = KERNELS.iter();
        let entry = match choice {
            KernelChoice::Auto => kernels.rfind(|entry| (entry.available)()),
            named => kernels.find(|entry| entry.choice == named),
        };
        let entry = entry.ok_or("the reference is not a kernel")?;
        let missing = || format!("this machine lacks what it needs ({})", entry.needs);
        let choice = entry.choice;
        Ok(Self {
            engine: Engine::new(choice).ok_or_else(missing)?,
            choice,
            times: times(MEASURED, choice.name(), &spec),
            shape: Shape::new(spec.rows, spec.cols),
            spec,
        })
    }

    /// This kernel, playing all of its whole games by this algorithm, also where the other is
    /// faster; `None` if slices do not fit the board.
    pub fn with_algorithm(&self, algorithm: Algorithm) -> Option<Self> {
        let times = match algorithm {
            Algorithm::Planes => None,
            Algorithm::Slices if slices::fits(&self.spec) => Some([f64::INFINITY, 0.0]),
            Algorithm::Slices => return None,
        };
        Some(Self {
            times,
            ..self.clone()
        })
    }

    /// The name of the kernel.
    pub fn name(&self) -> &'static str {
        self.choice.name()
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.spec.cells()
    }

    /// Checks whether the kernel supports value lanes under these rules.
    ///
    /// # Errors
    /// Returns the reason if it does not.
    pub fn check_lanes(&self) -> Result<(), String> {
        if self.spec.target_is_new {
            return Err("with value lanes, the target cannot be a digit that appears".to_owned());
        }
        Ok(())
    }

    /// Plays whole games with the random player and reports each as it ends, in no particular
    /// order.
    ///
    /// Allocates an amount at the start that, from a start board, grows with the number of games,
    /// and nothing after.
    pub fn play(&self, seeds: CellSeeds, games: Range<u64>, report: &mut dyn FnMut(&Ended<'_>)) {
        let rounds_max = self.spec.max_rounds;
        if let Some(start) = &self.spec.start {
            return self.playouts(start, seeds, games, rounds_max.unwrap_or(u64::MAX), report);
        }
        let games = GameRange {
            seeds,
            range: games,
            rounds_max,
        };
        self.run(None, games, report);
    }

    /// Plays whole trajectories with 16 value lanes each
    /// ([`lanes`](crate::games::sixty_seven::lanes)) with the random player and reports each as it
    /// ends, in no particular order.
    ///
    /// # Panics
    /// Panics if the rules limit values, which then decide when a game ends, or do not pass
    /// [`Kernel::check_lanes`].
    pub fn play_lanes(
        &self,
        seeds: CellSeeds,
        trajectories: Range<u64>,
        report: &mut dyn FnMut(&EndedLanes<'_>),
    ) {
        assert_eq!(self.spec.limit, None, "lanes share when they end");
        assert_eq!(self.check_lanes(), Ok(()));
        let games = GameRange {
            seeds,
            range: trajectories,
            rounds_max: self.spec.max_rounds,
        };
        with_shape!(&self.shape, layout => run_lanes_on(self, layout, games, report));
    }

    /// Plays on at random from one board until each playout has ended or `rounds_max` further
    /// rounds were played ([`End::OutOfRounds`]), and reports each as it ends, in no particular
    /// order.
    ///
    /// The board is one after a move: each playout begins with new tiles. Playout number i draws
    /// from the streams of game i of `seeds`. A round limit of the rules is the caller's to count:
    /// pass what is left of it if that is less.
    ///
    /// # Panics
    /// Panics if the board has another size, or shows the target or a number beyond the limit, so
    /// that the game is over; or when `rounds_max` is 0.
    pub fn playouts(
        &self,
        board: &PackedBoard,
        seeds: CellSeeds,
        playouts: Range<u64>,
        rounds_max: u64,
        report: &mut dyn FnMut(&Ended<'_>),
    ) {
        let boards = std::slice::from_ref(board);
        self.playouts_from(boards, seeds, playouts, rounds_max, &mut |_, ended| {
            report(ended);
        });
    }

    /// Plays on at random from several boards, as [`Kernel::playouts`] does from each, but all
    /// together, which is faster; reports the place of the board as well. Playouts of the same
    /// number draw from the same streams on every board.
    ///
    /// # Panics
    /// Panics as [`Kernel::playouts`] does.
    pub fn playouts_from(
        &self,
        boards: &[PackedBoard],
        seeds: CellSeeds,
        playouts: Range<u64>,
        rounds_max: u64,
        report: &mut dyn FnMut(usize, &Ended<'_>),
    ) {
        assert!(rounds_max > 0, "a playout plays at least one round");
        for board in boards {
            assert_eq!(self.verdict(board), None, "the game is over");
        }
        let of_board = |board| {
            let start = move |stream| Start {
                board,
                stream,
                rounds: 0,
            };
            playouts.clone().map(start)
        };
        let starts: Vec<Start> = (0..boards.len()).flat_map(of_board).collect();
        let games = GameRange {
            seeds,
            range: 0..starts.len() as u64,
            rounds_max: Some(rounds_max),
        };
        self.run(Some((boards, &starts)), games, &mut |ended| {
            let Start { board, stream, .. } = starts[ended.game as usize];
            let game = stream;
            report(board, &Ended { game, ..*ended });
        });
    }

    /// This kernel with another limit of values.
    ///
    /// # Panics
    /// Panics if the limit lies below a number that appears or above 2³⁰.
    #[must_use]
    pub fn with_limit(&self, limit: Option<u64>) -> Self {
        Self {
            spec: self.spec.with_limit(limit),
            ..self.clone()
        }
    }

    /// Plays on at random from many boards and reports each game as it ends, in no particular
    /// order.
    ///
    /// The boards are ones after a move, on which the game goes on. A round limit of the rules
    /// counts the rounds before, too.
    pub fn play_on(
        &self,
        boards: &[PackedBoard],
        starts: &[Start],
        seeds: CellSeeds,
        report: &mut dyn FnMut(&Ended<'_>),
    ) {
        let games = GameRange {
            seeds,
            range: 0..starts.len() as u64,
            rounds_max: self.spec.max_rounds,
        };
        self.run(Some((boards, starts)), games, report);
    }

    /// The legal directions of a board, bit d for direction number d of [`Direction::ALL`].
    ///
    /// # Panics
    /// Panics if the board has another size.
    pub fn legal(&self, board: &PackedBoard) -> u8 {
        self.check_size(board);
        with_shape!(&self.shape, layout => legal_on(layout, &self.spec, board))
    }

    /// Moves all tiles of a board and collapses its lines; returns whether that won the game or
    /// exceeded the limit.
    ///
    /// # Panics
    /// Panics if the board has another size.
    pub fn advance(&self, board: &mut PackedBoard, direction: Direction) -> Option<End> {
        self.check_size(board);
        *board =
            with_shape!(&self.shape, layout => advance_on(layout, &self.spec, board, direction));
        self.verdict(board)
    }

    /// Whether a board is won or beyond the limit.
    pub fn verdict(&self, board: &PackedBoard) -> Option<End> {
        self.check_size(board);
        let mut residues = board.tiles().iter().filter_map(|tile| tile.residue());
        if residues.clone().any(|residue| residue == self.spec.target) {
            return Some(End::Won);
        }
        let limit = self.spec.limit?;
        residues
            .any(|value| residue::exceeds(value, limit))
            .then_some(End::Exceeded)
    }

    /// Slots in which games are stepped together, with the world streams of `seeds`.
    pub fn table(&self, seeds: CellSeeds, slots: usize) -> Box<dyn Table> {
        with_shape!(&self.shape, layout => table_on(self, layout, seeds, slots))
    }

    fn check_size(&self, board: &PackedBoard) {
        assert_eq!(
            (board.rows(), board.cols()),
            (self.spec.rows, self.spec.cols),
            "the board has another size"
        );
    }

    fn run(&self, starts: Starts<'_>, games: GameRange, report: &mut dyn FnMut(&Ended<'_>)) {
        with_shape!(&self.shape, layout => play_on(self, layout, starts, games, report));
    }
}

/// Plays on slices or planes, or on slices until few games are left and then on planes.
fn play_on<const W: usize, const H: usize>(
    kernel: &Kernel,
    layout: &Layout<W>,
    starts: Starts<'_>,
    games: GameRange,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    let engine = kernel.engine;
    let register = with_slices!(engine, isa => isa.slots());
    // Without the feature, which is for size, planes play everything.
    // A game costs more to begin on slices, and the last ones are handed to planes. So whole games
    // need a tenth of the time to be saved: with 6 %, `avx512` took 1.04 times as long. Those from
    // given boards are few and short. `monte-carlo` took 1.3 to 1.5 times as long where a turn
    // saves 5 ns (`avx512`, 5×5), 0.88 to 1.05 with 9 ns, 0.8 and less from 15 ns on. Few games are
    // played sooner by planes.
    if cfg!(feature = "kernels")
        && let Some([planes, slices]) = kernel.times
        && planes
            >= if starts.is_some() {
                slices + 8.0
            } else {
                slices / 0.9
            }
        && let least = (slices / planes * register as f64) as u32
        && games.count() >= u64::from(least)
    {
        with_slices!(engine, isa => match kernel.spec.rows.max(kernel.spec.cols) {
            // Boards of up to 8×8 have one word a plane, larger ones more.
            ..=5 if W == 1 => slice::<_, _, 5, W, H>(isa, kernel, layout, starts, games, least, report),
            ..=7 if W == 1 => slice::<_, _, 7, W, H>(isa, kernel, layout, starts, games, least, report),
            ..=8 if W == 1 => slice::<_, _, 8, W, H>(isa, kernel, layout, starts, games, least, report),
            _ if W > 1 => slice::<_, _, { slices::SIDE_MAX }, W, H>(
                isa, kernel, layout, starts, games, least, report,
            ),
            side => unreachable!("a side of {side} cells has one word a plane"),
        });
        return;
    }
    let blank = PlanarBoard::blank();
    let boards: Vec<PlanarBoard<W, H>>;
    let origin = match starts {
        None => Origin::Shared(&blank),
        Some((packed, starts)) => {
            let planar = packed.iter().map(|board| PlanarBoard::new(layout, board));
            boards = planar.collect();
            Origin::Own(&boards, starts)
        }
    };
    play_planes(kernel, layout, origin, games, report);
}

fn play_planes<const W: usize, const H: usize>(
    kernel: &Kernel,
    layout: &Layout<W>,
    origin: Origin<'_, W, H>,
    games: GameRange,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    let spec = &kernel.spec;
    with_isa!(kernel.engine, isa => isa.compiled(lockstep::LockstepPlay {
        isa,
        layout,
        spec,
        origin,
        games,
        report,
    }));
}

/// Plays on slices until fewer than `least` games are left, then on planes.
fn slice<I: SliceIsa<N>, const N: usize, const S: usize, const W: usize, const H: usize>(
    isa: I,
    kernel: &Kernel,
    layout: &Layout<W>,
    starts: Starts<'_>,
    mut games: GameRange,
    least: u32,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    let mut play = slices::SlicePlay::<I, N, S>::new(isa, &kernel.spec, starts, games.clone());
    play.play(least, report);
    let left = play.left();
    games.range = 0..left.len() as u64;
    let resume = |game: usize, board: &mut PackedBoard| play.resume(left[game].0, board);
    let origin = Origin::<W, H>::Resumed(&resume);
    play_planes(kernel, layout, origin, games, &mut |ended| {
        report(&Ended {
            game: left[ended.game as usize].1,
            ..*ended
        });
    });
}

fn table_on<const W: usize, const H: usize>(
    kernel: &Kernel,
    layout: &Layout<W>,
    seeds: CellSeeds,
    slots: usize,
) -> Box<dyn Table> {
    let spec = &kernel.spec;
    let name = kernel.name();
    with_isa!(kernel.engine, isa =>
        Box::new(Blocks::<_, W, H>::new(isa, name, layout, spec, seeds, slots)))
}

fn run_lanes_on<const W: usize, const H: usize>(
    kernel: &Kernel,
    layout: &Layout<W>,
    games: GameRange,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    let spec = &kernel.spec;
    with_isa!(kernel.engine, isa => isa.compiled(lockstep::lanes::LanesPlay::<_, W, H> {
        isa,
        layout,
        spec,
        games,
        report,
    }));
}
