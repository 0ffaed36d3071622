// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Reads a POST and answers `200 OK`: the least that any Node service spends on a call. */
const server = createServer((request, response) => {
  request.resume().on("end", () => response.end("200 OK"));
}).listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/empty`);
