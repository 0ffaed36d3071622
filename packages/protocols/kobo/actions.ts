// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Change } from "@reading-list/core/domain/changes.ts";
import { planFieldChanges } from "@reading-list/core/domain/changes-of-fields.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { forEach } from "@reading-list/core/use-cases/for-each.ts";
import { applyChanges } from "@reading-list/core/use-cases/lists/apply-changes.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { savePage } from "@reading-list/core/use-cases/lists/save-page.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import * as fields from "./fields.ts";

/** Actions of a call that change items, and that add pages; further ones are false, and the device sends them again. */
const maxChanges = 500;
const maxAdditions = 10;
/** Numbers of items that are looked up at once. */
const lookupsAtOnce = 16;

const changesByAction = {
  archive: (item) => planFieldChanges(item, { isRead: true }),
  readd: (item) => planFieldChanges(item, { isRead: false }),
  favorite: (item) => planFieldChanges(item, { isStarred: true }),
  unfavorite: (item) => planFieldChanges(item, { isStarred: false }),
  delete: ({ itemId }) => [{ kind: "delete", itemId }],
  // The device reports that an article was opened or closed, which is not a change.
  opened_item: () => [],
  left_item: () => [],
} satisfies Record<string, (item: Item) => Change[]>;

const names = Object.keys(changesByAction) as (keyof typeof changesByAction)[];

const action = z.union([
  z.object({
    action: z.enum(names),
    item_id: z.union([z.int(), z.string(10).regex(/^\d{1,10}$/)]).transform(Number),
  }),
  z.object({ action: z.literal("add"), url: fields.url }),
]);
type Action = z.output<typeof action>;

/**
 * Applies actions in order, and returns for each whether it succeeded. An action on a deleted item succeeds without
 * effect.
 */
async function applyActions(
  deps: ApiPorts,
  caller: Caller,
  actions: readonly (Action | undefined)[],
): Promise<boolean[]> {
  const onItems = actions.filter((each) => each !== undefined && "item_id" in each).slice(0, maxChanges);
  const additions = actions.filter((each) => each !== undefined && "url" in each).slice(0, maxAdditions);
  const items = new Map<number, Item | undefined>();
  const numbers = [...new Set(onItems.map(({ item_id: number }) => number))];
  await forEach(numbers, lookupsAtOnce, async (number) => {
    items.set(number, await deps.items.findByNumber(caller.user.username, number));
  });
  const changes = onItems.flatMap(({ action, item_id: number }) => {
    const item = items.get(number);
    return item && !item.isDeleted ? changesByAction[action](item) : [];
  });
  if (changes.length > 0) await applyChanges(deps, caller, changes);
  await Promise.all(
    additions.map(async ({ url: sent }) => {
      const url = await cleanUrl(deps, caller.user, sent);
      return savePage(deps, caller, { url, title: undefined, html: undefined, changes: [] });
    }),
  );
  const done = new Set<Action | undefined>([...onItems, ...additions]);
  return actions.map((each) => each !== undefined && done.has(each));
}

const send: UseCase<{ actions: (Action | undefined)[] }, boolean[], ApiPorts> = {
  begin:
    (deps, { actions }) =>
    (caller) =>
      applyActions(deps, caller, actions),
};

const sendRoute = defineRoute({
  route: "POST /api/kobo/send",
  caller: "user",
  adds: ({ actions }) => actions.some((each) => each !== undefined && each.action !== "delete"),
  input: z
    .object({ actions: fields.array })
    .transform(({ actions }) => ({ actions: actions.map((each) => action.safeParse(each).data) })),
  useCase: send,
  present: (results) => answerJson({ status: results.every(Boolean), action_results: results }),
});

export const actionRoutes = [sendRoute];
