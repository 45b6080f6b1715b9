//! DuReader 2.0 (He et al. 2018): documents of a search, paragraphs, and free answers.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::msmarco::is_true;
use super::{Identifiers, check_documents, check_paragraph, given};
use crate::AnswerSpan;
use crate::comprehension::free::{self, Searched};
use crate::comprehension::json::{File, identifier};
use crate::comprehension::record::{Chosen, Corpus, Record};
use crate::comprehension::{ReadingError, ReadingLevel, TokenText, counts, segmented};

/// A question as written in the file.
#[derive(Deserialize)]
pub(super) struct Line {
    question_id: Value,
    question: String,
    documents: Vec<Document>,
    answers: Option<Vec<String>>,
    answer_docs: Option<Vec<i64>>,
    answer_spans: Option<Vec<[i64; 2]>>,
    segmented_question: Option<Vec<String>>,
    segmented_answers: Option<Vec<Vec<String>>>,
}

impl Line {
    /// Returns the level at which the file is cut, which its first question decides at the level
    /// `auto`; notes the first question, `id`, without tokens of its own.
    fn level(&self, id: &str, corpus: &mut Corpus) -> ReadingLevel {
        if corpus.level == ReadingLevel::Auto {
            corpus.level = match self.segmented_question {
                Some(_) => ReadingLevel::Segmented,
                None => ReadingLevel::Fine,
            };
        }
        let mut paragraphs = self.documents.iter().map(|it| &it.segmented_paragraphs);
        let is_segmented = self.segmented_question.is_some() && paragraphs.all(Option::is_some);
        if !is_segmented && corpus.unsegmented.is_none() {
            corpus.unsegmented = Some(id.to_owned());
        }
        corpus.level
    }
}

#[derive(Deserialize)]
struct Document {
    paragraphs: Vec<String>,
    is_selected: Option<Value>,
    most_related_para: Option<i64>,
    segmented_paragraphs: Option<Vec<Vec<String>>>,
}

/// Returns the tokens of each answer: those of the file at the level `segmented`, if it has some.
fn tokens_of_answers(
    level: ReadingLevel,
    answers: &[String],
    segmented: Vec<Vec<String>>,
) -> Vec<Vec<String>> {
    let mut segmented = segmented.into_iter();
    let tokens = answers.iter().map(|answer| {
        let own = segmented
            .next()
            .filter(|_| level == ReadingLevel::Segmented);
        own.unwrap_or_else(|| {
            let cut = TokenText::new(answer.clone(), level.places(answer));
            cut.tokens().map(String::from).collect()
        })
    });
    tokens.collect()
}

/// Moves the chosen paragraphs into the corpus, each once, and replaces their places in the documents
/// by their numbers in the corpus.
fn move_paragraphs(documents: &mut [Cut], chosen: [&mut Chosen; 2], corpus: &mut Corpus) {
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    for place in chosen.into_iter().flat_map(|chosen| &mut chosen.passages) {
        let (document, paragraph) = *place;
        let number = numbers.entry(*place).or_insert_with(|| {
            let paragraphs = &mut documents[document as usize].paragraphs;
            corpus.paragraph(std::mem::take(&mut paragraphs[paragraph as usize]))
        });
        *place = (document, *number);
    }
}

/// Reader of questions in the format of DuReader.
pub(super) struct Reader<'a> {
    file: File<'a>,
    identifiers: Identifiers,
}

/// A document whose paragraphs are cut into tokens.
struct Cut {
    paragraphs: Vec<TokenText>,
    is_selected: bool,
    /// Index of the most related paragraph, if the file names one.
    named: Option<usize>,
    /// True if the file says that no paragraph is the most related one.
    is_unnamed: bool,
    /// Places of the file's own tokens in the named paragraph.
    own_places: Option<Vec<[u32; 2]>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        Self {
            file,
            identifiers: Identifiers::default(),
        }
    }

    /// Adds a question to the corpus.
    pub(super) fn take(&mut self, line: Line, corpus: &mut Corpus) -> Result<(), ReadingError> {
        let id = identifier(self.file, &line.question_id, &line.question)?;
        self.identifiers.add(self.file, &id)?;
        check_documents(self.file, &id, line.documents.len())?;
        let level = line.level(&id, corpus);
        let question = cut(level, line.question, line.segmented_question.as_ref());
        let answers = line.answers.unwrap_or_default();
        let segmented = line.segmented_answers.unwrap_or_default();
        let wanted = tokens_of_answers(level, &answers, segmented);
        let wanted: Vec<Vec<&str>> = wanted
            .iter()
            .map(|tokens| tokens.iter().map(String::as_str).collect())
            .collect();
        let mut documents = Vec::new();
        for document in line.documents {
            documents.push(self.document(&id, level, document)?);
        }
        let counts = &mut corpus.counts;
        counts.documents += documents.len();
        counts.passages += documents
            .iter()
            .map(|it| it.paragraphs.len())
            .sum::<usize>();
        counts.answers += answers.len();
        let answers = given(answers);
        let any_selected = documents.iter().any(|it| it.is_selected);
        if !answers.is_empty() && !any_selected {
            counts.fault(counts::WITHOUT_SELECTED, &id);
        }
        counts.without_paragraph += documents.iter().filter(|it| it.is_unnamed).count();
        let docs = line.answer_docs.unwrap_or_default();
        let spans = line.answer_spans.unwrap_or_default();
        let given_span = self.given_span(&id, &documents, &docs, &spans)?;

        let questions = [question.tokens().collect::<Vec<_>>()];
        let by_question = documents.iter().map(|it| it.best(&questions));
        let by_question: Vec<usize> = by_question.collect();
        let by_answer = documents
            .iter()
            .map(|it| it.named.unwrap_or_else(|| it.best(&wanted)));
        let by_answer: Vec<usize> = by_answer.collect();
        let search = |picked: &[usize], selected: bool| {
            let passages = documents.iter().zip(picked).map(|(document, &paragraph)| {
                let is_searched = document.is_selected || !selected;
                is_searched.then(|| &document.paragraphs[paragraph])
            });
            let searched = Searched {
                passages: passages.collect(),
                lowercase: false,
            };
            free::target(&searched, &wanted)
        };
        let trained = given_span.or_else(|| search(&by_answer, any_selected));
        // The paragraph chosen by the question may differ from the one chosen by the answer, so the
        // best span of all read paragraphs may lie anywhere.
        let kept = &by_question[..by_question.len().min(corpus.most)];
        let measured = search(kept, false);
        let places = |picked: &[usize]| -> Vec<(u32, u32)> {
            let picked = (0..).zip(picked);
            picked
                .map(|(document, &paragraph)| (document, paragraph as u32))
                .collect()
        };
        let mut trained = Chosen::with_answer(&places(&by_answer), trained, corpus.most);
        let mut measured = Chosen::first(&places(&by_question), measured, corpus.most);
        move_paragraphs(&mut documents, [&mut trained, &mut measured], corpus);
        let article = corpus.counts.questions as u32;
        corpus.record(Record {
            id,
            article,
            question,
            answers,
            trained,
            measured,
        });
        Ok(())
    }

    fn document(
        &self,
        id: &str,
        level: ReadingLevel,
        document: Document,
    ) -> Result<Cut, ReadingError> {
        let Document {
            mut paragraphs,
            is_selected,
            most_related_para,
            segmented_paragraphs,
        } = document;
        if paragraphs.is_empty() {
            paragraphs.push(String::new());
        }
        let named = match most_related_para {
            // −1 means that the file names no paragraph, not that it names the last one.
            None | Some(-1) => None,
            Some(number) => {
                let number = usize::try_from(number).ok();
                let number = number.filter(|&it| it < paragraphs.len());
                Some(number.ok_or_else(|| {
                    let fault = format!(
                        "`most_related_para` is {}, but a document has {} paragraphs; correct it, \
                         or write -1",
                        most_related_para.unwrap_or_default(),
                        paragraphs.len()
                    );
                    self.file.fault(id, fault)
                })?)
            }
        };
        let own = segmented_paragraphs.unwrap_or_default();
        let own_places = named.and_then(|at| {
            let tokens = own.get(at)?;
            Some(segmented::places(&paragraphs[at], tokens))
        });
        let mut whole = Vec::with_capacity(paragraphs.len());
        for (at, text) in paragraphs.into_iter().enumerate() {
            check_paragraph(self.file, id, &text)?;
            whole.push(cut(level, text, own.get(at)));
        }
        Ok(Cut {
            paragraphs: whole,
            is_selected: is_selected.as_ref().is_some_and(is_true),
            named,
            is_unnamed: most_related_para == Some(-1),
            own_places,
        })
    }

    /// Returns the answer that the file gives, as tokens of the named paragraph of its document.
    fn given_span(
        &self,
        id: &str,
        documents: &[Cut],
        answer_docs: &[i64],
        answer_spans: &[[i64; 2]],
    ) -> Result<Option<AnswerSpan>, ReadingError> {
        let mut first = None;
        for (&document, &[start, end]) in answer_docs.iter().zip(answer_spans) {
            let found = usize::try_from(document).ok();
            let found = found.and_then(|at| Some((at, documents.get(at)?)));
            let Some((passage, found)) = found else {
                return Err(self.file.fault(
                    id,
                    format!(
                        "`answer_docs` says document {document}, but there are {}, counted from \
                         0; correct it",
                        documents.len()
                    ),
                ));
            };
            let (Some(named), Some(own)) = (found.named, &found.own_places) else {
                continue;
            };
            let ends = [usize::try_from(start), usize::try_from(end)];
            let [Ok(start), Ok(end)] = ends else {
                return Err(self.outside(id, [start, end], own.len()));
            };
            if start > end || end >= own.len() {
                return Err(self.outside(id, [start as i64, end as i64], own.len()));
            }
            let bytes = [own[start][0], own[end][1]];
            let overlapping = found.paragraphs[named].overlapping(bytes);
            let tokens = if own.as_slice() == found.paragraphs[named].places() {
                Some([start, end])
            } else {
                overlapping
            };
            let span = tokens.map(|[start, end]| AnswerSpan {
                passage,
                start,
                end,
            });
            first = first.or(span);
        }
        Ok(first)
    }

    fn outside(&self, id: &str, [start, end]: [i64; 2], tokens: usize) -> ReadingError {
        self.file.fault(
            id,
            format!(
                "`answer_spans` says tokens {start} to {end}, but the paragraph has {tokens}, counted \
                 from 0; correct it"
            ),
        )
    }
}

/// Cuts a text into tokens; at the level `segmented`, into the file's own tokens.
fn cut(level: ReadingLevel, text: String, own: Option<&Vec<String>>) -> TokenText {
    let places = match (level, own) {
        (ReadingLevel::Segmented, Some(own)) => segmented::places(&text, own),
        _ => level.places(&text),
    };
    TokenText::new(text, places)
}

impl Cut {
    /// Returns the index of the paragraph with the highest recall of one of the texts `wanted`: the
    /// share of the text's tokens, counted with repetitions, that the paragraph has. Ties: the
    /// shorter paragraph, then the earlier.
    fn best(&self, wanted: &[Vec<&str>]) -> usize {
        let mut best = (0, f64::NEG_INFINITY, usize::MAX);
        for (at, paragraph) in self.paragraphs.iter().enumerate() {
            let mut counts: HashMap<&str, u32> = HashMap::new();
            paragraph
                .tokens()
                .for_each(|it| *counts.entry(it).or_default() += 1);
            let recall = |tokens: &Vec<&str>| {
                let mut left = counts.clone();
                let is_there = |token: &&&str| {
                    let count = left.get_mut(**token).filter(|count| **count > 0);
                    count.map(|count| *count -= 1).is_some()
                };
                let common = tokens.iter().filter(is_there).count();
                common as f64 / tokens.len().max(1) as f64
            };
            let recall = wanted.iter().map(recall).fold(0.0, f64::max);
            let length = paragraph.len();
            if recall > best.1 || (recall == best.1 && length < best.2) {
                best = (at, recall, length);
            }
        }
        best.0
    }
}
