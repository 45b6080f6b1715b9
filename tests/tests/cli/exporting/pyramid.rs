//! Pyramids, in all forms.

use super::hub::hub_agrees;
use super::onnx::onnx_agrees;
use super::pytorch::agrees;
use super::*;

/// Settings of pyramids at one site: every summary, number of opened nodes, and way of sharing
/// scores, each with another score function.
const PYRAMIDS: [&str; 7] = [
    "",
    "block=2 levels=3 beam=2 score=additive",
    "summary=rnn block=2 levels=4 score=bilinear shared=true",
    "summary=rnn levels=3 beam=all score=trilinear",
    "summary=act block=2 levels=3 score=dot",
    "summary=act block=2 levels=4 beam=3 score=additive shared=true",
    "summary=act levels=3 beam=all score=trilinear",
];

/// Writes settings with a pyramid at each of these sites, each site with the next of [`PYRAMIDS`].
fn at(base: &str, sites: &[&str], first: usize) -> String {
    let mut all = base.to_owned();
    for (number, site) in sites.iter().enumerate() {
        all += &format!(" model.{site}.kind=pyramid");
        let pyramid = PYRAMIDS[(first + number) % PYRAMIDS.len()];
        for setting in pyramid.split_whitespace() {
            all += &format!(" model.{site}.{setting}");
        }
    }
    all
}

#[test]
fn pytorch_computes_pyramids() {
    let mut all = vec![
        // One level is plain attention, and a beam may be wider than a level.
        format!("{TAGGER} model.encoder_self.kind=pyramid model.encoder_self.levels=1"),
        format!("{TAGGER} model.encoder_self.kind=pyramid model.encoder_self.beam=9"),
        // Other mechanisms, positions and widths beside a pyramid.
        format!(
            "{TRANSFORMER} model.positions=rotary model.loops=2 model.encoder_self.kind=local \
             model.cross.kind=pyramid model.cross.beam=2"
        ),
        format!(
            "{SEQ2SEQ} model.encoder_hidden=24 model.attention.kind=pyramid \
             model.attention.score=additive"
        ),
    ];
    for first in [0, 2, 4, 6] {
        all.push(at(TRANSFORMER, &["encoder_self", "cross"], first));
        let fed = first > 2;
        let base = format!("{SEQ2SEQ} model.cell=gru model.input_feeding={fed}");
        all.push(at(&base, &["attention"], first + 1));
    }
    for settings in all {
        let place = exported(&settings);
        let Some(python) = torch() else { continue };
        agrees(&python, &place, &settings);
        if !settings.contains(TAGGER) {
            batches_agree(&python, &place, &settings);
        }
    }
}

#[test]
fn transformers_opens_pyramids() {
    hub_agrees(&[
        at(TRANSFORMER, &["encoder_self", "cross"], 1),
        at(TRANSFORMER, &["encoder_self", "cross"], 4),
        at(SEQ2SEQ, &["attention"], 2),
    ]);
}

#[test]
fn onnxruntime_computes_pyramids() {
    onnx_agrees(&[
        at(TRANSFORMER, &["encoder_self", "cross"], 0),
        at(TRANSFORMER, &["encoder_self", "cross"], 2),
        at(TRANSFORMER, &["encoder_self", "cross"], 4),
        at(SEQ2SEQ, &["attention"], 5),
        at(TAGGER, &["encoder_self"], 6),
        at(TAGGER, &["encoder_self"], 1),
    ]);
}
