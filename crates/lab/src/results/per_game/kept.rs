//! The records of single games in results folders, until the rows are written.

use super::super::{Error, Folder};
use crate::plan::{Cell, PerGame, Plan};
use crate::runner::records::{Records, Sink};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tilelab_output::atomic;
use tilelab_output::files::{self, File, Kind, NOTE_BYTES_MAX};
use tilelab_output::locked;

/// Games of one file. A shard has files only where it has games.
pub(super) const CHUNK: u64 = 1 << 20;

/// The records of single games: those of a results folder, and of the shards that are merged into
/// it.
pub struct Kept {
    pub(super) folder: PathBuf,
    /// Folders in which records are looked for that this one does not have.
    others: Vec<PathBuf>,
    /// The first part of the names of each cell's files.
    names: Vec<String>,
    /// The format of the rows that are wanted.
    pub(super) format: PerGame,
    /// Held while positions are added to a file.
    adding: Mutex<()>,
}

/// The folder of the records in a results folder.
fn below(folder: &Path) -> PathBuf {
    folder.join(".games")
}

impl Kept {
    /// The records of a plan's cells; makes their folder. `parts` are the folders of the shards
    /// that are merged.
    ///
    /// # Errors
    /// When the folder cannot be made, or anything in it is not a regular file: records would be
    /// written through it.
    pub fn new(
        folder: &Folder,
        plan: &Plan,
        format: PerGame,
        parts: &[PathBuf],
    ) -> Result<Arc<Self>, Error> {
        // Not the cell's own seeds, which cells with common parameters share.
        let name = |cell: &Cell| format!("{:016x}", cell.fingerprint(plan.seed));
        let kept = Self {
            folder: below(&folder.0),
            others: parts.iter().map(|part| below(part)).collect(),
            names: plan.cells.iter().map(name).collect(),
            format,
            adding: Mutex::new(()),
        };
        let unwritable = |error| Error::Unwritable {
            path: kept.folder.clone(),
            error,
        };
        files::create_dir_all(&kept.folder).map_err(unwritable)?;
        let found = files::symlink_metadata(&kept.folder).map_err(unwritable)?;
        if !found.is_dir() {
            return Err(Error::Strange(kept.folder));
        }
        for entry in files::read_dir(&kept.folder).map_err(unwritable)? {
            if entry.kind != Kind::File {
                return Err(Error::Strange(entry.path));
            }
        }
        Ok(Arc::new(kept))
    }

    /// Removes all records of a results folder.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub fn forget(folder: &Folder) -> Result<(), Error> {
        let path = below(&folder.0);
        match files::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::Unwritable { path, error })
            }
            _ => Ok(()),
        }
    }

    /// The format of the rows for which a shard has kept all its games; `None` where it has not.
    pub fn of_part(folder: &Path) -> Option<PerGame> {
        let text = files::read_text(below(folder).join("complete"), NOTE_BYTES_MAX);
        PerGame::named(text.ok()?.trim_end())
    }

    /// Notes that a shard has kept all its games.
    pub(super) fn complete_part(&self) -> io::Result<()> {
        let name = format!("{}\n", self.format.name());
        atomic::write(&self.folder.join("complete"), name.as_bytes())
    }

    /// Says for which rows the file was written last.
    pub(super) fn stamp(&self) -> PathBuf {
        self.folder.join("written")
    }

    /// The file in a folder of records that has these of a cell.
    fn file(&self, folder: &Path, cell: usize, records: &Records) -> PathBuf {
        let chunk = records.games().start / CHUNK;
        let kind = if self.with_positions() {
            "-positions"
        } else {
            ""
        };
        folder.join(format!("{}-{chunk}{kind}", self.names[cell]))
    }

    fn try_keep(&self, cell: usize, records: Records) -> io::Result<()> {
        let Range { start, end } = records.games();
        let first = start / CHUNK;
        let last = end.saturating_sub(1) / CHUNK;
        if first == last {
            return self.keep_in_chunk(cell, records);
        }
        (first..=last).try_for_each(|chunk| {
            let games = start.max(chunk * CHUNK)..end.min((chunk + 1) * CHUNK);
            self.keep_in_chunk(cell, records.part(games))
        })
    }

    fn keep_in_chunk(&self, cell: usize, mut records: Records) -> io::Result<()> {
        let path = self.file(&self.folder, cell, &records);
        if self.with_positions() {
            let _adding = locked(&self.adding);
            let mut texts = File::append(texts(&path))?;
            let at = texts.metadata()?.len;
            texts.write_all(&records.place_positions(at))?;
        }
        // Several threads write into the file of a cell, each its own games.
        let mut file = File::update(path)?;
        file.seek(SeekFrom::Start(offset(&records)))?;
        file.write_all(records.bytes())
    }

    /// What is known of some games of a cell, which lie in one chunk.
    pub(super) fn read(
        &self,
        cell: usize,
        games: Range<u64>,
        measures: usize,
    ) -> io::Result<Records> {
        let mut known = self.read_in(&self.folder, cell, games.clone(), measures)?;
        for folder in &self.others {
            if games.clone().all(|game| known.is_known(game)) {
                break;
            }
            known.fill(&self.read_in(folder, cell, games.clone(), measures)?);
        }
        Ok(known)
    }

    fn read_in(
        &self,
        folder: &Path,
        cell: usize,
        games: Range<u64>,
        measures: usize,
    ) -> io::Result<Records> {
        let mut records = Records::new(games, measures, self.with_positions());
        let path = self.file(folder, cell, &records);
        let Some(mut file) = open(&path)? else {
            return Ok(records);
        };
        file.seek(SeekFrom::Start(offset(&records)))?;
        read_most(&mut file, records.bytes_mut())?;
        if self.with_positions() {
            read_positions(&mut records, open(&texts(&path))?)?;
        }
        Ok(records)
    }
}

impl Sink for Kept {
    fn with_positions(&self) -> bool {
        self.format.has_positions()
    }

    fn keep(&self, cell: usize, records: Records) {
        // A game whose record is not there is played again in the end. What keeps the disk from
        // being written will then stop the file itself, with a message.
        let _ = self.try_keep(cell, records);
    }
}

/// The file of the last positions beside one of records.
fn texts(records: &Path) -> PathBuf {
    records.with_extension("texts")
}

/// The place of the first record in the file of its chunk, in bytes.
fn offset(records: &Records) -> u64 {
    records.games().start % CHUNK * records.size() as u64
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

/// Reads until the file or the buffer ends.
fn read_most(file: &mut File, mut buffer: &mut [u8]) -> io::Result<()> {
    io::copy(&mut file.take(buffer.len() as u64), &mut buffer).map(drop)
}

/// Reads the last positions of all known games; those whose position is missing or damaged become
/// unknown. Positions that lie one after another are read together.
fn read_positions(records: &mut Records, mut file: Option<File>) -> io::Result<()> {
    let known: Vec<_> = records
        .games()
        .filter(|&game| records.is_known(game))
        .filter_map(|game| Some((game, records.position_place(game)?)))
        .collect();
    let runs = known.chunk_by(|(_, a), (_, b)| a.at.checked_add(a.length as u64) == Some(b.at));
    for run in runs {
        let mut bytes = vec![0; run.iter().map(|(_, place)| place.length).sum()];
        if let Some(file) = &mut file {
            file.seek(SeekFrom::Start(run[0].1.at))?;
            read_most(file, &mut bytes)?;
        }
        let mut rest = bytes.as_slice();
        for &(game, place) in run {
            let (text, after) = rest.split_at(place.length);
            rest = after;
            match std::str::from_utf8(text) {
                Ok(text) if place.holds(text.as_bytes()) => {
                    records.set_position(game, text.to_owned())
                }
                _ => records.forget(game),
            }
        }
    }
    Ok(())
}
