// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { maxLengths, parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { inTurns } from "@reading-list/core/domain/turns.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import { changeLabel, changeLabels, type LabelPorts } from "@reading-list/core/use-cases/lists/change-label.ts";
import { countTags, findTag } from "@reading-list/core/use-cases/lists/count-tags.ts";
import { numberItems } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { writeJsonList } from "../json-list.ts";
import { answerJson, answerJsonParts } from "./answers.ts";
import { hashUrl, writeTag } from "./entry.ts";
import * as fields from "./fields.ts";

const tags = defineRoute({
  route: "GET /api/tags",
  caller: "user",
  input: z.object({}),
  useCase: countTags,
  present: (counts) =>
    answerJsonParts(writeJsonList(counts, ([label, count]) => ({ ...writeTag(label), nbEntries: count }))),
});

/** Tags that are taken from all entries. */
const removal = (route: "DELETE /api/tag/label" | "DELETE /api/tags/label", input: z.ZodType<{ labels: string[] }>) =>
  defineRoute({
    route,
    caller: "user",
    input,
    useCase: changeLabel,
    present: (removed) => {
      if (removed.length === 0) throw new ServiceError("notFound", "no entry has this tag");
      const shown = removed.map((label) => ({ ...writeTag(label), nbEntries: 0 }));
      return answerJson(route === "DELETE /api/tag/label" ? shown[0] : shown);
    },
  });

const removeLabel = removal(
  "DELETE /api/tag/label",
  z.object({ tag: z.string(maxLengths.tags, "is missing") }).transform(({ tag }) => ({ labels: [tag] })),
);

const removeLabels = removal(
  "DELETE /api/tags/label",
  z.object({ tags: fields.tags }).transform(({ tags: labels = [] }) => ({ labels })),
);

/** Takes the tag of an id from all entries. Throws `notFound`. */
const removeTagOfId: UseCase<{ id: number }, string, LabelPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, { id }) =>
    async (caller) => {
      const label = await findTag(deps, caller, (each) => writeTag(each).id === id);
      if (label === undefined) throw new ServiceError("notFound", "no entry has this tag");
      await changeLabels(deps, caller, { labels: [label] });
      return label;
    },
};

const removeTag = defineRoute({
  route: "DELETE /api/tags/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: removeTagOfId,
  present: (label) => answerJson({ ...writeTag(label), nbEntries: 0 }),
});

/** Characters of a SHA-1 hash, or of the value that an app sends instead. */
const hashLength = 100;

const existsInput = z
  .object({
    url: fields.text(fields.uncutText),
    hashed_url: fields.text(hashLength),
    "urls[]": fields.texts(fields.uncutText),
    "hashed_urls[]": fields.texts(hashLength),
    urls: fields.texts(fields.uncutText),
    hashed_urls: fields.texts(hashLength),
    return_id: fields.flag,
  })
  .transform(({ url, hashed_url: hash, return_id: returnsId = false, ...input }) => {
    const urls = input["urls[]"] ?? input.urls ?? (url === undefined ? [] : [url]);
    const hashes = input["hashed_urls[]"] ?? input.hashed_urls ?? (hash === undefined ? [] : [hash]);
    return { urls, hashes, returnsId, isOne: url !== undefined || hash !== undefined };
  });

type Ports = Pick<Dependencies, "items" | "wholeLists">;

/** The numbers of the entries of these URLs and SHA-1 hashes; 0 for a page that is not in the list. */
const findEntries: UseCase<z.output<typeof existsInput>, Map<string, number>, Ports> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, { urls, hashes }) =>
    async (caller) => {
      if (urls.length + hashes.length === 0) throw new ServiceError("notFound", "url is missing");
      const found = new Map<string, Item | undefined>();
      const toId = (url: string) => (parseWebUrl(url) ? toItemId(url) : "0");
      const ids = urls.flatMap((url) => [toId(url), toId(withoutTracking(url))]);
      const stored = await deps.items.find(caller.user.username, [...new Set(ids)]);
      const live = (id: string) => (stored.get(id)?.isDeleted ? undefined : stored.get(id));
      for (const url of urls) found.set(url, live(toId(url)) ?? live(toId(withoutTracking(url))));
      if (hashes.length > 0) await findHashes(deps, caller, hashes, found);
      const listed = [...found.values()].filter((item) => item !== undefined && !item.isDeleted);
      const numbered = await numberItems(deps, caller.user, listed as Item[]);
      const numbers = new Map(numbered.map(({ itemId, number }) => [itemId, number]));
      return new Map([...found].map(([key, item]) => [key, (item && numbers.get(item.itemId)) ?? 0]));
    },
};

const hashes = new WeakMap<Item, string>();

/** The hash of an item's URL, which is computed once for each item that a process remembers of a list. */
function hashItemUrl(item: Item): string {
  const known = hashes.get(item);
  if (known) return known;
  const hash = hashUrl(item.url);
  hashes.set(item, hash);
  return hash;
}

/** No index has hashes of URLs, so the URLs of the whole list are compared. */
async function findHashes(
  { wholeLists }: Ports,
  { user }: Caller,
  hashes: readonly string[],
  found: Map<string, Item | undefined>,
): Promise<void> {
  for (const hash of hashes) found.set(hash, undefined);
  const { items } = await wholeLists.read(user);
  for await (const part of inTurns(items.values())) {
    for (const item of part) if (found.has(hashItemUrl(item))) found.set(hashItemUrl(item), item);
  }
}

const exists = defineRoute({
  route: "GET /api/entries/exists",
  caller: "user",
  input: existsInput,
  useCase: findEntries,
  present: (numbers, { returnsId, isOne }) => {
    const shown = [...numbers].map(([key, number]) => [key, returnsId ? number || null : number > 0] as const);
    return answerJson(isOne ? { exists: shown[0]?.[1] } : Object.fromEntries(shown));
  },
});

/** Routes over all entries. */
export const libraryRoutes = [tags, removeLabel, removeLabels, removeTag, exists];
