//! The values that an experiment file gives a key: single ones, lists and ranges.

use super::super::number::{integer, number, without_dust};
use super::super::{Literal, Located, VALUES_MAX};
use super::{Node, Reader};
use toml::de::{DeTable, DeValue};

impl Reader<'_> {
    /// The values of a key: a single one, a list, or a range `{ from, to, step }`. Those that are
    /// refused are left out.
    pub(super) fn values(&mut self, key: &str, node: &Node<'_>) -> Vec<Located<Literal>> {
        let line = self.line(node);
        if let Some(range) = node.get_ref().as_table()
            && range.contains_key("from")
        {
            let literals = self.range(key, node, range).into_iter().flatten();
            return literals.map(|value| Located { value, line }).collect();
        }
        let list = match node.get_ref().as_array() {
            Some(list) => &list[..],
            None => std::slice::from_ref(node),
        };
        let count = list.len();
        if count == 0 {
            let message =
                format!("{key} = []: an empty list leaves no cells; list at least one value");
            self.problem(node, message);
        } else if count > VALUES_MAX {
            let message =
                format!("{key}: a list of {count} values; at most {VALUES_MAX} are accepted");
            self.problem(node, message);
            return Vec::new();
        }
        let mut values = Vec::with_capacity(count);
        for node in list {
            let value = self.literal(key, node);
            values.extend(value.map(|value| self.located(node, value)));
        }
        values
    }

    fn range(&mut self, key: &str, node: &Node<'_>, range: &DeTable<'_>) -> Option<Vec<Literal>> {
        let form = "{ from = 0.3, to = 0.9, step = 0.05 } with from ≤ to, step > 0 and at most 100000 values (whole numbers may leave out step = 1)";
        let part = |name: &str| range.get(name).map(|node| node.get_ref());
        let known = range
            .iter()
            .all(|(name, _)| ["from", "to", "step"].contains(&name.get_ref().as_ref()));
        let (Some(from), Some(to), true) = (part("from"), part("to"), known) else {
            return self.refuse(key, node, form);
        };
        let step = part("step");
        if let (Some(from), Some(to), Some(step)) =
            (integer(from), integer(to), step.map_or(Some(1), integer))
        {
            let steps = i128::from(to) - i128::from(from);
            if step <= 0 || steps < 0 || (steps / i128::from(step)) as f64 >= VALUES_MAX as f64 {
                let meant = meant_range([from as f64, to as f64], step as f64, 1.0);
                return self.refuse(key, node, &format!("{form}{meant}"));
            }
            // Added up only as far as `to`, so no sum leaves the 64 bits.
            let next = |value: &i64| value.checked_add(step).filter(|next| *next <= to);
            let values = std::iter::successors(Some(from), next);
            return Some(values.map(Literal::Int).collect());
        }
        let (Some(from), Some(to), Some(step)) = (number(from), number(to), step.and_then(number))
        else {
            return self.refuse(key, node, form);
        };
        let steps = (to - from) / step;
        if !(step > 0.0 && (0.0..VALUES_MAX as f64).contains(&steps)) {
            let meant = meant_range([from, to], step, 0.0);
            return self.refuse(key, node, &format!("{form}{meant}"));
        }
        // A step such as 0.05 is not exact in binary: a last value within a millionth of a step
        // counts as reached.
        let values = (0..=(steps + 1e-6).floor() as u64).map(|index| {
            Literal::Float(without_dust(
                from + index as f64 * step,
                from.abs().max(to.abs()).max(step),
            ))
        });
        Some(values.collect())
    }

    fn literal(&mut self, key: &str, node: &Node<'_>) -> Option<Literal> {
        match node.get_ref() {
            DeValue::String(text) => Some(Literal::Text(text.to_string())),
            DeValue::Boolean(value) => Some(Literal::Bool(*value)),
            DeValue::Integer(_) => {
                let value = integer(node.get_ref()).map(Literal::Int);
                self.read(key, node, value, "a whole number of at most 63 bits")
            }
            DeValue::Float(_) => {
                let value = number(node.get_ref()).map(Literal::Float);
                self.read(key, node, value, "a finite number of at most 1.7e308")
            }
            DeValue::Table(table) => {
                if !self.has_few_keys(key, table, node) {
                    return None;
                }
                let mut entries = Vec::new();
                for (name, node) in table {
                    let values = self.values(&format!("{key}.{}", name.get_ref()), node);
                    let literals = values.into_iter().map(|value| value.value).collect();
                    entries.push((name.get_ref().to_string(), literals));
                }
                Some(Literal::Table(entries))
            }
            DeValue::Array(_) | DeValue::Datetime(_) => {
                self.refuse(key, node, "a single value or a flat list")
            }
        }
    }
}

/// The range that was probably meant by one from `from` to `to`, for messages: upwards, with a
/// positive step that gives few enough values and is a multiple of `unit`, where that is above 0.
fn meant_range([from, to]: [f64; 2], step: f64, unit: f64) -> String {
    let span = (to - from).abs();
    let mut step = step.abs();
    // A step of 0 is replaced as well.
    if span >= VALUES_MAX as f64 * step {
        step = span / 100.0;
    }
    if unit > 0.0 {
        step = (step / unit).ceil().max(1.0) * unit;
    }
    if !(step > 0.0 && step.is_finite()) {
        return String::new();
    }
    format!(
        "; write {{ from = {}, to = {}, step = {step} }}",
        from.min(to),
        from.max(to)
    )
}
