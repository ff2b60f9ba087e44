//! `tilelab generate`: files made from the code itself.

use super::{DONE, Ended, Result, command, wrong};
use crate::catalog;
use crate::dictionary;
use crate::game::KernelChoice;
use crate::schema::schema;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Generate shell completions, man pages, the schema of experiment files or the list of columns
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab generate completions bash > ~/.local/share/bash-completion/completions/tilelab\n  \
        tilelab generate man ~/.local/share/man/man1\n  \
        tilelab generate schema > experiments/tilelab.schema.json")]
pub struct Args {
    #[command(subcommand)]
    what: GenerateCommand,
}

#[derive(clap::Subcommand)]
enum GenerateCommand {
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  \
        tilelab generate completions bash > ~/.local/share/bash-completion/completions/tilelab\n  \
        tilelab generate completions zsh > ~/.zfunc/_tilelab\n  \
        tilelab generate completions fish > ~/.config/fish/completions/tilelab.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write one man page per command
    #[command(
        after_help = "Example: tilelab generate man ~/.local/share/man/man1 && man tilelab-run"
    )]
    Man {
        /// The folder; created if missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the JSON schema of experiment files
    ///
    /// An experiment file whose first line is "#:schema tilelab.schema.json" is completed and
    /// checked by editors that know the Taplo language server (VS Code, Helix, Neovim, Zed).
    #[command(after_help = "Example: tilelab generate schema > experiments/tilelab.schema.json")]
    Schema,
    /// Print every column of every file that tilelab writes, as Markdown: type, unit, range and
    /// meaning
    Columns,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    match &args.what {
        GenerateCommand::Completions { shell } => completions(*shell)?,
        GenerateCommand::Man { folder } => man(folder)?,
        GenerateCommand::Schema => json_schema()?,
        GenerateCommand::Columns => write!(std::io::stdout(), "{}", dictionary::markdown())?,
    }
    DONE
}

/// Prints a completion script.
fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(command()), "tilelab", &mut script);
    // In bash, nothing to complete means names of files, whatever the option takes.
    let mut script = String::from_utf8(script)?.replace(NO_FILES_BEFORE, NO_FILES);
    if shell == clap_complete::Shell::Bash {
        // Options only where one is begun: elsewhere they would keep names of files away.
        for word in 1..=4 {
            script = script.replace(&format!(" || ${{COMP_CWORD}} -eq {word} ]]"), " ]]");
        }
        script = script.replace(ALL_BEFORE, ALL);
    }
    Ok(std::io::stdout().write_all(script.as_bytes())?)
}

/// What clap writes for bash where a value is neither a file nor one of a list.
const NO_FILES_BEFORE: &str = r#"COMPREPLY=("${cur}")
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi"#;
const NO_FILES: &str = r#"COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt +o default +o bashdefault
                    fi"#;

/// What clap writes for bash where no option takes the word.
const ALL_BEFORE: &str = r#"
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )"#;
const ALL: &str = r#"
            for i in ${opts}; do
                [[ "${i}" == [-\[\<]* ]] || COMPREPLY+=( $(compgen -W "${i}" -- "${cur}") )
            done"#;

/// The command line with the names of games and players as values, for completion; what is accepted
/// is more: players have parameters.
fn with_names(command: clap::Command) -> clap::Command {
    let games: Vec<_> = catalog::games().map(|game| game.name).collect();
    let mut players: Vec<_> = catalog::games()
        .flat_map(|game| game.players)
        .map(|player| player.name)
        .collect();
    players.sort_unstable();
    players.dedup();
    let kernels = KernelChoice::ALL.map(|(name, _)| name);
    let named = move |arg: clap::Arg| {
        let is_free = arg.get_possible_values().is_empty();
        match (arg.get_id().as_str(), arg.get_long()) {
            (_, Some("game")) if is_free => arg.value_parser(games.clone()),
            (_, Some("kernel")) if is_free => arg.value_parser(kernels),
            (_, Some("player" | "opponent" | "against")) | ("players", None) if is_free => {
                arg.value_parser(players.clone())
            }
            _ => arg,
        }
    };
    command.mut_subcommands(move |verb| verb.mut_args(named.clone()))
}

/// Writes the man pages.
fn man(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command(), folder))
        .map_err(wrong(format!("{}: cannot be written", folder.display())))
}

/// Prints the schema.
fn json_schema() -> Result<()> {
    let mut text = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b" ");
    schema().serialize(&mut serde_json::Serializer::with_formatter(
        &mut text, indent,
    ))?;
    text.push(b'\n');
    Ok(std::io::stdout().write_all(&text)?)
}
