//! Vectors of words from their characters: by a convolution (Kim 2014; Seo et al. 2017, 2.1) or by
//! a bidirectional GRU (Wang et al. 2017, 3.1).

use burn::module::{Module, Param};
use burn::tensor::module::embedding;
use burn::tensor::{Device, Tensor, TensorData};
use strata_attention::ParamInit;
use strata_kernels::rectified_linear;

use crate::{CellKind, PAD, Recurrent, RecurrentConfig, Tokens};

/// Bound of the initial embeddings, which gives them variance 1, as PyTorch's embeddings have.
const BOUND: f64 = 1.732;

/// Sizes of a layer that reads characters.
#[derive(Clone, Copy, Debug)]
pub struct CharactersConfig {
    /// Width of a character's embedding, c.
    pub embedding: usize,
    /// Width of the result of a convolution, or of a direction of the GRU.
    pub filters: usize,
    /// Number of characters that a convolution reads at once, k; `None` if a GRU reads them.
    pub kernel: Option<usize>,
}

/// Layer that makes vectors of words from their characters.
#[derive(Module, Debug)]
pub struct Characters {
    /// Embedding of characters, `[V, c]`.
    pub table: Param<Tensor<2>>,
    /// Layer that reads the embedded characters.
    pub reader: CharacterReader,
}

/// Layer that reads embedded characters.
#[derive(Module, Debug)]
pub enum CharacterReader {
    /// Convolution, and its maximum over all positions.
    Convolution(Convolution),
    /// GRU, and its last states of both directions.
    Gru(Recurrent),
}

/// Convolution with ReLU, and its maximum over all positions where the kernel fits.
#[derive(Module, Debug)]
pub struct Convolution {
    /// Weight of the convolution, `[k · c, F]`; the rows of the first of k characters come first.
    pub weight: Param<Tensor<2>>,
    /// Bias of the convolution, `[F]`.
    pub bias: Param<Tensor<1>>,
}

impl CharactersConfig {
    /// Width of the result, R.
    pub fn width(&self) -> usize {
        match self.kernel {
            Some(_) => self.filters,
            None => 2 * self.filters,
        }
    }

    /// Counts the parameters of the table, and the parameters of the layer.
    pub(super) fn parameters(&self, vocabulary: usize) -> [u64; 2] {
        let table = vocabulary as u64 * self.embedding as u64;
        let layer = match self.kernel {
            Some(kernel) => ((kernel * self.embedding + 1) as u64) * self.filters as u64,
            None => self.gru().parameters(),
        };
        [table, layer]
    }

    fn gru(&self) -> RecurrentConfig {
        RecurrentConfig {
            cell: CellKind::Gru,
            input: self.embedding,
            hidden: self.filters,
            bidirectional: true,
        }
    }

    pub(super) fn init(&self, vocabulary: usize, init: &mut ParamInit) -> Characters {
        Characters {
            table: init.uniform([vocabulary, self.embedding], BOUND),
            reader: match self.kernel {
                Some(kernel) => CharacterReader::Convolution(Convolution {
                    weight: init.xavier(kernel * self.embedding, self.filters),
                    bias: init.zeros([self.filters]),
                }),
                None => CharacterReader::Gru(self.gru().init(init)),
            },
        }
    }
}

impl Characters {
    /// Computes vectors of words: characters `[W, C]` → `[W, R]`.
    pub fn forward(&self, words: &Tokens, device: &Device) -> Tensor<2> {
        let x = embedding(self.table.val(), words.tensor(device)); // [W, C, c]
        match &self.reader {
            CharacterReader::Convolution(convolution) => convolution.forward(x, words),
            CharacterReader::Gru(gru) => gru.forward(x, Some(&words.lengths()), None).last.hidden,
        }
    }
}

impl Convolution {
    /// Computes vectors of words. Words shorter than k are followed by zeros.
    ///
    /// # Shapes
    /// - characters `[W, C, c]` → `[W, F]`
    fn forward(&self, characters: Tensor<3>, words: &Tokens) -> Tensor<2> {
        let [w, length, width] = characters.dims();
        let (device, dtype) = (characters.device(), characters.dtype());
        let kernel = self.weight.dims()[0] / width;
        let real = |id: &u32| f32::from(u8::from(*id != PAD));
        let real: Vec<f32> = words.ids().iter().map(real).collect();
        let real = Tensor::<3>::from_data(TensorData::new(real, [w, length, 1]), &device);
        let characters = characters * real.cast(dtype); // [W, C, c]
        let characters = match kernel.saturating_sub(length) {
            0 => characters,
            missing => {
                let zeros = Tensor::zeros([w, missing, width], (&device, dtype));
                Tensor::cat(vec![characters, zeros], 1) // [W, k, c]
            }
        };
        let places = characters.dims()[1] + 1 - kernel;
        let windows = (0..kernel).map(|at| characters.clone().narrow(1, at, places));
        let windows = Tensor::cat(windows.collect(), 2); // [W, places, k·c]
        let found = rectified_linear(windows, self.weight.val(), self.bias.val()); // [W, places, F]
        // Positions beyond the last one that fits count as 0, below which no rectified number is.
        let fits = words.lengths().into_iter().flat_map(|length| {
            let fitting = length.max(kernel) + 1 - kernel;
            (0..places).map(move |at| f32::from(u8::from(at < fitting)))
        });
        let fits = TensorData::new(fits.collect::<Vec<f32>>(), [w, places, 1]);
        let fits = Tensor::<3>::from_data(fits, &device).cast(dtype);
        (found * fits).max_dim(1).squeeze_dim(1) // [W, F]
    }
}
