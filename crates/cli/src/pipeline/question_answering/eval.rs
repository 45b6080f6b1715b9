//! Measures a reader on questions.

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value as Json, json};
use strata_metrics::AnswerRules;
use strata_tasks::Question;
use strata_training::{Inference, SpanRules, Validation, free_answers};

use super::groups::Groups;
use super::questions::{AT_ONCE, of_file};
use super::{QuestionAnswering, floors};
use crate::base::error::{DataError, Error};
use crate::display::format::counted;
use crate::pipeline::evaluation::{EvalRequest, Measured};
use crate::pipeline::unlearned::Unlearned;
use crate::pipeline::{PipelineCommands, floors as count_models};

/// Refuses options that only make sense for a model that translates.
///
/// # Errors
/// If the user gave such an option, or several models.
pub(super) fn check(request: &EvalRequest<'_>) -> Result<(), Error> {
    let arguments = request.arguments;
    let refusal = if request.models.len() > 1 {
        "readers cannot be joined; name one model"
    } else if arguments.bleu || arguments.output.is_some() {
        "a reader translates nothing; leave out `--bleu` and `--output` (`strata answer --questions \
         FILE --output FILE` writes its answers)"
    } else if arguments.target.is_some() {
        "a reader is measured on one file of questions; leave out `--target`"
    } else {
        return request.refuse_decoding("a reader finds answers, and writes nothing");
    };
    Err(Error::Session(refusal.to_owned()))
}

/// Measures a reader on the given file of questions, or on the questions that its run holds out.
///
/// # Errors
/// If the file or the data cannot be read, or the device fails.
pub(super) fn measure(request: &EvalRequest<'_>) -> Result<Measured, Error> {
    let device = request.device()?;
    let Material {
        inference,
        questions,
        free,
        is_tested,
        learned,
        remembered,
    } = Material::of(request, &device)?;
    let floors = floors_of(request, &device, &questions)?;
    let (report, scored) = block_on(inference.evaluate_questions(&questions, free, AT_ONCE))?;
    let rules = SpanRules::of(&questions);
    let groups = [
        Groups::by_word(&questions, &scored),
        Groups::by_length(&questions, &scored),
    ];
    let mut json = json_of(&report);
    json["questions"] = questions.len().into();
    json["tested"] = is_tested.into();
    json["rules"] = json!(rules.name());
    json["free_answers"] = json!(free.map(AnswerRules::signature));
    json["by_question_word"] = groups[0].json();
    json["by_answer_length"] = groups[1].json();
    let mut lines = vec![
        format!(
            "{}, on {}{}, by the rules of {}.",
            request.model_name(),
            counted(questions.len() as u64, "question"),
            if is_tested {
                " that chose no checkpoint (`task.tested`)"
            } else {
                ""
            },
            rules.name()
        ),
        QuestionAnswering.validation(&report),
    ];
    lines.extend(remembered);
    if let Some(learned) = learned {
        json["learned"] = learned.count().into();
        lines.extend(learned.note("questions"));
    }
    if let Some(rules) = free {
        lines.push(format!(
            "BLEU and ROUGE-L of the free answers: {}.",
            rules.signature()
        ));
    }
    lines.extend(groups.iter().flat_map(Groups::lines));
    if let Some(floors) = floors {
        lines.extend(count_models::lines(&floors));
        json["floors"] = floors;
    }
    Ok(Measured { json, lines })
}

/// The reader, and the questions on which the reader is measured.
struct Material {
    inference: Inference,
    questions: Vec<Question>,
    /// Rules by which answers in free words are scored, if the questions have such answers.
    free: Option<AnswerRules>,
    /// True if the questions are those of the test part (`task.tested`).
    is_tested: bool,
    /// Questions of a file that the reader has learned.
    learned: Option<Unlearned>,
    /// Note of a run that measures learned questions too.
    remembered: Option<String>,
}

impl Material {
    fn of(request: &EvalRequest<'_>, device: &Device) -> Result<Self, Error> {
        let Some(source) = &request.arguments.source else {
            let trainer = request.trainer(device)?;
            // The validation part has chosen the checkpoint, so the test part is measured if there
            // is one.
            let tested = trainer.tested();
            let is_tested = tested.is_some();
            let held_out = tested.unwrap_or_else(|| trainer.held_out());
            return Ok(Self {
                questions: held_out.questions().to_vec(),
                free: held_out.free_answers(),
                inference: trainer.inference(),
                is_tested,
                learned: None,
                remembered: trainer.remembered(),
            });
        };
        let inference = request.inference(device)?;
        let (mut questions, format) = of_file(&inference, source)?;
        questions.retain(|question| !question.answers.is_empty());
        if questions.is_empty() {
            return Err(Error::from(DataError::NoAnswers {
                path: source.clone(),
            }));
        }
        let identities = questions.iter().map(|question| vec![question.identity()]);
        let mut learned = Unlearned::of(identities.collect());
        learned.mark_learned_by(request.path(), &request.checkpoint)?;
        Ok(Self {
            inference,
            questions,
            free: free_answers(format),
            is_tested: false,
            learned: Some(learned),
            remembered: None,
        })
    }
}

/// Scores answers that need no reader; `None` without `--floors`.
fn floors_of(
    request: &EvalRequest<'_>,
    device: &Device,
    questions: &[Question],
) -> Result<Option<Json>, Error> {
    if !request.arguments.floors {
        return Ok(None);
    }
    let trainer = request.trainer(device)?;
    count_models::check(trainer.training_questions().len())?;
    let floors = floors::of_questions(trainer.training_questions(), questions);
    Ok(Some(floors))
}

fn json_of(report: &Validation) -> Json {
    json!({
        "step": report.step,
        "questions": null,
        "tested": null,
        "rules": null,
        "loss": report.loss,
        "accuracy": report.accuracy,
        "exact_match": report.exact_match,
        "f1": report.f1(),
        "bleu_1": report.bleu_1(),
        "bleu_4": report.bleu_4(),
        "rouge_l": report.rouge_l(),
        "free_answers": null,
        "by_question_word": null,
        "by_answer_length": null,
    })
}
