//! Positions as text and boards as arrays, of every game that has them.

use std::fmt::Debug;
use tilelab_games::game::advice::Advice;
use tilelab_games::game::boards::{Boards, start_on};
use tilelab_games::game::stepping::{End, kind};
use tilelab_games::game::{KernelChoice, Turns};
use tilelab_games::players::random::Random;
use tilelab_games::rng::{CellSeeds, Draw};
use tilelab_games::{
    Calculator, GameEntry, Offset, Params, PlayableGame, PlayerSpec, Setup, SixtySeven,
    TwentyFortyEight, ZeroSum, catalog, play_games, simulate,
};

/// The parameters of a game with these settings, and its entry of the catalog.
fn params<G: PlayableGame>(settings: &[&str]) -> (&'static GameEntry, Params) {
    let entry = catalog::game(G::ENTRY.name).unwrap();
    let mut params = Params::from_settings(entry.params, settings).unwrap();
    (entry.complete)(&mut params).unwrap();
    (entry, params)
}

fn game<G: PlayableGame>(settings: &[&str]) -> G {
    G::build(&params::<G>(settings).1)
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
        let job = catalog::game(game).unwrap().job(settings, 67).unwrap();
        let last = u64::MAX - u64::MAX % job.sampling().lanes();
        let games = last - count..last;
        assert_eq!(play_games(&*job, games).games, count, "{game} {settings:?}");
    }
    let game = SixtySeven::new(3, 3);
    let tally = simulate(&game, || Random, 67, u64::MAX - 100..u64::MAX);
    assert_eq!(tally.games, 100);
}

/// A number beyond the limit has lost the game, whoever looks at the board.
#[test]
fn boards_beyond_the_limit_are_over() {
    let (entry, params) = params::<SixtySeven>(&["rows=2", "cols=1", "value_limit=1000"]);
    let setup = Setup {
        params: &params,
        players: &[PlayerSpec::new(&entry.players[0])],
        seeds: CellSeeds::of(1),
        kernel: KernelChoice::Reference,
    };
    for (number, chosen, ended) in [
        (67.0, 0, Some(End::Won)),
        (-1000.0, 1, None),
        (1001.0, 0, Some(End::Exceeded)),
        (-1001.0, 0, Some(End::Exceeded)),
    ] {
        let boards = Boards {
            shape: (2, 1),
            kinds: &[kind::NUMBER, kind::BLANK],
            numbers: &[number, 0.0],
        };
        let mut found = Vec::new();
        let mut advisor = entry.build(&setup).unwrap().advisor().unwrap();
        let mut keep = |_, advice: Advice| found.push(advice.chosen);
        advisor.advise(boards, 0..1, false, &mut keep).unwrap();
        assert_eq!(found, [chosen], "{number}");
        if ended != Some(End::Won) {
            let mut table = entry.table(&setup, 1).unwrap();
            let rows = [vec![number.to_string()], vec!["_".to_owned()]];
            let (_, end) = table.pose(0, 0, &rows).unwrap();
            assert_eq!(end, ended, "{number}");
        }
    }
}
