// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { findSite } from "../../kit/web-address.ts";
import { ListenBar } from "./listen-bar.tsx";
import type { ShownText } from "./use-mark-layer.ts";

/** URL of the article that is read aloud as soon as it is shown, after the previous article. */
let listensTo: string | undefined;

function takeListening(url: string): { beginsAtTop: boolean } | undefined {
  const begins = listensTo === url;
  listensTo = undefined;
  return begins ? { beginsAtTop: true } : undefined;
}

/** Reads an article aloud, and after it the next one. Returns the bar with its buttons, and the function that begins. */
export function useListening(
  { url, title }: { url: string; title: string },
  shown: ShownText | undefined,
  next: LocalItem | undefined,
  onOpen: (item: LocalItem) => void,
) {
  const [listening, setListening] = useState(() => takeListening(url));
  const listen = () => setListening({ beginsAtTop: false });
  const bar = listening && shown && (
    <ListenBar
      key={shown.map}
      title={title}
      site={findSite(url)}
      shown={shown}
      beginsAtTop={listening.beginsAtTop}
      onEnd={() => {
        setListening(undefined);
        listensTo = next?.url;
        if (next) onOpen(next);
      }}
      onClose={() => setListening(undefined)}
    />
  );
  return { listen, bar };
}
