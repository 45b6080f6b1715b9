// Keeps the page alive under a browser's translator, which puts <font> elements in the place of texts
// while the program goes on writing into the texts that were there.
//
// A text that changes, moves or goes takes its place back first; the translator sees it and translates it
// anew. What changes all the time (numbers, states, tokens) says `translate="no"` besides.

"use strict";

(() => {
  /** What stands in a text's place, and the other way round. */
  const standIns = new WeakMap();
  const texts = new WeakMap();

  function takeBack(text) {
    const element = standIns.get(text);
    if (!element) return;
    standIns.delete(text);
    texts.delete(element);
    if (element.parentNode && !text.parentNode) element.replaceWith(text);
  }

  const changes = new MutationObserver((records) => records.forEach(({ target }) => takeBack(target)));

  const isStandIn = (node) => node?.nodeName === "FONT" && !texts.has(node);

  const places = new MutationObserver((records) => {
    for (const { addedNodes, removedNodes, previousSibling, nextSibling } of records)
      for (const text of removedNodes) {
        if (text.nodeType !== Node.TEXT_NODE || text.parentNode || standIns.has(text)) continue;
        const element = [...addedNodes, previousSibling, nextSibling].find(isStandIn);
        if (!element) continue;
        standIns.set(text, element);
        texts.set(element, text);
        changes.observe(text, { characterData: true });
      }
  });
  places.observe(document.documentElement, { childList: true, subtree: true });

  // The program names a text as what it removes, or as what something comes before.
  const { insertBefore, removeChild } = Node.prototype;
  Node.prototype.removeChild = function (child) {
    takeBack(child);
    return removeChild.call(this, child);
  };
  Node.prototype.insertBefore = function (node, before) {
    takeBack(node);
    const standIn = before && standIns.get(before);
    return insertBefore.call(this, node, standIn?.parentNode === this ? standIn : before);
  };
})();
