//! Every game with every player of the catalog: plays, ends, is repeatable, replays to the same
//! outcome, and reads its positions back. A game without a golden transcript fails.

use expect_test::expect_file;
use std::path::Path;
use tilelab::catalog::{GameEntry, PlayerEntry, PlayerSpec, Setup, games};
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::params::{Params, Value};
use tilelab::rng::CellSeeds;

/// A small variant of a game, so that thinking players are quick: settings in the order of the
/// game's table.
fn small(game: &GameEntry) -> Params {
    let mut params = Params::defaults(game.params);
    for (key, text) in [
        ("rows", "3"),
        ("cols", "3"),
        ("side", "8"),
        ("max_moves", "30"),
    ] {
        if let Some(spec) = game.params.iter().find(|spec| spec.name == key)
            && let Some(value) = spec.parse(text)
        {
            params.set(key, value);
        }
    }
    (game.complete)(&mut params).unwrap_or_else(|error| panic!("{}: {error}", game.name));
    params
}

fn job(
    game: &GameEntry,
    params: &Params,
    players: &[PlayerSpec],
    kernel: KernelChoice,
) -> Box<dyn Job> {
    let seeds = CellSeeds::new(1, "world", "player");
    game.build(&Setup {
        params,
        players,
        seeds,
        kernel,
    })
    .unwrap_or_else(|error| panic!("{}: {error}", game.name))
}

/// Plays a game of the job and reads every position back from what the game writes.
pub fn check_positions(game: &GameEntry, params: &Params, job: &dyn Job, index: u64) {
    let mut session = job.open(index, None).unwrap();
    loop {
        let position = session.position();
        let again = (game.read_back)(params, &position);
        assert_eq!(again.as_ref(), Ok(&position), "{}", game.name);
        if session.is_over() {
            return;
        }
        let chosen = session.choose();
        session.play(chosen);
    }
}

/// A player with those of these parameters that it has.
pub fn player_with(entry: &'static PlayerEntry, settings: &[(&str, i64)]) -> PlayerSpec {
    let mut spec = PlayerSpec::new(entry);
    for &(param, value) in settings {
        if entry.params.iter().any(|known| known.name == param) {
            spec.params.set(param, Value::Int(value));
        }
    }
    spec
}

/// Each player of the game at seat 0, against the game's first player where there are two seats. A
/// search looks two moves ahead, so that it is quick.
fn tables(game: &'static GameEntry) -> impl Iterator<Item = Vec<PlayerSpec>> {
    game.players.iter().map(|player| {
        let mut players = vec![PlayerSpec::new(&game.players[0]); game.seats];
        players[0] = player_with(player, &[("depth", 2), ("iterations", 20), ("playouts", 5)]);
        players
    })
}

#[test]
fn games_end_and_are_repeatable_whatever_the_batch() {
    for game in games() {
        let params = small(game);
        for players in tables(game) {
            let name = format!("{} with {}", game.name, players[0].label());
            let job = job(game, &params, &players, KernelChoice::Auto);
            let mut whole = Tally::new(job.measures());
            let mut parts = Tally::new(job.measures());
            job.play(0..4, &mut whole, None);
            for part in [2..4, 0..1, 1..2] {
                job.play(part, &mut parts, None);
            }
            assert_eq!(whole.games, 4, "{name}");
            assert_eq!(whole, parts, "{name}");
        }
    }
}

#[test]
fn replays_end_as_the_played_game_does() {
    for game in games() {
        let params = small(game);
        for players in tables(game) {
            let name = format!("{} with {}", game.name, players[0].label());
            let job = job(game, &params, &players, KernelChoice::Auto);
            for index in 0..3 {
                let mut tally = Tally::new(job.measures());
                job.play(index..index + 1, &mut tally, None);
                let mut lines = 0;
                let outcome = job.replay(index, &mut |_| lines += 1);
                let mut replayed = Tally::new(job.measures());
                replayed.add(&outcome);
                assert_eq!(replayed, tally, "{name}, game {index}");
                assert!(lines > 0, "{name}, game {index}: an empty transcript");
            }
        }
    }
}

#[test]
fn positions_come_back_from_their_text() {
    for game in games() {
        let params = small(game);
        for players in tables(game) {
            let kernel = if game.seats == 2 {
                KernelChoice::Auto
            } else {
                KernelChoice::Reference
            };
            let job = job(game, &params, &players, kernel);
            (0..2).for_each(|index| check_positions(game, &params, &*job, index));
        }
    }
}

/// The catalog's short way to a job plays the games of the lab's cell.
#[test]
fn a_job_of_the_catalog_plays_the_games_of_the_cell() {
    for settings in [
        "size=3x3 lanes=16",
        "size=3x3 method=splitting",
        "rules=gapless size=3x3",
    ] {
        let cell = tilelab::Cell::parse(&format!("67 {settings}")).unwrap();
        let entry = tilelab::catalog::game("67").unwrap();
        let job = entry.job(settings.split(' '), 67).unwrap();
        assert_eq!(job.sampling(), cell.sampling(), "{settings}");
        assert_eq!(job.measures(), entry.measures, "{settings}");
        let tally = tilelab::play_games(&*job, 0..320);
        assert_eq!(tally, cell.play(320, 67).unwrap(), "{settings}");
    }
    let entry = tilelab::catalog::game("67").unwrap();
    let wrong = entry.job(["size=0x3"], 67).err().unwrap().to_string();
    assert!(wrong.contains("rows") && wrong.contains('0'), "{wrong}");
}

/// tests/data/transcripts/GAME.jsonl holds game 0 of the small variant under the first player; set
/// UPDATE_EXPECT to write it anew.
#[test]
fn transcripts_are_golden() {
    // This file is also a module of the crate in tests/platforms.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|root| root.join("tests/data/transcripts"));
    let folder = folders
        .into_iter()
        .find(|folder| folder.is_dir())
        .expect("tests/data is above the crate");
    for game in games() {
        let params = small(game);
        let players = vec![PlayerSpec::new(&game.players[0]); game.seats];
        let mut transcript = String::new();
        job(game, &params, &players, KernelChoice::Reference)
            .replay(0, &mut |line| transcript.push_str(&format!("{line}\n")));
        expect_file![folder.join(format!("{}.jsonl", game.name))].assert_eq(&transcript);
    }
}

#[test]
fn names_and_parameters_are_distinct_and_documented() {
    for game in games() {
        let mut names: Vec<&str> = game.params.iter().map(|spec| spec.name).collect();
        names.extend(game.measures.iter().map(|measure| measure.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}: a name is used twice", game.name);
        assert!(
            games().filter(|other| other.name == game.name).count() == 1,
            "{} is there twice",
            game.name
        );
        let specs = game
            .params
            .iter()
            .chain(game.players.iter().flat_map(|player| player.params));
        for spec in specs {
            assert!(
                !spec.help.is_empty(),
                "{}: {} has no help",
                game.name,
                spec.name
            );
            if let Some(default) = spec.default_value().filter(|value| *value != Value::Unset) {
                assert_eq!(
                    spec.accept(&default),
                    Some(default.clone()),
                    "{}: {} = {default}",
                    game.name,
                    spec.name
                );
            }
        }
    }
}

/// What a player says about its moves agrees with its choices and changes none of them.
#[test]
fn values_belong_to_the_choices_and_change_none() {
    const MOVES: usize = 8;
    let says: Vec<(&str, &str)> = games()
        .flat_map(|game| tables(game).map(move |players| (game, players)))
        .filter_map(|(game, players)| {
            let name = format!("{} with {}", game.name, players[0].label());
            let kernel = if game.seats == 2 {
                KernelChoice::Auto
            } else {
                KernelChoice::Reference
            };
            let job = job(game, &small(game), &players, kernel);
            let [mut asked, mut silent] = [0, 1].map(|_| job.open(2, None).unwrap());
            let mut speaks = false;
            for _ in 0..MOVES {
                if asked.is_over() {
                    break;
                }
                let seat = asked.view().seat;
                let values = asked.evaluate();
                let chosen = asked.choose();
                assert_eq!(silent.choose(), chosen, "{name}");
                if let Some(values) = values.filter(|_| seat == 0) {
                    speaks = true;
                    assert_eq!(values.len(), asked.view().legal.len(), "{name}");
                    assert!(
                        values.iter().flatten().all(|value| value.is_finite()),
                        "{name}: {values:?}"
                    );
                    // planner says what its first step finds, and later steps may decide
                    // otherwise; mcts takes the most visited move.
                    if !["planner", "mcts"].contains(&players[0].entry.name) {
                        let most = values.iter().flatten().copied().fold(f64::MIN, f64::max);
                        assert_eq!(values[chosen], Some(most), "{name}: {chosen} of {values:?}");
                    }
                }
                asked.play(chosen);
                silent.play(chosen);
            }
            assert_eq!(asked.position(), silent.position(), "{name}");
            speaks.then_some((game.name, players[0].entry.name))
        })
        .collect();
    for speaker in [
        ("sixty-seven", "greedy"),
        ("sixty-seven", "monte-carlo"),
        ("sixty-seven", "expectimax"),
        ("sixty-seven", "planner"),
        ("twenty-forty-eight", "expectimax"),
        ("offset", "alpha-beta"),
        ("zero-sum", "minimax"),
        ("zero-sum", "monte-carlo"),
    ] {
        assert!(
            says.contains(&speaker),
            "{speaker:?} says nothing; these do: {says:?}"
        );
    }
}
