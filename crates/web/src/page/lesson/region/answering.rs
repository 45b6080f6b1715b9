//! Guess, action and answer of a step.

use super::onwards::again;
use crate::page::base::format;
use crate::page::lesson::controller::LessonController;
use crate::page::lesson::guess::GuessForm;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::player::{Player, Stage};
use crate::page::lesson::pointing;
use crate::page::lesson::rules::ShowPolicy;
use crate::page::lesson::values::guessed;
use crate::page::lesson::words::text;
use crate::page::run::intent::Intent;
use crate::sentence::sentence;
use strata_lessons::{Action, Offer, Step, StepWords, Unit, written};
use strata_session::protocol::Activity;
use yew::prelude::*;

/// The most rows of a map that are described in words.
const ROWS: usize = 40;

/// Returns the line that tells how far the set-up is.
pub(super) fn coming(player: &Player, controller: &LessonController) -> Html {
    let language = &player.lesson.language;
    let says = |english| label(language, english);
    match &player.stage {
        Stage::Training(to) => {
            let (step, of) = (player.step.min(*to), *to);
            html! {
                <div class="lesson-coming">
                    <p>{ filled(language, if player.prepares_other() { "This step compares with another run of {} steps, which is trained first: " } else { "This step looks at a model after {} steps. It is being trained: " }, &[&format::count(of)]) }
                        <span translate="no">{ format::count(step) }</span>{ "." }</p>
                    <progress max={of.to_string()} value={step.to_string()} aria-label={says("Steps taken for the set-up")} />
                </div>
            }
        }
        Stage::Opening | Stage::GoingOn | Stage::AwaitingView { .. } => {
            html! { <p class="lesson-coming">{ says("The experiment is being set up.") }</p> }
        }
        Stage::Refused(reason) => {
            let again = again(player, controller, "Set up again");
            html! {
                <div class="lesson-coming" role="alert">
                    <p>{ filled(language, "This step could not be set up: {}", &[&sentence(reason)]) }</p>
                    <div class="lesson-buttons">{ again }</div>
                </div>
            }
        }
        _ => Html::default(),
    }
}

/// Renders the form of the guess, or the guess that was made.
pub(super) fn guess(
    player: &Player,
    step: &Step,
    words: &StepWords,
    controller: &LessonController,
) -> Html {
    let language = &player.lesson.language;
    let before = |name: &str| player.text(name, false);
    let Some(guess) = &step.guess else {
        return Html::default();
    };
    let question = words.sections.get("guess");
    let question = question.map_or_else(Html::default, |it| text(it, language, &before));
    if player.stage == Stage::Guess {
        let take = {
            let controller = controller.clone();
            Callback::from(move |value| controller.guess(value))
        };
        let skip = {
            let controller = controller.clone();
            Callback::from(move |()| controller.skip_guess())
        };
        return html! {
            <GuessForm key={step.id.clone()} {question} guess={guess.clone()} options={words.options.clone()}
                language={language.clone()} places={player.places()} {take} {skip} />
        };
    }
    // The verdict shows the guess again, beside what was measured.
    let guess = player
        .guess
        .as_ref()
        .filter(|_| player.measured().is_none());
    let Some(value) = guess else {
        return html! { <div class="lesson-guessed">{ question }</div> };
    };
    html! {
        <div class="lesson-guessed">
            { question }
            <p>{ label(language, "Your guess: ") }<b class="value">{ guessed(step, words, language, value) }</b></p>
        </div>
    }
}

/// Describes the map in words, for those who do not see it.
pub(super) fn picture(player: &Player) -> Html {
    let language = &player.lesson.language;
    let rows = player.rows();
    if rows.is_empty() {
        return Html::default();
    }
    let row = |(row, column, weight): &(String, String, f64)| {
        let weight = written(&(*weight).into(), Unit::Number, language);
        let parts = [row.as_str(), column.as_str(), weight.as_str()];
        html! { <li>{ filled(language, "row {}: strongest {}, {}", &parts) }</li> }
    };
    html! {
        <div class="unseen" id="lesson-picture">
            <p>{ label(language, "The map in words:") }</p>
            <ul translate="no">{ for rows.iter().take(ROWS).map(row) }</ul>
        </div>
    }
}

/// Renders the buttons of the action: one leads to its control, one has the action shown.
pub(super) fn doing(
    player: &Player,
    step: &Step,
    controller: &LessonController,
    act: &Callback<Intent>,
) -> Html {
    let language = &player.lesson.language;
    let says = |english| label(language, english);
    let is_shown = match controller.rules().show {
        ShowPolicy::WithHint => player.is_hinted || player.is_late,
        ShowPolicy::Always => true,
        ShowPolicy::AfterTwo => player.is_late || player.is_tried(),
        ShowPolicy::Never => false,
    };
    let go = player
        .highlighted()
        .map(|it| to(language, it, "lesson-go", ""));
    let show = {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.show_how())
    };
    let measure = match &step.action {
        Action::Bench(names) => {
            let names = names.clone();
            let press = act.reform(move |_: MouseEvent| Intent::Bench(names.clone()));
            html! { <button type="button" id="lesson-measure" class="primary" onclick={press}>{ says("Measure") }</button> }
        }
        _ => Html::default(),
    };
    let trains = player.activity == Activity::Training && step.action.trains();
    let chip = match &step.action {
        Action::Translate(text) => {
            let words = text.clone();
            let press = Callback::from(move |_: MouseEvent| pointing::fill_in(&words));
            html! {
                <p class="lesson-chip">{ says("Fill it in: ") }
                    <button type="button" id="lesson-fill" class="sample" translate="no" onclick={press}>{ text }</button></p>
            }
        }
        _ => Html::default(),
    };
    html! {
        <>
            { chip }
            if trains {
                <p class="lesson-coming">{ says("It trains: read on meanwhile.") }</p>
            }
            <div class="lesson-buttons">
                { measure }
                if !matches!(step.action, Action::Bench(_)) {
                    { go }
                }
                if !trains && is_shown {
                    <button type="button" id="lesson-show" class="link" onclick={show}>{ says("Show me") }</button>
                }
            </div>
        </>
    }
}

/// Renders the button that leads to the panel which the step's training has changed.
pub(super) fn to_changed(player: &Player) -> Html {
    let changed = player.changing();
    changed.map_or_else(Html::default, |it| {
        to(&player.lesson.language, it.to_owned(), "lesson-see", "link")
    })
}

/// Renders the button that leads to the element of this id.
fn to(language: &str, target: String, id: &'static str, class: &'static str) -> Html {
    let name = label(language, pointing::name(&target));
    let words = filled(language, "Go to {}", &[name]);
    let go = Callback::from(move |_: MouseEvent| pointing::go_to(&target));
    html! { <button type="button" {id} {class} onclick={go}>{ words }</button> }
}

/// Renders the text and the offers if training is late.
pub(super) fn late(
    player: &Player,
    step: &Step,
    words: &StepWords,
    controller: &LessonController,
) -> Html {
    let language = &player.lesson.language;
    let says = |english| label(language, english);
    let own = words.sections.get("late");
    let said = match own {
        Some(own) => text(own, language, &|name| player.text(name, false)),
        None if player.activity == Activity::Diverged => html! {
            <p>{ says("The loss is no longer a number, and the run has stopped. Begin again with the lesson's seed, or skip this step.") }</p>
        },
        None => html! {
            <p>{ filled(language, "The run is at its end, after {} steps, and is not there. Train on, begin again, or skip this step.",
                &[&format::count(player.step)]) }</p>
        },
    };
    let offers = step.late.as_ref().map(|it| it.offer.clone());
    let offers = offers.unwrap_or_else(|| vec![Offer::Restart]);
    let offers = offers.into_iter().filter(|it| match it {
        Offer::Recorded => player.recorded().is_some(),
        Offer::Show => controller.rules().show != ShowPolicy::Never,
        Offer::Train(_) | Offer::Restart => true,
    });
    let offers = offers.filter(|it| {
        let is_over = player.activity == Activity::Diverged;
        !(is_over && matches!(it, Offer::Train(_)))
    });
    let button = |offer: Offer| {
        let label = match offer {
            Offer::Train(steps) => filled(language, "Train {} more", &[&format::count(steps)]),
            Offer::Restart => says("Start again").to_owned(),
            Offer::Recorded => says("Take the recorded model").to_owned(),
            Offer::Show => says("Show me").to_owned(),
        };
        let controller = controller.clone();
        let press = Callback::from(move |_: MouseEvent| controller.accept_offer(offer));
        html! { <button type="button" class="offer" onclick={press}>{ label }</button> }
    };
    html! {
        <div class="lesson-hint lesson-late">
            { said }
            <div class="lesson-buttons">{ for offers.map(button) }</div>
        </div>
    }
}

/// Renders the explanation.
pub(super) fn outcome(player: &Player, words: &StepWords) -> Html {
    let Some(name) = player.outcome() else {
        return Html::default();
    };
    let language = &player.lesson.language;
    let after = |name: &str| player.text(name, true);
    html! {
        <div class="lesson-outcome">
            if let Some(said) = words.sections.get(name) {
                { text(said, language, &after) }
            }
        </div>
    }
}
