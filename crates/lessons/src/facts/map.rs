//! Attention matrices with their tokens, and measures of attention matrices.

use strata_attention::Site;
use strata_models::SiteName;
use strata_session::protocol::SiteView;

use crate::{MapMeasure, Value};

/// Share of rows whose largest weight must lie on a line for the matrix to have that line.
const LINE: f64 = 0.5;

/// Tokens of source and target of an example or answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentencePair<'a> {
    pub source: &'a [String],
    pub target: &'a [String],
}

/// Attention matrix with the tokens of rows and columns.
#[derive(Clone, Debug)]
pub(super) struct Map {
    columns: usize,
    /// Weights, row-major.
    weights: Vec<f64>,
    row_tokens: Vec<String>,
    column_tokens: Vec<String>,
}

impl Map {
    /// Returns the matrix of a site's level and head; without a head, the mean of all heads. `None`
    /// if the view does not include the level.
    pub fn of(
        site: &SiteView,
        level: usize,
        head: Option<usize>,
        sentences: SentencePair<'_>,
    ) -> Option<Self> {
        let place = site.level_numbers.iter().position(|it| *it == level)?;
        let size = site.rows * site.columns;
        let matrix = |head: usize| {
            let start = (place * site.heads + head) * size;
            site.weights.get(start..start + size)
        };
        let heads = match head.filter(|head| *head < site.heads) {
            Some(head) => head..head + 1,
            None => 0..site.heads,
        };
        let share = 1.0 / heads.len() as f64;
        let mut weights = vec![0.0; size];
        for head in heads {
            let own = weights.iter_mut().zip(matrix(head)?);
            own.for_each(|(sum, weight)| *sum += share * f64::from(*weight));
        }
        let [rows, columns] = tokens(site.site, sentences);
        Some(Self {
            columns: site.columns,
            weights,
            row_tokens: rows,
            column_tokens: columns,
        })
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.weights.chunks(self.columns.max(1))
    }

    /// Returns for each row the token of the row, the token of the column with the largest weight,
    /// and that weight.
    pub fn strongest(&self) -> Vec<(String, String, f64)> {
        let rows = self.rows().zip(&self.row_tokens);
        rows.filter_map(|(row, token)| {
            let (column, weight) = largest(row);
            let to = self.column_tokens.get(column)?;
            Some((token.clone(), to.clone(), weight))
        })
        .collect()
    }

    pub fn value(&self, measure: &MapMeasure) -> Option<Value> {
        let count = self.rows().count().max(1) as f64;
        let mean = |numbers: &mut dyn Iterator<Item = f64>| numbers.sum::<f64>() / count;
        let number = match measure {
            MapMeasure::Diagonal => self.share_on(0, |t, _| t),
            MapMeasure::NearDiagonal => self.share_on(1, |t, _| t),
            MapMeasure::NearAntidiagonal => self.share_on(1, |t, s| s - 1 - t),
            MapMeasure::Line => {
                let down = self.share_on(1, |t, _| t);
                let up = self.share_on(1, |t, s| s - 1 - t);
                let line = if down.max(up) < LINE {
                    "even"
                } else if down >= up {
                    "down"
                } else {
                    "up"
                };
                return Some(line.into());
            }
            MapMeasure::Above => {
                let above = self
                    .rows()
                    .enumerate()
                    .flat_map(|(t, row)| row.iter().skip(t + 1));
                above.copied().fold(0.0, f64::max)
            }
            MapMeasure::Column(column) => {
                let column = (column - 1 < self.columns).then(|| column - 1)?;
                mean(&mut self.rows().map(|row| row[column]))
            }
            MapMeasure::Peak => mean(&mut self.rows().map(|row| largest(row).1)),
            MapMeasure::Spread => self.spread(),
            MapMeasure::Strongest(token) => {
                let row = self.row_tokens.iter().position(|it| it == token)?;
                let (column, _) = largest(self.rows().nth(row)?);
                return self.column_tokens.get(column).map(|it| it.as_str().into());
            }
            MapMeasure::Own(row) => *self.rows().nth(row - 1)?.get(row - 1)?,
            MapMeasure::RowError => {
                let errors = self.rows().map(|row| (row.iter().sum::<f64>() - 1.0).abs());
                errors.fold(0.0, f64::max)
            }
        };
        Some(Value::Number(number))
    }

    /// Share of rows whose largest weight lies at most `near` columns from column `line(t, S)`,
    /// for row t and S columns; rows and columns count from 0.
    fn share_on(&self, near: i64, line: impl Fn(i64, i64) -> i64) -> f64 {
        let columns = self.columns as i64;
        let is_on = |(t, row): &(usize, &[f64])| {
            let (s, _) = largest(row);
            (s as i64 - line(*t as i64, columns)).abs() <= near
        };
        let rows = self.rows().enumerate();
        let count = rows.clone().count().max(1) as f64;
        rows.filter(is_on).count() as f64 / count
    }

    fn spread(&self) -> f64 {
        let mut most = 0.0f64;
        for (at, row) in self.rows().enumerate() {
            for other in self.rows().skip(at + 1) {
                most = most.max(variation(row, other));
            }
        }
        most
    }
}

/// Total variation distance, half the sum of absolute differences: the share of the weight that
/// differs.
pub(super) fn variation(one: &[f64], other: &[f64]) -> f64 {
    let distances = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one - other).abs());
    distances.sum::<f64>() / 2.0
}

/// Returns index and size of the largest weight; the first among equals.
fn largest(row: &[f64]) -> (usize, f64) {
    let first = (0, row.first().copied().unwrap_or(0.0));
    let places = row.iter().copied().enumerate();
    places.fold(first, |most, it| if it.1 > most.1 { it } else { most })
}

/// Label of a row that stands for the question as a whole.
const QUESTION: &str = "question";

/// Returns the tokens of a site's rows and columns. In a reader, the question is the source and the
/// passage the target.
fn tokens(site: SiteName, sentences: SentencePair<'_>) -> [Vec<String>; 2] {
    let SentencePair { source, target } = sentences;
    match site.place {
        Site::EncoderSelf => [source.to_vec(), source.to_vec()],
        Site::DecoderSelf => {
            // The decoder reads its own output, shifted by one place.
            let read = target.len().saturating_sub(1);
            let first = ["<s>".to_owned()];
            [target.to_vec(), [&first[..], &target[..read]].concat()]
        }
        Site::Cross | Site::ContextToQuery | Site::Matching => [target.to_vec(), source.to_vec()],
        Site::QueryToContext => [vec![QUESTION.to_owned()], target.to_vec()],
        Site::SelfMatching => [target.to_vec(), target.to_vec()],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn map(rows: &[&[f32]]) -> Map {
        let names = |prefix: &str, count: usize| -> Vec<String> {
            (1..=count).map(|it| format!("{prefix}{it}")).collect()
        };
        let site = SiteView {
            site: "decoder.cross".parse().unwrap(),
            heads: 1,
            levels: 1,
            level_numbers: vec![1],
            rows: rows.len(),
            columns: rows[0].len(),
            weights: rows.concat(),
            positions: Vec::new(),
        };
        let (source, target) = (names("s", rows[0].len()), names("t", rows.len()));
        let sentences = SentencePair {
            source: &source,
            target: &target,
        };
        Map::of(&site, 1, None, sentences).unwrap()
    }

    fn number(map: &Map, measure: &str) -> f64 {
        let measure: crate::Measure = measure.parse().unwrap();
        let crate::Measure::Map(_, measure) = measure else {
            panic!("{measure}");
        };
        map.value(&measure).unwrap().number().unwrap()
    }

    #[test]
    fn lines_are_told_apart() {
        let down = map(&[&[0.8, 0.1, 0.1], &[0.1, 0.8, 0.1], &[0.1, 0.1, 0.8]]);
        assert_eq!(number(&down, "diagonal"), 1.0);
        assert_eq!(down.value(&MapMeasure::Line), Some("down".into()));
        let up = map(&[
            &[0.0, 0.0, 0.0, 1.0],
            &[0.0, 0.0, 1.0, 0.0],
            &[0.0, 1.0, 0.0, 0.0],
            &[1.0, 0.0, 0.0, 0.0],
        ]);
        assert_eq!(up.value(&MapMeasure::Line), Some("up".into()));
        assert_eq!(number(&up, "near_antidiagonal"), 1.0);
        assert_eq!(number(&up, "diagonal"), 0.0);
        assert_eq!(number(&up, "near_diagonal"), 0.5);
        // The matrix is so long that a column is not near a line by chance.
        let even = map(&[&[0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1][..]; 8]);
        assert_eq!(even.value(&MapMeasure::Line), Some("even".into()));
    }

    #[test]
    fn numbers_are_those_of_their_definitions() {
        let map = map(&[&[0.5, 0.5, 0.0], &[0.25, 0.25, 0.5], &[0.0, 0.5, 0.5]]);
        let near = |measure: &str, expected: f64| {
            let found = number(&map, measure);
            assert!((found - expected).abs() < 1e-6, "{measure}: {found}");
        };
        near("above", 0.5);
        near("peak", 0.5);
        near("column(1)", 0.25);
        near("own(2)", 0.25);
        near("spread", 0.5);
        near("row_error", 0.0);
        let rows = map.strongest();
        assert_eq!((&*rows[1].0, &*rows[1].1), ("t2", "s3"));
        let strongest = map.value(&MapMeasure::Strongest("t2".to_owned()));
        assert_eq!(strongest, Some("s3".into()));
        assert_eq!(map.value(&MapMeasure::Strongest("t9".to_owned())), None);
        assert_eq!(map.value(&MapMeasure::Column(4)), None);
        assert_eq!(map.value(&MapMeasure::Own(4)), None);
    }

    #[test]
    fn the_decoder_reads_what_it_wrote() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let (source, target) = (words("a b"), words("x y </s>"));
        let sentences = SentencePair {
            source: &source,
            target: &target,
        };
        let [rows, columns] = tokens("decoder.1.self".parse().unwrap(), sentences);
        assert_eq!(rows, target);
        assert_eq!(columns, words("<s> x y"));
        let [rows, columns] = tokens("encoder.0.self".parse().unwrap(), sentences);
        assert_eq!([rows, columns], [source.clone(), source.clone()]);
        assert_eq!(
            tokens("decoder.cross".parse().unwrap(), sentences),
            [target.clone(), source.clone()]
        );
    }
}
