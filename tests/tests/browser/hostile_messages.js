// Tells the page's worker what no page says, and gathers its answers; each must be a refusal.
const circle = {};
circle.circle = circle;
const text = (texts) => ({ examine: { task: { kind: "text", source: "x" }, texts } });
const messages = [
  undefined, null, true, 0, -0, NaN, Infinity, 1n, 2n ** 70n, "", "Train", "load", "\u0000",
  [], [[]], [undefined, undefined], new Array(1000),
  {}, circle, { load: null }, { Train: null },
  { load: {} }, { load: { experiment: null } }, { load: { experiment: "x" } },
  { load: { experiment: { task: { kind: "copy", symbols: -1 } } } },
  { load: { experiment: { seed: 2n ** 64n } } }, { load: { experiment: { seed: 0.5 } } },
  { load: { experiment: { model: { architecture: "transformer", width: 65536, heads: 1 } } } },
  { restore: {} }, { restore: { checkpoint: null } }, { restore: { checkpoint: "x" } },
  { restore: { checkpoint: [256, -1, 1.5] } },
  { restore: { checkpoint: new Uint8Array(1 << 20) } },
  { restore: { checkpoint: new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127]) } },
  { restore: { checkpoint: new ArrayBuffer(9) } },
  { new_seed: { seed: -1 } }, { new_seed: { seed: NaN } }, { new_seed: { seed: "1" } },
  { watch: { view: { example: 1e9, view: "overview" } } },
  { watch: { view: { example: -1, view: "overview" } } },
  { watch: { view: { example: 0, view: { site: { level: 2 ** 53 } } } } },
  { watch: { view: { example: 0, view: "everything" } } },
  { run: { translate: { text: null } } }, { run: { translate: { text: " \n" } } },
  { run: { translate: { text: "a", search: { kind: "beam", width: 1e9 } } } },
  { run: { translate: { text: "a", search: { kind: "sampling", temperature: -1 } } } },
  { run: { translate: { text: "a", prefix: ["a", 7] } } },
  { run: { translate: { text: "a ".repeat(1e5) } } },
  { run: null }, { run: {} }, { run: { answer: { question: "who ?" } } }, { run: { poem: { length: "7" } } },
  { examine: { task: { kind: "files", source: "/etc/passwd" } } },
  text([{ name: "x", bytes: [] }]), text([{ name: "x", bytes: "a" }]), text(7),
  [text([]), [7, "x", {}]],
  { bench: { name: "none" } }, { bench: { name: "tiny-transformer", steps: 4294967295 } },
  { bench: { name: "tiny-transformer", steps: 0, warmup: 0 } },
  new Date(), /x/, new Set(["train"]), new Error("train"), new Blob(["train"]), new Int8Array([1]),
];
window.heard = [];
window.worker.addEventListener("message", ({ data }) => {
  window.heard.push(typeof data === "object" ? Object.keys(data)[0] : data);
});
for (const message of messages) window.worker.postMessage(message);
return messages.length;
