// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Condition } from "@reading-list/core/domain/condition.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { optional } from "../fields.ts";

/** Google answered XML without it; every app asks for JSON. */
export const output = optional(z.enum(["json"], "must be json"));

/** Characters of a stream: `feed/` and an address, or a label. */
const streamLength = maxLengths.url + 100;
/** Streams that a call names at most. */
const streamsOfCall = 20;

/** The prefix of states, with the id of the user or a dash. */
export const statePrefix = "user/-/state/com.google/";
export const labelPrefix = "user/-/label/";

/** A stream of items: those in a state, with a label or of a site. */
export type Stream =
  | { kind: "state"; name: string }
  | { kind: "label"; name: string }
  | { kind: "feed"; host: string; address: string };

/** Parses a stream; undefined for anything else. A path may have lost slashes of an address on its way. */
function parseStream(text: string): Stream | undefined {
  const [first, , third] = text.split("/", 3);
  if (first === "feed") {
    const address = text.slice("feed/".length);
    const rest = /^https?:\/*([^/].*)$/i.exec(address)?.[1] ?? address;
    const host = toSite({ url: `https://${rest}` });
    return host ? { kind: "feed", host, address } : undefined;
  }
  if (first !== "user") return undefined;
  const name = text.split("/").slice(3).join("/");
  if (third === "label" && name !== "") return { kind: "label", name };
  const [google, state = ""] = name.split("/", 2);
  return third === "state" && google === "com.google" && state !== "" ? { kind: "state", name: state } : undefined;
}

/** The id of a stream. */
export const writeStreamId = (stream: Stream): string =>
  stream.kind === "feed"
    ? `feed/https://${stream.host}/`
    : (stream.kind === "label" ? labelPrefix : statePrefix) + stream.name;

const none: Condition = { kind: "any", conditions: [] };
const conditionsOfStates = new Map<string, Condition>([
  ["reading-list", { kind: "all", conditions: [] }],
  ["read", { kind: "state", state: "1" }],
  ["kept-unread", { kind: "state", state: "0" }],
  ["unread", { kind: "state", state: "0" }],
  ["starred", { kind: "starred" }],
]);

/** The condition of the items of a stream; no item matches an unknown state. */
export function toCondition(stream: Stream): Condition {
  if (stream.kind === "feed") return { kind: "host", host: stream.host };
  if (stream.kind === "label") return { kind: "tag", tag: stream.name };
  return conditionsOfStates.get(stream.name) ?? none;
}

const wrongStream =
  "must be a stream, such as user/-/state/com.google/reading-list, user/-/label/NAME or feed/https://host/";

/** A stream. */
export const stream = z.string(streamLength, "is missing").transform((value, context): Stream => {
  const parsed = parseStream(value);
  if (parsed) return parsed;
  context.addIssue({ code: "custom", message: wrongStream });
  return z.NEVER;
});

const emptied = (value: unknown) => (Array.isArray(value) ? value.filter((each) => each !== "") : value);

/** Streams. */
export const streams = z.preprocess(
  emptied,
  optional(
    z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(stream, streamsOfCall, wrongStream)),
  ),
);

/** Items that a call names at most, which is the most parameters that a form may have. */
const itemsOfCall = 1000;
const longForm = /^tag:google\.com,2005:reader\/item\/([0-9a-f]{1,16})$/i;

/** The id of an item in the long form (16 hexadecimal digits) or the short one (decimal). */
const itemId = z.string(100, "is missing").transform((value, context) => {
  const [, digits] = longForm.exec(value) ?? [];
  if (digits !== undefined) return String(BigInt(`0x${digits}`));
  if (/^\d{1,16}$/.test(value)) return String(BigInt(value));
  // Some apps send only the digits of the long form.
  if (/^[0-9a-f]{16}$/i.test(value)) return String(BigInt(`0x${value}`));
  context.addIssue({
    code: "custom",
    message: "must be the id of an item, such as tag:google.com,2005:reader/item/000000000000002a",
  });
  return z.NEVER;
});

export const itemIds = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  z.array(itemId, itemsOfCall, "is missing"),
);

/** An item's id in the long form. */
export const longId = (id: string): string =>
  `tag:google.com,2005:reader/item/${BigInt(id).toString(16).padStart(16, "0")}`;

const wholeNumber = (digits: number) =>
  z.string(digits, "must be a whole number").regex(/^\d+$/, "must be a whole number").transform(Number);

/** The number of items that an app asks for; a larger one is `most`. */
export const count = (most: number, byDefault: number) =>
  optional(wholeNumber(12)).transform((wanted = byDefault) => Math.max(1, Math.min(wanted || byDefault, most)));

/** The position at which an answer continues, from the previous answer. */
export const continuation = optional(wholeNumber(9)).transform((place = 0) => place);

/** A time in Unix seconds; apps write it in seconds, in ms or in microseconds. */
export const time = wholeNumber(16).transform((value) =>
  Math.floor(value >= 1e14 ? value / 1e6 : value >= 1e11 ? value / 1e3 : value),
);
export const optionalTime = optional(time);
