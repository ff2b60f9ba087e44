//! Reading the document of an experiment file, with the line of every problem.

mod values;

use super::number::{integer, number};
use super::{
    CONFIDENCE, Difference, Experiment, Located, PerGame, Problem, Selection, Setting, Stop, Table,
};
use crate::keys::{self, Key, names};
use std::collections::HashSet;
use std::path::Path;
use tilelab_games::params::suggestion;
use tilelab_games::text::{self, join};
use tilelab_stats::RateInterval;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The most games of a cell: TOML has no larger whole numbers.
const GAMES_MAX: u64 = i64::MAX as u64;
/// The most keys of one table.
const KEYS_MAX: usize = 1_000;
/// The most tables, and the most entries of one `exclude` or `zip`.
const TABLES_MAX: usize = 10_000;
/// The longest name and the longest title, in characters; names are names of folders.
const NAME_MAX: usize = 100;
const TITLE_MAX: usize = 200;
/// What `per_game` accepts.
const PER_GAME: &str = "true, false, \"parquet\", \"csv\", \"positions\", \"csv-positions\"";

/// Reads the document of an experiment file and collects its problems.
pub(super) struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    /// Where every line but the first starts, in bytes.
    line_starts: Vec<usize>,
    pub(super) problems: Vec<Problem>,
}

type Node<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a> {
    /// A reader of this text, with no problems yet.
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            path,
            text,
            line_starts: ends.map(|(at, _)| at + 1).collect(),
            problems: Vec::new(),
        }
    }

    /// The line of a place in the text, in bytes.
    pub(super) fn line_at(&self, at: usize) -> usize {
        1 + self.line_starts.partition_point(|&start| start <= at)
    }

    fn line<T>(&self, node: &Spanned<T>) -> usize {
        self.line_at(node.span().start)
    }

    pub(super) fn problem_at(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem {
            path: self.path.to_owned(),
            line,
            message: message.into(),
        });
    }

    fn problem<T>(&mut self, node: &Spanned<T>, message: impl Into<String>) {
        self.problem_at(self.line(node), message);
    }

    /// A value with the line of its node.
    fn located<T>(&self, node: &Node<'_>, value: T) -> Located<T> {
        let line = self.line(node);
        Located { value, line }
    }

    /// What a key of a table was read as, where the table has it.
    fn key<T>(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
        takes: &str,
    ) -> Option<T> {
        let node = table.get(key)?;
        self.read(key, node, read(node.get_ref()), takes)
    }

    /// What a key's value was read as; reports one that is not what its key takes.
    fn read<T>(&mut self, key: &str, node: &Node<'_>, read: Option<T>, takes: &str) -> Option<T> {
        read.or_else(|| self.refuse(key, node, takes))
    }

    /// Reports a value that is not what its key takes.
    fn refuse<T>(&mut self, key: &str, node: &Node<'_>, accepted: &str) -> Option<T> {
        let value = shortened(node_text(node.get_ref()));
        self.problem(
            node,
            format!("{key} = {value}: not accepted; accepted: {accepted}"),
        );
        None
    }

    /// Reports keys of a table that are not among these; `place` stands before their names.
    fn check_keys(&mut self, table: &DeTable<'_>, place: &str, keys: &'static [Key]) {
        for key in table.keys() {
            if keys::named(keys, key.get_ref()).is_none() {
                let message = unknown_key(&format!("{place}{}", key.get_ref()), &names(keys));
                self.problem(key, message);
            }
        }
    }

    pub(super) fn experiment(&mut self, document: &DeTable<'_>) -> Experiment {
        self.check_keys(document, "", &keys::TOP);
        let get = |key: &str| document.get(key);
        for (key, missing) in [
            ("name", "name: missing; it names the folder of the results"),
            (
                "seed",
                "seed: missing; any whole number from 0 makes the experiment repeatable",
            ),
            (
                "table",
                "[[table]]: missing; an experiment has at least one table",
            ),
        ] {
            if get(key).is_none() {
                self.problem_at(1, missing);
            }
        }
        let takes = format!("1 to {NAME_MAX} letters, digits, - and _ in quotes");
        let name = self.key(
            document,
            "name",
            |value| {
                value
                    .as_str()
                    .filter(|name| is_name(name))
                    .map(str::to_owned)
            },
            &takes,
        );
        let takes = "a whole number from 0 to 9223372036854775807";
        let seed = self.key(
            document,
            "seed",
            |value| u64::try_from(integer(value)?).ok(),
            takes,
        );
        let [low, high] = [CONFIDENCE.start(), CONFIDENCE.end()];
        let takes = format!("a number from {low} to {high}, such as 0.95");
        let confidence = self.key(
            document,
            "confidence",
            |value| number(value).filter(|level| CONFIDENCE.contains(level)),
            &takes,
        );
        let names = RateInterval::ALL.map(|(name, _)| format!("\"{name}\""));
        let interval = self.key(
            document,
            "interval",
            |value| value.as_str().and_then(RateInterval::named),
            &names.join(" or "),
        );
        let per_game = self.key(
            document,
            "per_game",
            |value| match value {
                DeValue::Boolean(is_wanted) => Some(is_wanted.then_some(PerGame::Parquet)),
                value => value.as_str().and_then(PerGame::named).map(Some),
            },
            PER_GAME,
        );
        let games = get("games").and_then(|node| self.games("games", node));
        let stop = get("stop").and_then(|node| self.stop(node));
        let defaults = get("defaults").map(|node| self.defaults(node));
        let mut tables = get("table").map_or_else(Vec::new, |node| self.tables(node));
        if let Some(defaults) = defaults {
            for table in &mut tables {
                table.take_defaults(&defaults);
            }
        }
        let mut titles = HashSet::new();
        for Table { title, line, .. } in &tables {
            if !titles.insert(title) && !title.is_empty() {
                let message = format!(
                    "title = {title:?}: used by an earlier table; every table needs a title of its own"
                );
                self.problem_at(*line, message);
            }
        }
        Experiment {
            path: self.path.to_owned(),
            text: self.text.to_owned(),
            name: name.unwrap_or_default(),
            seed: seed.unwrap_or_default(),
            games,
            stop,
            confidence: confidence.unwrap_or(0.95),
            interval: interval.unwrap_or_default(),
            per_game: per_game.flatten(),
            tables,
        }
    }

    /// The keys that every table has unless it says otherwise.
    fn defaults(&mut self, node: &Node<'_>) -> Table {
        let mut read = Table::default();
        let table = node.get_ref().as_table();
        let table = self.read("defaults", node, table, "a table headed [defaults]");
        let Some(table) = table.filter(|table| self.has_few_keys("defaults", table, node)) else {
            return read;
        };
        for (key, node) in table {
            let name = key.get_ref();
            if keys::named(&keys::TABLE, name).is_some_and(|key| !key.is_default()) {
                let place = match keys::named(&keys::TOP, name) {
                    Some(_) => "the top of the file",
                    None => "a [[table]]",
                };
                let message = format!("defaults.{name}: not accepted here; write it at {place}");
                self.problem(key, message);
            } else {
                let problems = self.problems.len();
                read.settings.push(self.setting(name, node));
                if self.problems.len() > problems {
                    read.refused.push(name.to_string());
                }
            }
        }
        read
    }

    /// The tables of the file, as far as they are tables.
    fn tables(&mut self, node: &Node<'_>) -> Vec<Table> {
        let nodes = node.get_ref().as_array();
        let Some(nodes) = self.read("table", node, nodes, "tables headed [[table]]") else {
            return Vec::new();
        };
        let count = nodes.len();
        if !(1..=TABLES_MAX).contains(&count) {
            let message = format!(
                "table: {count} tables; an experiment has 1 to {TABLES_MAX} tables headed [[table]]"
            );
            self.problem(node, message);
            return Vec::new();
        }
        let table = |node: &Node<'_>| {
            let table = node.get_ref().as_table();
            let table = self.read("table", node, table, "tables headed [[table]]")?;
            Some(self.table(table, node))
        };
        nodes.iter().filter_map(table).collect()
    }

    /// A key with its values.
    fn setting(&mut self, key: &str, node: &Node<'_>) -> Setting {
        Setting {
            key: key.to_owned(),
            line: self.line(node),
            values: self.values(key, node),
        }
    }

    fn table(&mut self, table: &DeTable<'_>, node: &Node<'_>) -> Table {
        let mut read = Table {
            line: self.line(node),
            ..Table::default()
        };
        if !self.has_few_keys("table", table, node) {
            return read;
        }
        if table.get("title").is_none() {
            self.problem(node, "title: missing; it names the table in the results");
        }
        for (key, node) in table {
            let text = node.get_ref().as_str();
            let problems = self.problems.len();
            match key.get_ref().as_ref() {
                "title" => {
                    let takes = format!(
                        "1 to {TITLE_MAX} characters in quotes, none of them a control character"
                    );
                    let title = text.filter(|title| is_title(title));
                    let title = self.read("title", node, title, &takes);
                    read.title = title.unwrap_or_default().to_owned();
                }
                "games" => read.games = self.games("games", node),
                "stop" => read.stop = self.stop(node),
                "published" => {
                    let takes = "the name of a CSV file in quotes";
                    let file = self.read("published", node, text.map(str::to_owned), takes);
                    read.published = file.map(|file| self.located(node, file));
                }
                "zip" => read.zip = self.zip(node),
                key @ ("exclude" | "grow") => read.selections.extend(self.selections(key, node)),
                "common" => read.common = self.common(node),
                "separate" => {
                    let value = node.get_ref().as_bool();
                    let value = self.read("separate", node, value, "true, false");
                    read.separate = value.map(|value| self.located(node, value));
                }
                key => read.settings.push(self.setting(key, node)),
            }
            if self.problems.len() > problems {
                read.refused.push(key.get_ref().to_string());
            }
        }
        read
    }

    /// Reports a table with more keys than any game has.
    fn has_few_keys(&mut self, name: &str, table: &DeTable<'_>, node: &Node<'_>) -> bool {
        let is_few = table.len() <= KEYS_MAX;
        if !is_few {
            let keys = table.len();
            let message = format!("{name}: {keys} keys; at most {KEYS_MAX} are accepted");
            self.problem(node, message);
        }
        is_few
    }

    fn games(&mut self, key: &str, node: &Node<'_>) -> Option<u64> {
        let games = match node.get_ref() {
            DeValue::String(text) => text::count(text),
            DeValue::Float(number) => text::count(number.as_str()),
            value => integer(value).and_then(|games| u64::try_from(games).ok()),
        };
        let games = games.filter(|games| (1..=GAMES_MAX).contains(games));
        let takes = "a whole number from 1 up, or text such as \"1e6\" or \"200k\"";
        self.read(key, node, games, takes)
    }

    fn stop(&mut self, node: &Node<'_>) -> Option<Located<Stop>> {
        let form = "{ half_width = 0.001, max_games = 10_000_000 } (half_width as a rate, or relative, or both)";
        let Some(table) = node.get_ref().as_table() else {
            return self.refuse("stop", node, form);
        };
        let bound = |reader: &mut Self, key: &str, below: f64| {
            table.get(key).map(|node| {
                let bound = number(node.get_ref()).filter(|bound| *bound > 0.0 && *bound < below);
                let takes = format!("a number between 0 and {below}");
                reader.read(&format!("stop.{key}"), node, bound, &takes)
            })
        };
        let half_width = bound(self, "half_width", 0.5);
        let relative = bound(self, "relative", 1.0);
        self.check_keys(table, "stop.", &keys::STOP);
        let difference = match table.get("difference") {
            Some(node) => Some(self.difference(node)?),
            None => None,
        };
        if difference.is_some() && half_width.or(relative).is_some() {
            let message = "stop: difference stands alone; leave half_width and relative out";
            self.problem(node, message);
            return None;
        }
        let max_games = match table.get("max_games") {
            Some(node) => self.games("stop.max_games", node)?,
            None if difference.is_some() => Difference::PAIRS_MAX,
            None => {
                let message = format!("stop: max_games is missing; write {form}");
                self.problem(node, message);
                return None;
            }
        };
        if difference.is_none() && half_width.is_none() && relative.is_none() {
            let message = format!("stop: neither half_width nor relative is given; write {form}");
            self.problem(node, message);
            return None;
        }
        let stop = Stop {
            half_width: half_width.flatten(),
            relative: relative.flatten(),
            difference,
            max_games,
        };
        Some(self.located(node, stop))
    }

    /// The sequential test of a match; which means it may test depends on the match.
    fn difference(&mut self, node: &Node<'_>) -> Option<Difference> {
        let key = "stop.difference";
        let form = "{ lower = 0.5, upper = 0.52, alpha = 0.05, beta = 0.05 }";
        let Some(table) = node.get_ref().as_table() else {
            return self.refuse(key, node, form);
        };
        self.check_keys(table, "stop.difference.", &keys::DIFFERENCE);
        let mut value = |name: &str, default: Option<f64>| match table.get(name) {
            Some(node) => {
                let value = number(node.get_ref());
                self.read(&format!("{key}.{name}"), node, value, "a number")
            }
            None if default.is_some() => default,
            None => {
                let message = format!("{key}: {name} is missing; write {form}");
                self.problem(node, message);
                None
            }
        };
        let lower = value("lower", None);
        let upper = value("upper", None);
        let alpha = value("alpha", Some(Difference::ERROR));
        let beta = value("beta", Some(Difference::ERROR));
        Some(Difference {
            lower: lower?,
            upper: upper?,
            alpha: alpha?,
            beta: beta?,
        })
    }

    fn common(&mut self, node: &Node<'_>) -> Option<Located<Vec<String>>> {
        let takes = "a list of parameters of the game, such as [\"operator_rate\"]";
        let value = self.read("common", node, texts(node, 1), takes)?;
        Some(self.located(node, value))
    }

    fn zip(&mut self, node: &Node<'_>) -> Vec<Located<Vec<String>>> {
        let form = "a list of at most 1000 groups of keys, such as [[\"rows\", \"cols\"]]";
        let mut read = Vec::new();
        for node in self.nodes("zip", node, KEYS_MAX, form) {
            let value = self.read("zip", node, texts(node, 2), form);
            read.extend(value.map(|value| self.located(node, value)));
        }
        read
    }

    /// The entries of `exclude` or `grow`, which select cells by their values.
    fn selections(&mut self, name: &str, node: &Node<'_>) -> Vec<Selection> {
        let grows = name == "grow";
        let form = if grows {
            "a list of at most 10000 tables, such as [{ size = \"6x7\", games = 2_000_000 }]"
        } else {
            "a list of at most 10000 tables, such as [{ size = \"8x8\", tiles_per_turn = 1 }]"
        };
        let is_of_cells = |key: &str| !(grows && key == "games");
        let mut read = Vec::new();
        for node in self.nodes(name, node, TABLES_MAX, form) {
            let table = node.get_ref().as_table();
            let table = table.filter(|table| table.keys().any(|key| is_of_cells(key.get_ref())));
            let Some(table) = self.read(name, node, table, form) else {
                continue;
            };
            let line = self.line(node);
            let mut settings = Vec::new();
            for (key, value) in table {
                if is_of_cells(key.get_ref()) {
                    let setting = self.setting(key.get_ref(), value);
                    settings.push(Setting { line, ..setting });
                }
            }
            let games = match table.get("games").filter(|_| grows) {
                Some(games) => self.games("grow.games", games),
                None if grows => {
                    self.problem(node, format!("grow: games is missing; write {form}"));
                    None
                }
                None => None,
            };
            if games.is_some() == grows {
                read.push(Selection {
                    line,
                    settings,
                    games,
                });
            }
        }
        read
    }

    /// The entries of a list of at most `most`.
    fn nodes<'n>(
        &mut self,
        key: &str,
        node: &'n Node<'_>,
        most: usize,
        form: &str,
    ) -> &'n [Node<'n>] {
        let nodes = node.get_ref().as_array().map(|nodes| &nodes[..]);
        let nodes = nodes.filter(|nodes| nodes.len() <= most);
        self.read(key, node, nodes, form).unwrap_or_default()
    }
}

/// A list of texts, from `least` to [`KEYS_MAX`] of them.
fn texts(node: &Node<'_>, least: usize) -> Option<Vec<String>> {
    let nodes = node.get_ref().as_array()?;
    let texts = nodes
        .iter()
        .map(|node| Some(node.get_ref().as_str()?.to_owned()));
    let texts: Vec<String> = texts.collect::<Option<_>>()?;
    (least..=KEYS_MAX).contains(&texts.len()).then_some(texts)
}

/// Whether two keys say the same; `size` stands for rows and cols.
pub(crate) fn clash(a: &str, b: &str) -> bool {
    let is_side_of = |size: &str, side: &str| size == "size" && ["rows", "cols"].contains(&side);
    a == b || is_side_of(a, b) || is_side_of(b, a)
}

/// Whether an experiment may have this name: 1 to 100 letters, digits, `-` and `_`.
pub fn is_name(name: &str) -> bool {
    let is_plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (1..=NAME_MAX).contains(&name.len()) && is_plain
}

/// Whether a title can stand in files, pictures and on terminals.
fn is_title(title: &str) -> bool {
    !title.trim().is_empty()
        && title.chars().count() <= TITLE_MAX
        && !title.contains(text::is_control)
}

/// The start of a long text, for messages.
fn shortened(text: String) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn node_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(value) => value.to_string(),
        DeValue::Array(list) => {
            // A message shows the start of a long list only.
            let values = list.iter().take(100);
            let texts = values.map(|node| node_text(node.get_ref()));
            format!("[{}]", join(texts, ", "))
        }
        DeValue::Table(table) => {
            let entries = table.iter().take(100).map(|(name, node)| {
                let value = node_text(node.get_ref());
                format!("{} = {value}", name.get_ref())
            });
            format!("{{ {} }}", join(entries, ", "))
        }
    }
}

fn unknown_key(key: &str, known: &[&str]) -> String {
    let plain = key.rsplit('.').next().unwrap_or(key);
    let meant = suggestion(plain, known.iter().copied())
        .map(|name| format!("; did you mean {name}?"))
        .unwrap_or_default();
    format!("{key}: unknown key; accepted: {}{meant}", known.join(", "))
}
