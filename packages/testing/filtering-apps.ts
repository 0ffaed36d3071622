// SPDX-License-Identifier: MIT

import { Assistant } from "./assistant.ts";
import { form, type TestUser } from "./client.ts";
import { GoogleReader } from "./google-reader.ts";
import { KoboDevice } from "./kobo-device.ts";
import { LinkdingDevice } from "./linkding-device.ts";
import { newAppPassword, OpdsReader } from "./opds-reader.ts";
import { parseXml } from "./parse-xml.ts";
import { ReadeckDevice } from "./readeck-device.ts";
import { WallabagDevice } from "./wallabag-device.ts";

/** Conditions on pages that apps ask for; all apply together. */
export interface AskedFilter {
  state?: "unread" | "archived";
  isStarred?: boolean;
  tag?: string;
  isUntagged?: true;
  site?: string;
  words?: string;
}

/** The URLs of the pages that an API shows; undefined if it has no such filter. */
type Ask = (filter: AskedFilter) => Promise<string[]> | undefined;

const urlsIn = (pages: Iterable<{ url: string }>) => [...pages].map(({ url }) => url);
const flag = (value: boolean | undefined) => value && Number(value);
/** A query string of the values that are defined. */
const query = (values: Record<string, unknown>) =>
  form(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never).toString();
const has = (filter: AskedFilter, ...names: (keyof AskedFilter)[]) =>
  Object.keys(filter).some((name) => names.includes(name as keyof AskedFilter));

/** Signs in an app of each API; it filters as these apps do. */
export const filteringApps: Record<string, (user: TestUser) => Promise<Ask>> = {
  get: async (user) => (filter) => {
    const { state, ...others } = filter;
    if (!state || Object.keys(others).length > 0) return;
    return user.items({ state: state === "unread" ? "unread" : "read" }).then(urlsIn);
  },
  search: async (user) => (filter) => {
    const { state, isStarred, tag, site, words = "" } = filter;
    if (filter.isUntagged) return;
    const parts = [state && `is:${state}`, tag && `tag:"${tag}"`, site && `site:${site}`, words];
    if (isStarred !== undefined) parts.push(`${isStarred ? "" : "-"}is:starred`);
    const asked = { query: parts.filter(Boolean).join(" "), count: 99 };
    return user.ok("search", asked).then(({ body }) => urlsIn(JSON.parse(body).list));
  },
  wallabag: async (user) => {
    const device = await new WallabagDevice(user.service, user.credentials).signIn();
    return (filter) => {
      const { state, isStarred, tag, site, words } = filter;
      if (filter.isUntagged || (words && Object.keys(filter).length > 1)) return;
      const asked = { archive: flag(state && state === "archived"), starred: flag(isStarred), tags: tag };
      const path = words
        ? `api/search?${query({ term: words })}`
        : `api/entries?${query({ ...asked, domain_name: site })}`;
      return device
        .ok<{ _embedded: { items: { url: string }[] } }>("GET", path)
        .then((page) => urlsIn(page._embedded.items));
    };
  },
  readeck: async (user) => {
    const device = await ReadeckDevice.signIn(user);
    return ({ state, isStarred, tag, isUntagged, site, words }) =>
      device
        .bookmarks(
          query({
            is_archived: flag(state && state === "archived"),
            is_marked: flag(isStarred),
            labels: tag && `"${tag}"`,
            has_labels: isUntagged && 0,
            site,
            search: words,
          }),
        )
        .then(urlsIn);
  },
  linkding: async (user) => {
    const device = await LinkdingDevice.signIn(user);
    return (filter) => {
      const { state, tag, isUntagged, site, words } = filter;
      if (has(filter, "isStarred")) return;
      // Apps write the blanks of a tag as `-`.
      const parts = [tag && `#${tag.replaceAll(" ", "-")}`, isUntagged && "!untagged", site && `site:${site}`, words];
      const asked = query({ q: parts.filter(Boolean).join(" ") });
      const paths = [state !== "archived" && "bookmarks/", state !== "unread" && "bookmarks/archived/"].filter(Boolean);
      return Promise.all(
        paths.map((path) => device.ok<{ results: { url: string }[] }>("GET", `${path}?${asked}`)),
      ).then((lists) => urlsIn(lists.flatMap(({ results }) => results)));
    };
  },
  "google reader": async (user) => {
    const reader = await GoogleReader.signIn(user);
    return (filter) => {
      const { state, isStarred, tag } = filter;
      // A subscription is of one host, not of a domain.
      if (has(filter, "isUntagged", "site", "words")) return;
      const google = (name: string) => `user/-/state/com.google/${name}`;
      const asked = new URLSearchParams({ n: "100", s: tag ? `user/-/label/${tag}` : google("reading-list") });
      if (state) asked.append(state === "archived" ? "it" : "xt", google("read"));
      if (isStarred !== undefined) asked.append(isStarred ? "it" : "xt", google("starred"));
      return reader
        .read(`stream/contents?${asked}`)
        .then(({ items }) => items.map(({ canonical }: { canonical: [{ href: string }] }) => canonical[0].href));
    };
  },
  kobo: async (user) => {
    const device = await KoboDevice.of(user);
    return (filter) => {
      if (JSON.stringify(filter) !== '{"state":"unread"}') return;
      return device.get().then(({ list }) => Object.values(list).map(({ given_url }) => given_url));
    };
  },
  opds: async (user) => {
    const reader = await OpdsReader.signIn(user);
    return (filter) => {
      const { state, isStarred, tag, words } = filter;
      const path = {
        state: state === "archived" ? "archive" : "unread",
        isStarred: isStarred ? "starred" : undefined,
        tag: `tag?${query({ name: tag })}`,
        words: `search?${query({ query: words })}`,
        site: undefined,
        isUntagged: undefined,
      }[Object.keys(filter).join() as keyof AskedFilter];
      return path === undefined
        ? undefined
        : reader.read(`opds/${path}`).then(({ pages }) => pages.map(({ href }) => href));
    };
  },
  feeds: async (user) => {
    const secret = await newAppPassword(user, { scope: "feed" });
    return (filter) => {
      const { state, isStarred, tag, words } = filter;
      if (has(filter, "isUntagged", "site")) return;
      const asked = query({
        state: state === "archived" ? "archive" : (state ?? "all"),
        starred: flag(isStarred),
        tag,
        search: words,
      });
      const { service, credentials } = user;
      return service
        .fetch(`${service.baseUrl}/feeds/${credentials.username}.${secret}.rss?${asked}`)
        .then(({ body }) =>
          (parseXml(body).children[0]?.children ?? [])
            .filter(({ name }) => name === "item")
            .map(({ children }) => children.find(({ name }) => name === "link")?.text ?? ""),
        );
    };
  },
  mcp: async (user) => {
    const assistant = await Assistant.of(user);
    return (filter) => {
      const { state, isStarred: starred, tag, site, words } = filter;
      if (filter.isUntagged) return;
      const asked = { count: 50, state, starred, tags: tag && [tag], site };
      return assistant
        .use(words ? "search" : "list", words ? { ...asked, words } : asked)
        .then(({ json }) => urlsIn(json.pages));
    };
  },
};
