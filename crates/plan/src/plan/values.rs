//! What the keys and values of a table say about its cells.

use super::table::{Assignment, Choice, Planner, is_same, no_lanes};
use crate::experiment::{Literal, Located, Setting, VALUES_MAX};
use crate::external::{self, COMMAND};
use crate::keys::TABLE;
use crate::matches::{Match, OUTCOME, measures_of};
use crate::weights;
use std::path::Path;
use tilelab_core::catalog::{self, GameEntry, LANES, PlayerSpec, WEIGHTS};
use tilelab_core::game::splitting::{METHOD, NEEDS_LEVELS};
use tilelab_core::params::{Kind, OWN_RULES, ParamSpec, Value, suggestion};
use tilelab_core::tally::meetings;

/// The key that lists the players of a match.
pub(super) const MATCH: &str = "match";
/// The key that says what decides its meetings.
pub(super) const MEASURE: &str = "measure";
/// The key that gives every two players of a match a cell of their own.
pub const SEPARATE: &str = "separate";

impl Planner<'_> {
    /// The game of the table.
    pub(super) fn game(&mut self) -> Option<&'static GameEntry> {
        let Some(setting) = self
            .table
            .settings
            .iter()
            .find(|setting| setting.key == "game")
        else {
            let names: Vec<&str> = catalog::games().map(|game| game.name).collect();
            self.problem(
                self.table.line,
                format!("game: missing; accepted: {}", names.join(", ")),
            );
            return None;
        };
        match setting.values.as_slice() {
            _ if self.table.is_refused("game") => None,
            [
                Located {
                    value: Literal::Text(name),
                    line,
                },
            ] => {
                let game = catalog::game(name);
                if game.is_none() {
                    let names: Vec<&str> = catalog::games().map(|game| game.name).collect();
                    let names = names.into_iter();
                    self.problem(
                        *line,
                        format!("game = {name:?}: {}", unknown(name, "game", names)),
                    );
                }
                game
            }
            [Located { value, line }] => {
                self.problem(
                    *line,
                    format!("game = {value}: not accepted; write the name of a game in quotes"),
                );
                None
            }
            _ => {
                self.problem(
                    setting.line,
                    "game: a table has one game; write a [[table]] for each".to_owned(),
                );
                None
            }
        }
    }

    /// The choices of a key.
    pub(super) fn choices(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        match setting.key.as_str() {
            MATCH => return self.players_of_match(game, setting),
            MEASURE => return self.measures(game, setting),
            _ => {}
        }
        let seat = match setting.key.as_str() {
            "player" => Some(0),
            "opponent" if game.seats == 2 => Some(1),
            _ => None,
        };
        let mut choices = Vec::new();
        let values = setting.values.iter().flat_map(|value| match seat {
            Some(_) => vec![value.clone()],
            None => weights(value),
        });
        for value in &values.collect::<Vec<_>>() {
            if let Some(seat) = seat {
                let specs = self.players(game, &setting.key, value);
                choices.extend(
                    specs
                        .into_iter()
                        .map(|spec| vec![Assignment::Player(seat, spec)]),
                );
            } else if let Some(values) = self.params(game, &setting.key, value) {
                choices.push(vec![Assignment::Params(values)]);
            }
        }
        choices
    }

    /// The players of a match: all in one cell, or every two of them where cells are separate.
    fn players_of_match(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        let mut players = Vec::new();
        for value in &setting.values {
            players.extend(self.players(game, MATCH, value));
        }
        if players.len() < 2 {
            return Vec::new();
        }
        let is_twice = |at: &usize| players[..*at].iter().any(|one| is_same(one, &players[*at]));
        // Two may be the same player, which then meets itself.
        if let Some(at) = (1..players.len())
            .find(is_twice)
            .filter(|_| players.len() > 2)
        {
            let message = format!(
                "{MATCH}: {} is named twice; name each player once",
                players[at].label()
            );
            self.problem(setting.line, message);
        }
        if !self.is_separate() {
            return vec![vec![Assignment::Players(players)]];
        }
        let pair = |pair: [usize; 2]| {
            vec![Assignment::Players(
                pair.map(|at| players[at].clone()).to_vec(),
            )]
        };
        meetings(players.len()).map(pair).collect()
    }

    /// What decides the meetings of a match.
    fn measures(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        let mut choices = Vec::new();
        for value in &setting.values {
            let name = match &value.value {
                Literal::Text(name) => name.as_str(),
                _ => "",
            };
            match Match::named(game, name) {
                Some(decided) => choices.push(vec![Assignment::Match(decided)]),
                None => {
                    let known = measures_of(game);
                    let accepted = [&[OUTCOME], known.as_slice()].concat().join(", ");
                    let message = format!(
                        "{MEASURE} = {}: not accepted; accepted: {accepted}",
                        value.value
                    );
                    self.problem(value.line, message);
                }
            }
        }
        choices
    }

    /// What a key's value says about the game's parameters.
    fn params(
        &mut self,
        game: &GameEntry,
        key: &str,
        value: &Located<Literal>,
    ) -> Option<Vec<(&'static str, Value)>> {
        let spec = |name: &str| game.params.iter().find(|spec| spec.name == name);
        if key == "size"
            && let (Some(rows), Some(cols)) = (spec("rows"), spec("cols"))
        {
            let sides = match &value.value {
                Literal::Text(text) => text
                    .split_once(['x', '×'])
                    .and_then(|(r, c)| Some((rows.parse(r)?, cols.parse(c)?))),
                _ => None,
            };
            if sides.is_none() {
                let accepted = format!("rows x cols such as \"6x7\", each {}", rows.accepts());
                self.problem(
                    value.line,
                    format!("size = {}: not accepted; accepted: {accepted}", value.value),
                );
            }
            return sides.map(|(r, c)| vec![(rows.name, r), (cols.name, c)]);
        }
        if key == LANES && spec(key).is_none() {
            self.problem(value.line, no_lanes(game));
            return None;
        }
        let Some(spec) = spec(key) else {
            let of_table = TABLE.iter().filter(|key| key.is_of(game));
            let of_table = of_table.map(|key| key.name);
            let known = of_table.chain(game.params.iter().map(|spec| spec.name));
            self.problem(value.line, format!("{key}: {}", unknown(key, "key", known)));
            return None;
        };
        self.value(spec, key, &value.value, value.line)
            .map(|value| vec![(spec.name, value)])
    }

    fn value(
        &mut self,
        spec: &ParamSpec,
        key: &str,
        literal: &Literal,
        line: usize,
    ) -> Option<Value> {
        let plain = match literal {
            Literal::Bool(value) => Some(Value::Bool(*value)),
            Literal::Int(value) => Some(Value::Int(*value)),
            Literal::Float(value) => Some(Value::Float(*value)),
            Literal::Text(value) => Some(Value::Text(value.clone())),
            Literal::Table(_) => None,
        };
        let value = plain.and_then(|plain| spec.accept(&plain));
        if value.is_none() {
            let meant = match (&spec.kind, literal) {
                (Kind::Choice(words), Literal::Text(text)) => {
                    match suggestion(text, words.iter().copied()) {
                        Some(near) => format!("; did you mean {near:?}?"),
                        // Names of players' parameters have a dot.
                        None if !key.contains('.') => OWN_RULES.to_owned(),
                        None => String::new(),
                    }
                }
                _ => String::new(),
            };
            self.problem(
                line,
                format!(
                    "{key} = {literal}: not accepted; accepted: {}{meant}",
                    spec.accepts()
                ),
            );
        }
        value
    }

    /// The players that a value stands for: a name, or `{ name = …, parameter = … }` whose lists
    /// are swept.
    fn players(
        &mut self,
        game: &GameEntry,
        key: &str,
        value: &Located<Literal>,
    ) -> Vec<PlayerSpec> {
        let line = value.line;
        let (name, settings) = match &value.value {
            Literal::Text(text) if text.contains('(') => {
                return self.labelled(game, key, text, line).into_iter().collect();
            }
            Literal::Text(name) => (name, &[][..]),
            Literal::Table(entries) if entries.iter().any(|(key, _)| key == COMMAND) => {
                return match external::named(entries) {
                    Ok(named) => {
                        let value = Literal::Table(named);
                        self.players(game, key, &Located { value, line })
                    }
                    Err(message) => {
                        self.problem(line, format!("{key}.{COMMAND}: {message}"));
                        Vec::new()
                    }
                };
            }
            Literal::Table(entries) => {
                match entries.iter().find(|(key, _)| key == "name") {
                    Some((_, values)) if matches!(values.as_slice(), [Literal::Text(_)]) => {
                        let [Literal::Text(name)] = values.as_slice() else {
                            unreachable!()
                        };
                        (name, entries.as_slice())
                    }
                    // Its problem has been reported.
                    Some((_, values)) if values.is_empty() => return Vec::new(),
                    _ => {
                        self.problem(line, format!("{key}: a player table needs one name, as in {{ name = \"random\" }}"));
                        return Vec::new();
                    }
                }
            }
            other => {
                self.problem(
                    line,
                    format!("{key} = {other}: not accepted; write a player's name in quotes"),
                );
                return Vec::new();
            }
        };
        let Some(entry) = external::player(game, name) else {
            let names = game.players.iter().map(|player| player.name);
            // As players are written in keys of cells.
            let given = name
                .split_once('(')
                .filter(|(name, _)| game.player(name).is_some());
            let wrong = match given {
                Some((name, params)) => format!(
                    "not accepted; write a player's parameters as {{ name = {name:?}, {} }}",
                    params.trim_end_matches(')').replace('=', " = ")
                ),
                None => unknown(name, "player", names),
            };
            self.problem(line, format!("{key} = {name:?}: {wrong}"));
            return Vec::new();
        };
        let mut specs = vec![PlayerSpec::new(entry)];
        for (param, literals) in settings.iter().filter(|(param, _)| param != "name") {
            let Some(spec) = entry.params.iter().find(|spec| spec.name == param) else {
                let known = entry.params.iter().map(|spec| spec.name);
                self.problem(
                    line,
                    format!("{key}.{param}: {}", unknown(param, "parameter", known)),
                );
                continue;
            };
            let place = format!("{key}.{param}");
            let read = |literal| {
                let value = self.value(spec, &place, literal, line)?;
                if spec.name == WEIGHTS {
                    self.pinned(value, &place, line)
                } else {
                    Some(value)
                }
            };
            let values: Vec<Value> = literals.iter().filter_map(read).collect();
            specs = specs
                .into_iter()
                .flat_map(|player| {
                    values.iter().map(move |value| {
                        let mut player = player.clone();
                        player.params.set(spec.name, value.clone());
                        player
                    })
                })
                .collect();
        }
        for spec in entry
            .params
            .iter()
            .filter(|spec| spec.default_value().is_none())
        {
            if !settings.iter().any(|(param, _)| param == spec.name) {
                self.problem(
                    line,
                    format!("{key}.{}: missing; accepted: {}", spec.name, spec.accepts()),
                );
            }
        }
        specs
    }

    /// A player as labels and the command line write it: `name(key=value,…)`.
    fn labelled(
        &mut self,
        game: &GameEntry,
        key: &str,
        text: &str,
        line: usize,
    ) -> Option<PlayerSpec> {
        let problem = match super::cell::player(game, text) {
            // The ID of the file is noted beside its path, for which the path needs a key.
            Ok(spec) if has_weights(&spec) => {
                let name = spec.entry.name;
                format!(
                    "write {{ name = \"{name}\", weights = \"FILE\" }} with the other parameters"
                )
            }
            Ok(spec) => return Some(spec),
            Err(error) => error.to_string(),
        };
        self.problem(line, format!("{key} = {text:?}: {problem}"));
        None
    }

    /// The value of a player's `weights` with its ID; the file is sought from the experiment's
    /// folder.
    fn pinned(&mut self, value: Value, place: &str, line: usize) -> Option<Value> {
        let Value::Text(written) = &value else {
            return Some(value);
        };
        if self.overrides.unpublished {
            return Some(value);
        }
        let folder = self.experiment.path.parent().unwrap_or(Path::new(""));
        match weights::pin(written, folder) {
            Ok(pinned) => {
                self.pins.push((line, written.clone(), pinned.clone()));
                Some(Value::Text(pinned))
            }
            Err(error) => {
                self.problem(line, format!("{place}: {error}"));
                None
            }
        }
    }

    /// Looks for keys of a match that contradict each other.
    fn check_match(&mut self) {
        let table = self.table;
        let line = |key: &str| {
            let mut settings = table.settings.iter();
            settings
                .find(|setting| setting.key == key)
                .map(|setting| setting.line)
        };
        if line(MATCH).is_none() {
            if let Some(line) = line(MEASURE) {
                let message = format!("{MEASURE}: only a table with {MATCH} takes it");
                self.problem(line, message);
            }
            if let Some(separate) = table.separate {
                let message = format!("{SEPARATE}: only a table with {MATCH} takes it");
                self.problem(separate.line, message);
            }
            return;
        }
        for seat in ["player", "opponent"] {
            if let Some(line) = line(seat) {
                let message = format!("{seat}: given beside {MATCH}, which names all players");
                self.problem(line, message);
            }
        }
        if table
            .zip
            .iter()
            .any(|group| group.value.iter().any(|key| key == MATCH))
        {
            let message = format!("{MATCH}: zipped, but it stands for all of its players");
            self.problem(line(MATCH).unwrap_or(table.line), message);
        }
    }

    /// Looks for keys that the game needs and for those that contradict each other.
    pub(super) fn check_required(&mut self, game: &GameEntry) {
        self.check_match();
        let given = |name: &str| {
            let is =
                |key: &str| key == name || (key == "size" && (name == "rows" || name == "cols"));
            self.table.settings.iter().any(|setting| is(&setting.key))
        };
        let missing: Vec<&ParamSpec> = game
            .params
            .iter()
            .filter(|spec| spec.default_value().is_none() && !given(spec.name))
            .collect();
        for spec in missing {
            self.problem(
                self.table.line,
                format!("{}: missing; accepted: {}", spec.name, spec.accepts()),
            );
        }
        let keys: Vec<(&str, usize)> = self
            .table
            .settings
            .iter()
            .map(|setting| (setting.key.as_str(), setting.line))
            .collect();
        if let Some((_, line)) = keys.iter().find(|(key, _)| *key == "size") {
            for (key, _) in keys
                .iter()
                .filter(|(key, _)| *key == "rows" || *key == "cols")
            {
                self.problem(
                    *line,
                    format!("size: {key} is given too; write one of them"),
                );
            }
        }
    }
}

/// The values that a table of whole weights stands for, `{ "+" = 3, "-" = [1, 2] }`, as the text of
/// each: `+:3;-:1` and `+:3;-:2`. Other values stand for themselves.
fn weights(value: &Located<Literal>) -> Vec<Located<Literal>> {
    let entries = match &value.value {
        Literal::Table(entries) if combinations(entries) <= VALUES_MAX => entries,
        _ => return vec![value.clone()],
    };
    let mut texts = vec![String::new()];
    for (name, weights) in entries {
        let with = |text: &String| {
            let separator = if text.is_empty() { "" } else { ";" };
            let texts = weights
                .iter()
                .map(|weight| format!("{text}{separator}{name}:{weight}"));
            texts.collect::<Vec<_>>()
        };
        texts = texts.iter().flat_map(with).collect();
    }
    let located = |text| Located {
        value: Literal::Text(text),
        line: value.line,
    };
    texts.into_iter().map(located).collect()
}

/// How many values the lists of a table stand for.
fn combinations(entries: &[(String, Vec<Literal>)]) -> usize {
    let counts = entries.iter().map(|(_, values)| values.len());
    counts.fold(1, usize::saturating_mul)
}

/// Whether a player was given a file of weights.
fn has_weights(player: &PlayerSpec) -> bool {
    let has_param = player.entry.params.iter().any(|spec| spec.name == WEIGHTS);
    has_param && *player.params.get(WEIGHTS) != Value::Unset
}

/// "unknown …; accepted: …", with the name that was probably meant.
pub(super) fn unknown<'a>(
    name: &str,
    what: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let meant = match suggestion(name, known.clone()) {
        Some(near) => format!("; did you mean {near:?}?"),
        None if what == "key" && name == METHOD => NEEDS_LEVELS.to_owned(),
        None if ["game", "key"].contains(&what) => OWN_RULES.to_owned(),
        None => String::new(),
    };
    let known: Vec<&str> = known.collect();
    format!(
        "unknown {what}; accepted: {}{meant}",
        if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        }
    )
}
