//! Report on the texts that the worker has examined.

use crate::page::base::foreign::foreign;
use crate::page::base::format::count;
use crate::sentence::sentence;
use strata_tasks::{CorpusReport, Pipeline, TextSize};
use yew::prelude::*;

/// Renders the report: sizes, the first pairs or lines, and what was left out.
pub fn report(examined: &CorpusReport) -> Html {
    let CorpusReport {
        texts,
        preview,
        training,
        held_out,
        why_held_out,
        vocabularies: [source, target],
        dropped,
        notes,
        task,
    } = examined;
    let number = |number: usize| count(number as u64);
    let (unit, vocabulary) = match task.pipeline() {
        Pipeline::QuestionAnswering => (
            "questions",
            format!(
                "{} words and {} characters",
                number(*source),
                number(*target)
            ),
        ),
        Pipeline::Translation | Pipeline::Poetry => (
            "pairs",
            format!(
                "{} source and {} target tokens",
                number(*source),
                number(*target)
            ),
        ),
        Pipeline::TextGeneration => ("segments", format!("{} tokens", number(*target))),
    };
    let columns = match task.pipeline() {
        Pipeline::Translation | Pipeline::Poetry => Some(["Source", "Target"]),
        Pipeline::QuestionAnswering => Some(["Question", "Answer"]),
        Pipeline::TextGeneration => None,
    };
    let size = |text: &TextSize| {
        html! {
            <li>{ foreign(&text.name) }{ format!(": {} lines, {}", number(text.lines), bytes(text.bytes)) }</li>
        }
    };
    let pair = |[left, right]: &[String; 2]| match task.pipeline() {
        Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
            html! { <tr><td dir="auto">{ left }</td><td dir="auto">{ right }</td></tr> }
        }
        Pipeline::TextGeneration => html! { <tr><td colspan="2" dir="auto">{ left }</td></tr> },
    };
    // The worker names settings by keys, as the command line does; the page shows the form's
    // labels.
    html! {
        <>
            <ul class="sizes">{ for texts.iter().map(size) }</ul>
            <p id="data-summary" data-training={training.to_string()}>{
                format!("{} {unit} to learn from, {} held out; the vocabularies have {vocabulary}.", number(*training), number(*held_out))
            }</p>
            if let Some(why) = why_held_out {
                <p class="note">{ sentence(why) }</p>
            }
            if !notes.is_empty() {
                <ul class="notes">{ for notes.iter().map(|note| html! { <li>{ sentence(note) }</li> }) }</ul>
            }
            if !dropped.is_empty() {
                <ul class="dropped">{ for dropped.iter().map(|note| html! { <li>{ sentence(note) }</li> }) }</ul>
            }
            <div class="preview" tabindex="0" role="group" aria-label="The first of them">
                <table id="data-preview">
                    <caption>{ "It begins with" }</caption>
                    if let Some([left, right]) = columns {
                        <thead><tr><th scope="col">{ left }</th><th scope="col">{ right }</th></tr></thead>
                    }
                    <tbody translate="no">{ for preview.iter().map(pair) }</tbody>
                </table>
            </div>
        </>
    }
}

fn bytes(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{} bytes", count(bytes as u64)),
        10_000..1_000_000 => format!("{:.0}\u{a0}kB", bytes as f64 / 1e3),
        _ => format!("{:.1}\u{a0}MB", bytes as f64 / 1e6),
    }
}
