// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { type Change, parseAddition } from "@reading-list/core/domain/changes.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { maxLengths, parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { applyChanges } from "@reading-list/core/use-cases/lists/apply-changes.ts";
import { findCleanUrls } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { numberItems } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute, type RoutePattern } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import * as fields from "./fields.ts";

/** A page that a call names, and the tags that it gives or takes. */
interface Named {
  url: string;
  tags: string[];
}

/** A named page, with the number of its entry; 0 without one. */
interface Outcome {
  url: string;
  number: number;
}

/** Applies the same changes to several pages, all or none. Pages that are not in the list are as they are. */
const changeEach = (
  changesOf: (page: Named, itemId: string) => Change[],
  { isDeletion = false, adds = false } = {},
): UseCase<Named[], Outcome[], ApiPorts> => ({
  begin: (deps, pages) => async (caller) => {
    const valid = pages.filter(({ url }) => parseWebUrl(url));
    const sent = valid.map(({ url }) => url);
    const clean = adds ? await findCleanUrls(deps, caller.user.username, sent) : new Map<string, string>();
    const toId = (url: string) => toItemId(clean.get(url) ?? url);
    const ids = sent.map(toId);
    const find = async () => {
      const items = [...(await deps.items.find(caller.user.username, ids)).values()].filter((item) => !item.isDeleted);
      return new Map((await numberItems(deps, caller.user, items)).map(({ itemId, number }) => [itemId, number]));
    };
    const before = isDeletion ? await find() : undefined;
    await applyChanges(
      deps,
      caller,
      valid.flatMap((page) => changesOf({ ...page, url: clean.get(page.url) ?? page.url }, toId(page.url))),
    );
    const numbers = before ?? (await find());
    return pages.map(({ url }) => ({ url, number: parseWebUrl(url) ? (numbers.get(toId(url)) ?? 0) : 0 }));
  },
});

const urlsInput = z
  .object({ urls: fields.list(z.string(maxLengths.url, "must be a URL")) })
  .transform(({ urls }) => urls.map((url) => ({ url, tags: [] as string[] })));
const tagsInput = z
  .object({ list: fields.list(z.object({ url: z.string(maxLengths.url, "must be a URL"), tags: fields.tags })) })
  .transform(({ list }) => list.map(({ url, tags = [] }) => ({ url, tags })));

const bulkRoute = (
  route: RoutePattern,
  input: z.ZodType<Named[]>,
  useCase: UseCase<Named[], Outcome[], ApiPorts>,
  entryOf: (number: number) => unknown = (number) => number || false,
) =>
  defineRoute({
    route,
    input,
    useCase,
    caller: "user",
    present: (outcomes) => answerJson(outcomes.map(({ url, number }) => ({ url, entry: entryOf(number) }))),
  });

/** Routes that change several entries at once. Pages that they add are read when they are listed. */
export const bulkRoutes = [
  bulkRoute(
    "POST /api/entries/lists",
    urlsInput,
    changeEach(({ url }) => [parseAddition({ url })], { adds: true }),
  ),
  bulkRoute(
    "DELETE /api/entries/list",
    urlsInput,
    changeEach((_, itemId) => [{ kind: "delete", itemId }], { isDeletion: true }),
    (number) => number > 0,
  ),
  bulkRoute(
    "POST /api/entries/tags/lists",
    tagsInput,
    changeEach(({ tags }, itemId) => [{ kind: "retag", itemId, add: tags, remove: [] }]),
  ),
  bulkRoute(
    "DELETE /api/entries/tags/list",
    tagsInput,
    changeEach(({ tags }, itemId) => [{ kind: "retag", itemId, add: [], remove: tags }]),
  ),
];
