//! The cycling player: the directions in a fixed order, repeatedly.
//!
//! In round r (from 1) it tries direction number r - 1 of its order, modulo their count; if that is
//! illegal, the next one in the order, and so on. Directions that the order leaves out are tried
//! last, in the order up, down, left, right. It draws nothing.

use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::rng::Stream;

fn canonical(text: &str) -> Option<String> {
    let fits = (1..=8).contains(&text.len()) && text.chars().all(|letter| "udlr".contains(letter));
    fits.then(|| text.to_owned())
}

/// Takes the directions in turn.
#[derive(Clone, Debug)]
pub struct Cycle {
    order: Vec<Direction>,
}

impl Player<SixtySeven> for Cycle {
    fn choose(
        &mut self,
        _: &SixtySeven,
        state: &State,
        legal: &[Direction],
        _: &mut Stream,
    ) -> Direction {
        let turn = (state.round.max(1) - 1) as usize % self.order.len();
        let tried = self.order[turn..]
            .iter()
            .chain(&self.order[..turn])
            .chain(&Direction::ALL);
        *tried
            .into_iter()
            .find(|direction| legal.contains(direction))
            .expect("a direction is legal")
    }
}

impl NamedPlayer<SixtySeven> for Cycle {
    const NAME: &'static str = "cycle";
    const SUMMARY: &'static str = "takes the directions in a fixed order, again and again";
    const PARAMS: &'static [ParamSpec] = &[ParamSpec::text(
        "order",
        "1 to 8 of the letters u d l r, such as \"uldr\"",
        canonical,
        Some("uldr"),
    )
    .help("the directions by their first letters")];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let named = |letter: char| {
            let mut directions = Direction::ALL.into_iter();
            directions
                .find(|direction| direction.name().starts_with(letter))
                .expect("an accepted letter")
        };
        let order = params.text("order").expect("a parameter with a default");
        Ok(Self {
            order: order.chars().map(named).collect(),
        })
    }
}
