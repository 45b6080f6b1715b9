//! Settings of a matching layer.

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

/// Settings of a matching layer.
#[derive(Clone, Copy, Debug)]
pub struct MatchingConfig {
    /// Recurrent cell.
    pub cell: CellKind,
    /// Width of the states of a passage's words, D.
    pub passage: usize,
    /// Width of the states of a question's words.
    pub question: usize,
    /// Width of the state of a direction, H.
    pub hidden: usize,
    /// True if the layer also reads from the end of each passage.
    pub bidirectional: bool,
    /// True if the cell's input z is gated.
    pub gate: bool,
    /// Input z of the cell.
    pub input: MatchInput,
    /// Parameters that both directions share.
    pub sharing: Sharing,
    /// Mechanism, vanilla or Ham-V, with an additive score.
    pub mechanism: MechanismConfig,
}

impl MatchingConfig {
    /// Checks that the settings fit together.
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

    /// Width of the cell's input z.
    fn input_width(&self) -> usize {
        match self.input {
            MatchInput::Concat => self.passage + self.question,
            MatchInput::Difference => 4 * self.passage,
        }
    }

    fn directions(&self) -> usize {
        if self.bidirectional { 2 } else { 1 }
    }

    /// Number of scores (and gates), and number of cells.
    fn copies(&self) -> [usize; 2] {
        match self.sharing {
            Sharing::All => [1, 1],
            Sharing::Attention => [1, self.directions()],
            Sharing::None => [self.directions(); 2],
        }
    }

    /// Settings of the cell of one direction.
    fn recurrent(&self) -> RecurrentConfig {
        RecurrentConfig {
            cell: self.cell,
            input: self.input_width(),
            hidden: self.hidden,
            bidirectional: false,
        }
    }

    /// Counts the parameters of the layer.
    pub fn parameters(&self) -> u64 {
        let [scores, cells] = self.copies().map(|it| it as u64);
        let gate = if self.gate {
            (self.input_width() as u64).pow(2)
        } else {
            0
        };
        let score = MatchScore::parameters([self.passage, self.question, self.hidden]);
        scores * (score + gate)
            + cells * self.recurrent().parameters()
            + Levels::parameters(self.mechanism)
    }

    /// Draws the parameters of the layer.
    ///
    /// # Errors
    /// If the mechanism does not fit the site.
    pub fn init(&self, init: &mut ParamInit) -> Result<Matching, ConfigError> {
        self.check()?;
        let [scores, cells] = self.copies();
        let widths = [self.passage, self.question, self.hidden];
        Ok(Matching {
            scores: (0..scores)
                .map(|_| MatchScore::init(widths, init))
                .collect(),
            gates: if self.gate {
                (0..scores)
                    .map(|_| Gate::init(self.input_width(), init))
                    .collect()
            } else {
                Vec::new()
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
