// SPDX-License-Identifier: MIT

import { type JsonBounds, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";
import * as z from "zod";
import { optional } from "../fields.ts";

export { flag, url } from "../fields.ts";

/** A device that was offline for long sends all its actions at once: 1,000 of them, with four values each. */
export const bounds: JsonBounds = { members: 5000, levels: 8 };

/** A whole number of up to 15 digits, also as text. */
export const wholeNumber = optional(
  z
    .union([z.int(), z.string().regex(/^\d{1,15}$/)], "must be a whole number")
    .transform(Number)
    .refine((value) => value >= 0, "must be a whole number"),
);

/** A JSON array; in a form as text. */
export const array = z.preprocess(
  (value) => {
    if (typeof value !== "string") return value;
    const parsed = parseBoundedJson(value, bounds);
    return "value" in parsed ? parsed.value : value;
  },
  z.array(z.unknown(), "must be a JSON array"),
);
