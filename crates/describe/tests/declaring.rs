//! Structs and enums that the macros declare.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strata_describe::{Bounded, Domain, Number, Setting, Settings, Words, options, settings};

options! {
    /// Where the window stands.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    pub enum Position {
        /// At the query's
        /// own position.
        #[title = "Monotonic"]
        #[source = "Luong et al. 2015, 3.2"]
        Monotonic = "local-m",
        /// Known by its name.
        Predictive = "local-p",
    }
}

/// A number of nodes, or all.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub enum Beam {
    /// So many.
    Nodes(usize),
    /// All.
    All,
}

impl Beam {
    const SPECIAL: Words = Words::named("all");

    const fn whole(self) -> Option<u64> {
        match self {
            Self::Nodes(nodes) => Some(nodes as u64),
            Self::All => None,
        }
    }
}

impl Bounded for Beam {
    fn number(&self) -> Option<Number> {
        self.whole().map(Number::Whole)
    }
}

const SHARED: Words = Words::new("", "Positions", "How positions are told.", "p", "");
const MOST: u64 = 1 << 40;

settings! {
    /// Settings of every type.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Config {
        /// Half width of the window,
        /// at least 1.
        #[title = "Window"]
        #[formula = "w"]
        pub window: usize in 1..=100 = 3,
        /// A table of its own.
        pub table: Inner = Inner::default(),
        /// Steps.
        #[title = "Steps"]
        #[help = "Optimiser steps in all."]
        pub steps: u64 in 0..=MOST = 2000,
        /// Share that is dropped.
        #[title = "Dropout"]
        pub dropout: f64 in 0.0..=0.5 = 0.1,
        /// How positions are told.
        #[words = SHARED]
        pub position: Position = Position::Predictive,
        /// Nodes that are opened.
        #[title = "Beam"]
        pub beam: Beam in 1..=8 = Beam::Nodes(2),
        /// True if tied.
        #[title = "Tied"]
        pub tied: bool = true,
        /// Text to learn from.
        #[title = "Source"]
        pub source: PathBuf = PathBuf::new(),
        /// Its translation.
        #[title = "Target"]
        pub target: Option<PathBuf> = None,
    }
}

settings! {
    /// No settings.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Inner {}
}

fn described(name: &str) -> Setting {
    let mut all = Config::SETTINGS.iter();
    *all.find(|it| it.words.name == name)
        .expect("it is described")
}

#[test]
fn fields_with_words_are_settings_in_their_order() {
    let names: Vec<&str> = Config::SETTINGS.iter().map(|it| it.words.name).collect();
    let expected = [
        "window", "steps", "dropout", "position", "beam", "tied", "source", "target",
    ];
    assert_eq!(names, expected);
    assert!(Inner::SETTINGS.is_empty());
}

#[test]
fn the_help_is_the_doc_comment_unless_another_is_given() {
    let words = described("window").words;
    assert_eq!(words.help, "Half width of the window, at least 1.");
    assert_eq!((words.formula, words.source), ("w", ""));
    assert_eq!(described("steps").words.help, "Optimiser steps in all.");
    let position = Words {
        name: "position",
        ..SHARED
    };
    assert_eq!(described("position").words, position);
}

#[test]
fn the_type_decides_what_is_allowed() {
    let whole = |minimum, maximum, default, special| Domain::Whole {
        minimum,
        maximum,
        default,
        special,
    };
    for (name, domain) in [
        ("window", whole(1, 100, 3, None)),
        ("steps", whole(0, MOST, 2000, None)),
        (
            "dropout",
            Domain::Real {
                minimum: 0.0,
                maximum: 0.5,
                default: 0.1,
            },
        ),
        (
            "position",
            Domain::Choice {
                options: Position::OPTIONS,
                default: "local-p",
            },
        ),
        ("beam", whole(1, 8, 2, Some(Words::named("all")))),
        ("tied", Domain::YesNo { default: true }),
        ("source", Domain::Path { required: true }),
        ("target", Domain::Path { required: false }),
    ] {
        assert_eq!(described(name).domain, domain, "{name}");
    }
}

#[test]
fn the_first_number_out_of_its_range_is_refused() {
    assert_eq!(Config::default().check_ranges(), Ok(()));
    let refused = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        let found = config.check_ranges().err();
        found.map(|it| format!("{} = {}", it.setting.words.name, it.value))
    };
    assert_eq!(refused(|it| it.window = 0).as_deref(), Some("window = 0"));
    assert_eq!(
        refused(|it| it.steps = MOST + 1).as_deref(),
        Some("steps = 1099511627777")
    );
    let nan = |it: &mut Config| (it.dropout, it.beam) = (f64::NAN, Beam::Nodes(9));
    assert_eq!(refused(nan).as_deref(), Some("dropout = NaN"));
    assert_eq!(
        refused(|it| it.beam = Beam::Nodes(9)).as_deref(),
        Some("beam = 9")
    );
    assert_eq!(refused(|it| it.beam = Beam::All), None);
}

#[test]
fn serde_reads_and_writes_the_names() {
    let read = |text: &str| serde_json::from_str::<Config>(text).map_err(|it| it.to_string());
    assert_eq!(read("{}"), Ok(Config::default()));
    let changed = Config {
        position: Position::Monotonic,
        ..Config::default()
    };
    assert_eq!(read(r#"{"position": "local-m"}"#), Ok(changed));
    let unknown = read(r#"{"position": "Monotonic"}"#).unwrap_err();
    assert!(
        unknown.contains("expected `local-m` or `local-p`"),
        "{unknown}"
    );
    assert!(read(r#"{"windows": 1}"#).unwrap_err().contains("`windows`"));
    for option in Position::OPTIONS {
        let position: Position = serde_json::from_value(option.name.into()).unwrap();
        assert_eq!(position.name(), option.name);
    }
    assert_eq!(Position::OPTIONS[1], Words::named("local-p"));
    assert_eq!(Position::OPTIONS[0].help, "At the query's own position.");
}
