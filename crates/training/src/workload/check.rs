//! Refuses a workload that is not defined, before any of it is built.

use strata_attention::{Site, Widths};
use strata_models::{ModelConfig, Vocabularies};

use super::bench::vocabularies;
use super::definition::{
    AttentionLayerWorkload, DecodingWorkload, LayerAttention, LstmWorkload, ReaderWorkload,
    TransformerWorkload, Workload, WorkloadKind, WorkloadOptimizer,
};

use crate::size::check_size;

/// Largest value of any size.
const LARGEST: usize = 1 << 16;
/// Largest number of tokens of a step, or of elements of its inputs. A larger number is a typing
/// error.
const LARGEST_STEP: usize = 1 << 28;
/// Smallest vocabulary: BOS, padding and one symbol.
const SMALLEST_VOCABULARY: usize = 3;

type Checked = Result<(), String>;

impl Workload {
    pub(super) fn check(&self) -> Checked {
        sizes(&[("batch", self.batch), ("steps", self.steps as usize)])?;
        let [rows, width] = match &self.kind {
            WorkloadKind::Transformer(it) => {
                it.check()?;
                model(&it.config(), vocabularies(it.vocab))?;
                [it.source_len, 1]
            }
            WorkloadKind::LstmSeq2Seq(it) => {
                it.check()?;
                model(&it.config(), vocabularies(it.vocab))?;
                [it.source_len, 1]
            }
            WorkloadKind::Reader(it) => {
                it.check()?;
                model(&it.model, it.vocabularies())?;
                [it.passage_len + it.question_len, it.word_len]
            }
            WorkloadKind::Decoding(it) => {
                it.check()?;
                model(&it.model, it.vocabularies())?;
                [it.source_len + it.beam * it.target_len, 1]
            }
            WorkloadKind::AttentionLayer(it) => {
                it.check()?;
                [it.source_len + it.query_len, it.d_model]
            }
        };
        match self
            .batch
            .checked_mul(rows)
            .and_then(|it| it.checked_mul(width))
        {
            Some(all) if all <= LARGEST_STEP => Ok(()),
            _ => {
                Err("a step of this `batch` and length fits into no memory; lower them".to_owned())
            }
        }
    }
}

impl TransformerWorkload {
    fn check(&self) -> Checked {
        sizes(&[
            ("vocab", self.vocab),
            ("d_model", self.d_model),
            ("heads", self.heads),
            ("encoder_layers", self.encoder_layers),
            ("decoder_layers", self.decoder_layers),
            ("d_ff", self.d_ff),
        ])?;
        copying(self.vocab, self.source_len, self.target_len)?;
        only("final_norm", self.final_norm, false)?;
        only("tied_embeddings", self.tied_embeddings, false)?;
        only("dropout", self.dropout, 0.0)?;
        require(
            self.norm_eps > 0.0 && self.norm_eps.is_finite(),
            "`norm_eps` must be above 0",
        )?;
        self.optimizer.check()
    }
}

impl LstmWorkload {
    fn check(&self) -> Checked {
        sizes(&[
            ("vocab", self.vocab),
            ("d_embed", self.d_embed),
            ("encoder_hidden", self.encoder_hidden),
            ("decoder_hidden", self.decoder_hidden),
            ("attention.width", self.attention.width),
        ])?;
        copying(self.vocab, self.source_len, self.target_len)?;
        only("bidirectional", self.bidirectional, true)?;
        only("input_feeding", self.input_feeding, false)?;
        only("dropout", self.dropout, 0.0)?;
        require(
            self.decoder_hidden == 2 * self.encoder_hidden,
            "`decoder_hidden` must be twice `encoder_hidden`: the decoder begins with the states \
             of both directions",
        )?;
        self.optimizer.check()
    }
}

impl ReaderWorkload {
    fn check(&self) -> Checked {
        require(
            self.model.is_reader(),
            "`model.architecture` must be bidaf, match_lstm or rnet",
        )?;
        sizes(&[
            ("vocab", self.vocab),
            ("characters", self.characters),
            ("passage_len", self.passage_len),
            ("question_len", self.question_len),
            ("word_len", self.word_len),
        ])?;
        let enough = self.vocab.min(self.characters) >= SMALLEST_VOCABULARY;
        require(
            enough,
            "`vocab` and `characters` must be at least 3: two of their ids are no words",
        )?;
        only("model.dropout", self.model.dropout(), 0.0)?;
        require(
            self.clip_norm.is_finite() && self.clip_norm >= 0.0,
            "`clip_norm` must be a number from 0 on",
        )?;
        self.optimizer.check()
    }
}

impl DecodingWorkload {
    fn check(&self) -> Checked {
        require(
            matches!(
                self.model,
                ModelConfig::Transformer(_) | ModelConfig::Seq2Seq(_)
            ),
            "`model.architecture` must be transformer or seq2seq",
        )?;
        sizes(&[
            ("source_len", self.source_len),
            ("target_len", self.target_len),
        ])?;
        let search = self.search().check();
        search.map_err(|error| format!("`beam`: {error}"))?;
        require(
            self.vocab >= SMALLEST_VOCABULARY,
            "`vocab` must be at least 3: two of its ids are no symbols",
        )
    }
}

impl AttentionLayerWorkload {
    fn check(&self) -> Checked {
        let widths = Widths::all(self.d_model);
        let mechanism = self.config().check(Site::Cross, widths);
        mechanism.map_err(|error| format!("`attention`: {error}"))?;
        sizes(&[
            ("d_model", self.d_model),
            ("query_len", self.query_len),
            ("source_len", self.source_len),
        ])?;
        let LayerAttention::Pyramid {
            block,
            levels,
            beam,
            ..
        } = self.attention
        else {
            return Ok(());
        };
        only("attention.beam", beam, 1)?;
        let whole = u32::try_from(levels.wrapping_sub(1)).ok();
        let whole = whole.and_then(|above| block.checked_pow(above));
        require(
            whole.is_some_and(|whole| whole > 0 && self.source_len.is_multiple_of(whole)),
            "`source_len` must be a multiple of `block` to the power of `levels` - 1, both at \
             least 1",
        )
    }
}

impl WorkloadOptimizer {
    fn check(&self) -> Checked {
        only("optimizer.weight_decay", self.weight_decay, 0.0)
    }
}

/// Checks that the model can be built, and that it fits into memory.
fn model(config: &ModelConfig, vocabularies: Vocabularies) -> Checked {
    config.check().map_err(|error| error.to_string())?;
    check_size(config, vocabularies).map_err(|error| error.to_string())
}

fn copying(vocabulary: usize, source: usize, target: usize) -> Checked {
    sizes(&[("source_len", source), ("target_len", target)])?;
    require(
        source == target,
        "`source_len` and `target_len` must be equal to copy",
    )?;
    require(
        vocabulary >= SMALLEST_VOCABULARY,
        "`vocab` must be at least 3: two of its ids are no symbols",
    )
}

fn sizes(sizes: &[(&str, usize)]) -> Checked {
    let wrong = sizes.iter().find(|(_, size)| !(1..=LARGEST).contains(size));
    wrong.map_or(Ok(()), |(name, size)| {
        Err(format!(
            "`{name}` is {size}, but must lie between 1 and {LARGEST}"
        ))
    })
}

fn only<T: PartialEq + std::fmt::Display>(name: &str, value: T, defined: T) -> Checked {
    if value == defined {
        return Ok(());
    }
    Err(format!(
        "`{name}` is {value}, but only {defined} is defined"
    ))
}

fn require(holds: bool, sentence: &str) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(sentence.to_owned())
    }
}
