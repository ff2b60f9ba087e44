//! The players of 67!, one file each, and their shared code.
//!
//! `greedy`, `expectimax` and `planner` evaluate boards ([`tokens`], up to 8 × 8) by a network
//! ([`network`], [`learning`]) that is built in ([`networks`]) or read from a file. `monte-carlo`
//! uses the kernels, up to 16 × 16. All players except `random` and `cycle` choose a direction that
//! wins at once if there is one, the first in the order up, down, left, right.
//!
//! A player draws one word per choice from its own stream, and seeds all its samples from it. Every
//! direction gets the same samples, so that differences between directions are not due to luck.

pub mod cycle;
pub mod expectimax;
pub mod greedy;
pub mod learning;
pub mod lines;
pub mod monte_carlo;
pub mod network;
pub mod networks;
pub mod planner;
pub mod tokens;

use super::mcts::Mcts;
use super::random::Random;
use crate::game::KernelChoice;
use crate::game::registry::PlayerEntry;
use crate::games::sixty_seven::SixtySeven;
use crate::games::sixty_seven::kernels::Kernel;
use crate::params::ParamError;
use tokens::{NUMBER_MAX, SIDE_MAX};

/// The players of 67!, the default first.
pub const PLAYERS: &[PlayerEntry] = &[
    PlayerEntry::of::<SixtySeven, Random>(),
    PlayerEntry::of::<SixtySeven, Mcts<SixtySeven>>(),
    PlayerEntry::of::<SixtySeven, cycle::Cycle>(),
    PlayerEntry::of::<SixtySeven, greedy::Greedy>(),
    PlayerEntry::of::<SixtySeven, monte_carlo::MonteCarlo>(),
    PlayerEntry::of::<SixtySeven, expectimax::Expectimax>(),
    PlayerEntry::of::<SixtySeven, planner::Planner>(),
];

/// Checks whether look-ahead players support a game.
///
/// # Errors
/// Returns an error that names the unsupported parameter of the game and the supported values.
pub fn check(game: &SixtySeven, player: &str, side_max: usize) -> Result<(), ParamError> {
    let (key, message) = if game.rows.max(game.cols) > side_max {
        let rows = game.rows;
        let cols = game.cols;
        let message =
            format!("{player} plays boards up to {side_max}x{side_max}, not {rows}x{cols}");
        ("size", message)
    } else if let Err(reason) = Kernel::new(KernelChoice::Portable, game) {
        ("player", format!("{player} cannot play this: {reason}"))
    } else if game.target_is_new() {
        let message = format!(
            "{player} cannot play this: the target {} is itself a number that appears",
            game.target
        );
        ("target", message)
    } else if game.target.abs() > NUMBER_MAX / 2 && side_max == SIDE_MAX {
        let message = format!(
            "{player} plays for targets within ± {}, not {}",
            NUMBER_MAX / 2,
            game.target
        );
        ("target", message)
    } else {
        return Ok(());
    };
    Err(ParamError::new(key, message))
}

/// Values of `rules` with settings beside them: ways in which lines collapse, and a limit.
#[cfg(test)]
pub(crate) const RULES: [&str; 7] = [
    "original",
    "gapless",
    "merge-pairs",
    "merge-runs",
    "bounded",
    "original equal_operators=pairs",
    "merge-runs gaps=keep",
];

/// The rules with these settings and, without a limit, with products of powers of two only: they
/// grow beyond 64 bits, and each is a 64-bit float.
#[cfg(test)]
fn rules_of_large_numbers(settings: &[&str]) -> crate::params::Params {
    use crate::games::sixty_seven::{PARAMS, complete};
    use crate::params::{Params, Value};
    let mut params = Params::parse(PARAMS, &settings.join(" ")).unwrap();
    complete(&mut params).unwrap();
    if params.int("value_limit").is_none() {
        params.set("operators", Value::Text("*".to_owned()));
        params.set("digits", Value::Text("248".to_owned()));
        params.set("tiles_per_turn", Value::Int(1));
    }
    params
}

/// States after the deal of games that begin with large numbers where there is no limit, and that
/// collapse as much as they can, each with a number that has no token of
/// its own.
#[cfg(test)]
fn states_of_large_numbers(
    game: &SixtySeven,
    count: usize,
) -> Vec<crate::games::sixty_seven::reference::State> {
    use crate::game::Game;
    use crate::games::sixty_seven::line::Tile;
    use crate::rng::{SeedableRng, Stream};
    use num_bigint::BigInt;
    let tokens = tokens::Tokens::new(game);
    let is_known = |token: u8| token < tokens::BELOW || tokens::Tokens::is_exact(token);
    let mut found = Vec::new();
    let mut worlds = (0..).map(Stream::seed_from_u64);
    while found.len() < count {
        let mut world = worlds.next().unwrap();
        let mut state = game.start(&mut world);
        if game.value_limit.is_none() {
            for (cell, exponent) in [(0, 70), (game.cols + 1, 40), (2 * game.cols, 40)] {
                let power = BigInt::from(2).pow(exponent);
                state.board.put(cell, Tile::number(power));
            }
        }
        while game.outcome(&state).is_none() {
            game.deal(&mut state, &mut world);
            let rows = tokens.rows(&state.board).map(u64::to_le_bytes);
            let are_known = rows.as_flattened().iter().all(|&token| is_known(token));
            if !are_known && game.outcome(&state).is_none() {
                found.push(state.clone());
            }
            let chosen = state.board.legal(game.collapse).max_by_key(|&direction| {
                let after = state.board.moved(game.collapse, direction);
                after.blanks().count()
            });
            match chosen {
                Some(chosen) => game.play(&mut state, chosen),
                None => break,
            }
        }
    }
    // From all stages of games.
    let every = found.len() / count;
    found.into_iter().step_by(every).take(count).collect()
}

#[cfg(feature = "networks")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::advice::{Advice, Advisor, PlayerAdvisor};
    use crate::game::boards::{Boards, start_on};
    use crate::game::registry::NamedPlayer;
    use crate::game::{Game, Player, Positions};
    use crate::games::sixty_seven::{Direction, PARAMS};
    use crate::json::json;
    use crate::params::Params;
    use crate::rng::CellSeeds;

    const SEEDS: CellSeeds = CellSeeds::of(67);

    /// A state by text, by arrays and as it is in a game: the player chooses and evaluates the
    /// same, and what it says of moves that end the game is what the rules say.
    fn check<P: NamedPlayer<SixtySeven> + Player<SixtySeven>>(
        rules: &[&str],
        settings: &[&str],
        large_min: usize,
    ) {
        let game = SixtySeven::from_params(&rules_of_large_numbers(rules));
        let params = Params::from_settings(P::PARAMS, settings).unwrap();
        let mut advisor = PlayerAdvisor {
            game: game.clone(),
            player: P::build(&params).unwrap(),
            seeds: SEEDS,
        };
        let mut player = P::build(&params).unwrap();
        let states = states_of_large_numbers(&game, 40);
        let large = states.iter().filter(|state| state.board.exceeds(i64::MAX));
        assert!(large.count() >= large_min, "{rules:?}");
        for state in states {
            let board = json!(state.board);
            let rows: Vec<Vec<String>> = serde_json::from_value(board.clone()).unwrap();
            let posed = start_on(&game, &rows).unwrap();
            let mut kinds = vec![0; game.cells()];
            let mut numbers = vec![0.0; game.cells()];
            game.read(&state, &mut kinds, &mut numbers);
            let boards = Boards {
                shape: (game.rows, game.cols),
                kinds: &kinds,
                numbers: &numbers,
            };
            let mut by_arrays = None;
            advisor
                .advise(boards, 0..1, true, &mut |_, advice| {
                    by_arrays = Some(advice)
                })
                .unwrap();
            let mut legal = Vec::new();
            game.legal(&state, &mut legal);
            for state in [&state, &posed] {
                let mut stream = SEEDS.player_stream(0);
                let found = player.evaluate(&game, state, &legal, &stream).unwrap();
                let chosen = player.choose(&game, state, &legal, &mut stream);
                let mut values = [f64::NAN; 4];
                for (&direction, value) in legal.iter().zip(found) {
                    values[direction as usize] = value.unwrap();
                }
                let Advice {
                    chosen: by_arrays,
                    values: array_values,
                } = by_arrays.unwrap();
                assert_eq!(by_arrays, chosen as u8, "{board}");
                let bits = |values: [f64; 4]| values.map(f64::to_bits);
                assert_eq!(bits(array_values), bits(values), "{board}");
                let ends = legal.iter().map(|&direction| {
                    let after = state.board.moved(game.collapse, direction);
                    let loses = game.value_limit.is_some_and(|limit| after.exceeds(limit));
                    (direction, game.is_won(&after), loses)
                });
                for (direction, wins, loses) in ends.clone() {
                    let value = values[direction as usize];
                    assert!(!wins || value == 1.0, "{board}: {direction} wins: {value}");
                    assert!(
                        !loses || value == 0.0,
                        "{board}: {direction} loses: {value}"
                    );
                    // Look-ahead may find no way on; one evaluation never says that.
                    let is_open = P::NAME == greedy::Greedy::NAME && !wins && !loses;
                    assert!(
                        !is_open || value > 0.0,
                        "{board}: {direction} goes on: {value}"
                    );
                }
                if let Some((winning, ..)) = ends.clone().find(|&(_, wins, _)| wins) {
                    assert_eq!(chosen, winning, "{board}");
                }
            }
        }
    }

    #[test]
    fn one_evaluation_by_text_by_arrays_and_in_games() {
        for rules in RULES {
            let rules = format!("rules={rules}");
            let settings = [&*rules, "rows=6", "cols=7"];
            let large_min = if rules == "rules=bounded" { 0 } else { 5 };
            check::<greedy::Greedy>(&settings, &[], large_min);
            check::<expectimax::Expectimax>(&settings, &["samples=3"], large_min);
            check::<planner::Planner>(&settings, &["near=4", "far=2", "replies=2"], large_min);
        }
    }

    /// The largest number has no token of its own, and all moves but those that pass the limit go
    /// on.
    #[test]
    fn numbers_below_the_limit_do_not_lose() {
        let mut params =
            Params::from_settings(PARAMS, ["rules=bounded", "rows=4", "cols=4"]).unwrap();
        crate::games::sixty_seven::complete(&mut params).unwrap();
        let game = SixtySeven::from_params(&params);
        let rows = ["_ _ _ _", "_ _ * 6", "_ - -1 -", "+ 1 + 350"];
        let rows = rows.map(|row| row.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let state = start_on(&game, &rows).unwrap();
        let mut player = greedy::Greedy::build(&Params::defaults(greedy::Greedy::PARAMS)).unwrap();
        let stream = SEEDS.player_stream(0);
        let values = player
            .evaluate(&game, &state, &Direction::ALL, &stream)
            .unwrap();
        assert!(
            values.iter().all(|value| value.unwrap() > 0.0),
            "{values:?}"
        );
    }
}
