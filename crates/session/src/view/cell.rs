//! Computation of one attention weight: query and key, terms of the score, softmax, value; for a
//! higher level the paths that add up to the weight; for a mix its parts.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{ScoreKind, Site, SiteInputs, SiteName, SiteWeights};

use super::site::{level, shape};
use crate::protocol::{CellView, ScoreView};

/// Computation of a weight, still on the device.
pub(crate) struct Cell {
    view: CellView,
    /// Rows `[1, 1, 1, S]` of weights, at the level of the weight and at the first level.
    rows: [Tensor<4>; 2],
    score: Option<ScoreTensors>,
    /// Two factors of the weight on each path, `[1, 1, 1, M]` each.
    ways: Option<[Tensor<4>; 2]>,
    /// Shares, `[1, 1, 1, N]`, and the weight of each level, `[1, 1, 1, 1]`.
    mix: Option<(Tensor<4>, Vec<Tensor<4>>)>,
}

struct ScoreTensors {
    kind: ScoreKind,
    scale: f64,
    /// Query part and key part, `[1, 1, 1, A]` each; terms, `[1, 1, S, A]`; values,
    /// `[1, 1, S, D_v]`.
    parts: [Tensor<4>; 4],
    /// Bias of each key by ALiBi, `[1, 1, 1, S]`.
    bias: Option<Tensor<4>>,
}

/// Indices of a weight; indices beyond the site's size are reduced to the last.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub head: usize,
    pub level: Option<usize>,
    pub row: usize,
    pub column: usize,
}

impl Cell {
    /// Selects a weight of a site; if the site is in the decoder, it has `rows` rows.
    pub fn of(site: &SiteWeights, inputs: Option<SiteInputs>, place: Place, rows: usize) -> Self {
        let [heads, rows, columns] = shape(site, rows);
        let levels = site.weights.levels();
        let last = |count: usize| count.saturating_sub(1);
        let (head, row) = (place.head.min(last(heads)), place.row.min(last(rows)));
        let column = place.column.min(last(columns));
        let number = place.level.unwrap_or(levels).clamp(1, levels);
        let pick = |of: Tensor<4>| of.narrow(1, head, 1).narrow(2, row, 1);
        let at = |number: usize| pick(level(site, number, rows)).narrow(3, 0, columns);
        let is_pyramid = site.weights.descent().is_some();
        // The mix of the levels is the mechanism's result; a single level is not.
        let mix = site.weights.mix().map(|shares| {
            // A dimension of 1 serves all heads or rows.
            let [_, heads, rows, _] = shares.dims();
            let own = shares.clone().narrow(1, head.min(last(heads)), 1);
            let own = own.narrow(2, row.min(last(rows)), 1);
            let cells = (1..=levels).map(|it| at(it).narrow(3, column, 1));
            (own, cells.collect())
        });
        let ways = site.weights.ways(number).map(|[first, then]| {
            let then = then.narrow(1, head, 1).narrow(3, column, 1);
            [pick(first), then.swap_dims(2, 3)]
        });
        let over_rows = ways.is_some() && site.weights.leads_over_rows();
        let score = inputs.filter(|_| !is_pyramid).map(|inputs| {
            let own = |of: Tensor<4>| of.narrow(1, head, 1);
            let keys = own(inputs.keys).narrow(2, 0, columns);
            let terms = inputs.score.terms(pick(inputs.queries), keys);
            let key = terms.keys.narrow(2, column, 1);
            let values = own(inputs.values).narrow(2, 0, columns);
            let bias = inputs.bias.map(|bias| pick(bias).narrow(3, 0, columns));
            ScoreTensors {
                bias,
                kind: inputs.score.kind(),
                scale: terms.scale,
                parts: [terms.query, key, terms.terms, values],
            }
        });
        Self {
            rows: [at(number), at(1)],
            score,
            ways,
            mix,
            view: CellView {
                site: site.site,
                head,
                level: number,
                row,
                column,
                over_rows,
                weights: Vec::new(),
                first_weights: Vec::new(),
                score: None,
                ways: Vec::new(),
                mix: Vec::new(),
            },
        }
    }

    pub fn register(&self, transaction: Transaction) -> Transaction {
        let scores = self.score.iter();
        let parts = scores.flat_map(|score| score.parts.iter().chain(&score.bias));
        let ways = self.ways.iter().flatten();
        let mix = self.mix.iter();
        let mix = mix.flat_map(|(shares, weights)| std::iter::once(shares).chain(weights));
        let all = self.rows.iter().chain(parts).chain(ways).chain(mix);
        all.fold(transaction, |all, it| all.register(it.clone()))
    }

    /// Builds the view from the numbers read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> CellView {
        let mut numbers = || -> Vec<f32> {
            let data = data.next();
            data.map_or_else(Vec::new, |data| data.iter::<f32>().collect())
        };
        let mut view = self.view;
        view.weights = numbers();
        view.first_weights = numbers();
        if let Some(score) = self.score {
            let parts = [numbers(), numbers(), numbers(), numbers()];
            let bias = score.bias.map(|_| numbers()).unwrap_or_default();
            let (kind, scale) = (score.kind, score.scale as f32);
            view.score = Some(score_view(&view, kind, scale, parts, &bias));
        }
        if self.ways.is_some() {
            let (first, then) = (numbers(), numbers());
            view.ways = first.into_iter().zip(then).map(|(a, b)| [a, b]).collect();
        }
        if let Some((_, weights)) = self.mix {
            let shares = numbers();
            let weights: Vec<f32> = weights.iter().flat_map(|_| numbers()).collect();
            view.mix = shares
                .into_iter()
                .zip(weights)
                .map(|it| it.into())
                .collect();
        }
        view
    }
}

/// Computes the scores of the cell's row; `bias` is that of ALiBi for each key, or empty.
fn score_view(
    cell: &CellView,
    kind: ScoreKind,
    scale: f32,
    [query, key, terms, values]: [Vec<f32>; 4],
    bias: &[f32],
) -> ScoreView {
    let (width, depth) = (query.len(), values.len() / cell.weights.len().max(1));
    let of_key = |number: usize| &terms[number * width..(number + 1) * width];
    let hides = |column: usize| hides(cell.site, cell.row, column);
    let bias = |column: usize| bias.get(column).copied().unwrap_or(0.0);
    let score = |column: usize| {
        (!hides(column)).then(|| scale * of_key(column).iter().sum::<f32>() + bias(column))
    };
    let scores: Vec<Option<f32>> = (0..cell.weights.len()).map(score).collect();
    let mut context = vec![0.0; depth];
    for (weight, value) in cell.weights.iter().zip(values.chunks(depth.max(1))) {
        for (sum, number) in context.iter_mut().zip(value) {
            *sum += weight * number;
        }
    }
    ScoreView {
        kind,
        scale,
        bias: bias(cell.column),
        softmax: softmax(&scores),
        scores,
        terms: of_key(cell.column).to_vec(),
        query,
        key,
        value: values[cell.column * depth..(cell.column + 1) * depth].to_vec(),
        context,
    }
}

/// True if the mask hides a key from a query. A single example has no padding to hide.
fn hides(site: SiteName, row: usize, column: usize) -> bool {
    site.place == Site::DecoderSelf && column > row
}

fn softmax(scores: &[Option<f32>]) -> Vec<f32> {
    let most = scores.iter().flatten().copied().fold(f32::MIN, f32::max);
    let raised = scores
        .iter()
        .map(|it| it.map_or(0.0, |score| (score - most).exp()));
    let raised: Vec<f32> = raised.collect();
    let sum: f32 = raised.iter().sum();
    raised
        .iter()
        .map(|it| it / sum.max(f32::MIN_POSITIVE))
        .collect()
}
