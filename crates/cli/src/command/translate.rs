//! `strata translate`: translates texts, or standard input line by line.

mod arguments;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pollster::block_on;
use strata_models::{BeamConfig, Search};
use strata_tasks::Pipeline;
use strata_text::TextReader;
use strata_training::{
    Encoded, Inference, SearchOptions, Tokenizer, Translation, TranslationError,
};

use crate::base::error::Error;
use crate::base::files;
use crate::base::input_lines::{InputLine, InputLines};
use crate::base::output::warn;
use crate::base::peak_memory;
use crate::model::attention_file::AttentionFile;
use crate::model::checkpoint_file;
use crate::model::chosen::{self, ModelArguments};
use crate::model::replace_unknown;
use crate::model::search::{self, Bounds};

use arguments::TooLong;
pub use arguments::TranslateArguments;

/// Most bytes of a line: no sentence is longer, but a file of zeros is one line.
const LONGEST_LINE: usize = 1 << 20;
/// Number of warnings on single lines that are too long; further ones are only counted.
const TOLD: usize = 10;
/// Number of batches that are read before the first is translated, so that lines of similar length
/// can be batched.
const BATCHES_AT_ONCE: usize = 4;

/// Translates the given texts, or standard input.
pub fn run(arguments: &TranslateArguments) -> Result<ExitCode, Error> {
    let search = search::read(&arguments.search, arguments.nbest)?;
    if arguments.past_lines && arguments.text.is_empty() {
        return Err(Error::Search(
            "`--past-lines` writes several lines, where each line of standard input has one; give \
             the beginning as an argument (\"\" for none)"
                .to_owned(),
        ));
    }
    let models = arguments.model.paths();
    let models: Vec<&Path> = models.iter().map(PathBuf::as_path).collect();
    files::not_printed_onto(&models)?;
    if let Some(attention) = &arguments.attention {
        files::not_onto(attention, "--attention", &models)?;
    }
    if arguments.search.beam.is_some() {
        peak_memory::advise("`--beam`".to_owned());
    }
    let inference = open(&arguments.model)?;
    let mut bounds = search::bounds(&arguments.search)?;
    writing_on(arguments, inference.tokenizer().pipeline(), &mut bounds)?;
    bounds.check(inference.tokenizer())?;
    begin_with(arguments, inference.tokenizer(), &mut bounds)?;
    if bounds.replace_unknown {
        replace_unknown::check(&inference)?;
    }
    let attention = arguments.attention.as_deref().map(AttentionFile::create);
    let mut output = Output {
        inference,
        search,
        bounds,
        numbered: arguments.nbest.is_some(),
        scored: arguments.scores,
        attention: attention.transpose()?,
        lines: 0,
        is_told_otherwise: false,
        long: LongLines::new(arguments.too_long),
        short: 0,
        written: Ok(()),
    };
    if arguments.text.is_empty() {
        let input = io::stdin();
        let at_once = if input.is_terminal() {
            warn(match output.inference.tokenizer().pipeline() {
                Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
                    "Type a sentence and press Enter; Ctrl-D ends."
                }
                Pipeline::TextGeneration => "Type how a text begins and press Enter; Ctrl-D ends.",
            });
            1
        } else {
            BATCHES_AT_ONCE * search::sentences_at_once(&search)
        };
        let input = TextReader::new("standard input", input.lock())?;
        translate_lines(&mut output, input, at_once)?;
    } else {
        let text = arguments.text.join(" ");
        let tokenizer = output.inference.tokenizer();
        let (encoded, surplus) = match arguments.too_long {
            Some(TooLong::Cut) => tokenizer.encode_within(&text)?,
            _ => (tokenizer.encode(&text)?, 0),
        };
        let given = encoded.ids.len();
        if let Some(limit) = output.bounds.limit.filter(|&limit| limit < given)
            && tokenizer.pipeline() == Pipeline::TextGeneration
        {
            return Err(Error::Search(format!(
                "`--limit {limit}` is below the {given} tokens that the text begins with, which \
                 count; raise it"
            )));
        }
        match surplus {
            0 => output.tell_if_read_otherwise(&text, &encoded),
            surplus => {
                let [what, kept] = too_long(tokenizer.pipeline(), given, surplus);
                warn(&format!("warning: {what}; the {kept} {given} are taken."));
            }
        }
        output.translate(vec![Some(encoded)])?;
    }
    output.end()
}

/// Reads the bounds of a language model's text from the arguments.
fn writing_on(
    arguments: &TranslateArguments,
    form: Pipeline,
    bounds: &mut Bounds,
) -> Result<(), Error> {
    let option = match (arguments.past_lines, &arguments.stop[..]) {
        (true, _) => "--past-lines",
        (false, [_, ..]) => "--stop",
        (false, []) => return Ok(()),
    };
    let refused = |sentence: String| Err(Error::Search(sentence));
    if form != Pipeline::TextGeneration {
        return refused(format!(
            "`{option}` is for a language model, and this one translates; leave it out"
        ));
    }
    let stops = arguments.stop.iter().map(|stop| stop.replace("\\n", "\n"));
    bounds.stops = stops.collect();
    if bounds.stops.iter().any(String::is_empty) {
        return refused("`--stop` needs a text at which to stop".to_owned());
    }
    if !bounds.stops.is_empty() && bounds.constraints.minimum_length > 0 {
        return refused(
            "`--stop` ends a text wherever it stands, however long `--min-length` asks it to be; \
             leave out one of them"
                .to_owned(),
        );
    }
    if arguments.past_lines && bounds.constraints.minimum_length > 0 {
        return refused(
            "`--past-lines` writes as many tokens as `--limit` says; leave out `--min-length`"
                .to_owned(),
        );
    }
    bounds.constraints.past_ends = arguments.past_lines;
    Ok(())
}

/// Reads the beginning of all translations from the arguments.
fn begin_with(
    arguments: &TranslateArguments,
    tokenizer: &Tokenizer,
    bounds: &mut Bounds,
) -> Result<(), Error> {
    let Some(text) = &arguments.prefix else {
        return Ok(());
    };
    let refused = |sentence: String| Err(Error::Search(sentence));
    if !tokenizer.pipeline().has_pairs() {
        return refused(
            "`--prefix` is for a model that translates; a language model goes on from its TEXT"
                .to_owned(),
        );
    }
    let prefix = tokenizer.encode_prefix(text);
    let given = prefix.ids.len();
    if given == 0 {
        return refused("`--prefix` needs a text to begin with".to_owned());
    }
    let most = bounds
        .limit
        .unwrap_or(usize::MAX)
        .min(tokenizer.longest_target());
    if given > most {
        return refused(format!(
            "`--prefix` has {given} tokens, but at most {most} are written; shorten it{}",
            if bounds.limit.is_some() {
                ", or raise `--limit`"
            } else {
                ""
            }
        ));
    }
    if !prefix.unknown.is_empty() {
        warn(&format!(
            "warning: the model does not know {} of `--prefix`, and goes on from `<unk>`.",
            listed(&prefix.unknown)
        ));
    }
    bounds.prefix = Some(prefix);
    Ok(())
}

/// Opens the model of a checkpoint on its device, or several models joined.
pub fn open(arguments: &ModelArguments) -> Result<Inference, Error> {
    let mut chosen = chosen::read(&arguments.paths()[0])?;
    chosen.tell();
    let (device, _) = arguments.device.open()?;
    let inference = Inference::from_checkpoint(&chosen.bytes, &device);
    let mut inference = inference.map_err(Error::checkpoint(&chosen.path))?;
    arguments.join_others(&mut inference)?;
    Ok(inference)
}

/// Reads a checkpoint's bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    checkpoint_file::read(path)
}

fn translate_lines(output: &mut Output, input: impl BufRead, at_once: usize) -> Result<(), Error> {
    let mut waiting = Vec::new();
    let mut lines = InputLines::new(input, LONGEST_LINE);
    while let Some(line) = lines.next()? {
        let InputLine { number, bytes, .. } = line;
        if output.written.is_err() {
            break;
        }
        let encoded = match line.is_whole {
            true => output.encode(number, bytes),
            false => {
                let mebibytes = LONGEST_LINE >> 20;
                let what = format!("it is longer than {mebibytes} MiB, which no sentence is");
                output.long.left_empty(number, &what, "");
                Ok(None)
            }
        };
        match encoded {
            Ok(encoded) => waiting.push(encoded),
            Err(reason) => {
                // Lines before the faulty one are still translated.
                output.translate(waiting)?;
                return Err(Error::Line {
                    line: number,
                    reason,
                });
            }
        }
        if waiting.len() == at_once {
            output.translate(std::mem::take(&mut waiting))?;
        }
    }
    output.translate(waiting)?;
    output.long.conclude();
    Ok(())
}

/// Says by how much a text is too long, and which of its tokens `--too-long cut` keeps; `taken` are
/// kept, and `surplus` are not.
fn too_long(form: Pipeline, taken: usize, surplus: usize) -> [String; 2] {
    let [done, kept] = match form {
        Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
            ["translated", "first"]
        }
        Pipeline::TextGeneration => ["written on", "last"],
    };
    let tokens = taken + surplus;
    let what = format!("the text has {tokens} tokens, but at most {taken} can be {done}");
    [what, kept.to_owned()]
}

/// Handling and number of lines that are too long.
struct LongLines {
    handling: TooLong,
    count: usize,
}

impl LongLines {
    fn new(handling: Option<TooLong>) -> Self {
        Self {
            handling: handling.unwrap_or_default(),
            count: 0,
        }
    }

    fn left_empty(&mut self, line: usize, what: &str, advice: &str) {
        self.tell(&format!(
            "standard input, line {line}: {what}; its line is left empty{advice}"
        ));
    }

    /// Warns of the first few lines that are too long: there may be thousands.
    fn tell(&mut self, what: &str) {
        self.count += 1;
        if self.count <= TOLD {
            warn(&format!("warning: {what}."));
        }
    }

    fn conclude(&self) {
        if self.count > 1 {
            let done = match self.handling {
                TooLong::Skip => "left empty",
                TooLong::Cut => "cut",
            };
            warn(&format!(
                "warning: {} lines were too long and {done}.",
                self.count
            ));
        }
    }
}

/// Returns translations of each source, in the order of the sources; sources of similar length are
/// batched. `numbers` are the indices of the sources among all that are translated, for sampling.
///
/// # Errors
/// If the device fails.
pub fn translate_all(
    inference: &Inference,
    sources: &[Encoded],
    numbers: &[u64],
    search: &Search,
    bounds: &Bounds,
) -> Result<Vec<Vec<Translation>>, Error> {
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_key(|&at| sources[at].ids.len());
    let mut all = vec![Vec::new(); sources.len()];
    let results = search.results();
    let search = &all_results(search);
    for indices in order.chunks(search::sentences_at_once(search)) {
        let batch: Vec<Encoded> = indices.iter().map(|&at| sources[at].clone()).collect();
        let options = SearchOptions {
            limit: bounds.limit,
            constraints: bounds.constraints.clone(),
            prefixes: match &bounds.prefix {
                Some(prefix) => vec![prefix.ids.clone(); batch.len()],
                None => Vec::new(),
            },
            numbers: indices.iter().map(|&at| numbers[at]).collect(),
            ..SearchOptions::default()
        };
        let searched = block_on(inference.search(&batch, search, options))?;
        for (found, &at) in searched.items.iter().zip(indices) {
            for hypothesis in &found.hypotheses {
                let mut translation = match &bounds.prefix {
                    Some(prefix) => inference.translation_after(prefix, hypothesis),
                    None => inference.translation(&sources[at], hypothesis),
                };
                if !bounds.stops.is_empty() {
                    let (tokenizer, given) = (inference.tokenizer(), &sources[at]);
                    let beginning = tokenizer.joined_target(&given.tokens, &given.ids);
                    stop(&mut translation.text, &beginning, &bounds.stops);
                }
                if bounds.replace_unknown {
                    let given = bounds
                        .prefix
                        .as_ref()
                        .map_or(&[][..], |it| it.tokens.as_slice());
                    replace_unknown::replace(inference, &sources[at], given, &mut translation)?;
                }
                // Different tokens may spell the same text; of samples every draw counts.
                let same = |it: &Translation| it.text == translation.text;
                if matches!(search, Search::Sampling(_)) || !all[at].iter().any(same) {
                    all[at].push(translation);
                }
            }
            all[at].truncate(results);
        }
    }
    Ok(all)
}

/// Returns the search with all results of a beam, some of which may be the same text.
fn all_results(search: &Search) -> Search {
    match *search {
        Search::Beam(config) if config.results > 1 => Search::Beam(BeamConfig {
            results: config.width,
            ..config
        }),
        other => other,
    }
}

/// Cuts a text before the first of the `stops` that comes after `beginning`.
fn stop(text: &mut String, beginning: &str, stops: &[String]) {
    let start = if text.starts_with(beginning) {
        beginning.len()
    } else {
        0
    };
    let found = stops
        .iter()
        .filter_map(|stop| text[start..].find(stop.as_str()));
    if let Some(at) = found.min() {
        text.truncate(start + at);
    }
}

/// Writes translations, one per line.
struct Output {
    inference: Inference,
    search: Search,
    bounds: Bounds,
    /// True if each line begins with the number of its source.
    numbered: bool,
    /// True if each line has its score.
    scored: bool,
    attention: Option<AttentionFile>,
    /// Number of lines read.
    lines: usize,
    /// True once the user was told that the model reads a beginning otherwise than it was typed.
    is_told_otherwise: bool,
    long: LongLines,
    /// Number of translations that are shorter than `--min-length`.
    short: usize,
    /// Error in writing to standard output, if any.
    written: io::Result<()>,
}

impl Output {
    /// Encodes a line; `None` if its output line stays empty.
    fn encode(&mut self, number: usize, line: &[u8]) -> Result<Option<Encoded>, String> {
        let line = std::str::from_utf8(line)
            .map_err(|_| "it is not UTF-8; convert it (for example with iconv)".to_owned())?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let tokenizer = self.inference.tokenizer();
        let (encoded, surplus) = match tokenizer.encode_within(line) {
            // An empty line stays empty, although a language model could begin a text by itself.
            Ok((encoded, _)) if encoded.ids.is_empty() => return Ok(None),
            Ok(found) => found,
            Err(TranslationError::Empty) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let given = encoded.ids.len();
        if tokenizer.pipeline() == Pipeline::TextGeneration
            && let Some(limit) = self.bounds.limit.filter(|&limit| limit < given)
        {
            warn(&format!(
                "warning: standard input, line {number}: the text begins with {given} tokens, which \
                 `--limit {limit}` counts; nothing is written behind them."
            ));
        }
        if surplus == 0 {
            self.tell_if_read_otherwise(line, &encoded);
            return Ok(Some(encoded));
        }
        let [what, kept] = too_long(tokenizer.pipeline(), given, surplus);
        match self.long.handling {
            TooLong::Skip => {
                let advice = format!(" (`--too-long cut` takes the {kept} {given})");
                self.long.left_empty(number, &what, &advice);
                Ok(None)
            }
            TooLong::Cut => {
                self.long.tell(&format!(
                    "standard input, line {number}: {what}; the {kept} {given} are taken"
                ));
                Ok(Some(encoded))
            }
        }
    }

    /// Warns, once, if a language model's tokens do not contain all of a beginning.
    fn tell_if_read_otherwise(&mut self, text: &str, encoded: &Encoded) {
        let tokenizer = self.inference.tokenizer();
        if self.is_told_otherwise || tokenizer.pipeline() != Pipeline::TextGeneration {
            return;
        }
        let read = tokenizer.joined_target(&encoded.tokens, &encoded.ids);
        if read != text {
            self.is_told_otherwise = true;
            warn(&format!(
                "warning: the beginning is read as {read:?}: the tokens of this model hold no more \
                 of its spaces and letters."
            ));
        }
    }

    /// Translates lines and writes the results; an empty line stays empty.
    fn translate(&mut self, lines: Vec<Option<Encoded>>) -> Result<(), Error> {
        let sources: Vec<Encoded> = lines.iter().flatten().cloned().collect();
        warn_of_unknown(&sources);
        let numbers = (self.lines as u64..).zip(&lines);
        let numbers = numbers.filter(|(_, line)| line.is_some());
        let numbers: Vec<u64> = numbers.map(|(number, _)| number).collect();
        let (search, bounds) = (&self.search, &self.bounds);
        let found = translate_all(&self.inference, &sources, &numbers, search, bounds)?;
        let least = bounds.constraints.minimum_length;
        let is_short = |it: &&Translation| it.ids.len() < least;
        self.short += found.iter().flatten().filter(is_short).count();
        let mut found = sources.iter().zip(found);
        let mut text = String::new();
        for line in &lines {
            let translated = line.as_ref().and_then(|_| found.next());
            match &translated {
                None => text += &self.line(None),
                Some((_, translations)) => {
                    for translation in translations {
                        text += &self.line(Some(translation));
                    }
                }
            }
            self.lines += 1;
            if let Some(file) = &mut self.attention
                && let Some((source, translations)) = translated
                && let Some(best) = translations.first()
            {
                file.add(self.lines, &self.inference, source, best)?;
            }
        }
        let mut stdout = io::stdout().lock();
        self.written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        Ok(())
    }

    /// Returns the output line of a translation, with number and score if the user asked for them.
    fn line(&self, translation: Option<&Translation>) -> String {
        let mut line = String::new();
        if self.numbered {
            line += &format!("{}\t", self.lines);
        }
        if self.numbered || self.scored {
            let score = translation.map_or(0.0, |translation| translation.normalised);
            line += &format!("{score:.4}\t");
        }
        line + translation.map_or("", |translation| &translation.text) + "\n"
    }

    fn end(self) -> Result<ExitCode, Error> {
        if let Some(file) = self.attention {
            file.finish()?;
        }
        if self.short > 0 {
            warn(&format!(
                "warning: {} shorter than `--min-length {}` asks for: no token was left that may \
                 follow (`--no-repeat-ngram`).",
                match self.short {
                    1 => "1 text is".to_owned(),
                    count => format!("{count} texts are"),
                },
                self.bounds.constraints.minimum_length
            ));
        }
        match self.written {
            Ok(()) => Ok(ExitCode::SUCCESS),
            // The reader has closed its pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(reason) => Err(Error::Write {
                path: "standard output".into(),
                what: "text",
                reason,
                advice: "make room where it goes".to_owned(),
            }),
        }
    }
}

/// Warns of words that the model does not know.
fn warn_of_unknown(sources: &[Encoded]) {
    let mut unknown: Vec<&str> = Vec::new();
    for word in sources.iter().flat_map(|source| &source.unknown) {
        if !unknown.contains(&word.as_str()) {
            unknown.push(word);
        }
    }
    if !unknown.is_empty() {
        let words = listed(&unknown);
        warn(&format!("warning: the model does not know {words}."));
    }
}

/// Writes words in back-ticks, with commas.
fn listed<T: std::fmt::Display>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
