// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { webUrl } from "@reading-list/core/contract/fields.ts";
import type { Change } from "@reading-list/core/domain/changes.ts";
import { planFieldChanges } from "@reading-list/core/domain/changes-of-fields.ts";
import type { Condition } from "@reading-list/core/domain/condition.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import { toItemMatcher } from "@reading-list/core/domain/list-filter.ts";
import { toConditions } from "@reading-list/core/domain/list-query.ts";
import { inTurns } from "@reading-list/core/domain/turns.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { writesAtOnce } from "@reading-list/core/ports/items.ts";
import { applyChanges } from "@reading-list/core/use-cases/lists/apply-changes.ts";
import { changeLabel } from "@reading-list/core/use-cases/lists/change-label.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { savePage } from "@reading-list/core/use-cases/lists/save-page.ts";
import { noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { label, optional, uncutText } from "../fields.ts";
import type { GreaderPorts } from "../ports.ts";
import { answerJson, answerOk } from "./answers.ts";
import type { Stream } from "./fields.ts";
import * as fields from "./fields.ts";
import { feedForSite } from "./item.ts";

/** The states that streams set if they are added to items; removing them sets the opposite. */
const states: Record<string, { isRead?: boolean; isStarred?: boolean }> = {
  read: { isRead: true },
  "kept-unread": { isRead: false },
  unread: { isRead: false },
  starred: { isStarred: true },
};

/** The values that streams, added and removed, give one state. */
function valuesAfter(field: "isRead" | "isStarred", added: readonly Stream[], removed: readonly Stream[]) {
  const findState = (stream: Stream) => (stream.kind === "state" ? states[stream.name]?.[field] : undefined);
  const values = [
    ...added.map(findState),
    ...removed.map(findState).map((value) => (value === undefined ? value : !value)),
  ];
  return new Set(values.filter((value) => value !== undefined));
}

const labelNames = (streams: readonly Stream[]) =>
  streams.flatMap((stream) => (stream.kind === "label" ? [stream.name] : []));

const editInput = z
  .object({ i: fields.itemIds, a: fields.streams, r: fields.streams })
  .transform(({ i, a: added = [], r: removed = [] }, context): { changes: Change[] } => {
    const [isRead, isStarred] = [valuesAfter("isRead", added, removed), valuesAfter("isStarred", added, removed)];
    if (isRead.size > 1 || isStarred.size > 1) {
      context.addIssue({ code: "custom", path: ["a"], message: "contradicts r" });
      return z.NEVER;
    }
    const changed = {
      isRead: [...isRead][0],
      isStarred: [...isStarred][0],
      addedLabels: labelNames(added)
        .map((name) => label.parse(name))
        .filter(Boolean),
      removedLabels: labelNames(removed),
    };
    return { changes: [...new Set(i)].flatMap((itemId) => planFieldChanges({ itemId, tags: "" }, changed)) };
  });

/** Applies changes of items; it counts a call for each transaction. */
const editItems: UseCase<{ changes: Change[] }, void, GreaderPorts> = {
  calls: ({ changes }) => Math.max(1, Math.ceil(new Set(changes.map(({ itemId }) => itemId)).size / writesAtOnce)),
  begin:
    (deps, { changes }) =>
    async (caller) => {
      if (changes.length > 0) await applyChanges(deps, caller, changes);
    },
};

const editTag = defineRoute({
  route: "POST /reader/api/0/edit-tag",
  caller: "user",
  input: editInput,
  useCase: editItems,
  present: answerOk,
});

/** A change names the pages with exactly this tag; reading a label folds it. */
const toChangedCondition = (stream: Stream): Condition =>
  stream.kind === "label" ? { kind: "exactTag", tag: stream.name } : fields.toCondition(stream);

/** Archives the unread items that meet any of some conditions and were added up to a second. */
const archiveOlder: UseCase<{ streams: readonly Stream[]; addedTo: number }, void, GreaderPorts> = {
  begin:
    (deps, { streams, addedTo }) =>
    async (caller) => {
      const { items } = await deps.wholeLists.read(caller.user);
      const meets = toItemMatcher([
        { kind: "any", conditions: streams.map(toChangedCondition) },
        ...toConditions({ state: "0", addedTo }),
      ]);
      const changes: Change[] = [];
      for await (const part of inTurns(items.values()))
        for (const item of part) if (meets(item)) changes.push({ kind: "read", itemId: item.itemId });
      if (changes.length === 0) return;
      await applyChanges(deps, caller, changes);
      const further = Math.ceil(changes.length / writesAtOnce) - 1;
      if (further > 0) await caller.countFurther(further);
    },
};

const markAllAsRead = defineRoute({
  route: "POST /reader/api/0/mark-all-as-read",
  caller: "user",
  input: z.object({ s: fields.streams, ts: optional(fields.time) }).transform(({ s: streams = [], ts }, context) => {
    if (streams.length === 0) context.addIssue({ code: "custom", path: ["s"], message: "is missing" });
    if (ts === undefined)
      context.addIssue({
        code: "custom",
        path: ["ts"],
        message: "is missing; it is the time in microseconds up to which items are marked as read",
      });
    return { streams, addedTo: ts ?? 0 };
  }),
  useCase: archiveOlder,
  present: answerOk,
});

/** The address of a page, also with `feed/` before it, or without a scheme. */
const pageUrl = z
  .string(uncutText, "is missing")
  .transform((value) => {
    const address = value.trim().replace(/^feed\//, "");
    return /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`;
  })
  .pipe(webUrl);

const saveUrl: UseCase<{ url: string | undefined }, void, GreaderPorts> = {
  begin:
    (deps, { url }) =>
    async (caller) => {
      if (url === undefined) return;
      const clean = await cleanUrl(deps, caller.user, url);
      await savePage(deps, caller, { url: clean, title: undefined, html: undefined, changes: [] });
    },
};

const quickadd = defineRoute({
  route: "POST /reader/api/0/subscription/quickadd",
  caller: "user",
  input: z.object({ quickadd: pageUrl, output: fields.output }).transform(({ quickadd }) => ({ url: quickadd })),
  useCase: saveUrl,
  present: (_, { url }) => {
    const { streamId, title } = feedForSite(toSite({ url }));
    return answerJson({ numResults: 1, query: url, streamId, streamName: title });
  },
});

/** A site is subscribed while the list has a page of it: nothing but `subscribe`, which saves the page, changes the list. */
const editSubscription = defineRoute({
  route: "POST /reader/api/0/subscription/edit",
  caller: "user",
  input: z
    .object({
      ac: optional(z.enum(["subscribe", "unsubscribe", "edit"], "must be subscribe, unsubscribe or edit")),
      s: fields.streams,
    })
    .transform(({ ac, s: [first] = [] }, context) => {
      const address = first?.kind === "feed" ? first.address : undefined;
      if (ac !== "subscribe") return { url: undefined };
      const { data: url } = pageUrl.safeParse(address);
      if (url === undefined)
        context.addIssue({ code: "custom", path: ["s"], message: "must be feed/ and the address of a page" });
      return { url };
    }),
  adds: ({ url }) => url !== undefined,
  useCase: saveUrl,
  present: answerOk,
});

/** Nothing here deletes: the tag stays. */
const disableTag = defineRoute({
  route: "POST /reader/api/0/disable-tag",
  caller: "user",
  adds: false,
  input: z.object({ s: fields.streams }),
  useCase: noOperation,
  present: answerOk,
});

const renameTag = defineRoute({
  route: "POST /reader/api/0/rename-tag",
  caller: "user",
  input: z.object({ s: fields.stream, dest: fields.stream }).transform(({ s, dest }, context) => {
    const to = dest.kind === "label" ? label.parse(dest.name) : "";
    const isLabel = s.kind === "label";
    if (isLabel && to !== "") return { labels: [s.name], to };
    const message = "must be a label, such as user/-/label/NAME";
    context.addIssue({ code: "custom", path: [isLabel ? "dest" : "s"], message });
    return z.NEVER;
  }),
  useCase: changeLabel,
  present: (changed) => {
    if (changed.length === 0) throw new ServiceError("notFound", "no item has this label");
    return answerOk();
  },
});

/** The routes that change the list. */
export const changeRoutes = [editTag, markAllAsRead, quickadd, editSubscription, disableTag, renameTag];
