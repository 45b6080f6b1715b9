//! Attention weights, computed only when they are shown.

mod level_weights;
mod statistics;

use burn::tensor::Tensor;

use crate::power::apply_power;
use crate::{Descent, SoftWeights};
pub use level_weights::LevelWeights;
pub use statistics::{
    HeadStatistics, Jump, Lengths, LevelStatistics, PendingStatistics, WeightMeasure, jump,
};

/// Attention weights of one pass, level by level: `[B, H, T, S]` each, over the source positions,
/// so that context = weights · values wherever the mechanism is linear in the values and has no
/// residual.
///
/// A `mix` holds the share of each level in the context, `[B or 1, H or 1, T or 1, N]`, and is
/// `None` if the context is the last level. A dimension of 1 stands for shares that serve all items,
/// heads or queries.
///
/// The products that make the effective weights of a level are computed on demand: a training step
/// that shows nothing pays nothing.
#[derive(Clone, Debug)]
pub enum AttentionWeights {
    /// One level: the weights themselves.
    Single(SoftWeights),
    /// Level i is `Aⁱ` (multilevel self-attention).
    Power {
        /// A, `[B, H, S, S]`.
        attention: SoftWeights,
        /// Number of levels, N.
        levels: usize,
        /// Share of each level.
        mix: Option<Tensor<4>>,
    },
    /// Level i is `first · stepⁱ⁻¹` (multilevel cross-attention by the chain `keys`).
    Chain {
        /// A_qk, `[B, H, T, S]`.
        first: SoftWeights,
        /// A_kk, `[B, H, S, S]`.
        step: SoftWeights,
        /// Number of levels, N.
        levels: usize,
        /// Share of each level.
        mix: Option<Tensor<4>>,
    },
    /// Level i is `stepⁱ⁻¹ · first` (multilevel cross-attention whose results are fed back).
    Feedback {
        /// A, `[B, H, T, S]`.
        first: Tensor<4>,
        /// A of the later levels, cut or padded to a square, `[B, H, T, T]`.
        step: Tensor<4>,
        /// Number of levels, N.
        levels: usize,
        /// Share of each level.
        mix: Option<Tensor<4>>,
    },
    /// Last row of [`Feedback`](Self::Feedback), for decoding, where rows are computed one by one.
    FeedbackRow {
        /// Row r of A, `[B, H, 1, S]`.
        first: Vec<Tensor<4>>,
        /// Row r of A of the later levels, `[B, H, 1, r + 1]` or wider.
        step: Vec<Tensor<4>>,
        /// Number of levels, N.
        levels: usize,
        /// Share of each level in the row.
        mix: Option<Tensor<4>>,
    },
    /// Level i is `own[i−1] ⋯ own[0]`, or `own[i−1]` alone (hierarchical attention, Ham).
    Hierarchy {
        /// Weights A_i of each level, `[B, H, T, S]` each.
        own: LevelWeights,
        /// Share of each level.
        mix: Option<Tensor<4>>,
        /// True if level i reads level i−1's output (Ham-S) or the keys themselves (Ham-V).
        chained: bool,
        /// True if each level adds what was found to the query (Ham-V with a residual): the context
        /// is then not weights · values, but the query and the results of all levels.
        residual: bool,
    },
    /// Level i is the last row of `own[i−1] ⋯ own[0]`, whose rows so far were computed one by one
    /// (self-attention while decoding).
    StepRows {
        /// Rows of A for each level: row r is `[B, H, 1, r + 1]`. Levels beyond the last one repeat
        /// it.
        own: Vec<Vec<Tensor<4>>>,
        /// Number of levels, N.
        levels: usize,
        /// Share of each level in the row.
        mix: Option<Tensor<4>>,
    },
    /// Level i is the state of the descent after i levels from the top: the weights of the reached
    /// nodes, given to the leaves below each.
    Descent {
        /// Path of the queries through the pyramid.
        descent: Descent,
        /// Number of keys S; further leaves are padding.
        keys: usize,
    },
}

impl AttentionWeights {
    /// Concatenates the weights of successive queries along T; `None` if `parts` is empty.
    ///
    /// # Panics
    /// If the parts are of different mechanisms.
    pub fn concat_queries(parts: Vec<Self>) -> Option<Self> {
        let first = parts.first()?.clone();
        let rows = |pick: &dyn Fn(&Self) -> Option<Tensor<4>>| {
            let rows: Option<Vec<_>> = parts.iter().map(pick).collect();
            Tensor::cat(rows.expect("all parts are of one mechanism"), 2)
        };
        Some(match first {
            Self::Chain {
                step, levels, mix, ..
            } => Self::Chain {
                first: SoftWeights::Known(rows(&|part| match part {
                    Self::Chain { first, .. } => Some(first.tensor()),
                    _ => None,
                })),
                step,
                levels,
                mix: mix.map(|_| rows(&|part| part.mix().cloned())),
            },
            Self::Hierarchy {
                own,
                mix,
                chained,
                residual,
            } => {
                let level = |level: usize| {
                    SoftWeights::Known(rows(&|part| match part {
                        Self::Hierarchy { own, .. } => {
                            own.all().get(level).map(SoftWeights::tensor)
                        }
                        _ => None,
                    }))
                };
                Self::Hierarchy {
                    own: (0..own.depth()).map(level).collect::<Vec<_>>().into(),
                    mix,
                    chained,
                    residual,
                }
            }
            Self::FeedbackRow { levels, mix, .. } => match parts.last()? {
                // The last part holds the rows of all earlier parts too.
                Self::FeedbackRow { first, step, .. } => Self::Feedback {
                    first: Tensor::cat(first.clone(), 2),
                    step: square(step),
                    levels,
                    mix: mix.map(|_| rows(&|part| part.mix().cloned())),
                },
                _ => unreachable!("all parts are of one mechanism"),
            },
            Self::Descent { keys, .. } => {
                let descent = |part: &'_ Self| match part {
                    Self::Descent { descent, .. } => Some(descent.clone()),
                    _ => None,
                };
                let descents: Option<Vec<Descent>> = parts.iter().map(descent).collect();
                let descents = descents.expect("all parts are of one mechanism");
                let descents: Vec<&Descent> = descents.iter().collect();
                Self::Descent {
                    descent: Descent::concat_queries(&descents),
                    keys,
                }
            }
            _ => Self::Single(SoftWeights::Known(rows(&|part| Some(part.last())))),
        })
    }

    /// Number of levels, N.
    pub fn levels(&self) -> usize {
        match self {
            Self::Single(_) => 1,
            Self::Power { levels, .. }
            | Self::Chain { levels, .. }
            | Self::Feedback { levels, .. }
            | Self::FeedbackRow { levels, .. }
            | Self::StepRows { levels, .. } => *levels,
            Self::Hierarchy { own, .. } => own.depth(),
            Self::Descent { descent, .. } => descent.levels(),
        }
    }

    /// Shape of the weights of a level, `[B, H, T, S]`. Computes no weights.
    pub fn dims(&self) -> [usize; 4] {
        match self {
            Self::Single(weights) => weights.dims(),
            Self::Power { attention, .. } => attention.dims(),
            Self::Chain { first, .. } => first.dims(),
            Self::Feedback { first, .. } => first.dims(),
            Self::FeedbackRow { first, .. } => last_dims(first),
            Self::Hierarchy { own, .. } => own.dims(),
            Self::StepRows { own, .. } => last_dims(&own[0]),
            Self::Descent { descent, keys } => {
                let [b, h, t] = descent.queries();
                [b, h, t, *keys]
            }
        }
    }

    /// Share of each level in the context, `[B or 1, H or 1, T or 1, N]`; `None` if the mechanism
    /// mixes no levels. Where shares are computed for each query, there is a row for each query.
    pub fn mix(&self) -> Option<&Tensor<4>> {
        match self {
            Self::Power { mix, .. }
            | Self::Chain { mix, .. }
            | Self::Feedback { mix, .. }
            | Self::FeedbackRow { mix, .. }
            | Self::Hierarchy { mix, .. }
            | Self::StepRows { mix, .. } => mix.as_ref(),
            Self::Single(_) | Self::Descent { .. } => None,
        }
    }

    /// Weights A_i of each level of a hierarchy, `[B, H, T, S]`. Empty for other mechanisms and for
    /// rows that were computed one by one.
    pub fn own(&self) -> Vec<Tensor<4>> {
        match self {
            Self::Hierarchy { own, .. } => own.all().iter().map(SoftWeights::tensor).collect(),
            _ => Vec::new(),
        }
    }

    /// Says in words what a [`level`](Self::level) is.
    pub fn levels_are(&self) -> &'static str {
        match self {
            Self::Single(_) => "one level: the weights of the result",
            Self::Power { .. } => {
                "level i is Aⁱ: the weights of the values after i multiplications"
            }
            Self::Chain { .. } => {
                "level i is A_qk A_kkⁱ⁻¹: from the query to a key, then i − 1 times from key to key"
            }
            Self::Feedback { .. } | Self::FeedbackRow { .. } => {
                "level i is (A R)ⁱ⁻¹ A: the rows of the level below are read as if they were keys"
            }
            Self::Hierarchy { chained: true, .. } | Self::StepRows { mix: Some(_), .. } => {
                "level i is the product A_i ⋯ A_1: the weights of level i over the values"
            }
            Self::Hierarchy { residual: true, .. } => {
                "level i is A_i, its own weights over the values; its result is added to the query,                  so that the context is the query and the results of all levels, not weights · values"
            }
            Self::Hierarchy { chained: false, .. } => {
                "level i is A_i, its own weights over the values"
            }
            Self::StepRows { mix: None, .. } => {
                "level i is a row of A_i ⋯ A_1: the weights of level i over the values"
            }
            Self::Descent { .. } => {
                "level i is where a row is after i levels of the descent, from the top: a node that is \
                 not opened is divided equally among its leaves"
            }
        }
    }

    /// Path of the queries through a pyramid; `None` for other mechanisms.
    pub fn descent(&self) -> Option<&Descent> {
        match self {
            Self::Descent { descent, .. } => Some(descent),
            _ => None,
        }
    }

    /// Weights of the context: the weights of the last level, or the mix of all levels (Ham,
    /// multilevel attention with a mix, pyramid). With a residual (Ham-V) the same sum of the
    /// levels' own weights, though the context also has the query and all levels below.
    pub fn last(&self) -> Tensor<4> {
        if let Some(mix) = self.mix() {
            return (1..=self.levels())
                .map(|level| self.level(level) * mix.clone().narrow(3, level - 1, 1))
                .reduce(|sum, term| sum + term)
                .expect("there is at least one level");
        }
        match self {
            Self::Descent { descent, keys } => descent.over_leaves().narrow(3, 0, *keys),
            _ => self.level(self.levels()),
        }
    }

    /// The two factors whose product is the weights of a level, counted from 1: `[B, H, T, M]` and
    /// `[B, H, M, S]`. So each weight of the level is a sum over paths through M. `None` for the
    /// first level and for mechanisms whose levels are no products.
    pub fn ways(&self, level: usize) -> Option<[Tensor<4>; 2]> {
        if level < 2 {
            return None;
        }
        let below = || self.level(level - 1);
        match self {
            Self::Power { attention, .. } => Some([below(), attention.tensor()]),
            Self::Chain { step, .. } => Some([below(), step.tensor()]),
            Self::Feedback { step, .. } => Some([step.clone(), below()]),
            Self::Hierarchy { own, chained, .. } if *chained => {
                Some([own.all()[level - 1].tensor(), below()])
            }
            _ => None,
        }
    }

    /// True if the paths of [`ways`](Self::ways) lead over the queries' positions, false if over
    /// the keys'.
    pub fn leads_over_rows(&self) -> bool {
        matches!(self, Self::Feedback { .. })
    }

    /// Effective weights of one level, counted from 1: `[B, H, T, S]`.
    ///
    /// # Panics
    /// If there is no such level.
    pub fn level(&self, level: usize) -> Tensor<4> {
        assert!(
            (1..=self.levels()).contains(&level),
            "level {level} of {}",
            self.levels()
        );
        match self {
            Self::Single(weights) => weights.tensor(),
            Self::Descent { descent, keys } => descent.after(level).narrow(3, 0, *keys),
            Self::Power { attention, .. } => {
                let attention = attention.tensor();
                apply_power(&attention, attention.clone(), level - 1, true)
            }
            Self::Chain { first, step, .. } => {
                apply_steps(first.tensor(), &step.tensor(), level - 1)
            }
            Self::Feedback { first, step, .. } => {
                apply_power(step, first.clone(), level - 1, false)
            }
            Self::FeedbackRow { first, step, .. } => {
                let first_rows = Tensor::cat(first.clone(), 2); // [B, H, rows, S]
                apply_power(&square(step), first_rows, level - 1, false).narrow(
                    2,
                    first.len() - 1,
                    1,
                )
            }
            Self::Hierarchy { own, chained, .. } if *chained => own.all()[..level]
                .iter()
                .map(SoftWeights::tensor)
                .reduce(|below, own| own.matmul(below))
                .expect("level is at least 1"),
            Self::Hierarchy { own, .. } => own.all()[level - 1].tensor(),
            Self::StepRows { own, .. } => {
                let own = |level: usize| &own[(level - 1).min(own.len() - 1)];
                let last = own(level).last().expect("a row was decoded").clone();
                (1..level)
                    .rev()
                    .fold(last, |row, below| row.matmul(square(own(below))))
            }
        }
    }
}

fn last_dims(rows: &[Tensor<4>]) -> [usize; 4] {
    rows.last().expect("a row was decoded").dims()
}

/// Computes `rows · stepⁿ` for the few rows of a decoding step or of a cross-attention.
fn apply_steps(rows: Tensor<4>, step: &Tensor<4>, n: usize) -> Tensor<4> {
    // Products of rows cost T·S² each; squaring the step costs S³, and pays for many levels.
    let transposed = step.clone().swap_dims(2, 3);
    apply_power(&transposed, rows.swap_dims(2, 3), n, false).swap_dims(2, 3)
}

/// Lower triangular matrix of these rows.
fn square(rows: &[Tensor<4>]) -> Tensor<4> {
    let size = rows.len();
    let rows = rows
        .iter()
        .map(|row| {
            let [b, h, _, known] = row.dims();
            if known == size {
                return row.clone();
            }
            let hidden = Tensor::zeros([b, h, 1, size - known], &row.device());
            Tensor::cat(vec![row.clone(), hidden], 3) // [B, H, 1, rows]
        })
        .collect();
    Tensor::cat(rows, 2)
}
