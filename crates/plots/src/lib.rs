//! Plots as SVG files, from the files of a results folder alone. It knows no game and plays
//! nothing.
//!
//! Every plot has its own light and dark colours (`prefers-color-scheme`) on its own background, so
//! it can be read on any page. Series have Okabe and Ito's colours, which colour-blind people can
//! tell apart, and also differ in the shape of their marks. The text says what is drawn, in which
//! unit, and how precise it is.

mod curve;
mod grid;
pub mod heat_map;
mod learning;
pub mod lines;
mod moves;
mod rate;
pub mod scale;
pub mod survival;
mod svg;
mod time;
mod win_rate;

pub use grid::shades;
pub use heat_map::{Grids, grids, heat_maps};
pub use learning::learning_plot;
pub use moves::moves_plots;
pub use rate::{RateCurve, RatePoint, rate_plot};
pub use svg::{light_colours, page_colours};
pub use time::time_plot;
pub use win_rate::{interval_note, win_rate_plots};

/// A plot, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The name of the plot's file, without a folder.
    pub file: String,
    /// What the plot shows, in a line.
    pub title: String,
    /// The file's content.
    pub svg: String,
}

/// Whether a picture is a plot of results that was made for a file of this name.
pub fn is_plot_of(name: &str, svg: &str) -> bool {
    let title = svg
        .split_once("<title>")
        .and_then(|(_, rest)| rest.split_once("</title>"));
    let title = title.map_or("", |(title, _)| title);
    let swept = title.strip_prefix("Win rate by ").map(file_stem);
    let of_rates = name.strip_prefix("win_rate_by_");
    let of_rates = of_rates.and_then(|name| name.strip_suffix(".svg"));
    svg.contains("<rect class=\"paper\"")
        && of_rates.is_none_or(|stem| swept.as_deref() == Some(stem))
}

/// A name as it may stand in a file name: letters and digits, with single underscores between.
fn file_stem(name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join("_").to_ascii_lowercase()
}
