//! A clause in both languages: subject, action, time and place.

use super::phrase::{Agreement, Phrase, words};
use super::words::{Tense, Verb};

/// Verb with its objects, in both languages.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) verb: &'static Verb,
    /// Chinese words between the place and the verb: `坐 火车`, `把 这 本 书`.
    pub(super) before: String,
    /// Chinese words after the verb.
    pub(super) after: String,
    pub(super) english: String,
    /// True if `了` ends the clause instead of following the verb.
    pub(super) ends_with_aspect: bool,
}

/// An action with its subject, time and place.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) subject: Phrase,
    pub(super) tense: Tense,
    /// Time in Chinese and in English.
    pub(super) time: Option<(&'static str, &'static str)>,
    /// True if the time comes before the subject.
    pub(super) time_first: bool,
    pub(super) modal: Option<&'static [&'static str; 3]>,
    pub(super) is_denied: bool,
    /// Place in Chinese and in English.
    pub(super) place: Option<(&'static str, &'static str)>,
    pub(super) action: Action,
}

impl Clause {
    /// Writes the clause in Chinese, with time and place before the verb.
    pub(super) fn chinese(&self) -> String {
        let time = self.time.map_or("", |it| it.0);
        let (first, second) = if self.time_first {
            (time, "")
        } else {
            ("", time)
        };
        words(&[
            first,
            &self.subject.chinese,
            second,
            &self.chinese_predicate(),
        ])
    }

    /// Writes the Chinese predicate: everything after subject and time.
    pub(super) fn chinese_predicate(&self) -> String {
        let Action {
            verb,
            before,
            after,
            ends_with_aspect,
            ..
        } = &self.action;
        let denial = match (self.is_denied, self.tense) {
            (false, _) => "",
            (true, Tense::Past) => "没",
            // Only `没` negates `有`.
            (true, _) if verb.chinese == "有" && self.modal.is_none() => "没",
            (true, _) => "不",
        };
        let modal = match (self.modal, self.tense) {
            (Some(modal), _) => modal[0],
            (None, Tense::Future) => "会",
            (None, _) => "",
        };
        let place = self
            .place
            .map_or(String::new(), |it| format!("在 {}", it.0));
        let done = self.tense == Tense::Past && !self.is_denied;
        let aspect = |here: bool| if done && here { "了" } else { "" };
        words(&[
            denial,
            modal,
            &place,
            before,
            verb.chinese,
            aspect(!ends_with_aspect),
            after,
            aspect(*ends_with_aspect),
        ])
    }

    /// Writes the clause in English, with the subject first, place and time last.
    pub(super) fn english(&self) -> String {
        let verb = self.finite(self.subject.agreement);
        words(&[&self.subject.english, &verb, &self.english_rest()])
    }

    /// Writes the clause as an English question that begins with `asked`: `what`, `where`, or
    /// nothing.
    pub(super) fn english_question(&self, asked: &str) -> String {
        let (auxiliary, rest) = self.auxiliary();
        let denial = if self.is_denied { "not" } else { "" };
        words(&[
            asked,
            auxiliary,
            &self.subject.english,
            denial,
            rest,
            self.action.verb.base,
            &self.english_rest(),
        ])
    }

    /// Writes the words after the English verb: object, place and time.
    pub(super) fn english_rest(&self) -> String {
        let place = self.place.map_or("", |it| it.1);
        let time = self.time.map_or("", |it| it.1);
        words(&[&self.action.english, place, time])
    }

    /// Writes the English verb with negation and auxiliaries.
    pub(super) fn finite(&self, agreement: Agreement) -> String {
        let third = agreement == Agreement::Third;
        let verb = self.action.verb;
        if self.is_denied {
            let (auxiliary, rest) = self.auxiliary_of(agreement);
            return words(&[auxiliary, "not", rest, verb.base]);
        }
        match (self.modal, self.tense) {
            (Some(modal), _) => words(&[if third { modal[2] } else { modal[1] }, verb.base]),
            (None, Tense::Future) => words(&["will", verb.base]),
            (None, Tense::Past) => verb.past.to_owned(),
            (None, Tense::Present) if third => verb.third.to_owned(),
            (None, Tense::Present) => verb.base.to_owned(),
        }
    }

    fn auxiliary(&self) -> (&'static str, &'static str) {
        self.auxiliary_of(self.subject.agreement)
    }

    /// Returns the auxiliary that is inverted with the subject, and a further modal before the
    /// verb, if any.
    fn auxiliary_of(&self, agreement: Agreement) -> (&'static str, &'static str) {
        let present = match agreement {
            Agreement::Third => "does",
            _ => "do",
        };
        match (self.modal, self.tense) {
            // `want to` is a verb that takes the auxiliary `do`.
            (Some([_, modal, third]), _) if modal != third => (present, modal),
            (Some([_, modal, _]), _) => (modal, ""),
            (None, Tense::Future) => ("will", ""),
            (None, Tense::Past) => ("did", ""),
            (None, Tense::Present) => (present, ""),
        }
    }
}
