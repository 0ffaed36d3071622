import { add } from "@reading-list/core/contract/add.ts";
import { auth } from "@reading-list/core/contract/auth.ts";
import { pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { get } from "@reading-list/core/contract/get.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { expectHeaders } from "./contract-of-answers.ts";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import { mutationsOf, requestOf, urlencoded, writeForm } from "./requests.ts";
import { secret } from "./values.ts";
import { type WireAnswer, writeRequest } from "./wire.ts";

let fuzzed: FuzzedService;
let user: TestUser;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  user = await fuzzed.newUser();
});

/** Milliseconds after which a truncated request will get no further. */
const endAfter = 150;

/** Expected for bytes that may not be HTTP: no answer, a refusal, or a valid answer of the service. */
function expectHarmless(answer: WireAnswer | undefined): void {
  if (!answer) return;
  const { status, raw } = answer;
  expect(status < 500 || status === 505).toBe(true);
  expect(raw.toLowerCase()).not.toContain(secret);
}

test("requests with random changes of bytes do not affect other requests", async () => {
  const givens = fuzzed.givensOf(user);
  const requests = [auth, add, get].flatMap((contract) => {
    const posted = { headers: [["content-type", urlencoded]] as [string, string][], body: writeForm(givens) };
    return [requestOf(contract, givens), requestOf(contract, [], posted)].map(writeRequest);
  });
  // Several at a time, because most of them wait until the timeout.
  const some = fc.array(fc.constantFrom(...requests).chain(mutationsOf), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(some, async (mutated) => {
      const answers = await Promise.all(mutated.map((bytes) => fuzzed.write("main", bytes, endAfter)));
      answers.forEach(expectHarmless);
    }),
    runs(40),
  );
  await fuzzed.expectAlive(user);
});

const long = "x".repeat(100_000);
test.each([
  ["nothing", ""],
  ["not HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["HTTP/0.9", "GET /v2/auth\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/9.9", "GET /v2/auth HTTP/9.9\r\n\r\n"],
  ["no host", "GET /v2/auth HTTP/1.1\r\n\r\n"],
  ["two lengths", "POST /v2/auth HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  [
    "a length and chunks",
    "POST /v2/auth HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a length below 0", "POST /v2/auth HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n"],
  ["a length above 2^53", `POST /v2/auth HTTP/1.1\r\nhost: a\r\ncontent-length: ${"9".repeat(30)}\r\n\r\n`],
  ["a body shorter than its length", "POST /v2/auth HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\napikey="],
  ["an invalid chunk", "POST /v2/auth HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"],
  ["another transfer encoding", "POST /v2/auth HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\n\r\n"],
  ["a NUL in a header", "GET /v2/auth HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n"],
  ["a header without a name", "GET /v2/auth HTTP/1.1\r\nhost: a\r\n: a\r\n\r\n"],
  ["a folded header", "GET /v2/auth HTTP/1.1\r\nhost: a\r\nx: a\r\n b\r\n\r\n"],
  ["a header of 100 KB", `GET /v2/auth HTTP/1.1\r\nhost: a\r\nx: ${long}\r\n\r\n`],
  ["a path of 100 KB", `GET /v2/${long} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ["10,000 headers", `GET /v2/auth HTTP/1.1\r\nhost: a\r\n${"x:\r\n".repeat(10_000)}\r\n`],
  ["an expectation", "POST /v2/auth HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 0\r\n\r\n"],
  ["an odd expectation", "POST /v2/auth HTTP/1.1\r\nhost: a\r\nexpect: a miracle\r\ncontent-length: 0\r\n\r\n"],
  ["an upgrade", "GET /v2/auth HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
  ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nhost: a\r\n\r\n"],
  ["another host's URL", "GET http://example.com/v2/auth HTTP/1.1\r\nhost: a\r\n\r\n"],
])("a request with %s harms nobody", async (_, bytes) => {
  for (const host of ["main", "text"] as const) expectHarmless(await fuzzed.write(host, bytes, endAfter));
  await user.ok("auth");
});

describe("a path or method that no endpoint has", () => {
  const segment = fc.oneof(
    fc.webSegment(),
    fc.constantFrom("../..", ".", "%2e%2e", "%00", "__proto__", "%ff", ";", "$default"),
  );
  const nearly = endpoints.flatMap((endpoint) => {
    const path = pathOf(endpoint);
    return [
      `${path}/`,
      `/${path}`,
      `${path}%20`,
      `${path};`,
      path.toUpperCase(),
      path.replace("v2", "v1"),
      `${path}/${endpoint.name}`,
    ];
  });
  const known = fc.constantFrom(...endpoints.map(pathOf));
  const requests = fc.record({
    method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"),
    path: fc.oneof(
      fc.constantFrom(...nearly),
      fc.array(segment).map((segments) => `/${segments.join("/")}`),
      known,
    ),
    isOnText: fc.boolean(),
  });

  test("is 404 with the usual headers", async () => {
    const isKnown = ({ method, path, isOnText }: { method: string; path: string; isOnText: boolean }) =>
      // The API reference page.
      (method === "GET" && path === "/" && !isOnText) ||
      ((method === "GET" || method === "POST") &&
        endpoints.some((endpoint) => pathOf(endpoint) === path && (endpoint.host === "text") === isOnText));
    await fc.assert(
      fc.asyncProperty(
        requests.filter((request) => !isKnown(request)),
        async ({ method, path, isOnText }) => {
          const target = `${path}?${writeForm(fuzzed.givensOf(user))}`;
          const bytes = writeRequest({ method, target, headers: [], body: "" });
          const answer = await fuzzed.write(isOnText ? "text" : "main", bytes);
          if (!answer) throw new Error("the connection was closed without an answer");
          expect(answer.status).toBe(404);
          expectHeaders(answer);
          expect(answer.raw).not.toContain(secret);
          expect(answer.body).toBe(method === "HEAD" ? "" : `404 Not Found\n${answer.headers.get("x-error")}`);
        },
      ),
      runs(200),
    );
  });
});
