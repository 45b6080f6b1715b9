#![allow(clippy::unwrap_used)]
use super::*;
use strata_describe::Setting;
use strata_models::Search;
use strata_settings::description::{every_variant, groups};

/// Writes a formula's nodes as text.
fn written(nodes: &[Node]) -> String {
    let one = |node: &Node| match node {
        Node::Name(text) | Node::Number(text) | Node::Sign(text) => text.clone(),
        Node::Words(words) => format!("“{words}”"),
        Node::Row(nodes) => written(nodes),
        Node::Fenced(open, nodes, close) => format!("{open}{}{close}", written(nodes)),
        Node::Fraction(above, below) => format!(
            "{{{}|{}}}",
            written(&[bare(above)]),
            written(&[bare(below)])
        ),
        Node::Root(inner) => format!("√{{{}}}", written(&[bare(inner)])),
        Node::Scripts(base, lower, upper) => {
            format!("{}_{lower}^{upper}", written(&[(**base).clone()]))
        }
    };
    nodes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Returns all subscripts and superscripts that are not empty.
fn scripts(nodes: &[Node]) -> Vec<String> {
    let of = |node: &Node| match node {
        Node::Row(nodes) | Node::Fenced(_, nodes, _) => scripts(nodes),
        Node::Root(inner) => scripts(std::slice::from_ref(inner)),
        Node::Fraction(above, below) => [above, below]
            .into_iter()
            .flat_map(|it| scripts(std::slice::from_ref(it)))
            .collect(),
        Node::Scripts(base, lower, upper) => {
            let mut all = scripts(std::slice::from_ref(base));
            all.extend([lower.clone(), upper.clone()]);
            all.retain(|it| !it.is_empty());
            all
        }
        Node::Name(_) | Node::Number(_) | Node::Sign(_) | Node::Words(_) => Vec::new(),
    };
    nodes.iter().flat_map(of).collect()
}

fn shown(text: &str) -> String {
    written(&read(text).unwrap_or_else(|| panic!("{text} is not read")))
}

#[test]
fn every_formula_of_every_description_is_read() {
    let mut formulas: Vec<&str> = Vec::new();
    for experiment in every_variant() {
        for group in groups(&experiment) {
            formulas.extend(group.variant.map(|words| words.formula));
            for setting in group.settings.iter().chain(&group.tag) {
                let Setting { words, domain } = setting.setting;
                formulas.push(words.formula);
                formulas.extend(domain.options().iter().map(|it| it.formula));
            }
        }
    }
    let searches = [
        Search::Greedy,
        Search::Sampling(Default::default()),
        Search::Beam(Default::default()),
    ];
    for search in searches.iter().map(Search::description) {
        formulas.push(search.words.formula);
        formulas.extend(search.settings.iter().map(|it| it.words.formula));
    }
    formulas.sort_unstable();
    formulas.dedup();
    assert!(formulas.len() > 50, "{formulas:?}");
    for formula in formulas {
        let nodes = read(formula).unwrap_or_else(|| panic!("{formula} is not read"));
        // What cannot be read would not be shown.
        for script in scripts(&nodes) {
            assert!(read(&script).is_some(), "{script} of {formula} is not read");
        }
        // The nodes contain every letter of the formula.
        let shown = written(&nodes);
        for letter in formula.chars() {
            let plain = lowered(letter).or_else(|| raised(letter)).unwrap_or(letter);
            let kept = "()[]/_^√ ".contains(letter) || shown.contains(plain);
            assert!(kept, "{letter} of {formula} is not in {shown}");
        }
    }
}

#[test]
fn fractions_roots_and_scripts_stand_where_they_belong() {
    assert_eq!(shown("hᵀg / √D"), "{h_^T g|√{D}}");
    assert_eq!(shown("W [h₋w; h₊w] √½"), "W [h_−w^ ; h_+w^] √{½}");
    assert_eq!(shown("softmax(Q Kᵀ / √D) V"), "softmax ({Q K_^T|√{D}}) V");
    assert_eq!(shown("p = 1/k + (1 − 1/k)"), "p = {1|k} + (1 − {1|k})");
    assert_eq!(
        shown("η (1 + cos(π t / T)) / 2"),
        "{η (1 + cos ({π t|T}))|2}"
    );
    assert_eq!(shown("qᵢ₋₁"), "q_i−1^");
    assert_eq!(shown("A_kkᴺ⁻¹ V"), "A_kk^N−1 V");
    assert_eq!(shown("x^α"), "x_^α");
    assert_eq!(shown("one-hot of d"), "“one-hot” “of” d");
    assert_eq!(shown("η m / (√v + ε)"), "{η m|√{v} + ε}");
    assert_eq!(shown("g · min(1, c / ‖g‖)"), "g · min (1 , {c|‖g‖})");
}

#[test]
fn what_cannot_be_read_stays_a_text() {
    for text in ["(", "a)", "√", "a /", "/ b", "[a)", "\u{1f600}"] {
        assert_eq!(read(text), None, "{text}");
    }
}
