import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Starts a proxy in front of a database for the calling test; returns its URL. `before` is awaited before each command,
 * with its operation, such as `Query`; if it returns false, the connection is closed without an answer.
 */
export async function startDatabaseProxy(
  endpoint: string,
  before: (operation: string) => Promise<unknown>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const headers = request.headers as Record<string, string>;
    const isAnswered = await before(headers["x-amz-target"]?.split(".")[1] ?? "");
    if (isAnswered === false) return void request.socket.destroy();
    const answer = await fetch(endpoint, { method: "POST", headers: { ...headers, connection: "close" }, body });
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
