//! Comparison of the present run and another run on one sentence: the output of each, and the
//! attention of each while both read the same tokens.

use strata_models::{EOS, Search, SiteName, SiteWeights};
use strata_training::{Encoded, Inference, SearchOptions, Trainer};

use super::example::outline;
use super::search::search_view;
use super::site::{SiteTensors, read_sites};
use crate::error::SessionError;
use crate::pipeline::{GeneratedTokens, action, generation, sites_of};
use crate::protocol::{
    BesideView, FoundTranslationView, ViewData, ViewRequest, ViewUpdate, notable_site,
};

/// Site, head and level whose attention is compared, and the sentence.
pub(super) struct Choice<'a> {
    pub site: Option<SiteName>,
    pub head: Option<usize>,
    pub level: Option<usize>,
    /// Sentence that replaces the watched example.
    pub text: Option<&'a str>,
}

/// Returns the view of a sentence with both runs.
///
/// GPU–CPU sync points: one for the output of each run, and one for all maps.
pub(super) async fn of_sentence(
    trainer: &Trainer,
    other: Option<&Inference>,
    request: &ViewRequest,
    choice: Choice<'_>,
) -> Result<ViewUpdate, SessionError> {
    let own = trainer.inference();
    let mut view = BesideView {
        step: other.map(Inference::step),
        ..BesideView::default()
    };
    let mut update = ViewUpdate {
        step: trainer.step_count(),
        request: request.clone(),
        ..ViewUpdate::default()
    };
    let prompt = match choice.text {
        None => trainer.held_out().prompt(request.example),
        Some(text) => match own.tokenizer().encode(text) {
            Ok(encoded) => encoded,
            // The view is computed again and again during training, so an error must not end
            // training.
            Err(error) => {
                view.lacks.push(error.to_string());
                update.data = ViewData::Beside(view);
                return Ok(update);
            }
        },
    };
    let written = write(&own, &prompt).await?;
    let tokens = match choice.text {
        None => watched(trainer, request.example),
        Some(_) => {
            let generation = generation(own.tokenizer());
            generation.tokens(&own, &prompt, &written.tokens)
        }
    };
    let sites = sites_of(own.attend(&tokens.source_ids, &tokens.target_ids));
    describe(&mut update, trainer, &tokens, &written);
    update.sites = sites
        .iter()
        .map(|site| outline(site, tokens.rows()))
        .collect();
    update.unknown.clone_from(&prompt.unknown);
    if choice.text.is_none() {
        compare_with_reference(&mut update, trainer, &written);
    }
    view.outputs.push(written);
    if let Some(other) = other {
        let text = match choice.text {
            Some(text) => text.to_owned(),
            None => trainer.held_out().prompt_text(request.example),
        };
        let sentence = Sentence {
            text,
            prompt,
            tokens: &tokens,
        };
        let theirs = of_other(other, &own, &sentence, &mut view).await?;
        if let Some(theirs) = theirs {
            let maps = maps(&sites, &theirs, &choice, tokens.rows());
            match maps {
                Ok(maps) => view.maps = read_sites(maps).await?,
                Err(lack) => view.lacks.push(lack),
            }
        }
    }
    update.data = ViewData::Beside(view);
    Ok(update)
}

/// Fills in the tokens that both models read, and the present model's output.
fn describe(
    update: &mut ViewUpdate,
    trainer: &Trainer,
    tokens: &GeneratedTokens,
    written: &FoundTranslationView,
) {
    update.source.clone_from(&tokens.source);
    update.target.clone_from(&tokens.target);
    if tokens.ends {
        let end = trainer.tokenizer().target_tokens(&[EOS]);
        update.target.extend(end);
    }
    update.text.clone_from(&written.text);
}

/// Fills in the reference of the watched example, and whether the output equals the reference.
fn compare_with_reference(
    update: &mut ViewUpdate,
    trainer: &Trainer,
    written: &FoundTranslationView,
) {
    let (held_out, example) = (trainer.held_out(), update.request.example);
    update.reference = held_out.target(example);
    let ids = trainer.tokenizer().target_ids(&written.tokens);
    let ids = ids.split(|&id| id == EOS).next().unwrap_or_default();
    update.is_right = held_out.is_right(example, ids);
}

/// Returns the maps of the chosen site and of the counterpart in the other run, each with `rows`
/// rows.
///
/// # Errors
/// A sentence, if there is nothing to compare.
fn maps(
    own: &[SiteWeights],
    other: &[SiteWeights],
    choice: &Choice<'_>,
    rows: usize,
) -> Result<Vec<SiteTensors>, String> {
    let levels = own.iter().map(|site| (site.site, site.weights.levels()));
    let named = own.iter().find(|site| Some(site.site) == choice.site);
    let site = named.or_else(|| notable_site(levels).map(|place| &own[place]));
    let site = site.ok_or("This run has no attention to compare.")?;
    let other = counterpart(site.site, other).ok_or_else(|| {
        format!(
            "The run beside has no attention like {}: choose another site.",
            site.site.title()
        )
    })?;
    let map = |site| SiteTensors::one(site, rows, choice.head, choice.level);
    Ok(vec![map(site), map(other)])
}

/// Decodes an output greedily.
async fn write(
    inference: &Inference,
    prompt: &Encoded,
) -> Result<FoundTranslationView, SessionError> {
    let sources = std::slice::from_ref(prompt);
    let searched = inference.search(sources, &Search::Greedy, SearchOptions::default());
    let searched = searched.await?;
    let mut found = search_view(inference, prompt, &searched.items[0]).translations;
    Ok(found.remove(0))
}

/// Returns the tokens of a held-out example and of the example's reference.
fn watched(trainer: &Trainer, at: usize) -> GeneratedTokens {
    let held_out = trainer.held_out();
    let example = &held_out.examples()[at];
    GeneratedTokens {
        source: held_out.source_tokens(at),
        target: held_out.target_tokens(at),
        source_ids: example.source.clone(),
        target_ids: example.target.clone(),
        ends: generation(trainer.tokenizer()).ends_with_eos(),
    }
}

/// A sentence for both runs, and the tokens of the present run.
struct Sentence<'a> {
    text: String,
    prompt: Encoded,
    tokens: &'a GeneratedTokens,
}

/// Adds the output of the other run to the view, and returns the other run's attention over the
/// tokens of the present one; `None`, with a sentence in `view.lacks`, if the other model cannot
/// read these tokens.
async fn of_other(
    other: &Inference,
    own: &Inference,
    sentence: &Sentence<'_>,
    view: &mut BesideView,
) -> Result<Option<Vec<SiteWeights>>, SessionError> {
    let tokens = sentence.tokens;
    let (ours, theirs) = (own.tokenizer(), other.tokenizer());
    let mut lacks = |sentence: String| view.lacks.push(sentence);
    let actions = [ours, theirs].map(|tokenizer| action(tokenizer.pipeline()));
    if actions[0] != actions[1] {
        lacks(format!(
            "This run {}, the one beside {}: there is no sentence for both.",
            actions[0], actions[1]
        ));
        return Ok(None);
    }
    let encoded = match theirs.encode(&sentence.text) {
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
    let is_cut_alike = encoded.tokens == sentence.prompt.tokens
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
    let generation = generation(theirs);
    let source = generation.source_of_other(other, encoded, &tokens.source);
    Ok(other
        .attend(&source, &target)
        .map(|attended| attended.sites))
}

/// Finds the site of the same name, or else the last site at the same place.
fn counterpart(name: SiteName, sites: &[SiteWeights]) -> Option<&SiteWeights> {
    let same = sites.iter().find(|it| it.site == name);
    same.or_else(|| sites.iter().rfind(|it| it.site.place == name.place))
}
