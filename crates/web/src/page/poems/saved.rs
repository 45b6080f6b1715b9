//! The poem to take away: copied, as a text, as a picture.

use crate::by_pointer::ByPointer;
use crate::page::exporting::{Content, save};
use crate::page::permalink::to_clipboard;
use std::fmt::Write;
use strata_session::protocol::PoemView;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// Typefaces of the reader's own; no font is loaded.
const SONG: &str = "Songti SC, Noto Serif CJK SC, Source Han Serif SC, SimSun, serif";

/// Distance of characters, and of columns, in a picture.
const STEP: usize = 46;

#[derive(Properties, PartialEq)]
pub struct SavedProperties {
    pub poem: ByPointer<PoemView>,
}

/// Three buttons.
#[component]
pub fn Saved(properties: &SavedProperties) -> Html {
    let poem = &properties.poem;
    let copied = use_state_eq(|| (None::<ByPointer<PoemView>>, false));
    let copy = {
        let (poem, copied) = (poem.clone(), copied.clone());
        Callback::from(move |_: MouseEvent| {
            let (poem, copied) = (poem.clone(), copied.setter());
            spawn_local(async move {
                let done = to_clipboard(&text(&poem)).await;
                copied.set((Some(poem), done));
            });
        })
    };
    let as_text = {
        let poem = poem.clone();
        Callback::from(move |_: MouseEvent| {
            save("poem.txt", Content::Text(text(&poem), "text/plain"));
        })
    };
    let as_picture = {
        let poem = poem.clone();
        Callback::from(move |_: MouseEvent| {
            save("poem.svg", Content::Text(svg(&poem), "image/svg+xml"));
        })
    };
    let told = match &*copied {
        (Some(of), true) if of == poem => "Copied.",
        (Some(of), false) if of == poem => "The browser refuses to copy: save it as a text.",
        _ => "",
    };
    html! {
        <>
            <button type="button" id="poem-copy" class="quiet" onclick={copy}>{ "Copy" }</button>
            <button type="button" id="poem-text-file" class="quiet" onclick={as_text}>{ "Save as text" }</button>
            <button type="button" id="poem-svg" class="quiet" onclick={as_picture}>{ "Save as SVG" }</button>
            <span role="status">{ told }</span>
        </>
    }
}

/// The lines, with their marks.
fn text(poem: &PoemView) -> String {
    let lines = poem.lines.iter().zip(["，", "。", "，", "。"]);
    lines
        .map(|(line, mark)| format!("{}{mark}\n", line.text))
        .collect()
}

/// The poem in columns from right to left.
fn svg(poem: &PoemView) -> String {
    let longest = poem.lines.iter().map(|it| it.text.chars().count()).max();
    let (width, height) = (6 * STEP, (longest.unwrap_or(0) + 2) * STEP);
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" lang=\"zh-Hans\" \
         font-family=\"{SONG}\" font-size=\"32\" text-anchor=\"middle\" fill=\"#1d2126\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fffefb\"/>\n"
    );
    for (column, line) in poem.lines.iter().enumerate() {
        let x = width - STEP * (3 + 2 * column) / 2;
        for (place, character) in line.text.chars().enumerate() {
            let y = STEP * (place + 1) + STEP * 3 / 4;
            // Writing into a string does not fail.
            let _ = writeln!(file, "<text x=\"{x}\" y=\"{y}\">{character}</text>");
        }
    }
    file + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_session::protocol::LineView;

    #[test]
    fn a_picture_has_its_first_line_at_the_right() {
        let line = |text: &str| LineView {
            text: text.to_owned(),
            log_probabilities: Vec::new(),
            candidates: Vec::new(),
            source: Vec::new(),
            attention: None,
        };
        let poem = PoemView {
            step: 0,
            keywords: Vec::new(),
            lines: ["一二", "三四", "五六", "七八"].map(line).into(),
            backwards: false,
            readings: Vec::new(),
            form: None,
            perplexity: None,
            shares: Vec::new(),
        };
        assert_eq!(text(&poem), "一二，\n三四。\n五六，\n七八。\n");
        let file = svg(&poem);
        let x = |character: char| -> usize {
            let line = file.lines().find(|it| it.contains(character)).unwrap_or("");
            line.split('"')
                .nth(1)
                .and_then(|it| it.parse().ok())
                .unwrap_or(0)
        };
        assert_eq!(x('一'), x('二'));
        assert!(
            x('一') > x('三') && x('五') > x('七') && x('七') > 0,
            "{file}"
        );
    }
}
