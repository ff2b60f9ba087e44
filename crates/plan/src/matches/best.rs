//! The best of many players, by dropping those that are behind.
//!
//! All players meet in pairs of games, up to fixed numbers of pairs ([`Best::looks`]). After each,
//! a player is dropped that is behind another one still there by more than chance explains: by
//! max(0, (h² s²/(n δ) − δ)/2) in the mean of n pairs with the variance s², where
//! h² = (n − 1) ((2 α/(k − 1))^(−2/(n − 1)) − 1). If one of the k players beats every other by δ or
//! more in the mean, it is dropped with probability α at most, and after h² s²/δ² pairs every two
//! players are decided. S.-H. Kim and B. Nelson, "A fully sequential procedure for
//! indifference-zone selection in simulation", ACM TOMACS 11, 2001; with the variance of all pairs
//! so far, as in their procedure of Operations Research 54, 2006.

use tilelab_stats::{LOOK_FIRST, LOOKS_AN_OCTAVE, Sample};

/// A search for the best of many players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// How many players the search began with, at least 2.
    players: usize,
    /// The mean difference of a pair that matters.
    within: f64,
    /// How often another player may be found than one that is better than all others by `within`.
    error: f64,
}

impl Best {
    /// The search among `players` players.
    ///
    /// # Errors
    /// Names the value that is out of range: `within` must be above 0, and `error` lie between 0
    /// and 0.5.
    pub fn new(players: usize, within: f64, error: f64) -> Result<Self, String> {
        if !(within > 0.0 && within.is_finite()) {
            return Err(format!("--best {within}: must be above 0"));
        }
        if !(error > 0.0 && error < 0.5) {
            return Err(format!("--alpha {error}: must lie between 0 and 0.5"));
        }
        Ok(Self {
            players: players.max(2),
            within,
            error,
        })
    }

    /// The numbers of pairs after which players are dropped, ascending, up to `pairs_max`.
    pub fn looks(pairs_max: u64) -> impl Iterator<Item = u64> {
        let of_octave = |octave: u32| {
            let first = LOOK_FIRST << octave;
            (0..LOOKS_AN_OCTAVE).map(move |step| first + first / LOOKS_AN_OCTAVE * step)
        };
        let first = LOOK_FIRST.min(pairs_max);
        let later = (0..58).flat_map(of_octave).skip(1);
        std::iter::once(first).chain(later.take_while(move |&pairs| pairs <= pairs_max))
    }

    /// How far behind another player, in the mean of a pair, a player may be and stay.
    pub fn bound(&self, sample: &Sample) -> f64 {
        let n = sample.pairs as f64;
        let tail = 2.0 * self.error / (self.players as f64 - 1.0);
        let h_squared = (n - 1.0) * (tail.powf(-2.0 / (n - 1.0)) - 1.0);
        let wide = h_squared * sample.variance / (n * self.within);
        (0.5 * (wide - self.within)).max(0.0)
    }

    /// Which of the players stay: those that are behind no other by more than the bound. `ahead`
    /// says by how much the first is ahead of the second, where that is known.
    pub fn stay(
        &self,
        players: &[usize],
        ahead: impl Fn(usize, usize) -> Option<Sample>,
    ) -> Vec<usize> {
        let is_beaten = |player: usize| {
            let mut others = players.iter().filter(|other| **other != player);
            others.any(|&other| {
                ahead(other, player)
                    .is_some_and(|sample| sample.mean > self.bound(&sample) && sample.mean > 0.0)
            })
        };
        let players = players.iter().copied();
        players.filter(|&player| !is_beaten(player)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use tilelab_stats::Seen;

    /// Scores of players in a game: their means, and the same luck for half of the variance.
    struct Players(Vec<f64>);

    impl Players {
        fn scores(&self, stream: &mut Xoshiro256PlusPlus) -> Vec<f64> {
            // About normal with the variance ½.
            let mut luck = || {
                let words = (0..6).map(|_| stream.next_u64() as f64 / 2_f64.powi(64) - 0.5);
                words.sum::<f64>()
            };
            let common = luck();
            self.0.iter().map(|mean| mean + common + luck()).collect()
        }

        /// Searches for the best: who is left, the pairs of all meetings, and the leader at each
        /// look if nobody is dropped.
        fn search(
            &self,
            best: &Best,
            stream: &mut Xoshiro256PlusPlus,
        ) -> (Vec<usize>, u64, Vec<usize>) {
            let count = self.0.len();
            let mut sums = vec![[0.0, 0.0]; count * count];
            let mut totals = vec![0.0; count];
            let mut left: Vec<usize> = (0..count).collect();
            let mut leaders = Vec::new();
            let mut played = 0;
            let mut pairs = 0;
            for look in Best::looks(1 << 11) {
                while pairs < look {
                    let scores = self.scores(stream);
                    for (at, sum) in sums.iter_mut().enumerate() {
                        let difference = scores[at / count] - scores[at % count];
                        sum[0] += difference;
                        sum[1] += difference * difference;
                    }
                    for (total, score) in totals.iter_mut().zip(scores) {
                        *total += score;
                    }
                    pairs += 1;
                    let of = left.len() as u64;
                    played += if of > 1 { of * (of - 1) / 2 } else { 0 };
                }
                let ahead = |first: usize, second: usize| {
                    let [sum, squares] = sums[first * count + second];
                    let n = pairs as f64;
                    let mean = sum / n;
                    Some(Sample {
                        pairs,
                        mean,
                        variance: (squares - n * mean * mean) / (n - 1.0),
                        seen: Seen::Shape(None),
                    })
                };
                left = best.stay(&left, ahead);
                let by_total = |a: &usize, b: &usize| totals[*a].total_cmp(&totals[*b]);
                leaders.extend((0..count).max_by(by_total));
            }
            (left, played, leaders)
        }
    }

    /// How often the best is found, and with how many pairs beside equal shares; the table of
    /// docs/statistics.md: `TILELAB_BEST_SEARCHES=4000 cargo test --lib -- --nocapture
    /// the_best_is_found`.
    #[test]
    fn the_best_is_found() {
        let searches: u32 = std::env::var("TILELAB_BEST_SEARCHES")
            .ok()
            .map_or(100, |text| text.parse().expect("a number of searches"));
        println!(
            "| players | the others are behind by | another found % | pairs | pairs in equal shares |\n\
             | ---: | --- | ---: | ---: | ---: |"
        );
        let even = |count: i32| (0..count).map(|_| -0.1).collect::<Vec<f64>>();
        let spread = |count: i32| (1..=count).map(|at| -0.1 * f64::from(at)).collect();
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        for (name, others) in [
            ("1 δ", even(4)),
            ("1 δ", even(9)),
            ("1, 2, … δ", spread(4)),
            ("1, 2, … δ", spread(9)),
        ] {
            let players = Players([vec![0.0], others].concat());
            let count = players.0.len();
            let best = Best::new(count, 0.1, 0.05).unwrap();
            let mut wrong = 0.0;
            let mut pairs = 0.0;
            let mut led: Vec<f64> = Vec::new();
            for _ in 0..searches {
                let (left, played, leaders) = players.search(&best, &mut stream);
                wrong += f64::from(u8::from(left != [0]));
                pairs += played as f64;
                led.resize(leaders.len(), 0.0);
                for (led, leader) in led.iter_mut().zip(leaders) {
                    *led += f64::from(u8::from(leader == 0));
                }
            }
            let all = f64::from(searches);
            let enough = led.iter().position(|led| led / all >= 0.95).unwrap();
            let equal =
                Best::looks(1 << 11).nth(enough).unwrap() as usize * count * (count - 1) / 2;
            println!(
                "| {count} | {name} | {:.1} | {:.0} | {equal} |",
                100.0 * wrong / all,
                pairs / all
            );
            let noise = 4.0 * (0.05 * 0.95 / all).sqrt();
            assert!(
                wrong / all < 0.05 + noise,
                "{count}, {name}: {wrong} of {all}"
            );
        }
    }

    #[test]
    fn looks_are_those_of_tests_and_impossible_searches_are_refused() {
        let looks = |most| Best::looks(most).collect::<Vec<_>>();
        assert_eq!(looks(130), [64, 80, 96, 112, 128]);
        assert_eq!(looks(10), [10]);
        for (within, error, named) in [
            (0.0, 0.05, "--best 0"),
            (f64::NAN, 0.05, "NaN"),
            (1.0, 0.5, "--alpha"),
        ] {
            let refused = Best::new(3, within, error).unwrap_err();
            assert!(refused.contains(named), "{refused}");
        }
    }
}
