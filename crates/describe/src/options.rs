//! Macro for options: an enum declared with its names and words.

/// Declares an enum of options: each variant is written once, with doc comment, words and name.
///
/// A variant reads `Variant = "name"`, where the name is written as in configurations. The words
/// stand above the variant, as in [`settings!`](macro@crate::settings); a variant without `#[title]` has
/// its name alone. The attributes of the enum must derive serde's `Serialize` or `Deserialize`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_describe::options;
///
/// options! {
///     /// Position of the window.
///     #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
///     pub enum LocalPosition {
///         /// At the query's own position.
///         #[title = "Monotonic"]
///         #[formula = "pₜ = t"]
///         #[source = "Luong et al. 2015, 3.2, local-m"]
///         Monotonic = "monotonic",
///         /// Predicted from the query.
///         Predictive = "predictive",
///     }
/// }
///
/// assert_eq!(LocalPosition::Predictive.name(), "predictive");
/// assert_eq!(LocalPosition::OPTIONS[0].help, "At the query's own position.");
/// assert_eq!(serde_json::to_value(LocalPosition::Monotonic).unwrap(), "monotonic");
/// ```
#[macro_export]
macro_rules! options {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {$(
            $(#[doc = $doc:literal])*
            $(
                #[title = $title:expr]
                $(#[help = $help:expr])?
                $(#[formula = $formula:expr])?
                $(#[source = $source:expr])?
            )?
            $variant:ident = $text:literal
        ),+ $(,)?}
    ) => {
        $(#[$attribute])*
        pub enum $name {$(
            $(#[doc = $doc])*
            $($(#[doc = concat!("\n`", $formula, "`")])?)?
            #[serde(rename = $text)]
            $variant,
        )+}

        impl $name {
            /// Descriptions of all options, in the order in which to show the options.
            pub const OPTIONS: &'static [$crate::Words] = &[$($crate::words!(
                $text, [$($doc)*] $($title, [$($help)?] [$($formula)?] [$($source)?])?
            )),+];

            /// Returns the description of the option.
            pub const fn words(self) -> $crate::Words {
                Self::OPTIONS[self as usize]
            }

            /// Returns the name of the option in a configuration.
            pub const fn name(self) -> &'static str {
                self.words().name
            }
        }
    };
}

/// Builds `Words` from a name with title, help, formula and source, or from a name alone.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($name:expr, [$($doc:literal)*]) => {
        $crate::Words::named($name)
    };
    (
        $name:expr, [$($doc:literal)*]
        $title:expr, [$($help:expr)?] [$($formula:expr)?] [$($source:expr)?]
    ) => {
        $crate::Words {
            name: $name,
            title: $title,
            help: $crate::first!($([$help])? [concat!($($doc),*).trim_ascii()]),
            formula: $crate::first!($([$formula])? [""]),
            source: $crate::first!($([$source])? [""]),
        }
    };
}

/// Expands to the first of several expressions.
#[doc(hidden)]
#[macro_export]
macro_rules! first {
    ([$first:expr] $($others:tt)*) => {
        $first
    };
}
