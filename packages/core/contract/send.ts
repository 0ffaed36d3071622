import * as z from "zod";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { entries, entriesAllowed } from "./fields.ts";

export const send = {
  name: "send",
  section: "4.2",
  summary: "Apply a batch of changes, up to 1,000: pages to add, then to mark read, then new titles, then new tags.",
  host: "main",
  caller: "user",
  counted: true,
  answer: { kind: "words" },
  input: z
    .object({ ...userFields, ...entries })
    .refine(
      ({ new: added, read, update_title, update_tags }) =>
        [added, read, update_title, update_tags].reduce((sum, list) => sum + (list?.length ?? 0), 0) <= entriesAllowed,
      { path: ["new, read, update_title and update_tags"], error: `hold more than ${entriesAllowed} entries` },
    ),
} as const satisfies EndpointContract;
