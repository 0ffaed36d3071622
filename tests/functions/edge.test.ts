import { behindEdge } from "@reading-list/functions/http/edge.ts";
import { expect, test } from "vitest";

type Handler = Parameters<typeof behindEdge<undefined>>[1];
type Event = Parameters<Handler>[0];

const refuse = (statusCode: number, body: string) => ({ statusCode, headers: {}, body });
const echo: Handler = async ({ headers, requestContext }) => ({
  statusCode: 200,
  headers: {},
  body: `${requestContext.http.sourceIp} ${Object.keys(headers)}`,
});
const call = (secret: string | undefined, headers: Record<string, string>) => {
  const event = { headers, requestContext: { http: { sourceIp: "192.0.2.9" } } } as unknown as Event;
  return behindEdge(secret, echo, refuse)(event, undefined);
};

test("without CloudFront a call has the address that API Gateway sees", async () => {
  expect((await call(undefined, { "x-forwarded-for": "203.0.113.1" })).body).toBe("192.0.2.9 x-forwarded-for");
});

test("behind CloudFront a call has the address that CloudFront sets, whatever the caller forwards", async () => {
  const headers = {
    "x-edge-secret": "s",
    "x-edge-address": "203.0.113.1",
    "x-forwarded-for": "198.51.100.7, 192.0.2.9",
  };
  expect((await call("s", headers)).body).toBe("203.0.113.1 x-forwarded-for");
});

test.each([{}, { "x-edge-secret": "guess" }])(
  "a call that did not come through CloudFront is 403: %o",
  async (headers) => {
    expect((await call("s", headers)).statusCode).toBe(403);
  },
);
