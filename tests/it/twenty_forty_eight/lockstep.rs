//! Lock-step random play of 2048 equals the plain rules, game for game.

use crate::kernels::kernels_of;
use tilelab::catalog::{self, PlayerSpec, Setup};
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::games::twenty_forty_eight::NAME;
use tilelab::params::{ParamError, Params};
use tilelab::rng::CellSeeds;

fn job(settings: &[(&str, &str)], kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
    let game = catalog::game(NAME).unwrap();
    let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
    let mut params = Params::from_settings(game.params, settings).unwrap();
    (game.complete)(&mut params).unwrap();
    let players = [PlayerSpec::new(game.player("random").unwrap())];
    game.build(&Setup {
        params: &params,
        players: &players,
        seeds: CellSeeds::new(48, "world", "player"),
        kernel,
    })
}

fn check_equal(settings: &[(&str, &str)], games: u64) {
    let plain = job(settings, KernelChoice::Reference).unwrap();
    for kernel in kernels_of(NAME) {
        let fast = job(settings, kernel).unwrap();
        assert_eq!(fast.kernel(), kernel.name());
        for game in 0..games {
            let mut expected = Tally::new(plain.measures());
            let mut played = Tally::new(fast.measures());
            plain.play(game..game + 1, &mut expected, None);
            fast.play(game..game + 1, &mut played, None);
            assert_eq!(
                played,
                expected,
                "{settings:?}, {}, game {game}",
                kernel.name()
            );
        }
        let mut expected = Tally::new(plain.measures());
        let mut played = Tally::new(fast.measures());
        plain.play(1000..1000 + 20 * games, &mut expected, None);
        fast.play(1000..1000 + 20 * games, &mut played, None);
        assert_eq!(played, expected, "{settings:?}, {}", kernel.name());
    }
}

#[test]
fn whole_games() {
    check_equal(&[], 150);
    check_equal(&[("goal", "128")], 50);
}

#[test]
fn spawn_rates() {
    for rate in ["0", "1", "0.5", "0.000001"] {
        check_equal(&[("four_rate", rate)], 50);
    }
}

#[test]
fn move_limits() {
    for limit in ["1", "2", "17", "100", "1000000"] {
        check_equal(&[("max_moves", limit)], 50);
    }
}

#[test]
fn start_boards() {
    for start in [
        "2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2",
        "2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,0",
        "0,0,0,0/0,2,0,0/0,0,0,0/0,0,0,0",
        "16384,16384,4,4/8192,4096,4096,8/2,2,2,2/64,0,128,128",
        "32768,2048,1024,8/8192,4096,4096,8/2,2,2,2/64,0,128,128",
    ] {
        check_equal(&[("start", start)], 50);
    }
}

/// These sums leave so few moves before two tiles 32768 are possible that the plain engine must
/// take over.
#[test]
fn tiles_that_outgrow_the_packing() {
    let start = "32768,16384,8192,4096/2048,1024,512,256/0,0,0,0/0,0,0,0";
    check_equal(&[("start", start)], 30);
    let start = "32768,16384,8192,4096/256,512,1024,2048/128,64,32,16/8,0,0,0";
    check_equal(&[("start", start), ("goal", "65536")], 200);
}

#[test]
fn kernels_that_do_not_fit_are_refused_and_auto_plays_on() {
    for settings in [
        &[("rows", "5")][..],
        &[("cols", "3")],
        &[("start", "3,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0")],
        &[("start", "1,1,0,0/0,0,0,0/0,0,0,0/0,0,0,0")],
        &[("start", "65536,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0")],
        &[("start", "32768,32768,0,0/0,0,0,0/0,0,0,0/0,0,0,0")],
    ] {
        for kernel in kernels_of(NAME) {
            let error = job(settings, kernel)
                .err()
                .unwrap_or_else(|| panic!("{settings:?}"));
            assert_eq!(error.key, "kernel");
            assert!(error.message.contains(kernel.name()), "{}", error.message);
        }
        let auto = job(settings, KernelChoice::Auto).unwrap();
        assert_eq!(auto.kernel(), "reference");
        auto.play(0..3, &mut Tally::new(auto.measures()), None);
    }
}

/// The means of 40,000 random games against an independent simulation's: 118.4 moves, merge score
/// 1,096, points 265.0.
#[test]
fn random_play_scores_as_known() {
    let job = job(&[], KernelChoice::Auto).unwrap();
    let mut tally = Tally::new(job.measures());
    job.play(0..40_000, &mut tally, None);
    let games = tally.games as f64;
    let check = |name: &str, sum: f64, sum_sq: f64, known: f64, known_tolerance: f64| {
        let mean = sum / games;
        let error = ((sum_sq / games - mean * mean) / games).sqrt();
        // Four standard errors, and the rounding of the known figure.
        assert!(
            (mean - known).abs() < 4.0 * error + known_tolerance,
            "{name}: {mean} ± {error}, known {known}"
        );
    };
    check(
        "moves",
        tally.moves_sum as f64,
        tally.moves_sum_sq as f64,
        118.4,
        0.05,
    );
    check(
        "tile_sum",
        tally.measures[0].sum as f64,
        tally.measures[0].sum_sq as f64,
        265.0,
        0.05,
    );
    check(
        "merge score",
        tally.measures[1].sum as f64,
        tally.measures[1].sum_sq as f64,
        1096.0,
        0.5,
    );
}
