//! A sentence, its translation, and the attention between them.

use crate::by_pointer::ByPointer;
use crate::page::base::foreign::quoted;
use crate::page::form::fields::Select;
use crate::page::run::run_title::use_run_title;
use crate::page::watch::drawing::{Paint, heat_map};
use crate::page::watch::exporting::{Content, Export, export_menu, matrix_json};
use crate::page::watch::inspector::{after, display_controls, head_in_words, lines, matrix_view};
use crate::page::watch::view::{Choice, Matrix, heads, site_option};
use std::rc::Rc;
use strata_session::protocol::{SiteView, TranslationView};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AttentionProperties {
    /// Id of the heat-map; the ids of its controls begin with it.
    pub id: AttrValue,
    pub picture: Option<ByPointer<TranslationView>>,
    /// Text in the place of a missing picture.
    pub empty: AttrValue,
}

/// A picture of the attention, with controls that choose the site, level and head to show.
#[component]
pub fn Attention(properties: &AttentionProperties) -> Html {
    let id = &properties.id;
    let run = use_run_title();
    let choice = use_state_eq(Choice::default);
    let (stretch, lines) = (use_state_eq(|| false), use_state_eq(|| false));
    let matrix = use_memo(
        (properties.picture.clone(), (*choice).clone()),
        |(picture, choice)| Some(Rc::new(choice.matrix(picture.as_ref()?)?)),
    );
    let picture = properties.picture.as_ref();
    let (Some(picture), Some(matrix)) = (picture, (*matrix).clone()) else {
        return html! {
            <div class="attention">
                <p class="empty" id={id.clone()} data-rows="0" data-columns="0">{ &properties.empty }</p>
            </div>
        };
    };
    html! {
        <div class="attention">
            <div class="attention-controls">
                { site_controls(id, &choice, picture) }
                { display_controls(id, &stretch, &lines) }
                { exports(id, &matrix, *lines, caption(picture, &choice, &run.words)) }
            </div>
            { matrix_view(id, matrix, *stretch, *lines, None, None) }
        </div>
    }
}

/// Returns the sentences below a picture: its part of the model, the text, the steps and the run.
fn caption(picture: &TranslationView, choice: &Choice, run: &str) -> Vec<String> {
    let part = choice.site(picture).and_then(|site| {
        let level = site.level_numbers.get(choice.level(site)?)?;
        let head = head_in_words(site.site, choice.head, site.heads);
        let (title, levels) = (site.site.title(), site.levels);
        Some(format!("{title}: level {level} of {levels}, {head}."))
    });
    let text = quoted(&picture.source.join(" "));
    let text = format!("{text}, {}", after(picture.step, run));
    part.into_iter().chain([text]).collect()
}

/// Returns the menu of files of a picture.
pub fn exports(
    id: &AttrValue,
    matrix: &Rc<Matrix>,
    as_lines: bool,
    sentences: Vec<String>,
) -> Html {
    let (drawn, numbers) = (matrix.clone(), matrix.clone());
    let mut exports = Export::picture(move || {
        let mut drawing = if as_lines {
            lines(&drawn, None)
        } else {
            heat_map(&drawn, 1.0)
        };
        drawing.caption(&sentences, Paint::Soft);
        drawing
    });
    exports.push(Export::new("json", move || {
        Content::Json(matrix_json(&numbers))
    }));
    export_menu(id, "attention", exports)
}

fn site_controls(
    id: &AttrValue,
    choice: &UseStateHandle<Choice>,
    picture: &TranslationView,
) -> Html {
    let Some(site) = choice.site(picture) else {
        return html! {};
    };
    let sites = picture.sites.iter().map(|it| site_option(it.site));
    let change_site = {
        let choice = choice.clone();
        Callback::from(move |name: String| {
            choice.set(Choice {
                site: name.parse().ok(),
                ..(*choice).clone()
            });
        })
    };
    html! {
        <>
            <Select id={format!("{id}-site")} label="Site" options={sites.collect::<Vec<_>>()}
                value={site.site.to_string()} onchange={change_site} />
            { head_control(id, choice, site) }
            { level_control(id, choice, site) }
        </>
    }
}

fn head_control(id: &AttrValue, choice: &UseStateHandle<Choice>, site: &SiteView) -> Html {
    let head = choice.head.filter(|head| *head < site.heads);
    let name = |head: Option<usize>| head.map_or("mean".to_owned(), |head| head.to_string());
    let mut options: Vec<(AttrValue, AttrValue)> = vec![(name(None).into(), "mean".into())];
    let (label, titles) = heads(site.site, site.heads);
    let titles = titles.into_iter().enumerate();
    options.extend(titles.map(|(head, title)| (name(Some(head)).into(), title.into())));
    let change = {
        let choice = choice.clone();
        Callback::from(move |value: String| {
            choice.set(Choice {
                head: value.parse().ok(),
                ..(*choice).clone()
            });
        })
    };
    html! {
        <Select id={format!("{id}-head")} {label} {options} value={name(head)} onchange={change}
            disabled={site.heads < 2} />
    }
}

fn level_control(id: &AttrValue, choice: &UseStateHandle<Choice>, site: &SiteView) -> Html {
    let options: Vec<(AttrValue, AttrValue)> = site
        .level_numbers
        .iter()
        .map(|level| {
            let title = format!("{level} of {}", site.levels);
            (level.to_string().into(), title.into())
        })
        .collect();
    let change = {
        let choice = choice.clone();
        Callback::from(move |value: String| {
            choice.set(Choice {
                level: value.parse().ok(),
                ..(*choice).clone()
            });
        })
    };
    let level = choice.level(site).map_or(0, |at| site.level_numbers[at]);
    html! {
        <Select id={format!("{id}-level")} label="Level" {options} value={level.to_string()}
            onchange={change} disabled={site.levels < 2} />
    }
}
