//! Ablation: heads and levels of an attention layer are muted, to see how much they contribute
//! (Michel et al. 2019, *Are Sixteen Heads Really Better than One?*; Voita et al. 2019).

/// The parts of one attention that are muted: none by default. Nothing is computed for it then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Muted {
    /// True if its result is zeros, so that a residual sum is its input alone.
    pub site: bool,
    /// Heads whose context is zeros before W^O, counted from 0.
    pub heads: Vec<usize>,
    /// Levels, counted from 0. Of a learned mix: their share is 0, and those of the others are
    /// renormalised. Of values fed back: they are fed back once less for each.
    pub levels: Vec<usize>,
}
