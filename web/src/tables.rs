//! The tables of an experiment as the page lists and draws them.

use crate::chart::{COLOURS, Curves, Point, intervals};
use std::collections::{HashMap, HashSet};
use tilelab::Plan;
use tilelab::report::labels;

/// Rows that are drawn; an experiment may have thousands of cells.
const DRAWN_MAX: usize = 40;

/// A table of an experiment.
pub struct Table {
    pub title: String,
    /// The parameter over which the curves are drawn, if there is one.
    axis: Option<String>,
    pub members: Vec<Member>,
    /// The names of the curves.
    series: Vec<String>,
}

/// A cell of a table.
pub struct Member {
    /// The number of the cell in the plan.
    pub cell: usize,
    /// What tells the cell from the others of the table.
    pub label: String,
    /// The place of the cell on the axis.
    x: Option<f64>,
    /// The number of the curve that the cell belongs to.
    series: usize,
}

/// The tables of a plan.
pub fn tables(plan: &Plan) -> Vec<Table> {
    let titles = plan.titles.iter().enumerate();
    let table = |(number, title): (usize, &String)| {
        let cells = plan.cells.iter().enumerate();
        let cells: Vec<_> = cells.filter(|(_, cell)| cell.table == number).collect();
        let mut settings: Vec<_> = cells.iter().map(|(_, cell)| settings(cell)).collect();
        let names = labels::distinct(&settings);
        // Without the players' parameters, where these tell nothing apart.
        let bare: Vec<String> = names.iter().map(|name| bare(name)).collect();
        let are_bare = bare.iter().collect::<HashSet<_>>().len() == bare.len();
        let names = if are_bare { bare } else { names };
        let axis = axis(&settings);
        let place = |own: &mut Vec<(String, String)>| {
            let at = own
                .iter()
                .position(|(name, _)| Some(name) == axis.as_ref())?;
            number_of(&own.remove(at).1)
        };
        let places: Vec<_> = settings.iter_mut().map(place).collect();
        let curves = labels::varying(&settings);
        let mut series: Vec<String> = Vec::new();
        let mut members = Vec::new();
        for (((cell, of_plan), name), (x, curve)) in cells
            .into_iter()
            .zip(names)
            .zip(places.into_iter().zip(curves))
        {
            let known = series.iter().position(|known| *known == curve);
            let own = known.unwrap_or_else(|| {
                series.push(curve);
                series.len() - 1
            });
            members.push(Member {
                cell,
                label: if name.is_empty() { of_plan.key() } else { name },
                x,
                series: own,
            });
        }
        Table {
            title: title.clone(),
            axis,
            members,
            series,
        }
    };
    titles.map(table).collect()
}

impl Table {
    /// The win rates of all cells as a chart; `None` while there are no rates.
    pub fn chart(&self, points: &[Option<Point>], here: Option<usize>) -> Option<String> {
        let label = format!("{}: win rate in percent, with intervals", self.title);
        let point = |member: &Member| points[member.cell];
        if self.members.iter().all(|member| point(member).is_none()) {
            return None;
        }
        let Some(axis) = &self.axis else {
            let drawn = self.members.iter().take(DRAWN_MAX);
            let rows: Vec<_> = drawn.map(|it| (it.label.clone(), point(it))).collect();
            return Some(intervals(&label, &rows));
        };
        let mut series = vec![Vec::new(); self.series.len().min(COLOURS)];
        for member in &self.members {
            if let (Some(curve), Some(point)) = (series.get_mut(member.series), point(member)) {
                let x = member.x.unwrap_or_default();
                curve.push(Point { x, ..point });
            }
        }
        series
            .iter_mut()
            .for_each(|own| own.sort_by(|one, other| one.x.total_cmp(&other.x)));
        let mut at = self
            .members
            .iter()
            .filter(|member| Some(member.cell) == here);
        let mut names = self.series[..series.len()].to_vec();
        let left = self.series.len() - series.len();
        if left > 0 {
            names.push(format!("{left} more curves are in the table."));
        }
        let curves = Curves {
            label,
            x_label: axis.replace('_', " "),
            series: &series,
            names: &names,
            marked: &[],
            here: at.next().and_then(|member| member.x),
            y_max: None,
        };
        Some(curves.svg())
    }
}

/// A name without what stands in parentheses.
fn bare(name: &str) -> String {
    let mut depth = 0_i32;
    let outside = |letter: &char| {
        depth += i32::from(*letter == '(');
        let is_outside = depth == 0;
        depth -= i32::from(*letter == ')');
        is_outside
    };
    name.chars().filter(outside).collect()
}

/// Parameters and players of a cell: names and values.
fn settings(cell: &tilelab::Cell) -> Vec<(String, String)> {
    let params = cell.params.iter();
    let params = params.map(|(name, value)| (name.to_owned(), value.to_string()));
    let players = cell.players.iter().zip(["player", "opponent"]);
    let players = players.map(|(player, seat)| (seat.to_owned(), player.label()));
    labels::sized(&params.chain(players).collect::<Vec<_>>())
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The number that a value stands for on an axis: 4 for `4x5`.
fn number_of(value: &str) -> Option<f64> {
    let parts: Result<Vec<f64>, _> = value.split('x').map(str::parse).collect();
    parts.ok()?.into_iter().next()
}

/// The parameter with the most values if all are numbers and a curve over it has at least three
/// points on average.
fn axis(cells: &[Vec<(String, String)>]) -> Option<String> {
    let mut values: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (name, value) in cells.iter().flatten() {
        values.entry(name).or_default().insert(value);
    }
    let curves = |axis: &str| {
        let others = cells.iter().map(|cell| {
            let others = cell.iter().filter(|(name, _)| name != axis);
            others.collect::<Vec<_>>()
        });
        others.collect::<HashSet<_>>().len()
    };
    let is_axis = |name: &&str| {
        !labels::IDENTIFIERS.contains(name)
            && values[name].iter().all(|value| number_of(value).is_some())
            && cells.len() >= 3 * curves(name)
    };
    let names = cells.first()?.iter().map(|(name, _)| name.as_str());
    // The first of several.
    let axis = names.rev().filter(is_axis);
    axis.max_by_key(|name| values[name].len())
        .map(str::to_owned)
}
