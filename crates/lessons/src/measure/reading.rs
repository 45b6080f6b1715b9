//! Parser of measures, from names such as `run(wide, 500).held.accuracy`.

use std::str::FromStr;

use strata_models::SiteNameError;
use strum::VariantNames;

use super::*;
use crate::error::unknown;

/// Names of measures of an attention matrix.
const MAPS: [&str; 11] = [
    "diagonal",
    "near_diagonal",
    "near_antidiagonal",
    "line",
    "above",
    "column",
    "peak",
    "spread",
    "strongest",
    "own",
    "row_error",
];
/// Names of measures of a view.
const VIEWS: [&str; 20] = [
    "look.view",
    "look.site",
    "look.head",
    "look.level",
    "look.row",
    "look.example",
    "source.length",
    "target.length",
    "right",
    "heads_apart",
    "probability",
    "share",
    "largest_share",
    "descent.scored",
    "descent.opened",
    "block.largest",
    "norms.count",
    "arrows.levels",
    "arrows.right",
    "arrows.followed",
];
/// Names of measures of an answer.
const ANSWERS: [&str; 10] = [
    "text",
    "score",
    "sum",
    "normalised",
    "length",
    "distinct",
    "p",
    "top",
    "follows",
    "copied",
];
/// Names of measures that take no prefix.
const ALONE: [&str; 6] = [
    "setting", "moved", "bench", "compared", "guessed", "noticed",
];
/// Prefixes that name the measured object.
const PREFIXES: [&str; 5] = ["before", "run", "at", "answer", "level"];

impl FromStr for Measure {
    type Err = String;

    /// Reads a measure.
    ///
    /// # Errors
    /// A sentence on what is unknown, or on an argument that is missing or of the wrong kind.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = parts(text)?.into_iter().peekable();
        let moment = match parts.next_if(|it| it.name == "before") {
            Some(_) => Moment::Before,
            None => Moment::Now,
        };
        let run = parts.next_if(|it| it.name == "run");
        let step = parts.next_if(|it| it.name == "at");
        let answer = parts.next_if(|it| it.name == "answer").is_some();
        let level = parts.next_if(|it| it.name == "level");
        let mut call = Call::of(text, parts);
        if let Some(run) = run {
            return call.of_run(run.named(text)?);
        }
        if let Some(step) = step {
            let step = whole(text, step.arguments.first().copied())?;
            return call.of_run(RunOf::At(step as u64));
        }
        let level = match level {
            Some(level) => Some(whole(text, level.arguments.first().copied())?),
            None => None,
        };
        let of = MapOf {
            moment,
            answer,
            level,
        };
        let measure = call.measure(of)?;
        if call.arguments.is_empty() {
            Ok(measure)
        } else {
            Err(format!("`{text}` has more arguments than it can have"))
        }
    }
}

/// Part of a measure: a name with its arguments, as in `run(wide, 500)`.
struct Part<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
}

/// Splits a measure at its dots, except for dots in parentheses.
fn parts(text: &str) -> Result<Vec<Part<'_>>, String> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        let end = rest.find(['.', '(']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (arguments, after) = match after.strip_prefix('(') {
            Some(inner) => {
                let close = inner.find(')');
                let close = close.ok_or_else(|| format!("`{text}` lacks a closing parenthesis"))?;
                let arguments = inner[..close].split(',').map(str::trim);
                (
                    arguments.filter(|it| !it.is_empty()).collect(),
                    &inner[close + 1..],
                )
            }
            None => (Vec::new(), after),
        };
        found.push(Part { name, arguments });
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None if after.is_empty() => return Ok(found),
            None => return Err(format!("`{text}` cannot be read from `{after}` on")),
        }
    }
}

impl Part<'_> {
    fn named(&self, text: &str) -> Result<RunOf, String> {
        let name = self.arguments.first();
        let name = name.ok_or_else(|| format!("`{text}` does not say which run"))?;
        let step = match self.arguments.get(1) {
            Some(step) => Some(whole(text, Some(step))? as u64),
            None => None,
        };
        Ok(RunOf::Named((*name).to_owned(), step))
    }
}

/// Name of a measure without its prefixes, and the arguments that are still to be read.
struct Call<'a> {
    text: &'a str,
    name: String,
    arguments: Vec<&'a str>,
}

impl<'a> Call<'a> {
    fn of(text: &'a str, parts: impl Iterator<Item = Part<'a>>) -> Self {
        let (names, arguments): (Vec<_>, Vec<_>) = parts.map(|it| (it.name, it.arguments)).unzip();
        Self {
            text,
            name: names.join("."),
            arguments: arguments.concat(),
        }
    }

    fn of_run(&self, run: RunOf) -> Result<Measure, String> {
        let known = RunMeasure::VARIANTS.iter().copied();
        let measure = self.name.parse();
        let measure = measure.map_err(|_| unknown("measure of a run", &self.name, known))?;
        Ok(Measure::Run(run, measure))
    }

    fn measure(&mut self, of: MapOf) -> Result<Measure, String> {
        let name = self.name.clone();
        if MAPS.contains(&&*name) {
            return Ok(Measure::Map(of, self.map(&name)?));
        }
        if of.level.is_some() {
            return Err(unknown("measure of a level", &name, MAPS));
        }
        if of.answer {
            return match self.answer(&name)? {
                Some(answer) => Ok(Measure::Answer(of.moment, answer)),
                None => Err(unknown(
                    "measure of an answer",
                    &name,
                    ANSWERS.into_iter().chain(MAPS),
                )),
            };
        }
        if let Some(view) = self.view(&name)? {
            return Ok(Measure::View(of.moment, view));
        }
        if let Ok(run) = name.parse() {
            let which = match of.moment {
                Moment::Now => RunOf::Now,
                Moment::Before => RunOf::Before,
            };
            return Ok(Measure::Run(which, run));
        }
        if name == "setting" {
            return Ok(Measure::Setting(of.moment, self.word()?));
        }
        let alone = match of.moment {
            Moment::Now => self.alone(&name)?,
            Moment::Before => None,
        };
        alone.ok_or_else(|| {
            let known = RunMeasure::VARIANTS.iter().chain(AskedMeasure::VARIANTS);
            let known = known.copied().chain(MAPS).chain(VIEWS);
            unknown("measure", &name, known.chain(ALONE).chain(PREFIXES))
        })
    }

    fn map(&mut self, name: &str) -> Result<MapMeasure, String> {
        Ok(match name {
            "diagonal" => MapMeasure::Diagonal,
            "near_diagonal" => MapMeasure::NearDiagonal,
            "near_antidiagonal" => MapMeasure::NearAntidiagonal,
            "line" => MapMeasure::Line,
            "above" => MapMeasure::Above,
            "column" => MapMeasure::Column(self.whole()?),
            "peak" => MapMeasure::Peak,
            "spread" => MapMeasure::Spread,
            "strongest" => MapMeasure::Strongest(self.word()?),
            "own" => MapMeasure::Own(self.whole()?),
            _ => MapMeasure::RowError,
        })
    }

    fn view(&mut self, name: &str) -> Result<Option<ViewMeasure>, String> {
        Ok(Some(match name {
            "look.view" => ViewMeasure::Kind,
            "look.site" => ViewMeasure::Site,
            "look.head" => ViewMeasure::Head,
            "look.level" => ViewMeasure::Level,
            "look.row" => ViewMeasure::Row,
            "look.example" => ViewMeasure::Example,
            "source.length" => ViewMeasure::SourceLength,
            "target.length" => ViewMeasure::TargetLength,
            "right" => ViewMeasure::Right,
            "heads_apart" => ViewMeasure::HeadsApart(self.site()?),
            "probability" => {
                let places = self.word()?;
                let ends = places.split_once("..");
                let (from, to) = ends.ok_or_else(|| {
                    format!("`{}` wants places, as in `probability(1..3)`", self.text)
                })?;
                ViewMeasure::Probability(whole(self.text, Some(from))?, whole(self.text, Some(to))?)
            }
            "share" => ViewMeasure::Share(self.site()?, self.whole()?),
            "largest_share" => ViewMeasure::LargestShare(self.site()?),
            "descent.scored" => ViewMeasure::DescentScored,
            "descent.opened" => ViewMeasure::DescentOpened,
            "block.largest" => ViewMeasure::BlockLargest,
            "norms.count" => ViewMeasure::NormsCount(self.word()?),
            "arrows.levels" => ViewMeasure::ArrowsLevels,
            "arrows.right" => ViewMeasure::ArrowsRight(self.whole()?),
            "arrows.followed" => ViewMeasure::ArrowsFollowed(self.whole()?),
            _ => return Ok(None),
        }))
    }

    fn answer(&mut self, name: &str) -> Result<Option<AnswerMeasure>, String> {
        Ok(Some(match name {
            "text" => AnswerMeasure::Text,
            "score" => AnswerMeasure::Score,
            "sum" => AnswerMeasure::Sum,
            "normalised" => AnswerMeasure::Normalised,
            "length" => AnswerMeasure::Length,
            "distinct" => AnswerMeasure::Distinct,
            "p" => AnswerMeasure::Probability(self.whole()?),
            "top" => AnswerMeasure::Top(self.whole()?),
            "follows" => AnswerMeasure::Follows,
            "copied" => AnswerMeasure::Copied,
            _ => return Ok(None),
        }))
    }

    fn alone(&mut self, name: &str) -> Result<Option<Measure>, String> {
        if let Ok(asked) = name.parse() {
            return Ok(Some(Measure::Asked(asked)));
        }
        Ok(Some(match name {
            "moved" => Measure::Moved(self.site()?),
            "bench" => Measure::Bench(self.word()?),
            "compared" => Measure::Compared(self.word()?),
            "guessed" => Measure::Guessed,
            "noticed" => Measure::Noticed,
            _ => return Ok(None),
        }))
    }

    fn next(&mut self) -> Option<&'a str> {
        (!self.arguments.is_empty()).then(|| self.arguments.remove(0))
    }

    fn word(&mut self) -> Result<String, String> {
        let word = self.next().map(str::to_owned);
        word.ok_or_else(|| format!("`{}` lacks what stands in parentheses", self.text))
    }

    fn site(&mut self) -> Result<SiteName, String> {
        let word = self.word()?;
        word.parse()
            .map_err(|error: SiteNameError| error.to_string())
    }

    fn whole(&mut self) -> Result<usize, String> {
        let next = self.next();
        whole(self.text, next)
    }
}

/// Parses an argument as a whole number from 1.
fn whole(text: &str, argument: Option<&str>) -> Result<usize, String> {
    let number = argument.and_then(|it| it.parse().ok()).filter(|it| *it > 0);
    number.ok_or_else(|| format!("`{text}` wants a whole number from 1 in parentheses"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_measure_is_written_as_it_is_read() {
        let arguments = |name: &str| match name {
            "column" | "own" | "p" | "top" | "arrows.right" | "arrows.followed" => {
                format!("{name}(3)")
            }
            "strongest" | "setting" | "moved" | "bench" | "compared" | "heads_apart"
            | "largest_share" => format!("{name}(decoder.0.self)"),
            "probability" => "probability(1..3)".to_owned(),
            "share" => "share(encoder.0.self, 2)".to_owned(),
            "norms.count" => "norms(feed_forward).count".to_owned(),
            name => name.to_owned(),
        };
        let runs = RunMeasure::VARIANTS.iter().copied();
        let all = MAPS.into_iter().chain(VIEWS).chain(ALONE).chain(runs);
        let all = all
            .chain(AskedMeasure::VARIANTS.iter().copied())
            .map(arguments);
        let all = all.chain(ANSWERS.map(|it| format!("answer.{}", arguments(it))));
        let others = [
            "before.peak",
            "before.parameters",
            "before.answer.p(4)",
            "answer.level(2).strongest(call)",
            "run(wide).held.bleu",
            "run(wide, 500).loss",
            "at(250).held.bleu",
            "before.setting(model.head)",
        ];
        for name in all.chain(others.map(str::to_owned)) {
            let measure: Measure = name
                .parse()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(measure.to_string(), name);
        }
    }

    #[test]
    fn faults_name_what_was_meant() {
        for (text, expected) in [
            ("peek", "did you mean `peak`?"),
            ("run(wide).held.exakt", "did you mean `held.exact`?"),
            ("answer.texts", "did you mean `text`?"),
            ("level(2).step", "there is no measure of a level `step`"),
            ("column", "wants a whole number from 1"),
            ("column(0)", "wants a whole number from 1"),
            ("probability(3)", "wants places"),
            ("run().step", "which run"),
            ("peak(3)", "more arguments"),
            ("before.guessed", "there is no measure `guessed`"),
            ("strongest(call", "closing parenthesis"),
        ] {
            let error = text.parse::<Measure>().unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
