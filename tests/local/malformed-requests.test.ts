// SPDX-License-Identifier: MIT

import { expectHeaders } from "@reading-list/testing/answer-contract.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { exchange, utf8 } from "../http/fuzz/wire.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Writes bytes to the main host; returns its answer. */
async function answerTo(bytes: string, endAfter?: number) {
  const answer = await exchange(service.baseUrl, bytes, endAfter);
  if (!answer) throw new Error("the connection was closed without an answer");
  return answer;
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nhost: a\r\n\r\n`;
const post = (headers: string, body = "") =>
  `POST /v2/api HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n${headers}\r\n\r\n${body}`;
const unescaped =
  "the URL contains a space, a control character or a character outside ASCII; percent-encode it as UTF-8, or send the parameters in the body of a POST";
const notHttp = (reason: string) => `the request is not valid HTTP/1.1 (${reason}); correct it`;

describe("a request that is not valid HTTP is 400 with the usual headers, and X-Error says what to do:", () => {
  test.each([
    ["UTF-8 in the URL", get(utf8("/v2/add?title=café")), unescaped],
    ["Latin-1 in the URL", get("/v2/add?title=caf\xe9"), unescaped],
    ["a control character in the URL", get("/v2/add?title=\x01"), unescaped],
    ["a tab in the URL", get("/v2/add?title=\t"), unescaped],
    ["a space in the URL", get("/v2/add?title=a b"), unescaped],
    ["no Host", "GET /v2/api HTTP/1.1\r\n\r\n", "the Host header is missing; set it to the host and port of the URL"],
    ["a length that is no number", post("content-length: x"), notHttp("Invalid character in Content-Length")],
    ["two lengths", post("content-length: 1\r\ncontent-length: 1", "a"), notHttp("Duplicate Content-Length")],
    ["an invalid chunk", post("transfer-encoding: chunked", "zz\r\n"), notHttp("Invalid character in chunk size")],
    ["a header without a name", post(": a"), notHttp("Invalid header token")],
    ["another protocol", "\x16\x03\x01\x02\x00", notHttp("Invalid method encountered")],
  ])("%s", async (_, bytes, message) => {
    const answer = await answerTo(bytes);
    expect(answer.status).toBe(400);
    expectHeaders(answer);
    expect(answer.headers.get("x-error")).toBe(message);
    expect(answer.body).toBe(`400 Bad Request\n${message}`);
  });

  test("a body that ends before its length", async () => {
    const answer = await answerTo(post("content-length: 9", "ab"), 50);
    expect(answer.status).toBe(400);
    expectHeaders(answer);
  });
});

test("a request line and headers of more than 1 MB are 431 with the usual headers", async () => {
  const answer = await answerTo(post(`x: ${"x".repeat(2_000_000)}`));
  expect(answer.status).toBe(431);
  expectHeaders(answer);
  expect(answer.headers.get("x-error")).toContain("10,240 bytes");
});
