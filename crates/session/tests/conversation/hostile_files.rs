//! Checkpoint files that are broken or made to do harm: each is refused with a sentence, and the
//! run continues as if no command had been given.

use serde_json::{Value, json};
use strata_session::protocol::{Command, Event, View};

use super::{Conversation, losses, ready, translate, watch};

/// Most characters of a sentence in a refusal.
const LONGEST: usize = 2000;

/// Splits a file into the JSON of its header and the bytes behind.
fn parts(file: &[u8]) -> (Value, &[u8]) {
    let (length, rest) = file.split_first_chunk().expect("a whole file");
    let (header, tensors) = rest.split_at(u64::from_le_bytes(*length) as usize);
    (
        serde_json::from_slice(header).expect("a whole header"),
        tensors,
    )
}

fn with_header(header: &[u8], tensors: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header, tensors].concat()
}

fn joined(header: &Value, tensors: &[u8]) -> Vec<u8> {
    with_header(header.to_string().as_bytes(), tensors)
}

/// Replaces the entry of Strata in a file's header.
fn with_entry(file: &[u8], entry: &str) -> Vec<u8> {
    let (mut header, tensors) = parts(file);
    header["__metadata__"]["strata"] = entry.into();
    joined(&header, tensors)
}

fn truncated(file: &[u8]) -> Vec<Vec<u8>> {
    let lengths = (0..20).map(|part| file.len() * part / 20);
    let lengths = lengths.chain([1, 7, 8, 9, file.len() - 1]);
    lengths.map(|length| file[..length].to_vec()).collect()
}

fn other_lengths_of_the_header(file: &[u8]) -> Vec<Vec<u8>> {
    let lengths = [
        0,
        1,
        2,
        100,
        1 << 20,
        1 << 32,
        1 << 40,
        1 << 63,
        u64::MAX - 8,
        u64::MAX,
    ];
    let with = |length: u64| [&length.to_le_bytes()[..], &file[8..]].concat();
    lengths.into_iter().map(with).collect()
}

/// Returns files with tensors of other types, shapes and places.
fn other_tensors(file: &[u8]) -> Vec<Vec<u8>> {
    let (header, tensors) = parts(file);
    let names = header.as_object().expect("an object").keys();
    let model: Vec<_> = names.filter(|name| name.starts_with("model.")).collect();
    let changes = [
        ("dtype", json!("F64")),
        ("dtype", json!("I32")),
        ("dtype", json!("Q9")),
        ("dtype", json!(7)),
        ("shape", json!([])),
        ("shape", json!([0])),
        ("shape", json!([-1])),
        ("shape", json!([1u64 << 62, 8])),
        ("shape", json!([u64::MAX, u64::MAX])),
        ("shape", json!("<script>alert(1)</script>")),
        ("data_offsets", json!([0, 4])),
        ("data_offsets", json!([8, 0])),
        ("data_offsets", json!([0, u64::MAX])),
        ("data_offsets", json!([])),
    ];
    let change = |(index, (key, value)): (usize, (&str, Value))| {
        let mut header = header.clone();
        header[model[index % model.len()]][key] = value;
        joined(&header, tensors)
    };
    let mut files: Vec<_> = changes.into_iter().enumerate().map(change).collect();
    let mut without = header.clone();
    without
        .as_object_mut()
        .expect("an object")
        .remove(model[0].as_str());
    files.push(joined(&without, tensors));
    // Parameters that are NaN or infinite.
    for (name, number) in [(0, f32::NAN), (1, f32::INFINITY), (2, f32::NEG_INFINITY)] {
        let start = &header[model[name].as_str()]["data_offsets"][0];
        let start = start.as_u64().expect("a number") as usize;
        let mut tensors = tensors.to_vec();
        tensors[start..start + 4].copy_from_slice(&number.to_le_bytes());
        files.push(joined(&header, &tensors));
    }
    files
}

/// Returns files in which a field of the entry of Strata has another value.
fn other_fields(file: &[u8]) -> Vec<Vec<u8>> {
    let (header, _) = parts(file);
    let entry = header["__metadata__"]["strata"].as_str().expect("ours");
    let entry: Value = serde_json::from_str(entry).expect("JSON");
    let fields = [
        "format",
        "experiment",
        "step",
        "position",
        "fingerprint",
        "longest",
        "source_vocabulary",
        "target_vocabulary",
        "times",
    ];
    let values = [
        json!(null),
        json!(-1),
        json!("<img src=x onerror=alert(1)>"),
        json!([[[]]]),
        json!({ "a": { "b": 1e300 } }),
    ];
    let mut files = Vec::new();
    for field in fields {
        for value in &values {
            let mut entry = entry.clone();
            entry[field] = value.clone();
            files.push(with_entry(file, &entry.to_string()));
        }
    }
    files
}

/// Returns files in which the entry of Strata is something else.
fn other_entries(file: &[u8]) -> Vec<Vec<u8>> {
    let deep = "[".repeat(100_000);
    let deeper = format!("{{\"format\":2,\"experiment\":{}", "{\"a\":".repeat(50_000));
    let long = format!("{{\"format\":2,\"step\":\"{}\"}}", "x".repeat(1 << 20));
    let entries = [
        "",
        "null",
        "7",
        "{}",
        "{\"format\":2}",
        "{\"format\":99}",
        "{\"format\":2e9}",
        "<script>document.title='broken'</script>",
        "\u{0}\u{202e}",
        &deep,
        &deeper,
        &long,
    ];
    let of_entry = |entry: &str| with_entry(file, entry);
    let mut files: Vec<_> = entries.into_iter().map(of_entry).collect();
    let (mut header, tensors) = parts(file);
    header["__metadata__"] = json!({ "<script>": "</script>" });
    files.push(joined(&header, tensors));
    header["__metadata__"] = json!([1]);
    files.push(joined(&header, tensors));
    files.push(with_header(deep.as_bytes(), tensors));
    files
}

/// Returns small files that describe models too large for any memory.
fn huge_models(file: &[u8]) -> Vec<Vec<u8>> {
    let (header, _) = parts(file);
    let entry = header["__metadata__"]["strata"].as_str().expect("ours");
    let changes = [
        ("\"width\":16", "\"width\":16384"),
        ("\"layers\":1", "\"layers\":60000"),
        ("\"feed_forward\":32", "\"feed_forward\":2000000000"),
        ("\"heads\":2", "\"heads\":0"),
        ("\"width\":16", "\"width\":18446744073709551615"),
        ("\"batch_size\":8", "\"batch_size\":0"),
        ("\"seed\":0", "\"seed\":-1"),
    ];
    let change = |(from, to): (&str, &str)| {
        assert!(entry.contains(from), "no {from} in {entry}");
        with_entry(file, &entry.replace(from, to))
    };
    changes.into_iter().map(change).collect()
}

/// Returns files that never were checkpoints.
fn other_files() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 6] = [
        b"",
        b"<!doctype html><script>alert(1)</script>",
        b"PK\x03\x04 an archive",
        b"\x1f\x8b\x08 another",
        b"\x89PNG\r\n\x1a\n a picture",
        b"{\"json\": true}",
    ];
    let mut files: Vec<_> = texts.into_iter().map(<[u8]>::to_vec).collect();
    files.push(vec![0; 1 << 16]);
    files.push(vec![0xff; 1 << 16]);
    files
}

#[test]
fn a_hundred_hostile_files_are_refused_and_change_nothing() {
    let mut undisturbed = Conversation::loaded();
    undisturbed.train(2);
    let file = undisturbed.save();
    let expected = losses(&undisturbed.train(3));

    let mut conversation = Conversation::loaded();
    conversation.train(2);
    let mut looked = Conversation::new();
    let kinds = [
        truncated(&file),
        other_lengths_of_the_header(&file),
        other_tensors(&file),
        other_fields(&file),
        other_entries(&file),
        huge_models(&file),
        other_files(),
    ];
    assert!(kinds.iter().map(Vec::len).sum::<usize>() >= 100);
    for (kind, files) in kinds.into_iter().enumerate() {
        for (number, checkpoint) in files.into_iter().enumerate() {
            // A file with a readable model may be opened without its data, or is refused.
            let events = looked.say(Command::Open {
                checkpoint: checkpoint.clone(),
            });
            if !matches!(events[..], [Event::Refused { .. }]) {
                ready(&events);
                looked.say(watch(0, View::default()));
                looked.say(translate("a b c"));
            }
            let events = conversation.say(Command::Restore { checkpoint });
            match &events[..] {
                [Event::Refused { reason }] => {
                    assert!(
                        (20..LONGEST).contains(&reason.len()),
                        "{kind}.{number}: {reason}"
                    );
                }
                other => panic!("{kind}.{number}: {other:?}"),
            }
        }
    }
    assert_eq!(losses(&conversation.train(3)), expected);
}
