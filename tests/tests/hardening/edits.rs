//! Changes valid input in a few places, which may make it invalid.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use crate::odd;

/// A change of bytes.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Sets one byte.
    Set(Index, u8),
    /// Flips one bit.
    Flip(Index, u8),
    /// Cuts off everything behind a place.
    End(Index),
    /// Removes some bytes.
    Remove(Index, usize),
    /// Repeats some bytes.
    Repeat(Index, usize, usize),
    /// Inserts a text.
    Insert(Index, String),
    /// Moves the bytes from one place on to another place.
    Move(Index, Index),
}

/// Draws a few changes, or none.
pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let place = any::<Index>;
    let edit = prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (place(), 0..8_u8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        place().prop_map(Edit::End),
        (place(), 1..64_usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        (place(), 1..64_usize, 1..40_usize)
            .prop_map(|(at, length, times)| Edit::Repeat(at, length, times)),
        (place(), select(&odd::PIECES[..])).prop_map(|(at, it)| Edit::Insert(at, it.to_owned())),
        (place(), place()).prop_map(|(from, to)| Edit::Move(from, to)),
    ];
    prop::collection::vec(edit, 0..5)
}

/// Returns the bytes after the changes.
pub fn edited(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for edit in edits {
        // One place more than there are bytes: insertions may come at the end.
        let place = |index: &Index| index.index(bytes.len() + 1);
        match edit {
            Edit::Set(at, byte) => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|it| *it = *byte);
            }
            Edit::Flip(at, bit) => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|it| *it ^= 1 << bit);
            }
            Edit::End(at) => bytes.truncate(place(at)),
            Edit::Remove(at, length) => {
                let at = place(at);
                bytes.drain(at..bytes.len().min(at + length));
            }
            Edit::Repeat(at, length, times) => {
                let at = place(at);
                let part = bytes[at..bytes.len().min(at + length)].repeat(*times);
                bytes.splice(at..at, part);
            }
            Edit::Insert(at, text) => {
                let at = place(at);
                bytes.splice(at..at, text.bytes());
            }
            Edit::Move(from, to) => {
                let (from, to) = (place(from), place(to));
                let part = bytes.split_off(from);
                let to = to.min(bytes.len());
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

/// A change of JSON. The indices choose a value at each depth; the value at the last one is
/// changed.
#[derive(Clone, Debug)]
pub enum Change {
    /// Replaces a value.
    Put(Vec<Index>, Value),
    /// Removes a value.
    Remove(Vec<Index>),
    /// Scales a number: one more, one less, twice, or the like.
    Scale(Vec<Index>, i64, i64),
    /// Adds a value under another name.
    Rename(Vec<Index>, String),
}

/// Draws a few changes, at least one.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = || prop::collection::vec(any::<Index>(), 1..6);
    let change = prop_oneof![
        3 => (place(), odd::value()).prop_map(|(at, value)| Change::Put(at, value)),
        1 => place().prop_map(Change::Remove),
        3 => (place(), select(vec![1_i64, 2, 10, -1]), -1..2_i64)
            .prop_map(|(at, factor, more)| Change::Scale(at, factor, more)),
        1 => (place(), select(&odd::PIECES[..]))
            .prop_map(|(at, name)| Change::Rename(at, name.to_owned())),
    ];
    prop::collection::vec(change, 1..4)
}

/// Applies changes to JSON.
pub fn change(json: &mut Value, changes: &[Change]) {
    for change in changes {
        match change {
            Change::Put(at, value) => *find(json, at) = value.clone(),
            Change::Scale(at, factor, more) => {
                let found = find(json, at);
                if let Some(number) = found.as_i64() {
                    *found = number.saturating_mul(*factor).saturating_add(*more).into();
                } else if let Some(number) = found.as_f64() {
                    *found = (number * *factor as f64 + *more as f64).into();
                }
            }
            Change::Remove(at) => {
                let Some((last, before)) = at.split_last() else {
                    continue;
                };
                match find(json, before) {
                    Value::Object(table) if !table.is_empty() => {
                        let name = table.keys().nth(last.index(table.len())).cloned();
                        name.and_then(|name| table.remove(&name));
                    }
                    Value::Array(all) if !all.is_empty() => {
                        all.remove(last.index(all.len()));
                    }
                    _ => {}
                }
            }
            Change::Rename(at, name) => {
                if let Value::Object(table) = find(json, at)
                    && let Some(value) = table.values().next().cloned()
                {
                    table.insert(name.clone(), value);
                }
            }
        }
    }
}

/// Returns the value at a place, or the innermost on the way there.
fn find<'a>(json: &'a mut Value, place: &[Index]) -> &'a mut Value {
    let Some((first, rest)) = place.split_first() else {
        return json;
    };
    let inner = match json {
        Value::Object(table) if !table.is_empty() => table.len(),
        Value::Array(all) if !all.is_empty() => all.len(),
        _ => return json,
    };
    let at = first.index(inner);
    let inner = match json {
        Value::Object(table) => table.values_mut().nth(at),
        Value::Array(all) => all.get_mut(at),
        _ => None,
    };
    find(inner.expect("it has as many values as were counted"), rest)
}
