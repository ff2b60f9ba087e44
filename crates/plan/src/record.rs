//! Records of games: what was played and how, so that the game can be shown, checked and played on
//! without anything else.
//!
//! A record is JSON lines: a header, and the lines of the transcript, one a turn, each with the
//! number of the game. A file may have many records, one after another.
//!
//! ```text
//! {"format":"tilelab game","version":1,"tilelab":"0.1.0","game":"zero-sum","rules":{"start":16,…},
//!  "players":["greedy","exact"],"seed":67,"cell":"zero-sum/…","game_index":3,
//!  "outcome":"won","turns":5,"moves":["3","2","4","2","3"]}
//! {"game_index":3,"move":1,…}
//! ```
//!
//! `players` are those of the seats, as labels write them, and [`PERSON`] for a person. `cell` is
//! the key of the cell; a game of a match is one of a pair, and `game_of_pair` (1 or 2) says which.
//! `common` names the parameters that the streams do not depend on, if any. `outcome` is that of
//! seat 0, null for a game that was left, and `forfeit` says why a player did not finish it.
//! `moves` are the names of the moves of all seats; games of value lanes have none, and are played
//! again.

use crate::external;
use crate::plan::{self, Cell};
use crate::weights::Learned;
use serde::de::DeserializeOwned;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tilelab_games::catalog;
use tilelab_games::game::given::Reached;
use tilelab_games::game::session::{Attempt, Hint, Session, View};
use tilelab_games::game::{GameResult, Job, KernelChoice, Outcome, Scale};
use tilelab_games::json::{Json, json};
use tilelab_games::params::Params;
use tilelab_games::text::join;
use tilelab_output::files::{self, File, TABLE_BYTES_MAX};
use tilelab_output::locked;

/// What the header says it is.
const FORMAT: &str = "tilelab game";
/// The version of the form.
const VERSION: u64 = 1;
/// The player of a seat that a person has.
pub const PERSON: &str = "person";
/// Games whose records are in memory at the same time.
const GAMES_AT_ONCE: u64 = 64;

/// What a record tells besides the moves.
struct About<'a> {
    /// The cell of single games.
    cell: &'a Cell,
    /// The players of the seats.
    players: Vec<String>,
    seed: u64,
    /// The key of the cell that the game belongs to.
    key: String,
    game_of_pair: Option<u64>,
}

impl About<'_> {
    fn header(&self, game: u64, outcome: Option<&Outcome>, moves: Option<&[String]>) -> Json {
        let mut header = json!({
            "format": FORMAT,
            "version": VERSION,
            "tilelab": env!("CARGO_PKG_VERSION"),
            "game": self.cell.game.name,
            "rules": Json::Object(Learned::rules_of(&self.cell.params)),
            "players": self.players,
            "seed": self.seed,
            "cell": self.key,
        });
        if !self.cell.common.is_empty() {
            header["common"] = json!(self.cell.common);
        }
        header["game_index"] = game.into();
        if let Some(number) = self.game_of_pair {
            header["game_of_pair"] = number.into();
        }
        header["outcome"] = json!(outcome.map(|outcome| outcome.result.name()));
        if let Some(cause) = outcome.and_then(|outcome| outcome.forfeits.cause()) {
            header["forfeit"] = json!(cause.name());
        }
        if let Some(moves) = moves {
            header["moves"] = json!(moves);
        }
        header
    }

    /// The record of one game of a job of the cell.
    fn of_game(&self, job: &dyn Job, game: u64) -> String {
        let mut lines = Vec::new();
        let played = job.moves(game).and_then(|(outcome, moves)| {
            let told = job.replay_given(game, &moves, &mut |line| lines.push(line));
            told.ok().map(|_| (outcome, moves))
        });
        let header = match played {
            Some((outcome, moves)) => self.header(game, Some(&outcome), Some(&moves)),
            None => {
                lines.clear();
                let outcome = job.replay(game, &mut |line| lines.push(line));
                self.header(game, Some(&outcome), None)
            }
        };
        joined(&header, game, lines)
    }
}

/// Header and lines as text.
fn joined(header: &Json, game: u64, lines: Vec<Json>) -> String {
    let mut text = format!("{header}\n");
    for line in lines {
        text.push_str(&with_index(game, line).to_string());
        text.push('\n');
    }
    text
}

/// A line of a transcript with the number of its game.
fn with_index(game: u64, line: Json) -> Json {
    let mut fields = json!({"game_index": game});
    if let (Json::Object(fields), Json::Object(rest)) = (&mut fields, line) {
        fields.extend(rest);
    }
    fields
}

/// Writes the records of some games of a cell, in order; of a match, those of both games of a pair.
/// They are played on all threads.
///
/// # Errors
/// Says in one line why the cell cannot be played, or the first error of `output`.
pub fn write(
    cell: &Cell,
    seed: u64,
    games: Range<u64>,
    output: &mut dyn Write,
) -> Result<io::Result<()>, String> {
    let cells = match cell.matched {
        Some(_) => cell.games_of_match(),
        None => vec![cell.clone()],
    };
    let mut parts = Vec::new();
    for (single, number) in cells.iter().zip(1..) {
        let job = single.job(seed, by_moves(single));
        let about = About {
            cell: single,
            players: single.player_labels(),
            seed,
            key: cell.key(),
            game_of_pair: cell.matched.map(|_| number),
        };
        parts.push((about, job.map_err(|error| error.to_string())?));
    }
    let of_game = |game: u64| -> String {
        let parts = parts.iter();
        parts
            .map(|(about, job)| about.of_game(job.as_ref(), game))
            .collect()
    };
    for from in games.clone().step_by(GAMES_AT_ONCE as usize) {
        let to = games.end.min(from.saturating_add(GAMES_AT_ONCE));
        #[cfg(feature = "parallel")]
        let records: Vec<String> = {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            (from..to).into_par_iter().map(of_game).collect()
        };
        #[cfg(not(feature = "parallel"))]
        let records: Vec<String> = (from..to).map(of_game).collect();
        for record in records {
            if let Err(error) = output.write_all(record.as_bytes()) {
                return Ok(Err(error));
            }
        }
    }
    Ok(Ok(()))
}

/// The engine that plays a cell move by move: two-player games in any, others in the reference.
fn by_moves(cell: &Cell) -> KernelChoice {
    if cell.game.seats == 2 {
        KernelChoice::Auto
    } else {
        KernelChoice::Reference
    }
}

/// The record of a game with these moves, which a person may have made.
///
/// # Errors
/// Says which move is not one of the game.
pub fn of_moves(
    cell: &Cell,
    players: Vec<String>,
    seed: u64,
    game: u64,
    moves: &[String],
) -> Result<String, String> {
    let job = cell
        .job(seed, by_moves(cell))
        .map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    let reached = job
        .replay_given(game, moves, &mut |line| lines.push(line))
        .map_err(|error| error.to_string())?;
    let seats = cell.players.iter().zip(&players);
    let seats = seats.map(|(player, name)| match name.as_str() {
        PERSON => PERSON.to_owned(),
        _ => player.key(),
    });
    let key = cell.key_of(&[], &join(seats, "/"));
    let about = About {
        cell,
        players,
        seed,
        key,
        game_of_pair: None,
    };
    Ok(joined(
        &about.header(game, ended(reached).as_ref(), Some(moves)),
        game,
        lines,
    ))
}

/// The outcome of a game that given moves have ended.
fn ended(reached: Reached) -> Option<Outcome> {
    match reached {
        Reached::End(outcome) => Some(outcome),
        Reached::Open { .. } => None,
    }
}

/// A record that was read.
#[derive(Debug)]
pub struct Record {
    /// The cell of single games that plays it again.
    pub cell: Cell,
    /// The players of the seats as they were written.
    pub players: Vec<String>,
    /// The master seed.
    pub seed: u64,
    /// The number of the game.
    pub game: u64,
    /// The names of the moves.
    pub moves: Option<Vec<String>>,
    /// The header and the other lines, and where the header stands in the file, from 1.
    header: Json,
    lines: Vec<Json>,
    at: usize,
}

/// Whether a file begins as records do.
pub fn is_record(path: &Path) -> bool {
    use std::io::Read;
    let wanted = format!("{{\"format\":\"{FORMAT}\"");
    let mut start = vec![0; wanted.len()];
    // A pipe is left alone: what is read from it is gone.
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == wanted.as_bytes()
}

/// Reads the records of a file.
///
/// # Errors
/// Names the file and the first line that is wrong, and says what would be right.
pub fn read(path: &Path) -> Result<Vec<Record>, String> {
    let wrong = |error: String| format!("{}: {error}", path.display());
    let text = files::read_named(path, TABLE_BYTES_MAX).map_err(wrong)?;
    of_text(&text).map_err(wrong)
}

/// Reads records.
///
/// # Errors
/// Names the first line that is wrong, and says what would be right.
pub fn of_text(text: &str) -> Result<Vec<Record>, String> {
    let mut records: Vec<Record> = Vec::new();
    for (line, at) in text.lines().zip(1_usize..) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |error: String| format!("line {at}: {error}");
        let json: Json =
            serde_json::from_str(line).map_err(|_| wrong("not a JSON object".into()))?;
        if json.get("format").is_some() {
            records.push(of_header(json, at).map_err(wrong)?);
        } else if let Some(record) = records.last_mut() {
            record.lines.push(json);
        } else {
            return Err(wrong(format!(
                "a record begins with a header, {{\"format\":\"{FORMAT}\",…}}"
            )));
        }
    }
    if records.is_empty() {
        return Err("holds no record of a game".to_owned());
    }
    Ok(records)
}

fn of_header(header: Json, at: usize) -> Result<Record, String> {
    if header["format"] != FORMAT || header["version"] != VERSION {
        return Err(format!(
            "format {}, version {}: this tilelab reads records of format {FORMAT:?} and version {VERSION}",
            header["format"], header["version"]
        ));
    }
    let number = |key: &str| field::<u64>(&header, key, "a whole number from 0 up");
    let texts = |key: &str| field::<Vec<String>>(&header, key, "a list of texts");
    let game: String = field(&header, "game", "a text")?;
    let game = plan::game(&game).map_err(|error| format!("game: {error}"))?;
    let rules = header["rules"]
        .as_object()
        .ok_or("rules: must be an object")?;
    let mut params = Params::defaults(game.params);
    for (key, value) in rules {
        params
            .change_json(game.params, key, value)
            .map_err(|error| format!("rules: {error}"))?;
    }
    (game.complete)(&mut params).map_err(|error| format!("rules: {error}"))?;
    let players = texts("players")?;
    if players.len() != game.seats {
        let seats = game.seats;
        return Err(format!(
            "players: {} has {seats}, not {}",
            game.name,
            players.len()
        ));
    }
    let moves = header.get("moves").map(|_| texts("moves")).transpose()?;
    // Where the moves are known, no player is asked, and no program of one is started.
    let mut specs = vec![catalog::PlayerSpec::new(&game.players[0]); game.seats];
    if moves.is_none() {
        for (spec, player) in specs.iter_mut().zip(&players) {
            let named = plan::player(game, player).map_err(|error| format!("players: {error}"))?;
            if external::is_asked(&named) {
                return Err(format!("moves: missing; {player} cannot be asked again"));
            }
            *spec = named;
        }
    }
    let mut cell = Cell::of(game, params, specs);
    if header.get("common").is_some() {
        let named = texts("common")?;
        cell.common = game
            .param_names()
            .filter(|name| named.iter().any(|known| known == *name))
            .collect();
    }
    Ok(Record {
        cell,
        players,
        seed: number("seed")?,
        game: number("game_index")?,
        moves,
        lines: Vec::new(),
        at,
        header,
    })
}

/// The value of a key of a header, which has this form.
fn field<T: DeserializeOwned>(header: &Json, key: &str, form: &str) -> Result<T, String> {
    let value = &header[key];
    T::deserialize(value).map_err(|_| format!("{key}: {value}: must be {form}"))
}

impl Record {
    /// The lines of the transcript, after the game was played again by its rules and compared
    /// with the record.
    ///
    /// # Errors
    /// Names the line that is not what the rules say.
    pub fn checked(&self) -> Result<Vec<Json>, String> {
        let job = self
            .cell
            .job(self.seed, by_moves(&self.cell))
            .map_err(|error| format!("line {}: {error}", self.at))?;
        let mut lines = Vec::new();
        let mut keep = |line| lines.push(line);
        let outcome = match &self.moves {
            None => self.replay(job.as_ref(), &mut keep)?,
            Some(moves) => {
                let reached = job.replay_given(self.game, moves, &mut keep);
                ended(reached.map_err(|error| format!("line {}: {error}", self.at))?)
            }
        };
        let outcome = outcome.map(|outcome| outcome.result);
        for (number, found) in lines.iter().enumerate() {
            let expected = with_index(self.game, found.clone());
            if self.lines.get(number) != Some(&expected) {
                let at = self.at + 1 + number;
                return Err(format!("line {at}: the rules give {expected}"));
            }
        }
        if let Some(at) = (self.lines.len() > lines.len()).then(|| self.at + 1 + lines.len()) {
            return Err(format!("line {at}: the game is over before"));
        }
        // A command that failed has lost a game that goes on by the rules.
        let recorded = &self.header["outcome"];
        let expected = json!(outcome.map(GameResult::name));
        if outcome.is_some() && recorded.as_str() != expected.as_str() {
            let at = self.at;
            return Err(format!(
                "line {at}: outcome: the rules give {expected}, not {recorded}"
            ));
        }
        Ok(lines)
    }

    /// Asks the players again for a game whose moves are not recorded; not for more moves than the
    /// record has lines, since a stranger may have chosen a game without an end.
    fn replay(&self, job: &dyn Job, keep: &mut dyn FnMut(Json)) -> Result<Option<Outcome>, String> {
        let mut left = self.lines.len();
        let Ok(mut session) = job.open(self.game, None) else {
            // Games that cannot be watched; of the lines, no more are kept than are compared.
            return Ok(Some(job.replay(self.game, &mut |line| {
                if left > 0 {
                    left -= 1;
                    keep(line);
                }
            })));
        };
        let mut moves = Vec::new();
        while !session.is_over() {
            if left == 0 {
                let at = self.at + self.lines.len();
                return Err(format!("line {at}: the record ends before the game"));
            }
            left -= 1;
            let mut legal = session.view().legal;
            let chosen = session.choose();
            moves.push(legal.swap_remove(chosen));
            session.play(chosen);
        }
        let reached = job.replay_given(self.game, &moves, keep);
        let reached = reached.map_err(|error| format!("line {}: {error}", self.at))?;
        Ok(ended(reached))
    }

    /// How the game ended, as the record says.
    pub fn outcome(&self) -> Option<&str> {
        self.header["outcome"].as_str()
    }
}

/// A session that notes its moves, and whose players may make given ones. It ends with the given
/// moves.
pub struct Noted {
    /// The session.
    pub session: Box<dyn Session>,
    /// The moves so far.
    pub moves: Arc<Mutex<Vec<String>>>,
    /// The moves that the players make, if any are given; after the last of them, none is legal.
    pub given: Option<Vec<String>>,
}

impl Noted {
    /// The moves that are left of those given, if any are given.
    fn next(&self) -> Option<Option<&String>> {
        let moves = locked(&self.moves);
        Some(self.given.as_ref()?.get(moves.len()))
    }
}

impl Session for Noted {
    fn view(&self) -> View {
        let mut view = self.session.view();
        if view.outcome.is_none() && self.next() == Some(None) {
            view.legal.clear();
            view.paths.clear();
            view.why_over = "the record ends here".to_owned();
        }
        view
    }

    fn position(&self) -> Json {
        self.session.position()
    }

    fn is_over(&self) -> bool {
        self.session.is_over() || self.next() == Some(None)
    }

    fn rules(&self) -> String {
        self.session.rules()
    }

    fn goal(&self) -> String {
        self.session.goal()
    }

    fn why_illegal(&self, attempt: Attempt<'_>) -> Option<String> {
        self.session.why_illegal(attempt)
    }

    fn play(&mut self, legal: usize) {
        let name = self.session.view().legal[legal].clone();
        locked(&self.moves).push(name);
        self.session.play(legal);
    }

    fn choose(&mut self) -> usize {
        let Some(next) = self.next() else {
            return self.session.choose();
        };
        let legal = self.session.view().legal;
        let known = legal.iter().position(|legal| Some(legal) == next);
        known.expect("the moves of a record are legal, and it was asked for no more")
    }

    fn hint(&mut self) -> Hint<usize> {
        self.session.hint()
    }

    fn evaluate(&mut self) -> Option<Vec<Option<f64>>> {
        self.session.evaluate()
    }

    fn scale(&self) -> Scale {
        self.session.scale()
    }

    fn undo(&mut self) -> bool {
        let is_undone = self.session.undo();
        if is_undone {
            locked(&self.moves).pop();
        }
        is_undone
    }
}

/// Whether every game of a cell can be played again as it was: by the clock it cannot.
///
/// # Errors
/// Names the player.
pub fn check_repeatable(cell: &Cell) -> Result<(), String> {
    catalog::refuse_clocks(&cell.players).map_err(|_| {
        format!("--record: the games of {} cannot be played again to record them; its players choose under a time limit", cell.key())
    })
}
