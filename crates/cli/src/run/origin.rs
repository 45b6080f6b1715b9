//! Origin of a run: the program that trained it and digests of its data, in `origin.json` of the
//! run's folder. Together with the settings in its checkpoint, the origin tells whether a finished
//! run is the one that a user asks for.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use strata_settings::diff;
use strata_tasks::{TaskConfig, digest_of_file, digest_of_text};
use strata_text::expanded;
use strata_training::{Experiment, write_atomically};

use crate::base::error::Error;
use crate::base::program::Program;
use crate::display::format::shortened;
use crate::run::run_folder::RunFolder;

/// Most differences that an error lists.
const TOLD: usize = 6;

/// Program and data of a run.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Origin {
    /// The program that trained the run last.
    program: Program,
    /// Digests of the data files, by setting.
    data: BTreeMap<String, String>,
    /// Digests of the texts in packed data files, by setting: the text is the same data unpacked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<String, String>,
    /// Digest of the model with whose parameters the run began (`--from`), empty if there was none;
    /// `None` if an earlier program did not record the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began_from: Option<String>,
}

impl Origin {
    /// Returns the origin of a run that this program trains now. `began_from` is the digest of its
    /// first model, as in [`began_from`](Self::began_from).
    pub fn of(experiment: &Experiment, began_from: Option<String>) -> Self {
        let mut task = experiment.task.clone();
        let (mut data, mut texts) = (BTreeMap::new(), BTreeMap::new());
        for (name, path) in task.path_settings() {
            let key = format!("task.{name}");
            let Ok(Some(whole)) = digest_of_setting(path, digest) else {
                continue;
            };
            if let Ok(Some(text)) = digest_of_setting(path, text_digest)
                && text != whole
            {
                texts.insert(key.clone(), text);
            }
            data.insert(key, whole);
        }
        Self {
            program: Program::present(),
            data,
            texts,
            began_from,
        }
    }

    /// Returns the digests of the data files, by setting: `task.source`, ….
    pub fn data(&self) -> &BTreeMap<String, String> {
        &self.data
    }

    /// Returns the digest of the model with whose parameters the run began.
    pub fn began_from(&self) -> Option<&str> {
        self.began_from.as_deref()
    }

    /// Returns a sentence on a run that did not begin with the model of this file, as far as that
    /// is known.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn other_beginning(&self, model: &Path) -> Result<Option<String>, Error> {
        let Some(then) = &self.began_from else {
            return Ok(None);
        };
        let now = digest(model).map_err(Error::reading(model))?;
        let model = shortened(&model.display().to_string());
        Ok(match then.as_str() {
            "" => Some(format!(
                "the run began with parameters of its own, and not with those of {model} (`--from`)"
            )),
            then if now.is_some_and(|it| it != then) => Some(format!(
                "the run began with the parameters of another model than {model} is now (`--from`)"
            )),
            _ => None,
        })
    }

    /// Reads the origin of the run in a folder; `None` if an earlier program wrote none.
    pub fn read(folder: &RunFolder) -> Option<Self> {
        let text = fs::read(folder.origin()).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Writes the origin into the folder of a run. If there is no room, the origin of an earlier
    /// training is removed.
    pub fn write(&self, folder: &RunFolder) {
        let text = serde_json::to_string_pretty(self).expect("an origin is plain data");
        if write_atomically(&folder.origin(), text.as_bytes()).is_err() {
            // No origin is better than a wrong one.
            drop(fs::remove_file(folder.origin()));
        }
    }

    /// True if the data of a setting have the text of the run's data, packed or not.
    fn has_text_of(&self, key: &str, path: &Path) -> bool {
        let then = self.texts.get(key).or_else(|| self.data.get(key));
        let now = digest_of_setting(path, text_digest).ok().flatten();
        now.is_some() && now.as_ref() == then
    }

    /// Returns the differences between the data that a task finds now and those of the run, as
    /// sentences.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn differences(&self, task: &TaskConfig) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        let mut task = task.clone();
        for (name, path) in task.path_settings() {
            let key = format!("task.{name}");
            let Some(then) = self.data.get(&key) else {
                continue;
            };
            let now = digest_of_setting(path, digest).map_err(Error::reading(path))?;
            // Data that cannot be read twice, such as a pipe, are not compared.
            if now.is_some_and(|now| now != *then) && !self.has_text_of(&key, path) {
                let path = shortened(&path.display().to_string());
                found.push(format!(
                    "{path} (`{key}`) has other contents than the run was trained on"
                ));
            }
        }
        if !self.program.computes_as_now() {
            found.push(format!(
                "it was trained by {}, which computes otherwise than this program, {}",
                self.program,
                Program::present()
            ));
        }
        Ok(found)
    }
}

/// Returns the digest of the file or files of a setting, by `digest`; `None` for a pipe or device.
fn digest_of_setting(
    path: &Path,
    digest: impl Fn(&Path) -> io::Result<Option<String>>,
) -> io::Result<Option<String>> {
    if path.as_os_str().is_empty() {
        return Ok(None);
    }
    let whole = expanded(path);
    let several = path.to_str().filter(|it| it.contains(','));
    let Some(several) = several.filter(|_| !whole.exists()) else {
        return digest(&whole);
    };
    let digests = several
        .split(',')
        .map(|it| digest(&expanded(Path::new(it.trim()))));
    let digests: Option<Vec<String>> = digests.collect::<io::Result<_>>()?;
    Ok(digests.map(|it| it.join("+")))
}

/// Returns the digest of the text in a file, which may be packed; the file is unpacked again only
/// if its size or time has changed since this process did so.
fn text_digest(path: &Path) -> io::Result<Option<String>> {
    static KNOWN: Digests = Digests::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        KNOWN.of(path, digest_of_text)
    } else {
        digest(path)
    }
}

/// Returns the digest of a file; the file is read again only if its size or time has changed since
/// this process read it.
///
/// # Errors
/// If the file cannot be read.
pub fn digest(path: &Path) -> io::Result<Option<String>> {
    static KNOWN: Digests = Digests::new();
    KNOWN.of(path, digest_of_file)
}

/// Size and time of change of a file.
type FileState = (u64, Option<SystemTime>);

/// Digests of the files that this process has read, by path.
struct Digests(Mutex<BTreeMap<PathBuf, (FileState, Option<String>)>>);

impl Digests {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Returns the digest of a file, by `digest` if the file is unknown or has changed.
    fn of(
        &self,
        path: &Path,
        digest: impl Fn(&Path) -> io::Result<Option<String>>,
    ) -> io::Result<Option<String>> {
        let found = fs::metadata(path)?;
        let state = (found.len(), found.modified().ok());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, digest)) = known().get(path)
            && *before == state
        {
            return Ok(digest.clone());
        }
        let digest = digest(path)?;
        known().insert(path.to_owned(), (state, digest.clone()));
        Ok(digest)
    }
}

/// Returns the settings in which a run differs from the one asked for, as sentences. Paths are left
/// out, since the contents of the files count; with `may_be_longer`, more steps or epochs are no
/// difference.
pub fn of_settings(there: &Experiment, asked: &Experiment, may_be_longer: bool) -> Vec<String> {
    // How far the curriculum has come makes no difference.
    let (there, mut asked) = (&there.at_beginning(), asked.at_beginning());
    if path_keys(&there.task) == path_keys(&asked.task) {
        asked.task.take_paths_of(&there.task);
    }
    let (has, wants) = (&there.training, &mut asked.training);
    // With epochs, the number of steps follows from the data.
    let is_more = may_be_longer
        && match (has.epochs, wants.epochs) {
            (0, 0) => wants.steps > has.steps,
            (has, wants) => has > 0 && wants > has,
        };
    if is_more || (wants.epochs > 0 && wants.epochs == has.epochs) {
        (wants.steps, wants.epochs) = (has.steps, has.epochs);
    }
    let table = diff::table(there);
    let differences = diff::differences(there, &asked).into_iter().map(|it| {
        let (key, value) = (it.dotted(), shortened(&it.value().to_string()));
        match diff::get(&table, &key) {
            Some(old) => format!(
                "`{key}` is {} there, and {value} was asked for",
                shortened(&old.to_string())
            ),
            None => format!("`{key}={value}` was asked for, which is not there"),
        }
    });
    differences.collect()
}

/// Returns the settings of a task that name files.
fn path_keys(task: &TaskConfig) -> (String, Vec<&'static str>) {
    let mut task = task.clone();
    let name = task.name().to_owned();
    let keys = task.path_settings().into_iter().map(|(name, _)| name);
    (name, keys.collect())
}

/// Refuses a run with differences.
///
/// # Errors
/// If there are differences; the error lists them.
pub fn refuse(folder: &Path, mut differences: Vec<String>) -> Result<(), Error> {
    if differences.is_empty() {
        return Ok(());
    }
    let more = differences.len().saturating_sub(TOLD);
    differences.truncate(TOLD);
    if more > 0 {
        differences.push(format!("and {more} more"));
    }
    Err(Error::OtherRun {
        folder: folder.to_owned(),
        differences: differences.join("; "),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use strata_tasks::FilesConfig;

    use super::*;

    fn files(source: &Path) -> Experiment {
        Experiment {
            task: TaskConfig::Files(FilesConfig {
                source: source.to_owned(),
                ..FilesConfig::default()
            }),
            ..Experiment::default()
        }
    }

    #[test]
    fn every_setting_that_differs_is_named_with_both_values() {
        let there = files(Path::new("a.txt"));
        let mut asked = files(Path::new("elsewhere/a.txt"));
        assert_eq!(of_settings(&there, &asked, false), Vec::<String>::new());
        asked.seed += 1;
        asked.training.keep_best += 1;
        asked.training.optimizer.learning_rate *= 2.0;
        *asked.model.dropout_mut() += 0.25;
        let told = of_settings(&there, &asked, false);
        assert_eq!(told.len(), 4, "{told:?}");
        for key in ["`seed`", "keep_best", "learning_rate", "model.dropout"] {
            assert!(told.iter().any(|it| it.contains(key)), "{key}: {told:?}");
        }
        let refused = refuse(Path::new("runs/x"), told).unwrap_err().to_string();
        assert!(
            refused.contains("runs/x") && refused.contains("--out"),
            "{refused}"
        );
    }

    #[test]
    fn a_longer_run_may_go_on_and_a_shorter_one_is_another() {
        let mut there = Experiment::default();
        there.training.steps = 10;
        let mut asked = there.clone();
        asked.training.steps = 20;
        assert!(of_settings(&there, &asked, true).is_empty());
        assert_eq!(of_settings(&there, &asked, false).len(), 1);
        asked.training.steps = 5;
        assert_eq!(of_settings(&there, &asked, true).len(), 1);
        // With epochs, the number of steps does not count: it follows from the data.
        there.training.epochs = 3;
        asked.training.epochs = 3;
        assert!(of_settings(&there, &asked, false).is_empty());
        asked.training.epochs = 2;
        assert!(!of_settings(&there, &asked, true).is_empty());
    }

    #[test]
    fn data_are_known_by_their_contents_and_not_by_their_names() {
        let folder = std::env::temp_dir().join(format!("strata-origin-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [first, copy] = ["first", "copy"].map(|name| folder.join(name));
        fs::write(&first, "rot\tred\n").unwrap();
        fs::copy(&first, &copy).unwrap();
        let origin = Origin::of(&files(&first), None);
        let same = origin.differences(&files(&copy).task).unwrap();
        fs::write(&copy, "rot\tred\nblau\tblue\n").unwrap();
        let other = origin.differences(&files(&copy).task).unwrap();
        let gone = origin.differences(&files(&folder.join("gone")).task);
        let earlier = Origin {
            program: Program {
                version: "0.0.1".to_owned(),
                sources: "other".to_owned(),
                ..Program::present()
            },
            ..origin
        };
        let by_other = earlier.differences(&files(&first).task).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(same, Vec::<String>::new());
        assert!(
            other.len() == 1 && other[0].contains("task.source"),
            "{other:?}"
        );
        assert!(gone.is_err());
        assert!(
            by_other.len() == 1 && by_other[0].contains("0.0.1"),
            "{by_other:?}"
        );
    }

    #[test]
    fn a_packed_file_is_known_by_its_text() {
        let folder = std::env::temp_dir().join(format!("strata-packed-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [plain, packed, other] = ["s.txt", "s.txt.gz", "other.gz"].map(|it| folder.join(it));
        let pack = |path: &Path, text: &str| {
            let level = flate2::Compression::default();
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), level);
            packer.write_all(text.as_bytes()).unwrap();
            fs::write(path, packer.finish().unwrap()).unwrap();
        };
        let text = "rot\tred\n".repeat(100);
        fs::write(&plain, &text).unwrap();
        pack(&packed, &text);
        pack(&other, "blau\tblue\n");
        let differences = |then: &Path, now: &Path| {
            let origin = Origin::of(&files(then), None);
            origin.differences(&files(now).task).unwrap().len()
        };
        let found = [
            differences(&plain, &packed),
            differences(&packed, &plain),
            differences(&packed, &packed),
            differences(&packed, &other),
            differences(&plain, &other),
        ];
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [0, 0, 0, 1, 1]);
    }
}
