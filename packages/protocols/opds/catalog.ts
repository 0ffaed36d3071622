// SPDX-License-Identifier: MIT

import type { ApiOf } from "@reading-list/core/contract/apis.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { type Filters, type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { type Book, makeBook } from "@reading-list/core/use-cases/articles/make-book.ts";
import type { GrantedPorts } from "@reading-list/core/use-cases/granted-ports.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import { countTags } from "@reading-list/core/use-cases/lists/count-tags.ts";
import { type BrowsedPage, browseList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRequest, defineFixedRoute, defineRoute, type RoutePattern } from "@reading-list/http/api.ts";
import { answerBook } from "@reading-list/http/text.ts";
import { optional, search } from "../fields.ts";
import { answerAuthenticationDocument } from "./answers.ts";
import { entriesOfPart, type Feed, type Folder, skippedBefore, type WriteFeed } from "./feed.ts";
import { answerSearchDescription, writeAtom } from "./write-atom.ts";
import { answerPublication, writeJson } from "./write-json.ts";

export type OpdsPorts = GrantedPorts<ApiOf<"opds">>;

/** A version of OPDS, below its prefix. */
interface Version {
  prefix: "" | "/v2";
  write: WriteFeed;
}

const part = optional(
  z
    .string(7, "must be a whole number", "must be a whole number from 1")
    .regex(/^[1-9]\d{0,6}$/, "must be a whole number from 1")
    .transform(Number),
).transform((number = 1) => number);

const shelves = [
  { name: "unread", title: "Unread", query: { state: "0" } },
  { name: "starred", title: "Starred", query: { isStarred: true } },
  { name: "archive", title: "Archive", query: { state: "1" } },
  { name: "all", title: "All pages, newest first", query: {} },
] as const;

const updatedAt = ({ createdAt, clock }: User) => Math.max(createdAt, clock.changedAt);

const toAddresses = ({ address, linkTo }: ApiRequest, { prefix }: Version, path: string) => ({
  catalog: address,
  version: address + prefix,
  part: (number: number) => linkTo(prefix + path, { page: number }),
});

/** Only the user, because the root lists feeds without reading them. */
const readUser: UseCase<unknown, User> = {
  begin:
    () =>
    async ({ user }) =>
      user,
};

const rootRoute = (version: Version) =>
  defineRoute({
    route: `GET ${version.prefix || "/"}`,
    caller: "user",
    input: z.object({}),
    useCase: readUser,
    present: (user, _, request) => {
      const counts: Partial<Record<string, number>> = {
        unread: user.countUnread,
        archive: user.countRead,
        all: user.countUnread + user.countRead,
      };
      const folders: Folder[] = [
        ...shelves.map(({ name, title }) => ({
          path: `/${name}`,
          title,
          holds: "pages" as const,
          count: counts[name],
        })),
        { path: "/tags", title: "Tags", holds: "folders", count: undefined },
      ];
      return version.write(
        {
          path: "",
          title: "Reading list",
          username: user.username,
          updatedAt: updatedAt(user),
          part: { number: 1, total: folders.length },
          folders,
        },
        toAddresses(request, version, ""),
      );
    },
  });

/** A feed of pages that the fields of a request ask for. */
interface AskedFeed {
  title: string;
  /** Its path, with a slash at the end. */
  path: string;
  number: number;
  query: ListQuery;
}

const asked = (
  feed: Pick<AskedFeed, "title" | "path">,
  { search, ...filters }: Filters & Pick<ListQuery, "search">,
  number: number,
): AskedFeed => ({
  ...feed,
  number,
  query: {
    conditions: toConditions(filters),
    search,
    sort: { by: "added", descending: true },
    offset: skippedBefore(number),
    limit: entriesOfPart,
  },
});

const browseFeed: UseCase<AskedFeed, BrowsedPage, OpdsPorts> = {
  sync: ({ query }) => browseList.sync?.(query),
  begin: (deps, { query }) => browseList.begin(deps, query),
};

function pagesRoute(version: Version, path: `/${string}`, input: z.ZodType<AskedFeed>) {
  return defineRoute({
    route: `GET ${version.prefix}${path}` as RoutePattern,
    caller: "user",
    input,
    useCase: browseFeed,
    present: ({ user, items, total }, { number, ...feed }, request) =>
      version.write(
        {
          ...feed,
          username: user.username,
          updatedAt: updatedAt(user),
          part: { number, total },
          pages: items,
        },
        toAddresses(request, version, path),
      ),
  });
}

const shelfRoute = (version: Version, { name, title, query }: (typeof shelves)[number]) =>
  pagesRoute(
    version,
    `/${name}`,
    z.object({ page: part }).transform(({ page }) => asked({ title, path: `/${name}` }, query, page)),
  );

const inQuery = (text: string) => encodeURIComponent(text.toWellFormed());

const toTagPath = (tag: string) => `/tag?name=${inQuery(tag)}`;

const tagRoute = (version: Version) =>
  pagesRoute(
    version,
    "/tag",
    z
      .object({ name: z.string(maxLengths.tags, "must be a tag"), page: part })
      .transform(({ name, page }) => asked({ title: name, path: toTagPath(name) }, { tags: [name] }, page)),
  );

/** Bytes of the words in a query string. */
const wordsLength = 5000;

const searchRoute = (version: Version) =>
  pagesRoute(
    version,
    "/search",
    z
      .object({ query: z.record(z.unknown(wordsLength), wordsLength), page: part })
      .transform(({ query, page }, context) => {
        const { data: words = "", error } = search.safeParse(query.query);
        if (!error)
          return asked({ title: `Search: ${words}`, path: `/search?query=${inQuery(words)}` }, { search: words }, page);
        for (const { message } of error.issues) context.addIssue({ code: "custom", path: ["query"], message });
        return z.NEVER;
      }),
  );

/** The numbers of items of all tags. */
const readTags: UseCase<unknown, { user: User; tags: [name: string, count: number][] }, OpdsPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin: (deps, input) => async (caller) => ({
    user: caller.user,
    tags: [...(await countTags.begin(deps, input)(caller))],
  }),
};

const tagsRoute = (version: Version) =>
  defineRoute({
    route: `GET ${version.prefix}/tags`,
    caller: "user",
    input: z.object({ page: part }),
    useCase: readTags,
    present: ({ user, tags }, { page }, request) => {
      const shown = tags.slice(skippedBefore(page), skippedBefore(page + 1));
      const feed: Feed = {
        path: "/tags",
        title: "Tags",
        username: user.username,
        updatedAt: updatedAt(user),
        part: { number: page, total: tags.length },
        folders: shown.map(([tag, count]) => ({ path: toTagPath(tag), title: tag, holds: "pages", count })),
      };
      return version.write(feed, toAddresses(request, version, "/tags"));
    },
  });

const feedRoutes = (version: Version) => [
  rootRoute(version),
  ...shelves.map((shelf) => shelfRoute(version, shelf)),
  tagsRoute(version),
  tagRoute(version),
  searchRoute(version),
];

const versions: Record<"atom" | "json", Version> = {
  atom: { prefix: "", write: writeAtom },
  json: { prefix: "/v2", write: writeJson },
};

const id = z.object({ id: z.string(100) });

const publication = defineRoute({
  route: `GET ${versions.json.prefix}/publications/{id}`,
  caller: "user",
  input: id,
  useCase: {
    begin:
      (deps: OpdsPorts, { id }: { id: string }) =>
      async ({ user }) => ({
        user,
        item: await findItem(deps, user, id),
      }),
  },
  present: ({ user, item }, _, request) =>
    answerPublication(item, user.username, toAddresses(request, versions.json, "")),
});

/** The book of a page. Its article is read and kept if it is not yet; throws `invalid` if the page cannot be read. */
const book = defineRoute({
  route: "GET /books/{id}.epub",
  caller: "user",
  input: id,
  useCase: {
    begin:
      (deps: OpdsPorts, { id }: { id: string }) =>
      async (caller): Promise<Book> =>
        makeBook(deps, caller, (await findItem(deps, caller.user, id)).url, "less"),
  },
  present: answerBook,
});

/** The routes of the catalogue; two answer without a sign-in: how to sign in, and how to search. */
export const catalogRoutes = [
  ...Object.values(versions).flatMap(feedRoutes),
  publication,
  book,
  defineFixedRoute("GET /opensearch.xml", ({ address }) => answerSearchDescription(address)),
  defineFixedRoute("GET /authentication.json", ({ address }) => answerAuthenticationDocument(address)),
];
