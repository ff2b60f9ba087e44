//! Completions pass the shells' own syntax checks, manual pages pass `man --warnings`, and misspelt
//! names are answered with the right ones. A shell that is not installed is named on standard
//! error.

use crate::common::{folder, refused, stderr, stdout, succeeded, tilelab};
use std::process::Command;

/// Whether a program can be run; says so when it cannot.
fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        crate::common::skipped(program, "not installed: what needs it was not checked");
    }
    found
}

#[test]
fn completions_pass_the_syntax_checks_of_their_shells() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let output = tilelab(&["generate", "completions", shell]);
        succeeded(&output);
        let script = stdout(&output);
        // The generator for fish knows verbs and options, but no values of positional arguments.
        let game = if shell == "fish" {
            "play"
        } else {
            "sixty-seven"
        };
        for word in [game, "board-file", "schema"] {
            assert!(script.contains(word), "{shell}: {word} is not completed");
        }
        let path = folder.path().join(shell);
        std::fs::write(&path, script).unwrap();
        if installed(shell) {
            let checked = Command::new(shell).arg("-n").arg(&path).output().unwrap();
            assert!(
                checked.status.success() && checked.stderr.is_empty(),
                "{shell}: {}",
                stderr(&checked)
            );
        }
    }
    refused(
        &tilelab(&["generate", "completions", "bsh"]),
        &["bsh", "bash"],
    );
}

/// Completes as an interactive bash would: the words of COMP_WORDS, the last one being typed.
#[test]
fn bash_completes_verbs_and_games() {
    if !installed("bash") {
        return;
    }
    let script = stdout(&tilelab(&["generate", "completions", "bash"]));
    for (words, expected) in [
        ("tilelab gen", "generate"),
        ("tilelab play sixty", "sixty-seven"),
        ("tilelab play ''", "sixty-seven"),
        ("tilelab bench --kernel ''", "portable"),
        ("tilelab run --fr", "--fresh"),
        // Bash completes files where nothing is offered.
        ("tilelab run ''", ""),
    ] {
        let ask = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1))\n\
             _tilelab tilelab \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &ask])
            .output()
            .unwrap();
        assert!(
            stdout(&output).lines().any(|line| line == expected),
            "{words}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
}

#[test]
fn manual_pages_are_complete_and_pass_man() {
    let folder = folder();
    let pages = folder.path().join("made/man1");
    let output = tilelab(&["generate", "man", pages.to_str().unwrap()]);
    succeeded(&output);
    let help = stdout(&tilelab(&["--help"]));
    let verbs = listed_verbs(&help);
    assert!(verbs.contains(&"play"), "{verbs:?}");
    for verb in &verbs {
        assert!(
            pages.join(format!("tilelab-{verb}.1")).exists(),
            "no page for {verb}"
        );
    }
    if installed("man") {
        for page in std::fs::read_dir(&pages).unwrap() {
            let path = page.unwrap().path();
            let mut man = Command::new("man");
            man.args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"])
                .arg(&path);
            let checked = man
                .env("MANWIDTH", "80")
                .env("LC_ALL", "C.UTF-8")
                .output()
                .unwrap();
            assert!(
                checked.status.success() && checked.stderr.is_empty(),
                "{}: {}",
                path.display(),
                stderr(&checked)
            );
        }
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    refused(
        &tilelab(&["generate", "man", file.to_str().unwrap()]),
        &["cannot be written"],
    );
}

/// The verbs that the groups of `tilelab --help` list.
fn listed_verbs(help: &str) -> Vec<&str> {
    help.lines()
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect()
}

#[test]
fn help_lists_every_verb() {
    let help = stdout(&tilelab(&["--help"]));
    let mut listed = listed_verbs(&help);
    listed.sort_unstable();
    let command = tilelab::cli::command();
    let mut verbs: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    verbs.sort_unstable();
    assert_eq!(listed, verbs);
}

#[test]
fn every_verb_has_help_with_an_example_where_it_takes_arguments() {
    for verb in ["run", "check", "replay", "move", "play", "generate"] {
        let text = stdout(&tilelab(&[verb, "--help"]));
        assert!(text.contains("Example"), "{verb} --help has no example");
    }
}

#[test]
fn misspelt_names_are_answered_with_the_right_ones() {
    for (arguments, words) in [
        (&["plya", "sixty-seven"][..], &["plya", "'play'"][..]),
        (&["play", "sixty-sevne"], &["sixty-sevne", "'sixty-seven'"]),
        (
            &["play", "sixty-seven", "--tubro"],
            &["--tubro", "'--turbo'"],
        ),
        (
            &["play", "sixty-seven", "--player", "randm"],
            &["randm", "did you mean \"random\""],
        ),
        (
            &["play", "sixty-seven", "--set", "rulse=original"],
            &["rulse", "did you mean \"rules\""],
        ),
        (
            &["play", "sixty-seven", "--set", "rules=orignal"],
            &["rules=orignal", "original"],
        ),
    ] {
        refused(&tilelab(arguments), words);
    }
}
