//! Many games of one cell stepped together, one given move for each.
//!
//! A [`Stepper`] has N slots, each with a game. One call of [`Stepper::step`] plays one round in
//! every slot: the given move, then the next deal. This is the interface that vector environments
//! for reinforcement learning need: legal moves as masks, boards as arrays, and ended games
//! replaced by new ones.
//!
//! Slot i plays the games `first_game + i`, `first_game + i + N`, `first_game + i + 2N`, … of its
//! cell and master seed. Each uses the world stream of the command line's game of that index,
//! regardless of the other slots; the player's stream is not used.
//!
//! A [`Table`] holds the positions of the slots. [`PlainTable`] plays the rules of any
//! [`Steppable`] game; the kernels of a game are other tables, tested against it.

pub use super::boards::kind;
use super::boards::{BoardRows, start_on};
use super::{Describe, Outcome, PositionError, Turns};
use crate::rng::{CellSeeds, Draw, Stream};
use std::ops::Range;

/// The move for a slot that [`Table::step`] must not change.
pub const IDLE: u8 = u8::MAX;

/// The largest number of moves of a game: the bits of a mask.
pub const MOVES_MAX: usize = 64;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The goal was reached, which ends the game.
    Won,
    /// There was no legal move.
    Blocked,
    /// A number was beyond the limit.
    Exceeded,
    /// The last round was played, or the last move used.
    OutOfRounds,
}

impl End {
    /// The name of the reason in tables: `won`, `blocked`, `beyond_limit`, `out_of_rounds`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Blocked => "blocked",
            Self::Exceeded => "beyond_limit",
            Self::OutOfRounds => "out_of_rounds",
        }
    }
}

/// When an ended game's slot gets its next game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// In the step in which the game ended: the slot shows the next game's board.
    #[default]
    SameStep,
    /// In the next step, which ignores the slot's move; until then the slot shows the final board.
    NextStep,
    /// When [`Stepper::reset`] is called; until then the slot shows the final board, and steps
    /// ignore its moves.
    Disabled,
}

/// What happens to an illegal move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Illegal {
    /// The step is rejected and no game is changed.
    #[default]
    Refuse,
    /// The slot does not change in this step: no round is played and nothing is drawn.
    Ignore,
}

/// How a [`Stepper`] plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteppingOptions {
    /// The index of the first slot's first game.
    pub first_game: u64,
    /// When ended games are replaced.
    pub autoreset: Autoreset,
    /// What happens to illegal moves.
    pub illegal: Illegal,
}

/// Why a step was rejected; no game was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The number of moves differs from the number of slots.
    #[error("{given} moves given for {slots} games; give one move for each game")]
    Count {
        /// The number of given moves.
        given: usize,
        /// The number of slots.
        slots: usize,
    },
    /// A move is not legal.
    #[error("slot {slot} (game {game}): move {chosen} is not legal; legal: {}", .legal.join(", "))]
    Illegal {
        /// The slot.
        slot: usize,
        /// The index of the slot's game.
        game: u64,
        /// The move's number, with its name if such a move exists: `1 (down)`.
        chosen: String,
        /// The legal moves in the same form.
        legal: Vec<String>,
    },
}

/// A game that ended in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// The slot of the game.
    pub slot: usize,
    /// The index of the game among those of the cell.
    pub game: u64,
    /// Why the game is over.
    pub end: End,
    /// Result, moves and measures by the rules.
    pub outcome: Outcome,
}

/// The positions of the slots of a [`Stepper`], and the engine that plays them.
///
/// Positions are read after the deal, or after the last move if that ended the game.
pub trait Table: Send {
    /// The number of slots.
    fn slots(&self) -> usize;

    /// The name of the kernel that plays.
    fn kernel(&self) -> &'static str;

    /// Rows and columns of a board.
    fn shape(&self) -> (usize, usize);

    /// The names of all moves, legal or not, in the game's fixed order; at most [`MOVES_MAX`].
    fn move_names(&self) -> Vec<String>;

    /// Starts a game in a slot and deals. Returns the mask of legal moves (bit m for move number m)
    /// and, if the game is over before its first move, the reason.
    fn begin(&mut self, slot: usize, game: u64) -> (u64, Option<End>);

    /// Starts a game in a slot on a given board, as after a deal. Returns the same as
    /// [`Table::begin`].
    ///
    /// # Errors
    /// Returns an error if the board is invalid or the kernel cannot start from given boards.
    fn pose(
        &mut self,
        _: usize,
        _: u64,
        _: &BoardRows,
    ) -> Result<(u64, Option<End>), PositionError> {
        Err(format!(
            "{} cannot begin on a given board; reference can",
            self.kernel()
        )
        .into())
    }

    /// Plays one round in every slot whose move is not [`IDLE`]: the move, which must be legal,
    /// then the next deal unless the game is over. Writes each such slot's mask of legal moves (0
    /// if the game is over) and why the game is over (`None` while it is in progress).
    fn step(&mut self, moves: &[u8], legal: &mut [u64], ended: &mut [Option<End>]);

    /// The outcome of a slot's game, which ended for this reason.
    ///
    /// # Panics
    /// May panic if the game is not over.
    fn outcome(&self, slot: usize, end: End) -> Outcome;

    /// Writes a slot's board in reading order: the [`kind`] of each cell, and the number on it (0
    /// where there is none), the exact value rounded once.
    fn read(&self, slot: usize, kinds: &mut [u8], numbers: &mut [f64]);

    /// The position of a slot's game, which ended for this reason, as JSON written by
    /// [`Positions::position`](super::Positions::position).
    ///
    /// # Panics
    /// May panic if the game is not over.
    fn position(&self, slot: usize, end: End) -> String;
}

/// Plays whole games of the random player in the slots of a table, and calls `each` with the
/// outcome and the last position of every game, in any order.
///
/// The player draws one word of its stream for each choice, as
/// [`Random`](crate::players::random::Random) does.
pub fn play_at_random(
    table: &mut dyn Table,
    seeds: CellSeeds,
    games: Range<u64>,
    each: &mut dyn FnMut(u64, &Outcome, &str),
) {
    let mut streams: Vec<Option<(u64, Stream)>> = vec![None; table.slots()];
    let mut choose = |playing: Playing<'_>, moves: &mut [u8]| {
        for (slot, game) in playing.games.iter().enumerate() {
            let Some(game) = *game else { continue };
            let known = streams[slot].take().filter(|(known, _)| *known == game);
            let (_, stream) =
                streams[slot].insert(known.unwrap_or_else(|| (game, seeds.player_stream(game))));
            let mut left = playing.legal[slot];
            for _ in 0..Draw::next(stream).below(left.count_ones().into()) {
                left &= left - 1;
            }
            moves[slot] = left.trailing_zeros() as u8;
        }
    };
    play_in_slots(table, games, true, &mut choose, each);
}

/// The games in the slots of a table, each of which has a legal move.
#[derive(Clone, Copy)]
pub struct Playing<'a> {
    /// The table, to read the boards.
    pub table: &'a dyn Table,
    /// The index of each slot's game; `None` where no game is left for the slot.
    pub games: &'a [Option<u64>],
    /// The masks of legal moves.
    pub legal: &'a [u64],
}

/// Plays whole games in the slots of a table, and calls `each` with the outcome and the last
/// position (empty without `positions`) of every game, in any order. `choose` writes a legal move
/// for each slot that has a game.
pub fn play_in_slots(
    table: &mut dyn Table,
    mut games: Range<u64>,
    positions: bool,
    choose: &mut dyn FnMut(Playing<'_>, &mut [u8]),
    each: &mut dyn FnMut(u64, &Outcome, &str),
) {
    let slots = table.slots();
    let mut playing: Vec<Option<u64>> = vec![None; slots];
    let mut legal = vec![0; slots];
    let mut ended = vec![None; slots];
    let mut moves = vec![IDLE; slots];
    let mut tell = |table: &dyn Table, slot: usize, game: u64, end: End| {
        let position = positions.then(|| table.position(slot, end));
        let position = position.unwrap_or_default();
        each(game, &table.outcome(slot, end), &position);
    };
    loop {
        for slot in 0..slots {
            if let (Some(end), Some(game)) = (ended[slot].take(), playing[slot]) {
                tell(table, slot, game, end);
                playing[slot] = None;
            }
            while playing[slot].is_none() {
                let Some(game) = games.next() else { break };
                let (mask, end) = table.begin(slot, game);
                match end {
                    Some(end) => tell(table, slot, game, end),
                    None => playing[slot] = Some(game),
                }
                legal[slot] = mask;
            }
        }
        if playing.iter().all(Option::is_none) {
            return;
        }
        moves.fill(IDLE);
        let shown = Playing {
            table,
            games: &playing,
            legal: &legal,
        };
        choose(shown, &mut moves);
        table.step(&moves, &mut legal, &mut ended);
    }
}

/// N games of one cell that are stepped together; see the [module](self).
///
/// `tilelab_plan::Cell::stepper` makes one.
pub struct Stepper {
    table: Box<dyn Table>,
    options: SteppingOptions,
    cells: usize,
    names: Vec<String>,
    /// Game index of each slot.
    games: Vec<u64>,
    legal: Vec<u64>,
    moves: Vec<u64>,
    /// Why each slot's game ended in the last step.
    ended: Vec<Option<End>>,
    /// Why each slot's game was over before its first move, until the next step reports it.
    unreported: Vec<Option<End>>,
    finished: Vec<Finished>,
    final_kinds: Vec<u8>,
    final_numbers: Vec<f64>,
    /// The moves of a step, [`IDLE`] for slots that must not change.
    played: Vec<u8>,
}

impl Stepper {
    /// Starts a game in every slot of a table.
    ///
    /// # Panics
    /// Panics if the table has more than [`MOVES_MAX`] moves.
    pub fn new(table: Box<dyn Table>, options: SteppingOptions) -> Self {
        let slots = table.slots();
        let names = table.move_names();
        assert!(names.len() <= MOVES_MAX, "a mask has {MOVES_MAX} bits");
        let (rows, cols) = table.shape();
        let mut stepper = Self {
            table,
            options,
            cells: rows * cols,
            names,
            games: (0..slots as u64)
                .map(|slot| options.first_game.wrapping_add(slot))
                .collect(),
            legal: vec![0; slots],
            moves: vec![0; slots],
            ended: vec![None; slots],
            unreported: vec![None; slots],
            finished: Vec::new(),
            final_kinds: Vec::new(),
            final_numbers: Vec::new(),
            played: vec![IDLE; slots],
        };
        (0..slots).for_each(|slot| stepper.begin(slot));
        stepper
    }

    /// The number of slots, N.
    pub fn slots(&self) -> usize {
        self.games.len()
    }

    /// The name of the kernel that plays.
    pub fn kernel(&self) -> &'static str {
        self.table.kernel()
    }

    /// Rows and columns of a board.
    pub fn shape(&self) -> (usize, usize) {
        self.table.shape()
    }

    /// The names of all moves, legal or not; a move's number is its index here.
    pub fn move_names(&self) -> &[String] {
        &self.names
    }

    /// Plays one round in every slot: its move, then the next deal.
    ///
    /// `moves` has one move number for each slot. Moves of slots whose game is over are ignored. A
    /// game that is over before its first move is reported as ended by the first step after its
    /// start.
    ///
    /// # Errors
    /// Returns an error that names the first slot with an illegal move, unless illegal moves are
    /// ignored ([`Illegal::Ignore`]). No game is changed then.
    pub fn step(&mut self, moves: &[u8]) -> Result<(), StepError> {
        let slots = self.slots();
        if moves.len() != slots {
            return Err(StepError::Count {
                given: moves.len(),
                slots,
            });
        }
        for (slot, &chosen) in moves.iter().enumerate() {
            let is_legal = usize::from(chosen) < MOVES_MAX && self.legal[slot] >> chosen & 1 == 1;
            let goes_on = self.legal[slot] != 0;
            if goes_on && !is_legal && self.options.illegal == Illegal::Refuse {
                return Err(self.illegal(slot, chosen));
            }
            self.played[slot] = if is_legal { chosen } else { IDLE };
        }
        self.finished.clear();
        self.final_kinds.clear();
        self.final_numbers.clear();
        std::mem::swap(&mut self.ended, &mut self.unreported);
        self.unreported.fill(None);
        self.table
            .step(&self.played, &mut self.legal, &mut self.ended);
        for slot in 0..slots {
            self.moves[slot] += u64::from(self.played[slot] != IDLE);
            if let Some(end) = self.ended[slot] {
                self.report(slot, end);
            } else if self.legal[slot] == 0 && self.options.autoreset == Autoreset::NextStep {
                // An earlier step has reported the end.
                self.replace(slot);
            }
        }
        Ok(())
    }

    /// Reports a slot's game that is over, and replaces it if the options say so.
    fn report(&mut self, slot: usize, end: End) {
        let at = self.final_kinds.len();
        self.final_kinds.resize(at + self.cells, kind::BLANK);
        self.final_numbers.resize(at + self.cells, 0.0);
        self.table.read(
            slot,
            &mut self.final_kinds[at..],
            &mut self.final_numbers[at..],
        );
        self.finished.push(Finished {
            slot,
            game: self.games[slot],
            end,
            outcome: self.table.outcome(slot, end),
        });
        if self.options.autoreset == Autoreset::SameStep {
            self.replace(slot);
        }
    }

    /// Starts a slot's next game, whether or not the current one is over.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    pub fn reset(&mut self, slot: usize) {
        self.replace(slot);
        self.ended[slot] = None;
    }

    /// Starts the game with this index in a slot, whether or not the current one is over. Later
    /// games of the slot continue from this index.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    pub fn open(&mut self, slot: usize, game: u64) {
        self.games[slot] = game;
        self.begin(slot);
        self.ended[slot] = None;
    }

    /// Starts the game with this index in a slot, as [`Stepper::open`] does, but on a given board.
    ///
    /// # Errors
    /// See [`Table::pose`]; no game is changed then.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    pub fn pose(&mut self, slot: usize, game: u64, board: &BoardRows) -> Result<(), PositionError> {
        let begun = self.table.pose(slot, game, board)?;
        self.games[slot] = game;
        self.begun(slot, begun);
        self.ended[slot] = None;
        Ok(())
    }

    fn replace(&mut self, slot: usize) {
        self.games[slot] = self.games[slot].wrapping_add(self.slots() as u64);
        self.begin(slot);
    }

    fn begin(&mut self, slot: usize) {
        let begun = self.table.begin(slot, self.games[slot]);
        self.begun(slot, begun);
    }

    fn begun(&mut self, slot: usize, (legal, end): (u64, Option<End>)) {
        self.legal[slot] = legal;
        self.moves[slot] = 0;
        self.unreported[slot] = end;
    }

    #[cold]
    fn illegal(&self, slot: usize, chosen: u8) -> StepError {
        let text = |number: usize| match self.names.get(number) {
            Some(name) => format!("{number} ({name})"),
            None => number.to_string(),
        };
        let legal = (0..self.names.len())
            .filter(|number| self.legal[slot] >> number & 1 == 1)
            .map(text);
        StepError::Illegal {
            slot,
            game: self.games[slot],
            chosen: text(chosen.into()),
            legal: legal.collect(),
        }
    }

    /// Writes the board of one slot; see [`Stepper::boards`].
    ///
    /// # Panics
    /// Panics if there is no such slot, or an array has another length than rows × cols.
    pub fn board(&self, slot: usize, kinds: &mut [u8], numbers: &mut [f64]) {
        assert_eq!(
            (kinds.len(), numbers.len()),
            (self.cells, self.cells),
            "one element for each cell of the board"
        );
        self.table.read(slot, kinds, numbers);
    }

    /// The legal moves of each slot, bit m for move number m; 0 where the game is over.
    pub fn legal(&self) -> &[u64] {
        &self.legal
    }

    /// Why each slot's game ended in the last step; `None` if it did not.
    pub fn ended(&self) -> &[Option<End>] {
        &self.ended
    }

    /// The games that ended in the last step, by slot.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// The final boards of [`Stepper::finished`], in its order: kinds and numbers as arrays of
    /// shape (ended games, rows, cols), in the form of [`Stepper::boards`].
    pub fn final_boards(&self) -> (&[u8], &[f64]) {
        (&self.final_kinds, &self.final_numbers)
    }

    /// The moves made so far in each slot's game.
    pub fn moves(&self) -> &[u64] {
        &self.moves
    }

    /// The index of each slot's game.
    pub fn games(&self) -> &[u64] {
        &self.games
    }

    /// Writes the boards as arrays of shape (N, rows, cols), rows from top to bottom: the [`kind`]
    /// of each cell, and the number on it (0 where there is none), the exact value rounded once
    /// (infinite beyond the range of `f64`).
    ///
    /// # Panics
    /// Panics if an array has another length than N × rows × cols.
    pub fn boards(&self, kinds: &mut [u8], numbers: &mut [f64]) {
        let length = self.slots() * self.cells;
        assert_eq!(
            (kinds.len(), numbers.len()),
            (length, length),
            "one element for each cell of each board"
        );
        let boards = kinds
            .chunks_exact_mut(self.cells)
            .zip(numbers.chunks_exact_mut(self.cells));
        for (slot, (kinds, numbers)) in boards.enumerate() {
            self.table.read(slot, kinds, numbers);
        }
    }
}

/// A game that can be stepped: its moves have fixed numbers and its boards are arrays.
pub trait Steppable: Describe {
    /// All moves, legal or not, in the game's fixed order, with their names.
    fn all_moves(&self) -> Vec<(Self::Move, String)>;

    /// Why a finished game is over.
    fn end(&self, state: &Self::State) -> End;
}

/// The reference rules of a game as a [`Table`], to test faster tables against.
pub struct PlainTable<G: Steppable> {
    game: G,
    seeds: CellSeeds,
    moves: Vec<(G::Move, String)>,
    /// Each slot's game.
    slots: Vec<Turns<G>>,
    /// Scratch memory for legal moves.
    legal: Vec<G::Move>,
}

impl<G: Steppable> PlainTable<G> {
    /// A table of these rules whose games draw from the world streams of `seeds`.
    pub fn new(game: G, seeds: CellSeeds, slots: usize) -> Self {
        let first = Turns::undealt(&game, seeds.world_stream(0));
        let moves = game.all_moves();
        Self {
            game,
            seeds,
            moves,
            slots: vec![first; slots],
            legal: Vec::new(),
        }
    }

    /// Puts a game into a slot, as it is after its deal; `world` is its stream.
    pub fn set(&mut self, slot: usize, state: G::State, world: Stream) {
        self.slots[slot] = Turns::on(&self.game, state, world);
    }

    /// Plays one round in a slot; see [`Table::step`].
    pub fn step_slot(&mut self, slot: usize, chosen: u8) -> (u64, Option<End>) {
        let chosen = self.moves[usize::from(chosen)].0;
        self.slots[slot].play(&self.game, chosen);
        self.reached(slot)
    }

    /// The legal moves of a slot's game, or why it is over.
    fn reached(&mut self, slot: usize) -> (u64, Option<End>) {
        let turns = &self.slots[slot];
        if turns.outcome().is_some() {
            return (0, Some(self.game.end(turns.state())));
        }
        turns.list_legal(&self.game, &mut self.legal);
        let bit = |(number, (one, _)): (usize, &(G::Move, String))| {
            u64::from(self.legal.contains(one)) << number
        };
        (self.moves.iter().enumerate().map(bit).sum(), None)
    }
}

impl<G: Steppable> Table for PlainTable<G> {
    fn slots(&self) -> usize {
        self.slots.len()
    }

    fn kernel(&self) -> &'static str {
        super::KernelChoice::Reference.name()
    }

    fn shape(&self) -> (usize, usize) {
        self.game.shape()
    }

    fn move_names(&self) -> Vec<String> {
        self.moves.iter().map(|(_, name)| name.clone()).collect()
    }

    fn begin(&mut self, slot: usize, game: u64) -> (u64, Option<End>) {
        self.slots[slot] = Turns::new(&self.game, self.seeds.world_stream(game));
        self.reached(slot)
    }

    fn pose(
        &mut self,
        slot: usize,
        game: u64,
        board: &BoardRows,
    ) -> Result<(u64, Option<End>), PositionError> {
        let state = start_on(&self.game, board)?;
        self.slots[slot] = Turns::on(&self.game, state, self.seeds.world_stream(game));
        Ok(self.reached(slot))
    }

    fn step(&mut self, moves: &[u8], legal: &mut [u64], ended: &mut [Option<End>]) {
        for (slot, &chosen) in moves.iter().enumerate() {
            if chosen != IDLE {
                (legal[slot], ended[slot]) = self.step_slot(slot, chosen);
            }
        }
    }

    fn outcome(&self, slot: usize, _end: End) -> Outcome {
        self.slots[slot].outcome().expect("the game is over")
    }

    fn read(&self, slot: usize, kinds: &mut [u8], numbers: &mut [f64]) {
        self.game.read(self.slots[slot].state(), kinds, numbers);
    }

    fn position(&self, slot: usize, _end: End) -> String {
        self.game.position(self.slots[slot].state()).to_string()
    }
}
