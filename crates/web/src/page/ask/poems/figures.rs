//! Measures of a poem: perplexity, form, share of copied n-grams, and the shares of the levels.

use crate::page::base::bar::bar;
use crate::page::base::format::percent;
use strata_session::protocol::PoemView;
use yew::prelude::*;

/// Renders the measures in a few lines.
pub fn figures(poem: &PoemView) -> Html {
    let share = |(level, share): (usize, &f32)| {
        html! {
            <li key={level}>
                <span>{ format!("level {}", level + 1) }</span>
                { bar(f64::from(*share)) }
                <span class="share">{ percent(f64::from(*share)) }</span>
            </li>
        }
    };
    let shares = poem.shares.first().and_then(|it| it.shares.first());
    html! {
        <div class="poem-figures">
            if let Some(perplexity) = poem.perplexity {
                <p>{ "Perplexity " }<b translate="no">{ format!("{perplexity:.1}") }</b>{ " per character: the lower, the surer the model was." }</p>
            }
            { form(poem) }
            if let Some(ngrams) = poem.known_4_grams {
                <p>{ known(ngrams) }</p>
            }
            if let Some(shares) = shares {
                <h3>{ "Shares of the levels of attention" }</h3>
                <ol class="poem-shares">{ for shares.iter().enumerate().map(share) }</ol>
            }
        </div>
    }
}

/// Returns a sentence on how many of the poem's 4-grams stand in the poems of the data.
fn known((known, all): (usize, usize)) -> String {
    let known = match known {
        0 => "None".to_owned(),
        _ => known.to_string(),
    };
    let stand = if known == "1" { "stands" } else { "stand" };
    format!(
        "{known} of its {all} 4-grams (runs of four characters) {stand} in the poems that the model has \
         learned from; 1 of 256 others is taken for one."
    )
}

fn form(poem: &PoemView) -> Html {
    let Some(form) = &poem.form else {
        let none = poem.readings.is_empty();
        return match none {
            true => html! {
                <p class="note">{ "The model file has no readings: rhyme, tones and pinyin come with models that the command line trains, opened here." }</p>
            },
            false => Html::default(),
        };
    };
    let rhyme = if form.rhymes {
        "Lines 2 and 4 rhyme"
    } else {
        "Lines 2 and 4 do not rhyme"
    };
    html! {
        <p>{ format!("{rhyme}, and {} of the tones agree with the nearest pattern of regulated verse; by modern readings.", percent(form.share)) }</p>
    }
}
