//! Requests of `tilelab move`, and JSON from outside as values of the core.

use tilelab_games::catalog::GameEntry;
use tilelab_games::json::Json;
use tilelab_games::params::Params;

/// Answers one request about a game with these parameters, JSON to JSON.
///
/// # Errors
/// Says in one line what is wrong with the request.
pub fn answer(game: &GameEntry, params: &Params, request: &[u8]) -> Result<Json, String> {
    let request = serde_json::from_slice(request).map_err(|error| format!("not JSON: {error}"))?;
    match game.answer {
        Some(answer) => answer(params, &request, game.players),
        None => Err("this game answers no requests".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_of_calculator_are_answered() {
        let game = tilelab_games::catalog::game("calculator").unwrap();
        let params = Params::defaults(game.params);
        for (request, expected) in [
            (
                r#"{"value":189,"button":"x4","portal":[-4,-1]}"#,
                r#"{"value":756}"#,
            ),
            (
                r#"{"value":939,"button":"x4","portal":[-4,-1]}"#,
                r#"{"value":759}"#,
            ),
            (
                r#"{"value":12,"button":"Store"}"#,
                r#"{"value":12,"stored":12}"#,
            ),
            (
                r#"{"value":1,"button":"12","stored":12}"#,
                r#"{"value":112,"stored":12}"#,
            ),
            (
                r#"{"value":1,"button":"[+]1","buttons":["[+]1","/2","9"]}"#,
                r#"{"value":1,"buttons":["[+]1","/3","10"]}"#,
            ),
            (
                r#"{"value":1,"button":"7","buttons":["/2","Store"],"stored":7}"#,
                r#"{"value":17,"stored":7,"buttons":["/2","Store"]}"#,
            ),
            (
                r#"{"value":-1,"buttons":["/2","+3","Store"],"stored":7}"#,
                r#"{"legal":["+3","7"]}"#,
            ),
            (
                r#"{"value":-1,"buttons":["/2","+3"],"stored":7}"#,
                r#"{"legal":["+3","7"]}"#,
            ),
        ] {
            let answer = answer(game, &params, request.as_bytes()).unwrap();
            assert_eq!(answer.to_string(), expected, "{request}");
        }
    }
}
