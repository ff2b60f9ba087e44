//! Ratings of players from their results against each other: Bradley and Terry's model.
//!
//! A player of rating r takes the share 1/(1 + exp(s − r)) of the points against one of rating s.
//! Ratings are those of maximum likelihood, with draws as halves (Bradley and Terry 1952; Hunter
//! 2004, "MM algorithms for generalized Bradley–Terry models"). Their covariance is the sandwich
//! H⁻¹ V H⁻¹ (White 1982): H is the information of the model, and V the variance of the points as
//! they were observed, so that pairs of games and complete populations count as what they are.

/// The results of two players against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Who met.
    pub players: [usize; 2],
    /// How much the meeting counts: its games, or its pairs of games where all meetings have pairs.
    pub weight: f64,
    /// The share of points of the first player, 0 to 1.
    pub share: f64,
    /// The standard error of the share; 0 of a complete population.
    pub se: f64,
}

/// Ratings with their covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The natural logarithms of the players' strengths; their sum is 0.
    values: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

/// Elo points of a rating of 1: 400 points are odds of ten to one.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of Newton's method; it needs about ten.
const STEPS_MAX: usize = 200;

impl Ratings {
    /// The ratings of this many players.
    ///
    /// `None` where no finite ratings are the most likely ones: where some players took all points
    /// from the others, or did not meet them (Ford 1957).
    ///
    /// # Panics
    /// When a meeting names a player that there is not.
    #[must_use]
    pub fn most_likely(players: usize, meetings: &[Meeting]) -> Option<Self> {
        if !is_connected(players, meetings) {
            return None;
        }
        let mut values = vec![0.0_f64; players];
        for _ in 0..STEPS_MAX {
            let mut gradient = vec![0.0; players];
            for meeting in meetings {
                let [first, second] = meeting.players;
                let expected = 1.0 / (1.0 + (values[second] - values[first]).exp());
                let surplus = meeting.weight * (meeting.share - expected);
                gradient[first] += surplus;
                gradient[second] -= surplus;
            }
            let inverse = inverse(information(&values, meetings))?;
            let step = times(&inverse, &gradient);
            let largest = step
                .iter()
                .fold(0.0_f64, |most, value| most.max(value.abs()));
            // Newton's step is cut where it is long, since the likelihood is flat far from its top.
            let scale = if largest > 1.0 { 1.0 / largest } else { 1.0 };
            for (value, step) in values.iter_mut().zip(&step) {
                *value += scale * step;
            }
            if largest < 1e-12 {
                let covariance = sandwich(&inverse, meetings, players);
                return Some(Self { values, covariance });
            }
        }
        None
    }

    /// By how many Elo points the first player is better than the second, with its standard error.
    ///
    /// # Panics
    /// When there is no such player.
    #[must_use]
    pub fn elo(&self, first: usize, second: usize) -> (f64, f64) {
        let covariance = &self.covariance;
        let variance =
            covariance[first][first] + covariance[second][second] - 2.0 * covariance[first][second];
        (
            ELO * (self.values[first] - self.values[second]),
            ELO * variance.max(0.0).sqrt(),
        )
    }
}

/// Whether every player took points from every other, directly or through others.
fn is_connected(players: usize, meetings: &[Meeting]) -> bool {
    let took = |from: usize, to: usize| {
        meetings.iter().any(|meeting| {
            let [first, second] = meeting.players;
            (first == from && second == to && meeting.share > 0.0)
                || (first == to && second == from && meeting.share < 1.0)
        })
    };
    let reached = |is_forward: bool| {
        let mut seen = vec![false; players];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            open.extend((0..players).filter(|&to| {
                if is_forward {
                    took(at, to)
                } else {
                    took(to, at)
                }
            }));
        }
        seen.into_iter().all(|seen| seen)
    };
    players > 0 && reached(true) && reached(false)
}

/// The information of the model, with 1 added to every entry: ratings have no natural zero, and
/// its inverse is that of ratings whose sum is 0.
fn information(values: &[f64], meetings: &[Meeting]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![1.0; values.len()]; values.len()];
    for meeting in meetings {
        let [first, second] = meeting.players;
        let expected = 1.0 / (1.0 + (values[second] - values[first]).exp());
        let entry = meeting.weight * expected * (1.0 - expected);
        matrix[first][first] += entry;
        matrix[second][second] += entry;
        matrix[first][second] -= entry;
        matrix[second][first] -= entry;
    }
    matrix
}

/// The covariance of the ratings: H⁻¹ V H⁻¹, a term for each meeting.
fn sandwich(inverse: &[Vec<f64>], meetings: &[Meeting], players: usize) -> Vec<Vec<f64>> {
    let mut covariance = vec![vec![0.0; players]; players];
    for meeting in meetings {
        let [first, second] = meeting.players;
        let variance = (meeting.weight * meeting.se).powi(2);
        let influence: Vec<f64> = inverse.iter().map(|row| row[first] - row[second]).collect();
        for (row, a) in covariance.iter_mut().zip(&influence) {
            for (entry, b) in row.iter_mut().zip(&influence) {
                *entry += variance * a * b;
            }
        }
    }
    covariance
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let of_row = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(of_row).collect()
}

/// The inverse of a matrix by Gauss and Jordan's elimination with pivots; `None` of a singular one.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == at))));
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
        let mut meetings = Vec::new();
        let pairs = (0..7).flat_map(|first| (first + 1..7).map(move |second| [first, second]));
        for [first, second] in pairs {
            let [won, lost] = [wins[first][second], wins[second][first]].map(f64::from);
            assert_eq!(won + lost, 13.0);
            meetings.push(Meeting {
                players: [first, second],
                weight: 13.0,
                share: won / 13.0,
                se: 0.0,
            });
        }
        let fitted = Ratings::most_likely(7, &meetings).unwrap();
        let published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
        for (team, value) in published.into_iter().enumerate() {
            let fitted = fitted.values[team] - fitted.values[6];
            assert!((fitted - value).abs() < 5e-5, "{}: {fitted}", teams[team]);
        }
        // With the model's own variance of single games the sandwich is the inverse information,
        // whose standard errors are published too.
        for meeting in &mut meetings {
            let [first, second] = meeting.players;
            let expected = 1.0 / (1.0 + (fitted.values[second] - fitted.values[first]).exp());
            meeting.se = (expected * (1.0 - expected) / 13.0).sqrt();
        }
        let fitted = Ratings::most_likely(7, &meetings).unwrap();
        let published = [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319];
        for (team, error) in published.into_iter().enumerate() {
            let (_, elo_error) = fitted.elo(team, 6);
            assert!(
                (elo_error / ELO - error).abs() < 5e-5,
                "{}: {}",
                teams[team],
                elo_error / ELO
            );
        }
    }

    /// Of two players the difference is the logit of the share, and its error by the delta method.
    #[test]
    fn two_players_differ_by_the_logit() {
        let meeting = Meeting {
            players: [0, 1],
            weight: 50.0,
            share: 10.0 / 11.0,
            se: 0.01,
        };
        let (elo, error) = Ratings::most_likely(2, &[meeting]).unwrap().elo(0, 1);
        assert!((elo - 400.0).abs() < 1e-9, "{elo}");
        let slope = ELO * 121.0 / 10.0;
        assert!((error - 0.01 * slope).abs() < 1e-9, "{error}");
    }

    #[test]
    fn there_are_no_ratings_where_one_side_took_all_points() {
        let meeting = |players, share| Meeting {
            players,
            weight: 10.0,
            share,
            se: 0.0,
        };
        assert_eq!(Ratings::most_likely(2, &[meeting([0, 1], 1.0)]), None);
        let circle = [
            meeting([0, 1], 1.0),
            meeting([1, 2], 1.0),
            meeting([2, 0], 1.0),
        ];
        let equal = Ratings::most_likely(3, &circle).unwrap();
        assert!(equal.elo(0, 1).0.abs() < 1e-9);
        assert_eq!(Ratings::most_likely(3, &circle[..2]), None);
        assert_eq!(Ratings::most_likely(3, &[meeting([0, 1], 0.5)]), None);
    }
}
