//! Words that are not the page's own: tokens and sentences of a user or of a model.
//!
//! The browser's translator leaves such words alone, they have their own direction, and screen
//! readers are told their language if the task names it.

use std::borrow::Cow;
use strata_models::{Site, SiteName};
use strata_tasks::TaskConfig;
use yew::prelude::*;

/// Languages of a task's source and target, as values of the attribute `lang`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Languages {
    pub source: Option<&'static str>,
    pub target: Option<&'static str>,
}

impl Languages {
    /// Returns the languages of a generated task; those of a user's texts are not known.
    pub fn of(task: &TaskConfig) -> Self {
        let (source, target) = match task {
            TaskConfig::GermanEnglish(_) => (Some("de"), Some("en")),
            TaskConfig::ChineseEnglish(_) => (Some("zh-Hans"), Some("en")),
            TaskConfig::Sentences(_) | TaskConfig::ToyReading(_) => (Some("en"), Some("en")),
            TaskConfig::Poems(_) => (Some("zh-Hans"), Some("zh-Hans")),
            _ => (None, None),
        };
        Self { source, target }
    }

    /// Returns the languages of a site's rows and columns.
    pub fn at(self, site: SiteName) -> [Option<&'static str>; 2] {
        match site.place {
            Site::EncoderSelf => [self.source; 2],
            Site::DecoderSelf => [self.target; 2],
            Site::Cross | Site::ContextToQuery | Site::Matching => [self.target, self.source],
            Site::QueryToContext => [None, self.target],
            Site::SelfMatching => [self.target; 2],
        }
    }
}

/// Returns the present languages, from the page's context provider.
#[hook]
pub fn use_languages() -> Languages {
    use_context().unwrap_or_default()
}

/// Renders words of a user or a model, inside a sentence of the page.
pub fn foreign(words: &str) -> Html {
    html! { <bdi translate="no">{ words }</bdi> }
}

/// Keeps right-to-left text together inside a plain-text sentence, by Unicode isolates.
fn isolated(words: &str) -> Cow<'_, str> {
    if words.chars().any(runs_left) {
        Cow::Owned(format!("\u{2068}{words}\u{2069}"))
    } else {
        Cow::Borrowed(words)
    }
}

/// Puts a user's token or text in quotation marks, for a plain-text sentence: a comma or full stop
/// in it would be taken for the sentence's own.
pub fn quoted(words: &str) -> String {
    format!("“{}”", isolated(words))
}

/// Returns the text that a model wrote, or “(nothing)” in the place of an empty one.
pub fn or_nothing(text: &str) -> &str {
    if text.trim().is_empty() {
        "(nothing)"
    } else {
        text
    }
}

/// True for letters of Hebrew, Arabic and their neighbours.
fn runs_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Returns a note on the words of a text that the model does not know; empty if it knows all.
pub fn unknown(words: &[String]) -> Html {
    let named = words.iter().enumerate().map(|(at, word)| {
        let before = if at == 0 { "“" } else { "”, “" };
        html! { <>{ before }{ foreign(word) }</> }
    });
    match words {
        [] => Html::default(),
        [_] => html! { <>{ "The model does not know the word " }{ for named }{ "”." }</> },
        _ => html! { <>{ "The model does not know the words " }{ for named }{ "”." }</> },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    #[test]
    fn a_site_writes_and_reads_in_the_languages_of_its_task() {
        let languages = Languages::of(&Preset::GermanEnglishGru.experiment().task);
        let (german, english) = (Some("de"), Some("en"));
        let at = |place| languages.at(SiteName::in_layer(0, place));
        assert_eq!(at(Site::EncoderSelf), [german, german]);
        assert_eq!(at(Site::DecoderSelf), [english, english]);
        assert_eq!(at(Site::Cross), [english, german]);
        let copy = Languages::of(&Preset::Copy.experiment().task);
        assert_eq!(copy, Languages::default());
    }

    #[test]
    fn a_mark_stands_in_quotation_marks_and_nothing_is_said() {
        assert_eq!(quoted(","), "“,”");
        assert_eq!(or_nothing(" "), "(nothing)");
        assert_eq!(or_nothing("a b"), "a b");
    }

    #[test]
    fn only_words_from_right_to_left_are_isolated() {
        assert_eq!(isolated("für"), "für");
        assert_eq!(isolated("שלום"), "\u{2068}שלום\u{2069}");
        assert_eq!(isolated("سلام!"), "\u{2068}سلام!\u{2069}");
    }
}
