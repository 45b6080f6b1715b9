//! Task `poems`: quatrains written line by line from keywords (Wang et al. 2016; HAM, 5.2).
//!
//! The source of an example is the length of the lines, the keyword of a line, and the lines
//! before, each behind a separator; the target is the line. A poem gives four examples. Without
//! keywords, as in RNNPG (Zhang and Lapata 2014), it gives three, because the first line has no
//! source. The crate `strata_poems` defines poems and splits them into parts.

mod config;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use strata_describe::Description;
use strata_poems::examples::{SourceToken, source, turned};
use strata_poems::{
    CharacterTable, Collection, KeywordFinder, LENGTHS, Planner, PlannerSettings, Poem, PoemReader,
    Script, Selection, Word2Vec, character_vectors,
};
use strata_text::{Segmenter, Uploads, Vocabulary, special::TEXTS};

pub(crate) use config::DESCRIPTION;
pub use config::{InitialVectors, LineLength, PoemsConfig};

use crate::task::Task;
use crate::{
    Dataset, Example, Examples, Facts, InitialRows, LeftOut, Pipeline, SequenceExamples, TaskError,
};

/// Number of passes over the lines when the vectors of characters are trained.
const VECTOR_EPOCHS: usize = 5;

/// Poems from which the examples of a data set were made.
#[derive(Debug)]
pub struct PoemData {
    /// All poems, split into parts.
    pub collection: Collection,
    /// Finder of the keywords of lines.
    pub finder: KeywordFinder,
    /// Settings and seed of the planner, which is learned on first use.
    planning: (PlannerSettings, u64),
    planner: OnceLock<Planner>,
    script: Script,
    /// True if vectors are also trained on the four characters at the same place of the lines.
    columns: bool,
    /// Initial vectors of the embeddings.
    initial: InitialVectors,
}

impl PoemsConfig {
    /// Returns the paths in `source`, which are separated by commas.
    fn files(&self) -> Vec<&Path> {
        match self.source.to_str() {
            Some(list) => list
                .split(',')
                .filter(|it| !it.is_empty())
                .map(Path::new)
                .collect(),
            None => vec![&self.source],
        }
    }

    fn read(&self, seed: u64, uploads: &Uploads) -> Result<PoemData, TaskError> {
        let mut reader = PoemReader::default();
        for path in self.files() {
            reader.read(&uploads.read_text(path)?);
        }
        let all_but_0 = |most: usize| (most > 0).then_some(most);
        let selection = Selection {
            script: self.script,
            vocabulary: self.vocabulary,
            length: self.length.characters(),
            training: all_but_0(self.training_poems),
            held_out: all_but_0(self.held_out_poems),
        };
        let collection = Collection::new(reader, &selection)?;
        let minimum_count = u32::try_from(self.minimum_count).unwrap_or(u32::MAX);
        let settings = PlannerSettings {
            minimum_count,
            ..PlannerSettings::default()
        };
        let minimum_pmi = settings.minimum_pmi;
        let finder = KeywordFinder::learn(&collection.training, minimum_count, minimum_pmi);
        Ok(PoemData {
            collection,
            finder,
            planning: (settings, seed),
            planner: OnceLock::new(),
            script: self.script,
            columns: self.columns,
            initial: self.initial,
        })
    }

    /// Returns the examples of poems, one for each line; without keywords, none for the first
    /// lines.
    fn examples(
        &self,
        poems: &[Poem],
        finder: &KeywordFinder,
        [sources, targets]: [&Vocabulary; 2],
    ) -> Vec<Example> {
        let text = |token: SourceToken| sources.id(&token.to_string());
        let example = |poem: &Poem, at: usize| {
            let line = poem.line(at);
            let keyword = if self.keywords {
                Some(finder.keyword(line)?)
            } else {
                None
            };
            let tokens = source(poem.length(), keyword, poem.lines().take(at), self.reversed);
            let target = turned(line, self.reversed).into_iter();
            Some(Example {
                source: tokens.into_iter().map(text).collect(),
                target: target
                    .map(|it| targets.id(it.encode_utf8(&mut [0; 4])))
                    .collect(),
            })
        };
        let first = usize::from(!self.keywords);
        let of_poem = |poem| (first..strata_poems::LINES).filter_map(move |at| example(poem, at));
        poems.iter().flat_map(of_poem).collect()
    }
}

/// Number of source tokens, besides the special ones, that are not characters.
const MARKS: usize = LENGTHS.len() + 1;

impl Task for PoemsConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::Poetry
    }

    fn validate(&self) -> Result<(), TaskError> {
        if self.files().is_empty() {
            Err(TaskError::NoPoems)
        } else {
            Ok(())
        }
    }

    fn load(&self, seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError> {
        let data = self.read(seed, uploads)?;
        let collection = &data.collection;
        let characters = || collection.vocabulary.iter().map(char::to_string);
        let marks = LENGTHS
            .map(SourceToken::Length)
            .into_iter()
            .chain([SourceToken::Separator]);
        let source = Vocabulary::of_distinct(marks.map(|it| it.to_string()).chain(characters()));
        let target = Vocabulary::of_distinct(characters());
        let vocabularies = [&source, &target];
        let examples = |poems| self.examples(poems, &data.finder, vocabularies);
        let counts = collection.counts;
        let remarks = counts.unread.sentences().chain(counts.sentences());
        let facts = Facts {
            remarks: remarks.collect(),
            ..Facts::default()
        };
        Ok(Dataset {
            source_segmenter: Segmenter::of_words(),
            target_segmenter: Segmenter::of_words(),
            examples: Examples::Poetry {
                lines: SequenceExamples {
                    training: examples(&collection.training),
                    validation: examples(&collection.validation),
                    ..SequenceExamples::default()
                },
                poems: Arc::new(data),
            },
            stored: None,
            source_vocabulary: source,
            target_vocabulary: target,
            dropped: LeftOut::default(),
            facts,
            identities: None,
        })
    }

    fn paths(&self) -> Vec<&Path> {
        self.files()
    }
}

impl PoemData {
    /// Returns the planner of poems; the first call learns it, which takes a while.
    pub fn planner(&self) -> &Planner {
        let (settings, seed) = &self.planning;
        let learn = || {
            let table = CharacterTable::learn(&self.collection.vocabulary, self.script);
            Planner::learn(&self.collection.training, settings, *seed).with_table(table)
        };
        self.planner.get_or_init(learn)
    }

    /// Returns the initial vectors of the embeddings of characters, for source and target; `None`
    /// if embeddings are initialised at random. A row of the vocabulary may have no vector.
    pub fn initial_vectors(&self, width: usize, seed: u64) -> Option<[InitialRows; 2]> {
        if self.initial == InitialVectors::Random {
            return None;
        }
        let Collection {
            training,
            vocabulary,
            ..
        } = &self.collection;
        let settings = Word2Vec::new(width, VECTOR_EPOCHS);
        let embedding = character_vectors(training, vocabulary, self.columns, &settings, seed);
        let rows = |before| InitialRows::of(&embedding, before + TEXTS.len());
        Some([rows(MARKS), rows(0)])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;

    use strata_poems::Script;

    use super::*;

    fn config() -> PoemsConfig {
        PoemsConfig {
            source: "poems".into(),
            script: Script::AsRead,
            minimum_count: 2,
            ..PoemsConfig::default()
        }
    }

    /// Returns poems whose lines are numbers, written with ten characters as digits.
    fn text() -> String {
        let digits: Vec<char> = "春江花月夜山水云风雪".chars().collect();
        let line = |number: usize| -> String {
            (0..5)
                .map(|place| digits[number / 10_usize.pow(place) % 10])
                .collect()
        };
        let poem = |at: usize| {
            (0..4)
                .map(|it| line(at * 4 + it))
                .collect::<Vec<_>>()
                .join("，")
        };
        (0..800).map(|at| poem(at) + "\n").collect()
    }

    fn load(config: &PoemsConfig) -> Dataset {
        let uploads = Uploads::default().with([("poems".to_owned(), text().into())]);
        config.validate().unwrap();
        config.load(0, &uploads).unwrap()
    }

    /// Returns the poems of a data set.
    fn poems(data: &Dataset) -> &PoemData {
        match &data.examples {
            Examples::Poetry { poems, .. } => poems,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_poem_gives_four_examples() {
        let data = load(&PoemsConfig {
            reversed: false,
            ..config()
        });
        let poems = poems(&data);
        assert_eq!(data.training().len(), 4 * poems.collection.training.len());
        assert_eq!(
            data.validation().len(),
            4 * poems.collection.validation.len()
        );
        let poem = &poems.collection.training[0];
        let text = |line: usize| {
            poem.line(line)
                .iter()
                .map(char::to_string)
                .collect::<Vec<_>>()
        };
        let example = &data.training()[2];
        let tokens = data.source_vocabulary.decode(&example.source).join(" ");
        let keyword = poems.finder.keyword(poem.line(2)).unwrap();
        let keyword: Vec<String> = keyword.characters().map(String::from).collect();
        let [first, second] = [0, 1].map(|line| text(line).join(" "));
        let expected = format!("<5> {} <sep> {first} <sep> {second}", keyword.join(" "));
        assert_eq!(tokens, expected);
        assert_eq!(data.target_vocabulary.decode(&example.target), text(2));
    }

    #[test]
    fn without_keywords_a_poem_gives_three_examples() {
        let data = load(&PoemsConfig {
            reversed: false,
            keywords: false,
            ..config()
        });
        let poems = poems(&data);
        assert_eq!(data.training().len(), 3 * poems.collection.training.len());
        let poem = &poems.collection.training[0];
        let line = |at: usize| {
            let line = poem.line(at).iter();
            line.map(char::to_string).collect::<Vec<_>>().join(" ")
        };
        let example = &data.training()[1];
        let tokens = data.source_vocabulary.decode(&example.source).join(" ");
        assert_eq!(tokens, format!("<5> <sep> {} <sep> {}", line(0), line(1)));
        let written = data.target_vocabulary.decode(&example.target).join(" ");
        assert_eq!(written, line(2));
    }

    #[test]
    fn lines_are_read_and_written_backwards() {
        let forwards = load(&PoemsConfig {
            reversed: false,
            ..config()
        });
        let backwards = load(&config());
        for (one, other) in forwards.training().iter().zip(backwards.training()) {
            let turned: Vec<u32> = other.target.iter().rev().copied().collect();
            assert_eq!(one.target, turned);
            assert_eq!(one.source.len(), other.source.len());
        }
    }

    #[test]
    fn vectors_stand_in_the_rows_of_their_characters() {
        let data = load(&config());
        let poems = poems(&data);
        let [source, target] = poems.initial_vectors(8, 1).unwrap();
        let row = |rows: &InitialRows, id: u32| {
            assert!(rows.given[id as usize]);
            rows.values[id as usize * 8..(id as usize + 1) * 8].to_vec()
        };
        assert_eq!(source.given.len(), data.source_vocabulary.len());
        assert_eq!(target.given.len(), data.target_vocabulary.len());
        for text in ["春", "雪"] {
            let one = row(&source, data.source_vocabulary.id(text));
            assert_eq!(one, row(&target, data.target_vocabulary.id(text)));
            assert!(one.iter().any(|&it| it != 0.0));
        }
        assert!(!source.given[data.source_vocabulary.id("<sep>") as usize]);
        assert!(!target.given[0]);
        let random = PoemsConfig {
            initial: InitialVectors::Random,
            ..config()
        };
        let random = load(&random);
        assert_eq!(self::poems(&random).initial_vectors(8, 1), None);
    }

    #[test]
    fn files_are_listed_with_commas() {
        let paths = [Path::new("a.tsv"), Path::new("b/c.tsv.gz")];
        let config = PoemsConfig {
            source: "a.tsv,b/c.tsv.gz".into(),
            ..config()
        };
        assert_eq!(config.files(), paths);
        let none = PoemsConfig {
            source: PathBuf::new(),
            ..config
        };
        assert!(
            none.validate()
                .unwrap_err()
                .to_string()
                .contains("task.source")
        );
    }
}
