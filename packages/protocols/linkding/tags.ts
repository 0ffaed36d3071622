// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { changeLabels } from "@reading-list/core/use-cases/lists/change-label.ts";
import { countTags, findTag } from "@reading-list/core/use-cases/lists/count-tags.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { label } from "../fields.ts";
import type { LinkdingPorts } from "../ports.ts";
import { toTagId, writeTime } from "../shown-page.ts";
import { answerJson, answerNothing, answerPage, type PageRange } from "./answers.ts";
import * as fields from "./fields.ts";

/** Names of tags. All have the account's time of creation, because a list does not store times of tags. */
interface Tags<Names> {
  names: Names;
  createdAt: number;
}

const writeTag = (name: string, createdAt: number) => ({ id: toTagId(name), name, date_added: writeTime(createdAt) });

const listTags: UseCase<PageRange, Tags<string[]> & { total: number }, LinkdingPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, { offset, limit }) =>
    async (caller) => {
      const names = [...(await countTags.begin(deps, {})(caller)).keys()];
      return { names: names.slice(offset, offset + limit), total: names.length, createdAt: caller.user.createdAt };
    },
};

const list = defineRoute({
  route: "GET /api/tags",
  caller: "user",
  input: z.object({ limit: fields.limit, offset: fields.offset }),
  useCase: listTags,
  present: ({ names, total, createdAt }, range, request) =>
    answerPage(names, (name) => writeTag(name, createdAt), { path: "/api/tags/", total, ...range }, request),
});

/** A use case on the tag of an id. Throws `notFound`. */
const onTag = <Result>(
  work: (deps: LinkdingPorts, caller: Caller, name: string) => Promise<Result>,
): UseCase<{ id: number }, Result, LinkdingPorts> => ({
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, { id }) =>
    async (caller) => {
      const name = await findTag(deps, caller, (each) => toTagId(each) === id);
      if (name === undefined) throw new ServiceError("notFound", "no bookmark has this tag");
      return work(deps, caller, name);
    },
});

const read = defineRoute({
  route: "GET /api/tags/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onTag(async (_, { user }, name) => writeTag(name, user.createdAt)),
  present: (tag) => answerJson(tag),
});

/** A tag is there once a bookmark has it: an app that makes one sends it with the next bookmark. */
const create = defineRoute({
  route: "POST /api/tags",
  caller: "user",
  adds: false,
  input: z.object({ name: label.refine((name) => name !== "", "must not be empty") }),
  useCase: {
    begin:
      (_: LinkdingPorts, { name }: { name: string }) =>
      async ({ user }: Caller) =>
        writeTag(name, user.createdAt),
  },
  present: (tag) => answerJson(tag, 201),
});

const remove = defineRoute({
  route: "DELETE /api/tags/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onTag((deps, caller, name) => changeLabels(deps, caller, { labels: [name] })),
  present: answerNothing,
});

/** The routes of tags. */
export const tagRoutes = [list, create, read, remove];
