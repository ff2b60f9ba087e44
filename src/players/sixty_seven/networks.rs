//! The built-in networks of 67!, for the rules nearest to those of a game.
//!
//! Their bytes are compiled in with the feature `networks`. Without it, a program provides those
//! that it wants ([`provide`]): the page loads them when a player first asks for them.

use super::evaluation::Origin;
use super::network::Network;
use crate::games::sixty_seven::SixtySeven;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A network for one set of rules.
struct BuiltIn {
    rules: Origin<'static>,
    file: &'static str,
    /// What is compiled in.
    compiled: Option<&'static [u8]>,
    /// What a program provided.
    provided: OnceLock<Vec<u8>>,
    /// Of the game that was played last.
    made: Mutex<Option<(SixtySeven, Arc<Network>)>>,
}

macro_rules! built_in {
    ($file:literal: $rules:literal, $cells:literal, $operators:literal, $rate:literal, $tiles:literal) => {
        BuiltIn {
            rules: Origin {
                rules: $rules,
                cells: $cells,
                operators: $operators,
                operator_rate: $rate,
                tiles_per_turn: $tiles,
            },
            file: $file,
            #[cfg(feature = "networks")]
            compiled: Some(include_bytes!(concat!("networks/", $file))),
            #[cfg(not(feature = "networks"))]
            compiled: None,
            provided: OnceLock::new(),
            made: Mutex::new(None),
        }
    };
}

/// Each is what these commands wrote: the 130,000 weights that count for most. The games of each
/// are in `networks/README.md`.
///
/// ```text
/// tilelab learn --set rules=… --set size=… … --games … --out x.weights
/// cargo run --release --example networks -- x.weights src/players/sixty_seven/networks
/// ```
static BUILT_IN: [BuiltIn; 5] = [
    built_in!("original-6x7-+-x-0.5-2.bin": "original", 42, "+-*", 0.5, 2),
    built_in!("original-6x7-+--0.5-2.bin": "original", 42, "+-", 0.5, 2),
    built_in!("original-4x4-+-x-0.5-2.bin": "original", 16, "+-*", 0.5, 2),
    built_in!("merge-runs-5x5-+-x-0.67-4.bin": "merge-runs", 25, "+-*", 0.67, 4),
    built_in!("merge-runs-4x4-+-x-0.67-2.bin": "merge-runs", 16, "+-*", 0.67, 2),
];

impl BuiltIn {
    fn network(&self, game: &SixtySeven) -> Result<Arc<Network>, String> {
        let Some(bytes) = self.compiled.or_else(|| self.provided.get().map(Vec::as_slice)) else {
            return Err(format!("the built-in network {} was not loaded", self.file));
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, network)) = &*made
            && known == game
        {
            return Ok(Arc::clone(network));
        }
        let network = Arc::new(Network::from_bytes(game, bytes)?);
        *made = Some((game.clone(), Arc::clone(&network)));
        Ok(network)
    }
}

/// The network for the rules nearest to those of a game.
///
/// # Errors
/// When the bytes of that network are neither compiled in nor provided.
pub fn nearest(game: &SixtySeven) -> Result<Arc<Network>, String> {
    let distance = |network: &&BuiltIn| network.rules.distance(game);
    let nearest = BUILT_IN.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.expect("there are some").network(game)
}

/// The files of the networks whose bytes have to be provided.
pub fn missing() -> impl Iterator<Item = &'static str> {
    let is_missing = |network: &&BuiltIn| network.compiled.is_none() && network.provided.get().is_none();
    BUILT_IN.iter().filter(is_missing).map(|network| network.file)
}

/// Provides the bytes of one of the [`missing`] networks.
///
/// # Errors
/// When there is no such network, or the bytes are not those of a network.
pub fn provide(file: &str, bytes: Vec<u8>) -> Result<(), String> {
    let network = BUILT_IN.iter().find(|network| network.file == file);
    let network = network.ok_or_else(|| format!("{file}: there is no such network"))?;
    Network::check_bytes(&bytes).map_err(|error| format!("{file}: {error}"))?;
    // Whoever came first provided the same bytes.
    network.provided.set(bytes).ok();
    Ok(())
}

#[cfg(all(test, feature = "networks"))]
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
            Network::check_bytes(network.compiled.unwrap()).unwrap();
        }
        let small = game("original", 4);
        let first = nearest(&small).unwrap();
        assert!(Arc::ptr_eq(&first, &nearest(&small).unwrap()));
        // Other rules may be nearest to the same network, on a board of another size.
        let other = nearest(&game("original", 3)).unwrap();
        assert_eq!(other.tokens.game.rows, 3);
        assert!(first.weights == other.weights);
    }

    #[test]
    fn what_is_provided_is_checked() {
        assert_eq!(missing().count(), 0);
        assert!(provide("none.bin", Vec::new()).unwrap_err().contains("no such network"));
        let file = BUILT_IN[0].file;
        assert!(provide(file, vec![0x80]).unwrap_err().starts_with(file));
    }
}
