//! Calculator, a puzzle in which buttons change the number on a display until it equals the goal.
//!
//! # Rules
//! A level gives a start, a goal, a number of moves, buttons and perhaps a portal. Each press costs
//! one move, except `Store`, which is free. The level is solved when the display shows the goal
//! after at most that number of moves.
//!
//! | button | effect (digits act on the absolute value and the sign stays; leading zeros vanish; there is no −0) |
//! | --- | --- |
//! | `+n` `-n` `xn` | arithmetic; `x-n` multiplies by −n |
//! | `/n` | division; not pressable with a remainder |
//! | `x^n` | power |
//! | `+/-` | change of sign |
//! | digits | appends them |
//! | `<<` | deletes the last digit; a single digit becomes 0 |
//! | `a=>b` | replaces every occurrence of the digit string a by b, left to right, going on after each |
//! | `Reverse` `SUM` `Mirror` | reverses the digits; their sum; appends the reversed digits |
//! | `<Shift` `Shift>` | the first digit goes to the end; the last goes to the front |
//! | `Inv10` | each digit d becomes 10 − d, 0 stays 0 |
//! | `[+]n` | adds n to the number on every `+ - x /` and append button (`x-3` becomes `x-2`) |
//! | `Store` | stores the display, which must not be negative; the stored number is a further button that appends it |
//!
//! A press whose result has more than six digits is not allowed. A [`Portal`] then acts on the
//! result: while the number has an i-th digit (from the right), that digit is removed, the higher
//! digits close the gap, and it is added at position j < i.
//!
//! # As a game of chance
//! While moves are left, a player may press any allowed button, even if it changes nothing. `Store`
//! may be pressed only if it changes the stored number, so that every game ends. The game is won
//! when the goal is shown, and lost when no moves are left or nothing can be pressed. Its move
//! count is the number of moves used.
//!
//! # Parameters
//! See [`PARAMS`]: `level` picks one of the 199 levels of the game; or `start`, `goal`, `moves`,
//! `buttons` and `portal` give one.
//!
//! # Draw protocol
//! * World stream: nothing is drawn.
//! * Player stream: see the player; [`crate::players::random`] draws one word a press and picks
//!   among the pressable buttons in the level's order, the stored number last.
//!
//! # Source
//! "Calculator: The Game" (Simple Machine). Known quirks, confirmed by the listed solutions of the
//! 100 even levels or by the public solvers that list them: negative numbers are not stored, `[+]n`
//! does not change the stored number, the six digits count before the portal acts.

mod backward;
pub mod button;
pub mod game;
pub mod level;
pub mod levels;
pub mod press;
pub mod solver;
mod states;

pub use button::Button;
pub use game::{Calculator, PARAMS, answer, complete};
pub use level::{Level, Press, State};
pub use press::{Portal, Refusal};

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "calculator";
/// What the game is, in one line.
pub const SUMMARY: &str = "Calculator: press buttons until the display shows the goal";
