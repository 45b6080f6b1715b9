//! The page around a frame: it is told what happens in the lesson, and may request a step. Messages
//! go only to the origin that the address names, and only requests of that origin are obeyed.

use crate::page::lesson::player::Player;
use crate::page::lesson::progress::Completion;
use serde_json::{Value as Json, json};
use strata_lessons::Value;
use wasm_bindgen::JsValue;
use web_sys::MessageEvent;

/// Version of the message format.
const VERSION: u64 = 1;

/// Request of the page around the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Go to a step of the lesson, by its id.
    Go(String),
    /// Send the present state.
    State,
}

/// Tells the surrounding page of an event.
pub fn tell(origin: &str, event: &str, player: &Player) {
    post(origin, &message(event, player));
}

/// Tells the surrounding page that the present step is skipped, unless the step was done before.
pub fn tell_skipped(origin: &str, player: &Player) {
    if player.step_record().is_none() {
        let mut message = message("done", player);
        message["how"] = Completion::Skipped.name().into();
        post(origin, &message);
    }
}

/// Tells the surrounding page how high this page is, in CSS pixels.
pub fn tell_height(origin: &str, height: i32) {
    post(
        origin,
        &json!({ "strata": VERSION, "event": "height", "height": height }),
    );
}

/// Returns the message for an event, with the state of the lesson.
fn message(event: &str, player: &Player) -> Json {
    let step = player.present().map_or("free", |it| &it.id);
    let met = player.step_record().filter(|_| event == "done");
    json!({
        "strata": VERSION,
        "event": event,
        "lesson": player.lesson.name,
        "version": player.lesson.lesson.version,
        "step": step,
        "how": met.map(|it| Completion::name(it.how)),
        "guess": player.guess.as_ref().map(plain),
        "measured": met.and_then(|it| it.measured.as_ref()).map(plain),
        "seconds": met.map(|it| it.seconds),
    })
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Word(word) => json!(word),
    }
}

fn post(origin: &str, message: &Json) {
    let around = web_sys::window().and_then(|window| window.parent().ok().flatten());
    let Some(around) = around.filter(|it| Some(it) != web_sys::window().as_ref()) else {
        return;
    };
    if let Ok(message) = js_sys::JSON::parse(&message.to_string()) {
        // The browser delivers the message only if the surrounding page has this origin.
        let _ = around.post_message(&message, origin);
    }
}

/// Reads a request, if the message comes from the surrounding page and from this origin.
pub fn request(event: &MessageEvent, origin: &str) -> Option<Request> {
    let around = web_sys::window()?.parent().ok().flatten()?;
    // A window of another origin allows nothing but a comparison.
    let is_around = JsValue::from(event.source()?) == JsValue::from(around);
    if event.origin() != origin || !is_around {
        return None;
    }
    let text = js_sys::JSON::stringify(&event.data()).ok()?;
    read(&JsValue::from(text).as_string()?)
}

fn read(text: &str) -> Option<Request> {
    let message: Json = serde_json::from_str(text).ok()?;
    if message["strata"] != VERSION {
        return None;
    }
    match message["do"].as_str()? {
        "go" => Some(Request::Go(message["step"].as_str()?.to_owned())),
        "state" => Some(Request::State),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_this_form_and_no_other() {
        let go = read(r#"{"strata":1,"do":"go","step":"line"}"#);
        assert_eq!(go, Some(Request::Go("line".to_owned())));
        assert_eq!(read(r#"{"strata":1,"do":"state"}"#), Some(Request::State));
        for text in [
            r#"{"strata":2,"do":"state"}"#,
            r#"{"strata":1,"do":"train"}"#,
            r#"{"strata":1,"do":"go","step":3}"#,
            r#"[1]"#,
            "null",
            "go",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
