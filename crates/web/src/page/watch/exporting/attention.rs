//! Attention weights as JSON.

use crate::page::watch::view::{Matrix, tokens};
use serde_json::{Value, json};
use strata_session::protocol::{SiteView, View, ViewData, ViewUpdate};

/// Writes a matrix with its tokens as JSON.
pub fn matrix_json(matrix: &Matrix) -> String {
    let rows = matrix.weights.chunks(matrix.columns.len().max(1));
    let weights: Vec<&[f32]> = rows.collect();
    let value = json!({
        "site": matrix.site,
        "rows": matrix.rows,
        "columns": matrix.columns,
        "weights": weights,
    });
    value.to_string()
}

/// Writes the last view as JSON: for a view of attention all its weights,
/// `[levels][heads][rows][columns]`, for other views their contents.
pub fn view_json(update: &ViewUpdate) -> String {
    let head = match &update.request.view {
        View::Site { head, .. } => json!(head),
        _ => Value::Null,
    };
    let site = |site: &SiteView| {
        let (rows, columns) = tokens(&update.source, &update.target, site.site);
        let rows_of = |matrix: &[f32]| -> Vec<Vec<f32>> {
            let rows = matrix.chunks(site.columns.max(1));
            rows.map(<[f32]>::to_vec).collect()
        };
        let matrices = site.weights.chunks((site.rows * site.columns).max(1));
        let matrices: Vec<_> = matrices.map(rows_of).collect();
        let levels: Vec<_> = matrices.chunks(site.heads.max(1)).collect();
        json!({
            "site": site.site,
            "heads": site.heads,
            "head": head,
            "levels": site.levels,
            "level_numbers": site.level_numbers,
            "rows": rows,
            "columns": columns,
            "weights": levels,
            "positions": site.positions.chunks(site.rows.max(1)).collect::<Vec<_>>(),
        })
    };
    let data = match &update.data {
        ViewData::Sites(sites) => sites.iter().map(site).collect(),
        other => serde_json::to_value(other).unwrap_or_default(),
    };
    let value = json!({
        "step": update.step,
        "example": update.request.example,
        "source": update.source,
        "target": update.target,
        "seen": data,
    });
    value.to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_models::{Site, SiteName};

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
        let value: Value = serde_json::from_str(&view_json(&update)).unwrap();
        let site = &value["seen"][0];
        assert_eq!(site["weights"][1][0][1][2], 17.0);
        assert_eq!(site["rows"], json!(["x", "</s>"]));
        assert_eq!(value["step"], 7);
    }
}
