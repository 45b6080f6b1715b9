//! Choice of the embedding tables to train; some may begin with pretrained vectors.

use serde::{Deserialize, Serialize};
use strata_describe::options;

use super::ModelConfig;

options! {
    /// Training of the embeddings of tokens.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EmbeddingTraining {
        /// Those read from a file stay, others are trained.
        #[title = "Unless read"]
        #[help = "Those read from a file stay as they are, others are trained."]
        Auto = "auto",
        /// Trained.
        #[title = "Yes"]
        Yes = "yes",
        /// Not trained.
        #[title = "No"]
        No = "no",
    }
}

impl EmbeddingTraining {
    /// True if an embedding table stays unchanged in training; `is_read` says that it began with
    /// pretrained vectors.
    pub fn keeps(self, is_read: bool) -> bool {
        match self {
            Self::Auto => is_read,
            Self::Yes => false,
            Self::No => true,
        }
    }
}

impl ModelConfig {
    /// Setting that decides whether the model's token embeddings are trained.
    pub fn train_embeddings(&self) -> EmbeddingTraining {
        match self {
            Self::Seq2Seq(config) => config.train_embeddings,
            Self::Transformer(config) => config.train_embeddings,
            Self::RecurrentLm(config) => config.train_embeddings,
            Self::TransformerLm(config) => config.train_embeddings,
            Self::Bidaf(config) => config.train_embeddings,
            Self::MatchLstm(config) => config.train_embeddings,
            Self::Rnet(config) => config.train_embeddings,
            Self::Tagger(config) => config.train_embeddings,
            // RNNPG begins with vectors of its poems, and trains them.
            Self::Rnnpg(_) => EmbeddingTraining::Yes,
        }
    }

    /// Sets whether token embeddings are trained. Does nothing for a model without this setting.
    pub fn set_train_embeddings(&mut self, training: EmbeddingTraining) {
        let setting = match self {
            Self::Seq2Seq(config) => &mut config.train_embeddings,
            Self::Transformer(config) => &mut config.train_embeddings,
            Self::RecurrentLm(config) => &mut config.train_embeddings,
            Self::TransformerLm(config) => &mut config.train_embeddings,
            Self::Bidaf(config) => &mut config.train_embeddings,
            Self::MatchLstm(config) => &mut config.train_embeddings,
            Self::Rnet(config) => &mut config.train_embeddings,
            Self::Tagger(config) => &mut config.train_embeddings,
            Self::Rnnpg(_) => return,
        };
        *setting = training;
    }

    /// Name of the setting that holds the width of the model's embeddings.
    pub fn embedding_setting(&self) -> &'static str {
        match self {
            Self::Transformer(_) | Self::TransformerLm(_) | Self::Rnnpg(_) | Self::Tagger(_) => {
                "width"
            }
            _ => "embedding",
        }
    }
}
