//! A training whose weights are a sum, for the saved states of trainings.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::ops::Range;
use tilelab_games::game::learner::{Learner, Totals};

/// Adds up the games that it has learned, and has many of them to write.
#[derive(Default)]
pub struct Adder {
    pub learned: Vec<u64>,
}

impl Learner for Adder {
    fn play(&mut self, games: Range<u64>, _of: u64) -> Totals {
        let count = games.end - games.start;
        for game in games {
            let before = self.learned.last().copied().unwrap_or_default();
            self.learned.push(before + game);
        }
        Totals {
            games: count,
            moves: count,
            ..Totals::default()
        }
    }

    fn test(&mut self, _games: Range<u64>) -> Totals {
        Totals::default()
    }

    fn start_from(&mut self, _weights: &[u8]) -> std::result::Result<(), String> {
        Err("it starts from nothing".to_owned())
    }

    fn write_state(&self, out: &mut dyn Write) -> Result<()> {
        let mut numbers = self.learned.iter();
        numbers.try_for_each(|number| out.write_all(&number.to_le_bytes()))
    }

    fn read_state(&mut self, from: &mut dyn Read) -> Result<()> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes)?;
        let (numbers, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            return Err(Error::from(ErrorKind::InvalidData));
        }
        let numbers = numbers.iter();
        self.learned = numbers.map(|number| u64::from_le_bytes(*number)).collect();
        Ok(())
    }

    fn weights(&self) -> Vec<u8> {
        Vec::new()
    }
}
