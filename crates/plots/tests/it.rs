//! What the plots say, read back from their text: which files, lines, labels, marks and notes.

use proptest::prelude::*;
use std::collections::BTreeSet;
use tilelab_cells::cells::Cells;
use tilelab_cells::distributions::Distributions;
use tilelab_cells::times::Times;
use tilelab_plots::*;

const HEAD: &str = "table,cell,game,player,seed,rules,rows,cols,rate,games,wins,win_pct,win_pct_lo,win_pct_hi,moves_mean,moves_mean_se,\
                    moves_p50,moves_p90,moves_p99,moves_max,confidence,error\n";

/// The width of every picture, in pixels.
const WIDTH: f64 = 540.0;

/// The least distance of its marks from the edges.
const MARGIN: f64 = 14.0;

/// One row of `cells.csv`: rules, side of the board, rate and win percent.
fn row(rules: &str, side: u32, rate: f64, win_pct: f64) -> String {
    let lo = win_pct * 0.8;
    let hi = win_pct * 1.2 + 0.01;
    format!(
        "T,{rules}{side}{rate},g,random,1,{rules},{side},{side},{rate},1000,1,{win_pct},{lo},{hi},20,1,20,40,80,100,0.95,\n"
    )
}

fn data(rows: &[String]) -> Cells {
    Cells::parse("x.csv", format!("{HEAD}{}", rows.concat()).as_bytes(), &[]).unwrap()
}

fn marks(svg: &str) -> usize {
    svg.matches("<title>").count() - 1
}

#[test]
fn one_plot_a_swept_parameter_and_one_line_a_combination() {
    let mut rows = Vec::new();
    for rules in ["original", "gapless"] {
        for side in [4, 5, 6] {
            rows.push(row(rules, side, 0.5, f64::from(side)));
        }
    }
    let plots = win_rate_plots(&data(&rows), &[]);
    let files: Vec<&str> = plots.iter().map(|plot| plot.file.as_str()).collect();
    assert_eq!(files, ["win_rate_by_rules.svg", "win_rate_by_size.svg"]);
    let by_size = &plots[1].svg;
    assert_eq!(by_size.matches("class=\"line ").count(), 2);
    // Six cells and a mark beside each label.
    assert_eq!(marks(by_size), 8);
    for text in [
        ">original</text>",
        ">gapless</text>",
        ">4x4</text>",
        "95 % Clopper–Pearson",
        "Throughout: g, random, rate 0.5",
        "games won, %<",
    ] {
        assert!(by_size.contains(text), "{text} is missing:\n{by_size}");
    }
    assert!(
        by_size.contains("original, size 4x4: 4 % won (3.2–4.81), 1000 games"),
        "{by_size}"
    );
}

#[test]
fn cells_that_were_not_swept_or_failed_are_no_line() {
    assert_eq!(
        win_rate_plots(
            &data(&[
                row("o", 4, 0.5, 1.0),
                row("p", 5, 0.5, 2.0),
                row("q", 4, 0.6, 2.0)
            ]),
            &[]
        ),
        []
    );
    let failed = "T,x,g,random,1,original,9,9,0.5,,,,,,,,,,,,0.95,broke\n".to_owned();
    assert_eq!(
        win_rate_plots(&data(&[row("original", 4, 0.5, 1.0), failed]), &[]).len(),
        0
    );
}

#[test]
fn rates_of_different_magnitude_get_a_logarithmic_scale() {
    let steep = win_rate_plots(
        &data(&[
            row("o", 4, 0.5, 0.02),
            row("o", 5, 0.5, 0.7),
            row("o", 6, 0.5, 30.0),
        ]),
        &[],
    );
    assert!(steep[0].svg.contains("(log scale)"));
    let flat = win_rate_plots(
        &data(&[row("o", 4, 0.5, 20.0), row("o", 5, 0.5, 30.0)]),
        &[],
    );
    assert!(!flat[0].svg.contains("(log scale)"));
    let never = win_rate_plots(&data(&[row("o", 4, 0.5, 0.0), row("o", 5, 0.5, 0.0)]), &[]);
    assert!(
        !never[0].svg.contains("NaN") && !never[0].svg.contains("inf"),
        "{}",
        never[0].svg
    );
}

#[test]
fn many_lines_are_shared_among_panels() {
    let mut rows = Vec::new();
    for rules in ["a", "b", "c"] {
        for rate in [0.1, 0.2, 0.3, 0.4] {
            for side in [4, 5] {
                rows.push(row(rules, side, rate, 10.0 * rate));
            }
        }
    }
    let plots = win_rate_plots(&data(&rows), &[]);
    let by_size = &plots
        .iter()
        .find(|plot| plot.file == "win_rate_by_size.svg")
        .unwrap()
        .svg;
    assert_eq!(by_size.matches("class=\"line ").count(), 12);
    assert_eq!(
        by_size.matches("class=\"bold\"").count(),
        3,
        "a panel for each of the rules"
    );
}

#[test]
fn move_counts_are_drawn_with_and_without_their_distribution() {
    let cells = data(&[row("original", 4, 0.5, 1.0), row("gapless", 4, 0.5, 2.0)]);
    let plain = moves_plots(&cells, None);
    assert_eq!((plain.len(), plain[0].file.as_str()), (1, "moves.svg"));
    assert_eq!(marks(&plain[0].svg), 4);
    assert!(!plain[0].svg.contains("Curves"));
    let text = "table,cell,lower,upper,games,wins\n\
                T,original40.5,3,3,10,1\nT,original40.5,20,20,500,0\nT,original40.5,1024,1031,5,5\nT,gapless40.5,20,20,7,0\n";
    let known = Distributions::parse("d.csv", text.as_bytes()).unwrap();
    let ridges = moves_plots(&cells, Some(&known));
    assert_eq!(ridges[0].svg.matches("opacity=\".3\"").count(), 2);
    assert!(
        ridges[0]
            .svg
            .contains("games end within 20 [20, 20] moves, 90 % within 40 [20, 20], "),
        "{}",
        ridges[0].svg
    );
    assert!(!ridges[0].svg.contains("NaN"), "{}", ridges[0].svg);
}

#[test]
fn categories_are_not_joined_by_lines() {
    let plots = win_rate_plots(
        &data(&[
            row("o", 4, 0.5, 5.0),
            row("p", 4, 0.5, 6.0),
            row("q", 4, 0.5, 7.0),
        ]),
        &[],
    );
    assert_eq!(plots[0].file, "win_rate_by_rules.svg");
    assert!(!plots[0].svg.contains("class=\"line "), "{}", plots[0].svg);
    assert_eq!(marks(&plots[0].svg), 3);
}

#[test]
fn rates_of_zero_stand_below_a_logarithmic_axis() {
    let rows = [
        row("o", 4, 0.5, 0.0),
        row("o", 5, 0.5, 0.02),
        row("o", 6, 0.5, 0.7),
        row("o", 7, 0.5, 30.0),
    ];
    let svg = &win_rate_plots(&data(&rows), &[])[0].svg;
    assert!(
        svg.contains("(log scale)") && svg.contains(">0</text>"),
        "{svg}"
    );
    // The line joins the three rates above zero only.
    let line = svg
        .lines()
        .find(|line| line.contains("class=\"line "))
        .unwrap();
    assert_eq!(line.matches('L').count(), 2, "{line}");
}

#[test]
fn every_plot_is_as_wide_as_its_text_is_legible() {
    let long = "a very long name of rules that no plot has space for, with words, and more words";
    let long_rules = "a very long name of rules that stands between the name of a game and the size of its board";
    let mut rows = Vec::new();
    for rules in [long, "b", "c", "d", "e", "f", "g", "h", "i"] {
        for side in [4, 5, 6] {
            rows.push(row(&rules.replace(',', ";"), side, 0.5, f64::from(side)));
        }
    }
    let cells = data(&rows);
    let by_time = by_time(long_rules, &["a", "b", "c", "d"].map(|name| [name; 2]));
    let plots = [
        win_rate_plots(&cells, &[]),
        heat_maps(&cells),
        moves_plots(&cells, None),
        vec![by_time],
    ]
    .concat();
    for Plot { file, svg, .. } in &plots {
        assert!(svg.contains(&format!("width=\"{WIDTH}\"")), "{file}");
        // Notes start at their place and stay on the plot.
        for line in svg.lines().filter(|line| line.contains(" class=\"note\">")) {
            let x: f64 = line.split('"').nth(1).unwrap().parse().unwrap();
            let text = line.split_once('>').unwrap().1.trim_end_matches("</text>");
            // In fonts with wide digits a character takes 0.6 of the size, which is 12.
            let width = 7.2 * text.chars().count() as f64;
            assert!(x + width <= WIDTH, "{file}: {text}");
        }
    }
}

/// The plot of the times of these players, each with its name and its label, on a game with these
/// rules.
fn by_time(rules: &str, players: &[[&str; 2]]) -> Plot {
    let mut rows = String::new();
    let mut times = "table,cell,games,moves,seconds,ms_per_move\n".to_owned();
    for [name, label] in players {
        let cell = format!("g/rules={rules}/{label}");
        rows += &format!("T,{cell},g,{label},{rules},6,7,9,4.5,3.5,5.5,0.95,12,{name}\n");
        times += &format!("T,{cell},10,10,1,100\n");
    }
    let head = "table,cell,game,player,rules,rows,cols,games,win_pct,win_pct_lo,win_pct_hi,confidence,digits,player_name\n";
    let cells = Cells::parse("x.csv", (head.to_owned() + &rows).as_bytes(), &[]).unwrap();
    let times = Times::new(&Cells::parse("times.csv", times.as_bytes(), &[]).unwrap());
    time_plot(&cells, &times).unwrap()
}

#[test]
fn players_are_plotted_by_time_whatever_their_labels_have_in_them() {
    let players = [
        ["a", "a(x=1)"],
        ["a", "a(x=2)"],
        ["b", "b"],
        ["command", "command(run=./folder/program)"],
    ];
    let svg = by_time("original", &players).svg;
    for text in [
        ">g, rules original, rows 6, cols 7</text>",
        ">command</text>",
        "command(run=./folder/program): 4.5",
    ] {
        assert!(svg.contains(text), "{text} is missing:\n{svg}");
    }
}

#[test]
fn two_numeric_parameters_that_form_a_grid_are_a_heat_map() {
    let mut rows = Vec::new();
    for rules in ["a", "b"] {
        for rate in [0.1, 0.2, 0.3] {
            for side in [4, 5] {
                rows.push(row(
                    rules,
                    side,
                    rate,
                    if rate < 0.15 {
                        0.0
                    } else {
                        100.0 * rate / f64::from(side).powi(4)
                    },
                ));
            }
        }
    }
    rows.push(row("a", 9, 0.3, 80.0));
    rows.push(row("a", 9, 0.2, 70.0));
    let maps = heat_maps(&data(&rows));
    let files: Vec<&str> = maps.iter().map(|plot| plot.file.as_str()).collect();
    assert_eq!(files, ["heat_map_size_rate.svg"]);
    let svg = &maps[0].svg;
    assert_eq!(svg.matches("</title></rect>").count(), 14);
    // Rates that differ have different colours, and those of 0 are grey.
    let tiles = svg.lines().filter(|line| line.contains("</title></rect>"));
    let colours: BTreeSet<&str> = tiles
        .filter_map(|tile| tile.split("fill=\"").nth(1))
        .filter_map(|colour| colour.split('"').next())
        .collect();
    assert_eq!(colours.len(), 6, "{colours:?}");
    for text in [
        ">a</text>",
        ">b</text>",
        ">9x9</text>",
        "(log scale); grey: no game won",
        "class=\"zero\"",
    ] {
        assert!(svg.contains(text), "{text} is missing:\n{svg}");
    }
    let one_axis = [
        row("a", 4, 0.1, 1.0),
        row("a", 5, 0.1, 1.0),
        row("b", 4, 0.1, 1.0),
        row("b", 5, 0.1, 1.0),
    ];
    assert_eq!(heat_maps(&data(&one_axis)), [], "rules are not a scale");
}

#[test]
fn control_characters_in_titles_do_not_break_the_file() {
    let plots = moves_plots(
        &data(&[row("o", 4, 0.5, 1.0).replacen("T,", "a\u{1}\u{1b}[31m,", 1)]),
        None,
    );
    assert!(
        plots[0].svg.chars().all(|c| c == '\n' || !c.is_control()),
        "{}",
        plots[0].svg
    );
    assert!(
        plots[0].svg.contains("\\u{1}\\u{1b}[31m"),
        "{}",
        plots[0].svg
    );
}

/// A learning curve of two sets of rules, with scores or without.
fn curve(scores: &str) -> String {
    let head = "rules,games,test_games,test_win_pct,test_win_pct_lo,test_win_pct_hi,test_score_mean,test_score_mean_lo,\
                test_score_mean_hi,confidence\n";
    let row = |(side, games): (u32, u32)| {
        format!("\"g/rows={side},rate=0.5\",{games},50,40,26.4,54.8,{scores},0.95\n")
    };
    head.to_owned() + &[(4, 500), (4, 1000), (5, 500), (5, 1000)].map(row).concat()
}

#[test]
fn learning_curves_are_lines_with_what_tells_them_apart() {
    let plot = learning_plot(curve(",,").as_bytes()).unwrap();
    assert_eq!(plot.svg.matches("class=\"line ").count(), 2);
    assert_eq!(plot.svg.matches("class=\"band ").count(), 2);
    // Four points and two labels.
    assert_eq!(marks(&plot.svg), 6);
    for words in [
        "games won, %",
        ">rows 4</text>",
        ">rows 5</text>",
        "Throughout: g, rate 0.5.",
        "95 % intervals",
        "(Clopper–Pearson)",
        "rows 4 after 500 games: 40 (26.4–54.8), 50 games",
    ] {
        assert!(plot.svg.contains(words), "{words}: {}", plot.svg);
    }
    let scored = learning_plot(curve("1234.5,1200,1269").as_bytes()).unwrap();
    assert!(
        scored.svg.contains("mean score") && scored.svg.contains("Student's t"),
        "{}",
        scored.svg
    );
    assert!(learning_plot(b"rules,games\nx,1\n").is_err());
    assert!(learning_plot(curve("").lines().next().unwrap().as_bytes()).is_ok());
}

/// The text of all elements of a class.
fn texts<'a>(svg: &'a str, class: &str) -> Vec<&'a str> {
    let start = format!(" class=\"{class}\"");
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<text") && line.contains(&start));
    lines
        .filter_map(|line| line.split(['>', '<']).nth(2))
        .collect()
}

#[test]
fn labels_of_long_names_are_distinct() {
    let names = ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
        .map(|number| format!("a player with a long name and {number} samples"));
    let rows: Vec<String> = names.iter().map(|name| row(name, 4, 0.5, 5.0)).collect();
    let svg = &win_rate_plots(&data(&rows), &[])[0].svg;
    let moves = &moves_plots(&data(&rows), None)[0].svg;
    for svg in [svg, moves] {
        for number in 1..=9 {
            let words = format!(">{number} samples</text>");
            let is_whole = svg.contains(&words) || svg.contains(&format!("and {}", &words[1..]));
            assert!(is_whole, "{words} is missing:\n{svg}");
        }
    }
}

#[test]
fn numbers_and_sizes_stand_at_their_place() {
    let mut rows = Vec::new();
    for rules in ["a", "b", "c", "d"] {
        for side in [4, 5, 6] {
            rows.push(row(rules, side, 0.5, f64::from(side)));
        }
    }
    let plots = win_rate_plots(&data(&rows), &[]);
    let by_size = plots
        .iter()
        .find(|plot| plot.file == "win_rate_by_size.svg")
        .unwrap();
    let lines = by_size
        .svg
        .lines()
        .filter(|line| line.contains("class=\"line "));
    let starts: Vec<&str> = lines
        .map(|line| line.split([' ', 'M']).nth(2).unwrap())
        .collect();
    assert_eq!(starts.len(), 4);
    assert!(starts.iter().all(|x| *x == starts[0]), "{starts:?}");
}

#[test]
fn what_is_left_out_is_said() {
    let mut rows = Vec::new();
    for rules in 0..40 {
        for (at, rate) in [0.1, 0.2, 0.3].into_iter().enumerate() {
            rows.push(row(&format!("r{rules}"), 4 + at as u32, rate, 5.0));
            rows.push(row(&format!("r{rules}"), 5 + at as u32, rate, 5.0));
        }
    }
    for plot in [
        win_rate_plots(&data(&rows), &[]),
        moves_plots(&data(&rows), None),
    ]
    .concat()
    {
        let all = plot.svg.matches("</title></").count();
        assert!(
            all >= 240 || plot.svg.contains("Left out: "),
            "{}: {all}",
            plot.file
        );
    }
}

/// The label of such a number is wider than the plot.
#[test]
fn numbers_near_zero_stay_on_the_plot() {
    for extreme in [1e-120, 5e-324, 1e300] {
        let mut rows = Vec::new();
        for side in [4, 5, 6] {
            for rate in [0.5, extreme] {
                rows.push(row("original", side, rate, f64::from(side)));
            }
        }
        let data = data(&rows);
        for plot in [
            win_rate_plots(&data, &[]),
            heat_maps(&data),
            moves_plots(&data, None),
        ]
        .concat()
        {
            let longest = texts(&plot.svg, "tick").into_iter().map(str::len).max();
            assert!(longest < Some(100), "{extreme}: {}: {longest:?}", plot.file);
        }
    }
}

/// Nothing is drawn above this: a title of one line.
const TITLE: f64 = 42.0;

/// Text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

/// The numbers of an attribute or a path.
fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-')
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// The corners of everything that stands for data: marks, bars, bands and lines.
fn drawn(svg: &str) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for line in svg.lines() {
        let is_data = ["bar ", "band ", "line ", "mark ", "hollow "]
            .iter()
            .any(|class| line.contains(&format!("class=\"{class}")));
        // A mark of a legend has no figure.
        let is_named = between(line, "<title>", "</title>")
            .is_none_or(|text| text.contains(|c: char| c.is_ascii_digit()) && text.contains(": "));
        if !is_data || !is_named {
            continue;
        }
        if let Some(path) = between(line, " d=\"", "\"") {
            let numbers = numbers(path);
            found.extend(numbers.chunks(2).map(|pair| (pair[0], pair[1])));
        }
        let centre = between(line, "cx=\"", "\"").zip(between(line, "cy=\"", "\""));
        found.extend(centre.map(|(x, y)| (numbers(x)[0], numbers(y)[0])));
    }
    found
}

/// The ticks of the y axis of a plot with one frame, as pixels and labels.
fn y_ticks(svg: &str) -> Vec<(f64, f64)> {
    let is_tick = |line: &&str| line.contains("class=\"tick\"") && line.contains("\"end\"");
    svg.lines()
        .filter(is_tick)
        .filter_map(|line| {
            let y = numbers(between(line, " y=\"", "\"")?)[0] - 4.0;
            Some((y, between(line, ">", "<")?.parse().ok()?))
        })
        .collect()
}

/// A rate in percent with its interval: of any magnitude and width, 0 and 100 too.
fn rate() -> impl Strategy<Value = [f64; 3]> {
    let value = prop_oneof![
        Just(0.0),
        Just(100.0),
        0.0..100.0f64,
        (-4.0..2.0f64).prop_map(|power| 10f64.powf(power)),
    ];
    let part = || prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64];
    (value, part(), part())
        .prop_map(|(value, down, up)| [value, value * (1.0 - down), value + up * (100.0 - value)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Scales assert that they hold what is placed on them; here every plot of random data is
    /// drawn, and what it shows is read back.
    #[test]
    fn marks_and_intervals_stand_inside_their_frames_where_the_ticks_say(
        rates in proptest::collection::vec(rate(), 2..9),
        moves in proptest::collection::vec(0..5000u32, 4),
        categories: bool,
    ) {
        let mut rows = String::new();
        let mut times = "table,cell,games,moves,seconds,ms_per_move\n".to_owned();
        let mut learned = "rules,games,test_games,test_win_pct,test_win_pct_lo,test_win_pct_hi,test_score_mean,\
                           test_score_mean_lo,test_score_mean_hi,confidence\n".to_owned();
        let mut moves = moves;
        moves.sort_unstable();
        for (at, [value, lo, hi]) in rates.iter().enumerate() {
            let (rules, side) = if categories { (format!("r{at}"), 4) } else { ("o".to_owned(), 4 + at) };
            let quantiles = format!("{},{},{},{}", moves[0], moves[1], moves[2], moves[3]);
            rows += &format!("T,c{at},g,{rules},1,{rules},{side},{side},0.5,100,1,{value},{lo},{hi},20,1,{quantiles},0.95,\n");
            times += &format!("T,c{at},10,10,1,{}\n", value / 1e6);
            learned += &format!("g,{at},50,{value},{lo},{hi},{},{},{},0.95\n", value - 50.0, lo - 50.0, hi - 50.0);
        }
        let cells = Cells::parse("x.csv", format!("{HEAD}{rows}").as_bytes(), &[]).unwrap();
        let bins = format!("table,cell,lower,upper,games,wins\nT,c0,{0},{0},3,0\nT,c1,{1},{2},7,0\n", moves[0], moves[1], moves[3]);
        let known = Distributions::parse("d.csv", bins.as_bytes()).unwrap();
        let times = Times::new(&Cells::parse("times.csv", times.as_bytes(), &[]).unwrap());
        let point = |(at, [value, lo, hi]): (usize, &[f64; 3])| RatePoint {
            rate: at as f64 / 10.0,
            value: *value,
            ends: tilelab_stats::Interval { lo: *lo, hi: *hi },
        };
        let points: Vec<RatePoint> = rates.iter().enumerate().map(point).collect();
        let curve = RateCurve { label: "x: 1".into(), points: points.iter().copied().map(Some).collect(), cells: points };
        let plots = [
            win_rate_plots(&cells, &[]),
            heat_maps(&cells),
            moves_plots(&cells, Some(&known)),
            time_plot(&cells, &times).into_iter().collect(),
            vec![learning_plot(learned.as_bytes()).unwrap()],
            vec![Plot { file: "rate".into(), title: String::new(), svg: rate_plot(&[curve], 0.95) }],
        ].concat();
        prop_assert!(plots.len() >= 4);
        for Plot { file, svg, .. } in &plots {
            let lines: Vec<Vec<f64>> = svg.lines().filter(|line| line.starts_with("<line ")).map(numbers).collect();
            let spread = |at: [usize; 2]| {
                let all = || lines.iter().flat_map(|line| at.map(|at| line[at]));
                all().fold(f64::INFINITY, f64::min)..=all().fold(0.0, f64::max)
            };
            // The numbers of a line begin with those in the names of its attributes.
            let x = spread([1, 5]);
            let y = spread([3, 7]);
            for (at_x, at_y) in drawn(svg) {
                let is_inside = (x.start() - 5.0..=WIDTH - MARGIN + 5.0).contains(&at_x)
                    && (TITLE..=y.end() + 5.0).contains(&at_y);
                prop_assert!(is_inside, "{file}: {at_x} {at_y} {x:?} {y:?}\n{svg}");
            }
        }
        if !categories {
            let svg = &plots[0].svg;
            let ticks = y_ticks(svg);
            let log = svg.contains("(log scale)");
            let place = |value: f64| {
                let shown: Vec<_> = ticks.iter().filter(|(_, tick)| !log || *tick > 0.0).collect();
                let [a, b] = [shown[0], shown[shown.len() - 1]].map(|(y, tick)| (*y, if log { tick.ln() } else { *tick }));
                let value = if log { value.ln() } else { value };
                a.0 + (value - a.1) / (b.1 - a.1) * (b.0 - a.0)
            };
            let marks = svg.lines().filter(|line| line.contains("class=\"mark ") && line.contains(" % won"));
            for (line, [value, ..]) in marks.zip(&rates) {
                let y = numbers(between(line, "cy=\"", "\"").unwrap())[0];
                if !log || *value > 0.0 {
                    prop_assert!((y - place(*value)).abs() < 2.0, "{value} at {y}, not {}\n{svg}", place(*value));
                }
            }
        }
    }
}
