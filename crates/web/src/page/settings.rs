//! The experiment in detail: a draft that becomes the experiment when it is applied.

use crate::page::app::Intent;
use crate::page::fields::{Number, Select};
use crate::page::model_settings::ModelSettings;
use crate::sentence::sentence;
use crate::shared::Shared;
use strata_models::{ModelConfig, Seq2SeqConfig, TransformerConfig};
use strata_training::{Experiment, TrainingConfig};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SettingsProperties {
    pub experiment: Shared<Experiment>,
    pub act: Callback<Intent>,
}

/// The panel, closed at first.
#[component]
pub fn Settings(properties: &SettingsProperties) -> Html {
    let SettingsProperties { experiment, act } = properties;
    let draft = use_state_eq(|| (**experiment).clone());
    {
        let draft = draft.clone();
        use_effect_with(experiment.clone(), move |experiment| {
            draft.set((**experiment).clone());
        });
    }
    let complaint = complaint(&draft);
    let changed = *draft != **experiment;
    let apply = {
        let (draft, act) = (draft.clone(), act.clone());
        let possible = changed && complaint.is_none();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if possible {
                act.emit(Intent::Apply(Box::new((*draft).clone())));
            }
        })
    };
    let set_model = {
        let draft = draft.clone();
        Callback::from(move |model| {
            draft.set(Experiment {
                model,
                ..(*draft).clone()
            });
        })
    };
    let set_architecture = set_model.reform(|name: String| match name.as_str() {
        "seq2seq" => ModelConfig::Seq2Seq(Seq2SeqConfig::default()),
        _ => ModelConfig::Transformer(TransformerConfig::default()),
    });
    let architecture = draft.model.name();
    let note = match (&complaint, changed) {
        (Some(complaint), _) => sentence(complaint),
        (None, true) => "Applying starts the run again from step 0.".to_owned(),
        (None, false) => "These are the settings of the present run.".to_owned(),
    };
    html! {
        <details class="panel settings">
            <summary><h2>{ "Settings" }</h2><span>{ "architecture, mechanisms, training" }</span></summary>
            <form onsubmit={apply} novalidate=true>
                <div class="fields">
                    <Select id="architecture" label="Architecture" value={architecture}
                        options={vec![("transformer".into(), "Transformer".into()), ("seq2seq".into(), "Recurrent, with attention".into())]}
                        onchange={set_architecture}
                        help="Attention alone (Vaswani et al. 2017), or recurrent networks with attention between them (Bahdanau et al. 2015)." />
                    { training_fields(&draft) }
                </div>
                <ModelSettings model={draft.model.clone()} onchange={set_model} />
                <div class="apply">
                    <button type="submit" id="apply" class="primary"
                        aria-disabled={(!changed || complaint.is_some()).to_string()}>{ "Apply" }</button>
                    <p id="settings-note" role="status" class={classes!(complaint.map(|_| "complaint"))}>{ note }</p>
                </div>
            </form>
        </details>
    }
}

/// Why this cannot be trained, if it cannot. The task is a preset's, and in order.
fn complaint(draft: &Experiment) -> Option<String> {
    let model = draft.model.check().err().map(|error| error.to_string());
    model.or_else(|| Some(draft.training.check().err()?.to_string()))
}

fn training_fields(draft: &UseStateHandle<Experiment>) -> Html {
    let set = |change: fn(&mut TrainingConfig, f64)| {
        let draft = draft.clone();
        Callback::from(move |value: f64| {
            let mut experiment = (*draft).clone();
            change(&mut experiment.training, value);
            draft.set(experiment);
        })
    };
    let training = &draft.training;
    html! {
        <>
            <Number id="batch-size" label="Batch size" value={training.batch_size as f64} maximum={1024.0}
                onchange={set(|training, value| training.batch_size = value as usize)}
                help="Sentences a step." />
            <Number id="learning-rate" label="Learning rate" value={training.optimizer.learning_rate} minimum={0.0} step="any"
                onchange={set(|training, value| training.optimizer.learning_rate = value)}
                help="At its peak, of AdamW (Loshchilov and Hutter 2019)." />
            <Number id="steps" label="Steps" value={training.steps as f64}
                onchange={set(|training, value| training.steps = value as u64)}
                help="The learning rate’s schedule ends here." />
            <Number id="label-smoothing" label="Label smoothing" value={training.label_smoothing} minimum={0.0} maximum={0.99} step="any"
                onchange={set(|training, value| training.label_smoothing = value)}
                help="ε: the share of each target that goes to all tokens (Szegedy et al. 2016)." />
        </>
    }
}
