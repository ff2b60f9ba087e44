//! Instructions a turn of the 67! kernels, counted by Valgrind:
//! `cargo bench -p tilelab-benches --bench instructions`.
//!
//! Counts do not depend on how busy the machine is, so they show gradual losses. Each case is
//! played twice, with few and with many games; the difference of the two counts over the difference
//! of the turns leaves out the start. The bench fails when a count is more than 3 % above
//! `results/bench/instructions.json`. After an intended change, or with another compiler, write the
//! record anew: `TILELAB_BLESS=1 cargo bench -p tilelab-benches --bench instructions`.
//!
//! With `-- --test` each case is only played once. Valgrind does not support AVX-512, so `avx512`
//! is not counted. Without Valgrind nothing is counted, and a line says so.

#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use tilelab::game::KernelChoice;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::{PARAMS, SixtySeven};
use tilelab::params::{Params, Value};
use tilelab::rng::CellSeeds;

const RECORD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../results/bench/instructions.json"
);
/// How far above the record a count may lie.
const TOLERANCE: f64 = 0.03;

/// Kernel, rules, side (rows and cols), whether with lanes, and few and many games or trajectories.
type Case = (KernelChoice, &'static str, i64, bool, [u64; 2]);

const CASES: [Case; 10] = [
    (KernelChoice::Portable, "gapless", 6, false, [32, 160]),
    (KernelChoice::Portable, "original", 6, false, [32, 160]),
    (KernelChoice::Portable, "merge-pairs", 6, false, [32, 160]),
    (KernelChoice::Portable, "merge-runs", 10, false, [16, 48]),
    (KernelChoice::Portable, "gapless", 6, true, [32, 160]),
    (KernelChoice::Avx2, "gapless", 6, false, [32, 320]),
    (KernelChoice::Avx2, "original", 6, false, [32, 320]),
    (KernelChoice::Avx2, "merge-pairs", 6, false, [32, 320]),
    (KernelChoice::Avx2, "merge-runs", 10, false, [16, 80]),
    (KernelChoice::Avx2, "gapless", 6, true, [32, 320]),
];

fn name((kernel, rules, side, lanes, _): &Case) -> String {
    format!(
        "{} {rules} {side}x{side}{}",
        kernel.name(),
        if *lanes { " lanes" } else { "" }
    )
}

/// Whether this machine has the kernel of a case.
fn is_here(case: &Case) -> bool {
    Kernel::new(case.0, &SixtySeven::from_params(&Params::defaults(PARAMS))).is_ok()
}

/// Plays a case; returns the turns, of trajectories where they have lanes.
fn play((kernel, rules, side, lanes, _): &Case, games: u64) -> u64 {
    let mut params = Params::defaults(PARAMS);
    params.set("rules", Value::Text((*rules).to_owned()));
    params.set("rows", Value::Int(*side));
    params.set("cols", Value::Int(*side));
    let kernel =
        Kernel::new(*kernel, &SixtySeven::from_params(&params)).expect("the case fits the kernel");
    let seeds = CellSeeds::new(67, "instructions", "instructions");
    let mut turns = 0;
    if *lanes {
        kernel.play_lanes(seeds, 0..games, &mut |ended| turns += ended.rounds);
    } else {
        kernel.play(seeds, 0..games, &mut |ended| turns += ended.rounds);
    }
    turns
}

/// The instructions of a run of this program that plays a case, and its turns; `None` without
/// Valgrind.
fn count(case: usize, games: u64) -> Option<(f64, f64)> {
    let program = std::env::current_exe().expect("the program has a path");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program);
    let output = command
        .args(["--play", &case.to_string(), &games.to_string()])
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&output.stderr);
    let turns = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    let collected = told
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .expect("callgrind tells its count")
        .1;
    let number = |text: &str| {
        text.trim()
            .parse()
            .unwrap_or_else(|_| panic!("{text:?} is not a number"))
    };
    Some((number(collected), number(&turns)))
}

/// Instructions a turn of every case; `None` without Valgrind.
fn measure() -> Option<BTreeMap<String, f64>> {
    let mut counts = BTreeMap::new();
    for (number, case) in CASES.iter().enumerate() {
        if !is_here(case) {
            eprintln!("{}: this machine does not have the kernel", name(case));
            continue;
        }
        let [few, many] = case.4.map(|games| count(number, games));
        let (few_count, few_turns) = few?;
        let (many_count, many_turns) = many?;
        let each = (many_count - few_count) / (many_turns - few_turns);
        counts.insert(name(case), (each * 10.0).round() / 10.0);
    }
    Some(counts)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, play_it, case, games] = arguments.as_slice()
        && play_it == "--play"
    {
        let number = |text: &String| text.parse::<u64>().expect("a number");
        println!("{}", play(&CASES[number(case) as usize], number(games)));
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--test") {
        CASES
            .iter()
            .filter(|case| is_here(case))
            .for_each(|case| assert!(play(case, case.4[0]) > 0));
        return ExitCode::SUCCESS;
    }
    let Some(counts) = measure() else {
        eprintln!(
            "instructions: valgrind was not found, so nothing is counted; install it with apt-get install valgrind"
        );
        return ExitCode::SUCCESS;
    };
    if std::env::var_os("TILELAB_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&counts).expect("a map of numbers") + "\n";
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../results/bench"))
            .expect("the folder can be made");
        std::fs::write(RECORD, text).expect("the record can be written");
    }
    // Without a record every count is new, and the bench fails below.
    let record = std::fs::read_to_string(RECORD).unwrap_or_else(|_| "{}".to_owned());
    let record: BTreeMap<String, f64> =
        serde_json::from_str(&record).expect("the record is a map of numbers");
    let mut above = false;
    for (name, count) in &counts {
        let before = record.get(name).copied();
        let change = before.map(|before| count / before - 1.0);
        above |= change.is_none_or(|change| change > TOLERANCE);
        let change = change.map_or("not in the record".to_owned(), |change| {
            format!("{:+.1} %", 100.0 * change)
        });
        println!("{name:36} {count:10.1} instructions a turn  {change}");
    }
    ExitCode::from(u8::from(above))
}
