//! Saves a file, through a link that is clicked and removed.

use crate::page::watch::drawing::{Drawing, Paint};
use strata_drawing::moving_svg;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, Url,
};
use yew::Callback;

/// Pixels of a saved picture per unit of its drawing.
const PIXELS: f64 = 2.0;

/// Seconds that each frame of a moving picture is shown.
const SECONDS: f64 = 0.12;

/// Contents of a file.
pub enum Content {
    /// A vector picture.
    Svg(Drawing),
    /// A moving vector picture, frame by frame.
    MovingSvg(Vec<Drawing>),
    /// A picture of pixels.
    Png(Drawing),
    /// A table of numbers, as comma-separated values.
    Csv(String),
    /// Numbers with names, as JSON.
    Json(String),
    /// A text, and its media type.
    Text(String, &'static str),
}

/// Saves a file under this name.
pub fn save(name: &str, content: Content) {
    // If the browser fails in one of the steps, nothing is saved, as if the user had declined.
    let _ = match content {
        Content::Svg(drawing) => save_text(name, &drawing.svg(Paint::Panel), "image/svg+xml"),
        Content::MovingSvg(pictures) => {
            let text = moving_svg(&pictures, Paint::Panel, SECONDS);
            save_text(name, &text, "image/svg+xml")
        }
        Content::Csv(text) => save_text(name, &text, "text/csv"),
        Content::Json(text) => save_text(name, &text, "application/json"),
        Content::Text(text, kind) => save_text(name, &text, kind),
        Content::Png(drawing) => {
            let size = (drawing.width, drawing.height);
            save_png(name, &drawing.svg(Paint::Panel), size, Callback::noop());
            Ok(())
        }
    };
}

/// Saves a picture of pixels, made of an SVG file of this width and height. `done` is called with
/// true, or with false if the browser refuses.
pub fn save_png(name: &str, svg: &str, size: (f64, f64), done: Callback<bool>) {
    if save_pixels(name.to_owned(), svg, size, &done).is_err() {
        done.emit(false);
    }
}

fn save_text(name: &str, text: &str, kind: &str) -> Result<(), JsValue> {
    save_blob(name, &blob(text, kind)?)
}

fn blob(text: &str, kind: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)
}

/// Saves a blob under this name.
fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or(JsValue::NULL)?;
    let url = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The address is released later: a download has its own hold on the bytes only once it has
    // begun.
    gloo::timers::callback::Timeout::new(60_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Draws the SVG into a canvas, and saves the canvas as PNG.
fn save_pixels(
    name: String,
    svg: &str,
    (width, height): (f64, f64),
    done: &Callback<bool>,
) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(&blob(svg, "image/svg+xml")?)?;
    let image = HtmlImageElement::new()?;
    let drawn = {
        let (image, url, done) = (image.clone(), url.clone(), done.clone());
        Closure::once_into_js(move || {
            if paint(name, &image, (width * PIXELS, height * PIXELS), &done).is_err() {
                done.emit(false);
            }
            let _ = Url::revoke_object_url(&url);
        })
    };
    let failed = {
        let done = done.clone();
        Closure::once_into_js(move || done.emit(false))
    };
    image.set_onload(Some(drawn.unchecked_ref()));
    image.set_onerror(Some(failed.unchecked_ref()));
    image.set_src(&url);
    Ok(())
}

fn paint(
    name: String,
    image: &HtmlImageElement,
    (width, height): (f64, f64),
    done: &Callback<bool>,
) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height)?;
    let done = done.clone();
    let ready = Closure::once_into_js(move |blob: JsValue| {
        let blob = blob.dyn_ref::<Blob>();
        done.emit(blob.is_some_and(|blob| save_blob(&name, blob).is_ok()));
    });
    canvas.to_blob(ready.unchecked_ref())
}
