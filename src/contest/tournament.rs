//! A tournament: every player against every other, with a cross table.
//!
//! # How a pairing is played
//! Two players meet on every board with both seatings. Offset: all pairs of pairs of d; a *unit* is
//! which pair begins against which other, and its two games differ only in who has which. The
//! multiplication game: all start numbers; a unit is a start number, its two games differ in who
//! begins. The difference of a unit is its mean score difference over games and rounds, so what a
//! good pair or the first move is worth cancels. The interval is Student's t over the units'
//! differences (paired differences).
//!
//! # Draws
//! The player stream of a game comes from the seed, the unit and the round, not from the players;
//! each player draws from the stream of its seat, whoever sits at the other.

use super::{ContestError, ContestGame, row};
use crate::catalog::PlayerSpec;
use crate::game::{GameResult, Outcome};
use crate::games::two_player::{SCORE_AT, TwoPlayer};
use crate::params::{ParamError, Params};
use crate::players::two_player::seats::Seats;
use crate::report::other_files::{CROSS, PLAYERS};
use crate::report::schema::names;
use crate::report::table::{Align, Table};
use crate::rng::CellSeeds;
use crate::stats::{Interval, Moments};

/// How a tournament is played.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often each game is played, with other draws; at least 1.
    pub rounds: u64,
    /// The master seed.
    pub seed: u64,
    /// Confidence of the intervals, strictly between 0 and 1.
    pub confidence: f64,
    /// Games played at once, at least 1; without the feature `parallel` always one.
    pub threads: usize,
}

/// A finished tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// One CSV row a game, with a header.
    pub games_csv: Vec<u8>,
    /// One row a pairing.
    pub cross: CrossTable,
}

/// One board and seating.
#[derive(Clone, Copy, Debug)]
pub struct Board<G> {
    /// The rules, with everything decided that the start leaves to chance.
    pub rules: G,
    /// The number of the unit that it belongs to, from 0; a unit is a board with its two seatings.
    pub unit: usize,
}

/// A finished game of the tournament.
struct Played {
    pairing: usize,
    board: usize,
    outcome: Outcome,
}

impl Played {
    fn difference(&self) -> i64 {
        self.outcome.measures[SCORE_AT[0]] - self.outcome.measures[SCORE_AT[1]]
    }
}

/// Every player against every other, in the order given.
fn pairings(players: &[PlayerSpec]) -> Vec<[PlayerSpec; 2]> {
    (0..players.len())
        .flat_map(|first| (first + 1..players.len()).map(move |second| (first, second)))
        .map(|(first, second)| [players[first].clone(), players[second].clone()])
        .collect()
}

/// A tournament over all boards of the game with these parameters.
///
/// # Errors
/// When the system does not give the threads, or cannot serve a player's parameter.
pub fn play<G: ContestGame + Send + Sync>(
    params: &Params,
    players: &[PlayerSpec],
    options: &Options,
) -> Result<Tournament, ContestError> {
    let boards = G::boards(params);
    let pairings = pairings(players);
    let games = play_all(&pairings, &boards, options)?;
    let mut rows = vec![PLAYERS.iter().chain(G::TOURNAMENT_COLUMNS).map(|column| column.name.to_owned()).collect()];
    rows.extend(games.iter().map(|game| {
        let rules = &boards[game.board].rules;
        row(&pairings[game.pairing], rules.tournament_row(&game.outcome))
    }));
    Ok(Tournament {
        games_csv: csv_of(&rows),
        cross: cross_table(&pairings, &boards, &games, options.confidence, G::SCORES),
    })
}

/// Rows as CSV.
fn csv_of(rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("rows of equal length go into memory");
    }
    writer.into_inner().expect("memory can be flushed")
}

/// Plays all games: every pairing on every board in every round, in this order.
fn play_all<G: TwoPlayer>(
    pairings: &[[PlayerSpec; 2]],
    boards: &[Board<G>],
    options: &Options,
) -> Result<Vec<Played>, ContestError> {
    let rounds = options.rounds as usize;
    let games = pairings.len() * boards.len() * rounds;
    let one = |index: usize| -> Result<Played, ParamError> {
        let pairing = index / rounds / boards.len();
        let board = index / rounds % boards.len();
        let round = (index % rounds) as u64;
        let seeds = CellSeeds::new(options.seed, "tournament", &format!("tournament,unit={}", boards[board].unit));
        let mut seats = Seats::of(&pairings[pairing])?;
        let stream = seeds.player_stream(round);
        let outcome = seats.play(&boards[board].rules, seeds.world_stream(round), &stream, |_, _| ());
        Ok(Played { pairing, board, outcome })
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
        let pool =
            pool.map_err(|error| ContestError::Threads { threads: options.threads, reason: error.to_string() })?;
        Ok(pool.install(|| (0..games).into_par_iter().map(one).collect::<Result<_, _>>())?)
    }
    #[cfg(not(feature = "parallel"))]
    Ok((0..games).map(one).collect::<Result<_, _>>()?)
}

/// The result of a pairing.
#[derive(Clone, Debug)]
pub struct Cross {
    /// The labels of both players.
    pub players: [String; 2],
    /// Games played.
    pub games: usize,
    /// Games that the first player won.
    pub wins: usize,
    /// Games drawn.
    pub draws: usize,
    /// Games that the first player lost.
    pub losses: usize,
    /// The interval of the mean score difference.
    pub interval: Interval,
    /// The mean score difference of a game, first player minus second.
    pub mean: f64,
    /// Boards, each with both seatings.
    pub units: usize,
}

/// The cross table: one row a pairing.
#[derive(Clone, Debug)]
pub struct CrossTable {
    /// The pairings.
    pub rows: Vec<Cross>,
    confidence: f64,
    unit: &'static str,
}

fn cross_table<G>(
    pairings: &[[PlayerSpec; 2]],
    boards: &[Board<G>],
    games: &[Played],
    confidence: f64,
    unit: &'static str,
) -> CrossTable {
    let rows = pairings.iter().enumerate().map(|(pairing, players)| {
        let games: Vec<&Played> = games.iter().filter(|game| game.pairing == pairing).collect();
        let units = boards.iter().map(|board| board.unit).max().map_or(0, |last| last + 1);
        let mut sums = vec![(0_i64, 0_i64); units];
        for game in &games {
            let sum = &mut sums[boards[game.board].unit];
            *sum = (sum.0 + game.difference(), sum.1 + 1);
        }
        sums.retain(|&(_, games)| games > 0);
        // All units have equally many games, so the interval of their sums is that of their means
        // times that number.
        let each = sums.first().map_or(1, |&(_, games)| games) as f64;
        let moments = Moments {
            n: sums.len() as u64,
            sum: sums.iter().map(|&(sum, _)| i128::from(sum)).sum(),
            sum_sq: sums.iter().map(|&(sum, _)| u128::from(sum.unsigned_abs()).pow(2)).sum(),
        };
        let estimate = moments.estimate().expect("every game has at least two units");
        let interval = estimate.interval(confidence);
        let count = |result| games.iter().filter(|game| game.outcome.result == result).count();
        Cross {
            players: players.each_ref().map(PlayerSpec::label),
            games: games.len(),
            wins: count(GameResult::Won),
            draws: count(GameResult::Drawn),
            losses: count(GameResult::Lost),
            interval: Interval { lo: interval.lo / each, hi: interval.hi / each },
            mean: estimate.mean / each,
            units: sums.len(),
        }
    });
    CrossTable { rows: rows.collect(), confidence, unit }
}

impl CrossTable {
    /// The table for people, with a line on how its intervals were made.
    #[must_use]
    pub fn markdown(&self) -> String {
        use Align::{Left, Right};
        let difference = format!("mean difference ({})", self.unit);
        let interval = format!("{} % interval", self.confidence * 100.0);
        let mut table = Table::new([
            ("player", Left),
            ("opponent", Left),
            ("games", Right),
            ("won", Right),
            ("drawn", Right),
            ("lost", Right),
            (difference.as_str(), Right),
            (interval.as_str(), Right),
        ]);
        for row in &self.rows {
            let [player, opponent] = &row.players;
            table.row([
                player.clone(),
                opponent.clone(),
                row.games.to_string(),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                format!("{:+.1}", row.mean),
                format!("{:+.1} to {:+.1}", row.interval.lo, row.interval.hi),
            ]);
        }
        let mut text = table.to_string();
        let units = self.rows.first().map_or(0, |row| row.units);
        text.push_str(&format!(
            "\nAll boards, both seatings. Intervals: Student's t over the {units} units' paired differences (a unit is a board with its \
             two seatings).\n"
        ));
        text
    }

    /// The table as CSV, with a header.
    #[must_use]
    pub fn csv(&self) -> Vec<u8> {
        let mut rows = vec![names(&CROSS).map(str::to_owned).to_vec()];
        rows.extend(self.rows.iter().map(|row| {
            let mut record: Vec<String> = row.players.to_vec();
            record.extend([row.games, row.wins, row.draws, row.losses, row.units].map(|count| count.to_string()));
            record.extend([row.mean, row.interval.lo, row.interval.hi].map(|value| value.to_string()));
            record
        }));
        csv_of(&rows)
    }
}
