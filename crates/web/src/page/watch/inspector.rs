//! View of a held-out example while the model learns. The worker computes only the view that is
//! shown.
//!
//! - here: the panel, its example and its tabs
//! - `network`: the whole model as a drawing
//! - `site`: one matrix, as a heat-map, as `lines` and in `words`; `overview`: all matrices as
//!   thumbnails
//! - `shares`: weights of the levels; `descent`: the path of a row down a pyramid
//! - `beside`: two runs at one sentence
//! - `cell`: the computation of one weight
//! - `rollout`: the tokens that a token comes from
//! - `probabilities`, `norms`: of the tokens, of the layers; `empty`: a sentence in place of a
//!   picture
//! - `caption`: sentences below a picture that is saved
//! - `muting`: parts that are muted; `forcing`: rows that are given weights; `timeline`: winding
//!   back

mod beside;
mod caption;
mod cell;
mod descent;
mod empty;
mod forcing;
mod lines;
mod muting;
mod network;
mod norms;
mod overview;
mod probabilities;
mod rollout;
mod shares;
mod site;
mod tabs;
mod timeline;
mod words;

pub use caption::{after, head_in_words};
pub use lines::lines;
pub use site::{display_controls, matrix_view};

use crate::by_pointer::ByPointer;
use crate::page::ask::passage::Passage;
use crate::page::base::foreign::{self, Languages, use_languages};
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::intent::Intent;
use crate::page::run::others::Others;
use crate::page::run::run_title::{RunTitle, use_run_title};
use crate::page::watch::drawing::{Drawing, Paint};
use crate::page::watch::exporting::{Content, Export, export_menu, of_sight};
use crate::state::level_weights::SharesHistory;
use crate::state::{FIRST_LOOK, Past};
use empty::empty;
use muting::Muting;
use std::rc::Rc;
use strata_session::protocol::{Part, Ready, Validation, View, ViewData, ViewRequest, ViewUpdate};
use strata_tasks::{Pipeline, TaskConfig};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SeeingProperties {
    /// The last view that the worker sent.
    pub sight: Option<ByPointer<ViewUpdate>>,
    /// The view that is asked for.
    pub look: ViewRequest,
    /// True if the worker is asked for any view.
    pub open: bool,
    pub examples: usize,
    pub shares: ByPointer<SharesHistory>,
    /// Earlier views of the requested kind.
    pub past: ByPointer<Past>,
    pub ready: Option<ByPointer<Ready>>,
    pub muted: ByPointer<Vec<Part>>,
    /// The validation with the muted parts left out.
    pub without: Option<Validation>,
    /// The last validation of the run.
    pub validation: Option<Validation>,
    /// Models that the present one can be compared with.
    pub others: Others,
    pub act: Callback<Intent>,
}

/// The example, the model's output for it, and the view in the chosen tab.
#[component]
pub fn Seeing(properties: &SeeingProperties) -> Html {
    let SeeingProperties {
        sight,
        look,
        open,
        examples,
        act,
        ..
    } = properties;
    let languages = use_languages();
    let run = use_run_title();
    let past = &properties.past;
    let moment = use_state_eq(|| None::<u64>);
    {
        // When the kind of view changes, the past begins anew and the timeline goes back to the
        // present.
        let moment = moment.clone();
        use_effect_with(past.count() < 2, move |is_new| {
            if *is_new {
                moment.set(None);
            }
        });
    }
    // The charts of shares show their own past, so the timeline does not apply to them.
    let winds = !matches!(look.view, View::Shares);
    let earlier = moment.filter(|_| winds);
    let earlier = earlier.and_then(|step| past.get(past.place(step)));
    let sight = earlier.map_or(sight.as_ref(), |(_, sight)| Some(sight));
    // A view of another tab may still come after the request has changed: it is not shown.
    let fits = |sight: &&ByPointer<ViewUpdate>| tabs::of(&sight.look.view) == tabs::of(&look.view);
    let shown = sight.filter(fits);
    let to_view = {
        let (act, example) = (act.clone(), look.example);
        Callback::from(move |view| act.emit(Intent::ViewRequest(ViewRequest { example, view })))
    };
    // Another model may have nothing to show in the chosen tab: then the first tab is chosen.
    let lacks = !tabs::has(tabs::of(&look.view), sight.map(|it| &**it)) && sight.is_some();
    {
        let to_view = to_view.clone();
        use_effect_with(lacks, move |lacks| {
            if *lacks {
                to_view.emit(FIRST_LOOK.view);
            }
        });
    }
    // A reader's answer is the first thing to look at.
    let ready = properties.ready.as_ref();
    let is_reader =
        ready.is_some_and(|it| it.experiment.task.pipeline() == Pipeline::QuestionAnswering);
    {
        let (to_view, open) = (to_view.clone(), *open);
        let is_first = look.view == FIRST_LOOK.view;
        use_effect_with(is_reader, move |is_reader| {
            if *is_reader && is_first && open {
                to_view.emit(View::Answer);
            }
        });
    }
    let told = sentences(sight.map(|it| &**it), languages);
    let is_drawn = matches!(look.view, View::Network { .. }) && shown.is_some();
    let toggle = {
        let (act, open) = (act.clone(), *open);
        Callback::from(move |_: MouseEvent| act.emit(Intent::Watching(!open)))
    };
    html! {
        <section class="panel watch" aria-labelledby="watch-title">
            <header>
                <h2 id="watch-title">{ "Inside the model" }</h2>
                if *examples > 0 {
                    { turn(look, *examples, act) }
                }
                <div class="watch-actions">
                    <button type="button" class="quiet" id="watching" aria-pressed={open.to_string()} onclick={toggle}
                        title="While nothing is shown, nothing is read, and training is a little faster">
                        { if *open { "Showing" } else { "Paused" } }
                    </button>
                    { shown.map(|sight| exports(sight, properties, &run)) }
                </div>
            </header>
            { muting::line(&muting(properties), properties.validation.as_ref()) }
            { tabs::tabs(&look.view, sight.map(|it| &**it), !properties.others.is_empty(), &to_view) }
            if !is_drawn && sight.is_some() {
                { told.clone() }
            }
            <div id="seeing" role="tabpanel" aria-labelledby={format!("tab-{}", tabs::of(&look.view))}
                class="seeing" data-view={tabs::of(&look.view)} data-step={shown.map(|it| it.step.to_string())}>
                { body(properties, shown, &to_view, told) }
            </div>
            if winds {
                <timeline::Timeline past={past.clone()} moment={*moment} to_moment={
                    let moment = moment.clone();
                    Callback::from(move |step| moment.set(step))
                } />
            }
        </section>
    }
}

fn muting(properties: &SeeingProperties) -> Muting {
    let ready = properties.ready.as_ref();
    Muting {
        parts: ready.map_or(Vec::new(), |ready| ready.parts.clone()),
        muted: (*properties.muted).clone(),
        without: properties.without,
        act: properties.act.clone(),
    }
}

/// Returns the content of the chosen tab.
fn body(
    properties: &SeeingProperties,
    shown: Option<&ByPointer<ViewUpdate>>,
    to_view: &Callback<View>,
    sentences: Html,
) -> Html {
    let Some(sight) = shown else {
        let lacks = properties
            .ready
            .as_ref()
            .is_some_and(|it| it.lacks.is_some());
        let words = match properties.open {
            true if lacks => match properties.ready.as_ref().map(|it| &it.experiment.task) {
                Some(TaskConfig::Poems(_)) => "Write a poem below: its last line is drawn here.",
                Some(task) if task.pipeline() == Pipeline::QuestionAnswering => {
                    "Ask a question below: what the model makes of it is drawn here."
                }
                _ => "Type a sentence below: what the model makes of it is drawn here.",
            },
            true => "What the model makes of a held-out example will be drawn here.",
            false => "Nothing is shown, and nothing is read: press Paused to go on.",
        };
        return empty(words);
    };
    let to_view = to_view.clone();
    match &sight.seen {
        ViewData::Sites(_) if matches!(sight.look.view, View::Overview) => {
            html! { <overview::Overview sight={sight.clone()} {to_view} /> }
        }
        ViewData::Sites(_) => {
            let muting = muting(properties);
            html! { <site::Site sight={sight.clone()} view={properties.look.view.clone()} {to_view} {muting} /> }
        }
        ViewData::Shares(_) => html! { <shares::Shares shares={properties.shares.clone()} /> },
        ViewData::Descent(Some(way)) => {
            let (muting, way) = (muting(properties), Rc::new(way.clone()));
            html! { <descent::Descent sight={sight.clone()} {way} {to_view} {muting} /> }
        }
        ViewData::Descent(None) => empty("The way down the pyramid will be drawn here."),
        ViewData::Probabilities(tokens) => probabilities::probabilities(sight, tokens),
        ViewData::Cell(Some(of)) => cell::cell(sight, of, &to_view, muting(properties)),
        ViewData::Cell(None) => empty("This model has no attention to show."),
        ViewData::Answer(answer) => {
            let right = Some(sight.reference.clone()).filter(|it| !it.is_empty());
            html! { <Passage id="watched" answer={answer.clone()} right={right.map(AttrValue::from)} /> }
        }
        ViewData::Norms(norms) => norms::norms(norms),
        ViewData::Beside(of) => {
            let (of, others) = (Rc::new(of.clone()), properties.others.clone());
            let (view, act) = (properties.look.view.clone(), properties.act.clone());
            html! { <beside::TwoRuns sight={sight.clone()} {of} {others} {view} {to_view} {act} /> }
        }
        ViewData::Rollout(of) => rollout::rollout(sight, of, &to_view),
        ViewData::Network(_) => match properties.ready.clone() {
            Some(ready) => {
                let muting = muting(properties);
                html! { <network::Network sight={sight.clone()} {ready} {to_view} {muting} {sentences} /> }
            }
            None => empty("The model will be drawn here."),
        },
    }
}

/// Returns the menu of files: of the present view, and of the views so far as a moving picture.
fn exports(sight: &ByPointer<ViewUpdate>, properties: &SeeingProperties, run: &RunTitle) -> Html {
    let draw = {
        let (ready, muted) = (properties.ready.clone(), properties.muted.clone());
        let (shares, run) = (properties.shares.clone(), run.words.clone());
        let examples = properties.examples;
        move |sight: &ViewUpdate| {
            let mut drawing = drawn(sight, ready.as_deref(), &muted, &shares);
            let told = caption::caption(sight, &run, examples, muted.len());
            drawing.caption(&told, Paint::Soft);
            drawing
        }
    };
    let mut exports = Vec::new();
    let has_no_picture = matches!(
        sight.seen,
        ViewData::Descent(None)
            | ViewData::Norms(_)
            | ViewData::Answer(_)
            | ViewData::Cell(_)
            | ViewData::Beside(_)
    );
    if !has_no_picture {
        let (pictured, past) = (sight.clone(), properties.past.clone());
        let (winds, later) = (past.count() > 1, draw.clone());
        exports = Export::picture(move || draw(&pictured));
        if winds && !matches!(sight.seen, ViewData::Shares(_)) {
            exports.push(Export::new("moving.svg", move || {
                Content::MovingSvg(spread(&past).map(&later).collect())
            }));
        }
    }
    let numbers = sight.clone();
    exports.push(Export::new("json", move || {
        Content::Json(of_sight(&numbers))
    }));
    export_menu("seeing", tabs::of(&sight.look.view), exports)
}

/// Returns earlier views in order, evenly spread, as many as a file may have.
fn spread(past: &Past) -> impl Iterator<Item = &ViewUpdate> {
    const MOST: usize = 40;
    let (count, last) = (past.count().min(MOST), past.count().saturating_sub(1));
    let places = (0..count).map(move |place| place * last / count.max(2).saturating_sub(1));
    places.filter_map(|place| past.get(place).map(|(_, sight)| &**sight))
}

/// Draws a view as a file shows it.
fn drawn(
    sight: &ViewUpdate,
    ready: Option<&Ready>,
    muted: &[Part],
    shares: &SharesHistory,
) -> Drawing {
    match (&sight.seen, ready) {
        (ViewData::Sites(_), _) => site::picture(sight),
        (ViewData::Shares(_), _) => shares::picture(shares),
        (ViewData::Descent(_), _) => descent::picture(sight, muted),
        (ViewData::Probabilities(_), _) => probabilities::picture(sight),
        (ViewData::Rollout(_), _) => rollout::picture(sight),
        (ViewData::Network(_), Some(ready)) => network::picture(sight, ready, muted),
        (ViewData::Network(_), None)
        | (ViewData::Norms(_) | ViewData::Answer(_) | ViewData::Cell(_) | ViewData::Beside(_), _) => {
            Drawing::new("Nothing", 100.0, 100.0)
        }
    }
}

/// Returns the number of the held-out example, with buttons to the previous and the next.
fn turn(look: &ViewRequest, examples: usize, act: &Callback<Intent>) -> Html {
    let example = look.example;
    let last = examples.saturating_sub(1);
    let turn = |words: &'static str, id: &'static str, icon, to: usize| {
        let look = ViewRequest {
            example: to,
            ..look.clone()
        };
        let turn = act.reform(move |_: MouseEvent| Intent::ViewRequest(look.clone()));
        html! {
            <button type="button" class="quiet icon-only" {id} onclick={turn} aria-label={words} title={words}>
                <Icon name={icon} />
            </button>
        }
    };
    let before = if example == 0 { last } else { example - 1 };
    let after = if example >= last { 0 } else { example + 1 };
    html! {
        <div class="turn">
            { turn("The example before", "example-before", IconName::Left, before) }
            <span><span class="held-out">{ "held-out example " }</span><b id="example" translate="no">{ format::count(example as u64 + 1) }</b>
                { " of " }<b translate="no">{ format::count(examples as u64) }</b></span>
            { turn("The next example", "example-after", IconName::Right, after) }
        </div>
    }
}

/// Returns source, output and reference of the example.
fn sentences(sight: Option<&ViewUpdate>, Languages { source, target }: Languages) -> Html {
    let line = |name: &'static str, text: String, lang: Option<&'static str>, class: Classes| {
        html! {
            <><dt>{ name }</dt><dd class={classes!("tokens", class)} tabindex="0" dir="auto" translate="no" {lang}>{ text }</dd></>
        }
    };
    let text = |of: fn(&ViewUpdate) -> String| sight.map_or_else(String::new, of);
    let right = sight.is_some_and(|it| it.is_right);
    let names = match sight.is_some_and(tabs::reads) {
        true => ["Question", "Model", "Right answer"],
        false => ["Source", "Model", "Reference"],
    };
    html! {
        <>
        <dl class="sentences">
            { line(names[0], text(|it| it.source.join(" ")), source, classes!()) }
            { line(names[1], text(|it| foreign::or_nothing(&it.text).to_owned()), target, classes!("written", right.then_some("right"))) }
            // A sentence that a user typed has no reference.
            if sight.is_none_or(|it| !it.reference.is_empty()) {
                { line(names[2], text(|it| it.reference.clone()), target, classes!()) }
            }
        </dl>
        if let Some(sight) = sight.filter(|it| !it.unknown.is_empty()) {
            <p class="note" id="watched-unknown">{ foreign::unknown(&sight.unknown) }</p>
        }
        </>
    }
}
