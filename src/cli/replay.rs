//! `tilelab replay`: games of a run again, move by move.

use super::{
    DONE, Ended, Result, experiments, input_error, interruption, join, replay_offset,
    start_threads, wrong,
};
use crate::game::given::{Reached, listed};
use crate::game::{GameObserver, GameResult, Job, KernelChoice, Outcome, Tally};
use crate::games::offset;
use crate::games::two_player::OPENING;
use crate::json::{self, Json};
use crate::plan::{Cell, Overrides, Plan};
use crate::record::{self, Record};
use crate::results::replay::{Which, cell_of_folder};
use crate::text;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::cmp::Reverse;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Play games of an experiment again and show every move
///
/// --json, and --game A..B for games A to B - 1, write records: JSON lines, for each game a header
/// with its rules, players, seed and moves, and one line for each turn. A file of records can be
/// given in place of the experiment: its games are played again by the rules and compared with it.
///
/// --won, --lost and --longest choose a game of the cell by its outcome: the first that was won or
/// lost, or the first of those with most moves. They play the cell's games until they find it.
///
/// --moves plays one game with the moves of a file in place of the player's, such as those of an
/// agent; the deals are the same. Moves are named as replay prints them, with white space between
/// them.
#[derive(clap::Args)]
#[command(
    after_help = "Example: tilelab replay experiments/readme.toml --cell \"$(tilelab check --no-forecast experiments/readme.toml | head -1 | cut -d' ' -f1)\" --game 0..100 > games.jsonl"
)]
pub struct Args {
    /// The experiment file, or the folder of its results, or a file of records; with --log the
    /// game, offset
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// The key of a cell (the column `cell` of cells.csv), or parts that only one cell has, such as
    /// gapless,6x7
    #[arg(long, value_name = "KEY")]
    cell: Option<String>,
    /// The cell by its row in cells.csv or in the list of `tilelab check`, from 1
    #[arg(long, value_name = "N", conflicts_with_all = ["cell", "log"])]
    row: Option<usize>,
    /// Which game of the cell, from 0, or A..B for many
    #[arg(long, value_name = "I|A..B", value_parser = games)]
    game: Option<Range<u64>>,
    /// The first game that the first player won
    #[arg(long, conflicts_with_all = ["game", "lost", "longest", "log"])]
    won: bool,
    /// The first game that the first player lost
    #[arg(long, conflicts_with_all = ["game", "longest", "log"])]
    lost: bool,
    /// The first of the games with most moves
    #[arg(long, conflicts_with_all = ["game", "log"])]
    longest: bool,
    #[command(flatten)]
    log: replay_offset::Args,
    /// The master seed of the run, if it was not the file's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The value lanes of the run, if they were not the file's
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// Play the moves of this file, - for standard input, in place of the player's
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    moves: Option<PathBuf>,
    /// Accept --moves that stop before the end of the game
    #[arg(long, requires = "moves")]
    unfinished: bool,
    /// Write one JSON line for each turn
    #[arg(long)]
    json: bool,
    /// Write one line for each move of a game of Offset, as --log reads them
    #[arg(long, conflicts_with_all = ["json", "log", "moves"])]
    as_log: bool,
    #[command(flatten)]
    programs: experiments::Programs,
}

fn games(text: &str) -> Result<Range<u64>, String> {
    let accepted =
        "accepted: the number of a game from 0, or A..B with A below B for games A to B - 1";
    let games = match text.split_once("..") {
        None => text::count(text).map(|game| game..game.saturating_add(1)),
        Some((from, to)) => text::count(from).zip(text::count(to)).map(|(a, b)| a..b),
    };
    games
        .filter(|games| !games.is_empty())
        .ok_or_else(|| accepted.to_owned())
}

/// A game that is chosen by its outcome: the first with this result, or with the most moves.
#[derive(Clone, Copy)]
struct Wanted {
    option: &'static str,
    result: Option<GameResult>,
}

impl Wanted {
    /// The first such game of the first `games`; `None` where there is none.
    fn first(self, job: &dyn Job, games: u64) -> Option<u64> {
        let batch = job.batch_games();
        let batches = (0..games.div_ceil(batch)).into_par_iter();
        let of_batch =
            |number: u64| self.of_batch(job, number * batch..games.min((number + 1) * batch));
        match self.result {
            Some(_) => batches.find_map_first(of_batch),
            None => batches.filter_map(of_batch).max(),
        }
        .map(|(_, Reverse(game))| game)
    }

    /// The first such game of a batch, with its moves where these decide.
    fn of_batch(self, job: &dyn Job, games: Range<u64>) -> Option<(u64, Reverse<u64>)> {
        let mut best = None;
        let mut look = |game: u64, outcome: &Outcome, _: &str| {
            let found = match self.result {
                Some(result) => (outcome.result == result).then_some(0),
                None => Some(outcome.moves),
            };
            best = best.max(found.map(|moves| (moves, Reverse(game))));
        };
        let observer = GameObserver::outcomes(&mut look);
        job.play(games, &mut Tally::new(job.measures()), Some(observer));
        best
    }
}

impl Args {
    /// Which game is wanted by its outcome.
    fn wanted(&self) -> Option<Wanted> {
        let options = [
            ("--won", self.won, Some(GameResult::Won)),
            ("--lost", self.lost, Some(GameResult::Lost)),
            ("--longest", self.longest, None),
        ];
        options
            .into_iter()
            .find(|(_, is_given, _)| *is_given)
            .map(|(option, _, result)| Wanted { option, result })
    }
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    if let Some(log) = &args.log.log {
        return replay_offset::run(&args.file, log, &args.log, args.json);
    }
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    if record::is_record(&args.file) {
        replay_records(args, &mut output)?;
    } else {
        replay_cell(args, &mut output)?;
    }
    output.flush()?;
    DONE
}

/// Shows games of a cell.
fn replay_cell(args: &Args, output: &mut impl Write) -> Result<()> {
    let overrides = Overrides {
        seed: args.seed,
        lanes: args.lanes,
        programs: args.programs.allowed(),
        ..Overrides::default()
    };
    let which = match (args.row, &args.cell) {
        (Some(row), _) => Which::Row(row),
        (None, Some(key)) => Which::Key(key),
        (None, None) => refuse!(
            "--cell: missing; give --cell KEY or --row N, and a game by --game, --won, --lost or --longest"
        ),
    };
    let wanted = args.wanted();
    if args.game.is_none() && wanted.is_none() {
        refuse!("--game: missing; give --game I, --won, --lost or --longest");
    }
    // The number of games is known of a folder only.
    let (plan, key, known) = if args.file.is_dir() {
        let found = cell_of_folder(&args.file, which, overrides).map_err(input_error)?;
        (found.plan, found.key, found.games)
    } else {
        let plan = Plan::read(&args.file, overrides).map_err(experiments::refused)?;
        let key = match which {
            Which::Row(row) => plan.key_of_row(row).map_err(input_error)?,
            Which::Key(key) => key.to_owned(),
        };
        (plan, key, None)
    };
    interruption::end_programs()?;
    start_threads()?;
    let cell = plan.find(&key).map_err(input_error)?;
    cell.check_single_games("replay").map_err(input_error)?;
    let key = cell.key();
    if args.as_log && (cell.game.name != offset::NAME || cell.matched.is_some()) {
        refuse!("--as-log: the cell {key} has no single games of Offset");
    }
    if args.as_log && cell.params.int(OPENING) > Some(0) {
        refuse!("--as-log: the cell {key} has an opening, whose moves logs do not have");
    }
    let job_of = |kernel| cell.job(plan.seed, kernel).map_err(input_error);
    let job = job_of(KernelChoice::Reference)?;
    let games = match &args.game {
        Some(games) => {
            if let Some(known) = known.filter(|known| games.end > *known) {
                refuse!(
                    "--game {}: the results have the games 0 to {} of this cell; replay the experiment file for others",
                    games.end - 1,
                    known.saturating_sub(1)
                );
            }
            games.clone()
        }
        None => {
            let wanted = wanted.expect("without --game another option names one");
            let fast = job_of(KernelChoice::Auto)?;
            let games = known.unwrap_or(cell.games);
            let Some(game) = wanted.first(fast.as_ref(), games) else {
                let Wanted { option, .. } = wanted;
                refuse!(
                    "{option}: none of the {games} games of the cell {key}, as its first player sees them"
                );
            };
            game..game + 1
        }
    };
    let game = games.start;
    let are_many = games.end > game + 1;
    if let Some(file) = &args.moves {
        if are_many {
            let file = file.display();
            refuse!("{file}: moves of one game; give --game one number");
        }
        return replay_moves(args, file, (cell, plan.seed, job.as_ref()), game, output);
    }
    if args.json || are_many {
        return Ok(record::write(cell, plan.seed, games, output).map_err(input_error)??);
    }
    if args.game.is_none() && !args.as_log {
        writeln!(output, "game: {game}\n")?;
    }
    let players = cell.player_labels();
    let mut written = Ok(());
    let outcome = job.replay(game, &mut |line| {
        if written.is_ok() {
            written = if args.as_log {
                replay_offset::write_log(output, &line)
            } else {
                write_turn(output, &line, &players)
            };
        }
    });
    written?;
    if !args.as_log {
        writeln!(output, "{}", ending(&outcome, cell))?;
    }
    Ok(())
}

/// Shows the games of a file of records, after all of them were checked.
fn replay_records(args: &Args, output: &mut impl Write) -> Result<()> {
    let is_given = [
        ("--cell", args.cell.is_some()),
        ("--row", args.row.is_some()),
        ("--game", args.game.is_some()),
        ("--won, --lost, --longest", args.wanted().is_some()),
        ("--moves", args.moves.is_some()),
        ("--as-log", args.as_log),
        ("--seed", args.seed.is_some()),
        ("--lanes", args.lanes.is_some()),
    ];
    let file = args.file.display();
    if let Some((option, _)) = is_given.iter().find(|(_, is_given)| *is_given) {
        refuse!("{option}: {file} has records, which say what was played; leave it out");
    }
    let records = record::read(&args.file).map_err(input_error)?;
    let games: Vec<_> = records
        .iter()
        .map(Record::checked)
        .collect::<Result<_, _>>()
        .map_err(wrong(file))?;
    for (record, lines) in records.iter().zip(games) {
        if args.json {
            for line in lines {
                writeln!(output, "{line}")?;
            }
            continue;
        }
        let Record { game, cell, .. } = record;
        let players = record.players.join(" / ");
        let players = text::escape(&players);
        writeln!(output, "game: {game} of {} by {players}\n", cell.game.name)?;
        for line in &lines {
            write_turn(output, line, &record.players)?;
        }
        let outcome = record.outcome().unwrap_or("unfinished");
        writeln!(output, "{}\n", text::escape(outcome))?;
    }
    Ok(())
}

/// Shows a game with the moves of a file; nothing is written when the game does not take them.
fn replay_moves(
    args: &Args,
    file: &Path,
    (cell, seed, job): (&Cell, u64, &dyn Job),
    game: u64,
    output: &mut impl Write,
) -> Result<()> {
    let name = if file == Path::new("-") {
        "standard input".into()
    } else {
        file.to_string_lossy()
    };
    let moves: Vec<String> = files::read_named(file, TEXT_BYTES_MAX)
        .map_err(wrong(&name))?
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let count = moves.len();
    let mut lines = Vec::new();
    let reached = job
        .replay_given(game, &moves, &mut |line| lines.push(line))
        .map_err(wrong(&name))?;
    if let (Reached::Open { legal }, false) = (&reached, args.unfinished) {
        let legal = listed(legal);
        refuse!(
            "{name}: {count} moves, and game {game} goes on after them (legal: {legal}); add the others, or --unfinished"
        );
    }
    if args.json {
        let players = cell.players.iter().map(|_| record::PERSON.to_owned());
        let record = record::of_moves(cell, players.collect(), seed, game, &moves);
        return Ok(output.write_all(record.map_err(wrong(&name))?.as_bytes())?);
    }
    let players = cell.player_labels();
    for line in &lines {
        write_turn(output, line, &players)?;
    }
    match reached {
        Reached::End(outcome) => writeln!(output, "{}", ending(&outcome, cell))?,
        Reached::Open { .. } => writeln!(output, "Unfinished after {count} moves")?,
    }
    Ok(())
}

/// How a game ended, or both games of a pair, in a line: the first player's result.
fn ending(outcome: &Outcome, cell: &Cell) -> String {
    let forfeit = outcome.forfeits.cause();
    let why = forfeit.map_or_else(String::new, |cause| {
        format!(": a forfeit ({})", cause.name())
    });
    let whose = match cell.player_labels().as_slice() {
        [first, _] if cell.matched.is_some() => format!("Both games, for {first}: "),
        [first, _] => format!("For {first}: "),
        _ => String::new(),
    };
    format!(
        "{whose}{:?} after {} moves{why}",
        outcome.result, outcome.moves
    )
}

/// A transcript line for people: boards as grids, everything else as `key: value`. The outcome of a
/// game is that of its first player, who is the second of these in the second game of a pair.
fn write_turn(output: &mut impl Write, line: &Json, players: &[String]) -> std::io::Result<()> {
    for (key, value) in line.as_object().into_iter().flatten() {
        let key = match players {
            [first, second] if key == "outcome" => {
                let is_second = line["game_of_pair"] == 2;
                &format!("outcome for {}", if is_second { second } else { first })
            }
            _ => key,
        };
        let tiles = |row: &Json| Some(row.as_array()?.iter().map(plain).collect());
        let rows: Option<Vec<Vec<String>>> = value
            .as_array()
            .and_then(|rows| rows.iter().map(tiles).collect());
        match rows.filter(|rows| !rows.is_empty()) {
            Some(rows) => {
                writeln!(output, "{key}:")?;
                let width = rows
                    .iter()
                    .flatten()
                    .map(|tile| tile.chars().count())
                    .max()
                    .unwrap_or(1);
                for row in rows {
                    let tiles = row.iter().map(|tile| format!("{tile:>width$}"));
                    writeln!(output, "  {}", join(tiles, " "))?;
                }
            }
            None if *value == Json::Null => {}
            None => writeln!(output, "{key}: {}", plain(value))?,
        }
    }
    writeln!(output)
}

fn plain(value: &Json) -> String {
    match value {
        Json::Array(items) => join(items.iter().map(plain), ", "),
        Json::Object(fields) => {
            let field = |(key, value): (&String, &Json)| format!("{key} {}", plain(value));
            join(fields.iter().map(field), " ")
        }
        other => json::plain(other),
    }
}
