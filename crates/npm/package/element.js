// <strata-run>: a run in an article, a slide or a notebook, in plain DOM.

import { train } from "./index.js";

const STYLE = `
:host { color-scheme: light dark; display: block; container-type: inline-size; max-inline-size: 40rem;
  font: 1rem/1.4 system-ui, sans-serif; color: light-dark(#1c2024, #e9e6df); background: light-dark(#fffdf8, #171b1f);
  border: 1px solid light-dark(#8a857a, #6d7680); border-radius: .5rem; padding: .75rem; }
:host([hidden]) { display: none; }
.line { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
button, input { font: inherit; color: inherit; background: transparent; border: 1px solid light-dark(#6b675e, #98a1aa);
  border-radius: .35rem; padding: .3rem .7rem; min-block-size: 2.25rem; box-sizing: border-box; }
button { cursor: pointer; }
button:disabled { cursor: default; opacity: .6; }
input { flex: 1 1 10rem; min-inline-size: 0; }
:focus-visible { outline: 2px solid light-dark(#0b57a4, #7fc0ff); outline-offset: 2px; }
progress { inline-size: 100%; block-size: .5rem; accent-color: light-dark(#0b57a4, #7fc0ff); margin-block: .6rem; }
.numbers { font-variant-numeric: tabular-nums; }
canvas { display: block; inline-size: 100%; block-size: auto; image-rendering: pixelated; margin-block: .5rem; }
canvas[hidden], form[hidden], p[hidden] { display: none; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
.small { font-size: .875rem; color: light-dark(#4d4a43, #b9bfc5); }
.fault { color: light-dark(#a01818, #ff9c94); }
@media (forced-colors: active) { :host { border-color: CanvasText; } }
`;

const PAGE = `
<div class="line">
  <button type="button" id="go">Train</button>
  <span class="numbers" id="numbers"></span>
</div>
<progress id="progress" max="1" value="0" aria-label="Steps taken"></progress>
<canvas id="map" role="img" tabindex="0" hidden></canvas>
<p class="small" id="cell" aria-live="polite" hidden></p>
<form class="line" id="try" hidden>
  <input id="text" autocomplete="off" spellcheck="false">
  <button id="ask">Try</button>
</form>
<p id="answer" role="status"></p>
<p class="small" id="note"></p>
<p class="fault" id="fault" role="alert" hidden></p>
`;

/** The smallest cell that is drawn, in pixels of the canvas; a canvas is as wide as its cells. */
const CELL = 12;

const Base = globalThis.HTMLElement ?? class {};

export class StrataRun extends Base {
  static observedAttributes = ["preset", "settings", "view", "device"];

  #run = null;
  #starting = null;
  /** Counts the runs, so that what an old one still says is not heard. */
  #turn = 0;
  #map = null;
  #at = [0, 0];
  #last = null;
  #scheme = null;

  /** The run, once the reader has started it. */
  get run() { return this.#run; }

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    root.innerHTML = PAGE;
    this.#get("go").addEventListener("click", () => this.#toggle());
    this.#get("try").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#try();
    });
    this.#get("map").addEventListener("keydown", (event) => this.#move(event));
    this.#get("map").addEventListener("pointermove", (event) => this.#point(event));
  }

  connectedCallback() {
    this.#scheme = matchMedia("(prefers-color-scheme: dark)");
    this.#scheme.addEventListener("change", this.#draw);
    this.#show();
    if (this.hasAttribute("autostart")) this.start();
  }

  disconnectedCallback() {
    this.#scheme?.removeEventListener("change", this.#draw);
    // An element that is only moved is connected again at once.
    queueMicrotask(() => { if (!this.isConnected) this.#forget(); });
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || !this.isConnected) return;
    if (name === "view") this.#watch().catch((error) => this.#fail(error));
    else this.#forget();
  }

  /** Starts the run, or goes on with it. */
  async start() {
    this.#fail(null);
    try {
      if (this.#run !== null) await this.#run.resume();
      else await (this.#starting ??= this.#begin());
    } catch (error) {
      this.#fail(error);
    }
    this.#show();
  }

  /** Pauses the run after the present step. */
  async pause() {
    try {
      await this.#run?.pause();
    } catch (error) {
      this.#fail(error);
    }
    this.#show();
  }

  #toggle() {
    if (this.#run?.activity === "finished") this.#forget();
    return this.#run?.activity === "training" ? this.pause() : this.start();
  }

  async #begin() {
    const turn = ++this.#turn;
    this.#get("go").disabled = true;
    this.#get("numbers").textContent = "Loading the worker …";
    try {
      const query = (this.getAttribute("settings") ?? "").replace(/^\?/, "");
      const settings = Object.fromEntries(new URLSearchParams(query));
      for (const name of ["preset", "device", "workers"]) {
        if (this.hasAttribute(name)) settings[name] = this.getAttribute(name);
      }
      const run = await train({ ...settings, start: false });
      if (turn !== this.#turn) return run.stop();
      this.#run = run;
      this.#listen(run, turn);
      const sample = run.ready.samples[0] ?? "";
      const asks = run.ready.passages.length > 0;
      const text = this.#get("text");
      text.value = sample;
      text.setAttribute("aria-label", asks ? "Question" : "Sentence to try");
      this.#get("try").hidden = false;
      this.#get("note").textContent = [run.device, ...run.notes].join(" · ");
      await this.#watch();
      await run.resume();
    } finally {
      this.#starting = null;
      this.#get("go").disabled = false;
    }
  }

  async #listen(run, turn) {
    try {
      for await (const event of run) {
        if (turn !== this.#turn) return;
        if ("progress" in event) this.#last = event.progress.steps.at(-1);
        if ("view" in event) this.#take(event.view);
        if ("activity" in event || "progress" in event) this.#show();
        if ("refused" in event) this.#fail(new Error(event.refused.reason));
        if ("diverged" in event) this.#fail(new Error(event.diverged.reason));
        this.dispatchEvent(new CustomEvent("strata", { detail: event }));
      }
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#fail(error);
      this.#run = null;
    }
    this.#show();
  }

  /** Asks for the view that the attribute names; without one, for the site with the most levels. */
  async #watch() {
    if (this.#run === null) return;
    const site = this.getAttribute("view");
    const update = await this.#run.view(site ? { attention: site } : { view: { site: {} } });
    this.#take(update);
  }

  async #try() {
    const text = this.#get("text").value;
    const answer = this.#get("answer");
    const ask = this.#get("ask");
    ask.disabled = true;
    this.#fail(null);
    try {
      const passage = this.#run.ready.passages[0];
      answer.textContent = passage === undefined ? (await this.#run.translate(text)).text
        : (await this.#run.answer(text, passage)).answer.answers[0]?.text ?? "";
    } catch (error) {
      this.#fail(error);
    }
    ask.disabled = false;
  }

  #forget() {
    this.#turn += 1;
    this.#run?.stop();
    this.#run = this.#starting = this.#last = this.#map = null;
    for (const hidden of ["map", "cell", "try"]) this.#get(hidden).hidden = true;
    this.#get("answer").textContent = this.#get("note").textContent = "";
    this.#get("go").disabled = false;
    this.#fail(null);
    this.#show();
  }

  #fail(error) {
    const fault = this.#get("fault");
    fault.hidden = error === null;
    fault.textContent = error?.message ?? "";
  }

  #show() {
    const run = this.#run, last = this.#last;
    const words = { training: "Pause", paused: run?.step > 0 ? "Go on" : "Train", finished: "Again" };
    if (this.#starting === null) this.#get("go").textContent = words[run?.activity] ?? "Train";
    const progress = this.#get("progress");
    progress.max = run?.steps ?? 1;
    progress.value = run?.step ?? 0;
    this.#get("numbers").textContent = run === null ? (this.getAttribute("preset") ?? "")
      : `step ${run.step} of ${run.steps}` + (last ? ` · loss ${last.loss.toFixed(3)} · ` +
        `${Math.round(100 * last.accuracy)} % right` : "");
  }

  /** Takes the last level of a site's mean over heads, with the tokens of its rows and columns. */
  #take(view) {
    const site = view.data.sites?.[0];
    if (site === undefined) return;
    const { rows, columns, heads, levels, weights } = site;
    const start = (Math.max(levels && site.level_numbers.length, 1) - 1) * heads * rows * columns;
    // The rows and columns of self-attention are those of one side.
    const reads = ["<s>", ...view.target.slice(0, -1)];
    const isEncoder = site.site.startsWith("encoder");
    const names = site.site.endsWith("cross") ? [view.target, view.source]
      : isEncoder ? [view.source, view.source] : [view.target, reads];
    this.#map = { name: site.site, rows, columns, names, weights: weights.slice(start, start + rows * columns) };
    this.#draw();
  }

  #draw = () => {
    if (this.#map === null) return;
    const { name, rows, columns, weights } = this.#map;
    const canvas = this.#get("map");
    canvas.hidden = this.#get("cell").hidden = false;
    canvas.width = columns * CELL;
    canvas.height = rows * CELL;
    canvas.style.maxInlineSize = `${1.75 * columns}rem`;
    canvas.setAttribute("aria-label", `Attention of ${name}: ${rows} rows, ${columns} columns. Arrow keys read it.`);
    const context = canvas.getContext("2d");
    const ink = getComputedStyle(this.#get("numbers")).color;
    context.fillStyle = ink;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        context.globalAlpha = Math.min(1, 0.04 + 0.96 * weights[row * columns + column]);
        context.fillRect(column * CELL, row * CELL, CELL - 1, CELL - 1);
      }
    }
    const [row, column] = this.#at = [Math.min(this.#at[0], rows - 1), Math.min(this.#at[1], columns - 1)];
    context.globalAlpha = 1;
    context.strokeStyle = getComputedStyle(this.#get("progress")).accentColor;
    context.lineWidth = 2;
    context.strokeRect(column * CELL, row * CELL, CELL - 1, CELL - 1);
    this.#tell();
  };

  #tell() {
    const { names: [rows, columns], columns: width, weights } = this.#map;
    const [row, column] = this.#at;
    const weight = weights[row * width + column] ?? 0;
    // With places: a token may stand twice.
    const text = `${row + 1}. ${rows[row] ?? ""} ← ${column + 1}. ${columns[column] ?? ""}: ${weight.toFixed(2)}`;
    const cell = this.#get("cell");
    if (cell.textContent !== text) cell.textContent = text;
  }

  #move(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step === undefined || this.#map === null) return;
    event.preventDefault();
    // A slide would go on to the next.
    event.stopPropagation();
    const within = (at, count) => Math.max(0, Math.min(at, count - 1));
    this.#at = [within(this.#at[0] + step[0], this.#map.rows), within(this.#at[1] + step[1], this.#map.columns)];
    this.#draw();
  }

  #point(event) {
    if (this.#map === null) return;
    const { left, top, width, height } = this.#get("map").getBoundingClientRect();
    const place = (at, size, count) => Math.max(0, Math.min(Math.floor(at / size * count), count - 1));
    this.#at = [place(event.clientY - top, height, this.#map.rows), place(event.clientX - left, width, this.#map.columns)];
    this.#draw();
  }

  #get(id) { return this.shadowRoot.getElementById(id); }
}

if (globalThis.customElements && !customElements.get("strata-run")) customElements.define("strata-run", StrataRun);
