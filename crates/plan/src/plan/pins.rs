//! The text of an experiment with the IDs of the files of weights that its players name.
//!
//! A results folder keeps the text, and plans are made from it again where the files are out of
//! reach. With the IDs in it, these plans have the same cells.

use super::inline::quoted;
use super::{Cell, Overrides, Plan};
use crate::experiment::{Experiment, Problem};
use tilelab_games::catalog::WEIGHTS;

/// Writes the IDs into the text of a plan. `pins` are the files, each with its line, as written and
/// with its ID.
///
/// # Errors
/// Names the first file whose place in the text was not found.
pub(super) fn pin(
    plan: &mut Plan,
    experiment: &Experiment,
    pins: &[(usize, String, String)],
) -> Result<(), Problem> {
    let pins = pins.iter().filter(|(_, written, pinned)| written != pinned);
    let Some((line, written, pinned)) = pins.clone().next() else {
        return Ok(());
    };
    for (_, written, pinned) in pins {
        for form in [
            quoted(written),
            format!("\"{written}\""),
            format!("'{written}'"),
        ] {
            plan.text = with_id(&plan.text, &form, &quoted(pinned));
        }
    }
    let keys = |cells: &[Cell]| cells.iter().map(Cell::key).collect::<Vec<_>>();
    let again = Plan::of_text(
        &plan.text,
        Overrides {
            unpublished: true,
            ..plan.overrides.clone()
        },
    );
    if again.is_ok_and(|again| keys(&again.cells) == keys(&plan.cells)) {
        return Ok(());
    }
    let message =
        format!("{WEIGHTS} = {written:?}: its ID could not be noted; write {WEIGHTS} = {pinned:?}");
    Err(Problem {
        path: experiment.path.clone(),
        line: *line,
        message,
    })
}

/// The text with `to` in place of `from` wherever that is a value, or one of a list of values, of
/// the key `weights`.
fn with_id(text: &str, from: &str, to: &str) -> String {
    let mut changed = String::new();
    let mut rest = 0;
    for (at, found) in text.match_indices(from) {
        let key = text[..at]
            .rfind('=')
            .map(|equals| text[..equals].trim_end_matches([' ', '\t', '"', '\'']));
        if key.is_some_and(|key| key.ends_with(WEIGHTS)) {
            changed += &text[rest..at];
            changed += to;
            rest = at + found.len();
        }
    }
    changed + &text[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_weights_get_their_id_and_nothing_else_does() {
        let text = "title = \"w\"\nplayer = { name = \"greedy\", weights = [\"v\", \"w\"], other = \"w\" }\nweights= 'w'";
        let basic = with_id(text, "\"w\"", "\"w#1\"");
        assert_eq!(
            with_id(&basic, "'w'", "\"w#1\""),
            "title = \"w\"\nplayer = { name = \"greedy\", weights = [\"v\", \"w#1\"], other = \"w\" }\nweights= \"w#1\""
        );
    }
}
