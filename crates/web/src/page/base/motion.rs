//! Preference of the user's device for pages that move less.

/// True if the user prefers reduced motion.
pub fn prefers_stillness() -> bool {
    let query = "(prefers-reduced-motion: reduce)";
    let list = web_sys::window().and_then(|it| it.match_media(query).ok().flatten());
    list.is_some_and(|list| list.matches())
}
