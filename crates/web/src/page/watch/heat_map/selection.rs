//! The selected cell of a heat-map, moved by pointer and keyboard.

use super::{HeatMapProperties, Scale};
use crate::page::watch::view::Matrix;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Row and column of a cell.
pub type Cell = (usize, usize);

/// The selected cell of a heat-map.
#[derive(Clone)]
pub struct Selection {
    matrix: Rc<Matrix>,
    scale: Scale,
    to_cell: Option<Callback<Cell>>,
    to_row: Option<Callback<usize>>,
    cursor: UseStateHandle<Option<Cell>>,
    /// The cell that a second press would open: a finger first selects a cell, then presses the
    /// cell.
    pressed: UseStateHandle<Option<Cell>>,
    /// Text for screen readers, which changes with the keyboard, not with each step of training.
    pub spoken: UseStateHandle<String>,
}

/// Returns the selected cell.
#[hook]
pub fn use_selection(properties: &HeatMapProperties) -> Selection {
    Selection {
        matrix: properties.matrix.clone(),
        scale: properties.scale,
        to_cell: properties.to_cell.clone(),
        to_row: properties.to_row.clone(),
        cursor: use_state_eq(|| None),
        pressed: use_state_eq(|| None),
        spoken: use_state_eq(String::new),
    }
}

impl Selection {
    /// Returns the selected cell; `None` if that lies outside of this matrix, which can be smaller
    /// than the last one.
    pub fn cell(&self) -> Option<Cell> {
        let (rows, columns) = (self.matrix.rows.len(), self.matrix.columns.len());
        self.cursor
            .filter(|(row, column)| *row < rows && *column < columns)
    }

    /// Returns the handler of a pointer that moves over the element `plot` or presses there.
    pub fn point(&self, plot: &NodeRef) -> Callback<PointerEvent> {
        let (selection, plot) = (self.clone(), plot.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(plot) = plot.cast::<Element>() {
                let here = selection.cell_at(&event, &plot);
                if event.type_() == "pointerdown" {
                    let is_again = *selection.cursor == Some(here);
                    selection.pressed.set(is_again.then_some(here));
                    selection.open_row(here);
                }
                selection.cursor.set(Some(here));
            }
        })
    }

    /// Returns the cell at a pointer.
    fn cell_at(&self, event: &PointerEvent, plot: &Element) -> Cell {
        let area = plot.get_bounding_client_rect();
        let place = |offset: f64, size: f64, count: usize| {
            ((offset / size * count as f64).max(0.0) as usize).min(count - 1)
        };
        let row = place(
            f64::from(event.client_y()) - area.top(),
            area.height(),
            self.matrix.rows.len(),
        );
        let column = place(
            f64::from(event.client_x()) - area.left(),
            area.width(),
            self.matrix.columns.len(),
        );
        (row, column)
    }

    /// Returns the handler of a click, which opens the pressed cell.
    pub fn press(&self) -> Callback<MouseEvent> {
        let (to_cell, pressed) = (self.to_cell.clone(), self.pressed.clone());
        Callback::from(move |_: MouseEvent| {
            if let (Some(to_cell), Some(here)) = (&to_cell, *pressed) {
                to_cell.emit(here);
            }
        })
    }

    /// Returns the handler of a pointer that leaves.
    pub fn leave(&self) -> Callback<PointerEvent> {
        let cursor = self.cursor.clone();
        Callback::from(move |event: PointerEvent| {
            // A lifted finger leaves its cell selected, so that the weight can be read.
            if event.pointer_type() != "touch" {
                cursor.set(None);
            }
        })
    }

    /// Returns the handler of keys: Space opens the selected cell, arrow keys select another.
    pub fn walk(&self) -> Callback<KeyboardEvent> {
        let selection = self.clone();
        Callback::from(move |event: KeyboardEvent| {
            let cell = selection.cell();
            if let (" ", Some(to_cell), Some(here)) =
                (event.key().as_str(), &selection.to_cell, cell)
            {
                event.prevent_default();
                to_cell.emit(here);
            }
            // Prevents scrolling by arrow keys even if the selected cell stays the same.
            if let Some(next) = step(&selection.matrix, cell, &event.key()) {
                event.prevent_default();
                selection.cursor.set(Some(next));
                selection.open_row(next);
                let spoken = selection.scale.in_words(&selection.matrix, next);
                selection.spoken.set(spoken);
            }
        })
    }

    /// Returns the handler of the keyboard's focus, which selects a cell.
    pub fn enter(&self) -> Callback<FocusEvent> {
        let selection = self.clone();
        Callback::from(move |_: FocusEvent| {
            let first = (0, selection.matrix.strongest(0));
            selection.cursor.set(selection.cell().or(Some(first)));
        })
    }

    fn open_row(&self, (row, _): Cell) {
        if let Some(to_row) = &self.to_row {
            to_row.emit(row);
        }
    }
}

/// Returns the cell to which a key leads; `None` for other keys.
fn step(matrix: &Matrix, cell: Option<Cell>, key: &str) -> Option<Cell> {
    let (row, column) = cell.unwrap_or_default();
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    match key {
        "ArrowUp" => Some((row.saturating_sub(1), column)),
        "ArrowDown" => Some(((row + 1).min(rows - 1), column)),
        "ArrowLeft" => Some((row, column.saturating_sub(1))),
        "ArrowRight" => Some((row, (column + 1).min(columns - 1))),
        "Home" => Some((row, 0)),
        "End" => Some((row, columns - 1)),
        "PageUp" => Some((0, column)),
        "PageDown" => Some((rows - 1, column)),
        "Enter" => Some((row, matrix.strongest(row))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};

    #[test]
    fn keys_stay_inside_the_matrix() {
        let words = |count: usize| vec![String::new(); count];
        let mut weights = vec![0.0; 6];
        weights[5] = 1.0;
        let matrix = Matrix {
            site: SiteName::in_layer(0, Site::Cross),
            rows: words(2),
            columns: words(3),
            weights,
            positions: Vec::new(),
        };
        assert_eq!(step(&matrix, Some((0, 0)), "ArrowUp"), Some((0, 0)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowDown"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowRight"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowLeft"), Some((1, 1)));
        assert_eq!(step(&matrix, Some((1, 0)), "Enter"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 1)), "PageUp"), Some((0, 1)));
        assert_eq!(step(&matrix, Some((0, 1)), "PageDown"), Some((1, 1)));
        assert_eq!(step(&matrix, None, "Tab"), None);
        assert_eq!(step(&matrix, Some((1, 1)), "Tab"), None);
    }
}
