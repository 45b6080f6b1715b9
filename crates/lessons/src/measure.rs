//! Measures: the closed list of values that can be read off the facts.
//!
//! A measure is written as prefixes, which name the object that is measured, and a name, with
//! arguments in parentheses where needed: `held.accuracy`, `run(wide, 500).held.accuracy`,
//! `level(1).own(3)`, `answer.strongest(call)`, `before.peak`. Places, rows, columns, heads and
//! levels count from 1.

mod reading;

use std::fmt;

use strata_models::SiteName;
use strum::{Display, EnumString, VariantNames};

use crate::Unit;

/// Number or word that can be read off the facts.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// A number of a run.
    Run(RunOf, RunMeasure),
    /// A setting of the present run, by its key.
    Setting(Moment, String),
    /// A number of an attention matrix.
    Map(MapOf, MapMeasure),
    /// Another number or word of the view.
    View(Moment, ViewMeasure),
    /// A number or word of the last answer.
    Answer(Moment, AnswerMeasure),
    /// A number or word of the last question, the text to translate.
    Asked(AskedMeasure),
    /// Largest change of an attention weight at this site between the previous answer and the
    /// present one, in the rows up to and including the chosen word.
    Moved(SiteName),
    /// Milliseconds of a step of this workload.
    Bench(String),
    /// 1 if the present run has been compared with the run of this name.
    Compared(String),
    /// 1 if the learner has made a guess.
    Guessed,
    /// Step at which the step's condition was first noticed.
    Noticed,
}

/// Choice between the present run (or answer) and the previous run (or answer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The present run or answer.
    Now,
    /// The previous run or answer.
    Before,
}

/// The run that a measure reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOf {
    /// The present run.
    Now,
    /// The present run at an earlier step.
    At(u64),
    /// The previous run of this lesson step.
    Before,
    /// Another run of the lesson, by name, at a training step or at the last step of the run.
    Named(String, Option<u64>),
}

/// The attention matrix that a measure reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapOf {
    /// Present or previous matrix.
    pub moment: Moment,
    /// True for the matrix of the answer, false for that of the example in view.
    pub answer: bool,
    /// Level of the matrix; if absent, the level in view.
    pub level: Option<usize>,
}

/// A number of a run.
#[derive(EnumString, VariantNames, Display, Clone, Copy, Debug, PartialEq, Eq)]
#[strum(serialize_all = "snake_case")]
pub enum RunMeasure {
    /// Number of steps taken.
    Step,
    /// Training loss of the last step, in nats per token.
    Loss,
    /// Training accuracy of the last step.
    Accuracy,
    /// Loss of the last validation.
    #[strum(serialize = "held.loss")]
    HeldLoss,
    /// Accuracy of the last validation, teacher-forced.
    #[strum(serialize = "held.accuracy")]
    HeldAccuracy,
    /// Share of held-out sequences decoded without a fault, in the last validation that decoded
    /// some.
    #[strum(serialize = "held.exact")]
    HeldExact,
    /// Perplexity of the last validation.
    #[strum(serialize = "held.perplexity")]
    HeldPerplexity,
    /// Bits per character of the last validation.
    #[strum(serialize = "held.bits")]
    HeldBits,
    /// BLEU of the last validation that measured BLEU.
    #[strum(serialize = "held.bleu")]
    HeldBleu,
    /// Number of trained parameters of the model.
    Parameters,
    /// Number of tokens in the target vocabulary.
    Vocabulary,
    /// 1 if the loss became NaN or infinite.
    Diverged,
    /// 1 if all steps are taken.
    Finished,
}

/// A number or word of an attention matrix, rows t, columns s.
#[derive(Clone, Debug, PartialEq)]
pub enum MapMeasure {
    /// Share of rows whose largest weight is on s = t.
    Diagonal,
    /// Share of rows whose largest weight is within one column of s = t.
    NearDiagonal,
    /// Share of rows whose largest weight is within one column of s = S + 1 − t.
    NearAntidiagonal,
    /// `down` if the diagonal holds the largest weight of half of the rows, `up` if the
    /// antidiagonal does, else `even`.
    Line,
    /// Largest weight at s > t.
    Above,
    /// Mean weight in a column.
    Column(usize),
    /// Mean of the rows' largest weights.
    Peak,
    /// Largest total variation between two rows, from 0 to 1.
    Spread,
    /// The column token with the largest weight in the row of this token.
    Strongest(String),
    /// Weight at s = t in a row.
    Own(usize),
    /// Largest distance of a row's sum from 1.
    RowError,
}

/// Another number or word of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewMeasure {
    /// Kind of the view, such as `site`, `overview` or `shares`.
    Kind,
    /// Attention site in view.
    Site,
    /// Head in view; 0 for the mean of all heads.
    Head,
    /// Level in view.
    Level,
    /// Row whose descent is in view.
    Row,
    /// Index of the held-out example in view, from 0.
    Example,
    /// Number of source tokens of the example.
    SourceLength,
    /// Number of target tokens of the example.
    TargetLength,
    /// 1 if the model gave the right token the highest probability in every row.
    Right,
    /// Mean total variation distance between the heads of a site, in the overview of the same step.
    HeadsApart(SiteName),
    /// Mean probability of the right tokens from the first to the second of two places.
    Probability(usize, usize),
    /// Share of a level at a site, the mean of all heads.
    Share(SiteName, usize),
    /// Number of the level with the largest share at a site.
    LargestShare(SiteName),
    /// Number of keys and nodes that were scored in the descent through a pyramid.
    DescentScored,
    /// Number of nodes that the descent opened.
    DescentOpened,
    /// Largest number of members of a node.
    BlockLargest,
    /// Number of parameters of the parts whose names contain this text.
    NormsCount(String),
    /// Number of levels with which the site of the arrows computes.
    ArrowsLevels,
    /// Share of places at which the model answers the place to which this many arrows lead.
    ArrowsRight(usize),
    /// Share of places whose row of this level has its largest weight at the place to which so many
    /// arrows lead.
    ArrowsFollowed(usize),
}

/// A number or word of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerMeasure {
    /// Text of the best translation that the search found.
    Text,
    /// Score of the best translation.
    Score,
    /// Sum of ln p over the tokens of the best translation.
    Sum,
    /// Score of the best translation, normalised for its length.
    Normalised,
    /// Number of tokens of the best translation, including the end token.
    Length,
    /// Number of different texts among the translations that the search found.
    Distinct,
    /// Probability of the token at a place of the best translation.
    Probability(usize),
    /// Most probable token at a place.
    Top(usize),
    /// 1 if the best translation begins with the chosen words.
    Follows,
    /// Number of tokens of the text that stand at the same place in the best translation.
    Copied,
}

/// A number or word of a question.
#[derive(EnumString, VariantNames, Display, Clone, Copy, Debug, PartialEq, Eq)]
#[strum(serialize_all = "snake_case")]
pub enum AskedMeasure {
    /// Text to translate.
    #[strum(serialize = "asked.text")]
    Text,
    /// Number of tokens of the text.
    #[strum(serialize = "asked.length")]
    Length,
    /// Number of words that the learner chose for the beginning of the answer.
    #[strum(serialize = "asked.prefix")]
    Prefix,
    /// Name of the search algorithm.
    #[strum(serialize = "asked.search")]
    Search,
    /// Temperature of sampling.
    #[strum(serialize = "asked.temperature")]
    Temperature,
    /// Beam width.
    #[strum(serialize = "asked.width")]
    Width,
    /// Length penalty α of beam search.
    #[strum(serialize = "asked.penalty")]
    Penalty,
}

impl Measure {
    /// Returns the unit of the value.
    pub fn unit(&self) -> Unit {
        use RunMeasure as R;
        match self {
            Self::Run(_, run) => match run {
                R::Step | R::Parameters | R::Vocabulary => Unit::Count,
                R::Accuracy | R::HeldAccuracy | R::HeldExact => Unit::Share,
                _ => Unit::Number,
            },
            Self::Map(_, MapMeasure::Line | MapMeasure::Strongest(_)) => Unit::Word,
            Self::Map(_, MapMeasure::Spread | MapMeasure::Column(_)) => Unit::Share,
            Self::Map(
                _,
                MapMeasure::Diagonal | MapMeasure::NearDiagonal | MapMeasure::NearAntidiagonal,
            ) => Unit::Share,
            Self::View(_, view) => match view {
                ViewMeasure::Probability(..)
                | ViewMeasure::Share(..)
                | ViewMeasure::ArrowsRight(_)
                | ViewMeasure::ArrowsFollowed(_) => Unit::Share,
                ViewMeasure::HeadsApart(_) => Unit::Number,
                ViewMeasure::Kind | ViewMeasure::Site => Unit::Word,
                _ => Unit::Count,
            },
            Self::Answer(_, answer) => match answer {
                AnswerMeasure::Probability(_) => Unit::Share,
                AnswerMeasure::Text | AnswerMeasure::Top(_) => Unit::Word,
                AnswerMeasure::Length | AnswerMeasure::Distinct | AnswerMeasure::Copied => {
                    Unit::Count
                }
                _ => Unit::Number,
            },
            Self::Asked(AskedMeasure::Length | AskedMeasure::Prefix | AskedMeasure::Width)
            | Self::Noticed => Unit::Count,
            Self::Asked(AskedMeasure::Text | AskedMeasure::Search) => Unit::Word,
            Self::Bench(_) => Unit::Milliseconds,
            _ => Unit::Number,
        }
    }
}

impl fmt::Display for Measure {
    /// Writes the measure in the form that [`FromStr`](std::str::FromStr) parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(RunOf::Now, run) => write!(f, "{run}"),
            Self::Run(RunOf::At(step), run) => write!(f, "at({step}).{run}"),
            Self::Run(RunOf::Before, run) => write!(f, "before.{run}"),
            Self::Run(RunOf::Named(name, None), run) => write!(f, "run({name}).{run}"),
            Self::Run(RunOf::Named(name, Some(step)), run) => {
                write!(f, "run({name}, {step}).{run}")
            }
            Self::Setting(moment, key) => write!(f, "{moment}setting({key})"),
            Self::Map(of, map) => {
                write!(f, "{}", of.moment)?;
                if of.answer {
                    f.write_str("answer.")?;
                }
                if let Some(level) = of.level {
                    write!(f, "level({level}).")?;
                }
                write!(f, "{map}")
            }
            Self::View(moment, view) => write!(f, "{moment}{view}"),
            Self::Answer(moment, answer) => write!(f, "{moment}answer.{answer}"),
            Self::Asked(asked) => write!(f, "{asked}"),
            Self::Moved(site) => write!(f, "moved({site})"),
            Self::Bench(name) => write!(f, "bench({name})"),
            Self::Compared(name) => write!(f, "compared({name})"),
            Self::Guessed => f.write_str("guessed"),
            Self::Noticed => f.write_str("noticed"),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Now => "",
            Self::Before => "before.",
        })
    }
}

impl fmt::Display for MapMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagonal => f.write_str("diagonal"),
            Self::NearDiagonal => f.write_str("near_diagonal"),
            Self::NearAntidiagonal => f.write_str("near_antidiagonal"),
            Self::Line => f.write_str("line"),
            Self::Above => f.write_str("above"),
            Self::Column(column) => write!(f, "column({column})"),
            Self::Peak => f.write_str("peak"),
            Self::Spread => f.write_str("spread"),
            Self::Strongest(token) => write!(f, "strongest({token})"),
            Self::Own(row) => write!(f, "own({row})"),
            Self::RowError => f.write_str("row_error"),
        }
    }
}

impl fmt::Display for ViewMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("look.view"),
            Self::Site => f.write_str("look.site"),
            Self::Head => f.write_str("look.head"),
            Self::Level => f.write_str("look.level"),
            Self::Row => f.write_str("look.row"),
            Self::Example => f.write_str("look.example"),
            Self::SourceLength => f.write_str("source.length"),
            Self::TargetLength => f.write_str("target.length"),
            Self::Right => f.write_str("right"),
            Self::HeadsApart(site) => write!(f, "heads_apart({site})"),
            Self::Probability(from, to) => write!(f, "probability({from}..{to})"),
            Self::Share(site, level) => write!(f, "share({site}, {level})"),
            Self::LargestShare(site) => write!(f, "largest_share({site})"),
            Self::DescentScored => f.write_str("descent.scored"),
            Self::DescentOpened => f.write_str("descent.opened"),
            Self::BlockLargest => f.write_str("block.largest"),
            Self::NormsCount(part) => write!(f, "norms({part}).count"),
            Self::ArrowsLevels => f.write_str("arrows.levels"),
            Self::ArrowsRight(arrows) => write!(f, "arrows.right({arrows})"),
            Self::ArrowsFollowed(level) => write!(f, "arrows.followed({level})"),
        }
    }
}

impl fmt::Display for AnswerMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Score => f.write_str("score"),
            Self::Sum => f.write_str("sum"),
            Self::Normalised => f.write_str("normalised"),
            Self::Length => f.write_str("length"),
            Self::Distinct => f.write_str("distinct"),
            Self::Probability(place) => write!(f, "p({place})"),
            Self::Top(place) => write!(f, "top({place})"),
            Self::Follows => f.write_str("follows"),
            Self::Copied => f.write_str("copied"),
        }
    }
}
