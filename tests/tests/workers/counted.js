// Runs in a worker before the worker's own program, whose address is the worker's name: counts what
// goes to the GPU, and sends the counts along with every event.
const calls = { dispatches: 0, submits: 0, read_backs: 0 };

const count = (type, method, name) => {
  if (!type) return; // A browser without WebGPU.
  const genuine = type.prototype[method];
  type.prototype[method] = function (...given) {
    calls[name] += 1;
    return genuine.apply(this, given);
  };
};
count(self.GPUComputePassEncoder, "dispatchWorkgroups", "dispatches");
count(self.GPUComputePassEncoder, "dispatchWorkgroupsIndirect", "dispatches");
count(self.GPUQueue, "submit", "submits");
count(self.GPUBuffer, "mapAsync", "read_backs");

const post = self.postMessage.bind(self);
self.postMessage = (event) => post({ event, calls });

await import(self.name);
