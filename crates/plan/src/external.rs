//! Players that are asked one choice at a time: those from outside, commands that answer positions,
//! one JSON line each, or functions; and those that choose under a time limit, whose choices are
//! timed.
//!
//! A line on its standard input is
//! `{"protocol":1,"game":…,"rules":{…},"game_index":…,"seed":…,"seat":…,"moves":…,`
//! `"timeout_ms":…,"position":…,"legal":[…]}`, with the position as `tilelab move` writes it. The
//! command answers `{"move":"NAME"}` on its standard output, with one of the legal moves. It goes
//! on until its standard input ends, and answers games in any order: it must not draw conclusions
//! from lines before.
//!
//! Who does not answer in time, ends, answers anything else, or more than [`LINE_BYTES_MAX`] bytes,
//! forfeits this game ([`Forfeit`]), and a new process plays the next one. A player of the catalog
//! that takes longer than its `budget_ms` is named when the games are over, and loses nothing.
//!
//! A program that uses the library can answer the same positions by a function ([`add_player`]). A
//! function that fails or answers anything else fails its cell.

mod process;
#[cfg(target_os = "linux")]
mod watch;

pub use process::{Programs, end_all};

use crate::weights::Learned;
use process::Process;
use std::collections::HashSet;
use std::io::Write;
use std::ops::Range;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tilelab_games::catalog::{self, GameEntry, PlayerEntry, PlayerSpec, refuse_clocks};
use tilelab_games::game::advice::Advisor;
use tilelab_games::game::given::{GivenError, Reached};
use tilelab_games::game::registry::{BUDGET, Setup};
use tilelab_games::game::session::{BoardRows, Session, View};
use tilelab_games::game::{
    Forfeit, Forfeits, GameObserver, GameResult, Job, Measure, Outcome, PositionError, Tally,
};
use tilelab_games::json::{Json, json};
use tilelab_games::params::{ParamError, ParamSpec};
use tilelab_games::rng::{CellSeeds, Rng};
use tilelab_output::locked;

/// The name of these players.
pub const COMMAND: &str = "command";
/// The parameter with the words of the command.
pub const RUN: &str = "run";
const TIMEOUT: &str = "timeout_ms";
/// The version of the lines.
pub const PROTOCOL: u64 = 1;
/// The longest answer.
pub const LINE_BYTES_MAX: u64 = 64 << 10;
/// Messages about forfeited games that one cell prints.
const MESSAGES_MAX: usize = 5;

/// The words of a command with one blank between them. Cells and lists of players are written with
/// commas and parentheses, so a word has none; a script may.
fn words(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_plain = |character: char| !character.is_control() && !",()\"".contains(character);
    (!words.is_empty() && text.len() <= 1000 && text.chars().all(is_plain)).then(|| words.join(" "))
}

/// The entry of these players, for every game.
pub static ENTRY: PlayerEntry = PlayerEntry {
    name: COMMAND,
    summary: "a program of your own that answers positions, as in command(python3 mine.py)",
    params: &[
        ParamSpec::text(
            RUN,
            "a program and its arguments, without commas, parentheses and double quotes",
            words,
            None,
        )
        .help("the program and its arguments, separated by blanks"),
        ParamSpec::int(TIMEOUT, 1..=3_600_000, Some(10_000))
            .help("time per move in milliseconds; a player that takes longer forfeits the game"),
    ],
    chance: true,
    searches: false,
    build: |_| {
        Err(ParamError::new(
            "player",
            "command: only cells of experiments and matches have such players",
        ))
    },
    seat: None,
};

/// Answers a position with the name of a legal move, or with an error.
pub type Respond = dyn Fn(&Json) -> Result<String, String> + Send + Sync;

/// Makes the job of a cell for one player: `setup` is the cell's with the random player, and the
/// job given plays the random player's games.
pub type MakeJob = dyn Fn(&'static GameEntry, &Setup<'_>, Box<dyn Job>) -> Result<Box<dyn Job>, ParamError>
    + Send
    + Sync;

/// What a player of the calling program is.
#[derive(Clone)]
pub enum Function {
    /// A function that answers one position at a time.
    Choices(Arc<Respond>),
    /// A function that plays the games of cells for one player by itself.
    Games(Arc<MakeJob>),
}

/// The functions that the program has added.
static FUNCTIONS: Mutex<Vec<(&'static PlayerEntry, Function)>> = Mutex::new(Vec::new());

/// Adds a player of all games whose moves a function chooses, or replaces the function of this
/// name. The entry is never freed.
///
/// # Errors
/// When a player of the catalog has the name, or it cannot stand in the keys of cells.
pub fn add_player(name: &str, plays: Function) -> Result<&'static PlayerEntry, String> {
    let entry = named_entry(name)?;
    let mut functions = locked(&FUNCTIONS);
    functions.retain(|(known, _)| !std::ptr::eq(*known, entry));
    functions.push((entry, plays));
    Ok(entry)
}

/// The entry that stands for this name in cells, one for each name: it has no parameters, and only
/// the cells of [`add_player`] can be played.
///
/// # Errors
/// As [`add_player`].
pub fn named_entry(name: &str) -> Result<&'static PlayerEntry, String> {
    static ENTRIES: Mutex<Vec<&'static PlayerEntry>> = Mutex::new(Vec::new());
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!(
            "player {name:?}: accepted: letters, digits, - _ . (the name stands in the keys of cells)"
        ));
    }
    if name == COMMAND || catalog::games().any(|game| game.player(name).is_some()) {
        return Err(format!(
            "player {name:?}: a player of the catalog has this name; give another"
        ));
    }
    let mut entries = locked(&ENTRIES);
    if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
        return Ok(entry);
    }
    let entry: &'static PlayerEntry = Box::leak(Box::new(PlayerEntry {
        name: name.to_owned().leak(),
        summary: "a function",
        params: &[],
        ..ENTRY
    }));
    entries.push(entry);
    Ok(entry)
}

/// What a player is, where the program has added it.
pub(crate) fn function(player: &PlayerEntry) -> Option<Function> {
    let functions = locked(&FUNCTIONS);
    let mut functions = functions.iter();
    let found = functions.find(|(entry, _)| std::ptr::eq(*entry, player));
    found.map(|(_, plays)| plays.clone())
}

/// The player of a game with this name, the command, or a function.
pub fn player(game: &GameEntry, name: &str) -> Option<&'static PlayerEntry> {
    let function = || {
        let functions = locked(&FUNCTIONS);
        let mut entries = functions.iter().map(|(entry, _)| *entry);
        entries.find(|entry| entry.name == name)
    };
    game.player(name)
        .or_else(|| (name == COMMAND).then_some(&ENTRY))
        .or_else(function)
}

/// A setting of a player: the words of a command stand without their key, as in
/// `command(python3 mine.py)`.
pub fn setting(player: &PlayerEntry, setting: &str) -> String {
    let has_key = |name: &str| setting.trim_start().starts_with(&format!("{name}="));
    if player.name != COMMAND || has_key(RUN) || has_key(TIMEOUT) {
        return setting.to_owned();
    }
    format!("{RUN}={setting}")
}

/// Whether a player is a command or a function.
pub fn is_outside(player: &PlayerSpec) -> bool {
    program(player).is_some() || function(player.entry).is_some()
}

/// The words of the program that a player is, where it is one.
pub fn program(player: &PlayerSpec) -> Option<&str> {
    let is_program = std::ptr::eq(player.entry, &raw const ENTRY);
    is_program.then(|| player.params.text(RUN).unwrap_or_default())
}

/// Whether a player is asked one choice at a time: a command, a function, or one that thinks by the
/// clock.
pub fn is_asked(player: &PlayerSpec) -> bool {
    is_outside(player) || refuse_clocks(std::slice::from_ref(player)).is_err()
}

/// How the player of a seat chooses.
enum Chooser {
    /// The player chooses by itself.
    Free,
    /// The player chooses by itself, and its choices are timed.
    Timed(Timed),
    /// A function of the calling program.
    Function(&'static str, Arc<Respond>),
    /// A command.
    Command(Program),
}

/// A player with a budget, and how it kept to it.
struct Timed {
    player: String,
    budget: Duration,
    kept: Mutex<Kept>,
}

/// How a player kept to its budget.
#[derive(Default)]
struct Kept {
    choices: u64,
    /// Choices that took too long.
    overruns: u64,
    longest: Duration,
}

impl Timed {
    fn took(&self, time: Duration) {
        // The clock is looked at now and then, and other threads may have the processor.
        let allowance = (self.budget / 10).max(Duration::from_millis(5));
        let mut kept = locked(&self.kept);
        kept.choices += 1;
        kept.overruns += u64::from(time > self.budget + allowance);
        kept.longest = kept.longest.max(time);
    }
}

/// Names a player that took longer than its budget.
impl Drop for Timed {
    fn drop(&mut self) {
        let kept = locked(&self.kept);
        if kept.overruns > 0 {
            let _ = writeln!(
                std::io::stderr(),
                "warning: {}: {} of {} choices took longer than its budget, up to {:.1} ms",
                self.player,
                kept.overruns,
                kept.choices,
                1e3 * kept.longest.as_secs_f64()
            );
        }
    }
}

/// Why a player from outside is not asked about a board.
pub const PLAYS_WHOLE_GAMES: &str = "commands and functions play whole games, which replay shows; ask the function itself about a board";

/// The games of a cell in which players are asked one choice at a time.
pub struct AskedJob {
    /// The games of the cell, with another player in the places of those from outside.
    games: Box<dyn Job>,
    seats: Vec<Chooser>,
    game: &'static str,
    rules: Json,
    seeds: CellSeeds,
    said: Mutex<HashSet<String>>,
}

impl AskedJob {
    /// The games of `games`, built from `setup`, in which those of `players` that are from outside
    /// choose, and those with a budget are timed.
    ///
    /// # Errors
    /// Where a program cannot be started, or may not.
    pub fn new(
        game: &GameEntry,
        setup: &Setup<'_>,
        players: &[PlayerSpec],
        programs: Option<&Programs>,
        games: Box<dyn Job>,
    ) -> Result<Self, ParamError> {
        let chooser = |player: &PlayerSpec| {
            match function(player.entry) {
                Some(Function::Choices(respond)) => {
                    return Ok(Chooser::Function(player.entry.name, respond));
                }
                Some(Function::Games(_)) => {
                    let message = format!("{}: plays one-player games", player.entry.name);
                    return Err(ParamError::new("player", message));
                }
                None => {}
            }
            let Some(run) = program(player) else {
                let is_timed = is_asked(player);
                let budget = is_timed.then(|| player.params.int(BUDGET)).flatten();
                return Ok(budget.map_or(Chooser::Free, |budget| {
                    Chooser::Timed(Timed {
                        player: player.label(),
                        budget: Duration::from_millis(budget.unsigned_abs()),
                        kept: Mutex::default(),
                    })
                }));
            };
            if cfg!(target_family = "wasm") {
                let message = "programs cannot be started in a browser";
                return Err(ParamError::new(RUN, message));
            }
            let programs = programs.cloned().ok_or_else(|| {
                let message = format!(
                    "{run}: a file names this program; if you trust it, allow it (--allow-programs, allow_programs=True in Python)"
                );
                ParamError::new("player", message)
            })?;
            // What cannot be started is found before anything is written.
            let first = programs
                .process(run)
                .map_err(|error| ParamError::new("player", error))?;
            programs.give_back(run, first);
            Ok(Chooser::Command(Program {
                run: run.to_owned(),
                timeout: player.params.int(TIMEOUT).unwrap_or(1).unsigned_abs(),
                programs,
            }))
        };
        Ok(Self {
            games,
            seats: players.iter().map(chooser).collect::<Result<_, _>>()?,
            game: game.name,
            rules: Json::Object(Learned::rules_of(setup.params)),
            seeds: setup.seeds,
            said: Mutex::default(),
        })
    }

    /// Refuses to ask players from outside about boards.
    fn check_watched(&self) -> Result<(), PositionError> {
        for seat in &self.seats {
            if matches!(seat, Chooser::Command(_) | Chooser::Function(..)) {
                return Err(PLAYS_WHOLE_GAMES.into());
            }
        }
        Ok(())
    }

    /// Plays one game: its outcome, its moves and its last position.
    fn game(&self, index: u64) -> (Outcome, Vec<String>, Box<dyn Session>) {
        let mut session = self
            .games
            .open(index, None)
            .expect("games of the loop can be opened");
        let mut processes: Vec<Option<Process>> = self.seats.iter().map(|_| None).collect();
        let mut stream = self.seeds.player_stream(index);
        let seed = stream.next_u64() >> 11;
        let mut moves = Vec::new();
        let mut forfeits = Forfeits::NONE;
        while !session.is_over() {
            let view = session.view();
            let chosen = match &self.seats[view.seat] {
                Chooser::Free => session.choose(),
                Chooser::Timed(timed) => {
                    let begun = Instant::now();
                    let chosen = session.choose();
                    timed.took(begun.elapsed());
                    chosen
                }
                Chooser::Function(name, respond) => {
                    let request = self.request(index, seed, &view, None, session.position());
                    chosen_by(respond.as_ref(), &request, &view.legal).unwrap_or_else(|reason| {
                        // Not `panic!`, whose hook prints a backtrace.
                        let message = format!("{name}: game {index}: {reason}");
                        std::panic::resume_unwind(Box::new(message))
                    })
                }
                Chooser::Command(program) => {
                    let timeout = Some(program.timeout);
                    let position = session.position();
                    let request = self.request(index, seed, &view, timeout, position);
                    match program.ask(&mut processes[view.seat], &request, &view.legal) {
                        Ok(chosen) => chosen,
                        Err((cause, reason)) => {
                            self.say(index, program, &reason);
                            forfeits = Forfeits::of(view.seat, cause);
                            break;
                        }
                    }
                }
            };
            moves.push(view.legal[chosen].clone());
            session.play(chosen);
        }
        for (chooser, process) in self.seats.iter().zip(processes) {
            if let (Chooser::Command(program), Some(process)) = (chooser, process) {
                program.programs.give_back(&program.run, process);
            }
        }
        let outcome = if forfeits.is_empty() {
            session.view().outcome.expect("the game is over")
        } else {
            let result = if forfeits.has(0) {
                GameResult::Lost
            } else {
                GameResult::Won
            };
            Outcome {
                forfeits,
                ..Outcome::new(result, moves.len() as u64)
            }
        };
        (outcome, moves, session)
    }

    /// The line about a position.
    fn request(
        &self,
        index: u64,
        seed: u64,
        view: &View,
        timeout: Option<u64>,
        position: Json,
    ) -> Json {
        let mut request = json!({
            "protocol": PROTOCOL,
            "game": self.game,
            "rules": self.rules,
            "game_index": index,
            "seed": seed,
            "seat": view.seat,
            "moves": view.moves,
        });
        if let Some(timeout) = timeout {
            request["timeout_ms"] = timeout.into();
        }
        request["position"] = position;
        request["legal"] = json!(view.legal);
        request
    }

    /// Says why a command forfeited a game, each reason once and not too many.
    fn say(&self, index: u64, program: &Program, reason: &str) {
        let mut said = locked(&self.said);
        if said.len() < MESSAGES_MAX && said.insert(reason.to_owned()) {
            let _ = writeln!(
                std::io::stderr(),
                "warning: {}: game {index} is forfeited: {reason}",
                program.run
            );
        }
    }
}

/// The number of the legal move that a function chooses.
fn chosen_by(respond: &Respond, request: &Json, legal: &[String]) -> Result<usize, String> {
    let name = respond(request)?;
    let chosen = legal.iter().position(|known| *known == name);
    let legal = || legal.join(", ");
    chosen.ok_or_else(|| format!("{name:?} is not a legal move; legal: {}", legal()))
}

/// The start of a line, for a message.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let short: String = text.trim().chars().take(100).collect();
    tilelab_games::text::escape(&short).into_owned()
}

impl Job for AskedJob {
    fn measures(&self) -> &'static [Measure] {
        self.games.measures()
    }

    fn kernel(&self) -> &'static str {
        self.games.kernel()
    }

    fn batch_games(&self) -> u64 {
        1
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        for index in games {
            let (outcome, _, session) = self.game(index);
            tally.add(&outcome);
            if let Some(GameObserver { positions, each }) = &mut observer {
                let position = positions.then(|| session.position().to_string());
                each(index, &outcome, &position.unwrap_or_default());
            }
        }
    }

    /// Asks the players again, who may choose otherwise.
    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let (outcome, moves, _) = self.game(game);
        let replayed = self.games.replay_given(game, &moves, line);
        assert!(replayed.is_ok(), "{:?}", replayed.err());
        outcome
    }

    fn moves(&self, game: u64) -> Option<(Outcome, Vec<String>)> {
        let (outcome, moves, _) = self.game(game);
        Some((outcome, moves))
    }

    fn replay_given(
        &self,
        game: u64,
        moves: &[String],
        line: &mut dyn FnMut(Json),
    ) -> Result<Reached, GivenError> {
        self.games.replay_given(game, moves, line)
    }

    fn advisor(&self) -> Result<Box<dyn Advisor>, PositionError> {
        self.check_watched()?;
        self.games.advisor()
    }

    fn open(
        &self,
        game: u64,
        board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        self.check_watched()?;
        self.games.open(game, board)
    }
}

/// A command.
struct Program {
    run: String,
    timeout: u64,
    programs: Programs,
}

/// Why a game is forfeited, also for people.
type Lost = (Forfeit, String);

/// The next of these within a time, which stands still while this process is stopped (Ctrl-Z).
fn within<T>(answers: &Receiver<T>, time: Duration) -> Result<T, RecvTimeoutError> {
    const STEP: Duration = Duration::from_millis(100);
    let mut left = time;
    loop {
        let step = left.min(STEP);
        let begun = Instant::now();
        let answer = answers.recv_timeout(step);
        if !matches!(answer, Err(RecvTimeoutError::Timeout)) {
            return answer;
        }
        let was_stopped = begun.elapsed() > step + STEP;
        left -= if was_stopped {
            (step + Duration::from_nanos(1)) / 2
        } else {
            step
        };
        if left.is_zero() {
            return answer;
        }
    }
}

impl Program {
    /// Asks for one of the legal moves. A process that failed is dropped.
    fn ask(
        &self,
        process: &mut Option<Process>,
        request: &Json,
        legal: &[String],
    ) -> Result<usize, Lost> {
        let no_answer = |reason: String| (Forfeit::NoAnswer, reason);
        let running = process.take().unwrap_or_else(|| {
            // A program that cannot be started any more is no fault of the player: the runner fails
            // the cell. Not `panic!`, whose hook prints a backtrace.
            let started = self.programs.process(&self.run);
            started.unwrap_or_else(|error| std::panic::resume_unwind(Box::new(error)))
        });
        // What it said without being asked.
        if let Ok(Ok(line)) = running.answers.try_recv() {
            return Err(no_answer(format!("more than one answer: {}", shown(&line))));
        }
        let _ = running.requests.send(format!("{request}\n"));
        let line = match within(&running.answers, Duration::from_millis(self.timeout)) {
            Ok(Ok(line)) => line,
            Ok(Err((cause, reason))) => {
                return Err((cause, self.with_complaint(&running, reason)));
            }
            Err(RecvTimeoutError::Timeout) => {
                let reason = format!("no answer within {} ms", self.timeout);
                return Err((Forfeit::Timeout, self.with_complaint(&running, reason)));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err((Forfeit::Crash, "it has ended".to_owned()));
            }
        };
        let answer: serde_json::Value = serde_json::from_slice(&line)
            .map_err(|_| no_answer(format!("not JSON: {}", shown(&line))))?;
        let chosen = answer
            .get("move")
            .and_then(serde_json::Value::as_str)
            .ok_or_else(|| no_answer(format!("no \"move\" in {}", shown(&line))))?;
        let at = legal.iter().position(|name| name == chosen);
        let at = at.ok_or_else(|| {
            let reason = format!("not a legal move: {}", shown(&line));
            (Forfeit::Illegal, reason)
        })?;
        *process = Some(running);
        Ok(at)
    }

    /// A reason with the last line on standard error, which may still be on its way.
    fn with_complaint(&self, running: &Process, reason: String) -> String {
        std::thread::sleep(Duration::from_millis(20));
        let complaint = locked(&running.complaint);
        if complaint.is_empty() {
            reason
        } else {
            format!("{reason}: {complaint}")
        }
    }
}
