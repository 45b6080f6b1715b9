//! Report on the devices of this machine and the features of its browser.

use super::worker_build;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A line of the report: a property and its value.
pub type Fact = (&'static str, String);

/// Limits of a GPU that decide which models fit, with their titles.
const LIMITS: [(&str, &str); 3] = [
    ("maxBufferSize", "Largest buffer"),
    ("maxStorageBufferBindingSize", "Largest tensor"),
    (
        "maxComputeInvocationsPerWorkgroup",
        "Threads of a workgroup",
    ),
];

/// Returns properties of the processor and the browser.
pub fn processor() -> Vec<Fact> {
    let navigator = web_sys::window().map(|window| window.navigator());
    let cores = navigator.map(|it| it.hardware_concurrency());
    vec![
        (
            "Processor threads",
            cores.map_or_else(|| "unknown".to_owned(), |cores| cores.to_string()),
        ),
        ("SIMD (128 bits)", yes(worker_build::has_simd())),
        ("Relaxed SIMD", yes(worker_build::has_relaxed_simd())),
        ("Shared memory", yes(worker_build::is_isolated())),
    ]
}

/// Returns properties of the GPU.
///
/// # Errors
/// A sentence, if the browser offers no GPU.
pub async fn graphics_card() -> Result<Vec<Fact>, String> {
    let navigator = web_sys::window().map(|window| window.navigator());
    let gpu = navigator.and_then(|it| get(&it, "gpu"));
    let gpu = gpu.ok_or("This browser has no WebGPU.")?;
    let adapter = adapter(&gpu).await;
    let adapter = adapter.ok_or("This browser has WebGPU but no GPU for it.")?;
    let mut facts = Vec::new();
    if let Some(info) = get(&adapter, "info") {
        let words: Vec<String> = ["vendor", "architecture", "device", "description"]
            .iter()
            .filter_map(|name| get(&info, name)?.as_string())
            .filter(|word| !word.is_empty())
            .collect();
        let unnamed = "the browser does not name it".to_owned();
        let name = if words.is_empty() {
            unnamed
        } else {
            words.join(", ")
        };
        facts.push(("Adapter", name));
    }
    facts.push(("16-bit numbers", yes(has_feature(&adapter, "shader-f16"))));
    if let Some(limits) = get(&adapter, "limits") {
        for (limit, name) in LIMITS {
            let Some(value) = get(&limits, limit).and_then(|it| it.as_f64()) else {
                continue;
            };
            let value = if limit.ends_with("Size") {
                format!("{} MiB", (value / f64::from(1 << 20)).round())
            } else {
                value.to_string()
            };
            facts.push((name, value));
        }
    }
    Ok(facts)
}

async fn adapter(gpu: &JsValue) -> Option<JsValue> {
    let request: Function = get(gpu, "requestAdapter")?.dyn_into().ok()?;
    let promise: Promise = request.call0(gpu).ok()?.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await.ok()?;
    (!adapter.is_null() && !adapter.is_undefined()).then_some(adapter)
}

fn has_feature(adapter: &JsValue, feature: &str) -> bool {
    let has = || {
        let features = get(adapter, "features")?;
        let has: Function = get(&features, "has")?.dyn_into().ok()?;
        has.call1(&features, &feature.into()).ok()?.as_bool()
    };
    has() == Some(true)
}

fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

fn yes(answer: bool) -> String {
    if answer { "yes" } else { "no" }.to_owned()
}
