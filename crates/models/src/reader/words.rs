//! Word layer of a reader: embeddings of words, concatenated with vectors of their characters,
//! through highway layers (Seo et al. 2017, 2.1 and 2.2; Wang et al. 2017, 3.1).

use std::collections::HashMap;
use std::hash::Hash;

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::sigmoid;
use burn::tensor::module::embedding;
use burn::tensor::{Device, Int, Tensor, TensorData};
use strata_attention::ParamInit;
use strata_kernels::{apply, apply_rectified};

use super::characters::{Characters, CharactersConfig};
use crate::Tokens;

/// Bound of the initial embeddings, which gives them variance 1, as PyTorch's embeddings have.
const BOUND: f64 = 1.732;

/// Texts as a reader reads them: words, and the characters of each word.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadText {
    /// Ids of the words, `[B, T]`.
    pub words: Tokens,
    /// Characters of each word; `None` if the model reads only words.
    pub spelling: Option<Spelling>,
}

/// Characters of the words of some texts; each different word is stored once.
#[derive(Clone, Debug, PartialEq)]
pub struct Spelling {
    /// Character ids of the different words, `[W, C]`.
    pub distinct: Tokens,
    /// Row in `distinct` of each of the `B · T` positions.
    pub rows: Vec<u32>,
}

impl Spelling {
    /// Collects the different words among all positions, given row by row; padding is an empty
    /// word.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let (distinct, rows) = distinct(words);
        Self {
            distinct: Tokens::pad(&distinct),
            rows,
        }
    }
}

/// Returns the different items in the order of their first positions, and the row of each
/// position's item among them.
fn distinct<T: Copy + Eq + Hash>(items: impl IntoIterator<Item = T>) -> (Vec<T>, Vec<u32>) {
    let mut known = HashMap::new();
    let mut distinct = Vec::new();
    let row = |item| {
        *known.entry(item).or_insert_with(|| {
            distinct.push(item);
            distinct.len() as u32 - 1
        })
    };
    let rows = items.into_iter().map(row).collect();
    (distinct, rows)
}

/// Settings of a word layer.
#[derive(Clone, Copy, Debug)]
pub struct WordLayerConfig {
    /// Number of words in the vocabulary.
    pub vocabulary: usize,
    /// Width of a word's embedding, E.
    pub embedding: usize,
    /// Layer that reads the characters, and the size of their vocabulary; `None` without such a
    /// layer.
    pub characters: Option<(CharactersConfig, usize)>,
    /// Number of highway layers.
    pub highway: usize,
}

/// Layer that maps words to vectors.
#[derive(Module, Debug)]
pub struct WordLayer {
    /// Embedding of words, `[V, E]`.
    pub table: Param<Tensor<2>>,
    /// Layer over the characters; `None` if only words are read.
    pub characters: Option<Characters>,
    /// Highway layers over the concatenated vectors.
    pub highway: Vec<Highway>,
}

/// Highway layer y = g ∘ ReLU(W_t x + b_t) + (1 − g) ∘ x, g = σ(W_g x + b_g) (Srivastava et al.
/// 2015).
#[derive(Module, Debug)]
pub struct Highway {
    /// Transform, W_t and b_t.
    pub transform: Linear,
    /// Gate, W_g and b_g.
    pub gate: Linear,
}

impl WordLayerConfig {
    /// Width of the result, D.
    pub fn width(&self) -> usize {
        let characters = self.characters.map_or(0, |(config, _)| config.width());
        self.embedding + characters
    }

    /// Counts the parameters of the tables, and all other parameters.
    pub fn parameters(&self) -> [u64; 2] {
        let width = self.width() as u64;
        let highway = self.highway as u64 * 2 * width * (width + 1);
        let [table, layer] = self
            .characters
            .map_or([0; 2], |(config, vocabulary)| config.parameters(vocabulary));
        let words = self.vocabulary as u64 * self.embedding as u64;
        [words + table, layer + highway]
    }

    /// Draws the parameters of the layer.
    pub fn init(&self, init: &mut ParamInit) -> WordLayer {
        let width = self.width();
        WordLayer {
            table: init.uniform([self.vocabulary, self.embedding], BOUND),
            characters: self
                .characters
                .map(|(config, vocabulary)| config.init(vocabulary, init)),
            highway: (0..self.highway)
                .map(|_| Highway::new(width, init))
                .collect(),
        }
    }
}

impl WordLayer {
    /// Computes the vectors of all words. `trained` is false if the word embeddings are frozen.
    ///
    /// A word has the same vector at each position, so each different word is computed once.
    ///
    /// # Shapes
    /// - text `[B, T]` → `[B, T, D]`
    ///
    /// # Panics
    /// If the layer reads characters and the text has none.
    pub fn forward(&self, text: &ReadText, trained: bool, device: &Device) -> Tensor<3> {
        let table = if trained {
            self.table.val()
        } else {
            self.table.val().detach()
        };
        if self.characters.is_none() && self.highway.is_empty() {
            return embedding(table, text.words.tensor(device)); // [B, T, E]
        }
        let ids = text.words.ids().iter().copied();
        let (vectors, places) = match &self.characters {
            None => {
                let (words, places) = distinct(ids);
                (table.select(0, rows(&words, device)), places) // [W, E]
            }
            Some(layer) => {
                let spelling = text.spelling.as_ref().expect("the text has its characters");
                // Unknown words share an id but not their characters, so words are distinguished by
                // both.
                let (words, places) = distinct(ids.zip(spelling.rows.iter().copied()));
                let (words, spelt): (Vec<u32>, Vec<u32>) = words.into_iter().unzip();
                let read = layer.forward(&spelling.distinct, device);
                let parts = vec![
                    table.select(0, rows(&words, device)),
                    read.select(0, rows(&spelt, device)), // [W, R]
                ];
                (Tensor::cat(parts, 1), places) // [W, E + R]
            }
        };
        let read = |x, layer: &Highway| layer.forward(x);
        let vectors = self.highway.iter().fold(vectors, read); // [W, D]
        let [b, t] = [text.words.rows(), text.words.columns()];
        let width = vectors.dims()[1];
        let vectors = vectors.select(0, rows(&places, device)); // [B·T, D]
        vectors.reshape([b, t, width])
    }
}

fn rows(rows: &[u32], device: &Device) -> Tensor<1, Int> {
    let ids: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
    Tensor::from_data(TensorData::new(ids, [rows.len()]), device)
}

impl Highway {
    fn new(width: usize, init: &mut ParamInit) -> Self {
        Self {
            transform: init.linear(width, width),
            gate: init.linear(width, width),
        }
    }

    /// Applies the highway layer: `[W, D]` → `[W, D]`.
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let gate = sigmoid(apply(&self.gate, x.clone()));
        let transformed = apply_rectified(&self.transform, x.clone());
        // x + g ∘ (t − x)
        x.clone() + gate * (transformed - x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_vector_wherever_it_stands_and_unknown_ones_have_their_own() {
        let device = Device::flex();
        let characters = CharactersConfig {
            embedding: 3,
            filters: 4,
            kernel: Some(2),
        };
        let config = WordLayerConfig {
            vocabulary: 6,
            embedding: 2,
            characters: Some((characters, 9)),
            highway: 2,
        };
        let layer = config.init(&mut ParamInit::new(1, &device));
        let vectors = |words: &[&[u32]], spelt: &[&[u32]]| -> Vec<f32> {
            let text = ReadText {
                words: Tokens::pad(words),
                spelling: Some(Spelling::of(spelt.iter().copied())),
            };
            let vectors = layer.forward(&text, true, &device);
            vectors.into_data().iter().collect()
        };
        // Word 1 is the unknown word; 0 is padding.
        let spelt: [&[u32]; 6] = [&[3, 4], &[5, 6], &[7, 8], &[3, 4], &[5, 6], &[]];
        let both = vectors(&[&[4, 1, 1], &[4, 1]], &spelt);
        let row = |at: usize| &both[at * 6..(at + 1) * 6];
        assert_eq!(row(0), row(3));
        assert_eq!(row(1), row(4));
        assert_ne!(row(1), row(2));
        for (at, (word, spelt)) in [4, 1, 1].into_iter().zip(spelt).enumerate() {
            let alone = vectors(&[&[word]], &[spelt]);
            let pairs = alone.iter().zip(row(at));
            assert!(
                pairs.clone().all(|(a, b)| (a - b).abs() < 1e-6),
                "{at}: {alone:?}"
            );
        }
    }

    #[test]
    fn each_different_word_is_spelt_once() {
        let words: [&[u32]; 5] = [&[3, 4], &[], &[5], &[3, 4], &[]];
        let spelling = Spelling::of(words);
        assert_eq!(spelling.rows, [0, 1, 2, 0, 1]);
        assert_eq!(
            spelling.distinct,
            Tokens::pad(&[vec![3, 4], vec![], vec![5]])
        );
    }
}
