//! Random choices, and their constraints.

use super::clause::Time;
use super::words::MODALS;
use crate::random::Random;

/// Random source of phrases and clauses.
pub(super) struct Draw {
    pub(super) random: Random,
}

impl Draw {
    pub(super) fn time(&mut self) -> Time {
        match self.random.weighted(&[57, 26, 17]) {
            0 => Time::Present,
            1 => Time::Past,
            _ => self.modal(),
        }
    }

    pub(super) fn modal(&mut self) -> Time {
        Time::Modal(self.random.pick(&MODALS))
    }
}

/// Constraints that a sentence puts on a clause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) time: Time,
    /// True for a question, whose subject is more often in the second person.
    pub(super) is_question: bool,
    /// True if the clause may be negated.
    pub(super) may_deny: bool,
    /// True for a dependent clause, which has its verb at the end.
    pub(super) is_dependent: bool,
    /// True if the clause must be short, as in sentences of two clauses.
    pub(super) is_brief: bool,
}

impl Fit {
    /// Constraints of a main clause that is a statement.
    pub(super) fn statement(time: Time) -> Self {
        Self {
            time,
            is_question: false,
            may_deny: true,
            is_dependent: false,
            is_brief: false,
        }
    }

    /// Constraints of a main clause that is a question.
    pub(super) fn question(time: Time) -> Self {
        Self {
            is_question: true,
            may_deny: false,
            ..Self::statement(time)
        }
    }

    /// Adds the constraint that the clause is not negated.
    pub(super) fn positive(self) -> Self {
        Self {
            may_deny: false,
            ..self
        }
    }

    /// Adds the constraint that the clause is short.
    pub(super) fn brief(self) -> Self {
        Self {
            is_brief: true,
            ..self
        }
    }

    /// Changes the constraints to those of a dependent clause, with the verb at the end.
    pub(super) fn dependent(self) -> Self {
        Self {
            is_dependent: true,
            is_brief: true,
            ..self
        }
    }
}
