//! Parser of the part of Markdown that lessons use: headings, paragraphs, lists, emphasis,
//! examples, formulas, links; and values in braces.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use crate::links::Links;
use crate::toml_source::line;
use crate::words::plain;
use crate::{Block, Inline, LessonError, Target};

/// Reader of a lesson's texts.
pub(crate) struct Markdown<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Possible targets of links.
    pub links: &'a Links<'a>,
}

/// A part of a file: a heading or a block.
pub(crate) enum Item {
    /// Heading: level, id, title.
    Heading(u8, Option<String>, Vec<Inline>),
    /// Block, and the values that the block names, each with a line number.
    Block(Block, Vec<(usize, String)>),
}

/// State of the parser.
struct Reading<'a> {
    markdown: &'a Markdown<'a>,
    text: &'a str,
    /// Stack of unfinished lines of text, the outermost first.
    open: Vec<Vec<Inline>>,
    list: Option<Vec<Vec<Inline>>>,
    heading: Option<(u8, Option<String>)>,
    /// Number of links around the present place.
    links: usize,
    destination: String,
    values: Vec<(usize, String)>,
    terms: BTreeSet<String>,
    items: Vec<(Item, usize)>,
    faults: Vec<LessonError>,
}

impl Markdown<'_> {
    /// Returns the parts of a text with their lines, and a fault for everything that lessons do not
    /// support.
    pub fn read(&self, text: &str) -> (Vec<(Item, usize)>, Vec<LessonError>) {
        let mut reading = Reading {
            markdown: self,
            text,
            open: Vec::new(),
            list: None,
            heading: None,
            links: 0,
            destination: String::new(),
            values: Vec::new(),
            terms: BTreeSet::new(),
            items: Vec::new(),
            faults: Vec::new(),
        };
        let options = Options::ENABLE_MATH | Options::ENABLE_HEADING_ATTRIBUTES;
        let events = Parser::new_ext(text, options).into_offset_iter();
        for (event, range) in TextMergeWithOffset::new(events) {
            reading.take(event, &range);
        }
        (reading.items, reading.faults)
    }
}

impl Reading<'_> {
    fn take(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.words(&text, range),
            // Code in braces is a value, shown as an example.
            Event::Code(code) if code.starts_with('{') => self.words(&code, range),
            Event::Code(code) => self.push(Inline::Code(code.into_string())),
            Event::InlineMath(formula) => self.push(Inline::Formula(formula.into_string())),
            Event::SoftBreak => self.push(Inline::Text(" ".to_owned())),
            Event::HardBreak => self.fault(range, "a line break inside a paragraph"),
            Event::DisplayMath(_) => self.fault(range, "a formula of its own"),
            Event::Html(_) | Event::InlineHtml(_) => self.fault(range, "HTML"),
            Event::Rule => self.fault(range, "a line across"),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => self.fault(range, "this"),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.heading = Some((number(level), id.map(|it| it.into_string())));
                self.open.push(Vec::new());
            }
            Tag::Paragraph if self.list.is_some() => {}
            Tag::Paragraph | Tag::Item | Tag::Emphasis | Tag::Strong => self.open.push(Vec::new()),
            Tag::List(None) if self.list.is_none() => self.list = Some(Vec::new()),
            Tag::List(None) => self.fault(range, "a list in a list"),
            Tag::List(Some(_)) => self.fault(range, "a list with numbers"),
            Tag::Link { dest_url, .. } => {
                self.links += 1;
                self.destination = dest_url.into_string();
                self.open.push(Vec::new());
            }
            Tag::Image { .. } => self.fault(range, "a picture"),
            Tag::CodeBlock(_) => self.fault(range, "a block of code"),
            Tag::BlockQuote(_) => self.fault(range, "a block quotation"),
            _ => self.fault(range, "this"),
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Heading(_) => {
                let (level, id) = self.heading.take().unwrap_or_default();
                let title = self.close();
                self.item(Item::Heading(level, id, title), range);
            }
            TagEnd::Paragraph if self.list.is_some() => {}
            TagEnd::Paragraph => {
                let block = Block::Paragraph(self.close());
                self.block(block, range);
            }
            TagEnd::Item => {
                let line = self.close();
                self.list.get_or_insert_default().push(line);
            }
            TagEnd::List(_) => {
                if let Some(list) = self.list.take() {
                    self.block(Block::List(list), range);
                }
            }
            TagEnd::Emphasis => {
                let inner = self.close();
                self.push(Inline::Emphasis(inner));
            }
            TagEnd::Strong => {
                let inner = self.close();
                let term = plain(&inner);
                if !self.terms.insert(term.clone()) {
                    let what = format!("“{term}” is bold twice; a term is new only once");
                    self.tell(range, what);
                }
                self.push(Inline::Term(inner));
            }
            TagEnd::Link => {
                self.links -= 1;
                let text = self.close();
                let destination = std::mem::take(&mut self.destination);
                match self.markdown.links.target(&destination, &plain(&text)) {
                    Ok(to) => self.push(Inline::Link { text, to }),
                    Err(what) => self.tell(range, what),
                }
            }
            // End of an element whose beginning was refused.
            _ => {}
        }
    }

    /// Reads plain words, with values in braces.
    fn words(&mut self, text: &str, range: &Range<usize>) {
        // Digits in the name of a site, as in `{site:decoder.0.self}`, are allowed.
        let outside = text.split('{').enumerate().map(|(at, part)| match at {
            0 => part,
            _ => part.split_once('}').map_or(part, |(_, after)| after),
        });
        let has_digit = outside
            .into_iter()
            .any(|it| it.contains(|it: char| it.is_ascii_digit()));
        if self.links == 0 && has_digit {
            let what = format!(
                "“{}” has a digit; write a value in braces, a formula between $ signs, an example \
                 between backticks, or a link",
                text.trim()
            );
            self.tell(range, what);
        }
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            self.push(Inline::Text(before.to_owned()));
            let name = after.split_once('}');
            let is_name = |name: &str| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|it| it.is_ascii_alphanumeric() || "_.:".contains(it))
            };
            match name.filter(|(name, _)| is_name(name)) {
                Some((name, after)) => {
                    let line = line(self.text, range.start);
                    self.values.push((line, name.to_owned()));
                    self.push(Inline::Value(name.to_owned()));
                    rest = after;
                }
                None => {
                    self.tell(range, "a brace opens no value, as in {loss}".to_owned());
                    rest = after;
                }
            }
        }
        self.push(Inline::Text(rest.to_owned()));
    }

    fn push(&mut self, part: Inline) {
        let Some(line) = self.open.last_mut() else {
            return;
        };
        match (line.last_mut(), part) {
            (_, Inline::Text(text)) if text.is_empty() => {}
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(&text),
            (_, part) => line.push(part),
        }
    }

    fn close(&mut self) -> Vec<Inline> {
        self.open.pop().unwrap_or_default()
    }

    fn block(&mut self, block: Block, range: &Range<usize>) {
        let values = std::mem::take(&mut self.values);
        self.item(Item::Block(block, values), range);
    }

    fn item(&mut self, item: Item, range: &Range<usize>) {
        let line = line(self.text, range.start);
        self.items.push((item, line));
    }

    fn fault(&mut self, range: &Range<usize>, what: &str) {
        self.tell(
            range,
            format!("lessons have no place for {what}; use paragraphs, lists, emphasis and links"),
        );
    }

    fn tell(&mut self, range: &Range<usize>, what: String) {
        self.faults.push(LessonError {
            file: self.markdown.file.to_owned(),
            line: line(self.text, range.start),
            what,
        });
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        _ => 4,
    }
}

/// Returns the targets of all links in a line.
pub(crate) fn targets(line: &[Inline]) -> Vec<&Target> {
    line.iter()
        .flat_map(|part| match part {
            Inline::Link { to, .. } => vec![to],
            Inline::Emphasis(inner) | Inline::Term(inner) => targets(inner),
            _ => Vec::new(),
        })
        .collect()
}
