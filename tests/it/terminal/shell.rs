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
        let output = tilelab(&["completions", shell]);
        succeeded(&output);
        let script = stdout(&output);
        // The generator for fish knows verbs and options, but no values of positional arguments.
        let game = if shell == "fish" { "play" } else { "sixty-seven" };
        for word in [game, "board-file", "schema"] {
            assert!(script.contains(word), "{shell}: {word} is not completed");
        }
        let path = folder.path().join(shell);
        std::fs::write(&path, script).unwrap();
        if installed(shell) {
            let checked = Command::new(shell).arg("-n").arg(&path).output().unwrap();
            assert!(checked.status.success() && checked.stderr.is_empty(), "{shell}: {}", stderr(&checked));
        }
    }
    refused(&tilelab(&["completions", "bsh"]), &["bsh", "bash"]);
}

/// Completes as an interactive bash would: the words of COMP_WORDS, the last one being typed.
#[test]
fn bash_completes_verbs_and_games() {
    if !installed("bash") {
        return;
    }
    let script = stdout(&tilelab(&["completions", "bash"]));
    for (words, expected) in [("tilelab comple", "completions"), ("tilelab play sixty", "sixty-seven")] {
        let ask = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1))\n\
             _tilelab tilelab \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
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
    let output = tilelab(&["man", pages.to_str().unwrap()]);
    succeeded(&output);
    let help = stdout(&tilelab(&["--help"]));
    let verbs =
        help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1).take_while(|line| !line.is_empty());
    let verbs: Vec<&str> = verbs.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let verbs: Vec<&str> = verbs.into_iter().filter(|verb| !verb.is_empty() && *verb != "help").collect();
    assert!(verbs.contains(&"watch"), "{verbs:?}");
    for verb in &verbs {
        assert!(pages.join(format!("tilelab-{verb}.1")).exists(), "no page for {verb}");
    }
    if installed("man") {
        for page in std::fs::read_dir(&pages).unwrap() {
            let path = page.unwrap().path();
            let mut man = Command::new("man");
            man.args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]).arg(&path);
            let checked = man.env("MANWIDTH", "80").env("LC_ALL", "C.UTF-8").output().unwrap();
            assert!(checked.status.success() && checked.stderr.is_empty(), "{}: {}", path.display(), stderr(&checked));
        }
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    refused(&tilelab(&["man", file.to_str().unwrap()]), &["cannot be written"]);
}

#[test]
fn every_verb_has_help_with_an_example_where_it_takes_arguments() {
    let help = stdout(&tilelab(&["--help"]));
    for verb in ["run", "check", "replay", "move", "play", "watch", "completions", "man", "schema"] {
        assert!(help.contains(&format!("  {verb}")), "{verb} is not in the list of verbs");
        let text = stdout(&tilelab(&[verb, "--help"]));
        assert!(text.contains("Example"), "{verb} --help has no example");
    }
}

#[test]
fn misspelt_names_are_answered_with_the_right_ones() {
    for (arguments, words) in [
        (&["plya", "sixty-seven"][..], &["plya", "'play'"][..]),
        (&["play", "sixty-sevne"], &["sixty-sevne", "'sixty-seven'"]),
        (&["watch", "sixty-seven", "--tubro"], &["--tubro", "'--turbo'"]),
        (&["watch", "sixty-seven", "--player", "randm"], &["randm", "did you mean \"random\""]),
        (&["play", "sixty-seven", "--set", "rulse=original"], &["rulse", "did you mean \"rules\""]),
        (&["play", "sixty-seven", "--set", "rules=orignal"], &["rules=orignal", "original"]),
    ] {
        refused(&tilelab(arguments), words);
    }
}
