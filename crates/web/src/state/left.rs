//! Runs that were left: for another run on the page, or when the page ended.

/// State of a run when its page was left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Number of steps that the run had taken, stored or not.
    pub step: u64,
    /// Time when the page was left, in milliseconds since 1970.
    pub at: f64,
}

/// A run that has taken steps, and in whose place the page shows another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftRun {
    /// Id of the run.
    pub id: String,
    /// Title of the run.
    pub title: String,
    /// Number of steps taken.
    pub step: u64,
}

/// A run with which the page began, for instance after a reload.
#[derive(Clone, Debug, PartialEq)]
pub struct Resumed {
    /// Number of steps in the stored checkpoint.
    pub step: u64,
    /// Time when the checkpoint was stored, in milliseconds since 1970.
    pub kept_at: f64,
    /// State of the run when its page was left, if it is known.
    pub left: Option<Left>,
}
