//! Colour scale of a heat-map: weights from 0 up, or differences on both sides of 0.

use crate::page::base::foreign::quoted;
use crate::page::watch::colours::{colour, difference_gradient, gradient, of_difference};
use crate::page::watch::view::Matrix;

/// Colour scale of a heat-map.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// Weights from 0 to 1.
    #[default]
    Weights,
    /// Weights from 0 to the largest in the map.
    Stretched,
    /// Weights from 0 to this number, the end of another picture's scale.
    To(f32),
    /// Differences of weights, above 0 where the first of the two is larger.
    Differences,
}

impl Scale {
    /// Returns the number at the end of the scale.
    pub fn top(self, matrix: &Matrix) -> f32 {
        let sizes = || matrix.weights.iter().map(|it| it.abs());
        match self {
            Self::Weights => 1.0,
            Self::Stretched => matrix.largest(),
            Self::To(top) => top,
            Self::Differences => sizes().fold(0.0, f32::max),
        }
    }

    /// Returns the function from a number, as a share of the scale, to its colour.
    pub fn colour(self) -> fn(f32) -> [u8; 3] {
        match self {
            Self::Weights | Self::Stretched | Self::To(_) => colour,
            Self::Differences => of_difference,
        }
    }

    /// Returns the colours of the scale as a CSS gradient to the right.
    pub fn gradient(self) -> String {
        match self {
            Self::Weights | Self::Stretched | Self::To(_) => gradient(),
            Self::Differences => difference_gradient(),
        }
    }

    /// Writes the numbers at both ends of the scale.
    pub fn ends(self, top: f32) -> [String; 2] {
        match self {
            Self::Weights => ["0".to_owned(), "1".to_owned()],
            Self::Stretched | Self::To(_) => ["0".to_owned(), format!("{top:.2}")],
            Self::Differences => [format!("−{top:.2}"), format!("{top:.2}")],
        }
    }

    /// Name of the numbers.
    pub fn title(self) -> &'static str {
        match self {
            Self::Weights | Self::Stretched | Self::To(_) => "Attention weights",
            Self::Differences => "Differences of attention",
        }
    }

    /// Describes a cell in words; for a difference, which of the two is larger.
    pub fn in_words(self, matrix: &Matrix, (row, column): (usize, usize)) -> String {
        let number = matrix.weight(row, column);
        let value = match self {
            Self::Weights | Self::Stretched | Self::To(_) => {
                let around = matrix.position(row);
                let around = around.map(|it| format!(". It looks around position {:.1}", it + 1.0));
                format!("{number:.2}{}", around.unwrap_or_default())
            }
            Self::Differences if number >= 0.005 => format!("{number:.2} more in this run"),
            Self::Differences if number <= -0.005 => format!("{:.2} less in this run", -number),
            Self::Differences => "as much in both".to_owned(),
        };
        format!(
            "{} attends to {}: {value}",
            quoted(&matrix.rows[row]),
            quoted(&matrix.columns[column])
        )
    }
}
