// SPDX-License-Identifier: MIT

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { SetupError } from "@reading-list/core/errors.ts";
import { prepareStop } from "./stop-server.ts";

/** The servers of a service, which stop at the same time. */
export class Servers {
  readonly #stops: (() => Promise<void>)[] = [];

  /** Returns the server's address. Throws a SetupError that names `variable` if the port cannot be opened. */
  async listen(server: Server, host: string, port: number, variable: string): Promise<string> {
    const stop = prepareStop(server);
    try {
      server.listen(port, host);
      await once(server, "listening");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === "EADDRINUSE" ? "is in use; choose another port" : `cannot be opened: ${code}`;
      throw new SetupError(`${variable} ${port} of ${host} ${reason}`, error);
    }
    this.#stops.push(stop);
    const { port: bound } = server.address() as AddressInfo;
    return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }
}

/** The address at which browsers reach a server: one of this machine, if it listens on all of them. */
export function findReachable(listening: string): string {
  const url = new URL(listening);
  if (url.hostname !== "0.0.0.0" && url.hostname !== "[::]") return listening;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  url.hostname = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
  return url.origin;
}
