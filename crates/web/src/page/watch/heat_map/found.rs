//! Detection of a line in a map, such as the diagonal: a sentence over the map, and a ring for a
//! while.

use crate::page::watch::view::Matrix;
use gloo::timers::callback::Timeout;
use strata_models::Site;
use yew::prelude::*;

/// Share of rows whose largest weight must lie near a line.
const MOST: f64 = 0.8;
/// Rows below which a line may be there by chance.
const LEAST_ROWS: usize = 6;
/// Milliseconds for which the line is ringed.
const RINGED: u32 = 3_000;

/// A line of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// From top left to bottom right: row i looks at column i.
    Down,
    /// From top right to bottom left: row i looks at column i, counted from the end.
    Up,
}

impl Line {
    /// Returns the line near which most rows have their largest weight, as the measures
    /// `near_diagonal` and `near_antidiagonal` of lessons do. `None` except in attention from what
    /// is written to what is read.
    pub fn of(matrix: &Matrix) -> Option<Self> {
        let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
        if !matches!(matrix.site.place, Site::Cross) || rows < LEAST_ROWS {
            return None;
        }
        let share = |line: &dyn Fn(usize) -> i64| {
            let is_near = |row: &usize| (matrix.strongest(*row) as i64 - line(*row)).abs() <= 1;
            (0..rows).filter(is_near).count() as f64 / rows as f64
        };
        if share(&|row| row as i64) > MOST {
            Some(Self::Down)
        } else if share(&|row| columns as i64 - 1 - row as i64) > MOST {
            Some(Self::Up)
        } else {
            None
        }
    }

    /// Returns the sentence on the line, for tokens of single letters or for words.
    pub fn words(self, is_of_letters: bool) -> &'static str {
        match (self, is_of_letters) {
            (Self::Down, true) => "There: each letter looks at its own place",
            (Self::Down, false) => "There: each word looks at its own place",
            (Self::Up, true) => "There: each letter looks at its place from the end",
            (Self::Up, false) => "There: each word looks at its place from the end",
        }
    }

    /// Renders a ring around the line in a map of this size.
    fn ring(self, rows: usize, columns: usize) -> Html {
        let length = std::f64::consts::SQRT_2 * rows.min(columns) as f64;
        let turn = match self {
            Self::Down => "rotate(45)".to_owned(),
            Self::Up => format!("translate({columns} 0) rotate(135)"),
        };
        html! {
            <svg class="ring" viewBox={format!("0 0 {columns} {rows}")} preserveAspectRatio="none" aria-hidden="true">
                <rect transform={turn} x="-0.6" y="-1.3" width={format!("{:.2}", length + 1.2)} height="2.6" rx="1.3" />
            </svg>
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct FoundProperties {
    /// The line in the map, if there is one.
    pub line: Option<Line>,
    /// True if the tokens are single letters.
    pub is_of_letters: bool,
    /// Rows and columns of the map.
    pub size: (usize, usize),
}

/// The sentence on the map's line, and for a while the ring.
#[component]
pub fn Found(properties: &FoundProperties) -> Html {
    let FoundProperties {
        line,
        is_of_letters,
        size: (rows, columns),
    } = *properties;
    let is_ringed = use_state_eq(|| false);
    {
        let is_ringed = is_ringed.clone();
        use_effect_with(line, move |line| {
            is_ringed.set(line.is_some());
            let timer = line.map(|_| Timeout::new(RINGED, move || is_ringed.set(false)));
            move || drop(timer)
        });
    }
    let ring = line.filter(|_| *is_ringed);
    html! {
        <>
            { ring.map(|line| line.ring(rows, columns)) }
            // Always in the page, so that screen readers say what comes into it.
            <p class={classes!("found", line.map(|it| if it == Line::Up { "up" } else { "down" }))} role="status">
                { line.map(|line| line.words(is_of_letters)) }
            </p>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::SiteName;

    fn matrix(place: Site, rows: usize, at: impl Fn(usize) -> usize) -> Matrix {
        let mut weights = vec![0.0; rows * rows];
        (0..rows).for_each(|row| weights[row * rows + at(row)] = 1.0);
        Matrix {
            site: SiteName::in_layer(0, place),
            rows: vec!["a".to_owned(); rows],
            columns: vec!["a".to_owned(); rows],
            weights,
            positions: Vec::new(),
        }
    }

    #[test]
    fn a_line_is_there_when_most_rows_look_near_it() {
        let line = |place, rows, at: &dyn Fn(usize) -> usize| Line::of(&matrix(place, rows, at));
        assert_eq!(line(Site::Cross, 10, &|row| row), Some(Line::Down));
        assert_eq!(line(Site::Cross, 10, &|row| 9 - row), Some(Line::Up));
        assert_eq!(line(Site::Cross, 10, &|_| 4), None);
        // Eight of ten rows are not yet more than 0.8, and few rows say nothing.
        assert_eq!(
            line(Site::Cross, 10, &|row| if row < 2 { 9 } else { row }),
            None
        );
        assert_eq!(line(Site::Cross, 3, &|row| row), None);
        assert_eq!(line(Site::EncoderSelf, 10, &|row| row), None);
    }
}
