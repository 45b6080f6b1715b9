// Trains attention models in a web page: an experiment of a preset and settings, in a worker of Strata's
// playground, which is spoken with in the playground's own protocol (protocol.d.ts).

import start, { presets as listPresets, resolve } from "./core.js";
import { Connection } from "./connection.js";

/** Events kept for an iteration that has not begun yet; of more, the oldest are dropped. */
const KEPT = 10_000;
/** Options of `train` that are no settings of the experiment. */
const OPTIONS = ["device", "threads", "workers", "start", "signal"];

let core;
/** Loads the program that makes experiments of settings, once. */
async function loadCore() {
  core ??= start().catch((reason) => {
    core = undefined;
    throw new Error(`The package's program core_bg.wasm cannot be loaded (${reason.message ?? reason}). ` +
      "It must be served beside index.js.");
  });
  await core;
}

/** Lists the presets. */
export async function presets() {
  await loadCore();
  return listPresets();
}

/** Trains an experiment; resolves when it is prepared and, unless `start` is false, training. */
export async function train(settings = {}) {
  const [given, options] = split(settings);
  await loadCore();
  const { experiment, steps } = resolve(given);
  return Run.begin({ load: { experiment } }, { ...options, steps });
}

/** Opens a checkpoint file; the run is paused unless `start` is true. */
export async function open(checkpoint, options = {}) {
  const bytes = checkpoint instanceof Blob ? await checkpoint.arrayBuffer() : checkpoint;
  return Run.begin({ open: { checkpoint: new Uint8Array(bytes) } }, { start: false, ...options });
}

/** Separates settings of the experiment from options; a text has the form of an address. */
function split(settings) {
  if (typeof settings === "string") {
    const query = settings.slice(settings.indexOf("?") + 1).split("#")[0];
    settings = Object.fromEntries(new URLSearchParams(query));
    delete settings.v;
  }
  if (typeof settings !== "object" || settings === null) {
    throw new TypeError("train() takes settings, such as { preset: \"copy\", \"model.width\": 64 }.");
  }
  const given = {}, options = {};
  for (const [key, value] of Object.entries(settings)) {
    if (value !== undefined) (OPTIONS.includes(key) ? options : given)[key] = value;
  }
  return [given, options];
}

/** A run of an experiment, in a worker of its own. */
export class Run {
  #worker;
  #steps;
  /** Commands that wait for an answer, in the order in which they were sent. */
  #waiting = [];
  /** Events for an iteration that has not begun; null once one has. */
  #kept = [];
  #queues = new Set();
  #ended = null;
  #watched = null;
  #view = null;
  #state = { step: 0, activity: "paused", ready: null, notes: [] };

  /** Starts a worker and lets it carry out the command that begins a run. */
  static async begin(command, { device = "cpu", threads, workers, start = true, signal, steps } = {}) {
    signal?.throwIfAborted();
    const run = new Run();
    const abort = () => run.stop();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      run.#worker = await Connection.start({ device, threads, workers },
        (event) => run.#hear(event), (reason) => run.#end(new Error(reason)));
      run.#state.notes = run.#worker.notes;
      run.#steps = steps;
      await run.#ask(command, "ready");
      if (start) await run.resume();
    } catch (error) {
      run.stop();
      signal?.throwIfAborted();
      throw error;
    }
    return run;
  }

  /** Number of steps taken. */
  get step() { return this.#state.step; }
  /** Number of steps of the whole run, as far as it is known. */
  get steps() { return this.#state.ready?.experiment?.training?.steps ?? this.#steps; }
  /** What the run does: paused, training, finished or diverged. */
  get activity() { return this.#state.activity; }
  /** The prepared experiment. */
  get ready() { return this.#state.ready; }
  /** Name of the device that computes. */
  get device() { return this.#state.ready?.device ?? ""; }
  /** Number of threads that compute. */
  get threads() { return Number(/(\d+) threads/.exec(this.device)?.[1] ?? 1); }
  /** Sentences on how the run is computed, such as why with a single thread. */
  get notes() { return [...this.#state.notes]; }
  /** True once the run was stopped or lost: it answers nothing any more. */
  get ended() { return this.#ended !== null; }

  /** Goes on training. */
  async resume() { await this.#ask("train", "activity"); }
  /** Stops after the present step. */
  async pause() { await this.#ask("pause", "activity"); }
  /** Takes a single step. */
  async advance() { await this.#ask("step", "activity"); }
  /** Ends the run and its worker at once; what was not saved is lost. */
  stop() { this.#end(null); }

  /** Translates a sentence, or writes on from a text. */
  async translate(text, { prefix = [], search, details = false } = {}) {
    const request = { text: String(text), prefix, details };
    if (search !== undefined) request.search = search;
    return this.#does({ translate: request }, "translation");
  }
  /** Answers a question about a passage. */
  async answer(question, passage) {
    return this.#does({ answer: { question: String(question), passage: String(passage) } }, "answer");
  }
  async #does(request, kind) {
    return this.#ask({ run: request }, "done", (event) => event.done[kind]);
  }

  /** Shows a view of a held-out example, now and while training; null shows no more views. */
  async view(request) {
    if (request === null) {
      this.#watched = this.#view = null;
      this.#worker?.post({ watch: {} });
      return null;
    }
    const asked = viewRequest(request);
    const before = this.#watched;
    this.#watched = same(asked);
    const update = await this.#ask({ watch: { view: asked } }, "view", (event) => event.view,
      // Views of the request before may still be on their way.
      ({ view }) => same(view.request) !== before || before === this.#watched);
    const site = asked.view.site?.site;
    if (site !== undefined && !update.sites.some((it) => it.site === site)) {
      const names = update.sites.map((it) => it.site).join(", ");
      throw new Error(names === "" ? "This model has no attention."
        : `There is no attention site \`${site}\`; there are ${names}.`);
    }
    return update;
  }
  /** The last view, if one was asked for. */
  get lastView() { return this.#view; }

  /** Measures the held-out examples. */
  async validate() { return this.#ask("validate", "validated", (event) => event.validated); }
  /** Mutes these parts of the model and unmutes all others. */
  async mute(parts) { return this.#ask({ mute: { parts } }, "muted", (event) => event.muted); }
  /** Makes a checkpoint file, which the playground, the command line and `open` read. */
  async checkpoint() { return this.#ask("save", "saved", (event) => event.saved.checkpoint); }

  /** Events of the run, up to its end. */
  [Symbol.asyncIterator]() {
    const queue = new Queue(this.#kept ?? []);
    this.#kept = null;
    if (this.#ended !== null || this.#isOver()) queue.close(this.#ended?.error);
    else this.#queues.add(queue);
    queue.left = () => this.#queues.delete(queue);
    return queue;
  }

  #isOver() { return ["finished", "diverged"].includes(this.#state.activity); }

  #ask(command, kind, read = () => undefined, matches = () => true) {
    if (this.#ended !== null) {
      return Promise.reject(this.#ended.error ?? new Error("The run was stopped; train another one."));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ kind, read, matches, resolve, reject });
      try {
        this.#worker.post(command);
      } catch (error) {
        this.#waiting.pop();
        reject(new Error(`That cannot be sent to the worker: ${error.message}.`));
      }
    });
  }

  #hear(event) {
    const [kind] = Object.keys(event);
    if (kind === "lost") return this.#end(new Error(event.lost.reason));
    if (kind === "ready") this.#state.ready = event.ready, this.#state.step = event.ready.step;
    if (kind === "progress") this.#state.step = event.progress.steps.at(-1)?.step ?? this.#state.step;
    if (kind === "activity") this.#state.activity = event.activity.activity;
    if (kind === "view") this.#view = event.view;
    const first = this.#waiting[0];
    if (first !== undefined && kind === "refused") {
      this.#waiting.shift();
      first.reject(new Error(event.refused.reason));
      return;
    }
    if (first !== undefined && kind === first.kind && first.matches(event)) {
      this.#waiting.shift();
      first.resolve(first.read(event));
    }
    if (this.#kept !== null) {
      this.#kept.push(event);
      if (this.#kept.length > KEPT) this.#kept.shift();
    }
    for (const queue of this.#queues) queue.push(event);
    if (kind === "activity" && this.#isOver()) {
      for (const queue of this.#queues) queue.close();
      this.#queues.clear();
    }
  }

  #end(error) {
    if (this.#ended !== null) return;
    this.#ended = { error };
    this.#worker?.end();
    const told = error ?? new Error("The run was stopped before it answered.");
    for (const { reject } of this.#waiting.splice(0)) reject(told);
    for (const queue of this.#queues) queue.close(error);
    this.#queues.clear();
  }
}

/** A view in the protocol's words: `{ attention: "decoder.0.cross" }` is short for its site. */
function viewRequest(request) {
  const { attention, head, level, example = 0, view } = request ?? {};
  if (attention !== undefined) return { example, view: { site: clean({ site: attention, head, level }) } };
  if (view !== undefined) return { example, view: typeof view === "string" && view === "site" ? { site: {} } : view };
  throw new TypeError("view() takes { attention: \"decoder.0.cross\" } or { view: \"overview\" }.");
}

/** An object without what is undefined. */
const clean = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** A text that two requests share if they ask for the same. */
function same(value) {
  return JSON.stringify(value, (_, it) => it === null ? undefined
    : it instanceof Object && !Array.isArray(it) ? Object.fromEntries(Object.entries(it).sort()) : it);
}

/** Events on their way to an iteration. */
class Queue {
  #events;
  #waiting = [];
  #closed = null;
  left = () => {};

  constructor(events) { this.#events = events; }

  push(event) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ value: event, done: false });
    else this.#events.push(event);
  }

  close(error) {
    this.#closed ??= { error };
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (error) reject(error); else resolve({ value: undefined, done: true });
    }
  }

  next() {
    if (this.#events.length > 0) return Promise.resolve({ value: this.#events.shift(), done: false });
    if (this.#closed?.error) return Promise.reject(this.#closed.error);
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  return() {
    this.left();
    this.close();
    this.#events = [];
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator]() { return this; }
}
