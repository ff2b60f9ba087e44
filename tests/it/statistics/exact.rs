//! Exact values of small boards, and every kernel compared with them.

use crate::common::{refused, stdout, succeeded, tilelab};
use crate::effort::times;
use crate::kernels::kernels_of;
use tilelab::exact::{Best, Exact, Limits, Problem};
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::line::Tile;
use tilelab::games::sixty_seven::reference::TileBoard;
use tilelab::games::twenty_forty_eight::TwentyFortyEight;
use tilelab::players::random::Random;
use tilelab::rng::CellSeeds;
use tilelab::stats::{Summary, clopper_pearson};
use tilelab::{
    Cell, Describe, Draw, Game, GameEntry, Job, KernelChoice, LoopJob, Outcome, Params,
    PlayableGame, Stream, Tally, play_games,
};

/// Games played by each kernel.
fn games() -> u64 {
    times(30_000)
}

fn exact(cell: &Cell) -> Exact {
    let problem = Problem::of(cell.game, &cell.params).expect("the board is small");
    let exact = problem.solve(Limits::default());
    assert!(
        !exact.is_cut && exact.unresolved < 1e-11,
        "{}: {exact:?}",
        cell.key()
    );
    assert!(
        (exact.won + exact.lost - 1.0).abs() < 1e-11,
        "{}: {exact:?}",
        cell.key()
    );
    assert!(
        problem.boards_bound() >= exact.boards_peak as f64,
        "{}: {exact:?}",
        cell.key()
    );
    exact
}

/// Hash maps order their keys differently each time; no sum may depend on that.
#[test]
fn every_run_gives_the_same_bits() {
    for text in [
        "sixty-seven rows=2 cols=3 operators=+ digits=12 target=4 max_rounds=9",
        "twenty-forty-eight rows=2 cols=2 goal=16",
    ] {
        let cell = Cell::parse(text).unwrap();
        let first = exact(&cell);
        for _ in 0..5 {
            assert_eq!(exact(&cell), first, "{text}");
        }
    }
}

/// The compact boards with their symmetries are a faster way to the figures of the plain rules.
#[test]
fn compact_boards_have_the_figures_of_the_plain_rules() {
    for text in [
        "sixty-seven size=1x3 digits=1 operators=+ target=2 tiles_per_turn=3 max_rounds=3",
        "sixty-seven size=1x4 digits=12 operators=+- target=3 rules=gapless max_rounds=3 tiles_per_turn=1",
        "sixty-seven size=2x3 digits=1 operators=+ target=2 rules=merge-runs max_rounds=2 operator_rate=0.4",
        "sixty-seven size=1x4 digits=13 operators=*+ target=4 rules=merge-pairs max_rounds=3 value_limit=3 tiles_per_turn=1",
        "sixty-seven size=1x3 start=1,+,_ numbers=1;2 target=3 max_rounds=2",
        "twenty-forty-eight size=2x2 goal=16",
        "twenty-forty-eight size=1x4 goal=8 four_rate=0.3 max_moves=4",
        "twenty-forty-eight size=2x2 goal=24 start=3,3/6,2",
    ] {
        let cell = Cell::parse(text).unwrap();
        let problems = [Problem::of, Problem::listed];
        let problems = problems.map(|make| make(cell.game, &cell.params).unwrap());
        let [fast, plain] = problems.each_ref().map(|problem| {
            let random = problem.solve(Limits::default());
            let [lo, hi] = problem.best(Limits::default()).won;
            let moves = random.moves;
            let won = random.moves_win;
            [
                random.won,
                random.lost,
                random.unresolved,
                moves.sum,
                moves.squares,
                won.sum,
                won.squares,
                lo,
                hi,
            ]
        });
        for (fast, plain) in fast.iter().zip(plain) {
            assert!(
                (fast - plain).abs() < 1e-12 * (1.0 + plain),
                "{text}: {fast} {plain}"
            );
        }
        assert!(plain[7] > plain[0] - 1e-12, "{text}: {plain:?}");
    }
}

/// A walk from 0 that is won at 3 and goes on for ever otherwise: each deal is a step, and a move
/// steps back or stays.
#[derive(Clone)]
struct Walk<const IS_LISTED: bool>;

/// The steps of a deal, with their weights.
const STEPS: [(f64, i64); 3] = [(1.0, -1), (0.5, 0), (2.5, 1)];

impl<const IS_LISTED: bool> Game for Walk<IS_LISTED> {
    type State = i64;
    type Move = i64;
    const MOVES: &'static [i64] = &[-1, 0];

    fn start(&self, _: &mut Stream) -> i64 {
        0
    }

    fn deal(&self, state: &mut i64, world: &mut Stream) {
        let eighth = Draw::next(world).below(8);
        *state += STEPS[usize::from(eighth > 1) + usize::from(eighth > 2)].1;
    }

    fn chances(&self, state: &i64) -> Option<Vec<(f64, i64)>> {
        let dealt = STEPS.map(|(weight, step)| (weight, state + step));
        IS_LISTED.then(|| dealt.to_vec())
    }

    fn play(&self, state: &mut i64, chosen: i64) {
        *state += chosen;
    }

    fn outcome(&self, state: &i64) -> Option<Outcome> {
        (*state == 3).then(|| Outcome::new(true, 0))
    }
}

impl<const IS_LISTED: bool> Describe for Walk<IS_LISTED> {}

impl<const IS_LISTED: bool> PlayableGame for Walk<IS_LISTED> {
    const ENTRY: GameEntry = GameEntry::new("walk", "a walk", &[]);

    fn build(_: &Params) -> Self {
        Self
    }
}

static LISTED: GameEntry = GameEntry::of::<Walk<true>>(&[]);
static UNLISTED: GameEntry = GameEntry::of::<Walk<false>>(&[]);

/// Four bits and a start that is 0, or 2 in a quarter of the games: bits of coins, and those that
/// are chosen. A sum of at least 4 wins. With `IS_BOTH`, its own deal does what no event does.
#[derive(Clone)]
struct Bits<const IS_BOTH: bool>;

impl<const IS_BOTH: bool> Game for Bits<IS_BOTH> {
    /// The sum and the choices.
    type State = [u64; 2];
    type Move = u64;
    const MOVES: &'static [u64] = &[0, 1];
    const EVENTS: u64 = 2;

    fn start(&self, world: &mut Stream) -> [u64; 2] {
        [Draw::next(world).below(4) / 3 * 2, 0]
    }

    fn starts(&self) -> Option<Vec<(f64, [u64; 2])>> {
        Some(vec![(1.5, [0; 2]), (0.5, [2, 0]), (0.0, [9, 9])])
    }

    fn deal(&self, state: &mut [u64; 2], world: &mut Stream) {
        let index = Draw::next(world).below(2);
        self.event(state, if IS_BOTH { index + 2 } else { index });
    }

    fn event(&self, state: &mut [u64; 2], index: u64) {
        state[0] += index;
    }

    fn play(&self, state: &mut [u64; 2], chosen: u64) {
        *state = [state[0] + chosen, state[1] + 1];
    }

    fn outcome(&self, &[sum, choices]: &[u64; 2]) -> Option<Outcome> {
        (choices == 2).then(|| Outcome::new(sum >= 4, choices))
    }
}

impl<const IS_BOTH: bool> Describe for Bits<IS_BOTH> {}

impl<const IS_BOTH: bool> PlayableGame for Bits<IS_BOTH> {
    const ENTRY: GameEntry = GameEntry::new("bits", "four bits", &[]);

    fn build(_: &Params) -> Self {
        Self
    }
}

static BITS: GameEntry = GameEntry::of::<Bits<false>>(&[]);
static BOTH: GameEntry = GameEntry::of::<Bits<true>>(&[]);

/// From 0 random play needs all four bits, from 2 two of them; best play chooses ones.
#[test]
fn random_starts_are_followed_with_their_weights() {
    let params = Params::defaults(&[]);
    let problem = Problem::of(&BITS, &params).unwrap();
    let random = problem.solve(Limits::default());
    assert!((random.won - (0.75 / 16.0 + 0.25 * 11.0 / 16.0)).abs() < 1e-12);
    assert!((random.won + random.lost - 1.0).abs() < 1e-12 && !random.is_cut);
    let best = problem.best(Limits::default());
    assert!((best.won[0] - (0.75 / 4.0 + 0.25)).abs() < 1e-12);
    assert!(best.choices.is_empty());
    let mut tally = Tally::new(&[]);
    let job = LoopJob::new(Bits::<false>, || Random, CellSeeds::of(67));
    job.play(0..100_000, &mut tally, None);
    let rate = tally.wins as f64 / tally.games as f64;
    // Four standard errors.
    assert!((rate - random.won).abs() < 0.0053, "{rate}");
}

/// A state goes up with a chance of 5/8 and down with 1/4, so best play, which never steps back,
/// reaches 3 for certain; there are infinitely many states below.
#[test]
fn states_without_end_are_cut_with_bounds_around_the_value() {
    let params = Params::defaults(&[]);
    let problem = Problem::of(&LISTED, &params).unwrap();
    let mut before = [0.0, 1.0];
    for boards_max in [30, 60, 160] {
        let limits = Limits {
            boards_max,
            rounds_max: 10_000,
        };
        let [lo, hi] = problem.best(limits).won;
        assert!(
            lo > before[0] && lo < 1.0 && (hi - 1.0).abs() < 1e-9,
            "{lo} {hi}"
        );
        before = [lo, hi];
        let random = problem.solve(limits);
        assert!(random.is_cut && random.win_bounds().0 < lo, "{random:?}");
        assert!((random.win_bounds().1 - 1.0).abs() < 1e-12, "{random:?}");
    }
    assert!(before[0] > 0.9, "{before:?}");
}

#[test]
fn games_that_do_not_list_their_chances_are_refused() {
    let params = Params::defaults(&[]);
    let bare = GameEntry::new("bare", "without rules", &[]);
    let opening = Cell::parse("zero-sum opening=2").unwrap();
    for (game, params, word) in [
        (&UNLISTED, &params, "Game::chances"),
        (&BOTH, &params, "EVENTS and a `deal`"),
        (Box::leak(Box::new(bare)), &params, "rules in Rust"),
        (opening.game, &opening.params, "Game::starts"),
    ] {
        let error = Problem::of(game, params).err().expect("it is refused");
        assert!(error.contains(word) && !error.contains('\n'), "{error}");
    }
    refused(
        &tilelab(&["exact", "--game", "zero-sum", "--set", "opening=2"]),
        &["--game zero-sum", "begins at random"],
    );
}

/// Both seats play their best, and a draw is half a win.
#[test]
fn a_game_for_two_has_the_score_of_best_play() {
    for (text, score) in [
        ("zero-sum start=8", 1.0),
        ("zero-sum start=8 beginner=1", 0.0),
        // No first product ends the game, and the opponent can end it with the second.
        ("zero-sum start=8 limit=33", 0.5),
    ] {
        let found = best(text);
        assert_eq!(found.won, [score; 2], "{text}");
        assert!(!found.is_cut);
    }
}

/// The best probability of winning by trying every deal and every move, with neither symmetries nor
/// memory: from a board of `game` on which `left` tiles are still to appear.
fn tried(game: &SixtySeven, board: &TileBoard, left: usize, rounds: u64) -> f64 {
    if left == 0 {
        let worth = |direction| {
            let after = board.moved(game.collapse, direction);
            let loses = game.value_limit.is_some_and(|limit| after.exceeds(limit));
            if game.is_won(&after) {
                1.0
            } else if loses || rounds == 1 {
                0.0
            } else {
                tried(game, &after, game.words_per_round(), rounds - 1)
            }
        };
        return board.legal(game.collapse).map(worth).fold(0.0, f64::max);
    }
    let blanks = (0..game.cells()).filter(|&cell| board.tiles()[cell].is_blank());
    let blanks: Vec<usize> = blanks.collect();
    if blanks.is_empty() {
        return tried(game, board, 0, rounds);
    }
    let rate = game.operator_rate.threshold() as f64 / (1_u64 << 63) as f64;
    let number = |(number, weight): &(i64, u64)| {
        let share = *weight as f64 / game.numbers.total() as f64;
        (Tile::number(*number), (1.0 - rate) * share)
    };
    let operator = |(operator, weight): &(_, u64)| {
        let share = *weight as f64 / game.operators.total() as f64;
        (Tile::Operator(*operator), rate * share)
    };
    let tiles = game.numbers.entries().iter().map(number);
    let operators = game.operators.entries().iter().map(operator);
    let tiles: Vec<(Tile, f64)> = tiles.chain(operators).collect();
    let mut sum = 0.0;
    for &cell in &blanks {
        for (tile, share) in &tiles {
            let mut board = board.clone();
            board.put(cell, tile.clone());
            sum += share / blanks.len() as f64 * tried(game, &board, left - 1, rounds);
        }
    }
    sum
}

fn best(text: &str) -> Best {
    let cell = Cell::parse(text).unwrap();
    let problem = Problem::of(cell.game, &cell.params);
    problem.unwrap().best(Limits::default())
}

#[test]
fn best_play_is_that_of_trying_everything() {
    for text in [
        "sixty-seven size=1x4 digits=12 operators=+- target=3 rules=gapless max_rounds=3 tiles_per_turn=1",
        "sixty-seven size=1x3 digits=12 operators=+ target=4 rules=original max_rounds=2",
        "sixty-seven size=2x3 digits=1 operators=+ target=2 rules=merge-runs max_rounds=2 operator_rate=0.4",
        "sixty-seven size=1x4 digits=13 operators=*+ target=4 rules=merge-runs max_rounds=3 value_limit=3 tiles_per_turn=1",
    ] {
        let game = SixtySeven::from_params(&Cell::parse(text).unwrap().params);
        let board = TileBoard::blank(game.rows, game.cols);
        let rounds = game.max_rounds.unwrap();
        let all = tried(&game, &board, game.words_per_round(), rounds);
        let [lo, hi] = best(text).won;
        assert!(
            (lo - all).abs() < 1e-12 && (hi - all).abs() < 1e-12,
            "{text}: {lo} {hi} {all}"
        );
        assert!(all > 0.0, "{text}");
    }
}

/// Without a limit of rounds: a published value, and no less than a player that looks far ahead
/// wins.
#[test]
fn best_play_bounds_every_player() {
    // Dean, "The Mathematics of 2048: Optimal Play with Markov Decision Processes", 2018.
    let [lo, hi] = best("twenty-forty-eight size=2x2 goal=16").won;
    assert!((lo - 0.962_511).abs() < 1e-6 && hi - lo < 1e-9, "{lo} {hi}");
    let rules = "sixty-seven size=2x3 digits=12 operators=+ target=3 value_limit=9";
    let [lo, hi] = best(rules).won;
    assert!(hi - lo < 1e-9, "{lo} {hi}");
    let cell = Cell::parse(&format!("{rules} player=expectimax")).unwrap();
    let games = 4000;
    let wins = cell.play(games, 67).unwrap().wins;
    let interval = clopper_pearson(wins, games, 0.999);
    assert!(
        interval.lo <= hi && interval.hi > 0.9 * lo,
        "{lo}: {interval:?}"
    );
}

/// Plays a cell on one kernel and compares wins, moves and moves of won games with the exact
/// values.
fn held(cell: &Cell, exact: &Exact, kernel: KernelChoice, seed: u64, games: u64) {
    let job = cell.job(seed, kernel).unwrap();
    let tally = play_games(job.as_ref(), 0..games);
    let summary = Summary::of(&tally, 0.95);
    let rate = tally.wins as f64 / games as f64;
    let spread = (exact.won * exact.lost / games as f64).sqrt();
    let mut scores = vec![(
        "wins",
        if spread > 0.0 {
            (rate - exact.won) / spread
        } else {
            rate - exact.won
        },
    )];
    for (what, mean, moves, count) in [
        ("moves", summary.moves_mean, &exact.moves, games),
        (
            "moves of won games",
            summary.moves_win_mean,
            &exact.moves_win,
            tally.wins,
        ),
    ] {
        let (Some(mean), Some(expected), Some(deviation)) =
            (mean, moves.mean(), moves.standard_deviation())
        else {
            continue;
        };
        let error = deviation / (count as f64).sqrt();
        let z = if error > 1e-9 {
            (mean - expected) / error
        } else {
            (mean - expected) * 1e9
        };
        scores.push((what, z));
    }
    println!(
        "{} with {}: {:.8} {scores:.2?}",
        cell.key(),
        job.kernel(),
        exact.won
    );
    for (what, z) in scores {
        assert!(
            z.abs() < 4.0,
            "{} with {}: {what} are {z} standard errors off",
            cell.key(),
            job.kernel()
        );
    }
    let interval = clopper_pearson(tally.wins, games, 0.9999);
    assert!(
        interval.contains(exact.won) || exact.won > 1.0 - 1e-11,
        "{}: {interval:?}",
        cell.key()
    );
}

fn check(cells: &[&str]) {
    for (number, text) in cells.iter().enumerate() {
        let cell = Cell::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let exact = exact(&cell);
        for (kernel, choice) in kernels_of(cell.game.name).enumerate() {
            held(
                &cell,
                &exact,
                choice,
                (100 * number + kernel) as u64,
                games(),
            );
        }
    }
}

#[test]
fn kernels_of_sixty_seven_play_the_exact_rates() {
    check(&[
        "sixty-seven size=2x3 digits=12 operators=+ target=3 rules=original value_limit=9",
        "sixty-seven size=2x3 digits=12 operators=- target=-1 rules=gapless value_limit=3 tiles_per_turn=1 max_rounds=12",
        "sixty-seven size=3x2 digits=123 operators=* target=6 rules=merge-pairs max_rounds=3",
        "sixty-seven size=2x3 digits=12 operators=+- target=5 rules=merge-runs max_rounds=3 operator_rate=0.4",
        "sixty-seven size=1x4 digits=123 operators=+-* target=7 rules=gapless value_limit=12 max_rounds=8",
        "sixty-seven size=2x2 digits=12 operators=+- target=67 rules=merge-runs",
        "sixty-seven size=3x3 digits=1 operators=+- target=2 rules=gapless tiles_per_turn=3 max_rounds=2",
    ]);
}

#[test]
fn the_reference_plays_the_exact_rates() {
    for (number, (text, games)) in [
        ("sixty-seven size=2x3 digits=12 operators=-* target=2 rules=original value_limit=9 max_rounds=6", 20_000),
        ("sixty-seven size=2x2 target=7", 20_000),
        ("twenty-forty-eight size=2x2 goal=16", 100_000),
        ("twenty-forty-eight size=2x2 goal=32 four_rate=0.5", 100_000),
        ("twenty-forty-eight size=2x2 goal=8 four_rate=1", 20_000),
        ("twenty-forty-eight size=2x3 goal=64 max_moves=40", 10_000),
        ("twenty-forty-eight size=1x4 goal=8 four_rate=0", 20_000),
        ("twenty-forty-eight size=2x3 goal=24 start=3,3,0/6,2,2", 10_000),
    ]
    .into_iter()
    .enumerate()
    {
        let cell = Cell::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        held(&cell, &exact(&cell), KernelChoice::Reference, number as u64, games);
    }
}

#[test]
fn kernels_of_2048_play_the_exact_rates() {
    check(&[
        "twenty-forty-eight size=4x4 max_moves=3 goal=8",
        "twenty-forty-eight size=4x4 max_moves=4 goal=64 four_rate=0.3 start=2,4,8,16/4,8,16,32/8,16,32,2/16,32,2,2",
    ]);
}

/// Counted by hand. 1×2 with twos only: both cells are filled, one swipe of two merges them, a new
/// two is spawned beside the 4, and nothing moves any more.
#[test]
fn figures_worked_by_hand() {
    let cell = Cell::parse("twenty-forty-eight size=1x2 four_rate=0 goal=4").unwrap();
    let found = exact(&cell);
    assert_eq!((found.won, found.lost), (1.0, 0.0));
    // The new tile is apart from the 4 with the same probability as beside it; on two cells it is
    // always beside it.
    assert_eq!(
        (found.moves.mean(), found.moves.standard_deviation()),
        (Some(1.0), Some(0.0))
    );

    // 1×3, one digit, operator rate ½, three tiles at once: won when they are 1 + 1, in one move.
    let cell =
        Cell::parse("sixty-seven size=1x3 digits=1 operators=+ target=2 tiles_per_turn=3").unwrap();
    let found = exact(&cell);
    assert!((found.won - 0.125).abs() < 1e-15, "{found:?}");
    assert_eq!(found.moves_win.mean(), Some(1.0));
}

/// A cut computation leaves the truth between its bounds.
#[test]
fn a_cut_computation_bounds_the_rate() {
    let cell = Cell::parse("twenty-forty-eight size=2x3 goal=64").unwrap();
    let problem =
        Problem::twenty_forty_eight(&TwentyFortyEight::from_params(&cell.params)).unwrap();
    let cut = problem.solve(Limits {
        boards_max: 500,
        ..Limits::default()
    });
    assert!(cut.is_cut && cut.unresolved > 0.0, "{cut:?}");
    let game = SixtySeven::from_params(
        &Cell::parse("sixty-seven size=2x3 digits=2 operators=* target=8")
            .unwrap()
            .params,
    );
    let huge = Problem::sixty_seven(&game).unwrap().solve(Limits {
        rounds_max: 3,
        ..Limits::default()
    });
    let full = Problem::sixty_seven(&game).unwrap().solve(Limits {
        rounds_max: 5,
        ..Limits::default()
    });
    assert!(
        huge.win_bounds().0 <= full.win_bounds().0
            && full.win_bounds().1 <= huge.win_bounds().1 + 1e-12
    );
}

#[test]
fn the_command_prints_exact_figures() {
    let output = tilelab(&[
        "exact",
        "--game",
        "twenty-forty-eight",
        "--set",
        "size=2x2",
        "--set",
        "goal=16",
    ]);
    let progress = succeeded(&output);
    assert!(progress.contains("boards"), "{progress}");
    assert!(stdout(&output).contains("win_pct"), "{}", stdout(&output));
    let output = tilelab(&[
        "exact",
        "--game",
        "twenty-forty-eight",
        "--set",
        "size=2x2",
        "--set",
        "goal=16",
        "--json",
    ]);
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cell = Cell::parse("twenty-forty-eight size=2x2 goal=16").unwrap();
    assert!((figures["win_pct"].as_f64().unwrap() - 100.0 * exact(&cell).won).abs() < 1e-9);

    refused(
        &tilelab(&["exact", "--game", "sixty-seven", "--set", "size=6x7"]),
        &["42 cells", "at most 16"],
    );
}
