// Keeps the page for times without a network, and tells of a new version.
//
// A version takes over when no window of another is open: never do files of two meet. The page
// listens for `strata-update` and says so.

"use strict";

(() => {
  const query = new URLSearchParams(location.search);
  if (!navigator.serviceWorker || query.has("bench") || query.has("embed")) return;

  const tell = () => dispatchEvent(new CustomEvent("strata-update"));

  // A worker that has found its files waits behind the one that serves this page.
  const watch = (worker) => {
    const changed = () => {
      if (worker.state === "installed" && navigator.serviceWorker.controller) tell();
    };
    worker.addEventListener("statechange", changed);
    changed();
  };

  const start = async () => {
    const registration = await navigator.serviceWorker.register("./service-worker.js");
    const { waiting, installing } = registration;
    if (waiting) {
      // Nothing has begun in this window yet: it may change over, if it is the only one.
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      waiting.postMessage("take over");
      watch(waiting);
    }
    if (installing) watch(installing);
    registration.addEventListener("updatefound", () => watch(registration.installing));
  };

  const begin = () => start().catch(() => {
    // Where service workers are forbidden or the first visit broke off, the page works online.
  });
  // What is served by an older version asks at once; a first visit has better things to do.
  if (navigator.serviceWorker.controller) begin();
  else if (document.readyState === "complete") setTimeout(begin, 1000);
  else addEventListener("load", () => setTimeout(begin, 1000));
})();
