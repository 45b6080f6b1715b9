//! Fields to choose from named options.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// An option that is shown, but cannot be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Impossible {
    /// Value of the option.
    pub option: AttrValue,
    /// The reason, a sentence.
    pub reason: AttrValue,
}

#[derive(Properties, PartialEq)]
pub struct SelectProperties {
    pub id: AttrValue,
    pub label: AttrValue,
    /// Values and their titles.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// Titles of groups of options, each with the number of options in it, in the order of the
    /// options; further options are in no group.
    #[prop_or_default]
    pub groups: Vec<(AttrValue, usize)>,
    /// Options that cannot be chosen; their reasons are shown below the field.
    #[prop_or_default]
    pub impossible: Vec<Impossible>,
    pub value: AttrValue,
    pub onchange: Callback<String>,
    /// Help, a line below the field.
    #[prop_or_default]
    pub help: Option<AttrValue>,
    /// Further contents of the help, below its line.
    #[prop_or_default]
    pub below: Html,
    /// Contents between field and help; the element has the id `ID-was`.
    #[prop_or_default]
    pub after: Html,
    #[prop_or_default]
    pub disabled: bool,
}

/// A field to choose one of a few options.
#[component]
pub fn Select(properties: &SelectProperties) -> Html {
    let SelectProperties {
        id, label, value, ..
    } = properties;
    let select = use_node_ref();
    {
        let select = select.clone();
        let shown = (value.clone(), properties.options.clone());
        use_effect_with(shown, move |(value, _)| {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(value);
            }
        });
    }
    let onchange = {
        let (changed, value) = (properties.onchange.clone(), value.clone());
        Callback::from(move |event: Event| {
            let select = event.target_unchecked_into::<HtmlSelectElement>();
            let chosen = select.value();
            // The field shows the present value again, which this event may or may not change.
            select.set_value(&value);
            changed.emit(chosen);
        })
    };
    let help_id = format!("{id}-help");
    let reasons = reasons(properties);
    let has_more = properties.below != Html::default();
    let is_described = properties.help.is_some() || has_more;
    let described = is_described.then(|| {
        if properties.after == Html::default() {
            help_id.clone()
        } else {
            format!("{id}-was {help_id}")
        }
    });
    let impossible = if reasons.is_empty() {
        Html::default()
    } else {
        html! {
            <details class="impossible">
                <summary>{ unfit(properties) }</summary>
                { for reasons.iter().map(|reason| html! { <p>{ reason }</p> }) }
            </details>
        }
    };
    html! {
        <div class="field">
            <label for={id.clone()}>{ label }</label>
            <select id={id.clone()} ref={select} {onchange} disabled={properties.disabled} aria-describedby={described.clone()}>
                { for grouped(properties) }
            </select>
            { properties.after.clone() }
            if described.is_some() {
                <div class="help" id={help_id} data-title={has_more.then(|| label.clone())}>
                    if let Some(help) = &properties.help {
                        <p>{ help }</p>
                    }
                    { properties.below.clone() }
                    { impossible.clone() }
                </div>
            } else {
                { impossible }
            }
        </div>
    }
}

/// Renders the options, grouped ones below the titles of groups.
fn grouped(properties: &SelectProperties) -> Vec<Html> {
    let option = |(option, title): &(AttrValue, AttrValue)| {
        html! {
            <option key={option.to_string()} value={option.clone()}
                disabled={properties.impossible.iter().any(|it| it.option == *option)}>{ title }</option>
        }
    };
    let mut rest = &properties.options[..];
    let mut parts = Vec::new();
    for (label, count) in &properties.groups {
        let (group, others) = rest.split_at((*count).min(rest.len()));
        rest = others;
        parts.push(html! {
            <optgroup key={format!("group {label}")} label={label.clone()}>{ for group.iter().map(option) }</optgroup>
        });
    }
    parts.extend(rest.iter().map(option));
    parts
}

/// Returns a short line that names the options that cannot be chosen.
fn unfit(properties: &SelectProperties) -> String {
    match &properties.impossible[..] {
        [one] => format!("{} does not fit here: why?", title(properties, one)),
        [one, other] => format!(
            "{} and {} do not fit here: why?",
            title(properties, one),
            title(properties, other)
        ),
        all => format!("{} of these do not fit here: why?", all.len()),
    }
}

fn title<'a>(properties: &'a SelectProperties, impossible: &Impossible) -> &'a str {
    let mut options = properties.options.iter();
    let named = options.find(|(option, _)| *option == impossible.option);
    named.map_or("", |(_, title)| title)
}

/// Returns the reasons why options cannot be chosen: one line per reason, with all its options.
fn reasons(properties: &SelectProperties) -> Vec<String> {
    let mut grouped: Vec<(&AttrValue, Vec<&str>)> = Vec::new();
    for impossible in &properties.impossible {
        let title = title(properties, impossible);
        match grouped
            .iter_mut()
            .find(|(reason, _)| **reason == impossible.reason)
        {
            Some((_, titles)) => titles.push(title),
            None => grouped.push((&impossible.reason, vec![title])),
        }
    }
    grouped
        .into_iter()
        .map(|(reason, titles)| format!("{}: {reason}", titles.join(", ")))
        .collect()
}

#[derive(Properties, PartialEq)]
pub struct CheckProperties {
    pub id: AttrValue,
    pub label: AttrValue,
    pub checked: bool,
    pub onchange: Callback<bool>,
    #[prop_or_default]
    pub help: Option<AttrValue>,
}

/// A field to choose yes or no.
#[component]
pub fn Check(properties: &CheckProperties) -> Html {
    let onchange = properties
        .onchange
        .reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let help_id = format!("{}-help", properties.id);
    let described = properties.help.as_ref().map(|_| help_id.clone());
    let check = html! {
        <div class="check">
            <input id={properties.id.clone()} type="checkbox" checked={properties.checked} {onchange}
                aria-describedby={described} />
            <label for={properties.id.clone()}>{ &properties.label }</label>
        </div>
    };
    match &properties.help {
        Some(help) => {
            html! { <div class="field">{ check }<p class="help" id={help_id}>{ help }</p></div> }
        }
        None => check,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_given_once_for_all_its_options() {
        let impossible = |option: &'static str, reason: &'static str| Impossible {
            option: option.into(),
            reason: reason.into(),
        };
        let named = |name: &'static str, title: &'static str| (name.into(), title.into());
        let properties = SelectProperties {
            id: "x".into(),
            label: "X".into(),
            options: vec![named("a", "A"), named("b", "B"), named("c", "C")],
            groups: Vec::new(),
            impossible: vec![
                impossible("a", "Too wide."),
                impossible("b", "Too deep."),
                impossible("c", "Too wide."),
            ],
            value: "b".into(),
            onchange: Callback::noop(),
            help: None,
            below: Html::default(),
            after: Html::default(),
            disabled: false,
        };
        assert_eq!(reasons(&properties), ["A, C: Too wide.", "B: Too deep."]);
        assert_eq!(unfit(&properties), "3 of these do not fit here: why?");
    }
}
