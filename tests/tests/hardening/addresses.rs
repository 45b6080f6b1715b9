//! The query of the page's address: links that users share, edit and break.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use strata_settings::address::{Address, Device};
use strata_settings::description::{every_variant, groups};
use strata_settings::presets::Preset;

use crate::edits::{Edit, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;

/// Addresses of every variant of every setting.
static WHOLE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let presets = Preset::ALL.map(Preset::experiment);
    let experiments = every_variant().into_iter().chain(presets);
    let write = |experiment| Address::write(&experiment, Device::WebGpu, &[]);
    experiments.map(write).collect()
});

/// Names that mean something in an address.
static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let settings = every_variant().into_iter().flat_map(|experiment| {
        let groups = groups(&experiment).into_iter();
        groups.flat_map(|group| group.settings.into_iter().chain(group.tag))
    });
    let mut keys: Vec<String> = settings.map(|setting| setting.key).collect();
    keys.extend(["v", "preset", "device", "seed", "embed", "task", "model"].map(String::from));
    keys.sort_unstable();
    keys.dedup();
    keys
});

/// How an address is made.
#[derive(Clone, Debug)]
enum Recipe {
    /// A valid address, edited.
    Edited(Index, Vec<Edit>),
    /// Made of names and values; the flag is true to encode them as a browser does.
    Put(Vec<(String, String)>, bool),
    /// Any text.
    Text(String),
}

impl Recipe {
    fn address(&self) -> String {
        match self {
            Self::Edited(base, edits) => {
                let bytes = edited(WHOLE[base.index(WHOLE.len())].as_bytes(), edits);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Self::Put(pairs, true) => {
                let mut query = url::form_urlencoded::Serializer::new("?".to_owned());
                query.extend_pairs(pairs).finish()
            }
            Self::Put(pairs, false) => {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(key, it)| format!("{key}={it}"))
                    .collect();
                format!("https://strata.example/?{}", pairs.join("&"))
            }
            Self::Text(text) => text.clone(),
        }
    }
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let key = prop_oneof![6 => select(&KEYS[..]), 1 => odd::text(4)];
    let value = prop_oneof![
        2 => any::<u16>().prop_map(|it| it.to_string()),
        1 => (-1.0..2.0).prop_map(|it: f64| it.to_string()),
        1 => select(vec!["copy", "files", "transformer", "seq2seq", "pyramid", "ham_s", "1"])
            .prop_map(String::from),
        2 => odd::text(6),
    ];
    let pairs = prop::collection::vec((key, value), 0..8);
    prop_oneof![
        3 => (any::<Index>(), edits()).prop_map(|(base, edits)| Recipe::Edited(base, edits)),
        3 => (pairs, any::<bool>()).prop_map(|(pairs, encoded)| Recipe::Put(pairs, encoded)),
        1 => odd::text(60).prop_map(Recipe::Text),
    ]
}

#[test]
fn whatever_an_address_says_the_page_has_an_experiment() {
    let alone = alone();
    fuzz(&alone, "addresses", 200, recipes(), |recipe| {
        let address = recipe.address();
        // Each name that cannot be used costs another look at all settings.
        let read = within((4 << 20) + 100 * address.len(), || Address::read(&address));
        if let Err(error) = read.experiment.check() {
            panic!("{error}: {address}");
        }
        read.complaints.iter().for_each(|it| is_sentence(it));
        // The settings that were understood are written back unchanged.
        let written = Address::write(&read.experiment, read.device, &read.others);
        let again = Address::read(&written);
        assert_eq!(again.experiment, read.experiment, "{address}: {written}");
        assert_eq!(again.device, read.device, "{address}: {written}");
        assert_eq!(again.others, read.others, "{address}: {written}");
        // An unknown name stays in the address, and is reported again.
        let told = |it: &String| !read.others.is_empty() && read.complaints.contains(it);
        assert!(again.complaints.iter().all(told), "{written}");
        Outcome::of(read.complaints.is_empty())
    });
}
