//! `cells.json`: the same data as `cells.csv`, with types and the schema.
//!
//! One object: `schema` with the `version` and one entry a column (`name`, `type`, and `unit` and
//! `help` where they are known), and `cells`, one object a row with the columns as keys. Undefined
//! fields are `null`. Counts are written as whole numbers; readers that hold all numbers as 64-bit
//! floats lose digits beyond 2⁵³.

use super::cells::Cells;
use super::schema::{self, Kind};
use serde_json::{Map, Value, json};

/// A column of a file with its type.
#[derive(Clone, Debug)]
pub struct TypedColumn {
    /// The name in the header.
    pub name: String,
    /// The type of the column's fields.
    pub kind: Kind,
}

/// The columns of a file with their types.
pub fn columns(cells: &Cells, parameter: &dyn Fn(&str) -> Option<Kind>) -> Vec<TypedColumn> {
    cells
        .columns()
        .map(|name| TypedColumn {
            name: name.to_owned(),
            kind: schema::kind(name, parameter),
        })
        .collect()
}

/// The schema of these columns.
pub fn schema_of(columns: &[TypedColumn]) -> Value {
    let entry = |column: &TypedColumn| {
        let mut entry = json!({ "name": column.name, "type": column.kind.name() });
        if let Some(known) = schema::known(&column.name) {
            entry["unit"] = known.unit.into();
            entry["help"] = known.help.into();
        }
        entry
    };
    json!({ "version": schema::VERSION, "columns": columns.iter().map(entry).collect::<Vec<_>>() })
}

/// Writes `cells.json`.
///
/// # Errors
/// Names the column and the field that is not of its type.
pub fn to_json(cells: &Cells, columns: &[TypedColumn]) -> Result<Vec<u8>, String> {
    let mut rows = Vec::new();
    for row in cells.records() {
        let mut object = Map::new();
        for column in columns {
            let field = row.get(&column.name);
            let value = field
                .map(|field| value(field, column.kind).ok_or_else(|| wrong(column, field)))
                .transpose()?;
            object.insert(column.name.clone(), value.unwrap_or(Value::Null));
        }
        rows.push(Value::Object(object));
    }
    let mut text =
        serde_json::to_vec_pretty(&json!({ "schema": schema_of(columns), "cells": rows }))
            .expect("values without maps of other keys than text can be written");
    text.push(b'\n');
    Ok(text)
}

/// The message for a field that is not of its column's type.
pub(super) fn wrong(column: &TypedColumn, field: &str) -> String {
    format!(
        "{} = {field:?} is not {}",
        column.name,
        column.kind.expected()
    )
}

fn value(field: &str, kind: Kind) -> Option<Value> {
    Some(match kind {
        Kind::Text => field.into(),
        Kind::Count => field.parse::<u64>().ok()?.into(),
        Kind::Integer => field.parse::<i64>().ok()?.into(),
        Kind::Number => serde_json::Number::from_f64(field.parse().ok()?)?.into(),
        Kind::Flag => field.parse::<bool>().ok()?.into(),
    })
}
