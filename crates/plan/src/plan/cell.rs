//! A single cell from text, as on a command line, and playing it.

use super::Cell;
use crate::external;
use crate::weights;
use std::path::Path;
use tilelab_games::catalog::{self, GameEntry, PlayerSpec};
use tilelab_games::game::batches::play_games;
use tilelab_games::game::splitting::{METHOD, NEEDS_LEVELS};
use tilelab_games::game::stepping::{Stepper, SteppingOptions};
use tilelab_games::game::{KernelChoice, Tally};
use tilelab_games::params::{OWN_RULES, ParamError, Params, SettingError, did_you_mean};

/// Where rules of one's own are explained, after a key that is like none of the game's.
fn own_rules(error: &SettingError) -> &'static str {
    match error {
        SettingError::Unknown { key, accepted } if did_you_mean(key, accepted).is_empty() => {
            if key == METHOD {
                NEEDS_LEVELS
            } else {
                OWN_RULES
            }
        }
        _ => "",
    }
}

/// "unknown …; accepted: …", with the name that was probably meant.
pub(super) fn unknown<'a>(name: &str, what: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.collect();
    let meant = did_you_mean(name, &known);
    let own_rules = match what {
        _ if !meant.is_empty() => "",
        "key" if name == METHOD => NEEDS_LEVELS,
        "game" | "key" => OWN_RULES,
        _ => "",
    };
    if known.is_empty() {
        known.push("none");
    }
    let known = known.join(", ");
    format!("unknown {what}; accepted: {known}{meant}{own_rules}")
}

/// Why a text does not describe a game, a player or a cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// No game or player has this name.
    #[error("{name}: {}", unknown(name, what, accepted.iter().copied()))]
    Name {
        /// "game" or "player".
        what: &'static str,
        /// The unknown name.
        name: String,
        /// The known names.
        accepted: Vec<&'static str>,
    },
    /// A player is written in another form.
    #[error("{0}: write name or name(key=value,…)")]
    PlayerForm(String),
    /// A setting of the game.
    #[error("{}{}", .0, own_rules(.0))]
    Setting(SettingError),
    /// A second parameter behind the values of the first.
    #[error("{another} after {key}: each parameter needs its own --set")]
    Second {
        /// The first parameter.
        key: String,
        /// The second, with its value.
        another: String,
    },
    /// A setting of a player.
    #[error("{player}: {error}")]
    PlayerSetting {
        /// The player's name.
        player: &'static str,
        /// What is wrong.
        error: SettingError,
    },
    /// The parameters do not go together.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// The text is empty.
    #[error("write GAME key=value …, such as sixty-seven rules=gapless size=4x4 player=random")]
    Empty,
}

/// The game with this name.
///
/// # Errors
/// Lists the games.
pub fn game(name: &str) -> Result<&'static GameEntry, Invalid> {
    catalog::game(name).ok_or_else(|| Invalid::Name {
        what: "game",
        name: name.to_owned(),
        accepted: catalog::games().map(|game| game.name).collect(),
    })
}

/// A game's parameters: its defaults changed by `key=value` settings, completed and checked against
/// each other.
///
/// # Errors
/// Names the first setting that is wrong and says what is accepted.
pub fn params<S: AsRef<str>>(
    game: &GameEntry,
    settings: impl IntoIterator<Item = S>,
) -> Result<Params, Invalid> {
    let mut params = Params::from_settings(game.params, settings).map_err(Invalid::Setting)?;
    (game.complete)(&mut params)?;
    Ok(params)
}

/// A player of a game as labels write it: `name`, or `name(key=value,…)`. Its file of weights,
/// where it names one, is sought from the current folder and pinned ([`weights::pin_params`]).
///
/// # Errors
/// Says what is wrong with the name or the first wrong setting, and what is accepted.
pub fn player(game: &GameEntry, text: &str) -> Result<PlayerSpec, Invalid> {
    let (name, settings) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let settings = rest
                .strip_suffix(')')
                .ok_or_else(|| Invalid::PlayerForm(text.to_owned()))?;
            (name, settings)
        }
    };
    let entry = external::player(game, name).ok_or_else(|| Invalid::Name {
        what: "player",
        name: name.to_owned(),
        accepted: game.players.iter().map(|player| player.name).collect(),
    })?;
    let wrong = |error| Invalid::PlayerSetting {
        player: entry.name,
        error,
    };
    let settings = settings
        .split(',')
        .map(str::trim)
        .filter(|setting| !setting.is_empty())
        .map(|setting| external::setting(entry, setting));
    let mut params = Params::from_settings(entry.params, settings).map_err(wrong)?;
    params.require(entry.params).map_err(wrong)?;
    weights::pin_params(&mut params, Path::new("")).map_err(ParamError::from)?;
    Ok(PlayerSpec { entry, params })
}

impl Cell {
    /// Reads a cell: the name of a game, then `key=value` settings with white space between them.
    ///
    /// The keys are the game's parameters, `size=6x7` for rows and columns, `player` and, for
    /// two-player games, `opponent`; players are written `name` or `name(key=value,…)`. What is not
    /// given has its default.
    ///
    /// ```
    /// # use tilelab_plan::Cell;
    /// let cell = Cell::parse("zero-sum start=16 player=alpha-beta(depth=3) opponent=greedy")?;
    /// assert_eq!(cell.key(), "zero-sum/start=16,beginner=0/alpha-beta(depth=3)/greedy");
    /// # Ok::<(), tilelab_plan::plan::Invalid>(())
    /// ```
    ///
    /// # Errors
    /// Names the first setting that is wrong and says what is accepted.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let mut words = text.split_whitespace();
        let entry = game(words.next().ok_or(Invalid::Empty)?)?;
        let mut players = vec![PlayerSpec::new(&entry.players[0]); entry.seats];
        let mut settings = Vec::new();
        for word in words {
            match word.split_once('=') {
                Some(("player", text)) => players[0] = player(entry, text)?,
                Some(("opponent", text)) if entry.seats == 2 => players[1] = player(entry, text)?,
                _ => settings.push(word),
            }
        }
        let cell = Self::of(entry, params(entry, settings)?, players);
        catalog::refuse_clocks(&cell.players)?;
        // Whether the players can play these rules shows when their job is built.
        cell.job(0, KernelChoice::Auto)?;
        Ok(cell)
    }

    /// Plays the first `games` games of the cell under a master seed, on all threads where the
    /// feature `parallel` is on.
    ///
    /// The games are those that `tilelab run` plays for this cell and seed. Games in trajectories
    /// ([`Cell::sampling`]) are played up to the next whole trajectory.
    ///
    /// # Errors
    /// When the parameters do not go together; never for a cell of a plan or of [`Cell::parse`].
    pub fn play(&self, games: u64, seed: u64) -> Result<Tally, ParamError> {
        let job = self.job(seed, KernelChoice::Auto)?;
        Ok(play_games(job.as_ref(), 0..self.whole(games)))
    }

    /// Games of the cell under a master seed, `slots` of them stepped together with given moves.
    ///
    /// Slot i plays the command line's games `first_game + i`, `first_game + i + slots`, and so on;
    /// the cell's player is not asked.
    ///
    /// ```
    /// use tilelab_games::game::stepping::SteppingOptions;
    /// use tilelab_games::game::{GameResult, KernelChoice};
    /// use tilelab_plan::Cell;
    ///
    /// let cell = Cell::parse("sixty-seven rules=gapless size=6x7")?;
    /// let mut games = cell.stepper(67, 8, KernelChoice::Auto, SteppingOptions::default())?;
    /// let mut won = 0;
    /// for _ in 0..100 {
    ///     // The first legal direction of each game, in the order up, down, left, right.
    ///     let moves: Vec<u8> = games.legal().iter().map(|legal| legal.trailing_zeros() as u8).collect();
    ///     games.step(&moves)?;
    ///     won += games.finished().iter().filter(|game| game.outcome.result == GameResult::Won).count();
    /// }
    /// println!("{won} games won in 800 rounds");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there is no slot, the game cannot be stepped (two-player games, value lanes), or the
    /// kernel does not fit.
    pub fn stepper(
        &self,
        master: u64,
        slots: usize,
        kernel: KernelChoice,
        options: SteppingOptions,
    ) -> Result<Stepper, ParamError> {
        if slots == 0 {
            return Err(ParamError::new(
                "slots",
                "0: no game to step; give at least 1",
            ));
        }
        catalog::refuse_unstepped(self.game)?;
        let setup = self.setup(master, kernel)?;
        Ok(Stepper::new(self.game.table(&setup, slots)?, options))
    }
}
