//! Expectimax for 2048: the maximum over swipes, the mean over spawns.
//!
//! # What it computes
//! The value of a board after a swipe is, `depth` rounds deep, the mean over all spawns (each blank
//! equally likely, 4 with the game's `four_rate`) of the largest value that a legal swipe leads to,
//! one round less deep; a board without a legal swipe has the value 0. At depth 0 it is the
//! evaluation of the board. The swipe of the largest value is chosen, the first of up, down, left,
//! right among equal ones. Three things keep this quick:
//!
//! * **Depth.** Without `depth` it is the number of distinct tiles minus 2, at least 3: crowded
//!   boards are searched deeper. With `nodes`, depths 1, 2, … up to that depth are searched in turn
//!   until `nodes` swipes have been evaluated, with `budget_ms` until the time is over; the
//!   search in progress is then discarded, and the deepest complete one decides.
//! * **Probability cut.** A line of play that is less likely than `cut` is evaluated without
//!   further search.
//! * **Transposition table.** The value of a board after a swipe is remembered for the rest of the
//!   same move and reused if at most the same depth is needed, regardless of the probability of the
//!   path. 4 MiB; each move starts from an empty table, so a choice depends only on the position.
//!
//! # The evaluation
//! The sum over all rows and columns of a line's value, looked up by row on packed boards. With r
//! the exponents of the tiles (0 for a blank; numbers that are no powers of two lie linearly
//! between), a line has the value
//!
//! ```text
//!   50000 · cells + 270 · blanks + 700 · merges − 11 · Σ r^3.5 − 47 · min(falls, rises)
//! ```
//!
//! where falls is the sum of a⁴ − b⁴ over neighbours a > b, rises that over a < b, and merges
//! counts runs of m > 1 equal tiles (blanks between them do not matter) as m each. Features and
//! weights are those of Robert Xiao's public 2048 solver (nneonneo/2048-ai), who found the weights
//! by CMA-ES, and so is the rule for the depth.
//!
//! # Learned weights
//! With `weights` the evaluation is a learned tuple network ([`super::network`]), which estimates
//! the merge score still to come. At every depth, the value of a swipe is then its points plus the
//! value of the board after it. The default depth is 2. Depth 0 takes the best board after a swipe;
//! elsewhere that is called 1 ply, and depth 2 is called 3 ply.
//!
//! Numbers are 32-bit floats, added in a fixed order; no function is used but + − × ÷ √, which give
//! the same result on every machine. It draws nothing.

use super::boards::{Evaluation, LineValues, SearchBoard};
use super::network::Network;
use crate::game::registry::NamedPlayer;
use crate::game::{MoveValues, Player, Scale};
use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::board::NumberBoard;
use crate::games::twenty_forty_eight::packed::{POINTS_BOUND, Packed, SlidRows};
use crate::games::twenty_forty_eight::reference::State;
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock};
use crate::players::weights::{self, WEIGHTS_PARAM, Weights};
use crate::rng::Stream;
use std::collections::HashSet;
use std::sync::Arc;

/// The largest depth.
pub const DEPTH_MAX: u32 = 15;

/// The default depth with learned weights.
const LEARNED_DEPTH: u32 = 2;

/// Chooses by expectimax.
pub struct Expectimax {
    depth: Option<u32>,
    nodes: u64,
    cut: f32,
    weights: Option<Arc<Weights>>,
    /// The network of the game that was played last.
    network: Option<(TwentyFortyEight, Arc<Network>)>,
    search: Search,
    evaluated: u64,
}

impl Expectimax {
    /// The network for this game's rules, where weights were given.
    fn network(&mut self, game: &TwentyFortyEight) -> Option<Arc<Network>> {
        let weights = self.weights.as_ref()?;
        let kept = self.network.take().filter(|(known, _)| known == game);
        let (_, network) = self.network.insert(kept.unwrap_or_else(|| {
            let network = Network::read(weights, game).unwrap_or_else(|error| panic!("{error}"));
            (game.clone(), network)
        }));
        Some(Arc::clone(network))
    }

    /// Swipes evaluated since the player was made, legal or not, as public engines count them.
    pub const fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// The best of the legal swipes on a board, with the value of each.
    pub fn values(
        &mut self,
        game: &TwentyFortyEight,
        board: &NumberBoard,
        legal: &[Direction],
    ) -> Vec<f32> {
        let network = self.network(game);
        let depth = self.depth.unwrap_or_else(|| match network {
            None => distinct_tiles(board).saturating_sub(2).clamp(3, DEPTH_MAX),
            Some(_) => LEARNED_DEPTH,
        });
        let four_rate = game.four_rate.threshold() as f32 / (1_u64 << 63) as f32;
        let limits = Limits {
            depth,
            nodes: self.nodes,
            cut: self.cut,
            four_rate,
        };
        // One more swipe than spawns may be looked at.
        let fits = board.points() + 4 * (u64::from(depth) + 1) < POINTS_BOUND;
        let packed = Packed::from_board(board).filter(|_| fits);
        let search = &mut self.search;
        let values = match (&packed, network.as_deref()) {
            (Some(packed), None) => search.values(&LineValues::new(), packed, legal, limits),
            (None, None) => search.values(&LineValues::new(), board, legal, limits),
            (Some(packed), Some(network)) => search.values(network, packed, legal, limits),
            (None, Some(network)) => search.values(network, board, legal, limits),
        };
        self.evaluated += search.evaluated;
        values
    }
}

fn distinct_tiles(board: &NumberBoard) -> u32 {
    let tiles = board.tiles().iter().filter(|&&tile| tile != 0);
    tiles.collect::<HashSet<_>>().len() as u32
}

impl Player<TwentyFortyEight> for Expectimax {
    fn choose(
        &mut self,
        game: &TwentyFortyEight,
        state: &State,
        legal: &[Direction],
        _: &mut Stream,
    ) -> Direction {
        if let [only] = legal {
            return *only;
        }
        let values = self.values(game, &state.board, legal);
        let mut best = 0;
        for place in 1..legal.len() {
            if values[place] > values[best] {
                best = place;
            }
        }
        legal[best]
    }

    /// The mean evaluation behind each swipe.
    fn evaluate(
        &mut self,
        game: &TwentyFortyEight,
        state: &State,
        legal: &[Direction],
        _: &Stream,
    ) -> MoveValues {
        let values = self.values(game, &state.board, legal);
        Some(values.into_iter().map(|value| Some(value.into())).collect())
    }

    fn scale(&self, _: &TwentyFortyEight, _: &State) -> Scale {
        if self.weights.is_some() {
            Scale::Points
        } else {
            Scale::Own
        }
    }
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    depth: u32,
    nodes: u64,
    cut: f32,
    four_rate: f32,
}

/// Slots of the transposition table; 16 bytes each.
const SLOTS: usize = 1 << 18;

#[derive(Clone, Copy, Default)]
struct ValueSlot {
    board: u64,
    value: f32,
    /// The move for which the slot was written, and its depth in the low four bits.
    written: u32,
}

struct Search {
    rows: &'static SlidRows,
    slots: Vec<ValueSlot>,
    /// Counts moves in steps of 16; slots of other moves are void.
    current: u32,
    limits: Limits,
    evaluated: u64,
    /// The number of evaluated swipes after which the search stops.
    stop: u64,
    clock: Clock,
}

impl Search {
    fn new(clock: Clock) -> Self {
        Self {
            rows: SlidRows::get(),
            slots: Vec::new(),
            current: 0,
            limits: Limits::default(),
            evaluated: 0,
            stop: 0,
            clock,
        }
    }

    /// The value of each legal swipe.
    fn values<B: SearchBoard, E: Evaluation<B>>(
        &mut self,
        evaluation: &E,
        board: &B,
        legal: &[Direction],
        limits: Limits,
    ) -> Vec<f32> {
        (self.limits, self.evaluated) = (limits, 0);
        self.forget();
        self.clock.start();
        let first = if limits.nodes == u64::MAX && !self.clock.is_set() {
            limits.depth
        } else {
            limits.depth.min(1)
        };
        let mut values = Vec::new();
        for depth in first..=limits.depth {
            // The first search is completed whatever it takes: there must be a choice.
            self.stop = if depth == first {
                u64::MAX
            } else {
                limits.nodes
            };
            let found: Vec<f32> = legal
                .iter()
                .map(|&direction| {
                    self.evaluated += 1;
                    let swiped = board.slid(self.rows, direction);
                    let (after, score) = swiped.expect("the swipe is legal");
                    self.swipe_value(evaluation, &after, score, depth, 1.0)
                })
                .collect();
            if self.evaluated > self.stop || self.clock.was_over() {
                break;
            }
            values = found;
            if self.evaluated >= limits.nodes {
                break;
            }
            self.clock.run();
        }
        values
    }

    fn forget(&mut self) {
        self.current = self.current.wrapping_add(16);
        if self.current == 0 || self.slots.is_empty() {
            self.slots = vec![ValueSlot::default(); SLOTS];
            self.current = 16;
        }
    }

    /// The value of a swipe that earns this and leads to this board.
    #[inline(always)]
    fn swipe_value<B: SearchBoard, E: Evaluation<B>>(
        &mut self,
        evaluation: &E,
        after: &B,
        score: f32,
        depth: u32,
        probability: f32,
    ) -> f32 {
        let value = self.spawn_mean(evaluation, after, depth, probability);
        if E::COUNTS_SCORE {
            score + value
        } else {
            value
        }
    }

    /// The value of a board after a swipe that happens with this probability.
    fn spawn_mean<B: SearchBoard, E: Evaluation<B>>(
        &mut self,
        evaluation: &E,
        board: &B,
        depth: u32,
        probability: f32,
    ) -> f32 {
        if depth == 0
            || probability < self.limits.cut
            || self.evaluated > self.stop
            || self.clock.is_over()
        {
            return evaluation.value_of(board);
        }
        let word = board.word();
        if let Some(word) = word {
            let slot = self.slots[place(word)];
            if slot.board == word && slot.written >= self.current + depth {
                return slot.value;
            }
        }
        let blanks = board.blanks() as f32;
        let each = probability / blanks;
        let four_rate = self.limits.four_rate;
        let mut sum = 0.0;
        board.spawns(|two, four| {
            if four_rate < 1.0 {
                sum += (1.0 - four_rate)
                    * self.best_swipe(evaluation, &two, depth, each * (1.0 - four_rate));
            }
            if four_rate > 0.0 {
                sum += four_rate * self.best_swipe(evaluation, &four, depth, each * four_rate);
            }
        });
        let value = sum / blanks;
        if let Some(word) = word {
            self.slots[place(word)] = ValueSlot {
                board: word,
                value,
                written: self.current + depth,
            };
        }
        value
    }

    /// The value of a board after a spawn: its best swipe's.
    fn best_swipe<B: SearchBoard, E: Evaluation<B>>(
        &mut self,
        evaluation: &E,
        board: &B,
        depth: u32,
        probability: f32,
    ) -> f32 {
        let mut best = 0.0_f32;
        self.evaluated += 4;
        for direction in Direction::ALL {
            if let Some((after, score)) = board.slid(self.rows, direction) {
                let value = self.swipe_value(evaluation, &after, score, depth - 1, probability);
                best = best.max(value);
            }
        }
        best
    }
}

/// Which slot a board has.
#[inline(always)]
const fn place(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.ilog2())) as usize
}

impl NamedPlayer<TwentyFortyEight> for Expectimax {
    const NAME: &'static str = "expectimax";
    const SUMMARY: &'static str =
        "looks ahead over the best swipes and the mean of the spawns, with a row-table evaluation";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("depth", 0..=DEPTH_MAX as i64, None).help(
            "rounds (spawn, then swipe) searched after each swipe; unset: distinct tiles minus 2, \
             at least 3; with weights 2",
        ),
        ParamSpec::int("nodes", 1..=i64::MAX, None).help(
            "swipes to evaluate for each move, deepening round by round up to depth; unset: no \
             limit",
        ),
        BUDGET_PARAM,
        ParamSpec::float("cut", 0.0..=1.0, 0.001)
            .help("lines of play less likely than this are not searched further"),
        WEIGHTS_PARAM.help(
            "file of weights that evaluate boards, as tilelab learn writes it; unset: the \
             row-table evaluation",
        ),
    ];
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            depth: params.int("depth").map(|depth| depth as u32),
            nodes: params.int("nodes").map_or(u64::MAX, |nodes| nodes as u64),
            cut: params.float("cut") as f32,
            weights: weights::of_params(params)?,
            network: None,
            search: Search::new(Clock::of(params)),
            evaluated: 0,
        })
    }

    /// Whether the file of weights has a network for the game's rules.
    fn fits(&self, game: &TwentyFortyEight) -> Result<(), ParamError> {
        if let Some(weights) = &self.weights {
            Network::read(weights, game)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty_forty_eight::{NAME, PARAMS as GAME};
    use crate::params::Value;
    use crate::players::twenty_forty_eight::learning;
    use crate::players::weights::Section;

    fn game() -> TwentyFortyEight {
        TwentyFortyEight::from_params(&Params::defaults(GAME))
    }

    fn player(settings: &[(&str, &str)]) -> Expectimax {
        let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
        Expectimax::build(&Params::from_settings(Expectimax::PARAMS, settings).unwrap()).unwrap()
    }

    const BOARDS: [&str; 5] = [
        "2,0,0,0/0,0,0,0/0,0,2,0/0,0,0,0",
        "2,4,2,4/4,2,4,2/2,4,2,4/4,2,8,8",
        "2,4,8,16/4,2,32,2/2,64,2,2/512,2048,4,0",
        "32768,2048,1024,8/8192,4096,4096,8/2,2,2,2/64,0,128,128",
        "2,2,2,2/4,4,4,4/2,4,2,4/2,4,2,2",
    ];

    /// Where nothing is remembered twice, the packed search and the plain one agree to the bit.
    #[test]
    fn packed_values_equal_plain_ones() {
        for text in BOARDS {
            let board = NumberBoard::parse(text).unwrap();
            let packed = Packed::from_board(&board).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            assert_eq!(
                LineValues::new().value_of(&board),
                LineValues::new().value_of(&packed),
                "{text}"
            );
            for four_rate in [0.0, 0.1, 1.0] {
                let limits = Limits {
                    depth: 1,
                    nodes: u64::MAX,
                    cut: 0.0,
                    four_rate,
                };
                let plain = Search::new(Clock::default()).values(
                    &LineValues::new(),
                    &board,
                    &legal,
                    limits,
                );
                let fast = Search::new(Clock::default()).values(
                    &LineValues::new(),
                    &packed,
                    &legal,
                    limits,
                );
                assert_eq!(plain, fast, "{text}");
            }
        }
    }

    /// Without a probability cut a remembered value of the same depth is the value itself, so depth
    /// 2 agrees as well; the four root swipes share boards only at equal depth.
    #[test]
    fn deeper_packed_values_equal_plain_ones() {
        for text in &BOARDS[1..] {
            let board = NumberBoard::parse(text).unwrap();
            let packed = Packed::from_board(&board).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let limits = Limits {
                depth: 2,
                nodes: u64::MAX,
                cut: 0.0,
                four_rate: 0.1,
            };
            let plain =
                Search::new(Clock::default()).values(&LineValues::new(), &board, &legal, limits);
            let fast =
                Search::new(Clock::default()).values(&LineValues::new(), &packed, &legal, limits);
            for (plain, fast) in plain.iter().zip(&fast) {
                assert!(
                    (plain - fast).abs() <= 1e-6 * plain.abs(),
                    "{text}: {plain} {fast}"
                );
            }
        }
    }

    #[test]
    fn a_choice_depends_on_nothing_before() {
        let game = game();
        let mut used = player(&[]);
        for text in BOARDS {
            let board = NumberBoard::parse(text).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let fresh = player(&[]).values(&game, &board, &legal);
            assert_eq!(used.values(&game, &board, &legal), fresh, "{text}");
            assert_eq!(used.values(&game, &board, &legal), fresh, "{text}, again");
        }
    }

    #[test]
    fn a_node_budget_is_kept_and_the_deepest_complete_search_decides() {
        let game = game();
        let board = NumberBoard::parse(BOARDS[2]).unwrap();
        let legal: Vec<Direction> = board.legal().collect();
        let at_depth =
            |depth: &str| player(&[("depth", depth), ("cut", "0")]).values(&game, &board, &legal);
        let evaluated = |settings: &[(&str, &str)]| {
            let mut player = player(settings);
            player.values(&game, &board, &legal);
            player.evaluated()
        };
        let one = evaluated(&[("depth", "1"), ("cut", "0")]);
        let two = evaluated(&[("depth", "2"), ("cut", "0")]);
        assert!(one < two);
        let budget = (one + two / 2).to_string();
        let mut limited = player(&[("nodes", &budget), ("cut", "0")]);
        assert_eq!(limited.values(&game, &board, &legal), at_depth("1"));
        assert!(
            limited.evaluated() < one + two / 2 + 64,
            "{} evaluated",
            limited.evaluated()
        );
        assert_eq!(
            player(&[("nodes", "1"), ("cut", "0")]).values(&game, &board, &legal),
            at_depth("1")
        );
    }

    #[test]
    fn other_boards_are_played_too() {
        let game = game();
        let mut player = player(&[("depth", "1")]);
        for text in [
            "3,3,0/0,6,0",
            "65536,2,0,0/0,0,0,0/0,0,4,0/0,0,0,0",
            "2,0,0,0,2",
        ] {
            let board = NumberBoard::parse(text).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let values = player.values(&game, &board, &legal);
            assert!(
                values.iter().all(|value| value.is_finite() && *value > 0.0),
                "{text}: {values:?}"
            );
        }
    }

    /// Provides weights that were learned in a few games, under this name.
    fn learned(name: &str) -> Arc<Weights> {
        let params = Params::defaults(GAME);
        let mut learner = learning::learner(&params, 8).unwrap();
        learner.play(0..30, 30);
        let bytes = learner.weights();
        let rules = params.iter().filter(|(_, value)| **value != Value::Unset);
        let rules = rules.map(|(key, value)| (key.to_owned(), value.clone()));
        let read = Box::new(move || Ok(bytes.clone()));
        let section = Section::new(NAME.to_owned(), rules.collect(), read);
        let weights = Arc::new(Weights::new(name.to_owned(), vec![section]));
        weights::provide(name.to_owned(), Arc::clone(&weights));
        weights
    }

    #[test]
    fn learned_weights_are_searched_with_the_score_of_swipes() {
        let file = "searched.weights";
        let weights = learned(file);
        let game = game();
        let network = Network::read(&weights, &game).unwrap();
        for text in BOARDS {
            let board = NumberBoard::parse(text).unwrap();
            let packed = Packed::from_board(&board).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            // Depth 0 is greedy: the score and the value of the board behind the swipe.
            let greedy = player(&[("weights", file), ("depth", "0")]).values(&game, &board, &legal);
            for (direction, value) in legal.iter().zip(greedy) {
                let mut after = board.clone();
                let score = after.slide(*direction).unwrap();
                assert_eq!(
                    value,
                    score as f32 + network.value(Packed::from_board(&after).unwrap()),
                    "{text}"
                );
            }
            let limits = Limits {
                depth: 1,
                nodes: u64::MAX,
                cut: 0.0,
                four_rate: 0.1,
            };
            let plain = Search::new(Clock::default()).values(&*network, &board, &legal, limits);
            let fast = Search::new(Clock::default()).values(&*network, &packed, &legal, limits);
            assert_eq!(plain, fast, "{text}");
            let settings = [("weights", file), ("depth", "1"), ("cut", "0")];
            let mut player = player(&settings);
            assert_eq!(player.values(&game, &board, &legal), fast, "{text}");
        }
        // Unset, the depth is 2; a budget is kept there as well.
        let board = NumberBoard::parse(BOARDS[2]).unwrap();
        let legal: Vec<Direction> = board.legal().collect();
        let at = |settings: &[(&str, &str)]| {
            player(&[&[("weights", file)], settings].concat()).values(&game, &board, &legal)
        };
        assert_eq!(at(&[]), at(&[("depth", "2")]));
        assert_eq!(at(&[("nodes", "1")]), at(&[("depth", "1")]));
        assert_eq!(at(&[("nodes", "1"), ("depth", "0")]), at(&[("depth", "0")]));
        // Boards that cannot be packed are played too.
        let large = NumberBoard::parse("65536,2,0,0/0,0,0,0/0,0,4,0/0,3,0,1").unwrap();
        let legal: Vec<Direction> = large.legal().collect();
        let values = player(&[("weights", file), ("depth", "1")]).values(&game, &large, &legal);
        assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
    }

    #[test]
    fn a_network_fits_the_rules_that_it_was_learned_for() {
        learned("fitting.weights");
        let player = player(&[("weights", "fitting.weights")]);
        let fits = |settings: &[&str]| {
            let params =
                Params::from_settings(GAME, settings.iter().map(|&setting| setting.to_owned()))
                    .unwrap();
            player.fits(&TwentyFortyEight::from_params(&params))
        };
        assert_eq!(
            fits(&[
                "goal=8192",
                "max_moves=100",
                "start=2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0"
            ]),
            Ok(())
        );
        for other in ["four_rate=0.2", "rows=5"] {
            let error = fits(&[other]).unwrap_err();
            assert_eq!(error.key, "weights", "{other}");
            assert!(
                error.message.contains("no weights for these rules"),
                "{error}"
            );
        }
    }
}
