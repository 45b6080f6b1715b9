//! Runs that were left: by another run on the page, or with the page.

/// The step of a run when its page was left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Steps that it had taken, kept or not.
    pub step: u64,
    /// Time when the page was left, in milliseconds since 1970.
    pub at: f64,
}

/// A run that has taken steps, and that the page shows no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftRun {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Steps taken.
    pub step: u64,
}

/// A run with which the page began, as after a reload.
#[derive(Clone, Debug, PartialEq)]
pub struct Resumed {
    /// Steps that were kept.
    pub step: u64,
    /// Time when they were kept, in milliseconds since 1970.
    pub kept_at: f64,
    /// Step of the run when its page was left, if that is known.
    pub left: Option<Left>,
}
