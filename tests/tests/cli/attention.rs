//! `strata attention`: files of other programs and of `translate --attention`, shown and refused.

use std::collections::HashMap;
use std::process::Command;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use strata_session::attention_file;
use strata_tests::cli::Workplace;
use strata_tests::here;

use crate::train;

/// A file as a program of another kind may write it: two heads, two levels at one site, a name of its
/// own at another.
fn foreign() -> Value {
    json!({"format": "strata-attention", "version": 1, "written_by": "a test", "sentences": [
        {
            "source": ["der", "mann"], "target": ["the", "man"],
            "sites": [
                {
                    "site": "encoder.0.self", "rows": ["der", "mann"], "columns": ["der", "mann"],
                    "heads": [[[0.5, 0.5], [1.0, 0.0]]]
                },
                {
                    "site": "decoder.0.self", "rows": ["the", "man"], "columns": ["<s>", "the"],
                    "heads": [[[1.0, 0.0], [0.25, 0.75]]]
                },
                {
                    "site": "decoder.0.cross", "rows": ["the", "man"], "columns": ["der", "mann"],
                    "levels": [
                        {"level": 1, "heads": [[[0.0, 1.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]]},
                        {"level": 5, "heads": [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.0, 1.0]]]}
                    ]
                }
            ]
        },
        {"sites": [{"site": "probe", "rows": ["\u{1b}[2J"], "columns": ["人"], "heads": [[[0.25]]]}]}
    ]})
}

fn place() -> Workplace {
    let place = Workplace::new();
    place.write("weights.json", foreign().to_string());
    place
}

#[test]
fn a_file_of_another_program_is_listed_and_drawn() {
    let place = place();
    let said = place.run("attention weights.json").succeeded();
    for part in [
        "weights.json: 2 sentences with 4 sites.",
        "1  der mann → the man",
        "decoder.0.cross    1, 5      2     2        2",
        // The most notable site, at its last level: the mean of both heads.
        "decoder.0.cross, level 5 of 5, mean of 2 heads (██ = 1.000)",
        "the ▓▓░░  der 0.750",
        "man   ██  mann 1.000",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    let map = place
        .run("attention weights.json --site decoder.0.cross --level 1 --head 2")
        .succeeded();
    assert!(map.starts_with("decoder.0.cross, level 1 of 5, head 2 of 2"));
    assert!(map.contains("the   ██  mann 1.000") && !map.contains("weights.json"));
    // A name of its own, and a token that would clear the terminal.
    let probe = place.run("attention weights.json --sentence 2").succeeded();
    assert!(probe.contains("probe (██ = 0.250)"), "{probe}");
    assert!(probe.contains("\\u{1b}[2J ██  人 0.250") && !probe.contains('\u{1b}'));
    // Through pipes of both kinds.
    let listed = said.split_once(':').unwrap().1;
    let piped = place
        .run_with("attention -", foreign().to_string())
        .succeeded();
    assert_eq!(piped, format!("standard input:{listed}"));
    let piped = place.shell("cat weights.json | $STRATA attention /dev/stdin");
    assert_eq!(piped.succeeded(), format!("/dev/stdin:{listed}"));
}

#[test]
fn the_sources_of_a_token_are_traced_through_the_layers() {
    let place = place();
    let said = place.run("attention weights.json --rollout 2").succeeded();
    // ½ stays at each site of the decoder, ½ goes where the site looks.
    for part in [
        "Sources of `man` (token 2 of 2) by attention rollout",
        "50.0 % from the tokens that the decoder reads (██ = 1.000)",
        "50.0 % from the source (██ = 0.500)",
        "decoder.0.cross   ██  mann 0.500",
        " encoder.0.self ▒▒▒▒  der 0.250",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    let refused = place
        .run("attention weights.json --sentence 2 --rollout 1")
        .refused();
    assert!(refused.contains("weights.json: attention rollout: no site is of a layer"));
}

#[test]
fn a_page_has_all_maps_and_needs_nothing_from_elsewhere() {
    let place = place();
    let said = place
        .run("attention weights.json --html page.html")
        .succeeded();
    assert_eq!(said, "The page is page.html.\n");
    let page = String::from_utf8(place.read("page.html")).unwrap();
    for part in [
        "Attention of weights.json",
        "<h2>Sentence 2</h2>",
        "decoder.0.cross, level 5 of 5",
        "head 2",
        "man ← mann: 1.000",
        "probe",
    ] {
        assert!(page.contains(part), "no {part:?} in {page}");
    }
    assert!(!page.contains("src=") && !page.contains("<script") && !page.contains('\u{1b}'));
    place
        .run("attention weights.json --rollout 2 --html traced.html")
        .succeeded();
    let traced = String::from_utf8(place.read("traced.html")).unwrap();
    assert!(traced.contains("50.0 % from the source"), "{traced}");
    assert!(!traced.contains("Sentence 2"), "{traced}");
    // A page that nobody could look through.
    let tokens = vec!["x"; 600];
    let heads = vec![vec![vec![0; 600]; 600]];
    let large = json!([{"sites": [
        {"site": "s", "rows": tokens, "columns": tokens, "heads": heads}
    ]}]);
    place.write("large.json", large.to_string());
    let refused = place
        .run("attention large.json --html large.html")
        .refused();
    assert!(refused.contains("large.json: the page would have more than 250,000 cells"));
    assert!(!place.path("large.html").exists());
    let said = place.run("attention large.json").succeeded();
    assert!(said.contains("the first 100 of 600 rows"), "{said}");
}

#[test]
fn safetensors_show_the_same_as_json() {
    let place = place();
    let sentences = attention_file::read(foreign().to_string().as_bytes()).unwrap();
    let mut heads = foreign();
    for site in heads["sentences"][0]["sites"].as_array_mut().unwrap() {
        let site = site.as_object_mut().unwrap();
        site.remove("levels");
        site.remove("heads");
    }
    heads["sentences"].as_array_mut().unwrap().truncate(1);
    let site = |at: usize| &sentences[0].sites[at];
    let bytes = |at: usize| -> Vec<u8> {
        let weights = site(at).weights.iter();
        weights.flat_map(|it| it.to_le_bytes()).collect()
    };
    let bytes = [0, 1, 2].map(bytes);
    let tensors = bytes.iter().enumerate().map(|(at, bytes)| {
        let site = site(at);
        let shape = vec![site.levels.len(), site.heads, 2, 2];
        let view = TensorView::new(Dtype::F32, shape, bytes).unwrap();
        (format!("0.{}", site.name), view)
    });
    let metadata = HashMap::from([("strata-attention".to_owned(), heads.to_string())]);
    let file = safetensors::serialize(tensors, Some(metadata)).unwrap();
    place.write("weights.safetensors", file);
    let map = |file: &str| {
        let command = format!("attention {file} --site decoder.0.cross --head 1");
        let said = place.run(&command).succeeded();
        said.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(map("weights.safetensors"), map("weights.json"));
}

/// `translate --attention` writes an attention file, correct in every digit.
#[test]
fn the_file_of_translate_is_read_back() {
    let place = Workplace::new();
    let model = "model.cross.kind=multilevel model.cross.levels=3 training.steps=1 --out run";
    place.run(&train(model)).succeeded();
    place
        .run_with(
            "translate --model run --attention where.json",
            "a b c\n\nb\n",
        )
        .succeeded();
    let written: Value = serde_json::from_slice(&place.read("where.json")).unwrap();
    assert_eq!(
        (&written["format"], &written["version"]),
        (&json!("strata-attention"), &json!(1))
    );
    let read = attention_file::read(&place.read("where.json")).unwrap();
    assert_eq!(read.len(), 2);
    for (sentence, written) in read.iter().zip(written["sentences"].as_array().unwrap()) {
        assert_eq!(json!(sentence.source), written["source"]);
        for (site, written) in sentence
            .sites
            .iter()
            .zip(written["sites"].as_array().unwrap())
        {
            assert_eq!(json!(site.name), written["site"]);
            assert_eq!(json!(site.columns), written["columns"]);
            let levels = written["levels"].as_array().unwrap();
            let weights = levels.iter().flat_map(|level| {
                let heads: Vec<Vec<Vec<f32>>> =
                    serde_json::from_value(level["heads"].clone()).unwrap();
                heads.into_iter().flatten().flatten()
            });
            assert_eq!(site.weights, weights.collect::<Vec<_>>());
        }
    }
    let said = place.run("attention where.json --sentence 1").succeeded();
    for part in [
        "where.json: 2 sentences with 6 sites.",
        "1  a b c → ",
        "1 to 3",
        "level 3 of 3",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    place.run("attention where.json --rollout 1").succeeded();
    // No line, no sentence.
    place
        .run_with("translate --model run --attention none.json", "\n")
        .succeeded();
    let said = place.run("attention none.json").succeeded();
    assert_eq!(said, "none.json: 0 sentences with 0 sites.\n");
    let refused = place.run("attention none.json --site x").refused();
    assert!(
        refused.contains("none.json: the file has no sentences"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_shown_is_refused_in_a_sentence() {
    let place = place();
    let list = |sites: Value| json!([{"sites": sites}]).to_string();
    let site = |heads: Value| json!({"site": "s", "rows": ["a"], "columns": ["b"], "heads": heads});
    for (name, contents) in [
        ("text.txt", "hello".to_owned()),
        (
            "newer.json",
            json!({"format": "strata-attention", "version": 2, "sentences": []}).to_string(),
        ),
        ("other.json", json!({"format": "else"}).to_string()),
        ("cut.json", foreign().to_string()[..200].to_owned()),
        (
            "nan.json",
            list(json!([site(json!([[[0.5]]]))])).replace("0.5", "NaN"),
        ),
        ("sizes.json", list(json!([site(json!([[[0.5, 0.5]]]))]))),
        ("less.json", list(json!([site(json!([[[-1.0]]]))]))),
        (
            "twice.json",
            list(json!([site(json!([[[1]]])), site(json!([[[1]]]))])),
        ),
    ] {
        place.write(name, contents);
    }
    for (arguments, parts) in [
        ("missing.json", &["missing.json: there is no such file"][..]),
        (".", &["this is a folder"]),
        (
            "text.txt",
            &[
                "text.txt: the file is no attention file",
                "docs/attention-files.md",
            ],
        ),
        ("newer.json", &["newer.json", "`version` is 2"]),
        ("other.json", &["other.json", "`format` is not"]),
        ("cut.json", &["cut.json", "line 1 column"]),
        ("nan.json", &["nan.json", "line 1 column"]),
        (
            "sizes.json",
            &["sizes.json: site `s` of sentence 1", "1 rows and 2 columns"],
        ),
        (
            "less.json",
            &["less.json: site `s` of sentence 1 has the weight -1"],
        ),
        (
            "twice.json",
            &["twice.json: site `s` of sentence 1: another site has the same name"],
        ),
        (
            "/dev/zero",
            &["/dev/zero: the attention file has more than 64 MiB"],
        ),
        (
            "weights.json --sentence 3",
            &["no sentence 3", "2 sentences"],
        ),
        ("weights.json --sentence 0", &["no sentence 0"]),
        (
            "weights.json --site x",
            &["no site `x`; it has `encoder.0.self`"],
        ),
        (
            "weights.json --site decoder.0.cross --level 2",
            &["no level 2; its levels are 1, 5"],
        ),
        (
            "weights.json --head 3",
            &["no head 3; its heads are 1 to 2"],
        ),
        (
            "weights.json --rollout 3",
            &["no token 3", "the output has 2"],
        ),
        ("weights.json --rollout 0", &["no token 0"]),
        (
            "weights.json --html weights.json",
            &["weights.json: this file is read here", "--html"],
        ),
        (
            "weights.json --html nowhere/page.html",
            &["nowhere/page.html: the page cannot be written"],
        ),
    ] {
        let refused = place.run(&format!("attention {arguments}")).refused();
        for part in parts {
            assert!(
                refused.contains(part),
                "{arguments}: no {part:?} in {refused}"
            );
        }
    }
    let both = place.run("attention weights.json --rollout 1 --site x");
    assert_eq!(both.code, Some(2), "{both:?}");
    assert_eq!(place.read("weights.json"), foreign().to_string().as_bytes());
    let onto = place.shell("exec $STRATA attention weights.json >> weights.json");
    assert!(
        onto.refused()
            .contains("standard output goes into the very file")
    );
}

/// The example writes all heads of all layers that PyTorch computes. `STRATA_TORCH` names a Python with
/// PyTorch.
#[test]
fn the_example_writes_the_weights_of_pytorch() {
    let Some(python) = std::env::var_os("STRATA_TORCH") else {
        println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
        return;
    };
    let script = here().join("../examples/write_attention.py");
    let output = Command::new(python)
        .arg(script)
        .args(["torch", "a b c d"])
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let read = attention_file::read(&output.stdout).unwrap();
    let sites = &read[0].sites;
    assert_eq!((sites.len(), sites[0].name.as_str()), (6, "encoder.0.self"));
    for site in sites {
        assert_eq!(site.heads, 2);
        for (at, row) in site.weights.chunks(site.columns.len()).enumerate() {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{site:?}");
            let row_of_head = at % site.rows.len();
            let hidden = row.iter().skip(row_of_head + 1);
            let is_causal = site.name.starts_with("decoder") && site.name.ends_with("self");
            assert!(!is_causal || hidden.sum::<f32>() == 0.0, "{site:?}");
        }
    }
    let place = Workplace::new();
    let said = place
        .run_with("attention - --rollout 2", &output.stdout)
        .succeeded();
    assert!(said.contains("75.0 % from the source"), "{said}");
}
