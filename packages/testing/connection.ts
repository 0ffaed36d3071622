// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEndOfFile } from "./end-of-file.ts";

/**
 * A TCP proxy in front of a server, which tests can cut. The offline mode that Playwright emulates refuses navigations in
 * Firefox before the service worker gets them.
 */
export class Connection {
  /** Leads to the server. */
  readonly origin: string;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(origin: string) {
    this.origin = origin;
  }

  /** Listens until the end of the test file. */
  static async to(target: string): Promise<Connection> {
    const { hostname, port } = new URL(target);
    const server = createServer((socket) => connection.#forward(socket, () => connect(Number(port), hostname)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const connection = new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    atEndOfFile(() => {
      server.close();
      connection.cut();
    });
    return connection;
  }

  /** Ends all connections, and each new one, until `restore`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  #forward(socket: Socket, open: () => Socket): void {
    if (this.#isCut) return void socket.destroy();
    const upstream = open();
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
