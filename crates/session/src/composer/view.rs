//! View of a poem: its characters, with the attention of each and other candidates at its place.

use std::collections::BTreeSet;

use burn::tensor::activation::log_softmax;
use burn::tensor::{ExecutionError, TensorData, Transaction};
use strata_models::Site;
use strata_poems::Keyword;
use strata_poems::measures::Form;
use strata_training::{AttendedLine, PoemContext, PoemLine};

use super::Composer;
use crate::picture::{LEVELS_SHOWN, Shares, SiteTensors};
use crate::protocol::{
    CandidateView, Distinct, FormView, LineView, PlannedWord, PoemView, SiteView,
};
use crate::searching::CANDIDATES;

/// Number of similar words that are offered in place of a keyword.
const NEAR: usize = 6;

impl Composer<'_> {
    /// Returns the view of a plan with the poem written by the plan; without `lines`, of the plan
    /// alone.
    ///
    /// GPU–CPU sync point.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn view(
        &self,
        plan: &[Keyword],
        lines: &[PoemLine],
        distinct: Distinct,
    ) -> Result<PoemView, ExecutionError> {
        let backwards = self.inference.tokenizer().writes_backwards() == Some(true);
        let written: Vec<&[char]> = lines.iter().map(|it| &it.characters[..]).collect();
        // A given first line has no probabilities.
        let unwritten = usize::from(!self.reads_keywords()).min(lines.len());
        let attended = |at: usize| {
            let context = PoemContext {
                keyword: plan.get(at).map(|it| it.word),
                earlier: written[..at].to_vec(),
            };
            self.inference.attend_to_line(&context, written[at])
        };
        let attended: Vec<AttendedLine> = (unwritten..lines.len()).filter_map(attended).collect();
        let mut transaction = Transaction::default();
        let mut unread = Vec::with_capacity(attended.len());
        for line in &attended {
            let rows = line.ids.len();
            let logits = line.attended.logits.clone().narrow(1, 0, rows); // [1, m, V]
            transaction = transaction.register(log_softmax(logits, 2));
            let site = line.attended.sites.iter();
            let mut site = site.filter(|it| it.site.place == Site::Cross);
            let site = site
                .next()
                .map(|it| SiteTensors::all(it, rows, LEVELS_SHOWN));
            if let Some(site) = &site {
                transaction = site.register(transaction);
            }
            unread.push(site);
        }
        let shares = Shares::of(
            attended
                .first()
                .map_or(&[][..], |it| &it.attended.sites[..]),
        );
        let transaction = shares.register(transaction);
        let mut data = match attended.is_empty() {
            true => Vec::new(),
            false => transaction.execute_async().await?,
        }
        .into_iter();
        let given = written[..unwritten].iter().map(|line| LineView {
            text: line.iter().collect(),
            ..LineView::default()
        });
        let mut views: Vec<LineView> = given.collect();
        for (at, (line, site)) in (unwritten..).zip(attended.into_iter().zip(unread)) {
            let numbers = data.next();
            let site = site.map(|it| it.read(&mut data));
            let earlier: Vec<char> = match distinct {
                Distinct::Poem => written[..at].concat(),
                _ => Vec::new(),
            };
            let forbids = distinct != Distinct::None;
            let mut view = self.line(&line, numbers, &earlier, forbids);
            view.attention = site;
            views.push(if backwards { turned(view) } else { view });
        }
        let shares = shares.read(&mut data);
        let sum: f64 = views
            .iter()
            .flat_map(|it| &it.log_probabilities)
            .map(|&it| f64::from(it))
            .sum();
        let characters: usize = written[unwritten..].iter().map(|it| it.len()).sum();
        let known = self.planner.ngrams();
        let keywords: Vec<PlannedWord> = plan.iter().map(|it| self.planned(it)).collect();
        Ok(PoemView {
            step: self.inference.step(),
            readings: self.readings(&keywords, &views),
            keywords,
            form: self.form(&written),
            known_4_grams: (!written.is_empty() && !known.is_empty())
                .then(|| known.count_in(&written[unwritten..])),
            perplexity: (characters > 0).then(|| (-sum / characters as f64).exp()),
            lines: views,
            backwards,
            shares,
        })
    }

    fn planned(&self, keyword: &Keyword) -> PlannedWord {
        let near = self.planner.vectors().neighbours(&[keyword.word], NEAR);
        PlannedWord {
            word: keyword.word.to_string(),
            origin: keyword.origin,
            near: near.iter().map(ToString::to_string).collect(),
        }
    }

    /// Returns the view of a line in the order of writing, from log-probabilities `[1, m, V]`.
    fn line(
        &self,
        line: &AttendedLine,
        numbers: Option<TensorData>,
        earlier: &[char],
        forbids: bool,
    ) -> LineView {
        let tokenizer = self.inference.tokenizer();
        let numbers: Vec<f32> = numbers.map_or(Vec::new(), |it| it.iter::<f32>().collect());
        let vocabulary = numbers.len() / line.ids.len().max(1);
        let text = tokenizer.target_tokens(&line.ids).concat();
        let mut written = earlier.to_vec();
        let (mut log_probabilities, mut candidates) = (Vec::new(), Vec::new());
        let rows = numbers.chunks(vocabulary.max(1));
        for ((row, &id), character) in rows.zip(&line.ids).zip(text.chars()) {
            log_probabilities.push(row[id as usize]);
            let mut order: Vec<u32> = (0..row.len() as u32).collect();
            order.sort_by(|&one, &other| row[other as usize].total_cmp(&row[one as usize]));
            let candidate = |id: u32| {
                let token = tokenizer.target_tokens(&[id]).concat();
                let mut characters = token.chars();
                let single = characters.next().filter(|_| characters.next().is_none())?;
                let is_open = !forbids || !written.contains(&single);
                is_open.then(|| CandidateView {
                    log_probability: row[id as usize],
                    token: token.clone(),
                })
            };
            let best = order.into_iter().filter_map(candidate);
            candidates.push(best.take(CANDIDATES).collect());
            written.push(character);
        }
        LineView {
            text,
            log_probabilities,
            candidates,
            source: line.source.tokens.clone(),
            attention: None,
        }
    }

    /// Returns the pinyin readings of all characters that are shown.
    fn readings(&self, keywords: &[PlannedWord], lines: &[LineView]) -> Vec<(char, String)> {
        let words = keywords
            .iter()
            .flat_map(|it| it.near.iter().chain([&it.word]));
        let candidates = lines.iter().flat_map(|it| it.candidates.iter().flatten());
        let texts = words
            .chain(lines.iter().map(|it| &it.text))
            .chain(candidates.map(|it| &it.token));
        let characters: BTreeSet<char> = texts.flat_map(|it| it.chars()).collect();
        let table = self.planner.table();
        let reading = |it: char| Some((it, table.readings(it)?.to_owned()));
        characters.into_iter().filter_map(reading).collect()
    }

    fn form(&self, lines: &[&[char]]) -> Option<FormView> {
        let table = self.planner.table();
        let read = |line: &&[char]| {
            let syllables = line.iter().map(|&it| table.syllables(it));
            syllables.collect::<Vec<_>>()
        };
        let lines: [_; 4] = lines.iter().map(read).collect::<Vec<_>>().try_into().ok()?;
        if lines.iter().flatten().any(Vec::is_empty) {
            return None;
        }
        let form = Form::of_readings(&lines)?;
        Some(FormView {
            pattern: form.pattern,
            share: form.share,
            rhymes: form.rhymes_2_4,
        })
    }
}

/// Reverses the view of a line that was written from its end into the order of reading.
fn turned(mut line: LineView) -> LineView {
    line.text = line.text.chars().rev().collect();
    line.log_probabilities.reverse();
    line.candidates.reverse();
    let columns = order_of_reading(&line.source);
    line.source = columns.iter().map(|&at| line.source[at].clone()).collect();
    if let Some(site) = &mut line.attention {
        site.weights = turned_weights(site, &columns);
    }
    line
}

fn turned_weights(site: &SiteView, columns: &[usize]) -> Vec<f32> {
    let matrices = site.weights.chunks((site.rows * site.columns).max(1));
    let mut weights = Vec::with_capacity(site.weights.len());
    for matrix in matrices {
        for row in matrix.chunks(site.columns.max(1)).rev() {
            let place = |at: usize| columns.get(at).copied().unwrap_or(at);
            weights.extend((0..row.len()).map(|at| row[place(at)]));
        }
    }
    weights
}

/// Returns the indices of the tokens in the order of reading: each run of characters is reversed,
/// marks stay in place.
fn order_of_reading(tokens: &[String]) -> Vec<usize> {
    let is_character = |at: usize| tokens[at].chars().count() == 1;
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    let runs = order.chunk_by_mut(|&one, &other| is_character(one) && is_character(other));
    runs.for_each(<[usize]>::reverse);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_characters_are_turned_and_marks_stay() {
        let tokens = ["<5>", "月", "明", "<sep>", "三", "二", "一"];
        let tokens: Vec<String> = tokens.map(str::to_owned).into();
        assert_eq!(order_of_reading(&tokens), [0, 2, 1, 3, 6, 5, 4]);
    }
}
