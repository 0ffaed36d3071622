import { STATUS_CODES } from "node:http";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { limitHeaders } from "@reading-list/core/contract/headers.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { expect } from "vitest";
import { plantedValue, secret } from "./values.ts";
import { maxAnswerTime, type WireAnswer } from "./wire.ts";

const limitNames = [limitHeaders.user, limitHeaders.key].flatMap((names) => Object.values(names));

/** The rules of docs/api.md 3 and 7 for every answer of an endpoint while the service works. */
export function expectContract(contract: EndpointContract, answer: WireAnswer): void {
  const { status, headers, body, raw, milliseconds } = answer;
  expect([200, 400, 401, 403]).toContain(status);
  expectHeaders(answer);
  expect(milliseconds).toBeLessThan(maxAnswerTime);
  expect(raw.toLowerCase()).not.toContain(secret);

  const type = headers.get("content-type");
  if (status === 200 && contract.answer.kind === "fields") {
    expect(type).toMatch(/^application\/(json|xml); charset=utf-8$/);
    if (type?.includes("xml")) {
      expect(parseXml(body).name).toBe("response");
    } else {
      contract.answer.fields.strict().parse(JSON.parse(body));
      expect(body).not.toMatch(/[^\x20-\x7f]/);
    }
  } else if (status === 200 && contract.answer.kind === "html") {
    expect(type).toMatch(
      contract.answer.book ? /^(text\/html; charset=utf-8|application\/epub\+zip)$/ : /^text\/html; charset=utf-8$/,
    );
  } else {
    expect(type).toBe("text/plain; charset=utf-8");
    expect(body).toBe([headers.get("status"), headers.get("x-error")].filter(Boolean).join("\n"));
  }

  const error = headers.get("x-error") ?? "";
  expect(error).not.toContain(plantedValue);
  if (status === 400) expect(error.startsWith(`${contract.name}: `)).toBe(true);
  if (status === 401 || status === 403) expect(error).toMatch(/\b(apikey|username)\b/);
  if (status === 403) expect(headers.get("retry-after")).toMatch(/^\d+$/);
}

/** The headers of every answer, also for an unknown path. */
export function expectHeaders({ status, headers, raw }: WireAnswer): void {
  const line = `${status} ${STATUS_CODES[status]}`;
  expect(raw).toMatch(`HTTP/1.1 ${line}\r\n`);
  expect(headers.get("status")).toBe(line);
  for (const name of limitNames)
    expect([name, headers.get(name.toLowerCase())]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  if (status === 200) expect(headers.has("x-error")).toBe(false);
  else expect(headers.get("x-error")).toMatch(/^[\x20-\x7e]+$/);
  expect(headers.has("x-injected")).toBe(false);
}
