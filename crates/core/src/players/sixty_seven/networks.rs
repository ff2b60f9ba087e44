//! The built-in networks of 67!, for the rules nearest to those of a game.
//!
//! Their files are compiled in with the feature `networks`. Without it, a program provides the
//! networks it needs ([`provide`]): the page loads them when a player first needs them. A file has
//! the bytes of [`Network::to_bytes`], compressed with zlib.

use super::network::Network;
use crate::games::sixty_seven::{Collapse, Operator, SixtySeven};
use crate::locked;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The rules that a network was learned for.
#[derive(Clone, Copy, Debug)]
struct LearnedFor {
    /// The preset of the rules.
    rules: &'static str,
    /// Cells of the board.
    cells: usize,
    /// The operators' symbols.
    operators: &'static str,
    /// Probability that a tile is an operator.
    operator_rate: f64,
    /// Tiles a round.
    tiles_per_turn: usize,
}

impl LearnedFor {
    /// How unlike a game's rules are; 0 for the same ones. Another target is translated
    /// ([`Network::translated`]).
    fn distance(self, game: &SixtySeven) -> f64 {
        let collapse = Collapse::preset(self.rules);
        let symbols: String = game
            .operators
            .tiles()
            .map(|operator: &Operator| operator.symbol())
            .collect();
        let apart = |a: usize, b: usize| (a as f64 / b as f64).max(b as f64 / a as f64) - 1.0;
        let rate = game.operator_rate.share();
        100.0 * f64::from(collapse.blanks_separate != game.collapse.blanks_separate)
            + 10.0 * f64::from(symbols != self.operators)
            + f64::from(collapse.runs != game.collapse.runs)
            + apart(self.cells, game.cells())
            + apart(self.tiles_per_turn, game.tiles_per_turn)
            + (rate - self.operator_rate).abs()
    }
}

/// The target that all networks were learned for.
const TARGET: i64 = 67;

/// A network for some sets of rules.
struct BuiltIn {
    rules: &'static [LearnedFor],
    file: &'static str,
    /// The file that is compiled in.
    compiled: Option<&'static [u8]>,
    /// The file that a program provided.
    provided: OnceLock<Vec<u8>>,
    /// Whether a game asked for the network and it was not there.
    missed: AtomicBool,
    /// The network made for the game that was played last.
    made: Mutex<Option<(SixtySeven, Arc<Network>)>>,
}

macro_rules! built_in {
    ($file:literal: $([$rules:literal, $cells:literal, $operators:literal, $rate:literal, $tiles:literal]),+) => {
        BuiltIn {
            rules: &[$(LearnedFor {
                rules: $rules,
                cells: $cells,
                operators: $operators,
                operator_rate: $rate,
                tiles_per_turn: $tiles,
            }),+],
            file: $file,
            #[cfg(feature = "networks")]
            compiled: Some(include_bytes!(concat!("networks/", $file))),
            #[cfg(not(feature = "networks"))]
            compiled: None,
            provided: OnceLock::new(),
            missed: AtomicBool::new(false),
            made: Mutex::new(None),
        }
    };
}

/// The sets of rules of `experiments/players.toml`, but for three with + and - in which too few
/// games are won to learn from. `networks/README.md` describes how each network was trained.
static BUILT_IN: [BuiltIn; 14] = [
    // On the second set of rules, this network wins as often as one that was learned for them in
    // 100,000 games, and sooner.
    built_in!("original-6x7-+-x-0.5-2.bin": ["original", 42, "+-*", 0.5, 2], ["merge-runs", 42, "+-*", 0.67, 2]),
    built_in!("original-6x7-+--0.5-2.bin": ["original", 42, "+-", 0.5, 2]),
    built_in!("original-4x4-+-x-0.5-2.bin": ["original", 16, "+-*", 0.5, 2]),
    built_in!("merge-runs-5x5-+-x-0.67-4.bin": ["merge-runs", 25, "+-*", 0.67, 4]),
    built_in!("merge-runs-4x4-+-x-0.67-2.bin": ["merge-runs", 16, "+-*", 0.67, 2]),
    built_in!("original-5x5-+-x-0.5-2.bin": ["original", 25, "+-*", 0.5, 2]),
    built_in!("merge-runs-4x4-+--0.67-2.bin": ["merge-runs", 16, "+-", 0.67, 2]),
    built_in!("merge-runs-4x4-+-x-0.67-4.bin": ["merge-runs", 16, "+-*", 0.67, 4]),
    built_in!("merge-runs-5x5-+--0.67-2.bin": ["merge-runs", 25, "+-", 0.67, 2]),
    built_in!("merge-runs-5x5-+--0.67-4.bin": ["merge-runs", 25, "+-", 0.67, 4]),
    built_in!("merge-runs-5x5-+-x-0.67-2.bin": ["merge-runs", 25, "+-*", 0.67, 2]),
    built_in!("merge-runs-6x7-+--0.67-2.bin": ["merge-runs", 42, "+-", 0.67, 2]),
    built_in!("merge-runs-6x7-+--0.67-4.bin": ["merge-runs", 42, "+-", 0.67, 4]),
    built_in!("merge-runs-6x7-+-x-0.67-4.bin": ["merge-runs", 42, "+-*", 0.67, 4]),
];

/// The most bytes of a network that is not compressed.
const SIZE_MAX: usize = 1 << 22;

/// A network as the bytes of its file.
pub fn compressed(network: &Network) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(&network.to_bytes(), 10)
}

fn decompressed(file: &[u8]) -> Result<Vec<u8>, String> {
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(file, SIZE_MAX);
    bytes.map_err(|error| format!("not a compressed network: {error}"))
}

impl BuiltIn {
    fn network(&self, game: &SixtySeven) -> Result<Arc<Network>, String> {
        let Some(file) = self
            .compiled
            .or_else(|| self.provided.get().map(Vec::as_slice))
        else {
            self.missed.store(true, Ordering::Relaxed);
            return Err(format!("the built-in network {} was not loaded", self.file));
        };
        let mut made = locked(&self.made);
        if let Some((known, network)) = &*made
            && known == game
        {
            return Ok(Arc::clone(network));
        }
        let network = Network::from_bytes(game, &decompressed(file)?)?;
        let network = Arc::new(network.translated(TARGET));
        *made = Some((game.clone(), Arc::clone(&network)));
        Ok(network)
    }
}

/// The network for the rules nearest to those of a game.
///
/// # Errors
/// Returns an error if the file of that network is neither compiled in nor provided.
pub fn nearest(game: &SixtySeven) -> Result<Arc<Network>, String> {
    let distance = |network: &&BuiltIn| {
        network
            .rules
            .iter()
            .map(|rules| rules.distance(game))
            .min_by(f64::total_cmp)
            .expect("there are some")
    };
    let nearest = BUILT_IN
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.expect("there are some").network(game)
}

/// The files of the networks that games have asked for and that have to be provided.
pub fn missing() -> impl Iterator<Item = &'static str> {
    let is_missing = |network: &&BuiltIn| {
        network.missed.load(Ordering::Relaxed) && network.provided.get().is_none()
    };
    BUILT_IN
        .iter()
        .filter(is_missing)
        .map(|network| network.file)
}

/// Provides the file of one of the [`missing`] networks.
///
/// # Errors
/// Returns an error if there is no such network, or the bytes are not those of a network.
pub fn provide(file: &str, bytes: Vec<u8>) -> Result<(), String> {
    let network = BUILT_IN.iter().find(|network| network.file == file);
    let network = network.ok_or_else(|| format!("{file}: there is no such network"))?;
    decompressed(&bytes)
        .and_then(|bytes| Network::check_bytes(&bytes))
        .map_err(|error| format!("{file}: {error}"))?;
    // Whoever came first provided the same bytes.
    network.provided.set(bytes).ok();
    Ok(())
}

#[cfg(feature = "networks")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::PARAMS;
    use crate::params::{Params, Value};

    fn game(rules: &str, side: i64) -> SixtySeven {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(side));
        params.set("cols", Value::Int(side));
        params.set("rules", Value::Text(rules.to_owned()));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    #[test]
    fn every_network_can_be_read_and_is_made_once_a_game() {
        for network in &BUILT_IN {
            Network::check_bytes(&decompressed(network.compiled.unwrap()).unwrap()).unwrap();
        }
        let size: usize = BUILT_IN
            .iter()
            .map(|network| network.compiled.unwrap().len())
            .sum();
        assert!(size <= 2_000_000, "{size} bytes");
        let rules: Vec<String> = BUILT_IN
            .iter()
            .flat_map(|network| network.rules)
            .map(|rules| format!("{rules:?}"))
            .collect();
        assert!(
            rules
                .iter()
                .enumerate()
                .all(|(at, known)| !rules[..at].contains(known)),
            "{rules:?}"
        );
        let small = game("original", 4);
        let first = nearest(&small).unwrap();
        assert!(Arc::ptr_eq(&first, &nearest(&small).unwrap()));
        // Other rules may be nearest to the same network, on a board of another size.
        let other = nearest(&game("original", 3)).unwrap();
        assert_eq!(other.tokens.game.rows, 3);
        assert_eq!(first.to_bytes(), other.to_bytes());
    }

    #[test]
    fn what_is_provided_is_checked() {
        assert_eq!(missing().count(), 0);
        assert!(
            provide("none.bin", Vec::new())
                .unwrap_err()
                .contains("no such network")
        );
        let file = BUILT_IN[0].file;
        assert!(provide(file, vec![0x80]).unwrap_err().starts_with(file));
        let small = |bytes: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(bytes, 1);
        assert!(
            provide(file, small(&[0x80]))
                .unwrap_err()
                .contains("not the weights of a network")
        );
        assert!(
            provide(file, small(&vec![0; SIZE_MAX + 1]))
                .unwrap_err()
                .contains("not a compressed network")
        );
    }
}
