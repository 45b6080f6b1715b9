//! Icons of buttons, drawn in the colour of the text.

use yew::prelude::*;

/// Name of an icon, by the action that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IconName {
    /// Train.
    Play,
    /// Pause.
    Pause,
    /// A single step.
    Step,
    /// Back to the beginning.
    Reset,
    /// New seed.
    Dice,
    /// Light theme.
    Sun,
    /// Dark theme.
    Moon,
    /// Close a message.
    Close,
    /// Previous example.
    Left,
    /// Next example.
    Right,
    /// Translate.
    Arrow,
}

#[derive(Properties, PartialEq)]
pub struct IconProperties {
    pub name: IconName,
}

/// An icon that screen readers skip, since its button has a name.
#[component]
pub fn Icon(properties: &IconProperties) -> Html {
    let shape = match properties.name {
        IconName::Play => "M5 3.2v9.6l8-4.8z",
        IconName::Pause => "M4.5 3.5v9M11.5 3.5v9",
        IconName::Step => "M4 3.5v9l6-4.5zM12.2 3.5v9",
        IconName::Reset => "M3 8a5 5 0 1 0 1.7-3.8M4.9 1.8v2.7h2.7",
        IconName::Dice => {
            "M3.5 2.5h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM5.5 5.5h.01M8 8h.01M10.5 10.5h.01M10.5 5.5h.01M5.5 10.5h.01"
        }
        IconName::Sun => {
            "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3.1 3.1l1 1M11.9 11.9l1 1M3.1 12.9l1-1M11.9 4.1l1-1"
        }
        IconName::Moon => "M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7z",
        IconName::Close => "M4 4l8 8M12 4l-8 8",
        IconName::Left => "M10 3.5 5.5 8l4.5 4.5",
        IconName::Right => "M6 3.5 10.5 8 6 12.5",
        IconName::Arrow => "M2.5 8h10.5M9 4l4 4-4 4",
    };
    let class = match properties.name {
        IconName::Play | IconName::Step => "icon filled",
        IconName::Sun => "icon sun",
        IconName::Moon => "icon moon",
        _ => "icon",
    };
    html! {
        <svg {class} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={shape} />
        </svg>
    }
}
