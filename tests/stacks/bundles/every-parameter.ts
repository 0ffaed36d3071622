// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { examplePage } from "@reading-list/core/contract/text.ts";
import * as z from "zod";

type Shapes = (typeof endpoints)[number]["input"]["shape"];
type Names<Shape> = Shape extends unknown ? keyof Shape : never;

/** The state of a user's list in which calls are made. */
export interface ListState {
  username: string;
  password: string;
  /** A page of the list, or one that the list lacks. */
  url: string;
  /** A `since` in the middle of the list, and its newest. */
  sinces: readonly string[];
  /** The number of items of a page such that page 3 begins in the second half of the list. */
  count: number;
}

/** Parameters that the credentials of a call decide. */
type Credential = "apikey" | "username" | "password";

/** Values of the parameters that have no list of values in their schema. */
const samples: Partial<Record<Exclude<Names<Shapes>, Credential>, (state: ListState) => readonly string[]>> = {
  tags: () => ["1", "news,harbour"],
  purge: ({ url }) => ["all", JSON.stringify([url])],
  since: ({ sinces }) => sinces,
  count: ({ count }) => [String(count)],
  page: () => ["2", "3"],
  url: ({ url }) => [url],
  urls: ({ url }) => [JSON.stringify([url])],
  html: () => [examplePage],
  title: () => ["Café ☕"],
  ref_id: () => ["42"],
  time_added: () => ["1600000000"],
  restore: () => [JSON.stringify([{ url: "https://example.com/4" }])],
  new: ({ url }) => [JSON.stringify([{ url }, { url: `${url}/new`, title: "New", time_added: 1_600_000_000 }])],
  read: ({ url }) => [JSON.stringify([{ url }])],
  update_title: ({ url }) => [JSON.stringify([{ url, title: "Another title" }])],
  update_tags: ({ url }) => [JSON.stringify([{ url, tags: "later" }])],
  add_tags: ({ url }) => [JSON.stringify([{ url, tags: "sea" }])],
  remove_tags: ({ url }) => [JSON.stringify([{ url, tags: "later" }])],
  update_progress: ({ url }) => [JSON.stringify([{ url, progress: 40, anchor: "harbour" }])],
  delete: ({ url }) => [JSON.stringify([{ url: `${url}/new` }]), '["mark-1"]'],
  save: ({ url }) => [JSON.stringify([{ id: "mark-1", url, quote: "harbour", note: "A note" }])],
  create: ({ url }) => ["Phone", '{"tag":"sea"}', JSON.stringify({ url })],
  move: () => ["0123456789ab"],
  tag: () => ["sea"],
  query: ({ url }) => ["harbour -quay", `is:unread site:${new URL(url).hostname}`],
  search: () => ["harbour"],
  sort: () => ["best", "newest"],
  expires: () => ["4000000000"],
  auto: () => ["1", "0"],
  retry: () => ["1"],
  revoke: () => ["1", "abc", "0123456789ab"],
  new_password: ({ password }) => [password],
  confirm: ({ username }) => [username],
  reopen: () => ["all"],
  invitation: () => ["a-secret-of-nobody"],
};

/** The values of a parameter with which calls are made; undefined stands for none. */
function valuesOf(name: string, field: z.ZodType, state: ListState): (string | undefined)[] {
  const { enum: allowed } = z.toJSONSchema(field, { io: "input", unrepresentable: "any" });
  const listed = (allowed as string[] | undefined)?.filter((value) => value !== "");
  const values = listed ?? samples[name as keyof typeof samples]?.(state) ?? [];
  if (values.length === 0) throw new Error(`${name} has no sample`);
  const absent = field.safeParse(undefined);
  const isOptional = absent.success && (!listed || absent.data === undefined);
  return isOptional ? [undefined, ...values] : [...values];
}

const isCredential = (name: string): name is Credential => ["apikey", "username", "password"].includes(name);

/** They affect the form of an answer, not the data read. */
const ofPresentation = ["format", "tags", "progress"];
/** Up to so many calls of an endpoint have them in every combination; in more calls their values take turns. */
const callsInFull = 40;

/**
 * Every combination of the values of some parameters of an endpoint that its schema accepts, with every value of the
 * parameters of presentation. The choice of a page of changes of one state takes four at once.
 */
export async function callsOf({ input }: EndpointContract, state: ListState, apikey: string, atOnce = 4) {
  const { username, password } = state;
  const credentials: Record<Credential, string> = { apikey, username, password };
  const fields = Object.entries(input.shape as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    values: isCredential(name) ? [credentials[name]] : valuesOf(name, field, state),
  }));
  const isShown = ({ name }: { name: string }) => ofPresentation.includes(name);
  const read = combine(
    fields.filter((field) => !isShown(field)),
    atOnce,
  );
  const shown = combine(fields.filter(isShown), atOnce);
  const all =
    read.length * shown.length <= callsInFull
      ? read.flatMap((call) => shown.map((look) => ({ ...call, ...look })))
      : read.map((call, place) => ({ ...call, ...shown[place % shown.length] }));
  const accepted = await Promise.all(all.map(async (call) => (await input.safeParseAsync(call)).success));
  return all.filter((_, place) => accepted[place]);
}

/** Every combination of values, undefined for none, in which at most `atOnce` are not the first of theirs. */
function combine(fields: { name: string; values: (string | undefined)[] }[], atOnce: number): Record<string, string>[] {
  let calls: { parameters: Record<string, string>; chosen: number }[] = [{ parameters: {}, chosen: 0 }];
  for (const { name, values } of fields) {
    calls = calls
      .flatMap(({ parameters, chosen }) =>
        values.map((value, place) => ({
          parameters: value === undefined ? parameters : { ...parameters, [name]: value },
          chosen: chosen + Math.sign(place),
        })),
      )
      .filter(({ chosen }) => chosen <= atOnce);
  }
  return calls.map(({ parameters }) => parameters);
}
