//! First and last texts that the learner had translated, with their answers.

use std::collections::BTreeSet;

use strata_models::{Search, SiteName};
use strata_session::protocol::{
    FoundTranslationView, TranslateRequest, TranslationView, View, ViewRequest, notable_site,
};

use super::map::{Map, SentencePair};
use crate::{AnswerMeasure, AskedMeasure, Moment, Value};

/// Answers of a step, and the question that waits for an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    pending: Option<TranslateRequest>,
    now: Option<Answer>,
    /// First answer of the step, with which later ones are compared: attempts in between do not
    /// count.
    first: Option<Answer>,
    /// Answer before the present one, from which a chosen word continues.
    previous: Option<Answer>,
}

/// Answer, and the question that was answered.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    question: TranslateRequest,
    view: TranslationView,
}

impl Answers {
    pub fn ask(&mut self, question: TranslateRequest) {
        self.pending = Some(question);
    }

    pub fn refused(&mut self) {
        self.pending = None;
    }

    pub fn answered(&mut self, view: &TranslationView) {
        if let Some(question) = self.pending.take() {
            let view = view.clone();
            self.previous = self.now.replace(Answer { question, view });
            if self.first.is_none() {
                self.first.clone_from(&self.previous);
            }
        }
    }

    pub fn answer(&self, moment: Moment) -> Option<&Answer> {
        match moment {
            Moment::Now => self.now.as_ref(),
            Moment::Before => self.first.as_ref(),
        }
    }

    /// Returns the last text to translate, with the tokens of its answer.
    pub fn tokens(&self) -> Option<(&str, Vec<String>)> {
        let answer = self.now.as_ref()?;
        let tokens = match answer.best() {
            Some(best) => best.tokens.clone(),
            None => answer.view.target.clone(),
        };
        Some((&answer.question.text, tokens))
    }

    /// Returns the attention matrix of an answer at the site, head and level in view.
    pub fn map(
        &self,
        moment: Moment,
        request: Option<&ViewRequest>,
        level: Option<usize>,
    ) -> Option<Map> {
        let view = &self.answer(moment)?.view;
        let (name, head, requested) = match request.map(|request| &request.view) {
            Some(View::Site { site, head, level }) => (*site, *head, *level),
            _ => (None, None, None),
        };
        let named = name.and_then(|name| view.sites.iter().find(|it| it.site == name));
        let levels = view.sites.iter().map(|it| (it.site, it.levels));
        let notable = || notable_site(levels).map(|place| &view.sites[place]);
        let site = named.or_else(notable)?;
        let level = level.or(requested).unwrap_or(site.levels).min(site.levels);
        let sentences = SentencePair {
            source: &view.source,
            target: &view.target,
        };
        Map::of(site, level, head, sentences)
    }

    /// Returns the largest change of a weight in the rows up to the last chosen word.
    pub fn moved(&self, site: SiteName) -> Option<f64> {
        let (now, before) = (self.now.as_ref()?, self.previous.as_ref()?);
        let find = |answer: &'_ Answer| {
            let mut sites = answer.view.sites.iter();
            sites.find(|it| it.site == site).cloned()
        };
        let (new, old) = (find(now)?, find(before)?);
        let rows = now.question.prefix.len();
        let same = rows > 0 && rows <= new.rows.min(old.rows) && new.columns == old.columns;
        if !same || new.level_numbers != old.level_numbers || new.heads != old.heads {
            return None;
        }
        let size = |rows: usize| (rows * new.columns).max(1);
        let matrices = new.weights.chunks(size(new.rows));
        let matrices = matrices.zip(old.weights.chunks(size(old.rows)));
        let changes = matrices.flat_map(|(new, old)| {
            let rows = new[..size(rows)].iter().zip(&old[..size(rows)]);
            rows.map(|(new, old)| f64::from((new - old).abs()))
        });
        Some(changes.fold(0.0, f64::max))
    }

    pub fn value(&self, measure: AskedMeasure) -> Option<Value> {
        let answer = self.now.as_ref()?;
        let question = &answer.question;
        Some(match measure {
            AskedMeasure::Text => question.text.as_str().into(),
            AskedMeasure::Length => (answer.view.source.len() as f64).into(),
            AskedMeasure::Prefix => (question.prefix.len() as f64).into(),
            AskedMeasure::Search => question.search.name().into(),
            AskedMeasure::Temperature => match question.search {
                Search::Sampling(sampling) => sampling.temperature.into(),
                _ => return None,
            },
            AskedMeasure::Width => (question.search.width() as f64).into(),
            AskedMeasure::Penalty => match question.search {
                Search::Beam(beam) => beam.length_penalty.into(),
                _ => return None,
            },
        })
    }
}

impl Answer {
    fn found(&self) -> &[FoundTranslationView] {
        match &self.view.search {
            Some(search) => &search.translations,
            None => &[],
        }
    }

    fn best(&self) -> Option<&FoundTranslationView> {
        self.found().first()
    }

    pub fn value(&self, measure: &AnswerMeasure) -> Option<Value> {
        let number = match measure {
            AnswerMeasure::Text => return Some(self.view.text.as_str().into()),
            AnswerMeasure::Score => self.best()?.score,
            AnswerMeasure::Sum => {
                let logs = self.best()?.log_probabilities.iter();
                logs.map(|it| f64::from(*it)).sum()
            }
            AnswerMeasure::Normalised => self.best()?.normalised,
            AnswerMeasure::Length => self.best()?.tokens.len() as f64,
            AnswerMeasure::Distinct => {
                let texts: BTreeSet<&str> = self.found().iter().map(|it| &it.text[..]).collect();
                texts.len() as f64
            }
            AnswerMeasure::Probability(place) => {
                f64::from(*self.best()?.log_probabilities.get(place - 1)?).exp()
            }
            AnswerMeasure::Top(place) => {
                let candidates = self.best()?.candidates.get(place - 1)?;
                return Some(candidates.first()?.token.as_str().into());
            }
            AnswerMeasure::Copied => {
                let asked = self.view.source.iter().filter(|it| !is_special(it));
                let pairs = asked.zip(&self.best()?.tokens);
                pairs.filter(|(asked, token)| asked == token).count() as f64
            }
            AnswerMeasure::Follows => {
                let prefix = &self.question.prefix;
                f64::from(u8::from(self.best()?.tokens.starts_with(prefix)))
            }
        };
        Some(Value::Number(number))
    }
}

/// True for a token that stands for no text, such as `</s>`.
fn is_special(token: &str) -> bool {
    token.starts_with('<') && token.ends_with('>')
}
