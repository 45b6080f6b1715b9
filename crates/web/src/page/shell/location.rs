//! The page's own address, as the browser has it.

use crate::address::unescaped;
use wasm_bindgen::JsValue;

/// Returns the query of the page's address, from `?` on.
pub fn query() -> String {
    let search = web_sys::window().map(|window| window.location().search());
    unescaped(&search.and_then(Result::ok).unwrap_or_default())
}

/// Returns the page's address with `query` in place of its query.
pub fn whole(query: &str) -> String {
    let location = web_sys::window().map(|window| window.location());
    let part = |read: fn(&web_sys::Location) -> Result<String, JsValue>| {
        let part = location.as_ref().and_then(|it| read(it).ok());
        part.unwrap_or_default()
    };
    part(web_sys::Location::origin) + &part(web_sys::Location::pathname) + query
}

/// Returns the full address of a file that is served beside the page.
pub fn beside(file: &str) -> String {
    let page = whole("");
    let folder = page.rfind('/').map_or("", |end| &page[..=end]);
    format!("{folder}{file}")
}
