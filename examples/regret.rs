//! How many games of 67! single moves of `planner` cost.
//!
//! `cargo run --release --example regret -- "67 size=6x7" GAMES KEPT DECISIONS` plays GAMES games
//! with the default `planner`. Of the first KEPT lost and the first KEPT won games it takes up to
//! DECISIONS random positions with a choice, and plays each legal move on, 64 times, by a planner
//! that looks one round ahead with 32 samples; the moves of a position meet the same tiles. Half of
//! the games choose the best move, the other half tell how many more of them it wins than the
//! planner's move did: that difference, the regret, is not biased by the choice.
//!
//! The sum of the regrets over a game tells, to first order, how many more games would be won if
//! every move were chosen by such games.

use rayon::prelude::*;
use statrs::statistics::Statistics;
use tilelab::game::registry::NamedPlayer;
use tilelab::game::{GameResult, Player, Turns};
use tilelab::games::sixty_seven::reference::State;
use tilelab::games::sixty_seven::{Direction, SixtySeven};
use tilelab::params::{Params, Value};
use tilelab::players::sixty_seven::planner::Planner;
use tilelab::rng::{Draw, Rng, SeedableRng, Stream, game_seed, stream_seed};

/// The seed of the games.
const SEED: u64 = 67;
/// Games that play on after a move, in halves.
const PLAYED_ON: u64 = 64;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn planner(settings: &[(&str, i64)]) -> Planner {
    let mut params = Params::defaults(Planner::PARAMS);
    for &(name, value) in settings {
        params.set(name, Value::Int(value));
    }
    Planner::build(&params).expect("the built-in networks are there")
}

/// A position with a choice, and the move that the planner made.
struct Decision {
    state: State,
    legal: Vec<Direction>,
    chosen: Direction,
}

/// Plays a game to its end; whether it was won.
fn play(
    game: &SixtySeven,
    turns: &mut Turns<SixtySeven>,
    player: &mut Planner,
    stream: &mut Stream,
    mut each: impl FnMut(&State, &[Direction], Direction),
) -> bool {
    player.begin(game);
    loop {
        if let Some(outcome) = turns.outcome() {
            return outcome.result == GameResult::Won;
        }
        let legal = turns.legal(game);
        let chosen = player.choose(game, turns.state(), &legal, stream);
        each(turns.state(), &legal, chosen);
        turns.play(game, chosen);
    }
}

fn stream(name: &str, index: u64) -> Stream {
    Stream::seed_from_u64(game_seed(stream_seed(SEED, name), index))
}

/// The decisions of a game, and whether it was won.
fn game_of(game: &SixtySeven, player: &mut Planner, index: u64) -> (Vec<Decision>, bool) {
    let mut turns = Turns::new(game, stream("regret/world", index));
    let mut own = stream("regret/player", index);
    let mut decisions = Vec::new();
    let is_won = play(
        game,
        &mut turns,
        player,
        &mut own,
        |state, legal, chosen| {
            if legal.len() > 1 {
                decisions.push(Decision {
                    state: state.clone(),
                    legal: legal.to_vec(),
                    chosen,
                });
            }
        },
    );
    (decisions, is_won)
}

/// What share of the second half of the games the best move of the first half wins more.
fn regret(game: &SixtySeven, player: &mut Planner, decision: &Decision, index: u64) -> f64 {
    let wins: Vec<[f64; 2]> = decision
        .legal
        .iter()
        .map(|&direction| {
            let mut wins = [0.0; 2];
            for at in 0..PLAYED_ON {
                let at_stream = index * PLAYED_ON + at;
                let world = stream("regret/on", at_stream);
                let mut turns = Turns::on(game, decision.state.clone(), world);
                turns.play(game, direction);
                let mut own = stream("regret/own", at_stream);
                let is_won = play(game, &mut turns, player, &mut own, |_, _, _| ());
                wins[(at % 2) as usize] += f64::from(u8::from(is_won));
            }
            wins
        })
        .collect();
    let place = |direction| decision.legal.iter().position(|&known| known == direction);
    let chosen = place(decision.chosen).expect("a legal move was chosen");
    // Among equal moves the planner's own counts.
    let best = (0..wins.len()).fold(chosen, |best, at| {
        if wins[at][0] > wins[best][0] {
            at
        } else {
            best
        }
    });
    (wins[best][1] - wins[chosen][1]) / (PLAYED_ON / 2) as f64
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    (values.mean(), values.std_dev() / count.sqrt())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, cell, games, kept, decisions] = &arguments[..] else {
        return Err(
            "give the rules, the number of games, of each kind kept, and of decisions".into(),
        );
    };
    let game = SixtySeven::from_params(&tilelab::Cell::parse(cell)?.params);
    let games: u64 = games.parse()?;
    let kept: usize = kept.parse()?;
    let decisions: usize = decisions.parse()?;
    let played: Vec<(Vec<Decision>, bool)> = (0..games)
        .into_par_iter()
        .map_init(
            || planner(&[]),
            |player, index| game_of(&game, player, index),
        )
        .collect();
    let won = played.iter().filter(|(_, is_won)| *is_won).count();
    println!("{won} of {games} games won");
    println!(
        "| games | games looked at | decisions a game | regret of a decision, % | of a game, points |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut all = (0.0, 0.0);
    for (name, is_won) in [("lost", false), ("won", true)] {
        let of_kind: Vec<(usize, &Vec<Decision>)> = (played.iter().enumerate())
            .filter(|(_, (of_game, won))| *won == is_won && !of_game.is_empty())
            .map(|(index, (of_game, _))| (index, of_game))
            .take(kept)
            .collect();
        let sums: Vec<(f64, f64)> = of_kind
            .par_iter()
            .map_init(
                || planner(&[("near", 32), ("far", 0)]),
                |player, &(index, of_game)| {
                    let mut draws = stream("regret/decisions", index as u64);
                    let count = decisions.min(of_game.len());
                    let sum: f64 = (0..count)
                        .map(|at| {
                            let mut draw = Draw::new(draws.next_u64());
                            let decision = draw.below(of_game.len() as u64) as usize;
                            let number = (index * decisions + at) as u64;
                            regret(&game, player, &of_game[decision], number)
                        })
                        .sum();
                    let mean = sum / count as f64;
                    (100.0 * mean, 100.0 * mean * of_game.len() as f64)
                },
            )
            .collect();
        let [a_decision, a_game] = [|sum: &(f64, f64)| sum.0, |sum: &(f64, f64)| sum.1]
            .map(|of| mean(&sums.iter().map(of).collect::<Vec<_>>()));
        let length = of_kind
            .iter()
            .map(|(_, of_game)| of_game.len())
            .sum::<usize>();
        println!(
            "| {name} | {} | {:.1} | {:.2} ± {:.2} | {:.1} ± {:.1} |",
            sums.len(),
            length as f64 / sums.len() as f64,
            a_decision.0,
            a_decision.1,
            a_game.0,
            a_game.1
        );
        let share = if is_won {
            won as f64
        } else {
            games as f64 - won as f64
        } / games as f64;
        all = (all.0 + share * a_game.0, all.1 + (share * a_game.1).powi(2));
    }
    println!(
        "all: {:.2} ± {:.2} points a game (standard errors)",
        all.0,
        all.1.sqrt()
    );
    Ok(())
}
