//! The four directions of sliding games, in the order used by draws and listings.

use crate::json::{Json, refuse_unknown_keys};
use serde::Serialize;
use std::fmt;

/// A direction in which all tiles are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Direction {
    /// Towards the first row.
    Up,
    /// Towards the last row.
    Down,
    /// Towards the first column.
    Left,
    /// Towards the last column.
    Right,
}

impl Direction {
    /// All directions, in the order in which draws and listings number them.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// The word for the direction.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// All directions with their names.
    pub fn named() -> Vec<(Self, String)> {
        Self::ALL
            .map(|direction| (direction, direction.name().to_owned()))
            .into()
    }

    /// The direction with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|direction| direction.name() == name)
    }

    /// Whether lines are rows (left, right) rather than columns (up, down).
    pub const fn along_rows(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }

    /// Whether lines are packed against their end (down, right) rather than their start (up, left).
    pub const fn towards_end(self) -> bool {
        matches!(self, Self::Down | Self::Right)
    }
}

/// The board and, if there is one, the direction of a request of `tilelab move`:
/// `{"board":[…],"move":"left"}`.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn board_and_move(request: &Json) -> Result<(&Json, Option<Direction>), String> {
    if !request.is_object() {
        return Err("a request is an object with \"board\" and, if wanted, \"move\"".to_owned());
    }
    refuse_unknown_keys(request, &["board", "move"])?;
    let board = request.get("board").ok_or("board: missing")?;
    let Some(named) = request.get("move") else {
        return Ok((board, None));
    };
    let direction = named.as_str().and_then(Direction::from_name);
    let direction = direction.ok_or_else(|| {
        format!("move: {named} is not a direction; accepted: up, down, left, right")
    })?;
    Ok((board, Some(direction)))
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
