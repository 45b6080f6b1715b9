//! Split of a file's questions into trained, held-out and tested ones.

use std::collections::HashSet;

use super::record::{Corpus, Record};
use super::{ReadingConfig, ReadingError, ReadingFormat, ReadingSplit, TokenText};
use crate::identity::{identity_of_all, rank};
use crate::split::split_by_identity;

/// The data of a question with an answer that decide its part.
pub(crate) struct QuestionKey {
    id: String,
    article: u32,
    identities: QuestionIdentities,
}

impl QuestionKey {
    /// Builds the data of a record's question; `paragraphs` are those of the record's corpus.
    pub(crate) fn of(record: &Record, paragraphs: &[TokenText]) -> Self {
        Self {
            id: record.id.clone(),
            article: record.article,
            identities: QuestionIdentities::of(record, paragraphs),
        }
    }
}

/// Numbers by which a question is recognised in other files and runs.
pub(crate) struct QuestionIdentities {
    /// Identity of the question together with its passages.
    whole: u64,
    /// Identities of the passages.
    passages: Vec<u64>,
}

/// Returns the texts of the passages of a record's question.
fn passages_of<'a>(
    record: &'a Record,
    paragraphs: &'a [TokenText],
) -> impl Iterator<Item = &'a str> {
    let passages = record.measured.passages.iter();
    passages.map(|&(_, number)| paragraphs[number as usize].text())
}

/// Returns the identity of a record's question together with its passages; `paragraphs` are those
/// of the record's corpus.
pub(super) fn identity_of_record(record: &Record, paragraphs: &[TokenText]) -> u64 {
    identity_of(record.question.text(), passages_of(record, paragraphs))
}

/// Returns the identity of a question together with its passages.
pub(super) fn identity_of<'a>(question: &'a str, passages: impl Iterator<Item = &'a str>) -> u64 {
    let texts: Vec<&str> = std::iter::once(question).chain(passages).collect();
    identity_of_all(&texts)
}

/// Questions that are measured, which training must not learn.
#[derive(Default)]
pub(crate) struct MeasuredQuestions(HashSet<u64>);

impl MeasuredQuestions {
    /// Collects the questions of `other`, the file on which a run is measured.
    pub(crate) fn of(other: &Corpus) -> Self {
        let records = other.records.iter().filter(|it| !it.answers.is_empty());
        let identity = |record| identity_of_record(record, &other.paragraphs);
        Self(records.map(identity).collect())
    }

    /// True if a question of the training file is also measured: same words, same passages.
    pub(crate) fn contains(&self, record: &Record, paragraphs: &[TokenText]) -> bool {
        !self.0.is_empty() && self.0.contains(&identity_of_record(record, paragraphs))
    }

    /// True if a question of the training file with these identities is also measured.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn contains_identity(&self, question: &QuestionIdentities) -> bool {
        self.0.contains(&question.whole)
    }
}

/// Sentence on `shared` of the `all` questions of a training file, `name`, that are also in the file
/// `other`. Where that is all of them, they are learned nevertheless.
pub(crate) fn remark_on_shared(
    (shared, all): (usize, usize),
    name: &str,
    other: &str,
) -> Option<String> {
    let (questions, are) = match shared {
        0 => return None,
        1 => ("question", "is"),
        _ => ("questions", "are"),
    };
    Some(if shared == all {
        format!(
            "{name}: all {all} {questions} {are} also in {other}: what is measured is known by heart."
        )
    } else {
        format!("{name}: {shared} {questions} {are} also in {other}: not trained.")
    })
}

impl QuestionIdentities {
    pub(crate) fn of(record: &Record, paragraphs: &[TokenText]) -> Self {
        Self {
            whole: identity_of_record(record, paragraphs),
            passages: passages_of(record, paragraphs)
                .map(|passage| identity_of_all(&["", passage]))
                .collect(),
        }
    }

    /// Iterates over all identities that are learned with the question.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.whole).chain(self.passages.iter().copied())
    }

    /// Returns the identities of which none may have been learned if the question is held out: its
    /// own, and with a split by articles also those of its passages, because no passage may then be
    /// both trained and measured.
    pub(crate) fn held_out(self, config: &ReadingConfig, format: ReadingFormat) -> Vec<u64> {
        let by_article = config.validation_source.is_none()
            && config.split == ReadingSplit::Article
            && format == ReadingFormat::Squad;
        if by_article {
            self.all().collect()
        } else {
            vec![self.whole]
        }
    }
}

/// Ids of the questions of a file that are not trained.
#[derive(Default)]
pub(crate) struct Parts {
    /// Ids of the questions by which a checkpoint is chosen.
    pub validation: HashSet<String>,
    /// Ids of the questions on which reported figures are measured: the third part, if there is
    /// one.
    pub tested: HashSet<String>,
}

impl Parts {
    /// True if a question belongs to the training part: neither held out nor tested.
    pub(crate) fn is_trained(&self, record: &Record) -> bool {
        !self.validation.contains(&record.id) && !self.tested.contains(&record.id)
    }
}

/// Splits a file: among the questions with an answer, selects the held-out ones, by which a
/// checkpoint is chosen, and the tested ones.
///
/// # Errors
/// If there are several questions, but none is left to train on or none to measure on.
pub(crate) fn parts(
    config: &ReadingConfig,
    asked: Vec<QuestionKey>,
    seed: u64,
    name: &str,
) -> Result<Parts, ReadingError> {
    let all = asked.len();
    let ids = |asked: Vec<QuestionKey>| asked.into_iter().map(|it| it.id).collect();
    let parts = match config.split {
        ReadingSplit::Question => {
            let by = (config.split_number, seed);
            let split = |asked, wanted| {
                split_by_identity(
                    asked,
                    wanted,
                    by,
                    |it: &QuestionKey| &it.id,
                    |it| it.identities.whole,
                )
            };
            let wanted = match config.held_out {
                0 => all.div_ceil(10),
                wanted => wanted,
            };
            let (rest, validation) = split(asked, wanted);
            let (_, tested) = split(rest, config.tested);
            Parts {
                validation: ids(validation),
                tested: ids(tested),
            }
        }
        ReadingSplit::Article => {
            let mut articles: Vec<&[QuestionKey]> = asked
                .chunk_by(|one, next| one.article == next.article)
                .collect();
            articles.reverse();
            if config.split_number > 0 {
                articles.sort_by_key(|article| rank_of(article, config.split_number));
            }
            let validation = first(&articles, config.held_out, (articles.len() / 10).max(1));
            let rest = &articles[validation..];
            let tested = first(rest, config.tested, 0);
            let ids = |articles: &[&[QuestionKey]]| {
                let asked = articles.iter().flat_map(|it| it.iter());
                asked.map(|it| it.id.clone()).collect()
            };
            Parts {
                validation: ids(&articles[..validation]),
                tested: ids(&rest[..tested]),
            }
        }
    };
    let left = all - parts.validation.len() - parts.tested.len();
    let lacks_one = parts.validation.is_empty() || (config.tested > 0 && parts.tested.is_empty());
    if all > 1 && (lacks_one || left == 0) {
        Err(ReadingError::OneArticle {
            name: name.to_owned(),
        })
    } else {
        Ok(parts)
    }
}

/// Returns the rank of an article by its first passage, that of its first question.
fn rank_of(article: &[QuestionKey], split: u64) -> u64 {
    let identities = &article[0].identities;
    let first = identities.passages.first().copied();
    rank(first.unwrap_or(identities.whole), split)
}

/// Returns how many of the first articles are needed for `wanted` questions; if `wanted` is 0,
/// `otherwise` articles. At most half of the articles.
fn first(articles: &[&[QuestionKey]], wanted: usize, otherwise: usize) -> usize {
    let most = articles.len() / 2;
    if wanted == 0 {
        return otherwise.min(most);
    }
    let mut questions = 0;
    let is_needed = |article: &&&[QuestionKey]| {
        let is_needed = questions < wanted;
        questions += article.len();
        is_needed
    };
    articles[..most].iter().take_while(is_needed).count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns three questions for each article.
    fn asked(articles: impl Iterator<Item = u32>) -> Vec<QuestionKey> {
        let of_article = |number: u32| {
            (0..3).map(move |question| QuestionKey {
                id: format!("{number}.{question}"),
                article: number,
                identities: QuestionIdentities {
                    whole: identity_of_all(&[&format!("question {number} {question}")]),
                    passages: vec![identity_of_all(&[&format!("passage {number}")])],
                },
            })
        };
        articles.flat_map(of_article).collect()
    }

    fn split(config: &ReadingConfig, articles: u32, seed: u64) -> Parts {
        parts(config, asked(0..articles), seed, "file").unwrap()
    }

    #[test]
    fn three_parts_share_nothing_and_are_the_same_for_all_seeds() {
        for by in [ReadingSplit::Article, ReadingSplit::Question] {
            let config = ReadingConfig {
                split: by,
                held_out: 20,
                tested: 30,
                ..ReadingConfig::default()
            };
            let [one, other] = [1, 2].map(|seed| split(&config, 60, seed));
            assert_eq!(
                (&one.validation, &one.tested),
                (&other.validation, &other.tested)
            );
            assert!((20..23).contains(&one.validation.len()));
            assert!((30..33).contains(&one.tested.len()));
            assert!(one.validation.is_disjoint(&one.tested));
            // Without a tested part, the validation part is the same.
            let two = ReadingConfig {
                tested: 0,
                ..config.clone()
            };
            let two = split(&two, 60, 3);
            assert_eq!(two.validation, one.validation);
            assert!(two.tested.is_empty());
            // Another split number chooses other questions; with a split by articles, whole
            // articles.
            let other = ReadingConfig {
                split_number: 2,
                ..config
            };
            assert_ne!(split(&other, 60, 1).validation, one.validation);
            let articles = |ids: &HashSet<String>| -> HashSet<String> {
                ids.iter()
                    .map(|id| id.split('.').next().unwrap().to_owned())
                    .collect()
            };
            if by == ReadingSplit::Article {
                assert!(articles(&one.validation).is_disjoint(&articles(&one.tested)));
                assert_eq!(3 * articles(&one.tested).len(), one.tested.len());
            }
        }
    }

    #[test]
    fn a_file_that_grows_holds_out_nothing_that_was_learned_before() {
        for by in [ReadingSplit::Article, ReadingSplit::Question] {
            let config = ReadingConfig {
                split: by,
                held_out: 21,
                ..ReadingConfig::default()
            };
            let before = split(&config, 60, 0);
            let after = split(&config, 90, 0);
            let is_new = |id: &String| id.split('.').next().unwrap().parse::<u32>().unwrap() >= 60;
            assert!(
                after
                    .validation
                    .iter()
                    .all(|id| is_new(id) || before.validation.contains(id))
            );
            assert!(
                after
                    .validation
                    .iter()
                    .any(|id| before.validation.contains(id))
            );
        }
    }

    #[test]
    fn without_a_number_the_last_articles_are_held_out_or_the_seed_draws() {
        let config = ReadingConfig {
            split_number: 0,
            held_out: 4,
            ..ReadingConfig::default()
        };
        let last: HashSet<String> = ["8.0", "8.1", "8.2", "9.0", "9.1", "9.2"]
            .map(str::to_owned)
            .into();
        assert_eq!(split(&config, 10, 0).validation, last);
        let drawn = ReadingConfig {
            split: ReadingSplit::Question,
            ..config
        };
        assert_ne!(
            split(&drawn, 30, 1).validation,
            split(&drawn, 30, 2).validation
        );
    }
}
