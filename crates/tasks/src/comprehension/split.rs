//! The questions that are held out of a file.

use std::collections::HashSet;

use super::record::Record;
use super::{ReadingConfig, ReadingError, ReadingFormat, ReadingSplit, TokenText};
use crate::identity::{identity_of_all, rank};
use crate::split::split_by_identity;

/// A question with an answer, as far as it matters to a split.
pub(crate) struct Asked {
    id: String,
    article: u32,
    identities: QuestionIdentities,
}

impl Asked {
    /// The question of a record of these paragraphs.
    pub(crate) fn of(record: &Record, paragraphs: &[TokenText]) -> Self {
        Self {
            id: record.id.clone(),
            article: record.article,
            identities: QuestionIdentities::of(record, paragraphs),
        }
    }
}

/// Numbers by which a question is known in other files and runs.
pub(crate) struct QuestionIdentities {
    /// That of the question with its passages.
    whole: u64,
    /// Those of the passages.
    passages: Vec<u64>,
}

impl QuestionIdentities {
    pub(crate) fn of(record: &Record, paragraphs: &[TokenText]) -> Self {
        let passages = record.measured.passages.iter();
        let passages: Vec<&str> = passages
            .map(|&(_, number)| paragraphs[number as usize].text())
            .collect();
        let mut texts = vec![record.question.text()];
        texts.extend(&passages);
        Self {
            whole: identity_of_all(&texts),
            passages: passages
                .iter()
                .map(|it| identity_of_all(&["", it]))
                .collect(),
        }
    }

    /// All of them: what is learned with the question.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.whole).chain(self.passages.iter().copied())
    }

    /// Those of which none may have been learned where the question is measured: with articles, of
    /// which no passage is both learned from and measured on, its passages', too.
    pub(crate) fn held_out(self, config: &ReadingConfig, format: ReadingFormat) -> Vec<u64> {
        let by_article = config.validation_source.is_none()
            && config.split == ReadingSplit::Article
            && format == ReadingFormat::Squad;
        match by_article {
            true => self.all().collect(),
            false => vec![self.whole],
        }
    }
}

/// Ids of the questions that are held out of all those of a file.
///
/// # Errors
/// If several questions leave none to train on, or none to measure on.
pub(crate) fn held_out(
    config: &ReadingConfig,
    asked: Vec<Asked>,
    seed: u64,
    name: &str,
) -> Result<HashSet<String>, ReadingError> {
    let all = asked.len();
    let chosen: HashSet<String> = match config.split {
        ReadingSplit::Question => {
            let wanted = match config.held_out {
                0 => all.div_ceil(10),
                wanted => wanted,
            };
            let by = (config.split_number, seed);
            let (_, chosen) =
                split_by_identity(asked, wanted, by, |it| &it.id, |it| it.identities.whole);
            chosen.into_iter().map(|it| it.id).collect()
        }
        ReadingSplit::Article => {
            let articles = chosen_articles(config, &asked);
            let asked = asked.into_iter();
            let chosen = asked.filter(|it| articles.contains(&it.article));
            chosen.map(|it| it.id).collect()
        }
    };
    match all > 1 && (chosen.is_empty() || chosen.len() == all) {
        true => Err(ReadingError::OneArticle {
            name: name.to_owned(),
        }),
        false => Ok(chosen),
    }
}

/// The articles of the lowest ranks, or the last ones where there is no number: a tenth, or those
/// with so many questions as are wanted; at most half.
fn chosen_articles(config: &ReadingConfig, asked: &[Asked]) -> HashSet<u32> {
    let mut chosen = HashSet::new();
    let mut articles: Vec<&[Asked]> = asked
        .chunk_by(|one, next| one.article == next.article)
        .collect();
    articles.reverse();
    if config.split_number > 0 {
        // By their first passage, which their first question is about.
        articles.sort_by_key(|article| {
            let passages = &article[0].identities.passages;
            let first = passages.first().copied();
            rank(
                first.unwrap_or(article[0].identities.whole),
                config.split_number,
            )
        });
    }
    let mut questions = 0;
    for article in articles.iter().take(articles.len() / 2) {
        let is_enough = match config.held_out {
            0 => chosen.len() >= (articles.len() / 10).max(1),
            wanted => questions >= wanted,
        };
        if is_enough {
            break;
        }
        questions += article.len();
        chosen.insert(article[0].article);
    }
    chosen
}
