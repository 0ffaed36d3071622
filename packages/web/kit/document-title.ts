// SPDX-License-Identifier: MIT

import { useEffect } from "preact/hooks";
import { firstTexts } from "./texts.ts";

/** The title of the document, for tabs, the history and screen readers: the parts that are given, and the name of the reader. */
export const tabTitle = (...parts: (string | undefined)[]): string =>
  [...parts, firstTexts.name].filter(Boolean).join(" – ");

/** Milliseconds until a title is shown: the browser takes 5 ms for each, so that no letter of a search waits for it. */
const delayMs = 300;

/** Shows a title in the browser's tab until the component is removed. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    return () => {
      document.title = before;
    };
  }, []);
  useEffect(() => {
    const write = () => {
      document.title = title;
    };
    const timer = setTimeout(write, delayMs);
    return () => clearTimeout(timer);
  }, [title]);
}
