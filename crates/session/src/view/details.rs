//! Intermediate results of a site's mechanism besides the effective weights. They are exported to
//! files with all numbers; the page requests smaller views instead.

use burn::tensor::{ExecutionError, Tensor, TensorData, Transaction};
use serde::Serialize;
use strata_models::{SiteName, SiteWeights};

use super::shares::mean_shares;
use super::site::shown_rows;

/// Matrices of all heads: a list of heads, each a list of rows.
pub type Heads = Vec<Vec<Vec<f32>>>;

/// Intermediate results of the mechanism of a site.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct SiteDetails {
    /// Name of the site.
    #[serde(skip)]
    pub site: SiteName,
    /// Meaning of the weights of one level, in words.
    pub levels_are: &'static str,
    /// Share of each level in the result, for each head or once for all heads; the mean over the
    /// rows where shares are computed for each row. Empty if the mechanism learns no shares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Vec<f32>>,
    /// Matrices A_i of each level of a hierarchy, by which the level attends to the results of the
    /// level below (Ham-S) or to the keys (Ham-V).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Heads>,
    /// Effective weights of the result: the sum of the levels, weighted by their shares.
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
    /// Weight with which each row reached each node that was opened; 0 for the other nodes.
    pub opened: Heads,
    /// Share of each node in the result; 0 for an opened node.
    pub shares: Heads,
    /// Share of each node of the level below that belongs to each node, for each head or once for
    /// all: 1 or 0, or the mass of ACT. Empty for leaves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Heads,
}

/// Reads details of some sites; sites of the decoder are cut to their first `rows` tokens.
///
/// # Errors
/// If the device fails.
pub(crate) async fn of_sites(
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

/// Returns all tensors that are read of a site, in the order in which [`read`] takes them.
fn tensors(site: &SiteWeights, rows: usize) -> Vec<Tensor<4>> {
    let weights = &site.weights;
    let shown = |tensor: Tensor<4>| shown_rows(site, tensor, rows);
    let mut all: Vec<Tensor<4>> = weights.own().into_iter().map(shown).collect();
    if let Some(shares) = mean_shares(site, rows) {
        all.extend([shares, shown(weights.last())]);
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
        // Absent nodes come after all others.
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

/// Cuts every row to its first `columns` columns.
fn cut(mut heads: Heads, columns: usize) -> Heads {
    for row in heads.iter_mut().flatten() {
        row.truncate(columns);
    }
    heads
}

/// Splits the numbers of a tensor `[1, H, T, S]` into heads and rows.
fn heads([_, _, rows, columns]: [usize; 4], data: &TensorData) -> Heads {
    let numbers: Vec<f32> = data.iter::<f32>().collect();
    let head = |head: &[f32]| head.chunks(columns.max(1)).map(<[f32]>::to_vec).collect();
    numbers.chunks((rows * columns).max(1)).map(head).collect()
}
