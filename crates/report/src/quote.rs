//! What a run says in one sentence, which a person can quote.

use super::cells::{Cells, Record};
use super::figures::significant;
use super::labels;
use tilelab_output::numbers::grouped;

/// A win rate in percent with its interval.
struct Rate {
    name: String,
    pct: f64,
    ends: [f64; 2],
    games: u64,
}

/// The highest win rate of the first table with rates, and how the lowest compares to it:
///
/// * Where their intervals do not overlap and the highest is 2 to 1,000 times the lowest, how many
///   times it is; of a lowest rate of 0, of how many games.
/// * Otherwise both rates, and whether their intervals overlap.
///
/// `None` where nothing was won and lost, and for matches, whose standings are another thing.
pub fn quote(cells: &Cells) -> Option<String> {
    let rates = cells
        .titles()
        .into_iter()
        .map(|title| rates(cells, title))
        .find(|rates| !rates.is_empty())?;
    // The first of equal ones.
    let best = rates.iter().rev().max_by(|a, b| a.pct.total_cmp(&b.pct))?;
    let least = rates.iter().min_by(|a, b| a.pct.total_cmp(&b.pct))?;
    let figure = best.figure();
    let first = format!("{} wins {figure}", best.name);
    if std::ptr::eq(best, least) || best.pct == least.pct {
        return (rates.len() == 1).then(|| format!("{first} of {} games.", grouped(best.games)));
    }
    let ratio = best.pct / least.pct;
    let overlap = least.ends[1] >= best.ends[0];
    let name = &least.name;
    Some(if overlap {
        format!(
            "{first} and {name} {}: the intervals overlap.",
            least.figure()
        )
    } else if least.pct == 0.0 {
        format!("{first}, {name} none of {} games.", grouped(least.games))
    } else if (2.0..1000.0).contains(&ratio) {
        let digits = usize::from(ratio < 10.0);
        format!("{first}, {ratio:.digits$} times {name}.")
    } else {
        format!("{first}, {name} {}.", least.figure())
    })
}

/// The rates of a table, with what its cells are called.
fn rates(cells: &Cells, title: &str) -> Vec<Rate> {
    let rows: Vec<_> = cells
        .records()
        .filter(|row| row.get("table").unwrap_or("") == title && row.get("match").is_none())
        .collect();
    let names = labels::of_rows(&rows);
    let rate = |(row, name): (&Record<'_>, String)| {
        let name = if name.is_empty() {
            row.get("player").or(row.get("game"))?
        } else {
            &name
        };
        Some(Rate {
            name: crossed(name),
            pct: row.number("win_pct")?,
            ends: [row.number("win_pct_lo")?, row.number("win_pct_hi")?],
            games: row.count("games")?,
        })
    };
    rows.iter().zip(names).filter_map(rate).collect()
}

impl Rate {
    /// The rate with its interval, such as `5.3 % [5.1, 5.4]`.
    fn figure(&self) -> String {
        let [lo, hi] = self.ends.map(percent);
        format!("{} % [{lo}, {hi}]", percent(self.pct))
    }
}

fn percent(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        1.0.. => format!("{value:.1}"),
        _ => significant(value, 2),
    }
}

/// Sizes with the sign of multiplication.
fn crossed(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let is_digit = |at: Option<usize>| {
        let letter = at.and_then(|at| letters.get(at));
        letter.is_some_and(char::is_ascii_digit)
    };
    letters
        .iter()
        .enumerate()
        .map(|(at, &letter)| {
            let is_sign = letter == 'x' && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
            if is_sign { '×' } else { letter }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_follows_from_the_rates() {
        let cases: [(&[&str], Option<&str>); 8] = [
            (
                &["8,8,100,99,100", "4,4,0.001,0.0009,0.0011"],
                Some("8×8 wins 100.0 % [99.0, 100.0], 4×4 0.001 % [0.0009, 0.0011]."),
            ),
            (
                &["8,8,5.26,5.12,5.41", "4,4,0.0877,0.07,0.11"],
                Some("8×8 wins 5.3 % [5.1, 5.4], 60 times 4×4."),
            ),
            (
                &["8,8,5.26,5.12,5.41", "4,4,0,0,0.0369"],
                Some("8×8 wins 5.3 % [5.1, 5.4], 4×4 none of 1,000 games."),
            ),
            (
                &["4,4,40,38,42", "5,5,50,48,52"],
                Some("5×5 wins 50.0 % [48.0, 52.0], 4×4 40.0 % [38.0, 42.0]."),
            ),
            (
                &["4,4,10,8,12", "5,5,25,20,30"],
                Some("5×5 wins 25.0 % [20.0, 30.0], 2.5 times 4×4."),
            ),
            (
                &["4,4,10,5,25", "5,5,25,20,30"],
                Some(
                    "5×5 wins 25.0 % [20.0, 30.0] and 4×4 10.0 % [5.0, 25.0]: the intervals overlap.",
                ),
            ),
            (
                &["4,4,10,5,25"],
                Some("random wins 10.0 % [5.0, 25.0] of 1,000 games."),
            ),
            (&["4,4,0,0,1", "5,5,0,0,1"], None),
        ];
        for (rows, expected) in cases {
            let mut text =
                "table,cell,game,player,rows,cols,win_pct,win_pct_lo,win_pct_hi,games\n".to_owned();
            for row in rows {
                text += &format!("t,{},g,random,{row},1000\n", &row[..3].replace(',', "x"));
            }
            let cells = Cells::parse("x.csv", text.as_bytes(), &[]).unwrap();
            assert_eq!(quote(&cells).as_deref(), expected, "{rows:?}");
        }
    }
}
