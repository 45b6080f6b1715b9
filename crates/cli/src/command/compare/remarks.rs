//! Remarks below a comparison, without which its figures would be misread.

use std::collections::BTreeSet;

use strata_training::Metric;

use super::group::Group;
use super::held_out;
use crate::display::figures;

/// Returns the remarks on all groups, then the notes on single runs.
pub fn of(groups: &[Group]) -> Vec<String> {
    let runs = groups.iter().flat_map(|it| it.all());
    let mut remarks: Vec<String> = groups.iter().filter_map(unspelt).collect();
    remarks.extend(held_out::remark(runs));
    remarks.extend(drawn(groups));
    remarks.extend(groups.iter().flat_map(|it| it.notes()));
    remarks
}

/// Returns a remark on bits per character that leave out the spelling of unknown tokens.
fn unspelt(group: &Group) -> Option<String> {
    group.spread(Metric::BitsPerCharacter)?;
    let counts = group.measured().map(|it| it.outcome.unspelt_tokens());
    let (least, most) = (counts.clone().min()?, counts.max()?);
    let left_out = figures::unspelt(most)?;
    let of_seed = if least < most {
        ", for other seeds fewer"
    } else {
        ""
    };
    Some(format!(
        "{}, {}: {left_out}{of_seed}.",
        figures::title(Metric::BitsPerCharacter),
        group.name()
    ))
}

/// Returns a remark on seeds of tasks without files, whose examples are drawn by the seed.
fn drawn(groups: &[Group]) -> Option<String> {
    let runs = groups.iter().flat_map(|it| it.all());
    let drawn = runs.filter(|it| it.experiment.task.paths().is_empty());
    let seeds: BTreeSet<u64> = drawn.map(|it| it.experiment.seed).collect();
    (seeds.len() > 1).then(|| {
        "The task has no files, and each seed draws its own held-out sequences: figures of \
         different seeds differ by these, too."
            .to_owned()
    })
}
