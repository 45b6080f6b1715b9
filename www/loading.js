// Says how the page comes, and why it does not: before its program runs, and instead of it.
//
// Written for browsers that are too old for the page, and run before anything else of it.

"use strict";

(function () {
  /** A program with an instruction of 128-bit SIMD, which the workers need. */
  var SIMD = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ];

  var said = null;

  /** Puts a sentence where the page would be, if its program has not begun. */
  function say(text, again) {
    said = said || { text: text, again: again };
    var place = document.getElementById("loading");
    if (!place) return;
    place.textContent = said.text;
    place.setAttribute("role", "alert");
    var status = document.getElementById("status");
    status.textContent = "Stopped";
    status.setAttribute("data-state", "lost");
    document.getElementById("loaded").hidden = true;
    document.getElementById("train").hidden = true;
    document.getElementById("reload").hidden = !said.again;
  }

  function obstacle() {
    if (location.protocol === "file:")
      return "Browsers do not run programs of a page that is opened as a file. Start a server of files in this folder, or run “cargo xtask play”.";
    if (self.origin === "null")
      return 'This frame is in a sandbox that does not let Strata load its programs. The owner of the page around it must add allow-same-origin, as in sandbox="allow-scripts allow-same-origin", or leave the sandbox attribute out.';
    if (typeof WebAssembly !== "object" || !("noModule" in document.createElement("script")))
      return "This browser has no WebAssembly, or it is switched off, so Strata cannot compute here. Use a browser of 2021 or later: Chrome or Edge 91, Firefox 89, Safari 16.4.";
    if (!WebAssembly.validate(new Uint8Array(SIMD)))
      return "The WebAssembly of this browser is too old for Strata (it has no SIMD). Use Chrome or Edge 91, Firefox 89, Safari 16.4, or a later one.";
    return null;
  }

  function missing(what) {
    var line = navigator.onLine === false ? "this device is offline" : "the line or the server failed";
    say("Strata did not load: " + what + " did not come, because " + line + ". Reload to try again.", true);
  }

  // Errors of files do not bubble: they are caught on their way down.
  addEventListener("error", function (event) {
    var element = event.target;
    var file = element && (element.tagName === "SCRIPT" ? element.src : element.tagName === "LINK" ? element.href : "");
    if (file && !/icon|manifest/.test(file)) missing(file.slice(file.lastIndexOf("/") + 1));
  }, true);
  addEventListener("strata-failed", function () { missing("its program"); });
  // A line that breaks while the program comes.
  addEventListener("unhandledrejection", function () { missing("all of its program"); });

  addEventListener("strata-loading", function (event) {
    var bar = document.getElementById("loaded");
    if (bar && event.detail) bar.value = event.detail;
  });

  // A file that is dropped beside a place for files would be opened where the page is. Text is for boxes.
  function keepPage(event) {
    var types = event.dataTransfer ? [].slice.call(event.dataTransfer.types) : [];
    var box = event.target && event.target.closest && event.target.closest("input, textarea");
    if (!box || types.indexOf("Files") >= 0) event.preventDefault();
  }
  addEventListener("dragover", keepPage);
  addEventListener("drop", keepPage);

  // What is known before anything fails for it is said first.
  var reason = obstacle();
  if (reason) say(reason, false);

  /** Says how much comes, of the page and of what computes, as the build has told. */
  function tellSizes() {
    var place = document.getElementById("loading");
    var told = document.querySelector('meta[name="strata-sizes"]');
    if (!place || !told) return;
    var wanted = /[?&]device=webgpu(&|$)/.test(location.search) ? "worker-webgpu" : "worker-cpu";
    var page = 0, worker = 0;
    told.content.split(" ").forEach(function (part) {
      var name = part.split("=")[0], bytes = Number(part.split("=")[1]) || 0;
      if (name === "page") page = bytes;
      // Which of the CPU's it will be is not known yet.
      else if (name.indexOf(wanted) === 0) worker = Math.max(worker, bytes);
    });
    function megabytes(bytes) { return Math.max(1, Math.round(bytes / 1e6)) + " MB"; }
    if (page && worker)
      place.textContent = "Strata is loading: " + megabytes(page) + " for this page, then " + megabytes(worker)
        + " for what computes. Train is ready when both are here.";
  }

  function show() {
    tellSizes();
    if (said) say(said.text, said.again);
    var button = document.getElementById("reload");
    if (button) button.addEventListener("click", function () { location.reload(); });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
  else show();
})();
