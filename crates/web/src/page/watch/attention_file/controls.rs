//! The choice of the sentence, and of site, head and level where one matrix is shown.

use super::{Chosen, set, title};
use crate::page::form::fields::Select;
use crate::state::AttentionFiles;
use strata_session::attention_file::{SentenceAttention, SiteAttention};
use yew::prelude::*;

/// Most letters of a sentence in the list of sentences.
const LETTERS: usize = 60;

/// Renders the choice of the sentence, and of site, head and level where one matrix is shown.
pub fn controls(
    files: &AttentionFiles,
    chosen: &UseStateHandle<Chosen>,
    sentence: &SentenceAttention,
    site: Option<&SiteAttention>,
) -> Html {
    let sentences = &files.first.sentences;
    let to_sentence = set(chosen, |chosen, at: String| Chosen {
        sentence: at.parse().unwrap_or(0),
        row: 0,
        ..chosen
    });
    let to_site = set(chosen, |chosen, at: String| Chosen {
        site: at.parse().ok(),
        head: None,
        level: None,
        ..chosen
    });
    let to_head = set(chosen, |chosen, head: String| Chosen {
        head: head.parse().ok(),
        ..chosen
    });
    let to_level = set(chosen, |chosen, level: String| Chosen {
        level: level.parse().ok(),
        ..chosen
    });
    let options = |titles: Vec<String>| -> Vec<(AttrValue, AttrValue)> {
        let titles = titles.into_iter().enumerate();
        titles
            .map(|(at, title)| (at.to_string().into(), title.into()))
            .collect()
    };
    let here = chosen.sentence.min(sentences.len().saturating_sub(1));
    html! {
        <div class="attention-controls">
            if sentences.len() > 1 {
                <Select id="file-sentence" label="Sentence" options={options(sentences.iter().enumerate().map(words).collect())}
                    value={here.to_string()} onchange={to_sentence} />
            }
            if let Some(site) = site {
                <Select id="file-site" label="Site" options={options(sentence.sites.iter().map(title).collect())}
                    value={chosen.site(sentence).unwrap_or(0).to_string()} onchange={to_site} />
                if site.heads > 1 {
                    <Select id="file-head" label="Head" options={heads(options, site.heads)}
                        value={chosen.head(site).map_or("mean".to_owned(), |it| it.to_string())} onchange={to_head} />
                }
                if site.levels.len() > 1 {
                    <Select id="file-level" label="Level" options={options(site.levels.iter().map(u64::to_string).collect())}
                        value={chosen.level(site).to_string()} onchange={to_level} />
                }
            }
        </div>
    }
}

/// Returns the mean and all heads as options.
fn heads(
    options: impl Fn(Vec<String>) -> Vec<(AttrValue, AttrValue)>,
    heads: usize,
) -> Vec<(AttrValue, AttrValue)> {
    let titles = (1..=heads).map(|head| format!("{head} of {heads}"));
    let mut all = vec![(AttrValue::from("mean"), AttrValue::from("mean"))];
    all.extend(options(titles.collect()));
    all
}

/// Returns number and beginning of a sentence.
fn words((at, sentence): (usize, &SentenceAttention)) -> String {
    let tokens = [&sentence.source, &sentence.target]
        .into_iter()
        .find(|it| !it.is_empty());
    let text = tokens.map_or(String::new(), |it| {
        let words: Vec<&str> = it.iter().take(LETTERS).map(String::as_str).collect();
        words.join(" ").chars().take(LETTERS).collect()
    });
    format!("{} · {text}", at + 1)
}
