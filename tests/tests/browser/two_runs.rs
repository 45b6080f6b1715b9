//! Two runs side by side at one sentence.

use crate::keeping::{OTHER, wait_for_runs};
use crate::playground::{PATIENCE, Playground};
use serde_json::Value;
use strata_tests::browser::Options;

async fn chips(page: &Playground, id: &str) -> Vec<String> {
    let script = format!(
        "return [...document.querySelectorAll('#{id} .chip span')].map(it => it.innerText.trim())"
    );
    serde_json::from_value(page.evaluate(&script).await).expect("tokens")
}

#[tokio::test]
async fn a_trained_run_lies_beside_a_fresh_one_until_it_is_removed() {
    let page = Playground::open(Options::default(), "?v=1&preset=copy").await;
    let step = page.train_for(200).await;
    page.wait_until_kept(step).await;
    page.click("#reset").await;
    page.wait_for_exact_step(0).await;
    page.losses(1).await;
    wait_for_runs(&page, 2).await;

    page.press_tab("beside").await;
    page.wait_for(
        "the choice",
        PATIENCE,
        "document.querySelector('#beside-run option:nth-child(2)')",
    )
    .await;
    let run = page
        .evaluate("return document.querySelector('#beside-run option:nth-child(2)').value")
        .await;
    page.choose("#beside-run", run.as_str().expect("an id"))
        .await;
    let there = format!("document.querySelector('#two-runs').dataset.beside === '{step}'");
    page.wait_for("the other run", PATIENCE, &there).await;
    let maps = [
        page.heat_map("beside-own").await,
        page.heat_map("beside-other").await,
        page.heat_map("beside-difference").await,
    ];
    let [own, other, difference] = &maps;
    for (row, differences) in difference.weights.iter().enumerate() {
        for (column, found) in differences.iter().enumerate() {
            let expected = own.weights[row][column] - other.weights[row][column];
            assert!((found - expected).abs() < 0.0025, "{found} {expected}");
        }
    }
    assert!(difference.weights.iter().flatten().any(|it| it.abs() > 0.1));
    let (own, other) = (
        chips(&page, "beside-writes-own").await,
        chips(&page, "beside-writes-other").await,
    );
    let first = (0..own.len().max(other.len())).find(|&at| own.get(at) != other.get(at));
    let first = first.expect("a fresh run writes something else");
    let told = page
        .evaluate("return document.querySelector('#beside-differs').dataset.place")
        .await;
    assert_eq!(told, Value::from((first + 1).to_string()));
    page.screenshot("two-runs").await;

    // The comparison is updated with each picture of the run that trains.
    let step = page.train_for(5).await;
    let refreshed = format!("document.querySelector('#seeing').dataset.step === '{step}'");
    page.wait_for("a new picture", PATIENCE, &refreshed).await;
    assert_eq!(
        page.heat_map("beside-difference").await.weights.len(),
        maps[0].weights.len()
    );

    // A sentence of the user's own.
    let typed = "const it = document.querySelector('#beside-text'); it.value = document.querySelector('.samples button').innerText;
                 it.dispatchEvent(new Event('change', { bubbles: true }))";
    page.evaluate(typed).await;
    let rows = "document.querySelector('#beside-own')?.dataset.rows == document.querySelectorAll('#beside-writes-own .chip').length";
    page.wait_for("rows that this run writes", PATIENCE, rows)
        .await;

    page.evaluate("document.querySelector('#runs').open = true")
        .await;
    page.click(&format!("{OTHER} .delete")).await;
    let gone = "!document.querySelector('#two-runs')?.dataset.beside";
    page.wait_for("an end of it", PATIENCE, gone).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
