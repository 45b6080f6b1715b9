//! Macro for settings: a struct declared with its defaults, ranges and words.

use crate::{Domain, Number, OutOfRange, Setting, Words};

/// Declares a struct of settings: each field is written once, with doc comment, words, type, range
/// and default.
///
/// A field reads `name: type in minimum..=maximum = default`, or `name: type = default` if there is
/// no range. The words stand above the field, in the order of the example; formula and source may
/// be missing. Without `#[help]` the doc comment is the help. `#[words = …]` takes [`Words`] that
/// several settings share. A field without words is a table of its own, or is set elsewhere.
/// `#[serde(…)]` may stand above the words.
///
/// The type decides the [`Domain`]: `usize` and `u64` are whole numbers, `f64` is real, `bool` yes or
/// no, `PathBuf` and `Option<PathBuf>` are paths, a `Curriculum` is a text, a type called `WholeRange` is a whole number or a
/// range `a..b` (a [`Bounded`] type with `first`, the smaller end), and anything else is a choice by
/// [`options!`](macro@crate::options), or, with a range, a whole number that a word may stand for
/// (a [`Bounded`] type with `SPECIAL`, the word, and `whole`, the number).
///
/// The macro generates the struct, its [`Default`], the constant `SETTINGS`, and the implementation
/// of [`Settings`].
///
/// ```
/// use strata_describe::{Settings, settings};
///
/// settings! {
///     /// One softmax over the keys near a position.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct LocalConfig {
///         /// Half width w of the window.
///         #[title = "Window"]
///         #[help = "How many keys it sees on either side of the position."]
///         #[formula = "w"]
///         #[source = "Luong et al. 2015, 3.2"]
///         pub window: usize in 1..=1000 = 3,
///         /// Share of the weights that are dropped in training.
///         #[title = "Dropout"]
///         pub dropout: f64 in 0.0..=0.99 = 0.0,
///     }
/// }
///
/// assert_eq!(LocalConfig::default().window, 3);
/// assert_eq!(LocalConfig::SETTINGS[0].domain.to_string(), "1 to 1000");
/// assert_eq!(LocalConfig::SETTINGS[1].words.help, "Share of the weights that are dropped in training.");
/// let refused = LocalConfig { window: 0, dropout: 0.5 }.check_ranges().unwrap_err();
/// assert_eq!(refused.setting.words.name, "window");
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {$(
            $(#[doc = $doc:literal])*
            $(#[serde($($serde:tt)*)])?
            $(#[words = $words:expr])?
            $(
                #[title = $title:expr]
                $(#[help = $help:expr])?
                $(#[formula = $formula:expr])?
                $(#[source = $source:expr])?
            )?
            pub $field:ident: $type:ident $(<$inner:ident>)? $(in $minimum:tt ..= $maximum:tt)?
                = $default:expr
        ),* $(,)?}
    ) => {
        $(#[$attribute])*
        pub struct $name {$(
            $(#[doc = $doc])*
            $($(#[doc = concat!("\n`", $formula, "`")])?)?
            $(#[serde($($serde)*)])?
            pub $field: $type $(<$inner>)?,
        )*}

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $name {
            /// Descriptions of all settings, in the order in which to show the settings.
            pub const SETTINGS: &'static [$crate::Setting] = {
                const FIELDS: &[Option<$crate::Setting>] = &[$($crate::setting!(
                    $field [$($doc)*] [$($words)?]
                    [$($title, [$($help)?] [$($formula)?] [$($source)?])?]
                    [$type $(<$inner>)?] [$($minimum ..= $maximum)?] $default
                )),*];
                &$crate::described::<{ $crate::count(FIELDS) }>(FIELDS)
            };
        }

        impl $crate::Settings for $name {
            fn check_ranges(&self) -> Result<(), $crate::OutOfRange> {
                $crate::first_out_of_range(
                    Self::SETTINGS,
                    &[$((stringify!($field), $crate::number!(self.$field, $($minimum)?))),*],
                )
            }
        }
    };
}

/// Settings whose numbers have ranges; [`settings!`] implements this trait.
pub trait Settings {
    /// Refuses the first number outside the range of its setting.
    ///
    /// # Errors
    /// The setting and the number, if the number lies outside the range.
    fn check_ranges(&self) -> Result<(), OutOfRange>;
}

/// Types whose values have a range.
pub trait Bounded {
    /// Returns the number, or `None` for a word that stands in place of a number.
    fn number(&self) -> Option<Number>;
}

impl Bounded for usize {
    fn number(&self) -> Option<Number> {
        Some(Number::Whole(*self as u64))
    }
}

impl Bounded for u64 {
    fn number(&self) -> Option<Number> {
        Some(Number::Whole(*self))
    }
}

impl Bounded for f64 {
    fn number(&self) -> Option<Number> {
        Some(Number::Real(*self))
    }
}

/// Refuses the first number out of range; `numbers` are pairs of a setting's name and its number.
#[doc(hidden)]
pub fn first_out_of_range(
    settings: &'static [Setting],
    numbers: &[(&str, Option<Number>)],
) -> Result<(), OutOfRange> {
    for (name, value) in numbers {
        let setting = settings.iter().find(|it| it.words.name == *name);
        if let (Some(setting), Some(value)) = (setting, *value) {
            setting.check(value)?;
        }
    }
    Ok(())
}

/// Counts the fields that have words.
#[doc(hidden)]
pub const fn count(fields: &[Option<Setting>]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < fields.len() {
        count += fields[at].is_some() as usize;
        at += 1;
    }
    count
}

/// Returns the settings of the `N` fields that have words.
#[doc(hidden)]
pub const fn described<const N: usize>(fields: &[Option<Setting>]) -> [Setting; N] {
    const NONE: Setting = Setting {
        words: Words::named(""),
        domain: Domain::YesNo { default: false },
    };
    let (mut found, mut count, mut at) = ([NONE; N], 0, 0);
    while at < fields.len() {
        if let Some(setting) = fields[at] {
            found[count] = setting;
            count += 1;
        }
        at += 1;
    }
    found
}

/// Expands to the setting of a field: `Some` if the field has words, else `None`.
#[doc(hidden)]
#[macro_export]
macro_rules! setting {
    ($name:ident [$($doc:literal)*] [] [] $($domain:tt)*) => {
        None
    };
    ($name:ident [$($doc:literal)*] [$words:expr] [] $($domain:tt)*) => {
        Some($crate::Setting {
            words: $crate::Words { name: stringify!($name), ..$words },
            domain: $crate::domain!($($domain)*),
        })
    };
    ($name:ident [$($doc:literal)*] [] [$($words:tt)+] $($domain:tt)*) => {
        Some($crate::Setting {
            words: $crate::words!(stringify!($name), [$($doc)*] $($words)+),
            domain: $crate::domain!($($domain)*),
        })
    };
}

/// Expands to the domain of a field, given as `[type] [range] default`.
#[doc(hidden)]
#[macro_export]
macro_rules! domain {
    ([bool] [] $default:expr) => {
        $crate::Domain::YesNo { default: $default }
    };
    ([Curriculum] [] $default:expr) => {
        $crate::Domain::Text
    };
    ([PathBuf] [] $default:expr) => {
        $crate::Domain::Path { required: true }
    };
    ([Option<PathBuf>] [] $default:expr) => {
        $crate::Domain::Path { required: false }
    };
    ([f64] [$minimum:tt ..= $maximum:tt] $default:expr) => {
        $crate::Domain::Real {
            minimum: $minimum,
            maximum: $maximum,
            default: $default,
        }
    };
    ([usize] [$minimum:tt ..= $maximum:tt] $default:expr) => {
        $crate::domain!([u64] [($minimum as u64) ..= ($maximum as u64)] $default as u64)
    };
    ([u64] [$minimum:tt ..= $maximum:tt] $default:expr) => {
        $crate::Domain::Whole {
            minimum: $minimum,
            maximum: $maximum,
            default: $default,
            special: None,
        }
    };
    ([WholeRange] [$minimum:tt ..= $maximum:tt] $default:expr) => {
        $crate::Domain::WholeRange {
            minimum: $minimum as u64,
            maximum: $maximum as u64,
            default: $default.first(),
        }
    };
    ([$type:ident] [$minimum:tt ..= $maximum:tt] $default:expr) => {
        $crate::Domain::Whole {
            minimum: $minimum,
            maximum: $maximum,
            default: $default.whole().unwrap(),
            special: Some($type::SPECIAL),
        }
    };
    ([$type:ident] [] $default:expr) => {
        $crate::Domain::Choice {
            options: $type::OPTIONS,
            default: $default.name(),
        }
    };
}

/// Expands to the number of a field if the field has a range, else `None`.
#[doc(hidden)]
#[macro_export]
macro_rules! number {
    ($value:expr,) => {
        None
    };
    ($value:expr, $minimum:tt) => {
        $crate::Bounded::number(&$value)
    };
}
