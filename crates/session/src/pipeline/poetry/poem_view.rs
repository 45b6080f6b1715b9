//! View of a poem: its characters, with the attention of each and other candidates at its place.

use std::collections::BTreeSet;

use burn::tensor::activation::log_softmax;
use burn::tensor::{ExecutionError, Transaction};
use strata_models::Site;
use strata_poems::Keyword;
use strata_poems::measures::Form;
use strata_training::{AttendedLine, PoemContext, PoemLine};

use super::composer::Composer;
use crate::protocol::{
    CandidateView, Distinct, FormView, LineView, PlannedWord, PoemView, SharesView, SiteView,
};
use crate::view::{CANDIDATES, LEVELS_SHOWN, Shares, SiteTensors};

/// Number of similar words that are offered in place of a keyword.
const NEAR: usize = 6;

/// Numbers of a line, read from the device, in the order of writing.
struct ReadLine {
    /// Token ids of the line's characters, `[m]`.
    ids: Vec<u32>,
    /// Tokens that the model read.
    source: Vec<String>,
    /// ln p of each token of the vocabulary at each character, `[m, V]`.
    log_probabilities: Vec<f32>,
    /// Attention of the characters to `source`.
    attention: Option<SiteView>,
}

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
        let written: Vec<&[char]> = lines.iter().map(|line| &line.characters[..]).collect();
        // A given first line has no probabilities.
        let unwritten = usize::from(!self.reads_keywords()).min(lines.len());
        let given = written[..unwritten].iter().map(|line| LineView {
            text: line.iter().collect(),
            ..LineView::default()
        });
        let mut views: Vec<LineView> = given.collect();
        let (read, shares) = self.read_lines(plan, &written, unwritten).await?;
        for (at, line) in (unwritten..).zip(read) {
            let earlier: Vec<char> = match distinct {
                Distinct::Poem => written[..at].concat(),
                _ => Vec::new(),
            };
            let view = self.line(line, &earlier, distinct != Distinct::None);
            views.push(if backwards { turned(view) } else { view });
        }
        let sum: f64 = views
            .iter()
            .flat_map(|view| &view.log_probabilities)
            .map(|&log_probability| f64::from(log_probability))
            .sum();
        let characters: usize = written[unwritten..].iter().map(|line| line.len()).sum();
        let known = self.planner.ngrams();
        let keywords: Vec<PlannedWord> = plan.iter().map(|word| self.planned(word)).collect();
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

    /// Passes the lines from `first` on through the model, and reads log-probabilities and attention
    /// of all in one transaction. Also returns the shares of the levels.
    async fn read_lines(
        &self,
        plan: &[Keyword],
        written: &[&[char]],
        first: usize,
    ) -> Result<(Vec<ReadLine>, Vec<SharesView>), ExecutionError> {
        let attend = |at: usize| {
            let context = PoemContext {
                keyword: plan.get(at).map(|keyword| keyword.word),
                earlier: written[..at].to_vec(),
            };
            self.inference.attend_to_line(&context, written[at])
        };
        let lines: Vec<AttendedLine> = (first..written.len()).filter_map(attend).collect();
        if lines.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut transaction = Transaction::default();
        let mut sites = Vec::with_capacity(lines.len());
        for line in &lines {
            let rows = line.ids.len();
            let logits = line.attended.logits.clone().narrow(1, 0, rows); // [1, m, V]
            transaction = transaction.register(log_softmax(logits, 2));
            let mut cross = line.attended.sites.iter();
            let cross = cross.find(|site| site.site.place == Site::Cross);
            let cross = cross.map(|site| SiteTensors::all(site, rows, LEVELS_SHOWN));
            if let Some(site) = &cross {
                transaction = site.register(transaction);
            }
            sites.push(cross);
        }
        let shares = Shares::of(&lines[0].attended.sites, lines[0].ids.len());
        let transaction = shares.register(transaction);
        let mut data = transaction.execute_async().await?.into_iter();
        let read = lines.into_iter().zip(sites).map(|(line, site)| ReadLine {
            log_probabilities: data
                .next()
                .map_or(Vec::new(), |data| data.iter::<f32>().collect()),
            attention: site.map(|site| site.read(&mut data)),
            ids: line.ids,
            source: line.source.tokens,
        });
        let read = read.collect();
        Ok((read, shares.read(&mut data)))
    }

    fn planned(&self, keyword: &Keyword) -> PlannedWord {
        let near = self.planner.vectors().neighbours(&[keyword.word], NEAR);
        PlannedWord {
            word: keyword.word.to_string(),
            origin: keyword.origin,
            near: near.iter().map(ToString::to_string).collect(),
        }
    }

    /// Returns the view of a line in the order of writing. Characters of `earlier` lines, and those
    /// before in the line, are no candidates if `forbids` is true.
    fn line(&self, line: ReadLine, earlier: &[char], forbids: bool) -> LineView {
        let tokenizer = self.inference.tokenizer();
        let vocabulary = line.log_probabilities.len() / line.ids.len().max(1);
        let text = tokenizer.target_tokens(&line.ids).concat();
        let mut written = earlier.to_vec();
        let (mut log_probabilities, mut candidates) = (Vec::new(), Vec::new());
        let rows = line.log_probabilities.chunks(vocabulary.max(1));
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
            source: line.source,
            attention: line.attention,
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
