//! `strata bench`: its workloads have the losses of PyTorch, and its lines can be compared with
//! those of other programs.

use serde_json::{Value, json};
use strata_tests::cli::Workplace;

/// Some steps of small models, of every kind and with every mechanism.
const WORKLOADS: &str = include_str!("workloads.json");

/// First loss, last loss and trained numbers of `workloads.json` by PyTorch 2.15.0 in F32 on a CPU,
/// to five digits: `nn.LSTM`, `nn.GRU`, `scaled_dot_product_attention` and fused Adam, from the
/// same initial parameters on the same token ids.
const PYTORCH: [(&str, f64, f64, u64); 12] = [
    ("transformer", 3.68555, 3.35765, 47_400),
    ("uneven", 3.70306, 3.48489, 38_856),
    ("multilevel", 3.69733, 3.35522, 47_400),
    ("ham", 3.6854, 3.35008, 47_418),
    ("lstm", 3.68738, 3.62543, 15_960),
    ("plain", 0.16812, 0.16812, 1_216),
    ("plain_and_back", 0.16812, 0.16812, 1_216),
    ("pyramid", -0.00643, -0.00643, 3_296),
    ("pyramid_and_back", -0.00643, -0.00643, 3_296),
    ("bidaf", 4.39196, 4.38676, 5_769),
    ("match_lstm", 4.39437, 4.39337, 2_496),
    ("rnet", 4.39403, 4.39258, 10_026),
];

fn place() -> Workplace {
    let place = Workplace::new();
    place.write("workloads.json", WORKLOADS);
    place
}

fn lines(output: &str) -> Vec<Value> {
    let lines = output.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn losses_are_those_of_pytorch() {
    let output = place().run("bench --workloads workloads.json --json");
    let reports = lines(&output.succeeded());
    assert_eq!(reports.len(), PYTORCH.len());
    for (report, (name, first, last, parameters)) in reports.iter().zip(PYTORCH) {
        assert_eq!(report["workload"], name);
        for (key, expected) in [("loss_first", first), ("loss_last", last)] {
            let loss = report[key].as_f64().unwrap();
            assert!((loss - expected).abs() < 1e-4, "{name}: {key} {loss}");
        }
        assert_eq!(report["params"], parameters, "{name}");
    }
}

#[test]
fn a_line_says_how_fast_the_steps_were() {
    let arguments = "--only lstm --steps 3 --warmup 1 --device cpu --json";
    let output = place().run(&format!("bench --workloads workloads.json {arguments}"));
    let [report] = &lines(&output.succeeded())[..] else {
        panic!("not one line")
    };
    for (key, expected) in [
        ("peer", json!("strata")),
        ("workload", json!("lstm")),
        ("device", json!("cpu")),
        ("steps", json!(3)),
        ("warmup", json!(1)),
        ("precision", json!("f32")),
    ] {
        assert_eq!(report[key], expected, "{key}");
    }
    let number = |key: &str| report[key].as_f64().unwrap();
    // 8 texts of 10 tokens by the median time, which is rounded to the microsecond.
    let tokens = number("tokens_per_s") * number("ms_per_step") / 1e3;
    assert!((tokens / 80.0 - 1.0).abs() < 1e-2, "{tokens}");
    assert!(number("ms_min") <= number("ms_per_step"));
    assert!(number("ms_per_step") <= number("ms_max"));
    assert!(number("loss_last") < number("loss_first"));
    assert!(number("gflop_per_step") > 0.0 && number("peak_gflop_per_s") > 0.0);
    if cfg!(target_os = "linux") {
        assert!(number("peak_memory_mb") > number("baseline_memory_mb"));
    }
}

#[test]
fn a_table_has_a_row_for_each_workload() {
    let output = place().run(
        "bench --workloads workloads.json --only pyramid_and_back --only transformer --steps 1",
    );
    let table = output.succeeded();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let [head, pyramid, transformer] = &rows[..] else {
        panic!("{table}")
    };
    assert_eq!(head[..2], ["workload", "device"]);
    assert_eq!(pyramid[..2], ["pyramid_and_back", "cpu"]);
    assert_eq!(pyramid[7..], ["-0.00643", "-0.00643"]);
    assert_eq!(transformer[0], "transformer");
    // Behind the memory stands a share of the peak, for what is trained.
    assert_eq!(transformer[8..10], ["%", "3.68555"]);
}

/// Returns the error about a file in which `change` has altered the workload `name`.
fn refused(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut file: Value = serde_json::from_str(WORKLOADS).unwrap();
    let workloads = file["workloads"].as_array_mut().unwrap();
    let workload = workloads.iter_mut().find(|it| it["name"] == name).unwrap();
    change(workload);
    let place = Workplace::new();
    place.write("changed.json", file.to_string());
    let arguments = format!("bench --workloads changed.json --only plain --only {name}");
    place.run(&arguments).refused()
}

#[test]
fn what_is_not_defined_is_refused_by_its_name() {
    let set = |name: &str, path: &str, value: Value| {
        refused(name, |workload| match path.split_once('.') {
            Some((outer, inner)) => workload[outer][inner] = value,
            None => workload[path] = value,
        })
    };
    for (name, path, value, part) in [
        ("lstm", "kind", json!("mamba"), "\"mamba\""),
        ("lstm", "teacher", json!(1), "`teacher`"),
        ("lstm", "vocab", json!("many"), "`vocab`"),
        ("lstm", "vocab", json!(2), "`vocab`"),
        ("lstm", "seed", json!(-1), "`seed`"),
        ("lstm", "batch", json!(0), "`batch` is 0"),
        ("lstm", "decoder_hidden", json!(31), "`decoder_hidden`"),
        ("lstm", "input_feeding", json!(true), "`input_feeding`"),
        ("lstm", "attention.kind", json!("dot"), "`attention.kind`"),
        ("transformer", "task", json!("sort"), "`sort`"),
        ("transformer", "heads", json!(5), "`heads`"),
        ("transformer", "norm", json!("pre"), "`pre`"),
        ("transformer", "final_norm", json!(true), "`final_norm`"),
        ("transformer", "target_len", json!(11), "`target_len`"),
        ("transformer", "attention.kind", json!("gated"), "`gated`"),
        ("transformer", "attention.depth", json!(2), "`depth`"),
        ("transformer", "optimizer.lr", json!(null), "`optimizer.lr`"),
        ("transformer", "d_ff", json!(1u64 << 40), "`d_ff`"),
        ("multilevel", "attention.levels", json!(0), "`levels`"),
        ("pyramid", "attention.beam", json!(2), "`attention.beam`"),
        ("pyramid", "source_len", json!(30), "`source_len`"),
        ("pyramid", "mode", json!("backward"), "`backward`"),
        (
            "rnet",
            "model",
            json!({"architecture": "transformer"}),
            "`model.architecture`",
        ),
        ("rnet", "model.dropout", json!(0.5), "`model.dropout`"),
        ("rnet", "characters", json!(2), "`characters`"),
        ("rnet", "clip_norm", json!(-1.0), "`clip_norm`"),
        ("rnet", "word_len", json!(0), "`word_len`"),
    ] {
        let sentence = set(name, path, value);
        let start = format!("changed.json: workload `{name}`: ");
        assert!(
            sentence.starts_with(&start) && sentence.contains(part),
            "no {part}: {sentence}"
        );
    }
    let without = refused("lstm", |workload| {
        workload.as_object_mut().unwrap().remove("seed");
    });
    assert!(without.ends_with("it has no `seed`"), "{without}");
}

#[test]
fn what_is_no_file_of_workloads_is_refused() {
    let place = place();
    let refused = |arguments: &str| {
        let ended = place.run(&format!("bench --workloads {arguments}"));
        ended.refused()
    };
    let missing = refused("workloads.json --only tiny");
    assert!(
        missing.contains("no workload `tiny`") && missing.contains("plain_and_back"),
        "{missing}"
    );
    assert!(refused("none.json").contains("there is no such file"));
    for (text, part) in [
        ("{\"workloads\": [", "EOF"),
        ("[]", "`workloads`"),
        ("{\"workloads\": [{\"kind\": \"x\"}]}", "has no name"),
        (
            "{\"workloads\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
            "two workloads are named `a`",
        ),
    ] {
        place.write("other.json", text);
        let sentence = refused("other.json");
        assert!(
            sentence.starts_with("other.json: ") && sentence.contains(part),
            "{sentence}"
        );
    }
}

#[test]
fn a_step_that_runs_wild_says_so_and_the_others_go_on() {
    let mut file: Value = serde_json::from_str(WORKLOADS).unwrap();
    let workloads = file["workloads"].as_array_mut().unwrap();
    let wild = workloads.iter_mut().find(|it| it["name"] == "lstm");
    wild.unwrap()["optimizer"]["lr"] = json!(1e38);
    let place = Workplace::new();
    place.write("wild.json", file.to_string());
    let ended =
        place.run("bench --workloads wild.json --only plain --only lstm --only pyramid --json");
    assert_eq!(ended.code, Some(1));
    let names: Vec<Value> = lines(&ended.stdout)
        .iter()
        .map(|report| report["workload"].clone())
        .collect();
    assert_eq!(names, ["plain", "pyramid"]);
    assert!(
        ended.stderr.contains("workload `lstm`: the loss of step"),
        "{}",
        ended.stderr
    );
}

#[test]
fn sixteen_bits_on_a_cpu_are_warned_of_once() {
    let place = place();
    for precision in ["bf16", "f16"] {
        let arguments =
            format!("--only lstm --only ham --steps 1 --warmup 0 --precision {precision}");
        let output = place.run(&format!("bench --workloads workloads.json {arguments}"));
        let warning = format!("a step in {precision} takes about six times as long as in f32");
        assert_eq!(output.stderr.matches(&warning).count(), 1, "{output:?}");
        output.succeeded();
    }
    let output = place.run("bench --workloads workloads.json --only lstm --steps 1 --warmup 0");
    assert!(!output.stderr.contains("warning"), "{output:?}");
    output.succeeded();
    let small = "task.kind=copy task.examples=20 task.held_out=2 model.width=8 training.steps=1";
    let output = place.run(&format!("train --out r {small} training.precision=bf16"));
    assert!(
        output.stderr.contains("in bf16 takes about six times"),
        "{output:?}"
    );
    output.succeeded();
}
