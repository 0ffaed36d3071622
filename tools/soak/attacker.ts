// SPDX-License-Identifier: MIT

import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/*
 * Attacks the service of a soak until it is killed, each kind of attack from an address of 127.0.0.0/8 that no user has:
 * as a stranger, and as a registered user whose texts cost as much as texts may.
 * Arguments: URL of the main host, URL of the text host, an API key, URL of a slow page, a username, and URL of a page
 * that begins with many comments. A message is answered with the number of calls by kind and status.
 */
const [baseUrl = "", textUrl = "", apikey = "", slowPage = "", victim = "", commentsPage = ""] = process.argv.slice(2);

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

/** The user of the attacker, with pages of long repeated text; one has a highlight that the text almost has. */
const robot = { username: "robot", password: "robot robot" };
const pageOf = (name: string) => `http://attacker.example/${name}`;
const repeated = { ab: repeatText("ab", 200_000), a: repeatText("a ", 480_000) };

/** Registers the robot and keeps its pages; returns its token for the APIs of apps. */
async function prepareRobot(): Promise<string> {
  // Calls may fail at first: the service is under load.
  const ok = async (host: string, path: string, parameters: Record<string, string>) => {
    for (;;) {
      const init = { method: "POST", body: new URLSearchParams({ apikey, ...robot, ...parameters }) };
      const response = await fetch(new URL(path, host), init).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response?.status === 200 && text !== undefined) return text;
      await pause(1000);
    }
  };
  await ok(baseUrl, "/v2/signup", {});
  for (const [name, text] of Object.entries(repeated)) {
    await ok(baseUrl, "/v2/add", { url: pageOf(name) });
    await ok(textUrl, "/v2/article", { url: pageOf(name), html: `<article><h1>${name}</h1><p>${text}</p></article>` });
  }
  const quote = `${repeatText("ab", 500)}~~~~~~~~~~`;
  const mark = { id: "mark", url: pageOf("ab"), quote, prefix: "x".repeat(64), suffix: "y".repeat(64) };
  await ok(baseUrl, "/v2/highlights", { save: JSON.stringify([mark]) });
  const { password } = JSON.parse(await ok(baseUrl, "/v2/app_passwords", { create: "robot" }));
  return `${robot.username}.${password}`;
}

process.once("message", () => process.send?.(answers));
const token = await prepareRobot();
const bearer = { authorization: `Bearer ${token}` };
const asJson = { "content-type": "application/json" };
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
  repeat("authors of tabs", addressesOf(15, 1), () => ({
    path: "/wallabag/api/entries",
    body: JSON.stringify({ url: pageOf("tabs"), content: "<p>x</p>", authors: `${"\t".repeat(200_000)}x` }),
    headers: { ...bearer, ...asJson },
  })),
  repeat("highlight in repeated text", addressesOf(16, 1), () => ({
    path: "/mcp",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "read", arguments: { page: pageOf("ab") } },
    }),
    headers: { ...bearer, ...asJson },
  })),
  repeat("book with a highlight", addressesOf(17, 1), () => ({
    host: textUrl,
    path: "/v2/article",
    body: form({ ...robot, url: pageOf("ab"), format: "epub" }),
  })),
  repeat("search of one letter", addressesOf(18, 2), (turn) => ({
    path: "/v2/search",
    body: form({ ...robot, query: turn % 2 ? repeatText("a ", 498) : `"${repeatText("a ", 490)}"` }),
  })),
  repeat("form of +", addressesOf(19, 2), () => ({ path: "/v2/auth", body: form({}) + "+".repeat(9_900_000) })),
  repeat("page after comments", addressesOf(20, 2), (turn, from) => ({
    host: textUrl,
    path: "/v2/text",
    body: form({ url: `${commentsPage}?${from}-${turn}` }),
  })),
  // A page of another site in the browser of a user sends these from the address of the user.
  repeat("other site", ["127.0.0.1"], () => ({
    path: "/wallabag/oauth/v2/token",
    body: form({ grant_type: "password", username: victim, password: "wrong" }),
    headers: { origin: "https://attacker.example", "sec-fetch-site": "cross-site" },
  })),
]);
