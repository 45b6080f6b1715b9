//! A step's runs of a whole class in one picture, as seeds of one experiment.

use crate::by_pointer::ByPointer;
use crate::page::base::quantity::Quantity;
use crate::page::lesson::code::experiments;
use crate::page::lesson::in_class::jobs::{Place, Reason, experiment};
use crate::page::lesson::in_class::reading::{Class, listed};
use crate::page::lesson::in_class::seeds::{Curve, is_possible, one_a_seed, spreads, told};
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::{Progress, StepRecord};
use crate::page::watch::curves::Together;
use crate::page::watch::drawing::OnPage;
use crate::page::watch::exporting::{Export, export_menu};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use strata_lessons::{Compiled, Step, Unit, Value, number, plain, written};
use strata_training::Experiment;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The most points of a curve: no run of a lesson is validated more often.
const MOST_POINTS: usize = 1000;

/// Quantity that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measured {
    Accuracy,
    Loss,
    TrainingLoss,
}

impl Measured {
    const ALL: [Self; 3] = [Self::Accuracy, Self::Loss, Self::TrainingLoss];

    fn title(self) -> &'static str {
        match self {
            Self::Accuracy => "Accuracy on new examples",
            Self::Loss => "Loss on new examples",
            Self::TrainingLoss => "Loss of single training steps",
        }
    }

    fn quantity(self) -> Quantity {
        match self {
            Self::Accuracy => Quantity::Accuracy,
            Self::Loss | Self::TrainingLoss => Quantity::Loss,
        }
    }

    fn written(self, value: f64, language: &str) -> String {
        let unit = match self {
            Self::Accuracy => Unit::Share,
            Self::Loss | Self::TrainingLoss => Unit::Number,
        };
        written(&Value::Number(value), unit, language)
    }
}

/// Curves of a step, and the names of learners without a curve.
#[derive(Default)]
struct Runs {
    curves: Vec<Curve>,
    /// Learners whose run is of another experiment.
    others: Vec<String>,
    /// Learners whose receipt cannot be read, or has values that nothing can have.
    broken: Vec<String>,
    /// Learners whose run was repeated and came out otherwise.
    refuted: Vec<String>,
}

#[derive(Properties, PartialEq)]
pub struct PictureProperties {
    pub class: ByPointer<Class>,
    /// Number of the lesson in the class.
    pub lesson: usize,
    /// Places of runs that a check has found not to be what they are said to be.
    pub refuted: BTreeSet<Place>,
}

/// The picture of a lesson's step, with a choice of steps and quantities.
#[component]
pub fn Picture(properties: &PictureProperties) -> Html {
    let PictureProperties {
        class,
        lesson,
        refuted,
    } = properties;
    let lesson = &class.lessons[*lesson];
    let language = &lesson.language;
    let says = |english| label(language, english);
    let chosen = use_state_eq(|| (None::<String>, None::<&'static str>));
    let own = use_memo((class.clone(), lesson.name.clone()), |_| {
        experiments(lesson)
    });
    let steps = lesson.lesson.steps.iter();
    let steps: Vec<&Step> = steps.filter(|it| has_curves(class, lesson, it)).collect();
    let step = steps.iter().find(|it| Some(&it.id) == chosen.0.as_ref());
    let Some(step) = step.or(steps.first()).copied() else {
        return Html::default();
    };
    let all = Measured::ALL.map(|it| (it, runs(class, lesson, step, it, &own, refuted)));
    let longest = |runs: &Runs| {
        runs.curves
            .iter()
            .map(|it| it.points.len())
            .max()
            .unwrap_or(0)
    };
    let offered: Vec<Measured> = all
        .iter()
        .filter(|it| longest(&it.1) > 0)
        .map(|it| it.0)
        .collect();
    let is_chosen = |it: &&(Measured, Runs)| Some(it.0.title()) == chosen.1 && longest(&it.1) > 0;
    // A line needs two points: a run without two validations is drawn by its training steps.
    let (measured, runs) = all
        .iter()
        .find(is_chosen)
        .unwrap_or_else(|| all.iter().find(|it| longest(&it.1) > 1).unwrap_or(&all[0]));
    let title = |step: &Step| {
        let words = lesson.words.steps.get(&step.id);
        words.map_or_else(|| step.id.clone(), |it| plain(&it.title))
    };
    let drawing = Rc::new(together(*measured, runs, &title(step), language));
    let choose_step = {
        let (chosen, ids) = (chosen.clone(), steps.iter().map(|it| it.id.clone()));
        let ids: Vec<String> = ids.collect();
        Callback::from(move |event: Event| {
            let at = event
                .target_unchecked_into::<HtmlSelectElement>()
                .selected_index();
            let id = usize::try_from(at).ok().and_then(|at| ids.get(at).cloned());
            chosen.set((id, None));
        })
    };
    let choose_measured = {
        let (chosen, offered, id) = (chosen.clone(), offered.clone(), step.id.clone());
        Callback::from(move |event: Event| {
            let at = event
                .target_unchecked_into::<HtmlSelectElement>()
                .selected_index();
            let found = usize::try_from(at).ok().and_then(|at| offered.get(at));
            chosen.set((Some(id.clone()), found.map(|it| it.title())));
        })
    };
    let exports = {
        let drawing = drawing.clone();
        Export::picture(move || drawing.drawing())
    };
    let name = format!("strata-class-{}-{}", lesson.name, step.id);
    html! {
        <div class="class-picture" id={format!("class-picture-{}", lesson.name)}>
            <h4>{ says("All runs in one picture") }</h4>
            <div class="class-choices">
                <label>{ says("Step") }
                    <select onchange={choose_step}>
                        { for steps.iter().map(|it| html! { <option selected={it.id == step.id}>{ title(it) }</option> }) }
                    </select></label>
                <label>{ says("Drawn") }
                    <select onchange={choose_measured}>
                        { for offered.iter().map(|it| html! { <option selected={it == measured}>{ says(it.title()) }</option> }) }
                    </select></label>
                { export_menu(&format!("class-{}", lesson.name), &name, exports) }
            </div>
            { for sentences(*measured, runs, language).into_iter().map(|it| html! { <p class="class-said">{ it }</p> }) }
            <figure class="class-chart">{ drawing.without_caption().view() }</figure>
        </div>
    }
}

/// True if any learner has a run of a step.
fn has_curves(class: &Class, lesson: &Compiled, step: &Step) -> bool {
    met(class, lesson, step)
        .any(|(_, progress, met)| met.receipt.is_some() || kept(progress, step).is_some())
}

/// Returns what each learner has done at a step.
fn met<'a>(
    class: &'a Class,
    lesson: &'a Compiled,
    step: &'a Step,
) -> impl Iterator<Item = (usize, &'a Progress, &'a StepRecord)> {
    class
        .learners
        .iter()
        .enumerate()
        .filter_map(|(at, learner)| {
            let progress = learner.lessons.get(&lesson.name)?;
            let met = progress.steps.get(&step.id)?;
            let is_present = progress.version == lesson.lesson.version;
            is_present.then_some((at, progress, met))
        })
}

/// Returns the kept run of a step that trains.
fn kept<'a>(progress: &'a Progress, step: &Step) -> Option<&'a strata_lessons::Run> {
    let trains = step.action.trains();
    progress.runs.get(&step.setup.experiment).filter(|_| trains)
}

/// Returns the curves of a step.
fn runs(
    class: &Class,
    lesson: &Compiled,
    step: &Step,
    measured: Measured,
    own: &[Experiment],
    refuted: &BTreeSet<Place>,
) -> Runs {
    let mut runs = Runs::default();
    // Experiments that learners have trained, each with its curves.
    let mut groups: BTreeMap<String, Vec<Curve>> = BTreeMap::new();
    let of_step = lesson.lesson.experiment(&step.setup.experiment);
    for (learner, progress, met) in met(class, lesson, step) {
        let name = &class.learners[learner].name;
        if refuted.contains(&(learner, lesson.name.clone(), step.id.clone())) {
            runs.refuted.push(name.to_owned());
            continue;
        }
        let (trained, points) = match (&met.receipt, kept(progress, step)) {
            (Some(receipt), _) => match experiment(receipt, own) {
                Ok(trained) => (trained, points_of_receipt(receipt, measured)),
                Err(Reason::OtherExperiment) => {
                    runs.others.push(name.to_owned());
                    continue;
                }
                Err(_) => {
                    runs.broken.push(name.to_owned());
                    continue;
                }
            },
            (None, Some(run)) => {
                let Some(mut trained) = of_step.clone() else {
                    continue;
                };
                trained.seed = progress.seed.unwrap_or(trained.seed);
                (trained, points_of_run(run, measured))
            }
            (None, None) => continue,
        };
        let is_share = measured.quantity().is_share();
        let ascends = points.windows(2).all(|it| it[0].0 < it[1].0);
        if !ascends
            || points.len() > MOST_POINTS
            || points.iter().any(|it| !is_possible(it.1, is_share))
        {
            runs.broken.push(name.to_owned());
            continue;
        }
        if points.is_empty() {
            continue;
        }
        let seed = trained.seed;
        groups.entry(kind(trained)).or_default().push(Curve {
            name: name.to_owned(),
            seed,
            points,
        });
    }
    let most = groups.values().map(Vec::len).max().unwrap_or(0);
    for curves in groups.into_values() {
        if runs.curves.is_empty() && curves.len() == most {
            runs.curves = curves;
        } else {
            runs.others.extend(curves.into_iter().map(|it| it.name));
        }
    }
    runs
}

/// Returns a text that is the same for runs of one experiment, whatever their seeds and lengths.
fn kind(mut experiment: Experiment) -> String {
    (experiment.seed, experiment.training.steps) = (0, 0);
    format!("{experiment:?}")
}

fn points_of_receipt(
    receipt: &strata_session::receipt::Receipt,
    measured: Measured,
) -> Vec<(u64, f64)> {
    let validations = receipt.validations.iter();
    match measured {
        Measured::Accuracy => validations.map(|it| (it.0, it.2)).collect(),
        Measured::Loss => validations.map(|it| (it.0, it.1)).collect(),
        // A short code has the ends alone, and a straight line between these would be no curve.
        Measured::TrainingLoss if receipt.is_short() => {
            receipt.training.last().copied().into_iter().collect()
        }
        Measured::TrainingLoss => receipt.training.clone(),
    }
}

fn points_of_run(run: &strata_lessons::Run, measured: Measured) -> Vec<(u64, f64)> {
    let validations = run.validations.iter();
    match measured {
        Measured::Accuracy => validations.map(|it| (it.step, it.accuracy)).collect(),
        Measured::Loss => validations.map(|it| (it.step, it.loss)).collect(),
        Measured::TrainingLoss => run.training.iter().map(|it| (it.0, it.1)).collect(),
    }
}

/// Returns what the picture shows, in sentences: the spread of the seeds, and what is not drawn.
fn sentences(measured: Measured, runs: &Runs, language: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let seeds = one_a_seed(&runs.curves);
    let spreads = spreads(&seeds);
    let value = |value: f64| measured.written(value, language);
    let [lines, count] = [runs.curves.len(), seeds.len()].map(|it| it.to_string());
    if let Some(told) = told(&spreads) {
        let step = number::count(told.step);
        let quantity = label(language, measured.title());
        sentences.push(match told.deviation {
            Some(deviation) => filled(
                language,
                "{}, after step {}: n = {} seeds, mean {} ± {} (standard deviation), from {} to {}.",
                &[
                    quantity,
                    &step,
                    &told.count.to_string(),
                    &value(told.mean),
                    &value(deviation),
                    &value(told.lowest),
                    &value(told.highest),
                ],
            ),
            None => filled(
                language,
                "{}, after step {}: {}. That is one seed, so nothing can be said of chance; “Each learner gets another seed” is among the choices of the link above.",
                &[quantity, &step, &value(told.mean)],
            ),
        });
    }
    if runs.curves.len() > seeds.len() && seeds.len() > 1 {
        sentences.push(filled(
            language,
            "{} hand-ins have {} different seeds: runs of one seed count once.",
            &[&lines, &count],
        ));
    }
    if !runs.others.is_empty() {
        sentences.push(filled(
            language,
            "Not drawn, for they have trained another experiment: {}.",
            &[&listed(&runs.others)],
        ));
    }
    if !runs.refuted.is_empty() {
        sentences.push(filled(
            language,
            "Not drawn, for the run came out otherwise when it was repeated: {}.",
            &[&listed(&runs.refuted)],
        ));
    }
    if !runs.broken.is_empty() {
        sentences.push(filled(
            language,
            "Not drawn, for what was handed in cannot be read, or has values that no run has: {}.",
            &[&listed(&runs.broken)],
        ));
    }
    sentences
}

/// Returns the picture of runs.
fn together(measured: Measured, runs: &Runs, step: &str, language: &str) -> Together {
    let says = |english| label(language, english).to_owned();
    let seeds = one_a_seed(&runs.curves);
    let spreads = spreads(&seeds);
    let is_spread = seeds.len() > 1;
    let heading = says(measured.title());
    let count = seeds.len().to_string();
    let sentences = sentences(measured, runs, language);
    Together {
        title: format!("{step}: {heading}"),
        heading,
        steps: says("training steps"),
        quantity: measured.quantity(),
        lines: seeds.iter().map(|it| it.points.clone()).collect(),
        mean: spreads
            .iter()
            .filter(|_| is_spread)
            .map(|it| (it.step, it.mean))
            .collect(),
        interval: spreads
            .iter()
            .filter_map(|it| it.interval().map(|(low, high)| (it.step, low, high)))
            .collect(),
        legend: [
            if is_spread {
                filled(language, "each of {} seeds", &[&count])
            } else {
                says("one seed")
            },
            says("mean"),
            says("95 % interval of the mean"),
        ],
        caption: [format!("{step}.")]
            .into_iter()
            .chain(sentences.into_iter().take(1))
            .collect(),
    }
}
