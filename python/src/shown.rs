//! What environments show of boards, and what they reward.

use crate::errors::{shape_text, wrong_input};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::LazyLock;
use tilelab::game::stepping::kind;
use tilelab::games::{sixty_seven, twenty_forty_eight};
use tilelab::plan;

/// What 67! is about: the observations and the reward of its environments use it.
const TARGET: f64 = 67.0;
/// The largest magnitude in planes of 67!.
const PLANE_MAX: f32 = 4.0;
/// The kinds of the first planes of 67!.
const PLANE_KINDS: [u8; 5] = [
    kind::BLANK,
    kind::PLUS,
    kind::MINUS,
    kind::TIMES,
    kind::NUMBER,
];
/// Numbers whose features are looked up: those of a smaller magnitude.
const LOOKED_UP: i32 = 2048;
/// The cells whose numbers are found together.
const BLOCK: usize = 64;
/// The bits of 1.
const ONE: u32 = 1_f32.to_bits();

/// An observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// Kinds and numbers as they are.
    Tiles,
    /// Blank, `+`, `-`, `*`, number, and three features of the number.
    PlanesSixtySeven,
    /// Five numbers for each cell, as the authors of 67! published them.
    Project,
    /// Blank, 2, 4, 8, …
    Planes2048,
}

impl Observation {
    /// The observation of a game with this name.
    pub fn of(game: &str, name: &str) -> PyResult<Self> {
        let known: &[(&str, Self)] = match game {
            sixty_seven::NAME => &[
                ("tiles", Self::Tiles),
                ("planes", Self::PlanesSixtySeven),
                ("project", Self::Project),
            ],
            twenty_forty_eight::NAME => &[("tiles", Self::Tiles), ("planes", Self::Planes2048)],
            _ => &[("tiles", Self::Tiles)],
        };
        chosen("observation", name, known)
    }

    /// The shape of one board's array; that of kinds and of numbers for tiles.
    pub fn shape(self, rows: usize, cols: usize) -> Vec<usize> {
        match self {
            Self::Tiles => vec![rows, cols],
            Self::PlanesSixtySeven => vec![8, rows, cols],
            Self::Project => vec![5 * rows * cols],
            // The largest tile of a board of n cells is 2ⁿ⁺¹.
            Self::Planes2048 => vec![rows * cols + 2, rows, cols],
        }
    }

    /// The bounds of the array's values.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Self::Tiles | Self::Project => (f64::NEG_INFINITY, f64::INFINITY),
            Self::PlanesSixtySeven => (-f64::from(PLANE_MAX), f64::from(PLANE_MAX)),
            Self::Planes2048 => (0.0, 1.0),
        }
    }

    /// Refuses a board that the array cannot show: a 3 in 2048, or a tile beyond its planes.
    pub fn check(self, numbers: &[f64]) -> Result<(), String> {
        let most = numbers.len() + 1;
        let is_shown = |number: f64| {
            let power = exponent(number);
            number == 0.0
                || (1..=most.min(63)).contains(&power) && number == (1_u64 << power) as f64
        };
        let wrong = numbers.iter().find(|&&number| !is_shown(number));
        match wrong.filter(|_| self == Self::Planes2048) {
            Some(number) => Err(format!(
                "{number}: planes show the powers of two from 2 to 2**{most} only; use the observation tiles"
            )),
            None => Ok(()),
        }
    }

    /// The observation of N boards of a shape (N, rows, cols).
    pub fn arrays<'py>(
        self,
        py: Python<'py>,
        (count, rows, cols): (usize, usize, usize),
        kinds: Vec<u8>,
        numbers: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self == Self::Tiles {
            let shape = [count, rows, cols];
            let kinds = PyArray1::from_vec(py, kinds).reshape(shape)?;
            let numbers = PyArray1::from_vec(py, numbers).reshape(shape)?;
            return tiles(py, kinds.into_any(), numbers.into_any());
        }
        let shape = self.shape(rows, cols);
        let size: usize = shape.iter().product();
        let mut planes = vec![0.0; count * size];
        let cells = (rows * cols).max(1);
        let boards = kinds.chunks_exact(cells).zip(numbers.chunks_exact(cells));
        for ((kinds, numbers), out) in boards.zip(planes.chunks_exact_mut(size.max(1))) {
            self.write(kinds, numbers, out);
        }
        let shape: Vec<usize> = std::iter::once(count).chain(shape).collect();
        Ok(PyArray1::from_vec(py, planes).reshape(shape)?.into_any())
    }

    /// Writes the array of one board. Tiles have none.
    pub fn write(self, kinds: &[u8], numbers: &[f64], out: &mut [f32]) {
        let cells = kinds.len();
        match self {
            Self::Tiles => {}
            Self::PlanesSixtySeven => {
                // Without branches that depend on tiles: half of them would be mispredicted.
                let (planes, features) = out.split_at_mut(PLANE_KINDS.len() * cells);
                for (plane, shown) in planes.chunks_exact_mut(cells).zip(PLANE_KINDS) {
                    for (out, &kind) in plane.iter_mut().zip(kinds) {
                        *out = f32::from_bits(u32::from(kind == shown).wrapping_neg() & ONE);
                    }
                }
                features.fill(0.0);
                let (first, rest) = features.split_at_mut(cells);
                let (second, third) = rest.split_at_mut(cells);
                let known = &FEATURES[..];
                let mut found = [0; BLOCK];
                for start in (0..cells).step_by(BLOCK) {
                    let mut count = 0;
                    for (place, &kind) in kinds[start..].iter().take(BLOCK).enumerate() {
                        found[count % BLOCK] = place;
                        count += usize::from(kind == kind::NUMBER);
                    }
                    for place in &found[..count] {
                        let cell = start + place;
                        let number = numbers[cell];
                        let place = (number as i64).saturating_add(LOOKED_UP.into());
                        [first[cell], second[cell], third[cell]] = match known.get(place as usize) {
                            Some(&features) => features,
                            None => features_of(number),
                        };
                    }
                }
            }
            Self::Project => {
                out.fill(0.0);
                for (five, (&kind, &number)) in
                    out.chunks_exact_mut(5).zip(kinds.iter().zip(numbers))
                {
                    match kind {
                        kind::NUMBER => five[0] = (number.clamp(-1e30, 1e30) / 1000.0) as f32,
                        kind::BLANK => five[1] = 1.0,
                        operator => five[usize::from(operator)] = 1.0,
                    }
                }
            }
            Self::Planes2048 => {
                out.fill(0.0);
                let most = out.len() / cells - 1;
                for (cell, &number) in numbers.iter().enumerate() {
                    out[exponent(number).min(most) * cells + cell] = 1.0;
                }
            }
        }
    }
}

/// The exponent of a power of two; 0 of a blank cell.
fn exponent(number: f64) -> usize {
    // The exponent stands in the bits from 52 up, 1023 too large.
    ((number.to_bits() >> 52) as usize).saturating_sub(1023)
}

/// The features of small numbers, from -[`LOOKED_UP`] up.
static FEATURES: LazyLock<Vec<[f32; 3]>> = LazyLock::new(|| {
    (-LOOKED_UP..LOOKED_UP)
        .map(|x| features_of(x.into()))
        .collect()
});

/// sign(x)·log(1 + |x|) / log(1001) and x / 67, both clipped, and exp(-|x - 67| / 9).
fn features_of(number: f64) -> [f32; 3] {
    let magnitude = number.abs().ln_1p() / 1001_f64.ln();
    let clipped = |x: f64| (x as f32).clamp(-PLANE_MAX, PLANE_MAX);
    [
        clipped(magnitude.copysign(number)),
        clipped(number / TARGET),
        (-(number - TARGET).abs() / 9.0).exp() as f32,
    ]
}

/// A reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// 1 for a won game, -1 for a lost one.
    Win,
    /// The reward of the environment that the authors of 67! published.
    Project,
    /// The points of the swipe.
    Score,
    /// A reward that Python computes.
    Own,
}

/// What a reward is computed from, beside the board after the step.
#[derive(Clone, Copy)]
pub struct Facts {
    /// Whether the game ended in this step and is won.
    pub won: bool,
    /// Whether the game ended in this step and is lost.
    pub lost: bool,
    /// Whether the move was not legal.
    pub illegal: bool,
}

impl Reward {
    /// The reward of a game with this name; the default is the game's first.
    pub fn of(game: &str, name: Option<&str>) -> PyResult<Self> {
        let known: &[(&str, Self)] = match game {
            sixty_seven::NAME => &[("win", Self::Win), ("project", Self::Project)],
            twenty_forty_eight::NAME => &[("score", Self::Score), ("win", Self::Win)],
            _ => &[("win", Self::Win)],
        };
        match name {
            Some("<function>") => Ok(Self::Own),
            _ => chosen("reward", name.unwrap_or(known[0].0), known),
        }
    }

    /// What the next step's reward needs to know of a board.
    pub fn before(self, kinds: &[u8], numbers: &[f64]) -> Before {
        match self {
            Self::Win | Self::Own => Before::default(),
            Self::Project => {
                let distance = |(&kind, &number): (&u8, &f64)| {
                    (kind == kind::NUMBER).then(|| (number - TARGET).abs())
                };
                let nearest = kinds.iter().zip(numbers).filter_map(distance);
                Before {
                    value: nearest
                        .reduce(f64::min)
                        .filter(|d| d.is_finite())
                        .unwrap_or(1000.0),
                    sum: 0.0,
                }
            }
            // A tile 2ᵏ made of twos has scored (k - 1)·2ᵏ; a 4 that was dealt has scored nothing.
            Self::Score => Before {
                value: numbers
                    .iter()
                    .map(|&tile| exponent(tile).saturating_sub(1) as f64 * tile)
                    .sum(),
                sum: numbers.iter().sum(),
            },
        }
    }

    /// The reward of a step between two boards.
    pub fn value(self, before: Before, after: Before, kinds: &[u8], facts: Facts) -> f64 {
        let by_end = |won: f64, lost: f64| {
            won * f64::from(u8::from(facts.won)) + lost * f64::from(u8::from(facts.lost))
        };
        match self {
            Self::Win => by_end(1.0, -1.0),
            Self::Project if facts.illegal && !facts.lost => -5.0,
            Self::Project => {
                let nearer = (before.value - after.value).clamp(-1000.0, 1000.0);
                let blanks = kinds.iter().filter(|&&kind| kind == kind::BLANK).count();
                0.1 * nearer + 0.01 * blanks as f64 + by_end(100.0, -50.0)
            }
            Self::Score => {
                let dealt = after.sum - before.sum;
                after.value - before.value - if dealt == 4.0 { 4.0 } else { 0.0 }
            }
            Self::Own => 0.0,
        }
    }
}

/// What a reward needs to know of a board: the distance of the nearest number from 67, or the
/// points that the tiles are worth if all were made of twos, and their sum.
#[derive(Clone, Copy, Default)]
pub struct Before {
    value: f64,
    sum: f64,
}

/// What a word stands for.
pub fn chosen<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, found)| *found).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
        wrong_input(format!("{what}={name:?}: accepted: {}", names.join(", ")))
    })
}

/// The observations of N boards, given as kinds (uint8) and numbers (float64) of shape (N, rows,
/// cols): float32, one array for each board.
#[pyfunction]
pub fn encode<'py>(
    py: Python<'py>,
    game: &str,
    observation: &str,
    kinds: PyReadonlyArrayDyn<'py, u8>,
    numbers: PyReadonlyArrayDyn<'py, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let encoder = Observation::of(plan::game(game).map_err(wrong_input)?.name, observation)?;
    let kinds = kinds.as_array();
    let numbers = numbers.as_array();
    let (&[count, rows, cols], true) = (kinds.shape(), kinds.shape() == numbers.shape()) else {
        return Err(wrong_input(format!(
            "kinds and numbers: one shape (N, rows, cols) is needed, {} and {} were given",
            shape_text(kinds.shape()),
            shape_text(numbers.shape())
        )));
    };
    if let Some(wrong) = kinds.iter().find(|&&kind| kind > kind::TIMES) {
        return Err(wrong_input(format!(
            "kinds: {wrong} is not a kind; accepted: whole numbers from 0 to {}",
            kind::TIMES
        )));
    }
    if encoder == Observation::Tiles {
        return Err(wrong_input("observation=tiles: it needs no encoding"));
    }
    let kinds: Vec<u8> = kinds.iter().copied().collect();
    let numbers: Vec<f64> = numbers.iter().copied().collect();
    for (number, numbers) in numbers.chunks((rows * cols).max(1)).enumerate() {
        let checked = encoder.check(numbers);
        checked.map_err(|error| wrong_input(format!("board {number}: {error}")))?;
    }
    encoder.arrays(py, (count, rows, cols), kinds, numbers)
}

/// The observation `tiles`.
pub fn tiles<'py>(
    py: Python<'py>,
    kinds: Bound<'py, PyAny>,
    numbers: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let both = PyDict::new(py);
    both.set_item(pyo3::intern!(py, "kinds"), kinds)?;
    both.set_item(pyo3::intern!(py, "numbers"), numbers)?;
    Ok(both.into_any())
}
