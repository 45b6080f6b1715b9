//! Small models that are served with the page; one is fetched when a user asks for it.

use crate::page::base::format;
use crate::served_file::{Missing, answer, json};
use js_sys::{Reflect, Uint8Array};
use serde::Deserialize;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::ReadableStreamDefaultReader;
use yew::prelude::*;

/// Folder of the models, and the file that lists them, which is served even if there are none.
const FOLDER: &str = "./poems";
const LIST: &str = "models.json";

/// An entry of the list of served models.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Served {
    /// Name of the model, without a file extension.
    name: String,
    /// Size of the model's file, in bytes.
    bytes: f64,
}

#[derive(Properties, PartialEq)]
pub struct SmallModelsProperties {
    /// Prefix of the buttons' ids.
    pub id: AttrValue,
    /// Verb on the buttons, such as `Load`.
    pub words: AttrValue,
    /// Names of the models that the page has already, which get no button.
    #[prop_or_default]
    pub except: Vec<String>,
    /// A sentence above the buttons.
    #[prop_or_default]
    pub note: Option<AttrValue>,
    /// Called with a model's name and bytes.
    pub take: Callback<(String, Rc<[u8]>)>,
}

/// The download of a model.
#[derive(Clone)]
struct Download {
    /// Name of the model that is being fetched, and the share of its bytes that has arrived.
    coming: UseStateHandle<Option<(String, f64)>>,
    /// Reason why the last download failed.
    failure: UseStateHandle<Option<&'static str>>,
    /// Called with a model's name and bytes.
    take: Callback<(String, Rc<[u8]>)>,
}

impl Download {
    /// Fetches a model, unless another one is being fetched.
    fn start(&self, model: &Served) {
        if self.coming.is_some() {
            return;
        }
        self.failure.set(None);
        self.coming.set(Some((model.name.clone(), 0.0)));
        let (model, take) = (model.clone(), self.take.clone());
        let (coming, failure) = (self.coming.setter(), self.failure.setter());
        spawn_local(async move {
            let arrived = |bytes: f64| {
                let share = (bytes / model.bytes.max(1.0)).min(1.0);
                coming.set(Some((model.name.clone(), share)));
            };
            match fetch(&model.name, arrived).await {
                Ok(bytes) => take.emit((model.name.clone(), bytes.into())),
                Err(reason) => failure.set(Some(reason)),
            }
            coming.set(None);
        });
    }
}

/// A button for each served model; nothing if none is served.
#[component]
pub fn SmallModels(properties: &SmallModelsProperties) -> Html {
    let SmallModelsProperties {
        id,
        words,
        except,
        note,
        take,
    } = properties;
    let served = use_state_eq(Vec::new);
    {
        let served = served.setter();
        use_effect_with((), move |()| {
            spawn_local(async move { served.set(list().await) });
        });
    }
    let download = Download {
        coming: use_state_eq(|| None),
        failure: use_state_eq(|| None),
        take: take.clone(),
    };
    let Download {
        coming, failure, ..
    } = &download;
    let others = served.iter().filter(|it| !except.contains(&it.name));
    let others: Vec<Served> = others.cloned().collect();
    let is_one = served.len() == 1;
    let button = |model: &Served| {
        let press = {
            let (download, model) = (download.clone(), model.clone());
            Callback::from(move |_: MouseEvent| download.start(&model))
        };
        let size = format::bytes(model.bytes);
        let label = if is_one {
            format!("{words} a small model ({size})")
        } else {
            format!("{words} {} ({size})", model.name)
        };
        html! {
            <button type="button" key={model.name.clone()} id={format!("{id}-{}", model.name)} onclick={press}
                aria-disabled={coming.is_some().to_string()}>{ label }</button>
        }
    };
    if others.is_empty() {
        return Html::default();
    }
    html! {
        <div class="small-models">
            if let Some(note) = note {
                <p>{ note }</p>
            }
            { for others.iter().map(button) }
            <div role="status">
                if let Some((_, share)) = &**coming {
                    // Through a service worker the whole file arrives at once at the end, so the
                    // share stays 0.
                    <progress aria-label="The model is coming" max="1" value={(*share > 0.0).then(|| format!("{share:.3}"))}></progress>
                }
                if let Some(reason) = **failure {
                    <p class="note">{ reason }</p>
                }
            </div>
        </div>
    }
}

/// Fetches the list of served models; empty if the list cannot be fetched.
async fn list() -> Vec<Served> {
    json(&format!("{FOLDER}/{LIST}")).await.unwrap_or_default()
}

/// Fetches a model's file; `arrived` is called with the number of bytes so far.
async fn fetch(name: &str, arrived: impl Fn(f64)) -> Result<Vec<u8>, &'static str> {
    const CUT: &str = "The model did not come whole: the network failed on the way. Try it again.";
    let answer = answer(&format!("{FOLDER}/{name}.safetensors")).await;
    let answer = answer.map_err(|missing| match missing {
        Missing::Unknown => "The model is not served any more: reload the page.",
        Missing::Unreachable => {
            "The model could not be fetched: the server does not answer, or there is no network. Try it \
             again later."
        }
    })?;
    let stream = answer.body().ok_or(CUT)?;
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let read = JsFuture::from(reader.read()).await.map_err(|_| CUT)?;
        let of = |key: &str| Reflect::get(&read, &JsValue::from_str(key)).map_err(|_| CUT);
        if of("done")?.is_truthy() {
            return Ok(bytes);
        }
        bytes.extend(Uint8Array::new(&of("value")?).to_vec());
        arrived(bytes.len() as f64);
    }
}
