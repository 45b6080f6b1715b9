//! Drawn parts of an attention file: a matrix of a site, and the sources of a token.

use strata_models::{Site, SiteName};

use super::{AttentionFileError, SentenceAttention, SiteAttention};
use crate::protocol::{RolloutView, SiteView, notable_site};
use crate::view::rollout_stages;

/// Sources of a token by attention rollout, with the tokens that the shares belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenSources {
    /// The token.
    pub token: String,
    /// Shares above the model and after each site, from the output down.
    pub rollout: RolloutView,
    /// Tokens of the source, the columns of `source` in each stage.
    pub source: Vec<String>,
    /// Tokens that the decoder reads, the columns of `target` in each stage.
    pub read: Vec<String>,
}

impl SiteAttention {
    /// Returns the weights `[rows, columns]` at the level of this index, of one head (from 0) or the
    /// mean of all heads. An index that is too large stands for the last level or head.
    pub fn matrix(&self, level: usize, head: Option<usize>) -> Vec<f32> {
        let size = self.rows.len() * self.columns.len();
        let level = level.min(self.levels.len().saturating_sub(1));
        let last = self.heads.saturating_sub(1);
        let heads = match head {
            Some(head) => head.min(last)..=head.min(last),
            None => 0..=last,
        };
        let share = 1.0 / heads.clone().count() as f32;
        let mut matrix = vec![0.0; size];
        for head in heads {
            let start = (level * self.heads + head) * size;
            let weights = self.weights.get(start..start + size).unwrap_or_default();
            for (sum, weight) in matrix.iter_mut().zip(weights) {
                *sum += weight * share;
            }
        }
        matrix
    }

    /// Returns the place in a model that the name of the site stands for; `None` if the name is
    /// another one.
    pub fn place(&self) -> Option<SiteName> {
        self.name.parse().ok()
    }
}

impl SentenceAttention {
    /// Returns the index of the site to show if none is chosen: the one that [`notable_site`] finds
    /// among the sites with names of places, else the last. `None` without sites.
    pub fn notable(&self) -> Option<usize> {
        let placed = self.sites.iter().enumerate();
        let placed = placed.filter_map(|(at, it)| Some((at, it.place()?, it.levels.len())));
        let placed: Vec<_> = placed.collect();
        let found = notable_site(placed.iter().map(|&(_, place, levels)| (place, levels)));
        found
            .map(|at| placed[at].0)
            .or_else(|| self.sites.len().checked_sub(1))
    }

    /// Returns the tokens whose sources can be traced: the rows of the decoder, or of an encoder that
    /// is alone.
    ///
    /// # Errors
    /// As for [`sources`](Self::sources).
    pub fn traced(&self) -> Result<&[String], AttentionFileError> {
        let stack = self.stack()?;
        // The last site is the output's: of the decoder if there is one.
        Ok(stack.last().map_or(&[], |(_, site)| &site.rows[..]))
    }

    /// Traces a token of the output (`row`, from 0) through all layers by attention rollout (Abnar
    /// and Zuidema 2020), with the mean of all heads at the last level of each site.
    ///
    /// # Errors
    /// If the sites are no stack of layers, or the row does not exist.
    pub fn sources(&self, row: usize) -> Result<TokenSources, AttentionFileError> {
        let stack = self.stack()?;
        let tokens = self.traced()?;
        let token = tokens.get(row).cloned().ok_or_else(|| {
            wrong(format!(
                "there is no token {}; the output has {} of them",
                row + 1,
                tokens.len()
            ))
        })?;
        let columns = |wanted: &dyn Fn(Site) -> bool| {
            let mut found = stack.iter().filter(|(site, _)| wanted(site.place));
            found
                .next()
                .map_or(Vec::new(), |(_, it)| it.columns.clone())
        };
        let read = columns(&|it| it == Site::DecoderSelf);
        let source = columns(&|it| it != Site::DecoderSelf);
        let views: Vec<SiteView> = stack.into_iter().map(|(site, it)| view(site, it)).collect();
        Ok(TokenSources {
            token,
            rollout: RolloutView {
                row,
                stages: rollout_stages(row, &views),
            },
            source,
            read,
        })
    }

    /// Returns the sites of the layers in the order of a pass, after checks that they fit together.
    fn stack(&self) -> Result<Vec<(SiteName, &SiteAttention)>, AttentionFileError> {
        let placed = self.sites.iter().filter_map(|it| Some((it.place()?, it)));
        let in_layer =
            |site: &(SiteName, _)| site.0.layer.is_some() && !site.0.place.is_of_reader();
        let mut stack: Vec<_> = placed.filter(in_layer).collect();
        stack.sort_by_key(|(site, _)| *site);
        if stack.is_empty() {
            return Err(wrong(
                "no site is of a layer; name the sites `encoder.0.self`, `decoder.0.self`, \
                 `decoder.0.cross` and so on"
                    .to_owned(),
            ));
        }
        let length = |place| {
            let mut found = stack.iter().filter(|(site, _)| site.place == place);
            found.next().map(|(_, it)| it.columns.len())
        };
        let has_cross = length(Site::Cross).is_some();
        let (encoder, decoder) = (length(Site::EncoderSelf), length(Site::DecoderSelf));
        if decoder.is_none() && has_cross {
            return Err(wrong(
                "the decoder has cross-attention, but no site `decoder.0.self`; a recurrent decoder \
                 has no rollout, and the file of a Transformer must have these sites, too"
                    .to_owned(),
            ));
        }
        if decoder.is_some() && encoder.is_some() && !has_cross {
            return Err(wrong(
                "there is an encoder and a decoder, but no site `decoder.0.cross` between them; \
                 write that site, too"
                    .to_owned(),
            ));
        }
        let source = encoder.or(length(Site::Cross)).unwrap_or_default();
        for (site, it) in &stack {
            let sizes = match site.place {
                Site::EncoderSelf => [source; 2],
                Site::DecoderSelf => [decoder.unwrap_or_default(); 2],
                _ => [decoder.unwrap_or_default(), source],
            };
            let found = [it.rows.len(), it.columns.len()];
            if found != sizes {
                return Err(wrong(format!(
                    "site `{site}` has {} rows and {} columns, but the other sites call for {} and \
                     {}; all layers must have the same tokens",
                    found[0], found[1], sizes[0], sizes[1]
                )));
            }
        }
        Ok(stack)
    }
}

/// Returns the mean of all heads at the last level.
fn view(site: SiteName, of: &SiteAttention) -> SiteView {
    SiteView {
        site,
        heads: 1,
        levels: 1,
        level_numbers: vec![1],
        rows: of.rows.len(),
        columns: of.columns.len(),
        weights: of.matrix(usize::MAX, None),
        positions: Vec::new(),
    }
}

fn wrong(reason: String) -> AttentionFileError {
    AttentionFileError::Rollout { reason }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn site(name: &str, rows: &str, columns: &str, heads: &[&[f32]]) -> SiteAttention {
        let tokens = |text: &str| text.split(' ').map(str::to_owned).collect();
        SiteAttention {
            name: name.to_owned(),
            rows: tokens(rows),
            columns: tokens(columns),
            levels: vec![1],
            heads: heads.len(),
            weights: heads.concat(),
        }
    }

    fn sentence(sites: Vec<SiteAttention>) -> SentenceAttention {
        SentenceAttention {
            sites,
            ..SentenceAttention::default()
        }
    }

    /// A Transformer of one layer, in the reverse of the order in which it computes.
    fn transformer() -> SentenceAttention {
        sentence(vec![
            site("decoder.0.cross", "x y", "a b", &[&[0.0, 1.0, 0.5, 0.5]]),
            site("decoder.0.self", "x y", "<s> x", &[&[1.0, 0.0, 0.25, 0.75]]),
            site(
                "encoder.0.self",
                "a b",
                "a b",
                &[&[0.0, 1.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0]],
            ),
            site("probe", "a", "b c", &[&[1.0, 0.0]]),
        ])
    }

    #[test]
    fn a_matrix_is_of_one_head_or_the_mean() {
        let of = &transformer().sites[2];
        assert_eq!(of.matrix(0, None), [0.5, 0.5, 1.0, 0.0]);
        assert_eq!(of.matrix(usize::MAX, Some(1)), [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(of.matrix(0, Some(9)), of.matrix(0, Some(1)));
        assert_eq!(transformer().notable(), Some(0));
        assert_eq!(
            sentence(transformer().sites.split_off(3)).notable(),
            Some(0)
        );
        assert_eq!(sentence(Vec::new()).notable(), None);
    }

    /// The figures are those of `shares_go_down_as_the_product_of_the_layers_says`.
    #[test]
    fn a_token_is_traced_in_the_order_of_a_pass() {
        let file = transformer();
        assert_eq!(file.traced().unwrap(), ["x", "y"]);
        let found = file.sources(1).unwrap();
        assert_eq!(
            (&*found.token, &found.read[..]),
            ("y", &["<s>".to_owned(), "x".to_owned()][..])
        );
        let last = found.rollout.stages.last().unwrap();
        assert_eq!(last.target, [0.0625, 0.4375]);
        assert_eq!(last.source, [0.3125, 0.1875]);
        let refusal = file.sources(2).unwrap_err().to_string();
        assert!(refusal.contains("no token 3"), "{refusal}");
    }

    #[test]
    fn sites_that_are_no_stack_are_named() {
        let whole = transformer().sites;
        let refused = |places: &[usize]| {
            let sites = places.iter().map(|&at| whole[at].clone());
            sentence(sites.collect())
                .sources(0)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(&[3]).contains("no site is of a layer"));
        assert!(refused(&[0, 2]).contains("no site `decoder.0.self`"));
        assert!(refused(&[1, 2]).contains("no site `decoder.0.cross`"));
        let mut other = transformer();
        other.sites[0] = site("decoder.0.cross", "x y", "a", &[&[1.0, 1.0]]);
        let refusal = other.sources(0).unwrap_err().to_string();
        assert!(
            refusal.contains("`decoder.0.cross` has 2 rows and 1 columns"),
            "{refusal}"
        );
        // An encoder alone, and a decoder alone, are stacks.
        let encoder = sentence(vec![whole[2].clone()]);
        assert_eq!(encoder.sources(1).unwrap().source, ["a", "b"]);
        assert!(
            sentence(vec![whole[1].clone()])
                .sources(1)
                .unwrap()
                .source
                .is_empty()
        );
    }
}
