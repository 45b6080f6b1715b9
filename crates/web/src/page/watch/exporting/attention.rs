//! Attention weights as JSON: attention files (`docs/attention-files.md`), which the page and
//! `strata attention` open.

use crate::page::watch::view::{Matrix, tokens};
use serde_json::{Value, json};
use strata_session::attention_file::{FORMAT, VERSION};
use strata_session::protocol::{SiteView, View, ViewData, ViewUpdate};

/// Writes a matrix as an attention file with one site.
pub fn matrix_json(matrix: &Matrix) -> String {
    let site = json!({
        "site": matrix.site,
        "rows": matrix.rows,
        "columns": matrix.columns,
        "heads": [rows(&matrix.weights, matrix.columns.len())],
    });
    let value = json!({
        "format": FORMAT,
        "version": VERSION,
        "sentences": [{ "sites": [site] }],
    });
    value.to_string()
}

/// Writes the last view as JSON: weights of attention as an attention file, the contents of other
/// views as they are.
pub fn view_json(update: &ViewUpdate) -> String {
    let value = match &update.data {
        ViewData::Sites(sites) => attention_file(update, sites),
        other => json!({
            "step": update.step,
            "example": update.request.example,
            "source": update.source,
            "target": update.target,
            "seen": other,
        }),
    };
    value.to_string()
}

fn attention_file(update: &ViewUpdate, sites: &[SiteView]) -> Value {
    let head = match &update.request.view {
        View::Site { head, .. } => json!(head),
        _ => Value::Null,
    };
    let site = |site: &SiteView| {
        let (queries, keys) = tokens(&update.source, &update.target, site.site);
        let of_level = site
            .weights
            .chunks((site.heads * site.rows * site.columns).max(1));
        let levels: Vec<_> = of_level
            .zip(&site.level_numbers)
            .map(|(weights, level)| {
                let heads = weights.chunks((site.rows * site.columns).max(1));
                let heads: Vec<_> = heads.map(|it| rows(it, site.columns)).collect();
                json!({ "level": level, "heads": heads })
            })
            .collect();
        json!({
            "site": site.site,
            // The head whose weights these are, from 0; null for all heads, or their mean.
            "head": head,
            "of_levels": site.levels,
            "rows": grouped(&queries, site.rows),
            "columns": grouped(&keys, site.columns),
            "levels": levels,
            "positions": rows(&site.positions, site.rows),
        })
    };
    json!({
        "format": FORMAT,
        "version": VERSION,
        "step": update.step,
        "example": update.request.example,
        "sentences": [{
            "source": update.source,
            "target": update.target,
            "sites": sites.iter().map(site).collect::<Vec<_>>(),
        }],
    })
}

/// Returns the rows of a matrix of this width.
fn rows(matrix: &[f32], width: usize) -> Vec<&[f32]> {
    matrix.chunks(width.max(1)).collect()
}

/// Returns a name for each of `count` rows or columns. A thumbnail has fewer rows than there are
/// tokens: each row stands for a block of tokens, as `strata_session` joins places to blocks.
fn grouped(tokens: &[String], count: usize) -> Vec<String> {
    let blocks = count.min(tokens.len());
    let name = |at: usize| {
        let of_block = (0..tokens.len()).filter(|place| place * blocks / tokens.len() == at);
        let words: Vec<&str> = of_block.map(|place| &*tokens[place]).collect();
        if words.is_empty() {
            format!("#{}", at + 1)
        } else {
            words.join(" ")
        }
    };
    (0..count).map(name).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_models::{Site, SiteName};
    use strata_session::attention_file;

    #[test]
    fn weights_are_ordered_by_level_head_row_and_column() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let update = ViewUpdate {
            step: 7,
            source: words("a b c"),
            target: words("x </s>"),
            data: ViewData::Sites(vec![SiteView {
                site: SiteName::in_layer(0, Site::Cross),
                heads: 2,
                levels: 9,
                level_numbers: vec![1, 9],
                rows: 2,
                columns: 3,
                weights: (0..24u8).map(f32::from).collect(),
                positions: Vec::new(),
            }]),
            ..ViewUpdate::default()
        };
        let written = view_json(&update);
        let read = attention_file::read(written.as_bytes()).unwrap();
        let site = &read[0].sites[0];
        assert_eq!((read[0].source.len(), &*site.name), (3, "decoder.0.cross"));
        assert_eq!((&site.levels[..], site.heads), (&[1, 9][..], 2));
        assert_eq!(
            (&site.rows, &site.columns),
            (&words("x </s>"), &words("a b c"))
        );
        assert_eq!(site.matrix(1, Some(0))[5], 17.0);
        let value: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(value["step"], 7);
    }

    #[test]
    fn a_matrix_is_a_file_with_one_head() {
        let matrix = Matrix {
            site: SiteName::in_layer(1, Site::EncoderSelf),
            rows: vec!["a".to_owned(), "b".to_owned()],
            columns: vec!["a".to_owned(), "b".to_owned()],
            weights: vec![0.25, 0.75, 0.5, 0.5],
            positions: Vec::new(),
        };
        let read = attention_file::read(matrix_json(&matrix).as_bytes()).unwrap();
        let site = &read[0].sites[0];
        assert_eq!(
            (&*site.name, &site.weights),
            ("encoder.1.self", &matrix.weights)
        );
    }

    #[test]
    fn rows_of_a_thumbnail_are_named_by_their_tokens() {
        let tokens: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        assert_eq!(grouped(&tokens, 5), tokens);
        assert_eq!(grouped(&tokens, 2), ["a b c", "d e"]);
        assert_eq!(grouped(&tokens[..1], 2), ["a", "#2"]);
        assert!(grouped(&[], 0).is_empty());
    }
}
