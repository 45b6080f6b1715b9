// Starts the page's program and tells how much of it has come.

import init from "./PROGRAM.js";
import progress from "./progress.mjs";

const { onProgress, onFailure } = progress();
const total = LENGTH;

try {
  const response = await fetch("./PROGRAM_bg.wasm");
  let current = 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(part, controller) {
      current += part.byteLength;
      onProgress({ current, total });
      controller.enqueue(part);
    },
  }));
  const { headers, status, statusText } = response;
  await init({ module_or_path: new Response(counted, { headers, status, statusText }) });
} catch (reason) {
  onFailure(reason);
  throw reason;
}
