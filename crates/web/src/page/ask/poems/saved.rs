//! The poem to take away: copied, or saved as text, as a vector picture or as pixels.

use crate::by_pointer::ByPointer;
use crate::page::shell::permalink::to_clipboard;
use crate::page::watch::exporting::{Content, save, save_png};
use std::fmt::Write;
use strata_session::protocol::PoemView;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// Typefaces that the user's system may have; no font is fetched.
const SONG: &str = "Songti SC, Noto Serif CJK SC, Source Han Serif SC, SimSun, serif";

/// Distance between characters of a column; `COLUMN` is that of columns, `EDGE` that from the edge.
const STEP: usize = 44;
const COLUMN: usize = 58;
const EDGE: usize = 78;

#[derive(Properties, PartialEq)]
pub struct SavedProperties {
    /// Prefix of the buttons' ids and of the files' names.
    pub id: AttrValue,
    pub poem: ByPointer<PoemView>,
}

/// Four buttons that copy or save the poem.
#[component]
pub fn Saved(properties: &SavedProperties) -> Html {
    let SavedProperties { id, poem } = properties;
    // The poem that was copied or saved, with the message on it.
    let told = use_state_eq(|| (None::<ByPointer<PoemView>>, ""));
    let tell = {
        let (told, poem) = (told.setter(), poem.clone());
        move |words: &'static str| told.set((Some(poem.clone()), words))
    };
    let copy = {
        let (poem, tell) = (poem.clone(), tell.clone());
        Callback::from(move |_: MouseEvent| {
            let (poem, tell) = (poem.clone(), tell.clone());
            spawn_local(async move {
                tell(if to_clipboard(&text(&poem)).await {
                    "Copied."
                } else {
                    "The browser refuses to copy: save it as a text."
                });
            });
        })
    };
    let as_text = {
        let (poem, name) = (poem.clone(), format!("{id}.txt"));
        Callback::from(move |_: MouseEvent| {
            save(&name, Content::Text(text(&poem), "text/plain"));
        })
    };
    let as_svg = {
        let (poem, name) = (poem.clone(), format!("{id}.svg"));
        Callback::from(move |_: MouseEvent| {
            save(&name, Content::Text(svg(&poem), "image/svg+xml"));
        })
    };
    let as_png = {
        let (poem, name) = (poem.clone(), format!("{id}.png"));
        Callback::from(move |_: MouseEvent| {
            let (width, height) = size(&poem);
            let tell = tell.clone();
            let done = Callback::from(move |done| {
                tell(if done {
                    "Saved."
                } else {
                    "The browser refuses to paint the picture: save it as SVG."
                });
            });
            save_png(&name, &svg(&poem), (width as f64, height as f64), done);
        })
    };
    let words = match &*told {
        (Some(of), words) if of == poem => words,
        _ => "",
    };
    html! {
        <>
            <button type="button" id={format!("{id}-copy")} class="quiet" onclick={copy}>{ "Copy" }</button>
            <button type="button" id={format!("{id}-text-file")} class="quiet" onclick={as_text}>{ "Save as text" }</button>
            <button type="button" id={format!("{id}-svg")} class="quiet" onclick={as_svg}>{ "Save as SVG" }</button>
            <button type="button" id={format!("{id}-png")} class="quiet" onclick={as_png}>{ "Save as PNG" }</button>
            <span role="status">{ words }</span>
        </>
    }
}

/// Returns the lines with their punctuation.
fn text(poem: &PoemView) -> String {
    let lines = poem.lines.iter().zip(["，", "。", "，", "。"]);
    lines
        .map(|(line, mark)| format!("{}{mark}\n", line.text))
        .collect()
}

/// Returns width and height of the picture, in pixels.
fn size(poem: &PoemView) -> (usize, usize) {
    let longest = poem.lines.iter().map(|it| it.text.chars().count()).max();
    let rows = longest.unwrap_or(1).max(1) - 1;
    // The keywords take a column at the left.
    (2 * EDGE + 4 * COLUMN, 2 * EDGE + rows * STEP)
}

/// Writes the poem as SVG: columns from right to left in a frame, and the keywords, small, at the
/// left.
fn svg(poem: &PoemView) -> String {
    let (width, height) = size(poem);
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" lang=\"zh-Hans\" \
         font-family=\"{SONG}\" font-size=\"32\" text-anchor=\"middle\" fill=\"#1d2126\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fffefb\"/>\n\
         <rect x=\"18.5\" y=\"18.5\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#a8480c\"/>\n",
        width - 37,
        height - 37
    );
    // The base line is a third of a character's size below its middle.
    for (column, line) in poem.lines.iter().enumerate() {
        let x = width - EDGE - column * COLUMN;
        for (place, character) in line.text.chars().enumerate() {
            let y = EDGE + place * STEP + 11;
            // Writing into a string cannot fail.
            let _ = writeln!(file, "<text x=\"{x}\" y=\"{y}\">{character}</text>");
        }
    }
    let words: Vec<&str> = poem.keywords.iter().map(|it| it.word.as_str()).collect();
    let words: Vec<char> = words.join("·").chars().collect();
    let top = height - EDGE + 6 - words.len().saturating_sub(1) * 18;
    for (place, character) in words.iter().enumerate() {
        let (x, y) = (EDGE - 6, top + place * 18);
        let _ = writeln!(
            file,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"15\" fill=\"#a8480c\">{character}</text>"
        );
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
            ..LineView::default()
        };
        let poem = PoemView {
            lines: ["一二", "三四", "五六", "七八"].map(line).into(),
            ..PoemView::default()
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
