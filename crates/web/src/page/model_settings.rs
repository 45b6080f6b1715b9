//! The settings of each architecture.

use crate::page::fields::{Check, Number, Select};
use crate::page::mechanism::Mechanism;
use strata_attention::{Site, Widths};
use strata_models::{CellKind, ModelConfig, Seq2SeqConfig, TransformerConfig};
use yew::prelude::*;

/// The cells, their names in configurations and for people.
const CELLS: [(CellKind, &str, &str); 3] = [
    (CellKind::Gru, "gru", "GRU"),
    (CellKind::Lstm, "lstm", "LSTM"),
    (CellKind::Rnn, "rnn", "Simple recurrent"),
];

#[derive(Properties, PartialEq)]
pub struct ModelSettingsProperties {
    pub model: ModelConfig,
    pub onchange: Callback<ModelConfig>,
}

/// The fields of the model's architecture.
#[component]
pub fn ModelSettings(properties: &ModelSettingsProperties) -> Html {
    match &properties.model {
        ModelConfig::Seq2Seq(config) => {
            let changed = properties.onchange.reform(ModelConfig::Seq2Seq);
            seq2seq(config, &changed)
        }
        ModelConfig::Transformer(config) => {
            let changed = properties.onchange.reform(ModelConfig::Transformer);
            transformer(config, &changed)
        }
        // No preset of the page has a text to write on.
        ModelConfig::RecurrentLm(_) | ModelConfig::TransformerLm(_) => Html::default(),
    }
}

/// A callback that changes one thing of a configuration.
fn change<C: Clone + 'static, V: 'static>(
    config: &C,
    changed: &Callback<C>,
    set: fn(&mut C, V),
) -> Callback<V> {
    let config = config.clone();
    changed.reform(move |value| {
        let mut config = config.clone();
        set(&mut config, value);
        config
    })
}

fn seq2seq(config: &Seq2SeqConfig, changed: &Callback<Seq2SeqConfig>) -> Html {
    let number = |set: fn(&mut Seq2SeqConfig, f64)| change(config, changed, set);
    let cells: Vec<_> = CELLS
        .map(|(_, name, title)| (name.into(), title.into()))
        .into();
    let cell = CELLS.iter().find(|(cell, ..)| *cell == config.cell);
    let set_cell = |config: &mut Seq2SeqConfig, name: String| {
        if let Some((cell, ..)) = CELLS.iter().find(|(_, known, _)| *known == name) {
            config.cell = *cell;
        }
    };
    html! {
        <>
            <div class="fields">
                <Select id="cell" label="Cell" options={cells} value={cell.map_or("gru", |(_, name, _)| *name)}
                    onchange={change(config, changed, set_cell)} help="Of the encoder and the decoder." />
                <Number id="embedding" label="Embedding width" value={config.embedding as f64}
                    onchange={number(|config, value| config.embedding = value as usize)} />
                <Number id="encoder-hidden" label="Encoder width" value={config.encoder_hidden as f64}
                    onchange={number(|config, value| config.encoder_hidden = value as usize)} help="Both directions together." />
                <Number id="decoder-hidden" label="Decoder width" value={config.decoder_hidden as f64}
                    onchange={number(|config, value| config.decoder_hidden = value as usize)} />
                <Number id="layers" label="Layers" value={config.layers as f64}
                    onchange={number(|config, value| config.layers = value as usize)} help="Of the encoder, and of the decoder." />
                <Number id="dropout" label="Dropout" value={config.dropout} minimum={0.0} maximum={0.99} step="any"
                    onchange={number(|config, value| config.dropout = value)} />
                <Check id="bidirectional" label="Encoder reads both ways" checked={config.bidirectional}
                    onchange={change(config, changed, |config: &mut Seq2SeqConfig, on| config.bidirectional = on)} />
                <Check id="attend" label="Decoder attends" checked={config.attend}
                    onchange={change(config, changed, |config: &mut Seq2SeqConfig, on| config.attend = on)} />
                <Check id="input-feeding" label="Input feeding" checked={config.input_feeding}
                    onchange={change(config, changed, |config: &mut Seq2SeqConfig, on| config.input_feeding = on)} />
            </div>
            <div class="mechanisms">
                <Mechanism id="cross" label="Decoder to encoder" value={config.attention}
                    site={Site::Cross} widths={config.attention_widths()}
                    onchange={change(config, changed, |config: &mut Seq2SeqConfig, it| config.attention = it)} />
            </div>
        </>
    }
}

fn transformer(config: &TransformerConfig, changed: &Callback<TransformerConfig>) -> Html {
    let number = |set: fn(&mut TransformerConfig, f64)| change(config, changed, set);
    let head = Widths::all(config.width / config.heads.max(1));
    html! {
        <>
            <div class="fields">
                <Number id="width" label="Width" value={config.width as f64}
                    onchange={number(|config, value| config.width = value as usize)} help="D, of every layer." />
                <Number id="heads" label="Heads" value={config.heads as f64}
                    onchange={number(|config, value| config.heads = value as usize)} help="H; divides the width." />
                <Number id="layers" label="Layers" value={config.layers as f64}
                    onchange={number(|config, value| config.layers = value as usize)} help="Of the encoder, and of the decoder." />
                <Number id="feed-forward" label="Feed-forward width" value={config.feed_forward as f64}
                    onchange={number(|config, value| config.feed_forward = value as usize)} />
                <Number id="dropout" label="Dropout" value={config.dropout} minimum={0.0} maximum={0.99} step="any"
                    onchange={number(|config, value| config.dropout = value)} />
                <Check id="norm-first" label="Normalise before each block" checked={config.norm_first}
                    onchange={change(config, changed, |config: &mut TransformerConfig, on| config.norm_first = on)} />
                <Check id="tied" label="Output matrix is the embedding" checked={config.tied}
                    onchange={change(config, changed, |config: &mut TransformerConfig, on| config.tied = on)} />
            </div>
            <div class="mechanisms">
                <Mechanism id="encoder-self" label="Encoder to itself" value={config.encoder_self}
                    site={Site::EncoderSelf} widths={head}
                    onchange={change(config, changed, |config: &mut TransformerConfig, it| config.encoder_self = it)} />
                <Mechanism id="decoder-self" label="Decoder to its past" value={config.decoder_self}
                    site={Site::DecoderSelf} widths={head}
                    onchange={change(config, changed, |config: &mut TransformerConfig, it| config.decoder_self = it)} />
                <Mechanism id="cross" label="Decoder to encoder" value={config.cross}
                    site={Site::Cross} widths={head}
                    onchange={change(config, changed, |config: &mut TransformerConfig, it| config.cross = it)} />
            </div>
        </>
    }
}
