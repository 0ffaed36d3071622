// SPDX-License-Identifier: MIT

import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Milliseconds for the calls under way to finish. */
const graceMs = 3000;

/**
 * Returns the way to stop a server that has no connections yet: it finishes the calls under way, for 3 s at most, and
 * closes idle connections immediately.
 */
export function prepareStop(server: Server): () => Promise<void> {
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!server.listening) socket.destroySoon();
      else if (!socket.destroyed) idle.add(socket);
    });
  });
  return async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of idle) socket.destroy();
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(cut);
  };
}
