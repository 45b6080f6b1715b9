//! `--floors`: scores of count models, and of similar baselines, on the same examples. A model that
//! is not better has not learned to read its input.

use serde_json::{Value as Json, json};
use strata_metrics::{CountModel, Running, perplexity};

use crate::base::error::Error;
use crate::display::columns;
use crate::display::format::{decimal, percent};

/// Refuses to count if the training examples are not in memory.
pub fn check(training: usize) -> Result<(), Error> {
    if training > 0 {
        return Ok(());
    }
    Err(Error::Session(
        "`--floors` counts the training text, and this corpus is read from disk piece by piece; \
         leave it out"
            .to_owned(),
    ))
}

/// Returns the scores as lines of a table.
pub fn lines(floors: &Json) -> Vec<String> {
    let head = [
        "counting alone",
        "loss",
        "perplexity",
        "token accuracy",
        "exact match",
        "F1",
        "BLEU",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, scores) in floors.as_object().into_iter().flatten() {
        let number = |key: &str, shown: fn(f64) -> String| {
            scores[key].as_f64().map_or("–".to_owned(), shown)
        };
        let bleu = scores["bleu"]["score"].as_f64();
        rows.push(vec![
            name.clone(),
            number("loss", decimal),
            number("perplexity", decimal),
            number("token_accuracy", percent),
            number("exact_match", percent),
            number("f1", percent),
            bleu.map_or("–".to_owned(), |bleu| format!("{bleu:.2}")),
        ]);
    }
    let mut lines = vec![String::new()];
    lines.extend(columns::aligned(&rows, 1));
    lines
}

/// Loss and accuracy of a count model.
#[derive(Default)]
pub(super) struct Counted {
    pub loss: Running,
    accuracy: Running,
}

impl Counted {
    /// Measures the tokens of a sequence from index `from` on.
    pub fn add(&mut self, model: &CountModel, tokens: &[u32], from: usize) {
        for at in from..tokens.len() {
            let history = &tokens[..at];
            self.loss
                .add(-model.probability(history, tokens[at]).ln(), 1);
            let right = model.most_frequent(history) == tokens[at];
            self.accuracy.add(f64::from(u8::from(right)), 1);
        }
    }

    /// Returns the figures as an object.
    pub fn json(&self) -> Json {
        let loss = self.loss.mean().unwrap_or(0.0);
        json!({
            "loss": loss,
            "perplexity": perplexity(loss),
            "token_accuracy": self.accuracy.mean(),
        })
    }
}
