//! Claims of the papers, each beside the figures measured here: claims that hold, claims that do not,
//! and claims that runs of this size cannot tell. Every word on a claim follows from the verdicts of its table.

use serde::Deserialize;

use super::reproduction::{Reproduction, SCALES};
use super::results::{MeasureResults, Results, RowResults, TableResults, Verdict, number};

/// A claim of a paper.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub text: String,
    /// Figures of the paper, in words.
    pub published: String,
    /// Table, measure and rows that can tell whether the claim holds, each row beside the baseline.
    pub table: String,
    pub measure: String,
    pub rows: Vec<String>,
    /// Verdict on these rows that the claim expects.
    pub expected: Expected,
}

/// Verdict that a claim expects.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    Better,
    Worse,
}

/// Measurements about a claim.
pub struct Answer {
    /// Verdict on the claim, in words.
    pub verdict: String,
    /// Figures of the rows, each beside the figure of the baseline.
    pub figures: Vec<String>,
    /// Scale of the runs.
    pub scale: String,
}

/// Verdict on a claim for one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Holds,
    Opposite,
    Equal,
    Undecided,
    BelowFloor,
    TooFewSeeds,
    WithoutFloor,
    NotMeasured,
}

impl Outcome {
    const ALL: [Self; 8] = [
        Self::Holds,
        Self::Opposite,
        Self::Equal,
        Self::Undecided,
        Self::BelowFloor,
        Self::TooFewSeeds,
        Self::WithoutFloor,
        Self::NotMeasured,
    ];

    fn of(verdict: Option<Verdict>, expected: Expected) -> Self {
        match (verdict, expected) {
            (Some(Verdict::Better), Expected::Better) | (Some(Verdict::Worse), Expected::Worse) => {
                Self::Holds
            }
            (Some(Verdict::Better | Verdict::Worse), _) => Self::Opposite,
            (Some(Verdict::Equal), _) => Self::Equal,
            (Some(Verdict::Undecided), _) => Self::Undecided,
            (Some(Verdict::BelowFloor), _) => Self::BelowFloor,
            (Some(Verdict::TooFewSeeds), _) => Self::TooFewSeeds,
            (Some(Verdict::WithoutFloor), _) => Self::WithoutFloor,
            (None, _) => Self::NotMeasured,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Opposite => "does not hold: the opposite was measured",
            Self::Equal => "does not hold: equal within the margin of the table",
            Self::Undecided => {
                "cannot be told: chance could explain the difference, with so few seeds and so many comparisons"
            }
            Self::BelowFloor => "cannot be told: the models know no more than a count model",
            Self::TooFewSeeds => "cannot be told: fewer than three seeds",
            Self::WithoutFloor => "cannot be told: no count model was measured beside the models",
            Self::NotMeasured => "not measured",
        }
    }
}

/// Answers a claim of an experiment from the results that have one of the claim's rows: from those at
/// the largest scale, and of these from the last.
pub fn answer(experiment: &Reproduction, claim: &Claim, all: &[Results]) -> Option<Answer> {
    let of_experiment = all.iter().filter(|it| it.experiment == experiment.name);
    let tables = of_experiment.filter_map(|results| {
        let table = results.tables.iter().find(|it| it.name == claim.table)?;
        Some((results, table))
    });
    let has_row = |table: &TableResults| table.rows.iter().any(|it| claim.rows.contains(&it.name));
    let scale = |results: &Results| SCALES.iter().position(|it| *it == results.scale);
    let (results, table) = tables
        .filter(|(_, table)| has_row(table))
        .max_by_key(|(results, _)| scale(results))?;
    let measure = table.measures.iter().find(|it| it.name == claim.measure)?;
    let rows = claim.rows.iter();
    let rows: Vec<&RowResults> = rows
        .filter_map(|name| table.rows.iter().find(|it| it.name == *name))
        .collect();
    let outcomes: Vec<Outcome> = rows
        .iter()
        .map(|row| {
            let difference = row.cell(measure).difference;
            Outcome::of(difference.map(|it| it.verdict), claim.expected)
        })
        .collect();
    Some(Answer {
        verdict: verdict(&rows, &outcomes),
        figures: rows
            .iter()
            .map(|row| figures(table, row, measure))
            .collect(),
        scale: results.scale.clone(),
    })
}

/// Says for which rows a claim holds; in one word if for all of them or for none.
fn verdict(rows: &[&RowResults], outcomes: &[Outcome]) -> String {
    let found = Outcome::ALL.into_iter().filter_map(|outcome| {
        let named: Vec<&str> = rows
            .iter()
            .zip(outcomes)
            .filter(|(_, it)| **it == outcome)
            .map(|(row, _)| row.title.as_str())
            .collect();
        match named.len() {
            0 => None,
            all if all == rows.len() => Some(outcome.words().to_owned()),
            _ => Some(format!("{}: {}", named.join(", "), outcome.words())),
        }
    });
    found.collect::<Vec<_>>().join("; ")
}

/// Writes the figure of a row beside that of its baseline, with the interval of their difference.
fn figures(table: &TableResults, row: &RowResults, measure: &MeasureResults) -> String {
    let mean = |row: &RowResults| {
        let mean = row.cell(measure).mean;
        mean.map_or_else(|| "–".to_owned(), |it| number(it, measure.digits))
    };
    let base = row.baseline.as_ref();
    let base = base.and_then(|title| table.rows.iter().find(|it| it.title == *title));
    let cell = row.cell(measure);
    let mut words = format!("{} {}", row.words(), mean(row));
    if let Some(base) = base {
        words += &format!(" beside {}", mean(base));
    }
    if let Some([low, high]) = cell.difference.and_then(|it| it.interval) {
        let interval = measure.clipped_difference([low, high]);
        let [low, high] = interval.map(|it| number(it, measure.digits));
        words += &format!(" (difference {low} to {high})");
    }
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::reproduction;
    use super::*;
    use serde_json::json;

    #[test]
    fn every_claim_can_be_told_by_its_table() {
        for experiment in reproduction::all() {
            assert!(!experiment.claims.is_empty(), "{}", experiment.name);
            for claim in &experiment.claims {
                let place = format!("{}: {}", experiment.name, claim.text);
                let table = experiment.tables.iter().find(|it| it.name == claim.table);
                let table = table.unwrap_or_else(|| panic!("{place}: no such table"));
                let measure = table.measures.iter().find(|it| it.name == claim.measure);
                assert!(measure.unwrap().better.is_some(), "{place}");
                assert!(!claim.rows.is_empty(), "{place}");
                for name in &claim.rows {
                    let row = table.rows.iter().find(|it| it.name == *name);
                    let row = row.unwrap_or_else(|| panic!("{place}: no row {name}"));
                    assert!(
                        table.baseline(row).is_some() && !row.floor,
                        "{place}: {name}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_largest_scale_answers() {
        let experiment = reproduction::named("e2").unwrap();
        let claim = &experiment.claims[0];
        let of = |scale: &str, row: &str| -> Results {
            let (name, measure) = (&claim.table, &claim.measure);
            let measure = json!({ "name": measure, "title": measure, "digits": 2, "chart": false });
            let row = json!({ "name": row, "title": scale, "note": "", "cells": {}, "runs": [] });
            let table = json!({
                "name": name, "title": name, "published": "", "text": "", "notes": [],
                "measures": [measure], "rows": [row], "signatures": [],
            });
            let results = json!({
                "experiment": "e2", "title": "", "paper": "", "question": "", "scale": scale,
                "strata": "", "device": "", "tables": [table],
            });
            serde_json::from_value(results).unwrap()
        };
        let asked = &claim.rows[0];
        let scale = |all: &[Results]| answer(&experiment, claim, all).map(|it| it.scale);
        let all = ["evening", "smoke", "trial"].map(|it| of(it, asked));
        assert_eq!(scale(&all).as_deref(), Some("evening"));
        // Results without the rows of the claim tell nothing of it.
        let all = [
            of("paper", "bahdanau"),
            of("smoke", asked),
            of("trial", asked),
        ];
        assert_eq!(scale(&all).as_deref(), Some("smoke"));
        assert_eq!(scale(&[]), None);
    }

    #[test]
    fn the_words_follow_the_verdicts() {
        let row = |title: &str| RowResults {
            name: title.to_owned(),
            title: title.to_owned(),
            note: String::new(),
            baseline: None,
            floor: false,
            reads_source: false,
            experiment_digest: None,
            stale: false,
            repeated: None,
            rates: None,
            cells: Default::default(),
            runs: Vec::new(),
        };
        let (a, b) = (row("A"), row("B"));
        let of = |verdicts: [Option<Verdict>; 2], expected| {
            let outcomes = verdicts.map(|it| Outcome::of(it, expected));
            verdict(&[&a, &b], &outcomes)
        };
        let (better, worse) = (Some(Verdict::Better), Some(Verdict::Worse));
        assert_eq!(of([better, better], Expected::Better), "holds");
        assert_eq!(of([worse, worse], Expected::Worse), "holds");
        assert_eq!(
            of([worse, better], Expected::Better),
            "B: holds; A: does not hold: the opposite was measured"
        );
        let floor = Some(Verdict::BelowFloor);
        let words = of([floor, floor], Expected::Better);
        assert!(
            words.starts_with("cannot be told") && words.contains("count model"),
            "{words}"
        );
        let equal = Some(Verdict::Equal);
        assert_eq!(
            of([equal, equal], Expected::Better),
            "does not hold: equal within the margin of the table"
        );
        assert_eq!(of([None, None], Expected::Better), "not measured");
    }
}
