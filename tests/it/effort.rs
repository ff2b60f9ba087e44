//! How much tests try that could try any amount.

/// `usual` games or cases, multiplied by what the environment variable `TILELAB_TIMES` says.
/// `.ci/nightly tests` asks for 20 times as many.
pub fn times(usual: u64) -> u64 {
    let times = std::env::var("TILELAB_TIMES").map_or(1.0, |times| {
        times
            .parse()
            .unwrap_or_else(|_| panic!("TILELAB_TIMES={times}"))
    });
    (usual as f64 * times).ceil() as u64
}
