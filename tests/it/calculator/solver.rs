//! The solver on the 199 levels, against the listed solutions and against plain enumeration; and on
//! wide and deep levels.

use crate::effort::times;
use std::collections::BTreeSet;
use std::time::Instant;
use tilelab::games::calculator::level::State;
use tilelab::games::calculator::solver::{
    STATES_MAX, TooLarge, all, all_within, shortest, shortest_from,
};
use tilelab::games::calculator::{Button, Level, Press};
use tilelab::levels::{Listed, built_in};

/// A listed label as the button reads: the public list writes one exponent as markup.
fn label(listed: &str) -> String {
    listed.replace("<sup>", "^").replace("</sup>", "")
}

#[test]
fn every_level_is_solved_and_every_solution_holds() {
    for Listed { level, .. } in built_in() {
        let one = shortest(&level)
            .unwrap()
            .solution
            .unwrap_or_else(|| panic!("level {} has a solution", level.number));
        level.check_solution(&one).unwrap();
        let every = all(&level).unwrap();
        let list = every.list();
        assert_eq!(list.len() as u128, every.count, "level {}", level.number);
        let different: BTreeSet<&Vec<String>> = list.iter().collect();
        assert_eq!(
            different.len(),
            list.len(),
            "level {}: nothing twice",
            level.number
        );
        assert!(different.contains(&one), "level {}", level.number);
        let moves = |labels: &[String]| labels.iter().filter(|label| *label != "Store").count();
        assert_eq!(
            moves(&one),
            moves(&list[0]),
            "level {}: fewest moves first",
            level.number
        );
        assert!(list.is_sorted_by_key(|labels| moves(labels)));
        for solution in &list {
            level
                .check_solution(solution)
                .unwrap_or_else(|why| panic!("level {}: {solution:?}: {why}", level.number));
        }
    }
}

#[test]
fn the_listed_solutions_are_found_and_no_others() {
    for Listed { level, solutions } in built_in() {
        if solutions.is_empty() {
            continue;
        }
        let listed: BTreeSet<Vec<String>> = solutions
            .iter()
            .map(|labels| labels.iter().map(|text| label(text)).collect())
            .collect();
        let found: BTreeSet<Vec<String>> = all(&level).unwrap().list().into_iter().collect();
        assert_eq!(
            listed.difference(&found).next(),
            None,
            "level {}",
            level.number
        );
        // The public list drops Inv10, Store, Inv10 as a double Inv10, although it stores a number
        // on the way.
        let stores_between = |labels: &Vec<String>| {
            labels
                .windows(3)
                .any(|run| run == ["Inv10", "Store", "Inv10"])
        };
        let more: Vec<&Vec<String>> = found.difference(&listed).collect();
        assert!(
            more.iter().all(|labels| stores_between(labels)),
            "level {}: {more:?}",
            level.number
        );
        assert_eq!(
            more.len(),
            if level.number == 174 { 4 } else { 0 },
            "level {}",
            level.number
        );
    }
}

/// All ways to press at most the level's moves, one by one, without merging anything.
fn enumerate(
    level: &Level,
    state: &State,
    spent: u32,
    labels: &mut Vec<String>,
    found: &mut BTreeSet<Vec<String>>,
) {
    if state.value == level.goal {
        found.insert(labels.clone());
        return;
    }
    for press in level.presses() {
        let cost = level.cost(press);
        let Ok(after) = level.press(state, press) else {
            continue;
        };
        if spent + cost > level.moves || after == *state {
            continue;
        }
        labels.push(level.label(state, press));
        enumerate(level, &after, spent + cost, labels, found);
        labels.pop();
    }
}

/// What the solver leaves out, told on a finished list of labels.
fn wasteful(level: &Level, labels: &[String]) -> bool {
    let mut state = level.start_state();
    let mut waiting = None;
    for (place, label) in labels.iter().enumerate() {
        if place > 0 && label == "Inv10" && labels[place - 1] == "Inv10" {
            return true;
        }
        if waiting.as_ref() == Some(label) {
            waiting = None;
        } else if label == "Store" {
            if waiting.is_some() {
                return true;
            }
            waiting = Some(state.value.to_string());
        }
        state = level
            .press(&state, level.find(&state, label).unwrap())
            .unwrap();
    }
    waiting.is_some()
}

fn check_against_enumeration(level: &Level) {
    let mut found = BTreeSet::new();
    enumerate(level, &level.start_state(), 0, &mut Vec::new(), &mut found);
    found.retain(|labels| !wasteful(level, labels));
    let solved = all(level).unwrap();
    assert_eq!(
        solved.list().into_iter().collect::<BTreeSet<_>>(),
        found,
        "{level:?}"
    );
    assert_eq!(solved.count, found.len() as u128);
    let fewest = found
        .iter()
        .map(|labels| labels.iter().filter(|label| *label != "Store").count())
        .min();
    let one = shortest(level)
        .unwrap()
        .solution
        .map(|labels| labels.iter().filter(|label| *label != "Store").count());
    assert_eq!(one, fewest, "{level:?}");
}

#[test]
fn all_equals_plain_enumeration() {
    let levels = built_in();
    let wanted = [
        2, 6, 12, 24, 30, 35, 44, 52, 70, 78, 88, 101, 106, 111, 124, 128, 133, 135, 138, 142, 145,
        149, 152, 155, 162, 174, 175, 178, 183, 184, 188, 192, 193, 194, 195, 196, 197, 198, 199,
    ];
    for number in wanted {
        check_against_enumeration(&levels[number - 1].level);
    }
}

fn level(start: i64, goal: i64, moves: i64, buttons: &str, portal: Option<&str>) -> Level {
    let labels: Vec<&str> = buttons.split(' ').collect();
    Level::new(
        1,
        [start, goal, moves],
        &labels,
        portal.map(tilelab::games::calculator::Portal::parse),
    )
    .unwrap()
}

/// Where buttons that remember things meet each other, which no level of the game shows.
#[test]
fn made_up_levels_equal_plain_enumeration() {
    for (start, goal, moves, buttons, portal) in [
        (12, 1298, 3, "Inv10 Store", None),
        (12, 14, 4, "Store [+]1 1 +1", None),
        (1, 112, 5, "Store [+]1 [+]2 1 x-2 +/-", None),
        (5, 55, 4, "5 Store << SUM", None),
        (0, -77, 5, "-7 Store 7 x-1", None),
        (3, 31, 5, "Store Inv10 Mirror /3 [+]2", Some("-3,-1")),
        (0, 0, 3, "+1 Store", None),
        (7, 8, 4, "Reverse Inv10 Store", None),
        (99, 100, 5, "[+]3 /1 x0 x-2 00 Store", Some("-4,-2")),
    ] {
        check_against_enumeration(&level(start, goal, moves, buttons, portal));
    }
}

#[test]
fn presses_keep_values_on_the_display() {
    for Listed { level, .. } in built_in() {
        for value in [
            -999_999, -100_001, -1, 0, 1, 9, 10, 99_999, 100_000, 999_999,
        ] {
            let state = State {
                value,
                stored: Some(907),
                added: 3,
            };
            for press in level.presses() {
                if let Ok(after) = level.press(&state, press) {
                    assert!((-999_999..=999_999).contains(&after.value));
                    assert!(after.stored.is_some_and(|stored| stored <= 999_999));
                }
                if let Press::Button(place) = press {
                    assert_eq!(
                        Button::parse(&level.buttons[usize::from(place)].to_string()),
                        Ok(level.buttons[usize::from(place)])
                    );
                }
            }
        }
    }
}

/// Start, goal, buttons, portal, and whether it can be solved where that can be told by hand.
type Wide = (i64, i64, &'static str, Option<&'static str>, Option<bool>);

/// Levels of eight buttons and twelve moves. The last seven take nine tenths of the time.
const WIDE: [Wide; 15] = [
    (2, 99_991, "+2 x4 -6 /2 x10 x6 [+]2 Store", None, None),
    (0, 123_457, "+2 x4 -6 8 x10 20 -40 x^2", None, Some(false)),
    (
        1,
        654_321,
        "+1 x2 3 Reverse Mirror Shift> Inv10 <<",
        None,
        None,
    ),
    (0, 500_001, "2 4 6 8 Reverse <Shift Inv10 +/-", None, None),
    (11, 777_777, "[+]1 [+]3 +2 x5 -7 9 /2 +/-", None, None),
    (1, 2, "x3 x9 x27 Store 3=>3 /3 x^2 x81", None, Some(false)),
    (
        -17,
        400_009,
        "Store 17 <Shift SUM +31 -13 Mirror 1=>0",
        None,
        None,
    ),
    (
        100,
        808_017,
        "Store [+]1 [+]2 [+]5 +1 3 Inv10 x2",
        None,
        None,
    ),
    (11, -777_771, "[+]2 +2 x5 -7 9 /3 Reverse Inv10", None, None),
    (
        7,
        -271_828,
        "+3 x7 -5 Reverse Inv10 Shift> +/- Store",
        None,
        None,
    ),
    (
        5,
        87_651,
        "+6 x3 4 Mirror Reverse Store [+]2 <<",
        Some("-6,-2"),
        None,
    ),
    (
        7,
        314_159,
        "+3 x7 -5 Reverse Inv10 Shift> 7 Store",
        None,
        None,
    ),
    // Every button keeps multiples of 9, so the whole reach has to be searched.
    (
        9,
        100_001,
        "+9 x2 Reverse SUM Shift> -18 Mirror Store",
        None,
        Some(false),
    ),
    (
        5,
        98_765,
        "+6 x3 4 Mirror Reverse Store Inv10 /2",
        Some("-6,-1"),
        None,
    ),
    (2, 999_983, "+4 x3 [+]1 -9 Reverse SUM 8 Store", None, None),
];

#[test]
fn wide_and_deep_levels_are_solved_or_refuted() {
    for (start, goal, buttons, portal, solvable) in WIDE.into_iter().take(times(8) as usize) {
        let level = level(start, goal, 12, buttons, portal);
        let began = Instant::now();
        let found = shortest(&level).unwrap();
        eprintln!(
            "{:>9.1} ms {:>9} states {start} → {goal} by {buttons}: {:?}",
            began.elapsed().as_secs_f64() * 1e3,
            found.states,
            found.solution
        );
        if let Some(solution) = &found.solution {
            level.check_solution(solution).unwrap();
        }
        // About 30 bytes a state: far below a gigabyte.
        assert!(
            found.states < 10_000_000,
            "{buttons}: {} states",
            found.states
        );
        assert!(solvable.is_none_or(|solvable| solvable == found.solution.is_some()));
    }
}

/// A search of 28 moves took 8.7 GB. It stops at a stated number of states.
#[test]
fn a_search_stops_at_its_bound_of_states() {
    let level = Level::new(1, [1, 999_983, 28], &["+1", "x2", "Reverse", "Store"], None).unwrap();
    let bound = TooLarge { states_max: 10_000 };
    let found = shortest_from(&level, level.start_state(), level.moves, 10_000);
    assert_eq!(found.unwrap_err(), bound);
    assert_eq!(all_within(&level, 10_000).err(), Some(bound));
    assert!(bound.to_string().contains("bound of 10000 states"));
    // No level of the game comes near the bound that holds when none is given.
    assert!(
        built_in()
            .iter()
            .all(|listed| all(&listed.level).unwrap().states * 10 < STATES_MAX as u64)
    );
}
