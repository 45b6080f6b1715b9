//! A run of a sweep.

/// A planned run.
pub struct Planned {
    /// Name of its folder, such as `width=32-seed=1`.
    pub name: String,
    /// Arguments of `strata`.
    pub arguments: Vec<String>,
}
