// SPDX-License-Identifier: MIT

import * as zod from "zod";

/**
 * zod for input from callers. Each text and each list needs a maximum, so that a field without one does not compile;
 * the lint forbids zod itself where fields are declared. Further checks do not run on a text that is too long.
 *
 * @example z.object({ name: z.string(60, "is missing"), tags: z.array(z.string(100), 50) })
 */

export type { core, infer, output, ZodError, ZodObject, ZodSafeParseResult, ZodType } from "zod";
export {
  boolean,
  enum,
  int,
  intersection,
  literal,
  NEVER,
  number,
  object,
  preprocess,
  strictObject,
  toJSONSchema,
  union,
} from "zod";

type Message = Parameters<typeof zod.string>[0];

/** A text of up to `max` UTF-16 units. */
export const string = (max: number, error?: Message, tooLong = `must be at most ${max} characters`) =>
  zod.string(error).max(max, { error: tooLong, abort: true });

/** A text of ASCII, which takes less of a body; other characters are refused where it is used. */
export const ascii = (...rule: Parameters<typeof string>) => string(...rule).meta({ isAscii: true });

/** A list of up to `max` entries. */
export const array = <Entry extends zod.ZodType>(
  entry: Entry,
  max: number,
  error?: Message,
  tooMany = `contains more than ${max} entries`,
) => zod.array(entry, error).max(max, tooMany);

/** Texts of up to `characters` Unicode code points together, such as the tags of an item. */
export const arrayUpTo = <Entry extends zod.ZodType>(characters: number, ...rule: Parameters<typeof array<Entry>>) =>
  array(...rule).meta({ maxLength: characters });

export const email = (max: number, error: string) => string(max, error, error).pipe(zod.email(error));

/** A value of any form, which takes up to `maxBytes` in JSON. */
export const unknown = (maxBytes: number) => zod.unknown().meta({ maxBytes });

/** Fields of any names, which take up to `maxBytes` in JSON. */
export const record = <Value extends zod.ZodType>(value: Value, maxBytes: number, error?: string) =>
  zod.record(zod.string(), value, error).meta({ maxBytes });

/** A file of up to `maxBytes`. */
export const file = (maxBytes: number) => zod.instanceof(Buffer).meta({ maxBytes });

/** Fields that the service itself adds to a request. */
export const ofRequest = <T>() => zod.custom<T>().meta({ maxBytes: 0 });

/** The form and the maximum of a field. */
export type Bound =
  /** `max`: UTF-16 units; `characters`: Unicode code points, if these are limited. */
  | { kind: "text"; max: number; characters?: number; isAscii?: true }
  /** `characters`: the maximum of all entries together, if there is one. */
  | { kind: "list"; max: number; characters?: number; entry: Bound }
  | { kind: "fields"; fields: Record<string, Bound> }
  | { kind: "either"; options: Bound[] }
  | { kind: "fixed"; values: string[] }
  | { kind: "number" }
  /** A file, or JSON of any form. */
  | { kind: "bytes"; max: number };

/** Describes the values that a schema accepts. Throws if a text or a list in it has no maximum. */
export function describeBound(schema: zod.core.$ZodType, name = "the schema"): Bound {
  const {
    maxBytes,
    maxLength: characters,
    isAscii,
  } = (zod.globalRegistry.get(schema) ?? {}) as Record<string, unknown>;
  if (typeof maxBytes === "number") return { kind: "bytes", max: maxBytes };
  const { def } = (schema as zod.core.$ZodTypes)._zod;
  const describe = (inner: zod.core.$ZodType, part = "") => describeBound(inner, part ? `${name}.${part}` : name);
  const max = findMaximum(def.checks);
  const limited = typeof characters === "number" ? { characters } : {};
  switch (def.type) {
    case "string":
      if (max === undefined) break;
      return { kind: "text", max, ...limited, ...(isAscii === true && { isAscii }) };
    case "array":
      if (max === undefined) break;
      return { kind: "list", max, ...limited, entry: describe(def.element, "entry") };
    case "object": {
      const fields = Object.entries(def.shape).map(([each, inner]) => [each, describe(inner, each)]);
      return { kind: "fields", fields: Object.fromEntries(fields) };
    }
    case "union":
      return { kind: "either", options: def.options.map((option) => describe(option)) };
    case "intersection": {
      const [left, right] = [describe(def.left), describe(def.right)];
      if (left.kind !== "fields" || right.kind !== "fields") break;
      return { kind: "fields", fields: { ...left.fields, ...right.fields } };
    }
    case "enum":
      return { kind: "fixed", values: Object.values(def.entries).map(String) };
    case "literal":
      return { kind: "fixed", values: def.values.map(String) };
    case "number":
    case "boolean":
    case "undefined":
      return { kind: "number" };
    case "optional":
    case "nullable":
    case "default":
      return describe(def.innerType);
    case "pipe":
      // For a preprocessed field, this is the output type.
      return describe(def.in._zod.def.type === "transform" ? def.out : def.in);
  }
  throw new Error(`${name} takes a value of type ${def.type} without a maximum`);
}

/** The maximum length that the checks of a text or a list allow. */
function findMaximum(checks: readonly zod.core.$ZodCheck[] = []): number | undefined {
  const rules = checks.map((check) => check._zod.def as Partial<zod.core.$ZodCheckMaxLengthDef>);
  return rules.find(({ check }) => check === "max_length")?.maximum;
}

/** Bytes of a UTF-16 unit, and of a code point, in a form, at most; in JSON they are fewer. */
const bytesOfAscii = "%20".length;
const bytesOfUnit = "%E4%B8%AD".length;
const bytesOfCharacter = "%F0%9F%98%80".length;
/** Bytes of a number, and of the separators between fields. */
const bytesOfNumber = 30;

/** Bytes of the largest value in a request. */
export function measureLargest(bound: Bound, name = ""): number {
  switch (bound.kind) {
    case "text": {
      const { max, characters = Number.POSITIVE_INFINITY, isAscii } = bound;
      return isAscii ? bytesOfAscii * max : Math.min(bytesOfUnit * max, bytesOfCharacter * characters);
    }
    case "list": {
      const { max, characters = Number.POSITIVE_INFINITY, entry } = bound;
      return max * (name.length + 2) + Math.min(max * measureLargest(entry), bytesOfCharacter * characters);
    }
    case "fields":
      return Object.entries(bound.fields).reduce(
        (sum, [each, field]) => sum + each.length + bytesOfNumber + measureLargest(field, each),
        0,
      );
    case "either":
      return Math.max(...bound.options.map((option) => measureLargest(option, name)));
    case "fixed":
      return Math.max(...bound.values.map((value) => value.length));
    case "number":
      return bytesOfNumber;
    case "bytes":
      return bound.max;
  }
}

/** Bytes of the longest body of any route: API Gateway takes no more. */
export const longestBody = 10 * 1024 * 1024;
const sizes = [64_000, 256_000, 1_000_000] as const;
/** Bytes of the body of a route that takes no long texts. */
export const shortBody = sizes[0];

/** Bytes of the body that a route takes: the next size above the largest values of its fields. Unknown parameters count. */
export const limitBody = (fields: Bound): number => {
  const largest = measureLargest(fields);
  return sizes.find((size) => size >= largest) ?? longestBody;
};
