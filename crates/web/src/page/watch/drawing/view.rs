//! A picture on the page, in the colours of the page's theme.

use super::{Drawing, Paint, Shape, Text};
use strata_drawing::Colour;
use yew::prelude::*;

/// Renders a picture as an element of the page.
pub trait OnPage {
    /// Renders the picture without handles.
    fn view(&self) -> Html;

    /// Renders the picture with its handles: `point` is called with a handle's number when the
    /// pointer or the focus is on it, and with `None` when it has left.
    fn interactive(&self, point: &Callback<Option<usize>>) -> Html;
}

impl OnPage for Drawing {
    fn view(&self) -> Html {
        html! {
            <svg class="drawing" viewBox={view_box(self)} width={natural_width(self)} role="img" translate="no" data-words="mixed" aria-label={self.title.clone()}>
                { for self.shapes.iter().map(|shape| view(shape, None)) }
            </svg>
        }
    }

    fn interactive(&self, point: &Callback<Option<usize>>) -> Html {
        html! {
            <svg class="drawing" viewBox={view_box(self)} width={natural_width(self)} role="group" translate="no" data-words="mixed" aria-label={self.title.clone()}>
                { for self.shapes.iter().map(|shape| view(shape, Some(point))) }
            </svg>
        }
    }
}

/// Width of the picture where there is room for it: then its letters are as large as the page's.
fn natural_width(drawing: &Drawing) -> String {
    format!("{:.0}", drawing.width)
}

fn view_box(drawing: &Drawing) -> String {
    format!("0 0 {:.0} {:.0}", drawing.width, drawing.height)
}

/// Renders a shape; `point` is called with the number of the handle under the pointer or the focus.
pub fn view(shape: &Shape, point: Option<&Callback<Option<usize>>>) -> Html {
    match shape {
        Shape::Rectangle { at, size, fill } => html! {
            <rect x={number(at.0)} y={number(at.1)} width={number(size.0)} height={number(size.1)}
                class={class("fill", *fill)} fill={own(*fill)} />
        },
        Shape::Frame {
            at,
            size,
            fill,
            stroke,
            dashed,
        } => html! {
            <rect x={number(at.0)} y={number(at.1)} width={number(size.0)} height={number(size.1)} rx="6" fill={own(*fill)}
                class={classes!(class("fill", *fill), class("stroke", *stroke))} stroke={own(*stroke)}
                stroke-dasharray={dashed.then_some("4 4")} />
        },
        Shape::Area { path, fill } => html! {
            <path d={path.clone()} class={class("fill", *fill)} fill={own(*fill)} shape-rendering="crispEdges" />
        },
        Shape::Path {
            path,
            stroke,
            width,
            opacity,
            dashed,
        } => html! {
            <path d={path.clone()} fill="none" class={class("stroke", *stroke)} stroke={own(*stroke)}
                stroke-width={format!("{width:.2}")} stroke-opacity={format!("{opacity:.2}")}
                stroke-dasharray={dashed.then_some("4 4")} stroke-linejoin="round" />
        },
        Shape::Circle {
            at,
            radius,
            fill,
            stroke,
        } => html! {
            <circle cx={number(at.0)} cy={number(at.1)} r={number(*radius)} fill={own(*fill)}
                class={classes!(class("fill", *fill), class("stroke", *stroke))} />
        },
        Shape::Text(text) => view_text(text, point),
        Shape::Noted(shape, note) => html! { <g><title>{ note }</title>{ view(shape, point) }</g> },
    }
}

fn view_text(text: &Text, point: Option<&Callback<Option<usize>>>) -> Html {
    let (x, y) = (number(text.at.0), number(text.at.1));
    let size = number(text.size);
    let anchor = text.anchor.name();
    let fill = class("fill", text.fill);
    let shown = &text.text;
    let (Some(point), Some((handle, words))) = (point, &text.handle) else {
        return html! {
            <text {x} {y} font-size={size} text-anchor={anchor} class={fill} transform={text.turn()}>{ shown }</text>
        };
    };
    let handle = Some(*handle);
    let over = point.reform(move |_: PointerEvent| handle);
    let out = point.reform(|_: PointerEvent| None);
    let focus = point.reform(move |_: FocusEvent| handle);
    let blur = point.reform(|_: FocusEvent| None);
    html! {
        <text {x} {y} font-size={size} text-anchor={anchor} class={classes!(fill, "handle")} transform={text.turn()}
            tabindex="0" role="img" aria-label={words.clone()} onpointerenter={over} onpointerleave={out}
            onfocus={focus} onblur={blur}>{ shown }</text>
    }
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns the class by which the style sheet colours a shape.
fn class(what: &'static str, paint: Paint) -> Option<String> {
    let name = match paint {
        Paint::Ink => "ink".to_owned(),
        Paint::Soft => "soft".to_owned(),
        Paint::Rule => "rule".to_owned(),
        Paint::Panel => "panel-colour".to_owned(),
        Paint::Sunk => "sunk".to_owned(),
        Paint::Accent => "accent".to_owned(),
        Paint::Second => "second".to_owned(),
        Paint::Good => "good".to_owned(),
        Paint::Bad => "bad".to_owned(),
        Paint::Run(run) => format!("run-{}", run % 6),
        Paint::Weight(_) | Paint::Nothing => return None,
    };
    Some(format!("{what}-{name}"))
}

/// Returns a colour that does not depend on the theme; `None` for other colours.
fn own(paint: Paint) -> Option<String> {
    match paint {
        Paint::Weight(_) | Paint::Nothing => Some(paint.css()),
        _ => None,
    }
}
