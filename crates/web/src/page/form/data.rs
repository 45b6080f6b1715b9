//! The user's own data: pasted, dropped, chosen, or fetched from a public source.
//!
//! - `own`: the task that reads them, and the model that fits it
//! - `choosing`: chosen files and pasted text; `corpora`: public files
//! - `report`: contents of the texts
//!
//! The page never reads a text: the worker does, and reports on it.

mod choosing;
mod corpora;
mod own;
mod report;

pub use own::experiment as on_task;

use crate::by_pointer::ByPointer;
use crate::encoding;
use crate::page::base::focus::focus;
use crate::page::form::dropping::Dropping;
use crate::page::form::fields::Select;
use crate::page::run::intent::Intent;
use crate::page::run::small_models::SmallModels;
use crate::state::FURTHER_FILES;
use crate::texts::Texts;
use choosing::{Drop, Paste};
use corpora::corpora;
use own::{Awaited, Own};
use report::report;
use strata_tasks::{CorpusReport, Pipeline, TaskConfig};
use strata_text::TokenUnit;
use strata_training::Experiment;
use web_sys::HtmlDetailsElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DataProperties {
    pub experiment: ByPointer<Experiment>,
    /// Names of the files that the present model lacks, if it was opened without its data.
    pub awaited: Vec<String>,
    pub examined: Option<ByPointer<CorpusReport>>,
    pub examining: bool,
    /// True while a complaint about the texts is shown.
    pub complains: bool,
    /// Number of times that a user asked for a model of poems; each time the panel opens.
    pub bring_poems: u32,
    pub act: Callback<Intent>,
}

/// The panel, closed at first.
#[component]
pub fn Data(properties: &DataProperties) -> Html {
    let DataProperties {
        experiment,
        awaited,
        examined,
        examining,
        complains,
        bring_poems,
        act,
    } = properties;
    let own = use_state_eq(Own::default);
    let panel = use_node_ref();
    {
        let (own, panel) = (own.clone(), panel.clone());
        use_effect_with(*bring_poems, move |times| {
            if let (1.., Some(panel)) = (*times, panel.cast::<HtmlDetailsElement>()) {
                own.set(Own {
                    poems: true,
                    ..*own
                });
                panel.set_open(true);
                focus("data-files");
            }
        });
    }
    // The texts as they were given, to be read again in another encoding.
    let last = use_mut_ref(Texts::new);
    let give_as = {
        let (act, experiment) = (act.clone(), experiment.clone());
        // While a model waits for its files, nothing reads texts of their names, so the names are
        // free.
        let waits = !awaited.is_empty();
        move |own: Own, texts: &Texts| {
            let generated = TaskConfig::default();
            let present = if waits { &generated } else { &experiment.task };
            match own.task(texts, present) {
                Ok((task, texts)) => act.emit(Intent::Examine(Box::new(task), texts)),
                Err(reason) => act.emit(Intent::Complain(reason)),
            }
        }
    };
    {
        // The form shows what kind of data a file is, whatever was chosen before.
        let own = own.clone();
        let found = examined.as_ref().map(|it| it.task.clone());
        use_effect_with(found, move |task| {
            if let Some(task) = task {
                own.set(Own {
                    form: match task.pipeline() {
                        Pipeline::Poetry => Pipeline::Translation,
                        other => other,
                    },
                    poems: matches!(task, TaskConfig::Poems(_)),
                    ..*own
                });
            }
        });
    }
    let give = {
        let (own, last, give_as) = (*own, last.clone(), give_as.clone());
        let (awaited, task, act) = (awaited.clone(), experiment.clone(), act.clone());
        Callback::from(move |texts: Texts| {
            // A model that lacks several files can be given one after the other.
            let all = [&last.borrow()[..], &texts[..]].concat();
            let found = match own::awaited(&task.task, &awaited, &texts) {
                Awaited::Others => Awaited::Others,
                _ => own::awaited(&task.task, &awaited, &all),
            };
            match found {
                Awaited::Others => give_as(own, &texts),
                Awaited::Complete(task, texts) => act.emit(Intent::Examine(task, texts)),
                Awaited::Missing(names) => {
                    act.emit(Intent::Tell(format!(
                        "{FURTHER_FILES}{}, too: give it as well.",
                        names.join(" and ")
                    )));
                    last.replace(all);
                    return;
                }
            }
            last.replace(texts);
        })
    };
    let change = {
        let (own, act, examined) = (own.clone(), act.clone(), examined.clone());
        let complains = *complains;
        Callback::from(move |next: Own| {
            // Another form, unit or encoding: the same texts are read again.
            let texts = last.borrow().clone();
            let is_of_form = (next.form, next.poems) == (own.form, own.poems);
            let is_as_given = is_of_form && next.encoding == own.encoding;
            match &examined {
                Some(examined) if is_as_given && !complains => {
                    let task = next.again(&examined.task);
                    act.emit(Intent::Examine(Box::new(task), Vec::new()));
                }
                // Texts that were refused may be right when read in this way.
                _ if !texts.is_empty() && (complains || next.encoding != own.encoding) => {
                    give_as(next, &texts);
                }
                _ => {}
            }
            own.set(next);
        })
    };
    let take = |intent: fn(Box<Experiment>) -> Intent| {
        let (act, experiment, examined) = (act.clone(), experiment.clone(), examined.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(examined) = &examined {
                let experiment = own::experiment(&experiment, &examined.task);
                act.emit(intent(Box::new(experiment)));
            }
        })
    };
    let applied = examined
        .as_ref()
        .is_some_and(|it| it.task == experiment.task);
    html! {
        <>
        <Dropping give={give.clone()} act={act.clone()} />
        <details class="panel data" ref={panel}>
            <summary><h2>{ "Your own data" }</h2><span>{ "sentence pairs, a text, questions or poems: paste, drop, choose or fetch them" }</span></summary>
            <div class="data-body">
                { kind(&own, &change) }
                if own.poems {
                    <SmallModels id="small-model" words="Load"
                        note="A model that has learned from quatrains already is fetched from here when you press:"
                        take={act.reform(|(name, bytes)| Intent::LoadFile(name, bytes))} />
                }
                <Drop form={own.form} poems={own.poems} give={give.clone()} />
                <Paste form={own.form} poems={own.poems} give={give.clone()} />
                if !own.poems {
                    { corpora(*own, experiment, act) }
                }
                <div class="report" role="status" aria-busy={examining.to_string()}>
                    if *examining {
                        <p class="waiting">{ "The worker is reading the text." }</p>
                    }
                    if let Some(examined) = examined {
                        { report(examined) }
                        <div class="apply">
                            <button type="button" id="data-apply" class="primary" onclick={take(Intent::TrainOn)}>{ "Train on this" }</button>
                            <button type="button" id="data-prepare" onclick={take(Intent::Prepare)}>{ "Only prepare it" }</button>
                            <p>{ if applied { "This is what the run is trained on." } else { "A new run begins, from step 0." } }</p>
                        </div>
                    }
                </div>
            </div>
        </details>
        </>
    }
}

/// Returns the choice among pairs, one text and questions, and of the unit of tokens.
fn kind(own: &Own, change: &Callback<Own>) -> Html {
    let own = *own;
    let forms = vec![
        ("pairs".into(), "Sentence pairs, to translate".into()),
        ("text".into(), "One text, to write on".into()),
        (
            "questions".into(),
            "Questions about passages, to answer".into(),
        ),
        ("poems".into(), "Chinese quatrains, to write poems".into()),
    ];
    let form = match own.form {
        _ if own.poems => "poems",
        Pipeline::Translation | Pipeline::Poetry => "pairs",
        Pipeline::TextGeneration => "text",
        Pipeline::QuestionAnswering => "questions",
    };
    let set_form = change.reform(move |name: String| Own {
        form: match name.as_str() {
            "text" => Pipeline::TextGeneration,
            "questions" => Pipeline::QuestionAnswering,
            _ => Pipeline::Translation,
        },
        poems: name == "poems",
        ..own
    });
    let titles = [
        (TokenUnit::Word, "word", "Words, as white space parts them"),
        (
            TokenUnit::Punctuation,
            "punctuation",
            "Words and punctuation marks",
        ),
        (TokenUnit::Character, "character", "Characters"),
        (
            TokenUnit::Bpe,
            "bpe",
            "Pieces of words, by byte-pair encoding",
        ),
        (
            TokenUnit::Unigram,
            "unigram",
            "Pieces of words, by a unigram model",
        ),
    ];
    let levels = titles.map(|(_, name, title)| (name.into(), title.into()));
    let level = titles.iter().find(|(level, ..)| *level == own.level);
    let set_level = change.reform(move |name: String| {
        let chosen = titles.iter().find(|(_, known, _)| *known == name);
        Own {
            level: chosen.map_or(own.level, |(level, ..)| *level),
            ..own
        }
    });
    let mut encodings: Vec<(AttrValue, AttrValue)> = vec![("".into(), "Found by itself".into())];
    encodings.extend(
        encoding::ALL
            .iter()
            .map(|it| (it.label.into(), it.title.into())),
    );
    let set_encoding = change.reform(move |label: String| Own {
        encoding: encoding::ALL
            .iter()
            .find(|it| it.label == label)
            .map_or("", |it| it.label),
        ..own
    });
    html! {
        <div class="fields">
            <Select id="data-form" label="What it is" options={forms} value={form} onchange={set_form}
                help="Pairs: two files line by line, or one with two columns and a TAB between them. Questions: JSON of SQuAD, DuReader or MS MARCO." />
            <Select id="data-encoding" label="Encoding" options={encodings} value={own.encoding} onchange={set_encoding}
                help="How letters are written in the file." />
            if own.form != Pipeline::QuestionAnswering {
                <Select id="data-level" label="Tokens" options={levels.to_vec()}
                    value={level.map_or("word", |(_, name, _)| *name)} onchange={set_level}
                    help="How the text is cut." />
            }
        </div>
    }
}
