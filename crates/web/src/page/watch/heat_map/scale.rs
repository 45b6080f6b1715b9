//! Scale of a map: weights from 0 up, or differences on both sides of 0.

use crate::page::base::foreign::quoted;
use crate::page::watch::colours::{colour, difference_gradient, gradient, of_difference};
use crate::page::watch::view::Matrix;

/// Scale of the numbers of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// Weights, to 1.
    #[default]
    Weights,
    /// Weights, to the largest.
    Stretched,
    /// Weights, to this one: that of another picture of the same weights.
    To(f32),
    /// Differences of weights, above 0 where the first of two is larger.
    Differences,
}

impl Scale {
    /// The number at its end.
    pub fn top(self, matrix: &Matrix) -> f32 {
        let sizes = || matrix.weights.iter().map(|it| it.abs());
        match self {
            Self::Weights => 1.0,
            Self::Stretched => matrix.largest(),
            Self::To(top) => top,
            Self::Differences => sizes().fold(0.0, f32::max),
        }
    }

    /// The colour of a number, as a share of the scale.
    pub fn colour(self) -> fn(f32) -> [u8; 3] {
        match self {
            Self::Weights | Self::Stretched | Self::To(_) => colour,
            Self::Differences => of_difference,
        }
    }

    /// Its colours as a CSS gradient to the right.
    pub fn gradient(self) -> String {
        match self {
            Self::Weights | Self::Stretched | Self::To(_) => gradient(),
            Self::Differences => difference_gradient(),
        }
    }

    /// Numbers at both of its ends, as they are written.
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

    /// A cell in words; a difference with its sign in words.
    pub fn in_words(self, matrix: &Matrix, (row, column): (usize, usize)) -> String {
        let number = matrix.weight(row, column);
        let told = match self {
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
            "{} attends to {}: {told}",
            quoted(&matrix.rows[row]),
            quoted(&matrix.columns[column])
        )
    }
}
