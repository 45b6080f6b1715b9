//! Rules of a class, as a link contains them: the lessons of the class, and what is offered in
//! them. `&lessons=bottleneck,alignment&show=after2&skip=0&hide=runs,data&seeds=own`.

use crate::page::lesson::address::is_name;
use form_urlencoded::Serializer;
use form_urlencoded::Target;

/// Panels that a class link can hide.
pub const PANELS: [&str; 4] = ["translate", "data", "settings", "runs"];
/// The most lessons of a class.
const MOST: usize = 30;

/// Decides when the page offers to show how a step is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowPolicy {
    /// Together with the hint (after a minute or two wrong tries), or if training is late.
    #[default]
    WithHint,
    /// At any time.
    Always,
    /// After two wrong tries, or if training is late.
    AfterTwo,
    /// Never.
    Never,
}

impl ShowPolicy {
    /// All rules, with their values in addresses.
    pub const ALL: [(Self, &str); 4] = [
        (Self::WithHint, "hint"),
        (Self::Always, "1"),
        (Self::AfterTwo, "after2"),
        (Self::Never, "0"),
    ];
}

/// Rules that a teacher has set for a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Names of the lessons of the class; empty for all lessons.
    pub lessons: Vec<String>,
    /// When steps are shown.
    pub show: ShowPolicy,
    /// True if steps cannot be skipped.
    pub is_strict: bool,
    /// Hidden panels, among [`PANELS`].
    pub hidden: Vec<&'static str>,
    /// True if each learner trains with another seed.
    pub own_seed: bool,
}

/// Value of `seeds` by which each learner gets another seed.
pub const OWN_SEEDS: &str = "own";

impl Rules {
    /// Reads the parameters of an address; unknown values are ignored.
    pub fn read(pairs: &[(String, String)]) -> Self {
        let parameter = |name: &str| {
            let found = pairs.iter().find(|(key, _)| key == name);
            found.map_or("", |(_, value)| value.as_str())
        };
        let names = parameter("lessons").split(',').filter(|it| is_name(it));
        let hidden = parameter("hide");
        let show = ShowPolicy::ALL
            .iter()
            .find(|(_, it)| *it == parameter("show"));
        Self {
            lessons: names.take(MOST).map(str::to_owned).collect(),
            show: show.map_or_else(ShowPolicy::default, |(show, _)| *show),
            is_strict: parameter("skip") == "0",
            hidden: PANELS
                .into_iter()
                .filter(|panel| hidden.split(',').any(|it| it == *panel))
                .collect(),
            own_seed: parameter("seeds") == OWN_SEEDS,
        }
    }

    /// Appends the rules to an address, except for the lessons: the list writes those itself.
    pub fn write<T: Target>(&self, query: &mut Serializer<'_, T>) {
        let show = ShowPolicy::ALL.iter().find(|(show, _)| *show == self.show);
        if let Some((_, value)) = show.filter(|(show, _)| *show != ShowPolicy::default()) {
            query.append_pair("show", value);
        }
        if self.is_strict {
            query.append_pair("skip", "0");
        }
        if !self.hidden.is_empty() {
            query.append_pair("hide", &self.hidden.join(","));
        }
        if self.own_seed {
            query.append_pair("seeds", OWN_SEEDS);
        }
    }

    /// Returns the query of the list of the class's lessons, from `?` on.
    pub fn list(&self, language: &str) -> String {
        let mut query = Serializer::new(String::new());
        query.append_pair("lessons", &self.lessons.join(","));
        self.write(&mut query);
        if language != crate::page::lesson::address::ENGLISH {
            query.append_pair("lang", language);
        }
        format!("?{}", query.finish().replace("%2C", ","))
    }

    /// True if a lesson belongs to the class.
    pub fn has(&self, lesson: &str) -> bool {
        self.lessons.is_empty() || self.lessons.iter().any(|it| it == lesson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Rules {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Rules::read(&pairs.into_owned().collect::<Vec<_>>())
    }

    #[test]
    fn rules_come_back_from_their_link() {
        let rules = read("lessons=levels,ham&show=after2&skip=0&hide=runs,data&seeds=own");
        assert!(rules.own_seed);
        assert!(rules.has("ham") && !rules.has("leak"));
        assert_eq!((rules.show, rules.is_strict), (ShowPolicy::AfterTwo, true));
        assert_eq!(rules.hidden, ["data", "runs"]);
        let link = rules.list("de");
        assert_eq!(read(link.trim_start_matches('?')), rules);
        assert!(link.ends_with("&lang=de"), "{link}");
    }

    #[test]
    fn what_is_not_known_changes_nothing() {
        let none = read("lessons=../x,&show=perhaps&skip=no&hide=lesson,train,*&seeds=3");
        assert_eq!(none, Rules::default());
        assert!(none.has("anything"));
    }
}
