//! Ways to other steps, and what concerns the whole lesson.

use crate::page::lesson::desk::Desk;
use crate::page::lesson::player::{Player, Stage};
use crate::page::lesson::progress::How;
use crate::page::lesson::words::{blocks, language_of, line};
use strata_lessons::Step;
use yew::prelude::*;

/// Back, set up again, skip, next.
pub(super) fn onwards(player: &Player, desk: &Desk) -> Html {
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

pub(super) fn again(player: &Player, desk: &Desk, words: &'static str) -> Html {
    let (desk, at) = (desk.clone(), player.at);
    let press = Callback::from(move |_: MouseEvent| desk.open(at));
    html! { <button type="button" class="lesson-again" onclick={press}>{ words }</button> }
}

/// Steps to choose from, and what concerns the whole lesson.
pub(super) fn further(player: &Player, desk: &Desk) -> Html {
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
pub(super) fn summary(player: &Player) -> String {
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
