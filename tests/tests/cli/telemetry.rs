//! Statistics of attention weights: in `metrics.jsonl`, in TensorBoard's files and in `compare`.

use std::fs;

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

const VALIDATED: &str = "training.schedule.kind=constant training.steps=8 training.validate_every=2 training.checkpoint_every=4";

/// Asserts that no number of an object, at any depth, is null.
fn has_no_null(value: &Value) {
    match value {
        Value::Null => panic!("a number is null"),
        Value::Array(values) => values.iter().for_each(has_no_null),
        Value::Object(fields) => fields.values().for_each(has_no_null),
        _ => {}
    }
}

fn names(telemetry: &Value) -> Vec<&str> {
    let sites = telemetry["sites"].as_array().unwrap();
    sites
        .iter()
        .map(|it| it["site"].as_str().unwrap())
        .collect()
}

/// Contents of the event file of a run.
fn events(place: &Workplace, run: &str) -> String {
    let files = fs::read_dir(place.path(run)).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    let is_events = |path: &std::path::PathBuf| path.to_string_lossy().contains("tfevents");
    String::from_utf8_lossy(&fs::read(paths.find(is_events).unwrap()).unwrap()).into_owned()
}

#[test]
fn every_validation_has_the_statistics_of_every_site() {
    let place = Workplace::new();
    let mechanism = "model.encoder_self.kind=multilevel model.encoder_self.levels=3 \
                     model.encoder_self.mix=layer";
    place
        .run(&train(&format!("{VALIDATED} {mechanism} --out run")))
        .succeeded();
    let found = place.metrics("run/metrics.jsonl", "telemetry");
    let steps: Vec<_> = found
        .iter()
        .map(|it| it["step"].as_u64().unwrap())
        .collect();
    assert_eq!(steps, [2, 4, 6, 8]);
    for telemetry in &found {
        has_no_null(telemetry);
        let names = names(telemetry);
        assert_eq!(names[0], "encoder.0.self");
        assert!(names.contains(&"decoder.0.self") && names.contains(&"decoder.0.cross"));
        let head = &telemetry["sites"][0]["heads"][0];
        assert_eq!(head["levels"].as_array().unwrap().len(), 3);
        assert_eq!(head["levels"][2]["level"], 3);
        let depth = head["effective_depth"].as_f64().unwrap();
        assert!((1.0..=3.0).contains(&depth), "{depth}");
        let share = |key: &str| head["levels"][0][key].as_f64().unwrap();
        for key in ["peak", "diagonal", "previous", "permutation"] {
            assert!((0.0..=1.0).contains(&share(key)), "{key}");
        }
        assert!(share("peak") >= share("diagonal") && share("entropy") > 0.0);
    }
    let tag = "attention/encoder.0.self/head_1/level_3/entropy";
    assert!(events(&place, "run").contains(tag));

    let table = place.run("compare run --attention").succeeded();
    assert!(
        table.contains("encoder.0.self") && table.contains("effective depth"),
        "{table}"
    );
    let line = place.run("compare run --attention --json").succeeded();
    let group: Value = serde_json::from_str(&line).unwrap();
    let curves = group["attention"].as_array().unwrap();
    let has = |measure: &str| curves.iter().any(|it| it["measure"] == measure);
    assert!(has("effective_depth") && has("permutation"));
    assert_eq!(curves[0]["curve"].as_array().unwrap().len(), 4);
    place
        .run("compare run --attention --html page.html")
        .succeeded();
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.contains("encoder.0.self, level 1: entropy, nats"));
}

#[test]
fn a_resumed_run_has_the_telemetry_of_the_uninterrupted_one() {
    let place = Workplace::new();
    place
        .run(&train(&format!("{VALIDATED} --out whole")))
        .succeeded();
    let half = VALIDATED.replace("steps=8", "steps=4");
    place.run(&train(&format!("{half} --out run"))).succeeded();
    place.run("train --resume run training.steps=8").succeeded();
    let of = |run: &str| place.metrics(&format!("{run}/metrics.jsonl"), "telemetry");
    // The last validation of the first half, after step 4, is one that the whole run has, too.
    assert_eq!(of("run"), of("whole"));
}

#[test]
fn runs_without_statistics_are_still_read_and_said_to_have_none() {
    let place = Workplace::new();
    place
        .run(&train(&format!("{VALIDATED} --out run")))
        .succeeded();
    let before = place.run("compare run --json").succeeded();
    let text = String::from_utf8(place.read("run/metrics.jsonl")).unwrap();
    let kept = text
        .lines()
        .filter(|it| !it.contains("\"kind\":\"telemetry\""));
    let kept: Vec<&str> = kept.collect();
    place.write("run/metrics.jsonl", kept.join("\n") + "\n");
    assert_eq!(place.run("compare run --json").succeeded(), before);
    let table = place.run("compare run --attention").succeeded();
    assert!(
        table.contains("No run recorded statistics of attention weights"),
        "{table}"
    );
}

#[test]
fn a_model_without_attention_has_no_telemetry() {
    let place = Workplace::new();
    place.write("text.txt", "the cat sat on the mat\n".repeat(40));
    place
        .run(
            "train task.kind=text task.source=text.txt task.segment_length=9 \
             model.architecture=recurrent_lm model.cell=gru model.layers=1 model.embedding=16 \
             model.hidden=16 training.batch_size=8 training.steps=3 --out run",
        )
        .succeeded();
    assert_eq!(place.metrics("run/metrics.jsonl", "validation").len(), 1);
    assert!(place.metrics("run/metrics.jsonl", "telemetry").is_empty());
    assert!(!events(&place, "run").contains("attention/"));
}

#[test]
fn readers_pyramids_and_linear_attention_have_telemetry_without_nan() {
    let place = Workplace::new();
    place
        .run("train --preset bidaf_toy training.steps=2 --out reader")
        .succeeded();
    for mechanism in ["pyramid", "linear", "hard", "local", "ham_v", "ham_s"] {
        let setting =
            format!("model.encoder_self.kind={mechanism} training.steps=2 --out {mechanism}");
        place.run(&train(&setting)).succeeded();
    }
    for run in [
        "reader", "pyramid", "linear", "hard", "local", "ham_v", "ham_s",
    ] {
        let found = place.metrics(&format!("{run}/metrics.jsonl"), "telemetry");
        let [telemetry] = &found[..] else {
            panic!("{run}: {found:?}");
        };
        has_no_null(telemetry);
        let level = &telemetry["sites"][0]["heads"][0]["levels"][0];
        assert!(level["entropy"].as_f64().is_some(), "{run}: {level}");
    }
}

#[test]
fn a_run_as_json_is_its_metrics_between_beginning_and_end() {
    let workplace = Workplace::new();
    let printed = workplace
        .run("train --preset copy training.steps=6 training.validate_every=3 --json --out a")
        .succeeded();
    let lines: Vec<&str> = printed.lines().collect();
    let json: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    let (first, last) = (&json[0], &json[json.len() - 1]);
    assert_eq!(first["kind"], "begin");
    assert_eq!(
        (&first["folder"], &first["steps"]),
        (&"a".into(), &6.into())
    );
    assert_eq!(
        (&last["kind"], &last["end"]),
        (&"end".into(), &"done".into())
    );
    let measures: Vec<&str> = lines
        .iter()
        .zip(&json)
        .filter(|(_, it)| {
            ["step", "validation", "telemetry"]
                .iter()
                .any(|kind| it["kind"] == *kind)
        })
        .map(|(line, _)| *line)
        .collect();
    let file = String::from_utf8(workplace.read("a/metrics.jsonl")).expect("metrics are UTF-8");
    assert_eq!(measures, file.lines().collect::<Vec<_>>());
    assert_eq!(workplace.metrics("a/metrics.jsonl", "step").len(), 6);
}
