// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A reply of DynamoDB. */
export interface Reply {
  status: number;
  body: string;
}

/**
 * Starts a server in front of a database. `answer` gets each request and its body; if it returns undefined, the
 * connection is closed without an answer.
 */
export async function startProxy(
  answer: (request: IncomingMessage, body: Buffer) => Promise<Reply | undefined>,
): Promise<{ url: string; stop(): void }> {
  const server = createServer(async (request, response) => {
    try {
      const reply = await answer(request, await buffer(request));
      if (reply) response.writeHead(reply.status, { "content-type": "application/x-amz-json-1.0" }).end(reply.body);
      else request.socket.destroy();
    } catch (error) {
      // A delayed request outlives its client, and may outlive the database.
      if (server.listening && !request.socket.destroyed) throw error;
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The operation that a request to a database names, such as `Query`. */
export const operationOf = ({ headers }: IncomingMessage) => String(headers["x-amz-target"]).split(".")[1] ?? "";

/** The reply of a database to a request. */
export async function forward(endpoint: string, { headers }: IncomingMessage, body: Buffer): Promise<Reply> {
  const sent = { ...(headers as Record<string, string>), connection: "close" };
  const answer = await fetch(endpoint, { method: "POST", headers: sent, body });
  return { status: answer.status, body: await answer.text() };
}

/**
 * Starts a proxy in front of a database for the calling test; returns its URL. `before` is awaited before each command,
 * with its operation; if it returns false, the connection is closed without an answer. `after` is awaited before its
 * answer.
 */
export async function startDatabaseProxy(
  endpoint: string,
  before: (operation: string) => Promise<unknown>,
  after: (operation: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const { url, stop } = await startProxy(async (request, body) => {
    if ((await before(operationOf(request))) === false) return undefined;
    const reply = await forward(endpoint, request, body);
    await after(operationOf(request));
    return reply;
  });
  onTestFinished(stop);
  return url;
}
