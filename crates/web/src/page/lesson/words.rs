//! Texts of a lesson as HTML.

use crate::language::said;
use crate::page::form::formula::formula;
use crate::page::lesson::address::{ENGLISH, LessonAddress};
use crate::page::watch::inspector::tabs;
use strata_lessons::control::Control;
use strata_lessons::{Block, Inline, Look, LookKind, Target, Text};
use web_sys::HtmlElement;
use yew::prelude::*;

/// Returns the value of a name as text, if it is known.
pub type Values<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Renders a text of a lesson in `language`.
pub fn text(text: &Text, language: &str, values: Values<'_>) -> Html {
    let own = text.language.as_deref().unwrap_or(language);
    html! {
        <div class="lesson-text" lang={own.to_owned()}>{ blocks(&text.blocks, own, values) }</div>
    }
}

/// Renders paragraphs and lists.
pub fn blocks(blocks: &[Block], language: &str, values: Values<'_>) -> Html {
    let block = |block: &Block| match block {
        Block::Paragraph(parts) => html! { <p>{ line(parts, language, values) }</p> },
        Block::List(items) => html! {
            <ul>{ for items.iter().map(|item| html! { <li>{ line(item, language, values) }</li> }) }</ul>
        },
    };
    html! { <>{ for blocks.iter().map(block) }</> }
}

/// Renders a line of text.
pub fn line(parts: &[Inline], language: &str, values: Values<'_>) -> Html {
    let part = |part: &Inline| match part {
        Inline::Text(words) => html! { <>{ words }</> },
        Inline::Emphasis(inner) => html! { <em>{ line(inner, language, values) }</em> },
        Inline::Term(inner) => html! { <dfn>{ line(inner, language, values) }</dfn> },
        Inline::Code(tokens) => html! { <code translate="no">{ tokens }</code> },
        Inline::Formula(written) => formula(written),
        Inline::Value(name) if name.contains(':') => html! { <>{ control(name) }</> },
        Inline::Value(name) => {
            let known = values(name);
            html! { <b class="value" translate="no">{ known.unwrap_or_else(|| "–".to_owned()) }</b> }
        }
        Inline::Explained { text, means } => explained(text, means),
        Inline::Link { text, to } => {
            let words = line(text, language, values);
            let (address, is_outside) = address(to, language);
            if is_outside {
                html! { <a href={address} target="_blank" rel="noreferrer">{ words }</a> }
            } else {
                html! { <a href={address}>{ words }</a> }
            }
        }
    };
    let mut pieces = Vec::new();
    let mut rest = parts;
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        let sign = match (first, others.first()) {
            (Inline::Formula(_), Some(Inline::Text(words))) => closing(words),
            _ => "",
        };
        match (sign, others.first()) {
            ("", _) | (_, None) => pieces.push(part(first)),
            (sign, Some(after)) => {
                // Keeps a comma on the same line as the link or value before it.
                pieces.push(html! { <span class="together">{ part(first) }{ sign }</span> });
                if let Inline::Text(words) = after {
                    pieces.push(html! { <>{ &words[sign.len()..] }</> });
                }
                rest = &others[1..];
            }
        }
    }
    html! { <>{ for pieces }</> }
}

/// Renders a word, and the meaning as a tooltip for pointer and keyboard.
fn explained(word: &str, means: &str) -> Html {
    let leave = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Escape"
            && let Some(element) = event.target_dyn_into::<HtmlElement>()
        {
            // The focus is what shows the meaning. An element in the page can always be left.
            let _ = element.blur();
        }
    });
    html! {
        <span class="word"><button type="button" aria-description={means.to_owned()} onkeydown={leave}>{ word }</button>
            <span class="word-means" aria-hidden="true">{ means }</span></span>
    }
}

/// Returns the title of a control in the page's language, from a name such as `tab:norms`.
pub fn control(name: &str) -> String {
    match strata_lessons::control::read(name) {
        Some(Ok(Control::Tab(kind))) => said(title_of(kind)),
        Some(Ok(Control::Site(site))) => said(&site.title()),
        // Lessons are checked before they are compiled.
        Some(Err(_)) | None => name.to_owned(),
    }
}

/// Returns the title of a tab, from a name such as `norms`.
pub fn tab_title(name: &str) -> Option<&'static str> {
    name.parse().ok().map(title_of)
}

/// Returns the title of the tab of a kind of view.
fn title_of(kind: LookKind) -> &'static str {
    let look = Look {
        view: kind,
        ..Look::default()
    };
    tabs::title(&look.request().view)
}

/// Returns punctuation at the beginning of a text, which belongs to what comes before.
fn closing(words: &str) -> &str {
    let end = words.find(|it: char| !matches!(it, ',' | '.' | ';' | ':' | '?' | '!' | ')'));
    &words[..end.unwrap_or(words.len())]
}

/// Returns the address of a link, and true if it leads out of the page.
fn address(to: &Target, language: &str) -> (String, bool) {
    match to {
        Target::Paper(address) => (address.clone(), true),
        // All settings are in one panel.
        Target::Setting(_) => ("#settings".to_owned(), false),
        Target::Experiment(query) => (format!("./{query}"), true),
        Target::Lesson { lesson, step } => {
            let address = LessonAddress {
                step: step.clone(),
                ..LessonAddress::here(lesson, language)
            };
            (format!("./{}", address.query()), false)
        }
    }
}

/// Returns the attribute `lang` for elements in another language than the page's.
pub fn language_of(language: &str) -> Option<String> {
    (language != ENGLISH).then(|| language.to_owned())
}
