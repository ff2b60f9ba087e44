//! Every two-player game with every pair of its players: ends, repeats, replays, round-trips, and
//! equals the plain engine.

use crate::conformance::{check_positions, player_with};
use tilelab::Cell;
use tilelab::catalog::{self, GameEntry, PlayerSpec, Setup};
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::json::Json;
use tilelab::params::{Params, Value};
use tilelab::rng::CellSeeds;

/// The two-player games on small boards, so that plain engines and deep searches end soon.
fn small_games() -> Vec<(&'static GameEntry, Params)> {
    let mut games = Vec::new();
    for game in catalog::games().filter(|game| game.seats == 2) {
        let mut params = Params::defaults(game.params);
        if game.name == "offset" {
            params.set("side", Value::Int(7));
            params.set("d", Value::Int(5));
            for pairs in ["drawn", "all", "each"] {
                let mut params = params.clone();
                params.set("pairs", Value::Text(pairs.into()));
                games.push((game, params));
            }
        } else {
            games.push((game, params));
        }
    }
    assert_eq!(games.len(), 4);
    games
}

/// The player with small parameters.
fn small_player(game: &GameEntry, name: &str) -> PlayerSpec {
    player_with(
        game.player(name).unwrap(),
        &[
            ("depth", 2),
            ("width", 6),
            ("playouts", 2),
            ("iterations", 8),
        ],
    )
}

fn job(game: &GameEntry, params: &Params, names: [&str; 2], kernel: KernelChoice) -> Box<dyn Job> {
    let players = names.map(|name| small_player(game, name));
    let seeds = CellSeeds::new(67, "conformance", "conformance");
    game.build(&Setup {
        params,
        players: &players,
        seeds,
        kernel,
    })
    .unwrap()
}

fn play(job: &dyn Job, games: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::new(job.measures());
    job.play(games, &mut tally, None);
    tally
}

/// All pairs of players of all games.
fn for_all(mut check: impl FnMut(&GameEntry, &Params, [&str; 2])) {
    for (game, params) in small_games() {
        for first in game.players {
            for second in game.players {
                check(game, &params, [first.name, second.name]);
            }
        }
    }
}

#[test]
fn games_end_and_batches_do_not_matter() {
    for_all(|game, params, names| {
        let job = job(game, params, names, KernelChoice::Auto);
        let whole = play(&*job, 0..6);
        assert_eq!(whole.games, 6);
        let mut parts = play(&*job, 4..6);
        parts.merge(&play(&*job, 0..1));
        parts.merge(&play(&*job, 1..4));
        assert_eq!(whole, parts, "{}: {names:?}", game.name);
    });
}

#[test]
fn the_plain_engine_plays_the_same_games() {
    for_all(|game, params, names| {
        let fast = play(&*job(game, params, names, KernelChoice::Auto), 0..2);
        let plain = job(game, params, names, KernelChoice::Reference);
        assert_eq!(plain.kernel(), "reference");
        assert_eq!(fast, play(&*plain, 0..2), "{}: {names:?}", game.name);
    });
}

#[test]
fn games_replay_to_their_outcome_and_positions_come_back() {
    for_all(|game, params, names| {
        let job = job(game, params, names, KernelChoice::Auto);
        let mut lines = Vec::new();
        let outcome = job.replay(3, &mut |line| lines.push(line));
        let mut single = Tally::new(job.measures());
        single.add(&outcome);
        assert_eq!(single, play(&*job, 3..4), "{}: {names:?}", game.name);
        assert_eq!(lines.len() as u64, outcome.moves);
        assert!(
            lines[..lines.len() - 1]
                .iter()
                .all(|line| line["outcome"] == Json::Null)
        );
        assert_eq!(lines.last().unwrap()["outcome"], outcome.result.name());
        check_positions(game, params, &*job, 3);
    });
}

#[test]
fn budgets_are_refused_outside_matches() {
    for game in catalog::games().filter(|game| game.seats == 2) {
        let text = format!(
            "{} player=random opponent=alpha-beta(budget_ms=50)",
            game.name
        );
        let error = Cell::parse(&text).expect_err("a time budget is refused");
        let message = error.to_string();
        assert!(
            message.contains("opponent.budget_ms") && message.contains("leave it out"),
            "{message}"
        );
    }
}
