//! Experiments that change: which tables they have, with how many games.

use super::{below, is_one_in};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex};
use tilelab_games::rng::Stream;
use tilelab_lab::plan::{Overrides, Plan};
use tilelab_lab::runner::state::RunState;

/// Numbers of games that cells are asked for; rules look after 1,024.
const GAMES: [u64; 4] = [3, 40, 300, 1_040];

/// Plans by what they are made of: making one takes longer than most operations.
struct Plans<K>(LazyLock<Mutex<HashMap<K, Arc<Plan>>>>);

impl<K: Hash + Eq> Plans<K> {
    const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    fn get(
        &self,
        key: K,
        make: impl FnOnce() -> Result<Plan, String>,
    ) -> Result<Arc<Plan>, String> {
        if let Some(plan) = self.0.lock().expect("no plan panics").get(&key) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(make()?);
        let mut plans = self.0.lock().expect("no plan panics");
        Ok(Arc::clone(plans.entry(key).or_insert(plan)))
    }
}

/// The text of the tables with these titles and numbers of games; none where there is no number.
fn text(with_rows: bool, tables: [Option<(&str, u64)>; 3]) -> String {
    let mut text = "name = \"sim\"\nseed = 67\n".to_owned();
    if with_rows {
        text += "per_game = \"csv\"\n";
    }
    let cells = [
        "size = [\"1x2\", \"2x2\"]",
        "size = [\"2x2\", \"1x3\"]",
        "size = \"1x2\"\noperators = \"+\"",
    ];
    for (number, table) in tables.iter().enumerate() {
        let Some((title, games)) = table else {
            continue;
        };
        let games = match number {
            2 => format!("stop = {{ half_width = 0.01, max_games = {games} }}"),
            _ => format!("games = {games}"),
        };
        let cells = cells[number];
        text += &format!("[[table]]\ntitle = \"{title}\"\ngame = \"67\"\n{cells}\n{games}\n");
    }
    text
}

/// An experiment with some of its tables, and the plan for it; now and then with other games for
/// all cells or some of them.
pub fn experiment(draw: &mut Stream, with_rows: bool) -> (String, Arc<Plan>) {
    static PLANS: Plans<(String, Option<u64>, Vec<String>)> = Plans::new();
    let mut tables = ["a", "b", "c"].map(|title| {
        let title = if is_one_in(draw, 8) { "renamed" } else { title };
        let games = GAMES[below(draw, GAMES.len())];
        (!is_one_in(draw, 3)).then_some((title, games))
    });
    if tables.iter().all(Option::is_none) {
        tables[1] = Some(("b", GAMES[0]));
    }
    // Two tables cannot have one title.
    let mut seen = Vec::new();
    for table in tables.iter_mut().flatten() {
        if seen.contains(&table.0) {
            table.0 = "again";
        }
        if seen.contains(&table.0) {
            table.0 = "once more";
        }
        seen.push(table.0);
    }
    let text = text(with_rows, tables);
    let games = is_one_in(draw, 4).then(|| GAMES[below(draw, GAMES.len())]);
    let part = match games {
        Some(_) if is_one_in(draw, 2) => vec!["size=2x2".to_owned()],
        _ => Vec::new(),
    };
    let overrides = Overrides {
        games,
        part: part.clone(),
        ..Overrides::default()
    };
    let make = |overrides: Overrides| Plan::of_text(&text, overrides);
    let key = (text.clone(), games, part.clone());
    // A part that no cell is of is refused.
    let plan = PLANS.get(key, || {
        make(overrides).or_else(|_| make(Overrides::default()))
    });
    let described = format!("{text}games {games:?} of {part:?}");
    (described, plan.expect("the experiment is right"))
}

/// The experiment with all of its cells and all of their games.
pub fn whole_experiment(with_rows: bool) -> Arc<Plan> {
    static PLANS: Plans<bool> = Plans::new();
    let most = GAMES[GAMES.len() - 1];
    let tables = ["a", "b", "c"].map(|title| Some((title, most)));
    let plan = PLANS.get(with_rows, || {
        Plan::of_text(&text(with_rows, tables), Overrides::default())
    });
    plan.expect("the experiment is right")
}

/// The plan of a state.
pub fn plan_of(state: &RunState) -> Result<Arc<Plan>, String> {
    static PLANS: Plans<String> = Plans::new();
    let source = format!("{:?}", state.source);
    PLANS.get(source, || state.plan())
}
