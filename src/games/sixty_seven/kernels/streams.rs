//! The random streams of games in lanes: xoshiro256++, one state a lane.

use super::isa::Isa;
use crate::rng::{game_seed, mix};

/// The next word of each lane's xoshiro256++.
#[inline(always)]
pub(super) fn next_word<I: Isa>(isa: I, s: &mut [I::Vector; 4]) -> I::Vector {
    let word = isa.add(isa.rotate_by::<23>(isa.add(s[0], s[3])), s[0]);
    let shifted = isa.shift_left_by::<17>(s[1]);
    let [s0, s1, s2, s3] = *s;
    *s = [
        isa.parity(s3, s1, s0),
        isa.parity(s2, s0, s1),
        isa.parity(s2, s0, shifted),
        isa.rotate_by::<45>(isa.xor(s3, s1)),
    ];
    word
}

/// The words of the state of game number `game`'s stream.
///
/// What `Stream::seed_from_u64` does, which goes through bytes: 4 words of SplitMix64 (a state of zeros needs four mixed words to be 0,
/// which are different words of a bijection).
#[inline(always)]
pub(super) const fn state(stream_seed: u64, game: u64) -> [u64; 4] {
    /// 2⁶⁴ divided by the golden ratio.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let seed = game_seed(stream_seed, game);
    [
        mix(seed.wrapping_add(STEP)),
        mix(seed.wrapping_add(STEP.wrapping_mul(2))),
        mix(seed.wrapping_add(STEP.wrapping_mul(3))),
        mix(seed.wrapping_add(STEP.wrapping_mul(4))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::CellSeeds;

    #[test]
    fn games_begin_with_the_states_of_their_streams() {
        for number in 0..200 {
            let seeds = CellSeeds::new(number, "game", "player");
            for (stream, words) in [
                (seeds.world_stream(number), state(seeds.world, number)),
                (seeds.player_stream(mix(number)), state(seeds.player, mix(number))),
            ] {
                let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
                assert_eq!(stream.state()[..], bytes);
            }
        }
    }
}
