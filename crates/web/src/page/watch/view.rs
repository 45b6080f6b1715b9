//! Part of a translation of attention to show: a site, a level, and one head or the mean of all.

use strata_models::{Site, SiteName};
use strata_session::protocol::{
    SiteView, TranslationView, ViewData, ViewUpdate, decoder_input, notable_site,
};
use yew::AttrValue;

/// A user's choice of the part. If a translation lacks that part, the nearest one is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The site.
    pub site: Option<SiteName>,
    /// The head, from 0; `None` for the mean of all heads.
    pub head: Option<usize>,
    /// The level, from 1; `None` for the last, whose weights the model uses.
    pub level: Option<usize>,
}

/// A matrix of weights with the tokens on its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The site whose weights these are.
    pub site: SiteName,
    /// Token of each row: the row attends.
    pub rows: Vec<String>,
    /// Token of each column: columns are attended to.
    pub columns: Vec<String>,
    /// Weights, row by row.
    pub weights: Vec<f32>,
    /// The column at which each row predicts to look, from 0; empty unless attention is local.
    pub positions: Vec<f32>,
}

impl Choice {
    /// Returns the chosen site, or else the one that [`notable_site`] finds.
    pub fn site<'a>(&self, translation: &'a TranslationView) -> Option<&'a SiteView> {
        let sites = &translation.sites;
        let named = |name| sites.iter().find(|site| site.site == name);
        let levels = sites.iter().map(|it| (it.site, it.levels));
        let chosen = self.site.and_then(named);
        chosen.or_else(|| notable_site(levels).map(|place| &sites[place]))
    }

    /// Returns the chosen matrix; `None` if the translation has no weights.
    pub fn matrix(&self, translation: &TranslationView) -> Option<Matrix> {
        let site = self.site(translation)?;
        let size = site.rows * site.columns;
        let heads: Vec<_> = match self.head.filter(|head| *head < site.heads) {
            Some(head) => vec![head],
            None => (0..site.heads).collect(),
        };
        let level = self.level(site)?;
        let mut weights = vec![0.0; size];
        for head in &heads {
            let start = (level * site.heads + head) * size;
            for (sum, weight) in weights
                .iter_mut()
                .zip(site.weights.get(start..start + size)?)
            {
                *sum += weight / heads.len() as f32;
            }
        }
        let (rows, columns) = axes(&translation.source, &translation.target, site);
        Some(Matrix {
            site: site.site,
            rows,
            columns,
            weights,
            positions: match &heads[..] {
                &[head] => chunk(&site.positions, head, site.rows),
                _ => Vec::new(),
            },
        })
    }

    /// Returns the index of the chosen level among the levels of a site, or of the nearest one.
    pub fn level(&self, site: &SiteView) -> Option<usize> {
        let wanted = self.level.unwrap_or(site.levels);
        (0..site.level_numbers.len()).min_by_key(|at| site.level_numbers[*at].abs_diff(wanted))
    }
}

/// Returns the numbers of one head out of those of all heads; empty if there are none.
fn chunk(numbers: &[f32], head: usize, rows: usize) -> Vec<f32> {
    let found = numbers.get(head * rows..(head + 1) * rows);
    found.map_or(Vec::new(), <[f32]>::to_vec)
}

impl Matrix {
    /// Returns the position at which a row predicts to look, from 0.
    pub fn position(&self, row: usize) -> Option<f32> {
        self.positions.get(row).copied()
    }

    /// Returns the matrix of a view that shows one; `None` for other views.
    pub fn of_update(update: &ViewUpdate) -> Option<Self> {
        let site = match &update.data {
            ViewData::Sites(sites) => match &sites[..] {
                [site] => site,
                _ => return None,
            },
            ViewData::Network(network) => network.chosen.as_ref()?,
            _ => return None,
        };
        of_site(&update.source, &update.target, site)
    }

    /// Returns the weight of a column in a row.
    pub fn weight(&self, row: usize, column: usize) -> f32 {
        self.weights[row * self.columns.len() + column]
    }

    /// Returns the largest weight.
    pub fn largest(&self) -> f32 {
        self.weights.iter().copied().fold(0.0, f32::max)
    }

    /// Returns the column of the largest weight in a row.
    pub fn strongest(&self, row: usize) -> usize {
        let columns = 0..self.columns.len();
        columns
            .max_by(|a, b| self.weight(row, *a).total_cmp(&self.weight(row, *b)))
            .unwrap_or(0)
    }

    /// Writes the weights as JSON, row by row, for scripts that read the page.
    pub fn json(&self) -> String {
        let row = |row: &[f32]| {
            let numbers: Vec<_> = row.iter().map(|weight| format!("{weight:.3}")).collect();
            format!("[{}]", numbers.join(","))
        };
        let rows: Vec<_> = self
            .weights
            .chunks(self.columns.len().max(1))
            .map(row)
            .collect();
        format!("[{}]", rows.join(","))
    }
}

/// Returns the matrix of a site with the tokens of its axes; `None` unless the site has exactly
/// one.
pub fn of_site(source: &[String], target: &[String], site: &SiteView) -> Option<Matrix> {
    if site.weights.len() != site.rows * site.columns || site.weights.is_empty() {
        return None;
    }
    let (rows, columns) = axes(source, target, site);
    Some(Matrix {
        site: site.site,
        rows,
        columns,
        weights: site.weights.clone(),
        positions: site.positions.clone(),
    })
}

/// Returns one token for each row and each column of a site.
fn axes(source: &[String], target: &[String], site: &SiteView) -> (Vec<String>, Vec<String>) {
    let (rows, columns) = tokens(source, target, site.site);
    (fit(rows, site.rows), fit(columns, site.columns))
}

/// Returns the option of a select for a site: its name and its title.
pub fn site_option(site: SiteName) -> (AttrValue, AttrValue) {
    (site.to_string().into(), site.title().into())
}

/// Returns the word for the heads of a site, and the title of each. Word by word matching has no
/// heads, but two directions in which the passage is read.
pub fn heads(site: SiteName, heads: usize) -> (&'static str, Vec<String>) {
    match site.place {
        Site::Matching if heads == 2 => {
            let directions = ["forwards", "backwards"].map(str::to_owned);
            ("Direction", directions.to_vec())
        }
        _ => {
            let title = |head| format!("{} of {heads}", head + 1);
            ("Head", (0..heads).map(title).collect())
        }
    }
}

/// Returns the tokens of a site's rows and columns.
pub fn tokens(source: &[String], target: &[String], site: SiteName) -> (Vec<String>, Vec<String>) {
    match site.place {
        Site::EncoderSelf => (source.to_vec(), source.to_vec()),
        // Each row writes its own token, and reads the tokens before.
        Site::DecoderSelf => (target.to_vec(), decoder_input(source, target)),
        Site::Cross | Site::ContextToQuery | Site::Matching => (target.to_vec(), source.to_vec()),
        Site::QueryToContext => (vec!["question".to_owned()], target.to_vec()),
        Site::SelfMatching => (target.to_vec(), target.to_vec()),
    }
}

fn fit(mut tokens: Vec<String>, length: usize) -> Vec<String> {
    tokens.truncate(length);
    for index in tokens.len()..length {
        tokens.push(format!("#{}", index + 1));
    }
    tokens
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    /// A translation with two levels and two heads; the digits of each weight are its level · head ·
    /// row · column.
    fn translation() -> TranslationView {
        let site = |place: Site, rows: usize, columns: usize| {
            let digit = |index: usize| (index % 2) as f32;
            let size = rows * columns;
            let weights = (0..4 * size).map(|index| {
                let (block, cell) = (index / size, index % size);
                let place = (cell / columns) as f32 * 0.1 + (cell % columns) as f32 * 0.01;
                10.0 * digit(block / 2) + digit(block) + place
            });
            SiteView {
                site: SiteName::in_layer(0, place),
                heads: 2,
                levels: 2,
                level_numbers: vec![1, 2],
                rows,
                columns,
                weights: weights.collect(),
                positions: Vec::new(),
            }
        };
        TranslationView {
            step: 1,
            source: words("die Katze schläft </s>"),
            target: words("the cat </s>"),
            text: "the cat".to_owned(),
            unknown: Vec::new(),
            sites: vec![
                site(Site::EncoderSelf, 4, 4),
                site(Site::DecoderSelf, 3, 3),
                site(Site::Cross, 3, 4),
            ],
            search: None,
        }
    }

    #[test]
    fn without_a_choice_it_is_the_mean_over_heads_of_the_last_level() {
        let matrix = Choice::default().matrix(&translation()).unwrap();
        assert_eq!(matrix.site, SiteName::in_layer(0, Site::Cross));
        assert_eq!((matrix.rows.len(), matrix.columns.len()), (3, 4));
        assert!((matrix.weight(1, 2) - 10.62).abs() < 1e-5);
    }

    #[test]
    fn levels_are_shown_where_there_are_any() {
        let mut translation = translation();
        translation.sites[0].levels = 4;
        let site = Choice::default().site(&translation).unwrap();
        assert_eq!(site.site, SiteName::in_layer(0, Site::EncoderSelf));
    }

    #[test]
    fn head_level_and_site_can_be_chosen() {
        let choice = Choice {
            site: Some(SiteName::in_layer(0, Site::EncoderSelf)),
            head: Some(1),
            level: Some(1),
        };
        let matrix = choice.matrix(&translation()).unwrap();
        assert_eq!(matrix.rows, matrix.columns);
        assert!((matrix.weight(3, 1) - 1.31).abs() < 1e-5);
        assert_eq!(matrix.strongest(3), 3);
    }

    #[test]
    fn a_choice_that_the_picture_lacks_is_replaced() {
        let choice = Choice {
            site: Some(SiteName::in_layer(7, Site::Cross)),
            head: Some(9),
            level: Some(9),
        };
        let matrix = choice.matrix(&translation());
        assert_eq!(matrix, Choice::default().matrix(&translation()));
    }

    #[test]
    fn of_many_levels_the_nearest_is_taken() {
        let mut translation = translation();
        for site in &mut translation.sites {
            (site.levels, site.level_numbers) = (100, vec![1, 100]);
        }
        let choice = Choice {
            level: Some(7),
            ..Choice::default()
        };
        assert_eq!(choice.level(&translation.sites[0]), Some(0));
        assert_eq!(Choice::default().level(&translation.sites[0]), Some(1));
    }

    #[test]
    fn a_decoder_reads_what_it_wrote_before() {
        let choice = Choice {
            site: Some(SiteName::in_layer(0, Site::DecoderSelf)),
            ..Choice::default()
        };
        let matrix = choice.matrix(&translation()).unwrap();
        assert_eq!(matrix.rows, words("the cat </s>"));
        assert_eq!(matrix.columns, words("<s> the cat"));
    }

    #[test]
    fn of_what_is_watched_one_matrix_is_shown() {
        let translation = translation();
        let mut site = translation.sites[2].clone();
        site.weights.truncate(12);
        let mut update = ViewUpdate {
            step: 1,
            source: translation.source.clone(),
            target: translation.target.clone(),
            data: ViewData::Sites(vec![site]),
            ..ViewUpdate::default()
        };
        let matrix = Matrix::of_update(&update).unwrap();
        assert_eq!(
            (matrix.rows, matrix.columns),
            (translation.target, translation.source)
        );
        update.data = ViewData::Sites(translation.sites);
        assert_eq!(Matrix::of_update(&update), None);
    }

    #[test]
    fn too_few_weights_give_no_matrix() {
        let mut translation = translation();
        translation
            .sites
            .iter_mut()
            .for_each(|it| it.weights.truncate(5));
        assert_eq!(Choice::default().matrix(&translation), None);
    }
}
