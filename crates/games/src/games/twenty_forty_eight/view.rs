//! Display of 2048 boards.

use super::TwentyFortyEight;
use super::reference::State;
use crate::game::view::{BoardView, Cell, Slide, Tone};
use crate::game::{Describe, Turn};
use crate::games::direction::Direction;
use crate::json::{Json, json};

impl Describe for TwentyFortyEight {
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        let dealt = &turn.dealt.board;
        let played = turn.played;
        json!({
            "turn": turn.number,
            "spawned": dealt.changes_since(&turn.before.board),
            "board": dealt,
            "legal": turn.legal,
            "move": played.map(|(direction, _)| direction),
            "score": played.map(|(_, after)| after.merge_score - turn.dealt.merge_score),
            "after": played.map(|(_, after)| &after.board),
            "points": played.map_or(dealt.points(), |(_, after)| after.board.points()),
            "merge_score": played.map_or(turn.dealt.merge_score, |(_, after)| after.merge_score),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    /// Board, points, merge score and largest tile.
    fn view(&self, state: &State) -> BoardView {
        let board = &state.board;
        let cell = |&tile: &u64| {
            let text = if tile == 0 {
                String::new()
            } else {
                tile.to_string()
            };
            Cell::new(text).toned((tile >= self.goal).then_some(Tone::Goal))
        };
        let rows = board.in_rows();
        BoardView::new(
            rows.map(|row| row.iter().map(cell).collect()).collect(),
            [
                ("points", board.points()),
                ("score", state.merge_score),
                ("largest", board.largest()),
            ],
        )
    }

    /// Where a swipe takes each tile.
    ///
    /// Seen from the edge swiped towards, the tiles after the swipe are those before it in order, a
    /// merged one taking the place of two. Tiles are positive, so one that is not its next
    /// predecessor is twice that one.
    fn slides(&self, before: &State, chosen: Direction, after: &State) -> Vec<Slide> {
        let [before, after] = [&before.board, &after.board];
        let mut slides = Vec::new();
        for line in before.lines(chosen) {
            let mut sources = line.places().filter(|&cell| before.tiles()[cell] != 0);
            for to in line.places() {
                let slide = |from| Slide {
                    from: before.place(from),
                    to: before.place(to),
                };
                let Some(from) = sources.next() else { break };
                slides.push(slide(from));
                if after.tiles()[to] != before.tiles()[from] {
                    slides.push(slide(sources.next().expect("two tiles merge")));
                }
            }
        }
        slides
    }

    fn how_to_play(&self) -> String {
        let mut text = format!(
            "Make a tile of at least {}.\n\
             Choose a direction and all tiles slide that way. Two equal tiles that meet become one tile of twice the number. After \
             each move a 2 or a 4 appears on a blank cell.\n\
             The game goes on until no direction changes the board. You win if the largest tile is then at least {}.\n",
            self.goal, self.goal,
        );
        if let Some(moves) = self.max_moves {
            text += &format!("The game also ends after {moves} moves.\n");
        }
        text
    }

    fn goal(&self) -> String {
        format!("make {}", self.goal)
    }

    fn why_over(&self, state: &State) -> String {
        let largest = state.board.largest();
        let why = if state.board.is_stuck() {
            "no direction changes the board".to_owned()
        } else {
            format!("{} moves were made", state.moves)
        };
        format!("{why}, the largest tile is {largest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty_forty_eight::PARAMS;
    use crate::games::twenty_forty_eight::board::NumberBoard;
    use crate::params::Params;

    #[test]
    fn each_tile_is_followed_to_its_cell() {
        use Direction::{Down, Left, Right, Up};
        for (before, direction, expected) in [
            ("2,2,2,2", Left, &[(0, 0), (0, 0), (0, 1), (0, 1)][..]),
            ("2,2,2,2", Right, &[(0, 2), (0, 2), (0, 3), (0, 3)]),
            ("4,2,2,0", Left, &[(0, 0), (0, 1), (0, 1)]),
            ("0,2,0,4", Left, &[(0, 0), (0, 1)]),
            ("2,4/2,0/4,4", Up, &[(0, 0), (0, 1), (0, 0), (1, 0), (0, 1)]),
            (
                "2,4/2,0/4,4",
                Down,
                &[(1, 0), (2, 1), (1, 0), (2, 0), (2, 1)],
            ),
        ] {
            let state = State::on(NumberBoard::parse(before).unwrap());
            let mut after = state.clone();
            after.board.slide(direction).unwrap();
            let game = TwentyFortyEight::from_params(&Params::defaults(PARAMS));
            let mut found = game.slides(&state, direction, &after);
            found.sort_by_key(|slide| slide.from);
            let found: Vec<(usize, usize)> = found.iter().map(|slide| slide.to).collect();
            assert_eq!(found, expected, "{before} {direction}");
        }
    }
}
