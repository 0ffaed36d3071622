// SPDX-License-Identifier: MIT

import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/*
 * Attacks the service of a soak until it is killed, each kind of attack from an address of 127.0.0.0/8 that no user has.
 * Arguments: URL of the main host, URL of the text host, an API key, URL of a slow page, a username. A message
 * is answered with the number of calls by kind and status.
 */
const [baseUrl = "", textUrl = "", apikey = "", slowPage = "", victim = ""] = process.argv.slice(2);

const answers: Record<string, number> = {};

/** Milliseconds between two calls of one address. */
const pauseMs = 100;

interface Call {
  /** The main host if absent. */
  host?: string;
  path: string;
  body: string;
  headers?: Record<string, string>;
  /** The address that sends it. */
  from: string;
}

async function send(kind: string, { host = baseUrl, path, body, headers, from }: Call): Promise<void> {
  const status = await new Promise<number | "lost">((resolve) => {
    const sent = request(new URL(path, host), {
      method: "POST",
      agent: false,
      localAddress: from,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
    sent.on("error", () => resolve("lost"));
    sent.on("response", (response) => response.resume().on("close", () => resolve(response.statusCode ?? "lost")));
    sent.end(body);
  });
  const row = `${kind}, ${status}`;
  answers[row] = (answers[row] ?? 0) + 1;
}

/** Repeats a call from some addresses at once, with a short pause after each answer. */
async function repeat(
  kind: string,
  addresses: readonly string[],
  callOf: (turn: number, from: string) => Omit<Call, "from">,
) {
  const attack = async (from: string) => {
    for (let turn = 0; ; turn++) {
      await send(kind, { from, ...callOf(turn, from) });
      await pause(pauseMs);
    }
  };
  await Promise.all(addresses.map(attack));
}

const addressesOf = (subnet: number, count: number) =>
  Array.from({ length: count }, (_, number) => `127.0.${subnet}.${number + 1}`);

const form = (parameters: Record<string, string>) => new URLSearchParams({ apikey, ...parameters }).toString();
const repeatText = (text: string, bytes: number) => text.repeat(bytes / text.length);
const eightMegabytes = 8 * 1024 * 1024;
const bombs = [
  `{"a":${repeatText("[", eightMegabytes / 2)}${repeatText("]", eightMegabytes / 2)}}`,
  `{"a":[${repeatText("{},", eightMegabytes)}{}]}`,
  `{"a":[${repeatText('"\\u0041",', eightMegabytes)}""]}`,
  `{${Array.from({ length: 600_000 }, (_, number) => `"${number.toString(36)}":1`).join(",")}}`,
];

process.once("message", () => process.send?.(answers));
await Promise.all([
  repeat("wrong login", addressesOf(11, 20), (turn, from) => ({
    path: "/v2/auth",
    body: form({ username: `nobody-${turn % 1000}-${from.slice(9)}`, password: "wrong" }),
  })),
  repeat("signup", addressesOf(12, 2), (turn, from) => ({
    path: "/v2/signup",
    body: form({ username: `robot-${turn}-${from.slice(9)}`, password: "robot" }),
  })),
  repeat("JSON bomb", addressesOf(13, 1), (turn) => ({
    path: "/wallabag/oauth/v2/token",
    body: bombs[turn % bombs.length] ?? "",
    headers: { "content-type": "application/json" },
  })),
  repeat("slow page", addressesOf(14, 10), (turn, from) => ({
    host: textUrl,
    path: "/v2/text",
    body: form({ url: `${slowPage}?${from}-${turn}` }),
  })),
  // A page of another site in the browser of a user sends these from the address of the user.
  repeat("other site", ["127.0.0.1"], () => ({
    path: "/wallabag/oauth/v2/token",
    body: form({ grant_type: "password", username: victim, password: "wrong" }),
    headers: { origin: "https://attacker.example", "sec-fetch-site": "cross-site" },
  })),
]);
