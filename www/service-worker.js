// Serves the page without a network, and isolated from others. Above this stand BUILD, which tells this version from all
// others, and FILES: the length and fingerprint of each file, and whether it is kept from the first
// visit on (of the CPU's workers the one that this browser runs is).
//
// A file that is not of this version is never given out, whatever the server has by now.

"use strict";

const BASE = new URL("./", location.href);
// Other builds may lie in other folders of the same origin, and all see the same caches: a name has the folder,
// whose address has no space.
const PREFIX = `strata-build ${BASE.pathname} `;
const CACHE = PREFIX + BUILD;
/** What names began with before they had the folder. */
const OLD_PREFIX = "strata-build-";

/** What few servers of files send: pages that are isolated from others compute with several threads. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

/** The name in FILES of what an address means, or nothing. */
function named(address) {
  const { origin, pathname } = new URL(address);
  if (origin !== BASE.origin || !pathname.startsWith(BASE.pathname)) return undefined;
  const name = decodeURI(pathname.slice(BASE.pathname.length)) || "index.html";
  return Object.hasOwn(FILES, name) ? name : undefined;
}

const address = (name) => new URL(name === "index.html" ? "./" : name, BASE).href;

/** FNV-1a, as the build computed it. */
function fingerprint(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Milliseconds that a browser may take for what it keeps: a page waits for it, and it may never answer. */
const ANSWERS_WITHIN = 3000;

const within = (promise) =>
  Promise.race([promise, new Promise((_, refuse) => setTimeout(refuse, ANSWERS_WITHIN, "no answer"))]);

/** Brings a file from the server, and the promise to keep it. */
async function bring(name) {
  const answer = await fetch(address(name), { cache: "no-cache" });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const [length, print] = FILES[name];
  if (!answer.ok || bytes.length !== length || fingerprint(bytes) !== print)
    throw new Error(`${name} is not of this version`);
  const headers = new Headers(answer.headers);
  for (const [header, value] of Object.entries(ISOLATION)) headers.set(header, value);
  const isolated = new Response(bytes, { headers });
  const copy = isolated.clone();
  return { isolated, kept: caches.open(CACHE).then((cache) => cache.put(address(name), copy)) };
}

async function give(name) {
  const found = caches.open(CACHE).then((cache) => cache.match(address(name)));
  const kept = await within(found).catch(() => undefined);
  if (kept) return kept;
  try {
    const brought = await bring(name);
    // What cannot be kept, for want of room say, is given all the same.
    await within(brought.kept).catch(() => undefined);
    return brought.isolated;
  } catch {
    return Response.error();
  }
}

self.addEventListener("install", (event) => {
  const first = Object.keys(FILES).filter((name) => FILES[name][2]);
  event.waitUntil(Promise.all(first.map(async (name) => (await bring(name)).kept)));
});

self.addEventListener("activate", (event) => {
  // Whose an old name is its first page tells.
  const isOwn = async (name) => {
    if (!name.startsWith(OLD_PREFIX)) return name.startsWith(PREFIX) && name !== CACHE;
    return (await (await caches.open(name)).match(address("index.html"))) !== undefined;
  };
  const tidy = async () => {
    const names = await caches.keys();
    const own = await Promise.all(names.map(isOwn));
    await Promise.all(names.filter((_, at) => own[at]).map((name) => caches.delete(name)));
  };
  event.waitUntil(tidy());
});

// A page that has just begun asks; others that are open have files of the version before.
self.addEventListener("message", (event) => {
  if (event.data !== "take over") return;
  const take = async () => {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (windows.length <= 1) await self.skipWaiting();
  };
  event.waitUntil(take());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const name = request.method === "GET" ? named(request.url) : undefined;
  if (name !== undefined) event.respondWith(give(name));
});
