//! Views of a reader: its attention in a passage while it looks for the answer to a question. The
//! question takes the place of a source, the passage that of a target.

use burn::tensor::{ExecutionError, Transaction};
use strata_tasks::{Passage, Question};
use strata_training::{Answered, Inference, Trainer};

use super::answer::{self, ANSWERS};
use super::details::{self, SiteDetails};
use super::sight::{Traced, Unread, outline};
use super::site::SiteTensors;
use crate::error::SessionError;
use crate::protocol::{TranslationView, View, ViewData, ViewRequest, ViewUpdate};

/// Returns a reader's attention in the passage of its best answer, with at most `levels` levels.
///
/// # Errors
/// If the device fails.
pub async fn of_answer(
    inference: &Inference,
    question: &Question,
    answered: &Answered,
    levels: usize,
) -> Result<TranslationView, ExecutionError> {
    let best = answered.answers.first();
    let alone = with_passage(question, best.map_or(0, |it| it.span.passage));
    let sites = inference.attend_to(&alone).map(|it| it.attention);
    let sites = sites.unwrap_or_default();
    let parts: Vec<SiteTensors> = sites
        .iter()
        .map(|site| SiteTensors::all(site, 0, levels))
        .collect();
    let transaction = Transaction::default();
    let transaction = parts.iter().fold(transaction, |all, it| it.register(all));
    let mut data = match parts.is_empty() {
        true => Vec::new(),
        false => transaction.execute_async().await?,
    }
    .into_iter();
    Ok(TranslationView {
        step: inference.step(),
        source: tokens_of_question(&alone),
        target: tokens(alone.passages.first()),
        text: best.map_or_else(String::new, |it| it.text.clone()),
        unknown: inference.tokenizer().unknown_words(&alone),
        sites: parts.into_iter().map(|it| it.read(&mut data)).collect(),
        search: None,
    })
}

/// Returns details of each site for the passage of the best answer, in the order of the sites of
/// [`of_answer`].
///
/// # Errors
/// If the device fails.
pub async fn details_of_answer(
    inference: &Inference,
    question: &Question,
    answered: &Answered,
) -> Result<Vec<SiteDetails>, ExecutionError> {
    let best = answered.answers.first();
    let alone = with_passage(question, best.map_or(0, |it| it.span.passage));
    let sites = inference.attend_to(&alone).map(|it| it.attention);
    details::of_sites(&sites.unwrap_or_default(), 0).await
}

/// Returns the requested view of a held-out question, whose answer is known.
///
/// GPU–CPU sync point.
pub(super) async fn of_example(
    trainer: &Trainer,
    question: &Question,
    look: &ViewRequest,
) -> Result<ViewUpdate, SessionError> {
    let inference = trainer.inference();
    let best = match look.view {
        View::Probabilities | View::Answer => ANSWERS,
        _ => 1,
    };
    let answered = inference.answer(&[question], best).await?;
    let answered = answered.first();
    let shown = question.target.map_or(0, |it| it.passage);
    let alone = with_passage(question, shown);
    let Some(output) = inference.attend_to(&alone) else {
        return Err(SessionError::refused("the model is no reader"));
    };
    let sites = output.attention;
    let outlines = sites.iter().map(|site| outline(site, 0)).collect();
    let seen = match &look.view {
        View::Probabilities | View::Answer => {
            let view = answered.map(|it| answer::view(&inference, question, it));
            ViewData::Answer(view.unwrap_or_default())
        }
        view => {
            let unread = Unread::choose(view, trainer, &sites, Traced::default(), 0);
            // A transaction needs at least one tensor, whatever the view needs.
            let [start, _] = output.log_probabilities;
            let transaction = unread.register(Transaction::default().register(start));
            let mut data = transaction.execute_async().await?.into_iter().skip(1);
            unread.read(trainer.tokenizer(), &[], &mut data)
        }
    };
    let text = answered.and_then(|it| it.answers.first());
    let text = text.map_or_else(String::new, |it| it.text.clone());
    Ok(ViewUpdate {
        step: trainer.step_count(),
        look: look.clone(),
        source: tokens_of_question(&alone),
        target: tokens(alone.passages.first()),
        is_right: question.answers.contains(&text),
        text,
        reference: question.answers.first().cloned().unwrap_or_default(),
        unknown: trainer.tokenizer().unknown_words(&alone),
        sites: outlines,
        seen,
    })
}

/// Returns the question with only one of its passages; a passage is read independently of the
/// others.
fn with_passage(question: &Question, passage: usize) -> Question {
    Question {
        passages: question
            .passages
            .get(passage)
            .cloned()
            .into_iter()
            .collect(),
        target: None,
        ..question.clone()
    }
}

fn tokens_of_question(question: &Question) -> Vec<String> {
    question.question.tokens().map(str::to_owned).collect()
}

fn tokens(passage: Option<&Passage>) -> Vec<String> {
    let tokens = |it: &Passage| (0..it.len()).map(|at| it.token(at).to_owned()).collect();
    passage.map_or_else(Vec::new, tokens)
}
