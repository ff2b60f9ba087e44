//! Random streams, their seeds, and the draw protocol.
//!
//! Everything random in tilelab comes from [`Stream`] (xoshiro256++, Blackman and Vigna 2019), a
//! named and portable generator: the numbers are the same on every machine and in every version of
//! the crate.
//!
//! # Which stream a game gets
//!
//! A cell of an experiment has two keys: its *world key* (game and rules) and its *player key*
//! (world key and player). Each key is hashed together with the experiment's master seed into a
//! *stream seed* ([`stream_seed`]); the stream seed and the index of the game give the *game seed*
//! ([`game_seed`]), which seeds one generator through SplitMix64 (`seed_from_u64` of
//! `rand_xoshiro`). So a game has two streams:
//!
//! | stream | seeded from | decides |
//! | --- | --- | --- |
//! | world | master seed, world key, game index | everything the rules leave to chance (spawns, start positions) |
//! | player | master seed, player key, game index | everything a player leaves to chance |
//!
//! Nothing else affects the seeds: not the position of the cell in its file, the batch, the thread
//! or the kernel. Parameters that a table of an experiment lists in `common` are left out of both
//! keys. Two players of the same rules meet the same world stream, game for game, so they can be
//! compared in pairs.
//!
//! # How a decision is drawn
//!
//! A 64-bit word is read as a fraction of one and consumed piece by piece ([`Draw`]): `below(n)`
//! multiplies by `n`, takes the integer part as the result and keeps the fraction for the next
//! decision (Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024,
//! without the rejection step). Without rejection each outcome of a word that serves ranges n₁, n₂,
//! … has a probability within n₁·n₂·…/2⁶⁴ (relatively) of the exact one. The product is at most 2¹³
//! on boards up to 16×16 (2¹⁷ on the largest, 64×64), so the bias is below 2⁻⁵¹ (2⁻⁴⁷): to see it
//! at all, about 2¹⁰² (2⁹⁴) draws would be needed. Rejection would break the lock-step of the fast
//! kernels without any benefit.
//!
//! The header of each game states what each word of each stream decides; that text is part of the
//! guarantee "same seed, same bytes".

pub use rand::{Rng, SeedableRng};

/// The generator behind every random decision: xoshiro256++.
///
/// This is deliberately a type of a 0.x crate, so that a stream works with `rand`. The algorithm is
/// published, so no later version of the crate can change a result.
pub type Stream = rand_xoshiro::Xoshiro256PlusPlus;

/// The stream in this state, which is not all zeros.
#[cfg_attr(feature = "kernels", inline)]
pub fn stream_in_state(words: [u64; 4]) -> Stream {
    let mut bytes = [0; 32];
    for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *eight = word.to_le_bytes();
    }
    Stream::from_seed(bytes)
}

/// The next word of a xoshiro256++ in this state.
#[inline(always)]
pub const fn next_word(state: &mut [u64; 4]) -> u64 {
    let [s0, s1, s2, s3] = *state;
    let t2 = s2 ^ s0;
    let t3 = s3 ^ s1;
    *state = [s0 ^ t3, s1 ^ t2, t2 ^ (s1 << 17), t3.rotate_left(45)];
    s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0)
}

/// The odd constant of SplitMix64: 2⁶⁴ divided by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The factors of [`mix`].
pub(crate) const MIX: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];

/// The version of seeded results. It is raised whenever a cell and a seed give different games (see
/// "Results change" in CHANGELOG.md). Saved games of another version are not continued.
pub const RESULTS_VERSION: u32 = 1;

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64-bit words.
#[cfg_attr(feature = "kernels", inline)]
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(MIX[0]);
    let word = (word ^ (word >> 27)).wrapping_mul(MIX[1]);
    word ^ (word >> 31)
}

/// Hashes a key with 64-bit FNV-1a.
pub const fn hash_key(key: &str) -> u64 {
    let bytes = key.as_bytes();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01B3);
        at += 1;
    }
    hash
}

/// The seed shared by all games of one key under one master seed.
pub const fn stream_seed(master: u64, key: &str) -> u64 {
    mix(mix(master.wrapping_add(GOLDEN)) ^ hash_key(key))
}

/// The seed of game number `game` (from 0) of a stream.
///
/// For a fixed stream seed this is a bijection of the game index, so no two games of a cell share a
/// seed.
#[cfg_attr(feature = "kernels", inline)]
pub const fn game_seed(stream_seed: u64, game: u64) -> u64 {
    mix(stream_seed.wrapping_add(GOLDEN.wrapping_mul(game.wrapping_add(1))))
}

/// The two stream seeds of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSeeds {
    /// Seeds the random events of the rules.
    pub world: u64,
    /// Seeds the random choices of the player.
    pub player: u64,
}

impl CellSeeds {
    /// Derives the seeds of the cell with these keys under a master seed.
    pub const fn new(master: u64, world_key: &str, player_key: &str) -> Self {
        Self {
            world: stream_seed(master, world_key),
            // The prefix keeps the two streams apart when the keys are equal.
            player: mix(stream_seed(master, player_key) ^ GOLDEN),
        }
    }

    /// Seeds under a master seed for games that do not belong to a cell.
    pub const fn of(master: u64) -> Self {
        Self::new(master, "", "")
    }

    /// The world stream of game number `game`.
    #[cfg_attr(feature = "kernels", inline)]
    pub fn world_stream(&self, game: u64) -> Stream {
        stream(game_seed(self.world, game))
    }

    /// The player stream of game number `game`.
    #[cfg_attr(feature = "kernels", inline)]
    pub fn player_stream(&self, game: u64) -> Stream {
        stream(game_seed(self.player, game))
    }
}

/// What `seed_from_u64` makes of a seed.
#[cfg_attr(feature = "kernels", inline)]
fn stream(seed: u64) -> Stream {
    stream_in_state(stream_words(seed))
}

/// The words of a generator: SplitMix64 seeds them as it seeds the games of a cell.
#[cfg_attr(feature = "kernels", inline)]
pub fn stream_words(seed: u64) -> [u64; 4] {
    [0, 1, 2, 3].map(|part| game_seed(seed, part))
}

/// A 64-bit word consumed as a fraction in [0, 1).
///
/// ```
/// use tilelab_core::rng::Draw;
/// let mut draw = Draw::new(1 << 63); // one half
/// assert_eq!(draw.below(3), 1); // 3 × ½ = 1 + ½
/// assert_eq!(draw.below(10), 5); // 10 × ½ = 5 + 0
/// assert_eq!(draw.below(10), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Starts with a whole word.
    #[inline(always)]
    pub const fn new(word: u64) -> Self {
        Self(word)
    }

    /// A draw from the next word of a stream.
    #[inline(always)]
    pub fn next(stream: &mut Stream) -> Self {
        Self(stream.next_u64())
    }

    /// An index in `0..n`; the rest of the word serves the next decision. `n` is at least 1.
    #[inline(always)]
    pub const fn below(&mut self, n: u64) -> u64 {
        let product = (self.0 as u128) * (n as u128);
        self.0 = product as u64;
        (product >> 64) as u64
    }

    /// True with the given probability; the last decision of a word.
    #[inline(always)]
    pub const fn chance(self, probability: Probability) -> bool {
        (self.0 >> 1) < probability.0
    }
}

/// A probability as a multiple of 2⁻⁶³, so that 0 and 1 are both exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probability(u64);

impl Probability {
    /// The largest multiple of 2⁻⁶³ that is at most `p`, which lies in [0, 1]; from 2⁻¹¹ up that is
    /// `p` itself.
    ///
    /// # Panics
    /// Panics if `p` lies outside [0, 1] or is not a number.
    pub fn new(p: f64) -> Self {
        assert!(
            (0.0..=1.0).contains(&p),
            "a probability lies between 0 and 1, not at {p}"
        );
        Self((p * 9_223_372_036_854_775_808.0) as u64)
    }

    /// The probability from 0 to 1, rounded to a number of 53 bits.
    pub fn share(self) -> f64 {
        self.0 as f64 / 9_223_372_036_854_775_808.0
    }

    /// The number of the 2⁶³ equally likely 63-bit words for which the event happens.
    #[inline(always)]
    pub const fn threshold(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value stability: these words are part of the guarantee "same seed, same bytes".
    #[test]
    fn streams_are_stable() {
        let seeds = CellSeeds::new(67, "world", "player");
        let mut world = seeds.world_stream(0);
        let mut player = seeds.player_stream(0);
        assert_eq!(hash_key("a"), 0xAF63_DC4C_8601_EC8C, "FNV-1a test vector");
        assert_eq!(
            mix(GOLDEN),
            0xE220_A839_7B1D_CDAF,
            "first output of SplitMix64 seeded with 0"
        );
        let first: Vec<u64> = (0..2)
            .map(|_| world.next_u64())
            .chain((0..2).map(|_| player.next_u64()))
            .collect();
        assert_eq!(first, STABLE);
    }

    const STABLE: [u64; 4] = [
        13_894_445_195_145_300_152,
        18_057_280_110_021_981_667,
        5_913_291_836_099_076_184,
        5_021_044_639_025_097_597,
    ];

    #[test]
    fn streams_are_seeded_as_by_rand_xoshiro() {
        for seed in [0, 1, 67, u64::MAX] {
            assert_eq!(stream(seed), Stream::seed_from_u64(seed));
        }
    }

    #[test]
    fn games_of_a_cell_have_distinct_seeds() {
        let seed = stream_seed(1, "cell");
        let mut seeds: Vec<u64> = (0..10_000).map(|game| game_seed(seed, game)).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 10_000);
    }

    #[test]
    fn probabilities_are_exact_at_the_ends() {
        for word in [0, 1, 1 << 63, u64::MAX] {
            assert!(!Draw::new(word).chance(Probability::new(0.0)));
            assert!(Draw::new(word).chance(Probability::new(1.0)));
        }
        assert!(Draw::new((1 << 63) - 1).chance(Probability::new(0.5)));
        assert!(!Draw::new(1 << 63).chance(Probability::new(0.5)));
    }

    #[test]
    fn draws_are_uniform() {
        let mut stream = Stream::seed_from_u64(1);
        let mut counts = [[0_u32; 3]; 7];
        for _ in 0..210_000 {
            let mut draw = Draw::next(&mut stream);
            let first = draw.below(7) as usize;
            counts[first][draw.below(3) as usize] += 1;
        }
        // 21 outcomes with 10,000 expected each: chi-square with 20 degrees of freedom, 99.99 %
        // point 52.4.
        let chi_square: f64 = counts
            .iter()
            .flatten()
            .map(|&count| (f64::from(count) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(chi_square < 52.4, "{chi_square}");
    }
}
