//! The arrows of the task `hops` beside the attention that follows the arrows.
//!
//! If each row i of a level A has its largest weight at p(i), the place to which place i points,
//! Aᴺ has it at pᴺ(i), and the value there names p once more: N levels answer pᴺ⁺¹.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{EncoderCell, ModelConfig, Site, SiteName, SiteWeights};
use strata_tasks::{Example, HopsConfig, TaskConfig};
use strata_training::Trainer;

use crate::protocol::{ArrowsView, HeadChoice, LargestView, SiteView};

/// Most levels whose largest weights are read.
const LEVELS: usize = 16;
/// Number of first levels whose maps are shown beside that of the last.
const FIRST_MAPS: usize = 3;

/// Arrows of an example and the attention of a site, still on the device.
pub(crate) struct Arrows {
    site: SiteName,
    /// Number of heads of the site, H.
    heads: usize,
    choice: HeadChoice,
    levels: usize,
    trained: usize,
    followed: Option<usize>,
    has_powers: bool,
    task: HopsConfig,
    /// Place to which each place points, p: `[n]`.
    pointers: Vec<usize>,
    asked: Option<usize>,
    level_numbers: Vec<usize>,
    /// Weights among the places, `[1, H or 1, n, n]`, one tensor for each of `level_numbers`.
    weights: Vec<Tensor<4>>,
}

impl Arrows {
    /// Selects the attention of an encoder's self-attention, the first if there is none of this
    /// name; `None` if the task has no arrows, or the model no such site.
    pub fn of(
        trainer: &Trainer,
        example: &Example,
        sites: &[SiteWeights],
        site: Option<SiteName>,
        choice: HeadChoice,
    ) -> Option<Self> {
        let experiment = trainer.experiment();
        let TaskConfig::Hops(task) = &experiment.task else {
            return None;
        };
        let in_encoder = |it: &&SiteWeights| it.site.place == Site::EncoderSelf;
        let named = sites.iter().filter(in_encoder);
        let named = named.clone().find(|it| Some(it.site) == site);
        let site = named.or_else(|| sites.iter().find(in_encoder))?;
        let pointers = pointers(&task.named_places(&example.source))?;
        let (n, before) = (pointers.len(), task.tokens_before());
        let [_, heads, rows, columns] = site.weights.dims();
        if rows < before + n || columns < before + n {
            return None;
        }
        let choice = match choice {
            HeadChoice::One(head) if head >= heads => HeadChoice::Clearest,
            choice => choice,
        };
        let level = |&number: &usize| {
            let weights = site.weights.level(number);
            let weights = weights.narrow(2, before, n).narrow(3, before, n);
            match choice {
                HeadChoice::Clearest => weights,
                HeadChoice::Mean => weights.mean_dim(1),
                HeadChoice::One(head) => weights.narrow(1, head, 1),
            }
        };
        let levels = site.weights.levels();
        let level_numbers = level_numbers(levels);
        let trained = trainer.levels().into_iter().find(|it| it.site == site.site);
        let targets = task.named_places(&example.target);
        Some(Self {
            site: site.site,
            heads,
            choice,
            levels,
            trained: trained.map_or(levels, |it| it.trained),
            followed: followed(&experiment.model, site),
            has_powers: has_powers(&experiment.model),
            asked: asked(task, &pointers, &targets),
            task: task.clone(),
            weights: level_numbers.iter().map(level).collect(),
            pointers,
            level_numbers,
        })
    }

    /// Registers the weights with a transaction.
    pub fn register(&self, transaction: Transaction) -> Transaction {
        let weights = self.weights.iter().cloned();
        weights.fold(transaction, Transaction::register)
    }

    /// Builds the view from the weights read; `predicted` are the tokens that the model chooses in
    /// all rows.
    pub fn read(
        self,
        predicted: &[u32],
        data: &mut impl Iterator<Item = TensorData>,
    ) -> ArrowsView {
        let n = self.pointers.len();
        let levels = data.take(self.weights.len());
        let levels: Vec<Vec<f32>> = levels.map(|level| level.iter::<f32>().collect()).collect();
        let (read, head) = match self.choice {
            HeadChoice::Clearest => {
                let clearest = clearest(&levels, &self.pointers);
                (clearest, Some(clearest))
            }
            HeadChoice::Mean => (0, None),
            HeadChoice::One(head) => (0, Some(head)),
        };
        let matrices = levels.iter().map(|level| of_head(level, n, read));
        let numbered = self.level_numbers.iter().copied().zip(matrices);
        let of_level = |(level, matrix): (usize, &[f32])| {
            let largest = matrix.chunks(n.max(1)).map(largest);
            let (keys, weights) = largest.unzip();
            LargestView {
                level,
                keys,
                weights,
            }
        };
        let last = self.level_numbers.last().copied();
        let is_shown =
            |(number, _): &(usize, &[f32])| *number <= FIRST_MAPS || Some(*number) == last;
        let maps: Vec<(usize, &[f32])> = numbered.clone().filter(is_shown).collect();
        let answers = self.task.named_places(predicted).into_iter();
        let mut answers: Vec<_> = answers.map(|place| place.filter(|&it| it < n)).collect();
        answers.resize(n, None);
        ArrowsView {
            heads: self.heads,
            head,
            levels: self.levels,
            trained: self.trained,
            names: (0..n).map(|place| self.task.name_of(place)).collect(),
            asked: self.asked,
            followed: self.followed,
            has_powers: self.has_powers,
            answers,
            largest: numbered.map(of_level).collect(),
            maps: SiteView {
                site: self.site,
                heads: 1,
                levels: self.levels,
                level_numbers: maps.iter().map(|(number, _)| *number).collect(),
                rows: n,
                columns: n,
                weights: maps
                    .iter()
                    .flat_map(|(_, matrix)| *matrix)
                    .copied()
                    .collect(),
                positions: Vec::new(),
            },
            pointers: self.pointers,
        }
    }
}

/// Returns p if each of the n places names a place.
fn pointers(named: &[Option<usize>]) -> Option<Vec<usize>> {
    let among = |place: &Option<usize>| place.filter(|place| *place < named.len());
    let pointers: Option<Vec<usize>> = named.iter().map(among).collect();
    pointers.filter(|pointers| !pointers.is_empty())
}

/// Returns the smallest number of arrows of the task that leads from every place to the place's
/// target.
fn asked(task: &HopsConfig, pointers: &[usize], targets: &[Option<usize>]) -> Option<usize> {
    let mut at: Vec<usize> = (0..pointers.len()).collect();
    let (first, last) = (task.hops.first(), task.hops.last());
    (1..=last).find_map(|hops| {
        at.iter_mut().for_each(|place| *place = pointers[*place]);
        let is_target = at.len() == targets.len()
            && at
                .iter()
                .zip(targets)
                .all(|(place, target)| Some(*place) == *target);
        (hops >= first && is_target).then_some(hops as usize)
    })
}

/// Returns the number of arrows that N levels and the values follow; `None` unless the site is the
/// only attention of the model and the last level alone is the result.
fn followed(model: &ModelConfig, site: &SiteWeights) -> Option<usize> {
    let is_only = match model {
        ModelConfig::Tagger(tagger) => {
            tagger.cell == EncoderCell::None && tagger.layers == 1 && tagger.loops == 1
        }
        _ => false,
    };
    let is_last = site.weights.mix().is_none() && site.weights.descent().is_none();
    (is_only && is_last).then_some(site.weights.levels() + 1)
}

/// True if level i of the encoder's self-attention has the weights Aⁱ.
fn has_powers(model: &ModelConfig) -> bool {
    let mechanism = match model {
        ModelConfig::Tagger(tagger) => &tagger.encoder_self,
        ModelConfig::Transformer(transformer) => &transformer.encoder_self,
        _ => return false,
    };
    mechanism.name() == "multilevel"
}

/// Returns all levels 1 ..= `levels`, or the first ones and the last.
fn level_numbers(levels: usize) -> Vec<usize> {
    let first = if levels <= LEVELS { levels } else { LEVELS - 1 };
    let last = (levels > first).then_some(levels);
    (1..=first).chain(last).collect()
}

/// Returns the matrix `[n, n]` of a head out of `[heads, n, n]`.
fn of_head(level: &[f32], n: usize, head: usize) -> &[f32] {
    level
        .get(head * n * n..(head + 1) * n * n)
        .unwrap_or_default()
}

/// Returns the column with the largest weight, and the weight.
fn largest(row: &[f32]) -> (usize, f32) {
    let weights = row.iter().copied().enumerate();
    // Of equal weights the first is taken.
    let found = weights.rev().max_by(|a, b| a.1.total_cmp(&b.1));
    found.unwrap_or_default()
}

/// Returns the head whose first level has the largest weights on the most arrows; of equal heads
/// the head with the larger weights on the arrows.
fn clearest(levels: &[Vec<f32>], pointers: &[usize]) -> usize {
    let n = pointers.len();
    let Some(first) = levels.first() else {
        return 0;
    };
    let clarity = |head: usize| {
        let rows = of_head(first, n, head).chunks(n).zip(pointers);
        rows.fold((0_usize, 0.0_f32), |(arrows, sum), (row, &to)| {
            let follows = largest(row).0 == to;
            (arrows + usize::from(follows), sum + row[to])
        })
    };
    let heads = (0..first.len() / (n * n)).map(|head| (head, clarity(head)));
    let found = heads
        .rev()
        .max_by(|(_, (one, one_sum)), (_, (other, other_sum))| {
            one.cmp(other).then(one_sum.total_cmp(other_sum))
        });
    found.map_or(0, |(head, _)| head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_tasks::WholeRange;

    #[test]
    fn of_many_levels_the_first_and_the_last_are_read() {
        assert_eq!(level_numbers(1), [1]);
        assert_eq!(level_numbers(16).len(), 16);
        let many = level_numbers(1000);
        assert_eq!((many.len(), many[14], many[15]), (16, 15, 1000));
    }

    #[test]
    fn the_head_on_the_arrows_is_clearest_however_sharp_another_is() {
        let pointers = [1, 2, 0];
        let itself = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let arrows = [0.3, 0.4, 0.3, 0.3, 0.3, 0.4, 0.4, 0.3, 0.3];
        let level = [itself, arrows].concat();
        assert_eq!(clearest(&[level], &pointers), 1);
        let sharper = [0.1, 0.8, 0.1, 0.1, 0.1, 0.8, 0.8, 0.1, 0.1];
        assert_eq!(clearest(&[[arrows, sharper].concat()], &pointers), 1);
        assert_eq!(clearest(&[[arrows, arrows].concat()], &pointers), 0);
        assert_eq!(clearest(&[], &pointers), 0);
    }

    #[test]
    fn the_number_of_arrows_is_found_among_those_of_the_task() {
        let task = |first, last| HopsConfig {
            hops: WholeRange::new(first, last).unwrap_or(WholeRange::one(2)),
            ..HopsConfig::default()
        };
        let pointers = [1, 2, 3, 0];
        let of = |shift: usize| (0..4).map(|at| Some((at + shift) % 4)).collect::<Vec<_>>();
        assert_eq!(asked(&task(2, 2), &pointers, &of(2)), Some(2));
        assert_eq!(asked(&task(2, 5), &pointers, &of(3)), Some(3));
        // p¹ is also p⁵, and the task asks for 2 to 5.
        assert_eq!(asked(&task(2, 5), &pointers, &of(1)), Some(5));
        assert_eq!(asked(&task(2, 2), &pointers, &of(1)), None);
        assert_eq!(asked(&task(2, 2), &pointers, &of(2)[..3]), None);
    }

    #[test]
    fn only_places_of_the_source_are_pointed_to() {
        assert_eq!(pointers(&[Some(1), Some(0)]), Some(vec![1, 0]));
        assert_eq!(pointers(&[Some(2), Some(0)]), None);
        assert_eq!(pointers(&[None, Some(0)]), None);
        assert_eq!(pointers(&[]), None);
    }
}
