//! The picture of the arrows in words.

use super::path::{Path, count_right};
use crate::page::base::foreign::quoted;
use strata_session::protocol::ArrowsView;

/// Returns where the arrows lead from a place, and what the model says:
/// `Trained with 1 level, asked with 11: from “a”, 12 arrows lead to “d”; the model says “d”: right.`
pub fn answer(of: &ArrowsView, path: &Path) -> String {
    let levels = if of.trained == of.levels {
        format!("Trained and asked with {}", counted(of.levels, "level"))
    } else {
        format!(
            "Trained with {}, asked with {}",
            counted(of.trained, "level"),
            of.levels
        )
    };
    let from = name(of, path.place);
    let says = path
        .answer
        .map_or("the model names no place".to_owned(), |answer| {
            format!("the model says {}", name(of, answer))
        });
    match path.arrows.zip(path.right) {
        Some((arrows, right)) => format!(
            "{levels}: from {from}, {} to {}; {says}: {}.",
            lead(arrows),
            name(of, right),
            if path.is_right() { "right" } else { "wrong" }
        ),
        None => format!("{levels}: at {from}, {says}."),
    }
}

/// Returns how many answers are right for the number of arrows that the model follows, and for the
/// number that the run's own task asks for: two different questions.
pub fn counts(of: &ArrowsView, path: &Path) -> String {
    let places = of.names.len();
    let right = |arrows: usize| {
        let count = count_right(of, arrows);
        let are = if count == 1 { "is" } else { "are" };
        format!(
            "{count} of the {places} answers {are} right for {}",
            counted(arrows, "arrow")
        )
    };
    match (path.arrows, of.asked) {
        (None, _) => String::new(),
        (Some(arrows), Some(asked)) if asked != arrows => format!(
            "{}. The task of this run asks for {}: {}. The held-out accuracy measures that task, \
             not {}.",
            right(arrows),
            counted(asked, "arrow"),
            right(asked),
            counted(arrows, "arrow")
        ),
        (Some(arrows), _) => format!("{}.", right(arrows)),
    }
}

/// Returns the path of the largest weights, and the level at which the path leaves the arrows.
pub fn walk(of: &ArrowsView, path: &Path) -> String {
    let mut places = bare(of, path.place);
    for step in &path.steps {
        places += if step.is_after_gap {
            " … → "
        } else {
            " → "
        };
        places += &bare(of, step.to);
    }
    let Some(smallest) = path.steps.iter().map(|step| step.weight).reduce(f32::min) else {
        return String::new();
    };
    let one = path.steps.len() == 1;
    let mut words = if one {
        format!("The largest weight leads {places} (weight {smallest:.2})")
    } else {
        format!(
            "The largest weights, level by level, lead {places} (smallest weight {smallest:.2})"
        )
    };
    if let (Some(named), Some(last)) = (path.named, path.steps.last()) {
        words += &format!("; at {} stands {}", name(of, last.to), name(of, named));
    }
    words += ".";
    let off = path.steps.iter().find(|step| !step.is_on_arrows);
    if let Some(off) = off {
        let level = of.largest.len() > 1;
        words += &if level {
            format!(" At level {} this path leaves the arrows.", off.level)
        } else {
            " This is not where the arrow leads.".to_owned()
        };
    }
    words
}

/// Returns all of a place in words, for the button of the place.
pub fn place(of: &ArrowsView, path: &Path) -> String {
    let points = of
        .follow(path.place, 1)
        .map_or_else(String::new, |to| format!(" points to {}", bare(of, to)));
    let said = path
        .answer
        .map_or("no place".to_owned(), |answer| bare(of, answer));
    let verdict = match path.right {
        Some(_) if path.is_right() => ", right",
        Some(_) => ", wrong",
        None => "",
    };
    format!(
        "{}{points}; the model says {said}{verdict}",
        bare(of, path.place)
    )
}

/// Returns which attention the picture shows: `Encoder 1, self: head 2 of 2, 11 levels`.
pub fn shown(of: &ArrowsView) -> String {
    let heads = match of.head {
        _ if of.heads < 2 => String::new(),
        Some(head) => format!("head {} of {}, ", head + 1, of.heads),
        None => format!("mean of {} heads, ", of.heads),
    };
    format!(
        "{}: {heads}{}",
        of.maps.site.title(),
        counted(of.levels, "level")
    )
}

/// Returns the name of a level's weights: `A`, `A²`, or `level 2` if the level is no power.
pub fn level(of: &ArrowsView, number: usize) -> String {
    match number {
        1 if of.has_powers || of.levels == 1 => "A".to_owned(),
        number if of.has_powers => format!("A{}", superscript(number)),
        number => format!("level {number}"),
    }
}

/// Writes a number in small digits above the line.
fn superscript(number: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.to_string();
    let digits = digits
        .bytes()
        .map(|digit| DIGITS[usize::from(digit - b'0')]);
    digits.collect()
}

/// Returns `1 arrow leads`, or `12 arrows lead`.
fn lead(arrows: usize) -> String {
    let lead = if arrows == 1 { "leads" } else { "lead" };
    format!("{} {lead}", counted(arrows, "arrow"))
}

fn counted(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Returns the name of a place.
pub fn bare(of: &ArrowsView, place: usize) -> String {
    let name = of.names.get(place);
    name.map_or_else(|| format!("#{}", place + 1), String::clone)
}

fn name(of: &ArrowsView, place: usize) -> String {
    quoted(&bare(of, place))
}
