// One of the threads of the worker `worker-cpu-threads`: it shares the worker's program and memory, and
// never comes back.

import { help, initSync } from "./worker-cpu-threads.js";

addEventListener("message", ({ data: [module, memory] }) => {
  initSync({ module, memory });
  postMessage("ready");
  help();
}, { once: true });
