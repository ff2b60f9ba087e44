//! Games and players by name, and those that a program adds.

use tilelab_games::catalog::{self, GameEntry, PlayerEntry, add_game, add_player, game, games};

/// Additions that would change what a name stands for are refused.
#[test]
fn names_that_are_taken_are_refused() {
    let game = *game("sixty-seven").unwrap();
    let player = game.players[0];
    for (refused, named) in [
        (add_game(game).unwrap_err(), "sixty-seven: there is a game"),
        (
            add_player("chess", player).unwrap_err(),
            "chess: there is no game",
        ),
        (
            add_player("sixty-seven", player).unwrap_err(),
            "random: sixty-seven has a player",
        ),
    ] {
        assert!(refused.contains(named), "{refused}");
    }
}

/// Players that several threads add at once are all there afterwards.
#[test]
fn players_added_at_once_are_all_kept() {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for name in ["round 1", "round 2", "round 3", "round 4"] {
        let game = add_game(GameEntry {
            name,
            aliases: &[],
            ..*catalog::game("zero-sum").unwrap()
        });
        let player = game.unwrap().players[0];
        let barrier = std::sync::Barrier::new(NAMES.len());
        std::thread::scope(|scope| {
            for added in NAMES {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    let player = PlayerEntry {
                        name: added,
                        ..player
                    };
                    add_player(name, player).unwrap();
                });
            }
        });
        let game = catalog::game(name).unwrap();
        for added in NAMES {
            assert!(game.player(added).is_some(), "{name}: {added}");
        }
    }
}

#[test]
fn every_name_and_alias_stands_for_one_game() {
    let names: Vec<&str> = games().flat_map(GameEntry::names).collect();
    for name in &names {
        assert_eq!(
            names.iter().filter(|other| *other == name).count(),
            1,
            "{name}"
        );
    }
    for (alias, name) in [
        ("67", "sixty-seven"),
        ("2048", "twenty-forty-eight"),
        ("multiplication", "zero-sum"),
    ] {
        assert_eq!(game(alias).map(|game| game.name), Some(name));
    }
}
