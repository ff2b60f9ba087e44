//! Which cells are a line, which lines share a panel, and what they are called: one description for
//! the SVG files and for the page.

use super::scale::Scale;
use super::svg::SERIES_LOOKS;
use serde::Serialize;
use std::collections::HashMap;
use std::hash::Hash;
use tilelab_cells::cells::Cells;
use tilelab_cells::labels::{self, Factor};

/// More lines than this cannot be told apart.
pub const LINES_MAX: usize = 2 * SERIES_LOOKS;
/// More panels than this make a file too large to look at.
pub const PANELS_MAX: usize = 12;

/// The axis of a swept factor.
#[derive(Clone, Debug, Serialize)]
pub struct Swept {
    /// The factor's index.
    pub factor: usize,
    /// What the axis shows.
    pub title: String,
    /// Where each value of the factor stands, as a share of the frame's width.
    pub places: Vec<f64>,
    /// Whether the axis is drawn to scale.
    pub to_scale: bool,
    /// Whether lines join neighbours; values without an order are rows with their names.
    pub ordered: bool,
}

/// A plot of lines: every figure of the cells against a factor.
#[derive(Clone, Debug, Serialize)]
pub struct Lines {
    /// The axis.
    pub axis: Swept,
    /// The parts of the labels, which lines name by their index.
    pub labels: Vec<Vec<String>>,
    /// The panels.
    pub panels: Vec<LinePanel>,
}

/// Lines that share a frame.
#[derive(Clone, Debug, Serialize)]
pub struct LinePanel {
    /// What the lines of the panel have in common; empty in a single panel.
    pub title: String,
    /// The lines of the panel.
    pub lines: Vec<Line>,
}

/// Cells that differ in the swept factor only.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The index of the line's label, which chooses the colour and shape in every panel.
    pub label: usize,
    /// The cells of the line by ascending value of the swept factor, at least two.
    pub rows: Vec<usize>,
}

impl Swept {
    /// The axis of one of these factors.
    pub fn new(factors: &[Factor], factor: usize) -> Self {
        let swept = &factors[factor];
        let to_scale = swept.numeric && swept.ordered;
        let place = |(index, value): (usize, &String)| {
            if to_scale {
                value.parse().unwrap_or(f64::NAN)
            } else {
                index as f64
            }
        };
        let at: Vec<f64> = swept.values.iter().enumerate().map(place).collect();
        let [least, most] = [at[0], at[at.len() - 1]];
        let log = least > 0.0 && most / least >= 16.0 && at.len() > 3;
        let scale = match (to_scale, log) {
            (true, true) => Scale::log(least, most, 0.05, 0.95),
            (true, false) => Scale::exact(least, most, 0.05, 0.95),
            (false, _) => Scale::exact(-0.5, most + 0.5, 0.0, 1.0),
        };
        Self {
            factor,
            title: match swept.name.as_str() {
                "size" => "size (rows x columns)".to_owned(),
                name => name.to_owned(),
            },
            places: at.iter().map(|&at| scale.at(at)).collect(),
            to_scale,
            ordered: swept.ordered,
        }
    }
}

/// Values by their keys, in the order in which the keys came.
#[derive(Default)]
pub struct Groups<K, V> {
    places: HashMap<K, usize>,
    /// The keys with their values.
    pub entries: Vec<(K, V)>,
}

impl<K: Clone + Eq + Hash, V: Default> Groups<K, V> {
    /// The place of a key among the entries, added where it is new.
    fn place(&mut self, key: K) -> usize {
        let next = self.entries.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.entries.push((key, V::default()));
        }
        place
    }

    /// The value of a key.
    pub fn of(&mut self, key: K) -> &mut V {
        let place = self.place(key);
        &mut self.entries[place].1
    }
}

/// The rows of cells that have a rate, a value of `factor` and equal values of all `others`.
pub fn groups(cells: &Cells, swept: &[&Factor], others: &[&Factor]) -> Vec<Vec<usize>> {
    let mut groups: Groups<Vec<Option<usize>>, Vec<usize>> = Groups::default();
    for row in 0..cells.len() {
        let has_place = swept.iter().all(|factor| factor.of_row[row].is_some());
        if !has_place || cells.number(row, "win_pct").is_none() {
            continue;
        }
        let key = others.iter().map(|factor| factor.of_row[row]).collect();
        groups.of(key).push(row);
    }
    groups.entries.into_iter().map(|(_, rows)| rows).collect()
}

/// What is said of the cells with a rate that a plot lacks, of which it has `drawn`: their noun for
/// one and for more, and why they are not drawn.
pub fn left_out(cells: &Cells, drawn: usize, nouns: [&str; 2], why: &str) -> Option<String> {
    let with_rate = cells
        .records()
        .filter(|row| row.number("win_pct").is_some());
    let count = with_rate.count() - drawn;
    let noun = nouns[usize::from(count > 1)];
    (count > 0).then(|| format!("Left out: {count} {noun} {why}."))
}

/// The factors in which rows differ.
pub fn varying<'a>(factors: &[&'a Factor], rows: &[usize]) -> Vec<&'a Factor> {
    let varies = |factor: &&&Factor| {
        rows.iter()
            .any(|&row| factor.of_row[row] != factor.of_row[rows[0]])
    };
    factors.iter().filter(varies).copied().collect()
}

/// All factors but these.
pub fn without<'a>(factors: &'a [Factor], left_out: &[usize]) -> Vec<&'a Factor> {
    let others = factors.iter().enumerate();
    others
        .filter(|(at, _)| !left_out.contains(at))
        .map(|(_, factor)| factor)
        .collect()
}

impl Lines {
    /// The lines of a swept factor, shared among panels where one frame would be crowded; `None`
    /// where no two cells differ in nothing else.
    pub fn of(cells: &Cells, factors: &[Factor], swept: usize) -> Option<Self> {
        let others = without(factors, &[swept]);
        let x = &factors[swept];
        let mut lines = groups(cells, &[x], &others);
        for rows in &mut lines {
            rows.sort_by_key(|&row| x.of_row[row]);
            rows.dedup_by_key(|row| x.of_row[*row]);
        }
        lines.retain(|rows| rows.len() > 1);
        let first_rows: Vec<usize> = lines.iter().map(|rows| rows[0]).collect();
        let varying = varying(&others, &first_rows);
        let by = (lines.len() > SERIES_LOOKS)
            .then(|| panel_factor(&varying, &first_rows))
            .flatten();
        let labelled: Vec<&Factor> = varying
            .into_iter()
            .filter(|factor| by != Some(*factor))
            .collect();
        let mut names: Groups<Vec<String>, ()> = Groups::default();
        let mut panels: Groups<String, Vec<Line>> = Groups::default();
        for rows in lines {
            let label = names.place(labels::parts(&labelled, rows[0]));
            let title = labels::label(by.as_slice(), rows[0]);
            panels.of(title).push(Line { label, rows });
        }
        let panels = panels.entries.into_iter();
        let panels: Vec<LinePanel> = panels
            .map(|(title, lines)| LinePanel { title, lines })
            .collect();
        (!panels.is_empty()).then(|| Self {
            axis: Swept::new(factors, swept),
            labels: names.entries.into_iter().map(|(parts, ())| parts).collect(),
            panels,
        })
    }

    /// How many cells the lines have.
    pub fn rows(&self) -> usize {
        let lines = self.panels.iter().flat_map(|panel| &panel.lines);
        lines.map(|line| line.rows.len()).sum()
    }

    /// Keeps as many panels and lines as can be looked at; returns how many lines were left out.
    pub fn cut(&mut self) -> usize {
        let count = |panels: &[LinePanel]| -> usize { panels.iter().map(|p| p.lines.len()).sum() };
        let before = count(&self.panels);
        self.panels.truncate(PANELS_MAX);
        let all = self.labels.len();
        if all > LINES_MAX {
            // Spread over all of them: the first are alike.
            let kept: Vec<usize> = (0..LINES_MAX)
                .map(|line| line * (all - 1) / (LINES_MAX - 1))
                .collect();
            for panel in &mut self.panels {
                panel.lines.retain_mut(|line| {
                    let place = kept.binary_search(&line.label);
                    line.label = place.unwrap_or(line.label);
                    place.is_ok()
                });
            }
            self.labels = kept
                .iter()
                .map(|&label| self.labels[label].clone())
                .collect();
        }
        self.panels.retain(|panel| !panel.lines.is_empty());
        before - count(&self.panels)
    }
}

/// The factor whose values get a panel each: the one that leaves the fewest lines in the fullest
/// panel, of equal ones the one with the fewest values.
fn panel_factor<'a>(varying: &[&'a Factor], first_rows: &[usize]) -> Option<&'a Factor> {
    let crowd = |factor: &Factor| {
        let mut lines = vec![0; factor.values.len() + 1];
        for &row in first_rows {
            lines[factor.of_row[row].map_or(0, |value| value + 1)] += 1;
        }
        lines.into_iter().max().unwrap_or(0)
    };
    let order = |factor: &&Factor| (crowd(factor).max(SERIES_LOOKS), factor.values.len());
    varying.iter().copied().min_by_key(order)
}
