//! `tilelab completions`: a completion script for a shell.

use super::Cli;
use clap::CommandFactory;
use std::io::Write;
use std::process::ExitCode;

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
        tilelab completions bash > ~/.local/share/bash-completion/completions/tilelab\n  \
        tilelab completions zsh > ~/.zfunc/_tilelab\n  \
        tilelab completions fish > ~/.config/fish/completions/tilelab.fish")]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tilelab", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
