// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";

export type Selection = ReturnType<typeof useSelection>;

/** The items that the user has selected; `items` is undefined if none can be selected. */
export function useSelection(shown: readonly LocalItem[]) {
  const [urls, setUrls] = useState<ReadonlySet<string>>();
  return {
    items: urls && shown.filter(({ url }) => urls.has(url)),
    urls,
    set: setUrls,
    has: (url: string) => urls?.has(url) ?? false,
    begin: () => setUrls(new Set()),
    end: () => setUrls(undefined),
    selectAll: () => setUrls(new Set(shown.map(({ url }) => url))),
    toggle({ url }: LocalItem) {
      const next = new Set(urls);
      if (!next.delete(url)) next.add(url);
      setUrls(next);
    },
  };
}
