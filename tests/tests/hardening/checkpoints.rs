//! Checkpoint files, broken by accident or on purpose, handed to a session in the middle of a run.

use std::cell::RefCell;

use burn::tensor::Device;
use pollster::block_on;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use strata_models::Search;
use strata_session::protocol::Command;
use strata_training::{Checkpoint, Inference, SearchOptions};

use crate::edits::{Change, Edit, change, changes, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;
use crate::runs::{self, Conversation, Run, refusal};

/// Most bytes that a file may cost: its model is built, with moments, and its data are read again.
const MOST: usize = 64 << 20;

/// Damage to a valid file.
#[derive(Clone, Debug)]
enum Damage {
    /// Changes any of the file's bytes.
    Bytes(Vec<Edit>),
    /// Changes the table of tensors.
    Table(Vec<Change>),
    /// Changes the entry in which Strata describes the run.
    Entry(Vec<Change>),
    /// Replaces the file by bytes that were never a checkpoint.
    Other(Vec<u8>),
    /// Changes the length of the header.
    Length(u64),
}

fn damages() -> impl Strategy<Value = Damage> {
    prop_oneof![
        2 => edits().prop_map(Damage::Bytes),
        3 => changes().prop_map(Damage::Table),
        6 => changes().prop_map(Damage::Entry),
        1 => odd::bytes(200).prop_map(Damage::Other),
        1 => any::<u64>().prop_map(Damage::Length),
    ]
}

/// Splits a file into its header and the bytes after it.
fn parts(file: &[u8]) -> (Value, &[u8]) {
    let (length, rest) = file.split_first_chunk().expect("a whole file");
    let (header, tensors) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header = serde_json::from_slice(header);
    (header.expect("a whole header"), tensors)
}

fn joined(header: &Value, tensors: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    let length = (header.len() as u64).to_le_bytes();
    [&length, header.as_bytes(), tensors].concat()
}

fn damaged(file: &[u8], damage: &Damage) -> Vec<u8> {
    match damage {
        Damage::Bytes(edits) => edited(file, edits),
        Damage::Table(changes) => {
            let (mut header, tensors) = parts(file);
            change(&mut header, changes);
            joined(&header, tensors)
        }
        Damage::Entry(changes) => {
            let (mut header, tensors) = parts(file);
            let entry = header["__metadata__"]["strata"].as_str().expect("ours");
            let mut entry: Value = serde_json::from_str(entry).expect("JSON");
            change(&mut entry, changes);
            header["__metadata__"]["strata"] = json!(entry.to_string());
            joined(&header, tensors)
        }
        Damage::Other(bytes) => bytes.clone(),
        Damage::Length(length) => [&length.to_le_bytes(), &file[8..]].concat(),
    }
}

/// Reads the file in all other ways, none of which may panic, either.
fn read_otherwise(file: &[u8]) {
    if let Ok(checkpoint) = Checkpoint::open(file) {
        assert!(checkpoint.stored().iter().all(|it| it.norm >= 0.0));
    }
    let inference = match Inference::from_checkpoint(file, &Device::default()) {
        Ok(inference) => inference,
        Err(error) => return is_sentence(&error.to_string()),
    };
    // A file may say that its model has no room for two words.
    let Ok(encoded) = inference.tokenizer().encode("a b") else {
        return;
    };
    let options = SearchOptions {
        limit: Some(8),
        ..SearchOptions::default()
    };
    let found = block_on(inference.search(&[encoded], &Search::Greedy, options));
    assert_eq!(found.expect("the CPU does not fail").items.len(), 1);
}

/// Continues the run of a file.
fn go_on(conversation: &mut Conversation) {
    let events = conversation.say(Command::Step);
    // The run may have ended, or a number in the file may be too large.
    refusal(&events).into_iter().for_each(is_sentence);
    conversation.checkpoint();
}

#[test]
fn no_checkpoint_harms_the_run() {
    let alone = alone();
    let runs: Vec<Run> = runs::all();
    let begun = || {
        let mut conversation = Conversation::with(&runs[0].experiment);
        let checkpoint = runs[0].checkpoint.clone();
        conversation.expect(Command::Restore { checkpoint });
        conversation
    };
    // A run in which something has panicked is not continued.
    let conversation = RefCell::new(None);
    fuzz(
        &alone,
        "checkpoints",
        150,
        (any::<Index>(), damages()),
        |(base, damage)| {
            let base = &runs[base.index(runs.len())];
            let file = damaged(&base.checkpoint, &damage);
            let mut present = conversation.take().unwrap_or_else(begun);
            present.give_texts(&base.experiment.task);
            let bound = MOST + 40 * file.len();
            within(bound, || read_otherwise(&file));
            let checkpoint = file.clone();
            // In a session of its own, which may open models that can only be looked at.
            let mut other = Conversation::with(&runs[0].experiment);
            let opened = file.clone();
            let events = within(bound, || other.say(Command::Open { checkpoint: opened }));
            refusal(&events).into_iter().for_each(is_sentence);
            let events = within(bound, || present.say(Command::Restore { checkpoint }));
            let outcome = match refusal(&events) {
                Some(reason) => {
                    is_sentence(reason);
                    Outcome::Refused
                }
                None => {
                    within(bound, || go_on(&mut present));
                    let checkpoint = runs[0].checkpoint.clone();
                    present.expect(Command::Restore { checkpoint });
                    Outcome::Taken
                }
            };
            assert!(
                present.checkpoint() == runs[0].checkpoint,
                "the run is another"
            );
            conversation.replace(Some(present));
            outcome
        },
    );
}
