// SPDX-License-Identifier: MIT

import { type DomDocument, elementsWith, findElements, listChildren } from "./dom.ts";

/**
 * Moves streamed content into its place. React sends late parts of a page as `<div hidden id="S:1">` and marks their place
 * by `<template id="B:1">` or `P:1`; a script would replace the one by the other. A part without a place is shown where it
 * is.
 */
export function placeStreamedParts(document: DomDocument): void {
  const places = new Map(findElements(document.body, "template").map((place) => [place.id.slice(1), place]));
  for (const part of elementsWith(document.body, "hidden")) {
    if (!part.id.startsWith("S:")) continue;
    const place = places.get(part.id.slice(1));
    if (place === undefined || part.contains(place)) {
      part.removeAttribute("hidden");
      continue;
    }
    // Rows of a table are sent in a table.
    const rows = part.localName === "table" && /^(?:table|tbody|thead)$/.test(place.parentElement?.localName ?? "");
    place.replaceWith(...(rows ? part.querySelectorAll("tr") : listChildren(part)));
    part.remove();
  }
}
