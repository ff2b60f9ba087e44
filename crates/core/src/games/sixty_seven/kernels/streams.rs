//! The random streams of a vector of games: xoshiro256++, one state for each game.

use super::isa::Isa;
use crate::rng::{GOLDEN, game_seed, mix};

/// The states of a vector's streams.
#[derive(Clone, Copy)]
pub(super) struct Streams<I: Isa> {
    pub isa: I,
    pub state: [I::Vector; 4],
}

impl<I: Isa> Streams<I> {
    #[inline(always)]
    pub(super) fn load(isa: I, blocks: &[I::Block; 4]) -> Self {
        let mut state = [isa.splat(0); 4];
        for i in 0..4 {
            state[i] = isa.load(&blocks[i]);
        }
        Self { isa, state }
    }

    #[inline(always)]
    pub(super) fn store(&self, blocks: &mut [I::Block; 4]) {
        for i in 0..4 {
            self.isa.store(&mut blocks[i], self.state[i]);
        }
    }

    /// The next word of each stream.
    #[inline(always)]
    pub(super) fn next_word(&mut self) -> I::Vector {
        let isa = self.isa;
        let [s0, s1, s2, s3] = self.state;
        let word = isa.add(isa.rotate_by::<23>(isa.add(s0, s3)), s0);
        let shifted = isa.shift_left_by::<17>(s1);
        self.state = [
            isa.parity(s3, s1, s0),
            isa.parity(s2, s0, s1),
            isa.parity(s2, s0, shifted),
            isa.rotate_by::<45>(isa.xor(s3, s1)),
        ];
        word
    }
}

/// The words of SplitMix64 that follow `state`.
#[inline(always)]
pub(super) fn split_mix<const N: usize>(state: u64) -> [u64; N] {
    let mut words = [0; N];
    for n in 0..N {
        words[n] = mix(state.wrapping_add(GOLDEN.wrapping_mul(n as u64 + 1)));
    }
    words
}

/// The words of the state of game number `game`'s stream.
///
/// The words are those of `Stream::seed_from_u64`, which goes through bytes. They are never all 0,
/// since they are a bijection's values at different words.
#[inline(always)]
pub(super) fn state(stream_seed: u64, game: u64) -> [u64; 4] {
    split_mix(game_seed(stream_seed, game))
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
                (
                    seeds.player_stream(mix(number)),
                    state(seeds.player, mix(number)),
                ),
            ] {
                let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
                assert_eq!(stream.state()[..], bytes);
            }
        }
    }
}
