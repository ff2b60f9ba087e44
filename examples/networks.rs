//! Writes the networks of a file of weights in the form in which they are built into tilelab.
//!
//! `cargo run --release --example networks -- x.weights FOLDER` writes a file for each set of rules
//! of 67!, with its 130,000 largest weights.

use std::path::Path;
use tilelab::games::sixty_seven::{NAME, PARAMS, SixtySeven};
use tilelab::players::sixty_seven::network::Network;
use tilelab::players::weights::Weights;

/// Weights that are kept: about 390 KB a network.
const KEPT: usize = 130_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, folder] = &arguments[..] else {
        return Err("give a file of weights and the folder to write to".into());
    };
    let weights = Weights::read(Path::new(file))?;
    for section in weights.sections.iter().filter(|section| section.learned.game == NAME) {
        let params = section.learned.params(PARAMS).ok_or("the rules are those of another version")?;
        let game = SixtySeven::from_params(&params);
        let network = Network::read(&weights, &game)?.pruned(KEPT);
        let text = |name| params.text(name).unwrap_or_default().replace('*', "x");
        let rate = params.float("operator_rate").unwrap_or_default();
        let name = format!(
            "{}-{}x{}-{}-{rate}-{}.bin",
            text("rules"),
            game.rows,
            game.cols,
            text("operators"),
            game.tiles_per_turn
        );
        let path = Path::new(folder).join(name);
        std::fs::write(&path, network.to_bytes())?;
        println!("{}: {} games", path.display(), section.learned.games);
    }
    Ok(())
}
