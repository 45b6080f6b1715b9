//! Loading the page for the first time.

use crate::playground::Playground;
use strata_tests::browser::Options;

#[tokio::test]
async fn the_page_opens_ready_for_the_first_click() {
    let page = Playground::open(Options::default(), "").await;
    let title = page.client().title().await.expect("a page has a title");
    assert!(title.contains("Strata"), "the title is {title:?}");
    assert_eq!(page.chosen("#preset").await, "copy");
    assert_eq!(page.chosen("#device").await, "cpu");
    assert_eq!(page.step().await, 0);
    assert!(page.instrument("parameters").await > 0.0);
    assert!(page.text("#device-label").await.contains("CPU"));
    page.screenshot("first-look").await;

    page.click("#step").await;
    page.wait_for_step(1).await;
    assert_eq!(page.messages().await, Vec::<String>::new());

    // The title of the file stays while there is no news, for it may be of another version.
    page.reopen_after("addEventListener('DOMContentLoaded', () => document.title = 'Version 2')")
        .await;
    let title = page.client().title().await.expect("a page has a title");
    assert_eq!(title, "Version 2");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// What a visitor is about to press does not move away while the page loads: the first view comes
/// some time after the panels below that view can be used.
#[tokio::test]
async fn the_page_stands_still_while_the_first_view_comes() {
    const WATCH: &str = "
        window.shift = 0;
        window.tops = [];
        const sum = list => list.getEntries().forEach(it => window.shift += it.value);
        new PerformanceObserver(sum).observe({ type: 'layout-shift', buffered: true });
        const look = () => {
            const panel = document.querySelector('#settings');
            if (panel) window.tops.push(Math.round(panel.getBoundingClientRect().top + scrollY));
            requestAnimationFrame(look);
        };
        look();";
    for (size, phone) in [
        ((1366, 768), false),
        ((1280, 900), false),
        ((390, 844), true),
    ] {
        let options = Options {
            size,
            phone,
            ..Options::default()
        };
        let page = Playground::open(options, "").await;
        page.reopen_after(WATCH).await;
        let moved = "return Math.max(...window.tops) - Math.min(...window.tops)";
        let moved = page.evaluate(moved).await;
        assert!(
            moved.as_f64().is_some_and(|it| it < 150.0),
            "{size:?}: the settings moved by {moved} px"
        );
        // A sum below 0.1 is called good: https://web.dev/articles/cls.
        let shift = page.evaluate("return window.shift").await;
        assert!(
            shift.as_f64().is_some_and(|it| it < 0.1),
            "{size:?}: the shifts on the screen are {shift}"
        );
    }
}

/// The sizes that the page shows are those of the files that it loads.
#[tokio::test]
async fn the_sizes_that_are_told_are_those_of_the_files() {
    let page = Playground::open(Options::default(), "").await;
    for device in ["cpu", "webgpu"] {
        let script = "
            const told = document.querySelector('meta[name=strata-sizes]').content.split(' ').map(it => it.split('='));
            const check = async ([name, bytes]) => {
                if (name === 'page') return true;
                const files = [`./${name}_bg.wasm`, `./${name}.js`].map(async it => (await (await fetch(it)).arrayBuffer()).byteLength);
                const [program, script] = await Promise.all(files);
                return program + script === Number(bytes);
            };
            return Promise.all(told.filter(([name]) => name.startsWith('worker-DEVICE')).map(check));";
        let right = page.evaluate(&script.replace("DEVICE", device)).await;
        let right = right.as_array().expect("a list");
        assert!(right.iter().all(|it| *it == true), "{device}: {right:?}");
    }
    let told = "return document.querySelector('meta[name=strata-sizes]').content";
    let told = page.evaluate(told).await;
    assert!(
        told.as_str()
            .is_some_and(|it| it.contains("page=") && it.contains("worker-cpu=")),
        "{told}"
    );
}

#[tokio::test]
async fn a_reload_in_the_middle_of_training_goes_on_from_what_was_kept() {
    let page = Playground::open(Options::default(), "").await;
    let first = page.losses(2).await;
    page.wait_until_kept(2).await;
    page.click("#train").await;
    page.wait_for_step(10).await;
    // The worker's program cannot be fetched.
    page.reload().await;
    assert!(page.step().await >= 2);
    assert!(page.train_for(5).await >= 7);
    page.click("#reset").await;
    page.wait_for_exact_step(0).await;
    assert_eq!(page.losses(2).await, first);
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}
