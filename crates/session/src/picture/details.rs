//! Intermediate results of the mechanism of a site, beside the effective weights: for files, which
//! hold all numbers, not for the page, which asks for what it shows.

use burn::tensor::{ExecutionError, Tensor, TensorData, Transaction};
use serde::Serialize;
use strata_models::{SiteName, SiteWeights};

use super::site::shown_rows;

/// Numbers of each head, row by row.
pub type Heads = Vec<Vec<Vec<f32>>>;

/// Intermediate results of the mechanism of a site.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct SiteDetails {
    /// Name of the site.
    #[serde(skip)]
    pub site: SiteName,
    /// Meaning of the weights of a level, in words.
    pub levels_are: &'static str,
    /// Share of each level in the result: of all heads, or of each; empty where none are learned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Vec<f32>>,
    /// A_i of each level of a hierarchy, by which it attends to what the level below gave (Ham-S) or
    /// to the keys (Ham-V).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Heads>,
    /// Weights of the result: the levels, added up by their shares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mix: Heads,
    /// Levels of a pyramid, from the leaves to the top.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pyramid: Vec<PyramidLevel>,
}

/// Nodes of a level of a pyramid.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PyramidLevel {
    /// Number of nodes.
    pub nodes: usize,
    /// Weight with which each row reached each node from the top.
    pub reached: Heads,
    /// The same of the nodes that were opened, 0 of the others.
    pub opened: Heads,
    /// Share of each node in the result; that of an opened one is 0.
    pub shares: Heads,
    /// Share of each node of the level below that belongs to each node, of all heads or of each: 1 or
    /// 0, or the mass of ACT. Empty of leaves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Heads,
}

/// Details of some sites, of which those of the decoder are shown up to their first `rows` tokens.
///
/// # Errors
/// If the device fails.
pub(super) async fn of_sites(
    sites: &[SiteWeights],
    rows: usize,
) -> Result<Vec<SiteDetails>, ExecutionError> {
    let tensors: Vec<Tensor<4>> = sites.iter().flat_map(|it| tensors(it, rows)).collect();
    let shapes: Vec<[usize; 4]> = tensors.iter().map(Tensor::dims).collect();
    let data = match tensors.is_empty() {
        true => Vec::new(),
        false => {
            let transaction = tensors.into_iter();
            let transaction = transaction.fold(Transaction::default(), Transaction::register);
            transaction.execute_async().await?
        }
    };
    let mut found = shapes
        .into_iter()
        .zip(data)
        .map(|(shape, data)| heads(shape, &data));
    Ok(sites.iter().map(|it| read(it, &mut found)).collect())
}

/// All that is read of a site, in the order of [`read`].
fn tensors(site: &SiteWeights, rows: usize) -> Vec<Tensor<4>> {
    let weights = &site.weights;
    let shown = |tensor: Tensor<4>| shown_rows(site, tensor, rows);
    let mut all: Vec<Tensor<4>> = weights.own().into_iter().map(shown).collect();
    if let Some(mix) = weights.mix() {
        all.extend([mix.clone(), shown(weights.last())]);
    }
    if let Some(descent) = weights.descent() {
        for level in 0..descent.levels() {
            all.push(descent.present(level));
            let of_rows = [
                descent.reached(level),
                descent.opened(level),
                descent.shares(level),
            ];
            all.extend(of_rows.map(shown));
            all.extend((level > 0).then(|| descent.membership(level)));
        }
    }
    all
}

fn read(site: &SiteWeights, found: &mut impl Iterator<Item = Heads>) -> SiteDetails {
    let weights = &site.weights;
    let mut next = || found.next().unwrap_or_default();
    let own = weights.own().iter().map(|_| next()).collect();
    let (shares, mix) = match weights.mix() {
        Some(_) => (next().into_iter().flatten().collect(), next()),
        None => Default::default(),
    };
    let levels = weights.descent().map_or(0, |descent| descent.levels());
    let mut pyramid: Vec<PyramidLevel> = Vec::with_capacity(levels);
    for level in 0..levels {
        let present = next();
        // Absent nodes stand behind all others.
        let count = |row: &Vec<f32>| row.iter().filter(|&&it| it > 0.5).count();
        let nodes = present.iter().flatten().map(count).max().unwrap_or(0);
        let [reached, opened, shares] = [(); 3].map(|()| cut(next(), nodes));
        let below = pyramid.last().map_or(0, |below| below.nodes);
        let mut members = if level > 0 {
            cut(next(), below)
        } else {
            Vec::new()
        };
        members.iter_mut().for_each(|rows| rows.truncate(nodes));
        pyramid.push(PyramidLevel {
            nodes,
            reached,
            opened,
            shares,
            members,
        });
    }
    SiteDetails {
        site: site.site,
        levels_are: weights.levels_are(),
        shares,
        own,
        mix,
        pyramid,
    }
}

/// The first columns of every row.
fn cut(mut heads: Heads, columns: usize) -> Heads {
    for row in heads.iter_mut().flatten() {
        row.truncate(columns);
    }
    heads
}

/// Numbers of a tensor `[1, H, T, S]`.
fn heads([_, _, rows, columns]: [usize; 4], data: &TensorData) -> Heads {
    let numbers: Vec<f32> = data.iter::<f32>().collect();
    let head = |head: &[f32]| head.chunks(columns.max(1)).map(<[f32]>::to_vec).collect();
    numbers.chunks((rows * columns).max(1)).map(head).collect()
}
