//! Pretrained vectors of tokens, in the text format of GloVe, word2vec and fastText.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use strata_poems::word2vec::Embedding;
use strata_text::{TextError, TextReader, Uploads, Vocabulary, special::TEXTS};

use crate::{Dataset, ReadingError, TaskError};

/// Initial rows of an embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialRows {
    /// Values, `[V, D]`; 0 in rows without a vector.
    pub values: Vec<f32>,
    /// True for each row that has a vector, `[V]`.
    pub given: Vec<bool>,
}

impl InitialRows {
    /// Builds the rows of an embedding behind `before` rows without vectors.
    pub(crate) fn of(embedding: &Embedding, before: usize) -> Self {
        let words = embedding.rows.len();
        let mut values = vec![0.0; (before + words) * embedding.width];
        let mut given = vec![false; before + words];
        for word in 0..words {
            if let Some(vector) = embedding.vector(word as u32) {
                let row = before + word;
                given[row] = true;
                let start = row * embedding.width;
                values[start..start + embedding.width].copy_from_slice(vector);
            }
        }
        Self { values, given }
    }
}

/// Vectors of the tokens of a vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct WordVectors {
    /// Number of components of a vector.
    pub width: usize,
    /// Rows of vectors, one for each token in the order of the vocabulary.
    pub rows: InitialRows,
    /// Number of tokens that have a vector.
    pub found: usize,
    /// Note that the file has fewer vectors than its first line says.
    pub missing: Option<String>,
}

/// Reads the vectors of the vocabulary's tokens: of a token as written, or else of its lower case;
/// the first vector of a word counts. The first `more` words of the file that are not in the
/// vocabulary join it.
///
/// # Errors
/// If a line is not a word and as many finite numbers as the lines before.
pub(crate) fn read(
    path: &Path,
    uploads: &Uploads,
    vocabulary: &Vocabulary,
    more: usize,
) -> Result<(Vocabulary, WordVectors), TaskError> {
    let name = path.display().to_string();
    #[cfg(not(target_family = "wasm"))]
    if uploads.text(path).is_none() && !strata_text::expanded(path).is_dir() {
        let unread = |reason| TextError::unread(path, reason);
        let file = strata_text::open_file(path).map_err(unread)?;
        return of_lines(&name, std::io::BufReader::new(file), vocabulary, more);
    }
    of_lines(&name, &uploads.read(path)?[..], vocabulary, more)
}

fn of_lines(
    name: &str,
    reader: impl BufRead,
    vocabulary: &Vocabulary,
    more: usize,
) -> Result<(Vocabulary, WordVectors), TaskError> {
    let known = &vocabulary.tokens()[TEXTS.len()..];
    // Rows of the words to look for: all tokens, and their lower case.
    let mut rows: HashMap<String, Option<Vec<f32>>> = HashMap::new();
    for token in known {
        rows.insert(token.clone(), None);
        rows.insert(token.to_lowercase(), None);
    }
    let mut others: Vec<String> = Vec::new();
    let mut lines = TextReader::new(name, reader)?;
    let (mut line, mut number, mut width) = (Vec::new(), 0, 0);
    let (mut promised, mut count) = (None, 0u64);
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line);
        if length.map_err(|reason| TextError::of_reading(name, reason))? == 0 {
            break;
        }
        number += 1;
        // Some words of published files are not UTF-8; these equal no token.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r', ' ', '\t']);
        if number == 1 {
            promised = header(text);
        }
        if text.is_empty() || (number == 1 && promised.is_some()) {
            continue;
        }
        count += 1;
        let row = Row { name, number, text };
        if width == 0 {
            width = text.split([' ', '\t']).count() - 1;
        }
        let (word, numbers) = row.parted(width)?;
        let joins = others.len() < more && !rows.contains_key(word) && !TEXTS.contains(&word);
        if joins {
            others.push(word.to_owned());
            rows.insert(word.to_owned(), None);
        }
        match rows.get_mut(word) {
            Some(kept @ None) => *kept = Some(row.numbers(numbers)?),
            _ => row.check(numbers)?,
        }
    }
    if width == 0 {
        let name = name.to_owned();
        return Err(ReadingError::NoVector { name }.into());
    }
    let tokens = known.iter().chain(&others).cloned();
    let vocabulary = Vocabulary::of_distinct(tokens);
    let mut vectors = WordVectors::of_tokens(&vocabulary, &rows, width);
    vectors.missing = promised.filter(|&promised| promised > count).map(|promised| {
        format!(
            "{name}: line 1 says that {promised} vectors follow, but there are {count}: the file \
             is not whole. Tokens whose vectors are missing begin as they are drawn."
        )
    });
    Ok((vocabulary, vectors))
}

impl WordVectors {
    /// Collects the vectors of this width, by word, of the tokens of a vocabulary: that of the token
    /// itself, or else that of the token in lower case.
    fn of_tokens(
        vocabulary: &Vocabulary,
        rows: &HashMap<String, Option<Vec<f32>>>,
        width: usize,
    ) -> Self {
        let mut vectors = Self {
            width,
            rows: InitialRows {
                values: vec![0.0; width * vocabulary.len()],
                given: vec![false; vocabulary.len()],
            },
            found: 0,
            missing: None,
        };
        let row_of = |word: &str| rows.get(word).and_then(Option::as_ref);
        let tokens = vocabulary
            .tokens()
            .iter()
            .zip(vectors.rows.values.chunks_mut(width))
            .zip(&mut vectors.rows.given);
        for ((token, row), given) in tokens.skip(TEXTS.len()) {
            if let Some(found) = row_of(token).or_else(|| row_of(&token.to_lowercase())) {
                row.copy_from_slice(found);
                *given = true;
                vectors.found += 1;
            }
        }
        vectors
    }
}

impl Dataset {
    /// Reads the vectors of the tokens of a side, source (0) or target (1), if the task names a
    /// file.
    ///
    /// # Errors
    /// Those of [`read`], and if no token has a vector.
    pub(crate) fn read_vectors(
        &mut self,
        side: usize,
        path: Option<&Path>,
        uploads: &Uploads,
    ) -> Result<(), TaskError> {
        let Some(path) = path else { return Ok(()) };
        let vocabulary = [&self.source_vocabulary, &self.target_vocabulary][side];
        let tokens = vocabulary.len() - TEXTS.len();
        let (_, vectors) = read(path, uploads, vocabulary, 0)?;
        if vectors.found == 0 {
            return Err(TaskError::NoTokenWithVector {
                path: path.to_owned(),
                tokens,
            });
        }
        self.facts.remarks.push(format!(
            "{}: vectors of {} numbers for {} of {tokens} tokens; the others begin as they are drawn.",
            path.display(),
            vectors.width,
            vectors.found,
        ));
        self.facts.remarks.extend(vectors.missing.clone());
        if let Some(examples) = self.examples.sequences_mut() {
            examples.vectors[side] = Some(vectors);
        }
        Ok(())
    }
}

/// Returns the number of vectors in the first line of word2vec files, `count width`; `None` for
/// another line.
fn header(text: &str) -> Option<u64> {
    let mut numbers = text.split(' ').map(str::parse::<u64>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(count)), Some(Ok(_)), None) => Some(count),
        _ => None,
    }
}

/// A line of a file of vectors.
#[derive(Clone, Copy)]
struct Row<'a> {
    name: &'a str,
    number: usize,
    text: &'a str,
}

impl<'a> Row<'a> {
    /// Splits the line into the word, which may contain spaces, and the last `width` numbers.
    fn parted(self, width: usize) -> Result<(&'a str, &'a str), ReadingError> {
        let ends = [' ', '\t'];
        let found = |found| ReadingError::VectorWidth {
            name: self.name.to_owned(),
            line: self.number,
            found,
            width,
        };
        if width == 0 {
            return Err(ReadingError::NoVector {
                name: self.name.to_owned(),
            });
        }
        let mut places = self.text.rmatch_indices(ends);
        let Some((at, _)) = places.nth(width - 1) else {
            return Err(found(self.text.matches(ends).count()));
        };
        let word = &self.text[..at];
        // A word that looks like several numbers belongs to a row of larger width.
        let mut rest = word.split(ends).skip(1).peekable();
        if rest.peek().is_some() && rest.all(|it| it.contains('.') && it.parse::<f32>().is_ok()) {
            return Err(found(self.text.matches(ends).count()));
        }
        Ok((word, &self.text[at + 1..]))
    }

    fn each(self, numbers: &str, mut take: impl FnMut(f32)) -> Result<(), ReadingError> {
        for number in numbers.split([' ', '\t']) {
            match number.parse::<f32>() {
                Ok(value) if value.is_finite() => take(value),
                _ => {
                    return Err(ReadingError::VectorNumber {
                        name: self.name.to_owned(),
                        line: self.number,
                        found: number.chars().take(40).collect(),
                    });
                }
            }
        }
        Ok(())
    }

    fn numbers(self, numbers: &str) -> Result<Vec<f32>, ReadingError> {
        let mut values = Vec::new();
        self.each(numbers, |value| values.push(value))?;
        Ok(values)
    }

    fn check(self, numbers: &str) -> Result<(), ReadingError> {
        self.each(numbers, |_| {})
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str, more: usize) -> Result<(Vec<String>, WordVectors), String> {
        let vocabulary = Vocabulary::of_distinct(["The", "cat", "x y", "sat"]);
        let (vocabulary, vectors) =
            of_lines("v", text.as_bytes(), &vocabulary, more).map_err(|it| it.to_string())?;
        Ok((vocabulary.tokens()[TEXTS.len()..].to_vec(), vectors))
    }

    #[test]
    fn a_token_has_its_row_or_that_of_its_lower_case_and_the_first_counts() {
        let (tokens, vectors) =
            read("the 1 2\ndog 5 6\nx y 3 4\nthe 9 9\ncat 7 -8e-1\n", 0).unwrap();
        assert_eq!(tokens, ["The", "cat", "x y", "sat"]);
        assert_eq!((vectors.width, vectors.found), (2, 3));
        assert_eq!(vectors.rows.values[..8], [0.0; 8]);
        assert_eq!(vectors.rows.given[4..], [true, true, true, false]);
        assert_eq!(
            vectors.rows.values[8..],
            [1.0, 2.0, 7.0, -0.8, 3.0, 4.0, 0.0, 0.0]
        );
        // A token as written takes precedence over its lower case, wherever in the file.
        let (_, vectors) = read("the 1 2\nThe 3 4\n", 0).unwrap();
        assert_eq!(vectors.rows.values[8..10], [3.0, 4.0]);
    }

    #[test]
    fn word2vec_says_count_and_width_first_and_further_words_join() {
        let (tokens, vectors) = read("3 2\nthe 1 2 \ndog 5 6\r\nem u 3 4\n", 1).unwrap();
        assert_eq!(tokens, ["The", "cat", "x y", "sat", "dog"]);
        assert_eq!(vectors.rows.values[16..], [5.0, 6.0]);
        assert_eq!(vectors.found, 2);
        assert_eq!(vectors.missing, None);
        let (_, vectors) = read("3 2\nthe 1 2\n", 0).unwrap();
        let told = vectors.missing.unwrap();
        assert!(told.contains("3 vectors follow, but there are 1"), "{told}");
    }

    #[test]
    fn what_is_no_vector_is_refused_with_its_line() {
        for (text, told) in [
            (
                "a 1 2\nb 1\n",
                "v, line 2: 1 numbers follow the word, but 2",
            ),
            ("a 1.0 2.0\nb 1.0 2.0 3.0\n", "v, line 2: 3 numbers"),
            ("a 1 2\nb 1 x\n", "v, line 2: `x` is not a finite number"),
            ("a 1 nan\n", "v, line 1: `nan`"),
            ("a 1 inf\n", "`inf`"),
            ("", "there is no vector"),
            ("word\n", "there is no vector"),
        ] {
            let error = read(text, 0).unwrap_err();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
