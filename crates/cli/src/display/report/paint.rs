//! Colours of the pictures, which the page's style sheet defines for light and dark themes.

use strata_drawing::Colour;

/// Number of colours for curves.
pub const SERIES: usize = 8;

/// A colour of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Text.
    Ink,
    /// Lines of a grid.
    Faint,
    /// Published figures.
    Mark,
    /// Curves and bars, by number from 0.
    Series(usize),
    /// No colour.
    Clear,
}

impl Colour for Paint {
    fn css(self) -> String {
        match self {
            Self::Ink => "var(--ink)".to_owned(),
            Self::Faint => "var(--faint)".to_owned(),
            Self::Mark => "var(--mark)".to_owned(),
            Self::Series(number) => format!("var(--series-{})", number % SERIES),
            Self::Clear => "none".to_owned(),
        }
    }
}

/// Custom properties of the page's style, light and dark.
pub const STYLE: &str = "\
:root{color-scheme:light dark;--ground:#fff;--ink:#1d2126;--soft:#5b6470;--faint:#dde1e6;--mark:#1d2126;\
--series-0:#2563a8;--series-1:#c2521b;--series-2:#2f7d4f;--series-3:#8a3fa0;--series-4:#9a6b00;\
--series-5:#0f7a80;--series-6:#b3245f;--series-7:#5a5f69}\
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e6e9ed;--soft:#9aa4b0;--faint:#333a43;\
--mark:#fff;--series-0:#7ab1ec;--series-1:#f0935d;--series-2:#78c798;--series-3:#cf93e0;--series-4:#dcb04c;\
--series-5:#63c5cb;--series-6:#f088b0;--series-7:#aab2bd}}";
