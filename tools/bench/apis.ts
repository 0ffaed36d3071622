// SPDX-License-Identifier: MIT

import { type Account, type Answer, requireOk, type ServiceClient } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { seedList, startMeasuredService } from "./measured-service.ts";

const itemsOfList = 300;
const textsOfList = 30;
const rounds = 5;

type Call = () => Promise<Answer>;

/**
 * Processor time of a list of 30 in each API, beside the time of `get` in the same run: without texts in units of
 * `get`, with texts in ms for a kB of the answer. `calls`: of each list, in all rounds.
 */
export async function measureApis(calls: number): Promise<Subject> {
  const service = await startMeasuredService();
  try {
    const { client } = service;
    const lists: Record<string, Call> = {};
    // A user for each: apps of other services have a limit of 1,000 calls of a user in an hour.
    for (const [name, listOf] of Object.entries(plain)) {
      const { account } = await seedList(client, itemsOfList);
      lists[name] = listOf(await signIn(client, account));
    }
    for (const [name, listOf] of Object.entries(withTexts)) {
      const { account } = await seedList(client, 0);
      for (let n = 0; n < textsOfList; n++) {
        const url = `${service.pageUrl}?n=${n}`;
        await client.ok("add", { ...account, url });
        await client.ok("article", { ...account, url });
      }
      lists[name] = listOf(await signIn(client, account));
    }
    const measured = new Map(Object.keys(lists).map((name) => [name, { ms: 0, kB: 0 }]));
    for (let round = 0; round <= rounds; round++) {
      for (const [name, call] of Object.entries(lists)) {
        const before = service.process.processorMs();
        let body = "";
        for (let left = Math.ceil(calls / rounds); left > 0; left--) ({ body } = requireOk(name, await call()));
        const sum = measured.get(name);
        // The first round warms up.
        if (round === 0 || !sum) continue;
        sum.ms += service.process.processorMs() - before;
        sum.kB = Buffer.byteLength(body) / 1000;
      }
    }
    const msOf = (ms: number) => ms / rounds / Math.ceil(calls / rounds);
    const get = measured.get("v2 get")?.ms ?? 0;
    return {
      title: "A list of 30 in each API",
      notes: ["Processor time of a call. Texts: those of 30 kept articles, whose answer is compared by its size."],
      rows: [...measured].map(([list, { ms, kB }]) => ({
        list,
        ms: rounded(msOf(ms)),
        "times get": rounded(ms / get),
        kB: Math.round(kB),
        "ms for a kB": rounded(msOf(ms) / kB),
      })),
    };
  } finally {
    await service.stop();
  }
}

/** The credentials of an app, in the form of each API. */
async function signIn(client: ServiceClient, account: Account) {
  const { password } = JSON.parse((await client.ok("app_passwords", { ...account, create: "Bench" })).body);
  const token = `${account.username}.${password}`;
  const json = (path: string, fields: object) =>
    client.fetch(`${client.baseUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
  const sent = { ...account, password };
  const wallabag = await json("/wallabag/oauth/v2/token", {
    grant_type: "password",
    client_id: "a",
    client_secret: "a",
    ...sent,
  });
  const readeck = await json("/readeck/api/auth", { application: "bench", ...sent });
  const reading = (path: string, authorization: string): Call => {
    return () => client.fetch(`${client.baseUrl}${path}`, { headers: { authorization } });
  };
  return {
    v2: (): ReturnType<Call> => client.ok("get", { ...sent, count: 30, tags: 1 }),
    kobo: (): ReturnType<Call> =>
      json("/kobo/api/kobo/get", {
        access_token: token,
        consumer_key: "1",
        contentType: "article",
        count: "30",
        detailType: "complete",
        offset: "0",
        state: "all",
        total: "1",
      }),
    wallabag: (path: string) => reading(`/wallabag/api${path}`, `Bearer ${JSON.parse(wallabag.body).access_token}`),
    readeck: (path: string) => reading(`/readeck/api${path}`, `Bearer ${JSON.parse(readeck.body).token}`),
    linkding: (path: string) => reading(`/linkding/api${path}`, `Token ${token}`),
    greader: (path: string) => reading(`/greader/reader/api/0${path}`, `GoogleLogin auth=${token}`),
    opds: (path: string) => reading(`/opds${path}`, `Basic ${Buffer.from(token.replace(".", ":")).toString("base64")}`),
  };
}

type SignedIn = Awaited<ReturnType<typeof signIn>>;

const plain: Record<string, (app: SignedIn) => Call> = {
  "v2 get": ({ v2 }) => v2,
  wallabag: ({ wallabag }) => wallabag("/entries.json?perPage=30&detail=metadata"),
  Readeck: ({ readeck }) => readeck("/bookmarks?limit=30"),
  linkding: ({ linkding }) => linkding("/bookmarks/?limit=30"),
  "Google Reader, ids": ({ greader }) => greader("/stream/items/ids?s=user/-/state/com.google/reading-list&n=30"),
  "OPDS 1.2 (50)": ({ opds }) => opds("/unread"),
  "OPDS 2.0 (50)": ({ opds }) => opds("/v2/unread"),
  Kobo: ({ kobo }) => kobo,
};

const withTexts: Record<string, (app: SignedIn) => Call> = {
  "wallabag, with texts": ({ wallabag }) => wallabag("/entries.json?perPage=30"),
  "Google Reader, with texts": ({ greader }) => greader("/stream/contents?n=30"),
};
