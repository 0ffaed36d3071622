import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createGateway } from "@reading-list/local/gateway.ts";

/** Serves the gateway of the local service with a handler that does nothing. */
const answer = { statusCode: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body: "200 OK" };
const server = createGateway(new Map([["$default", async () => answer]]), Date);
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
