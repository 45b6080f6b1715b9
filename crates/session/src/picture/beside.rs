//! Comparison of the present run and another run on one sentence: the output of each, and the
//! attention of each while both read the same tokens.

use burn::tensor::Transaction;
use strata_models::{EOS, Search, SiteName, SiteWeights};
use strata_tasks::Pipeline;
use strata_training::{Encoded, Inference, SearchOptions, Trainer};

use super::sight::outline;
use super::site::SiteTensors;
use crate::error::SessionError;
use crate::protocol::{
    BesideView, FoundTranslationView, ViewData, ViewRequest, ViewUpdate, notable_site,
};
use crate::searching;

/// Site, head and level whose attention is compared, and the sentence.
pub(super) struct Part<'a> {
    pub site: Option<SiteName>,
    pub head: Option<usize>,
    pub level: Option<usize>,
    /// Sentence that replaces the watched example.
    pub text: Option<&'a str>,
}

/// Tokens that a model reads, and the target tokens whose rows are shown.
struct Tokens {
    source: Vec<String>,
    /// Target tokens; in a pair, without `</s>`.
    target: Vec<String>,
    source_ids: Vec<u32>,
    target_ids: Vec<u32>,
    /// True if the row of `</s>` is shown.
    ends: bool,
}

/// Returns the view of a sentence with both runs.
///
/// GPU–CPU sync points: one for the output of each run, and one for all maps.
pub(super) async fn of_sentence(
    trainer: &Trainer,
    other: Option<&Inference>,
    look: &ViewRequest,
    part: Part<'_>,
) -> Result<ViewUpdate, SessionError> {
    let (own, held_out) = (trainer.inference(), trainer.held_out());
    let tokenizer = own.tokenizer();
    let mut view = BesideView {
        step: other.map(Inference::step),
        ..BesideView::default()
    };
    let mut update = ViewUpdate {
        step: trainer.step_count(),
        look: look.clone(),
        ..ViewUpdate::default()
    };
    let prompt = match part.text {
        None => held_out.prompt(look.example),
        Some(text) => match tokenizer.encode(text) {
            Ok(encoded) => encoded,
            // The view is computed again and again during training, so an error must not end
            // training.
            Err(error) => {
                view.lacks.push(error.to_string());
                update.seen = ViewData::Beside(view);
                return Ok(update);
            }
        },
    };
    let written = write(&own, &prompt).await?;
    let tokens = match part.text {
        None => watched(trainer, look.example),
        Some(_) => tokens_of(&own, &prompt, &written.tokens),
    };
    let attended = own.attend(&tokens.source_ids, &tokens.target_ids);
    let rows = tokens.target.len() + usize::from(tokens.ends);
    let sites = attended.map_or_else(Vec::new, |it| it.sites);
    update.sites = sites.iter().map(|it| outline(it, rows)).collect();
    update.source.clone_from(&tokens.source);
    update.target.clone_from(&tokens.target);
    if tokens.ends {
        update.target.extend(tokenizer.target_tokens(&[EOS]));
    }
    update.text.clone_from(&written.text);
    update.unknown.clone_from(&prompt.unknown);
    if part.text.is_none() {
        update.reference = held_out.target(look.example);
        let ids = tokenizer.target_ids(&written.tokens);
        let ids = ids.split(|&id| id == EOS).next().unwrap_or_default();
        update.is_right = held_out.is_right(look.example, ids);
    }
    view.outputs.push(written);
    let mut maps = Vec::new();
    if let Some(other) = other {
        let text = match part.text {
            Some(text) => text.to_owned(),
            None => held_out.prompt_text(look.example),
        };
        let theirs = of_other(other, &own, (&text, &prompt), &tokens, &mut view).await?;
        let levels = sites.iter().map(|it| (it.site, it.weights.levels()));
        let named = sites.iter().find(|it| Some(it.site) == part.site);
        let site = named.or_else(|| notable_site(levels).map(|place| &sites[place]));
        match (site, theirs) {
            (Some(site), Some(theirs)) => match counterpart(site.site, &theirs) {
                Some(counterpart) => {
                    let map = |site| SiteTensors::one(site, rows, part.head, part.level);
                    maps = vec![map(site), map(counterpart)];
                }
                None => view.lacks.push(format!(
                    "The run beside has no attention like {}: choose another site.",
                    site.site.title()
                )),
            },
            (None, Some(_)) => view
                .lacks
                .push("This run has no attention to compare.".to_owned()),
            (_, None) => {}
        }
    }
    let transaction = maps
        .iter()
        .fold(Transaction::default(), |all, it| it.register(all));
    let mut data = match maps.is_empty() {
        true => Vec::new(),
        false => transaction.execute_async().await?,
    }
    .into_iter();
    view.maps = maps.into_iter().map(|it| it.read(&mut data)).collect();
    update.seen = ViewData::Beside(view);
    Ok(update)
}

/// Decodes an output greedily.
async fn write(
    inference: &Inference,
    prompt: &Encoded,
) -> Result<FoundTranslationView, SessionError> {
    let sources = std::slice::from_ref(prompt);
    let searched = inference.search(sources, &Search::Greedy, SearchOptions::default());
    let searched = searched.await?;
    let mut found = searching::picture(inference, prompt, &searched.items[0]).translations;
    Ok(found.remove(0))
}

/// Returns the tokens of a held-out example and its reference.
fn watched(trainer: &Trainer, at: usize) -> Tokens {
    let held_out = trainer.held_out();
    let example = &held_out.examples()[at];
    Tokens {
        source: held_out.source_tokens(at),
        target: held_out.target_tokens(at),
        source_ids: example.source.clone(),
        target_ids: example.target.clone(),
        ends: trainer.tokenizer().pipeline().has_pairs(),
    }
}

/// Returns the tokens of a sentence that a user typed, and of the present run's output.
fn tokens_of(own: &Inference, prompt: &Encoded, written: &[String]) -> Tokens {
    let tokenizer = own.tokenizer();
    let ids = tokenizer.target_ids(written);
    match tokenizer.pipeline() {
        Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
            let ends = ids.last() == Some(&EOS);
            let kept = ids.len() - usize::from(ends);
            Tokens {
                source: prompt.tokens.clone(),
                target: written[..kept].to_vec(),
                source_ids: prompt.ids.clone(),
                target_ids: ids[..kept].to_vec(),
                ends,
            }
        }
        Pipeline::TextGeneration => {
            let read = [&[EOS], &ids[..ids.len().saturating_sub(1)]].concat();
            Tokens {
                source: tokenizer.target_tokens(&read),
                target: written.to_vec(),
                source_ids: read,
                target_ids: ids,
                ends: false,
            }
        }
    }
}

/// Adds the output of the other run to the view, and returns the other run's attention over the
/// tokens of the present one; `None`, with a sentence in `view.lacks`, if the other model cannot
/// read these tokens.
async fn of_other(
    other: &Inference,
    own: &Inference,
    (text, prompt): (&str, &Encoded),
    tokens: &Tokens,
    view: &mut BesideView,
) -> Result<Option<Vec<SiteWeights>>, SessionError> {
    let (ours, theirs) = (own.tokenizer(), other.tokenizer());
    let mut lacks = |sentence: String| view.lacks.push(sentence);
    if does(ours.pipeline()) != does(theirs.pipeline()) {
        lacks(format!(
            "This run {}, the one beside {}: there is no sentence for both.",
            does(ours.pipeline()),
            does(theirs.pipeline())
        ));
        return Ok(None);
    }
    let encoded = match theirs.encode(text) {
        Ok(encoded) => encoded,
        Err(error) => {
            lacks(format!("The run beside cannot read it: {error}"));
            return Ok(None);
        }
    };
    if !encoded.unknown.is_empty() {
        lacks(format!(
            "The run beside does not know {}, and reads <unk> there.",
            encoded.unknown.join(", ")
        ));
    }
    let target = ours.joined_target(&tokens.target, &tokens.target_ids);
    let is_cut_alike = encoded.tokens == prompt.tokens
        && theirs.split_target(&target) == ours.split_target(&target);
    if !is_cut_alike {
        lacks(
            "Both cut the sentence into different tokens, so that their maps have different axes."
                .to_owned(),
        );
    }
    view.outputs.push(write(other, &encoded).await?);
    if !is_cut_alike {
        return Ok(None);
    }
    let target = theirs.target_ids(&tokens.target);
    let source = match theirs.pipeline() {
        Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => encoded.ids,
        Pipeline::TextGeneration => theirs.target_ids(&tokens.source),
    };
    Ok(other.attend(&source, &target).map(|it| it.sites))
}

/// Finds the site of the same name, or else the last site at the same place.
fn counterpart(name: SiteName, sites: &[SiteWeights]) -> Option<&SiteWeights> {
    let same = sites.iter().find(|it| it.site == name);
    same.or_else(|| sites.iter().rfind(|it| it.site.place == name.place))
}

fn does(form: Pipeline) -> &'static str {
    match form {
        Pipeline::Translation | Pipeline::Poetry => "translates",
        Pipeline::TextGeneration => "writes texts on",
        Pipeline::QuestionAnswering => "answers questions",
    }
}
