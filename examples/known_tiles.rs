//! How much the tiles decide in 67!: games of a player that knows the tiles of the next rounds.
//!
//! `cargo run --release --example known_tiles -- x.weights GAMES ROUNDS` plays the rules of each
//! set in a file of weights, with up to ROUNDS rounds known. The player tries all moves of the
//! rounds that it knows and takes the one that leads to the best board, by the weights. With no
//! round known it is greedy.
//!
//! Numbers that the network does not tell apart count as far away, so a few games go on otherwise
//! than they would by the rules.

use std::path::Path;
use tilelab::games::sixty_seven::{Direction, NAME, PARAMS, SixtySeven};
use tilelab::players::sixty_seven::lines::{Lines, SLOTS};
use tilelab::players::sixty_seven::network::{Network, chance};
use tilelab::players::sixty_seven::tokens::{TokenBoard, goes_on, wins};
use tilelab::rng::{SeedableRng, Stream, game_seed, stream_seed};
use tilelab::stats::rate::clopper_pearson;
use tilelab::weights::Weights;

/// The seed of the games.
const SEED: u64 = 67;

/// Plays with known tiles.
struct KnownTiles<'a> {
    network: &'a Network,
    lines: Lines,
}

impl KnownTiles<'_> {
    /// The best that can be reached from a board before its tiles appear, which `world` draws: 2 if
    /// it is won, less later; 0 to 1 by the weights; and the board after the first move.
    fn best(&mut self, rows: &TokenBoard, world: &Stream, known: u32) -> (f32, Option<TokenBoard>) {
        let mut world = world.clone();
        let mut rows = *rows;
        self.network.tokens.deal(&mut rows, &mut world);
        let moves = self.lines.moves(&self.network.tokens, &rows);
        let flags = moves.flags();
        if wins(flags) {
            return (2.0, None);
        }
        let mut best = (0.0, None);
        for direction in Direction::ALL
            .into_iter()
            .filter(|&direction| goes_on(flags, direction))
        {
            let after = moves.after(direction);
            let value = if known == 0 {
                chance(self.lines.odds(self.network, &after))
            } else {
                // A win counts for a little less the later it comes.
                let (value, _) = self.best(&after, &world, known - 1);
                if value > 1.0 {
                    1.0 + (value - 1.0) * 0.99
                } else {
                    value
                }
            };
            if best.1.is_none() || value > best.0 {
                best = (value, Some(after));
            }
        }
        best
    }

    /// Whether a game is won.
    fn wins(&mut self, index: u64, known: u32) -> bool {
        let mut world = Stream::seed_from_u64(game_seed(stream_seed(SEED, "known tiles"), index));
        let mut rows: TokenBoard = TokenBoard::default();
        for _ in 0..self.network.tokens.game.max_rounds.unwrap_or(u64::MAX) {
            let (value, after) = self.best(&rows, &world, known);
            let Some(after) = after else {
                return value > 1.0;
            };
            // The deal takes the same words as the look ahead drew.
            self.network.tokens.deal(&mut rows, &mut world);
            rows = after;
        }
        false
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, games, rounds] = &arguments[..] else {
        return Err("give a file of weights, the number of games and the most rounds known".into());
    };
    let games: u64 = games.parse()?;
    let rounds: u32 = rounds.parse()?;
    let weights = Weights::read(Path::new(file))?;
    println!("| set of rules | rounds known | games won, % [95 % Clopper–Pearson] |");
    println!("| --- | ---: | ---: |");
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
        let text = |name| params.text(name).unwrap_or_default();
        let rules = format!(
            "{} {}×{} `{}`",
            text("rules"),
            game.rows,
            game.cols,
            text("operators")
        );
        for known in 0..=rounds {
            let mut player = KnownTiles {
                network: &network,
                lines: Lines::new(SLOTS),
            };
            let won = (0..games)
                .filter(|&index| player.wins(index, known))
                .count() as u64;
            let interval = clopper_pearson(won, games, 0.95);
            let percent = 100.0 * won as f64 / games as f64;
            println!(
                "| {rules} | {known} | {percent:.1} [{:.1}, {:.1}] |",
                100.0 * interval.lo,
                100.0 * interval.hi
            );
        }
    }
    Ok(())
}
