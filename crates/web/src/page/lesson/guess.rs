//! The form in which a learner commits to a guess.

use crate::page::form::number;
use crate::page::lesson::labels::label;
use crate::page::lesson::words::line;
use strata_lessons::{Guess, GuessKind, Inline, Unit, Value};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct GuessFormProperties {
    /// The question that the learner guesses at.
    pub question: Html,
    pub guess: Guess,
    /// Texts of the options, in their order.
    pub options: Vec<Vec<Inline>>,
    pub language: String,
    /// Tokens among which the learner chooses a place.
    pub places: Vec<String>,
    pub take: Callback<Value>,
    /// Called if the learner does not want to guess.
    pub skip: Callback<()>,
}

/// The question, its options or a text box, and two buttons.
#[component]
pub fn GuessForm(properties: &GuessFormProperties) -> Html {
    let GuessFormProperties {
        guess,
        take,
        language,
        ..
    } = properties;
    let says = |english| label(language, english);
    let chosen = use_state_eq(|| None::<String>);
    let wrong = use_state_eq(|| None::<String>);
    let submit = {
        let (chosen, wrong, take) = (chosen.clone(), wrong.clone(), take.clone());
        let (kind, unit, language) = (guess.kind, guess.unit(), language.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            match read(kind, unit, chosen.as_deref().unwrap_or_default(), &language) {
                Ok(value) => take.emit(value),
                Err(reason) => wrong.set(Some(reason)),
            }
        })
    };
    let set = {
        let (chosen, wrong) = (chosen.clone(), wrong.clone());
        Callback::from(move |value: String| {
            wrong.set(None);
            chosen.set(Some(value));
        })
    };
    let skip = properties.skip.reform(|_: MouseEvent| ());
    html! {
        <form class="lesson-guess" onsubmit={submit}>
            <fieldset>
                <legend>{ says("Your guess") }</legend>
                { properties.question.clone() }
                if guess.kind == GuessKind::Number {
                    { number_field(properties, chosen.as_deref(), wrong.is_some(), &set) }
                } else {
                    { choices(properties, chosen.as_deref(), &set) }
                }
                if let Some(reason) = &*wrong {
                    <p class="wrong" id="lesson-guess-wrong" role="alert">{ reason.clone() }</p>
                }
                <div class="lesson-buttons">
                    <button type="submit" id="lesson-take-guess" class="primary">{ says("That is my guess") }</button>
                    <button type="button" id="lesson-pass" class="link" onclick={skip}>{ says("No guess") }</button>
                </div>
            </fieldset>
        </form>
    }
}

/// Renders the box in which a number is typed.
fn number_field(
    properties: &GuessFormProperties,
    typed: Option<&str>,
    is_wrong: bool,
    set: &Callback<String>,
) -> Html {
    let to_value =
        set.reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value());
    let unit = match properties.guess.unit() {
        Unit::Share => "%",
        Unit::Milliseconds => "ms",
        _ => "",
    };
    html! {
        <div class="line">
            <input id="lesson-guess" type="text" inputmode="decimal" autocomplete="off" aria-label={label(&properties.language, "Your guess")}
                value={typed.unwrap_or_default().to_owned()} oninput={to_value}
                aria-invalid={is_wrong.then_some("true")}
                aria-describedby={is_wrong.then_some("lesson-guess-wrong")} />
            <span class="unit">{ unit }</span>
        </div>
    }
}

/// Renders the options, of which one can be chosen.
fn choices(properties: &GuessFormProperties, chosen: Option<&str>, set: &Callback<String>) -> Html {
    let option = |(value, words): (String, Html)| {
        let choose = {
            let value = value.clone();
            set.reform(move |_: Event| value.clone())
        };
        let checked = chosen == Some(&value);
        html! {
            <label class="option">
                <input type="radio" name="lesson-guess" value={value.clone()} {checked} onchange={choose} />
                <span>{ words }</span>
            </label>
        }
    };
    let class = classes!(
        "options",
        (properties.guess.kind == GuessKind::Place).then_some("places")
    );
    html! { <div {class}>{ for options(properties).into_iter().map(option) }</div> }
}

/// Returns values and texts of the options.
fn options(properties: &GuessFormProperties) -> Vec<(String, Html)> {
    let GuessFormProperties {
        guess,
        options,
        language,
        places,
        ..
    } = properties;
    match guess.kind {
        GuessKind::Number => Vec::new(),
        GuessKind::Choice => {
            let words = options
                .iter()
                .map(|option| line(option, language, &|_| None));
            guess.options.iter().cloned().zip(words).collect()
        }
        GuessKind::Place => {
            let mut tokens: Vec<&String> = Vec::new();
            for token in places {
                if !tokens.contains(&token) {
                    tokens.push(token);
                }
            }
            let token = |token: &String| {
                let words = html! { <code translate="no">{ token }</code> };
                (token.clone(), words)
            };
            tokens.into_iter().map(token).collect()
        }
    }
}

/// Reads the guess that was chosen or typed; shares are typed as percentages.
///
/// # Errors
/// A sentence, if there is no guess, or it cannot be read.
fn read(kind: GuessKind, unit: Unit, typed: &str, language: &str) -> Result<Value, String> {
    let says = |english| label(language, english).to_owned();
    if kind != GuessKind::Number {
        return match typed {
            "" => Err(says("Choose one of these; any guess will do.")),
            chosen => Ok(Value::Word(chosen.to_owned())),
        };
    }
    let typed = typed.trim().trim_end_matches(['%', 's', 'm', ' ']);
    let number = number::plain(typed, unit == Unit::Count)?;
    let number: Option<f64> = number.parse().ok();
    let number = number.filter(|it| it.is_finite());
    let number = number.ok_or_else(|| says("Write a number; any guess will do."))?;
    match unit {
        Unit::Share if !(0.0..=100.0).contains(&number) => {
            Err(says("A share lies between 0 % and 100 %."))
        }
        Unit::Share => Ok(Value::Number(number / 100.0)),
        _ => Ok(Value::Number(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_typed_in_percent() {
        let share = |typed| read(GuessKind::Number, Unit::Share, typed, "en");
        assert_eq!(share("4"), Ok(Value::Number(0.04)));
        assert_eq!(share(" 4,5 % "), Ok(Value::Number(0.045)));
        for typed in ["", "few", "101", "-1", "NaN", "inf"] {
            assert!(share(typed).is_err(), "{typed}");
        }
        let number = |typed| read(GuessKind::Number, Unit::Number, typed, "en");
        assert_eq!(number("0.5"), Ok(Value::Number(0.5)));
    }

    #[test]
    fn nothing_chosen_is_told() {
        assert!(read(GuessKind::Choice, Unit::Word, "", "en").is_err());
        let chosen = read(GuessKind::Place, Unit::Word, "anrufen", "en");
        assert_eq!(chosen, Ok(Value::Word("anrufen".to_owned())));
    }
}
