//! Plays a grid of cells in memory and prints a table: `cargo run --release --example sweep`.

use tilelab::{Experiment, play_plan};

const EXPERIMENT: &str = r#"
name = "sweep"
seed = 67
games = 2_000

[[table]]
title = "Operator rate by size"
game = "sixty-seven"
size = ["3x3", "4x4"]
operator_rate = { from = 0.2, to = 0.8, step = 0.2 }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = Experiment::parse(EXPERIMENT)?.plan()?;
    let threads = std::thread::available_parallelism()?.get();
    println!("rows,cols,operator_rate,games,wins");
    for result in play_plan(&plan, threads)? {
        let params = &result.cell.params;
        let [rows, cols, rate] = ["rows", "cols", "operator_rate"].map(|name| params.get(name));
        println!(
            "{rows},{cols},{rate},{},{}",
            result.tally.games, result.tally.wins
        );
    }
    Ok(())
}
