//! Tables inside a README: the text between two markers is replaced, or compared.
//!
//! The markers are the lines `<!-- tilelab:NAME:begin -->` and `<!-- tilelab:NAME:end -->`, where
//! NAME is the name of the experiment.

/// The text with the part between the markers of `name` replaced.
///
/// # Errors
/// Says which marker is missing, repeated, or out of order, or that the content contains a marker.
pub fn replace(text: &str, name: &str, content: &str) -> Result<String, String> {
    // A marker in the content would make the next replacement end in the middle of the tables.
    if content.contains("<!-- tilelab:") {
        return Err("the tables contain \"<!-- tilelab:\", which marks places of a README; change the title".to_owned());
    }
    let marker = |which: &str| format!("<!-- tilelab:{name}:{which} -->");
    let begin = marker("begin");
    let end = marker("end");
    let find = |marker: &str| {
        let mut places = text.match_indices(marker).map(|(at, _)| at);
        match (places.next(), places.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(format!(
                "the marker {marker} is missing; put it on a line of its own where the tables go"
            )),
            (Some(_), Some(_)) => Err(format!("the marker {marker} occurs more than once")),
        }
    };
    let start = find(&begin)? + begin.len();
    let stop = find(&end)?;
    if stop < start {
        return Err(format!("{end} comes before {begin}"));
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok([
        &text[..start],
        &content.trim_end().replace('\n', line_end),
        &text[stop..],
    ]
    .join(line_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_part_is_replaced_and_replacing_again_changes_nothing() {
        let text = "a\n<!-- tilelab:x:begin -->\nold\n<!-- tilelab:x:end -->\nb\n";
        let once = replace(text, "x", "new\n").unwrap();
        assert_eq!(
            once,
            "a\n<!-- tilelab:x:begin -->\nnew\n<!-- tilelab:x:end -->\nb\n"
        );
        assert_eq!(replace(&once, "x", "new\n").unwrap(), once);
        let windows = replace(&text.replace('\n', "\r\n"), "x", "new\nrow\n").unwrap();
        assert_eq!(
            windows.matches('\n').count(),
            windows.matches("\r\n").count()
        );
        assert!(
            replace(text, "y", "new")
                .unwrap_err()
                .contains("tilelab:y:begin")
        );
        assert!(
            replace(text, "x", "### t <!-- tilelab:x:end -->")
                .unwrap_err()
                .contains("change the title")
        );
        assert!(replace("<!-- tilelab:x:end --><!-- tilelab:x:begin -->", "x", "").is_err());
    }
}
