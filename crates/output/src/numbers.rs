//! Numbers as people read them.

/// A count with a prefix, such as `1.23 M`.
pub fn scaled(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.2} G", c / 1e9),
        c if c >= 1e6 => format!("{:.2} M", c / 1e6),
        c if c >= 1e3 => format!("{:.1} k", c / 1e3),
        c => format!("{c:.0} "),
    }
}

/// A count with commas between thousands, such as `12,345`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds as `3 d 04 h`, `1 h 02 min`, `3 min 04 s` or `5 s`.
pub fn duration_text(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..86_400 => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
        _ => format!("{} d {:02} h", whole / 86_400, whole / 3600 % 24),
    }
}

/// A tile's text in at most `width` characters: in full, as a power of two, rounded (`12e8`), or
/// `##`; a word loses its end.
pub fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |digits| ("-", digits));
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let kept = text.chars().take(width.saturating_sub(1));
        return kept.chain(['…']).collect();
    }
    if let Ok(value) = text.parse::<u64>()
        && value.is_power_of_two()
    {
        let power = format!("^{}", value.trailing_zeros());
        if power.len() <= width {
            return power;
        }
    }
    (1..digits.len())
        .rev()
        .map(|kept| format!("{sign}{}e{}", &digits[..kept], digits.len() - kept))
        .find(|rounded| rounded.len() <= width)
        .unwrap_or_else(|| "#".repeat(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_shortened() {
        for (text, width, expected) in [
            ("1024", 4, "1024"),
            ("1024", 3, "^10"),
            ("131072", 4, "^17"),
            ("123456789", 5, "123e6"),
            ("-123456789", 5, "-12e7"),
            ("123", 2, "##"),
            ("Reverse", 4, "Rev…"),
            ("12345678901234567890123", 6, "123e20"),
        ] {
            assert_eq!(fit(text, width), expected, "{text} in {width}");
        }
    }
}
