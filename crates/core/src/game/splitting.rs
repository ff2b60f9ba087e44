//! Rare wins by multilevel splitting: few games come near a win, and those that do are continued
//! several times. All that a game needs for it is [`Game::LEVEL`].
//!
//! # The estimate
//! A *replication* begins with one game. When the level of a game first reaches a value after a
//! move, the game stops there, and `factor` continuations of its position begin, each with its own
//! streams. They stop at the next value in the same way. A game that passes several values in one
//! move is split for each of them. With factors f₁, …, fₙ, a won game that has passed the first k
//! values counts fₖ₊₁ ⋯ fₙ, so that a replication's *weighted wins* are a whole number, and their
//! expectation is p · f₁ ⋯ fₙ for the win probability p, for any values and factors: each
//! continuation is distributed like the rest of the game it continues, and each split divides the
//! weight by its factor. Replications are independent, so the mean over them is an unbiased
//! estimate of p, and its standard error follows from their spread
//! (`tilelab_stats::SplittingSums`). This is *fixed splitting*; see M. J. J. Garvels, *The
//! splitting method in rare event simulation* (thesis, University of Twente, 2000), chapter 2.
//!
//! # The pilot run
//! Values and factors affect only the precision of the estimate. They come from a pilot run with
//! its own seeds ([`pilot_seeds`]), which climbs from *rung* to rung: 1,024 games start at
//! positions with which other games reached a rung, and estimate the probabilities of winning
//! before the next rung and of reaching it. These give the win probability at each rung.
//!
//! Rules may give their rungs ([`Rungs`]). Otherwise the games from each rung are first played to
//! their ends, and the next rung is the level that a quarter of them reach; where they reach none
//! above the rung so often, the lowest that they reach above it. So only the order of levels
//! matters. There is no further rung where a quarter of the games win, or hardly any climbs.
//!
//! If all games at a rung were alike, the variance for a number of moves would be least where about
//! as many games are played from each rung as from the start. So the product of factors up to a
//! rung is the ratio of the win probability there and at the start, up to the rung with the highest
//! win probability. A rung whose factor would be rounded to 1 is left out. If high levels do not
//! make a win more likely, there are few values or none; without values every replication is a
//! plain game.
//!
//! # Draw protocol
//! Replication g begins with the world and player streams of game g. Continuation number i (from 0)
//! of a game whose streams have number s draws from the streams with number [`continuation`]\(s,
//! i).

use super::session::{BoardRows, Session};
use super::{
    Game, GameObserver, GameResult, Job, LoopJob, Measure, Outcome, Player, PositionError,
    Sampling, SplitLevel, Tally, Turns,
};
use crate::json::Json;
use crate::params::{ParamError, ParamSpec, Params, Value};
use crate::rng::{CellSeeds, GOLDEN, hash_key, mix};
use std::ops::Range;
use std::sync::OnceLock;

/// The parameter that chooses how win rates are estimated.
pub const METHOD: &str = "method";
/// The value of [`METHOD`] for games that are played one by one.
pub const PLAIN: &str = "plain";
/// The value of [`METHOD`] for splitting.
pub const SPLITTING: &str = "splitting";
/// Why a game does not have the parameter.
pub const NEEDS_LEVELS: &str =
    "; games are split where they are for one player and have levels (Game::LEVEL)";

/// The parameter of one-player games that have levels and do not list it themselves.
pub const METHOD_PARAM: ParamSpec = ParamSpec::choice(METHOD, &[PLAIN, SPLITTING], PLAIN)
    .implied(|_| Value::Text(PLAIN.to_owned()))
    .help(
        "plain: games one by one; splitting: games that come near a win are continued several \
         times, for rare wins of the random player",
    );

/// Games of the pilot run from each rung.
const PILOT: usize = 1024;
/// The next rung is the level that `CLIMBING` of them reach; if `CLIMBING` win, there is none.
const CLIMBING: usize = PILOT / 4;
/// A rung that fewer reach is none.
const CLIMBING_MIN: usize = 8;
/// The most rungs that are sought.
const RUNGS_MAX: usize = 64;
/// Where rules give the rungs, the product of all factors is `EXCESS` times the ratio of the win
/// probability at the last level and at the start.
const EXCESS: f64 = 1.5;
/// The product of factors at a rung is at most `EXCESS_MAX` times the ratio of the win probability
/// there and at the start.
const EXCESS_MAX: f64 = 8.0;
/// The largest product of all factors: the fourth powers of weighted wins must fit the sums over
/// many replications.
const PRODUCT_MAX: f64 = 16_777_216.0;
/// Replications that are played side by side.
const SIDE_BY_SIDE: u64 = 4096;

/// Whether win rates are estimated by splitting.
pub fn is_split(params: &Params) -> bool {
    matches!(params.find(METHOD), Some(Value::Text(text)) if text == SPLITTING)
}

/// Takes the method out where it is plain, which says nothing: see [`METHOD_PARAM`].
///
/// # Errors
/// Never; see [`GameEntry::complete`](super::registry::GameEntry::complete).
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    params.drop_implied(&[METHOD_PARAM]);
    Ok(())
}

/// How games without value lanes are sampled.
pub fn sampling(params: &Params) -> Sampling {
    if is_split(params) {
        Sampling::Splitting
    } else {
        Sampling::Plain
    }
}

/// Rejects splitting where something needs single games; `why` says what.
///
/// # Errors
/// Returns an error that names the method.
pub fn refuse(params: &Params, why: &str) -> Result<(), ParamError> {
    if is_split(params) {
        let message = format!("{SPLITTING}: {why}; leave the method out");
        return Err(ParamError::new(METHOD, message));
    }
    Ok(())
}

/// The seeds of the pilot run of a cell with these seeds.
pub const fn pilot_seeds(seeds: CellSeeds) -> CellSeeds {
    let pilot = hash_key("pilot of splitting");
    CellSeeds {
        world: mix(seeds.world ^ pilot),
        player: mix(seeds.player ^ pilot),
    }
}

/// The number of the streams of a continuation, from the number of the streams before.
pub const fn continuation(stream: u64, number: u64) -> u64 {
    mix(mix(stream.wrapping_add(GOLDEN))
        .wrapping_add(number)
        .wrapping_add(1))
}

/// Plays games from level to level.
pub trait Waves: Send + Sync {
    /// A position after a move, with everything else that the rest of its game depends on, except
    /// for the number of moves.
    type Position: Clone;

    /// Plays the games of a wave until they end or, after a move, have a level of at least `value`,
    /// and reports each, in any order.
    fn play(
        &self,
        wave: &Wave<Self::Position>,
        value: Option<u64>,
        seeds: CellSeeds,
        stopped: &mut dyn FnMut(Stop<Self::Position>),
    );
}

/// Games that are played on from positions.
#[derive(Clone, Debug)]
pub struct Wave<P> {
    /// The positions.
    pub positions: Vec<P>,
    /// The games.
    pub starts: Vec<WaveStart>,
}

/// The start of a game of a wave.
#[derive(Clone, Copy, Debug)]
pub struct WaveStart {
    /// The place of the game's position; `None`: that in which the rules begin.
    pub position: Option<usize>,
    /// The number of the streams that the game draws from.
    pub stream: u64,
    /// The number of the replication to which the game belongs.
    pub replication: u64,
    /// Moves made before this position.
    pub moves: u64,
}

/// A game of a wave that has ended or reached the value.
#[derive(Debug)]
pub struct Stop<P> {
    /// The place of the game's start.
    pub start: usize,
    /// How the game stopped.
    pub fate: Fate<P>,
    /// Moves made since the start.
    pub moves: u64,
    /// The highest level after one of these moves; 0 where the rules give the rungs.
    pub highest: u64,
}

/// How a game of a wave stopped.
#[derive(Debug)]
pub enum Fate<P> {
    /// The game was won.
    Won,
    /// The game ended without a win.
    Lost,
    /// The game reached this level at this position.
    Reached(P, u64),
}

impl<P> Default for Wave<P> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            starts: Vec::new(),
        }
    }
}

impl<P> Wave<P> {
    /// Adds continuations of a game that came to this position from a start.
    fn split(&mut self, position: P, copies: u64, from: WaveStart, moves: u64) {
        let place = self.positions.len();
        self.positions.push(position);
        self.starts.extend((0..copies).map(|number| WaveStart {
            position: Some(place),
            stream: continuation(from.stream, number),
            moves: from.moves + moves,
            ..from
        }));
    }
}

/// The loop over turns, for any game with levels.
impl<G, P, F> Waves for LoopJob<G, F>
where
    G: Game,
    P: Player<G>,
    F: Fn() -> P + Send + Sync,
{
    type Position = G::State;

    fn play(
        &self,
        wave: &Wave<G::State>,
        value: Option<u64>,
        seeds: CellSeeds,
        stopped: &mut dyn FnMut(Stop<G::State>),
    ) {
        let level_of = G::LEVEL.expect("games with levels are split");
        let mut player = (self.player)();
        let mut legal = Vec::new();
        for (number, start) in wave.starts.iter().enumerate() {
            let game = &*self.rules(start.replication);
            let world = seeds.world_stream(start.stream);
            let mut stream = seeds.player_stream(start.stream);
            let mut turns = match start.position {
                Some(place) => Turns::before_deal(wave.positions[place].clone(), world),
                None => Turns::undealt(game, world),
            };
            player.begin(game);
            let mut moves = 0;
            let mut highest = 0;
            let fate = loop {
                turns.deal(game);
                turns.list_legal(game, &mut legal);
                if !legal.is_empty() {
                    let chosen = player.choose(game, turns.state(), &legal, &mut stream);
                    turns.make(game, chosen);
                    moves += 1;
                }
                if let Some(outcome) = turns.outcome() {
                    break match outcome.result {
                        GameResult::Won => Fate::Won,
                        GameResult::Drawn | GameResult::Lost => Fate::Lost,
                    };
                }
                let level = level_of(game, turns.state());
                highest = highest.max(level);
                if value.is_some_and(|value| level >= value) {
                    break Fate::Reached(turns.into_state(), level);
                }
            };
            stopped(Stop {
                start: number,
                fate,
                moves,
                highest,
            });
        }
    }
}

/// The rungs that the rules of a game give.
#[derive(Clone, Debug)]
pub struct Rungs {
    /// The levels from which the pilot run chooses, ascending.
    pub values: Vec<u64>,
    /// The level of a win: no game is split above it. Between the first rung that matters and the
    /// last, the product of factors grows with a power of the level.
    pub target: u64,
}

/// Where games are split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splitting {
    levels: Vec<SplitLevel>,
}

impl Splitting {
    /// Splitting at these levels.
    ///
    /// # Panics
    /// Panics if the values do not ascend, a factor is 0, or the product of the factors is above
    /// 2²⁴.
    pub fn new(levels: Vec<SplitLevel>) -> Self {
        assert!(
            levels.is_sorted_by(|a, b| a.value < b.value),
            "levels ascend: {levels:?}"
        );
        let product: f64 = levels.iter().map(|level| level.factor as f64).product();
        assert!(
            (1.0..=PRODUCT_MAX).contains(&product),
            "factors: {levels:?}"
        );
        Self { levels }
    }

    /// The levels that a pilot run finds for the cell with these seeds.
    pub fn by_pilot<W: Waves>(waves: &W, rungs: Option<&Rungs>, seeds: CellSeeds) -> Self {
        let (values, climbed) = climb(waves, rungs, pilot_seeds(seeds));
        Self::new(choose(&values, &climbed, rungs.map(|rungs| rungs.target)))
    }

    /// The product of the factors of the levels from number `from` on.
    fn product(&self, from: usize) -> u64 {
        let rest = self.levels[from..].iter();
        rest.map(|level| level.factor).product()
    }

    /// Plays replications into a tally.
    pub fn play<W: Waves>(
        &self,
        waves: &W,
        seeds: CellSeeds,
        replications: Range<u64>,
        tally: &mut Tally,
        mut observer: Option<GameObserver<'_>>,
    ) {
        let mut first = replications.start;
        while first < replications.end {
            let numbers = first..first + SIDE_BY_SIDE.min(replications.end - first);
            first = numbers.end;
            let played = self.play_side_by_side(waves, seeds, numbers.clone());
            for (number, (wins, moves)) in numbers.zip(played) {
                let outcome = Outcome::new(wins > 0, moves);
                tally.add_replication(&outcome, &self.levels, wins);
                if let Some(observer) = &mut observer {
                    (observer.each)(number, &outcome, "");
                }
            }
        }
    }

    /// Plays replications level by level: the weighted wins of each, at most the product of the
    /// factors, and the moves made in all its games.
    fn play_side_by_side<W: Waves>(
        &self,
        waves: &W,
        seeds: CellSeeds,
        replications: Range<u64>,
    ) -> Vec<(u64, u64)> {
        let first = replications.start;
        let count = (replications.end - first) as usize;
        let mut played = vec![(0, 0); count];
        let mut by_level: Vec<Wave<W::Position>> = Vec::new();
        by_level.resize_with(self.levels.len() + 1, Wave::default);
        by_level[0].starts = replications
            .map(|number| WaveStart {
                position: None,
                stream: number,
                replication: number,
                moves: 0,
            })
            .collect();
        for passed in 0..by_level.len() {
            let wave = std::mem::take(&mut by_level[passed]);
            let value = self.levels.get(passed).map(|level| level.value);
            waves.play(&wave, value, seeds, &mut |stop| {
                let start = wave.starts[stop.start];
                let (wins, moves) = &mut played[(start.replication - first) as usize];
                *moves += stop.moves;
                match stop.fate {
                    Fate::Won => *wins += self.product(passed),
                    Fate::Lost => {}
                    Fate::Reached(position, level) => {
                        let reached = self.levels.partition_point(|known| known.value <= level);
                        let copies = self.product(passed) / self.product(reached);
                        by_level[reached].split(position, copies, start, stop.moves);
                    }
                }
            });
        }
        played
    }
}

/// A position of the pilot run, its level and the moves before; `None`: that in which the rules
/// begin.
type PilotPosition<P> = (Option<P>, u64, u64);

/// What games of the pilot run came to between one rung and the next.
#[derive(Clone, Copy, Debug)]
struct Climbed {
    /// The share that won before the next rung.
    won: f64,
    /// The share that reached the next rung.
    reached: f64,
}

/// Plays from each rung to the next, the first from the start, as far as a game comes; also returns
/// the rungs.
fn climb<W: Waves>(waves: &W, rungs: Option<&Rungs>, seeds: CellSeeds) -> (Vec<u64>, Vec<Climbed>) {
    let mut found: Vec<PilotPosition<W::Position>> = vec![(None, 0, 0)];
    let mut values = Vec::new();
    let mut climbed = Vec::new();
    while !found.is_empty() {
        let height = climbed.len();
        // Each of the games begins with one of the positions found.
        let begun = |number: usize| &found[number * found.len() / PILOT];
        let wave = |below: Option<u64>| {
            let mut wave = Wave::default();
            for number in 0..PILOT {
                let (position, level, moves) = begun(number);
                if below.is_some_and(|value| *level >= value) {
                    continue;
                }
                wave.starts.push(WaveStart {
                    position: position.is_some().then_some(wave.positions.len()),
                    stream: (height * PILOT + number) as u64,
                    replication: number as u64,
                    moves: *moves,
                });
                wave.positions.extend(position.clone());
            }
            wave
        };
        let value = match rungs {
            Some(rungs) => rungs.values.get(height).copied(),
            None => {
                let mut wins = 0;
                let mut tops: Vec<u64> = (0..PILOT).map(|number| begun(number).1).collect();
                waves.play(&wave(None), None, seeds, &mut |stop| {
                    wins += usize::from(matches!(stop.fate, Fate::Won));
                    tops[stop.start] = tops[stop.start].max(stop.highest);
                });
                let is_near = wins >= CLIMBING || height == RUNGS_MAX;
                let last = values.last().copied().unwrap_or_default();
                (!is_near).then(|| next_rung(last, tops)).flatten()
            }
        };
        values.extend(value);
        let wave = wave(value);
        let mut wins = 0;
        // By game, since kernels report games in different orders.
        let has_reached =
            |found: &&PilotPosition<W::Position>| value.is_some_and(|value| found.1 >= value);
        let mut reached: Vec<Option<PilotPosition<W::Position>>> = (0..PILOT)
            .map(|number| Some(begun(number)).filter(has_reached).cloned())
            .collect();
        waves.play(&wave, value, seeds, &mut |stop| match stop.fate {
            Fate::Won => wins += 1,
            Fate::Lost => {}
            Fate::Reached(position, level) => {
                let start = wave.starts[stop.start];
                let moves = start.moves + stop.moves;
                reached[start.replication as usize] = Some((Some(position), level, moves));
            }
        });
        found = reached.into_iter().flatten().collect();
        let share = |count: usize| count as f64 / PILOT as f64;
        climbed.push(Climbed {
            won: share(wins),
            reached: share(found.len()),
        });
    }
    (values, climbed)
}

/// The rung above `last`, from the highest levels of games that began there.
fn next_rung(last: u64, mut tops: Vec<u64>) -> Option<u64> {
    tops.sort_unstable();
    let above = &tops[tops.partition_point(|top| *top <= last)..];
    let place = above.len().saturating_sub(CLIMBING);
    (above.len() >= CLIMBING_MIN).then(|| above[place])
}

/// The levels that these figures ask for, up to `target` where the rules give it.
fn choose(rungs: &[u64], climbed: &[Climbed], target: Option<u64>) -> Vec<SplitLevel> {
    let chances = chances(climbed);
    let reached: Vec<(u64, f64)> = rungs
        .iter()
        .zip(&chances[1..])
        .map(|(&value, chance)| (value, chance / chances[0]))
        .collect();
    let matters = reached.iter().position(|&(_, ratio)| ratio >= 1.5);
    // Where the rules give the rungs, the product grows from the rung before.
    let first = matters
        .unwrap_or(reached.len())
        .max(usize::from(target.is_some()));
    let most = |&place: &usize| reached[place].1;
    let end = reached.partition_point(|&(value, _)| target.is_none_or(|target| value <= target));
    let Some(last) = (first..end).max_by(|a, b| most(a).total_cmp(&most(b))) else {
        return Vec::new();
    };
    let mut product = 1.0;
    let mut levels = Vec::new();
    let octaves = |to: u64| (to as f64 / reached[first - 1].0 as f64).log2();
    for &(value, ratio) in &reached[first..=last] {
        let wanted = if target.is_some() {
            let power = octaves(value) / octaves(reached[last].0);
            (EXCESS * reached[last].1)
                .powf(power)
                .min(EXCESS_MAX * ratio)
        } else {
            ratio
        };
        let factor = (wanted / product).round();
        if factor >= 2.0 && product * factor <= PRODUCT_MAX {
            product *= factor;
            levels.push(SplitLevel {
                value,
                factor: factor as u64,
            });
        }
    }
    levels
}

/// The win probabilities of games at each rung, the first from the start.
fn chances(climbed: &[Climbed]) -> Vec<f64> {
    // Half a win more: a short run without wins does not show that there are none.
    let mut above = 0.5 / PILOT as f64;
    let mut chances = Vec::with_capacity(climbed.len());
    for &Climbed { won, reached } in climbed.iter().rev() {
        above = if chances.is_empty() {
            won + above
        } else {
            won + reached * above
        };
        chances.push(above);
    }
    chances.reverse();
    chances
}

/// Replications of splitting; "game" number g is replication number g.
pub struct SplittingJob<W> {
    /// What plays the games.
    pub waves: W,
    /// The rungs, where the rules give them.
    pub rungs: Option<Rungs>,
    /// The seeds of the streams.
    pub seeds: CellSeeds,
    /// The measures of the game ([`Job::measures`]).
    pub measures: &'static [Measure],
    /// The number of replications in a batch ([`Job::batch_games`]).
    pub batch_games: u64,
    /// The name of the kernel in use ([`Job::kernel`]).
    pub kernel: &'static str,
    /// Why `auto` fell back to the reference, if it did ([`Job::fallback`]).
    pub fallback: Option<String>,
    /// Where games are split, once the pilot run has found it: set before or by the first batch.
    pub splitting: OnceLock<Splitting>,
}

impl<G, P, F> SplittingJob<LoopJob<G, F>>
where
    G: Game,
    P: Player<G>,
    F: Fn() -> P + Send + Sync,
{
    /// Replications that the generic loop plays.
    pub fn new(reference: LoopJob<G, F>, rungs: Option<Rungs>) -> Self {
        Self {
            rungs,
            seeds: reference.seeds,
            measures: reference.game.measures(),
            batch_games: 16,
            kernel: reference.kernel,
            fallback: reference.fallback.clone(),
            splitting: OnceLock::new(),
            waves: reference,
        }
    }
}

impl<W: Waves> Job for SplittingJob<W> {
    fn measures(&self) -> &'static [Measure] {
        self.measures
    }

    fn sampling(&self) -> Sampling {
        Sampling::Splitting
    }

    fn kernel(&self) -> &'static str {
        self.kernel
    }

    fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    fn batch_games(&self) -> u64 {
        self.batch_games
    }

    /// A replication is many games, so it has no last position: the text is empty.
    fn play(&self, games: Range<u64>, tally: &mut Tally, observer: Option<GameObserver<'_>>) {
        let pilot = || Splitting::by_pilot(&self.waves, self.rungs.as_ref(), self.seeds);
        let splitting = self.splitting.get_or_init(pilot);
        splitting.play(&self.waves, self.seeds, games, tally, observer);
    }

    /// A replication is many games, so it has no transcript: `line` is not called.
    fn replay(&self, game: u64, _line: &mut dyn FnMut(Json)) -> Outcome {
        let mut outcome = Outcome::new(GameResult::Lost, 0);
        let mut keep = |_, played: &Outcome, _: &str| outcome = *played;
        let observer = GameObserver::outcomes(&mut keep);
        self.play(
            game..game + 1,
            &mut Tally::new(self.measures),
            Some(observer),
        );
        outcome
    }

    fn open(
        &self,
        _game: u64,
        _board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        Err(format!(
            "{METHOD} = {SPLITTING}: a replication is many games and cannot be watched; leave the method out"
        )
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climbed(shares: &[(f64, f64)]) -> Vec<Climbed> {
        let climbed = |&(won, reached)| Climbed { won, reached };
        shares.iter().map(climbed).collect()
    }

    /// Half of the games reach 10, a quarter of these 20, and half of those win.
    #[test]
    fn factors_follow_the_win_probabilities() {
        let shares = [(0.0, 0.5), (0.0, 0.25), (0.5, 0.0)];
        let ratios = chances(&climbed(&shares))
            .windows(2)
            .map(|pair| pair[1] / pair[0])
            .collect::<Vec<f64>>();
        assert_eq!(ratios, [2.0, 4.0]);
        assert_eq!(
            choose(&[10, 20], &climbed(&shares), None),
            [(10, 2).into(), (20, 4).into()]
        );
        // Nothing changes up to 5; at 20 the product is 1.5 times 8, at 10 its root.
        let shares = [(0.0, 1.0), shares[0], shares[1], shares[2]];
        assert_eq!(
            choose(&[5, 10, 20, 40], &climbed(&shares), Some(30)),
            [(10, 3).into(), (20, 4).into()]
        );
        // High levels that do not win more often are no reason to split.
        let shares = [(0.1, 0.5), (0.1, 0.25), (0.1, 0.0)];
        for target in [None, Some(30)] {
            assert_eq!(choose(&[10, 20], &climbed(&shares), target), []);
        }
    }

    #[test]
    fn the_next_rung_is_what_a_quarter_reaches() {
        let tops = |low: usize| {
            let high = (0..PILOT - low).map(|number| 100 + number as u64);
            std::iter::repeat_n(7, low).chain(high).collect()
        };
        assert_eq!(next_rung(7, tops(0)), Some(100 + 768));
        assert_eq!(next_rung(7, tops(PILOT - 100)), Some(100));
        assert_eq!(next_rung(7, tops(PILOT - 7)), None);
        assert_eq!(next_rung(0, tops(PILOT)), Some(7));
    }
}
