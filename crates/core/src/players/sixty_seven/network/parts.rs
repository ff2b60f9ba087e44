//! The parts of features, in a form that can grow and in one that is small.

use super::{FEATURES, WIDTH};
use std::ops::AddAssign;

/// In files, weights and the numbers of the layer are multiples of one thousandth, the numbers of
/// vectors of one 64th.
pub(super) const UNIT: f32 = 0.001;
pub(super) const VECTOR_UNIT: f32 = 1.0 / 64.0;

/// The most features of a line: triples of it and of two moved lines, fives and numbers.
const LINE_FEATURES_MAX: usize = 32;

/// What features add to the sum of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// What is added to the logarithm of the odds.
    pub weight: f32,
    /// What is added to the input of the hidden layer.
    pub vector: [f32; WIDTH],
}

impl AddAssign<&Self> for Part {
    #[inline(always)]
    fn add_assign(&mut self, part: &Self) {
        self.weight += part.weight;
        for (sum, number) in self.vector.iter_mut().zip(&part.vector) {
            *sum += number;
        }
    }
}

/// The parts of features.
#[derive(Clone)]
pub(super) enum Parts {
    Growing(GrowingParts),
    Stored(StoredParts),
}

/// Parts that are learned.
#[derive(Clone)]
pub struct GrowingParts {
    /// By feature, the place of the feature's part among the parts; 0 where it has none.
    places: Vec<u32>,
    /// The first adds nothing.
    pub parts: Vec<Part>,
}

impl GrowingParts {
    /// No feature has a part.
    pub(super) fn new() -> Self {
        Self {
            places: vec![0; FEATURES],
            parts: vec![Part::default()],
        }
    }

    /// The place of a feature's part among the parts; 0 where it has none.
    #[inline(always)]
    pub fn place(&self, feature: usize) -> usize {
        self.places[feature] as usize
    }

    /// The part of a feature, made where it has none.
    pub fn made(&mut self, feature: usize) -> &mut Part {
        if self.places[feature] == 0 {
            self.places[feature] = self.parts.len() as u32;
            self.parts.push(Part::default());
        }
        let place = self.place(feature);
        &mut self.parts[place]
    }
}

/// Parts as a file has them. Most of a player's time goes to reading parts that are not in the
/// first cache, so they take a tenth of the memory of [`GrowingParts`], and less without vectors.
#[derive(Clone)]
pub(super) struct StoredParts {
    blocks: Vec<FeatureBlock>,
    /// The weights of the parts in the order of their features, in the units of files.
    weights: Vec<i16>,
    /// The numbers of the vectors, each plus [`RAISED`]; of a linear network none.
    vectors: Vec<[u8; WIDTH]>,
}

/// 64 neighbouring features.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct FeatureBlock {
    /// Bit by feature: whether the feature has a part.
    has: u64,
    /// How many parts belong to features of earlier blocks.
    before: u32,
}

/// What each number of a stored vector is raised by.
const RAISED: u8 = 128;

impl StoredParts {
    /// No parts yet, for features that are marked in `has`, 64 in a word.
    pub fn new(has: &[u64]) -> Self {
        let mut before = 0;
        let blocks = has
            .iter()
            .map(|&has| {
                let block = FeatureBlock { has, before };
                before += has.count_ones();
                block
            })
            .collect();
        Self {
            blocks,
            weights: vec![0; before as usize],
            vectors: Vec::new(),
        }
    }

    /// Sets the weight of a feature that has a part.
    pub fn set_weight(&mut self, feature: usize, weight: i16) {
        let place = self.place(feature);
        self.weights[place] = weight;
    }

    /// Sets the vector of a feature that has a part.
    pub fn set_vector(&mut self, feature: usize, vector: [i8; WIDTH]) {
        let place = self.place(feature);
        if self.vectors.is_empty() {
            self.vectors = vec![[RAISED; WIDTH]; self.weights.len()];
        }
        self.vectors[place] = vector.map(|number| number.cast_unsigned().wrapping_add(RAISED));
    }

    #[inline(always)]
    pub fn has(&self, feature: usize) -> bool {
        self.blocks[feature / 64].has >> (feature % 64) & 1 == 1
    }

    /// The place of the part of a feature that has one.
    #[inline(always)]
    pub fn place(&self, feature: usize) -> usize {
        let FeatureBlock { has, before } = self.blocks[feature / 64];
        let earlier = has & ((1 << (feature % 64)) - 1);
        before as usize + earlier.count_ones() as usize
    }

    /// The part at a place.
    pub fn part(&self, place: usize) -> Part {
        let number = |raised: u8| f32::from(raised.wrapping_sub(RAISED).cast_signed());
        let vector = self.vectors.get(place).copied().unwrap_or([RAISED; WIDTH]);
        Part {
            weight: f32::from(self.weights[place]) * UNIT,
            vector: vector.map(|raised| number(raised) * VECTOR_UNIT),
        }
    }

    /// The sum of the parts that were found.
    #[inline(always)]
    pub fn sum(&self, found: &PartFeatures) -> Part {
        // Sums of vectors are exact, of bytes as well as of the floats they stand for. Four bytes
        // of a word are added at once to 16 bits each.
        const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
        let found = &found.features[..found.count];
        let mut weight = 0.0;
        let mut sums = [0_u64; 2];
        let mut raised = 0;
        for &feature in found {
            let place = self.place(feature as usize);
            weight += f32::from(self.weights[place]) * UNIT;
            if let Some(&vector) = self.vectors.get(place) {
                let bytes = u64::from_le_bytes(vector);
                sums[0] += bytes & EVEN;
                sums[1] += bytes >> 8 & EVEN;
                raised += i32::from(RAISED);
            }
        }
        let number = |number: usize| {
            let sum = sums[number % 2] >> (8 * (number - number % 2)) & 0xFFFF;
            (sum as i32 - raised) as f32 * VECTOR_UNIT
        };
        Part {
            weight,
            vector: std::array::from_fn(number),
        }
    }
}

/// The features of a line that have parts.
#[derive(Default)]
pub(super) struct PartFeatures {
    features: [u32; LINE_FEATURES_MAX],
    count: usize,
}

impl PartFeatures {
    /// Notes a feature if it has a part: without a branch, which could not be predicted.
    #[inline(always)]
    pub fn see(&mut self, parts: &StoredParts, feature: usize) {
        self.features[self.count % LINE_FEATURES_MAX] = feature as u32;
        self.count += usize::from(parts.has(feature));
    }
}
