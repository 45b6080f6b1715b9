//! Search among the settings: by title, key, words, and the names that other programs have for
//! them.

use crate::language::said;
use strata_settings::aliases;
use strata_settings::description::{Entry, Group, every_variant, groups};
use yew::prelude::*;

/// The most variants that are listed as having a setting that matches.
const MOST: usize = 6;

/// Text that the user searches for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sought {
    words: Vec<String>,
    /// Keys of the settings that other programs call by this name.
    keys: &'static [&'static str],
}

impl Sought {
    /// Reads the text of the search field.
    pub fn new(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        let alias = aliases::find(&text.replace(' ', "_"));
        let keys = alias.map_or(&[][..], |alias| alias.keys);
        Self {
            words: text.split_whitespace().map(str::to_owned).collect(),
            keys,
        }
    }

    /// True if the search field is empty, so that all settings match.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True if a setting of a group matches.
    pub fn finds(&self, group: &Group, entry: &Entry) -> bool {
        if self.is_empty() || self.keys.contains(&entry.key.as_str()) {
            return true;
        }
        let words = &entry.setting.words;
        let mut about = entry.key.clone();
        let options = entry.setting.domain.options().iter().map(|it| it.title);
        let titles = [words.title, words.help, group.title].into_iter();
        for text in titles.chain(options) {
            // Names in English are found in every language.
            for said in [text, &said(text)] {
                about.push(' ');
                about += said;
            }
        }
        let about = about.to_lowercase();
        self.words.iter().all(|word| about.contains(word.as_str()))
    }

    /// Returns titles of tasks, architectures, mechanisms and schedules that have a matching
    /// setting.
    fn variants(&self) -> Vec<&'static str> {
        let mut titles = Vec::new();
        for group in every_variant().iter().flat_map(groups) {
            let found = group.settings.iter().any(|it| self.finds(&group, it));
            if let Some(variant) = group.variant.filter(|_| found)
                && !titles.contains(&variant.title)
            {
                titles.push(variant.title);
            }
        }
        titles
    }
}

#[derive(Properties, PartialEq)]
pub struct SearchProperties {
    /// Text in the search field.
    pub text: AttrValue,
    pub oninput: Callback<InputEvent>,
}

/// The search field.
#[component]
pub fn Search(properties: &SearchProperties) -> Html {
    // Enter would submit the form, and so apply the settings.
    let stay = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
        }
    });
    html! {
        <div class="field find">
            <label for="find-setting">{ "Find a setting" }</label>
            <input id="find-setting" type="search" value={properties.text.clone()} placeholder="heads, rate, lr, dropout …"
                oninput={properties.oninput.clone()} onkeydown={stay} autocomplete="off" spellcheck="false" />
        </div>
    }
}

/// Returns a sentence for a search that matches none of the present settings.
pub fn nothing(sought: &Sought) -> String {
    let titles = sought.variants();
    if titles.is_empty() {
        return "No setting matches. Search by another word of its name or of what it does."
            .to_owned();
    }
    let shown = titles[..titles.len().min(MOST)].join(", ");
    let more = match titles.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("Not available for the current choices; it belongs to: {shown}{more}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    fn found(text: &str) -> Vec<String> {
        let sought = Sought::new(text);
        let groups = groups(&Preset::GermanEnglishTransformer.experiment());
        let entries = groups.iter().flat_map(|group| {
            let settings = group.settings.iter().chain(&group.tag);
            settings.filter(|entry| sought.finds(group, entry))
        });
        entries.map(|entry| entry.key.clone()).collect()
    }

    #[test]
    fn settings_are_found_by_title_words_and_names_of_other_programs() {
        assert!(found("HEADS").contains(&"model.heads".to_owned()));
        assert_eq!(found("lr"), ["training.optimizer.learning_rate"]);
        assert!(found("d model").contains(&"model.width".to_owned()));
        // All words must match, not just one.
        assert!(!found("learning rate").contains(&"training.steps".to_owned()));
        assert!(found("decoder to encoder").contains(&"model.cross.kind".to_owned()));
        assert!(found("xyzzy").is_empty());
        let all = groups(&Preset::GermanEnglishTransformer.experiment());
        let all = all.iter().flat_map(|it| it.settings.iter().chain(&it.tag));
        assert_eq!(found(" ").len(), all.count());
    }

    #[test]
    fn variants_that_have_it_are_named() {
        assert!(found("beam").is_empty());
        let found = nothing(&Sought::new("beam"));
        assert!(found.contains("Pyramid"), "{found}");
        assert!(nothing(&Sought::new("xyzzy")).starts_with("No setting"));
    }
}
