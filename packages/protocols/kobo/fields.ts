// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { type JsonBounds, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";

export { flag, url, wholeNumber } from "../fields.ts";

/** A device that was offline for long sends all its actions at once: 1,000 of them, with four values each. */
export const bounds: JsonBounds = { members: 5000, levels: 8 };

/** Bytes of an action, on average: most are of an item, and a few add a page. */
const bytesOfAction = 180;

/** A JSON array; in a form as text. */
export const array = z.preprocess(
  (value) => {
    if (typeof value !== "string") return value;
    const parsed = parseBoundedJson(value, bounds);
    return "value" in parsed ? parsed.value : value;
  },
  z.array(z.unknown(bytesOfAction), bounds.members, "must be a JSON array"),
);
