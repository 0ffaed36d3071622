// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";

/**
 * A part of the reader that is loaded after the first rendering, so that this one is early; undefined until then, unless it
 * is `known` already.
 */
export function useLoaded<T>(load: () => Promise<T>, known?: T): T | undefined {
  const [loaded, setLoaded] = useState({ part: known });
  useEffect(() => {
    if (!known) void load().then((part) => setLoaded({ part }));
  }, []);
  return loaded.part;
}

/**
 * Adds a style sheet of this folder to the page; resolves when it is there, or could not be loaded. It stands before
 * the page's own style sheet, whose rules win where both are equally specific.
 */
export function loadStyles(name: string): Promise<true> {
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: name });
    for (const type of ["load", "error"]) link.addEventListener(type, () => resolve(true));
    document.querySelector("link[rel=stylesheet]")?.before(link);
  });
}
