//! The maps that the options choose, and the words of a choice that the file does not have.

use strata_session::attention_file::{SentenceAttention, SiteAttention};

use super::contents::token;
use super::page::Room;
use crate::display::format::percent;
use crate::model::heat_map::{LEVELS_DRAWN, Maps, head_name, level_title};

/// Choice of the maps of a sentence; an empty choice means all maps, or the most notable one.
pub struct Choice<'a> {
    pub site: Option<&'a str>,
    pub level: Option<u64>,
    /// Head, from 1.
    pub head: Option<usize>,
}

impl Choice<'_> {
    /// True if nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.site.is_none() && self.level.is_none() && self.head.is_none()
    }

    /// Returns one map: the chosen head, or the mean of all heads.
    ///
    /// # Errors
    /// If the sentence lacks the chosen site, level or head.
    pub fn one(&self, number: usize, sentence: &SentenceAttention) -> Result<Maps, String> {
        let site = match self.site {
            Some(_) => self.sites(number, sentence)?.pop(),
            None => sentence.notable().map(|at| &sentence.sites[at]),
        };
        let site = site.ok_or_else(|| format!("sentence {number} has no sites"))?;
        let level = self.level(site)?.unwrap_or(site.levels.len() - 1);
        let head = self.head(site)?;
        let name = match (head, site.heads) {
            (_, 1) => String::new(),
            (Some(head), heads) => format!("head {} of {heads}", head + 1),
            (None, heads) => format!("mean of {heads} heads"),
        };
        Ok(maps(site, level, vec![(name, site.matrix(level, head))]))
    }

    /// Returns the maps of all sites, levels (if there are many, a few at equal distances) and heads
    /// that are not left out by the choice.
    ///
    /// # Errors
    /// If the sentence lacks the chosen site, level or head, or the maps are too many for a page.
    pub fn all(
        &self,
        number: usize,
        sentence: &SentenceAttention,
        room: &mut Room,
    ) -> Result<Vec<Maps>, String> {
        let mut all = Vec::new();
        for site in self.sites(number, sentence)? {
            let levels = match self.level(site)? {
                Some(level) => vec![level],
                None => spread(site.levels.len()),
            };
            let heads = match self.head(site)? {
                Some(head) => head..=head,
                None => 0..=site.heads - 1,
            };
            for level in levels {
                room.take(heads.clone().count(), site.rows.len(), site.columns.len())?;
                let of_head = |head| (head_name(head, site.heads), site.matrix(level, Some(head)));
                all.push(maps(site, level, heads.clone().map(of_head).collect()));
            }
        }
        Ok(all)
    }

    fn sites<'b>(
        &self,
        number: usize,
        sentence: &'b SentenceAttention,
    ) -> Result<Vec<&'b SiteAttention>, String> {
        let sites = &sentence.sites;
        let Some(name) = self.site else {
            return Ok(sites.iter().collect());
        };
        let found = sites.iter().find(|it| it.name == name);
        found.map(|it| vec![it]).ok_or_else(|| {
            let names: Vec<String> = sites.iter().map(|it| format!("`{}`", it.name)).collect();
            match names.len() {
                0 => format!("sentence {number} has no sites"),
                1..=20 => format!(
                    "sentence {number} has no site `{name}`; it has {}",
                    names.join(", ")
                ),
                count => format!(
                    "sentence {number} has no site `{name}`; it has {} and {} more",
                    names[..20].join(", "),
                    count - 20
                ),
            }
        })
    }

    /// Returns the index of the chosen level.
    fn level(&self, site: &SiteAttention) -> Result<Option<usize>, String> {
        let Some(level) = self.level else {
            return Ok(None);
        };
        let found = site.levels.iter().position(|it| *it == level);
        found.map(Some).ok_or_else(|| {
            format!(
                "site `{}` has no level {level}; its levels are {}",
                site.name,
                super::contents::levels(site)
            )
        })
    }

    /// Returns the chosen head, from 0.
    fn head(&self, site: &SiteAttention) -> Result<Option<usize>, String> {
        let Some(number) = self.head else {
            return Ok(None);
        };
        if (1..=site.heads).contains(&number) {
            return Ok(Some(number - 1));
        }
        Err(format!(
            "site `{}` has no head {number}; its heads are 1 to {}",
            site.name, site.heads
        ))
    }
}

fn maps(site: &SiteAttention, level: usize, matrices: Vec<(String, Vec<f32>)>) -> Maps {
    let number = usize::try_from(site.levels[level]).unwrap_or(usize::MAX);
    let last = site.levels.iter().max().copied().unwrap_or(1);
    let levels = match site.levels.len() {
        1 => 1,
        _ => usize::try_from(last).unwrap_or(usize::MAX),
    };
    Maps {
        title: level_title(&token(&site.name), number, levels),
        rows: site.rows.iter().map(|it| token(it)).collect(),
        columns: site.columns.iter().map(|it| token(it)).collect(),
        matrices,
    }
}

/// Returns the indices of all levels, or of a few from first to last.
fn spread(levels: usize) -> Vec<usize> {
    if levels <= LEVELS_DRAWN {
        return (0..levels).collect();
    }
    let gaps = LEVELS_DRAWN - 1;
    (0..=gaps).map(|at| (levels - 1) * at / gaps).collect()
}

/// Says which token is traced, and how.
///
/// # Errors
/// If the sources of the token cannot be traced.
pub fn told(sentence: &SentenceAttention, number: usize) -> Result<String, String> {
    let tokens = sentence.traced().map_err(|it| it.to_string())?;
    let found = number.checked_sub(1).and_then(|at| tokens.get(at));
    let found = found.ok_or_else(|| {
        format!(
            "there is no token {number} to trace; the output has {}, numbered from 1",
            tokens.len()
        )
    })?;
    Ok(format!(
        "Sources of `{}` (token {number} of {}) by attention rollout, from the output down; the last \
         line is what arrives.",
        token(found),
        tokens.len()
    ))
}

/// Returns the shares of all tokens in a token of the output (from 1), layer by layer: shares of
/// earlier tokens, and shares of source tokens.
///
/// # Errors
/// If the sources of the token cannot be traced.
pub fn sources(sentence: &SentenceAttention, number: usize) -> Result<Vec<Maps>, String> {
    told(sentence, number)?;
    let found = sentence.sources(number - 1).map_err(|it| it.to_string())?;
    let stages = &found.rollout.stages;
    let rows: Vec<String> = stages
        .iter()
        .map(|it| it.site.map_or("output".to_owned(), |site| site.to_string()))
        .collect();
    // Tokens that are written later have no share.
    let read = &found.read[..found.read.len().min(number)];
    let of_read = stages.iter().map(|it| &it.target[..]);
    let of_source = stages.iter().map(|it| &it.source[..]);
    let read = shares("the tokens that the decoder reads", read, &rows, of_read);
    let source = shares("the source", &found.source, &rows, of_source);
    Ok([read, source].into_iter().flatten().collect())
}

/// Returns the map of some tokens' shares; `None` if there are no such tokens.
fn shares<'a>(
    whose: &str,
    tokens: &[String],
    rows: &[String],
    shares: impl Iterator<Item = &'a [f32]>,
) -> Option<Maps> {
    if tokens.is_empty() {
        return None;
    }
    let weights: Vec<f32> = shares
        .flat_map(|it| it[..tokens.len()].iter().copied())
        .collect();
    let last = &weights[weights.len() - tokens.len()..];
    let whole = percent(f64::from(last.iter().sum::<f32>()));
    Some(Maps {
        title: format!("{whole} from {whose}"),
        rows: rows.to_vec(),
        columns: tokens.iter().map(|it| token(it)).collect(),
        matrices: vec![(String::new(), weights)],
    })
}
