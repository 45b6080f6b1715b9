// The start script tells how much of the page's program has come; `loading.js` shows it.

const tell = (name, detail) => dispatchEvent(new CustomEvent(name, { detail }));

export default () => ({
  onStart() {},
  onProgress({ current, total }) {
    // A packed file is longer than its server says.
    if (total) tell("strata-loading", Math.min(current / total, 1));
  },
  onComplete() {},
  onSuccess() {},
  onFailure() {
    tell("strata-failed");
  },
});
