import { behindEdge } from "@reading-list/functions/http/edge.ts";
import { expect, test } from "vitest";

type Handler = Parameters<typeof behindEdge<undefined>>[1];
type Event = Parameters<Handler>[0];

const refuse = (statusCode: number, body: string) => ({ statusCode, headers: {}, body });
const echo: Handler = async ({ headers, requestContext }) => ({
  statusCode: 200,
  headers: {},
  body: `${requestContext.http.sourceIp} ${Object.keys(headers)} ${headers.host}`,
});
const call = (secret: string | undefined, headers: Record<string, string>) => {
  const event = { headers, requestContext: { http: { sourceIp: "192.0.2.9" } } } as unknown as Event;
  return behindEdge(secret, echo, refuse)(event, undefined);
};

test("without CloudFront a call has the address that API Gateway sees", async () => {
  const headers = { "x-forwarded-for": "203.0.113.1", host: "id.gateway.example" };
  expect((await call(undefined, headers)).body).toBe("192.0.2.9 x-forwarded-for,host id.gateway.example");
});

test("behind CloudFront a call has the address and host that CloudFront sets, whatever the caller forwards", async () => {
  const headers = {
    "x-edge-secret": "s",
    "x-edge-address": "203.0.113.1",
    "x-edge-host": "list.example.com",
    "x-forwarded-for": "198.51.100.7, 192.0.2.9",
    host: "id.gateway.example",
  };
  expect((await call("s", headers)).body).toBe("203.0.113.1 x-forwarded-for,host list.example.com");
});

test.each([{}, { "x-edge-secret": "guess" }])(
  "a call that did not come through CloudFront is 403: %o",
  async (headers) => {
    expect((await call("s", headers)).statusCode).toBe(403);
  },
);
