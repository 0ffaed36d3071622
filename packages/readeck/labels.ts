import { readItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import { countTags } from "@reading-list/core/use-cases/lists/count-tags.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import * as z from "zod";
import { answerJson } from "./answers.ts";
import * as fields from "./fields.ts";

const labels = defineRoute({
  route: "GET /api/bookmarks/labels",
  caller: "user",
  input: z.object({}),
  useCase: countTags,
  present: (counts, _, { address }) =>
    answerJson(
      [...counts]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, count]) => ({
          name,
          count,
          href: `${address}/api/bookmarks/labels/${encodeURIComponent(name)}`,
          href_bookmarks: `${address}/api/bookmarks?labels=${encodeURIComponent(`"${name}"`)}`,
        })),
    ),
});

/** The list has no annotations. */
const annotations = defineRoute({
  route: "GET /api/bookmarks/{id}/annotations",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: readItem,
  present: () => answerJson([]),
});

/** The list has no collections. */
const collections = defineRoute({
  route: "GET /api/bookmarks/collections",
  caller: "user",
  input: z.object({}),
  useCase: noOperation,
  present: () => answerJson([]),
});

/** The routes of labels, and of what clients expect beside them. */
export const labelRoutes = [labels, annotations, collections];
