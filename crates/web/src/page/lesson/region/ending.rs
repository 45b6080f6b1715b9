//! The card at the end of a lesson: what the learner knows now, and the next lesson.

use crate::keeping::Keeper;
use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::files::index;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::Progress;
use crate::page::lesson::rules::Rules;
use crate::page::lesson::words::{language_of, line};
use strata_lessons::Entry;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct EndingProperties {
    /// Name of the lesson that has ended.
    pub lesson: String,
    pub language: String,
    pub rules: Rules,
    /// Knowledge that the learner has now.
    pub known: Html,
}

/// The card at the end of a lesson.
#[component]
pub fn Ending(properties: &EndingProperties) -> Html {
    let EndingProperties {
        lesson,
        language,
        rules,
        known,
    } = properties;
    let entries = use_state_eq(Vec::<Entry>::new);
    let progress = use_state_eq(Vec::<(String, String)>::new);
    {
        let (entries, progress) = (entries.clone(), progress.clone());
        use_effect_with(language.clone(), move |language| {
            let language = language.clone();
            spawn_local(async move {
                entries.set(index(&language).await.unwrap_or_default());
            });
            let keeper = Keeper::new(Callback::noop(), Callback::noop());
            keeper.read_progress(Callback::from(move |all| progress.set(all)));
        });
    }
    let listed: Vec<&Entry> = entries.iter().filter(|it| rules.has(&it.name)).collect();
    // The progress of this lesson may not be stored yet.
    let is_past =
        |entry: &&&Entry| entry.name == *lesson || progress.iter().any(|it| is_past(entry, it));
    let past = listed.iter().filter(is_past).count();
    let here = listed.iter().position(|it| it.name == *lesson);
    let next = here.and_then(|here| listed.get(here + 1));
    let next = next.map(|entry| {
        let address = LessonAddress {
            rules: rules.clone(),
            ..LessonAddress::here(&entry.name, language)
        };
        html! {
            <a id="lesson-next-lesson" class="button primary" href={format!("./{}", address.query())}>
                { label(language, "Next lesson: ") }
                <span lang={language_of(language)}>{ line(&entry.title, language, &|_| None) }</span>
            </a>
        }
    });
    let numbers = [past.to_string(), listed.len().to_string()];
    html! {
        <section class="lesson-ending" aria-labelledby="lesson-ending-title">
            <h3 id="lesson-ending-title">{ label(language, "You know now") }</h3>
            { known.clone() }
            if !listed.is_empty() {
                <p class="lesson-progress">
                    <progress value={numbers[0].clone()} max={numbers[1].clone()} aria-hidden="true" />
                    { filled(language, "{} of {} lessons done", &[&numbers[0], &numbers[1]]) }
                </p>
            }
            <div class="lesson-buttons">{ next }</div>
        </section>
    }
}

/// True if every step of a lesson is behind the learner, by a stored progress.
fn is_past(entry: &Entry, (name, text): &(String, String)) -> bool {
    let progress = Progress::parsed(text).filter(|_| *name == entry.name);
    progress.is_some_and(|it| entry.steps.iter().all(|step| it.is_past(&step.id)))
}
