//! The whole page, from its parts.
//!
//! - here: the root component, header and footer
//! - `use_page`: connects worker, kept runs, lesson, address and draft with the state; `act`: what
//!   follows when a user acts
//! - `console`: buttons and status; `stage`: the model and its curves; `pipeline_panel`: work of the
//!   user's own; `forms`: own data, settings, kept runs and devices

mod act;
mod console;
mod forms;
mod pipeline_panel;
mod stage;
mod use_page;

use crate::by_pointer::ByPointer;
use crate::page::base::foreign::Languages;
use crate::page::base::format::count;
use crate::page::lesson::{Offer, Region};
use crate::page::pipeline::ui_of;
use crate::page::run::run_title::RunTitle;
use crate::page::shell::language_choice::LanguageChoice;
use crate::page::shell::messages::Messages;
use crate::page::shell::theme::ThemeButton;
use crate::sentence::sentence;
use crate::state::State;
use console::Console;
use forms::forms;
use pipeline_panel::PipelinePanel;
use stage::Stage;
use use_page::{Page, use_page};
use yew::prelude::*;

/// Properties of a component that shows a part of the page. The page is a new one at every drawing.
#[derive(Properties, PartialEq)]
pub struct PageProperties {
    /// The page.
    pub page: ByPointer<Page>,
}

/// The page's root component.
#[component]
pub fn App() -> Html {
    let page = ByPointer::new(use_page());
    let state = &page.state;
    let titled = (state.keeping.name.clone(), state.applied.clone());
    let run_title = use_memo(titled, |(name, experiment)| {
        RunTitle::of(name.as_deref(), experiment)
    });
    let is_lesson = page.lesson.is_open();
    html! {
        <ContextProvider<Languages> context={Languages::of(&state.experiment.task)}>
        <ContextProvider<RunTitle> context={(*run_title).clone()}>
            <a class="skip" href="#main">{ "Skip to the experiment" }</a>
            { header(&page) }
            <div class={classes!("around", is_lesson.then_some("with-lesson"))}>
            <Region controller={page.lesson.clone()} revision={page.lesson_revision} act={page.act.clone()} />
            <main id="main" tabindex="-1">
                <Console page={page.clone()} />
                <Stage page={page.clone()} />
                <PipelinePanel page={page.clone()} />
                { forms(&page) }
            </main>
            </div>
            <footer>
                <p>{ data(state) }</p>
                <p>{ "Everything is computed and kept on this device; nothing is sent anywhere. " }<a href="./published.html">{ "Published figures" }</a></p>
            </footer>
            <Messages messages={state.messages.clone()} put_away={page.put_away.clone()} />
        </ContextProvider<RunTitle>>
        </ContextProvider<Languages>>
    }
}

/// Renders the title of the page, the way to the lessons and, outside of lessons, the offer of a
/// first lesson.
fn header(page: &Page) -> Html {
    // Until the kept runs are listed, the user counts as known.
    let keeping = &page.state.keeping;
    let is_known = match (&keeping.runs, &keeping.unavailable) {
        (Some(runs), _) => !runs.is_empty(),
        (None, unavailable) => unavailable.is_none(),
    };
    html! {
        <header class="top">
            <div class="brand">
                <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
                    <path d="M3 10c5-5 8 3 13 0s8-4 13-1" /><path d="M3 17c5-5 8 3 13 0s8-4 13-1" /><path d="M3 24c5-5 8 3 13 0s8-4 13-1" />
                </svg>
                <h1>{ "Strata" }</h1>
                <p>{ "A translator looks back at what it reads. Watch it learn where." }</p>
            </div>
            if !page.lesson.is_open() {
                <Offer {is_known} begin={page.begin_lesson.clone()} />
            }
            <a class="to-lessons" href="./?lessons">{ "Lessons" }</a>
            <LanguageChoice />
            <ThemeButton />
        </header>
    }
}

/// Returns a sentence on the data: their sizes, and what was left out.
fn data(state: &State) -> String {
    let Some(ready) = &state.ready else {
        return "The data is being prepared.".to_owned();
    };
    if let Some(lacks) = &ready.lacks {
        return sentence(&lacks.reason);
    }
    let [source, target] = ui_of(&state.applied.task).vocabulary_names();
    let sizes = format!(
        "{} examples to learn from, {} held out; {} {source} and {} {target} in the vocabularies.",
        count(ready.training_examples as u64),
        count(ready.validation_examples as u64),
        count(ready.source_vocabulary as u64),
        count(ready.target_vocabulary as u64),
    );
    let notes = ready.notes.iter().map(|note| sentence(note));
    let sentences: Vec<String> = std::iter::once(sizes).chain(notes).collect();
    sentences.join(" ")
}
