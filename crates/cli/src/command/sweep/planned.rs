//! A run of a sweep.

/// A planned run.
pub struct Planned {
    /// Name of the run's folder, such as `width=32-seed=1`.
    pub name: String,
    /// Arguments of `strata` for the run.
    pub arguments: Vec<String>,
}
