//! Score functions: how well a query h and a key g fit, f(h, g).

mod additive;
mod bilinear;
mod dot;
mod trilinear;

use burn::module::Module;
use burn::tensor::{Int, Tensor};
use serde::{Deserialize, Serialize};
use strata_describe::{Words, options};

use crate::{ConfigError, ParamInit, Widths};
pub use additive::AdditiveScore;
pub use bilinear::BilinearScore;
pub use dot::DotScore;
pub use trilinear::TrilinearScore;

options! {
    /// Kinds of score functions.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ScoreKind {
        /// The dot product.
        #[title = "Dot product"]
        #[formula = "hᵀg"]
        #[source = "Luong et al. 2015, 3.1, “dot”"]
        Dot = "dot",
        /// The dot product, divided by the root of the width.
        #[title = "Scaled dot product"]
        #[help = "The dot product, divided by the root of the width. Where a paper says \"divided by the dimension\" beside a formula with the root, the formula is taken."]
        #[formula = "hᵀg / √D"]
        #[source = "Vaswani et al. 2017, 3.2.1"]
        ScaledDot = "scaled_dot",
        /// A dot product through a trained matrix.
        #[title = "Bilinear"]
        #[formula = "hᵀ W g"]
        #[source = "Luong et al. 2015, 3.1, “general”"]
        Bilinear = "bilinear",
        /// A small network of one hidden layer.
        #[title = "Additive"]
        #[formula = "vᵀ tanh(W₁ h + W₂ g + b)"]
        #[source = "Bahdanau et al. 2015, A.1.2"]
        Additive = "additive",
        /// A weighted sum of the features of both and of their products.
        #[title = "Trilinear"]
        #[formula = "w · [h; g; h ∘ g]"]
        #[source = "Seo et al. 2017, 2.4"]
        Trilinear = "trilinear",
    }
}

impl ScoreKind {
    /// All score functions, in the order in which a user meets them.
    pub const ALL: [ScoreKind; 5] = [
        Self::Dot,
        Self::ScaledDot,
        Self::Bilinear,
        Self::Additive,
        Self::Trilinear,
    ];

    /// Name and help text of the setting that chooses a score function.
    pub(crate) const WORDS: Words = Words::new(
        "score",
        "Score",
        "How well a query h and a key g fit.",
        "f(h, g)",
        "Luong et al. 2015, 3.1",
    );

    /// True if the score multiplies h and g directly, so that their widths must be equal.
    pub fn needs_equal_widths(self) -> bool {
        matches!(self, Self::Dot | Self::ScaledDot | Self::Trilinear)
    }

    /// Checks that the score function can multiply these widths.
    ///
    /// # Errors
    /// If the widths must be equal and are not.
    pub(crate) fn check(self, widths: Widths) -> Result<(), ConfigError> {
        if self.needs_equal_widths() && widths.query != widths.keys {
            return Err(ConfigError::new(format!(
                "{} needs queries and keys of one width, not {} and {}: choose the score `bilinear` or `additive`, or equal widths",
                match self {
                    Self::Trilinear => "the trilinear score",
                    _ => "the dot product",
                },
                widths.query,
                widths.keys
            )));
        }
        Ok(())
    }

    /// Number of the score function's parameters for these widths.
    pub fn parameters(self, widths: Widths) -> u64 {
        let (query, keys) = (widths.query as u64, widths.keys as u64);
        match self {
            Self::Dot | Self::ScaledDot => 0,
            Self::Bilinear => query * keys,
            // W_h, W_g, b and v; the hidden width is the query's.
            Self::Additive => query * (query + keys + 2),
            // w_h, w_g and w_m.
            Self::Trilinear => 2 * query + keys,
        }
    }

    /// Draws the score function's parameters for these widths. The hidden width of `additive` is
    /// the width of the query.
    pub fn init(self, widths: Widths, init: &mut ParamInit) -> Score {
        match self {
            Self::Dot => Score::Dot(DotScore { scaled: false }),
            Self::ScaledDot => Score::Dot(DotScore { scaled: true }),
            Self::Bilinear => Score::Bilinear(BilinearScore::init(widths, init)),
            Self::Additive => Score::Additive(AdditiveScore::init(widths, widths.query, init)),
            Self::Trilinear => Score::Trilinear(TrilinearScore::init(widths, init)),
        }
    }
}

/// Score function with its parameters, which have the head's width and serve all heads.
#[derive(Module, Debug)]
pub enum Score {
    /// Dot product hᵀg, or scaled, hᵀg / √D.
    Dot(DotScore),
    /// Bilinear score hᵀ W g.
    Bilinear(BilinearScore),
    /// Additive score vᵀ tanh(W_h h + W_g g + b).
    Additive(AdditiveScore),
    /// Trilinear score w_h·h + w_g·g + w_m·(h ∘ g).
    Trilinear(TrilinearScore),
}

/// Keys transformed by the score function once for all queries, `[B, H, S, ·]`.
#[derive(Clone, Debug)]
pub struct PreparedKeys(Tensor<4>);

impl PreparedKeys {
    /// Wraps numbers that [`Score::prepare`] made, in another shape.
    pub(crate) fn of(keys: Tensor<4>) -> Self {
        Self(keys)
    }

    pub(crate) fn tensor(&self) -> Tensor<4> {
        self.0.clone()
    }

    /// Selects items of the batch, `[rows]`.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        Self(self.0.clone().select(0, rows.clone()))
    }

    /// Concatenates these keys and the keys `later` along S.
    pub fn append(self, later: Self) -> Self {
        Self(Tensor::cat(vec![self.0, later.0], 2))
    }
}

/// Terms of a score function: f(h, g) = scale · Σ query ∘ key for products, scale · Σ terms for
/// every function.
#[derive(Clone, Debug)]
pub struct ScoreTerms {
    /// Part of each term that depends on the query: `[B, H, 1, A]`.
    pub query: Tensor<4>,
    /// Part of each term that depends on the key: `[B, H, S, A]`.
    pub keys: Tensor<4>,
    /// Terms of the score of each key: `[B, H, S, A]`.
    pub terms: Tensor<4>,
    /// Factor of the sum of the terms.
    pub scale: f64,
}

impl Score {
    /// Splits the scores of one query into the terms of their sums. A term that is the same for all
    /// keys is left out.
    ///
    /// # Shapes
    /// - query `[B, H, 1, D_h]`, keys `[B, H, S, D_g]`
    pub fn terms(&self, query: Tensor<4>, keys: Tensor<4>) -> ScoreTerms {
        let scale = match self {
            Self::Dot(score) => score.scale(query.dims()[3]),
            _ => 1.0,
        };
        if let Self::Additive(score) = self {
            let [query, keys] = score.hidden(query, keys);
            let terms = score.terms(query.clone(), keys.clone());
            return ScoreTerms {
                query,
                keys,
                terms,
                scale,
            };
        }
        let query = self.prepare_query(query);
        ScoreTerms {
            terms: query.clone() * keys.clone(),
            query,
            keys,
            scale,
        }
    }

    /// Kind of the score function.
    pub fn kind(&self) -> ScoreKind {
        match self {
            Self::Dot(score) if score.scaled => ScoreKind::ScaledDot,
            Self::Dot(_) => ScoreKind::Dot,
            Self::Bilinear(_) => ScoreKind::Bilinear,
            Self::Additive(_) => ScoreKind::Additive,
            Self::Trilinear(_) => ScoreKind::Trilinear,
        }
    }

    /// True if f(h, g + b) − f(h, g) is the same for all keys g.
    pub(crate) fn is_linear_in_key(&self) -> bool {
        !matches!(self, Self::Additive(_))
    }

    /// Applies the part of the score function that depends on the keys alone.
    ///
    /// # Shapes
    /// - keys `[B, H, S, D_g]`
    pub fn prepare(&self, keys: Tensor<4>) -> PreparedKeys {
        PreparedKeys(match self {
            Self::Additive(score) => score.prepare(keys),
            Self::Dot(_) | Self::Bilinear(_) | Self::Trilinear(_) => keys,
        })
    }

    /// Applies the part of the function that depends on the queries alone; the rest is the dot
    /// product with the prepared keys or, for the additive score, vᵀ tanh of the sum. A term that
    /// is the same for all keys, which cancels in every softmax, is left out.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`
    pub(crate) fn prepare_query(&self, query: Tensor<4>) -> Tensor<4> {
        match self {
            Self::Additive(score) => score.prepare_query(query),
            Self::Bilinear(score) => score.prepare_query(query),
            Self::Trilinear(score) => score.prepare_query(query),
            Self::Dot(_) => query,
        }
    }

    /// True if [`prepare`](Self::prepare) returns the keys unchanged.
    pub(crate) fn keeps_keys(&self) -> bool {
        !matches!(self, Self::Additive(_))
    }

    /// Computes scores as [`forward`](Self::forward), but without the term that is the same for all
    /// keys of a query. This term cancels in the softmax over the keys and gets no gradient.
    ///
    /// # Shapes
    /// - as in [`forward`](Self::forward)
    pub(crate) fn relative(&self, query: Tensor<4>, keys: &PreparedKeys) -> Tensor<4> {
        match self {
            Self::Trilinear(score) => score.relative(query, keys.0.clone()),
            Self::Dot(_) | Self::Bilinear(_) | Self::Additive(_) => self.forward(query, keys),
        }
    }

    /// Computes the score of every query and key.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`, keys `[B, H, S, ·]` → `[B, H, T, S]`
    pub fn forward(&self, query: Tensor<4>, keys: &PreparedKeys) -> Tensor<4> {
        let keys = keys.0.clone();
        match self {
            Self::Dot(score) => score.forward(query, keys),
            Self::Bilinear(score) => score.forward(query, keys),
            Self::Additive(score) => score.forward(query, keys),
            Self::Trilinear(score) => score.forward(query, keys),
        }
    }
}
