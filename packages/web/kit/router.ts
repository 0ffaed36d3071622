// SPDX-License-Identifier: MIT

import { Observable } from "./observable.ts";

/** The state of the page that its fragment holds, so that the browser's Back works and an article can be reloaded. */
export interface Route {
  view: "unread" | "archive";
  /** Only items with this tag. */
  tag?: string | undefined;
  /** Only items of this site, such as `example.com`. */
  site?: string | undefined;
  /** Only items with cached texts of this length. */
  length?: "short" | "medium" | "long" | undefined;
  /** Only items without tags. */
  isUntagged?: true | undefined;
  /** Only items that contain all words. */
  search?: string | undefined;
  /** Another page instead of the list. */
  page?: "marks" | "tags" | "duplicates" | "trash" | "settings" | "account" | undefined;
  /** Of that page. */
  section?: string | undefined;
  /** Id of the mark to which the open article is scrolled. */
  mark?: string | undefined;
  /** URL of the item whose article is open. */
  article?: string | undefined;
}

/** The part of a route that a user can save. */
export type Filter = Pick<Route, "tag" | "site" | "length" | "isUntagged" | "search">;

/** Whether a filter other than a search applies. */
export const isFiltered = ({ tag, site, length, isUntagged }: Filter) => !!(tag || site || length || isUntagged);

/** The same text for the same filter. */
export const filterKey = ({ tag, site, length, isUntagged, search }: Filter): string =>
  formatRoute({ view: "unread", tag, site, length, isUntagged, search: search?.trim() });

/** The route in a fragment such as `#archive?tag=later`. */
export function parseRoute(fragment: string): Route {
  const [view, query = ""] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const read = (name: string) => parameters.get(name) || undefined;
  const page = pages.find(read);
  return {
    view: view === "archive" ? "archive" : "unread",
    tag: read("tag"),
    site: read("site"),
    length: lengths.find((length) => length === read("length")),
    isUntagged: read("untagged") === "1" || undefined,
    search: read("search"),
    page,
    section: page && read(page),
    mark: read("mark"),
    article: read("article"),
  };
}

const lengths = ["short", "medium", "long"] as const;
const pages = ["marks", "tags", "duplicates", "trash", "settings", "account"] as const;

export function formatRoute({ view, isUntagged, page, section = "1", ...parameters }: Route): string {
  const all = { ...parameters, untagged: isUntagged && "1", ...(page && { [page]: section }) };
  const given = Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(given).toString();
  return `#${view}${query && `?${query}`}`;
}

/** The current route. Setting it does not add to the history; following a link to `formatRoute` does. */
export function openRouter(): Observable<Route> {
  // List and article keep their own places. The browser would scroll an article to the place in the list on "Back".
  history.scrollRestoration = "manual";
  const route = new Observable(parseRoute(location.hash));
  addEventListener("hashchange", () => {
    if (location.hash !== formatRoute(route.value)) route.value = parseRoute(location.hash);
  });
  let { search } = route.value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    const fragment = formatRoute(route.value);
    if (location.hash !== fragment) history.replaceState(history.state, "", fragment);
  };
  route.subscribe((changed) => {
    clearTimeout(timer);
    timer = undefined;
    // Browsers limit how often a page may change its address, so a search is not in it after every letter.
    if (changed.search === search) write();
    else timer = setTimeout(write, afterTyping);
    search = changed.search;
  });
  // A link that is followed before leaves the new search in the history.
  addEventListener(
    "click",
    () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      write();
    },
    true,
  );
  return route;
}

/** Milliseconds. */
const afterTyping = 300;
