//! How results are compared.

/// How results are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonOptions {
    /// Whether cells that met the same random numbers are compared in pairs of games, and if so,
    /// how many of the first; `Some(None)` compares all that both have.
    pub paired: Option<Option<u64>>,
    /// Whether cells that cannot be paired are compared as independent samples where `paired` is
    /// set; otherwise that is an error.
    pub unpaired_ok: bool,
    /// The margin (a share) by which win rates may differ and count as the same; `None`: not
    /// tested.
    pub margin: Option<f64>,
    /// The measure whose means are compared as well: one that games report besides result and
    /// moves, such as `merge_score` of 2048.
    pub measure: Option<String>,
    /// The level of the intervals, between 0 and 1.
    pub confidence: f64,
}

impl Default for ComparisonOptions {
    /// Unpaired, without a margin or a measure, at 0.95.
    fn default() -> Self {
        Self {
            paired: None,
            unpaired_ok: false,
            margin: None,
            measure: None,
            confidence: 0.95,
        }
    }
}

impl ComparisonOptions {
    /// Whether the options can be followed.
    ///
    /// # Errors
    /// Names the option, its value and what is accepted.
    pub fn check(&self) -> Result<(), String> {
        let shares = [
            ("confidence", Some(self.confidence)),
            ("margin", self.margin),
        ];
        for (name, value) in shares {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && *value < 1.0)) {
                return Err(format!(
                    "{name}={value}: accepted: a number between 0 and 1, such as 0.95"
                ));
            }
        }
        match self.paired.flatten() {
            Some(games @ ..2) => Err(format!("paired={games}: accepted: a whole number from 2")),
            _ => Ok(()),
        }
    }

    /// The adjusted p-value up to which a difference counts.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }
}
