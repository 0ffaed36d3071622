// SPDX-License-Identifier: MIT

import { STATUS_CODES } from "node:http";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { limitHeaders } from "@reading-list/core/contract/headers.ts";
import { errorCodes } from "@reading-list/core/errors.ts";
import { expect } from "vitest";
import { parseXml } from "./parse-xml.ts";

/** An answer of the service, received by any client. */
interface ReceivedAnswer {
  status: number;
  headers: { get(name: string): string | null | undefined; has(name: string): boolean };
  body: string;
}

const limitNames = [limitHeaders.user, limitHeaders.key].flatMap((names) => Object.values(names));

/** The rules of docs/api.md 3 and 7 for every answer of an endpoint. */
export function expectContract(contract: EndpointContract, answer: ReceivedAnswer): void {
  const { status, headers, body } = answer;
  expect([200, 400, 401, 403, 503]).toContain(status);
  expectHeaders(answer);

  const type = headers.get("content-type");
  const { answer: expected } = contract;
  if (status === 200 && expected.kind === "fields" && !(expected.orStatus && body === "200 OK")) {
    expect(type).toMatch(/^application\/(json|xml); charset=utf-8$/);
    if (type?.includes("xml")) {
      expect(parseXml(body).name).toBe("response");
    } else {
      expected.fields.strict().parse(JSON.parse(body));
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
  if (status === 400) expect(error.startsWith(`${contract.name}: `)).toBe(true);
  if (status === 401 || status === 403) expect(error).toMatch(/\b(apikey|username|invitation)\b/);
  if (status === 403 || status === 503) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

/** The headers of every answer, also for an unknown path. */
export function expectHeaders({ status, headers }: Omit<ReceivedAnswer, "body">): void {
  expect(headers.get("status")).toBe(`${status} ${STATUS_CODES[status]}`);
  for (const name of limitNames)
    expect([name, headers.get(name.toLowerCase())]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  const isFailure = status !== 200;
  expect([headers.has("x-error"), headers.has("x-error-code")]).toEqual([isFailure, isFailure]);
  if (!isFailure) return;
  expect(headers.get("x-error")).toMatch(/^[\x20-\x7e]+$/);
  expect(errorCodes).toContain(headers.get("x-error-code"));
}
