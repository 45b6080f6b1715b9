//! Targets of the links in texts.

use std::collections::{BTreeMap, BTreeSet};

use strata_settings::address::Address;
use strata_settings::{description, papers};

use crate::error::unknown;
use crate::{Lesson, Target};

/// Possible targets of links.
pub(crate) struct Links<'a> {
    /// Lessons by name.
    pub lessons: &'a BTreeMap<String, Lesson>,
}

impl Links<'_> {
    /// Target of a link with this `text`.
    ///
    /// # Errors
    /// A sentence, if there is no such paper, setting, lesson or step, or the address of an
    /// experiment cannot be read.
    pub fn target(&self, destination: &str, text: &str) -> Result<Target, String> {
        if destination == "paper" {
            let found = papers::address(text);
            let known = papers::PAPERS.iter().map(|(name, _)| *name);
            return found
                .map(|address| Target::Paper(address.to_owned()))
                .ok_or_else(|| unknown("paper", text, known));
        }
        if let Some(key) = destination.strip_prefix("setting:") {
            return setting(key).map(|()| Target::Setting(key.to_owned()));
        }
        if let Some(query) = destination.strip_prefix("?lesson=") {
            let (name, step) = match query.split_once("&step=") {
                Some((name, step)) => (name, Some(step)),
                None => (query, None),
            };
            return self.lesson(name, step);
        }
        if destination.starts_with("?v=1&") {
            let address = Address::read(destination);
            return match &address.complaints[..] {
                [] => Ok(Target::Experiment(destination.to_owned())),
                complaints => Err(complaints.join(" ")),
            };
        }
        Err(format!(
            "`{destination}` leads nowhere; a link leads to `paper`, `setting:model.attention.score`, \
             `?lesson=alignment&step=line` or `?v=1&preset=copy`"
        ))
    }

    fn lesson(&self, name: &str, step: Option<&str>) -> Result<Target, String> {
        let names = self.lessons.keys().map(String::as_str);
        let lesson = self.lessons.get(name);
        let lesson = lesson.ok_or_else(|| unknown("lesson", name, names))?;
        if let Some(id) = step
            && lesson.step(id).is_none()
        {
            let ids = lesson.steps.iter().map(|it| it.id.as_str());
            return Err(unknown("step", id, ids));
        }
        Ok(Target::Lesson {
            lesson: name.to_owned(),
            step: step.map(str::to_owned),
        })
    }
}

/// Refuses a setting that no experiment has.
pub(crate) fn setting(key: &str) -> Result<(), String> {
    let keys = keys();
    // All sites take the same settings, so the keys of one site, `model.cross`, stand for all.
    let meant = match key.split('.').collect::<Vec<_>>()[..] {
        ["model", site, name] if SITES.contains(&site) => format!("model.cross.{name}"),
        _ => key.to_owned(),
    };
    if keys.contains(&meant) {
        return Ok(());
    }
    let near = strata_settings::suggestion::nearest(key, keys.iter().map(String::as_str));
    let advice = near.map_or_else(
        || "`strata config --explain` lists all".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Err(format!("there is no setting `{key}`; {advice}"))
}

/// Names of the tables of a model that hold a mechanism.
const SITES: [&str; 4] = ["attention", "encoder_self", "decoder_self", "cross"];

/// Returns the keys of all settings of all experiments.
fn keys() -> BTreeSet<String> {
    let experiments = description::every_variant();
    let groups = experiments.iter().flat_map(description::groups);
    let settings = groups.flat_map(|group| group.settings.into_iter().chain(group.tag));
    settings.map(|setting| setting.key).collect()
}
