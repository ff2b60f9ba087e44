//! Display of 67! for players and spectators.

use super::board::TileBoard;
use super::line::Tile;
use super::reference::State;
use super::weighted::Weighted;
use super::{Direction, Runs, SixtySeven};
use crate::game::view::{BoardView, Cell, Slide, Tone};
use crate::game::{Describe, GameResult, Turn};
use crate::json::{Json, json};
use crate::text::join;
use num_bigint::BigInt;

impl Describe for SixtySeven {
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        let dealt = &turn.dealt.board;
        json!({
            "round": turn.dealt.round,
            "spawned": dealt.changes_since(&turn.before.board),
            "board": dealt,
            "legal": turn.legal,
            "move": turn.played.map(|(direction, _)| direction),
            "after": turn.played.map(|(_, after)| &after.board),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    /// Board, round and best number.
    fn view(&self, state: &State) -> BoardView {
        let cell = |tile: &Tile| {
            let wins = matches!(tile, Tile::Number(number) if self.wins(number));
            Cell::new(tile.to_string()).toned(wins.then_some(Tone::Goal))
        };
        let rows = state.board.in_rows();
        let best = best(&state.board, &self.target.into());
        let best = best.map_or("none".to_owned(), |number| number.to_string());
        BoardView::new(
            rows.map(|row| row.iter().map(cell).collect()).collect(),
            [("round", state.round.to_string()), ("best", best)],
        )
    }

    /// Where a move in this direction takes each tile.
    ///
    /// Each number is first replaced by a different one of about 10³⁰. The rules do not look at
    /// values, so the same operations collapse; sums, differences and products of two such numbers
    /// are near 2·10³⁰, 0 and 10⁶⁰, so every number that is still one of them has only slid. Tiles
    /// keep their order along a line: read from the edge moved towards, a number that has slid
    /// comes from the next tile, another one from the next number, what follows it, and the number
    /// behind that, and an operator from as many of its run as became one.
    fn slides(&self, before: &State, chosen: Direction, _after: &State) -> Vec<Slide> {
        let base = BigInt::from(10).pow(30);
        let mut tagged = before.board.clone();
        for (cell, tile) in before.board.tiles().iter().enumerate() {
            if matches!(tile, Tile::Number(_)) {
                tagged.put(cell, Tile::number(&base + BigInt::from(cell)));
            }
        }
        let tags = base.clone()..&base + BigInt::from(before.board.tiles().len());
        let after = tagged.moved(self.collapse, chosen);
        let mut slides = Vec::new();
        for line in after.lines(chosen) {
            let tiles = |board: &TileBoard| -> Vec<((usize, usize), Tile)> {
                line.places()
                    .map(|cell| (board.place(cell), board.tiles()[cell].clone()))
                    .filter(|(_, tile)| !tile.is_blank())
                    .collect()
            };
            let tiles_before = tiles(&tagged);
            let mut sources = tiles_before.as_slice();
            for (to, tile) in tiles(&after) {
                let count = match &tile {
                    Tile::Number(number) if !tags.contains(&*number.to_big()) => {
                        let operators = sources[1..]
                            .iter()
                            .take_while(|(_, tile)| matches!(tile, Tile::Operator(_)));
                        operators.count() + 2
                    }
                    Tile::Operator(_) => {
                        let next_to = |a: (usize, usize), b: (usize, usize)| {
                            a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1
                        };
                        let mut pairs = sources.windows(2);
                        let run = pairs.position(|pair| {
                            pair[1].1 != tile
                                || self.collapse.blanks_separate && !next_to(pair[0].0, pair[1].0)
                        });
                        let run = run.map_or(sources.len(), |place| place + 1);
                        match self.collapse.runs {
                            Runs::Stay => 1,
                            Runs::Halve => run.min(2),
                            Runs::One => run,
                        }
                    }
                    _ => 1,
                };
                let (group, rest) = sources.split_at(count);
                slides.extend(group.iter().map(|&(from, _)| Slide { from, to }));
                sources = rest;
            }
        }
        slides
    }

    fn how_to_play(&self) -> String {
        let operators = spoken(&self.operators, |operator| operator.symbol().to_string());
        let numbers = spoken(&self.numbers, i64::to_string);
        let numbers = if self.numbers.tiles().all(|number| (0..=9).contains(number)) {
            format!("digits ({numbers})")
        } else {
            format!("numbers ({numbers})")
        };
        let meet = if self.collapse.blanks_separate {
            "Before that, a number, an operator and a number on neighbouring cells of a line become one number: 6 + 7 becomes 13."
        } else {
            "A number, an operator and a number that come together in a line become one number: 6 + 7 becomes 13."
        };
        let runs = match self.collapse.runs {
            Runs::Stay => "",
            Runs::Halve => "Of equal operators in a row, half remain. ",
            Runs::One => "Of equal operators in a row, one remains. ",
        };
        let mut text = format!(
            "Make a tile of {exactly}{target}.\n\
             Each round up to {tiles} new tiles appear on blank cells: {numbers}, or operators ({operators}). Then you choose a direction, and \
             all tiles slide that way. {meet} {runs}Numbers are read from left to right and from top to bottom, whichever way the tiles \
             slide.\n\
             You win when a tile shows {target}, and lose when no direction changes the board.\n",
            exactly = if self.goal.is_none() { "exactly " } else { "" },
            target = self.goal_text(),
            tiles = self.tiles_per_turn,
        );
        if let Some(limit) = self.value_limit {
            text += &format!("You also lose when a number is below -{limit} or above {limit}.\n");
        }
        if let Some(rounds) = self.max_rounds {
            text += &format!("You also lose after {rounds} rounds.\n");
        }
        text
    }

    fn goal(&self) -> String {
        format!("make {}", self.goal_text())
    }

    fn why_over(&self, state: &State) -> String {
        let board = &state.board;
        if state
            .ended
            .is_some_and(|(result, _)| result == GameResult::Won)
        {
            format!("a tile shows {}", self.goal_text())
        } else if let Some(limit) = self.value_limit.filter(|&limit| board.exceeds(limit)) {
            format!("a number is beyond {limit}")
        } else if board.legal(self.collapse).next().is_none() {
            "no direction changes the board".to_owned()
        } else {
            format!("{} rounds were played", state.round)
        }
    }
}

/// Tiles with their chances where these differ.
fn spoken<T>(tiles: &Weighted<T>, name: impl Fn(&T) -> String) -> String {
    let of = |(tile, weight): &(T, u64)| {
        let share = 100.0 * *weight as f64 / tiles.total() as f64;
        if tiles.is_equal() {
            name(tile)
        } else {
            format!("{} {share:.0} %", name(tile))
        }
    };
    let separator = if tiles.is_equal() { " " } else { ", " };
    join(tiles.entries().iter().map(of), separator)
}

/// The number nearest to the target, the larger one of two equally near.
fn best(board: &TileBoard, target: &BigInt) -> Option<BigInt> {
    let numbers = board.tiles().iter().filter_map(|tile| match tile {
        Tile::Number(number) => Some(number.to_big().into_owned()),
        Tile::Blank | Tile::Operator(_) => None,
    });
    numbers.min_by_key(|number| ((number - target).magnitude().clone(), number < target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::boards::start_on;
    use crate::games::sixty_seven::PARAMS;
    use crate::params::{Params, Value as Param};

    /// Checks where the tiles of a line go: `columns` has the column of each tile after the move.
    fn check(rules: &str, line: &str, direction: Direction, columns: &[usize]) {
        let tiles: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut params = Params::parse(PARAMS, &format!("rules={rules} rows=1")).unwrap();
        params.set("cols", Param::Int(tiles.len() as i64));
        let game = SixtySeven::from_params(&params);
        let state = start_on(&game, &[tiles]).unwrap();
        let mut found = game.slides(&state, direction, &state);
        found.sort_by_key(|slide| slide.from);
        let found: Vec<usize> = found.iter().map(|slide| slide.to.1).collect();
        assert_eq!(found, columns, "{rules}: {line} {direction}");
    }

    #[test]
    fn each_tile_is_followed_to_its_cell() {
        use Direction::{Left, Right};
        check("original", "1 + 2 + 3", Left, &[0, 0, 0, 1, 2]);
        check("original", "1 + 2 + 3", Right, &[2, 3, 4, 4, 4]);
        check("original", "_ 7 _ 5 - 5", Left, &[0, 1, 1, 1]);
        check("original", "2 * 3 4 * 5", Left, &[0, 0, 0, 1, 1, 1]);
        check("original", "_ 7 7 _", Left, &[0, 1]);
        // The result is equal to a tile that was there before.
        check("original", "5 + 0 5", Left, &[0, 0, 0, 1]);
        check("gapless", "8 + _ 0", Left, &[0, 0, 0]);
        check("gapless", "+ + + 1", Left, &[0, 1, 2, 3]);
        check("merge-pairs", "+ + + 1 _", Left, &[0, 0, 1, 2]);
        check("merge-runs", "+ + - 1 _", Right, &[2, 2, 3, 4]);
        check("merge-runs", "1 + + 2 + +", Right, &[4, 4, 4, 4, 5, 5]);
        let kept = "original equal_operators=runs";
        check(kept, "+ + _ + _ 1", Left, &[0, 0, 1, 2]);
        check(kept, "1 + + 2 _ +", Right, &[4, 4, 4, 4, 5]);
    }

    #[test]
    fn best_is_nearest_to_the_target() {
        let rows = |text: &str| vec![text.split(' ').map(str::to_owned).collect::<Vec<_>>()];
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Param::Int(1));
        params.set("cols", Param::Int(4));
        let game = SixtySeven::from_params(&params);
        for (line, expected) in [
            ("66 + 68 9", "68"),
            ("_ + _ _", "none"),
            ("-66 70 _ 100", "70"),
        ] {
            let state = start_on(&game, &rows(line)).unwrap();
            assert_eq!(game.view(&state).facts[1].1, expected, "{line}");
        }
        assert!(
            start_on(&game, &rows("67 _ _ _"))
                .unwrap_err()
                .to_string()
                .contains("67 already")
        );
        assert!(
            start_on(&game, &rows("6 _ _"))
                .unwrap_err()
                .to_string()
                .contains("1 × 3")
        );
        assert!(
            start_on(&game, &rows("6 _ x _"))
                .unwrap_err()
                .to_string()
                .contains("column 3")
        );
    }
}
