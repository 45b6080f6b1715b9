// Says in a page that is served while parts of it are being built what is still to come, and when it is there.
// Only `cargo xtask play` gives it out.

"use strict";

(() => {
  const line = document.createElement("p");
  line.id = "coming";
  line.setAttribute("role", "status");
  document.addEventListener("DOMContentLoaded", () => document.body.append(line));

  const list = (names) => names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  let first = null;
  const look = async () => {
    let coming = [];
    try {
      const answer = await fetch("./coming.json", { cache: "no-store" });
      if (answer.ok) coming = await answer.json();
    } catch {
      // The server was stopped: nothing more will come.
      return line.remove();
    }
    first ??= coming;
    const there = first.filter((name) => !coming.includes(name));
    const parts = [];
    if (there.length) parts.push(`Built meanwhile: ${list(there)}.`);
    if (coming.length) parts.push(`Still being built: ${list(coming)}. You can train already.`);
    const text = parts.join(" ");
    if (line.firstChild?.data !== text) {
      line.replaceChildren(text);
      if (there.length) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "Reload to use it";
        button.title = "Your run is kept.";
        button.addEventListener("click", () => location.reload());
        line.append(" ", button);
      }
    }
    if (coming.length) return setTimeout(look, 4000);
    if (!there.length) return line.remove();
    // What serves the page without a network asks for its new list.
    const registration = await navigator.serviceWorker?.getRegistration();
    registration?.update().catch(() => {});
  };
  look();
})();
