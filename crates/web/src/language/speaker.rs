//! Keeps the texts of the document in the page's language.
//!
//! An observer sees the texts that components write in English, and the attributes for readers, and
//! replaces both. A component compares new texts with the texts that the component wrote before, never
//! with the document, and so does not notice.
//!
//! Untouched are code, elements with a language of their own, and elements with `translate="no"` (words
//! of users and models), unless `data-words` says that such an element has words of the page, alone or
//! `mixed` with others.

use super::ENGLISH;
use super::attributes::ATTRIBUTES;
use super::words::{Said, Words, has_letter};
use js_sys::{Array, Object, Reflect, WeakMap};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, MutationObserver, MutationObserverInit, MutationRecord, Node};

/// Elements whose texts are of the page, or not.
const DECIDES: &str =
    "[data-words],[translate],[lang],.formula,cite,code,pre,textarea,script,style,noscript,font";
/// Texts that are remembered; a training run writes ever new ones.
const MOST: usize = 4_000;
/// Kinds of nodes.
const TEXT: u16 = Node::TEXT_NODE;
const ELEMENT: u16 = Node::ELEMENT_NODE;
/// `NodeFilter.SHOW_TEXT`
const SHOW_TEXT: u32 = 4;

thread_local! {
    static SPEAKER: RefCell<Option<Speaker>> = const { RefCell::new(None) };
}

struct Speaker {
    code: &'static str,
    words: &'static Words,
    /// Looked-up texts, so that a text that comes again costs little.
    memory: HashMap<String, Option<String>>,
    /// Texts that the words lack.
    unknown: BTreeSet<String>,
    /// For each node or element, the English and what stands there instead, by attribute.
    written: WeakMap,
    /// Selector of the elements that have one of the [`ATTRIBUTES`].
    with_attributes: String,
    observer: MutationObserver,
    document: Document,
}

/// Puts the document into another language.
pub fn speak(code: &'static str, words: &'static Words) {
    let is_new = SPEAKER.with_borrow_mut(|speaker| match speaker {
        Some(speaker) => {
            speaker.code = code;
            speaker.words = words;
            speaker.memory.clear();
            speaker.unknown.clear();
            false
        }
        None => {
            *speaker = Speaker::new(code, words);
            true
        }
    });
    SPEAKER.with_borrow_mut(|speaker| {
        if let Some(speaker) = speaker {
            speaker.all();
            if is_new {
                speaker.observe();
            }
        }
    });
}

impl Speaker {
    fn new(code: &'static str, words: &'static Words) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let seen =
            Closure::<dyn FnMut(Vec<MutationRecord>)>::new(|records: Vec<MutationRecord>| {
                SPEAKER.with_borrow_mut(|speaker| {
                    if let Some(speaker) = speaker {
                        speaker.changed(&records);
                    }
                });
            });
        let observer = MutationObserver::new(seen.as_ref().unchecked_ref()).ok()?;
        // The observer lives as long as the page.
        seen.forget();
        tell_unknown();
        Some(Self {
            code,
            words,
            memory: HashMap::new(),
            unknown: BTreeSet::new(),
            written: WeakMap::new(),
            with_attributes: ATTRIBUTES.map(|name| format!("[{name}]")).join(","),
            observer,
            document,
        })
    }

    fn observe(&self) {
        let Some(root) = self.document.document_element() else {
            return;
        };
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_character_data(true);
        options.set_subtree(true);
        options.set_attributes(true);
        let names: Array = ATTRIBUTES.iter().map(|it| JsValue::from_str(it)).collect();
        options.set_attribute_filter(&names);
        // The options are valid.
        let _ = self.observer.observe_with_options(&root, &options);
    }

    /// Says all texts of the document anew.
    fn all(&mut self) {
        if let Some(root) = self.document.document_element() {
            let _ = root.set_attribute("lang", self.code);
            self.below(&root);
        }
        self.observer.take_records();
    }

    fn changed(&mut self, records: &[MutationRecord]) {
        for record in records {
            match record.type_().as_str() {
                "childList" => {
                    let added = record.added_nodes();
                    for at in 0..added.length() {
                        if let Some(node) = added.get(at) {
                            self.node(&node);
                        }
                    }
                }
                "attributes" => {
                    if let (Some(target), Some(name)) = (record.target(), record.attribute_name()) {
                        self.attribute(target.unchecked_ref(), &name);
                    }
                }
                _ => {
                    if let Some(target) = record.target() {
                        self.text(&target);
                    }
                }
            }
        }
        // What was written here needs no second look.
        self.observer.take_records();
    }

    fn node(&mut self, node: &Node) {
        match node.node_type() {
            TEXT => self.text(node),
            ELEMENT => self.below(node.unchecked_ref()),
            _ => {}
        }
    }

    /// Says an element and all that is below.
    fn below(&mut self, root: &Element) {
        if root.matches(&self.with_attributes).unwrap_or_default() {
            self.attributes(root);
        }
        if let Ok(with_attributes) = root.query_selector_all(&self.with_attributes) {
            for at in 0..with_attributes.length() {
                if let Some(element) = with_attributes.get(at) {
                    self.attributes(element.unchecked_ref());
                }
            }
        }
        let walker = self
            .document
            .create_tree_walker_with_what_to_show(root, SHOW_TEXT);
        if let Ok(walker) = walker {
            while let Ok(Some(text)) = walker.next_node() {
                self.text(&text);
            }
        }
    }

    fn text(&mut self, node: &Node) {
        let Some(now) = node.node_value().filter(|it| has_letter(it)) else {
            return;
        };
        let Some(parent) = node.parent_element() else {
            return;
        };
        let Some(is_told) = self.is_of_the_page(&parent) else {
            return;
        };
        let is_token = now.starts_with(char::is_lowercase) && !now.contains(' ');
        if is_token && !is_told {
            return;
        }
        if let Some(said) = self.replaced(node, "", &now, is_told) {
            node.set_node_value(Some(&said));
        }
    }

    fn attributes(&mut self, element: &Element) {
        for name in ATTRIBUTES {
            self.attribute(element, name);
        }
    }

    fn attribute(&mut self, element: &Element, name: &str) {
        let Some(now) = element.get_attribute(name).filter(|it| has_letter(it)) else {
            return;
        };
        // The example in a field is of the field's language.
        let is_example = name == "placeholder" && element.has_attribute("lang");
        if is_example || element.tag_name() == "math" {
            return;
        }
        // Names for elements with a user's words are the page's own.
        let is_told = element
            .parent_element()
            .is_some_and(|it| self.is_of_the_page(&it) == Some(true));
        if let Some(said) = self.replaced(element, name, &now, is_told) {
            // The attribute is there.
            let _ = element.set_attribute(name, &said);
        }
    }

    /// Returns the text that must stand in the place of another; `None` if that text stands there.
    fn replaced(&mut self, node: &Node, name: &str, now: &str, is_told: bool) -> Option<String> {
        let key = JsValue::from_str(name);
        let entry = self.written.get(node);
        let before = Reflect::get(&entry, &key).ok();
        let before: Option<Array> = before.and_then(|it| it.dyn_into().ok());
        // What was said here before is no English of a component.
        let is_mine = |it: &Array| it.get(1).as_string().as_deref() == Some(now);
        let english = before
            .filter(is_mine)
            .and_then(|it| it.get(0).as_string())
            .unwrap_or_else(|| now.to_owned());
        let said = self.said(&english, is_told);
        let entry = if entry.is_object() {
            entry
        } else if said.is_some() {
            let entry = Object::new();
            self.written.set(node, &entry);
            entry.into()
        } else {
            return None;
        };
        let said = said.unwrap_or_else(|| english.clone());
        let pair = Array::of2(&english.into(), &JsValue::from_str(&said));
        // The entry is an object of this module.
        let _ = Reflect::set(&entry, &key, &pair);
        (said != now).then_some(said)
    }

    fn said(&mut self, english: &str, is_told: bool) -> Option<String> {
        if self.code == ENGLISH {
            return None;
        }
        if let Some(known) = self.memory.get(english) {
            return known.clone();
        }
        let Said { text, unknown } = self.words.say(english);
        if is_told {
            self.unknown.extend(unknown);
        }
        let said = Some(text).filter(|it| it != english);
        if self.memory.len() >= MOST {
            self.memory.clear();
        }
        self.memory.insert(english.to_owned(), said.clone());
        said
    }

    /// Says whether texts of an element are words of the page, and not of a user or of a model; true
    /// if they are English for certain.
    fn is_of_the_page(&self, element: &Element) -> Option<bool> {
        let Ok(Some(decides)) = element.closest(DECIDES) else {
            return Some(true);
        };
        if let Some(holds) = decides.get_attribute("data-words") {
            return Some(holds != "mixed");
        }
        if decides.tag_name() == "HTML" {
            return Some(true);
        }
        if decides.get_attribute("translate").as_deref() == Some("no") {
            return None;
        }
        match decides.get_attribute("lang") {
            // A lesson beside what the page says of it.
            Some(language) => (language == self.code).then_some(false),
            None => None,
        }
    }
}

/// Lets tests ask for the texts that the words lack.
fn tell_unknown() {
    let unknown = Closure::<dyn Fn() -> Array>::new(|| {
        SPEAKER.with_borrow(|speaker| {
            let unknown = speaker.iter().flat_map(|it| &it.unknown);
            unknown.map(|it| JsValue::from_str(it)).collect()
        })
    });
    if let Some(window) = web_sys::window() {
        // A window takes any property.
        let _ = Reflect::set(&window, &"strataUnknownTexts".into(), unknown.as_ref());
    }
    // The function lives as long as the page.
    unknown.forget();
}
