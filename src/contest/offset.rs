//! Contests of Offset: a unit of a tournament is which pair begins against which other.

use super::tournament::Board;
use super::{ContestGame, scores, winner_text};
use crate::game::Outcome;
use crate::game::registry::PlayableGame;
use crate::games::offset::{Offset, Pair, SIDE, all_assignments, all_pairs, log};
use crate::params::Params;
use crate::report::other_files::OFFSET;
use crate::report::schema::Column;
use crate::report::tournament::heat_map;
use crate::rng::Stream;

impl Offset {
    fn dealt_pairs(&self) -> [Pair; 2] {
        self.pairs.expect("a game that was dealt has its pairs")
    }
}

impl ContestGame for Offset {
    const SCORES: &'static str = "coins";
    const SERIES_COLUMNS: &'static [Column] = &OFFSET;
    const TOURNAMENT_COLUMNS: &'static [Column] = &OFFSET;
    const IS_LOGGED: bool = true;

    fn dealt(self, world: &mut Stream) -> Self {
        Self { pairs: Some(self.pairs_of(world)), ..self }
    }

    fn boards(params: &Params) -> Vec<Board<Self>> {
        let rules = Self::build(params);
        let pairs = all_pairs(rules.d);
        let place = |pair| pairs.iter().position(|&known| known == pair).expect("a pair of d");
        let board = |assignment| {
            let rules = rules.assigned(assignment);
            let [first, second] = assignment.pairs.map(place);
            // Named by the beginning pair and the other one, the two seatings of a unit are the
            // same board.
            let (begins, follows) = if assignment.beginner == 0 { (first, second) } else { (second, first) };
            Board { rules, unit: begins * pairs.len() + follows }
        };
        all_assignments(rules.d).into_iter().map(board).collect()
    }

    fn series_row(&self, outcome: &Outcome) -> Vec<String> {
        let [(p0, q0), (p1, q1)] = self.dealt_pairs().map(Pair::parts);
        let mut row = vec![self.d.to_string()];
        row.extend([p0, q0, p1, q1].map(|part| part.to_string()));
        row.push(winner_text(outcome));
        row.extend(scores(outcome).map(|score| score.to_string()));
        row
    }

    fn tournament_row(&self, outcome: &Outcome) -> Vec<String> {
        self.series_row(outcome)
    }

    fn log_line(state: &Self::State, chosen: Self::Move) -> Option<String> {
        Some(log::Entry::of(state, chosen).line())
    }

    fn log_options(&self) -> String {
        let [first, second] = self.dealt_pairs();
        let side = if self.side == SIDE { String::new() } else { format!(" --side {}", self.side) };
        format!("--pairs {first}:{second}{side}")
    }

    fn picture(games_csv: &[u8]) -> Result<Option<String>, String> {
        heat_map(games_csv).map(Some)
    }
}
