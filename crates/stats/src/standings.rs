//! Standings of players that met each other: points, differences and Elo.
//!
//! The unit is a *block*: a start that every player played against each of the others. Players of a
//! block are dependent, since they share its start and, in one-player games, each plays it once
//! against all others; blocks are not. So everything follows from the means m and the covariance V
//! of the players' points over blocks.
//!
//! # Points
//! The interval of a player's share of the points is Student's t over the blocks and two more, in
//! the manner of Agresti and Coull (1998): one in which it alone is at its best and one in which it
//! is at its worst (all points and none if its blocks were all alike). The interval of a difference
//! has the same covariance, with the two blocks of each player.
//!
//! Under several rules, each has the same weight, and variances add up.
//!
//! # Elo
//! A player of rating r takes the share 1/(1 + exp(s − r)) of the points against one of rating s.
//! Ratings are those of maximum likelihood, with draws as halves (Bradley and Terry 1952; Hunter
//! 2004, "MM algorithms for generalized Bradley–Terry models"). Since every two players met equally
//! often, they follow from the players' points alone. Their covariance is the sandwich H⁻¹ V H⁻¹
//! (White 1982), H the information of the model. Their zero is the mean of the rated players:
//! intervals against the last one would be too short, since the data chose it.
//!
//! Where some players took all points from all others, no finite ratings are the most likely ones
//! (Ford 1957). The players then fall into groups, of which each took everything from the next; the
//! largest group is rated, from its points within the group. A group is found by its points alone:
//! the best s players took everything if their points are the most that s players can have
//! (Landau 1953).
//!
//! # Forfeits
//! Who forfeits a game loses it. A meeting that both forfeited is nobody's: neither has a point of
//! it, it is not in the results of the two, and where there is one, there are no ratings, since
//! the points are not those of every two players. Measures are those of blocks without a forfeit.

use super::{Estimate, Interval, Moments, PairPoints, student_deviate};
use tilelab_core::tally::{BlockTally, meetings};

/// Elo points of a rating of 1: 400 points are odds of ten to one.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of Newton's method; it needs about ten.
const STEPS_MAX: usize = 200;
/// With fewer blocks that differ from a player's commonest result, its intervals hold less often
/// than they say.
const DIFFERENT_FEW: u64 = 10;

/// The Elo points by which a player is ahead that takes this share of the points; infinite for 0
/// and 1.
pub fn elo_of_share(share: f64) -> f64 {
    ELO * (share / (1.0 - share)).ln()
}

/// Blocks of one set of rules.
#[derive(Clone, Copy, Debug)]
pub struct Stratum<'a> {
    /// The sums over the blocks, at least one.
    pub sums: &'a BlockTally,
    /// Whether the blocks are a sample; otherwise they are all that there are.
    pub has_chance: bool,
}

impl Stratum<'_> {
    fn blocks(&self) -> u64 {
        let first = self.sums.points.first();
        first.map_or(0, |points| points.counts.values().sum())
    }
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranged {
    /// The estimate.
    pub value: f64,
    /// The interval of the figure; the estimate itself where nothing was left to chance.
    pub interval: Interval,
}

/// One player's result against all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Won, drawn and lost meetings.
    pub results: [u64; 3],
    /// The player's share of the points, 0 to 1.
    pub points: Ranged,
    /// Elo points above the mean of the rated players; `None` of players that took all points from
    /// those, or none.
    pub elo: Option<Ranged>,
    /// The mean of the measure in a block; `None` where all have forfeits.
    pub value: Option<f64>,
    /// Whether so few blocks ended in another way than most that intervals hold less often than
    /// they say.
    pub is_rough: bool,
}

/// One player against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The two players, by their places in the match.
    pub players: [usize; 2],
    /// Won, drawn and lost meetings of the first against the second.
    pub results: [u64; 3],
    /// The share of the points that the first took from the second; `None` where both forfeited
    /// all their meetings under some rules.
    pub share: Option<Ranged>,
    /// The first player's share of the points less the second's, each against all players.
    pub points: Ranged,
    /// The first player's Elo less the second's, where both are rated.
    pub elo: Option<Ranged>,
    /// The difference of the measure in their own meetings, `None` where all blocks have forfeits;
    /// without an interval from single blocks.
    pub difference: Option<(f64, Option<Interval>)>,
}

/// The standings of the players of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// Blocks played.
    pub blocks: u64,
    /// One entry a player, in the order of the match.
    pub players: Vec<Standing>,
    /// One entry for every two players, in the order (0, 1), (0, 2), …, (1, 2), …
    pub leads: Vec<Lead>,
}

impl Standings {
    /// The standings of players that met under these rules, each of the same weight, in which a
    /// meeting has `most` half points; `None` where a stratum has no blocks, or there is none.
    ///
    /// # Panics
    /// When `confidence` is not strictly between 0 and 1, or the strata have different players.
    pub fn new(strata: &[Stratum<'_>], most: i64, confidence: f64) -> Option<Self> {
        let is_played = |stratum: &Stratum<'_>| stratum.blocks() > 0;
        if strata.is_empty() || !strata.iter().all(is_played) {
            return None;
        }
        let points = Points::new(strata, most);
        let deviate = match points.freedom {
            0.0 => 0.0,
            freedom => student_deviate(freedom, confidence),
        };
        let around =
            |value: f64, variance: f64| Interval::around(value, deviate * variance.max(0.0).sqrt());
        let are_complete = strata.iter().all(|stratum| stratum.sums.are_complete());
        let ratings = are_complete
            .then(|| Ratings::most_likely(&points, groups(strata, &points.means, most)))
            .flatten();
        let elo = |factors: &[(usize, f64)]| {
            let Ratings {
                players,
                values,
                covariance,
            } = ratings.as_ref()?;
            let of_rated = |&(player, factor): &(usize, f64)| {
                let place = players.iter().position(|&known| known == player);
                place.map(|place| (place, factor))
            };
            let factors: Option<Vec<_>> = factors.iter().map(of_rated).collect();
            let (value, variance) = combination(values, covariance, &factors?);
            let [value, variance] = [ELO * value, ELO * ELO * variance];
            Some(Ranged {
                value,
                interval: around(value, variance),
            })
        };
        let leads = meetings(points.means.len()).enumerate();
        let leads: Vec<Lead> = leads
            .map(|(at, [first, second])| {
                let factors = [(first, 1.0), (second, -1.0)];
                let (value, variance) = combination(&points.means, &points.covariance, &factors);
                let (results, share) = meeting(strata, at, most, confidence);
                Lead {
                    players: [first, second],
                    results,
                    share,
                    points: Ranged {
                        value,
                        interval: around(value, variance).within(-1.0, 1.0),
                    },
                    elo: elo(&factors),
                    difference: difference(strata, at, confidence),
                }
            })
            .collect();
        let players = (0..points.means.len()).map(|player| {
            let interval = around(points.padded[player], points.covariance[player][player]);
            let results = [0, 1, 2].map(|at| {
                let of_lead = |lead: &Lead| match lead.players {
                    [first, _] if first == player => lead.results[at],
                    // What the first won, the second lost.
                    [_, second] if second == player => lead.results[2 - at],
                    _ => 0,
                };
                leads.iter().map(of_lead).sum()
            });
            let value = |stratum: &Stratum<'_>| {
                let finished = stratum.sums.finished;
                (finished > 0).then(|| stratum.sums.values[player].sum as f64 / finished as f64)
            };
            let values: Option<Vec<f64>> = strata.iter().map(value).collect();
            Standing {
                results,
                points: Ranged {
                    value: points.means[player],
                    interval: interval.within(0.0, 1.0),
                },
                elo: elo(&[(player, 1.0)]),
                value: values.map(|values| values.iter().sum::<f64>() / strata.len() as f64),
                is_rough: is_rough(strata, player),
            }
        });
        Some(Self {
            blocks: strata.iter().map(Stratum::blocks).sum(),
            players: players.collect(),
            leads,
        })
    }
}

/// Whether few blocks differ from a player's commonest result.
fn is_rough(strata: &[Stratum<'_>], player: usize) -> bool {
    let sampled = || strata.iter().filter(|stratum| stratum.has_chance);
    let different = |stratum: &Stratum<'_>| {
        let counts = stratum.sums.points[player].counts.values();
        stratum.blocks() - counts.copied().max().unwrap_or_default()
    };
    sampled().count() > 0 && sampled().map(different).sum::<u64>() < DIFFERENT_FEW
}

/// Results and share of points of the first of two players in their own meetings. The interval of
/// the mean of several strata is from theirs: G. Zou and A. Donner, "Construction of confidence
/// limits about effect measures", Statistics in Medicine 27 (2008).
fn meeting(
    strata: &[Stratum<'_>],
    at: usize,
    most: i64,
    confidence: f64,
) -> ([u64; 3], Option<Ranged>) {
    let mut results = [0; 3];
    let mut are_met = true;
    let [mut value, mut below, mut above] = [0.0; 3];
    for stratum in strata {
        let pairs = PairPoints::new(&stratum.sums.meetings[at].counts, most);
        let counts = pairs.results();
        results = std::array::from_fn(|at| results[at] + counts[at]);
        are_met &= pairs.mean().is_some();
        let share = pairs.mean().unwrap_or_default();
        value += share;
        if let Some(interval) = pairs.interval(confidence).filter(|_| stratum.has_chance) {
            below += (share - interval.lo).powi(2);
            above += (interval.hi - share).powi(2);
        }
    }
    let count = strata.len() as f64;
    value /= count;
    let interval = Interval {
        lo: value - below.sqrt() / count,
        hi: value + above.sqrt() / count,
    };
    (results, are_met.then_some(Ranged { value, interval }))
}

/// The mean difference of the measure of two players in their own meetings: Student's t.
fn difference(
    strata: &[Stratum<'_>],
    at: usize,
    confidence: f64,
) -> Option<(f64, Option<Interval>)> {
    let count = strata.len() as f64;
    let mut joint = Some(Estimate {
        mean: 0.0,
        se: 0.0,
        df: 0.0,
    });
    let mut value = 0.0;
    for stratum in strata {
        let moments = Moments {
            n: stratum.sums.finished,
            sum: stratum.sums.differences[at].sum,
            sum_sq: stratum.sums.differences[at].sum_sq,
        };
        value += moments.mean()? / count;
        if stratum.has_chance {
            joint = joint.zip(moments.estimate()).map(|(joint, more)| Estimate {
                mean: 0.0,
                se: joint.se.hypot(more.se / count),
                df: joint.df + more.df,
            });
        }
    }
    let interval = joint.map(|joint| {
        if joint.df == 0.0 {
            return Interval::around(value, 0.0);
        }
        Estimate {
            mean: value,
            ..joint
        }
        .interval(confidence)
    });
    Some((value, interval))
}

/// The points of the players as shares of all that they could take.
struct Points {
    means: Vec<f64>,
    /// The means with two blocks more for each player.
    padded: Vec<f64>,
    /// The covariance of the means, with the two blocks.
    covariance: Vec<Vec<f64>>,
    /// The degrees of freedom of the covariance: one less than the blocks it was estimated from; 0
    /// where nothing was left to chance.
    freedom: f64,
}

impl Points {
    /// The mean of all strata.
    fn new(strata: &[Stratum<'_>], most: i64) -> Self {
        let players = strata[0].sums.points.len();
        let mut all = Self {
            means: vec![0.0; players],
            padded: vec![0.0; players],
            covariance: vec![vec![0.0; players]; players],
            freedom: 0.0,
        };
        for stratum in strata {
            all.add(stratum, most, strata.len() as f64);
        }
        all
    }

    /// Adds one of `strata` strata.
    fn add(&mut self, stratum: &Stratum<'_>, most: i64, strata: f64) {
        let Stratum { sums, has_chance } = *stratum;
        let blocks = stratum.blocks();
        let players = sums.points.len();
        assert_eq!(players, self.means.len(), "strata have the same players");
        let all = (most * (players as i64 - 1)) as f64;
        let n = blocks as f64;
        // Sums of squares about the means, exact until they are divided.
        let about = |product: u128, a: usize, b: usize| {
            let product = i128::try_from(product).expect("a sum of squared half points");
            let whole = i128::from(blocks) * product - sums.points[a].sum * sums.points[b].sum;
            whole as f64 / n / all / all
        };
        let scale = (n + 1.0) * (n + 2.0) * strata * strata;
        for (at, points) in sums.points.iter().enumerate() {
            let mean = points.sum as f64 / n / all;
            self.means[at] += mean / strata;
            if !has_chance {
                self.padded[at] += mean / strata;
                continue;
            }
            let mut shares = points.counts.keys().map(|&half| half as f64 / all);
            let ends = shares.next().zip(shares.next_back());
            let (worst, best) = ends.unwrap_or((0.0, 1.0));
            let both = worst + best - 2.0 * mean;
            let squares =
                about(points.sum_sq, at, at) + (worst - mean).powi(2) + (best - mean).powi(2)
                    - both.powi(2) / (n + 2.0);
            self.covariance[at][at] += squares / scale;
            self.padded[at] += (n * mean + worst + best) / (n + 2.0) / strata;
        }
        if has_chance {
            for ([a, b], &product) in meetings(players).zip(&sums.products) {
                let shared = about(product, a, b) / scale;
                self.covariance[a][b] += shared;
                self.covariance[b][a] += shared;
            }
            self.freedom += n + 1.0;
        }
    }
}

/// The players in groups, the best first, of which each took all points from the next.
fn groups(strata: &[Stratum<'_>], means: &[f64], most: i64) -> Vec<Vec<usize>> {
    let players = means.len();
    let mut order: Vec<usize> = (0..players).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    let blocks: u64 = strata.iter().map(Stratum::blocks).sum();
    let mut groups = vec![Vec::new()];
    let mut taken = 0_i128;
    for (place, &player) in order.iter().enumerate() {
        groups.last_mut().expect("there is a group").push(player);
        let sums = strata.iter().map(|stratum| stratum.sums.points[player].sum);
        taken += sums.sum::<i128>();
        let best = place as i128 + 1;
        let meetings = best * (best - 1) / 2 + best * (players as i128 - best);
        if best < players as i128 && taken == meetings * i128::from(blocks) * i128::from(most) {
            groups.push(Vec::new());
        }
    }
    groups
}

/// Ratings with their covariance.
struct Ratings {
    /// The rated players.
    players: Vec<usize>,
    /// The natural logarithms of the players' strengths; their sum is 0.
    values: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Ratings {
    /// The ratings of the largest of these groups; `None` where each is of a single player.
    fn most_likely(points: &Points, groups: Vec<Vec<usize>>) -> Option<Self> {
        // The first of equally large ones.
        let largest = groups.iter().enumerate().rev();
        let (place, players) = largest.max_by_key(|(_, group)| group.len())?;
        if players.len() < 2 {
            return None;
        }
        let others = (points.means.len() - 1) as f64;
        let beaten: usize = groups[place + 1..].iter().map(Vec::len).sum();
        let won: Vec<f64> = players
            .iter()
            .map(|&player| points.means[player] * others - beaten as f64)
            .collect();
        let (values, inverse) = fitted(&won)?;
        let of_two =
            |a: usize, b: usize| others * others * points.covariance[players[a]][players[b]];
        let places = || 0..players.len();
        let covariance = |a: usize, b: usize| {
            let terms = places().flat_map(|c| places().map(move |d| [c, d]));
            terms
                .map(|[c, d]| inverse[a][c] * of_two(c, d) * inverse[d][b])
                .sum()
        };
        let row = |a: usize| places().map(|b| covariance(a, b)).collect();
        Some(Self {
            covariance: places().map(row).collect(),
            values,
            players: players.clone(),
        })
    }
}

/// A sum of values with factors, given with their places, and its variance.
fn combination(values: &[f64], covariance: &[Vec<f64>], factors: &[(usize, f64)]) -> (f64, f64) {
    let value = factors.iter().map(|&(at, factor)| factor * values[at]);
    let pairs = factors
        .iter()
        .flat_map(|a| factors.iter().map(move |b| (a, b)));
    let products = pairs.map(|((a, f), (b, g))| f * g * covariance[*a][*b]);
    (value.sum(), products.sum())
}

/// The most likely ratings of players that took the points `won` against the others, one point for
/// each of them, and the inverse information of one block.
fn fitted(won: &[f64]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let players = won.len();
    let mut values = vec![0.0_f64; players];
    for _ in 0..STEPS_MAX {
        let mut gradient = won.to_vec();
        // 1 is added to every entry: ratings have no natural zero, and the inverse is that of
        // ratings whose sum is 0.
        let mut information = vec![vec![1.0; players]; players];
        for [first, second] in meetings(players) {
            let expected = 1.0 / (1.0 + (values[second] - values[first]).exp());
            gradient[first] -= expected;
            gradient[second] -= 1.0 - expected;
            let entry = expected * (1.0 - expected);
            information[first][first] += entry;
            information[second][second] += entry;
            information[first][second] -= entry;
            information[second][first] -= entry;
        }
        let inverse = inverse(information)?;
        let step = times(&inverse, &gradient);
        let largest = step
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        // Newton's step is cut where it is long, since the likelihood is flat far from its top.
        let scale = 1.0 / largest.max(1.0);
        for (value, step) in values.iter_mut().zip(&step) {
            *value += scale * step;
        }
        if largest < 1e-12 {
            return Some((values, inverse));
        }
    }
    None
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let of_row = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(of_row).collect()
}

/// The inverse of a matrix by Gauss and Jordan's elimination with pivots; `None` of a singular one.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(column == at)));
    }
    for at in 0..size {
        let pivot =
            (at..size).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
        matrix.swap(at, pivot);
        let head = matrix[at][at];
        if head.abs() < 1e-300 {
            return None;
        }
        matrix[at].iter_mut().for_each(|entry| *entry /= head);
        let row = matrix[at].clone();
        for (other, entries) in matrix.iter_mut().enumerate() {
            let factor = entries[at];
            if other != at && factor != 0.0 {
                entries
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelab_core::tally::{Block, GameResult, Outcome, Tally};

    /// The American League of 1987, each team 13 times against each other: Agresti, Categorical
    /// Data Analysis (2nd edition, 2002), table 10.10. The estimates and standard errors are those
    /// of the R package BradleyTerry2 (Turner and Firth 2012, Journal of Statistical Software
    /// 48(9)), with Baltimore as 0.
    #[test]
    fn baseball_ratings_are_the_published_ones() {
        let teams = [
            "Milwaukee",
            "Detroit",
            "Toronto",
            "New York",
            "Boston",
            "Cleveland",
            "Baltimore",
        ];
        let wins = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let won: Vec<f64> = wins
            .iter()
            .map(|row| row.iter().map(|&won| f64::from(won)).sum::<f64>() / 13.0)
            .collect();
        let (values, inverse) = fitted(&won).unwrap();
        let published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
        let errors = [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319, 0.0];
        for team in 0..7 {
            let fitted = values[team] - values[6];
            assert!(
                (fitted - published[team]).abs() < 5e-5,
                "{}: {fitted}",
                teams[team]
            );
            let variance = inverse[team][team] + inverse[6][6] - 2.0 * inverse[team][6];
            let error = (variance / 13.0).sqrt();
            assert!(
                (error - errors[team]).abs() < 5e-5,
                "{}: {error}",
                teams[team]
            );
        }
    }

    /// Blocks of players, with the half points, of two, of the first in each meeting.
    fn sums<const N: usize>(blocks: &[[i64; N]], players: usize) -> BlockTally {
        let mut tally = Tally::new(&[]);
        for meetings in blocks {
            tally.add_block(
                &Outcome::new(GameResult::Lost, 1),
                &Block {
                    meetings: &meetings.map(|won| [won, 2]),
                    differences: &[0; N],
                    values: &vec![0; players],
                    forfeits: &vec![[0; 4]; players],
                },
            );
        }
        tally.blocks().unwrap().clone()
    }

    fn sampled(sums: &BlockTally) -> [Stratum<'_>; 1] {
        let has_chance = true;
        [Stratum { sums, has_chance }]
    }

    /// Two players are a match of pairs: the same interval, and Elo is the logit of the share.
    #[test]
    fn two_players_have_the_interval_of_pairs() {
        let sums = sums(&[[2], [2], [1], [0], [2], [2], [1]], 2);
        let found = Standings::new(&sampled(&sums), 2, 0.95).unwrap();
        let pairs = PairPoints::new(&sums.meetings[0].counts, 2);
        let [first, second] = [found.players[0], found.players[1]];
        let of_pairs = pairs.interval(0.95).unwrap();
        let interval = first.points.interval;
        assert!((interval.lo - of_pairs.lo).abs() < 1e-12, "{interval:?}");
        assert!((interval.hi - of_pairs.hi).abs() < 1e-12, "{interval:?}");
        assert!((first.points.value + second.points.value - 1.0).abs() < 1e-12);
        let elo = found.leads[0].elo.unwrap().value;
        assert!((elo - elo_of_share(10.0 / 14.0)).abs() < 1e-9, "{elo}");
        assert!((first.elo.unwrap().value - elo / 2.0).abs() < 1e-9);
    }

    /// With three players in the same luck, the variance of a player's points is not that of
    /// independent meetings: worked from the block points, 4, 1, 1; 2, 4, 0; 2, 0, 4 of 4.
    #[test]
    fn the_variance_is_that_of_blocks() {
        let sums = sums(&[[2, 2, 1], [0, 2, 2], [2, 0, 0]], 3);
        let points = Points::new(&sampled(&sums), 2);
        // Player 0: 4, 2, 2 and two blocks more, 4 and 2: squares about their mean 14/5 of 4.
        let squares = [4.0, 2.0, 2.0, 4.0, 2.0].map(|half: f64| (half / 4.0 - 0.7).powi(2));
        let variance = squares.iter().sum::<f64>() / 4.0 / 5.0;
        assert!((points.covariance[0][0] - variance).abs() < 1e-12);
        assert!((points.padded[0] - 0.7).abs() < 1e-12);
        // Players 1 and 2: 1, 4, 0 and 1, 0, 4, products 1, 0, 0, means 5/3 each, of 4.
        let product = (1.0 - 25.0 / 3.0) / 16.0 / 4.0 / 5.0;
        assert!((points.covariance[1][2] - product).abs() < 1e-12);
    }

    /// A player without a point does not take the ratings of the others away.
    #[test]
    fn a_player_without_a_point_leaves_the_others_their_ratings() {
        // Player 2 loses every meeting; player 3 wins every one.
        let sums = sums(
            &[[2, 2, 0, 2, 0, 0], [0, 2, 0, 2, 0, 0], [2, 2, 0, 2, 0, 0]],
            4,
        );
        let found = Standings::new(&sampled(&sums), 2, 0.95).unwrap();
        let rated: Vec<bool> = found
            .players
            .iter()
            .map(|player| player.elo.is_some())
            .collect();
        assert_eq!(rated, [true, true, false, false]);
        let lead = found.leads[0].elo.unwrap();
        assert!(
            (lead.value - elo_of_share(2.0 / 3.0)).abs() < 1e-9,
            "{lead:?}"
        );
        assert!(found.leads[1].elo.is_none());
        // In a circle of outright wins everyone is equal; in a line, nobody is rated.
        let circle = self::sums(&[[2, 0, 2]], 3);
        let equal = Standings::new(&sampled(&circle), 2, 0.95).unwrap();
        assert!(
            equal
                .players
                .iter()
                .all(|player| player.elo.unwrap().value.abs() < 1e-9)
        );
        let line = self::sums(&[[2, 2, 2]], 3);
        let found = Standings::new(&sampled(&line), 2, 0.95).unwrap();
        assert!(found.players.iter().all(|player| player.elo.is_none()));
    }

    #[test]
    fn complete_matches_have_no_intervals_and_few_different_blocks_are_marked() {
        let sums = sums(&[[2, 1, 0], [1, 1, 0], [2, 1, 2]], 3);
        let complete = [Stratum {
            sums: &sums,
            has_chance: false,
        }];
        let found = Standings::new(&complete, 2, 0.95).unwrap();
        for player in &found.players {
            assert_eq!(player.points.interval.half_width(), 0.0);
            assert_eq!(player.elo.unwrap().interval.half_width(), 0.0);
            assert!(!player.is_rough);
        }
        assert!(Standings::new(&sampled(&sums), 2, 0.95).unwrap().players[0].is_rough);
        assert_eq!(
            Standings::new(&sampled(&BlockTally::default()), 2, 0.95),
            None
        );
    }
}
