//! Many games at once, one bit of a register for each: *slices*.
//!
//! Where planes ([`super::lockstep`]) hold the cells of one game in a word, slices hold one cell of
//! 64, 128 or 256 games in a register. A move, its legality and the k-th blank cell are then
//! plain logic on registers, without shifts or counts, and games need no instructions beyond those
//! of the smallest machines.
//!
//! ```text
//! fill every slot with a game
//! while a game is left:
//!     draw      each tile's rank among the blanks, kind and index: one world word each
//!     put       count the blanks in reading order; a tile stands where the count is its rank
//!     choose    the legal directions, and the one that the player's word picks
//!     frame     the planes as seen from the edge that tiles move to
//!     scan      one pass over each line: operations, removed operators
//!     slide     distances
//!     collapse  operands, slots and values of the operations
//!     pack      close the gaps; frames become planes again
//!     end       report the ended games and fill their slots
//! ```
//!
//! # Departures from the obvious
//! 1. Each pass is a function of its own, since the registers are too few for two, and within it
//!    the loops over a line are written out ([`bits::unrolled`]).
//! 2. New numbers take no slot for their value: the first indices stand for them.
//! 3. Random words and values are the only data that is kept game by game. Bits become bytes by
//!    transposition ([`bits::SliceIsa::bytes_of`]) and back by tests of bytes.
//! 4. Player words are drawn for four rounds at a time.
//! 5. When too few games are left to fill the registers, the caller plays on with planes.

// The last of the blocks that `unrolled` writes out sets variables for a next one that is not
// there.
#![allow(unused_assignments)]

mod batch;
pub(super) mod bits;
mod collapse;
mod draw;
mod frame;
mod legal;
mod put;
mod registers;
mod scan;

use super::ended::{End, Ended, Start, Starts};
use super::lockstep::Resumed;
use super::portable::set_bits;
use super::spec::{GameRange, Spec};
use super::streams::state;
use crate::games::sixty_seven::Runs;
use crate::games::sixty_seven::packed::PackedBoard;
use crate::rng::next_word;
use batch::{Clear, SLOTS_AT, SliceBatch, compiled_alone};
use bits::SliceIsa;
use collapse::CollapsePass;
use draw::{DrawTiles, Picks, TILES};
use frame::{Frame, Pack};
use legal::Choose;
use put::{FindTarget, Put};
use scan::{Scan, SlidePass};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use registers::simd128::Simd128;

/// Whether the boards and the numbers of these rules fit.
pub(super) fn fits(spec: &Spec) -> bool {
    spec.rows.max(spec.cols) <= SIDE_MAX && spec.numbers.len() <= SLOTS_AT
}

/// The longest lines.
pub(super) const SIDE_MAX: usize = 10;

/// The games of a batch and where they stand.
pub(super) struct SlicePlay<'a, I: SliceIsa<N>, const N: usize, const S: usize> {
    spec: &'a Spec,
    starts: Starts<'a>,
    games: GameRange,
    batch: Box<SliceBatch<I, N, S>>,
    /// The games of the slots, and the rounds of the batch before they began.
    slots: Vec<(u64, u64)>,
    /// The slots with a game that is not over.
    live: [u64; N],
    rounds: u64,
    /// Before this round no game reaches the limit of rounds.
    deadline: u64,
}

impl<'a, I: SliceIsa<N>, const N: usize, const S: usize> SlicePlay<'a, I, N, S> {
    pub(super) fn new(isa: I, spec: &'a Spec, starts: Starts<'a>, games: GameRange) -> Self {
        Self {
            batch: SliceBatch::new(isa, spec),
            slots: vec![(0, 0); 64 * N],
            live: [0; N],
            rounds: 0,
            deadline: u64::MAX,
            spec,
            starts,
            games,
        }
    }

    /// Plays until fewer than `least` games are left, and reports each that ends.
    pub(super) fn play(&mut self, least: u32, report: &mut dyn FnMut(&Ended<'_>)) {
        for slot in 0..self.slots.len() {
            self.fill(slot);
        }
        self.put_boards([u64::MAX; N]);
        while self.live.iter().map(|live| live.count_ones()).sum::<u32>() >= least.max(1) {
            self.turn();
            self.end(report);
        }
    }

    /// The slots of the games that are left, and their numbers.
    pub(super) fn left(&self) -> Vec<(usize, u64)> {
        let left = |slot: &usize| self.live[slot / 64] >> (slot % 64) & 1 == 1;
        let slots = (0..self.slots.len()).filter(left);
        slots.map(|slot| (slot, self.slots[slot].0)).collect()
    }

    /// Where the game of a slot stands; writes its board.
    pub(super) fn resume(&self, slot: usize, board: &mut PackedBoard) -> Resumed {
        self.batch.read(slot, board);
        let (number, since) = self.slots[slot];
        let rounds = self.rounds.wrapping_sub(since);
        let start = self.start(number);
        // The words that were drawn ahead are the player's again.
        let mut player = state(self.games.seeds.player, start.stream);
        for _ in start.rounds..rounds {
            next_word(&mut player);
        }
        let spawned = self.batch.draws.spawned.each_ref();
        Resumed {
            rounds,
            world: self
                .batch
                .draws
                .world
                .each_ref()
                .map(|words| words.as_flattened()[slot]),
            player,
            spawned: spawned.map(|counts| counts.get(slot).copied().unwrap_or_default()),
        }
    }

    /// Begins the next game in a slot, if there is one.
    fn fill(&mut self, slot: usize) {
        let Some(number) = self.games.range.next() else {
            self.live[slot / 64] &= !(1 << (slot % 64));
            return;
        };
        self.live[slot / 64] |= 1 << (slot % 64);
        let start = self.start(number);
        let since = self.rounds.wrapping_sub(start.rounds);
        let blanks = self.starts.map_or(self.spec.cells(), |(boards, _)| {
            let tiles = boards[start.board].tiles();
            tiles.iter().filter(|tile| tile.is_blank()).count()
        });
        self.slots[slot] = (number, since);
        self.deadline = self.deadline.min(self.due(since));
        let draws = &mut self.batch.draws;
        draws.begin(slot, self.games.seeds, start.stream, blanks, self.rounds);
    }

    /// Where a game begins; on a blank board there is no board to choose.
    fn start(&self, number: u64) -> Start {
        let blank = Start {
            board: 0,
            stream: number,
            rounds: 0,
        };
        self.starts
            .map_or(blank, |(_, starts)| starts[number as usize])
    }

    /// Puts the boards on which the games of these slots begin.
    fn put_boards(&mut self, slots: [u64; N]) {
        let Some((boards, _)) = self.starts else {
            return;
        };
        for word in 0..N {
            let mut rest = slots[word] & self.live[word];
            while rest != 0 {
                // All games of the word that begin on the same board.
                let board_of = |bit: u32| {
                    let (number, _) = self.slots[64 * word + bit as usize];
                    self.start(number).board
                };
                let board = board_of(rest.trailing_zeros());
                let same = (0..64).filter(|bit| rest >> bit & 1 == 1 && board_of(*bit) == board);
                let games = same.fold(0, |games, bit| games | 1 << bit);
                self.batch.put_board(word, games, &boards[board]);
                rest &= !games;
            }
        }
    }

    /// One round of all games.
    fn turn(&mut self) {
        let spec = self.spec;
        let batch = &mut *self.batch;
        self.rounds += 1;
        let phase = (self.rounds % 4) as usize;
        if phase == 0 {
            compiled_alone(batch.isa, Picks(&mut batch.draws));
        }
        for first in (0..spec.tiles).step_by(TILES) {
            match spec.tiles - first {
                1 => deal::<_, N, S, 1>(batch, spec, first),
                2 => deal::<_, N, S, 2>(batch, spec, first),
                3 => deal::<_, N, S, 3>(batch, spec, first),
                _ => deal::<_, N, S, TILES>(batch, spec, first),
            }
        }
        if spec.collapse.runs == Runs::Stay {
            batch.run(Choose::<false> { phase });
        } else {
            batch.run(Choose::<true> { phase });
        }
        batch.run(Frame);
        match (spec.collapse.blanks_separate, spec.collapse.runs) {
            (true, Runs::Stay) => batch.run(Scan::<true, false, false>),
            (true, Runs::Halve) => batch.run(Scan::<true, true, true>),
            (true, Runs::One) => batch.run(Scan::<true, true, false>),
            (false, Runs::Stay) => batch.run(Scan::<false, false, false>),
            (false, Runs::Halve) => batch.run(Scan::<false, true, true>),
            (false, Runs::One) => batch.run(Scan::<false, true, false>),
        }
        batch.run(SlidePass);
        batch.won = [0; N];
        batch.exceeded = [0; N];
        let target = spec.target;
        if let Some(limit) = spec.limit {
            batch.run(CollapsePass::<true> { target, limit });
        } else {
            let limit = u64::MAX;
            batch.run(CollapsePass::<false> { target, limit });
        }
        batch.run(Pack);
        if spec.target_is_new {
            let mut numbers = spec.numbers.iter();
            let place = numbers.position(|number| *number == spec.target);
            let place = place.expect("the target is a number that appears");
            batch.run(FindTarget { place });
        }
    }

    /// Reports the games that ended in this round and fills their slots.
    fn end(&mut self, report: &mut dyn FnMut(&Ended<'_>)) {
        let late = self.late();
        let mut cleared = [0; N];
        for word in 0..N {
            let blocked = self.batch.blocked.words()[word];
            let won = self.batch.won[word];
            let exceeded = self.batch.exceeded[word];
            cleared[word] = (blocked | won | exceeded | late[word]) & self.live[word];
            for bit in set_bits(cleared[word]) {
                let slot = 64 * word + bit;
                let is_in = |games: u64| games >> bit & 1 == 1;
                let end = if is_in(blocked) {
                    End::Blocked
                } else if is_in(won) {
                    End::Won
                } else if is_in(exceeded) {
                    End::Exceeded
                } else {
                    End::OutOfRounds
                };
                self.report(slot, end, report);
                self.fill(slot);
            }
        }
        if cleared != [0; N] {
            self.batch.run(Clear(cleared));
            self.put_boards(cleared);
        }
    }

    fn report(&self, slot: usize, end: End, report: &mut dyn FnMut(&Ended<'_>)) {
        let (game, since) = self.slots[slot];
        let board = || {
            let mut board = PackedBoard::blank(self.spec.rows, self.spec.cols);
            self.batch.read(slot, &mut board);
            board
        };
        let [digits, operators] = &self.batch.draws.spawned;
        let counts = || [operators[slot], digits[slot]].map(u64::from);
        report(&Ended {
            game,
            end,
            rounds: self.rounds.wrapping_sub(since),
            spawned: self.spec.counted.then(counts),
            board: &board,
        });
    }

    /// The games that have played their last round.
    fn late(&mut self) -> [u64; N] {
        let mut late = [0; N];
        if self.rounds < self.deadline {
            return late;
        }
        self.deadline = u64::MAX;
        for (slot, (_, since)) in self.slots.iter().enumerate() {
            let due = self.due(*since);
            if due <= self.rounds {
                late[slot / 64] |= 1 << (slot % 64);
            } else {
                self.deadline = self.deadline.min(due);
            }
        }
        late
    }

    /// The round of the batch in which a game reaches the limit of rounds, if it lasts until then.
    fn due(&self, since: u64) -> u64 {
        let played = self.rounds.wrapping_sub(since);
        let limit = self.games.rounds_max.unwrap_or(u64::MAX);
        self.rounds.saturating_add(limit.saturating_sub(played))
    }
}

/// Draws and puts the next `T` tiles.
fn deal<I: SliceIsa<N>, const N: usize, const S: usize, const T: usize>(
    batch: &mut SliceBatch<I, N, S>,
    spec: &Spec,
    first: usize,
) {
    let draws = &mut batch.draws;
    compiled_alone(batch.isa, DrawTiles::<N, T> { draws, spec, first });
    batch.run(Put::<T>);
}
