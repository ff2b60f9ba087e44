//! Games and shells on a terminal.

mod lines;
mod screen;
mod shell;
mod tables;
mod tmux;
