//! Instructions a turn of the 67! kernels, counted by Valgrind:
//! `cargo bench -p tilelab-benches --bench instructions`.
//!
//! Counts do not depend on how busy the machine is, so they show gradual losses. Each case is
//! played twice, with few and with many games; the difference of the two counts over the difference
//! of the turns leaves out the start. The bench fails when a count is more than 3 % above
//! `results/bench/instructions.json`. After an intended change, or with another compiler, write the
//! record anew: `TILELAB_BLESS=1 cargo bench -p tilelab-benches --bench instructions`.
//!
//! `-- --parts` shows the parts of a turn instead: callgrind counts each instruction of the
//! program, and `addr2line` of binutils names the functions that were inlined there. "rest" is
//! mostly `memset` and `memcpy`, of which Valgrind counts every repetition.
//!
//! With `-- --test` each case is only played once. Valgrind does not support AVX-512, so `avx512`
//! is not counted. Without Valgrind nothing is counted, and a line says so.

#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
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

/// Few and many games or trajectories: several batches of the largest kernel that is counted.
const GAMES: [u64; 2] = [512, 2_560];

/// Kernel, rules, side (rows and cols), and whether with lanes.
type Case = (KernelChoice, &'static str, i64, bool);

const CASES: [Case; 10] = [
    (KernelChoice::Portable, "gapless", 6, false),
    (KernelChoice::Portable, "original", 6, false),
    (KernelChoice::Portable, "merge-pairs", 6, false),
    (KernelChoice::Portable, "merge-runs", 10, false),
    (KernelChoice::Portable, "gapless", 6, true),
    (KernelChoice::Avx2, "gapless", 6, false),
    (KernelChoice::Avx2, "original", 6, false),
    (KernelChoice::Avx2, "merge-pairs", 6, false),
    (KernelChoice::Avx2, "merge-runs", 10, false),
    (KernelChoice::Avx2, "gapless", 6, true),
];

/// The parts of a turn, by the innermost function with one of these names around an instruction.
/// What has none, also in other libraries, is `REST`.
const PARTS: [(&str, &[&str]); 7] = [
    (
        "put",
        &["place", "place_game", "nth_cell", "look_up_numbers"],
    ),
    ("legal", &["legal_directions", "legal", "pick"]),
    (
        "slide",
        &[
            "slide",
            "merge",
            "starts",
            "close_up",
            "close_up_pairs",
            "advance",
            "collapse",
        ],
    ),
    (
        "collapse",
        &[
            "queue_groups",
            "queue_chunks",
            "queue_operations",
            "queue_each",
            "take_operation",
        ],
    ),
    (
        "values",
        &[
            "combine",
            "combine_one_by_one",
            "combine_round",
            "combine_small",
            "combine_large",
            "evaluate",
            "give_digits",
            "list_numbers",
        ],
    ),
    ("draw", &["draw", "draw_game", "draw_digits", "refill_low"]),
    (
        "refill",
        &["finish", "end_blocked", "call_time", "resume", "put_board"],
    ),
];
const REST: &str = "rest";

/// The passes of slices are types, and some functions have their type in the name.
const TYPES: [(&str, &[&str]); 7] = [
    ("put", &["slices::put::"]),
    ("legal", &["slices::legal::"]),
    ("slide", &["slices::frame::", "slices::scan::"]),
    ("collapse", &["slices::collapse::"]),
    ("refill", &["slices::draw::Draws", "slices::batch::Clear"]),
    ("draw", &["slices::draw::"]),
    (
        "refill",
        &[
            "slices::Play<",
            "slices::batch::Batch<",
            "planar::PlanarBoard<",
            "lockstep::spawn::draw_game",
        ],
    ),
];

fn name((kernel, rules, side, lanes): &Case) -> String {
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
fn play((kernel, rules, side, lanes): &Case, games: u64) -> u64 {
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

/// How often each address of this program was executed, and how often others together (at
/// `u64::MAX`).
type Counts = BTreeMap<u64, u64>;

/// The instructions of a run of this program that plays a case, and its turns; `None` without
/// Valgrind.
fn count(case: usize, games: u64) -> Option<(Counts, u64)> {
    let program = std::env::current_exe().expect("the program has a path");
    let counts = program.with_extension(format!("callgrind-{}", std::process::id()));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-instr=yes"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(&program)
        .args(["--play", &case.to_string(), &games.to_string()])
        .output()
        .ok()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(&counts).expect("callgrind writes its counts");
    std::fs::remove_file(counts).expect("the counts can be removed");
    let turns = String::from_utf8_lossy(&output.stdout);
    let turns = turns.trim().parse().expect("the turns are a number");
    Some((executed(&text, &program), turns))
}

/// Reads callgrind's file: lines of an address (also as a distance from the last one), a source
/// line and a count, under the object that they are in. The line after `calls=` repeats what the
/// called function counts.
fn executed(text: &str, program: &Path) -> Counts {
    let mut counts = Counts::new();
    let mut objects: BTreeMap<&str, &str> = BTreeMap::new();
    let mut address = 0_u64;
    let mut is_own = false;
    let mut is_call = false;
    for line in text.lines() {
        if let Some((kind @ ("ob" | "cob"), object)) = line.split_once('=') {
            // The name comes with the first mention of a number.
            let (number, name) = object.split_once(' ').unwrap_or((object, ""));
            if !name.is_empty() {
                objects.insert(number, name);
            }
            if kind == "ob" {
                is_own = Path::new(objects[number]) == program;
            }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if let [place, _, count] = line.split(' ').collect::<Vec<_>>()[..]
            && line.starts_with(['0', '+', '-', '*'])
        {
            let number = |text: &str| text.parse::<u64>().expect("callgrind writes numbers");
            address = match place.split_at(1) {
                ("+", more) => address + number(more),
                ("-", less) => address - number(less),
                ("*", _) => address,
                _ => u64::from_str_radix(&place[2..], 16).expect("callgrind writes addresses"),
            };
            if !std::mem::take(&mut is_call) {
                let at = if is_own { address } else { u64::MAX };
                *counts.entry(at).or_default() += number(count);
            }
        }
    }
    counts
}

/// The part of a turn to which each address belongs.
///
/// # Errors
/// Says that `addr2line` could not be run.
fn parts(addresses: &[u64]) -> Result<Vec<&'static str>, String> {
    let program = std::env::current_exe().expect("the program has a path");
    let mut addr2line = Command::new("addr2line")
        .args(["-a", "-i", "-f", "-C", "-e"])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("addr2line: {error}; install it with apt-get install binutils"))?;
    let mut input = addr2line.stdin.take().expect("piped");
    let asked: String = addresses
        .iter()
        .map(|address| format!("{address:#x}\n"))
        .collect();
    let asking = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let output = addr2line
        .wait_with_output()
        .map_err(|error| format!("addr2line: {error}"))?;
    let asked = asking.join().expect("the thread does not panic");
    asked.map_err(|error| format!("addr2line: {error}"))?;
    // After each address, functions from the innermost and the places of their code take turns.
    let mut parts = Vec::new();
    let text = String::from_utf8_lossy(&output.stdout);
    for frames in text.split("\n0x") {
        let functions = frames.lines().skip(1).step_by(2);
        parts.push(functions.filter_map(part).next().unwrap_or(REST));
    }
    assert_eq!(parts.len(), addresses.len(), "one answer for each address");
    Ok(parts)
}

/// The part of a turn to which a function belongs.
fn part(function: &str) -> Option<&'static str> {
    // Without the types in angle brackets.
    let mut depth = 0;
    let mut path = String::new();
    for letter in function.chars() {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        if depth == 0 && letter != '>' {
            path.push(letter);
        }
    }
    let own = path.rsplit("::").next().unwrap_or_default();
    let of_name = PARTS.iter().find(|(_, names)| names.contains(&own));
    let of_type = || {
        TYPES
            .iter()
            .find(|(_, names)| names.iter().any(|name| function.contains(name)))
    };
    Some(of_name.or_else(of_type)?.0)
}

/// Instructions a turn of every case, by address and together; `None` without Valgrind.
fn measure() -> Option<Vec<(String, BTreeMap<u64, f64>)>> {
    let mut cases = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        if !is_here(case) {
            eprintln!("{}: this machine does not have the kernel", name(case));
            continue;
        }
        let [few, many] = GAMES.map(|games| count(number, games));
        let (few, few_turns) = few?;
        let (many, many_turns) = many?;
        let turns = (many_turns - few_turns) as f64;
        let before = |address| few.get(address).copied().unwrap_or_default() as f64;
        let each = many
            .iter()
            .map(|(address, &count)| (*address, (count as f64 - before(address)) / turns));
        cases.push((name(case), each.collect()));
    }
    Some(cases)
}

/// Prints the instructions a turn of each part.
fn show_parts(cases: &[(String, BTreeMap<u64, f64>)]) -> Result<(), String> {
    let columns: Vec<&str> = PARTS.iter().map(|(part, _)| *part).chain([REST]).collect();
    let cells = |cells: &[String]| {
        cells
            .iter()
            .map(|cell| format!("{cell:>9}"))
            .collect::<String>()
    };
    let titles: Vec<String> = columns.iter().map(|&title| title.to_owned()).collect();
    println!("{:30}{}      all", "instructions a turn", cells(&titles));
    for (name, counts) in cases {
        let addresses: Vec<u64> = counts
            .keys()
            .copied()
            .filter(|&at| at != u64::MAX)
            .collect();
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (address, part) in addresses.iter().zip(parts(&addresses)?) {
            *sums.entry(part).or_default() += counts[address];
        }
        *sums.entry(REST).or_default() += counts.get(&u64::MAX).copied().unwrap_or_default();
        let sum = |column: &&str| sums.get(column).copied().unwrap_or_default();
        let all: f64 = counts.values().sum();
        assert!(
            sum(&REST) < all / 4.0,
            "{name}: much is {REST}: are the functions in PARTS and TYPES renamed?"
        );
        let shown: Vec<String> = columns
            .iter()
            .map(|column| format!("{:.1}", sum(column)))
            .collect();
        println!(
            "{name:30}{}{:9.1}",
            cells(&shown),
            counts.values().sum::<f64>()
        );
    }
    Ok(())
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
            .for_each(|case| assert!(play(case, GAMES[0]) > 0));
        return ExitCode::SUCCESS;
    }
    let Some(cases) = measure() else {
        eprintln!(
            "instructions: valgrind was not found, so nothing is counted; install it with apt-get install valgrind"
        );
        return ExitCode::SUCCESS;
    };
    if arguments.iter().any(|argument| argument == "--parts") {
        let shown = show_parts(&cases);
        shown.unwrap_or_else(|error| panic!("{error}"));
        return ExitCode::SUCCESS;
    }
    let rounded = |counts: BTreeMap<u64, f64>| (counts.values().sum::<f64>() * 10.0).round() / 10.0;
    let counts: BTreeMap<String, f64> = cases
        .into_iter()
        .map(|(name, counts)| (name, rounded(counts)))
        .collect();
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
