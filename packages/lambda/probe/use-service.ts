// SPDX-License-Identifier: MIT

import type { ProbeAccount } from "@reading-list/core/domain/probe-account.ts";
import { probePaths, probeSentence } from "@reading-list/http/probe-page.ts";

/** The two hosts of a stage, as clients reach them. */
export interface Hosts {
  main: string;
  text: string;
}

const steps = ["auth", "since", "add", "sync", "search", "article", "picture"] as const;

/** A step of the synthetic user that the service failed. `code` is in the log, such as `PROBE_SEARCH`. */
export class ProbeError extends Error {
  readonly code: string;
  /** The status of the answer; undefined if there was none, or it had the wrong content. */
  readonly status: number | undefined;

  constructor(step: (typeof steps)[number], status?: number, cause?: unknown) {
    super(`the step ${step} failed`, { cause });
    this.name = "ProbeError";
    this.code = `PROBE_${step.toUpperCase()}`;
    this.status = status;
  }
}

/** Addresses among which the synthetic user takes turns: the list never grows, and nothing is deleted. */
const pageCount = 6;
/** Milliseconds between two runs (stacks/probe.ts). */
const betweenRunsMs = 300_000;
/** Milliseconds for an answer: API Gateway's are 30 s. */
const patienceMs = 31_000;

/**
 * Signs in, saves a page of the stage itself, syncs, finds the page by a word that only this run has given it, and reads
 * it with its picture, as an app does. Throws ProbeError.
 */
export async function useService(hosts: Hosts, account: ProbeAccount, now: number): Promise<void> {
  const { apiKey: apikey, username, password } = account;
  const request = async (step: (typeof steps)[number], url: string, body?: URLSearchParams): Promise<Response> => {
    const init = { ...(body && { method: "POST", body }), signal: AbortSignal.timeout(patienceMs) };
    const response = await fetch(url, init).catch((error) => {
      throw new ProbeError(step, undefined, error);
    });
    if (!response.ok) throw new ProbeError(step, response.status);
    return response;
  };
  const call = (step: (typeof steps)[number], endpoint: string, fields: Record<string, string> = {}) => {
    const host = endpoint === "article" ? hosts.text : hosts.main;
    const body = new URLSearchParams({ apikey, username, password, ...fields });
    return request(step, `${host.replace(/\/$/, "")}/v2/${endpoint}`, body);
  };
  const run = Math.floor(now / betweenRunsMs);
  const url = `${hosts.text.replace(/\/$/, "")}${probePaths.page}?${run % pageCount}`;
  const title = `probe${run}`;
  await call("auth", "auth");
  const { since } = (await (await call("since", "get", { count: "1" })).json()) as { since: string };
  await call("add", "add", { url, title });
  const { list = {} } = (await (await call("sync", "get", { since })).json()) as { list?: Record<string, Listed> };
  if (!Object.values(list).some((item) => item.url === url && item.title === title)) throw new ProbeError("sync");
  const found = (await (await call("search", "search", { query: title })).json()) as { list: Listed[] };
  if (!found.list.some((item) => item.url === url)) throw new ProbeError("search");
  // Without `refresh` it would be the saved copy.
  const html = await (await call("article", "article", { url, refresh: "1", images: "kept" })).text();
  // bounded: the text of our own page
  const [, source] = /<img [^>]*src="([^"]+)"/.exec(html) ?? [];
  if (!html.includes(probeSentence) || source === undefined) throw new ProbeError("article");
  const picture = await request("picture", source.replaceAll("&amp;", "&"));
  if (!picture.headers.get("content-type")?.startsWith("image/")) throw new ProbeError("picture");
  await picture.arrayBuffer();
}

interface Listed {
  url: string;
  title?: string;
}
