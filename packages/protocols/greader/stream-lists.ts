// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import { listLabels } from "@reading-list/core/domain/tags.ts";
import { inTurns } from "@reading-list/core/domain/turns.ts";
import { countTags } from "@reading-list/core/use-cases/lists/count-tags.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { writeJsonList } from "../json-list.ts";
import type { GreaderPorts } from "../ports.ts";
import { answerList } from "./answers.ts";
import { labelPrefix, output, statePrefix } from "./fields.ts";
import { feedForSite } from "./item.ts";

/** The unread items of a stream, and the newest `timeAdded` of them. */
interface Unread {
  count: number;
  newestAt: number;
}

/** The streams of a list in alphabetical order, with their unread items. */
const countUnread: UseCase<unknown, { streams: Map<string, Unread>; sites: string[] }, GreaderPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists }) =>
    async ({ user }) => {
      const { items } = await wholeLists.read(user);
      const streams = new Map<string, Unread>([[`${statePrefix}reading-list`, { count: 0, newestAt: 0 }]]);
      const sites = new Set<string>();
      for await (const part of inTurns(items.values())) {
        for (const item of part) {
          const site = toSite(item);
          sites.add(site);
          if (item.state !== "0") continue;
          const labels = listLabels(item).map((label) => labelPrefix + label);
          for (const id of [`${statePrefix}reading-list`, feedForSite(site).streamId, ...labels]) {
            const { count, newestAt } = streams.get(id) ?? { count: 0, newestAt: 0 };
            streams.set(id, { count: count + 1, newestAt: Math.max(newestAt, item.timeAdded) });
          }
        }
      }
      return { streams, sites: [...sites].sort() };
    },
};

const input = z.object({ output });

const subscriptions = defineRoute({
  route: "GET /reader/api/0/subscription/list",
  caller: "user",
  input,
  useCase: countUnread,
  present: ({ sites }) =>
    answerList(
      "subscriptions",
      writeJsonList(sites, (site) => {
        const { streamId: id, title, htmlUrl } = feedForSite(site);
        return { id, title, categories: [], url: htmlUrl, htmlUrl, iconUrl: "" };
      }),
    ),
});

const tags = defineRoute({
  route: "GET /reader/api/0/tag/list",
  caller: "user",
  input,
  useCase: countTags,
  present: (counts) =>
    answerList(
      "tags",
      writeJsonList([`${statePrefix}starred`, ...[...counts.keys()].map((label) => labelPrefix + label)], (id) => ({
        id,
        ...(id.startsWith(labelPrefix) && { type: "tag" }),
      })),
    ),
});

/** Apps do not show larger numbers. */
const most = 1_000_000;

const unreadCount = defineRoute({
  route: "GET /reader/api/0/unread-count",
  caller: "user",
  input,
  useCase: countUnread,
  present: ({ streams }) =>
    answerList(
      "unreadcounts",
      writeJsonList(streams, ([id, { count, newestAt }]) => ({
        id,
        count,
        newestItemTimestampUsec: String(newestAt * 1e6),
      })),
      { max: most },
    ),
});

/** The routes that list streams. */
export const streamListRoutes = [subscriptions, tags, unreadCount];
