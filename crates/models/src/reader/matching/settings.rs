//! Settings of a matching.

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, MechanismConfig, ParamInit};
use strata_describe::options;

use super::{Gate, Levels, MatchScore, Matching};
use crate::recurrent::Cell;
use crate::{CellKind, RecurrentConfig};

options! {
    /// Input of a matching's cell: of the passage's word h and what it found in the question, a.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MatchInput {
        /// Both.
        #[title = "Both"]
        #[formula = "[h; a]"]
        #[source = "Wang and Jiang 2017, 3.2"]
        Concat = "concat",
        /// Both, their difference and their product.
        #[title = "Difference and product, too"]
        #[formula = "[h; a; h − a; h ∘ a]"]
        #[source = "baidu/DuReader"]
        Difference = "difference",
    }
}

options! {
    /// Parameters that both directions of a matching have in common.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sharing {
        /// All of them.
        #[title = "All"]
        #[source = "Wang and Jiang 2017, 3.2"]
        All = "all",
        /// Score and gate; each direction has a cell of its own.
        #[title = "Attention"]
        #[help = "Score and gate; each direction has a cell of its own."]
        #[source = "Wang et al. 2017, 3.2"]
        Attention = "attention",
        /// None.
        #[title = "None"]
        #[source = "baidu/DuReader"]
        None = "none",
    }
}

/// Sizes and form of a matching.
#[derive(Clone, Copy, Debug)]
pub struct MatchingConfig {
    /// The recurrent cell.
    pub cell: CellKind,
    /// Width of a passage's word, D.
    pub passage: usize,
    /// Width of a question's word.
    pub question: usize,
    /// Width of the state of a direction, H.
    pub hidden: usize,
    /// True if it also reads from the end of each passage.
    pub bidirectional: bool,
    /// True if z is gated.
    pub gate: bool,
    /// z.
    pub input: MatchInput,
    /// Parameters that both directions share.
    pub sharing: Sharing,
    /// Vanilla attention or Ham-V; its score is additive.
    pub mechanism: MechanismConfig,
}

impl MatchingConfig {
    /// Refuses what does not fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let (depth, _) = Levels::of(self.mechanism, "question")?;
        if let Some(score) = self.mechanism.score()
            && score != strata_attention::ScoreKind::Additive
        {
            return Err(ConfigError::new(format!(
                "`question.score` is `{}`, but the query of a word and a state is read by the \
                 additive score alone: choose `additive`",
                score.words().name
            )));
        }
        let differ = self.passage != self.question;
        if differ && (depth > 1 || self.input == MatchInput::Difference) {
            return Err(ConfigError::new(format!(
                "words of the passage have width {} and those of the question {}, but here one \
                 takes the other's place: choose equal widths",
                self.passage, self.question
            )));
        }
        Ok(())
    }

    /// Width of z.
    fn input_width(&self) -> usize {
        match self.input {
            MatchInput::Concat => self.passage + self.question,
            MatchInput::Difference => 4 * self.passage,
        }
    }

    fn directions(&self) -> usize {
        if self.bidirectional { 2 } else { 1 }
    }

    /// Number of scores and gates, and of cells.
    fn copies(&self) -> [usize; 2] {
        match self.sharing {
            Sharing::All => [1, 1],
            Sharing::Attention => [1, self.directions()],
            Sharing::None => [self.directions(); 2],
        }
    }

    /// Cell of one direction.
    fn recurrent(&self) -> RecurrentConfig {
        RecurrentConfig {
            cell: self.cell,
            input: self.input_width(),
            hidden: self.hidden,
            bidirectional: false,
        }
    }

    /// Number of parameters.
    pub fn parameters(&self) -> u64 {
        let [scores, cells] = self.copies().map(|it| it as u64);
        let gate = match self.gate {
            true => (self.input_width() as u64).pow(2),
            false => 0,
        };
        let score = MatchScore::parameters([self.passage, self.question, self.hidden]);
        scores * (score + gate)
            + cells * self.recurrent().parameters()
            + Levels::parameters(self.mechanism)
    }

    /// Builds the layer.
    ///
    /// # Errors
    /// If the mechanism does not fit.
    pub fn init(&self, init: &mut ParamInit) -> Result<Matching, ConfigError> {
        self.check()?;
        let [scores, cells] = self.copies();
        let widths = [self.passage, self.question, self.hidden];
        Ok(Matching {
            scores: (0..scores)
                .map(|_| MatchScore::init(widths, init))
                .collect(),
            gates: match self.gate {
                true => (0..scores)
                    .map(|_| Gate::init(self.input_width(), init))
                    .collect(),
                false => Vec::new(),
            },
            cells: (0..cells)
                .map(|_| Cell::init(&self.recurrent(), init))
                .collect(),
            levels: Levels::init(self.mechanism, "question", init)?,
            muted: false,
            kind: self.cell,
            input: self.input,
            directions: self.directions(),
        })
    }
}
