// SPDX-License-Identifier: MIT

import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createHostResolver } from "@reading-list/article/fetch/resolve-host.ts";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { expect, onTestFinished, test } from "vitest";
import { noCache } from "../no-cache.ts";

const typeA = 1;
const noSuchName = 3;

/** A DNS server that knows `alive.example`, answers nothing for `dead*`, and NXDOMAIN for all other names. */
async function serveNames() {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, client) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    if (name.startsWith("dead")) return;
    const addresses = name === "alive.example" && type === typeA ? [[93, 184, 215, 14]] : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (name === "alive.example" ? 0 : noSuchName), 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt16BE(0, 10);
    const records = addresses.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]));
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), client.port, client.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { server: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let place = 12;
  for (let length = query.readUInt8(place); length > 0; length = query.readUInt8(place)) {
    labels.push(query.toString("latin1", place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(place + 1), end: place + 5 };
}

const reasonOf = (lookup: Promise<unknown>) => lookup.then(String, (error: Error) => error.message);

test("a host is resolved by the DNS server; an unknown host is an error", async () => {
  const { server } = await serveNames();
  const resolve = createHostResolver([server]);
  expect(await resolve("alive.example")).toEqual([{ address: "93.184.215.14", family: 4 }]);
  expect(await reasonOf(resolve("missing.example"))).toBe("has a host that was not found");
});

test("forty names that no server answers do not delay another name", async () => {
  const { server } = await serveNames();
  const resolve = createHostResolver([server], 2500);
  let deadEnded = 0;
  const dead = Array.from({ length: 40 }, (_, number) => reasonOf(resolve(`dead${number}.example`)));
  for (const lookup of dead) lookup.then(() => deadEnded++);
  expect(await resolve("alive.example")).toHaveLength(1);
  expect(deadEnded).toBe(0);
  expect(new Set(await Promise.all(dead))).toEqual(new Set(["has a host that could not be looked up"]));
});

test("a lookup ends at its timeout, even while it waits in the queue", async () => {
  const { server, asked } = await serveNames();
  const resolve = createHostResolver([server], 500);
  const dead = Array.from({ length: 102 }, (_, number) => reasonOf(resolve(`dead${number}.example`)));
  await Promise.race(dead);
  await expect.poll(() => new Set(asked).size).toBe(100);
  expect(new Set(await Promise.all(dead))).toEqual(new Set(["has a host that could not be looked up"]));
  expect(await resolve("alive.example")).toHaveLength(1);
});

test("concurrent requests for a name share one lookup", async () => {
  const { server, asked } = await serveNames();
  const resolve = createHostResolver([server]);
  await Promise.all([resolve("alive.example"), resolve("alive.example"), resolve("alive.example")]);
  // Once for IPv4 and once for IPv6.
  expect(asked).toHaveLength(2);
});

test("an allowed origin may be named localhost, as in /etc/hosts", async () => {
  const origin = (await servePages(page(articlePage))).replace("127.0.0.1", "localhost");
  const reader = createPageReader({ allowedOrigins: [origin], cache: noCache, clock: Date });
  onTestFinished(() => reader.close());
  const view = await reader.read({ url: origin, mode: "less", images: false });
  expect(view.html).toContain("Paragraph 3 of the article");
});
