//! Columns of a file with source and target.
//!
//! By default these are the first two columns, as in `source TAB target` and in files derived from
//! Tatoeba (`fra.txt`, with the authors in a third column). Columns of numbers before a sentence,
//! such as the ids of Tatoeba and the scores of WikiMatrix, are skipped.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::TextError;
use crate::shape::{EXAMINED_LINES, Shape};

/// Least number of lines that allow a conclusion.
const MIN_ROWS: usize = 2;
/// Largest number of different languages in a column of language names.
const MAX_LANGUAGES: usize = 500;
/// Names of columns in headings.
const HEADINGS: [&str; 22] = [
    "source",
    "target",
    "src",
    "tgt",
    "trg",
    "ref",
    "hyp",
    "id",
    "input",
    "output",
    "text",
    "sentence",
    "translation",
    "reference",
    "german",
    "english",
    "french",
    "spanish",
    "chinese",
    "sentence1",
    "sentence2",
    "label",
];

/// Columns of source and target in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Indices of the columns of source and target, from 0.
    places: [usize; 2],
    /// Notes for the user: a sentence each.
    remarks: Vec<String>,
    /// Likely format of the file, if it has no columns.
    shape: Option<Shape>,
}

/// Source and target in the first two columns.
impl Default for Columns {
    fn default() -> Self {
        Self {
            places: [0, 1],
            remarks: Vec::new(),
            shape: None,
        }
    }
}

impl Columns {
    /// Finds the columns of source and target from the first lines of a file; messages call the
    /// file `name`.
    ///
    /// # Errors
    /// If the columns are those of a known format without sentence pairs.
    pub fn of<'a>(name: &str, lines: impl Iterator<Item = &'a str>) -> Result<Self, TextError> {
        let lines: Vec<&str> = lines
            .filter(|line| !line.trim().is_empty())
            .take(EXAMINED_LINES)
            .collect();
        let shape = Shape::of(lines.iter().copied());
        let cells = lines.iter().map(|line| line.split('\t').map(str::trim));
        let mut rows: Vec<Vec<&str>> = cells.map(Iterator::collect).collect();
        rows.retain(|row: &Vec<&str>| row.len() > 1);
        let mut columns = Self {
            shape,
            ..Self::default()
        };
        if rows.first().is_some_and(|row| is_heading(row)) {
            let heading = rows.remove(0);
            columns.remarks.push(format!(
                "{name}: line 1 looks like a heading (`{}`); it is read as a pair, so take it out \
                 if it is none.",
                heading.join("`, `")
            ));
        }
        columns.choose(name, &Rows(rows))?;
        Ok(columns)
    }

    fn choose(&mut self, name: &str, rows: &Rows) -> Result<(), TextError> {
        let count = rows.columns();
        if rows.0.len() < MIN_ROWS || !rows.all_numbers(0) {
            return Ok(());
        }
        let refused = |what: &str, advice: &str| {
            Err(TextError::Foreign {
                name: name.to_owned(),
                what: what.to_owned(),
                advice: advice.to_owned(),
            })
        };
        let is_sentences = |column: usize| count > column && !rows.all_numbers(column);
        if self.shape == Some(Shape::Conll) || count >= 8 {
            return refused(
                "a table with a word and its analysis on each line (CoNLL), not sentence pairs",
                "write source TAB target on each line",
            );
        }
        if count >= 3 && rows.all_languages(1) {
            return refused(
                "a table of numbers, languages and single sentences, as Tatoeba's, not sentence \
                 pairs",
                "fetch Tatoeba's sentence pairs of two languages instead, or write source TAB \
                 target on each line",
            );
        }
        if is_sentences(1) && count >= 4 && rows.all_numbers(2) && is_sentences(3) {
            self.places = [1, 3];
        } else if is_sentences(1) && is_sentences(2) && !rows.names_authors(2) {
            self.places = [1, 2];
        } else if count == 2 {
            self.remarks.push(format!(
                "{name}: the first of its two columns holds nothing but numbers, which are read as \
                 the source; if they only count the lines, name a file with source TAB target."
            ));
            return Ok(());
        } else {
            return Ok(());
        }
        let [source, target] = self.places.map(|place| place + 1);
        self.remarks.push(format!(
            "{name}: source and target are read from columns {source} and {target}; the first \
             column holds nothing but numbers. If that is wrong, write source TAB target on each \
             line."
        ));
        Ok(())
    }

    /// Notes on the choice for the user: a sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns source and target of a line; `None` if the line has too few columns.
    pub fn split<'a>(&self, line: &'a [u8]) -> Option<[&'a [u8]; 2]> {
        let [source, target] = self.ranges(line)?;
        Some([&line[source], &line[target]])
    }

    fn ranges(&self, line: &[u8]) -> Option<[Range<usize>; 2]> {
        let mut ends = line.iter().enumerate().filter(|(_, it)| **it == b'\t');
        let (mut start, mut cells) = (0, Vec::new());
        while cells.len() <= self.places[1] {
            let end = ends.next().map(|(at, _)| at);
            cells.push(start..end.unwrap_or(line.len()));
            match end {
                Some(end) => start = end + 1,
                None => break,
            }
        }
        let [source, target] = self.places;
        Some([cells.get(source)?.clone(), cells.get(target)?.clone()])
    }

    /// Returns source and target of a line, both empty if the line is blank.
    ///
    /// # Errors
    /// If the line has too few columns.
    pub fn pair<'a>(
        &self,
        name: &str,
        line: usize,
        content: &'a str,
    ) -> Result<(&'a str, &'a str), TextError> {
        if let Some([source, target]) = self.ranges(content.as_bytes()) {
            return Ok((&content[source], &content[target]));
        }
        if content.trim().is_empty() {
            return Ok((content, ""));
        }
        if !content.contains('\t') {
            return Err(TextError::no_tab(name, line, self.shape));
        }
        Err(TextError::NoColumn {
            name: name.to_owned(),
            line,
            column: self.places[1] + 1,
        })
    }
}

/// Cells of the first lines that have several columns.
struct Rows<'a>(Vec<Vec<&'a str>>);

impl Rows<'_> {
    /// Number of columns that every row has.
    fn columns(&self) -> usize {
        self.0.iter().map(Vec::len).min().unwrap_or(0)
    }

    fn all(&self, column: usize, is: impl Fn(&str) -> bool) -> bool {
        let mut cells = self.0.iter().map(|row| row.get(column));
        cells.all(|cell| cell.is_some_and(|cell| is(cell)))
    }

    fn all_numbers(&self, column: usize) -> bool {
        self.all(column, |cell| {
            cell.starts_with(|it: char| it.is_ascii_digit())
                && cell.bytes().all(|it| it.is_ascii_digit() || it == b'.')
        })
    }

    /// True if a column holds language codes, with fewer different codes than rows.
    fn all_languages(&self, column: usize) -> bool {
        let is_code = |cell: &str| {
            (2..=3).contains(&cell.len()) && cell.bytes().all(|it| it.is_ascii_lowercase())
        };
        let cells = self.0.iter().filter_map(|row| row.get(column));
        let different: BTreeSet<&&str> = cells.collect();
        self.all(column, is_code) && different.len() < self.0.len().min(MAX_LANGUAGES)
    }

    fn names_authors(&self, column: usize) -> bool {
        self.all(column, |cell| {
            cell.contains("CC-BY") || cell.contains("CC BY") || cell.contains("tatoeba.org")
        })
    }
}

fn is_heading(row: &[&str]) -> bool {
    let names = row.iter().filter(|cell| {
        let cell = cell.trim_start_matches('#').to_lowercase();
        HEADINGS.contains(&cell.as_str())
    });
    let are_codes = row.len() == 2
        && row.iter().all(|cell| {
            [
                "de", "en", "fr", "es", "it", "zh", "ja", "ru", "deu", "eng", "fra",
            ]
            .contains(cell)
        });
    names.count() >= 2 || are_codes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn columns(text: &str) -> Columns {
        Columns::of("t.tsv", text.lines()).unwrap()
    }

    fn first(text: &str) -> (&str, &str) {
        let line = text.lines().next().unwrap();
        columns(text).pair("t.tsv", 1, line).unwrap()
    }

    #[test]
    fn numbers_before_sentences_are_passed_over_and_told() {
        for text in [
            "1276\tGo.\t3\tVa !\n1277\tStop.\t4\tArrête !\n",
            "1276\tGo.\tVa !\n1277\tStop.\tArrête !\n",
            "1.08\tGo.\tVa !\n1.071\tStop.\tArrête !\n",
        ] {
            assert_eq!(first(text), ("Go.", "Va !"), "{text}");
            let remarks = columns(text).remarks;
            assert!(
                remarks[0].contains("read from columns 2 and"),
                "{remarks:?}"
            );
        }
    }

    #[test]
    fn the_first_two_columns_are_the_pair_otherwise() {
        let authors = "CC-BY 2.0 (France) Attribution: tatoeba.org #877 (CM)";
        for text in [
            "Go.\tVa !\nStop.\tArrête !\n",
            &format!("Go.\tVa !\t{authors}\nStop.\tArrête !\t{authors}\n"),
            "Go.\tVa !\t1\nStop.\tArrête !\t2\n",
        ] {
            assert_eq!(first(text), ("Go.", "Va !"));
            assert!(columns(text).remarks.is_empty(), "{text}");
        }
        // Numbers in words are a possible task, but perhaps not the intended one.
        let text = "12\ttwelve\n13\tthirteen\n";
        assert_eq!(first(text), ("12", "twelve"));
        assert!(columns(text).remarks[0].contains("nothing but numbers"));
        let text = format!("12\ttwelve\t{authors}\n13\tthirteen\t{authors}\n");
        assert_eq!(first(&text), ("12", "twelve"));
    }

    #[test]
    fn tables_without_pairs_are_refused_by_what_they_are() {
        let refused = |text: &str| Columns::of("t.tsv", text.lines()).unwrap_err().to_string();
        let error = refused("1\tdeu\tGeh.\n2\teng\tGo.\n3\tdeu\tHalt.\n");
        assert!(error.contains("single sentences, as Tatoeba's"), "{error}");
        let words =
            "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n";
        assert!(refused(words).contains("CoNLL"));
    }

    #[test]
    fn a_heading_is_told() {
        let text = "source\ttarget\nGo.\tVa !\n";
        assert!(
            columns(text).remarks[0].contains("line 1 looks like a heading (`source`, `target`)")
        );
        let text = "id\tenglish\tfrench\n1\tGo.\tVa !\n2\tStop.\tArrête !\n";
        assert_eq!(columns(text).places, [1, 2]);
    }

    #[test]
    fn a_line_with_too_few_columns_is_told_with_what_the_file_looks_like() {
        let refused = |text: &str, line: &str| {
            let error = columns(text).pair("t.tsv", 7, line).unwrap_err();
            error.to_string()
        };
        let text = "{\"de\": \"hund\"}\n{\"de\": \"katze\"}\n";
        let error = refused(text, "{\"de\": \"hund\"}");
        assert!(
            error.starts_with("t.tsv, line 7: no TAB between"),
            "{error}"
        );
        assert!(error.contains("looks like JSON"), "{error}");
        let text = "1\tGo.\t3\tVa !\n2\tStop.\t4\tArrête !\n";
        let error = refused(text, "3\tOh");
        assert!(error.contains("line 7: there is no column 4"), "{error}");
        assert_eq!(columns(text).pair("t", 1, " ").unwrap(), (" ", ""));
    }
}
