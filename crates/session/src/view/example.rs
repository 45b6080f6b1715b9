//! Views of the watched example: only the tensors that the view needs are computed, and all are
//! read in one transaction.

use std::collections::BTreeMap;

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{BlockChange, EOS, SiteName, SiteRows, SiteWeights};
use strata_tasks::Example;
use strata_training::{Attended, Inference, Norms, Tokenizer, Trainer};

use super::arrows::Arrows;
use super::beside;
use super::cell::{Cell, Place};
use super::descent::DescentPath;
use super::network::Network;
use super::norms;
use super::rollout::Rollout;
use super::shares::Shares;
use super::site::{LEVELS_SHOWN, SiteTensors, shape};
use crate::error::SessionError;
use crate::pipeline::generation;
use crate::protocol::{
    SiteOutline, TokenView, View, ViewData, ViewRequest, ViewUpdate, notable_site,
};

/// Data of a view, still on the device.
pub(crate) enum ViewTensors {
    Sites(Vec<SiteTensors>),
    Shares(Shares),
    Descent(Option<DescentPath>),
    Probabilities([Tensor<3>; 2]),
    Norms(Norms),
    Network(Network),
    Rollout(Rollout),
    Cell(Option<Cell>),
    Arrows(Option<Arrows>),
}

/// Records of a forward pass that some views need besides the attention.
#[derive(Default)]
pub(crate) struct Trace {
    changes: Vec<BlockChange>,
    rows: BTreeMap<SiteName, SiteRows>,
}

/// Returns the requested view of a held-out example of a model that generates tokens; `other` is
/// the second run of a view of two runs.
///
/// GPU–CPU sync point.
pub(crate) async fn of_example(
    trainer: &Trainer,
    other: Option<&Inference>,
    request: &ViewRequest,
) -> Result<ViewUpdate, SessionError> {
    if let View::Beside {
        site,
        head,
        level,
        text,
    } = &request.view
    {
        let choice = beside::Choice {
            site: *site,
            head: *head,
            level: *level,
            text: text.as_deref(),
        };
        return beside::of_sentence(trainer, other, request, choice).await;
    }
    let (tokenizer, held_out) = (trainer.tokenizer(), trainer.held_out());
    let generation = generation(tokenizer);
    let example = &held_out.examples()[request.example];
    let Some((attended, trace)) = pass(&trainer.inference(), example, &request.view) else {
        // A reader's examples are questions, whose views its pipeline makes.
        return Ok(ViewUpdate::default());
    };
    let mut rows = example.target.clone();
    let mut target = held_out.target_tokens(request.example);
    if generation.ends_with_eos() {
        rows.push(EOS);
        target.extend(tokenizer.target_tokens(&[EOS]));
    }
    let tensors = match &request.view {
        View::Probabilities | View::Answer => ViewTensors::Probabilities([
            attended.probabilities(&rows),
            attended.largest_probabilities(),
        ]),
        View::Arrows { site, heads, .. } => {
            let sites = &attended.sites;
            ViewTensors::Arrows(Arrows::of(trainer, example, sites, *site, *heads))
        }
        view => ViewTensors::choose(view, trainer, &attended.sites, trace, rows.len()),
    };
    let transaction = Transaction::default().register(attended.predicted());
    let transaction = tensors.register(transaction);
    let mut data = transaction.execute_async().await?.into_iter();
    let predicted = data.next().map_or_else(Vec::new, |data| {
        data.iter::<i64>().map(|id| id as u32).collect()
    });
    let chosen = generation.predicted(&predicted, rows.len());
    let outline = |site: &SiteWeights| outline(site, rows.len());
    Ok(ViewUpdate {
        step: trainer.step_count(),
        request: request.clone(),
        source: held_out.source_tokens(request.example),
        target,
        text: tokenizer.target_text(chosen),
        reference: held_out.target(request.example),
        is_right: held_out.is_right(request.example, chosen),
        unknown: held_out.unknown(request.example),
        sites: attended.sites.iter().map(outline).collect(),
        data: tensors.read(tokenizer, &predicted, &mut data),
    })
}

/// Passes an example through the model, and records what this view needs besides the attention;
/// `None` if the model is a reader.
fn pass(inference: &Inference, example: &Example, view: &View) -> Option<(Attended, Trace)> {
    let (source, target) = (&example.source, &example.target);
    let mut trace = Trace::default();
    let attended = match view {
        View::Network { .. } => {
            let (attended, changes) = inference.trace(source, target)?;
            trace.changes = changes;
            attended
        }
        View::Cell { .. } => {
            let (attended, rows) = inference.trace_rows(source, target)?;
            trace.rows = rows;
            attended
        }
        _ => inference.attend(source, target)?,
    };
    Some((attended, trace))
}

impl ViewTensors {
    /// Selects the data of a view from these sites; sites of the decoder are cut to their first
    /// `rows` rows. Empty for a view of token probabilities, which needs no sites.
    pub fn choose(
        view: &View,
        trainer: &Trainer,
        sites: &[SiteWeights],
        trace: Trace,
        rows: usize,
    ) -> Self {
        let levels = sites.iter().map(|it| (it.site, it.weights.levels()));
        let notable = || notable_site(levels).map(|place| &sites[place]);
        let named = |name: Option<SiteName>| sites.iter().find(|it| Some(it.site) == name);
        match view {
            View::Site { site, head, level } => {
                let site = named(*site).or_else(notable);
                let part = site.map(|site| SiteTensors::one(site, rows, *head, *level));
                Self::Sites(part.into_iter().collect())
            }
            View::Overview => {
                let small = |site| SiteTensors::all(site, rows, LEVELS_SHOWN).small();
                Self::Sites(sites.iter().map(small).collect())
            }
            View::Shares => Self::Shares(Shares::of(sites, rows)),
            View::Descent { site, head, row } => {
                let descends = |it: &&SiteWeights| it.weights.descent().is_some();
                let site = named(*site).filter(descends);
                let site = site.or_else(|| sites.iter().find(descends));
                Self::Descent(site.and_then(|site| {
                    // Rows after the last token are not shown.
                    let [_, shown, _] = shape(site, rows);
                    DescentPath::of(site, *head, (*row).min(shown - 1))
                }))
            }
            View::Probabilities | View::Answer | View::Beside { .. } => Self::Sites(Vec::new()),
            // Only a generated example has arrows.
            View::Arrows { .. } => Self::Arrows(None),
            View::Norms => Self::Norms(trainer.norms()),
            View::Cell {
                site,
                head,
                level,
                row,
                column,
            } => {
                let place = Place {
                    head: *head,
                    level: *level,
                    row: *row,
                    column: *column,
                };
                let site = named(*site).or_else(notable);
                Self::Cell(site.map(|site| {
                    let read = trace.rows.get(&site.site);
                    let inputs = read.and_then(|it| trainer.inference().inputs(site.site, it));
                    Cell::of(site, inputs, place, rows)
                }))
            }
            View::Rollout { row } => Self::Rollout(Rollout::of(sites, *row, rows)),
            View::Network { site } => {
                let chosen = named(*site).or_else(notable);
                Self::Network(Network::of(sites, chosen, trace.changes, rows))
            }
        }
    }

    pub fn register(&self, transaction: Transaction) -> Transaction {
        match self {
            Self::Sites(parts) => parts.iter().fold(transaction, |all, it| it.register(all)),
            Self::Shares(shares) => shares.register(transaction),
            Self::Descent(path) => match path {
                Some(path) => path.register(transaction),
                None => transaction,
            },
            Self::Cell(cell) => match cell {
                Some(cell) => cell.register(transaction),
                None => transaction,
            },
            Self::Arrows(arrows) => match arrows {
                Some(arrows) => arrows.register(transaction),
                None => transaction,
            },
            Self::Probabilities(of) => of
                .iter()
                .fold(transaction, |all, it| all.register(it.clone())),
            Self::Norms(norms) => norms::register(norms, transaction),
            Self::Network(network) => network.register(transaction),
            Self::Rollout(rollout) => {
                let sites = rollout.sites.iter();
                sites.fold(transaction, |all, it| it.register(all))
            }
        }
    }

    pub fn read(
        self,
        tokenizer: &Tokenizer,
        predicted: &[u32],
        data: &mut impl Iterator<Item = TensorData>,
    ) -> ViewData {
        match self {
            Self::Sites(parts) => {
                ViewData::Sites(parts.into_iter().map(|it| it.read(data)).collect())
            }
            Self::Shares(shares) => ViewData::Shares(shares.read(data)),
            Self::Descent(path) => ViewData::Descent(path.map(|path| path.read(data))),
            Self::Probabilities(_) => {
                let mut numbers = || -> Vec<f32> {
                    let data = data.next();
                    data.map_or_else(Vec::new, |data| data.iter::<f32>().collect())
                };
                let (right, largest) = (numbers(), numbers());
                let rows = right.into_iter().zip(predicted).zip(largest);
                let token = |((probability, &id), choice_probability)| TokenView {
                    probability,
                    choice: tokenizer.target_tokens(&[id]).concat(),
                    choice_probability,
                };
                ViewData::Probabilities(rows.map(token).collect())
            }
            Self::Norms(norms) => ViewData::Norms(norms::read(&norms, data)),
            Self::Network(network) => ViewData::Network(network.read(data)),
            Self::Rollout(rollout) => ViewData::Rollout(rollout.read(data)),
            Self::Cell(cell) => ViewData::Cell(cell.map(|it| it.read(data))),
            Self::Arrows(arrows) => ViewData::Arrows(arrows.map(|it| it.read(predicted, data))),
        }
    }
}

pub(crate) fn outline(site: &SiteWeights, rows: usize) -> SiteOutline {
    let [heads, rows, columns] = shape(site, rows);
    SiteOutline {
        site: site.site,
        heads,
        levels: site.weights.levels(),
        rows,
        columns,
        mixes: site.weights.mix().is_some(),
        descends: site.weights.descent().is_some(),
    }
}
