//! Best play: the highest probability of winning that any player can reach, or the value of a game
//! for two under best play by both.
//!
//! Every state that any moves can lead to is listed once, before each chance and before each move.
//! Then the values are iterated: a state before a move has the value of its best move, a state
//! before a chance the mean over what it makes. A sweep over all states is a round; where the rules
//! end games after some rounds, as many sweeps are exact. Elsewhere one iteration begins with the
//! lowest values and rises, another with the highest and falls, and the value lies between them. A
//! state beyond the limit keeps both.

use super::engine::{End, Rules, Stop};
use super::{Best, HashMap, Limits};
use std::collections::VecDeque;

/// The iterations end when the lowest and the highest value of the start are this close.
const CLOSE: f64 = 1e-12;
/// The iterations also end when no value moves by more than this.
const STILL: f64 = 1e-16;

/// What follows a state.
enum Next {
    /// Before a move: the states after it, and whether the mover wants the lowest value.
    Moves(Vec<u32>, bool),
    /// Before a chance: the states after it, and their probabilities.
    Chances(Vec<(u32, f64)>),
    /// Nothing: the game has ended, cannot be followed, or has not been yet.
    Ended,
}

/// The states of a game.
struct States<R: Rules> {
    rules: R,
    limits: Limits,
    known: HashMap<R::State, u32>,
    /// States to follow, with the fewest moves that lead there; numbers are found in this order.
    queue: VecDeque<(u32, R::State, u64)>,
    next: Vec<Next>,
    /// The lowest and the highest value.
    values: Vec<[f64; 2]>,
    /// Numbers of ended games by value.
    ends: Vec<u32>,
    /// States that were followed, with their chances before the next move.
    order: Vec<(u8, u32)>,
}

/// Computes the value under best play.
pub fn solve<R: Rules>(rules: R, limits: Limits) -> Best {
    let mut states = States {
        rules,
        limits,
        known: HashMap::default(),
        queue: VecDeque::new(),
        next: Vec::new(),
        values: Vec::new(),
        ends: Vec::new(),
        order: Vec::new(),
    };
    let mut first = states.number(states.rules.start(), 0);
    let _ = states.list();
    states.iterate();
    let won = states.value(0);
    while let Next::Chances(after) = &states.next[first as usize]
        && let [(only, _)] = after[..]
    {
        first = only;
    }
    let choices = match &states.next[first as usize] {
        Next::Moves(after, _) => after.as_slice(),
        _ => &[],
    };
    Best {
        won,
        choices: choices.iter().map(|&after| states.value(after)).collect(),
        boards: states.known.len() as u64,
        is_cut: won[1] - won[0] > 1e-9,
    }
}

impl<R: Rules> States<R> {
    fn value(&self, number: u32) -> [f64; 2] {
        self.values[number as usize]
    }

    fn push(&mut self, next: Next, value: [f64; 2]) -> u32 {
        self.next.push(next);
        self.values.push(value);
        self.next.len() as u32 - 1
    }

    /// The number of a state after some moves, which may be new.
    fn number(&mut self, state: R::State, made: u64) -> u32 {
        if let Some(&number) = self.known.get(&state) {
            return number;
        }
        let number = self.push(Next::Ended, self.rules.range());
        self.known.insert(state.clone(), number);
        self.queue.push_back((number, state, made));
        number
    }

    /// The number of an ended game.
    fn ended(&mut self, worth: [f64; 2]) -> u32 {
        let known = self.ends.iter().find(|&&end| self.value(end) == worth);
        if let Some(&number) = known {
            return number;
        }
        let number = self.push(Next::Ended, worth);
        self.ends.push(number);
        number
    }

    /// The numbers of states with probabilities, each once.
    fn numbers(&mut self, states: Vec<(R::State, f64)>, made: u64) -> Vec<(u32, f64)> {
        let number = |(state, share)| (self.number(state, made), share);
        let mut numbers: Vec<_> = states.into_iter().map(number).collect();
        numbers.sort_by_key(|&(number, _)| number);
        numbers.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        numbers
    }

    /// Lists all states, as far as the limit allows.
    fn list(&mut self) -> Result<(), Stop> {
        // All states after `made` moves come before those after more.
        while let Some((number, state, made)) = self.queue.pop_front() {
            let pending = self.rules.pending(&state);
            let next = if self.rules.rounds_max() == Some(made) {
                Err(self.rules.after_rounds(&state))
            } else if pending == 0 {
                self.moves(&state, made)
            } else {
                let dealt = self.rules.chances(&state).ok_or(Stop)?;
                Ok(Next::Chances(self.numbers(dealt, made)))
            };
            let at = number as usize;
            self.next[at] = match next {
                Err(end) => {
                    self.values[at] = end.worth;
                    Next::Ended
                }
                Ok(next) => {
                    self.order.push((pending, number));
                    if self.rules.rounds_max().is_some() {
                        self.values[at] = self.rules.after_rounds(&state).worth;
                    }
                    next
                }
            };
            if self.known.len().max(self.rules.held()) > self.limits.boards_max {
                return Err(Stop);
            }
        }
        Ok(())
    }

    fn moves(&mut self, state: &R::State, made: u64) -> Result<Next, End> {
        let is_against = self.rules.is_against(state);
        let [lowest, highest] = self.rules.range();
        let moves = self.rules.moves(state, 0)?;
        let mut after = Vec::with_capacity(moves.len());
        for next in moves {
            after.push(match next {
                Ok(state) => self.number(state, made + 1),
                Err(end) => {
                    let [lo, hi] = end.worth;
                    // Nothing is better.
                    if if is_against {
                        hi <= lowest
                    } else {
                        lo >= highest
                    } {
                        return Err(end);
                    }
                    self.ended(end.worth)
                }
            });
        }
        Ok(Next::Moves(after, is_against))
    }

    /// Iterates all values.
    fn iterate(&mut self) {
        let rounds = self.rules.rounds_max();
        let mut order = std::mem::take(&mut self.order);
        if rounds.is_some() {
            // States before a move come first, since those before a chance are worth their mean.
            order.sort_by_key(|&(pending, _)| pending);
        } else {
            // What follows has mostly the larger numbers.
            order.reverse();
        }
        for _ in 0..rounds.unwrap_or(self.limits.rounds_max) {
            let mut moved = 0.0_f64;
            for &(_, number) in &order {
                let value = [0, 1].map(|side| match &self.next[number as usize] {
                    Next::Moves(after, is_against) => {
                        let after = after.iter().map(|&after| self.value(after)[side]);
                        let best = if *is_against { f64::min } else { f64::max };
                        after.reduce(best).expect("a state before a move has one")
                    }
                    Next::Chances(after) => {
                        let value = |&(state, share): &(u32, f64)| share * self.value(state)[side];
                        after.iter().map(value).sum()
                    }
                    Next::Ended => self.value(number)[side],
                });
                let known = &mut self.values[number as usize];
                for side in [0, 1] {
                    if value[side] != known[side] {
                        moved = moved.max((value[side] - known[side]).abs());
                    }
                }
                *known = value;
            }
            let [lo, hi] = self.value(0);
            if rounds.is_none() && (hi - lo < CLOSE || moved <= STILL) {
                break;
            }
        }
    }
}
