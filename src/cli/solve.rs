//! `tilelab solve`: finds solutions, or proves that there are none.

use super::{DONE, Ended, Result, input_error, join, wrong};
use crate::games::calculator::{Calculator, Level, Portal, solver};
use crate::levels::{LevelFormat, Listed, built_in, read};
use crate::report::cells::{csv_of, shown};
use crate::report::schema::LEVELS;
use anyhow::Context;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tilelab_output::document::Document;
use tilelab_output::files::{self, TEXT_BYTES_MAX};
use tilelab_output::table::{Align, Table};

/// Solve puzzles: one shortest solution, all solutions, or a proof that there is none
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: Puzzle,
}

#[derive(clap::Subcommand)]
enum Puzzle {
    Calculator(CalculatorArgs),
}

/// Solve levels of Calculator: those of a file, one given here, or the game's 199
#[derive(clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "Example: tilelab solve calculator --start 189 --goal 500 --moves 6 --button +8 x4 Inv10 9 '7=>0' --portal -4,-1 --all"
)]
struct CalculatorArgs {
    /// A level file, .json or .toml; without it and without --start, the 199 levels of the game
    file: Option<PathBuf>,
    /// The first display of a level given here
    #[arg(long, value_name = "N",
          requires_all = ["goal", "moves", "buttons"], conflicts_with_all = ["file", "level"])]
    start: Option<i64>,
    /// The display to reach
    #[arg(long, value_name = "N", requires = "start")]
    goal: Option<i64>,
    /// How many moves may be spent
    #[arg(long, value_name = "N", requires = "start")]
    moves: Option<i64>,
    /// The buttons, each as it reads
    #[arg(long = "button", value_name = "B", num_args = 1..,
          requires = "start")]
    buttons: Vec<String>,
    /// A portal between two digit positions counted from the right, such as -4,-1
    #[arg(
        long,
        value_name = "I,J",
        allow_hyphen_values = true,
        requires = "start"
    )]
    portal: Option<String>,
    /// Only the level with this number
    #[arg(long, value_name = "N")]
    level: Option<u32>,
    /// Find all solutions within the moves, not just one with the fewest
    #[arg(long)]
    all: bool,
    /// Answer as JSON: [{"level":192,"solutions":[["x4","9"]],"ms":0.4}]
    #[arg(long)]
    json: bool,
    /// Also print the exact probability that random presses win
    #[arg(long)]
    chance: bool,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the table as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// The most labels in the listed solutions of one level: they take about 1 GB of memory. Beyond it,
/// only the number of solutions is told.
const LABELS_MAX: u128 = 10_000_000;

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let Puzzle::Calculator(args) = &args.game;
    let levels = levels(args)?;
    let solved: Vec<Solved> = levels
        .iter()
        .map(|level| solve(level, args))
        .collect::<Result<_, _>>()?;
    let answers = Answers::new(args, &levels, &solved);
    if let Some(path) = &args.csv {
        super::write_output(path, &csv_of(&answers.head, &answers.rows))?;
    }
    if let Some(path) = &args.markdown {
        let text = format!("{MADE}{}", answers.table(true));
        super::write_output(path, text.as_bytes())?;
    }
    let mut output = std::io::stdout().lock();
    if args.json {
        let entries: serde_json::Value = levels
            .iter()
            .zip(&solved)
            .map(|(level, solved)| {
                let ms = (solved.ms * 1e3).round() / 1e3;
                json!({"level": level.number, "solutions": solved.solutions, "ms": ms})
            })
            .collect();
        writeln!(output, "{entries}")?;
    } else {
        let is_markdown = super::columns().is_none();
        let mut whole = Document::default();
        whole.table(answers.table(is_markdown));
        super::print(&whole)?;
        if let ([one], true) = (solved.as_slice(), args.all) {
            for solution in &one.solutions {
                writeln!(output, "{}", solution.join("  "))?;
            }
        }
        let count = solved
            .iter()
            .filter(|solved| !solved.solutions.is_empty())
            .count();
        let ms: f64 = solved.iter().map(|solved| solved.ms).sum();
        say!("{count} of {} levels solved in {ms:.1} ms", solved.len());
    }
    DONE
}

/// The levels that the arguments name.
fn levels(args: &CalculatorArgs) -> Result<Vec<Level>> {
    let (Some(start), Some(goal), Some(moves)) = (args.start, args.goal, args.moves) else {
        let levels = match &args.file {
            Some(path) => read_file(path)?,
            None => built_in(),
        };
        let mut levels: Vec<Level> = levels.into_iter().map(|listed| listed.level).collect();
        if let Some(number) = args.level {
            let known = levels.iter().map(|level| level.number);
            let min = known.clone().min().unwrap_or(0);
            let max = known.max().unwrap_or(0);
            levels.retain(|level| level.number == number);
            if levels.is_empty() {
                refuse!("--level {number}: no such level; there are levels {min} to {max}");
            }
        }
        return Ok(levels);
    };
    let portal = args.portal.as_deref().map(Portal::parse);
    let level = Level::new(1, [start, goal, moves], &args.buttons, portal).map_err(|reasons| {
        let reasons = reasons.iter().map(|reason| format!("--{reason}"));
        input_error(join(reasons, "\n"))
    })?;
    Ok(vec![level])
}

fn read_file(path: &Path) -> Result<Vec<Listed>> {
    let form = match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => LevelFormat::Json,
        Some("toml") => LevelFormat::Toml,
        _ => {
            refuse!("{}: a level file ends in .json or .toml", path.display());
        }
    };
    files::read_named(path, TEXT_BYTES_MAX)
        .and_then(|text| read(&text, form))
        .map_err(wrong(path.display()))
}

/// What is told about a level.
struct Solved {
    solutions: Vec<Vec<String>>,
    /// How many there are; `None` when only one was looked for.
    count: Option<u128>,
    states: u64,
    ms: f64,
    /// Exact share of random games won.
    chance: Option<f64>,
}

/// Solves a level and presses every solution to be sure of it.
fn solve(level: &Level, args: &CalculatorArgs) -> Result<Solved> {
    let began = Instant::now();
    let number = level.number;
    let place = || format!("level {number}");
    let (solutions, count, states) = if args.all {
        let all = solver::all(level).with_context(place)?;
        let count = all.count;
        let most = LABELS_MAX / u128::from(level.moves);
        anyhow::ensure!(
            count <= most,
            "level {number} has {count} solutions; at most {most} of {} moves are listed: leave --all out",
            level.moves
        );
        (all.list(), Some(count), all.states)
    } else {
        let one = solver::shortest(level).with_context(place)?;
        (one.solution.into_iter().collect(), None, one.states)
    };
    let ms = began.elapsed().as_secs_f64() * 1e3;
    for solution in &solutions {
        level
            .check_solution(solution)
            .map_err(anyhow::Error::msg)
            .with_context(|| {
                let solution = solution.join(" ");
                format!("level {number}: the solution {solution} is wrong")
            })?;
    }
    let chance = || {
        let level = level.clone();
        Calculator { level }.random_win_share()
    };
    let chance = args.chance.then(chance).transpose();
    let chance = chance.with_context(|| format!("level {number}: --chance"))?;
    Ok(Solved {
        solutions,
        count,
        states,
        ms,
        chance,
    })
}

/// The first line of a table as Markdown.
const MADE: &str = "<!-- made by `tilelab solve calculator --markdown`; do not edit -->\n";

/// The answers as rows of text.
struct Answers {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Answers {
    fn new(args: &CalculatorArgs, levels: &[Level], solved: &[Solved]) -> Self {
        let head = LEVELS
            .iter()
            .map(|column| column.name)
            .filter(|name| args.chance || *name != "random_win_pct")
            .collect();
        let row = |(level, solved): (&Level, &Solved)| {
            let solutions = match (solved.count, solved.solutions.len()) {
                (_, 0) => "none".to_owned(),
                (None, _) => "some".to_owned(),
                (Some(count), _) => count.to_string(),
            };
            let mut row = vec![
                level.number.to_string(),
                level.start.to_string(),
                level.goal.to_string(),
                level.moves.to_string(),
                join(level.buttons.iter().map(ToString::to_string), " "),
                shown(level.portal),
                solutions,
                solved.states.to_string(),
                format!("{:.3}", solved.ms),
            ];
            row.extend(solved.chance.map(|chance| format!("{:.6}", chance * 100.0)));
            row.push(match solved.solutions.first() {
                Some(labels) => labels.join(" "),
                None => "cannot be solved".to_owned(),
            });
            row
        };
        Self {
            head,
            rows: levels.iter().zip(solved).map(row).collect(),
        }
    }

    /// The table; in Markdown, labels of buttons are code.
    fn table(&self, is_markdown: bool) -> Table {
        let mut table = Table::new(self.head.iter().map(|name| (*name, Align::Left)));
        let is_code =
            |column: usize| is_markdown && ["buttons", "solution"].contains(&self.head[column]);
        for row in &self.rows {
            let field = |(column, field): (usize, &String)| match is_code(column) {
                true => format!("`{field}`"),
                false => field.clone(),
            };
            table.row(row.iter().enumerate().map(field));
        }
        table
    }
}
