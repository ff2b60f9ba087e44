//! One turn of Pig with the whole command line: a die is rolled as often as the player likes; a 1
//! loses, stopping at the goal wins.
//! `cargo run --release --example own_game -- run --game pig --set goal=10,20,30 --games 1e6`

use tilelab::{Describe, Game, GameEntry, Outcome, ParamSpec, Params, PlayableGame, Stream};

#[derive(Clone)]
struct Pig(u64);

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Turn {
    points: u64,
    rolls: u64,
    over: bool,
}

const PARAMS: &[ParamSpec] = &[ParamSpec::int("goal", 1..=1000, Some(20)).main("points to win")];

impl Game for Pig {
    type State = Turn;
    type Move = &'static str;
    const MOVES: &[&str] = &["roll", "stop"];
    const EVENTS: u64 = 6;
    const LEVEL: Option<tilelab::Level<Self>> = Some(|_, t| t.points);

    fn start(&self, _: &mut Stream) -> Turn {
        Turn::default()
    }

    fn event(&self, t: &mut Turn, index: u64) {
        t.rolls += 1;
        t.over = index == 0;
        t.points = if t.over { 0 } else { t.points + index + 1 };
    }

    fn play(&self, t: &mut Turn, chosen: &'static str) {
        t.over = chosen == "stop";
    }

    fn outcome(&self, t: &Turn) -> Option<Outcome> {
        t.over.then(|| Outcome::new(t.points >= self.0, t.rolls))
    }
}

impl Describe for Pig {}

impl PlayableGame for Pig {
    const ENTRY: GameEntry = GameEntry::new("pig", "roll a die; a 1 loses", PARAMS);

    fn build(params: &Params) -> Self {
        Self(params.count("goal"))
    }
}

fn main() -> std::process::ExitCode {
    tilelab::program_with::<Pig>()
}
