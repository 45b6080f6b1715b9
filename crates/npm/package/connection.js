// Starts the playground's workers from wherever the package is served, and speaks with them.

/** The workers' files. Written out, so that bundlers find them and give them the names that they like. */
const PROGRAMS = {
  "worker-cpu": () => [
    new URL("./workers/worker-cpu.js", import.meta.url),
    new URL("./workers/worker-cpu_bg.wasm", import.meta.url),
  ],
  "worker-cpu-relaxed": () => [
    new URL("./workers/worker-cpu-relaxed.js", import.meta.url),
    new URL("./workers/worker-cpu-relaxed_bg.wasm", import.meta.url),
  ],
  "worker-cpu-threads": () => [
    new URL("./workers/worker-cpu-threads.js", import.meta.url),
    new URL("./workers/worker-cpu-threads_bg.wasm", import.meta.url),
  ],
  "worker-cpu-threads-plain": () => [
    new URL("./workers/worker-cpu-threads-plain.js", import.meta.url),
    new URL("./workers/worker-cpu-threads-plain_bg.wasm", import.meta.url),
  ],
  "worker-webgpu": () => [
    new URL("./workers/worker-webgpu.js", import.meta.url),
    new URL("./workers/worker-webgpu_bg.wasm", import.meta.url),
  ],
};

/** A program of one fused multiply-add, which a browser without relaxed SIMD rejects. */
const RELAXED_SIMD = /* RELAXED-SIMD */ [];

/** Milliseconds within which a worker's files must be there and its program running. */
const LISTENS_WITHIN = 120_000;

/** Prefix of workers' names: they hold locks of their names. */
const NAME = "strata-worker-";

/** Chooses the programs for a device, the best first, and says why none with several threads is among them. */
function choose(device, threads) {
  if (device === "webgpu") return { names: ["worker-webgpu"], notes: [] };
  if (device !== "cpu") throw new Error(`There is no device \`${device}\`; there are cpu and webgpu.`);
  const relaxed = WebAssembly.validate(new Uint8Array(RELAXED_SIMD));
  const alone = relaxed ? ["worker-cpu-relaxed", "worker-cpu"] : ["worker-cpu"];
  if (threads === 1) return { names: alone, notes: [] };
  if (!globalThis.crossOriginIsolated) {
    return {
      names: alone,
      notes: ["One thread computes: this page is not isolated from others, so it may not share memory with " +
        "several. They need the headers Cross-Origin-Opener-Policy: same-origin and " +
        "Cross-Origin-Embedder-Policy: require-corp, in a frame also allow=\"cross-origin-isolated\"."],
    };
  }
  if ((navigator.hardwareConcurrency ?? 1) < 2) {
    return { names: alone, notes: ["One thread computes: this processor has no other."] };
  }
  return { names: [relaxed ? "worker-cpu-threads" : "worker-cpu-threads-plain", ...alone], notes: [] };
}

/**
 * What a worker does first: loads the first of the programs that can be loaded. A classic script: in a sandboxed
 * frame, whose origin is opaque, Chromium starts no module of a Blob.
 */
function first(programs) {
  return `(async () => {
const Own = self.Worker;
const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
let why;
for (const [glue, wasm] of ${JSON.stringify(programs)}) {
  // A thread asks for a file beside its program; this one is the same wherever the program is.
  self.Worker = function (_, options) {
    return new Own(url(
      "import { help, initSync } from " + JSON.stringify(glue) + ";" +
      "addEventListener('message', ({ data: [module, memory] }) => {" +
      "  try { initSync({ module, memory }); postMessage('ready'); help(); }" +
      "  catch (reason) { new BroadcastChannel(name).postMessage(String(reason)); throw reason; }" +
      "}, { once: true });"), options);
  };
  try {
    const { default: start } = await import(glue);
    await start({ module_or_path: wasm });
    why = undefined;
    break;
  } catch (reason) {
    why ??= "The worker's program " + glue + " cannot be loaded (" + (reason?.message ?? reason) + ").";
  }
}
if (why !== undefined) postMessage({ lost: { reason: why } });
})();`;
}

/** A running worker. */
export class Connection {
  #worker;
  #threads;
  /** Sentences on how it computes. */
  notes;

  /** Starts the worker for a device; resolves once it listens. */
  static async start({ device, threads, workers }, hear, fail) {
    const { names, notes } = choose(device, threads);
    const programs = names.map((name) => workers === undefined ? PROGRAMS[name]()
      : [`${name}.js`, `${name}_bg.wasm`].map((file) => new URL(file, folder(workers))));
    const worker = new Connection();
    worker.notes = notes;
    const name = NAME + Math.floor(Math.random() * 1e15);
    // A worker of the package's own origin alone may be started; what a Blob says is of this page's origin.
    const source = URL.createObjectURL(new Blob([first(programs)], { type: "text/javascript" }));
    try {
      worker.#worker = new Worker(source, { name });
    } catch (error) {
      URL.revokeObjectURL(source);
      throw new Error(`The browser starts no worker (${error.message}): the page's policy must have worker-src blob:.`);
    }
    try {
      worker.#threads = new BroadcastChannel(name);
      worker.#threads.onmessage = ({ data }) => fail(`A thread of the worker failed: ${data}`);
    } catch {
      // In a sandbox there may be no channel, and no threads either.
    }
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => failed("The worker did not begin within two minutes; is the network slow?"),
        LISTENS_WITHIN);
      let listens = false;
      const failed = (reason) => {
        clearTimeout(late);
        if (listens) return fail(reason);
        worker.end();
        reject(new Error(reason));
      };
      worker.#worker.onmessage = ({ data }) => {
        if (data === "listening") {
          clearTimeout(late);
          URL.revokeObjectURL(source);
          listens = true;
          return resolve();
        }
        if (typeof data === "string") return;
        if (data.lost && !listens) return failed(data.lost.reason);
        hear(plain(data));
      };
      worker.#worker.onerror = (event) => {
        event.preventDefault();
        failed(event.message ? `The worker failed: ${event.message.replace(/^Uncaught /, "")}`
          : "The worker could not be started: the page's policy must have worker-src blob:, or the files of the " +
            "folder `workers` are not beside the package's script.");
      };
    });
    return worker;
  }

  /** Sends a command of the protocol. */
  post(command) { this.#worker.postMessage(command); }

  /** Ends the worker at once. */
  end() {
    this.#worker?.terminate();
    this.#threads?.close();
  }
}

/** The address of a folder, with a slash at its end. */
function folder(address) {
  const url = new URL(address, document.baseURI);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** Tables of an event as plain objects; the worker sends them as maps. */
function plain(value) {
  if (value instanceof Map) value = Object.fromEntries(value);
  else if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map(plain);
  else if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, plain(it)]));
}
