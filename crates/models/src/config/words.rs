//! Names and help texts of settings that several architectures share.

use strata_describe::Words;

pub(super) const CELL: Words = Words::new(
    "cell",
    "Cell",
    "How a recurrent layer makes its next state.",
    "hₜ = cell(xₜ, hₜ₋₁)",
    "Elman 1990; Cho et al. 2014",
);

pub(super) const EMBEDDING: Words = Words::new(
    "embedding",
    "Embedding width",
    "Numbers that stand for a token.",
    "E",
    "Bengio et al. 2003",
);

pub(super) const WIDTH: Words = Words::new(
    "width",
    "Width",
    "Of every layer.",
    "D",
    "Vaswani et al. 2017, 3.1",
);

pub(super) const HEADS: Words = Words::new(
    "heads",
    "Heads",
    "Of every attention; they share the width, which they must divide.",
    "H",
    "Vaswani et al. 2017, 3.2.2",
);

/// Name and help text of the number of layers, with the paper `source`.
pub(super) const fn layers(source: &'static str) -> Words {
    let help = "One upon the other; of an encoder, and of a decoder.";
    Words::new("layers", "Layers", help, "", source)
}

pub(super) const LOOPS: Words = Words::new(
    "loops",
    "Loops",
    "How often the layers are passed through with the same parameters; of an encoder, and of a decoder.",
    "R",
    "Dehghani et al. 2019, 2.1",
);

pub(super) const FEED_FORWARD: Words = Words::new(
    "feed_forward",
    "Feed-forward width",
    "Width inside the feed-forward blocks.",
    "W₂ max(0, W₁ x + b₁) + b₂",
    "Vaswani et al. 2017, 3.3",
);

pub(super) const DROPOUT: Words = Words::new(
    "dropout",
    "Dropout",
    "Share of features that are dropped in training.",
    "p",
    "Srivastava et al. 2014",
);

pub(super) const NORM_FIRST: Words = Words::new(
    "norm_first",
    "Normalise before each block",
    "Instead of after it.",
    "x + f(LayerNorm(x))",
    "Xiong et al. 2020",
);

pub(super) const TIED: Words = Words::new(
    "tied",
    "Output matrix is the embedding",
    "The output matrix is the (target's) embedding, transposed.",
    "W = Eᵀ",
    "Press and Wolf 2017",
);

pub(super) const POSITIONS: Words = Words::new(
    "positions",
    "Positions",
    "How the model is told where a token stands.",
    "",
    "Vaswani et al. 2017, 3.5",
);

pub(super) const LONGEST: Words = Words::new(
    "longest",
    "Longest text",
    "Positions that are learned, on each side; no text may be longer.",
    "",
    "Gehring et al. 2017, 3.1",
);

pub(super) const INITIAL_BOUND: Words = Words::new(
    "initial_bound",
    "Initial bound",
    "All initial parameters lie within this; 0: each layer's own rule.",
    "|θ| ≤ a",
    "Sutskever et al. 2014, 3.4; Zaremba et al. 2014, 4.1",
);

pub(super) const TRAIN_EMBEDDINGS: Words = Words::new(
    "train_embeddings",
    "Train the word embeddings",
    "Those read from a file of vectors, or others.",
    "",
    "Seo et al. 2017, 2.2",
);
