//! Runs on a user's own texts that outlive the page.

use crate::data::{choose, found, paste};
use crate::devices::{KILL, MORTAL};
use crate::keeping::{OTHER, wait_for_runs};
use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

const SOURCE: &str = "eins zwei\nzwei drei\ndrei eins\neins\n";
const TARGET: &str = "one two\ntwo three\nthree one\none\n";

/// Opens a page with a run on pasted pairs.
async fn on_pasted_pairs() -> Playground {
    let page = Playground::open(Options::default(), "").await;
    page.unfold(".data").await;
    paste_pairs(&page).await;
    apply(&page).await;
    page
}

async fn paste_pairs(page: &Playground) {
    paste(page, &SOURCE.repeat(5), &TARGET.repeat(5)).await;
    found(page, 10).await;
}

/// Prepares a run on the examined texts, which have ten pairs.
async fn apply(page: &Playground) {
    page.click("#data-prepare").await;
    wait_for_own(page).await;
    page.wait_for_exact_step(0).await;
}

async fn wait_for_own(page: &Playground) {
    let own = "document.querySelector('footer').innerText.startsWith('10 examples')";
    page.wait_for("own data", PATIENCE, own).await;
}

async fn assert_all_is_well(page: &Playground) {
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Checks that the run goes on from step 2 with these losses, after a reload, too.
async fn assert_goes_on(page: &Playground, next: &[f64]) {
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(1).await, next[..1]);
    page.wait_until_kept(3).await;
    page.reload().await;
    page.wait_for_exact_step(3).await;
    assert_eq!(page.losses(1).await, next[1..]);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_run_on_own_pairs_goes_on_after_a_reload_as_if_there_had_been_none() {
    let page = on_pasted_pairs().await;
    let whole = page.losses(6).await;
    page.click("#reset").await;
    page.wait_for_exact_step(0).await;
    page.losses(2).await;
    page.wait_until_kept(2).await;
    let followed = "location.search.includes('task.source=')";
    page.wait_for("the address", PATIENCE, followed).await;

    page.reload().await;
    page.wait_for_exact_step(2).await;
    wait_for_own(&page).await;
    assert_eq!(page.losses(2).await, whole[2..4]);
    page.wait_until_kept(4).await;
    wait_for_runs(&page, 2).await;
    let present = "document.querySelector('.data .apply')?.textContent.includes('is trained on')";
    page.wait_for("the report", PATIENCE, present).await;

    // Loads the page without a query, as in a new tab.
    page.goto("").await;
    page.wait_for_exact_step(4).await;
    assert_eq!(page.losses(2).await, whole[4..]);
    page.wait_until_kept(6).await;
    wait_for_runs(&page, 2).await;
    assert_all_is_well(&page).await;
}

#[tokio::test]
async fn own_texts_are_branched_deleted_and_brought_back_with_their_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Playground::open(Options::default(), "").await;
    page.unfold(".data").await;
    let pairs = SOURCE.lines().zip(TARGET.lines());
    let lines: String = pairs.map(|(a, b)| format!("{a}\t{b}\n")).collect();
    let pairs = lines.repeat(5);
    choose(&page, folder.path(), "pairs.tsv", pairs.as_bytes()).await;
    found(&page, 10).await;
    apply(&page).await;
    let next = page.amid_a_run().await;
    page.wait_until_kept(2).await;
    // The text itself is stored, not its path.
    drop(folder);
    page.reload().await;
    page.wait_for_exact_step(2).await;

    page.click("#runs summary").await;
    wait_for_runs(&page, 2).await;
    page.click("#runs-list .run[aria-current] .branch").await;
    let gone = "!document.querySelector('.run[aria-current]')";
    page.wait_for("branch", PATIENCE, gone).await;
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(1).await, next[..1]);
    page.wait_until_kept(3).await;
    wait_for_runs(&page, 3).await;

    let original = format!("{OTHER}[data-step=\"2\"]");
    page.click(&format!("{original} .delete")).await;
    wait_for_runs(&page, 2).await;
    page.click("#undelete").await;
    wait_for_runs(&page, 3).await;
    page.click(&format!("{original} .open")).await;
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(2).await, next);
    page.wait_until_kept(4).await;

    // The branch has texts of its own.
    page.click("#runs-list .run[aria-current] .delete").await;
    wait_for_runs(&page, 2).await;
    page.reload().await;
    page.click("#runs summary").await;
    wait_for_runs(&page, 2).await;
    page.click(&format!("{OTHER}[data-step=\"3\"] .open")).await;
    page.wait_for_exact_step(3).await;
    assert_eq!(page.losses(1).await, next[1..]);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn texts_that_are_only_looked_at_are_not_those_of_the_run() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(MORTAL).await;
    page.unfold(".data").await;
    paste_pairs(&page).await;
    apply(&page).await;
    let next = page.amid_a_run().await;
    page.wait_until_kept(2).await;

    let other = "un deux\ndeux trois\ntrois un\n".repeat(4);
    paste(&page, &other, &TARGET.repeat(3)).await;
    let seen = "document.querySelector('#data-preview')?.innerText.includes('deux')";
    page.wait_for("the other texts", PATIENCE, seen).await;
    page.evaluate(KILL).await;
    page.message_with("goes on from step 2").await;
    assert_goes_on(&page, &next).await;
}

#[tokio::test]
async fn a_run_that_was_kept_without_its_texts_is_told_of_and_takes_them_again() {
    let page = on_pasted_pairs().await;
    let next = page.amid_a_run().await;
    page.wait_until_kept(2).await;
    // Changes the database into the form of an earlier version.
    let forget = "return new Promise(done => {
        const request = indexedDB.open('strata');
        request.onsuccess = () => {
            const database = request.result;
            const transaction = database.transaction('texts', 'readwrite');
            transaction.objectStore('texts').clear();
            transaction.oncomplete = () => { database.close(); done(true) };
        };
    })";
    page.evaluate(forget).await;
    page.reload().await;
    page.message_with("give the same ones").await;
    page.click("#messages button").await;
    page.wait_for_exact_step(0).await;
    assert_eq!(page.chosen("#task-kind").await, "copy");

    page.unfold(".data").await;
    paste_pairs(&page).await;
    page.click("#runs summary").await;
    page.click(&format!("{OTHER}[data-step=\"2\"] .open")).await;
    assert_goes_on(&page, &next).await;
}

#[tokio::test]
async fn runs_in_a_database_of_the_first_version_are_there_still() {
    let page = Playground::open(Options::default(), "").await;
    let next = page.amid_a_run().await;
    page.wait_until_kept(2).await;
    let set_back = "return (async () => {
        const done = request => new Promise((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const names = ['runs', 'histories', 'checkpoints'];
        const present = await done(indexedDB.open('strata'));
        const stores = {};
        for (const name of names) {
            const store = present.transaction(name).objectStore(name);
            const [keys, values] = [done(store.getAllKeys()), done(store.getAll())];
            stores[name] = [await keys, await values];
        }
        present.close();
        await done(indexedDB.deleteDatabase('strata'));
        const request = indexedDB.open('strata', 1);
        request.onupgradeneeded = () => names.forEach(name => request.result.createObjectStore(name));
        const first = await done(request);
        for (const name of names) {
            const [keys, values] = stores[name];
            const store = first.transaction(name, 'readwrite').objectStore(name);
            for (const at of keys.keys()) await done(store.put(values[at], keys[at]));
        }
        first.close();
        return true;
    })()";
    page.evaluate(set_back).await;
    page.reload().await;
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(2).await, next);
    page.wait_until_kept(4).await;
    wait_for_runs(&page, 2).await;
    assert_all_is_well(&page).await;
}
