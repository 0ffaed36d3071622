// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { changeLabel } from "@reading-list/core/use-cases/lists/change-label.ts";
import { countTags } from "@reading-list/core/use-cases/lists/count-tags.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRoute, defineRoute } from "@reading-list/http/api.ts";
import { writeJsonList } from "../json-list.ts";
import { answerJson, answerJsonList } from "./answers.ts";
import * as fields from "./fields.ts";

const writeLabel = (name: string, count: number, address: string) => ({
  name,
  count,
  href: `${address}/api/bookmarks/labels/${encodeURIComponent(name)}`,
  href_bookmarks: `${address}/api/bookmarks?labels=${encodeURIComponent(`"${name}"`)}`,
});

const labels = defineRoute({
  route: "GET /api/bookmarks/labels",
  caller: "user",
  input: z.object({ name: fields.text(maxLengths.tags) }),
  useCase: countTags,
  present: (counts, { name: wanted }, { address }) => {
    const shown = [...counts].filter(([name]) => wanted === undefined || name === wanted);
    return answerJsonList(writeJsonList(shown, ([name, count]) => writeLabel(name, count, address)));
  },
});

const noLabel = () => new ServiceError("notFound", "no bookmark has this label");

const read = defineRoute({
  route: "GET /api/bookmarks/labels/{label}",
  caller: "user",
  input: z.object({ label: z.string(maxLengths.tags) }),
  useCase: countTags,
  present: (counts, { label }, { address }) => {
    const count = counts.get(label);
    if (count === undefined) throw noLabel();
    return answerJson(writeLabel(label, count, address));
  },
});

/** Clients name a label in the path, or as `name` of the query string: a new name is in the body. */
const named = z.object({
  label: z.string(maxLengths.tags).optional(),
  query: z.object({ name: fields.text(maxLengths.tags) }),
});
const labelIn = ({ label, query }: z.output<typeof named>) => [label ?? query.name ?? ""];

const renameInput = named
  .extend({ name: fields.label })
  .transform((input) => ({ labels: labelIn(input), to: input.name }));
const renameRoute = defineRoute({
  route: "PATCH /api/bookmarks/labels",
  caller: "user",
  input: renameInput,
  useCase: changeLabel,
  present: (changed, { to }, { address }) => {
    if (changed.length === 0) throw noLabel();
    return answerJson(writeLabel(to, 0, address));
  },
});

const removeRoute = defineRoute({
  route: "DELETE /api/bookmarks/labels",
  caller: "user",
  input: named.transform((input) => ({ labels: labelIn(input) })),
  useCase: changeLabel,
  present: (changed) => {
    if (changed.length === 0) throw noLabel();
    return { status: 204, headers: {}, body: "" };
  },
});

/** The same with the label in the path. */
const inPath = <Route extends Pick<ApiRoute, "route">>(route: Route): Route[] => [
  route,
  { ...route, route: `${route.route}/{label}` as ApiRoute["route"] },
];

/** The list has no collections. */
const collections = defineRoute({
  route: "GET /api/bookmarks/collections",
  caller: "user",
  input: z.object({}),
  useCase: noOperation,
  present: () => answerJson([]),
});

/** The routes of labels, and of related features that clients expect. */
export const labelRoutes = [labels, read, collections, ...[renameRoute, removeRoute].flatMap(inPath)];
