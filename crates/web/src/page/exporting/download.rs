//! Saves a file by a link that is clicked and removed.

use crate::page::drawing::{Drawing, Paint};
use strata_drawing::moving_svg;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, Url,
};

/// Pixels of a saved picture for each unit of its drawing.
const PIXELS: f64 = 2.0;

/// Time that each picture of a moving one stays.
const SECONDS: f64 = 0.12;

/// Contents of a file.
pub enum Content {
    /// A picture of lines and letters.
    Svg(Drawing),
    /// Pictures of lines and letters that follow one another.
    MovingSvg(Vec<Drawing>),
    /// A picture of pixels.
    Png(Drawing),
    /// Lines of numbers.
    Csv(String),
    /// Numbers with names.
    Json(String),
    /// A text, and its media type.
    Text(String, &'static str),
}

/// Saves a file under this name.
pub fn save(name: &str, content: Content) {
    // A browser that fails in one of the steps saves nothing, as if the user had declined.
    let _ = match content {
        Content::Svg(drawing) => save_text(name, &drawing.svg(Paint::Panel), "image/svg+xml"),
        Content::MovingSvg(pictures) => {
            let text = moving_svg(&pictures, Paint::Panel, SECONDS);
            save_text(name, &text, "image/svg+xml")
        }
        Content::Csv(text) => save_text(name, &text, "text/csv"),
        Content::Json(text) => save_text(name, &text, "application/json"),
        Content::Text(text, kind) => save_text(name, &text, kind),
        Content::Png(drawing) => save_pixels(name.to_owned(), &drawing),
    };
}

fn save_text(name: &str, text: &str, kind: &str) -> Result<(), JsValue> {
    save_blob(name, &blob(text, kind)?)
}

fn blob(text: &str, kind: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)
}

/// Saves bytes that a browser holds.
fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|it| it.document());
    let document = document.ok_or(JsValue::NULL)?;
    let url = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The download has its own hold on the bytes once it has begun, which is later than now.
    gloo::timers::callback::Timeout::new(60_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Saves the picture as PNG: the browser draws its SVG into a canvas.
fn save_pixels(name: String, drawing: &Drawing) -> Result<(), JsValue> {
    let url =
        Url::create_object_url_with_blob(&blob(&drawing.svg(Paint::Panel), "image/svg+xml")?)?;
    let image = HtmlImageElement::new()?;
    let (width, height) = (drawing.width * PIXELS, drawing.height * PIXELS);
    let drawn = {
        let (image, url) = (image.clone(), url.clone());
        Closure::once_into_js(move || {
            let _ = paint(name, &image, width, height);
            let _ = Url::revoke_object_url(&url);
        })
    };
    image.set_onload(Some(drawn.unchecked_ref()));
    image.set_src(&url);
    Ok(())
}

fn paint(name: String, image: &HtmlImageElement, width: f64, height: f64) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|it| it.document());
    let document = document.ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height)?;
    let ready = Closure::once_into_js(move |blob: JsValue| {
        if let Some(blob) = blob.dyn_ref::<Blob>() {
            let _ = save_blob(&name, blob);
        }
    });
    canvas.to_blob(ready.unchecked_ref())
}
