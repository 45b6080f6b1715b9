#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

use super::*;

fn sentence() -> Value {
    json!({
        "line": 1, "source": ["a", "b", "c"], "target": ["x", "y"],
        "sites": [{
            "site": "decoder.0.cross", "rows": ["x", "y"], "columns": ["a", "b", "c"],
            "levels": [
                {"level": 1, "heads": [[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]]},
                {"level": 3, "heads": [[[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]]]},
            ],
            "levels_are": "anything", "shares": [[1, 2]],
        }],
    })
}

fn read_json(value: &Value) -> Result<Vec<SentenceAttention>, AttentionFileError> {
    read(value.to_string().as_bytes())
}

#[test]
fn a_list_and_a_file_with_a_version_are_the_same() {
    let list = read_json(&json!([sentence()])).unwrap();
    let file = json!({"format": FORMAT, "version": 1, "sentences": [sentence()], "written_by": {}});
    assert_eq!(read_json(&file).unwrap(), list);
    let site = &list[0].sites[0];
    assert_eq!((site.heads, &site.levels[..]), (1, &[1, 3][..]));
    assert_eq!(site.weights[6..], [1.0, 0.0, 0.0, 0.25, 0.5, 0.25]);
}

#[test]
fn an_attention_file_is_known_by_its_beginning() {
    let file = json!({"format": FORMAT, "version": 9, "sentences": [sentence()]}).to_string();
    assert!(is_one(file.as_bytes()) && is_one(&file.as_bytes()[..40]));
    assert!(is_one(json!([sentence()]).to_string().as_bytes()));
    for other in [
        "",
        "[1, 2]",
        r#"{"data": [{"sites": 1}]}"#,
        "the text strata-attention",
    ] {
        assert!(!is_one(other.as_bytes()), "{other}");
    }
}

#[test]
fn heads_alone_are_one_level() {
    let mut one = sentence();
    let site = one["sites"][0].as_object_mut().unwrap();
    let levels = site.remove("levels").unwrap();
    site.insert("heads".to_owned(), levels[0]["heads"].clone());
    assert_eq!(read_json(&json!([one])).unwrap()[0].sites[0].levels, [1]);
}

#[test]
fn tensors_hold_the_same_as_json() {
    let mut file = json!({"format": FORMAT, "version": 1, "sentences": [sentence()]});
    let expected = read_json(&file).unwrap();
    file["sentences"][0]["sites"][0]
        .as_object_mut()
        .unwrap()
        .remove("levels");
    let weights: Vec<u8> = expected[0].sites[0]
        .weights
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let written = |shape: &[usize]| {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), &weights).unwrap();
        let metadata = HashMap::from([(FORMAT.to_owned(), file.to_string())]);
        safetensors::serialize([("0.decoder.0.cross", view)], Some(metadata)).unwrap()
    };
    let found = read(&written(&[2, 1, 2, 3])).unwrap();
    assert_eq!(found[0].sites[0].weights, expected[0].sites[0].weights);
    // Levels of tensors have consecutive numbers.
    assert_eq!(found[0].sites[0].levels, [1, 2]);
    let refusal = read(&written(&[2, 1, 3, 2])).unwrap_err().to_string();
    assert!(refusal.contains("2 tokens in `rows`"), "{refusal}");
}

#[test]
fn what_does_not_fit_is_named() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut one = sentence();
        change(&mut one["sites"][0]);
        read_json(&json!([one])).unwrap_err().to_string()
    };
    for (change, part) in [
        (
            (&|site: &mut Value| site["rows"] = json!(["x"])) as &dyn Fn(&mut Value),
            "1 tokens in `rows`",
        ),
        (
            &|site: &mut Value| site["levels"][1]["heads"] = json!([]),
            "level 3 has 0 heads",
        ),
        (
            &|site: &mut Value| site["levels"][0]["heads"][0][1] = json!([1.0]),
            "a row has 1 weights",
        ),
        (
            &|site: &mut Value| site["levels"][0]["heads"][0][1][0] = json!(-1.0),
            "weight -1",
        ),
        (
            &|site: &mut Value| site["levels"][0]["heads"][0][1][0] = json!(null),
            "invalid type: null",
        ),
        (
            &|site: &mut Value| site["rows"] = json!(vec!["x"; MOST_TOKENS + 1]),
            "more than 20000 entries",
        ),
    ] {
        let refusal = changed(change);
        assert!(refusal.contains(part), "{refusal}");
    }
    let newer = json!({"format": FORMAT, "version": 2, "sentences": []});
    assert!(
        read_json(&newer)
            .unwrap_err()
            .to_string()
            .contains("`version` is 2")
    );
    assert_eq!(read(b"hello"), Err(AttentionFileError::Unknown));
    assert_eq!(read(b""), Err(AttentionFileError::Unknown));
    let large = vec![b'['; MOST_BYTES + 1];
    assert_eq!(read(&large), Err(AttentionFileError::TooLarge));
}

/// Reads 10,000 files that are damaged in places drawn from a seed: none panics.
#[test]
fn damaged_files_are_read_or_refused() {
    let whole = json!({"format": FORMAT, "version": 1, "sentences": [sentence()]}).to_string();
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let pieces = [
        "[[[[[",
        "1e999",
        "null",
        "\"",
        "-1",
        "{}",
        "[]",
        "\u{0}",
        "18446744073709551616",
        ",",
        "0",
    ];
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=draw(3) {
            let at = draw(bytes.len());
            match draw(4) {
                0 => bytes[at] = draw(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.splice(at..at, pieces[draw(pieces.len())].bytes())),
                _ => drop(bytes.splice(at..(at + draw(9)).min(bytes.len()), *b"")),
            }
            if bytes.is_empty() {
                bytes.push(b'[');
            }
        }
        match read(&bytes) {
            Ok(sentences) => {
                let fits = |it: &SiteAttention| {
                    it.weights.len()
                        == it.levels.len() * it.heads * it.rows.len() * it.columns.len()
                };
                assert!(sentences.iter().flat_map(|it| &it.sites).all(fits));
                taken += 1;
            }
            Err(error) => {
                assert!(error.to_string().len() < 5_000);
                refused += 1;
            }
        }
    }
    assert!(
        taken > 100 && refused > 1_000,
        "{taken} taken, {refused} refused"
    );
}
