//! `tilelab play`: a person plays, or watches a player.

use super::{Ended, Result, input_error, join, set, wrong};
use crate::catalog::{self, GameEntry, PlayerSpec};
use crate::game::KernelChoice;
use crate::game::session::Session;
use crate::params::{Params, Value};
use crate::plan::Cell;
use crate::record::{self, Noted};
use crate::tui::lines::{self, Console};
use crate::tui::paint::Palette;
use crate::tui::{Ending, PlayOptions, Role, capital, screen};
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tilelab_output::files::{self, TEXT_BYTES_MAX};
use tilelab_output::locked;

/// Play a game in the terminal, or with --player watch a player play it
///
/// Arrows or w/a/s/d move, ? shows the rules and all keys, u undoes, h asks a player for a hint.
/// Without a terminal, or with --plain, boards go to standard output and moves come from standard
/// input, one a line: a legal move's name, or undo, hint, new, board, help, quit. An illegal move
/// is rejected with its reason on standard error, and the next line is read. The exit code is 0
/// when the game was played to its end or left by quit, 1 when the input ended before the game did.
///
/// With --player, Space pauses, . makes a single step, + and - change the speed, t plays as fast as
/// possible (turbo), u steps back, n begins the next game. Without a terminal every position is
/// written to standard output with move count and elapsed time.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab play sixty-seven --seed 1\n  \
        tilelab play sixty-seven --set size=8x8 --set rules=gapless\n  \
        tilelab play sixty-seven --board \"66 + _ 1 / _ _ _ 5\"\n  \
        tilelab play sixty-seven --player planner --speed 2\n  \
        printf 'left\\nup\\nquit\\n' | tilelab play sixty-seven --seed 1")]
pub struct Args {
    /// The game (`tilelab list games`)
    #[arg(conflicts_with = "replay",
          value_parser = PossibleValuesParser::new(catalog::games().map(possible)))]
    game: Option<String>,
    /// A parameter of the game (`tilelab list games`), such as size=8x8; may be repeated
    #[arg(long = "set", value_name = "key=value")]
    settings: Vec<String>,
    /// The master seed; the same seed deals the same tiles [default: from the clock]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Which game of this seed to begin with
    #[arg(long = "game", value_name = "I", default_value_t = 0)]
    index: u64,
    /// The player to watch, such as planner or "NAME(key=value,…)"
    #[arg(long)]
    player: Option<String>,
    /// The player of the other side in two-player games [default: as --player or --hints]
    #[arg(long, value_name = "PLAYER")]
    opponent: Option<String>,
    /// A start board: rows separated by /, tiles by spaces or commas, _ for a blank cell
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    board: Option<String>,
    /// A file with a start board, one row a line; - reads rows from standard input up to an empty
    /// line
    #[arg(long, value_name = "FILE", conflicts_with = "board")]
    board_file: Option<PathBuf>,
    /// Line by line instead of on the full screen
    #[arg(long)]
    plain: bool,
    /// On leaving, write records of the games that were played into this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "board_file"])]
    record: Option<PathBuf>,
    /// Watch the game of a record, which replay --json, match --record or play --record has written
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "settings", "seed", "index", "player", "opponent", "board", "board_file", "record"
    ])]
    replay: Option<PathBuf>,
    /// On leaving the full screen, write it as an SVG picture into this file
    #[arg(long, value_name = "FILE", conflicts_with = "plain")]
    picture: Option<PathBuf>,
    /// The side you play in two-player games: 0 or 1
    #[arg(long, value_name = "SIDE", default_value_t = 0, conflicts_with = "player", value_parser = clap::value_parser!(u8).range(0..=1))]
    seat: u8,
    /// The player to ask for hints, such as greedy or "NAME(key=value,…)" [default: the last player
    /// of the game in `tilelab list` that plays the board]
    #[arg(long, value_name = "PLAYER", conflicts_with = "player")]
    hints: Option<String>,
    /// With --player: moves per second [default: 5 on the full screen, as fast as possible line by
    /// line]
    #[arg(long, value_name = "N", value_parser = rate)]
    speed: Option<f64>,
    /// With --player: as fast as possible
    #[arg(long, conflicts_with = "speed")]
    turbo: bool,
    /// With --player: wait for a key before the first move
    #[arg(long)]
    paused: bool,
}

impl Args {
    /// The option that only makes sense with a player, if one is set.
    fn pace_option(&self) -> Option<&'static str> {
        [
            ("--speed", self.speed.is_some()),
            ("--turbo", self.turbo),
            ("--paused", self.paused),
        ]
        .into_iter()
        .find_map(|(name, is_set)| is_set.then_some(name))
    }

    /// Watching, as fast as is asked for.
    fn watching(&self) -> Role {
        let by_default = std::io::stdout().is_terminal().then_some(5.0);
        let rate = self.speed.or(by_default);
        Role::Watch {
            rate: rate.filter(|_| !self.turbo),
            paused: self.paused,
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    set::number(text, 0.01..=1000.0, "write moves per second, 0.01 to 1000")
}

/// A game as an argument: help and completions show its name, and its aliases are read too.
fn possible(game: &GameEntry) -> PossibleValue {
    PossibleValue::new(game.name).aliases(game.aliases)
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    if let Some(file) = &args.replay {
        return watch_record(args, file, args.watching());
    }
    if let Some(player) = &args.player {
        return play(
            args,
            ("--player", Some(player.as_str())),
            0,
            args.watching(),
        );
    }
    if let Some(option) = args.pace_option() {
        refuse!("{option}: needs --player, the player to watch");
    }
    let seat = usize::from(args.seat);
    let hints = ("--hints", args.hints.as_deref());
    play(args, hints, seat, Role::Play { seat })
}

/// Checks everything, then plays. `player` is the one that plays or gives hints, with the option
/// that names it.
fn play(args: &Args, player: (&str, Option<&str>), seat: usize, role: Role) -> Ended {
    let Some(name) = &args.game else {
        let games = join(catalog::games().map(|game| game.name), ", ");
        refuse!("GAME: missing; give one of {games}");
    };
    let game = set::game(name)?;
    if seat >= game.seats {
        refuse!(
            "--seat {seat}: {} has one seat; leave --seat out",
            game.name
        );
    }
    let board = board(args)?;
    let settings = with_size(game, &args.settings, board.as_deref());
    let params = set::params(game, &settings)?;
    let players = players(game, &params, player, args.opponent.as_deref())?;
    let cell = Cell::of(game, params, players);
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    let mut players: Vec<String> = cell.players.iter().map(PlayerSpec::label).collect();
    let games = Games::default();
    let options = PlayOptions {
        title: title(game, &cell.params),
        seed,
        index: args.index,
        players: players.clone(),
        role,
        open: Box::new({
            let cell = cell.clone();
            let games = Arc::clone(&games);
            move |index| {
                let session = open(&cell, seed, index, board.as_deref())?;
                let moves = Arc::default();
                locked(&games).push((index, Arc::clone(&moves)));
                Ok(Box::new(Noted {
                    session,
                    moves,
                    given: None,
                }))
            }
        }),
    };
    let code = show(args, options)?;
    if let Some(file) = &args.record {
        if let Role::Play { seat } = role {
            players[seat] = record::PERSON.to_owned();
        }
        let mut records = String::new();
        for (index, moves) in locked(&games).iter() {
            let moves = locked(moves);
            if !moves.is_empty() {
                let record = record::of_moves(&cell, players.clone(), seed, *index, &moves);
                records.push_str(&record.map_err(input_error)?);
            }
        }
        super::write_output(file, records.as_bytes())?;
    }
    Ok(code)
}

/// The games of a command, each with its number and its moves.
type Games = Arc<Mutex<Vec<(u64, Arc<Mutex<Vec<String>>>)>>>;

/// Shows the games of a file of records, one after another.
fn watch_record(args: &Args, file: &Path, role: Role) -> Ended {
    let records = record::read(file).map_err(input_error)?;
    for record in &records {
        record.checked().map_err(wrong(file.display()))?;
    }
    let first = &records[0];
    let options = PlayOptions {
        title: title(first.cell.game, &first.cell.params),
        seed: first.seed,
        index: first.game,
        players: first.players.clone(),
        role,
        open: Box::new(move |index| {
            let wanted = records.iter().find(|record| record.game == index);
            let record =
                wanted.ok_or_else(|| format!("game {index}: the file has no record of it"))?;
            let session = open(&record.cell, record.seed, index, None)?;
            let given = record.moves.clone();
            Ok(Box::new(Noted {
                session,
                moves: Arc::default(),
                given,
            }))
        }),
    };
    show(args, options)
}

/// Plays on the screen or line by line; errors in board, parameters or players are reported before
/// the screen changes.
fn show(args: &Args, options: PlayOptions) -> Ended {
    drop((options.open)(options.index).map_err(input_error)?);
    for (option, file) in [("--record", &args.record), ("--picture", &args.picture)] {
        if let Some(file) = file {
            super::check_writable(option, file)?;
        }
    }
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let on_screen = is_terminal && !is_dumb && !args.plain;
    if let (Some(file), false) = (&args.picture, on_screen) {
        refuse!(
            "--picture {}: a picture needs the full screen, which needs a terminal",
            file.display()
        );
    }
    let ending = if on_screen {
        on_the_screen(options, args.picture.as_deref())?
    } else {
        line_by_line(&options)?
    };
    Ok(ExitCode::from(match ending {
        Ending::Left => 0,
        Ending::InputEnded => 1,
        Ending::Interrupted => 130,
    }))
}

fn on_the_screen(options: PlayOptions, picture: Option<&Path>) -> Result<Ending> {
    let signals = screen::Signals::default();
    let flag = |signal, flag: &Arc<AtomicBool>| {
        signal_hook::flag::register(signal, Arc::clone(flag)).context("signals cannot be handled")
    };
    for &signal in super::interruption::SIGNALS {
        // The signal only sets the flag: before the process ends, the terminal has to be restored.
        flag(signal, &signals.interrupted)?;
    }
    #[cfg(unix)]
    flag(signal_hook::consts::SIGCONT, &signals.resumed)?;
    let watched = Arc::clone(&signals.interrupted);
    std::thread::Builder::new()
        .spawn(move || end_if_stuck(&watched))
        .context("the system has no thread left")?;
    let last = screen::run(options, Palette::of_environment(), &signals)?;
    let said = writeln!(std::io::stdout(), "{}", last.summary);
    if !screen::is_closed() {
        said.context("standard output cannot be written")?;
    }
    if let Some(file) = picture {
        super::write_output(file, last.picture.as_bytes())?;
    }
    Ok(last.ending)
}

/// How long the drawing thread has to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the process soon after a signal, or after the terminal was closed, where the drawing thread
/// cannot: on a closed terminal the library that reads keys repeats the failing call for ever, and
/// a terminal that is stopped (Ctrl-S) blocks every write.
fn end_if_stuck(interrupted: &AtomicBool) -> ! {
    while !interrupted.load(Ordering::Relaxed) && !screen::is_closed() {
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(GRACE);
    if !screen::is_closed() {
        // On a thread of its own, since this may block as well.
        drop(std::thread::Builder::new().spawn(screen::restore));
        std::thread::sleep(GRACE);
    }
    std::process::exit(130);
}

fn line_by_line(options: &PlayOptions) -> Result<Ending> {
    let mut console = Console {
        input: &mut std::io::stdin().lock(),
        output: &mut std::io::stdout().lock(),
        messages: &mut std::io::stderr(),
        prompts: std::io::stdin().is_terminal(),
    };
    Ok(lines::run(options, &mut console)?)
}

/// An engine that can be watched: two-player games in any, others in the reference.
const fn watchable(game: &GameEntry) -> KernelChoice {
    if game.seats == 2 {
        KernelChoice::Auto
    } else {
        KernelChoice::Reference
    }
}

/// Opens a game with an engine that can be watched.
fn open(
    cell: &Cell,
    seed: u64,
    index: u64,
    board: Option<&[Vec<String>]>,
) -> Result<Box<dyn Session>, String> {
    cell.job(seed, watchable(cell.game))
        .map_err(|error| error.to_string())?
        .open(index, board)
        .map_err(|error| error.to_string())
}

/// A short seed that differs from one second to the next.
fn seed_from_clock() -> u64 {
    let now = std::time::UNIX_EPOCH.elapsed();
    now.map_or(0, |now| now.as_millis() as u64 % 1_000_000)
}

fn players(
    game: &'static GameEntry,
    params: &Params,
    (option, player): (&str, Option<&str>),
    opponent: Option<&str>,
) -> Result<Vec<PlayerSpec>> {
    let first = match player {
        Some(text) => set::player(game, option, text)?,
        None => last_that_fits(game, params),
    };
    let mut players = vec![first; game.seats];
    match (opponent, players.get_mut(1)) {
        (Some(text), Some(second)) => *second = set::player(game, "--opponent", text)?,
        (Some(text), None) => {
            refuse!(
                "--opponent {text}: {} has one seat; leave it out",
                game.name
            );
        }
        (None, _) => {}
    }
    Ok(players)
}

/// The last player in the game's list that plays by these parameters: not all play boards of all
/// sizes.
fn last_that_fits(game: &'static GameEntry, params: &Params) -> PlayerSpec {
    game.players
        .iter()
        .map(PlayerSpec::new)
        .rfind(|spec| {
            let cell = Cell::of(game, params.clone(), vec![spec.clone(); game.seats]);
            cell.job(0, watchable(game)).is_ok()
        })
        .unwrap_or_else(|| PlayerSpec::new(&game.players[0]))
}

/// The game with its size and whatever differs from its defaults.
fn title(game: &GameEntry, params: &Params) -> String {
    let name = game.summary.split(':').next().unwrap_or(game.name);
    let size = params
        .iter()
        .find(|(name, _)| *name == "rows")
        .and_then(|_| Some((params.int("rows")?, params.int("cols")?)));
    let mut title = capital(name);
    if let Some((rows, cols)) = size {
        title += &format!(" {rows}x{cols}");
    }
    for spec in game
        .params
        .iter()
        .filter(|spec| !["rows", "cols", "start"].contains(&spec.name))
    {
        let value = params.get(spec.name);
        if Some(value) != spec.default_value().as_ref() && *value != Value::Unset {
            title += &format!(" {}={value}", spec.name);
        }
    }
    title
}

/// A board given in a game with rows and columns sets the size, unless that is set already.
fn with_size(game: &GameEntry, settings: &[String], board: Option<&[Vec<String>]>) -> Vec<String> {
    let mut settings = settings.to_vec();
    let sized = |setting: &String| {
        ["size=", "rows=", "cols="]
            .iter()
            .any(|key| setting.starts_with(key))
    };
    if let Some(rows) = board
        && game.params.iter().any(|spec| spec.name == "rows")
        && !settings.iter().any(sized)
    {
        settings.push(format!("size={}x{}", rows.len(), rows[0].len()));
    }
    settings
}

/// The start board, as rows of tile texts.
fn board(args: &Args) -> Result<Option<Vec<Vec<String>>>> {
    let (place, text) = match (&args.board, &args.board_file) {
        (Some(text), _) => ("--board", text.replace('/', "\n")),
        (None, Some(path)) if path.as_os_str() == "-" => ("--board-file -", typed_board()?),
        (None, Some(path)) => {
            let text = files::read_named(path, TEXT_BYTES_MAX)
                .map_err(wrong(format!("--board-file {}", path.display())))?;
            ("--board-file", text)
        }
        (None, None) => return Ok(None),
    };
    let rows: Vec<Vec<String>> = text.trim().lines().map(tiles).collect();
    if rows.iter().all(Vec::is_empty) {
        refuse!("{place}: no board; write rows such as \"2 _ _ 4\"");
    }
    if let Some(number) = rows.iter().position(|row| row.len() != rows[0].len()) {
        let this = rows[number].len();
        let first = rows[0].len();
        let number = number + 1;
        refuse!(
            "{place}: row {number} has {this} tiles where row 1 has {first}; all rows must be equally long"
        );
    }
    Ok(Some(rows))
}

fn tiles(row: &str) -> Vec<String> {
    let texts = row
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|text| !text.is_empty());
    texts.map(str::to_owned).collect()
}

/// Rows from standard input up to an empty line; each is asked for when somebody is there to ask.
fn typed_board() -> Result<String> {
    let mut input = std::io::stdin().lock();
    let mut text = String::new();
    for number in 1.. {
        if std::io::stdin().is_terminal() {
            eprint!("row {number} (empty: the board is complete): ");
        }
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        text.push_str(&line);
    }
    Ok(text)
}
