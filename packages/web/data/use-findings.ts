// SPDX-License-Identifier: MIT

import type { FoundItem, LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useObservable } from "../kit/observable.ts";
import type { SearchableText } from "../kit/searchable-text.ts";
import { useLoaded } from "../kit/use-loaded.ts";
import type { LocalFindings, ParsedSearch, SnippetPart } from "./local-search.ts";
import type { ServiceAnswer } from "./service-search.ts";
import type { Session } from "./session.ts";

/** The results of a search: from this device at once, then from the service. */
export interface Findings {
  /** Items on the screen keep their places; new ones follow. */
  items: readonly LocalItem[];
  state: ServiceAnswer["state"];
  /** Pages that the service has found in addition to the loaded ones. */
  further: number;
  /** The operator for which the search cannot be read. */
  fault: ParsedSearch["fault"];
  /** The words in the text of an item, with some text around them. */
  findSnippet(item: LocalItem): readonly SnippetPart[];
}

/** Until the parts are loaded that read a search. */
const unread: ParsedSearch = {};
const nothing: LocalFindings = { byFields: [], byText: [], unsure: [] };

/** `items` are all in which a search may find some, or will soon, in their order; `scope` differs if they are others. */
export function useFindings(
  { texts, marks, search: service }: Session,
  typed: string | undefined,
  items: readonly LocalItem[],
  scope: string,
): Findings | undefined {
  const asked = typed?.trim() ?? "";
  const search = useLoaded(() => import("./local-search.ts"));
  const parsed = useMemo(() => search?.parse(asked) ?? unread, [search, asked]);
  const facts = useObservable(texts.facts);
  const notes = useObservable(marks.notes);
  const [words, setWords] = useState<ReadonlyMap<string, SearchableText>>(new Map());
  useEffect(() => {
    // The cached texts are read when the user searches, and again when they change.
    if (asked) void texts.searchable().then(setWords, () => {});
  }, [asked === "", facts]);
  useEffect(() => service.ask(parsed.query ? asked : ""), [parsed]);
  const answer = useObservable(service.answer);
  const own = answer.query === asked ? answer : undefined;

  useEffect(() => void search?.expectSearch(items), [search, items]);
  const local = useMemo(
    () => (search && parsed.query ? search.findItems(items, parsed.query, words, notes) : nothing),
    [items, parsed, words, notes],
  );
  const served = useMemo(
    () => new Map<string | undefined, FoundItem>(own?.items.map((item) => [item.itemId, item])),
    [own?.items],
  );
  const order = useRef<{ key: string; shown: readonly LocalItem[] }>({ key: "", shown: [] });
  const state = own?.state ?? "asking";
  const found = useMemo(() => {
    const key = `${asked}\n${scope}`;
    const before = order.current.key === key ? order.current.shown : [];
    const shown = search?.joinFindings(local, state, items, served, before) ?? before;
    order.current = { key, shown };
    return shown;
  }, [items, local, served, state, asked, scope]);

  if (asked === "" || (search && !parsed.query && parsed.fault === undefined)) return undefined;
  return {
    items: found,
    fault: parsed.fault,
    state: parsed.fault === undefined ? state : "none",
    further: own ? own.total - own.items.length : 0,
    findSnippet: ({ itemId = "", url }) => {
      const { snippet, marks } = served.get(itemId) ?? { snippet: "", marks: [] };
      if (snippet) return search?.splitSnippet(snippet, marks) ?? [];
      const text = words.get(url);
      return (text && parsed.query && search?.cutSnippet(text, parsed.query)) || [];
    },
  };
}
