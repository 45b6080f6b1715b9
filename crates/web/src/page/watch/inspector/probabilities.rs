//! Probabilities that the model gives to the tokens of the right answer.

use super::tabs::answers_in_place;
use crate::page::base::foreign::quoted;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, width_of};
use strata_session::protocol::{TokenView, ViewData, ViewUpdate};
use yew::prelude::*;

/// Renders the tokens, coloured by their probabilities, with numbers.
pub fn probabilities(update: &ViewUpdate, tokens: &[TokenView]) -> Html {
    let chip = |(index, (token, of)): (usize, (&String, &TokenView))| {
        let probability = of.probability.clamp(0.0, 1.0);
        let class = format!("tenth-{}", ((probability * 10.0) as usize).min(9));
        html! {
            <li key={index} class={classes!("chip", class)} translate="no" data-probability={format!("{probability:.4}")}>
                <b dir="auto">{ token }</b>
                <span>{ format!("{probability:.2}") }</span>
                if of.choice != *token {
                    <small>{ format!("rather {} {:.2}", quoted(&of.choice), of.choice_probability) }</small>
                } else {
                    <small>{ "its choice" }</small>
                }
            </li>
        }
    };
    let pairs = update.target.iter().zip(tokens);
    let sum: f32 = tokens
        .iter()
        .map(|token| -token.probability.max(f32::MIN_POSITIVE).ln())
        .sum();
    html! {
        <div class="probabilities">
            <p class="note">
                if answers_in_place(update) {
                    { "p of each token of the reference, given the source: each place is answered by itself. " }
                } else {
                    { "p of each token of the reference, given the right ones before it. " }
                }
                { "Mean loss of this example: " }
                <span translate="no">{ format!("{:.3}", sum / tokens.len().max(1) as f32) }</span>{ " nats." }
            </p>
            <ol class="chips" aria-label="Probability of each token of the reference">{ for pairs.enumerate().map(chip) }</ol>
        </div>
    }
}

/// Draws the probabilities as a picture: one bar per token.
pub fn picture(update: &ViewUpdate) -> Drawing {
    const STEP: f64 = 22.0;
    const LONG: f64 = 240.0;
    let tokens = match &update.data {
        ViewData::Probabilities(tokens) => &tokens[..],
        _ => &[],
    };
    let letters = update
        .target
        .iter()
        .map(|it| it.chars().count())
        .max()
        .unwrap_or(0);
    let left = 20.0 + width_of(letters, 12.0);
    let (width, height) = (left + LONG + 60.0, 40.0 + STEP * tokens.len() as f64);
    let mut drawing = Drawing::new("Probability of each token", width, height);
    let title = format!("p of each token after {} steps", update.step);
    drawing.text((12.0, 18.0), title, Anchor::Start, Paint::Ink);
    for (index, (token, of)) in update.target.iter().zip(tokens).enumerate() {
        let y = 30.0 + index as f64 * STEP;
        let probability = of.probability.clamp(0.0, 1.0);
        drawing.text((left - 6.0, y + 12.0), token, Anchor::End, Paint::Ink);
        let size = (LONG * f64::from(probability), 14.0);
        drawing.rectangle((left, y), size, Paint::Weight(probability));
        let at = (left + size.0 + 6.0, y + 12.0);
        drawing.text(at, format!("{probability:.2}"), Anchor::Start, Paint::Soft);
    }
    drawing
}
