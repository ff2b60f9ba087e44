//! `tilelab run --game NAME`: an experiment without a file.

use super::{Result, experiments, join, set, wrong};
use crate::plan::{GAMES_DEFAULT, Inline, Overrides, Plan};

/// The master seed when none is given.
const SEED: u64 = 67;

/// The cells of an experiment without a file.
#[derive(clap::Args, Default)]
#[group(skip)]
pub struct Args {
    /// Play this game without a file, with --set, --player and --opponent (`tilelab list games`);
    /// the table is printed, and files are kept only with --out
    #[arg(long, value_name = "G")]
    pub game: Option<String>,
    /// With --game: a parameter and its values, such as size=5x5,6x7; may be repeated; the product
    /// of all is played
    #[arg(long = "set", value_name = "key=value,…", requires = "game")]
    settings: Vec<String>,
    /// With --game: players, such as random or "monte-carlo(playouts=20)", separated by commas
    /// [default: the game's first]
    #[arg(long, value_name = "PLAYER,…", requires = "game")]
    player: Vec<String>,
    /// With --game: players on the second seat of two-player games
    #[arg(long, value_name = "PLAYER,…", requires = "game")]
    opponent: Vec<String>,
}

/// Plans the rules that `--game name` and `--set` ask for.
pub fn rules(name: &str, settings: &[String], overrides: Overrides) -> Result<Plan> {
    let args = Args {
        settings: settings.to_vec(),
        ..Args::default()
    };
    plan(name, &args, overrides)
}

/// Plans what `--game name` and the other arguments ask for.
pub fn plan(name: &str, args: &Args, overrides: Overrides) -> Result<Plan> {
    let game = set::game(name)?;
    set::check_players(&args.settings, "--player")?;
    if game.seats == 1 && !args.opponent.is_empty() {
        let name = game.name;
        refuse!("--opponent: {name} has one seat; leave --opponent out");
    }
    let direct = Inline {
        game,
        settings: &args.settings,
        players: &args.player,
        opponents: &args.opponent,
        // With --where, --games is not for all cells.
        games: (overrides.games.filter(|_| overrides.part.is_empty())).unwrap_or(GAMES_DEFAULT),
        seed: seed(overrides.seed),
        decided_by: None,
        difference: None,
        starts: &[],
        rounds: None,
    };
    planned(name, &direct, overrides)
}

/// The master seed when none is given.
pub fn seed(given: Option<u64>) -> u64 {
    given.unwrap_or(SEED)
}

/// Plans the text that stands for the arguments behind `--game name`.
pub fn planned(name: &str, direct: &Inline<'_>, overrides: Overrides) -> Result<Plan> {
    let place = format!("--game {name}");
    let text = direct.text().map_err(wrong(&place))?;
    // The user has typed the programs.
    let overrides = Overrides {
        programs: Some(overrides.programs.unwrap_or_default()),
        ..overrides
    };
    Plan::parse(&text, overrides).map_err(|problems| {
        // The lines of the text are not the user's.
        let messages = problems.0.into_iter().map(|problem| problem.message);
        wrong(place)(experiments::refused(join(messages, "\n")))
    })
}
