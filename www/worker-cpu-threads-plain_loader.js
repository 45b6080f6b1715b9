// Starts the worker that computes with several threads in browsers without relaxed SIMD. Where it cannot be
// had (a build without it, no network, no room for memory that is shared) the one with a single thread does its
// work.

try {
  const { default: start } = await import("./worker-cpu-threads-plain.js");
  await start();
} catch (reason) {
  console.warn(`One thread computes, for several cannot: ${reason}`);
  await import("./worker-cpu_loader.js");
}
