//! Numbers modulo the prime 2⁶¹ − 1.

/// The prime.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// Brings a number below 2 × PRIME into 0..PRIME.
#[inline(always)]
const fn reduce(number: u64) -> u64 {
    let less = number.wrapping_sub(PRIME);
    // Below the prime the subtraction wraps to something larger.
    if less < number { less } else { number }
}

/// A number below 2 × PRIME with the residue of `a × b`, for residues.
#[inline(always)]
const fn product(a: u64, b: u64) -> u64 {
    let product = (a as u128) * (b as u128);
    // 2⁶¹ is 1.
    (product as u64 & PRIME) + (product >> 61) as u64
}

/// [`product`] by multiplications of 64 bits.
#[inline(always)]
const fn product_by_halves(a: u64, b: u64) -> u64 {
    const LOW: u64 = u32::MAX as u64;
    let low = (a & LOW) * (b & LOW);
    let cross = (a >> 32) * (b & LOW) + (a & LOW) * (b >> 32);
    let high = (a >> 32) * (b >> 32);
    // 2⁶⁴ is 8; the cross terms (below 2⁶²) stand 32 bits up, of which 29 reach 2⁶¹.
    let sum = (low & PRIME) + (low >> 61) + ((cross << 32) & PRIME) + (cross >> 29) + (high << 3);
    (sum & PRIME) + (sum >> 61)
}

/// `a op b` for residues, with op 0 = plus, 1 = minus, 2 = times; sum and product are both computed
/// and one is kept.
#[inline(always)]
pub(crate) const fn combine(a: u64, op: u64, b: u64) -> u64 {
    let minus = (op & 1).wrapping_neg();
    let sum = a + ((b & !minus) | ((PRIME - b) & minus));
    let product = any_product(a, b);
    let times = (op >> 1).wrapping_neg();
    reduce((sum & !times) | (product & times))
}

/// `a op b` for residues, with op 0 = plus, 1 = minus, 2 = times and 3 = the second minus the
/// first.
#[inline(always)]
pub(crate) const fn combine_either(a: u64, op: usize, b: u64) -> u64 {
    // Flipping all bits of a residue negates it.
    const FLIPS: [[u64; 2]; 4] = [[0, 0], [0, PRIME], [0, 0], [PRIME, 0]];
    let [flip_a, flip_b] = FLIPS[op & 3];
    let sum = (a ^ flip_a) + (b ^ flip_b);
    let times = ((op & 3 == 2) as u64).wrapping_neg();
    reduce(sum ^ ((sum ^ any_product(a, b)) & times))
}

/// A number below 2 × PRIME with the residue of `a × b`, for residues.
#[inline(always)]
const fn any_product(a: u64, b: u64) -> u64 {
    // WebAssembly has no product of 128 bits: it would be a function call.
    if cfg!(target_arch = "wasm32") {
        product_by_halves(a, b)
    } else {
        product(a, b)
    }
}

/// Whether the number with this residue lies outside ± `limit`, both at most 2⁶⁰.
#[inline(always)]
pub(crate) const fn exceeds(residue: u64, limit: u64) -> bool {
    // Numbers within the limit have residues up to `limit` or from `PRIME - limit` on.
    residue.wrapping_sub(limit + 1) < PRIME - 2 * limit - 1
}

/// The residue of a number.
pub(crate) const fn residue(number: i64) -> u64 {
    (number as i128).rem_euclid(PRIME as i128) as u64
}

/// The number nearest to 0 with this residue, from -2⁶⁰ + 1 to 2⁶⁰ - 1.
pub(crate) const fn nearest(residue: u64) -> i64 {
    residue.cast_signed()
        - if residue > PRIME / 2 {
            PRIME.cast_signed()
        } else {
            0
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    #[test]
    fn residues_follow_the_integers() {
        let numbers = (0..300)
            .map(|i| mix(i) >> (i % 60))
            .chain([0, 1, PRIME - 1, PRIME, u64::MAX])
            .map(|n| n % PRIME);
        let numbers: Vec<u64> = numbers.collect();
        for &a in &numbers {
            for &b in &numbers {
                let wide_a = i128::from(a);
                let wide_b = i128::from(b);
                let prime = i128::from(PRIME);
                for (op, exact) in [
                    (0, wide_a + wide_b),
                    (1, wide_a - wide_b),
                    (2, wide_a * wide_b),
                ] {
                    assert_eq!(
                        i128::from(combine(a, op, b)),
                        exact.rem_euclid(prime),
                        "{a} {op} {b}"
                    );
                    let either = [(a, op, b), (b, [0, 3, 2][op as usize], a)];
                    for (a, op, b) in either {
                        let value = i128::from(combine_either(a, op as usize, b));
                        assert_eq!(value, exact.rem_euclid(prime), "{a} {op} {b}");
                    }
                }
                let product = product_by_halves(a, b);
                assert!(
                    product < 2 * PRIME && reduce(product) == combine(a, 2, b),
                    "{a} × {b}"
                );
            }
        }
        assert_eq!(residue(-1), PRIME - 1);
        for number in [0, 1, -1, 67, -67, (1 << 60) - 1, 1 - (1 << 60)] {
            assert_eq!(nearest(residue(number)), number);
        }
    }
}
