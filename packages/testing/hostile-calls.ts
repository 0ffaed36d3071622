// SPDX-License-Identifier: MIT

import type { Bound } from "@reading-list/core/contract/bounded.ts";
import type { BoundedRoute } from "@reading-list/protocols/all-routes.ts";

/** Texts that are slow to read for a parser or a pattern with a fault, by the part that they repeat. */
export const shapes: Readonly<Record<string, string>> = {
  tabs: "\t",
  blanks: " ",
  commas: ",",
  plus: "+",
  percent: "%",
  ampersands: "&",
  "one letter": "a",
  "ab repeated": "ab",
  words: "a ",
  brackets: "[",
  "closed brackets": "[]",
  quotes: '"',
  "combining marks": "\u0301",
  surrogates: "\u{1f600}",
  digits: "1",
  slashes: "/",
  markup: "<a ",
};

/** One field of a route that takes texts: the field of a body, an entry of its JSON, or the argument of a tool. */
export interface HostileField {
  route: BoundedRoute;
  /** The name, with the name of the entry's field or of the tool. */
  name: string;
  /** The parameter of the request. */
  parameter: string;
  bound: Bound;
  /** It is the field of each entry of the JSON in `parameter`; empty if an entry is a text. */
  entryField?: string;
  tool?: string;
}

const takesText = (bound: Bound): boolean =>
  bound.kind === "text" ||
  bound.kind === "bytes" ||
  (bound.kind === "list" && takesText(bound.entry)) ||
  (bound.kind === "either" && bound.options.some(takesText)) ||
  (bound.kind === "fields" && Object.values(bound.fields).some(takesText));

/** The fields of a route that take texts. */
export function listHostileFields(route: BoundedRoute): HostileField[] {
  const found: HostileField[] = [];
  const ofTool = Object.keys(route.tools).length > 0;
  for (const [parameter, bound] of ofTool ? [] : Object.entries(route.fields)) {
    if (takesText(bound)) found.push({ route, name: parameter, parameter, bound });
  }
  for (const [parameter, entry] of Object.entries(route.entries)) {
    const fields = entry.kind === "fields" ? Object.entries(entry.fields) : [["", entry] as const];
    for (const [entryField, bound] of fields) {
      if (takesText(bound)) found.push({ route, name: `${parameter}.${entryField}`, parameter, bound, entryField });
    }
  }
  for (const [tool, fields] of Object.entries(route.tools)) {
    for (const [parameter, bound] of Object.entries(fields)) {
      if (takesText(bound)) found.push({ route, name: `${tool}.${parameter}`, parameter, bound, tool });
    }
  }
  return found;
}

/** Methods whose fields are in the URL. */
const inUrl = new Set(["GET", "HEAD", "DELETE"]);
/** Bytes of the values in a URL: Node takes 16 KB of headers. */
const bytesOfUrl = 12_000;
const longestName = "&hashed_urls%5B%5D=".length;
/** Bytes of a text in a form at most: percent-encoded, or as JSON escapes it. */
const bytesOf = (text: string, isForm: boolean) =>
  isForm ? String(new URLSearchParams({ a: text })).length - "a=".length : JSON.stringify(text).length;

/** The bytes that the value of a field may take in a request. */
const bytesOfField = ({ route }: HostileField): number => (inUrl.has(route.method) ? bytesOfUrl : route.maxBody - 2000);

/** The other fields of a call with a hostile field: values that the route accepts, by the names of fields. */
type Samples = Readonly<Record<string, unknown>>;

/** The largest value of a shape that a field takes: a text, or a list of texts. `prefix` begins a URL where one is due. */
function fill(bound: Bound, part: string, bytes: number, isForm: boolean, samples: Samples): unknown {
  if (bound.kind === "text" || bound.kind === "bytes") {
    const characters = bound.kind === "text" ? (bound.characters ?? bound.max) : bound.max;
    const most = bound.kind === "text" ? Math.min(characters, Math.floor(bound.max / part.length)) : characters;
    const times = Math.min(
      Math.floor(most / (bound.kind === "text" && bound.characters ? [...part].length : 1)),
      bytes / bytesOf(part, isForm),
    );
    return part.repeat(Math.max(1, Math.floor(times)));
  }
  if (bound.kind === "list") {
    // As many short entries as there may be, all different; a long one is what `either` and other lists of one have.
    const entry = fill(bound.entry, part, 4, isForm, samples);
    // In a form each has its name.
    const one = bytesOf(`${JSON.stringify(entry)}000000`, isForm) + (isForm ? longestName : 0);
    const count = Math.max(1, Math.min(bound.max, Math.floor(bytes / one)));
    return Array.from({ length: count }, (_, i) => (typeof entry === "string" ? `${entry}${i}` : entry));
  }
  if (bound.kind === "either") return fill(bound.options.findLast(takesText) ?? bound, part, bytes, isForm, samples);
  if (bound.kind === "fields") {
    const texts = Object.entries(bound.fields).filter(([, field]) => takesText(field));
    return Object.fromEntries(
      Object.entries(bound.fields).map(([name, field]) => [
        name,
        takesText(field)
          ? fill(field, part, bytes / texts.length - name.length - 4, isForm, samples)
          : (samples[name] ?? sampleOf(field)),
      ]),
    );
  }
  return sampleOf(bound);
}

/** A value of a field that takes no text. */
function sampleOf(bound: Bound): unknown {
  if (bound.kind === "fixed") return bound.values[0];
  if (bound.kind === "either") return sampleOf(bound.options[0] ?? { kind: "number" });
  if (bound.kind === "fields")
    return Object.fromEntries(Object.entries(bound.fields).map(([n, b]) => [n, sampleOf(b)]));
  if (bound.kind === "list") return [];
  return bound.kind === "number" ? 1 : "a";
}

/** A request with one hostile value. */
export interface HostileCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Entries of the JSON of a parameter at most. */
const maxEntries = 10_000;

/** The URL of the nth page of the list that the calls work on. */
export const urlOfPage = (n: number) => `http://s${n % 500}.example.com/some/path/of/${n}`;

/**
 * The call that has the largest value of a shape in a field. `samples` are valid values of other fields, of those that the
 * route requires.
 */
export function createHostileCall(field: HostileField, part: string, samples: Samples, asUrl: boolean): HostileCall {
  const { route, parameter, bound, entryField, tool } = field;
  const isForm = route.api === "v2" || inUrl.has(route.method);
  const bytes = bytesOfField(field);
  const prefix = asUrl ? "http://example.com/?" : "";
  const hostile = (room: number) => {
    const value = fill(bound, part, room - prefix.length, isForm, samples);
    return typeof value === "string" ? prefix + cutTo(bound, value, prefix.length) : value;
  };
  const values: Record<string, unknown> = { ...samples };
  if (entryField === undefined) values[parameter] = hostile(bytes);
  else values[parameter] = fillEntries(field, hostile, bytes, samples);
  return createCall(route, values, tool);
}

/** The request with these values in a route, or in a tool of MCP. */
export function createCall(route: BoundedRoute, given: Samples, tool?: string): HostileCall {
  const values = { ...given };
  const isForm = route.api === "v2" || inUrl.has(route.method);
  let path = route.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(values[name] ?? "a").toWellFormed());
    delete values[name];
    return value;
  });
  const headers: Record<string, string> = {};
  if (tool !== undefined) {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: values } };
    return { method: "POST", path, headers: { "content-type": "application/json" }, body: JSON.stringify(message) };
  }
  if (isForm) {
    const pairs = Object.entries(values).flatMap(([name, value]) =>
      (Array.isArray(value) && route.api !== "v2" ? value : [value]).map((each): [string, string] => [
        name,
        asText(each),
      ]),
    );
    const form = new URLSearchParams(pairs).toString();
    if (route.method !== "POST") path += `?${form}`;
    else headers["content-type"] = "application/x-www-form-urlencoded";
    return { method: route.method, path, headers, body: route.method === "POST" ? form : undefined };
  }
  headers["content-type"] = "application/json";
  const method = route.method === "ANY" ? "POST" : route.method;
  return { method, path, headers, body: JSON.stringify(values) };
}

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const cutTo = (bound: Bound, value: string, used: number) =>
  bound.kind === "text"
    ? value.slice(0, Math.max(0, Math.min(bound.max, bound.characters ?? bound.max) - used))
    : value;

/** Entries with a hostile value each, as many as fit. */
function fillEntries(
  { route, parameter, entryField = "", bound }: HostileField,
  hostile: (room: number) => unknown,
  bytes: number,
  samples: Samples,
): string {
  const entry = route.entries[parameter];
  const field = entry?.kind === "fields" ? entry.fields : {};
  const json = route.fields[parameter];
  const most = Math.min(bytes / 3, json?.kind === "text" ? json.max : bytes);
  const entries: unknown[] = [];
  let used = 0;
  for (let i = 0; i < maxEntries; i++) {
    const value = hostile(most);
    const of = (name: string) =>
      name === "url" ? urlOfPage(i) : name === "id" ? `hostile-${i}` : name === "quote" ? "a quotation" : samples[name];
    const given = Object.fromEntries(
      Object.keys(field)
        .filter((name) => ["url", "id", "quote", "title", "tags", "progress"].includes(name))
        .map((name) => [name, of(name) ?? 1]),
    );
    const next = entryField === "" ? value : { ...given, [entryField]: value };
    const length = bytesOf(`${JSON.stringify(next)},`, true) / 3;
    if (used + length > most && i > 0) break;
    used += length;
    entries.push(next);
    if (bound.kind === "bytes") break;
  }
  return JSON.stringify(entries);
}
