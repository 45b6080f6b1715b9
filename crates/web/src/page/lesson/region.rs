//! The region of a lesson beside the experiment: texts to read, questions to guess, actions to do.
//!
//! - here: the region, its heading, and the order of its parts; `answering`: guess, action and
//!   explanation; `verdict`: guess and measurement on one scale; `onwards`: buttons to other steps;
//!   `ending`: the card at the end

mod answering;
mod ending;
mod onwards;
mod verdict;

use crate::page::base::focus::focus;
use crate::page::base::icons::{Icon, IconName};
use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::controller::{LessonController, Placeholder};
use crate::page::lesson::hand_in_code::HandInCode;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::list::LessonList;
use crate::page::lesson::player::{Player, Stage};
use crate::page::lesson::pointing;
use crate::page::lesson::words::{language_of, line, text};
use crate::page::run::intent::Intent;
use answering::{coming, doing, guess, late, outcome, picture, to_changed};
use ending::Ending;
pub use onwards::steps_done;
use onwards::{further, onwards, to_summary};
use std::rc::Rc;
use strata_lessons::{Action, GuessKind, Step, StepWords, Text, Value, plain, written};
use verdict::verdict;
use yew::prelude::*;

/// Id of the heading, to which the focus moves.
pub const HEADING: &str = "lesson-title";

#[derive(Properties, PartialEq)]
pub struct RegionProperties {
    pub controller: LessonController,
    /// Number that grows whenever the lesson changes.
    pub revision: u64,
    pub act: Callback<Intent>,
}

/// The region; nothing if the page has no lesson.
#[component]
pub fn Region(properties: &RegionProperties) -> Html {
    let RegionProperties {
        controller, act, ..
    } = properties;
    let is_folded = use_state_eq(|| false);
    use_focus(controller);
    let Some(address) = controller.address() else {
        return Html::default();
    };
    if let Some(placeholder) = controller.placeholder() {
        return placeholder_region(controller, &placeholder, &address);
    }
    let Some(contents) = controller.with(|player| Contents::of(player, controller, act)) else {
        return Html::default();
    };
    let language = address.language.as_str();
    html! {
        <aside id="lesson" class="panel lesson" lang={region_language(language)} aria-labelledby={HEADING} data-stage={contents.stage} data-step={contents.id}
            data-folded={is_folded.to_string()}>
            <header>
                <p class="lesson-name" lang={contents.lang.clone()}>{ contents.name }</p>
                { tools(controller, &address, &is_folded) }
                <h2 id={HEADING} tabindex="-1"><small>{ contents.number }</small><span lang={contents.lang.clone()}>{ contents.title }</span></h2>
            </header>
            <div class="lesson-body">{ contents.body }</div>
            <p class="unseen" role="status" id="lesson-said">{ contents.said }</p>
        </aside>
    }
}

/// Moves focus, highlight and scrolling to what a learner needs next.
#[hook]
fn use_focus(controller: &LessonController) {
    let highlighted = controller.with(Player::highlighted).flatten();
    // After every drawing: the page may have created the highlighted element anew.
    use_effect(move || pointing::outline(highlighted.as_deref()));
    let step = controller.with(|player| (player.at, player.lesson.name.clone()));
    {
        let controller = controller.clone();
        use_effect_with(step, move |_| {
            if controller.takes_focus() {
                focus(HEADING);
            }
        });
    }
    let stage = controller.with(|player| {
        let is_helped = player.is_hinted || player.is_late;
        (stage_name(&player.stage), player.at, is_helped)
    });
    let controller = controller.clone();
    use_effect_with(stage, move |stage| {
        if pointing::has_lost_focus()
            && matches!(stage, Some(("act" | "done", ..)))
            && controller.was_pressed()
        {
            // The pressed button is gone: the focus moves to the button that took its place.
            pointing::focus_first(&["lesson-go", "lesson-next", "lesson-measure", HEADING]);
        }
        match stage {
            Some(("guess", ..)) => {
                pointing::scroll_lesson(None);
                controller.show_panel();
            }
            Some(("act", _, is_helped)) => {
                controller.show_target();
                let part = if *is_helped {
                    ".lesson-hint"
                } else {
                    ".lesson-do"
                };
                pointing::scroll_lesson(Some(part));
            }
            _ => pointing::scroll_lesson(None),
        }
    });
}

/// Renders the buttons that fold and leave the lesson.
fn tools(
    controller: &LessonController,
    address: &LessonAddress,
    is_folded: &UseStateHandle<bool>,
) -> Html {
    let fold = {
        let is_folded = is_folded.clone();
        Callback::from(move |_: MouseEvent| is_folded.set(!*is_folded))
    };
    let leave = {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.leave())
    };
    let says = |english| label(&address.language, english);
    let fold_words = if **is_folded {
        says("Unfold the lesson")
    } else {
        says("Fold the lesson")
    };
    let leave_words = says("Leave the lesson: your own run comes back");
    html! {
        <div class="lesson-tools">
            <button type="button" class="quiet icon-only" id="lesson-fold" onclick={fold} aria-expanded={(!**is_folded).to_string()}
                aria-label={fold_words} title={fold_words}><span aria-hidden="true">{ if **is_folded { "▴" } else { "▾" } }</span></button>
            if !address.is_framed {
                <button type="button" class="quiet icon-only" id="lesson-leave" onclick={leave} aria-label={leave_words}
                    title={leave_words}><Icon name={IconName::Close} /></button>
            }
        </div>
    }
}

/// Contents of the region.
struct Contents {
    stage: &'static str,
    id: String,
    lang: Option<String>,
    name: Html,
    number: String,
    title: Html,
    body: Html,
    /// Text for screen readers, which changes when something is noticed.
    said: String,
}

impl Contents {
    fn of(player: &Player, controller: &LessonController, act: &Callback<Intent>) -> Self {
        let language = &player.lesson.language;
        let nothing = |_: &str| None;
        let name = line(&player.lesson.words.title, language, &nothing);
        let count = player.count();
        let (Some(step), Some(words)) = (player.present(), player.words()) else {
            let free = text(&player.lesson.words.free, language, &nothing);
            let known = text(&player.lesson.words.known, language, &nothing);
            return Self {
                stage: "free",
                id: "free".to_owned(),
                lang: language_of(language),
                name,
                number: label(language, "Free play").to_owned(),
                title: Html::default(),
                body: html! {
                    <>
                        <Ending lesson={player.lesson.name.clone()} language={language.clone()} rules={controller.rules()} {known} />
                        <p>{ steps_done(&player.progress, player.count(), language) }</p>
                        <p>{ to_summary(player, controller) }</p>
                        <HandInCode lesson={player.lesson.clone()} progress={Rc::new(player.progress.clone())} language={language.to_owned()} />
                        { free }
                        { onwards(player, controller) }
                        { further(player, controller) }
                    </>
                },
                said: String::new(),
            };
        };
        Self {
            stage: stage_name(&player.stage),
            id: step.id.clone(),
            lang: language_of(language),
            name,
            number: filled(
                language,
                "Step {} of {} ",
                &[&(player.at + 1).to_string(), &count.to_string()],
            ),
            title: line(&words.title, language, &nothing),
            body: body(player, step, words, controller, act),
            said: said(player, step, words),
        }
    }
}

fn stage_name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Opening | Stage::Training(_) | Stage::GoingOn | Stage::AwaitingView { .. } => {
            "opening"
        }
        Stage::Guess => "guess",
        Stage::Act => "act",
        Stage::Done => "done",
        Stage::Refused(_) => "refused",
        Stage::Free => "free",
    }
}

/// Renders everything below the title.
fn body(
    player: &Player,
    step: &Step,
    words: &StepWords,
    controller: &LessonController,
    act: &Callback<Intent>,
) -> Html {
    let language = &player.lesson.language;
    let before = |name: &str| player.text(name, false);
    let section = |name: &str| words.sections.get(name);
    let said = |it: Option<&Text>| it.map(|it| text(it, language, &before));
    let is_ready = !matches!(stage_name(&player.stage), "opening" | "refused");
    html! {
        <>
            // What was measured, and why, comes first; question and action stay below for reading again.
            if player.stage == Stage::Done {
                { verdict(player, step, words) }
                { outcome(player, words) }
            }
            { text(&words.intro, language, &before) }
            { coming(player, controller) }
            if is_ready {
                { picture(player) }
                { guess(player, step, words, controller) }
                if player.stage != Stage::Guess && step.action != Action::Guess {
                    <div class="lesson-do">
                        { said(section("do")) }
                        if player.stage == Stage::Act {
                            { doing(player, step, controller, act) }
                        }
                        if player.stage == Stage::Done {
                            { to_changed(player) }
                        }
                    </div>
                }
                if player.stage == Stage::Guess && step.action == Action::Guess {
                    { said(section("do")) }
                }
                if player.is_hinted && player.stage == Stage::Act {
                    <div class="lesson-hint">{ said(section("hint")) }</div>
                }
                if player.is_late && player.stage == Stage::Act {
                    { late(player, step, words, controller) }
                }
            }
            { onwards(player, controller) }
            { further(player, controller) }
        </>
    }
}

/// Returns the text for screen readers.
fn said(player: &Player, step: &Step, words: &StepWords) -> String {
    let language = &player.lesson.language;
    let says = |english| label(language, english).to_owned();
    match &player.stage {
        Stage::Done => {
            let in_words = |value: &Value| match (step.guess.as_ref(), value) {
                (Some(guess), Value::Word(word)) if guess.kind == GuessKind::Choice => {
                    let place = guess.options.iter().position(|option| option == word);
                    let option = place.and_then(|place| words.options.get(place));
                    option.map_or_else(|| word.clone(), |it| plain(it))
                }
                (Some(guess), value) => written(value, guess.unit(), language),
                (None, _) => String::new(),
            };
            let guess = player
                .guess
                .as_ref()
                .map(|it| filled(language, " Your guess: {}.", &[&in_words(it)]));
            let measured = player
                .measured()
                .map(|it| filled(language, " Measured: {}.", &[&in_words(it)]));
            filled(
                language,
                "Noticed.{}{} The explanation is in the lesson.",
                &[&guess.unwrap_or_default(), &measured.unwrap_or_default()],
            )
        }
        Stage::Act if player.is_late => {
            says("Training ended before reaching the goal; see the lesson.")
        }
        Stage::Act if player.is_hinted => says("There is a hint in the lesson."),
        Stage::Guess | Stage::Act => says("The step is set up."),
        _ => String::new(),
    }
}

/// Renders the placeholder in place of a lesson.
fn placeholder_region(
    controller: &LessonController,
    placeholder: &Placeholder,
    address: &LessonAddress,
) -> Html {
    let language = address.language.as_str();
    let says = |english| label(language, english);
    let sentence = match placeholder {
        Placeholder::Loading => says("The lesson is on its way.").to_owned(),
        Placeholder::UnknownLesson(name) => filled(
            language,
            "There is no lesson “{}”. These there are:",
            &[&shortened(name)],
        ),
        Placeholder::UnknownStep(id) => filled(
            language,
            "The lesson has no step “{}”. These there are:",
            &[&shortened(id)],
        ),
        Placeholder::Unreachable => {
            says("The lesson could not be fetched: reload the page when there is a network.")
                .to_owned()
        }
    };
    let leave = {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.close())
    };
    let lists_lessons = matches!(
        placeholder,
        Placeholder::UnknownLesson(_) | Placeholder::UnknownStep(_)
    );
    html! {
        <aside id="lesson" class="panel lesson" aria-labelledby={HEADING} data-stage="notice">
            <header>
                <div class="lesson-tools">
                    if !address.is_framed {
                        <button type="button" class="quiet icon-only" id="lesson-leave" onclick={leave} aria-label={says("Close")} title={says("Close")}>
                            <Icon name={IconName::Close} /></button>
                    }
                </div>
                <h2 id={HEADING} tabindex="-1">{ says("Lesson") }</h2>
            </header>
            <div class="lesson-body">
                <p role="status" id="lesson-notice">{ sentence }</p>
                if lists_lessons {
                    <LessonList language={language.to_owned()} />
                }
            </div>
        </aside>
    }
}

/// Returns the language of the region's own words, if it is not English.
fn region_language(language: &str) -> Option<String> {
    (label(language, "Next") != "Next").then(|| language.to_owned())
}

/// Returns the beginning of a name: in an address a name can have any length.
fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}
