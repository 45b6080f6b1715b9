//! The questions that are held out of a file.

use std::collections::HashSet;

use super::record::Record;
use super::{ReadingConfig, ReadingError, ReadingSplit};
use crate::dataset::split_by_sentence;

/// A question with an answer, as far as it matters to a split.
pub(crate) struct Asked {
    id: String,
    article: u32,
}

impl Asked {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            article: record.article,
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
            let (_, chosen) = split_by_sentence(asked, wanted, seed, |it| &it.id);
            chosen.into_iter().map(|it| it.id).collect()
        }
        ReadingSplit::Article => {
            let articles = last_articles(config.held_out, &asked);
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

/// The last articles: a tenth, or those with so many questions as are wanted; at most half.
fn last_articles(wanted: usize, asked: &[Asked]) -> HashSet<u32> {
    let mut chosen = HashSet::new();
    let articles: Vec<&[Asked]> = asked
        .chunk_by(|one, next| one.article == next.article)
        .collect();
    let mut questions = 0;
    for article in articles.iter().rev().take(articles.len() / 2) {
        let is_enough = match wanted {
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
