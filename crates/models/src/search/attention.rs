//! Attention weights of the steps that wrote a hypothesis.

use burn::tensor::Tensor;

use super::{Hypothesis, SearchOutput, SearchResult};
use crate::{SiteName, SiteWeights};

/// Attention weights of one decoder site, over the steps that wrote a hypothesis.
#[derive(Clone, Debug)]
pub struct WrittenAttention {
    /// Name of the site.
    pub site: SiteName,
    /// Weights of each level, one row per token: `[1, H, T, S]`. In self-attention S is T, and
    /// later tokens have weight 0.
    pub levels: Vec<Tensor<4>>,
}

impl SearchOutput {
    /// Attention weights of every decoder site for each token of a hypothesis, EOS included if it
    /// was written. Empty unless the request asked for attention.
    pub fn attention(
        &self,
        found: &SearchResult,
        hypothesis: &Hypothesis,
    ) -> Vec<WrittenAttention> {
        let Some(first) = self.steps.first() else {
            return Vec::new();
        };
        let places = found.tree.iter().zip(&hypothesis.path);
        let rows: Vec<usize> = places.map(|(step, &at)| step[at].row).collect();
        let of_site = |(site, first): (usize, &SiteWeights)| WrittenAttention {
            site: first.site,
            levels: (1..=first.weights.levels())
                .map(|level| self.level(site, level, &rows))
                .collect(),
        };
        first.iter().enumerate().map(of_site).collect()
    }

    fn level(&self, site: usize, level: usize, rows: &[usize]) -> Tensor<4> {
        let of_step = |(step, &row): (&Vec<SiteWeights>, &usize)| {
            step[site].weights.level(level).narrow(0, row, 1) // [1, H, 1, S]
        };
        let rows: Vec<Tensor<4>> = self.steps.iter().zip(rows).map(of_step).collect();
        let widest = rows.iter().map(|row| row.dims()[3]).max().unwrap_or(0);
        let padded = rows.into_iter().map(|row| {
            let [b, h, t, s] = row.dims();
            if s == widest {
                return row;
            }
            let later = Tensor::zeros([b, h, t, widest - s], &row.device());
            Tensor::cat(vec![row, later], 3) // [1, H, 1, widest]
        });
        Tensor::cat(padded.collect(), 2) // [1, H, T, widest]
    }
}
