//! Writes the networks of a file of weights in the form in which they are built into tilelab.
//!
//! `cargo run --release --example networks -- x.weights 30000 20000 FOLDER` writes a file for each
//! set of rules of 67!, with the 30,000 weights and the 20,000 vectors that count for most: by
//! their size, and by how often greedy games of the network meet their features. It prints how many
//! greedy games are won with all weights and with these.

#![allow(clippy::disallowed_methods)]

use std::ops::Range;
use std::path::Path;
use tilelab::games::sixty_seven::{Direction, NAME, PARAMS, SixtySeven};
use tilelab::players::sixty_seven::lines::{Lines, SLOTS};
use tilelab::players::sixty_seven::network::{FEATURES, Network};
use tilelab::players::sixty_seven::networks;
use tilelab::players::sixty_seven::tokens::{TokenBoard, goes_on, wins};
use tilelab::rng::{SeedableRng, Stream, game_seed, stream_seed};
use tilelab::weights::Weights;

/// Games in which features are counted, and their seed.
const GAMES: u64 = 3000;
const SEED: u64 = 67;

/// How often each feature is met in greedy games, among all boards that were chosen from, and how
/// many games are won.
fn met(network: &Network, games: Range<u64>) -> (Vec<u32>, u64) {
    let tokens = &network.tokens;
    let mut lines = Lines::new(SLOTS);
    let mut met = vec![0; FEATURES];
    let mut won = 0;
    for index in games {
        let mut world = Stream::seed_from_u64(game_seed(stream_seed(SEED, "networks"), index));
        let mut rows: TokenBoard = TokenBoard::default();
        for _ in 0..tokens.game.max_rounds.unwrap_or(u64::MAX) {
            tokens.deal(&mut rows, &mut world);
            let moves = lines.moves(tokens, &rows);
            let flags = moves.flags();
            if wins(flags) {
                won += 1;
                break;
            }
            let mut best: Option<(f32, TokenBoard)> = None;
            for direction in Direction::ALL
                .into_iter()
                .filter(|&direction| goes_on(flags, direction))
            {
                let after = moves.after(direction);
                let odds = lines.odds(network, &after);
                lines.features(network, &after, |feature| met[feature] += 1);
                if best.is_none_or(|(known, _)| odds > known) {
                    best = Some((odds, after));
                }
            }
            let Some((_, after)) = best else { break };
            rows = after;
        }
    }
    (met, won)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, kept, vectors, folder] = &arguments[..] else {
        return Err(
            "give a file of weights, the numbers of weights and of vectors to keep, and the folder to \
             write to"
                .into(),
        );
    };
    let kept: usize = kept.parse()?;
    let vectors: usize = vectors.parse()?;
    let weights = Weights::read(Path::new(file))?;
    for section in weights
        .sections
        .iter()
        .filter(|section| section.learned.game == NAME)
    {
        let params = section
            .learned
            .params(PARAMS)
            .ok_or("the rules are those of another version")?;
        let game = SixtySeven::from_params(&params);
        let network = Network::read(&weights.players, &game)?;
        let (met_features, _) = met(&network, 0..GAMES);
        let pruned = network.pruned(kept, vectors, &met_features);
        let bytes = networks::compressed(&pruned);
        let pruned = Network::from_bytes(&game, &pruned.to_bytes())?;
        // Other games than those that chose the weights.
        let [all, left] = [&*network, &pruned].map(|network| met(network, GAMES..2 * GAMES).1);
        let text = |name| params.text(name).unwrap_or_default().replace('*', "x");
        let rate = params.float("operator_rate");
        let name = format!(
            "{}-{}x{}-{}-{rate}-{}.bin",
            text("rules"),
            game.rows,
            game.cols,
            text("operators"),
            game.tiles_per_turn
        );
        let path = Path::new(folder).join(name);
        std::fs::write(&path, &bytes)?;
        println!(
            "{}: {} games learned, {} bytes; of {GAMES} greedy games, {all} won with all weights, \
             {left} with these",
            path.display(),
            section.learned.games,
            bytes.len()
        );
    }
    Ok(())
}
