//! Numbers of experiment files.

use toml::de::DeValue;

/// A whole number of at most 63 bits and a sign.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A finite number, written as whole number or with a dot.
pub(super) fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => integer(value)? as f64,
    };
    f64::is_finite(number).then_some(number)
}

/// Removes the binary dust of `from + index × step`: the nearest number with twelve decimal digits
/// below the largest of the three.
pub(super) fn without_dust(value: f64, largest: f64) -> f64 {
    let decimals = (12.0 - largest.log10().ceil()).clamp(0.0, 300.0) as usize;
    let rounded: f64 = format!("{value:.decimals$}")
        .parse()
        .expect("a formatted number is a number");
    // Minus zero would be written as a value of its own.
    rounded + 0.0
}
