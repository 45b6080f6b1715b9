//! Conversion of questions to numbers, part by part.

use std::io;

use super::each_part;
use crate::comprehension::data::AnswerLengths;
use crate::comprehension::examples::{measured, numbered, trained};
use crate::comprehension::record::{Corpus, Record};
use crate::comprehension::split::{MeasuredQuestions, Parts, QuestionIdentities};
use crate::stream::writer::BlockWriter;
use crate::{
    LearnedBuilder, Question, ReadingConfig, ReadingFormat, ReadingTokenizer, TaskError, TokenText,
};

/// Held-out questions, and the identities of each.
#[derive(Default)]
pub(super) struct HeldOutQuestions {
    pub questions: Vec<Question>,
    pub identities: Vec<Vec<u64>>,
}

impl HeldOutQuestions {
    pub(super) fn followed_by(mut self, mut others: Self) -> Self {
        self.questions.append(&mut others.questions);
        self.identities.append(&mut others.identities);
        self
    }
}

/// Converts questions to numbers; writes those for training to the file, and collects the others.
pub(super) struct Encoder<'a> {
    pub config: &'a ReadingConfig,
    pub format: ReadingFormat,
    pub parts: &'a Parts,
    pub measured_too: &'a MeasuredQuestions,
    pub tokenizer: &'a ReadingTokenizer,
    pub writer: BlockWriter,
    pub lengths: AnswerLengths,
    pub learned: LearnedBuilder,
    pub validation: HeldOutQuestions,
    /// Tested questions, apart because they come last.
    pub tested: HeldOutQuestions,
}

impl Encoder<'_> {
    /// Adds all questions of the training file; the inner error is one of writing.
    pub(super) fn add_all(&mut self) -> Result<io::Result<()>, TaskError> {
        let mut outcome = Ok(());
        each_part(
            self.config,
            "Encoding the questions",
            |paragraphs, records| {
                if outcome.is_ok() {
                    outcome = self.add(paragraphs, records);
                }
            },
        )?;
        Ok(outcome)
    }

    /// Adds the questions of a part of the training file, and their paragraphs.
    fn add(&mut self, paragraphs: Vec<TokenText>, mut records: Vec<Record>) -> io::Result<()> {
        records.retain(|record| self.add_identities(record, &paragraphs));
        let paragraphs = numbered(paragraphs, self.tokenizer);
        for record in records {
            if !self.parts.is_trained(&record) {
                let tokenizer = self.tokenizer;
                let part = self.held_out_part(&record.id);
                part.questions
                    .push(measured(record, &paragraphs, tokenizer));
            } else if let Some(question) = trained(record, &paragraphs, self.tokenizer) {
                self.lengths.add(&question);
                self.writer.add_question(&question)?;
            }
        }
        Ok(())
    }

    /// Adds the identities of a question to those of its part; returns false for a question that is
    /// left out.
    fn add_identities(&mut self, record: &Record, paragraphs: &[TokenText]) -> bool {
        let identities = QuestionIdentities::of(record, paragraphs);
        if self.measured_too.contains_identity(&identities) {
            return false;
        }
        if !self.parts.is_trained(record) {
            let identities = identities.held_out(self.config, self.format);
            self.held_out_part(&record.id).identities.push(identities);
        } else if record.trained.target.is_some() {
            self.learned.extend(identities.all());
        }
        true
    }

    /// Part of a held-out question.
    fn held_out_part(&mut self, id: &str) -> &mut HeldOutQuestions {
        if self.parts.tested.contains(id) {
            &mut self.tested
        } else {
            &mut self.validation
        }
    }

    /// Adds the questions of the file for validation.
    pub(super) fn measure_on(&mut self, other: &mut Corpus) {
        let (paragraphs, records) = other.take_part();
        let identities = records.iter().map(|record| {
            let identities = QuestionIdentities::of(record, &paragraphs);
            identities.held_out(self.config, other.format)
        });
        self.validation.identities.extend(identities);
        let paragraphs = numbered(paragraphs, self.tokenizer);
        let questions = records
            .into_iter()
            .map(|record| measured(record, &paragraphs, self.tokenizer));
        self.validation.questions.extend(questions);
    }
}
