//! A trial: a mechanism with its settings, and the shapes, padding and numbers of its inputs.

use burn::tensor::{Device, Tensor};
use proptest::collection::vec;
use proptest::prelude::*;
use strata_attention::{
    AttentionInput, Mask, Mechanism, MechanismConfig, MultiHeadAttention, MultiHeadConfig,
    ParamInit, Site, Widths,
};

use crate::mechanisms::{Facts, combined, facts, mechanisms, with_levels};
use crate::parameters::{random, randomise};

/// Settings, shapes and seed of a trial.
#[derive(Clone, Debug)]
pub struct Case {
    pub site: Site,
    pub config: MechanismConfig,
    /// Number of heads, H.
    pub heads: usize,
    /// Width of a head.
    pub width: usize,
    /// Number of queries, T; in self-attention the number of keys.
    pub queries: usize,
    /// Number of keys, S.
    pub keys: usize,
    /// Number of real keys of each item; padding follows the real keys.
    pub lengths: Vec<usize>,
    /// Seed of parameters and inputs.
    pub seed: u64,
}

/// Draws a trial of any mechanism at one of these sites.
pub fn cases(sites: &[Site]) -> impl Strategy<Value = Case> + use<> {
    // Lengths are cut to S: many items have no padding, and some have no real key.
    let lengths = vec(0..=12usize, 1..=3);
    let shape = (1..=3usize, 1..=6usize, 1..=9usize, 1..=9usize, lengths);
    let seed = (0..1u64 << 32).no_shrink();
    (mechanisms(sites), shape, seed).prop_map(|((site, config), shape, seed)| {
        let (heads, width, queries, keys, lengths) = shape;
        Case {
            site,
            config: combined(config, seed),
            heads,
            width,
            queries: if site.is_self() { keys } else { queries },
            keys,
            lengths: lengths.into_iter().map(|length| length.min(keys)).collect(),
            seed,
        }
    })
}

/// Draws trials of mechanisms with levels; the number of levels is drawn from `levels`.
pub fn cases_of_levels(
    sites: &[Site],
    levels: impl Strategy<Value = usize>,
) -> impl Strategy<Value = Case> {
    (cases(sites), levels)
        .prop_filter_map("the mechanism has not so many levels", |(case, levels)| {
            case.with_levels(levels)
        })
}

impl Case {
    /// Batch size, B.
    pub fn batch(&self) -> usize {
        self.lengths.len()
    }

    pub fn facts(&self) -> Facts {
        facts(&self.config)
    }

    /// Returns this case with another number of levels; `None` if its mechanism does not support
    /// that.
    pub fn with_levels(&self, levels: usize) -> Option<Self> {
        let config = with_levels(self.config, levels)?;
        config.check(self.site, Widths::all(self.width)).ok()?;
        Some(Self {
            config,
            ..self.clone()
        })
    }

    /// True if query `t` of item `b` may see key `s`.
    pub fn sees(&self, b: usize, t: usize, s: usize) -> bool {
        s < self.lengths[b] && (self.site != Site::DecoderSelf || s <= t)
    }

    /// For each key of each item, `[B, S]`: true if the key is padding.
    pub fn padding(&self) -> Vec<bool> {
        let of = |&length: &usize| (0..self.keys).map(move |s| s >= length);
        self.lengths.iter().flat_map(of).collect()
    }

    pub fn mask(&self, device: &Device) -> Mask {
        let padding = self.padding();
        match self.site {
            Site::DecoderSelf => Mask::causal_padding(&padding, self.queries, self.keys, device),
            _ => Mask::padding(&padding, self.keys, device),
        }
    }

    /// Random queries, keys and values. Values differ from keys, as inside heads.
    pub fn input(&self, device: &Device) -> AttentionInput {
        AttentionInput {
            query: self.numbers(self.queries, 1, device),
            keys: self.numbers(self.keys, 2, device),
            values: self.numbers(self.keys, 3, device),
            mask: self.mask(device),
        }
    }

    /// Random numbers `[B, H, rows, D]`. Different salts give different numbers.
    pub fn numbers(&self, rows: usize, salt: u64, device: &Device) -> Tensor<4> {
        let shape = [self.batch(), self.heads, rows, self.width];
        random(shape, self.seed + salt, device)
    }

    pub fn mechanism(&self, device: &Device) -> Mechanism {
        let widths = Widths::all(self.width);
        let init = &mut ParamInit::new(0, device);
        let built = self.config.init(self.site, widths, self.heads, init);
        randomise(built.unwrap(), self.seed + 100)
    }

    /// Builds the mechanism inside heads, for inputs `[B, ·, H·D]`.
    pub fn layer(&self, device: &Device) -> MultiHeadAttention {
        let config = MultiHeadConfig::new(self.heads * self.width, self.heads, self.config);
        let built = config.init(self.site, &mut ParamInit::new(0, device));
        randomise(built.unwrap(), self.seed + 100)
    }

    /// Random numbers `[B, rows, H·D]`.
    pub fn positions(&self, rows: usize, salt: u64, device: &Device) -> Tensor<3> {
        let shape = [self.batch(), rows, self.heads * self.width];
        random(shape, self.seed + salt, device)
    }
}
