//! Has the worker read the user's own texts: as they are given, and again in another format.

use super::DataProperties;
use super::awaited::{Awaited, awaited};
use super::format::DataFormat;
use crate::page::run::intent::Intent;
use crate::state::FURTHER_FILES;
use crate::texts::Texts;
use strata_tasks::TaskConfig;
use yew::prelude::*;

/// Callbacks that have the worker read texts.
pub struct Reading {
    /// Takes texts that the user gives.
    pub give: Callback<Texts>,
    /// Takes another format, in which the last texts are read again.
    pub change: Callback<DataFormat>,
}

/// Returns the callbacks by which the panel has texts read.
#[hook]
pub fn use_reading(properties: &DataProperties, format: &UseStateHandle<DataFormat>) -> Reading {
    // The texts as they were given, to be read again in another encoding.
    let last = use_mut_ref(Texts::new);
    let examine_as = examine_as(properties);
    let give = {
        let (format, last, examine_as) = (**format, last.clone(), examine_as.clone());
        let (names, experiment) = (properties.awaited.clone(), properties.experiment.clone());
        let act = properties.act.clone();
        Callback::from(move |texts: Texts| {
            // A model that lacks several files can be given one after the other.
            let all = [&last.borrow()[..], &texts[..]].concat();
            let found = match awaited(&experiment.task, &names, &texts) {
                Awaited::Others => Awaited::Others,
                _ => awaited(&experiment.task, &names, &all),
            };
            match found {
                Awaited::Others => examine_as(format, &texts),
                Awaited::Complete(task, texts) => act.emit(Intent::Examine(task, texts)),
                Awaited::Missing(names) => {
                    act.emit(Intent::Tell(format!(
                        "{FURTHER_FILES}{}, too: give it as well.",
                        names.join(" and ")
                    )));
                    last.replace(all);
                    return;
                }
            }
            last.replace(texts);
        })
    };
    let change = {
        let (format, complains) = (format.clone(), properties.complains);
        let (act, examined) = (properties.act.clone(), properties.examined.clone());
        Callback::from(move |next: DataFormat| {
            let texts = last.borrow().clone();
            let has_other_unit_only =
                next.pipeline == format.pipeline && next.encoding == format.encoding;
            match &examined {
                Some(examined) if has_other_unit_only && !complains => {
                    let task = next.task_again(&examined.task);
                    act.emit(Intent::Examine(Box::new(task), Vec::new()));
                }
                // Texts that were refused may be right when read in this format.
                _ if !texts.is_empty() && (complains || next.encoding != format.encoding) => {
                    examine_as(next, &texts);
                }
                _ => {}
            }
            format.set(next);
        })
    };
    Reading { give, change }
}

/// Returns a function that has texts read in a format.
fn examine_as(properties: &DataProperties) -> impl Fn(DataFormat, &Texts) + Clone + 'static {
    let (act, experiment) = (properties.act.clone(), properties.experiment.clone());
    // While a model waits for its files, nothing reads texts of their names, so the names are free.
    let is_waiting = !properties.awaited.is_empty();
    move |format, texts| {
        let generated = TaskConfig::default();
        let present = if is_waiting {
            &generated
        } else {
            &experiment.task
        };
        match format.task(texts, present) {
            Ok((task, texts)) => act.emit(Intent::Examine(Box::new(task), texts)),
            Err(reason) => act.emit(Intent::Complain(reason)),
        }
    }
}
