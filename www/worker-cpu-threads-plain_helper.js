// One of the threads of the worker `worker-cpu-threads-plain`: it shares the worker's program and memory, and
// never comes back. If it ends all the same, the worker waits for it for ever, so the page is told, by the
// worker's name.

import { help, initSync } from "./worker-cpu-threads-plain.js";

addEventListener("message", ({ data: [module, memory] }) => {
  try {
    initSync({ module, memory });
    postMessage("ready");
    help();
  } catch (reason) {
    new BroadcastChannel(name).postMessage(String(reason));
    throw reason;
  }
}, { once: true });
