// SPDX-License-Identifier: MIT

import { type ApiOf, findApi } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { isUnchangedAfter } from "@reading-list/core/domain/user-clock.ts";
import { secretRefused } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import type { GrantedPorts } from "@reading-list/core/use-cases/granted-ports.ts";
import { type BrowsedPage, browseList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { answerFailure } from "@reading-list/http/answer.ts";
import { type Api, defineRoute } from "@reading-list/http/api.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import { flag, optional, search, texts } from "../fields.ts";
import { atom, type FeedForm, rss } from "./write-feed.ts";

type FeedPorts = GrantedPorts<ApiOf<"feeds">>;

const entriesOfFeed = 50;

const states = { unread: "0", archive: "1", all: undefined } as const;

interface AskedFeed {
  title: string;
  conditions: string;
  query: ListQuery;
  /** The time up to which the reader has all changes; undefined if it has nothing. */
  since: number | undefined;
}

const input = z
  .object({
    state: optional(z.enum(["unread", "archive", "all"], "must be unread, archive or all")),
    starred: flag,
    tag: texts(maxLengths.tags),
    search,
    validator: z.ofRequest<string | undefined>(),
  })
  .transform(({ state = "unread", starred: isStarred, tag: tags = [], search, validator }): AskedFeed => {
    const starred = isStarred === undefined ? [] : [isStarred ? "starred" : "not starred"];
    const found = search === undefined ? [] : [`search: ${search}`];
    const conditions = new URLSearchParams([
      ["state", state],
      ...(isStarred === undefined ? [] : [["starred", String(Number(isStarred))]]),
      ...tags.map((tag) => ["tag", tag]),
      ...(search === undefined ? [] : [["search", search]]),
    ] as [string, string][]);
    return {
      title: ["Reading list", state, ...starred, ...tags.map((tag) => `tag ${tag}`), ...found].join(", "),
      conditions: String(conditions),
      query: {
        conditions: toConditions({ state: states[state], isStarred, tags }),
        search,
        // By the last change, so that an old page appears once it is starred, tagged or archived.
        sort: { by: "content", descending: true },
        offset: 0,
        limit: entriesOfFeed,
      },
      since: parseValidator(validator),
    };
  });

/** A feed's ETag is the time up to which it has all changes, and its `Last-Modified` is that time, too. */
const writeEtag = (changedAt: number) => `W/"${changedAt}"`;

function parseValidator(validator = ""): number | undefined {
  const [, etag] = /^(?:W\/)?"(\d{1,10})/.exec(validator) ?? [];
  const seconds = etag === undefined ? Date.parse(validator) / 1000 : Number(etag);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** The pages of a feed; undefined if the list has not changed since the reader read it. */
const readFeed: UseCase<AskedFeed, BrowsedPage | undefined, FeedPorts> = {
  sync: ({ since }) => ({ beginsWalk: false, since }),
  begin: (deps, { query, since }) => {
    // Searches titles, URLs and tags, because feed readers ask again for the changes of the list, which an index does
    // not follow.
    const browse = browseList.begin({ ...deps, listSearch: undefined }, query);
    return async (caller) => {
      // An address is pasted and passed on: one with a secret that opens more must not become a habit.
      if (caller.scope !== "feed") throw secretRefused("outOfScope");
      return since !== undefined && isUnchangedAfter(since, caller.user.clock) ? undefined : browse(caller);
    };
  },
};

const forms: Record<"atom" | "rss", FeedForm> = { atom, rss };

const feedRoute = (ending: keyof typeof forms) =>
  defineRoute({
    route: `GET /{secret}.${ending}`,
    caller: "user",
    scope: "feed",
    input,
    useCase: readFeed,
    present: (found, { title, conditions, since }, { address }) => {
      const updatedAt = found?.changedAt ?? since ?? 0;
      const headers = {
        "Cache-Control": "private, no-cache",
        ETag: writeEtag(updatedAt),
        "Last-Modified": new Date(updatedAt * 1000).toUTCString(),
      };
      if (!found) return { status: 304, headers, body: "" };
      const { type, write } = forms[ending];
      const { user, items: pages } = found;
      const feed = {
        title,
        conditions,
        pages,
        username: user.username,
        home: new URL("..", `${address}/`).href,
        updatedAt: Math.max(user.createdAt, updatedAt),
      };
      return { status: 200, headers: { "Content-Type": type, ...headers }, body: write(feed) };
    },
  });

/** Feeds of the reading list (docs/apps.md) in Atom and RSS, whose addresses have the secret of a sign-in. */
export const feeds: Api<FeedPorts> = {
  contract: findApi("feeds"),
  routes: [feedRoute("atom"), feedRoute("rss")],
  answerError: (error) => {
    const status = apiStatusOf[error.kind];
    const { headers, body } = answerFailure(status, error.message, error.code);
    return { status, headers: { ...headers, ...createFailureHeaders(error, status) }, body };
  },
  tooLarge: "the feed is too large for one response",
  signIn: (_, { secret }) => {
    const { username = "", password = "" } = parseBearerSecret(String(secret)) ?? {};
    return { username, password };
  },
};
