// SPDX-License-Identifier: MIT

import { fewFields, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";

interface ResourceHead {
  url?: string;
  headers?: Record<string, string>;
}

/**
 * The HTML of an uploaded resource if it is the page's: its header `Location` has the URL; or, of older clients, a line
 * of JSON with URL and headers comes first.
 */
export function readHtml(
  { data, location }: { data: Buffer; location?: string | undefined },
  url: string,
): string | undefined {
  if (location !== undefined) return location === url ? data.toString() : undefined;
  const end = data.indexOf("\n");
  const parsed = parseBoundedJson(data.toString("utf8", 0, Math.max(0, end)), fewFields);
  const head = "value" in parsed ? (parsed.value as ResourceHead | null) : undefined;
  const isHtml = /^text\/html\b/.test(head?.headers?.["content-type"] ?? "text/html");
  return head?.url === url && isHtml ? data.toString("utf8", end + 1) : undefined;
}
