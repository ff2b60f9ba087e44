//! The keys of experiment files, each described once: the reader, its messages, the schema, the
//! template and the page of documentation go by these tables.

use crate::external::COMMAND;
use std::fmt::Write;
use tilelab_games::catalog::GameEntry;

/// A key of an experiment file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// What the value of the key is.
    pub form: Form,
    /// The default in words; `None` where the key has to be given.
    pub default: Option<&'static str>,
    /// What the key means, in sentences of Markdown.
    pub help: &'static str,
}

/// What the value of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The name of a folder.
    Name,
    /// A master seed.
    Seed,
    /// A number of games.
    Games,
    /// A stopping rule, [`STOP`].
    Stop,
    /// A confidence level.
    Confidence,
    /// The name of an interval.
    Interval,
    /// Whether and how single games are written.
    PerGame,
    /// Keys for all tables.
    Defaults,
    /// The tables.
    Tables,
    /// A title.
    Title,
    /// The name of a game.
    Game,
    /// The player of a seat, from 0; may be a list.
    Player(usize),
    /// The players of a match.
    Match,
    /// What decides a match; may be a list.
    Measure,
    /// Rows and columns; may be a list.
    Size,
    /// The name of a CSV file.
    File,
    /// Groups of keys.
    Zip,
    /// Values of cells.
    Exclude,
    /// Values of cells and a number of games.
    Grow,
    /// Names of parameters.
    Common,
    /// A truth value.
    Flag,
    /// A share between 0 and a number of tenths.
    Share(u8),
    /// A sequential test, [`DIFFERENCE`].
    Difference,
    /// A number.
    Number,
}

const fn key(
    name: &'static str,
    form: Form,
    default: Option<&'static str>,
    help: &'static str,
) -> Key {
    Key {
        name,
        form,
        default,
        help,
    }
}

// One line a key.
#[rustfmt::skip]
/// The keys at the top of a file.
pub const TOP: [Key; 9] = [
    key("name", Form::Name, None, "Names the folder of the results: letters, digits, `-`, `_`."),
    key("seed", Form::Seed, None, "The master seed, a whole number from 0: the same seed gives the same games on every machine."),
    key("games", Form::Games, Some("100,000"), "Games of each cell: a whole number, or text such as `\"1e6\"` and `\"200k\"`."),
    key("stop", Form::Stop, Some("none"), "The stopping rule: a cell stops before all its games are played, as soon as its result is this precise."),
    key("confidence", Form::Confidence, Some("0.95"), "The confidence level of all intervals, from 0.5 to 0.999999."),
    key("interval", Form::Interval, Some("`\"clopper-pearson\"`"), "The interval of win rates of independent games: `\"clopper-pearson\"` covers at least its level at every rate, `\"mid-p\"` covers its level on average and needs 8 to 18 % fewer games where wins are few."),
    key("per_game", Form::PerGame, Some("`false`"), "`true` or `\"parquet\"` writes a row for every game to `games.parquet`, `\"csv\"` to `games.csv`; `\"positions\"` and `\"csv-positions\"` add the last position."),
    key("defaults", Form::Defaults, Some("none"), "`[defaults]`: values for every table that does not set its own: `game`, players, parameters."),
    key("table", Form::Tables, None, "`[[table]]`: a table of cells, the product of the lists of its keys; at least one."),
];

#[rustfmt::skip]
/// The keys of a table, apart from the parameters of its game.
pub const TABLE: [Key; 15] = [
    key("title", Form::Title, None, "Names the table in the results; titles must differ."),
    key("game", Form::Game, None, "The game (`tilelab list games`); `67`, `2048` and `multiplication` are accepted too."),
    key("player", Form::Player(0), Some("the first of the game"), "Who plays (`tilelab list players`)."),
    key("opponent", Form::Player(1), Some("the first of the game"), "The second player of a two-player game."),
    key("match", Form::Match, Some("none"), "Players that meet, every two of them on every start; instead of `player` and `opponent`."),
    key("measure", Form::Measure, Some("`\"outcome\"`"), "What decides the pairs of a match: `\"outcome\"`, or a measure such as `\"score\"`."),
    key("separate", Form::Flag, Some("`false`"), "Whether every two players of a match have a cell of their own, whose number of pairs may grow and stop separately."),
    key("games", Form::Games, Some("that at the top"), "Games of each cell of this table."),
    key("stop", Form::Stop, Some("that at the top"), "The stopping rule of this table."),
    key("published", Form::File, Some("none"), "A CSV file with figures to compare with, relative to the experiment file. Columns: `table`, `games`, `wins`, optionally `moves_mean`, `moves_win_mean`, and any parameters that distinguish the cells."),
    key("zip", Form::Zip, Some("none"), "Groups of keys whose lists advance together."),
    key("exclude", Form::Exclude, Some("none"), "Cells to leave out: those that match all values of an entry."),
    key("grow", Form::Grow, Some("none"), "Other numbers of games: `games` of an entry is for the cells that match all its other values."),
    key("common", Form::Common, Some("none"), "Parameters that the random numbers do not depend on, such as `[\"operator_rate\"]`: cells that differ only in them use the same random numbers."),
    key("size", Form::Size, Some("`rows` and `cols`"), "`\"6x7\"` sets `rows` and `cols`."),
];

#[rustfmt::skip]
/// The keys of `stop`.
pub const STOP: [Key; 4] = [
    key("half_width", Form::Share(5), Some("none"), "Stop when half the width of the win rate's interval is at most this: a share, so 0.001 is a tenth of a percentage point."),
    key("relative", Form::Share(10), Some("none"), "Stop when half the width is at most this times the win rate."),
    key("difference", Form::Difference, Some("none"), "Stop a match when a sequential test is decided: of the share of points, or, with `measure`, of the mean difference of a pair. Not together with `half_width` or `relative`."),
    key("max_games", Form::Games, Some("required; 1,000,000 with `difference`"), "Stop after this many games in any case."),
];

#[rustfmt::skip]
/// The keys of `stop.difference`.
pub const DIFFERENCE: [Key; 4] = [
    key("lower", Form::Number, None, "The mean under the hypothesis against the first player."),
    key("upper", Form::Number, None, "The mean under the hypothesis for the first player."),
    key("alpha", Form::Share(5), Some("0.05"), "The probability of deciding for `upper` if the mean is `lower`."),
    key("beta", Form::Share(5), Some("0.05"), "The probability of deciding for `lower` if the mean is `upper`."),
];

/// The names of keys.
pub fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// The key of this name.
pub fn named(keys: &'static [Key], name: &str) -> Option<&'static Key> {
    keys.iter().find(|key| key.name == name)
}

impl Key {
    /// Whether `[defaults]` may have this key of a table.
    pub const fn is_default(&self) -> bool {
        matches!(self.form, Form::Game) || self.has_values()
    }

    /// Whether this key of a table has values that its cells are made of: it may hold a list, and
    /// the game checks them.
    pub const fn has_values(&self) -> bool {
        matches!(
            self.form,
            Form::Player(_) | Form::Match | Form::Measure | Form::Size
        )
    }

    /// Whether a table of this game may have the key.
    pub fn is_of(&self, game: &GameEntry) -> bool {
        match self.form {
            Form::Player(seat) => seat < game.seats,
            Form::Size => game.param("rows").is_some(),
            _ => true,
        }
    }
}

/// The keys as the tables of the page about experiment files, in Markdown.
pub fn markdown() -> String {
    let mut page = String::new();
    let sections: [(&str, &[Key]); 4] = [
        ("At the top", &TOP),
        ("In a table", &TABLE),
        ("In `stop`", &STOP),
        ("In `stop.difference`", &DIFFERENCE),
    ];
    for (title, keys) in sections {
        let _ = writeln!(
            page,
            "## {title}\n\n| key | meaning | default |\n| --- | --- | --- |"
        );
        for key in keys {
            let default = key.default.unwrap_or("required");
            let _ = writeln!(page, "| `{}` | {} | {default} |", key.name, key.help);
        }
        page.push('\n');
    }
    let _ = writeln!(
        page,
        "A table also has the parameters of its game, each a value, a list or a range (`tilelab list games`). \
         A player is a name, `{{ name = \"NAME\", parameter = value }}` or `{{ {COMMAND} = [\"PROGRAM\", …] }}`."
    );
    page
}
