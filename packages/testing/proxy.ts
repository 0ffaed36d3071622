import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

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
