//! Set-ups and actions as commands of a session.

use strata_models::{Part, Search};
use strata_session::protocol::{Command, HeadChoice, Request, TranslateRequest, View, ViewRequest};

use crate::{Action, Facts, Lesson, Look, LookKind, Setup};

impl Look {
    /// Returns the request for this view.
    pub fn request(&self) -> ViewRequest {
        let from_0 = |number: Option<usize>| number.map(|it| it.saturating_sub(1));
        let view = match self.view {
            LookKind::Site => View::Site {
                site: self.site,
                head: from_0(self.head),
                level: self.level,
            },
            LookKind::Overview => View::Overview,
            LookKind::Shares => View::Shares,
            LookKind::Descent => View::Descent {
                site: self.site,
                head: from_0(self.head).unwrap_or(0),
                row: from_0(self.row).unwrap_or(0),
            },
            LookKind::Probabilities => View::Probabilities,
            LookKind::Network => View::Network { site: self.site },
            LookKind::Norms => View::Norms,
            LookKind::Arrows => View::Arrows {
                site: self.site,
                heads: from_0(self.head).map_or(HeadChoice::Clearest, HeadChoice::One),
                place: from_0(self.row).unwrap_or(0),
            },
        };
        ViewRequest {
            example: self.example,
            view,
        }
    }

    fn command(&self) -> Command {
        Command::Watch {
            view: Some(self.request()),
        }
    }
}

/// Builds the command that asks for an answer with details of the search.
fn translate(text: &str, prefix: Vec<String>, search: Search) -> Command {
    Command::Run(Request::Translate(TranslateRequest {
        text: text.to_owned(),
        prefix,
        search,
        details: true,
    }))
}

impl Setup {
    /// Returns the commands that set up a step once its run exists: the view, and the text to
    /// translate.
    pub fn commands(&self) -> Vec<Command> {
        let sentence = self.sentence.as_ref();
        let asked = sentence.map(|text| translate(text, self.prefix.clone(), self.search));
        [self.look.command()].into_iter().chain(asked).collect()
    }
}

impl Action {
    /// Returns the commands of the action; none for a guess or a comparison.
    ///
    /// `None` if the action refers to an answer that does not exist, or to an experiment that the
    /// lesson lacks.
    pub fn commands(&self, lesson: &Lesson, facts: &Facts) -> Option<Vec<Command>> {
        Some(match self {
            Self::Train => vec![Command::Train],
            Self::Pause => vec![Command::Pause],
            Self::Step => vec![Command::Step],
            Self::Reset => vec![Command::Reset],
            Self::Seed(seed) => vec![Command::NewSeed { seed: *seed }],
            Self::Experiment(name) => vec![Command::Load {
                experiment: Box::new(lesson.experiment(name)?),
            }],
            Self::Look(look) => vec![look.command()],
            Self::Translate(text) => vec![translate(text, Vec::new(), Search::Greedy)],
            Self::Choose { place, word } => {
                let (text, mut tokens) = facts.answer()?;
                tokens.truncate(place.saturating_sub(1));
                tokens.push(word.clone());
                vec![translate(text, tokens, Search::Greedy)]
            }
            Self::Search(search) => {
                let (text, _) = facts.answer()?;
                vec![translate(text, Vec::new(), *search)]
            }
            Self::Levels { site, count } => vec![Command::Mute {
                parts: vec![Part::Levels {
                    site: *site,
                    count: *count,
                }],
            }],
            Self::Compare(_) | Self::Guess => Vec::new(),
            Self::Bench(names) => names
                .iter()
                .map(|name| Command::Bench {
                    name: name.clone(),
                    steps: None,
                    warmup: None,
                })
                .collect(),
        })
    }

    /// True if the action trains step after step until training is paused.
    pub fn trains(&self) -> bool {
        matches!(self, Self::Train)
    }
}
