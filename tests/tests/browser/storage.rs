//! The browser's storage answers late, never, or with a refusal; and it belongs to a folder.

use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

/// A script that makes the database never open.
const SILENT: &str = "
    IDBFactory.prototype.open = () => {
        const request = new EventTarget();
        for (const name of ['onsuccess', 'onerror', 'onblocked', 'onupgradeneeded']) request[name] = null;
        return Object.setPrototypeOf(request, IDBOpenDBRequest.prototype);
    };";

/// Opens a page that was visited before, and has a run of three steps.
async fn visited() -> Playground {
    let page = Playground::open(Options::default(), "").await;
    page.losses(3).await;
    page.wait_until_kept(3).await;
    page
}

#[tokio::test]
async fn a_returning_visitor_begins_though_the_database_never_answers() {
    let page = visited().await;
    page.reopen_after(SILENT).await;
    let told = page.message_with("storage does not answer").await;
    assert!(told.contains("not lost"), "{told}");
    page.train_for(2).await;
    let line =
        "document.querySelector('#runs-unavailable')?.textContent.includes('does not answer')";
    page.wait_for("line under Runs", PATIENCE, line).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Expression that is true once a kept run is listed.
const LISTED: &str = "document.querySelector('#runs-list .run')";

/// A script that makes the database open after nine seconds.
const LATE: &str = "
    const genuine = IDBFactory.prototype.open;
    const later = () => new Promise(resolve => setTimeout(resolve, 9000));
    IDBFactory.prototype.open = function (...of) {
        const late = new EventTarget();
        for (const name of ['onsuccess', 'onerror', 'onblocked', 'onupgradeneeded']) late[name] = null;
        Object.setPrototypeOf(late, IDBOpenDBRequest.prototype);
        later().then(() => {
            const request = genuine.apply(this, of);
            for (const name of ['result', 'error', 'readyState', 'transaction', 'source'])
                Object.defineProperty(late, name, { get: () => request[name] });
            for (const name of ['success', 'error', 'blocked', 'upgradeneeded'])
                request['on' + name] = event => late['on' + name]?.call(late, event);
        });
        return late;
    };";

#[tokio::test]
async fn a_database_that_comes_late_is_used_when_it_comes() {
    let page = visited().await;
    page.reopen_after(LATE).await;
    page.message_with("storage does not answer").await;
    page.wait_for("kept run", PATIENCE, LISTED).await;
    let gone = "!document.querySelector('#runs-unavailable')";
    page.wait_for("storage that answers", PATIENCE, gone).await;
    // Nothing was done meanwhile: the page goes on with the run that it was to begin with.
    page.wait_for_exact_step(3).await;
    page.losses(1).await;
    page.wait_until_kept(4).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_run_that_was_begun_meanwhile_is_not_replaced() {
    let page = visited().await;
    page.reopen_after(LATE).await;
    page.losses(1).await;
    page.wait_for("kept run", PATIENCE, LISTED).await;
    page.losses(1).await;
    assert_eq!(page.step().await, 2);
    page.wait_until_kept(2).await;
}

#[tokio::test]
async fn each_failure_of_the_database_is_told_by_its_cause() {
    for (name, told) in [
        ("SecurityError", "does not let the page keep anything"),
        ("InvalidStateError", "private window"),
        ("VersionError", "later version of this page"),
        ("QuotaExceededError", "no room left"),
    ] {
        let page = visited().await;
        page.reopen_after(&format!(
            "IDBFactory.prototype.open = () => {{ throw new DOMException('no', '{name}') }};"
        ))
        .await;
        page.message_with(told).await;
        page.train_for(2).await;
    }
}

#[tokio::test]
async fn the_browser_may_never_say_how_much_room_there_is() {
    let page = visited().await;
    page.reopen_after(
        "for (const name of ['estimate', 'persisted'])
             StorageManager.prototype[name] = () => new Promise(() => {});",
    )
    .await;
    page.wait_for_step(3).await;
    page.train_for(2).await;
    page.wait_until_kept(5).await;
}

/// Runs that were stored before each folder had a database of its own are taken over, once.
#[tokio::test]
async fn a_folder_takes_over_what_was_kept_before_and_keeps_its_own() {
    let (page, lines) = crate::offline::open_in_folders().await;
    // The page at the top stores runs under the old names.
    page.losses(3).await;
    page.wait_until_kept(3).await;
    let go = async |folder: &str| {
        let visit = page.client().goto(&lines.folder(folder)).await;
        visit.expect("the page loads in a folder");
        page.wait_for_phase("paused").await;
    };
    go("lab").await;
    page.wait_for_exact_step(3).await;
    page.losses(1).await;
    page.wait_until_kept(4).await;
    go("fork").await;
    page.wait_for_exact_step(3).await;
    let names = "return indexedDB.databases().then(all => all.map(it => it.name).sort().join())";
    assert_eq!(
        page.evaluate(names).await,
        "strata,strata /fork/,strata /lab/"
    );
    // Removed in this folder, the runs are still there in the other one.
    page.unfold("#runs").await;
    page.click("#remove-all").await;
    // Messages may cover the button.
    page.evaluate("document.querySelector('#remove-all-indeed').click()")
        .await;
    go("fork").await;
    page.wait_for_exact_step(0).await;
    go("lab").await;
    page.wait_for_exact_step(4).await;
}

/// Neither build deletes the cache of the other.
#[tokio::test]
async fn two_builds_in_two_folders_work_without_their_server() {
    let (page, lines) = crate::offline::open_in_folders().await;
    for folder in ["lab", "fork"] {
        let visit = page.client().goto(&lines.folder(folder)).await;
        visit.expect("the page loads in a folder");
        page.wait_for_phase("paused").await;
        crate::offline::wait_until_kept(&page).await;
    }
    lines.cut();
    for folder in ["lab", "fork"] {
        let visit = page.client().goto(&lines.folder(folder)).await;
        visit.expect("the page loads without a server");
        page.wait_for_phase("paused").await;
        page.losses(1).await;
    }
}
