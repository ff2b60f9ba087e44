//! The multiplication game: alpha-beta against minimax on every reachable position, both against
//! plain code of the test's own, and the exact values against an enumeration of all games.

use crate::common::{searched, stdout, tilelab, tilelab_with_input};
use std::collections::BTreeSet;
use tilelab::game::Game;
use tilelab::games::zero_sum::{MULTIPLIERS, STARTS, State, ZeroSum};
use tilelab::players::two_player::alpha_beta::AlphaBeta;
use tilelab::players::two_player::exact::Exact;
use tilelab::players::two_player::minimax::Minimax;

const LIMIT: i64 = 1200;

fn game(start: i64, beginner: usize) -> ZeroSum {
    ZeroSum {
        start,
        beginner,
        limit: LIMIT,
        opening: 0,
    }
}

/// Every unfinished position that any game reaches, once each, whatever the number of moves before
/// it.
fn reachable() -> Vec<State> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<(i64, [i64; 2], usize)> = STARTS
        .flat_map(|start| [(start, [0, 0], 0), (start, [0, 0], 1)])
        .collect();
    while let Some((number, scores, seat)) = open.pop() {
        if number >= LIMIT || !seen.insert((number, scores, seat)) {
            continue;
        }
        for multiplier in [2, 3, 4] {
            let product = number * multiplier;
            let mut after = scores;
            if product % 2 == 0 {
                after[1 - seat] -= 1
            } else {
                after[seat] += 1
            }
            open.push((product, after, 1 - seat));
        }
    }
    seen.into_iter()
        .map(|(number, scores, seat)| State {
            number,
            scores,
            seat,
            moves: 0,
        })
        .collect()
}

/// The evaluation of the original project, in floating point.
fn evaluation(number: i64, difference: i64) -> f64 {
    match (number >= LIMIT, difference.signum()) {
        (true, 1) => f64::INFINITY,
        (true, 0) => 0.0,
        (true, _) => f64::NEG_INFINITY,
        _ => 2.0 * difference as f64 + 0.5 * number as f64 / LIMIT as f64,
    }
}

/// Minimax (without a window) or alpha-beta (with one) as in a textbook; every product is a point
/// for the mover's difference.
fn plain(
    number: i64,
    difference: i64,
    mine: bool,
    depth: u32,
    window: Option<(f64, f64)>,
    nodes: &mut u64,
) -> f64 {
    *nodes += 1;
    if depth == 0 || number >= LIMIT {
        return evaluation(number, difference);
    }
    let (mut alpha, mut beta) = window.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let mut best = if mine {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    for multiplier in [2, 3, 4] {
        let difference = if mine { difference + 1 } else { difference - 1 };
        let window = window.map(|_| (alpha, beta));
        let value = plain(
            number * multiplier,
            difference,
            !mine,
            depth - 1,
            window,
            nodes,
        );
        best = if mine {
            best.max(value)
        } else {
            best.min(value)
        };
        if window.is_some() {
            if mine {
                alpha = alpha.max(best)
            } else {
                beta = beta.min(best)
            }
            if alpha >= beta {
                break;
            }
        }
    }
    best
}

/// The first best multiplier and the visited positions of plain minimax.
fn plain_minimax(state: &State, depth: u32) -> (u8, u64) {
    let difference = state.scores[state.seat] - state.scores[1 - state.seat];
    let mut nodes = 1;
    let mut best: Option<(f64, u8)> = None;
    for multiplier in MULTIPLIERS {
        let product = state.number * i64::from(multiplier);
        let value = plain(product, difference + 1, false, depth - 1, None, &mut nodes);
        if best.is_none_or(|(known, _)| value > known) {
            best = Some((value, multiplier));
        }
    }
    (best.unwrap().1, nodes)
}

#[test]
fn alpha_beta_chooses_as_minimax_from_fewer_positions_everywhere() {
    let states = reachable();
    assert!(states.len() > 500, "{} positions", states.len());
    for depth in 1..=8 {
        let mut pruned = 0;
        let mut all = 0;
        for state in &states {
            let game = game(8, 0);
            let mut minimax = Minimax::new(depth, 0, 0);
            let mut alpha_beta = AlphaBeta::new(depth, 0, 0);
            let (chosen, visited) = searched(&mut minimax, &game, state);
            let (same, fewer) = searched(&mut alpha_beta, &game, state);
            assert_eq!(same, chosen, "depth {depth}: {state:?}");
            assert_eq!(
                (chosen, visited),
                plain_minimax(state, depth as u32),
                "depth {depth}: {state:?}"
            );
            assert!(
                fewer <= visited,
                "depth {depth}: {state:?}: {fewer}, {visited}"
            );
            pruned += fewer;
            all += visited;
            // A table may change how many positions are visited, never the choice.
            assert_eq!(
                searched(&mut AlphaBeta::new(depth, 0, 8), &game, state).0,
                chosen,
                "depth {depth}: {state:?}"
            );
        }
        assert!(
            depth < 3 && pruned <= all || pruned < all,
            "depth {depth}: {pruned} and {all}"
        );
    }
}

/// Where no evaluation is infinite (the game cannot end within the depth), the textbook's window
/// needs no care and counts alike.
#[test]
fn visited_positions_of_alpha_beta_are_those_of_the_textbook() {
    let mut compared = 0;
    for state in reachable() {
        for depth in 1..=4 {
            if state.number * 4_i64.pow(depth) >= LIMIT {
                continue;
            }
            let difference = state.scores[state.seat] - state.scores[1 - state.seat];
            let mut nodes = 0;
            let window = Some((f64::NEG_INFINITY, f64::INFINITY));
            plain(state.number, difference, true, depth, window, &mut nodes);
            let mut player = AlphaBeta::new(depth as usize, 0, 0);
            let (_, visited) = searched(&mut player, &game(8, 0), &state);
            assert_eq!(visited, nodes, "depth {depth}: {state:?}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The search window ends at ± a win, so a proved win ends the search as the textbook's infinite
/// window does.
#[test]
fn alpha_beta_never_visits_more_positions_than_the_textbook() {
    let mut fewer = 0;
    let mut compared = 0;
    for state in reachable() {
        for depth in 1..=6 {
            let difference = state.scores[state.seat] - state.scores[1 - state.seat];
            let mut nodes = 0;
            let window = Some((f64::NEG_INFINITY, f64::INFINITY));
            plain(state.number, difference, true, depth, window, &mut nodes);
            let mut player = AlphaBeta::new(depth as usize, 0, 0);
            let (_, visited) = searched(&mut player, &game(8, 0), &state);
            assert!(
                visited <= nodes,
                "depth {depth}: {state:?}: {visited} and {nodes}"
            );
            fewer += u32::from(visited < nodes);
            compared += 1;
        }
    }
    println!("{fewer} of {compared} searches visit fewer positions than the textbook's");
}

/// The best result (1 won, 0 drawn, −1 lost) for seat 0, by playing all games out, without memory
/// and without margins.
fn enumerated(number: i64, scores: [i64; 2], seat: usize) -> i64 {
    if number >= LIMIT {
        return (scores[0] - scores[1]).signum();
    }
    let results = [2, 3, 4].map(|multiplier| {
        let product = number * multiplier;
        let mut after = scores;
        if product % 2 == 0 {
            after[1 - seat] -= 1
        } else {
            after[seat] += 1
        }
        enumerated(product, after, 1 - seat)
    });
    if seat == 0 {
        results.into_iter().max().unwrap()
    } else {
        results.into_iter().min().unwrap()
    }
}

#[test]
fn exact_values_are_those_of_all_games_enumerated() {
    let printed = tilelab(&["exact", "--game", "zero-sum"]);
    assert_eq!(printed.status.code(), Some(0));
    let table = stdout(&printed);
    let mut lines = table.lines().skip(2);
    for start in STARTS {
        for beginner in [0, 1] {
            let state = State {
                number: start,
                scores: [0, 0],
                seat: beginner,
                moves: 0,
            };
            let result = enumerated(start, [0, 0], beginner);
            let margin = Exact::default().margin(&game(start, beginner), &mut state.clone());
            assert_eq!(
                margin.signum(),
                result,
                "start {start}, beginner {beginner}"
            );
            let words = ["lost", "drawn", "won"];
            let name = ["player", "opponent"][beginner];
            let line = format!(
                "| {start} | {name} | {} | {margin:+} |",
                words[(result + 1) as usize]
            );
            let printed = lines.next().unwrap();
            assert!(printed.starts_with(&line), "{printed} is not {line}");
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn exact_never_falls_below_the_value() {
    let state = reachable();
    for state in &state {
        let game = game(8, 0);
        let margin = Exact::default().margin(&game, &mut state.clone());
        let mut after = *state;
        let (chosen, _) = searched(&mut Exact::default(), &game, state);
        game.play(&mut after, chosen);
        assert_eq!(
            Exact::default().margin(&game, &mut after),
            margin,
            "{state:?}"
        );
    }
}

#[test]
fn positions_are_answered() {
    let input = "{\"number\":16,\"scores\":[0,-1],\"player\":\"alpha-beta\",\"depth\":3}\n\
                 {\"number\":16,\"scores\":[0,-1],\"player\":\"minimax\",\"depth\":3}\n\
                 {\"number\":9,\"scores\":[0,0],\"move\":3}\n\
                 {\"number\":400,\"scores\":[0,0],\"move\":3}\n\
                 {\"number\":9,\"scores\":[0,0]}\n";
    let output = tilelab_with_input(&["move", "--game", "zero-sum"], input);
    assert_eq!(output.status.code(), Some(0));
    let expected = "{\"move\":4,\"nodes\":31}\n{\"move\":4,\"nodes\":40}\n\
                    {\"number\":27,\"scores\":[1,0],\"winner\":null}\n\
                    {\"number\":1200,\"scores\":[0,-1],\"winner\":\"mover\"}\n{\"legal\":[2,3,4]}\n";
    assert_eq!(stdout(&output), expected);
}
