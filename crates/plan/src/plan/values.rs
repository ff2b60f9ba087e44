//! What the keys and values of a table say about its cells.

use super::cell::{self, unknown};
use super::table::{Assignment, Choice, Planner, no_lanes};
use crate::experiment::{Literal, Located, Setting, VALUES_MAX, clash};
use crate::external::{self, COMMAND, RUN};
use crate::keys::TABLE;
use crate::matches::{Match, OUTCOME, measures_of};
use crate::weights;
use tilelab_games::catalog::{self, GameEntry, LANES, PlayerSpec, WEIGHTS};
use tilelab_games::params::{Kind, OWN_RULES, ParamSpec, Value, did_you_mean};
use tilelab_games::tally::meetings;

/// The key that lists the players of a match.
pub(super) const MATCH: &str = "match";
/// The key that says what decides its pairs of games.
pub(super) const MEASURE: &str = "measure";
/// The key that gives every two players of a match a cell of their own.
pub const SEPARATE: &str = "separate";

impl Planner<'_> {
    /// The game of the table.
    pub(super) fn game(&mut self) -> Option<&'static GameEntry> {
        let names: Vec<&str> = catalog::games().map(|game| game.name).collect();
        let Some(setting) = self.table.setting("game") else {
            let message = format!("game: missing; accepted: {}", names.join(", "));
            return self.refuse(self.table.line, message);
        };
        match setting.values.as_slice() {
            _ if self.table.is_refused("game") => None,
            [Located { value, line }] => {
                let Literal::Text(name) = value else {
                    let form = "not accepted; write the name of a game in quotes";
                    return self.refuse(*line, format!("game = {value}: {form}"));
                };
                catalog::game(name).or_else(|| {
                    let names = names.into_iter();
                    let message = format!("game = {name:?}: {}", unknown(name, "game", names));
                    self.refuse(*line, message)
                })
            }
            _ => {
                let message = "game: a table has one game; write a [[table]] for each";
                self.refuse(setting.line, message.to_owned())
            }
        }
    }

    /// The choices of a key.
    pub(super) fn choices(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        let key = setting.key.as_str();
        let values = setting.values.iter();
        let seat = match key {
            MATCH => return self.players_of_match(game, setting),
            MEASURE => return self.measures(game, setting),
            "player" => 0,
            "opponent" if game.seats == 2 => 1,
            _ => {
                let values = values.flat_map(weights);
                return values
                    .filter_map(|value| self.params(game, key, &value))
                    .collect();
            }
        };
        let players = values.flat_map(|value| self.players(game, key, value));
        players
            .map(|player| vec![Assignment::Player(seat, player)])
            .collect()
    }

    /// The players of a match: all in one cell, or every two of them where cells are separate.
    fn players_of_match(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        let values = setting.values.iter();
        let players: Vec<PlayerSpec> = values
            .flat_map(|value| self.players(game, MATCH, value))
            .collect();
        if players.len() < 2 {
            return Vec::new();
        }
        let is_twice = |at: &usize| players[..*at].contains(&players[*at]);
        // Two may be the same player, which then meets itself.
        if players.len() > 2
            && let Some(at) = (1..players.len()).find(is_twice)
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
            let pair = pair.map(|at| players[at].clone());
            vec![Assignment::Players(pair.to_vec())]
        };
        meetings(players.len()).map(pair).collect()
    }

    /// What decides the pairs of a match.
    fn measures(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Choice> {
        let mut choices = Vec::new();
        for value in &setting.values {
            match Match::named(game, value.value.text().unwrap_or_default()) {
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
    fn params(&mut self, game: &GameEntry, key: &str, value: &Located<Literal>) -> Option<Choice> {
        if key == "size"
            && let (Some(rows), Some(cols)) = (game.param("rows"), game.param("cols"))
        {
            let sides = value.value.text();
            let sides = sides.and_then(|text| text.split_once(['x', '×']));
            let side =
                |spec: &ParamSpec, text| Some(Assignment::Param(spec.name, spec.parse(text)?));
            let sides = sides.and_then(|(r, c)| Some(vec![side(rows, r)?, side(cols, c)?]));
            return sides.or_else(|| {
                let accepted = format!("rows x cols such as \"6x7\", each {}", rows.accepts());
                let message = format!("size = {}: not accepted; accepted: {accepted}", value.value);
                self.refuse(value.line, message)
            });
        }
        let Some(spec) = game.param(key) else {
            if key == LANES {
                return self.refuse(value.line, no_lanes(game));
            }
            let of_table = TABLE.iter().filter(|key| key.is_of(game));
            let of_table = of_table.map(|key| key.name);
            let known = of_table.chain(game.param_names());
            return self.refuse(value.line, format!("{key}: {}", unknown(key, "key", known)));
        };
        let value = self.value(spec, key, &value.value, value.line)?;
        Some(vec![Assignment::Param(spec.name, value)])
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
            let mut meant = String::new();
            if let (Kind::Choice(words), Literal::Text(text)) = (&spec.kind, literal) {
                meant = did_you_mean(text, words);
                // Names of players' parameters have a dot.
                if meant.is_empty() && !key.contains('.') {
                    meant += OWN_RULES;
                }
            }
            let accepted = spec.accepts();
            let message = format!("{key} = {literal}: not accepted; accepted: {accepted}{meant}");
            self.problem(line, message);
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
                return match named(entries) {
                    Ok(named) => {
                        let value = Literal::Table(named);
                        self.players(game, key, &Located { value, line })
                    }
                    Err(message) => self.refuse(line, format!("{key}.{COMMAND}: {message}")),
                };
            }
            Literal::Table(entries) => {
                let named = entries.iter().find(|(key, _)| key == "name");
                match named.map(|(_, values)| values.as_slice()) {
                    Some([Literal::Text(name)]) => (name, entries.as_slice()),
                    // The problem of the name has been reported.
                    Some([]) => return Vec::new(),
                    _ => {
                        let form = "a player table needs one name, as in { name = \"random\" }";
                        return self.refuse(line, format!("{key}: {form}"));
                    }
                }
            }
            other => {
                let form = "not accepted; write a player's name in quotes";
                return self.refuse(line, format!("{key} = {other}: {form}"));
            }
        };
        let Some(entry) = external::player(game, name) else {
            let names = game.players.iter().map(|player| player.name);
            // The name may be written as keys of cells write players.
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
            return self.refuse(line, format!("{key} = {name:?}: {wrong}"));
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
        let is_given = |name: &str| settings.iter().any(|(param, _)| param == name);
        for spec in entry.params {
            if spec.default_value().is_none() && !is_given(spec.name) {
                let message = format!("{key}.{}: missing; accepted: {}", spec.name, spec.accepts());
                self.problem(line, message);
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
        let problem = match cell::player(game, text) {
            // The ID of the file is noted beside its path, for which the path needs a key.
            Ok(spec) if weights::value_of(&spec.params).is_some() => {
                let name = spec.entry.name;
                format!(
                    "write {{ name = \"{name}\", weights = \"FILE\" }} with the other parameters"
                )
            }
            Ok(spec) => return Some(spec),
            Err(error) => error.to_string(),
        };
        self.refuse(line, format!("{key} = {text:?}: {problem}"))
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
        match weights::pin(written, self.folder()) {
            Ok(pinned) => {
                self.pins.push((line, written.clone(), pinned.clone()));
                Some(Value::Text(pinned))
            }
            Err(error) => self.refuse(line, format!("{place}: {error}")),
        }
    }

    /// Looks for keys of a match that contradict each other.
    fn check_match(&mut self) {
        let table = self.table;
        let line = |key: &str| table.setting(key).map(|setting| setting.line);
        let Some(line_of_match) = line(MATCH) else {
            if let Some(line) = line(MEASURE) {
                let message = format!("{MEASURE}: only a table with {MATCH} takes it");
                self.problem(line, message);
            }
            if let Some(separate) = table.separate {
                let message = format!("{SEPARATE}: only a table with {MATCH} takes it");
                self.problem(separate.line, message);
            }
            return;
        };
        for seat in ["player", "opponent"] {
            if let Some(line) = line(seat) {
                let message = format!("{seat}: given beside {MATCH}, which names all players");
                self.problem(line, message);
            }
        }
        let mut zipped = table.zip.iter().flat_map(|group| &group.value);
        if zipped.any(|key| key == MATCH) {
            let message = format!("{MATCH}: zipped, but it stands for all of its players");
            self.problem(line_of_match, message);
        }
    }

    /// Looks for keys that the game needs and for those that contradict each other.
    pub(super) fn check_required(&mut self, game: &GameEntry) {
        self.check_match();
        let table = self.table;
        let is_given = |name: &str| {
            let mut settings = table.settings.iter();
            settings.any(|setting| clash(&setting.key, name))
        };
        for spec in game.params {
            if spec.default_value().is_none() && !is_given(spec.name) {
                let message = format!("{}: missing; accepted: {}", spec.name, spec.accepts());
                self.problem(table.line, message);
            }
        }
        if let Some(size) = table.setting("size") {
            for key in ["rows", "cols"] {
                if table.setting(key).is_some() {
                    let message = format!("size: {key} is given too; write one of them");
                    self.problem(size.line, message);
                }
            }
        }
    }
}

/// A player's table that says `command = ["python3", "mine.py"]` as one with name and parameters.
fn named(table: &[(String, Vec<Literal>)]) -> Result<Vec<(String, Vec<Literal>)>, String> {
    let mut named = vec![("name".to_owned(), vec![Literal::Text(COMMAND.to_owned())])];
    for (key, values) in table {
        if key != COMMAND {
            named.push((key.clone(), values.clone()));
            continue;
        }
        let mut run = Vec::new();
        for value in values {
            let word = value.text().unwrap_or_default();
            if word.is_empty() || word.contains(char::is_whitespace) {
                return Err(format!("{value}: not accepted; write words without blanks"));
            }
            run.push(word);
        }
        named.push((RUN.to_owned(), vec![Literal::Text(run.join(" "))]));
    }
    Ok(named)
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
