//! Attention files, as JSON and as safetensors, broken by accident or on purpose.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use strata_session::attention_file::{self, FORMAT, SentenceAttention};

use crate::edits::{Change, Edit, change, changes, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;

/// Most bytes that a file may cost: a fixed number, and so many for each byte of the file. The
/// dearest bytes are those of empty tokens, of which each takes 24 bytes in a growing list.
const FIXED: usize = 1 << 18;
const FOR_EACH: usize = 60;

/// Damage to a valid file.
#[derive(Clone, Debug)]
enum Damage {
    /// Changes any of the file's bytes.
    Bytes(Vec<Edit>),
    /// Changes the JSON, or the table of tensors.
    Table(Vec<Change>),
    /// Changes the JSON, which in safetensors is an entry of the table.
    Entry(Vec<Change>),
    /// Repeats one of the parts of the JSON many times.
    Many(Part, usize),
    /// Replaces the file by bytes that were never an attention file.
    Other(Vec<u8>),
    /// Replaces the first eight bytes, which in safetensors are the length of the table.
    Length(u64),
}

/// A list in the JSON.
#[derive(Clone, Copy, Debug)]
enum Part {
    Sentences,
    Sites,
    SitesOfOtherNames,
    Levels,
    Heads,
    Tokens,
    Nesting,
}

fn damages() -> impl Strategy<Value = Damage> {
    let part = select(vec![
        Part::Sentences,
        Part::Sites,
        Part::SitesOfOtherNames,
        Part::Levels,
        Part::Heads,
        Part::Tokens,
        Part::Nesting,
    ]);
    prop_oneof![
        3 => edits().prop_map(Damage::Bytes),
        3 => changes().prop_map(Damage::Table),
        4 => changes().prop_map(Damage::Entry),
        1 => (part, 0..1200_usize).prop_map(|(part, times)| Damage::Many(part, times)),
        1 => odd::bytes(200).prop_map(Damage::Other),
        1 => any::<u64>().prop_map(Damage::Length),
    ]
}

/// Attention of a small Transformer, and of a site with levels and a name of its own.
fn contents() -> Value {
    let heads = |rows: usize, columns: usize| vec![vec![vec![0.5; columns]; rows]];
    let site = |name: &str, rows: [&str; 2], columns: [&str; 2]| json!({"site": name, "rows": rows, "columns": columns, "heads": heads(2, 2)});
    json!({"format": FORMAT, "version": 1, "sentences": [
        {
            "source": ["a", "b"], "target": ["x", "y"],
            "sites": [
                site("encoder.0.self", ["a", "b"], ["a", "b"]),
                site("decoder.0.self", ["x", "y"], ["<s>", "x"]),
                site("decoder.0.cross", ["x", "y"], ["a", "b"]),
            ],
        },
        {
            "question": ["who"], "passage": ["he"],
            "sites": [{
                "site": "probe", "rows": ["p"], "columns": ["q", "r", "s"],
                "levels": [{"level": 1, "heads": heads(1, 3)}, {"level": 3, "heads": heads(1, 3)}],
            }],
        },
    ]})
}

/// Writes the contents as safetensors.
fn tensors() -> Vec<u8> {
    let mut contents = contents();
    let weights = [0.5_f32; 6].map(f32::to_le_bytes).concat();
    let mut views = Vec::new();
    for (at, sentence) in contents["sentences"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .enumerate()
    {
        for site in sentence["sites"].as_array_mut().unwrap() {
            let length = |side: &str| site[side].as_array().map_or(0, Vec::len);
            let mut shape = vec![1, length("rows"), length("columns")];
            if site.get("levels").is_some() {
                shape.insert(0, 2);
            }
            let size = 4 * shape.iter().product::<usize>();
            let name = format!("{at}.{}", site["site"].as_str().unwrap());
            let view = TensorView::new(Dtype::F32, shape, &weights[..size]).unwrap();
            views.push((name, view));
            let site = site.as_object_mut().unwrap();
            site.remove("heads");
            site.remove("levels");
        }
    }
    let metadata = HashMap::from([(FORMAT.to_owned(), contents.to_string())]);
    safetensors::serialize(views, Some(metadata)).unwrap()
}

/// Repeats a part of the JSON, of either form.
fn repeat(json: &mut Value, part: Part, times: usize) {
    let sentences = match json {
        Value::Array(_) => json,
        _ => &mut json["sentences"],
    };
    if matches!(part, Part::Nesting) {
        let nested = format!("{}{}", "[".repeat(times), "]".repeat(times));
        // JSON that is nested too deeply for this test's own reader stays as it is.
        if let Ok(nested) = serde_json::from_str(&nested) {
            sentences[0]["sites"][0]["heads"] = nested;
        }
        return;
    }
    let list = match part {
        Part::Sentences => sentences,
        Part::Sites | Part::SitesOfOtherNames => &mut sentences[0]["sites"],
        Part::Levels => &mut sentences[1]["sites"][0]["levels"],
        Part::Heads => &mut sentences[0]["sites"][0]["heads"],
        Part::Tokens | Part::Nesting => &mut sentences[0]["source"],
    };
    let Some(list) = list.as_array_mut() else {
        return;
    };
    let Some(first) = list.first().cloned() else {
        return;
    };
    // Twenty times as many tokens as anything else are allowed.
    let times = if matches!(part, Part::Tokens) {
        20 * times
    } else {
        times
    };
    for number in 0..times {
        let mut another = first.clone();
        if matches!(part, Part::SitesOfOtherNames) {
            another["site"] = json!(format!("site {number}"));
        }
        list.push(another);
    }
}

fn joined(header: &Value, tensors: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    let length = (header.len() as u64).to_le_bytes();
    [&length, header.as_bytes(), tensors].concat()
}

/// Changes the JSON of a file, in either form.
fn with_json(file: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    if let Ok(mut json) = serde_json::from_slice(file) {
        change(&mut json);
        return json.to_string().into_bytes();
    }
    let (mut header, tensors) = parts(file);
    let entry = header["__metadata__"][FORMAT].as_str().unwrap();
    let mut entry = serde_json::from_str(entry).unwrap();
    change(&mut entry);
    header["__metadata__"][FORMAT] = json!(entry.to_string());
    joined(&header, tensors)
}

/// Splits a safetensors file into the table and the bytes after the table.
fn parts(file: &[u8]) -> (Value, &[u8]) {
    let (length, rest) = file.split_first_chunk().unwrap();
    let (header, tensors) = rest.split_at(u64::from_le_bytes(*length) as usize);
    (serde_json::from_slice(header).unwrap(), tensors)
}

fn damaged(file: &[u8], damage: &Damage) -> Vec<u8> {
    let is_json = file.first() == Some(&b'{') || file.first() == Some(&b'[');
    match damage {
        Damage::Bytes(edits) => edited(file, edits),
        Damage::Table(changes) if !is_json => {
            let (mut header, tensors) = parts(file);
            change(&mut header, changes);
            joined(&header, tensors)
        }
        Damage::Table(changes) | Damage::Entry(changes) => {
            with_json(file, |json| change(json, changes))
        }
        Damage::Many(part, times) => with_json(file, |json| repeat(json, *part, *times)),
        Damage::Other(bytes) => bytes.clone(),
        Damage::Length(length) => [&length.to_le_bytes(), &file[8..]].concat(),
    }
}

/// Does with the sentences what the command line and the page do.
fn look(sentences: &[SentenceAttention]) {
    for sentence in sentences {
        assert!(
            sentence
                .notable()
                .is_none_or(|at| at < sentence.sites.len())
        );
        for site in &sentence.sites {
            let size = site.rows.len() * site.columns.len();
            assert_eq!(site.weights.len(), site.levels.len() * site.heads * size);
            assert_eq!(site.matrix(usize::MAX, None).len(), size);
            assert_eq!(site.matrix(0, Some(usize::MAX)).len(), size);
        }
        let last = sentence.traced().map_or(0, |it| it.len().saturating_sub(1));
        for row in [0, last, usize::MAX - 1] {
            match sentence.sources(row) {
                Ok(found) => {
                    let stages = &found.rollout.stages;
                    assert!(
                        stages
                            .iter()
                            .all(|it| it.source.len() == found.source.len())
                    );
                    assert!(stages.iter().all(|it| it.target.len() == found.read.len()));
                }
                Err(error) => is_sentence(&error.to_string()),
            }
        }
    }
}

#[test]
fn an_attention_file_is_read_or_refused() {
    let alone = alone();
    let json = contents();
    let files = [
        json.to_string().into_bytes(),
        json["sentences"].to_string().into_bytes(),
        tensors(),
    ];
    for file in &files {
        let read = attention_file::read(file).unwrap();
        assert_eq!(read.len(), 2);
        read[0].sources(1).unwrap();
    }
    fuzz(
        &alone,
        "attention files",
        10_000,
        (any::<Index>(), damages()),
        |(base, damage)| {
            let file = damaged(&files[base.index(files.len())], &damage);
            let bound = FIXED + FOR_EACH * file.len();
            let read = within(bound, || {
                let read = attention_file::read(&file);
                if let Ok(sentences) = &read {
                    look(sentences);
                }
                read.map(|it| it.len())
            });
            if let Err(error) = &read {
                is_sentence(&error.to_string());
            }
            Outcome::of(read.is_ok())
        },
    );
}

/// A tensor that a thousand sites name is not copied a thousand times, and levels and heads of nothing
/// take no memory of their own.
#[test]
fn a_small_file_takes_little_memory() {
    let _alone = alone();
    let weights = vec![0_u8; 4 << 20];
    let tokens = vec![""; 1024];
    let written = |site: Value, times: usize, shape: Vec<usize>, weights: &[u8]| {
        let sites = vec![site; times];
        let contents = json!({"format": FORMAT, "version": 1, "sentences": [{"sites": sites}]});
        let view = TensorView::new(Dtype::F32, shape, weights).unwrap();
        let metadata = HashMap::from([(FORMAT.to_owned(), contents.to_string())]);
        safetensors::serialize([("0.s", view)], Some(metadata)).unwrap()
    };
    let site = json!({"site": "s", "rows": tokens, "columns": tokens});
    let file = written(site, 1000, vec![1, 1024, 1024], &weights);
    let refusal = within(FIXED + FOR_EACH * file.len(), || {
        attention_file::read(&file)
    });
    let refusal = refusal.unwrap_err().to_string();
    assert!(
        refusal.contains("another site has the same name"),
        "{refusal}"
    );
    let nothing = json!({"site": "s", "rows": [], "columns": tokens});
    let file = written(nothing, 1, vec![1000, 1000, 0, 1024], &[]);
    let read = within(FIXED + FOR_EACH * file.len(), || {
        attention_file::read(&file)
    });
    look(&read.unwrap());
}
