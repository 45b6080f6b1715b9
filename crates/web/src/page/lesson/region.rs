//! The region of a lesson beside the experiment: what is to be read, guessed and done.

use crate::page::format;
use crate::page::icons::{Icon, IconName};
use crate::page::intent::Intent;
use crate::page::lesson::desk::{Desk, Notice};
use crate::page::lesson::guess::GuessForm;
use crate::page::lesson::list::LessonList;
use crate::page::lesson::player::{Player, Stage};
use crate::page::lesson::pointing;
use crate::page::lesson::progress::How;
use crate::page::lesson::words::{blocks, language_of, line, text};
use strata_lessons::{Action, GuessKind, Offer, Step, StepWords, Text, Value, written};
use strata_session::protocol::Activity;
use yew::prelude::*;

/// Id of the heading, which takes the focus.
pub const HEADING: &str = "lesson-title";

#[derive(Properties, PartialEq)]
pub struct RegionProperties {
    pub desk: Desk,
    /// Grows whenever anything of the lesson changes.
    pub revision: u64,
    pub act: Callback<Intent>,
}

/// The region, where the page has a lesson.
#[component]
pub fn Region(properties: &RegionProperties) -> Html {
    let RegionProperties { desk, act, .. } = properties;
    let is_folded = use_state_eq(|| false);
    let target = desk.with(|it| it.target().filter(|_| it.stage == Stage::Act));
    // After every change: the page may have drawn the target anew.
    use_effect(move || pointing::outline(target.flatten().as_deref()));
    let shown = desk.with(|it| (it.at, it.lesson.name.clone()));
    {
        let desk = desk.clone();
        use_effect_with(shown, move |_| {
            if desk.takes_focus() {
                crate::page::focus::focus(HEADING);
            }
        });
    }
    let stage = desk.with(|it| (stage_name(&it.stage), it.at, it.is_hinted || it.is_late));
    {
        let desk = desk.clone();
        use_effect_with(stage, move |stage| match stage {
            Some(("guess", ..)) => {
                pointing::scroll_lesson(None);
                pointing::show_picture();
            }
            Some(("act", _, is_helped)) => {
                desk.show_target();
                let part = if *is_helped {
                    ".lesson-hint"
                } else {
                    ".lesson-do"
                };
                pointing::scroll_lesson(Some(part));
            }
            Some(("done", ..)) => pointing::scroll_lesson(Some(".lesson-outcome")),
            _ => pointing::scroll_lesson(None),
        });
    }
    let Some(place) = desk.place() else {
        return Html::default();
    };
    if let Some(notice) = desk.notice() {
        return noticed(desk, &notice, &place.language, place.is_framed);
    }
    let fold = {
        let is_folded = is_folded.clone();
        Callback::from(move |_: MouseEvent| is_folded.set(!*is_folded))
    };
    let leave = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.leave())
    };
    let Some(contents) = desk.with(|player| Contents::of(player, desk, act)) else {
        return Html::default();
    };
    let fold_words = if *is_folded {
        "Unfold the lesson"
    } else {
        "Fold the lesson"
    };
    html! {
        <aside id="lesson" class="panel lesson" aria-labelledby={HEADING} data-stage={contents.stage} data-step={contents.id}
            data-folded={is_folded.to_string()}>
            <header>
                <p class="lesson-name" lang={contents.lang.clone()}>{ contents.name }</p>
                <div class="lesson-tools">
                    <button type="button" class="quiet icon-only" id="lesson-fold" onclick={fold} aria-expanded={(!*is_folded).to_string()}
                        aria-label={fold_words} title={fold_words}><span aria-hidden="true">{ if *is_folded { "▴" } else { "▾" } }</span></button>
                    if !place.is_framed {
                        <button type="button" class="quiet icon-only" id="lesson-leave" onclick={leave} aria-label="Leave the lesson: your own run comes back"
                            title="Leave the lesson: your own run comes back"><Icon name={IconName::Close} /></button>
                    }
                </div>
                <h2 id={HEADING} tabindex="-1"><small>{ contents.number }</small><span lang={contents.lang.clone()}>{ contents.title }</span></h2>
            </header>
            <div class="lesson-body">{ contents.body }</div>
            <p class="unseen" role="status" id="lesson-said">{ contents.said }</p>
        </aside>
    }
}

/// All that the region shows of a lesson.
struct Contents {
    stage: &'static str,
    id: String,
    lang: Option<String>,
    name: Html,
    number: String,
    title: Html,
    body: Html,
    /// Said by screen readers when something was noticed.
    said: String,
}

impl Contents {
    fn of(player: &Player, desk: &Desk, act: &Callback<Intent>) -> Self {
        let language = &player.lesson.language;
        let nothing = |_: &str| None;
        let name = line(&player.lesson.words.title, language, &nothing);
        let count = player.count();
        let (Some(step), Some(words)) = (player.present(), player.words()) else {
            let free = text(&player.lesson.words.free, language, &nothing);
            return Self {
                stage: "free",
                id: "free".to_owned(),
                lang: language_of(language),
                name,
                number: "Free play".to_owned(),
                title: Html::default(),
                body: html! {
                    <>
                        <p>{ summary(player) }</p>
                        { free }
                        { onwards(player, desk) }
                        { further(player, desk) }
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
            number: format!("Step {} of {count} ", player.at + 1),
            title: line(&words.title, language, &nothing),
            body: body(player, step, words, desk, act),
            said: said(player, step, words),
        }
    }
}

fn stage_name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Opening | Stage::Training(_) | Stage::GoingOn | Stage::Looking { .. } => "opening",
        Stage::Guess => "guess",
        Stage::Act => "act",
        Stage::Done => "done",
        Stage::Refused(_) => "refused",
        Stage::Free => "free",
    }
}

/// Everything below the title.
fn body(
    player: &Player,
    step: &Step,
    words: &StepWords,
    desk: &Desk,
    act: &Callback<Intent>,
) -> Html {
    let language = &player.lesson.language;
    let before = |name: &str| player.text(name, false);
    let section = |name: &str| words.sections.get(name);
    let said = |it: Option<&Text>| it.map(|it| text(it, language, &before));
    let is_ready = !matches!(stage_name(&player.stage), "opening" | "refused");
    html! {
        <>
            { text(&words.intro, language, &before) }
            { coming(player, desk) }
            if is_ready {
                { guess(player, step, words, desk) }
                if player.stage != Stage::Guess && step.action != Action::Guess {
                    <div class="lesson-do">
                        { said(section("do")) }
                        if player.stage == Stage::Act {
                            { doing(player, step, desk, act) }
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
                    { late(player, step, words, desk) }
                }
                { outcome(player, step, words) }
            }
            { onwards(player, desk) }
            { further(player, desk) }
        </>
    }
}

/// Line on a set-up that is being made.
fn coming(player: &Player, desk: &Desk) -> Html {
    match &player.stage {
        Stage::Training(to) => {
            let (step, of) = (player.step.min(*to), *to);
            html! {
                <div class="lesson-coming">
                    <p>{ if player.prepares_other() {
                            format!("This step compares with another run of {} steps, which is trained first: ", format::count(of))
                        } else {
                            format!("This step looks at a model after {} steps. It is being trained: ", format::count(of))
                        } }
                        <span translate="no">{ format::count(step) }</span>{ "." }</p>
                    <progress max={of.to_string()} value={step.to_string()} aria-label="Steps taken for the set-up" />
                </div>
            }
        }
        Stage::Opening | Stage::GoingOn | Stage::Looking { .. } => {
            html! { <p class="lesson-coming">{ "The experiment is being set up." }</p> }
        }
        Stage::Refused(reason) => {
            let again = again(player, desk, "Set up again");
            html! {
                <div class="lesson-coming" role="alert">
                    <p>{ format!("This step could not be set up: {}", crate::sentence::sentence(reason)) }</p>
                    <div class="lesson-buttons">{ again }</div>
                </div>
            }
        }
        _ => Html::default(),
    }
}

/// The form of the guess, or the guess that was made.
fn guess(player: &Player, step: &Step, words: &StepWords, desk: &Desk) -> Html {
    let language = &player.lesson.language;
    let before = |name: &str| player.text(name, false);
    let Some(guess) = &step.guess else {
        return Html::default();
    };
    let question = words.sections.get("guess");
    let question = question.map_or_else(Html::default, |it| text(it, language, &before));
    if player.stage == Stage::Guess {
        let take = {
            let desk = desk.clone();
            Callback::from(move |value| desk.guess(value))
        };
        let pass = {
            let desk = desk.clone();
            Callback::from(move |()| desk.pass())
        };
        return html! {
            <GuessForm key={step.id.clone()} {question} guess={guess.clone()} options={words.options.clone()}
                language={language.clone()} places={player.places()} {take} {pass} />
        };
    }
    let Some(value) = &player.guess else {
        return Html::default();
    };
    html! {
        <div class="lesson-guessed">
            { question }
            <p>{ "Your guess: " }<b class="value">{ value_words(player, step, words, value) }</b></p>
        </div>
    }
}

/// A guess or its answer in words.
fn value_words(player: &Player, step: &Step, words: &StepWords, value: &Value) -> Html {
    let language = &player.lesson.language;
    let Some(guess) = &step.guess else {
        return Html::default();
    };
    match (guess.kind, value) {
        (GuessKind::Choice, Value::Word(chosen)) => {
            let place = guess.options.iter().position(|it| it == chosen);
            match place.and_then(|place| words.options.get(place)) {
                Some(option) => {
                    html! { <span lang={language.clone()}>{ line(option, language, &|_| None) }</span> }
                }
                None => html! { <>{ chosen }</> },
            }
        }
        (_, Value::Word(token)) => html! { <code translate="no">{ token }</code> },
        (_, number) => {
            html! { <span translate="no">{ written(number, guess.unit(), language) }</span> }
        }
    }
}

/// Buttons of the action: to its control, and to have it shown.
fn doing(player: &Player, step: &Step, desk: &Desk, act: &Callback<Intent>) -> Html {
    let target = player.target();
    let go = target.clone().map(|target| {
        let words = format!("Go to {}", pointing::name(&target));
        let go = Callback::from(move |_: MouseEvent| pointing::go_to(&target));
        html! { <button type="button" id="lesson-go" onclick={go}>{ words }</button> }
    });
    let show = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.show_how())
    };
    let measure = match &step.action {
        Action::Bench(names) => {
            let names = names.clone();
            let press = act.reform(move |_: MouseEvent| Intent::Bench(names.clone()));
            html! { <button type="button" id="lesson-measure" class="primary" onclick={press}>{ "Measure" }</button> }
        }
        _ => Html::default(),
    };
    let trains = player.activity == Activity::Training && step.action.trains();
    html! {
        <>
            if trains {
                <p class="lesson-coming">{ "It trains: read on meanwhile." }</p>
            }
            <div class="lesson-buttons">
                { measure }
                if !matches!(step.action, Action::Bench(_)) && !trains {
                    { go }
                }
                if !trains {
                    <button type="button" id="lesson-show" class="link" onclick={show}>{ "Show me" }</button>
                }
            </div>
        </>
    }
}

/// Words and offers where training does not get there.
fn late(player: &Player, step: &Step, words: &StepWords, desk: &Desk) -> Html {
    let language = &player.lesson.language;
    let own = words.sections.get("late");
    let said = match own {
        Some(own) => text(own, language, &|name| player.text(name, false)),
        None if player.activity == Activity::Diverged => html! {
            <p>{ "The loss is no longer a number, and the run has stopped. Begin again with the lesson's seed, or skip this step." }</p>
        },
        None => html! {
            <p>{ format!("The run is at its end, after {} steps, and is not there. Train on, begin again, or skip this step.", format::count(player.step)) }</p>
        },
    };
    let offers = step.late.as_ref().map(|it| it.offer.clone());
    let offers = offers.unwrap_or_else(|| vec![Offer::Restart]);
    // No models are recorded with the page.
    let offers = offers.into_iter().filter(|it| *it != Offer::Recorded);
    let offers = offers.filter(|it| {
        let is_over = player.activity == Activity::Diverged;
        !(is_over && matches!(it, Offer::Train(_)))
    });
    let button = |offer: Offer| {
        let label = match offer {
            Offer::Train(steps) => format!("Train {} more", format::count(steps)),
            Offer::Restart | Offer::Recorded => "Start again".to_owned(),
            Offer::Show => "Show me".to_owned(),
        };
        let desk = desk.clone();
        let press = Callback::from(move |_: MouseEvent| desk.take_offer(offer));
        html! { <button type="button" class="offer" onclick={press}>{ label }</button> }
    };
    html! {
        <div class="lesson-hint lesson-late">
            { said }
            <div class="lesson-buttons">{ for offers.map(button) }</div>
        </div>
    }
}

/// The guess beside the answer, and the explanation.
fn outcome(player: &Player, step: &Step, words: &StepWords) -> Html {
    let Some(name) = player.outcome() else {
        return Html::default();
    };
    let language = &player.lesson.language;
    let after = |name: &str| player.text(name, true);
    let compared = player.measured().filter(|_| step.guess.is_some());
    let how = match step.guess.as_ref() {
        Some(it) if it.answer.is_some() => "The answer",
        _ => "Measured here",
    };
    html! {
        <div class="lesson-outcome">
            if let Some(measured) = compared {
                <p class="lesson-measured">{ how }{ ": " }<b class="value">{ value_words(player, step, words, measured) }</b></p>
            }
            if let Some(said) = words.sections.get(name) {
                { text(said, language, &after) }
            }
        </div>
    }
}

/// Sentence for screen readers.
fn said(player: &Player, step: &Step, words: &StepWords) -> String {
    match &player.stage {
        Stage::Done => {
            let plain = |value: &Value| match (step.guess.as_ref(), value) {
                (Some(guess), Value::Word(word)) if guess.kind == GuessKind::Choice => {
                    let place = guess.options.iter().position(|it| it == word);
                    let option = place.and_then(|place| words.options.get(place));
                    option.map_or_else(|| word.clone(), |it| strata_lessons::plain(it))
                }
                (Some(guess), value) => written(value, guess.unit(), &player.lesson.language),
                (None, _) => String::new(),
            };
            let guess = player
                .guess
                .as_ref()
                .map(|it| format!(" Your guess: {}.", plain(it)));
            let measured = player
                .measured()
                .map(|it| format!(" Measured: {}.", plain(it)));
            format!(
                "Noticed.{}{} The explanation is in the lesson.",
                guess.unwrap_or_default(),
                measured.unwrap_or_default()
            )
        }
        Stage::Act if player.is_late => {
            "Training is at its end and not there: see the lesson.".to_owned()
        }
        Stage::Act if player.is_hinted => "There is a hint in the lesson.".to_owned(),
        Stage::Guess | Stage::Act => "The step is set up.".to_owned(),
        _ => String::new(),
    }
}

/// Back, set up again, skip, next.
fn onwards(player: &Player, desk: &Desk) -> Html {
    let at = player.at;
    let to = |number: usize| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.open_asked(number))
    };
    let skip = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.skip())
    };
    let is_done = player.stage == Stage::Done;
    let is_free = player.stage == Stage::Free;
    let was_met = player.met().is_some_and(|it| it.how != How::Skipped);
    html! {
        <div class="lesson-buttons lesson-onwards">
            if at > 0 {
                <button type="button" id="lesson-back" onclick={to(at - 1)}>{ "Back" }</button>
            }
            if !is_free {
                { again(player, desk, "Set up again") }
                if is_done || was_met {
                    <button type="button" id="lesson-next" class={is_done.then_some("primary")} onclick={to(at + 1)}>{ "Next" }</button>
                } else {
                    <button type="button" id="lesson-skip" onclick={skip}>{ "Skip" }</button>
                }
            }
        </div>
    }
}

fn again(player: &Player, desk: &Desk, words: &'static str) -> Html {
    let (desk, at) = (desk.clone(), player.at);
    let press = Callback::from(move |_: MouseEvent| desk.open(at));
    html! { <button type="button" class="lesson-again" onclick={press}>{ words }</button> }
}

/// Steps to choose from, and what concerns the whole lesson.
fn further(player: &Player, desk: &Desk) -> Html {
    let language = &player.lesson.language;
    let steps = player.lesson.lesson.steps.iter().enumerate();
    let step = |(number, step): (usize, &Step)| {
        let words = player.lesson.words.steps.get(&step.id);
        let title = words.map(|it| line(&it.title, language, &|_| None));
        let met = player.progress.steps.get(&step.id);
        let desk = desk.clone();
        let press = Callback::from(move |_: MouseEvent| desk.open_asked(number));
        html! {
            <li aria-current={(number == player.at).then_some("step")}>
                <button type="button" class="link" onclick={press} lang={language_of(language)}>{ title }</button>
                if let Some(met) = met {
                    <small>{ format!(" · {}", met.how.words()) }</small>
                }
            </li>
        }
    };
    let start_again = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.start_again())
    };
    let all = match language_of(language) {
        Some(language) => format!("./?lessons&lang={language}"),
        None => "./?lessons".to_owned(),
    };
    html! {
        <details class="lesson-steps">
            <summary>{ "All steps" }</summary>
            { blocks(&player.lesson.words.goal, language, &|_| None) }
            <ol>{ for steps.map(step) }</ol>
            <p class="help">{ "Alt with ← and → goes from step to step, F6 comes back here." }</p>
            <div class="lesson-buttons">
                <button type="button" id="lesson-start-again" onclick={start_again}>{ "Start the lesson again" }</button>
                <a id="lesson-all" href={all}>{ "All lessons" }</a>
            </div>
        </details>
    }
}

/// Summary of what was done.
fn summary(player: &Player) -> String {
    let count = |how: How| {
        let steps = player.progress.steps.values();
        steps.filter(|it| it.how == how).count()
    };
    let mut parts = vec![format!(
        "{} of {} steps done",
        count(How::Did),
        player.count()
    )];
    for (how, words) in [(How::Shown, "shown"), (How::Skipped, "skipped")] {
        if count(how) > 0 {
            parts.push(format!("{} {words}", count(how)));
        }
    }
    format!("{}.", parts.join(", "))
}

/// Sentence in the place of a lesson.
fn noticed(desk: &Desk, notice: &Notice, language: &str, is_framed: bool) -> Html {
    let told = match notice {
        Notice::Coming => "The lesson is on its way.".to_owned(),
        Notice::NoLesson(name) => {
            format!("There is no lesson “{}”. These there are:", shortened(name))
        }
        Notice::NoStep(id) => format!(
            "The lesson has no step “{}”. These there are:",
            shortened(id)
        ),
        Notice::Unreachable => {
            "The lesson could not be fetched: reload the page when there is a network.".to_owned()
        }
    };
    let leave = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.close())
    };
    let lists = matches!(notice, Notice::NoLesson(_) | Notice::NoStep(_));
    html! {
        <aside id="lesson" class="panel lesson" aria-labelledby={HEADING} data-stage="notice">
            <header>
                <div class="lesson-tools">
                    if !is_framed {
                        <button type="button" class="quiet icon-only" id="lesson-leave" onclick={leave} aria-label="Close" title="Close">
                            <Icon name={IconName::Close} /></button>
                    }
                </div>
                <h2 id={HEADING} tabindex="-1">{ "Lesson" }</h2>
            </header>
            <div class="lesson-body">
                <p role="status" id="lesson-notice">{ told }</p>
                if lists {
                    <LessonList language={language.to_owned()} />
                }
            </div>
        </aside>
    }
}

/// The beginning of a name, which an address can make as long as it likes.
fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}
