//! Monte Carlo tree search for any game: open-loop UCT.
//!
//! The tree is one of moves, not of positions: every iteration deals anew from the position to
//! move in, so that a node stands for all positions that its moves can lead to ("open loop"; Perez
//! Liebana et al., *Open Loop Search for General Video Game Playing*, GECCO 2015). An iteration
//! walks down while every legal move has been tried, adds the first move that has not, in random
//! order, and ends with random moves. It takes the move of the largest
//!
//! mean + `exploration` · √(ln *m* / *n*)
//!
//! where *n* counts the visits of the move and *m* how often it was legal when its node was visited
//! (Cowling, Powley & Whitehouse, *Information Set Monte Carlo Tree Search*, 2012), which is UCB1
//! where all moves always are. The default √2 is that of UCB1 for results between 0 and 1 (Auer,
//! Cesa-Bianchi & Fischer, 2002; *C*ₚ = 1/√2 in Kocsis & Szepesvári, 2006). A win counts 1 and a
//! draw ½, for the seat that made the move. The most visited move is played, the first of equals
//! (Chaslot et al., 2008). A node is a position reached.
//!
//! With `budget_ms` it searches until the time is over; `iterations` does not matter then. The tree
//! has at most [`NODES_MAX`] nodes; further iterations do not extend it.
//!
//! Draw protocol (player stream): one word a choice, the seed of the iterations' streams; none if
//! only one move is legal.

use super::clock::{BUDGET_PARAM, Clock};
use super::monte_carlo::{half_wins, play_on, seeds};
use crate::game::registry::NamedPlayer;
use crate::game::{Game, MoveValues, Player, Scale, Turns};
use crate::params::{ParamError, ParamSpec, Params};
use crate::rng::{Draw, Stream};
use std::cmp::Reverse;
use std::f64::consts::SQRT_2;

/// The largest number of nodes of a tree, 32 MiB of them in most games.
pub const NODES_MAX: usize = 1 << 20;

/// A node without a next one.
const NONE: u32 = u32::MAX;

/// A move in the tree.
#[derive(Clone, Copy, Debug)]
struct Node<M> {
    chosen: M,
    /// The first of the moves after this one.
    child: u32,
    /// The next move from the same position.
    next: u32,
    visits: u32,
    /// How often the move was legal where the parent was visited.
    met: u32,
    /// Half wins of the seat that makes the move.
    half_wins: u64,
}

impl<M> Node<M> {
    const fn new(chosen: M) -> Self {
        Self {
            chosen,
            child: NONE,
            next: NONE,
            visits: 0,
            met: 0,
            half_wins: 0,
        }
    }

    fn mean(&self) -> f64 {
        self.half_wins as f64 / (2.0 * f64::from(self.visits))
    }
}

/// Searches a tree of moves.
pub struct Mcts<G: Game> {
    iterations: u64,
    exploration: f64,
    clock: Clock,
    /// The root is the first.
    tree: Vec<Node<G::Move>>,
    /// The nodes from the root, each with the seat that made its move.
    path: Vec<(usize, usize)>,
    /// The legal moves of a position, and their nodes.
    legal: Vec<G::Move>,
    places: Vec<usize>,
    moves: Vec<G::Move>,
    nodes: u64,
}

impl<G: Game> Mcts<G> {
    fn search(&mut self, game: &G, state: &G::State, legal: &[G::Move], stream: &mut Stream) {
        self.clock.start();
        self.clock.run();
        let seeds = seeds(stream);
        self.tree.clear();
        self.tree.push(Node::new(legal[0]));
        let mut done = 0;
        while done < 1 || (self.clock.is_set() || done < self.iterations) && !self.clock.is_over() {
            let turns = Turns::on(game, state.clone(), seeds.world_stream(done));
            self.iterate(game, turns, seeds.player_stream(done));
            done += 1;
        }
    }

    fn iterate(&mut self, game: &G, mut turns: Turns<G>, mut draws: Stream) {
        let mut at = 0;
        let mut is_new = false;
        self.path.clear();
        while !is_new && turns.outcome().is_none() {
            turns.list_legal(game, &mut self.legal);
            if !self.find_nodes(at) {
                break;
            }
            for &place in &self.places {
                self.tree[place].met += 1;
            }
            let untried = |place: &&usize| self.tree[**place].visits == 0;
            let count = self.places.iter().filter(untried).count();
            is_new = count > 0;
            at = if is_new {
                let index = Draw::next(&mut draws).below(count as u64) as usize;
                *self
                    .places
                    .iter()
                    .filter(untried)
                    .nth(index)
                    .expect("there are so many")
            } else {
                self.most_promising()
            };
            self.path.push((at, game.seat(turns.state())));
            turns.play(game, self.tree[at].chosen);
            self.nodes += 1;
        }
        let (outcome, made) = play_on(game, &mut turns, &mut draws, &mut self.moves);
        self.nodes += made;
        for &(place, seat) in &self.path {
            self.tree[place].visits += 1;
            self.tree[place].half_wins += half_wins(&outcome, seat);
        }
    }

    /// Finds the nodes of the legal moves below a node, and adds those that are missing; `false` if
    /// there is no room for them.
    fn find_nodes(&mut self, parent: usize) -> bool {
        self.places.clear();
        if self.tree.len() + self.legal.len() > NODES_MAX {
            return false;
        }
        // Where the same moves are legal each time, each follows the one before.
        let mut next = self.tree[parent].child;
        let mut last = NONE;
        for &chosen in &self.legal {
            let is_here = |place: u32| place != NONE && self.tree[place as usize].chosen == chosen;
            if !is_here(next) {
                next = self.tree[parent].child;
                while next != NONE && !is_here(next) {
                    last = next;
                    next = self.tree[next as usize].next;
                }
            }
            if next == NONE {
                next = self.tree.len() as u32;
                if last == NONE {
                    self.tree[parent].child = next;
                } else {
                    self.tree[last as usize].next = next;
                }
                self.tree.push(Node::new(chosen));
            }
            self.places.push(next as usize);
            last = next;
            next = self.tree[next as usize].next;
        }
        true
    }

    /// The legal move with the largest upper confidence bound, the first of equals.
    fn most_promising(&self) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for &place in &self.places {
            let node = &self.tree[place];
            let width = (ln(node.met) / f64::from(node.visits)).sqrt();
            let bound = node.mean() + self.exploration * width;
            if bound > best.0 {
                best = (bound, place);
            }
        }
        best.1
    }

    /// The node of each legal move at the root, after a search.
    fn found(&mut self, legal: &[G::Move]) -> impl Iterator<Item = &Node<G::Move>> {
        self.legal.clear();
        self.legal.extend_from_slice(legal);
        assert!(self.find_nodes(0), "the root's moves come first");
        self.places.iter().map(|&place| &self.tree[place])
    }
}

/// The natural logarithm of a number from 1 up to about 10⁻⁷. That of the standard library differs
/// from one platform to another, on which moves must not depend.
fn ln(number: u32) -> f64 {
    let octaves = number.ilog2();
    let rest = f64::from(number) / f64::from(1u32 << octaves);
    // ln r = 2 artanh s by its series, with s ≤ 1/3.
    let s = (rest - 1.0) / (rest + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    for odd in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    f64::from(octaves) * std::f64::consts::LN_2 + 2.0 * s * sum
}

impl<G: Game> Player<G> for Mcts<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        if let &[only] = legal {
            return only;
        }
        self.search(game, state, legal, stream);
        // The first of the most visited moves.
        let best = self.found(legal).min_by_key(|node| Reverse(node.visits));
        best.expect("a seat to move has a legal move").chosen
    }

    /// The mean result of the iterations that began with each move; `None` where there were none.
    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &Stream,
    ) -> MoveValues {
        self.search(game, state, legal, &mut stream.clone());
        let value = |node: &Node<G::Move>| (node.visits > 0).then(|| node.mean());
        Some(self.found(legal).map(value).collect())
    }

    fn scale(&self, _: &G, _: &G::State) -> Scale {
        Scale::Chance
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}

impl<G: Game> NamedPlayer<G> for Mcts<G> {
    const NAME: &'static str = "mcts";
    const SUMMARY: &'static str =
        "searches a tree of moves by random games (open-loop UCT); chooses the most visited move";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("iterations", 1..=1 << 24, Some(1000)).main("random games per choice"),
        ParamSpec::float("exploration", 0.0..=1000.0, SQRT_2).help(
            "the exploration constant of UCT: a larger one tries moves that look worse more often",
        ),
        BUDGET_PARAM,
    ];
    const SEARCHES: bool = true;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            iterations: params.count("iterations"),
            exploration: params.float("exploration"),
            clock: Clock::of(params),
            tree: Vec::new(),
            path: Vec::new(),
            legal: Vec::new(),
            places: Vec::new(),
            moves: Vec::new(),
            nodes: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ln;

    #[test]
    fn logarithms_are_near_those_of_the_library() {
        for number in [1, 2, 3, 4, 5, 7, 100, 1023, 1025, 1 << 24, u32::MAX] {
            let exact = f64::from(number).ln();
            assert!((ln(number) - exact).abs() < 1e-6, "{number}");
        }
    }
}
