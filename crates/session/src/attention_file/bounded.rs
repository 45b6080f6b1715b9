//! Lists that are refused, while they are read, as soon as they are too long.

use std::fmt::{Formatter, Result as Written};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::{Level, MOST_PARTS, MOST_SENTENCES, MOST_SITES, MOST_TOKENS, Sentence, Site};

/// Most characters of the file that an error repeats.
const REPEATED: usize = 300;

/// Returns the beginning of a text, for an error.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads a list of at most `MOST` entries.
pub fn list<'de, A: SeqAccess<'de>, T: Deserialize<'de>, const MOST: usize>(
    mut seq: A,
) -> Result<Vec<T>, A::Error> {
    let mut all = Vec::new();
    while let Some(entry) = seq.next_element()? {
        if all.len() == MOST {
            return Err(A::Error::custom(format!(
                "a list has more than {MOST} entries"
            )));
        }
        all.push(entry);
    }
    Ok(all)
}

struct ListVisitor<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for ListVisitor<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, to: &mut Formatter<'_>) -> Written {
        write!(to, "a list of at most {MOST} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
        list::<_, _, MOST>(seq)
    }
}

pub fn sentences<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Sentence>, D::Error> {
    from.deserialize_seq(ListVisitor::<_, MOST_SENTENCES>(PhantomData))
}

pub fn sites<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Site>, D::Error> {
    from.deserialize_seq(ListVisitor::<_, MOST_SITES>(PhantomData))
}

pub fn tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_seq(ListVisitor::<_, MOST_TOKENS>(PhantomData))
}

pub fn parts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Level>, D::Error> {
    from.deserialize_seq(ListVisitor::<_, MOST_PARTS>(PhantomData))
}

/// The matrices of all heads, in one list of weights.
#[derive(Default)]
pub struct Matrices {
    /// Number of matrices.
    pub count: usize,
    /// Weights of all matrices, row by row.
    pub weights: Vec<f32>,
    /// Sizes of the first matrix, `[rows, columns]`.
    sizes: Option<[usize; 2]>,
    /// Sizes of a matrix that differ from `sizes`.
    other: Option<[usize; 2]>,
}

impl Matrices {
    /// Checks that each matrix has these sizes.
    pub fn check(&self, rows: usize, columns: usize) -> Result<(), String> {
        let found = self.other.or(self.sizes).unwrap_or_default();
        // A matrix without rows does not tell its columns.
        if found == [rows, columns] || rows == 0 && found[0] == 0 {
            return Ok(());
        }
        Err(format!(
            "a head has {} rows and {} columns, but there are {rows} tokens in `rows` and {columns} in `columns`",
            found[0], found[1]
        ))
    }
}

impl<'de> Deserialize<'de> for Matrices {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(HeadsVisitor)
    }
}

struct HeadsVisitor;

impl<'de> Visitor<'de> for HeadsVisitor {
    type Value = Matrices;

    fn expecting(&self, to: &mut Formatter<'_>) -> Written {
        to.write_str("a list of heads, each a list of rows of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Matrices, A::Error> {
        let mut all = Matrices::default();
        while let Some([rows, columns]) = seq.next_element_seed(Rows(&mut all.weights))? {
            if all.count == MOST_PARTS {
                return Err(A::Error::custom(format!(
                    "there are more than {MOST_PARTS} heads"
                )));
            }
            all.count += 1;
            if *all.sizes.get_or_insert([rows, columns]) != [rows, columns] {
                all.other = Some([rows, columns]);
            }
        }
        Ok(all)
    }
}

/// Reads the rows of a matrix into a list of weights; returns the sizes.
struct Rows<'a>(&'a mut Vec<f32>);

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = [usize; 2];

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<[usize; 2], D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = [usize; 2];

    fn expecting(&self, to: &mut Formatter<'_>) -> Written {
        to.write_str("a list of rows of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[usize; 2], A::Error> {
        let (mut rows, mut columns) = (0, 0);
        while let Some(length) = seq.next_element_seed(Row(self.0))? {
            if rows > 0 && length != columns {
                return Err(A::Error::custom(format!(
                    "a row has {length} weights, and the row before has {columns}"
                )));
            }
            (rows, columns) = (rows + 1, length);
        }
        Ok([rows, columns])
    }
}

struct Row<'a>(&'a mut Vec<f32>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = usize;

    fn expecting(&self, to: &mut Formatter<'_>) -> Written {
        to.write_str("a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<usize, A::Error> {
        let before = self.0.len();
        while let Some(weight) = seq.next_element()? {
            self.0.push(weight);
        }
        Ok(self.0.len() - before)
    }
}
