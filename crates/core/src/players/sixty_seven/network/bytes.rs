//! Networks of 67! as bytes.

use super::parts::{Parts, StoredParts, UNIT, VECTOR_UNIT};
use super::{FEATURES, LAYER, Layer, Network, WIDTH};
use crate::games::sixty_seven::SixtySeven;

/// The first vector among the entries of a file.
const VECTORS_AT: usize = FEATURES + LAYER;

impl Network {
    /// The entries that are not 0: the weights, by feature, then the numbers of the layer, both in
    /// thousandths (16 bits); then the vectors, by feature, each number in 64ths (8 bits).
    ///
    /// The numbers of entries of 16 bits and of vectors come first (32 bits, little end first),
    /// then for each entry how many zeros come before it (LEB128), then the low bytes of the
    /// thousandths, their high bytes, and the numbers of the vectors by their place in them: equal
    /// kinds of bytes stand together, which compresses better.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut gaps = Vec::new();
        let mut thousandths: [Vec<u8>; 2] = Default::default();
        let mut vectors: [Vec<u8>; WIDTH] = Default::default();
        let mut next = 0;
        let mut put = |at: usize, value: &[u8], planes: &mut [Vec<u8>]| {
            if value.iter().all(|&byte| byte == 0) {
                return;
            }
            let mut zeros = at - next;
            next = at + 1;
            while zeros >= 0x80 {
                gaps.push(zeros as u8 | 0x80);
                zeros >>= 7;
            }
            gaps.push(zeros as u8);
            for (plane, &byte) in planes.iter_mut().zip(value) {
                plane.push(byte);
            }
        };
        let bytes_of = |number: f32| ((number / UNIT).round() as i16).to_le_bytes();
        for (feature, part) in self.parts() {
            put(feature, &bytes_of(part.weight), &mut thousandths);
        }
        let mut layer = self.layer.clone().unwrap_or(Layer::filled(0.0));
        for (place, number) in layer.numbers().enumerate() {
            put(FEATURES + place, &bytes_of(*number), &mut thousandths);
        }
        for (feature, part) in self.parts() {
            let bytes = part
                .vector
                .map(|number| (number / VECTOR_UNIT).round() as i8 as u8);
            put(VECTORS_AT + feature, &bytes, &mut vectors);
        }
        let counts = [&thousandths[0], &vectors[0]].map(|plane| (plane.len() as u32).to_le_bytes());
        let planes = thousandths.iter().chain(&vectors);
        [counts.as_flattened(), &gaps]
            .into_iter()
            .chain(planes.map(Vec::as_slice))
            .collect::<Vec<_>>()
            .concat()
    }

    /// Reads what [`Network::to_bytes`] wrote.
    ///
    /// # Errors
    /// Returns an error if the bytes are invalid.
    pub fn from_bytes(game: &SixtySeven, bytes: &[u8]) -> Result<Self, String> {
        let mut has = vec![0; FEATURES.div_ceil(64)];
        read_sparse(bytes, |at, _| {
            if let Some(feature) = feature(at) {
                has[feature / 64] |= 1 << (feature % 64);
            }
        })?;
        let mut parts = StoredParts::new(&has);
        let mut layer = [0.0; LAYER];
        read_sparse(bytes, |at, value| match (feature(at), value) {
            (Some(feature), &[low, high]) => {
                parts.set_weight(feature, i16::from_le_bytes([low, high]));
            }
            (Some(feature), vector) => {
                let bytes: [u8; WIDTH] = vector.try_into().expect("a vector has its width");
                parts.set_vector(feature, bytes.map(u8::cast_signed));
            }
            (None, value) => {
                let number = i16::from_le_bytes([value[0], value[1]]);
                layer[at - FEATURES] = f32::from(number) * UNIT;
            }
        })?;
        let mut network = Self::with_parts(game, Parts::Stored(parts));
        if layer.iter().any(|&number| number != 0.0) {
            let read = network.layer.insert(Layer::filled(0.0));
            for (number, value) in read.numbers().zip(layer) {
                *number = value;
            }
        }
        Ok(network)
    }

    /// Whether these are the bytes of a network.
    ///
    /// # Errors
    /// Returns an error if the bytes are invalid.
    pub fn check_bytes(bytes: &[u8]) -> Result<(), String> {
        read_sparse(bytes, |_, _| ())
    }
}

/// The feature of an entry; `None` if it is a number of the layer.
fn feature(at: usize) -> Option<usize> {
    match at {
        0..FEATURES => Some(at),
        _ => at.checked_sub(VECTORS_AT),
    }
}

/// Calls `see` with place and value of each entry that [`Network::to_bytes`] wrote.
fn read_sparse(bytes: &[u8], mut see: impl FnMut(usize, &[u8])) -> Result<(), String> {
    let broken = || {
        format!(
            "{} bytes are not the weights of a network of 67!",
            bytes.len()
        )
    };
    let mut left = bytes;
    let mut counts = [0; 2];
    for count in &mut counts {
        let read = left.split_off(..4).ok_or_else(broken)?;
        *count = u32::from_le_bytes(read.try_into().expect("it is four bytes")) as usize;
    }
    let [weights, vectors] = counts;
    if weights.max(vectors) > bytes.len() {
        return Err(broken());
    }
    let planes = bytes.len().checked_sub(2 * weights + WIDTH * vectors);
    let (mut gaps, planes) = planes
        .and_then(|gaps| left.split_at_checked(gaps.saturating_sub(8)))
        .ok_or_else(broken)?;
    let (thousandths, numbers) = planes.split_at(2 * weights);
    let mut at = 0;
    for entry in 0..weights + vectors {
        let mut zeros = 0_usize;
        for shift in (0..28).step_by(7) {
            let byte = *gaps.split_off_first().ok_or_else(broken)?;
            zeros |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        at += zeros;
        let is_vector = entry >= weights;
        if is_vector != (at >= VECTORS_AT) || at >= VECTORS_AT + FEATURES {
            return Err(broken());
        }
        if is_vector {
            let byte = |place| numbers[place * vectors + entry - weights];
            see(at, &std::array::from_fn::<u8, WIDTH, _>(byte));
        } else {
            see(at, &[thousandths[entry], thousandths[weights + entry]]);
        }
        at += 1;
    }
    if gaps.is_empty() {
        Ok(())
    } else {
        Err(broken())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tokens::SIDE_MAX;
    use super::super::Part;
    use super::super::tests::{game, random_network};
    use super::*;
    use crate::rng::{SeedableRng, Stream};

    #[test]
    fn networks_come_back_from_their_bytes() {
        let game = game("original", 4, 4);
        let met = vec![1; FEATURES];
        let network =
            random_network(&game, &mut Stream::seed_from_u64(2)).pruned(300_000, 100_000, &met);
        let bytes = network.to_bytes();
        let again = Network::from_bytes(&game, &bytes).unwrap();
        let near = |a: &f32, b: &f32, unit: f32| (a - b).abs() <= 0.501 * unit;
        for feature in 0..FEATURES {
            let [a, b] =
                [&network, &again].map(|network| network.part(feature).unwrap_or_default());
            assert!(near(&a.weight, &b.weight, UNIT), "{feature}");
            let mut numbers = a.vector.iter().zip(&b.vector);
            assert!(numbers.all(|(a, b)| near(a, b, VECTOR_UNIT)), "{feature}");
        }
        let mut layers = [network, again.clone()].map(|network| network.layer.unwrap());
        let [a, b] = &mut layers;
        assert!(a.numbers().zip(b.numbers()).all(|(a, b)| near(a, b, UNIT)));
        assert_eq!(again.to_bytes(), bytes);
        let mut growing = Network::new(&game);
        growing.layer.clone_from(&again.layer);
        for (feature, part) in again.parts() {
            *growing.growing_mut().made(feature) = part;
        }
        let mut stream = Stream::seed_from_u64(3);
        for round in 0..500 {
            let mut board = [0; SIDE_MAX];
            for _ in 0..round % 10 {
                again.tokens.deal(&mut board, &mut stream);
            }
            assert_eq!(again.odds(&board), growing.odds(&board));
        }
        let kept = |is_kept: &dyn Fn(&Part) -> bool| {
            again.parts().filter(|(_, part)| is_kept(part)).count()
        };
        assert_eq!(kept(&|part| part.weight != 0.0), 300_000);
        assert_eq!(kept(&|part| part.vector != [0.0; WIDTH]), 100_000);
        let far = [1, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 1, 0];
        for damaged in [
            &bytes[..bytes.len() - 1],
            &[0xFF; 64],
            &far,
            &[0; 9],
            &[0x80],
        ] {
            assert!(Network::from_bytes(&game, damaged).is_err());
        }
    }
}
