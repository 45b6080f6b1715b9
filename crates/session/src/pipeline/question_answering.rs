//! Question answering: a question and a passage in, the best answers and the attention of the reader
//! in the passage out. In views the question takes the place of a source, the passage that of a
//! target.
//!
//! - `answer_view`: answers in their passages

mod answer_view;

use burn::tensor::{ExecutionError, Transaction};
use strata_tasks::{Passage, Question};
use strata_text::is_blank;
use strata_training::{Answered, Inference, Trainer};

use crate::error::SessionError;
use crate::protocol::{
    AnswerOutput, AnswerRequest, Event, Output, TranslationView, View, ViewData, ViewRequest,
    ViewUpdate,
};
use crate::session::Session;
use crate::view::{
    LEVELS_SHOWN, SiteDetails, SiteTensors, Trace, ViewTensors, details_of_sites, outline,
    read_sites,
};

/// Number of answers that are shown.
const ANSWERS: usize = 5;
/// Most tokens of a passage that a user may enter.
const LONGEST_PASSAGE: usize = 5000;

/// Carries out the request: reports the answers, and shows the question in place of held-out ones
/// if the model lacks these.
pub(super) async fn run(
    session: &mut Session,
    request: &AnswerRequest,
    emit: &mut dyn FnMut(Event),
) -> Result<(), SessionError> {
    let inference = session.loaded()?.inference();
    let (output, question) = answer(&inference, request).await?;
    emit(Event::Done(Output::Answer(output)));
    session
        .watch_instead(|trainer| trainer.look_at_question(question), emit)
        .await
}

/// Answers a question about a passage, and returns the answers with the attention of the best one.
/// Also returns the tokenized question.
///
/// # Errors
/// If the model is no reader, if question or passage is empty or too long, or if the device fails.
async fn answer(
    inference: &Inference,
    request: &AnswerRequest,
) -> Result<(AnswerOutput, Question), SessionError> {
    let question = tokenized(inference, request)?;
    let answered = inference.answer(&[&question], ANSWERS).await?;
    let Some(answered) = answered.first() else {
        return Err(SessionError::refused("the model gives no answer"));
    };
    let output = AnswerOutput {
        attention: view_of_answer(inference, &question, answered, LEVELS_SHOWN).await?,
        answer: answer_view::view(inference, &question, answered),
    };
    Ok((output, question))
}

/// Splits question and passage of a request into tokens.
///
/// # Errors
/// If the model is no reader, or if question or passage is empty or too long.
fn tokenized(inference: &Inference, request: &AnswerRequest) -> Result<Question, SessionError> {
    let AnswerRequest { question, passage } = request;
    let Some(tokenizer) = inference.tokenizer().reading() else {
        return Err(SessionError::refused(
            "the model is no reader and answers no questions; train one, for example with \
             `model.architecture=bidaf`",
        ));
    };
    let tokenized = tokenizer.question("", question, &[passage]);
    if tokenized.question.is_empty() || is_blank(question) {
        return Err(SessionError::refused("there is no question; write one"));
    }
    let paragraph = tokenized.passages.first().map(|it| &it.paragraph);
    let passage_tokens = paragraph.map_or(0, |paragraph| paragraph.len());
    if passage_tokens == 0 || is_blank(passage) {
        return Err(SessionError::refused(
            "there is no passage to read; paste one",
        ));
    }
    let question_tokens = tokenizer.text(question).len();
    at_most("question", question_tokens, tokenizer.limits.question)?;
    at_most("passage", passage_tokens, LONGEST_PASSAGE)?;
    Ok(tokenized)
}

fn at_most(part: &str, tokens: usize, limit: usize) -> Result<(), SessionError> {
    if tokens > limit {
        return Err(SessionError::refused(format!(
            "the {part} has {tokens} tokens, and at most {limit} are read; shorten it"
        )));
    }
    Ok(())
}

/// Returns a reader's attention in the passage of its best answer, with at most `levels` levels.
///
/// # Errors
/// If the device fails.
pub async fn view_of_answer(
    inference: &Inference,
    question: &Question,
    answered: &Answered,
    levels: usize,
) -> Result<TranslationView, ExecutionError> {
    let best = answered.answers.first();
    let alone = with_passage(question, best.map_or(0, |it| it.span.passage));
    let sites = inference.attend_to(&alone).map(|it| it.attention);
    let sites = sites.unwrap_or_default();
    let parts = sites.iter().map(|site| SiteTensors::all(site, 0, levels));
    let parts = parts.collect();
    Ok(TranslationView {
        step: inference.step(),
        source: tokens_of_question(&alone),
        target: tokens(alone.passages.first()),
        text: best.map_or_else(String::new, |it| it.text.clone()),
        unknown: inference.tokenizer().unknown_words(&alone),
        sites: read_sites(parts).await?,
        search: None,
    })
}

/// Returns details of each site for the passage of the best answer, in the order of the sites of
/// [`view_of_answer`].
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
    details_of_sites(&sites.unwrap_or_default(), 0).await
}

/// Returns the requested view of a held-out question, whose answer is known.
///
/// GPU–CPU sync point.
pub(super) async fn view_of_example(
    trainer: &Trainer,
    question: &Question,
    request: &ViewRequest,
) -> Result<ViewUpdate, SessionError> {
    let inference = trainer.inference();
    let best = match request.view {
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
    let data = match &request.view {
        View::Probabilities | View::Answer => {
            let view = answered.map(|it| answer_view::view(&inference, question, it));
            ViewData::Answer(view.unwrap_or_default())
        }
        view => {
            let tensors = ViewTensors::choose(view, trainer, &sites, Trace::default(), 0);
            // A transaction needs at least one tensor, whatever the view needs.
            let [start, _] = output.log_probabilities;
            let transaction = tensors.register(Transaction::default().register(start));
            let mut read = transaction.execute_async().await?.into_iter().skip(1);
            tensors.read(trainer.tokenizer(), &[], &mut read)
        }
    };
    let text = answered.and_then(|it| it.answers.first());
    let text = text.map_or_else(String::new, |it| it.text.clone());
    Ok(ViewUpdate {
        step: trainer.step_count(),
        request: request.clone(),
        source: tokens_of_question(&alone),
        target: tokens(alone.passages.first()),
        is_right: question.answers.contains(&text),
        text,
        reference: question.answers.first().cloned().unwrap_or_default(),
        unknown: trainer.tokenizer().unknown_words(&alone),
        sites: outlines,
        data,
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
