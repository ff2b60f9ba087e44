//! Tables with headings and notes, as Markdown and for a terminal.

use crate::table::{Table, unmarked};
use crate::text::{markdown, plain, wrapped};
use std::fmt;
use tilelab_core::text::join;

/// A part of a document.
#[derive(Clone, Debug)]
enum Block {
    Heading(String),
    /// Lines of a paragraph.
    Text(Vec<String>),
    Table(Table),
}

/// Tables with headings and notes. Its `Display` is Markdown.
#[derive(Clone, Debug, Default)]
pub struct Document {
    blocks: Vec<Block>,
}

impl Document {
    /// Adds the heading of a table.
    pub fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(plain(text).into_owned()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: &str) {
        self.lines([text]);
    }

    /// Adds a paragraph of several lines.
    pub fn lines<S: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = S>) {
        let lines = lines
            .into_iter()
            .map(|line| plain(line.as_ref()).into_owned());
        self.blocks.push(Block::Text(lines.collect()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds the parts of another document.
    pub fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// The document for a terminal of `width` columns.
    pub fn to_terminal(&self, width: usize) -> String {
        let lines = |texts: &[String]| {
            let lines = texts
                .iter()
                .flat_map(|text| wrapped(&unmarked(text).replace('`', ""), width));
            lines.map(|line| line + "\n").collect::<String>()
        };
        let parts = self.blocks.iter().map(|block| match block {
            Block::Heading(text) => lines(std::slice::from_ref(text)),
            Block::Text(texts) => lines(texts),
            Block::Table(table) => table.to_terminal(width),
        });
        join(parts, "\n")
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            match block {
                Block::Heading(text) => writeln!(f, "### {}", markdown(text))?,
                Block::Text(lines) => {
                    let lines = lines.iter().map(|line| markdown(line));
                    writeln!(f, "{}", join(lines, "\n"))?;
                }
                Block::Table(table) => write!(f, "{table}")?,
            }
        }
        Ok(())
    }
}
