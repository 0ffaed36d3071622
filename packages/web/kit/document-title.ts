// SPDX-License-Identifier: MIT

import { useEffect } from "preact/hooks";
import { firstTexts } from "./texts.ts";

/** The title of the document, for tabs, the history and screen readers: the parts that are given, and the name of the reader. */
export const titleOf = (...parts: (string | undefined)[]): string =>
  [...parts, firstTexts.name].filter(Boolean).join(" – ");

/** Shows a title in the browser's tab until the component is removed. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
}
