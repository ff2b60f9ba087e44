//! The reference beside a kernel, game for game.
#![allow(dead_code)]

pub mod games;
pub mod lines;
mod memory;
mod miri;
mod playouts;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use tilelab::catalog;
use tilelab::game::{Game, KernelChoice, KernelEntry, Outcome, Player};
use tilelab::games::sixty_seven::kernels::{Algorithm, Kernel};
use tilelab::games::sixty_seven::packed::PackedBoard;
use tilelab::games::sixty_seven::{NAME, PARAMS, SixtySeven, complete};
use tilelab::params::Params;
use tilelab::players::random::Random;
use tilelab::rng::CellSeeds;

/// The presets, and the two settings of lines that no preset has.
pub const RULES: [&str; 7] = [
    "original",
    "gapless",
    "merge-pairs",
    "merge-runs",
    "bounded",
    "original equal_operators=pairs",
    "merge-runs gaps=keep",
];

/// A game from `key=value` settings over the defaults.
pub fn game(settings: &str) -> SixtySeven {
    let mut params = Params::parse(PARAMS, settings).unwrap_or_else(|error| panic!("{error}"));
    complete(&mut params).expect("parameters go together");
    SixtySeven::from_params(&params)
}

/// The kernels of 67! that this machine has.
pub fn kernels() -> impl Iterator<Item = KernelChoice> {
    kernels_of(NAME)
}

/// The kernels of a game that this machine has. What is tested and what is not is printed once for
/// each game, past the test runner. A kernel that the environment variable `TILELAB_REQUIRE` names,
/// among others separated by blanks, has to be here.
pub fn kernels_of(game: &str) -> impl Iterator<Item = KernelChoice> + use<> {
    static TOLD: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let game = catalog::game(game).expect("the catalog has the game");
    let (here, missing): (Vec<&KernelEntry>, Vec<_>) =
        game.kernels.iter().partition(|entry| (entry.available)());
    let required = std::env::var("TILELAB_REQUIRE").unwrap_or_default();
    for entry in &missing {
        let name = entry.choice.name();
        assert!(
            !required.split(' ').any(|required| required == name),
            "TILELAB_REQUIRE names {name}, which needs {}",
            entry.needs
        );
    }
    if TOLD.lock().is_ok_and(|mut told| told.insert(game.name)) {
        let names = |entries: &[&KernelEntry]| {
            let names: Vec<_> = entries.iter().map(|entry| entry.choice.name()).collect();
            names.join(", ")
        };
        let _ = writeln!(
            std::io::stderr(),
            "kernels of {}: tested: {}; not on this machine: {}",
            game.name,
            names(&here),
            names(&missing)
        );
    }
    here.into_iter().map(|entry| entry.choice)
}

pub fn seeds(number: u64) -> CellSeeds {
    CellSeeds::new(number, NAME, "random")
}

/// Plays one game through the plain rules.
pub fn reference(game: &SixtySeven, seeds: CellSeeds, index: u64) -> (Outcome, PackedBoard) {
    let mut world = seeds.world_stream(index);
    let mut stream = seeds.player_stream(index);
    let mut state = game.start(&mut world);
    let mut moves = Vec::new();
    loop {
        game.deal(&mut state, &mut world);
        if let Some(outcome) = game.outcome(&state) {
            return (outcome, PackedBoard::pack(&state.board));
        }
        moves.clear();
        game.legal(&state, &mut moves);
        let chosen = Random.choose(game, &state, &moves, &mut stream);
        game.play(&mut state, chosen);
        if let Some(outcome) = game.outcome(&state) {
            return (outcome, PackedBoard::pack(&state.board));
        }
    }
}

/// What plays whole games here: for each kernel of this machine, its own choice of the algorithm,
/// then every algorithm that fits the board by itself.
pub fn engines(game: &SixtySeven) -> Vec<Kernel> {
    let engines = kernels().flat_map(|choice| {
        let kernel = Kernel::new(choice, game).unwrap_or_else(|why| panic!("{game:?}: {why}"));
        let alone = [Algorithm::Planes, Algorithm::Slices];
        let alone = alone.map(|algorithm| kernel.with_algorithm(algorithm));
        [Some(kernel)].into_iter().chain(alone).flatten()
    });
    engines.collect()
}

/// Plays a batch.
pub fn batch(
    kernel: &Kernel,
    seeds: CellSeeds,
    games: Range<u64>,
) -> BTreeMap<u64, (Outcome, PackedBoard)> {
    let mut ended = BTreeMap::new();
    kernel.play(seeds, games.clone(), &mut |end| {
        let before = ended.insert(end.game, (end.outcome(), end.board()));
        assert!(before.is_none(), "game {} is reported twice", end.game);
    });
    assert!(
        ended.keys().copied().eq(games),
        "every game of the batch is reported"
    );
    ended
}

/// Every kernel plays these games as the reference does: same result, same move count, same last
/// board.
pub fn check_games(game: &SixtySeven, seeds: CellSeeds, games: Range<u64>) {
    let expected: Vec<_> = games
        .clone()
        .map(|index| reference(game, seeds, index))
        .collect();
    for kernel in engines(game) {
        for ((index, played), expected) in
            batch(&kernel, seeds, games.clone()).iter().zip(&expected)
        {
            assert_eq!(played, expected, "game {index}: {kernel:?}");
        }
    }
}
