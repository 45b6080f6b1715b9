//! The page of an attention file.

use maud::html;
use strata_session::attention_file::{SentenceAttention, SiteAttention};

use super::contents;
use crate::display::format::grouped;
use crate::display::report::{drawn_picture, page, table};
use crate::model::heat_map::{Maps, drawn};

/// Cells that a page has room for; so many are about 50 MB.
const CELLS: usize = 250_000;

/// Room for the maps of a page, in cells and labels.
pub struct Room(usize);

impl Room {
    /// Returns the room of an empty page.
    pub fn new() -> Self {
        Self(CELLS)
    }

    /// Takes the room of some matrices.
    ///
    /// # Errors
    /// If there is too little room.
    pub fn take(&mut self, matrices: usize, rows: usize, columns: usize) -> Result<(), String> {
        let cells = (rows + 1).saturating_mul(columns + 1);
        let left = self.0.checked_sub(cells.saturating_mul(matrices));
        self.0 = left.ok_or_else(|| {
            format!(
                "the page would have more than {} cells, too many to look through; choose fewer with \
                 `--sentence`, `--site`, `--level` or `--head`",
                grouped(CELLS as u64)
            )
        })?;
        Ok(())
    }
}

/// Returns the page: words, a table of the sites, and maps of each sentence (numbered from 1).
pub fn text(name: &str, sections: &[(usize, &SentenceAttention, Vec<Maps>)]) -> String {
    let head = contents::HEAD.map(str::to_owned);
    let body = html! {
        @for (number, sentence, maps) in sections {
            h2 { "Sentence " (number) }
            p { (contents::words(sentence)) }
            @let rows: Vec<Vec<(String, String)>> = sentence.sites.iter().map(cells).collect();
            (table(&head, &rows))
            (drawn_picture("Attention weights", &drawn(&contents::words(sentence), "", maps)))
        }
    };
    page(&format!("Attention of {name}"), &body)
}

/// Returns the cells of a site, without tooltips.
fn cells(site: &SiteAttention) -> Vec<(String, String)> {
    let row = contents::row(site).into_iter();
    row.map(|it| (it, String::new())).collect()
}
