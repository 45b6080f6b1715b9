//! `strata config --explain`: settings, mechanisms and options in words.

use std::iter;

use clap::CommandFactory;
use serde_json::{Map, Value as Json};
use strata_attention::MechanismConfig;
use strata_describe::{Description, Setting, Words};
use strata_settings::aliases::{self, Alias};
use strata_settings::description::{Entry, defaults_at_sites, every_variant, groups};
use strata_settings::suggestion::suggestion;

use crate::args::Arguments;
use crate::base::error::Error;

/// A setting that belongs to no mechanism.
struct Plain {
    entry: Entry,
    /// Variants that have the setting, such as `task.kind = copy`; empty if every experiment has
    /// it.
    of: Vec<String>,
}

/// Returns all settings except those of mechanisms, which are explained with their mechanism.
fn plain_settings() -> Vec<Plain> {
    let mut found: Vec<Plain> = Vec::new();
    for experiment in every_variant() {
        let groups = groups(&experiment);
        let model = groups.iter().find(|group| group.path == "model");
        for group in &groups {
            // The setting that chooses a mechanism belongs to the model.
            let owner = match group.site {
                Some(_) => model,
                None => Some(group),
            };
            let variant = owner.and_then(|it| Some((it.tag.as_ref()?, it.variant?)));
            let owner = variant.map(|(tag, variant)| format!("{} = {}", tag.key, variant.name));
            let tag = group.tag.iter().map(|tag| match group.site {
                Some(_) => (tag, owner.clone()),
                None => (tag, None),
            });
            let own = group.settings.iter().filter(|_| group.site.is_none());
            for (entry, of) in tag.chain(own.map(|it| (it, owner.clone()))) {
                // Several variants may have a setting with the same description.
                match found.iter_mut().find(|it| it.entry == *entry) {
                    Some(known) => {
                        let new = of.filter(|of| !known.of.contains(of));
                        known.of.extend(new);
                    }
                    None => found.push(Plain {
                        entry: entry.clone(),
                        of: of.into_iter().collect(),
                    }),
                }
            }
        }
    }
    found.sort_by_cached_key(|it| (place(&it.entry.key), it.entry.key.clone()));
    found
}

/// Returns the rank of a setting in the output: seed, task, model, training.
fn place(key: &str) -> usize {
    let groups = ["seed", "task", "model", "training"];
    let group = key.split('.').next().unwrap_or_default();
    let place = groups.iter().position(|it| *it == group);
    place.unwrap_or(groups.len())
}

/// Explains all settings, or the mechanism, setting or option of this name.
///
/// # Errors
/// If nothing has this name.
pub fn text(name: Option<&str>) -> Result<String, Error> {
    let all: Vec<_> = MechanismConfig::all()
        .map(|mechanism| mechanism.description())
        .collect();
    let plain = plain_settings();
    let Some(name) = name else {
        let mechanisms = all.into_iter().map(of_mechanism);
        let plain = plain.iter().map(of_plain).collect();
        let all: Vec<String> = iter::once(plain).chain(mechanisms).collect();
        return Ok(all.join("\n"));
    };
    // A setting may be named as in `strata config`: model.cross.levels.
    let last = name.rsplit('.').next().unwrap_or_default();
    if let Some(mechanism) = all.iter().find(|it| it.words.name == last) {
        return Ok(of_mechanism(mechanism));
    }
    let plain_found: Vec<String> = plain
        .iter()
        .filter(|setting| is_meant(setting, name))
        .map(of_plain)
        .collect();
    if plain.iter().any(|it| it.entry.key == name) {
        return Ok(plain_found.concat());
    }
    let found = settings_of(&all).into_iter().filter(|(setting, _)| {
        let options = setting.domain.options();
        setting.words.name == last || options.iter().any(|option| option.name == last)
    });
    let found = found.map(|(setting, mechanisms)| {
        format!(
            "{}A setting of: {}.\n",
            of_setting(setting, &mechanisms),
            mechanisms.join(", ")
        )
    });
    let alias = aliases::find(name).map(|alias| of_alias(name, alias, &plain));
    let found = plain_found.into_iter().chain(found).chain(alias);
    let mut found: Vec<String> = found.collect();
    if found.is_empty() {
        found.extend(of_command(name));
    }
    if found.is_empty() {
        return Err(Error::NothingToExplain {
            name: name.to_owned(),
            advice: advice(last, &all, &plain),
        });
    }
    Ok(found.join("\n"))
}

/// Explains a name that a command of the program has.
fn of_command(name: &str) -> Option<String> {
    let program = Arguments::command();
    let command = program.find_subcommand(name)?;
    let about = command.get_about()?;
    Some(format!(
        "`{name}` is no setting, but a command: {about}.\n`strata {name} --help` says how.\n"
    ))
}

/// Explains a name from another program by the settings that it stands for.
fn of_alias(name: &str, alias: &Alias, plain: &[Plain]) -> String {
    let meant = |plain: &&Plain| alias.keys.iter().any(|key| is_meant(plain, key));
    let settings: Vec<String> = plain.iter().filter(meant).map(of_plain).collect();
    let between = if settings.is_empty() { "" } else { "\n" };
    format!(
        "`{name}` as other programs have it: {}.\n{between}{}",
        alias.words(),
        settings.concat()
    )
}

/// True if a setting, its group or one of its options has this name.
fn is_meant(plain: &Plain, name: &str) -> bool {
    let Entry { key, setting } = &plain.entry;
    let is_inside = |rest: &str| rest.is_empty() || rest.starts_with('.');
    key.strip_prefix(name).is_some_and(is_inside)
        || setting.words.name == name
        || setting.domain.options().iter().any(|it| it.name == name)
}

/// Explains a setting that belongs to no mechanism, and its options.
fn of_plain(plain: &Plain) -> String {
    let Entry { key, setting } = &plain.entry;
    let mut text = in_words(key, setting, &setting.domain.default());
    // All variants that have the setting are of the same table.
    if let Some((tag, _)) = plain.of.first().and_then(|it| it.split_once(" = ")) {
        let names = plain
            .of
            .iter()
            .filter_map(|it| Some(it.split_once(" = ")?.1));
        let names: Vec<&str> = names.collect();
        text += &format!("  Only with {tag} = {}.\n", names.join(" or "));
    }
    text
}

/// Writes name, range and default of a setting, its meaning, and those of its options that have
/// more than a name.
fn in_words(name: &str, setting: &Setting, default: &str) -> String {
    let Setting { words, domain } = setting;
    let mut text = format!(
        "{name}: {domain} [default: {default}]\n  {}\n",
        words.line()
    );
    let described = domain.options().iter().filter(|it| !it.help.is_empty());
    for option in described {
        text += &format!("  {}: {}\n", option.name, option.line());
    }
    text
}

/// Returns the settings of all mechanisms, each with the names of the mechanisms that have it.
fn settings_of(all: &[&'static Description]) -> Vec<(&'static Setting, Vec<&'static str>)> {
    let mut found: Vec<(&Setting, Vec<&str>)> = Vec::new();
    for mechanism in all {
        for setting in mechanism.settings {
            match found.iter_mut().find(|(known, _)| *known == setting) {
                Some((_, mechanisms)) => mechanisms.push(mechanism.words.name),
                None => found.push((setting, vec![mechanism.words.name])),
            }
        }
    }
    found
}

fn of_mechanism(mechanism: &Description) -> String {
    let head = format!(
        "kind = \"{}\": {}\n  {}\n",
        mechanism.words.name,
        mechanism.words.title,
        mechanism.words.line()
    );
    let of_setting = |setting| of_setting(setting, &[mechanism.words.name]);
    let settings = mechanism.settings.iter().map(of_setting);
    iter::once(head).chain(settings).collect()
}

/// Explains a setting of mechanisms, with the defaults in each.
fn of_setting(setting: &Setting, mechanisms: &[&str]) -> String {
    let mut default = setting.domain.default();
    for mechanism in mechanisms {
        for other in defaults_at_sites(mechanism, setting) {
            let value = other
                .value
                .as_str()
                .map_or_else(|| other.value.to_string(), str::to_owned);
            default += &format!("; {value} at {} of {}", other.site, other.architecture);
        }
    }
    in_words(setting.words.name, setting, &default)
}

/// Suggests what was meant by a mistyped name, or lists all mechanisms.
fn advice(name: &str, all: &[&'static Description], plain: &[Plain]) -> String {
    let named = |words: &Words| (words.name.to_owned(), Json::Null);
    let mechanisms: Map<String, Json> = all.iter().map(|it| named(&it.words)).collect();
    let mut near = mechanisms.clone();
    for (setting, _) in settings_of(all) {
        near.extend([named(&setting.words)]);
        near.extend(setting.domain.options().iter().map(named));
    }
    for Plain { entry, .. } in plain {
        let names = entry.setting.domain.options().iter().map(|it| it.name);
        let names = iter::once(entry.name()).chain(names);
        near.extend(names.map(|it| (it.to_owned(), Json::Null)));
    }
    let advice = suggestion(name, "", &near.into(), &Json::Null);
    if advice.starts_with("did you mean") {
        return advice;
    }
    let mechanisms = suggestion(name, "", &mechanisms.into(), &Json::Null);
    format!("{mechanisms}, and the settings that `strata config` shows")
}
