//! Writes the statistics of a corpus as text.

use super::faults::FaultReport;
use super::lengths::{Bin, LengthsReport};
use super::part::{Overlap, PartReport};
use super::side::SideReport;
use crate::display::format::{counted, grouped, percent, size};

/// Number of columns of the longest bar.
const BAR: u64 = 40;

/// Writes the report on all parts.
pub fn text(parts: &[PartReport]) -> String {
    let texts: Vec<String> = parts.iter().map(of_part).collect();
    texts.join("\n\n")
}

fn of_part(part: &PartReport) -> String {
    let what = if part.is_parallel {
        "sentence pairs"
    } else {
        "lines"
    };
    let empty = if part.is_parallel {
        "with an empty side"
    } else {
        "empty"
    };
    let about = about(part.repeats_are_exact);
    let mut lines = vec![format!(
        "{}: {} {what}, {} {empty}, {about}{} repeats of an earlier one ({})",
        part.part,
        grouped(part.entries),
        grouped(part.empty),
        grouped(part.repeats),
        share(part.repeats, part.entries),
    )];
    if let Some((source, target)) = part.unequal_lines {
        lines.push(format!(
            "  The files do not belong together: the source has {} and the target {}. Only \
             the lines that both have were counted.",
            counted(source, "line"),
            grouped(target),
        ));
    }
    for file in &part.byte_order_marks {
        lines.push(format!(
            "  {file} begins with a byte order mark (it is taken off)."
        ));
    }
    lines.extend(part.notes.iter().map(|note| format!("  {note}")));
    if let Some(overlap) = &part.overlap {
        lines.extend(of_overlap(part, overlap, what, about));
    }
    let names: &[&str] = if part.is_parallel {
        &["source", "target"]
    } else {
        &["text"]
    };
    for (name, side) in names.iter().zip(&part.sides) {
        lines.extend(of_side(name, side));
    }
    if let Some(ratios) = &part.ratios {
        let named = named(&ratios.lines, ratios.outliers);
        lines.push(format!(
            "  target to source length: {:.2} in the middle; {} pairs are more than three times \
             off{named}",
            ratios.median,
            grouped(ratios.outliers),
        ));
    }
    lines.join("\n")
}

fn of_overlap(part: &PartReport, overlap: &Overlap, what: &str, about: &str) -> Vec<String> {
    let both = |here: u64, in_training: u64| {
        format!(
            "{about}{} of {} ({about}{} of the training part)",
            grouped(here),
            grouped(part.entries),
            grouped(in_training),
        )
    };
    let mut line = format!(
        "  also in the training part: {} {what}",
        both(overlap.entries.here, overlap.entries.in_training)
    );
    if part.is_parallel {
        let (sources, targets) = (overlap.sources, overlap.targets);
        line += &format!(
            "; by their sources {}, by their targets {}",
            both(sources.here, sources.in_training),
            both(targets.here, targets.in_training),
        );
    }
    let mut lines = vec![line];
    let shared = overlap.entries.here.max(overlap.sources.here);
    // In a text of one language short sentences recur by chance.
    if part.is_parallel && shared * 100 > part.entries {
        lines.push(
            "  WARNING: a model that is measured on these is measured on what it has learned; \
             `strata data without-overlap` takes them out of the training part."
                .to_owned(),
        );
    }
    lines
}

fn of_side(name: &str, side: &SideReport) -> Vec<String> {
    let LengthsReport {
        mean,
        median,
        percentile_95,
        percentile_99,
        longest,
        histogram,
    } = &side.lengths;
    let bytes = if side.bytes > 0 {
        format!(", {}", size(side.bytes))
    } else {
        String::new()
    };
    let mut lines = vec![
        format!(
            "  {name} {}: {} tokens, {} characters{bytes}",
            side.file,
            grouped(side.tokens),
            grouped(side.characters),
        ),
        format!(
            "    tokens a line: {mean:.1} on average, {median} in the middle; 95 % have at most \
             {percentile_95}, 99 % at most {percentile_99}, the longest {longest}"
        ),
    ];
    lines.extend(bars(histogram));
    lines.push(vocabulary(side));
    for line in &side.longest {
        lines.push(format!(
            "    line {} has {} tokens: {}",
            line.line,
            grouped(line.tokens as u64),
            visible(&line.text)
        ));
    }
    lines.extend(side.notes.iter().map(|note| format!("    {note}")));
    for FaultReport {
        fault,
        count,
        lines: first,
    } in &side.faults
    {
        lines.push(format!(
            "    FAULT in {}: {fault}{}",
            counted(*count, "line"),
            named(first, *count)
        ));
    }
    lines
}

/// Returns the sizes of the vocabulary by minimum counts.
fn vocabulary(side: &SideReport) -> String {
    let about = about(side.vocabulary_is_exact);
    let sizes = side.vocabulary.iter().map(|size| match size.minimum_count {
        1 => format!("{about}{} different tokens", grouped(size.entries)),
        count => format!(
            "{count} times or more {} ({} of the text)",
            grouped(size.entries),
            percent(size.coverage)
        ),
    });
    let sizes: Vec<String> = sizes.collect();
    format!("    vocabulary: {}", sizes.join("; "))
}

fn bars(histogram: &[Bin]) -> Vec<String> {
    let most = histogram.iter().map(|bin| bin.sentences).max().unwrap_or(0);
    let label = |bin: &Bin| match (bin.from, bin.to) {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from}–{to}"),
    };
    let labels: Vec<String> = histogram.iter().map(label).collect();
    let width = labels
        .iter()
        .map(|it| it.chars().count())
        .max()
        .unwrap_or(0);
    let bar = |(label, bin): (&String, &Bin)| {
        let filled = (bin.sentences * BAR).div_ceil(most.max(1)) as usize;
        let bar = "█".repeat(filled);
        format!(
            "    {label:>width$} {bar}{}{}",
            if filled > 0 { " " } else { "" },
            grouped(bin.sentences)
        )
    };
    labels.iter().zip(histogram).map(bar).collect()
}

/// Replaces control characters, which could affect the terminal.
fn visible(text: &str) -> String {
    let visible = |it: char| if it.is_control() { '\u{fffd}' } else { it };
    text.chars().map(visible).collect()
}

fn about(is_exact: bool) -> &'static str {
    if is_exact { "" } else { "about " }
}

fn share(part: u64, whole: u64) -> String {
    percent(part as f64 / whole.max(1) as f64)
}

/// Lists line numbers: `: lines 3, 5, 9, …`.
fn named(lines: &[u64], count: u64) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = lines.iter().map(u64::to_string).collect();
    if (names.len() as u64) < count {
        names.push("…".to_owned());
    }
    format!(": lines {}", names.join(", "))
}
