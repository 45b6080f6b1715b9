// Starts the worker that computes with several threads. Where it cannot be had (a build without it, no
// network, no room for memory that is shared) the one with a single thread does its work.

try {
  const { default: start } = await import("./worker-cpu-threads.js");
  await start();
} catch (reason) {
  console.warn(`One thread computes, for several cannot: ${reason}`);
  await import("./worker-cpu-relaxed_loader.js");
}
