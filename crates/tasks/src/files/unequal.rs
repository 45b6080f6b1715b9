//! First line of the files whose source and target differ in their numbers of tokens.

use std::path::Path;

use strata_text::{Segmenter, Uploads, is_blank};

use super::open;
#[cfg(not(target_family = "wasm"))]
use crate::stream;
use crate::{Dataset, FilesConfig, TaskError};

impl FilesConfig {
    /// Finds the first pair of the files, of training and then of validation, whose sides differ in
    /// their numbers of tokens, and returns the error that tells its line; `None` if there is no
    /// such pair. Pairs that are left out for other reasons are passed over.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn first_unequal(
        &self,
        dataset: &Dataset,
        uploads: &Uploads,
    ) -> Result<Option<TaskError>, TaskError> {
        let corpora = [
            (Some(&self.source), &self.target),
            (self.validation_source.as_ref(), &self.validation_target),
        ];
        for (source, target) in corpora {
            let Some(source) = source else { continue };
            let target = target.as_deref();
            let mut line = 0;
            let mut unequal = |pair: (&str, &str)| {
                line += 1;
                self.unequal(pair, dataset).map(|counts| (line, counts))
            };
            let found = if dataset.stored.is_some() {
                find_streamed(source, target, &mut unequal)?
            } else {
                let text = open(source, target, uploads)?;
                let mut pairs = text.pairs.iter();
                pairs.find_map(|(source, target)| unequal((source, target)))
            };
            if let Some((line, [source_tokens, target_tokens])) = found {
                let of_target = target.map(|path| format!(" and of {}", path.display()));
                return Ok(Some(TaskError::UnequalPair {
                    place: format!(
                        "line {line} of {}{}",
                        source.display(),
                        of_target.unwrap_or_default()
                    ),
                    source_tokens,
                    target_tokens,
                }));
            }
        }
        Ok(None)
    }

    /// Numbers of tokens of a pair, if they differ and the pair is not left out.
    fn unequal(&self, (source, target): (&str, &str), dataset: &Dataset) -> Option<[usize; 2]> {
        let counts = [
            count(&dataset.source_segmenter, source),
            count(&dataset.target_segmenter, target),
        ];
        let [fewest, most] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
        let is_left_out = is_blank(source) || is_blank(target) || fewest == 0;
        (!is_left_out && most <= self.maximum_length && fewest != most).then_some(counts)
    }
}

fn count(segmenter: &Segmenter, text: &str) -> usize {
    let mut count = 0;
    segmenter.each_token(text, &mut |_| count += 1);
    count
}

/// First result of `look` for the pairs of a corpus that is read line by line.
#[cfg(not(target_family = "wasm"))]
fn find_streamed<T>(
    source: &Path,
    target: Option<&Path>,
    look: &mut dyn FnMut((&str, &str)) -> Option<T>,
) -> Result<Option<T>, TaskError> {
    stream::find_pair(source, target, look)
}

/// Returns `None`: a page has no files.
#[cfg(target_family = "wasm")]
fn find_streamed<T>(
    _source: &Path,
    _target: Option<&Path>,
    _look: &mut dyn FnMut((&str, &str)) -> Option<T>,
) -> Result<Option<T>, TaskError> {
    Ok(None)
}
