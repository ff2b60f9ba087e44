//! The games, one file or folder each, with 67! and what several games share from the core.

pub mod calculator;
pub mod offset;
pub mod twenty_forty_eight;
pub mod zero_sum;

pub use tilelab_core::games::*;

#[cfg(test)]
mod tests {
    use super::calculator::Calculator;
    use super::offset::Offset;
    use super::sixty_seven::SixtySeven;
    use super::twenty_forty_eight::TwentyFortyEight;
    use super::zero_sum::ZeroSum;
    use crate::game::Turns;
    use crate::game::boards::start_on;
    use crate::players::random::Random;
    use crate::rng::{CellSeeds, Draw};
    use crate::{GameEntry, Params, PlayableGame, play_games, simulate};
    use std::fmt::Debug;

    fn game<G: PlayableGame>(settings: &[&str]) -> G {
        let entry = GameEntry::of::<G>(&[]);
        let mut params = Params::from_settings(entry.params, settings).unwrap();
        (entry.complete)(&mut params).unwrap();
        G::build(&params)
    }

    fn check_state<G: PlayableGame<State: PartialEq + Debug>>(game: &G, state: &G::State) {
        let position = game.position(state);
        assert_eq!(game.parse(&position).as_ref(), Ok(state), "{position}");
    }

    /// Plays games at random and reads each state back: before and after each deal and each move.
    fn check<G: PlayableGame<State: PartialEq + Debug>>(settings: &[&str]) {
        let game: G = game(settings);
        let seeds = CellSeeds::of(67);
        for index in 0..20 {
            let game = game.numbered(index).unwrap_or_else(|| game.clone());
            let mut stream = seeds.player_stream(index);
            let mut turns = Turns::undealt(&game, seeds.world_stream(index));
            while turns.outcome().is_none() {
                check_state(&game, turns.state());
                turns.deal(&game);
                check_state(&game, turns.state());
                let legal = turns.legal(&game);
                if !legal.is_empty() {
                    let word = Draw::next(&mut stream).below(legal.len() as u64);
                    turns.make(&game, legal[word as usize]);
                }
            }
            check_state(&game, turns.state());
        }
    }

    #[test]
    fn a_parsed_position_is_equal_to_its_state() {
        check::<SixtySeven>(&["rows=4", "cols=4"]);
        check::<SixtySeven>(&["rows=4", "cols=4", "max_rounds=5", "value_limit=20"]);
        // New tiles show the target, or are beyond the limit.
        check::<SixtySeven>(&["rows=3", "cols=4", "target=7"]);
        check::<SixtySeven>(&["rows=4", "cols=4", "value_limit=7", "max_rounds=9"]);
        check::<SixtySeven>(&["rows=4", "cols=4", "method=counted"]);
        check::<TwentyFortyEight>(&["rows=3", "cols=3"]);
        check::<TwentyFortyEight>(&["max_moves=7"]);
        check::<TwentyFortyEight>(&["rows=1", "cols=2", "start=3,3"]);
        check::<Calculator>(&["level=150"]);
        check::<Offset>(&["side=8", "opening=3"]);
        check::<ZeroSum>(&["opening=2"]);
    }

    /// Games that begin on a board, also where they are over at once.
    #[test]
    fn positions_of_given_boards_are_equal_to_their_states() {
        let small: SixtySeven = game(&["rows=1", "cols=2", "value_limit=100"]);
        for tiles in [["1", "_"], ["1", "+"], ["101", "_"]] {
            let rows = [tiles.map(str::to_owned).to_vec()];
            check_state(&small, &start_on(&small, &rows).unwrap());
        }
        let small: TwentyFortyEight = game(&["rows=1", "cols=2"]);
        for tiles in [["2", "_"], ["2", "4"]] {
            let rows = [tiles.map(str::to_owned).to_vec()];
            check_state(&small, &start_on(&small, &rows).unwrap());
        }
    }

    /// The last games that have an index, in every kind of batches.
    #[test]
    fn the_last_games_are_played() {
        for (game, settings, count) in [
            ("sixty-seven", &["size=4x4"][..], 100),
            ("sixty-seven", &["size=4x4", "lanes=16"], 1600),
            ("sixty-seven", &["size=3x3", "method=splitting"], 100),
            ("twenty-forty-eight", &["max_moves=5"], 100),
            ("twenty-forty-eight", &["size=3x3", "max_moves=5"], 300),
            ("calculator", &["level=55"], 300),
            ("offset", &[], 100),
            ("zero-sum", &[], 300),
        ] {
            let job = crate::game(game).unwrap().job(settings, 67).unwrap();
            let last = u64::MAX - u64::MAX % job.sampling().lanes();
            let games = last - count..last;
            assert_eq!(play_games(&*job, games).games, count, "{game} {settings:?}");
        }
        let game = crate::SixtySeven::new(3, 3);
        let tally = simulate(&game, || Random, 67, u64::MAX - 100..u64::MAX);
        assert_eq!(tally.games, 100);
    }
}
