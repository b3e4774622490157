//! The folder that a command writes its results into: what may stand there already, and the list of what was written.
//!
//! A folder that is used again must not mix the results of two runs. So each run keeps a list of the files that it
//! wrote, and the next one takes away what stands on it. Which files a command writes is left to the command; `list`
//! reads and clears.

mod list;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{CliError, create_folder};

/// Name of the list in a folder of results: one path a line, relative to the folder, `/` between its parts.
pub const LIST: &str = "granule-files.txt";

/// What becomes of results that stand in the folder already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The command is refused.
    Refused,
    /// Those on the list are replaced; files of the same names that no list has are a reason to refuse the command.
    Replaced,
    /// Those on the list are replaced, and so are files of the same names.
    Forced,
}

impl Earlier {
    /// The rule for a folder that the user `named` or not, with or without `--force`.
    pub(crate) fn of(named: bool, force: bool) -> Self {
        match (force, named) {
            (true, _) => Earlier::Forced,
            (false, true) => Earlier::Refused,
            // The default folder is the program's own.
            (false, false) => Earlier::Replaced,
        }
    }
}

/// A folder that may be written into; nothing in it has been touched yet.
#[derive(Debug)]
pub struct Ground {
    folder: PathBuf,
    /// What goes before the first result is written, relative to the folder.
    old: Vec<PathBuf>,
}

impl Ground {
    /// Looks whether results may be written into `folder`; `names` are the files that the command would write, `/`
    /// between their parts.
    ///
    /// # Errors
    /// [`CliError::Argument`] naming the folder and a file where results stand that must not be replaced, where another
    /// run is writing into it, and where a folder has the name of a file or a file that of a folder.
    pub fn check(folder: &Path, earlier: Earlier, names: &[String]) -> Result<Self, CliError> {
        let mut old = list::listed(folder)?;
        refuse_running(folder)?;
        if let Some(way) = names.iter().find_map(|name| list::in_the_way(folder, Path::new(name))) {
            return Err(CliError::Argument(format!(
                "{} stands where results are to be written: name another folder with --out",
                folder.join(way).display()
            )));
        }
        if let (Earlier::Refused, Some(first)) = (earlier, old.first()) {
            return Err(CliError::Argument(format!(
                "the folder {} holds results of an earlier run, such as {}: name another one, or give --force to replace them",
                folder.display(),
                first.display()
            )));
        }
        let foreign: Vec<PathBuf> =
            names.iter().map(PathBuf::from).filter(|name| !old.contains(name) && list::is_file(folder, name)).collect();
        if let (Earlier::Refused | Earlier::Replaced, Some(first)) = (earlier, foreign.first()) {
            return Err(CliError::Argument(format!(
                "the folder {} holds {}, which would be written anew and stands on no list of an earlier run: \
                 name another folder with --out, or give --force to replace it",
                folder.display(),
                first.display()
            )));
        }
        old.extend(foreign);
        Ok(Ground { folder: folder.to_path_buf(), old })
    }

    /// Makes the folder, takes the old results out of it and begins the list.
    ///
    /// A file at `begun` that lies in the folder is one that the command is writing already: it stays and is listed.
    ///
    /// # Errors
    /// [`CliError::Folder`] naming what cannot be made or removed.
    pub fn take(self, begun: Option<&Path>) -> Result<Results, CliError> {
        let Ground { folder, old } = self;
        create_folder(&folder)?;
        refuse_running(&folder)?;
        let begun = begun.and_then(|path| within(&folder, path));
        list::clear(&folder, old.iter().filter(|name| Some(*name) != begun.as_ref()))?;
        let path = folder.join(LIST);
        let file = begin_list(&path)?;
        let results = Results { folder, list: Arc::new(Mutex::new(List { path, file, names: BTreeSet::new() })) };
        if let Some(name) = begun.as_ref().and_then(|name| list::entry(name)) {
            results.file(&name)?;
        }
        Ok(results)
    }
}

/// The path of the file `path` relative to `folder`, if it lies in it.
fn within(folder: &Path, path: &Path) -> Option<PathBuf> {
    let (folder, path) = (folder.canonicalize().ok()?, path.canonicalize().ok()?);
    path.strip_prefix(folder).ok().map(Path::to_path_buf)
}

/// Refuses a folder whose list is held by a run that has not ended.
fn refuse_running(folder: &Path) -> Result<(), CliError> {
    let list = File::open(folder.join(LIST));
    if list.is_ok_and(|list| matches!(list.try_lock(), Err(TryLockError::WouldBlock))) {
        let folder = folder.display();
        return Err(CliError::Argument(format!(
            "another run is writing into the folder {folder}: name another one with --out"
        )));
    }
    Ok(())
}

/// An empty list in place of the old one, which is removed first: it may be a link that leads elsewhere. It is locked
/// for as long as it is open, which is how another run sees that this one has not ended; where the system has no locks,
/// it does not see that.
fn begin_list(path: &Path) -> Result<File, CliError> {
    let failed = |source| CliError::Folder { what: "create", path: path.to_path_buf(), source };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let list = OpenOptions::new().append(true).create_new(true).open(path).map_err(failed)?;
    let _ = list.try_lock();
    Ok(list)
}

/// A folder with the list of what is written into it. Clones write into the same folder and list, from any thread.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
    list: Arc<Mutex<List>>,
}

#[derive(Debug)]
struct List {
    path: PathBuf,
    file: File,
    names: BTreeSet<String>,
}

impl Results {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the result `name` (`/` between its parts) goes. It is listed from now on, so that a killed run leaves none
    /// unlisted.
    ///
    /// # Errors
    /// [`CliError::Write`] naming the list.
    pub fn file(&self, name: &str) -> Result<PathBuf, CliError> {
        // A name is entered only after its line was written: the list is whole whatever became of a thread that held
        // it.
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.names.contains(name) {
            let written = list.file.write_all(format!("{name}\n").as_bytes());
            written.map_err(|source| CliError::Write { path: list.path.clone(), source })?;
            list.names.insert(name.to_owned());
        }
        Ok(self.folder.join(name))
    }

    /// The stem of a plot: its two files are listed.
    ///
    /// # Errors
    /// As [`Results::file`].
    pub fn plot(&self, stem: &str) -> Result<PathBuf, CliError> {
        plot_names(stem).iter().try_for_each(|name| self.file(name).map(drop))?;
        Ok(self.folder.join(stem))
    }
}

/// The two files of a plot.
pub fn plot_names(stem: &str) -> [String; 2] {
    ["svg", "png"].map(|extension| format!("{stem}.{extension}"))
}
