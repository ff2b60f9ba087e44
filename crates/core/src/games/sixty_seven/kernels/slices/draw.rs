//! Random words: the tiles of a round, and the player's picks.

use super::super::spec::Spec;
use super::super::streams::state;
use crate::games::kernels::Work;
use crate::rng::{CellSeeds, next_word};

/// Tiles that are drawn at a time, at most.
pub(super) const TILES: usize = 4;

/// The streams of a batch of games, and what was drawn from them.
pub(super) struct Draws<const N: usize> {
    pub world: [[[u64; 64]; N]; 4],
    player: [[[u64; 64]; N]; 4],
    /// Blank cells.
    pub blanks: [[u8; 64]; N],
    /// Each tile's rank among the blanks that the earlier ones leave.
    pub ranks: [[[u8; 64]; N]; TILES],
    /// Each tile: in bit 7 whether it is an operator, below its index.
    pub codes: [[[u8; 64]; N]; TILES],
    /// Player words of four rounds, each as one of twelve numbers.
    pub picks: [[[u8; 64]; N]; 4],
    /// The digits and the operators that appeared, where the rules have them counted.
    pub spawned: [Vec<u32>; 2],
}

impl<const N: usize> Draws<N> {
    pub(super) fn new(spec: &Spec) -> Self {
        let games = if spec.counted { 64 * N } else { 0 };
        Self {
            world: [[[0; 64]; N]; 4],
            player: [[[0; 64]; N]; 4],
            blanks: [[0; 64]; N],
            ranks: [[[0; 64]; N]; TILES],
            codes: [[[0; 64]; N]; TILES],
            picks: [[[0; 64]; N]; 4],
            spawned: std::array::from_fn(|_| vec![0; games]),
        }
    }

    /// Begins game number `number` in a slot, with `blanks` blank cells, after `rounds` rounds of
    /// the batch.
    pub(super) fn begin(
        &mut self,
        slot: usize,
        seeds: CellSeeds,
        number: u64,
        blanks: usize,
        rounds: u64,
    ) {
        for (words, word) in self.world.iter_mut().zip(state(seeds.world, number)) {
            words.as_flattened_mut()[slot] = word;
        }
        let mut player = state(seeds.player, number);
        // What the batch has drawn of these four rounds, this game has not.
        let due = rounds as usize % 4 + 1;
        for picks in &mut self.picks[due..] {
            picks.as_flattened_mut()[slot] = twelfth(next_word(&mut player));
        }
        for (words, word) in self.player.iter_mut().zip(player) {
            words.as_flattened_mut()[slot] = word;
        }
        self.blanks.as_flattened_mut()[slot] = blanks as u8;
        for counts in &mut self.spawned {
            if let Some(count) = counts.get_mut(slot) {
                *count = 0;
            }
        }
    }

    /// Draws the next `T` tiles, of which number `first` of the round is the first: a rank among
    /// the blanks in the lowest byte, and above what `content` makes of the rest of the word.
    #[inline(always)]
    fn draw<const T: usize>(
        &mut self,
        first: usize,
        content: impl Fn(u64) -> u64,
    ) -> [[[u64; 64]; N]; T] {
        let mut drawn = [[[0; 64]; N]; T];
        let words = drawn.each_mut().map(|words| words.as_flattened_mut());
        let blanks = self.blanks.as_flattened();
        let [s0, s1, s2, s3] = self.world.each_mut().map(|words| words.as_flattened_mut());
        for game in 0..64 * N {
            let mut state = [s0[game], s1[game], s2[game], s3[game]];
            for tile in 0..T {
                let left = u64::from(blanks[game].saturating_sub((first + tile) as u8));
                let (rank, rest) = multiply(next_word(&mut state), left);
                words[tile][game] = rank | content(rest) << 8;
            }
            [s0[game], s1[game], s2[game], s3[game]] = state;
        }
        drawn
    }
}

/// Draws `T` tiles of this round, of which number `first` is the first: one world word each.
pub(super) struct DrawTiles<'a, const N: usize, const T: usize> {
    pub draws: &'a mut Draws<N>,
    pub spec: &'a Spec,
    pub first: usize,
}

impl<const N: usize, const T: usize> Work for DrawTiles<'_, N, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { draws, spec, first } = self;
        // Below 2³² for all that the compiler knows, which multiplies accordingly.
        let totals = spec.totals.map(|total| u64::from(total as u16));
        let kinds = u64::from((totals[0] * totals[1]) as u8);
        // Below 2⁶³, so that the signed comparison serves; a threshold of 0 becomes -1, which every
        // word exceeds.
        let threshold = spec.operator_threshold.wrapping_sub(1).cast_signed();
        let is_operator = |rest: u64| u64::from((rest >> 1).cast_signed() <= threshold);
        let is_equal = spec.is_equal();
        let drawn = if is_equal {
            draws.draw::<T>(first, |rest| {
                let (kind, rest) = multiply(rest, kinds);
                kind | is_operator(rest) << 7
            })
        } else {
            draws.draw::<T>(first, |rest| {
                let (of_operator, rest) = multiply(rest, totals[1]);
                let (of_number, rest) = multiply(rest, totals[0]);
                let mask = is_operator(rest).wrapping_neg();
                of_number ^ ((of_number ^ (of_operator + totals[0])) & mask)
            })
        };
        let first = first as u8;
        let numbers = spec.numbers.len() as u8;
        let lowest = spec.operators[0];
        // The numbers of the operators that appear are evenly spaced, whichever these are.
        let step = spec.operators.get(1).map_or(0, |second| second - lowest);
        for tile in 0..T {
            let drawn = drawn[tile].as_flattened();
            let ranks = draws.ranks[tile].as_flattened_mut();
            let codes = draws.codes[tile].as_flattened_mut();
            for game in 0..64 * N {
                ranks[game] = drawn[game] as u8;
            }
            if is_equal {
                for game in 0..64 * N {
                    codes[game] = (drawn[game] >> 8) as u8;
                }
                for code in codes.iter_mut() {
                    let kind = *code & 0x7F;
                    let operator = u8::from(kind >= numbers) + u8::from(kind >= 2 * numbers);
                    let mark = *code & 0x80;
                    *code = if mark == 0 {
                        kind - operator * numbers
                    } else {
                        mark | (lowest + operator * step)
                    };
                }
            } else {
                let mut contents = [[0_u16; 64]; N];
                let contents = contents.as_flattened_mut();
                for game in 0..64 * N {
                    contents[game] = (drawn[game] >> 8) as u16;
                }
                let mut entries = [[0_u16; 64]; N];
                let entries = entries.as_flattened_mut();
                for &bound in &spec.bounds {
                    for game in 0..64 * N {
                        entries[game] += u16::from(contents[game] > bound as u16);
                    }
                }
                for game in 0..64 * N {
                    let entry = entries[game] as u8;
                    codes[game] = if entry < numbers {
                        entry
                    } else {
                        0x80 | (lowest + (entry - numbers) * step)
                    };
                }
            }
            if spec.counted {
                let [digits, operators] = &mut draws.spawned;
                for game in 0..64 * N {
                    let placed = u32::from(draws.blanks.as_flattened()[game] > first + tile as u8);
                    let operator = u32::from(codes[game] >> 7);
                    operators[game] += placed & operator;
                    digits[game] += placed & !operator;
                }
            }
        }
    }
}

/// Draws the player's words of the next four rounds. Those of rounds after the end of a game decide
/// nothing.
pub(super) struct Picks<'a, const N: usize>(pub(super) &'a mut Draws<N>);

impl<const N: usize> Work for Picks<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut drawn = [[0_u32; 64]; N];
        let words = drawn.as_flattened_mut();
        let [s0, s1, s2, s3] = self
            .0
            .player
            .each_mut()
            .map(|words| words.as_flattened_mut());
        for game in 0..64 * N {
            let mut state = [s0[game], s1[game], s2[game], s3[game]];
            let mut word = 0;
            for round in 0..4 {
                word |= u32::from(twelfth(next_word(&mut state))) << (8 * round);
            }
            words[game] = word;
            [s0[game], s1[game], s2[game], s3[game]] = state;
        }
        for (round, picks) in self.0.picks.iter_mut().enumerate() {
            for (pick, word) in picks.as_flattened_mut().iter_mut().zip(words.iter()) {
                *pick = (word >> (8 * round)) as u8;
            }
        }
    }
}

/// The upper and the lower word of a product with a number below 2³². By halves, for which most
/// instruction sets have vectors.
#[inline(always)]
const fn multiply(word: u64, small: u64) -> (u64, u64) {
    let low = (word & 0xFFFF_FFFF) * small;
    let high = (word >> 32) * small + (low >> 32);
    (high >> 32, high << 32 | low & 0xFFFF_FFFF)
}

/// ⌊12 w ÷ 2⁶⁴⌋, from which a choice among up to 4 follows as from the word itself.
#[inline(always)]
const fn twelfth(word: u64) -> u8 {
    multiply(word, 12).0 as u8
}
