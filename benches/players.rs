//! The time of a choice of 67!'s players, and the share of it that Monte Carlo spends outside of
//! the kernel.
//!
//! `cargo bench -p tilelab-benches --bench players`; with `-- --test` a few choices only. Each
//! choice of Monte Carlo is repeated as bare playouts on the same streams, which must come to the
//! same direction; what the player takes longer is the share outside. Both are the shortest of
//! several times in turn, since others may use the processor, and means over the choices; the other
//! players' times are medians.

use std::time::{Duration, Instant};
use tilelab::catalog;
use tilelab::game::registry::NamedPlayer;
use tilelab::game::{Game, KernelChoice, Player};
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::packed::PackedBoard;
use tilelab::games::sixty_seven::reference::State;
use tilelab::games::sixty_seven::{Direction, SixtySeven, complete};
use tilelab::params::{Params, Value};
use tilelab::players::random::Random;
use tilelab::players::sixty_seven::lines::{Lines, SLOTS};
use tilelab::players::sixty_seven::networks;
use tilelab::players::sixty_seven::{expectimax, greedy, monte_carlo, planner};
use tilelab::rng::{CellSeeds, Rng, SeedableRng, Stream, mix};

fn game(rules: &str, rows: i64, cols: i64, rate: f64) -> SixtySeven {
    let mut params = Params::defaults(
        catalog::game("sixty-seven")
            .expect("the game is there")
            .params,
    );
    params.set("rules", Value::Text(rules.to_owned()));
    params.set("rows", Value::Int(rows));
    params.set("cols", Value::Int(cols));
    params.set("operator_rate", Value::Float(rate));
    complete(&mut params).expect("nothing contradicts");
    SixtySeven::from_params(&params)
}

/// Positions of random games after 4, 8, 12, … rounds, with their legal directions, where no
/// direction wins at once.
fn positions(game: &SixtySeven, count: usize) -> Vec<(State, Vec<Direction>)> {
    let mut world = Stream::seed_from_u64(1);
    let mut stream = Stream::seed_from_u64(2);
    let mut found = Vec::new();
    let mut state = game.start(&mut world);
    while found.len() < count {
        game.deal(&mut state, &mut world);
        let mut legal = Vec::new();
        game.legal(&state, &mut legal);
        if game.outcome(&state).is_some() {
            state = game.start(&mut world);
            continue;
        }
        let wins =
            |&direction: &Direction| game.is_won(&state.board.moved(game.collapse, direction));
        if state.round.is_multiple_of(4) && legal.len() > 1 && !legal.iter().any(wins) {
            found.push((state.clone(), legal.clone()));
        }
        let chosen = Random.choose(game, &state, &legal, &mut stream);
        game.play(&mut state, chosen);
        if game.outcome(&state).is_some() {
            state = game.start(&mut world);
        }
    }
    found
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The bare playouts of a choice, and the direction that they come to.
fn bare(
    kernel: &Kernel,
    boards: &[(Direction, PackedBoard)],
    word: u64,
    playouts: u64,
) -> Direction {
    let seeds = CellSeeds {
        world: word,
        player: mix(word),
    };
    let (directions, boards): (Vec<Direction>, Vec<PackedBoard>) = boards.iter().cloned().unzip();
    let counts = monte_carlo::count_playouts(kernel, &boards, seeds, playouts, 40);
    let mut counts: Vec<_> = counts.into_iter().zip(directions).collect();
    // The first of equals stays first.
    counts.sort_by_key(|counts| std::cmp::Reverse(counts.0));
    counts[0].1
}

/// Prints the time of the network's evaluation of a board: with the sums of lines remembered, as in
/// a search, and with those of one row and one column.
fn evaluations(game: &SixtySeven, positions: &[(State, Vec<Direction>)], repeats: usize) {
    let network = networks::nearest(game).expect("the networks are compiled in");
    let tokens = &network.tokens;
    let mut lines = Lines::new(SLOTS);
    let mut hardly_any = Lines::new(1);
    let mut stream = Stream::seed_from_u64(3);
    let mut boards = Vec::new();
    for (state, legal) in positions {
        for &direction in legal {
            let after = state.board.moved(game.collapse, direction);
            for _ in 0..100 {
                let mut board = tokens.rows(&after);
                tokens.deal(&mut board, &mut stream);
                boards.push(board);
            }
        }
    }
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..repeats {
        let begun = Instant::now();
        let remembered: f32 = boards.iter().map(|board| lines.odds(&network, board)).sum();
        shortest[0] = shortest[0].min(begun.elapsed());
        let begun = Instant::now();
        let found: f32 = boards
            .iter()
            .map(|board| hardly_any.odds(&network, board))
            .sum();
        shortest[1] = shortest[1].min(begun.elapsed());
        assert_eq!(remembered, found, "what is remembered is what was found");
    }
    let [remembered, found] = shortest.map(|time| time.as_secs_f64() * 1e6 / boards.len() as f64);
    println!("  network: {remembered:.3} µs a board, {found:.3} µs with hardly any");
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (count, repeats) = if is_test { (3, 1) } else { (40, 9) };
    for (rules, rows, cols, rate) in [("original", 6, 7, 0.5), ("merge-runs", 4, 4, 0.67)] {
        let game = game(rules, rows, cols, rate);
        let positions = positions(&game, count);
        println!("{rules} {rows}x{cols}, {count} positions");
        for playouts in [200, 1000] {
            let mut params = Params::defaults(monte_carlo::PARAMS);
            params.set("playouts", Value::Int(playouts));
            let mut player = monte_carlo::MonteCarlo::build(&params).unwrap();
            let kernel = Kernel::new(KernelChoice::Auto, &game).expect("the rules fit");
            let mut whole = Vec::new();
            let mut inside = Vec::new();
            for (number, (state, legal)) in positions.iter().enumerate() {
                let word = Stream::seed_from_u64(number as u64).next_u64();
                let boards: Vec<_> = legal
                    .iter()
                    .map(|&direction| {
                        (
                            direction,
                            PackedBoard::pack(&state.board.moved(game.collapse, direction)),
                        )
                    })
                    .collect();
                let mut shortest = Duration::MAX;
                let mut shortest_bare = Duration::MAX;
                for _ in 0..repeats {
                    let begun = Instant::now();
                    let chosen = player.choose(
                        &game,
                        state,
                        legal,
                        &mut Stream::seed_from_u64(number as u64),
                    );
                    shortest = shortest.min(begun.elapsed());
                    let begun = Instant::now();
                    assert_eq!(
                        bare(&kernel, &boards, word, playouts as u64),
                        chosen,
                        "the same playouts say the same"
                    );
                    shortest_bare = shortest_bare.min(begun.elapsed());
                }
                whole.push(shortest);
                inside.push(shortest_bare);
            }
            let sum = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64();
            let whole = sum(&whole) / whole.len() as f64;
            let inside = sum(&inside) / inside.len() as f64;
            let outside = (1.0 - inside / whole) * 100.0;
            println!(
                "  monte-carlo {playouts} × 40: {:.3} ms a choice, {outside:.1} % outside the kernel",
                whole * 1e3
            );
        }
        evaluations(&game, &positions, repeats);
        let players: [(&str, Box<dyn Player<SixtySeven>>); 3] = [
            (
                "greedy",
                Box::new(greedy::Greedy::build(&Params::defaults(greedy::Greedy::PARAMS)).unwrap()),
            ),
            (
                "expectimax",
                Box::new(
                    expectimax::Expectimax::build(&Params::defaults(
                        expectimax::Expectimax::PARAMS,
                    ))
                    .unwrap(),
                ),
            ),
            (
                "planner",
                Box::new(
                    planner::Planner::build(&Params::defaults(planner::Planner::PARAMS)).unwrap(),
                ),
            ),
        ];
        for (name, mut player) in players {
            let mut times = Vec::new();
            for (number, (state, legal)) in positions.iter().enumerate() {
                let begun = Instant::now();
                let chosen = player.choose(
                    &game,
                    state,
                    legal,
                    &mut Stream::seed_from_u64(number as u64),
                );
                times.push(begun.elapsed());
                assert!(legal.contains(&chosen), "players choose legal moves");
            }
            println!(
                "  {name}: {:.3} ms a choice",
                median(&mut times).as_secs_f64() * 1e3
            );
        }
    }
}
