//! Buttons to other steps, and those for the whole lesson.

use crate::page::lesson::controller::LessonController;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::player::{Player, Stage};
use crate::page::lesson::progress::{Completion, Progress};
use crate::page::lesson::summary;
use crate::page::lesson::words::{blocks, language_of, line};
use strata_lessons::Step;
use yew::prelude::*;

/// Renders the buttons: back, set up again, skip, next.
pub(super) fn onwards(player: &Player, controller: &LessonController) -> Html {
    let at = player.at;
    let says = |english| label(&player.lesson.language, english);
    let is_strict = controller.rules().is_strict;
    let to = |number: usize| {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.open_asked(number))
    };
    let skip = {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.skip())
    };
    let is_done = player.stage == Stage::Done;
    let is_free = player.stage == Stage::Free;
    let was_met = player
        .step_record()
        .is_some_and(|it| it.how != Completion::Skipped);
    html! {
        <div class="lesson-buttons lesson-onwards">
            if at > 0 {
                <button type="button" id="lesson-back" onclick={to(at - 1)}>{ says("Back") }</button>
            }
            if !is_free {
                { again(player, controller, "Set up again") }
                if is_done || was_met {
                    <button type="button" id="lesson-next" class={is_done.then_some("primary")} onclick={to(at + 1)}>{ says("Next") }</button>
                } else if !is_strict {
                    <button type="button" id="lesson-skip" onclick={skip}>{ says("Skip") }</button>
                }
            }
        </div>
    }
}

pub(super) fn again(player: &Player, controller: &LessonController, words: &'static str) -> Html {
    let (controller, at) = (controller.clone(), player.at);
    let press = Callback::from(move |_: MouseEvent| controller.open(at));
    let words = label(&player.lesson.language, words);
    html! { <button type="button" class="lesson-again" onclick={press}>{ words }</button> }
}

/// Renders the choice of a step, and what concerns the whole lesson.
pub(super) fn further(player: &Player, controller: &LessonController) -> Html {
    let language = &player.lesson.language;
    let says = |english| label(language, english);
    let rules = controller.rules();
    let furthest = if rules.is_strict {
        player.furthest()
    } else {
        player.count()
    };
    let steps = player.lesson.lesson.steps.iter().enumerate();
    let step = |(number, step): (usize, &Step)| {
        let words = player.lesson.words.steps.get(&step.id);
        let title = words.map(|it| line(&it.title, language, &|_| None));
        let met = player.progress.steps.get(&step.id);
        let controller = controller.clone();
        let press = Callback::from(move |_: MouseEvent| controller.open_asked(number));
        html! {
            <li aria-current={(number == player.at).then_some("step")}>
                <button type="button" class="link" onclick={press} lang={language_of(language)}
                    disabled={number > furthest}>{ title }</button>
                if let Some(met) = met {
                    <small>{ format!(" · {}", says(met.how.words())) }</small>
                }
            </li>
        }
    };
    let start_again = {
        let controller = controller.clone();
        Callback::from(move |_: MouseEvent| controller.start_again())
    };
    let all = format!("./{}", rules.list(language));
    let summary = to_summary(player, controller);
    html! {
        <details class="lesson-steps">
            <summary>{ says("All steps") }</summary>
            { blocks(&player.lesson.words.goal, language, &|_| None) }
            <ol>{ for steps.map(step) }</ol>
            <p class="help">{ says("Alt with ← and → goes from step to step, F6 comes back here.") }</p>
            <div class="lesson-buttons">
                <button type="button" id="lesson-start-again" onclick={start_again}>{ says("Start the lesson again") }</button>
                if player.stage != Stage::Free {
                    { summary }
                }
                <a id="lesson-all" href={all}>{ says("All lessons") }</a>
            </div>
        </details>
    }
}

/// Renders the link to the summary that can be printed.
pub(super) fn to_summary(player: &Player, controller: &LessonController) -> Html {
    let (language, rules) = (&player.lesson.language, controller.rules());
    let address = summary::address(&player.lesson.name, language, &rules);
    // In a frame the summary opens in another tab, so that the lesson stays.
    let is_framed = controller
        .address()
        .is_some_and(|address| address.is_framed);
    let target = is_framed.then_some("_blank");
    html! {
        <a id="lesson-summary" href={format!("./{address}")} {target}>{ label(language, "Summary to print or hand in") }</a>
    }
}

/// Writes how many of the steps were done, shown or skipped.
pub fn steps_done(progress: &Progress, steps: usize, language: &str) -> String {
    let count = |how: Completion| {
        let steps = progress.steps.values();
        steps.filter(|it| it.how == how).count()
    };
    let number = |count: usize| count.to_string();
    let done = [number(count(Completion::Did)), number(steps)];
    let mut parts = vec![filled(
        language,
        "{} of {} steps done",
        &[&done[0], &done[1]],
    )];
    for (how, words) in [
        (Completion::Shown, "{} shown"),
        (Completion::Skipped, "{} skipped"),
    ] {
        if count(how) > 0 {
            parts.push(filled(language, words, &[&number(count(how))]));
        }
    }
    format!("{}.", parts.join(", "))
}
