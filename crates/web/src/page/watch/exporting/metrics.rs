//! Metrics of a run as CSV and JSON: every point that the page has kept. In a long run a point
//! stands for several steps, whose number is given.

use crate::state::history::{History, Point};
use serde_json::{Value, json};
use std::fmt::Write;
use strata_training::Experiment;

/// Writes one line per point, training first; the first line names the columns.
pub fn csv(history: &History) -> String {
    let mut lines = String::from(
        "part,step,steps,loss,lowest_loss,highest_loss,accuracy,lowest_accuracy,highest_accuracy,\
         tokens_per_second",
    );
    let has_answers = history
        .validation
        .iter()
        .any(|point| point.answers.is_some());
    lines += if has_answers {
        ",exact_match,f1\n"
    } else {
        "\n"
    };
    for (part, points) in parts(history) {
        for point in points {
            let (loss, accuracy) = (point.loss_range, point.accuracy_range);
            // Writing into a string cannot fail.
            let _ = write!(
                lines,
                "{part},{},{},{},{},{},{},{},{},{}",
                point.step,
                point.steps,
                point.loss,
                loss.0,
                loss.1,
                point.accuracy,
                accuracy.0,
                accuracy.1,
                point.speed.map_or(String::new(), |speed| speed.to_string()),
            );
            lines += &match point.answers {
                Some([exact, f1]) => format!(",{exact},{f1}\n"),
                None if has_answers => ",,\n".to_owned(),
                None => "\n".to_owned(),
            };
        }
    }
    lines
}

/// Writes the metrics as JSON, with the experiment.
pub fn json(history: &History, experiment: &Experiment) -> String {
    let point = |point: &Point| {
        let mut value = json!({
            "step": point.step,
            "steps": point.steps,
            "loss": point.loss,
            "loss_range": point.loss_range,
            "accuracy": point.accuracy,
            "accuracy_range": point.accuracy_range,
            "tokens_per_second": point.speed,
        });
        if let Some([exact, f1]) = point.answers {
            (value["exact_match"], value["f1"]) = (exact.into(), f1.into());
        }
        value
    };
    let [training, validation] =
        parts(history).map(|(_, points)| points.iter().map(point).collect::<Vec<Value>>());
    let value = json!({
        "experiment": experiment,
        "training": training,
        "validation": validation,
    });
    value.to_string()
}

fn parts(history: &History) -> [(&'static str, &[Point]); 2] {
    [
        ("training", &history.training),
        ("validation", &history.validation),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::step_report;

    #[test]
    fn both_files_have_every_step() {
        let mut history = History::default();
        for step in 1..=20 {
            history.push(&step_report(step, 1.0 / step as f64, 0.5));
        }
        let csv = csv(&history);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[4], "training,4,1,0.25,0.25,0.25,0.5,0.5,0.5,2000");
        let columns = lines[0].split(',').count();
        assert!(lines.iter().all(|line| line.split(',').count() == columns));
        let value: Value = serde_json::from_str(&json(&history, &Experiment::default())).unwrap();
        assert_eq!(value["training"][19]["step"], 20);
        assert!(value["experiment"]["model"].is_object());
    }
}
