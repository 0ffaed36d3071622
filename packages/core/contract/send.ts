// SPDX-License-Identifier: MIT

import type { Change } from "../domain/changes.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { clean, entries, entryNames, entrySchemas, maxEntries } from "./fields.ts";

const order = entryNames.map((name) => `\`${name}\``).join(", ");

/** Tags of one request that are added or removed: they change the items of a transaction in one turn, some 20 ms. */
const maxChangedTags = 100_000;
const countTags = (changes: readonly Change[]) =>
  changes.reduce((sum, change) => sum + (change.kind === "retag" ? change.add.length + change.remove.length : 0), 0);

export const send = {
  name: "send",
  section: "4.2",
  summary: "Apply a batch of changes",
  description: `Up to ${maxEntries.toLocaleString("en")} entries in all, applied in this order: ${order}. If any entry is wrong, the answer is 400 and nothing is applied. You can safely repeat a request. \`X-Applied\` names the parameters whose entries were applied.`,
  tag: "list",
  host: "main",
  caller: "user",
  list: "change",
  changes: true,
  adds: entryNames.filter((name) => name !== "delete"),
  counted: true,
  answer: { kind: "status", namesApplied: true },
  input: z
    .object({ ...userFields, ...entries, clean })
    .refine((input) => entryNames.reduce((sum, name) => sum + (input[name]?.length ?? 0), 0) <= maxEntries, {
      path: [`${entryNames.slice(0, -1).join(", ")} and ${entryNames.at(-1)}`],
      error: `contain more than ${maxEntries} entries`,
    })
    .refine(({ add_tags = [], remove_tags = [] }) => countTags(add_tags) + countTags(remove_tags) <= maxChangedTags, {
      path: ["add_tags and remove_tags"],
      error: `contain more than ${maxChangedTags} tags; send the entries in several calls`,
    }),
  entries: entrySchemas,
  example: {
    parameters: {
      restore: [{ url: "https://example.net/" }],
      new: [{ url: "https://example.org/", title: "Another page" }],
      read: [{ url: "https://example.com/articles/1" }],
      update_title: [{ url: "https://example.com/articles/1", title: "An article" }],
      update_tags: [{ url: "https://example.org/", tags: "later" }],
      add_tags: [{ url: "https://example.com/articles/1", tags: "harbour" }],
      remove_tags: [{ url: "https://example.com/articles/1", tags: "later" }],
      update_progress: [{ url: "https://example.com/articles/1", progress: 40, anchor: "The harbour was closed" }],
      delete: [{ url: "https://example.net/" }],
    },
    mistake: { change: { read: { 0: {} } }, error: "read.0.url is missing" },
  },
} as const satisfies EndpointContract;
