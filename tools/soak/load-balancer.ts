// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Milliseconds for which a load balancer of AWS keeps an idle connection to a process. */
const idleMs = 60_000;

/** A load balancer in front of one host of several processes. */
export interface LoadBalancer {
  url: string;
  stop(): void;
}

/**
 * Sends each request to the next origin of `origins`, which belong to the running processes, and to the one after it
 * if that refuses the connection. If a process ends during a request, the client's connection is closed without an answer.
 */
export async function startLoadBalancer(origins: () => readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  let turn = 0;
  const server = createServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray());
    turn += 1;
    const found = origins();
    for (let attempt = 0; attempt < found.length; attempt++) {
      const origin = found[(turn + attempt) % found.length] ?? "";
      if (await forward(origin, { message, body, response, agent })) return;
    }
    response.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

interface Forwarded {
  message: IncomingMessage;
  body: Buffer;
  response: ServerResponse;
  agent: Agent;
}

/** Sends a request to a process, and its answer to the client; false if the process refuses the connection. */
async function forward(origin: string, { message, body, response, agent }: Forwarded): Promise<boolean> {
  const { method, url, headers, socket } = message;
  const forwardedFor = { "x-forwarded-for": socket.remoteAddress };
  const sent = request(`${origin}${url}`, { method, headers: { ...headers, ...forwardedFor }, agent }).end(body);
  try {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on("error", () => response.destroy()).pipe(response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return false;
    response.destroy();
  }
  return true;
}
